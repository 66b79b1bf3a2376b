"""Text: case, cutting, replacing, indenting, words."""

from __future__ import annotations

from typing import Any, Final

from ..core.text import change_case, replace_all, split_text
from ..signatures import Declarations
from ..value_limits import Pieces, ValueLimits, hold_chars
from ..values import FunctionError
from .arguments import filled, number_text, whole

function: Final = Declarations("text", __package__, propagates_none=False)


_BLANK: Final = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_CUTTING: Final = 24
"""The weight of finding the words of a text: time for each character."""
_MARKED: Final = ("$$", "$&", "$`", "$'")


@function("replace(string: string, substring: string, replacement: string) -> string")
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


@function(
    "slice(input: string | array, start: integer | float | string, "
    "end?: integer | float | string) -> any"
)
def slice_value(value: Any, start: Any, end: Any = None) -> Any:
    """The part of a text or an array from one position to before another.

    Negative positions count from the end; an end of 0 means the end of the value.
    """
    if isinstance(value, str):
        filled("slice", value)
    first = whole("slice", "start index", start, 1)
    last = None if end is None else whole("slice", "end index", end, 2)
    return value[first : last or None]


@function("indent(string: string, spaces: integer | float | string) -> string")
def indent_lines(text: str, spaces: Any, *, limits: ValueLimits) -> str:
    """The text with spaces in front of all lines that are not blank."""
    filled("indent", text)
    count = whole("indent", "number of spaces", spaces, 1)
    if count < 0:
        raise FunctionError("the number of spaces for `indent` must not be negative", argument=1)
    lines = text.split("\n")
    hold_chars("indent", len(text) + count * len(lines), limits)
    return "\n".join(" " * count + line if line.strip(_BLANK) else line for line in lines)


@function("string(value: any) -> string")
def to_string(value: Any, *, limits: ValueLimits) -> str:
    """A value as text, as in a template.

    Raises:
        FunctionError: `invalid_argument_type` for an object, `limit_exceeded`.
    """
    if not isinstance(value, list):
        return plain_text(value)
    pieces = Pieces("string", limits)
    _join(value, pieces)
    return pieces.text()


def _join(items: list[Any], pieces: Pieces) -> None:
    for number, item in enumerate(items):
        if number:
            pieces.add(",")
        if isinstance(item, list):
            _join(item, pieces)
        elif item is not None:
            pieces.add(plain_text(item))


def plain_text(value: Any) -> str:
    """A value that is not an array as text.

    Raises:
        FunctionError: `invalid_argument_type` for an object.
    """
    match value:
        case None:
            return "null"
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
    raise FunctionError(
        "an object is not a string",
        "invalid_argument_type",
        "use `jsonEncode` for objects",
        0,
    )


_UPPER: Final = "[A-Z\u00c0-\u00d6\u00d8-\u00de]"
_LOWER: Final = "[a-z\u00df-\u00f6\u00f8-\u00ff]"
_OTHER: Final = "[^\\W\\d_A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]"
_SMALL: Final = f"(?:{_LOWER}|{_OTHER})"
_LARGE: Final = f"(?:{_UPPER}|{_OTHER})"
_BREAK: Final = r"(?=[\W_]|\Z)"
_WORDS: Final = "|".join(
    (
        f"{_UPPER}?{_LOWER}+(?:{_BREAK}|(?={_UPPER}))",
        f"{_LARGE}+(?:{_BREAK}|(?={_UPPER}{_SMALL}))",
        f"{_UPPER}?{_SMALL}+",
        f"{_UPPER}+",
        r"\d*(?:1ST|2ND|3RD|(?![123])\dTH)(?=\b|[a-z_])",
        r"\d*(?:1st|2nd|3rd|(?![123])\dth)(?=\b|[A-Z_])",
        r"\d+",
    )
)
_LIGATURES: Final = str.maketrans(
    {
        "\u00df": "ss",
        "\u00e6": "ae",
        "\u00c6": "Ae",
        "\u00f8": "o",
        "\u00d8": "O",
        "\u00f0": "d",
        "\u00d0": "D",
        "\u00fe": "th",
        "\u00de": "Th",
        "\u0142": "l",
        "\u0141": "L",
        "\u0111": "d",
        "\u0110": "D",
        "\u0153": "oe",
        "\u0152": "Oe",
        "\u0131": "i",
        "'": "",
        "\u2019": "",
    }
)


def words(text: str) -> list[str]:
    """The words of a text: accents go, and case and digits begin new ones."""
    import re
    from unicodedata import combining, normalize

    plain = "".join(char for char in normalize("NFD", text) if not combining(char))
    return re.findall(_WORDS, normalize("NFC", plain).translate(_LIGATURES))


@function("camelCase(string: string) -> string", weight=_CUTTING)
def camel_case(text: str) -> str:
    """`twoWords`."""
    found = [word.lower() for word in words(filled("camelCase", text))]
    return "".join(found[:1] + [word[:1].upper() + word[1:] for word in found[1:]])


@function("kebabCase(string: string) -> string", weight=_CUTTING)
def kebab_case(text: str) -> str:
    """`two-words`."""
    return "-".join(word.lower() for word in words(filled("kebabCase", text)))


@function("lower(string: string) -> string")
def lower(text: str, *, limits: ValueLimits) -> str:
    """The string in lower case."""
    return change_case("lower", str.lower, filled("lower", text), limits=limits)


@function("upper(string: string) -> string")
def upper(text: str, *, limits: ValueLimits) -> str:
    """The string in upper case."""
    return change_case("upper", str.upper, filled("upper", text), limits=limits)


@function("split(string: string, separator: string) -> array")
def split(text: str, separator: str, *, limits: ValueLimits) -> list[str]:
    """The parts between the separators."""
    filled("split", text)
    return split_text(text, filled("split", separator, 1), limits=limits)


@function("trim(string: string, characters?: string) -> string")
def trim(text: str, characters: str = _BLANK) -> str:
    """The string without white space, or without given characters, at both ends."""
    return filled("trim", text).strip(characters)
