"""Texts that are not told: found in others at once, however many they are."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from json import dumps
from typing import Any, Final

SHORTEST: Final = 6
"""Shorter texts are found in any other by chance."""

_WORDS: Final = r"[^\s\"',:=\[\]{}]{8,}"
"""What is told of a text of several lines, such as a configuration."""

_BASE64: Final = r"[A-Za-z0-9+/]{8,}={0,2}"


class Concealed:
    """Texts that are not told, each with what is told in its place.

    With `loose` they are also found in capitals, in small letters and in base64.
    """

    def __init__(self, texts: Iterable[tuple[str, str]], loose: bool = False) -> None:
        self.loose = loose
        # by their beginning, the longest first
        self._texts: dict[str, list[tuple[str, str]]] = {}
        known = set()
        for text, mark in texts:
            one = text.lower() if loose else text
            if len(one) >= SHORTEST and one not in known:
                known.add(one)
                self._texts.setdefault(one[:SHORTEST], []).append((one, mark))
        for found in self._texts.values():
            found.sort(key=lambda one: -len(one[0]))

    def __bool__(self) -> bool:
        return bool(self._texts)

    def without(self, text: str) -> str:
        """A text with a mark in the place of each of them."""
        if not self._texts:
            return text
        if self.loose:
            text = re.sub(_BASE64, self._decoded, text)
        # letters of which the small form has another length are rare
        folded = text.lower() if self.loose else text
        folded = folded if len(folded) == len(text) else text
        texts = self._texts
        parts, at, begin = [], 0, 0
        last = len(text) - SHORTEST
        while at <= last:
            for one, mark in texts.get(folded[at : at + SHORTEST], ()):
                if folded.startswith(one, at):
                    parts += [text[begin:at], mark]
                    at = begin = at + len(one)
                    break
            else:
                at += 1
        return "".join([*parts, text[begin:]]) if parts else text

    def _decoded(self, match: re.Match[str]) -> str:
        """What is told of a word that may be one of them in base64."""
        plain = _of_base64(match[0])
        known = self._texts.get(plain[:SHORTEST].lower(), ())
        return next((mark for one, mark in known if plain.lower().startswith(one)), match[0])

    def in_data(self, value: Any) -> Any:
        """Plain data with a mark in the place of each of them."""
        if isinstance(value, dict):
            return {key: self.in_data(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.in_data(one) for one in value]
        return self.without(value) if isinstance(value, str) else value


def texts_of(values: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    """The texts and numbers in plain data, as messages may write them, each with its mark."""
    for mark, value in values:
        for text in _texts(value):
            for one in (text, dumps(text)[1:-1], _of_base64(text)):
                yield one, mark
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
