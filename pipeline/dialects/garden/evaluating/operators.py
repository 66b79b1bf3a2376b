"""The operators: their precedence, what they compute, and a record for each, as for functions.

Calls cannot name them: none is written like a name, except `list`, which is what an array means.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from .....functions.examples import edge, given
from .....functions.garden.arguments import number_text, tidy
from .....functions.registry import Example, Function, Parameter
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


# --- the values of operands and results -----------------------------------------------------------

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
    if left.__class__ is not right.__class__ or isinstance(left, list | dict):
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
    if isinstance(right, list | dict) or right is NONE:
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
"""What the operators compute from two known operands."""


# --- the records ----------------------------------------------------------------------------------


def _not_called(*values: Any) -> Any:
    raise TypeError("a special form evaluates this operator")


def _operator(
    name: str,
    summary: str,
    parameters: str,
    examples: tuple[Example, ...],
    *,
    result: str = "any",
    form: str = "",
) -> Function:
    """The record of an operator; `parameters` are names, one that may repeat after dots."""
    made = [
        Parameter(word.lstrip("."), ("any",), variadic=word.startswith("."))
        for word in parameters.split()
    ]
    return Function(
        name=name,
        summary=summary,
        parameters=tuple(made),
        result=result,
        call=CALLS.get(name, _not_called),
        topic="operators",
        examples=examples,
        propagates_none=False,
        form=form or "operation",
    )


_WRONG: Final = "invalid_argument_type"
_ABSENT: Final = "key_not_found"
_VARS: Final = {"a": 1, "s": "text", "list": ["a", "b"], "map": {"k": 1}, "null": None, "e": ""}

_RECORDS: Final = (
    _operator(
        "||",
        "the first truthy value, else the last one; a missing key is falsy",
        "left right ...more",
        (
            given('var.nobody || "info"', "info", var=_VARS),
            given("var.e || var.nobody || var.a", 1, var=_VARS),
            edge("var.a || var.nobody", 1, var=_VARS),
            edge("var.nobody.deep || 0", 0, var=_VARS),
            edge("[] || 1", []),
            edge("var.e || var.nobody", error=_ABSENT, var=_VARS),
            edge("var.s.deep || 1", error="path_not_found", var=_VARS),
        ),
        form="or",
    ),
    _operator(
        "&&",
        "the first falsy value, else the last one; a missing key is falsy",
        "left right ...more",
        (
            given("var.a && var.s", "text", var=_VARS),
            edge("var.e && var.s", "", var=_VARS),
            edge("var.nobody && true", False, var=_VARS),
            edge("true && var.nobody", False, var=_VARS),
            edge("true && 1 && 2", 2),
        ),
        form="and",
    ),
    _operator(
        TERNARY,
        "the value after `?` if the condition is truthy, else the one after `:`",
        "condition then otherwise ...more",
        (
            given('var.a == 1 ? "one" : "other"', "one", var=_VARS),
            edge("var.nobody?1:2", 2, var=_VARS),
            edge("false ? 1 : false ? 2 : 3", 3),
            edge("true ? false ? 1 : 2 : 3", 2),
            edge("true ? var.nobody : 1", error=_ABSENT, var=_VARS),
            edge("false ? var.nobody : 1", 1, var=_VARS),
        ),
        form="ternary",
    ),
    _operator(
        "==",
        "whether two values are equal without conversion; arrays and objects equal nothing",
        "left right",
        (
            given('var.s == "text"', True, var=_VARS),
            edge("1 == 1.0", True),
            edge('"1" == 1', False),
            edge("true == 1", False),
            edge('var["null"] == null', True, var=_VARS),
            edge("var.list == var.list", False, var=_VARS),
            edge("var.nobody == null", error=_ABSENT, var=_VARS),
        ),
        result="boolean",
    ),
    _operator(
        "!=",
        "whether two values are not equal",
        "left right",
        (given('var.s != "prod"', True, var=_VARS), edge("1 != 1.0", False)),
        result="boolean",
    ),
    _operator("<", "whether a number is less than another", "left right", (given("1 < 2", True),)),
    _operator("<=", "whether a number is at most another", "left right", (given("2 <= 2", True),)),
    _operator(
        ">", "whether a number is greater than another", "left right", (given("1 > 2", False),)
    ),
    _operator(
        ">=",
        "whether a number is at least another",
        "left right",
        (
            given("2 >= 1.5", True),
            edge('"b" >= "a"', error=_WRONG),
            edge("null >= 0", error=_WRONG),
        ),
    ),
    _operator(
        "+",
        "the sum of numbers, or strings or arrays joined",
        "left right ...more",
        (
            given("1 + 2", 3),
            given('"foo" + "bar"', "foobar"),
            given('var.list + ["c"]', ["a", "b", "c"], var=_VARS),
            edge("0.1 + 0.2", 0.30000000000000004),
            edge('"a" + 1 + 2', "a12"),
            edge('"a" + null', "anull"),
            edge('1 + "a"', error=_WRONG),
            edge("var.list + 1", error=_WRONG, var=_VARS),
            edge("true + true", error=_WRONG),
            edge("var.map + var.map", error=_WRONG, var=_VARS),
            edge('"a" + var.map', error="invalid_interpolation", var=_VARS),
        ),
    ),
    _operator(
        "-",
        "the difference of numbers",
        "left right ...more",
        (given("5 - 3 - 1", 1), edge("1 - null", error=_WRONG)),
    ),
    _operator(
        "*",
        "the product of numbers",
        "left right ...more",
        (
            given("var.a * 2", 2, var=_VARS),
            edge("(1 + 2) * (3 + 4)", 21),
            edge("1e308 * 10", error="number_out_of_range"),
        ),
    ),
    _operator(
        "/",
        "a number divided by another",
        "left right ...more",
        (given("7 / 2", 3.5), edge("6 / 2", 3), edge("1/0", error="invalid_argument")),
    ),
    _operator(
        "%",
        "the remainder of a division, with the sign of the dividend",
        "left right ...more",
        (
            given("7 % 4", 3),
            edge("(0 - 7) % 4", -3),
            edge("5.5 % 2", 1.5),
            edge("1 % 0", error="invalid_argument"),
        ),
    ),
    _operator(
        NEITHER,
        "whether an array has an element, an object a key, or a string a part",
        "left right",
        (
            given('var.list contains "a"', True, var=_VARS),
            given('var.map contains "k"', True, var=_VARS),
            given('var.s contains "ex"', True, var=_VARS),
            edge('"ab" + "c" contains "bc"', "abfalse"),
            edge("[1, 2] contains 2.0", True),
            edge('[1] contains "1"', False),
            edge('"a1" contains 1', True),
            edge("1 contains 1", error=_WRONG),
            edge('!var.map contains "k"', error=_WRONG, var=_VARS),
            edge("var.list contains var.list", error=_WRONG, var=_VARS),
        ),
        result="boolean",
    ),
    _operator(
        "!",
        "true for a falsy value and for a missing key",
        "value",
        (
            given("!var.a", False, var=_VARS),
            edge("!var.nobody", True, var=_VARS),
            edge("!!var.s", True, var=_VARS),
            edge("![]", False),
        ),
        result="boolean",
        form="not",
    ),
    _operator(
        "typeof",
        "the type of a value: `string`, `number`, `boolean`, `object` or `undefined`",
        "value",
        (
            given("typeof var.a", "number", var=_VARS),
            edge("typeof var.list", "object", var=_VARS),
            edge("typeof null", "object"),
            edge("typeof var.nobody", "undefined", var=_VARS),
            edge('typeof "a"', "string"),
            edge("typeof !var.a", "boolean", var=_VARS),
        ),
        result="string",
        form="typeof",
    ),
    _operator(
        LIST,
        "an array",
        "...items",
        (given("[1, var.a]", [1, 1], var=_VARS), edge("[1, 2,]", [1, 2]), edge("[ ]", [])),
        result="array",
        form="list",
    ),
    _operator(
        LOOKUP,
        "what stands at a key that is computed",
        "value ...keys",
        (
            given('var.map["${var.key}"]', 1, var={"map": {"k": 1}, "key": "k"}),
            given("var.map[var.key]", 1, var={"map": {"k": 1}, "key": "k"}),
            edge('var.list[var["a"]]', "b", var=_VARS),
            edge('var.list["0"]', "a", var=_VARS),
            edge("var.list.1", "b", var=_VARS),
            edge("var.list[2]", error=_ABSENT, var=_VARS),
            edge("var.list[null]", error=_WRONG, var=_VARS),
            edge("var.list[var.nobody] || 5", 5, var=_VARS),
        ),
        form="lookup",
    ),
    _operator(
        TEXT,
        "a string that is a template",
        "...parts",
        (
            given('"a-${var.a}"', "a-1", var=_VARS),
            edge('"${var.a}"', 1, var=_VARS),
            edge("'$${var.a}'", "${var.a}", var=_VARS),
            edge('"x${[1, null, 2.50]}"', "x1,,2.5"),
        ),
        form="text",
    ),
    _operator(
        BLOCK,
        "the text between `${if ..}` and `${else}`, or that up to `${endif}`",
        "condition then ...otherwise",
        (
            given('"${if var.a}yes${else}no${endif}"', "yes", var=_VARS),
            edge('"${if var.e}yes${endif}"', "", var=_VARS),
            edge('"${if var.a}${var.a}${endif}"', 1, var=_VARS),
            edge('"${if var.nobody}yes${endif}"', error=_ABSENT, var=_VARS),
        ),
        form="block",
    ),
    _operator(
        OPTIONAL,
        "nothing if a key is missing: the field or the element is left out",
        "value",
        (
            edge('"${var.nobody}?"', NONE, var=_VARS),
            edge('"x${var.nobody}?y"', "xy", var=_VARS),
            edge('"${var.a}?"', 1, var=_VARS),
        ),
        form="optional",
    ),
)

OPERATORS: Final = {record.name: record for record in _RECORDS}
