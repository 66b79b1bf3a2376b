"""The operators: their levels, and a record for each, as for functions.

No call can name them: none is written like a name, except `list`, which is what an array means.
"""

from __future__ import annotations

from typing import Any, Final

from .....functions.examples import edge, given
from .....functions.registry import Example, Function, Parameter
from .....functions.values import NONE
from .operations import CALLS

TERNARY: Final = "?:"
LIST: Final = "list"
LOOKUP: Final = "[key]"
TEXT: Final = "${..}"
BLOCK: Final = "${if}"
OPTIONAL: Final = "${..}?"
NEITHER: Final = "contains"
"""The one operator that is read neither from the left nor from the right."""

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
"""How tight each operator binds."""

RUNS: Final = frozenset({"||", "&&", "+", "-", "*", "/", "%"})
"""The operators of which a row without parentheses is one call."""


def _none(*values: Any) -> Any:
    raise TypeError("a form answers instead")


def _operator(
    name: str,
    summary: str,
    parameters: str,
    examples: tuple[Example, ...],
    *,
    result: str = "any",
    form: str = "",
) -> Function:
    """The record of an operator; `parameters` are names, with dots before one that may repeat."""
    made = [
        Parameter(word.lstrip("."), ("any",), variadic=word.startswith("."))
        for word in parameters.split()
    ]
    return Function(
        name=name,
        summary=summary,
        parameters=tuple(made),
        result=result,
        call=CALLS.get(name, _none),
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
        "the first value when it counts as true, else the next; a missing key counts as false",
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
        "the first value when it counts as false, else the next; a missing key counts as false",
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
        "the value after `?` when the condition counts as true, else that after `:`",
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
        "whether two values are the same; nothing is converted, arrays and objects equal nothing",
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
        "whether two values are not the same",
        "left right",
        (given('var.s != "prod"', True, var=_VARS), edge("1 != 1.0", False)),
        result="boolean",
    ),
    _operator("<", "whether a number is less", "left right", (given("1 < 2", True),)),
    _operator("<=", "whether a number is not greater", "left right", (given("2 <= 2", True),)),
    _operator(">", "whether a number is greater", "left right", (given("1 > 2", False),)),
    _operator(
        ">=",
        "whether a number is not less",
        "left right",
        (
            given("2 >= 1.5", True),
            edge('"b" >= "a"', error=_WRONG),
            edge("null >= 0", error=_WRONG),
        ),
    ),
    _operator(
        "+",
        "the sum of numbers, strings or arrays in a row",
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
        "a number less another",
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
        "the rest of a division, with the sign of the dividend",
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
        "true for what counts as false, and for a missing key",
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
        "nothing at all where a key is missing: the field or the element is left out",
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
