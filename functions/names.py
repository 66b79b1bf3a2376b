"""Suggestions for unknown names, and names in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final, TypeAlias

Hint: TypeAlias = str | Callable[[], str | None] | None
"""A remedy, or what words it: looking for a near name waits until somebody is told."""

REPLACE: Final = "replace"
QUOTE: Final = "quote"
REMOVE: Final = "remove"

_MOST_CHARS: Final = 100
_LAST: Final = 0x10FFFF
_MOST_KEYS: Final = 5000
_FEW, _AROUND = 100, 12
_PARTS: Final = 3
"""A name at the beginning of another one is meant when it is at least this part of it."""
_MOST_TRIALS: Final = 500
_MOST_COMPARED: Final = 10_000
"""Characters of a name times those of the names that it is compared with in full."""


class Remedy(str):
    """A hint that says exactly what to write, for tools that write it.

    `instead` is to stand for `written` where the mistake is; with `action` `QUOTE` what is there is
    put in quotes, with `REMOVE` it goes. Both texts are as the language means them, without quotes
    and escapes; without `written` it is all that the mistake is about. It is `sure` when nothing
    else can be meant.
    """

    __slots__ = ("action", "instead", "sure", "written")

    action: str
    sure: bool
    instead: str
    written: str

    def __new__(
        cls,
        text: str,
        instead: str = "",
        written: str = "",
        action: str = REPLACE,
        sure: bool = True,
    ) -> Remedy:
        hint = super().__new__(cls, text)
        hint.instead = instead
        hint.written = written
        hint.action = action
        hint.sure = sure
        return hint


def saying_more(near: str | None, more: str | None) -> str | None:
    """A hint with more words after it, which may be a remedy as before."""
    if not near or not more:
        return near or more
    text = f"{near}; {more}"
    if not isinstance(near, Remedy):
        return text
    return Remedy(text, near.instead, near.written, near.action, near.sure)


def did_you_mean(written: str, instead: str) -> Remedy:
    """The hint "did you mean ...?" for a name that was written for another one."""
    return Remedy(f"did you mean {quoted(instead)}?", instead, written, sure=False)


def write_instead(written: str, instead: str) -> Remedy:
    """The hint "write ..." for what has to be written in another way."""
    return Remedy(f"write {quoted(instead)}", instead, written)


class Names:
    """Names to search for similar ones, sorted by the first search and once for all of them.

    A search looks at a bounded number of them, however many there are.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names

    @cached_property
    def known(self) -> set[str]:
        return {*self._names}

    @cached_property
    def ordered(self) -> list[str]:
        return sorted(self.known)

    @cached_property
    def backwards(self) -> list[str]:
        return sorted(name[::-1] for name in self.ordered)

    @cached_property
    def folded(self) -> dict[str, str]:
        return {name.casefold(): name for name in self.ordered}

    def one_slip_away(self, name: str) -> list[str]:
        """Those with a character more, one less, another one, or two in the other order."""
        from bisect import bisect_left

        found: set[str] = set()
        low, high, trials = 0, len(self.ordered), _MOST_TRIALS
        for at in range(len(name) + 1):
            # from here on all of them begin like the name
            if high - low <= _AROUND:
                found.update(one for one in self.ordered[low:high] if _one_slip(name, one))
                break
            before, after = name[:at], name[at:]
            tried = [before + after[1:], before + after[1:2] + after[:1] + after[2:]]
            for letter in self._letters(low, high, at):
                tried += (before + letter + after, before + letter + after[1:])
                trials -= 1
                if not trials:
                    break
            found.update(self.known.intersection(tried))
            if not trials or not after:
                break
            low = bisect_left(self.ordered, before + after[0], low, high)
            high = _past(self.ordered, low, high, before + after[0])
        return sorted(found - {name})

    def _letters(self, low: int, high: int, at: int) -> Iterator[str]:
        """The different characters at a place of sorted names that are alike before it."""
        low += len(self.ordered[low]) == at
        while low < high:
            one = self.ordered[low]
            yield one[at]
            low = _past(self.ordered, low, high, one[: at + 1])

    def around(self, name: str) -> list[str]:
        """Those that are worth a comparison, which is slow: all of few, of many those that begin
        most like the name and those that end most like it."""
        if len(self.ordered) <= _FEW:
            return [one for one in self.ordered if one != name]
        found = set(_beside(self.ordered, name))
        found.update(one[::-1] for one in _beside(self.backwards, name[::-1]))
        return sorted(found - {name})

    def with_part(self, name: str) -> list[str]:
        """Those that the name begins with, or that end with it as a word: `eq` for `equals` and
        `to_upper` for `upper`."""
        from bisect import bisect_left

        found = {name[:size] for size in range(max(2, len(name) // _PARTS), len(name))} & self.known
        tail = f"_{name}"[::-1]
        start = bisect_left(self.backwards, tail)
        for one in self.backwards[start : start + _FEW]:
            if not one.startswith(tail):
                break
            found.add(one[::-1])
        return sorted(found)


def _beside(ordered: list[str], name: str) -> list[str]:
    from bisect import bisect

    at = bisect(ordered, name)
    return ordered[max(0, at - _AROUND) : at + _AROUND]


def _past(ordered: list[str], low: int, high: int, prefix: str) -> int:
    """Where those end that begin with a prefix, in the part that is alike before its end."""
    from bisect import bisect_left

    last = ord(prefix[-1])
    if last == _LAST:
        return high
    return bisect_left(ordered, prefix[:-1] + chr(last + 1), low, high)


@lru_cache(maxsize=16)
def _sorted_once(names: tuple[str, ...]) -> Names:
    """The index of names: many mistakes are searched for among the same ones."""
    return Names(names)


def nearest(name: str, candidates: Iterable[str] | Names, alike: float = 0.6) -> str | None:
    """The candidate that is most likely meant by `name`, or None; `alike` is from 0 to 1."""
    names = candidates if isinstance(candidates, Names) else _sorted_once(tuple(candidates))
    folded = names.folded.get(name.casefold(), name)
    if folded != name:
        return folded
    name = name[:200]
    slips = names.one_slip_away(name)
    found, _ = _closest(name, slips, 0.75)
    if found:
        return found
    around = sorted({*names.around(name), *slips})
    found, likeness = _closest(name[:_MOST_CHARS], around, alike)
    parts = names.with_part(name) if likeness < 0.75 else []
    return parts[-1] if parts else found


def _closest(name: str, candidates: list[str], cutoff: float) -> tuple[str | None, float]:
    """The candidate that is most alike, and how much: what `difflib.get_close_matches` finds, with
    few comparisons in full, as those come first that may be most alike."""
    if not candidates:
        return None, 0.0
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, "", name)
    promising = []
    for one in candidates:
        matcher.set_seq1(one)
        if matcher.real_quick_ratio() >= cutoff and (most := matcher.quick_ratio()) >= cutoff:
            promising.append((most, one))
    best: tuple[float, str] | None = None
    left = _MOST_COMPARED
    for most, one in sorted(promising, reverse=True):
        if left < 0 or (best is not None and (most, one) < best):
            break
        left -= len(name) * len(one)
        matcher.set_seq1(one)
        likeness = matcher.ratio()
        if likeness >= cutoff and (best is None or (likeness, one) > best):
            best = likeness, one
    return (best[1], best[0]) if best else (None, 0.0)


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


def likely(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that a name is almost spelt like, or None: nearer than for a hint."""
    return _closest(name[:_MOST_CHARS], [*candidates], 0.75)[0]


def meant(name: str, candidates: Iterable[str] | Names, alike: float = 0.6) -> str | None:
    """The hint "did you mean ...?" for an unknown name, or None; `alike` is that of `nearest`."""
    near = nearest(name, candidates, alike)
    return did_you_mean(name, near) if near else None


def suggestion(name: str, candidates: Iterable[str] | Names) -> Hint:
    """The hint of `meant`, searched for only when somebody is told."""
    return lambda: meant(name, candidates)


def meant_key(name: str, mapping: Mapping[str, Any]) -> Hint:
    """The hint "did you mean ...?" for a key that data of any size does not have."""
    from itertools import islice

    return lambda: meant(name, islice(mapping, _MOST_KEYS))


def worded(hint: Hint) -> str | None:
    """A hint in words."""
    return hint() if callable(hint) else hint


def quoted(name: str) -> str:
    """A name in backquotes, cut to a readable length."""
    return f"`{name}`" if len(name) <= _MOST_CHARS else f"`{name[: _MOST_CHARS - 1]}…`"
