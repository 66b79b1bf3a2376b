"""`semverDiff` and `semverParse`; versions are read loosely: `v1.2` is 1.2.0."""

from __future__ import annotations

from typing import Final

from ..expr.kinds import Struct
from ..go.versions import VERSION, parsed, read_version
from ..signatures import Declarations
from ..values import FunctionError
from .places import about

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
