"""The evaluation of operators and builtins: special forms, since operands have kinds that Go has.

What depends on an unknown value stays as an expression, with its known parts folded in. A part that
may never be needed stays as it is written when it has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ....functions.expr.collections import item_at
from ....functions.expr.kinds import (
    a_kind,
    is_int,
    is_number,
    kind_of,
    of_bytes,
    to_bytes,
    whole,
    word_of,
)
from ....functions.expr.moments import METHODS, Duration, Time, Zone
from ....functions.expr.texts import json_text
from ....functions.registry import Function
from ....functions.values import FunctionError, FunctionValue, Unknown
from ...language.errors import Failure, LanguageError
from ...language.evaluator import Evaluator
from ...language.syntax import Semantics
from ...language.waiting import is_secret
from ...values.expression import Argument, Call, Expression, Hole, Literal, Reference
from .operators import (
    CALLS,
    INDEX,
    LET,
    OPERATORS,
    OPTIONAL_METHOD,
    PREDICATE,
    RESULTS,
    TERNARY,
    over_budget,
)
from .printing import call, tree_of
from .scope import Scope, data_scope, member, no_field
from .syntax import builtin
from .types import TAKES, UNKNOWN, Typer

Literals = tuple[str, ...]
_CHARS_A_STEP: Final = 64
_MAKERS: Final = frozenset({"repeat", "concat", "reverse", "flatten", "sort"})
"""Builtins whose results count as what an expression makes."""
_TYPER: Final = Typer(builtin)


class _Nil(Exception):
    """The nil before a `?.`, which is what the whole chain gives."""


class _Waits(Exception):
    """A predicate whose answer is not known."""


def _tree(value: Any, written: Expression | None = None) -> Expression:
    """The tree of a value that was computed from what is `written`.

    A known array has typed items when it is written out, and had none: `concat(..)` hides them, and
    `first([..])` that a string is one where this makes a difference.
    """
    if value.__class__ is Unknown:
        return value.expression  # type: ignore[no-any-return]
    tree = tree_of(value)
    if written is None or isinstance(written, Literal | Hole):
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
    trees = [_tree(value, tree) for value, tree in zip(values, written, strict=False)]
    if node.function in _TYPED:
        for position, (value, tree) in enumerate(zip(values, written, strict=False)):
            if not isinstance(tree, Literal | Hole) and _matters(node.function, value, trees):
                trees[position] = call("first", [call("list", [trees[position]])])
    return Unknown(call(node.function, trees), kind, any(map(is_secret, values)))


_TYPED: Final = frozenset({"==", "!=", "get", INDEX})


def _matters(name: str, value: Any, trees: Sequence[Expression]) -> bool:
    """Whether the type of a known value must not be seen, as it was not in what is written."""
    if name in ("get", INDEX):
        return isinstance(value, str) and trees[0] == Literal(value)
    wanted = "string" if isinstance(value, str) else "integer"
    if not isinstance(value, str | int) or isinstance(value, bool):
        return False
    return wanted in [_static(tree) for tree in trees if not isinstance(tree, Literal)]


def _static(tree: Expression) -> Any:
    """The static type of a tree, as far as it is known without its surroundings."""
    try:
        return _TYPER.type(tree, _Anything())
    except LanguageError:
        return UNKNOWN


def _sometimes(self: Evaluator, tree: Expression, literals: Literals, scope: Scope) -> Any:
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
            return _tree(scope.resolve(tree), tree)
        except Failure:
            value = scope.resolve(Reference(tree.root))
            made = _tree(value, tree)
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


def _spend(self: Evaluator, scope: Scope, count: int, node: Call) -> None:
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


def _computed(self: Evaluator, node: Call, compute: Any, *values: Any) -> Any:
    """What Python makes of known values, counted before and after.

    Raises:
        Failure: for an error of the function, at the operator or an operand.
    """
    meter = self.meter
    try:
        for value in values:
            meter.weigh(value)
        result = compute(*values)
        meter.built(result)
    except FunctionError as error:
        raise self.failure(error, node) from None
    return result


# operators


def _operation(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """Operators with two operands, and chains of them, as far as the operands are known."""
    name = node.function
    trees = [argument.value for argument in node.arguments]
    values = [self.value(tree, literals, scope) for tree in trees]
    if len(values) == 1:
        return _signed(self, node, values[0])
    compute = CALLS[name]
    result = values[0]
    for position, value in enumerate(values[1:], 1):
        if result.__class__ is Unknown or value.__class__ is Unknown:
            values[position - 1] = result
            return _operation_waiting(self, node, values[position - 1 :], position - 1)
        if name in ("==", "!="):
            _hold_nil(self, node, result, value)
        elif name == "in" and result is None:
            result = _nil_in(self, node, trees[position], value)
            continue
        elif name == "..":
            _count_range(self, node, scope, result, value)
        result = _computed(self, node, compute, result, value)
    return result


def _operation_waiting(self: Evaluator, node: Call, values: list[Any], begin: int) -> Any:
    """The residual of an operator from one of its operands on; what cannot work is a mistake."""
    name = node.function
    rest = Call(name, node.arguments[begin:], node.start, node.end)
    if name in TAKES:
        known = [value for value in values if value.__class__ is not Unknown]
        if name in _OF_TEXT and any(value is None for value in known):
            return False
        takes = TAKES[name] | _MORE.get(name, frozenset())
        for value, argument in zip(values, rest.arguments, strict=True):
            if value.__class__ is not Unknown and kind_of(value) not in takes:
                summary = f"`{name}` cannot take {a_kind(value)}"
                hint = "give it another value with `??`" if value is None else None
                raise Failure("operator_type", summary, argument.value, hint)
        if name == "..":
            values = [whole(one) if one.__class__ is float else one for one in values]
    elif name == "in" and values[1].__class__ is not Unknown:
        if values[1] is None:
            return False
        if not isinstance(values[1], list | dict):
            raise Failure(
                "operator_type", f"`in` cannot take {a_kind(values[1])}", rest.arguments[1].value
            )
    return waiting(self, rest, values, RESULTS.get(name, "any"))


_OF_TEXT: Final = frozenset({"contains", "startsWith", "endsWith", "matches"})
_MORE: Final = {"..": frozenset({"float"}), "matches": frozenset({"binary"})}


def _signed(self: Evaluator, node: Call, value: Any) -> Any:
    if value.__class__ is Unknown:
        return waiting(self, node, [value])
    if not is_number(value):
        raise Failure("operator_type", f"`{node.function}` cannot take {a_kind(value)}", node)
    return CALLS["*"](value, -1) if node.function == "-" else value


def _hold_nil(self: Evaluator, node: Call, left: Any, right: Any) -> None:
    """Refuses nil beside a string or an int where the language has compiled it for two of these."""
    if (left is None) is (right is None):
        return
    first, other = (_static(argument.value) for argument in node.arguments)
    if first == other and first in ("string", "integer"):
        side = node.arguments[0 if left is None else 1].value
        summary = f"nil cannot be compared with {word_of(first)} here"
        raise Failure("operator_type", summary, side, 'write `(.. ?? "")` around what may be nil')


class _Anything(dict[str, Any]):
    """Local names whose types are not known."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Any:
        return UNKNOWN


