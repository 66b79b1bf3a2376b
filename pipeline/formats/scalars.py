"""Values of scalars: the core schema of YAML 1.2, and strings with substitutions.

Of plain scalars, dates, `yes`, `1_000`, `0b1` and `1:30` are strings; `010` is ten. A mistake in a
substitution is reported at its place.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isfinite
from typing import Final, TypeAlias

from ...functions.regexes import compile_regex
from ..language.errors import LanguageError
from ..values.diagnostics import Diagnostics
from ..values.expression import Segments
from ..values.tree import Scalar, Template, Trail

MIN_INTEGER: Final = -(2**63)
MAX_INTEGER: Final = 2**63 - 1

SUSPECT: Final = "0123456789+-.~tTfFnN"
"""First characters of plain scalars that may not be strings; `text[:1] in SUSPECT` also holds for
the empty scalar."""

_WORDS: Final[dict[str, bool | None]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_LETTERS: Final = "tTfFnN"
_INTEGER: Final = compile_regex(r"[-+]?[0-9]+").fullmatch
_BASED: Final = compile_regex(r"0o[0-7]+|0x[0-9a-fA-F]+").fullmatch
_FLOAT: Final = compile_regex(
    r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
).fullmatch
_SPECIAL: Final = compile_regex(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)").fullmatch


class OutOfRange(Exception):
    """A number that no value of the language can hold; the message says why."""


@lru_cache(maxsize=4096)
def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar.

    Raises OutOfRange for integers beyond 64 bits (signed) and floats that are not finite.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _LETTERS:
        return text
    if _INTEGER(text):
        return integer(text, 10)
    if _BASED(text):
        return integer(text[2:], 8 if text[1] == "o" else 16)
    if _FLOAT(text):
        return floating(text)
    if _SPECIAL(text):
        raise OutOfRange("a number must be finite")
    return text


class Words:
    """What plain scalars mean in a version of YAML: `resolve` is asked of those that begin with one
    of the characters `suspect`, of keys with one of `keys`."""

    __slots__ = ("keys", "resolve", "suspect")

    def __init__(
        self,
        suspect: str,
        resolve: Callable[[str], str | int | float | bool | None],
        keys: str = "",
    ) -> None:
        self.suspect = suspect
        self.resolve = resolve
        self.keys = keys


CORE: Final = Words(SUSPECT, resolve)


def integer(digits: str, base: int) -> int:
    """The integer that digits with an optional sign stand for; raises OutOfRange beyond 64 bits."""
    # int() refuses very long texts, and is slow before it does, so the length decides first
    significant = digits.lstrip("+-0") or "0"
    if len(significant) > 22:
        raise OutOfRange("the integer needs more than 64 bits")
    value = int(significant, base)
    if digits[0] == "-":
        value = -value
    if not MIN_INTEGER <= value <= MAX_INTEGER:
        raise OutOfRange("the integer needs more than 64 bits")
    return value


def floating(text: str) -> float:
    """The float that a text stands for; raises OutOfRange when it is not finite."""
    value = float(text)
    if not isfinite(value):
        raise OutOfRange("the number is too large for a float")
    return value


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
        for one in (error, *error.others):
            _report(one, text, trail, start, end, diagnostics)
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
    if block and 1 < len(segments) < 4 and not segments.verbatim:
        alone = Segments(s for s in segments if not isinstance(s, str) or s.strip())
        if len(alone) == 1 and not isinstance(alone[0], str):
            return alone
    return segments if segments.substitutions else None


def leave(text: str) -> Segments:
    """A split that leaves strings as they are, for those with a mistake that is reported."""
    return Segments((text,))


def _quote_ends(text: str, end: int) -> bool:
    """True for a string that a quote inside a substitution ended: the text after it is invalid and
    gets a diagnostic of its own."""
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
        # YAML ended the string at `: `; the text after it gets a diagnostic of its own
        if after.lstrip(" \t").startswith(":"):
            return
        if after[:1] in (" ", "\t") and after.lstrip(" \t").startswith("#"):
            hint = "YAML reads ` #` as the start of a comment: put quotes around the whole string"
    from ..values.positions import span_in_scalar

    span = span_in_scalar(source, start, end, text, error.start, error.end)
    diagnostics.error(error.code, span, error.summary, hint)
