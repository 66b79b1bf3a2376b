"""Options as text, read and refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final


class UsageProblem(Exception):
    """An option that cannot be; ends with status 2."""


def choice(option: str, value: str | None, allowed: Iterable[str | None]) -> None:
    """Refuses a value that is none of the allowed ones.

    Raises:
        UsageProblem: naming the allowed ones and the near one.
    """
    words = list(allowed)
    if value in words:
        return
    from ..values.diagnostics import meant

    listed = ", ".join(word for word in words if word)
    near = meant(str(value), (word for word in words if word))
    raise UsageProblem(f"{option} cannot be `{value}`; it is one of {listed}" + _added(near))


def _added(near: str | None) -> str:
    return f" ({near})" if near else ""


def variable_flags(flags: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` texts by name; later ones win.

    Raises:
        UsageProblem: for a text without `=` or without a name; the value is not quoted.
    """
    found: dict[str, str] = {}
    for flag in flags:
        name, sign, value = flag.partition("=")
        if not sign or not name.strip():
            raise UsageProblem("--var is written NAME=VALUE")
        found[name.strip()] = value
    return found


def moment(text: str | None, epoch: str | None) -> float | None:
    """Seconds since 1970 of `--now`, else of SOURCE_DATE_EPOCH, else None.

    Raises:
        UsageProblem: when a text is neither whole seconds nor RFC 3339 with an offset.
    """
    for option, value in (("--now", text), ("SOURCE_DATE_EPOCH", epoch or None)):
        if value is None:
            continue
        if value.isascii() and value.isdigit() and len(value) <= 12:
            return float(value)
        from datetime import datetime

        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            parsed = None
        if parsed is None or parsed.tzinfo is None or option != "--now":
            form = "seconds since 1970"
            if option == "--now":
                form += " or a time such as 2026-01-31T12:00:00Z"
            raise UsageProblem(f"{option} must be {form}")
        return parsed.timestamp()
    return None


STANDARD_INPUT: Final = ("-", "/dev/stdin")


def read_once(*names: str | None) -> None:
    """Refuses standard input as the source of more than one thing.

    Raises:
        UsageProblem: when more than one of the names stands for it.
    """
    if sum(name in STANDARD_INPUT for name in names) > 1:
        raise UsageProblem("standard input (`-`) can be read for one thing only")
