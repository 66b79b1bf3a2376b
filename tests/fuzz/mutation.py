"""Texts made of other texts: cut, repeated, moved, joined, and with a token in the wrong place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from .values import CHARACTERS

_MOST_CHARS: Final = 4000

Change = Callable[[Random, str, Sequence[str], Sequence[str]], str]


def mutated(rng: Random, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    """One of the seeds after a few changes."""
    text = rng.choice(seeds)
    for _ in range(1 + rng.randrange(4) * rng.randrange(3)):
        text = rng.choice(_CHANGES)(rng, text, seeds, tokens)
    return text[:_MOST_CHARS]


def soup(rng: Random, tokens: Sequence[str], most: int = 24) -> str:
    """Tokens in any order."""
    return "".join(rng.choices(tokens, k=rng.randrange(1, most)))


def part(rng: Random, text: str, lines: int = 12) -> str:
    """Some lines of a text, as far indented as they are."""
    found = text.splitlines(keepends=True)
    start = rng.randrange(len(found) or 1)
    return "".join(found[start : start + rng.randrange(1, lines)])


def _piece(rng: Random, text: str) -> tuple[int, int]:
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + 1 + rng.randrange(1 << rng.randrange(1, 7)))


def _remove(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    start, end = _piece(rng, text)
    return text[:start] + text[end:]


def _repeat(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    start, end = _piece(rng, text)
    return text[:end] + text[start:end] * rng.randrange(1, 4) + text[end:]


def _insert(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + rng.choice(rng.choice((tokens, CHARACTERS))) + text[start:]


def _replace(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    start, end = _piece(rng, text)
    return text[:start] + rng.choice(rng.choice((tokens, CHARACTERS))) + text[end:]


def _one_character(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    start = rng.randrange(len(text) + 1)
    return text[:start] + rng.choice(CHARACTERS) + text[start + 1 :]


def _join(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    other = rng.choice(seeds)
    start, end = _piece(rng, other)
    at = rng.randrange(len(text) + 1)
    return text[:at] + other[start:end] + text[at:]


def _swap_lines(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "".join(lines)


def _line_of_another(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    other = rng.choice(seeds).splitlines(keepends=True)
    if other:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(other))
    return "".join(lines)


def _indent(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        number = rng.randrange(len(lines))
        line = lines[number]
        lines[number] = rng.choice(
            (" " + line, "  " + line, line[1:], line[2:], "\t" + line, line.lstrip())
        )
    return "".join(lines)


def _cut(rng: Random, text: str, seeds: Sequence[str], tokens: Sequence[str]) -> str:
    return text[: rng.randrange(len(text) + 1)]


_CHANGES: Final[Sequence[Change]] = (
    _remove, _repeat, _insert, _insert, _replace, _replace, _one_character, _one_character, _join,
    _swap_lines, _line_of_another, _indent, _cut,
)  # fmt: skip
