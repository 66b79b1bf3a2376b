"""The operators: their precedence, what they compute, and a record for each, as for functions.

Calls cannot name them: only `list`, which stands for an array, is written like a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from .....functions.garden.arguments import number_text, tidy
from .....functions.registry import Function, Parameter
from .....functions.signatures import DeclaredFunction
from .....functions.values import NONE, FunctionError, Unknown, has_unknown

TERNARY: Final = "?:"
LIST: Final = "list"
LOOKUP: Final = "[key]"
TEXT: Final = "${..}"
BLOCK: Final = "${if}"
OPTIONAL: Final = "${..}?"
NEITHER: Final = "contains"
"""The one operator that is not associative."""

BINDING: Final = {
    TERNARY: 1,
    "||": 2,
    "&&": 3,
    **dict.fromkeys(("==", "!="), 4),
    **dict.fromkeys(("<", "<=", ">", ">="), 5),
    **dict.fromkeys(("+", "-"), 6),
    **dict.fromkeys(("*", "/", "%"), 7),
    NEITHER: 8,
    **dict.fromkeys(("!", "typeof"), 9),
}
"""The precedence of each operator; higher binds tighter."""

RUNS: Final = frozenset({"||", "&&", "+", "-", "*", "/", "%"})
"""The operators whose chains without parentheses are one call."""


_KINDS: Final[dict[type, str]] = {
    str: "a string",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
    list: "an array",
    dict: "an object",
    type(NONE): "undefined",
}
_DECLARED: Final = {
    "string": "a string",
    "boolean": "a boolean",
    "integer": "a number",
    "float": "a number",
    "array": "an array",
    "object": "an object",
}


def kind_of_value(value: Any) -> str:
    """The type of a value in words: `a string`, `null`, `an array`."""
    if value.__class__ is Unknown:
        return _DECLARED.get(value.type, "a value")
    return _KINDS.get(value.__class__, "a value")


def is_number(value: Any) -> bool:
    """True for numbers, not for booleans."""
    return value.__class__ is int or value.__class__ is float


def truthy(value: Any) -> bool:
    """False for false, null, 0, the empty string and undefined; True for any other value."""
    if value is NONE or value is None or value is False:
        return False
    return not (value == "" or (is_number(value) and value == 0))


def text_of(value: Any) -> str:
    """A value as part of a string.

    Raises:
        FunctionError: `invalid_interpolation` for an object.
    """
    if value is NONE:
        return ""
    if value is None:
        return "null"
    match value:
        case str():
            return str(value)
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case list():
            return ",".join("" if item is None else text_of(item) for item in value)
    raise FunctionError(
        "an object cannot be part of a string",
        "invalid_interpolation",
        "let the substitution stand alone, or pick a key of the object",
    )


def same(left: Any, right: Any) -> bool:
    """Strict equality: nothing is converted, and an array or object equals nothing."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if left.__class__ is not right.__class__ or isinstance(left, (list, dict)):
        return False
    return left is right or bool(left == right)


def add(left: Any, right: Any) -> Any:
    """The sum of numbers, two arrays joined, or a string followed by any value.

    Raises:
        FunctionError: `invalid_argument_type` for anything else.
    """
    if isinstance(left, str):
        return left + text_of(right)
    if isinstance(left, list) and isinstance(right, list):
        return left + right
    if is_number(left) and is_number(right):
        return _finite("+", left + right)
    raise FunctionError(
        "`+` takes two numbers, two arrays, or a string and any value, "
        f"not {kind_of_value(left)} and {kind_of_value(right)}",
        "invalid_argument_type",
    )


