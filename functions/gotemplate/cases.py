"""Strings: capitals, initials, and names such as `first_name`."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import Final

from ..core.text import WHITE_SPACE
from ..expr.kinds import to_bytes
from ..expr.text import capital, lower
from ..regexes import compile_regex
from ..signatures import Declarations
from .guards import TYPES

function: Final = Declarations("strings", __package__, propagates_none=False, types=TYPES)

_SPACES: Final = frozenset(WHITE_SPACE)


def _titled(character: str) -> str:
    titled = character.title()
    return titled if len(titled) == 1 else character


def _separates(character: str) -> bool:
    """True before a word, which has letters, digits and `_`."""
    if character.isascii():
        return not (character.isalnum() or character == "_")
    return character in _SPACES


@function("title(text: string) -> string", weight=20)
def _title(text: str) -> str:
    pairs = pairwise(f" {text}")
    return "".join(_titled(own) if _separates(before) else own for before, own in pairs)


@function("untitle(text: string) -> string", weight=20)
def _untitle(text: str) -> str:
    pairs = pairwise(f" {text}")
    return "".join(lower(own) if before in _SPACES else own for before, own in pairs)


@function("swapcase(text: string) -> string", weight=20)
def _swap_case(text: str) -> str:
    return "".join(_swapped(before, own) for before, own in pairwise(f" {text}"))


def _swapped(before: str, own: str) -> str:
    if own.isupper() or own.istitle():
        return lower(own)
    if not own.islower():
        return own
    return _titled(own) if before in _SPACES else capital(own)


@function("initials(text: string) -> string", weight=20)
def _initials(text: str) -> str:
    pairs = pairwise(f" {_byte_by_byte(text)}")
    return "".join(own for before, own in pairs if before in _SPACES and own not in _SPACES)


@function("nospace(text: string) -> string", weight=20)
def _nospace(text: str) -> str:
    found = "".join(own for own in _byte_by_byte(text) if own not in _SPACES)
    return text if text == "" or len(found) == len(to_bytes(text)) else found


def _byte_by_byte(text: str) -> str:
    """A character for each byte: Go's library takes them for characters."""
    return to_bytes(text).decode("latin-1")


# names

_CONNECTORS: Final = f"-_{WHITE_SPACE}"
_PART: Final = compile_regex(
    rf"(?:^([{_CONNECTORS}]*)|(?<=[{_CONNECTORS}])|[{_CONNECTORS}])([^{_CONNECTORS}]+)"
)
_KINDS: Final = {"P": "punctuation", "N": "number", "L": "word", "Lu": "Upper", "Lo": "other"}
_WORD: Final = compile_regex(r"(?:(U+(?=Uw)|UU+|Uw*)|w+|o+)(?:n++(?!w))?|n[wn]*|c+|p+")
"""A word in the first letters of kinds: `HTTPServer2` has HTTP and Server2.

Digits belong to the word before them (`bld4_floor`), or are a word with the letters behind them
(`http_2xx`).
"""


def _kind(character: str) -> str:
    if character in _CONNECTORS:
        return "c"
    category = unicodedata.category(character)
    return (_KINDS.get(category) or _KINDS.get(category[0], "other"))[0]


def _joined(text: str, connector: str) -> str:
    """The words of a text in lower case with a connector between them."""
    kinds = "".join(map(_kind, text))
    written: list[str] = []
    for match in _WORD.finditer(kinds):
        kind, (start, end) = match[0][0], match.span()
        upper = max(start, match.end(1))
        word = lower(text[start:upper]) + text[upper:end]
        written.append(connector * len(word) if kind == "c" else word)
        if kind not in "cp" and kinds[end : end + 1] not in ("", "c", "p"):
            written.append(connector)
    return "".join(written)


function("snakecase(text: string) -> string", weight=128)(lambda text: _joined(text, "_"))
function("kebabcase(text: string) -> string", weight=128)(lambda text: _joined(text, "-"))


@function("camelcase(text: string) -> string", weight=32)
def _camel_case(text: str) -> str:
    """Of several connectors inside only the last one goes, those at either end stay."""
    found = _PART.sub(lambda match: f"{match[1] or ''}{_camel(match[2])}", text)
    return found + found[-1:] if found and not found.strip(_CONNECTORS) else found


def _camel(word: str) -> str:
    """A word with a capital, where only the first of several in front stays one."""
    end = 0
    while end < len(word) and unicodedata.category(word[end]) == "Lu":
        end += 1
    return capital(word[0]) + lower(word[1:end]) + word[max(end, 1) :]
