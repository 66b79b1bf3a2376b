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

_BASE64: Final = r"[A-Za-z0-9+/]{8,}={0,2}"

_ALIKE: Final = {ord("İ"): "i", ord("Σ"): "σ", ord("ς"): "σ"}
"""Capitals of which the small letters are two, or differ at the end of a word."""


class Concealed:
    """Texts that are not told, each with what is told in its place.

    With `loose` they are also found in capitals, in small letters and in base64.
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
            text = re.sub(_BASE64, self._decoded, text)
        folded = self._folded(text)
        texts = self._texts
        parts, at, begin = [], 0, 0
        last = len(text) - SHORTEST
        while at <= last:
            known = texts.get(folded[at : at + SHORTEST])
            one = self._found(known, folded, at) if known else None
            if one is None:
                at += 1
                continue
            parts += [text[begin:at], self._marks[one]]
            at = begin = at + len(one)
        return "".join([*parts, text[begin:]]) if parts else text

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

    def _decoded(self, match: re.Match[str]) -> str:
        """What is told of a word that may be one of them in base64."""
        plain = self._folded(_of_base64(match[0]))
        one = self._found(self._texts.get(plain[:SHORTEST], []), plain, 0)
        return match[0] if one is None else self._marks[one]

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
