"""Strings: capitals, initials, and names such as `first_name`."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import Final

from ..core.text import WHITE_SPACE
from ..expr.kinds import to_bytes
from ..expr.text import capital, lower
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

_CONNECTOR, _PUNCTUATION, _UPPER, _WORD, _NUMBER, _OTHER = range(6)
_CONNECTORS: Final = f"-_{WHITE_SPACE}"
_PART: Final = re.compile(
    rf"(?:^([{_CONNECTORS}]*)|(?<=[{_CONNECTORS}])|[{_CONNECTORS}])([^{_CONNECTORS}]+)"
)


def _kind(character: str) -> int:
    if character in _CONNECTORS:
        return _CONNECTOR
    category = unicodedata.category(character)
    if category[0] == "P":
        return _PUNCTUATION
    if category == "Lu":
        return _UPPER
    if category[0] == "L":
        return _OTHER if category == "Lo" else _WORD
    return _NUMBER if category[0] == "N" else _OTHER


def _words(text: str) -> list[tuple[int, str]]:
    """The pieces of a text that are of one kind: `HTTPServer2` has HTTP, Server and 2."""
    kinds = [*map(_kind, text)]
    found = []
    start, count = 0, len(text)
    while start < count:
        kind, end = kinds[start], start + 1
        if kind == _UPPER and end < count and kinds[end] == _UPPER:
            while end < count and kinds[end] == _UPPER:
                end += 1
            if end < count and kinds[end] == _WORD:
                end -= 1
        else:
            follows = _WORD if kind == _UPPER else kind
            while end < count and kinds[end] == follows:
                end += 1
        found.append((kind, text[start:end]))
        start = end
    return found


def _joined(text: str, connector: str) -> str:
    """The words of a text in lower case with a connector between them.

    Digits belong to the word before them (`bld4_floor`), or are a word with the letters behind them
    (`http_2xx`).
    """
    words = _words(text)
    written: list[str] = []
    at = 0
    while at < len(words):
        kind, word = words[at]
        written.append(_plain(kind, word, connector))
        at += 1
        if kind == _NUMBER:
            at = _letters(words, at, written)
        elif kind not in (_CONNECTOR, _PUNCTUATION) and _kind_at(words, at) == _NUMBER:
            if at + 1 == len(words):
                continue
            number = words[at][1]
            if words[at + 1][0] == _WORD:
                written += (connector, number)
                at = _letters(words, at + 1, written)
            else:
                written.append(number)
                at += 1
        elif kind in (_CONNECTOR, _PUNCTUATION):
            continue
        if _kind_at(words, at) not in (None, _CONNECTOR, _PUNCTUATION):
            written.append(connector)
    return "".join(written)


def _kind_at(words: list[tuple[int, str]], at: int) -> int | None:
    return words[at][0] if at < len(words) else None


def _letters(words: list[tuple[int, str]], at: int, written: list[str]) -> int:
    """Past the small letters and digits from a place on, which are written."""
    while _kind_at(words, at) in (_WORD, _NUMBER):
        written.append(words[at][1])
        at += 1
    return at


def _plain(kind: int, word: str, connector: str) -> str:
    if kind == _CONNECTOR:
        return connector * len(word)
    return lower(word) if kind == _UPPER else word


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
