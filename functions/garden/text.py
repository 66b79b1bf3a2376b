"""Text: case, cutting, replacing, indenting."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ..examples import edge, given
from ..registry import Function, Parameter
from ..text import change_case, replace_all, split_text
from ..value_limits import ValueLimits, hold_chars
from ..values import FunctionError
from .arguments import NUMBER, TEXT, filled, helper, whole
from .numbers import number_text

_BLANK: Final = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_MARKED: Final = ("$$", "$&", "$`", "$'")


def replace_text(text: str, search: str, replacement: str, *, limits: ValueLimits) -> str:
    """The text with every occurrence replaced; `$&` and the like mean what they do in JavaScript.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    filled("replace", text, 0)
    filled("replace", search, 1)
    if not any(mark in replacement for mark in _MARKED):
        return replace_all(text, search, replacement, limits=limits)
    parts: list[str] = []
    size = position = 0
    while (found := text.find(search, position)) >= 0:
        for part in (text[position:found], _filled_in(replacement, text, search, found)):
            parts.append(part)
            size += len(part)
            hold_chars("replace", size, limits)
        position = found + len(search)
    return "".join([*parts, text[position:]])


def _filled_in(replacement: str, text: str, search: str, found: int) -> str:
    import re

    meaning = {"$$": "$", "$&": search, "$`": text[:found], "$'": text[found + len(search) :]}
    return re.sub(r"\$[$&`']", lambda match: meaning[match[0]], replacement)


def slice_value(value: Any, start: Any, end: Any = None) -> Any:
    """The part of a text or an array from one position to before another.

    Positions below zero count from the end; an end of 0 is none.
    """
    if isinstance(value, str):
        filled("slice", value)
    first = whole("slice", "start index", start, 1)
    last = None if end is None else whole("slice", "end index", end, 2)
    return value[first : last or None]


def indent_lines(text: str, spaces: Any, *, limits: ValueLimits) -> str:
    """The text with spaces in front of all lines that are not blank."""
    filled("indent", text)
    count = whole("indent", "number of spaces", spaces, 1)
    if count < 0:
        raise FunctionError("the number of spaces for `indent` is below 0", argument=1)
    lines = text.split("\n")
    hold_chars("indent", len(text) + count * len(lines), limits)
    return "\n".join(" " * count + line if line.strip(_BLANK) else line for line in lines)


def to_string(value: Any) -> str:
    """A value as text, as in a template."""
    match value:
        case None:
            return "null"
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case list():
            return ",".join("" if item is None else to_string(item) for item in value)
    raise FunctionError(
        "an object has no text", "invalid_argument_type", "use `jsonEncode` for objects", 0
    )


def text_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    text = Parameter("string", TEXT, "the text, which is not empty")

    def lower(value: str) -> str:
        return change_case("lower", str.lower, filled("lower", value), limits=limits)

    def upper(value: str) -> str:
        return change_case("upper", str.upper, filled("upper", value), limits=limits)

    def split(value: str, separator: str) -> list[str]:
        filled("split", value)
        return split_text(value, filled("split", separator, 1), limits=limits)

    def trim(value: str, characters: str = _BLANK) -> str:
        return filled("trim", value).strip(characters)

    return (
        helper(
            "lower",
            "a text in lower case",
            (text,),
            "string",
            lower,
            "text",
            (
                given('lower("Some String")', "some string"),
                edge('lower("")', error="invalid_argument"),
            ),
        ),
        helper(
            "upper",
            "a text in upper case",
            (text,),
            "string",
            upper,
            "text",
            (
                given('upper("Some String")', "SOME STRING"),
                edge('upper("stra\u00dfe")', "STRASSE"),
                edge("upper(null)", error="invalid_argument_type"),
            ),
        ),
        helper(
            "replace",
            "a text with all occurrences of another one replaced",
            (
                text,
                Parameter("substring", TEXT, "what to replace, taken literally"),
                Parameter("replacement", TEXT, "what to put there; `$&` is what was found"),
            ),
            "string",
            partial(replace_text, limits=limits),
            "text",
            (
                given('replace("some_key_name", "_", "-")', "some-key-name"),
                given('replace("remove.these.dots", ".", "")', "removethesedots"),
                edge('replace("a-b", "-", "[$&$$]")', "a[-$]b"),
                edge("replace('a-b', '-', '$`')", "aab"),
                edge("replace('a-b', '-', \"$'\")", "abb"),
                edge('replace("a", "", "b")', error="invalid_argument"),
            ),
        ),
        helper(
            "slice",
            "a part of a text or an array",
            (
                Parameter("input", ("string", "array"), "the text or the array"),
                Parameter("start", NUMBER, "the first position, from 0, or from the end below 0"),
                Parameter("end", NUMBER, "the position before which it ends", optional=True),
            ),
            "any",
            slice_value,
            "text",
            (
                given('slice("ThisIsALongStringThatINeedAPartOf", 11, "-7")', "StringThatINeed"),
                given('slice(".foo", 1)', "foo"),
                edge("slice([1, 2, 3], 1, 2)", [2]),
                edge("slice([1, 2, 3], 1, 0)", [2, 3]),
                edge("slice([1, 2, 3], 0 - 1)", [3]),
                edge('slice("abc", "x")', error="invalid_argument"),
                edge('slice("abc", 0.5)', error="invalid_argument"),
                edge('slice("", 0)', error="invalid_argument"),
            ),
        ),
        helper(
            "split",
            "the parts of a text between separators",
            (text, Parameter("separator", TEXT, "what separates the parts")),
            "array",
            split,
            "text",
            (
                given('split("a,b,c", ",")', ["a", "b", "c"]),
                given('split("1:2:3:4", ":")', ["1", "2", "3", "4"]),
                edge('split("a", "")', error="invalid_argument"),
            ),
        ),
        helper(
            "trim",
            "a text without space, or without given characters, at its ends",
            (text, Parameter("characters", TEXT, "the characters to take away", optional=True)),
            "string",
            trim,
            "text",
            (
                given(
                    'trim("   some string with surrounding whitespace ")',
                    "some string with surrounding whitespace",
                ),
                given('trim("--a-b-+", "+-")', "a-b"),
            ),
        ),
        helper(
            "indent",
            "a text with spaces in front of each line that is not blank",
            (text, Parameter("spaces", NUMBER, "how many")),
            "string",
            partial(indent_lines, limits=limits),
            "text",
            (
                given(
                    'indent("some: multiline\\nyaml: document", 2)',
                    "  some: multiline\n  yaml: document",
                ),
                edge('indent("a\\n\\nb", "1")', " a\n\n b"),
                edge('indent("a", 0 - 1)', error="invalid_argument"),
            ),
        ),
        helper(
            "string",
            "a value as text",
            (Parameter("value", ("any",), "any value but an object"),),
            "string",
            to_string,
            "text",
            (
                given("string(1)", "1"),
                given("string(true)", "true"),
                edge("string([1, null, 2.50])", "1,,2.5"),
                edge("string(null)", "null"),
                edge("string(var.map)", error="invalid_argument_type", var={"map": {"a": 1}}),
            ),
        ),
    )
