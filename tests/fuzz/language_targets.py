"""Expressions: parser, printer and evaluator."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from bpp.functions import NONE
from bpp.pipeline import (
    Evaluated,
    Language,
    LanguageError,
    Limits,
    MemoryFiles,
    Settings,
    evaluate,
    find_dialect,
)
from bpp.pipeline.codes import CODES
from bpp.pipeline.values.diagnostics import Diagnostic
from bpp.pipeline.values.expression import Segments
from bpp.pipeline.values.source import Source, Span

from .expressions import SCOPE, TOKENS, template
from .mutation import mutated, soup
from .seeds import expression_seeds
from .verdict import broken, examine

# what one random expression may cost; the limits themselves are tested elsewhere
LIMITS: Final = Limits().evolve(
    max_steps=200_000, max_value_chars=1_000_000, max_value_items=50_000
)
SETTINGS: Final = Settings(now=0.0, seed=1, limits=LIMITS)
FILES: Final[dict[str, str | bytes]] = {
    "data.txt": "text\n",
    "blob": b"\xff\x00",
    "child.yaml": "version: 2023-04-20\n",
}
_SYNTAX: Final = find_dialect("bluelink").syntax


def make(rng: Random) -> str:
    """Expressions of the right types, changed ones, and tokens."""
    kind = rng.randrange(8)
    if kind < 3:
        return template(rng)
    if kind == 3:
        return mutated(rng, [template(rng)], TOKENS)
    if kind < 6:
        return mutated(rng, expression_seeds(), TOKENS)
    return "${" + soup(rng, TOKENS, 14) + ("}" if rng.randrange(4) else "")


def hold_syntax(text: str) -> None:
    """A text is split or refused with a place; what is printed is read as the same expression."""
    language = Language(_SYNTAX, LIMITS)
    segments = _split(text, language)
    if segments is None:
        return
    if "".join(s if isinstance(s, str) else text[s.start : s.end] for s in segments) != text:
        broken("the segments are not the text")
    for segment in segments:
        if isinstance(segment, str):
            continue
        written = language.show(segment)
        again = _split(written, language)
        if again is None or len(again) != 1 or isinstance(again[0], str):
            broken("what is printed is no substitution", written)
        if language.exact(again[0]) != language.exact(segment):
            broken("what is printed is read differently", written)
        if language.show(again[0]) != written:
            broken("what is printed is printed differently", written, language.show(again[0]))


def _split(text: str, language: Language) -> Segments | None:
    try:
        return language.split(text)
    except LanguageError as error:
        if error.code not in CODES:
            broken("the code has no record", error.code)
        if not 0 <= error.start <= error.end <= len(text):
            broken("a place outside of the text", error.code, error.start, error.end)
        examine(
            [Diagnostic(error.code, error.summary, Span(Source("", text), error.start, error.end))]
        )
        return None


def hold_value(text: str) -> None:
    """A value, diagnostics with places, or a smaller text that evaluates to itself."""
    first = evaluated(text)
    if any(item.severity == "error" for item in first.diagnostics):
        return
    if first.residual is None:
        _plain(first.value)
        return
    again = evaluated(first.residual)
    if again.residual != first.residual:
        told = [item.summary for item in again.diagnostics]
        broken("what is left over becomes something else", first.residual, again.residual, told)


def evaluated(text: str) -> Evaluated:
    """What comes of a text in the scope."""
    found = evaluate(text, SCOPE, settings=SETTINGS, files=MemoryFiles(FILES))
    examine(found.diagnostics)
    return found


def _plain(value: Any) -> None:
    """Fails for what is no plain data."""
    if isinstance(value, list):
        for item in value:
            _plain(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            _plain(key)
            _plain(item)
    elif value is not NONE and not isinstance(value, str | int | float):
        broken("a value that is no data", type(value).__name__)