def _numbers(name: str, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call(left: Any, right: Any) -> Any:
        if not (is_number(left) and is_number(right)):
            raise FunctionError(
                f"`{name}` takes two numbers, not {kind_of_value(left)} and {kind_of_value(right)}",
                "invalid_argument_type",
            )
        return compute(left, right)

    return call


def _finite(name: str, value: Any) -> Any:
    """A result as a double-precision number."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FunctionError(f"the result of `{name}` is too large", "number_out_of_range")
    return value if isinstance(value, int) and abs(value) <= 2**53 else tidy(number)


def _divide(left: Any, right: Any) -> Any:
    if right == 0:
        raise FunctionError("division by zero", argument=1)
    try:
        return _finite("/", left / right)
    except OverflowError:
        return _finite("/", math.inf)


def _rest(left: Any, right: Any) -> Any:
    if right == 0:
        raise FunctionError("division by zero", argument=1)
    if isinstance(left, int) and isinstance(right, int):
        return int(math.copysign(abs(left) % abs(right), left)) if abs(left) < 2**53 else 0
    return tidy(math.fmod(left, right))


def holds(left: Any, right: Any) -> bool:
    """True when an array has an element, an object a key, or a string a part.

    Raises:
        FunctionError: `invalid_argument_type`.
    """
    if isinstance(right, (list, dict)) or right is NONE:
        raise FunctionError(
            f"`contains` searches for a string, a number, a boolean or null, "
            f"not {kind_of_value(right)}",
            "invalid_argument_type",
            argument=1,
        )
    match left:
        case list():
            return any(same(item, right) for item in left if not has_unknown(item))
        case dict():
            return text_of(right) in left
        case str():
            return text_of(right) in left
    raise FunctionError(
        f"`contains` searches an array, an object or a string, not {kind_of_value(left)}",
        "invalid_argument_type",
        argument=0,
    )


CALLS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": add,
    "-": _numbers("-", lambda a, b: _finite("-", a - b)),
    "*": _numbers("*", lambda a, b: _finite("*", a * b)),
    "/": _numbers("/", _divide),
    "%": _numbers("%", _rest),
    "<": _numbers("<", lambda a, b: a < b),
    "<=": _numbers("<=", lambda a, b: a <= b),
    ">": _numbers(">", lambda a, b: a > b),
    ">=": _numbers(">=", lambda a, b: a >= b),
    "==": same,
    "!=": lambda a, b: not same(a, b),
    "contains": holds,
}
"""The Python function of each operator with two operands, for known ones."""


def _not_called(*values: Any) -> Any:
    raise TypeError("a special form evaluates this operator")


def _operator(name: str, parameters: str, form: str = "operation", result: str = "any") -> Function:
    """The record of an operator, which `examples.toml` documents.

    `parameters` are names, one that may repeat after dots.
    """
    made = [
        Parameter(word.lstrip("."), ("any",), variadic=word.startswith("."))
        for word in parameters.split()
    ]
    return DeclaredFunction(
        (__package__, name, None),
        name=name,
        parameters=tuple(made),
        result=result,
        call=CALLS.get(name, _not_called),
        topic="operators",
        propagates_none=False,
        form=form,
    )


_RECORDS: Final = (
    _operator("||", "left right ...more", "or"),
    _operator("&&", "left right ...more", "and"),
    _operator(TERNARY, "condition then otherwise ...more", "ternary"),
    _operator("==", "left right", result="boolean"),
    _operator("!=", "left right", result="boolean"),
    *(_operator(name, "left right") for name in ("<", "<=", ">", ">=")),
    *(_operator(name, "left right ...more") for name in ("+", "-", "*", "/", "%")),
    _operator(NEITHER, "left right", result="boolean"),
    _operator("!", "value", "not", "boolean"),
    _operator("typeof", "value", "typeof", "string"),
    _operator(LIST, "...items", "list", "array"),
    _operator(LOOKUP, "value ...keys", "lookup"),
    _operator(TEXT, "...parts", "text"),
    _operator(BLOCK, "condition then ...otherwise", "block"),
    _operator(OPTIONAL, "value", "optional"),
)

OPERATORS: Final = {record.name: record for record in _RECORDS}
