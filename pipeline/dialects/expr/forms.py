"""The evaluation of operators: special forms, since operands have kinds that Go has.

What depends on an unknown value stays as an expression, with its known parts folded in. A part that
may never be needed stays as it is written when it has no value.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ....functions.expr import kinds
from ....functions.registry import Function
from ....functions.values import Unknown
from ...language.errors import Failure
from ...language.evaluator import Evaluator
from ...language.syntax import Semantics
from ...language.waiting import is_secret
from ...values.expression import Argument, Call, Expression, Hole, Literal, Reference
from .calls import call_function, call_get, call_method, call_predicate, plain
from .operators import CALLS, INDEX, OPERATORS, OPTIONAL_METHOD, QUICK, RESULTS, TERNARY
from .printing import call
from .residuals import (
    TEXTUAL,
    NilInChain,
    computed,
    mistaken,
    part_of,
    sometimes,
    spend,
    static_type,
    tree_from,
    waiting,
)
from .scope import data_scope, has_part
from .syntax import builtin
from .types import TAKES, Typer

# operators


def _operation(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """Operators with two operands, and chains of them, as far as the operands are known."""
    name = node.function
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    if len(values) == 1:
        return _signed(self, node, values[0])
    compute, cares = function.call, name in _CARES
    result = values[0]
    for position, value in enumerate(values[1:], 1):
        if result.__class__ is Unknown or value.__class__ is Unknown:
            values[position - 1] = result
            return _operation_waiting(self, node, values[position - 1 :], position - 1)
        if cares:
            if name == "in" and result is None:
                result = _nil_in(self, node, node.arguments[position].value, value)
                continue
            if name == "..":
                _count_range(self, node, scope, result, value)
            elif name != "in" and (result is None) is not (value is None):
                _hold_nil(self, node, result, value)
        quick = QUICK.get((name, result.__class__, value.__class__))
        result = quick(result, value) if quick else computed(self, node, compute, result, value)
    return result


_CARES: Final = frozenset({"==", "!=", "in", ".."})
"""The operators that look at their operands before they are computed."""


def _operation_waiting(self: Evaluator, node: Call, values: list[Any], begin: int) -> Any:
    """The residual of an operator from one of its operands on; what cannot work is a mistake."""
    name = node.function
    rest = Call(name, node.arguments[begin:], node.start, node.end)
    if name in TAKES and name not in TEXTUAL:
        takes = TAKES[name] | _MORE.get(name, frozenset())
        for value, argument in zip(values, rest.arguments, strict=True):
            if value.__class__ is not Unknown and kinds.kind_of(value) not in takes:
                summary = f"`{name}` cannot take {kinds.a_kind(value)}"
                hint = "give it another value with `??`" if value is None else None
                raise Failure("operator_type", summary, argument.value, hint)
        if name == "..":
            values = [kinds.whole(one) if one.__class__ is float else one for one in values]
    elif name == "in" and isinstance(values[1], (str, bytes, bool, int, float)):
        summary = f"`in` cannot take {kinds.a_kind(values[1])}"
        raise Failure("operator_type", summary, rest.arguments[1].value)
    return waiting(self, rest, values, RESULTS.get(name, "any"))


_MORE: Final = {"..": frozenset({"float"})}


def _signed(self: Evaluator, node: Call, value: Any) -> Any:
    if value.__class__ is Unknown:
        return waiting(self, node, [value])
    if not kinds.is_number(value):
        raise Failure("operator_type", f"`{node.function}` cannot take {kinds.a_kind(value)}", node)
    if node.function == "-" and isinstance(value, kinds.Byte):
        return kinds.Byte(-value % 256)
    return CALLS["*"](value, -1) if node.function == "-" else value


def _hold_nil(self: Evaluator, node: Call, left: Any, right: Any) -> None:
    """Refuses nil beside a string or an int where the language has compiled it for two of these;
    one of the operands is nil."""
    first, other = (static_type(self, argument.value) for argument in node.arguments)
    if first == other and first in ("string", "integer"):
        side = node.arguments[0 if left is None else 1].value
        summary = f"nil cannot be compared with {kinds.word_of(first)} here"
        raise Failure("operator_type", summary, side, 'write `(.. ?? "")` around what may be nil')


def _nil_in(self: Evaluator, node: Call, tree: Expression, container: Any) -> bool:
    """`nil in ..`: among strings that are written out it is the empty one."""
    if isinstance(tree, Call) and tree.function == "list" and tree.arguments:
        strings = (isinstance(one.value, (Literal, Hole)) for one in tree.arguments)
        if all(strings) and all(isinstance(item, str) for item in container):
            return "" in container
    return bool(computed(self, node, CALLS["in"], None, container))


def _count_range(self: Evaluator, node: Call, scope: Any, left: Any, right: Any) -> None:
    if kinds.is_number(left) and kinds.is_number(right):
        first, last = map(kinds.whole, (left, right))
        spend(self, scope, max(last - first + 1, 0), node)


def _boolean(value: Any, node: Expression, name: str) -> Any:
    """A boolean, or an unknown value that may become one.

    Raises:
        Failure: `condition_type`.
    """
    if value is True or value is False or value.__class__ is Unknown:
        return value
    hint = "give it a value with `??`" if value is None else "there is no truthiness: compare it"
    raise mistaken(f"{name} is a boolean", value, node, "condition_type", hint)


def _literally(tree: Expression, value: bool) -> bool:
    return isinstance(tree, Literal) and tree.value is value


def _logic(
    self: Evaluator, function: Function, node: Call, literals: Any, scope: Any, *, stops: bool
) -> Any:
    """`and` and `or`: `stops` decides, literals of booleans are folded before anything is computed.

    The last operand is what comes out, whatever it is.
    """
    trees = [one.value for one in node.arguments]
    if Literal in map(type, trees):
        trees = [tree for tree in trees if not _literally(tree, not stops)]
        if any(_literally(tree, stops) for tree in trees):
            return stops
        if not trees:
            return not stops
    waits: list[Any] = []
    for position, tree in enumerate(trees):
        last = position == len(trees) - 1
        if waits:
            waits.append(sometimes(self, tree, literals, scope))
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
    for value in waits[-2::-1]:
        if value is stops:
            made = stops
        elif value.__class__ is bool:
            continue
        elif value.__class__ is Unknown and made.__class__ is not Unknown:
            if made is not (not stops) or value.type != "boolean":
                self.keep([made], node)
                branches = [tree_from(made), Literal(stops)]
                branches = branches[::-1] if stops else branches
                made = Unknown(call(TERNARY, [tree_from(value), *branches]), "any", secret)
            else:
                made = value
        else:
            left = tree_from(value)
            if value.__class__ is not Unknown:  # no boolean, which is a mistake if it matters
                left = call("first", [call("list", [left])])
            right = tree_from(made)
            same = isinstance(right, Call) and right.function == node.function
            more = [one.value for one in right.arguments] if same else [right]  # type: ignore[union-attr]
            made = Unknown(call(node.function, [left, *more]), "any", secret)
    return made


def _not(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    tree = node.arguments[0].value
    value = _boolean(self.value(tree, literals, scope), tree, "the operand of `not`")
    return waiting(self, node, [value], "boolean") if value.__class__ is Unknown else not value


def _coalesce(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`??`: the first value that is not nil."""
    waits: list[Any] = []
    for argument in node.arguments:
        if waits:
            value = sometimes(self, argument.value, literals, scope)
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
    return Unknown(call("??", [*map(tree_from, waits)]), "any", any(map(is_secret, waits)))


