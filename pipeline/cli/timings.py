"""What `--timings` says: the time of each stage, of writing, and of both."""

from __future__ import annotations

from collections.abc import Iterable


def timings_text(timings: Iterable[tuple[str, float]]) -> str:
    """One line for each name with its seconds, as milliseconds, and the total."""
    rows = list(timings)
    rows.append(("total", sum(seconds for _, seconds in rows)))
    widest = max(len(name) for name, _ in rows)
    return "".join(f"{name:<{widest}} {seconds * 1000:9.1f} ms\n" for name, seconds in rows)
