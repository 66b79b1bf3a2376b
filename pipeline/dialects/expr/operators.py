"""The operators: how tightly they bind, what they take and compute, and a record for each.

Calls cannot name them: only `list` and `object`, which stand for arrays and maps, are written like
names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from ....functions.expr.collections import compared
from ....functions.expr.kinds import (
    AnyMap,
    Struct,
    is_int,
    is_number,
    key_of,
    kind_of,
    same,
    whole,
    word_of,
    wrapped,
)
from ....functions.expr.moments import Duration, Time, between
from ....functions.expr.numbers import added
from ....functions.registry import Function, Parameter
from ....functions.signatures import DeclaredFunction
from ....functions.values import FunctionError

TERNARY: Final = "?:"
SEQUENCE: Final = ";"
LET: Final = "let"
COMPARED: Final = "<=>"
ENTRIES: Final = "{()}"
INDEX: Final = "[]"
OPTIONAL: Final = "?."
CHAIN: Final = "?"
METHOD: Final = "()"
OPTIONAL_METHOD: Final = "?()"
PREDICATE: Final = "{}"
SLICES: Final = {
    (False, False): "[:]",
    (True, False): "[a:]",
    (False, True): "[:b]",
    (True, True): "[a:b]",
}
"""The names of slices, by whether they have a first and a second bound."""

COMPARISONS: Final = frozenset({"<", ">", "<=", ">="})
BINDING: Final = {
    "|": 0,
    **dict.fromkeys(("or", "||"), 10),
    **dict.fromkeys(("and", "&&"), 15),
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">=", "in"), 20),
    **dict.fromkeys(("matches", "contains", "startsWith", "endsWith"), 20),
    "..": 25,
    **dict.fromkeys("+-", 30),
    **dict.fromkeys("*/%", 60),
    **dict.fromkeys(("**", "^"), 100),
    "??": 500,
}
"""How tightly each operator binds its operands; higher binds tighter."""

UNARY: Final = {"not": 50, "!": 50, "-": 90, "+": 90}
SAME: Final = {"||": "or", "&&": "and", "!": "not", "^": "**"}
RIGHT: Final = frozenset({"**"})
RUNS: Final = frozenset({"or", "and", "+", "-", "*", "/", "%", "??"})
"""The operators whose chains without parentheses are one call."""

_LARGEST: Final = 1_000_000
_TEXTS: Final = frozenset({"contains", "startsWith", "endsWith", "matches"})


def wrong(name: str, left: str, right: str) -> FunctionError:
    """The error for operands of kinds that an operator does not take."""
    return FunctionError(
        f"`{name}` cannot take {word_of(left)} and {word_of(right)}",
        "operator_type",
        _hint(name, left, right),
    )


def _wrong(name: str, left: Any, right: Any) -> FunctionError:
    return wrong(name, kind_of(left), kind_of(right))


def _hint(name: str, left: str, right: str) -> str | None:
    kinds = {left, right}
    if name == "+" and "string" in kinds and kinds & {"integer", "float", "boolean"}:
        return "nothing is converted: write `string(..)` around what is no string"
    if "null" in kinds:
        return "nil has no value here; give it one with `??`"
    if name == "in" and right == "string":
        return '`"text" contains "part"` looks for a part of a string'
    if name == "%" and "float" in kinds:
        return "`%` takes ints: write `int(..)` around floats"
    return None


def _add(left: Any, right: Any) -> Any:
    if is_number(left) and is_number(right):
        return added(left, right)
    match left, right:
        case str(), str():
            return left + right
        case Time(), Duration():
            return Time(left.count + right.count, left.zone)
        case Duration(), Time():
            return Time(left.count + right.count, right.zone)
        case Duration(), Duration():
            return Duration(left.count + right.count)
    raise _wrong("+", left, right)


def _subtract(left: Any, right: Any) -> Any:
    if is_number(left) and is_number(right):
        return added(left, -right) if is_int(left) and is_int(right) else float(left) - float(right)
    match left, right:
        case Time(), Time():
            return between(left, right)
        case Time(), Duration():
            return Time(left.count - right.count, left.zone)
        case Duration(), Duration():
            return Duration(left.count - right.count)
    raise _wrong("-", left, right)


def _multiply(left: Any, right: Any) -> Any:
    if is_int(left) and is_int(right):
        return wrapped(int(left) * int(right))
    if is_number(left) and is_number(right):
        return float(left) * float(right)
    match left, right:
        case Duration(), Duration():
            return Duration(left.count * right.count)
        case Duration(), _ if is_number(right):
            return _times(left, right)
        case _, Duration() if is_number(left):
            return _times(right, left)
    raise _wrong("*", left, right)


def _times(span: Duration, count: Any) -> Any:
    return Duration(span.count * int(count)) if is_int(count) else span.count * float(count)


def _divide(left: Any, right: Any) -> float:
    if not (is_number(left) and is_number(right)):
        raise _wrong("/", left, right)
    above, below = float(left), float(right)
    if below != 0:
        return above / below
    if above == 0 or math.isnan(above):
        return math.nan
    return math.copysign(math.inf, above) * math.copysign(1, below)


def _rest(left: Any, right: Any) -> int:
    if not (is_int(left) and is_int(right)):
        raise _wrong("%", left, right)
    if right == 0:
        raise FunctionError("`%` by zero has no result", "division_by_zero", argument=1)
    return int(math.copysign(1, left)) * (abs(int(left)) % abs(int(right)))


def _power(left: Any, right: Any) -> float:
    if not (is_number(left) and is_number(right)):
        raise _wrong("**", left, right)
    base, exponent = float(left), float(right)
    try:
        found = base**exponent
    except OverflowError:
        odd = exponent.is_integer() and exponent % 2 == 1
        return -math.inf if base < 0 and odd else math.inf
    except ZeroDivisionError:
        odd = exponent.is_integer() and exponent % 2 == 1
        return math.copysign(math.inf, base) if odd else math.inf
    return math.nan if isinstance(found, complex) else found


def _range(left: Any, right: Any) -> list[int]:
    if not (is_number(left) and is_number(right)):
        raise _wrong("..", left, right)
    first, last = (whole(one) if one.__class__ is float else int(one) for one in (left, right))
    if last - first + 1 >= _LARGEST:
        raise over_budget()
    return [*range(first, last + 1)]


def over_budget() -> FunctionError:
    """The error of an expression that makes too many items."""
    return FunctionError(
        f"the expression makes {_LARGEST:,} items or more, which the language refuses",
        "limit_exceeded",
    )


def _ordered(name: str, holds: Callable[[int], bool]) -> Callable[[Any, Any], bool]:
    def call(left: Any, right: Any) -> bool:
        if is_number(left) and is_number(right):
            if math.isnan(left) or math.isnan(right):
                return False
            return holds((left > right) - (left < right))
        if left.__class__ is not right.__class__ or not isinstance(left, str | Time | Duration):
            raise _wrong(name, left, right)
        return holds(compared(left, right, name))

    return call


def _contained(left: Any, right: Any) -> bool:
    if right is None:
        return False
    if isinstance(right, list):
        return any(same(left, item) for item in right)
    if isinstance(right, dict):
        if isinstance(right, AnyMap):
            return key_of(left) in right
        if left is None or isinstance(left, str):
            return (left or "") in right
    if isinstance(right, Struct) and isinstance(left, str):
        return left in right.type.fields
    raise _wrong("in", left, right)


def _textual(name: str, holds: Callable[[str, str], bool]) -> Callable[[Any, Any], bool]:
    def call(left: Any, right: Any) -> bool:
        if left is None or right is None:
            return False
        if not (isinstance(left, str) and isinstance(right, str)):
            raise _wrong(name, left, right)
        return holds(left, right)

    return call


def _matches(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return False
    if not (isinstance(left, str | bytes) and isinstance(right, str)):
        raise _wrong("matches", left, right)
    from .matching import compiled, matches

    return matches(compiled(right), left)


CALLS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "%": _rest,
    "**": _power,
    "..": _range,
    "<": _ordered("<", lambda order: order < 0),
    "<=": _ordered("<=", lambda order: order <= 0),
    ">": _ordered(">", lambda order: order > 0),
    ">=": _ordered(">=", lambda order: order >= 0),
    "==": same,
    "!=": lambda left, right: not same(left, right),
    "in": _contained,
    "contains": _textual("contains", lambda text, part: part in text),
    "startsWith": _textual("startsWith", str.startswith),
    "endsWith": _textual("endsWith", str.endswith),
    "matches": _matches,
}
"""The Python function of each operator with two operands, for known ones."""

RESULTS: Final = {
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">=", "in", *_TEXTS), "boolean"),
    "/": "float",
    "**": "float",
    "%": "integer",
    "..": "array",
}
"""The type of the result, where the operands do not matter."""


def _not_called(*values: Any) -> Any:
    raise TypeError("a special form evaluates this operator")


def _operator(name: str, form: str, result: str = "any") -> Function:
    """The record of an operator, which `examples.toml` documents."""
    return DeclaredFunction(
        (__package__, name, None),
        name=name,
        parameters=(Parameter("operands", ("any",), variadic=True),),
        result=result,
        call=CALLS.get(name, _not_called),
        topic="operators",
        propagates_none=False,
        form=form,
    )


_FORMS: Final = {
    "and": "and",
    "or": "or",
    "??": "coalesce",
    "not": "not",
    TERNARY: "ternary",
    SEQUENCE: "sequence",
    LET: "let",
    COMPARED: "compared",
    "list": "list",
    "object": "object",
    ENTRIES: "entries",
    INDEX: "index",
    OPTIONAL: "optional",
    CHAIN: "chain",
    METHOD: "method",
    OPTIONAL_METHOD: "method",
    PREDICATE: "body",
    **dict.fromkeys(SLICES.values(), "slice"),
}

OPERATORS: Final = {
    **{name: _operator(name, "operation", RESULTS.get(name, "any")) for name in CALLS},
    **{name: _operator(name, form) for name, form in _FORMS.items()},
}
