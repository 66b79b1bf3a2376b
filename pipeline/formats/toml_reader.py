"""TOML text into plain data: ordinary lines here, all else by the standard library, whose refusals
get words of ours."""

from __future__ import annotations

import re
from typing import Any, Final

from ..diagnostics import Diagnostics
from ..settings import Limits
from ..source import Source, Span
from .characters import check_size, shown
from .toml_lines import ordinary_toml

_PLACE: Final = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)")

_AGAIN: Final = re.compile(r"Cannot (?:declare|mutate|overwrite|redefine) |Duplicate ").match


def read_toml(
    source: Source, limits: Limits, diagnostics: Diagnostics, code: str
) -> dict[str, Any] | None:
    """The data of a text; None when it cannot be read, which is added to `diagnostics`."""
    if not check_size(source, limits, diagnostics):
        return None
    text = source.text
    ordinary = ordinary_toml(text)
    if ordinary is not None:
        return ordinary
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.fullmatch(str(error))
        start = len(text)
        if found and found[2]:
            start = min(source.line_starts[int(found[2]) - 1] + int(found[3]) - 1, len(text))
        if _AGAIN(str(error)):
            from .toml_places import name_before

            # where the standard library is when it sees that, the name has been read long ago
            again = name_before(source, start)
            if again is not None:
                name = shown(source.text[again.start : again.end])
                summary = f"this is no TOML: `{name}` clashes with what stands before it"
                diagnostics.error(code, again, summary)
                return None
        # the words of the standard library hold names and single characters, no values
        reason = found[1] if found else "the text is not valid"
        span = Span(source, start, min(start + 1, len(text)))
        diagnostics.error(code, span, f"this is no TOML: {reason[:1].lower()}{reason[1:]}")
    except (RecursionError, ValueError):
        # too many digits, dates out of range, and nesting that is only there to do harm
        diagnostics.error(
            code, Span(source, 0, min(1, len(text))), "this TOML holds a value that cannot be read"
        )
    return None
