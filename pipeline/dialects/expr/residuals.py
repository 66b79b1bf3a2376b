"""What is left of an expression that waits for unknown values, and what evaluation spends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ....functions.expr.kinds import Struct, a_kind
from ....functions.values import FunctionError, Unknown
from ...language.errors import Failure, LanguageError
from ...language.evaluator import Evaluator
from ...language.waiting import is_secret
from ...values.expression import Argument, Call, Expression, Hole, Literal, Reference
from .operators import INDEX, LET, PREDICATE, over_budget
from .printing import call, tree_of
from .scope import Scope, deeper, has_part, member
from .types import UNKNOWN

Literals = tuple[Any, ...]
_CHARS_A_STEP: Final = 64


class NilInChain(Exception):
    """The nil before a `?.`, which is what the whole chain gives."""


def tree_from(value: Any, written: Expression | None = None) -> Expression:
    """The tree of a value that was computed from what is `written`.

    A known array has typed items when it is written out, and had none: `concat(..)` hides them, and
    `first([..])` that a string is one where this makes a difference.
    """
    if value.__class__ is Unknown:
        return value.expression  # type: ignore[no-any-return]
    tree = tree_of(value)
    if written is None or isinstance(written, (Literal, Hole)):
        return tree
    if isinstance(value, list) and value and getattr(written, "function", "") != "list":
        return call("concat", [tree])
    return tree


def waiting(
    self: Evaluator,
    node: Call,
    values: Sequence[Any],
    kind: str = "any",
) -> Unknown:
    """The residual of a call with evaluated arguments, the first ones of those written.

    Raises:
        Failure: `limit_exceeded` for arguments that are too large to be written out.
    """
    self.keep([value for value in values if value.__class__ is not Unknown], node)
    written = [argument.value for argument in node.arguments]
    trees = [tree_from(value, tree) for value, tree in zip(values, written, strict=False)]
    if node.function in _TYPED:
        for position, (value, tree) in enumerate(zip(values, written, strict=False)):
            if not isinstance(tree, (Literal, Hole)) and _matters(
                self, node.function, value, trees
            ):
                trees[position] = call("first", [call("list", [trees[position]])])
    return Unknown(call(node.function, trees), kind, any(map(is_secret, values)))


TEXTUAL: Final = frozenset({"contains", "startsWith", "endsWith", "matches"})
_TYPED: Final = frozenset({"==", "!=", "in", "get", INDEX, *TEXTUAL})


def _matters(self: Evaluator, name: str, value: Any, trees: Sequence[Expression]) -> bool:
    """Whether the type of a known value must not be seen, as it was not in what is written."""
    if name in TEXTUAL:
        return value.__class__ not in (Unknown, str)
    if name == "in":
        return value is None and trees[-1] == Literal(None)
    if name in ("get", INDEX):
        return isinstance(value, str) and trees[0] == Literal(value)
    wanted = "string" if isinstance(value, str) else "integer"
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        return False
    return wanted in [static_type(self, tree) for tree in trees if not isinstance(tree, Literal)]


def static_type(self: Evaluator, tree: Expression) -> Any:
    """The static type of a tree, as far as it is known without its surroundings."""
    try:
        return self.semantics.typer.type(tree, _Anything())
    except LanguageError:
        return UNKNOWN


def sometimes(self: Evaluator, tree: Expression, literals: Literals, scope: Scope) -> Any:
    """A value that may never be needed: without one, it stays as it is written."""
    try:
        return self.value(tree, literals, scope)
    except Failure as failure:
        if failure.code == "limit_exceeded":
            raise
        return Unknown(_written(tree, literals, scope, frozenset()))


def _written(tree: Expression, literals: Literals, scope: Scope, own: frozenset[str]) -> Expression:
    """A tree with its strings, and with known names in place of what is not its `own`."""
    if isinstance(tree, Hole):
        return Literal(literals[tree.index])
    if isinstance(tree, Reference):
        if tree.root in own:
            return tree
        try:
            known = scope.resolve(tree)
            made = tree_from(known, tree)
            # nobody may see of which type it is: the mistake is one only if this is evaluated
            return made if known.__class__ is Unknown else call("first", [call("list", [made])])
        except Failure:
            value = scope.resolve(Reference(tree.root))
            made = call("first", [call("list", [tree_from(value, tree)])])
            for key in tree.path:
                made = call(INDEX, [made, Literal(key)])
            return made if value.__class__ is not Unknown else tree
    if not isinstance(tree, Call):
        return tree
    if tree.function == LET:
        own = own | {tree.arguments[0].value.value}  # type: ignore[union-attr]
    elif tree.function == PREDICATE:
        own = own | {"#", "#acc", "#index"}
    parts = (
        Argument(_written(one.value, literals, scope, own), one.name) for one in tree.arguments
    )
    return Call(tree.function, tuple(parts))


def spend(self: Evaluator, scope: Scope, count: int, node: Call) -> None:
    """Counts items before they are made: the language has a budget of its own.

    Raises:
        Failure: `limit_exceeded`.
    """
    scope.units.left -= count
    try:
        if scope.units.left <= 0:
            raise over_budget()
        self.meter.work(count // _CHARS_A_STEP)
    except FunctionError as error:
        raise self.failure(error, node) from None


def mistaken(
    what: str, value: Any, node: Expression, code: str = "operator_type", hint: Any = None
) -> Failure:
    """The failure for a value that is not `what` is wanted at a node."""
    return Failure(code, f"{what}, not {a_kind(value)}", node, hint)


def computed(self: Evaluator, node: Call, compute: Any, *values: Any, weight: int = 1) -> Any:
    """What Python makes of known values, counted before and after.

    Raises:
        Failure: for an error of the function, at the operator or an operand.
    """
    meter = self.meter
    try:
        for value in values:
            if weight and value.__class__ not in _WEIGHTLESS:
                meter.weigh(value, weight)
        result = compute(*values)
        if result.__class__ not in _WEIGHTLESS:
            meter.built(result)
    except FunctionError as error:
        raise self.failure(error, node) from None
    return result


_WEIGHTLESS: Final = frozenset({bool, int, float, type(None)})


class _Anything(dict[str, Any]):
    """Local names whose types are not known."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Any:
        return UNKNOWN


def part_of(self: Evaluator, node: Call, value: Any, key: Any) -> Any:
    """The part of a value that a key leads to, both of which may be unknown."""
    waits = value.__class__ is Unknown
    if waits and has_part(value, key):
        return value.partial[key]
    if not waits and not isinstance(value, (str, bytes, list, dict, Struct)):
        return member(value, 0 if key.__class__ is Unknown else key, node.arguments[-1].value)
    if waits or key.__class__ is Unknown:
        if key.__class__ is Unknown or key.__class__ not in (str, int):
            return waiting(self, node, [value, key])
        return deeper(value, (key,))
    try:
        return member(value, key, node.arguments[-1].value)
    except FunctionError as error:
        raise self.failure(error, node) from None
