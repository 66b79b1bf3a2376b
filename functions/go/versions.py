"""Semantic versions, read loosely: `v1.2` is 1.2.0; their order; and the values with methods."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

from ..expr.kinds import Method, Struct, StructType, Unsigned
from ..regexes import compile_regex
from ..values import FunctionError

NAMES: Final = r"[0-9A-Za-z-]++(?:\.[0-9A-Za-z-]++)*+"
WORD: Final = 1 << 64
_VERSION: Final = compile_regex(
    rf"(v?)([0-9]++)(?:\.([0-9]++))?(?:\.([0-9]++))?(?:-({NAMES}))?(?:\+({NAMES}))?"
)
_NUMBER: Final = compile_regex(r"[0-9]+")
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


# as values


def parsed(text: str) -> Struct | None:
    """The version in a text; None when it holds none."""
    found = read_version(text)
    return None if found is None else Struct(VERSION, {"version": found, "written": text})


def plain(version: Struct) -> Version:
    """The parts of a version."""
    found: Version = version.values["version"]
    return found


def _text(version: Struct) -> str:
    return version_text(plain(version))


def _changed(
    version: Struct, parts: Any = None, prerelease: str | None = None, metadata: str | None = None
) -> Struct:
    """A version made of another one, with the `v` that was written."""
    old, mark = plain(version), "v" if version.values["written"].startswith("v") else ""
    made = (
        parts or old[0],
        old[1] if prerelease is None else prerelease,
        old[2] if metadata is None else metadata,
    )
    return Struct(NEXT, {"version": made, "written": mark + version_text(made)})


def _raised(position: int) -> Callable[[Struct], Struct]:
    """The next version: a part is one higher, those behind it are 0."""

    def raise_it(version: Struct) -> Struct:
        parts, prerelease, _ = plain(version)
        # 1.2.3 is what comes next after 1.2.3-rc.1
        more = 0 if position > 1 and prerelease else 1
        found = (*parts[:position], (parts[position] + more) % WORD, 0, 0)[:3]
        return _changed(version, found, prerelease="", metadata="")

    return raise_it


def _with_prerelease(version: Struct, text: str) -> Struct:
    if text and (not re.fullmatch(NAMES, text) or not is_prerelease(text)):
        raise FunctionError("the text is no prerelease of a version")
    return _changed(version, prerelease=text)


def _with_metadata(version: Struct, text: str) -> Struct:
    if text and not re.fullmatch(NAMES, text):
        raise FunctionError("the text is no metadata of a version")
    return _changed(version, metadata=text)


def _compared(left: Struct, right: Struct) -> int:
    return compare(plain(left), plain(right))


def _part(position: int) -> Method:
    return (), "integer", lambda version: Unsigned(plain(version)[0][position])


def _ordered(holds: Callable[[int], bool]) -> Method:
    return ("version",), "boolean", lambda version, other: holds(_compared(version, other))


_OF_BOTH: Final[dict[str, Method]] = {
    "Major": _part(0),
    "Minor": _part(1),
    "Patch": _part(2),
    "Prerelease": ((), "string", lambda version: plain(version)[1]),
    "Metadata": ((), "string", lambda version: plain(version)[2]),
    "String": ((), "string", _text),
    "IncMajor": ((), "next_version", _raised(0)),
    "IncMinor": ((), "next_version", _raised(1)),
    "IncPatch": ((), "next_version", _raised(2)),
    "SetPrerelease": (("string",), "next_version", _with_prerelease),
    "SetMetadata": (("string",), "next_version", _with_metadata),
}
VERSION: Final = StructType(
    "version",
    "a version",
    "semver.Version",
    methods={
        **_OF_BOTH,
        "Original": ((), "string", lambda version: version.values["written"]),
        "Compare": (("version",), "integer", _compared),
        "Equal": _ordered(lambda order: order == 0),
        "LessThan": _ordered(lambda order: order < 0),
        "LessThanEqual": _ordered(lambda order: order <= 0),
        "GreaterThan": _ordered(lambda order: order > 0),
        "GreaterThanEqual": _ordered(lambda order: order >= 0),
    },
)
NEXT: Final = StructType(
    "next_version", "a version that was made of another", "semver.Version", methods=_OF_BOTH
)