def _ternary(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`c ? a : b`, and `c ?: b`, whose value is the condition when that is true."""
    trees = [argument.value for argument in node.arguments]
    condition = _boolean(self.value(trees[0], literals, scope), trees[0], "a condition")
    if condition.__class__ is not Unknown:
        if condition and len(trees) == 2:
            return True
        return self.value(trees[1 if condition and len(trees) == 3 else -1], literals, scope)
    branches = [sometimes(self, tree, literals, scope) for tree in trees[1:]]
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
            later = [sometimes(self, tree, literals, scope) for tree in trees[position + 2 :]]
            parts = [tree_from(left), name, tree_from(right), *map(tree_from, later)]
            if len(parts) == 3:
                return Unknown(
                    call(name.value, [parts[0], parts[2]]), "boolean", is_secret([left, right])
                )
            return Unknown(call(node.function, parts), "boolean", is_secret([left, right, *later]))
        quick = QUICK.get((name.value, left.__class__, right.__class__))
        if not (quick or partial(computed, self, node, CALLS[name.value]))(left, right):
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
        call(node.function, [tree_from(one) for one in [*before, values[-1]]]),
        "any",
        is_secret(values),
    )


def _let(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`let name = value; body`: an unknown value keeps its name."""
    name, written, body = (argument.value for argument in node.arguments)
    assert isinstance(name, Literal)
    value = self.value(written, literals, scope)
    if value.__class__ is not Unknown or value.partial is not None:
        return self.value(body, literals, scope.within({name.value: value}))
    own = Unknown(Reference(name.value), value.type, value.secret)
    result = self.value(body, literals, scope.within({name.value: own}))
    tree = call(node.function, [name, value.expression, tree_from(result)])
    return Unknown(tree, "any", is_secret(value) or is_secret(result))


# what is made of parts


def _list(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    spend(self, scope, len(values), node)
    if any(value.__class__ is Unknown for value in values):
        return waiting(self, node, values, "array")
    return values


def _object(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A map with keys that are written out; the first of equal ones counts."""
    found: dict[str, Any] = {}
    for argument in node.arguments:
        assert argument.name is not None
        found.setdefault(argument.name, self.value(argument.value, literals, scope))
    spend(self, scope, len(node.arguments), node)
    if any(value.__class__ is Unknown for value in found.values()):
        values = [*found.values()]
        self.keep([value for value in values if value.__class__ is not Unknown], node)
        pairs = (Argument(tree_from(value), key) for key, value in found.items())
        return Unknown(Call("object", tuple(pairs)), "object", any(map(is_secret, values)))
    return found


def _entries(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A map of which some keys are computed."""
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    spend(self, scope, len(values), node)
    keys = values[::2]
    for key, argument in zip(keys, node.arguments[::2], strict=True):
        if key.__class__ not in (str, Unknown):
            raise mistaken("a key of a map is a string", key, argument.value)
    if any(value.__class__ is Unknown for value in values):
        return waiting(self, node, values, "object")
    found: dict[str, Any] = {}
    for key, value in zip(keys, values[1::2], strict=True):
        found.setdefault(key, value)
    return found


def _index(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    value, key = (self.value(argument.value, literals, scope) for argument in node.arguments)
    return part_of(self, node, value, key)


def _optional(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`a?.b`: a nil before it is what the chain gives."""
    value = self.value(node.arguments[0].value, literals, scope)
    if value is None:
        raise NilInChain
    key = self.value(node.arguments[1].value, literals, scope)
    if value.__class__ is Unknown and not has_part(value, key):
        return waiting(self, node, [value, key])
    return part_of(self, node, value, key)


def _chain(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    try:
        value = self.value(node.arguments[0].value, literals, scope)
    except NilInChain:
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
    whole_value: Any = values[0]
    bounds = values[1:]
    for bound, argument in zip(bounds, node.arguments[1:], strict=True):
        if bound.__class__ is not Unknown and not kinds.is_number(bound):
            raise mistaken("the bound of a slice is an int", bound, argument.value)
    if not isinstance(whole_value, (str, bytes, list, Unknown)):
        summary = f"{kinds.a_kind(whole_value)} has no parts to cut out"
        raise Failure("operator_type", summary, node.arguments[0].value)
    if any(value.__class__ is Unknown for value in values):
        ints = [kinds.whole(one) if one.__class__ is float else one for one in bounds]
        return waiting(self, node, [whole_value, *ints])
    items: Any = kinds.to_bytes(whole_value) if isinstance(whole_value, str) else whole_value
    size = len(items)
    ends = [*map(kinds.whole, bounds)]
    ends = [min(max(end + size if end < 0 else end, 0), size) for end in ends]
    if len(ends) < 2:
        ends = [0, *ends] if node.function == "[:b]" else [*(ends or [0]), size]
    part = items[ends[0] : ends[1]]
    return kinds.of_bytes(part) if isinstance(whole_value, str) else part


SEMANTICS: Final = Semantics(
    forms={
        "operation": _operation,
        "and": partial(_logic, stops=False),
        "or": partial(_logic, stops=True),
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
        "method": call_method,
        "call": call_function,
        "predicate": call_predicate,
        "get": call_get,
    },
    operators=OPERATORS,
    scope=data_scope,
    plain=plain,
    typer=Typer(builtin),
)
