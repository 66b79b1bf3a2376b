"""`--limit NAME=VALUE`, and the pages of `bpp explain` about limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..values.limit_table import BYTES, CHARS, LIMITS, Limit, UnknownLimit, find_limit, shown
from ..values.settings import Limits
from .usage import UsageProblem

_VALUE: Final = re.compile(r"([0-9][0-9_,]{0,24})(?: ?(Ki|Mi|Gi)B?)?", re.ASCII | re.IGNORECASE)
_SIZES: Final = {"ki": 1024, "mi": 1024**2, "gi": 1024**3}
_MOST: Final = 2**62


def limit_flags(flags: Iterable[str]) -> dict[str, int]:
    """The values of limits by name; later flags win.

    Raises:
        UsageProblem: for a flag without `=`, a name that is no limit's, and a value that the limit
            cannot have.
    """
    found: dict[str, int] = {}
    for flag in flags:
        name, sign, value = flag.partition("=")
        if not sign:
            raise UsageProblem(
                "--limit is written NAME=VALUE; `bpp explain limits` lists the names"
            )
        try:
            limit = find_limit(name.strip())
        except UnknownLimit as problem:
            raise UsageProblem(str(problem)) from None
        found[limit.name] = _value(limit, value.strip())
    return found


def _value(limit: Limit, text: str) -> int:
    sized = limit.unit in (BYTES, CHARS)
    match = _VALUE.fullmatch(text)
    if match is None or (match[2] and not sized):
        form = "a whole number" + (", which KiB or MiB may follow" if sized else "")
        raise UsageProblem(f"--limit {limit.name} must be {form}")
    value = int(re.sub("[_,]", "", match[1])) * _SIZES.get((match[2] or "").lower(), 1)
    if value < 1:
        raise UsageProblem(f"--limit {limit.name} must be at least 1")
    highest = limit.highest or _MOST
    if value > highest:
        raise UsageProblem(f"--limit {limit.name} can be {highest} at most")
    return value


def limits_of(flags: Iterable[str]) -> Limits:
    """The limits of a command line; errors are those of `limit_flags`."""
    return Limits(**limit_flags(flags))


def limits_page() -> str:
    """All limits, with their defaults and what they bound."""
    width = max(map(len, LIMITS))
    values = max(len(limit.shown) for limit in LIMITS.values())
    lines = [
        f"{limit.name:{width}}  {limit.shown:>{values}}  {limit.bounds}"
        for limit in LIMITS.values()
    ]
    return "\n".join([*lines, "", "Change one with `--limit NAME=VALUE`.", ""])


def limit_page(limit: Limit) -> str:
    """What is to be known of one limit."""
    highest = f", at most {shown(limit.highest, limit.unit)}" if limit.highest else ""
    return (
        f"{limit.name}: {limit.bounds}\n\n"
        f"The default is {limit.shown}{highest}. It protects {limit.protects}.\n"
        f"Change it with `--limit {limit.name}=VALUE`; `[limits]` in `bpp.toml` can only lower "
        "it.\n"
    )


def explained(name: str, codes: Mapping[str, object]) -> str | None:
    """The page about limits that a word asks for; None for another word and for a code."""
    if name in codes:
        return None
    if name.lower() in ("limits", "limit"):
        return limits_page()
    limit = LIMITS.get(name.replace("-", "_"))
    return limit_page(limit) if limit else None
