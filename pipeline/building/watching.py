"""Waits until files change, by looking at them.

Looking works on every file system, in containers and over the network, needs nothing installed, and
is exact: what a build read is known, so nothing else is looked at. A thousand files take a few
milliseconds.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Final, TypeAlias

INTERVAL: Final = 0.3
"""Seconds between two looks."""

_CLOCKS_APART: Final = 0.05
"""Seconds by which the clock of a file system may be behind."""

Look: TypeAlias = tuple[int, int, int, int] | None


def look_at(paths: Iterable[str]) -> dict[str, Look]:
    """Size, times and number of each file; None for one that is not there."""
    return {path: _look(path) for path in paths}


def changed_since(looks: dict[str, Look], moment: float) -> set[str]:
    """The files that were written after a moment, in seconds since 1970, or very shortly before.

    That is how a change is found that was made while a build was reading.
    """
    least = int((moment - _CLOCKS_APART) * 10**9)
    return {path for path, look in looks.items() if look and max(look[1], look[2]) >= least}


def wait_for_change(before: dict[str, Look], interval: float = INTERVAL) -> set[str]:
    """The files that are no longer as they were, once nothing has changed for an interval.

    Editors and checkouts write in several steps; what they leave in between is not built.
    """
    last = before
    while True:
        time.sleep(interval)
        now = look_at(before)
        if now == last and now != before:
            return {path for path in now if now[path] != before[path]}
        last = now


def _look(path: str) -> Look:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
