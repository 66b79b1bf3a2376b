"""`format_text`: a document in the one style, which says what it said before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ...functions.record import Record
from ...functions.values import FunctionError
from ..formats.characters import check_size
from ..formats.detection import format_of, format_of_text
from ..formats.layout import NotLaidOut, Space
from ..formats.scalars import leave
from ..language.language import Language
from ..language.meter import Meter
from ..language.spacing import space_string
from ..values.diagnostics import Diagnostic, Diagnostics
from ..values.settings import Limits
from ..values.source import Source
from ..values.threads import with_stack_room

if TYPE_CHECKING:
    from .run import Dialect

_OTHER_BREAK: Final = re.compile(r"\r(?!\n)")
_BOM: Final = "\ufeff"
NEVER: Final = "\0"
"""The opener of nothing: no document holds this character."""


class Formatted(Record):
    """A text in the one style; the source's own if it has a mistake, which `diagnostics` tell."""

    text: str
    diagnostics: tuple[Diagnostic, ...] = ()


@with_stack_room
def format_text(source: Source, dialect: Dialect, limits: Limits | None = None) -> Formatted:
    """A document of a dialect in the one style.

    White space changes, and quotes that mean nothing. Comments, blank lines (one at a time), the
    order, the kind of line breaks and a byte order mark stay. The result is read again: unless it
    says the same in the same order, with the same comments, the text stays as it is.
    """
    limits = limits or Limits()
    found = Diagnostics(limits.max_diagnostics)
    meter = Meter(limits)
    text = source.text.removeprefix(_BOM)
    mark = source.text[: len(source.text) - len(text)]
    windows = 2 * text.count("\r\n") > text.count("\n")
    try:
        made = _formatted(source, text.replace("\r\n", "\n"), dialect, meter, found)
    except FunctionError as error:  # a limit
        found.error(error.code, source.span(0, 0), error.message, error.hint)
        made = None
    if made is None or found.errors:
        return Formatted(source.text, tuple(found.sorted()))
    made = mark + (made.replace("\n", "\r\n") if windows else made)
    return Formatted(source.text if made == source.text else made)


def _formatted(
    source: Source, text: str, dialect: Dialect, meter: Meter, found: Diagnostics
) -> str | None:
    """A text with `\\n` for line breaks in the one style; None if it cannot be read."""
    if dialect.space_text is not None:
        return dialect.space_text(text, meter.limits) if check_size(source, meter, found) else None
    form = source.format
    if form not in ("yaml", "json"):
        form = format_of(source.name) or format_of_text(text)
    whole = source.evolve(format=form)
    reading = Diagnostics()
    if not _is_readable(whole, meter, reading):
        found.extend(reading)
        return None
    place = _OTHER_BREAK.search(source.text)
    try:
        if place is not None:
            raise NotLaidOut
        space = _spacing(whole, dialect, meter)
        return (_json if form == "json" else _yaml)(text, space, meter)
    except NotLaidOut:
        start = place.start() if place is not None else 0
        found.error(
            "not_formatted",
            source.span(start, start + len(place[0]) if place is not None else start),
            "the text cannot be formatted without a change to what it says",
            "write line breaks as LF or CRLF" if place is not None else None,
        )
        return None


def _is_readable(source: Source, meter: Meter, found: Diagnostics) -> bool:
    """Whether a text can be read to its end; mistakes that do not prevent that do not count."""
    if source.format == "json":
        from ..formats.json_reader import read_json

        return read_json(source, leave, NEVER, meter, found) is not None
    from ..formats.yaml_reader import read_yaml_documents

    return read_yaml_documents(source, leave, NEVER, meter, found) is not None


def _json(text: str, space: Space | None, meter: Meter) -> str:
    from ..formats.json_layout import laid_out

    return laid_out(text, space, meter)


def _yaml(text: str, space: Space | None, meter: Meter) -> str:
    from ..formats.yaml_events import YAMLError
    from ..formats.yaml_layout import laid_out

    try:
        return laid_out(text, space, meter)
    except YAMLError:
        raise NotLaidOut from None


def _spacing(source: Source, dialect: Dialect, meter: Meter) -> Space | None:
    """What spaces the strings of a document; None for a dialect that leaves them as they are."""
    inner = dialect.space_inner(source, meter) if dialect.space_inner is not None else None
    style, opener = dialect.syntax.spacing, dialect.syntax.opener
    if style is None and inner is None:
        return None
    language = Language(dialect.syntax, meter.limits, meter=meter)

    def space(text: str, keys: Callable[[], tuple[str, ...]], column: int | None) -> str:
        if inner is not None:
            return inner(text)
        assert style is not None
        if opener not in text or (style.where is not None and not style.where(keys())):
            return text
        return space_string(language, text, column)

    return space
