"""The clock, dates, durations and time zones."""

from __future__ import annotations

from typing import Any, Final

from ..registry import Environment
from ..signatures import Declarations
from ..values import FunctionError
from .layouts import USUAL, read_time
from .moments import SECOND, Time, Zone, read_duration, zone_named

function: Final = Declarations("dates", __package__, propagates_none=False)

function("duration(string: string) -> duration")(read_duration)
function("timezone(name: string) -> location")(zone_named)


@function("now(zone?: location) -> time", effect="clock")
def _now(environment: Environment, zone: Zone | None = None) -> Time:
    moment = Time(int(environment.now() * SECOND))
    return Time(moment.count, zone) if zone is not None else moment


@function(
    "date(first: string | location, second?: string, third?: string, fourth?: string) -> time"
)
def _date(*given: Any) -> Time:
    """The zone may come first, then the text, its layout, and a zone by name."""
    zone = given[0] if isinstance(given[0], Zone) else None
    texts = given[1:] if zone is not None else given
    if not 1 <= len(texts) <= 3:
        message = (
            "`date` takes a text, a layout and the name of a zone, after a zone if there is one"
        )
        raise FunctionError(message, "invalid_argument_count")
    if len(texts) == 3:
        zone = zone_named(texts[2])
    if len(texts) > 1:
        return read_time(texts[0], texts[1], zone)
    for layout in USUAL:
        try:
            return read_time(texts[0], layout, zone)
        except FunctionError:
            continue
    raise FunctionError(
        "the text is not a date",
        "invalid_date",
        "write it as in `2024-12-31` or `2024-12-31T23:59:59Z`, or give its layout",
        len(given) - 1,
    )
