"""How messages quote the names that a writer asked for."""

from __future__ import annotations

from collections.abc import Iterable

MOST_CHARS = 60


def quoted(name: str) -> str:
    """A name in backquotes, cut to a readable length."""
    return f"`{name}`" if len(name) <= MOST_CHARS else f"`{name[: MOST_CHARS - 1]}…`"


def meant(name: str, candidates: Iterable[str]) -> str | None:
    """The hint "did you mean ...?" when a candidate is near, else None.

    Only a near name is ever told, because names of data may be nobody else's business. (The same
    question is answered for diagnostics elsewhere; functions import nothing but themselves.)
    """
    from difflib import get_close_matches
    from itertools import islice

    known = sorted(set(islice(candidates, 5000)))
    near = get_close_matches(name[:200], known, n=1, cutoff=0.6)
    return f"did you mean {quoted(near[0])}?" if near else None