def _nil_in(self: Evaluator, node: Call, tree: Expression, container: Any) -> bool:
    """`nil in ..`: among strings that are written out it is the empty one."""
    if isinstance(tree, Call) and tree.function == "list" and tree.arguments:
        strings = (isinstance(one.value, Literal | Hole) for one in tree.arguments)
        if all(strings) and all(isinstance(item, str) for item in container):
            return "" in container
    return bool(_computed(self, node, CALLS["in"], None, container))


def _count_range(self: Evaluator, node: Call, scope: Scope, left: Any, right: Any) -> None:
    if is_number(left) and is_number(right):
        first, last = (whole(one) if one.__class__ is float else int(one) for one in (left, right))
        _spend(self, scope, max(last - first + 1, 0), node)


def _boolean(value: Any, node: Expression, name: str) -> Any:
    """A boolean, or an unknown value that may become one.

    Raises:
        Failure: `condition_type`.
    """
    if value is True or value is False or value.__class__ is Unknown:
        return value
    hint = "give it a value with `??`" if value is None else "there is no truthiness: compare it"
    raise Failure("condition_type", f"{name} is a boolean, not {a_kind(value)}", node, hint)


def _literally(tree: Expression, value: bool) -> bool:
    return isinstance(tree, Literal) and tree.value is value


