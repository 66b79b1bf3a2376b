"""The operators: how tightly they bind, what they take and compute, and a record for each.

Calls cannot name them: only `list` and `object`, which stand for arrays and maps, are written like
names.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from ....functions.expr import kinds
from ....functions.expr.collections import compared
from ....functions.expr.moments import Duration, Time, between
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
    """The error for operands of table that an operator does not take."""
    return FunctionError(
        f"`{name}` cannot take {kinds.word_of(left)} and {kinds.word_of(right)}",
        "operator_type",
        _hint(name, left, right),
    )


def _wrong(name: str, left: Any, right: Any) -> FunctionError:
    return wrong(name, kinds.kind_of(left), kinds.kind_of(right))


def _hint(name: str, left: str, right: str) -> str | None:
    table = {left, right}
    if name == "+" and "string" in table and table & {"integer", "float", "boolean"}:
        return "nothing is converted: write `string(..)` around what is no string"
    if "null" in table:
        return "nil has no value here; give it one with `??`"
    if name == "in" and right == "string":
        return '`"text" contains "part"` looks for a part of a string'
    if name == "%" and "float" in table:
        return "`%` takes ints: write `int(..)` around floats"
    return None


_Compute: TypeAlias = Callable[[Any, Any], Any]
_Kinds: TypeAlias = dict[tuple[type, type], _Compute]


def _numeric(floats: _Compute, ints: _Compute | None = None) -> _Kinds:
    """What computes two numbers, by their table."""
    table: _Kinds = {(one, other): floats for one in (int, float) for other in (int, float)}
    return {**table, (int, int): ints or floats}


def _divide(left: Any, right: Any) -> float:
    above, below = float(left), float(right)
    if below != 0:
        return above / below
    if above == 0 or math.isnan(above):
        return math.nan
    return math.copysign(math.inf, above) * math.copysign(1, below)


def _rest(left: int, right: int) -> int:
    if right == 0:
        raise FunctionError("`%` by zero has no result", "division_by_zero", argument=1)
    return int(math.copysign(1, left)) * (abs(left) % abs(right))


def _power(left: Any, right: Any) -> float:
    base, exponent = float(left), float(right)
    try:
        found = base**exponent
    except (OverflowError, ZeroDivisionError) as error:
        odd = exponent.is_integer() and exponent % 2 == 1
        below = base < 0 or isinstance(error, ZeroDivisionError)
        return math.copysign(math.inf, base) if odd and below else math.inf
    return math.nan if isinstance(found, complex) else found


def _range(left: Any, right: Any) -> list[int]:
    first, last = map(kinds.whole, (left, right))
    if last - first + 1 >= _LARGEST:
        raise over_budget()
    return [*range(first, last + 1)]


_ARITHMETIC: Final[dict[str, _Kinds]] = {
    "+": {
        **_numeric(operator.add, lambda left, right: kinds.wrapped(left + right)),
        (str, str): operator.add,
        (Time, Duration): lambda time, span: Time(time.count + span.count, time.zone),
        (Duration, Time): lambda span, time: Time(time.count + span.count, time.zone),
        (Duration, Duration): lambda left, right: Duration(left.count + right.count),
    },
    "-": {
        **_numeric(operator.sub, lambda left, right: kinds.wrapped(left - right)),
        (Time, Time): between,
        (Time, Duration): lambda time, span: Time(time.count - span.count, time.zone),
        (Duration, Duration): lambda left, right: Duration(left.count - right.count),
    },
    "*": {
        **_numeric(operator.mul, lambda left, right: kinds.wrapped(left * right)),
        (Duration, Duration): lambda left, right: Duration(left.count * right.count),
        (Duration, int): lambda span, count: Duration(span.count * count),
        (int, Duration): lambda count, span: Duration(span.count * count),
        (Duration, float): lambda span, count: span.count * count,
        (float, Duration): lambda count, span: span.count * count,
    },
    "/": _numeric(_divide),
    "**": _numeric(_power),
    "%": {(int, int): _rest},
    "..": _numeric(_range),
}


def _arithmetic(name: str) -> _Compute:
    table = _ARITHMETIC[name]

    def call(left: Any, right: Any) -> Any:
        compute = table.get((left.__class__, right.__class__))
        if compute is None:
            left, right = (int(one) if kinds.is_int(one) else one for one in (left, right))
            compute = table.get((left.__class__, right.__class__))
        if compute is None:
            raise _wrong(name, left, right)
        return compute(left, right)

    return call


def over_budget() -> FunctionError:
    """The error of an expression that makes too many items."""
    return FunctionError(
        f"the expression makes {_LARGEST:,} items or more, which the language refuses",
        "limit_exceeded",
    )


def _ordered(name: str, holds: _Compute) -> _Compute:
    def call(left: Any, right: Any) -> bool:
        if kinds.is_number(left) and kinds.is_number(right):
            return bool(holds(left, right))
        if left.__class__ is not right.__class__ or not isinstance(left, (str, Time, Duration)):
            raise _wrong(name, left, right)
        return bool(holds(compared(left, right, name), 0))

    return call


def _contained(left: Any, right: Any) -> bool:
    if right is None:
        return False
    if isinstance(right, list):
        return any(kinds.same(left, item) for item in right)
    if isinstance(right, dict):
        if isinstance(right, kinds.AnyMap):
            return kinds.key_of(left) in right
        if left is None or isinstance(left, str):
            return (left or "") in right
    if isinstance(right, kinds.Struct) and isinstance(left, str):
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
    if not (isinstance(left, (str, bytes)) and isinstance(right, str)):
        raise _wrong("matches", left, right)
    from .matching import compiled, matches

    return matches(compiled(right), left)


CALLS: Final[dict[str, _Compute]] = {
    **{name: _arithmetic(name) for name in _ARITHMETIC},
    "<": _ordered("<", operator.lt),
    "<=": _ordered("<=", operator.le),
    ">": _ordered(">", operator.gt),
    ">=": _ordered(">=", operator.ge),
    "==": kinds.same,
    "!=": lambda left, right: not kinds.same(left, right),
    "in": _contained,
    "contains": _textual("contains", operator.contains),
    "startsWith": _textual("startsWith", str.startswith),
    "endsWith": _textual("endsWith", str.endswith),
    "matches": _matches,
}
"""The Python function of each operator with two operands, for known ones."""

QUICK: Final[dict[tuple[str, type, type], _Compute]] = {
    (name, one, other): compute
    for one in (int, float)
    for other in (int, float)
    for name, compute in (
        *(("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge)),
        *(("==", operator.eq), ("!=", operator.ne)),
    )
}
"""Operators that cost nothing for two classes of operands, by their names and these."""

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
