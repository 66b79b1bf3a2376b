"""Texts that are not told: found in others at once, however many they are."""

from __future__ import annotations

import re
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from json import dumps
from typing import Any, Final

SHORTEST: Final = 6
"""Shorter texts are found in any other by chance."""

_COMPARED: Final = 64
"""How many characters are compared at first."""

_WORDS: Final = r"[^\s\"',:=\[\]{}]{8,}"
"""What is told of a text of several lines, such as a configuration."""

_CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{8,}={0,2}")
"""What may have a text in base64, that for addresses as well, or in hexadecimal."""

_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f]{12,}")
_OF_ADDRESSES: Final = str.maketrans("-_", "+/")
_READABLE: Final = re.compile(r"[^\0-\x08\ufffd]{6,}")

_ALIKE: Final = {ord("İ"): "i", ord("Σ"): "σ", ord("ς"): "σ"}
"""Capitals of which the small letters are two, or differ at the end of a word."""


class Concealed:
    """Texts that are not told, each with what is told in its place.

    With `loose` they are also found in capitals, in small letters, in base64, in hexadecimal and
    as addresses have them.
    """

    def __init__(self, texts: Iterable[tuple[str, str]], loose: bool = False) -> None:
        self.loose = loose
        self._marks: dict[str, str] = {}
        for text, mark in texts:
            if len(text) >= SHORTEST:
                self._marks.setdefault(self._folded(text), mark)
        # by their beginning, in order; and for each text the longest other one that it begins with
        self._texts: dict[str, list[str]] = {}
        self._within: dict[str, str] = {}
        around: list[str] = []
        for one in sorted(self._marks):
            while around and not one.startswith(around[-1]):
                around.pop()
            if around:
                self._within[one] = around[-1]
            around.append(one)
            self._texts.setdefault(one[:SHORTEST], []).append(one)

    def __bool__(self) -> bool:
        return bool(self._texts)

    def without(self, text: str) -> str:
        """A text with a mark in the place of each of them."""
        if not self._texts:
            return text
        if self.loose:
            text = _CODED.sub(self._decoded, text)
            if "%" in text:
                text = re.sub(r"[^\s\"'`]+", self._unquoted, text)
        parts, begin = [], 0
        for at, end, one in self._all(self._folded(text)):
            parts += [text[begin:at], self._marks[one]]
            begin = end
        return "".join([*parts, text[begin:]]) if parts else text

    def _all(self, folded: str) -> Iterator[tuple[int, int, str]]:
        """The places of all of them in a text, each with what stands there."""
        texts = self._texts
        at, last = 0, len(folded) - SHORTEST
        while at <= last:
            known = texts.get(folded[at : at + SHORTEST])
            one = self._found(known, folded, at) if known else None
            if one is None:
                at += 1
                continue
            yield at, at + len(one), one
            at += len(one)

    def _found(self, known: list[str], text: str, at: int) -> str | None:
        """The longest of some texts, in order, that stands in another one at an offset.

        Compared is what stands there, and more of it only while one of them goes on like it: the
        longest is then before its place in the order, or what that one begins with.
        """
        size = _COMPARED
        while True:
            part = text[at : at + size]
            place = bisect_right(known, part)
            if len(part) < size or place == len(known) or not known[place].startswith(part):
                break
            size *= 4
        one = known[place - 1] if place else None
        while one is not None and not text.startswith(one, at):
            one = self._within.get(one)
        return one

    def _folded(self, text: str) -> str:
        """A text as it is compared, of the same length."""
        return text.translate(_ALIKE).lower() if self.loose else text

    def _mark(self, text: str) -> str | None:
        """The mark of the first of them in a text."""
        found = next(self._all(self._folded(text)), None)
        return None if found is None else self._marks[found[2]]

    def _decoded(self, match: re.Match[str]) -> str:
        """What is told of a word that may have one of them in base64 or in hexadecimal."""
        for data in _decodings(match[0]):
            for readable in _READABLE.findall(data.decode("utf-8", "replace")):
                mark = self._mark(readable)
                if mark is not None:
                    return mark
        return match[0]

    def _unquoted(self, match: re.Match[str]) -> str:
        """What is told of a word that may have one of them as addresses have it."""
        word = match[0]
        mark = None
        if "%" in word:
            from urllib.parse import unquote_plus

            mark = self._mark(unquote_plus(word))
        return word if mark is None else mark

    def names(self, names: Iterable[str]) -> dict[str, str]:
        """Each of some names as it is told; those that would be told alike have numbers."""
        found: dict[str, str] = {}
        known: set[str] = set()
        numbers: dict[str, int] = {}
        for name in dict.fromkeys(names):
            told = plain = self.without(name)
            while told in known:
                numbers[plain] = numbers.get(plain, 1) + 1
                told = f"{plain} {numbers[plain]}"
            known.add(told)
            found[name] = told
        return found

    def in_data(self, value: Any) -> Any:
        """Plain data with a mark in the place of each of them, in keys as well."""
        if isinstance(value, dict):
            told = self.names(value)
            return {told[key]: self.in_data(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.in_data(one) for one in value]
        return self.without(value) if isinstance(value, str) else value


def texts_of(values: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """The texts and numbers in plain data, as messages may write them, each with its mark."""
    for mark, value in values:
        for text in _texts(value):
            if len(text) < SHORTEST:
                continue
            yield text, mark
            if not (text.isascii() and text.isalnum()):
                yield dumps(text)[1:-1], mark
            if len(text) % 4 == 0:
                yield _of_base64(text), mark
            for one in re.findall(_WORDS, text) if "\n" in text else ():
                yield one, mark


def _decodings(word: str) -> Iterator[bytes]:
    """What a word may be in base64 and in hexadecimal, wherever that begins in it."""
    plain = word.rstrip("=").translate(_OF_ADDRESSES)
    for begin in range(4):
        part = plain[begin : len(plain) - ((len(plain) - begin) % 4 == 1)]
        yield b64decode(part + "=" * (-len(part) % 4))
    for run in _HEXADECIMAL.findall(word):
        for begin in range(2):
            yield bytes.fromhex(run[begin : len(run) - (len(run) - begin) % 2])


def _of_base64(text: str) -> str:
    """What a text is in base64; empty for nothing."""
    try:
        return b64decode(text, validate=True).decode()
    except ValueError:
        return ""


def _texts(value: Any) -> Iterator[str]:
    """The texts in plain data; numbers as they are, and as Go prints them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        plain = repr(value).removesuffix(".0")
        digits = plain.replace(".", "").partition("e")[0].lstrip("-0").rstrip("0")
        yield from (plain, f"{digits[:1]}.{digits[1:]}")
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(one)