def _logic(self: Evaluator, node: Call, literals: Any, scope: Any, stops: bool) -> Any:
    """`and` and `or`: `stops` decides, literals of booleans are folded before anything is computed.

    The last operand is what comes out, whatever it is.
    """
    trees = [one.value for one in node.arguments if not _literally(one.value, not stops)]
    if any(_literally(tree, stops) for tree in trees):
        return stops
    if not trees:
        return not stops
    waits: list[Any] = []
    for position, tree in enumerate(trees):
        last = position == len(trees) - 1
        if waits:
            waits.append(_sometimes(self, tree, literals, scope))
            continue
        value = self.value(tree, literals, scope)
        if last:
            return value
        value = _boolean(value, tree, f"an operand of `{node.function}`")
        if value is stops:
            return stops
        if value.__class__ is Unknown:
            waits.append(value)
    if not waits:
        return not stops
    return _logic_waiting(self, node, waits, stops)


def _logic_waiting(self: Evaluator, node: Call, waits: list[Any], stops: bool) -> Any:
    """The residual of operands of which the first is not known.

    A known boolean among them must not look like one that was written, which would be folded.
    """
    made = waits[-1]
    secret = any(map(is_secret, waits))
    for value in reversed(waits[:-1]):
        if value is stops:
            made = stops
        elif value.__class__ is bool:
            continue
        elif value.__class__ is Unknown and made.__class__ is not Unknown:
            if made is not (not stops) or value.type != "boolean":
                self.keep([made], node)
                branches = [Literal(stops), _tree(made)] if stops else [_tree(made), Literal(stops)]
                made = Unknown(call(TERNARY, [_tree(value), *branches]), "any", secret)
            else:
                made = value
        else:
            left = _tree(value)
            if value.__class__ is not Unknown:  # no boolean, which is a mistake if it matters
                left = call("first", [call("list", [left])])
            right = _tree(made)
            same = isinstance(right, Call) and right.function == node.function
            more = [one.value for one in right.arguments] if same else [right]  # type: ignore[union-attr]
            made = Unknown(call(node.function, [left, *more]), "any", secret)
    return made


