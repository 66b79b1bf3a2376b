"""Bare expressions: those of `http` and parsing steps and of Warehouses, without delimiters.

In a config they are cut as templates first; what is read here is the text that comes of it. A part
that is not known yet stands as a name that may be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from ....functions.expr.index import INDEX as BUILTINS
from ....functions.kargo.promotion import STRUCTS
from ....functions.names import Hint, meant
from ....functions.record import Record
from ....functions.registry import Function
from ...language.errors import LanguageError
from ...values.expression import Call, Expression, Literal, Reference
from ...values.positions import span_in_scalar
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar, Template, is_as_read
from ..expr.operators import LET, OPERATORS, PREDICATE
from ..expr.reader import PREDICATES, parse_expression
from ..expr.syntax import builtin
from ..expr.types import UNKNOWN, Typer
from .freight import LOOKUPS
from .steps import Problem
from .syntax import find

Find: TypeAlias = Callable[[str], Function | None]

ENVIRONMENT: Final = "$env"
_OF_PROMOTIONS: Final = frozenset({"ctx", "vars", "outputs", "task", "stepMetas", "target"})
_HOLE: Final = "notKnownYet"
_COMMIT: Final = ("id", "commitDate", "author", "committer", "subject")
_TAG: Final = (*_COMMIT, "tag", "creatorDate", "tagger", "annotation")


class Place(Record):
    """What bare expressions see at a place: names with their fields, and functions of Kargo.

    Without `names` all are there; a name without fields may have any.
    """

    what: str
    names: Mapping[str, tuple[str, ...]] | None = None
    functions: tuple[str, ...] = ()
    decides: bool = False


_RESPONSE: Final = {"response": ("status", "headers", "header", "body")}
_HTTP: Final = Place("an expression of `http`", _RESPONSE)
_HTTP_DECIDES: Final = _HTTP.evolve(decides=True)
_PARSED: Final = Place("an expression over a document")
_PLACES: Final = {
    "http": {
        "outputs": _HTTP,
        "successExpression": _HTTP_DECIDES,
        "failureExpression": _HTTP_DECIDES,
        "errorExpression": _HTTP_DECIDES,
    },
    "yaml-parse": {"outputs": _PARSED},
    "json-parse": {"outputs": _PARSED},
    "toml-parse": {"outputs": _PARSED},
}
CRITERIA: Final = Place("the criteria of a Warehouse", {}, tuple(LOOKUPS))
COMMITS: Final = Place("a filter of commits", dict.fromkeys(_COMMIT, ()))
TAGS: Final = Place("a filter of tags", dict.fromkeys(_TAG, ()))


def in_config(config: AnyNode | None, uses: str) -> Iterator[tuple[AnyNode, Place]]:
    """The bare expressions in the config of a step."""
    for key, place in _PLACES.get(uses, {}).items():
        node = config.get(key) if isinstance(config, Map) else None
        if isinstance(node, Array):
            for item in node.items:
                inner = item.get("fromExpression") if isinstance(item, Map) else None
                if inner is not None:
                    yield inner, place
        elif node is not None:
            yield node, place


def problems(node: AnyNode, place: Place) -> Iterator[Problem]:
    """What is wrong with a bare expression."""
    open_ = isinstance(node, Template)
    if isinstance(node, Template):
        parts = [part if isinstance(part, str) else _HOLE for part in node.segments]
        text = "" if parts == [_HOLE] else "".join(parts)
    else:
        text = node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    if not text.strip():
        return

    def seen(name: str) -> Function | None:
        if name not in place.functions:
            return builtin(name)
        found = find(name)
        assert found is not None
        result = "discovered_commit" if name == "commitFrom" else found.result
        kept = [one for one in found.parameters if "origin" not in one.name]
        return found.evolve(parameters=tuple(kept), result=result)

    try:
        tree = parse_expression(text, 0, False)
        misplaced = _misplaced(tree, text, place, seen)
        found = [one for one in misplaced if _HOLE not in text[one.start : one.end]]
        if not found:
            kind = Typer(seen, lambda: STRUCTS).type(tree, {})
            if place.decides and kind not in (UNKNOWN, "boolean"):
                found.append(_told("condition_type", "this decides, so it gives a boolean", tree))
    except LanguageError as error:
        if open_ and error.code == "invalid_substitution":
            return  # what is not known yet may be more than a value
        if "${" in text:
            error.hint = "Kargo cuts no `${{ .. }}` here: the text itself is the expression"
        found = [error]
    for one in found:
        yield Problem(one.code, _span(node, one.start, one.end), one.summary, one.hint)


def _span(node: AnyNode, start: int, end: int) -> Span:
    if isinstance(node, Scalar) and is_as_read(node) and isinstance(node.value, str):
        return span_in_scalar(node.trail.source, node.start, node.end, node.value, start, end)
    return node.span


def _told(code: str, summary: str, node: Expression, hint: Hint = None) -> LanguageError:
    worded = hint() if callable(hint) else hint
    return LanguageError(code, summary, node.start, node.end, worded)


def _misplaced(tree: Expression, text: str, place: Place, seen: Find) -> Iterator[LanguageError]:
    for node in mentioned(tree):
        if isinstance(node, Call):
            name = node.function
            if seen(name) is not None:
                continue
            piped = not text.startswith(name, node.start)
            at = Literal(name, node.start, node.end if piped else node.start + len(name))
            if find(name) is not None:
                before = f"compute it before: `${{{{ {name}(..) }}}}`"
                hint = None if place is CRITERIA else before
                said = f"`{name}` does not exist in {place.what}"
                yield _told("function_not_here", said, at, hint)
            else:
                near = meant(name, (*BUILTINS, *place.functions), 0.7)
                yield _told("function_not_found", f"there is no function `{name}`", at, near)
        elif place.names is not None:
            path = (node.root, *node.path) if node.root != ENVIRONMENT else node.path
            yield from _unknown_name(node, path, place)


def _unknown_name(
    node: Reference, path: tuple[str | int, ...], place: Place
) -> Iterator[LanguageError]:
    assert place.names is not None
    marks = (*(() if node.root == ENVIRONMENT else (node.start,)), *node.marks)
    keys = [
        Literal(key, start, start + len(str(key))) for key, start in zip(path, marks, strict=False)
    ]
    if not keys:
        return
    name = str(keys[0].value)
    fields = place.names.get(name)
    if fields is None:
        hint: Hint = meant(name, place.names)
        if name in _OF_PROMOTIONS and place is not CRITERIA:
            hint = f"put its value in before: `'${{{{ {name}... }}}}'`"
        elif place.names:
            hint = hint or "the names here are " + ", ".join(f"`{one}`" for one in place.names)
        yield _told("name_not_here", f"there is no `{name}` in {place.what}", keys[0], hint)
    elif fields and len(keys) > 1 and keys[1].value not in fields:
        key = str(keys[1].value)
        said = f"`{name}` has no field `{key}`"
        yield _told("field_not_found", said, keys[1], meant(key, fields))


def mentioned(tree: Expression) -> Iterator[Reference | Call]:
    """The names of the environment and the calls of functions in an expression, in its order."""
    return (node for node, _ in standing(tree))


def standing(tree: Expression) -> Iterator[tuple[Reference | Call, bool]]:
    """What `mentioned` gives, and whether each can be evaluated by itself, without local names."""
    stack: list[tuple[Expression, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, local = stack.pop()
        if isinstance(node, Reference):
            if node.root[0] != "#" and node.root not in local:
                yield node, True
        elif isinstance(node, Call):
            parts = [argument.value for argument in node.arguments]
            if node.function == LET and isinstance(parts[0], Literal):
                stack.append((parts[2], local | {str(parts[0].value)}))
                stack.append((parts[1], local))
                continue
            if node.function == PREDICATE:
                local |= {"#"}
            elif node.function not in OPERATORS and node.function not in PREDICATES:
                yield node, not local
            stack.extend((part, local) for part in reversed(parts))
