"""Strings with substitutions become templates; a mistake in one is shown where it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..language.errors import LanguageError
from ..language.expression import Segments
from ..values.diagnostics import Diagnostics
from ..values.tree import Scalar, Template, Trail

Split: TypeAlias = "Callable[[str], Segments]"
"""Splits a decoded string into text and substitutions; raises LanguageError."""


def template(
    text: str,
    split: Split,
    trail: Trail,
    start: int,
    end: int,
    diagnostics: Diagnostics,
    block: bool = False,
) -> Scalar | Template:
    """The node for a string that contains the opener.

    In a block scalar (`block`) a substitution alone on its lines is alone: the line breaks around
    it are layout, and its value need not be text. A string that `split` refuses becomes a scalar,
    and the mistake is added to `diagnostics`.
    """
    try:
        segments = parts(text, split, block)
    except LanguageError as error:
        _report(error, text, trail, start, end, diagnostics)
        segments = None
    if segments is None:
        return Scalar(text, trail, start, end)
    return Template(segments, text, trail, start, end)


def parts(text: str, split: Split, block: bool = False) -> Segments | None:
    """The texts and substitutions of a string; None when it has no substitution after all.

    Raises:
        LanguageError: for what `split` refuses.
    """
    segments = split(text)
    if 1 < len(segments) < 4 and not segments.verbatim and (block or "\n" in text or "\r" in text):
        blank = None if block else "\r\n"
        alone = Segments(s for s in segments if not isinstance(s, str) or s.strip(blank))
        if len(alone) == 1 and not isinstance(alone[0], str):
            return alone
    return segments if segments.substitutions else None


def _quote_ends(text: str, end: int) -> bool:
    """True for a string that a quote inside a substitution has ended: what follows it cannot be
    read, so the reading ends with a diagnostic of its own."""
    return text[end - 1 : end] == '"' and bool(text[end : end + 1].strip(",:]}#/ \t\r\n"))


def _report(
    error: LanguageError, text: str, trail: Trail, start: int, end: int, diagnostics: Diagnostics
) -> None:
    source = trail.source
    hint = error.hint
    if error.code == "unclosed_substitution" and _quote_ends(source.text, end):
        return
    if source.format != "json" and source.text[start : start + 1] not in ('"', "'", "|", ">"):
        after = source.text[end : end + 200]
        # YAML has cut the string at `: `, which ends the reading with a diagnostic of its own
        if after.lstrip(" \t").startswith(":"):
            return
        if after[:1] in (" ", "\t") and after.lstrip(" \t").startswith("#"):
            hint = "YAML reads ` #` as the start of a comment: put quotes around the whole string"
    from .positions import span_in_scalar

    span = span_in_scalar(source, start, end, text, error.start, error.end)
    diagnostics.error(error.code, span, error.summary, hint)
