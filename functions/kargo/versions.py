"""Semantic versions, read loosely: `v1.2` is 1.2.0. `semverDiff`, `semverParse` and its methods."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ..expr.kinds import Method, Struct, StructType, Unsigned
from ..semver import NAMES, WORD, Version, compare, is_prerelease, read_version, version_text
from ..signatures import Declarations
from ..values import FunctionError
from .places import about


def parsed(text: str) -> Struct | None:
    """The version in a text; None when it holds none."""
    found = read_version(text)
    return None if found is None else _version(VERSION, *found, text)


def _version(
    kind: StructType, parts: tuple[int, ...], prerelease: str, metadata: str, written: str
) -> Struct:
    values = {"parts": parts, "prerelease": prerelease, "metadata": metadata}
    return Struct(kind, {**values, "written": written})


def _plain(version: Struct) -> Version:
    given = version.values
    return given["parts"], given["prerelease"], given["metadata"]


def _text(version: Struct) -> str:
    return version_text(_plain(version))


def _changed(version: Struct, parts: Any = None, **changes: str) -> Struct:
    """A version made of another one, with the `v` that was written."""
    values = {**version.values, **changes}
    made = _version(
        NEXT, parts or values["parts"], values["prerelease"], values["metadata"], values["written"]
    )
    mark = "v" if values["written"].startswith("v") else ""
    return Struct(NEXT, {**made.values, "written": mark + _text(made)})


def _raised(position: int) -> Callable[[Struct], Struct]:
    """The next version: a part is one higher, those behind it are 0."""

    def raise_it(version: Struct) -> Struct:
        parts = version.values["parts"]
        # 1.2.3 is what comes next after 1.2.3-rc.1
        more = 0 if position > 1 and version.values["prerelease"] else 1
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


def compared(left: Struct, right: Struct) -> int:
    """-1, 0 or 1; metadata does not count."""
    return compare(_plain(left), _plain(right))


def _part(position: int) -> Method:
    return (), "integer", lambda version: Unsigned(version.values["parts"][position])


def _value(name: str) -> Method:
    return (), "string", lambda version: version.values[name]


def _ordered(holds: Callable[[int], bool]) -> Method:
    return ("version",), "boolean", lambda version, other: holds(compared(version, other))


_OF_BOTH: Final[dict[str, Method]] = {
    "Major": _part(0),
    "Minor": _part(1),
    "Patch": _part(2),
    "Prerelease": _value("prerelease"),
    "Metadata": _value("metadata"),
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
        "Original": _value("written"),
        "Compare": (("version",), "integer", compared),
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

function: Final = Declarations(
    "versions", __package__ or "", propagates_none=False, types=("version", "next_version")
)


@function("semverParse(version: string) -> version", **about("semverParse", "versions", VERSION))
def _semver_parse(text: str) -> Struct:
    found = parsed(text)
    if found is None:
        hint = "such as `1.2.3`, `v1.2` or `1.2.3-rc.1`"
        raise FunctionError("the text is not a semantic version", hint=hint, argument=0)
    return found


@function(
    "semverDiff(version1: string, version2: string) -> string", **about("semverDiff", "versions")
)
def _semver_diff(first: str, second: str) -> str:
    one, other = read_version(first), read_version(second)
    if one is None or other is None:
        return "Incomparable"
    for part, its, name in zip(one[0], other[0], ("Major", "Minor", "Patch"), strict=True):
        if part != its:
            return name
    return "None" if one[2] == other[2] else "Metadata"
