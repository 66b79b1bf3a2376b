"""Semantic versions, read loosely: `v1.2` is 1.2.0; and their order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, TypeAlias

NAMES: Final = r"[0-9A-Za-z-]++(?:\.[0-9A-Za-z-]++)*+"
WORD: Final = 1 << 64
_VERSION: Final = re.compile(
    rf"(v?)([0-9]++)(?:\.([0-9]++))?(?:\.([0-9]++))?(?:-({NAMES}))?(?:\+({NAMES}))?"
)
_NUMBER: Final = re.compile(r"[0-9]+")
_LONGEST: Final = 1_000  # digits that are read at most

Version: TypeAlias = tuple[tuple[int, int, int], str, str]
"""Major, minor and patch; the prerelease; the metadata."""


@lru_cache(64)
def read_version(text: str) -> Version | None:
    """The version in a text; None when it holds none."""
    match = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    major, minor, patch = (int(match[group] or 0) for group in (2, 3, 4))
    if max(major, minor, patch) >= WORD or not is_prerelease(match[5] or ""):
        return None
    return (major, minor, patch), match[5] or "", match[6] or ""


def is_prerelease(text: str) -> bool:
    """False for numbers with a leading zero."""
    return not any(
        len(part) > 1 and part[0] == "0" and _NUMBER.fullmatch(part) for part in text.split(".")
    )


def version_text(version: Version) -> str:
    """A version in full: `1.2.0-rc.1+build`."""
    parts, prerelease, metadata = version
    text = ".".join(map(str, parts))
    text += f"-{prerelease}" if prerelease else ""
    return text + (f"+{metadata}" if metadata else "")


def compare(left: Version, right: Version) -> int:
    """-1, 0 or 1; metadata does not count."""
    first: Any = (left[0], not left[1])
    second: Any = (right[0], not right[1])
    if first == second:
        first, second = ([*map(_rank, one[1].split("."))] for one in (left, right))
    return int(first > second) - int(first < second)


def _rank(part: str) -> tuple[int, int, str]:
    """What orders parts of prereleases: none, numbers, then names."""
    if _NUMBER.fullmatch(part) and int(part) < WORD:
        return 1, int(part), ""
    return (2, 0, part) if part else (0, 0, "")
