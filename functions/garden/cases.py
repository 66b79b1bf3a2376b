"""`camelCase` and `kebabCase`: a text taken apart into words, and put together."""

from __future__ import annotations

from typing import Final

from ..examples import edge, given
from ..registry import Function, Parameter
from .arguments import TEXT, filled, helper

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


def camel_case(text: str) -> str:
    """`twoWords`."""
    found = [word.lower() for word in words(filled("camelCase", text))]
    return "".join(found[:1] + [word[:1].upper() + word[1:] for word in found[1:]])


def kebab_case(text: str) -> str:
    """`two-words`."""
    return "-".join(word.lower() for word in words(filled("kebabCase", text)))


def case_functions() -> tuple[Function, ...]:
    """The records."""
    text = Parameter("string", TEXT, "the text, which is not empty")
    return (
        helper(
            "camelCase",
            "the words of a text in one, each but the first with a capital",
            (text,),
            "string",
            camel_case,
            "text",
            (
                given('camelCase("my-variable_name")', "myVariableName"),
                edge('camelCase("XMLHttpRequest2")', "xmlHttpRequest2"),
                edge('camelCase("--")', ""),
                edge('camelCase("caf\u00e9 noir")', "cafeNoir"),
                edge('camelCase("it\'s fine")', "itsFine"),
                edge('camelCase("")', error="invalid_argument"),
                edge("camelCase(1)", error="invalid_argument_type"),
            ),
        ),
        helper(
            "kebabCase",
            "the words of a text in lower case with dashes between",
            (text,),
            "string",
            kebab_case,
            "text",
            (
                given('kebabCase("AnotherName")', "another-name"),
                given('kebabCase("some_name")', "some-name"),
                edge('kebabCase("__YET_ANOTHER_NAME__")', "yet-another-name"),
                edge('kebabCase("foo2bar")', "foo-2-bar"),
                edge('kebabCase("the 21st day")', "the-21st-day"),
                edge('kebabCase("")', error="invalid_argument"),
            ),
        ),
    )
