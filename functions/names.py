"""Suggestions for unknown names, and names in messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

_MOST_CHARS: Final = 100
_MOST_KEYS: Final = 5000
_FEW, _AROUND, _SHORT = 100, 12, 40
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."


class Names:
    """Names to search for similar ones, sorted once for many searches."""

    def __init__(self, names: Iterable[str]) -> None:
        self.known = {*names}
        self.ordered = sorted(self.known)
        self.folded = {name.casefold(): name for name in self.ordered}
        self.backwards = sorted(name[::-1] for name in self.ordered)

    def around(self, name: str) -> list[str]:
        """Those that are worth a comparison, which is slow: of many the ones that one slip makes of
        the name, those that begin most like it and those that end most like it."""
        if len(self.ordered) <= _FEW:
            return [one for one in self.ordered if one != name]
        found = set(_beside(self.ordered, name))
        found.update(one[::-1] for one in _beside(self.backwards, name[::-1]))
        if len(name) <= _SHORT:
            found.update(self.known.intersection(_slips(name)))
        return sorted(found - {name})

    def with_part(self, name: str) -> list[str]:
        """Those that the name begins with, or that end with it as a word: `eq` for `equals` and
        `to_upper` for `upper`."""
        from bisect import bisect_left

        found = {name[:size] for size in range(2, len(name))} & self.known
        tail = f"_{name}"[::-1]
        for one in self.backwards[bisect_left(self.backwards, tail) :]:
            if not one.startswith(tail):
                break
            found.add(one[::-1])
        return sorted(found)


def _beside(ordered: list[str], name: str) -> list[str]:
    from bisect import bisect

    at = bisect(ordered, name)
    return ordered[max(0, at - _AROUND) : at + _AROUND]


def nearest(name: str, candidates: Iterable[str] | Names) -> str | None:
    """The candidate that is most likely meant by `name`, or None."""
    from difflib import get_close_matches

    names = candidates if isinstance(candidates, Names) else Names(candidates)
    folded = names.folded.get(name.casefold(), name)
    if folded != name:
        return folded
    name = name[:200]
    around = names.around(name)
    slips = [one for one in around if _one_slip(name, one)]
    found = get_close_matches(name, slips, n=1, cutoff=0.75) if slips else []
    if found:
        return found[0]
    found = get_close_matches(name, around, n=1, cutoff=0.6)
    if not found or _likeness(name, found[0]) < 0.75:
        found = names.with_part(name) or found
    return found[-1] if found else None


def _slips(name: str) -> Iterator[str]:
    """A name with a character too few, too many, another one, or two in the wrong order."""
    for at in range(len(name) + 1):
        before, after = name[:at], name[at:]
        for letter in _LETTERS:
            yield before + letter + after
            yield before + letter + after[1:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]


def _one_slip(first: str, second: str) -> bool:
    """True when a character too many, too few, another one or two in the wrong order differ."""
    if abs(len(first) - len(second)) > 1:
        return False
    at = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        at += 1
    rest, others = first[at:], second[at:]
    return (
        rest[1:] == others[1:]
        or rest[1:] == others
        or rest == others[1:]
        or (rest[:2] == others[:2][::-1] and rest[2:] == others[2:])
    )


def _likeness(name: str, other: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, other, name).ratio()


def likely(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a name is almost spelt like, or None: nearer than for a hint."""
    from difflib import get_close_matches

    found = get_close_matches(name[:200], candidates, n=1, cutoff=0.75)
    return found[0] if found else None


def meant(name: str, candidates: Iterable[str] | Names) -> str | None:
    """The hint "did you mean ...?" for an unknown name, or None."""
    near = nearest(name, candidates)
    return f"did you mean {quoted(near)}?" if near else None


def meant_key(name: str, mapping: Mapping[str, Any]) -> str | None:
    """The hint "did you mean ...?" for a key that data of any size does not have, or None."""
    from itertools import islice

    return meant(name, islice(mapping, _MOST_KEYS))


def quoted(name: str) -> str:
    """A name in backquotes, cut to a readable length."""
    return f"`{name}`" if len(name) <= _MOST_CHARS else f"`{name[: _MOST_CHARS - 1]}…`"
