"""Errors of parsing and evaluating expressions; they stay inside the pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ...functions.registry import Function, FunctionNotLoaded, Functions
from ...functions.values import FunctionValue, Unknown, article
from ..values.diagnostics import QUOTE, Diagnostic, Hint, Remedy, meant, worded
from ..values.expression import Expression

# Hints that several modules give.
BREAK_CYCLE: Final = "break the cycle by computing one of them from something else"
CLOSED_QUOTE: Final = 'close it with `"`; a `"` in the string is written `\\"`'
FIX_PACKAGE: Final = "fix or uninstall the package"
PATHS_ARE_LOGGED: Final = "paths and addresses end up in logs and on other machines"
IN_QUOTES: Final = Remedy("put it in quotes", action=QUOTE)
QUOTES_AROUND: Final = Remedy("put quotes around it", action=QUOTE)
QUOTE_IT: Final = Remedy("put it in quotes to make it a string", action=QUOTE)

_ALIKE: Final = 0.7
"""How much a function is spelt like the one that is proposed: many of them are short words."""

_NAMING: Final = frozenset({"path_not_found", "resource_not_found", "data_source_field_missing"})


class LanguageError(Exception):
    """A text that is not a valid template.

    `start` and `end` are offsets in the decoded text of the string, `code` a diagnostic code.
    `others` are further mistakes of the same text.
    """

    def __init__(
        self, code: str, summary: str, start: int, end: int, hint: str | None = None
    ) -> None:
        super().__init__(summary)
        self.code = code
        self.summary = summary
        self.start = start
        self.end = end
        self.hint = hint
        self.others: tuple[LanguageError, ...] = ()

    def moved(self, by: int) -> LanguageError:
        """The same mistake at another place."""
        return LanguageError(self.code, self.summary, self.start + by, self.end + by, self.hint)


Misplaced: TypeAlias = tuple[str, int, int, str | None]
"""A token that cannot stand where it does: a sentence, where it starts and ends, and a hint."""


def unreadable_text(
    what: str, size: int, found: Misplaced | None, position: int, offset: int
) -> LanguageError:
    """The mistake in a text that a parser gave up on at `position`, `found` being what is known.

    `what` is the kind of text, `size` its length without trailing blanks. `offset` is
    added to all positions.
    """
    if found is None:
        start = min(position, max(size - 1, 0))
        found = (f"the {what} cannot be parsed from here", start, max(size, start + 1), None)
    summary, start, end, hint = found
    return LanguageError("invalid_substitution", summary, offset + start, offset + end, hint)


class Failure(Exception):
    """An expression that has no value, and the expression node to blame.

    `node` may belong to a shape; `Language.locate` finds its place in the text that was written.
    `reported` says that the mistake has its diagnostic already, so that mistakes that merely follow
    from it are not reported. `substitution` is the one that was being evaluated.
    """

    def __init__(
        self,
        code: str,
        summary: str,
        node: Any = None,
        hint: Hint = None,
        notes: tuple[Any, ...] = (),
        reported: bool = False,
    ) -> None:
        super().__init__(summary)
        self.code = code
        self.summary = summary
        self.node = node
        self.hint = hint
        self.notes = notes
        self.reported = reported
        self.substitution: Any = None

    def diagnostic(self) -> Diagnostic:
        """What is told of it, at the place of a node that knows its own."""
        span = getattr(self.node, "span", None)
        hint = worded(self.hint)
        return Diagnostic(self.code, self.summary, span, hint=hint, notes=self.notes)

    @property
    def discreet_hint(self) -> Hint:
        """The hint for a run that reveals secrets: a near name could be a key of one."""
        return None if self.code in _NAMING else self.hint


def not_text(type_name: str, node: Expression) -> Failure:
    """The failure for an array, an object or a function as part of a string."""
    hint = {
        "array": 'use `join(..., ",")` to make it a string, or let the substitution stand alone',
        "object": "let the substitution stand alone, or pick a field of the object",
    }.get(type_name)
    return Failure(
        "invalid_interpolation", f"{article(type_name)} cannot be part of a string", node, hint
    )


def no_fields(type_name: str) -> str:
    """The sentence for a path that goes below a value of a type without fields."""
    return f"{article(type_name)} has no fields and no elements"


def find_function(name: str, functions: Mapping[str, Function], node: Expression) -> Function:
    """The function that a call means, for a name that is not among those known so far.

    Raises:
        Failure: `function_not_found`, or `function_not_loaded` for one that cannot be used.
    """
    if isinstance(functions, Functions):
        try:
            found = functions.find(name)
        except FunctionNotLoaded as problem:
            hint = "this is a mistake in an installed package, not in the blueprint"
            raise Failure("function_not_loaded", problem.message, node, hint) from None
        if found is not None:
            return found
    raise unknown_function(name, functions, node)


def unknown_function(name: str, functions: Mapping[str, Function], node: Expression) -> Failure:
    """The failure for a function that does not exist."""

    def hint() -> str:
        known = functions if isinstance(functions, Functions) else Functions()
        listed = f"`{known.listed}` lists all functions"
        return known.advise(name) or meant(name, functions, _ALIKE) or listed

    return Failure("function_not_found", f"there is no function `{name}`", node, hint)


def refuse_function(value: Any, node: Expression) -> None:
    """Refuse a function where only values are allowed.

    Raises:
        Failure: `function_not_allowed`.
    """
    kind = value.__class__
    if kind is FunctionValue or (kind is Unknown and value.type == "function"):
        name = f" `{value.name}`" if kind is FunctionValue else ""
        raise Failure(
            "function_not_allowed",
            f"the function{name} can only be an argument of another function",
            node,
        )
