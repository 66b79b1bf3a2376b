"""`--limit NAME=VALUE`, and the pages of `bpp explain` about limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ..values.limit_table import BYTES, CHARS, LIMITS, Limit, UnknownLimit, find_limit, shown
from .usage import UsageProblem

_VALUE: Final = re.compile(r"([0-9][0-9_,]{0,24})(?: ?(Ki|Mi|Gi)B?)?", re.ASCII | re.IGNORECASE)
_SIZES: Final = {"ki": 1024, "mi": 1024**2, "gi": 1024**3}
_MOST: Final = 2**62


def limit_flags(flags: Iterable[str]) -> dict[str, int]:
    """The values of limits by name; later flags win.

    Raises:
        UsageProblem: for a flag without `=`, an unknown limit, and an invalid value.
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
        form = "a whole number" + (", optionally with KiB or MiB" if sized else "")
        raise UsageProblem(f"--limit {limit.name} must be {form}")
    value = int(re.sub("[_,]", "", match[1])) * _SIZES.get((match[2] or "").lower(), 1)
    if value < 1:
        raise UsageProblem(f"--limit {limit.name} must be at least 1")
    highest = limit.highest or _MOST
    if value > highest:
        raise UsageProblem(f"--limit {limit.name} must be at most {highest}")
    return value


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
    """The page of one limit."""
    highest = f", at most {shown(limit.highest, limit.unit)}" if limit.highest else ""
    return (
        f"{limit.name}: {limit.bounds}\n\n"
        f"The default is {limit.shown}{highest}. It protects {limit.protects}.\n"
        f"Change it with `--limit {limit.name}=VALUE`; `[limits]` in `bpp.toml` can only lower "
        "it.\n"
    )


def explained(name: str, codes: Mapping[str, object]) -> str | None:
    """The page for the name of a limit or for `limits`; None for a code and any other word."""
    if name in codes:
        return None
    if name.lower() in ("limits", "limit"):
        return limits_page()
    limit = LIMITS.get(name.replace("-", "_"))
    return limit_page(limit) if limit else None
