"""The limits and what each bounds and protects: `--limit NAME=VALUE` and `bpp explain`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ...functions.record import Record
from ..values.diagnostics import nearest
from ..values.settings import HIGHEST, Limits
from .usage import UsageProblem, pages

_UNITS: Final = {"bytes": "bytes", "chars": "characters", "seconds": "seconds"}
"""The units of values by the last word of a limit's name; others are counts."""


class Limit(Record):
    """One limit: its name, what it bounds and what that protects."""

    name: str
    bounds: str
    protects: str

    @property
    def shown(self) -> str:
        """The default for people."""
        return shown(getattr(Limits(), self.name), _unit(self.name))


def shown(value: int, unit: str) -> str:
    """A value for people: `16 MiB`, `1,000,000 characters`."""
    for size, name in ((1024 * 1024, "Mi"), (1024, "Ki")):
        if unit in ("bytes", "characters") and value % size == 0:
            return f"{value // size} {name}{'B' if unit == 'bytes' else ' characters'}"
    return f"{value:,} {unit}".rstrip()


def _unit(name: str) -> str:
    return _UNITS.get(name.rpartition("_")[2], "")


def limits() -> dict[str, Limit]:
    """The limits by name, related ones together."""
    return {name: Limit(name, *about) for name, about in pages("limits").items()}


_VALUE: Final = re.compile(r"([0-9][0-9_,]{0,24})(?: ?(Ki|Mi|Gi)B?)?", re.ASCII | re.IGNORECASE)
_SIZES: Final = {"ki": 1024, "mi": 1024**2, "gi": 1024**3}
_MOST: Final = 2**62
_RULE: Final = (
    "A limit for each MiB of input is the default up to 1 MiB, and grows with the input above:\n"
    "it is 2.5 times the default for 2.5 MiB."
)


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
        name = name.strip()
        known = name.replace("-", "_")
        if known not in Limits.__match_args__:
            near = nearest(known, limits())
            hint = f"did you mean `{near}`?" if near else "`bpp explain limits` lists them"
            raise UsageProblem(f"unknown limit `{name[:100]}` ({hint})")
        found[known] = _value(known, value.strip())
    return found


def _value(name: str, text: str) -> int:
    sized = _unit(name) in ("bytes", "characters")
    match = _VALUE.fullmatch(text)
    if match is None or (match[2] and not sized):
        form = "a whole number" + (", optionally with KiB or MiB" if sized else "")
        raise UsageProblem(f"--limit {name} must be {form}")
    value = int(re.sub("[_,]", "", match[1])) * _SIZES.get((match[2] or "").lower(), 1)
    if value < 1:
        raise UsageProblem(f"--limit {name} must be at least 1")
    highest = HIGHEST.get(name, _MOST)
    if value > highest:
        raise UsageProblem(f"--limit {name} must be at most {highest}")
    return value


def explained(name: str, codes: Mapping[str, object]) -> str | None:
    """The page for the name of a limit or for `limits`; None for a code and any other word."""
    if name in codes:
        return None
    known = limits()
    if name.lower() in ("limits", "limit"):
        return _all(known.values())
    limit = known.get(name.replace("-", "_"))
    return _one(limit) if limit else None


def _all(known: Iterable[Limit]) -> str:
    """All limits, with their defaults and what they bound."""
    rows = [(limit.name, limit.shown, limit.bounds) for limit in known]
    width, values = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"{name:{width}}  {value:>{values}}  {bounds}" for name, value, bounds in rows]
    return "\n".join([*lines, "", _RULE, "Change one with `--limit NAME=VALUE`.", ""])


def _one(limit: Limit) -> str:
    most = HIGHEST.get(limit.name)
    highest = f", at most {shown(most, _unit(limit.name))}" if most else ""
    return (
        f"{limit.name}: {limit.bounds}\n\n"
        f"The default is {limit.shown}{highest}. It protects {limit.protects}.\n"
        f"Change it with `--limit {limit.name}=VALUE`; `[limits]` in `bpp.toml` can only lower "
        "it.\n"
    )
