"""Patterns for the types of resources: `aws/lambda/function`, `aws/lambda/*`, `aws/**`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

Rank: TypeAlias = tuple[bool, int, int]

_PATTERN: Final = re.compile(r"[A-Za-z0-9_.*-]+(?:/[A-Za-z0-9_.*-]+)*")
_PARTS: Final = re.compile(r"\*\*|\*|[^*]+")


def is_pattern(text: str) -> bool:
    """True for what can be a pattern: a resource type in which `*` may stand."""
    return _PATTERN.fullmatch(text) is not None and "***" not in text


@lru_cache(maxsize=4096)
def matches(pattern: str, resource_type: str) -> bool:
    """True when a pattern fits a type: `*` stands for any text without `/`, `**` for any text.

    Patterns are a blueprint's, so they are no regular expressions: those can take for ever. Here is
    kept which beginnings of the type the pattern has come to so far.
    """
    length = len(resource_type)
    reached = {0}
    for part in _PARTS.findall(pattern):
        following: set[int] = set()
        for start in reached:
            if part == "**":
                following.update(range(start, length + 1))
            elif part == "*":
                slash = resource_type.find("/", start)
                following.update(range(start, (length if slash < 0 else slash) + 1))
            elif resource_type.startswith(part, start):
                following.add(start + len(part))
        reached = following
    return length in reached


def rank(pattern: str) -> Rank:
    """How special a pattern is; the greater wins.

    A type without `*` goes before all patterns, then the one that spells out more characters, then
    the one with fewer `**`.
    """
    return ("*" not in pattern, len(pattern.replace("*", "")), -pattern.count("**"))