def _and(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    return _logic(self, node, literals, scope, False)


def _or(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    return _logic(self, node, literals, scope, True)


def _not(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    tree = node.arguments[0].value
    value = _boolean(self.value(tree, literals, scope), tree, "the operand of `not`")
    return waiting(self, node, [value], "boolean") if value.__class__ is Unknown else not value


def _coalesce(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`??`: the first value that is not nil."""
    waits: list[Any] = []
    for argument in node.arguments:
        if waits:
            value = _sometimes(self, argument.value, literals, scope)
        else:
            value = self.value(argument.value, literals, scope)
        if value is None and argument is not node.arguments[-1]:
            continue
        if value.__class__ is not Unknown and not waits:
            return value
        waits.append(value)
        if value.__class__ is not Unknown:
            break
    if len(waits) == 1:
        return waits[0]
    self.keep([value for value in waits if value.__class__ is not Unknown], node)
    return Unknown(call("??", [*map(_tree, waits)]), "any", any(map(is_secret, waits)))


def _ternary(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`c ? a : b`, and `c ?: b`, whose value is the condition when that is true."""
    trees = [argument.value for argument in node.arguments]
    condition = _boolean(self.value(trees[0], literals, scope), trees[0], "a condition")
    if condition.__class__ is not Unknown:
        if condition and len(trees) == 2:
            return True
        return self.value(trees[1 if condition and len(trees) == 3 else -1], literals, scope)
    branches = [_sometimes(self, tree, literals, scope) for tree in trees[1:]]
    return waiting(self, node, [condition, *branches])


def _compared(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`a < b <= c`: each comparison in turn, until one is false."""
    trees = [argument.value for argument in node.arguments]
    left = self.value(trees[0], literals, scope)
    for position in range(1, len(trees), 2):
        name = trees[position]
        assert isinstance(name, Literal)
        right = self.value(trees[position + 1], literals, scope)
        if left.__class__ is Unknown or right.__class__ is Unknown:
            later = [_sometimes(self, tree, literals, scope) for tree in trees[position + 2 :]]
            parts = [_tree(left), name, _tree(right), *map(_tree, later)]
            if len(parts) == 3:
                return Unknown(
                    call(name.value, [parts[0], parts[2]]), "boolean", is_secret([left, right])
                )
            return Unknown(call(node.function, parts), "boolean", is_secret([left, right, *later]))
        if not _computed(self, node, CALLS[name.value], left, right):
            return False
        left = right
    return True


def _sequence(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`a; b`: the last value; what came before may have mistakes."""
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    before = [value for value in values[:-1] if value.__class__ is Unknown]
    if not before:
        return values[-1]
    return Unknown(
        call(node.function, [_tree(one) for one in [*before, values[-1]]]), "any", is_secret(values)
    )


def _let(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`let name = value; body`: an unknown value keeps its name."""
    name, written, body = (argument.value for argument in node.arguments)
    assert isinstance(name, Literal)
    value = self.value(written, literals, scope)
    if value.__class__ is not Unknown:
        return self.value(body, literals, scope.within({name.value: value}))
    own = Unknown(Reference(name.value), value.type, value.secret)
    result = self.value(body, literals, scope.within({name.value: own}))
    if result.__class__ is not Unknown:
        return result
    tree = call(node.function, [name, value.expression, result.expression])
    return Unknown(tree, result.type, is_secret(value) or is_secret(result))


# what is made of parts


def _list(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    _spend(self, scope, len(values), node)
    if any(value.__class__ is Unknown for value in values):
        return waiting(self, node, values, "array")
    return values


def _object(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A map with keys that are written out; the first of equal ones counts."""
    found: dict[str, Any] = {}
    for argument in node.arguments:
        assert argument.name is not None
        found.setdefault(argument.name, self.value(argument.value, literals, scope))
    _spend(self, scope, len(node.arguments), node)
    if any(value.__class__ is Unknown for value in found.values()):
        values = [*found.values()]
        self.keep([value for value in values if value.__class__ is not Unknown], node)
        pairs = (Argument(_tree(value), key) for key, value in found.items())
        return Unknown(Call("object", tuple(pairs)), "object", any(map(is_secret, values)))
    return found


def _entries(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A map of which some keys are computed."""
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    _spend(self, scope, len(values), node)
    keys = values[::2]
    for key, argument in zip(keys, node.arguments[::2], strict=True):
        if key.__class__ not in (str, Unknown):
            summary = f"a key of a map is a string, not {a_kind(key)}"
            raise Failure("operator_type", summary, argument.value)
    if any(value.__class__ is Unknown for value in values):
        return waiting(self, node, values, "object")
    found: dict[str, Any] = {}
    for key, value in zip(keys, values[1::2], strict=True):
        found.setdefault(key, value)
    return found


def _part(self: Evaluator, node: Call, value: Any, key: Any) -> Any:
    """The part of a value that a key leads to, both of which may be unknown."""
    if value.__class__ is not Unknown and not isinstance(value, str | bytes | list | dict):
        raise _no_member(value, "" if key.__class__ is Unknown else key, node.arguments[-1].value)
    if value.__class__ is Unknown or key.__class__ is Unknown:
        if key.__class__ is Unknown or key.__class__ not in (str, int):
            return waiting(self, node, [value, key])
        tree = value.expression
        if isinstance(tree, Reference):
            return Unknown(tree.deeper(key), "any", value.secret)
        return Unknown(call(INDEX, [tree, Literal(key)]), "any", value.secret)
    try:
        return member(value, key, node.arguments[-1].value)
    except FunctionError as error:
        raise self.failure(error, node) from None


def _no_member(value: Any, key: Any, node: Expression) -> Failure:
    """The failure for a member of what has none."""
    try:
        member(value, key, node)
    except Failure as failure:
        return failure
    raise AssertionError(value)


def _index(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    value, key = (self.value(argument.value, literals, scope) for argument in node.arguments)
    return _part(self, node, value, key)


def _optional(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`a?.b`: a nil before it is what the chain gives."""
    value = self.value(node.arguments[0].value, literals, scope)
    if value is None:
        raise _Nil
    key = self.value(node.arguments[1].value, literals, scope)
    if value.__class__ is Unknown:
        return waiting(self, node, [value, key])
    return _part(self, node, value, key)


def _chain(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    try:
        value = self.value(node.arguments[0].value, literals, scope)
    except _Nil:
        return None
    if value.__class__ is not Unknown or not _is_optional(value.expression):
        return value
    return Unknown(call(node.function, [value.expression]), value.type, value.secret)


def _is_optional(tree: Expression) -> bool:
    """Whether a tree is a chain with a `?.` in it that is not closed."""
    while isinstance(tree, Call):
        if tree.function in ("?.", OPTIONAL_METHOD):
            return True
        if tree.function not in (INDEX, "()"):
            return False
        tree = tree.arguments[0].value
    return False


def _slice(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A part of a string by its bytes, or of an array; bounds beyond it are its ends."""
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    whole_value, *bounds = values
    for bound, argument in zip(bounds, node.arguments[1:], strict=True):
        if bound.__class__ is not Unknown and not is_number(bound):
            summary = f"the bound of a slice is an int, not {a_kind(bound)}"
            raise Failure("operator_type", summary, argument.value)
    if not isinstance(whole_value, str | bytes | list | Unknown):
        summary = f"{a_kind(whole_value)} has no parts to cut out"
        raise Failure("operator_type", summary, node.arguments[0].value)
    if any(value.__class__ is Unknown for value in values):
        ints = [whole(one) if one.__class__ is float else one for one in bounds]
        return waiting(self, node, [whole_value, *ints])
    items = to_bytes(whole_value) if isinstance(whole_value, str) else whole_value
    size = len(items)
    ends = [int(bound) if is_int(bound) else whole(bound) for bound in bounds]
    ends = [min(max(end + size if end < 0 else end, 0), size) for end in ends]
    if len(ends) < 2:
        ends = [0, *ends] if node.function == "[:b]" else [*(ends or [0]), size]
    part = items[ends[0] : ends[1]]
    return of_bytes(part) if isinstance(whole_value, str) else part


def _method(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A method of a time, a duration or a zone."""
    value = self.value(node.arguments[0].value, literals, scope)
    name = node.arguments[1].value
    assert isinstance(name, Literal)
    if value is None and node.function == OPTIONAL_METHOD:
        raise _Nil
    given = [self.value(argument.value, literals, scope) for argument in node.arguments[2:]]
    if any(one.__class__ is Unknown for one in (value, *given)):
        return waiting(self, node, [value, name.value, *given])
    method = METHODS.get(kind_of(value), {}).get(name.value)
    if method is None:
        if value is None or isinstance(value, dict):
            member(value, name.value, name)  # which says that nil has no fields
        raise no_field(value, name.value, name, "method")
    wanted, _, compute = method
    if len(given) != len(wanted):
        summary = f"`{name.value}` takes {len(wanted)} arguments, but got {len(given)}"
        raise Failure("invalid_argument_count", summary, name)
    for position, (one, want) in enumerate(zip(given, wanted, strict=True)):
        if kind_of(one) != want:
            summary = (
                f"argument {position + 1} of `{name.value}` must be {word_of(want)}, "
                f"not {a_kind(one)}"
            )
            raise Failure("invalid_argument_type", summary, node.arguments[position + 2].value)
    return _computed(self, node, compute, value, *given)


# functions


def _function(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A call of a builtin, or of a function that was added."""
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    waits = False
    for position, value in enumerate(values):
        parameter = function.parameter(position)
        assert parameter is not None
        waits = waits or value.__class__ is Unknown
        if not parameter.accepts(kind_of(value)):
            wanted = " or ".join(map(word_of, parameter.types))
            summary = (
                f"argument {position + 1} (`{parameter.name}`) of `{function.name}` must be "
                f"{wanted}, not {a_kind(value)}"
            )
            raise Failure("invalid_argument_type", summary, node.arguments[position].value)
    if waits:
        result = function.result if function.result != "binary" else "any"
        return waiting(self, node, values, result)
    if function.effect is not None:
        if self.environment is None:
            summary = f"`{function.name}` is not available here"
            raise Failure("effect_not_allowed", summary, node)
        values.insert(0, self.environment)
    try:
        for value in values:
            self.meter.weigh(value, function.weight)
        result = function.call(*values)
        self.meter.built(result)
    except FunctionError as error:
        raise self.failure(error, node) from None
    if function.name in _MAKERS:
        _spend(self, scope, len(result), node)
    return result


def _predicate(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A builtin that asks a predicate about the items of an array."""
    trees = [argument.value for argument in node.arguments]
    items = self.value(trees[0], literals, scope)
    more = [self.value(tree, literals, scope) for tree in trees[2:]]
    body = trees[1].arguments[0].value if len(trees) > 1 else None  # type: ignore[union-attr]
    if items.__class__ is not Unknown:
        if items == {}:
            items = []
        if not isinstance(items, list | str | bytes):
            summary = f"`{function.name}` takes an array, not {a_kind(items)}"
            raise Failure("invalid_argument_type", summary, trees[0])
        if not isinstance(items, list):
            data = to_bytes(items) if isinstance(items, str) else items
            items = [item_at(data, index) for index in range(len(data))]
        if not any(value.__class__ is Unknown for value in more):
            try:
                return _asked(self, function, node, items, body, more, literals, scope)
            except _Waits:
                pass
    names = ("#", "#index", "#acc")
    local = {name: Unknown(Reference(name)) for name in names}
    values = [items, *more]
    self.keep([value for value in values if value.__class__ is not Unknown], node)
    parts = [_tree(items, trees[0])]
    if body is not None:
        answer = _sometimes(self, body, literals, scope.within(local))
        values.append(answer)
        parts.append(call(PREDICATE, [_tree(answer)]))
    parts += map(_tree, more)
    return Unknown(call(node.function, parts), "any", any(map(is_secret, values)))


def _asked(
    self: Evaluator,
    function: Function,
    node: Call,
    items: list[Any],
    body: Expression | None,
    more: list[Any],
    literals: Any,
    scope: Scope,
) -> Any:
    """What a builtin makes of known items.

    Raises:
        _Waits: when that depends on an unknown answer.
    """
    maps = function.name == "map"

    def predicate(item: Any, index: int, made: Any = None) -> Any:
        self.meter.work()
        assert body is not None
        local = {"#": item, "#index": index, "#acc": made}
        answer = self.value(body, literals, scope.within(local))
        if answer.__class__ is Unknown and not maps:
            raise _Waits
        return answer

    if function.name in ("map", "filter", "groupBy", "sortBy"):
        _spend(self, scope, len(items), node)
    given = [predicate] if body is not None else []
    try:
        self.meter.weigh(items)
        result = function.call(items, *given, *more)
        self.meter.built(result)
    except FunctionError as error:
        raise self.failure(error, node) from None
    if maps and any(item.__class__ is Unknown for item in result):
        self.keep([item for item in result if item.__class__ is not Unknown], node)
        return Unknown(call("list", [*map(_tree, result)]), "array", any(map(is_secret, result)))
    return result


def _get(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`get`: nil where an index would fail, but for a key of a wrong kind."""
    value, key = (self.value(argument.value, literals, scope) for argument in node.arguments)
    if value.__class__ is Unknown or key.__class__ is Unknown:
        if isinstance(value, Unknown | list | dict | str | bytes):
            return waiting(self, node, [value, key])
        return None
    if isinstance(value, list | str | bytes) and is_number(key):
        return item_at(value, int(key) if is_int(key) else whole(key))
    if isinstance(value, dict | list | str | bytes):
        return _part(self, node, value, key)
    return None


def plain(value: Any) -> Any:
    """A result as plain data: times as text, durations as nanoseconds, bytes as Base64.

    Raises:
        FunctionError: `not_json` for what data cannot hold.
    """
    kind = value.__class__
    if kind is list:
        return [plain(item) for item in value]
    if kind is dict:
        return {key: plain(item) for key, item in value.items()}
    if value is None or kind is bool or kind is int:
        return value
    if kind is str:
        return value if value.isascii() else to_bytes(value).decode("utf-8", "replace")
    if kind is float:
        json_text(value)  # which refuses infinities
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Duration):
        return value.count
    if isinstance(value, Zone):
        return {}
    if isinstance(value, Time | bytes):
        return json_text(value)[1:-1]
    json_text(None if isinstance(value, FunctionValue) else value)
    return None


SEMANTICS: Final = Semantics(
    forms={
        "operation": _operation,
        "and": _and,
        "or": _or,
        "not": _not,
        "coalesce": _coalesce,
        "ternary": _ternary,
        "compared": _compared,
        "sequence": _sequence,
        "let": _let,
        "list": _list,
        "object": _object,
        "entries": _entries,
        "index": _index,
        "optional": _optional,
        "chain": _chain,
        "slice": _slice,
        "method": _method,
        "call": _function,
        "predicate": _predicate,
        "get": _get,
    },
    operators=OPERATORS,
    scope=data_scope,
    plain=plain,
)
