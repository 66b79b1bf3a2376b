"""Semantic versions and the constraints that they fulfil."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, Final

from .. import semver
from ..signatures import Declarations
from .guards import TYPES, failed
from .kinds import Object

function: Final = Declarations("versions", __package__, propagates_none=False, types=TYPES)

_MOST: Final = 256
_WILD: Final = r"v?([0-9xX*|]+)(?:\.([0-9xX*|]+))?(?:\.([0-9xX*|]+))?"
_BOUND: Final = rf"{_WILD}(-{semver.NAMES})?(\+{semver.NAMES})?"
_ONE: Final = re.compile(rf"\s*(!=|=>|=<|>=|<=|~>|[=<>~^]|)\s*{_BOUND}\s*")
_HYPHEN: Final = re.compile(rf"\s*({_BOUND})\s+-\s+({_BOUND})\s*")


class Version(Object):
    """A `*semver.Version`."""

    __slots__ = ("plain", "written")

    go = "*semver.Version"
    kind = "ptr"

    def __init__(self, plain: semver.Version, written: str) -> None:
        self.plain = plain
        self.written = written

    def __str__(self) -> str:
        return semver.version_text(self.plain)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and (self.plain, self.written) == (
            other.plain,
            other.written,
        )

    def __hash__(self) -> int:
        return hash(self.plain)

    def to_json(self) -> str:
        """Its text in quotes."""
        return f'"{self}"'

    members: ClassVar[Any] = {
        "Major": ((), lambda version: version.plain[0][0]),
        "Minor": ((), lambda version: version.plain[0][1]),
        "Patch": ((), lambda version: version.plain[0][2]),
        "Prerelease": ((), lambda version: version.plain[1]),
        "Metadata": ((), lambda version: version.plain[2]),
        "Original": ((), lambda version: version.written),
        "String": ((), str),
        "Compare": (
            ("version",),
            lambda version, other: semver.compare(version.plain, other.plain),
        ),
    }


@function("semver(version: string) -> version")
def _semver(text: str) -> Version:
    plain = semver.read_version(text) if len(text) <= _MOST else None
    if plain is None:
        raise failed("invalid semantic version", "such as `1.2.3`, `v1.2` or `1.2.3-rc.1`")
    return Version(plain, text)


@function("semverCompare(constraint: string, version: string) -> bool")
def _semver_compare(constraint: str, text: str) -> bool:
    if len(constraint) > _MOST:
        raise failed(f"improper constraint: it has more than {_MOST} characters")
    ranges = _HYPHEN.sub(r">= \1, <= \7 ", constraint)  # in front of `||`, as Go has it
    groups = [_bounds(part) for part in ranges.split("||")]
    version = _semver(text).plain
    return any(_fulfils(version, bounds) for bounds in groups)


class _Bound:
    """One part of a constraint; `wild` is the first part of its version that may be any number.

    With the very first one wild, Go takes the version for an ordinary 0.0.0 in most tests.
    """

    __slots__ = ("plain", "test", "wild")

    def __init__(self, test: str, plain: semver.Version, wild: int) -> None:
        self.test = test
        self.plain = plain
        self.wild = wild


def _bounds(text: str) -> list[_Bound]:
    """The bounds of which a version must fulfil all."""
    found, at = [], 0
    while at < len(text) or not found:
        match = _ONE.match(text, at)
        if match is None:
            break
        found.append(_bound(match))
        at = match.end()
        if at == len(text):
            return found
        if text[at] == ",":
            at += 1
            if at == len(text):
                break
        elif not text[at - 1].isspace():
            break
    raise failed(f"improper constraint: {text}", "such as `>=1.2, <2`, `^1.2` or `~1.2.3 || 2.x`")


def _bound(match: re.Match[str]) -> _Bound:
    parts = match.group(2, 3, 4)
    wild = next((at for at, part in enumerate(parts) if not part or part in "xX*"), 3)
    numbers = ".".join([*(str(part) for part in parts[:wild]), "0", "0", "0"][:3])
    plain = semver.read_version(f"{numbers}{match[5] or ''}")
    if plain is None:
        raise failed("constraint parse error")
    return _Bound(match[1], plain, wild)


def _fulfils(version: semver.Version, bounds: list[_Bound]) -> bool:
    """Prereleases only fulfil bounds of which one has a prerelease."""
    if version[1] and not any(bound.plain[1] for bound in bounds):
        return False
    return all(_TESTS[bound.test](version, bound) for bound in bounds)


def _tilde(version: semver.Version, bound: _Bound) -> bool:
    if semver.compare(version, bound.plain) < 0:
        return False
    if bound.plain[0] == (0, 0, 0) and bound.wild in (0, 3):
        return True
    return version[0][: min(bound.wild, 2)] == bound.plain[0][: min(bound.wild, 2)]


def _caret(version: semver.Version, bound: _Bound) -> bool:
    """The first number that is not 0 stays."""
    if semver.compare(version, bound.plain) < 0:
        return False
    numbers = bound.plain[0]
    same = next((at for at, number in enumerate(numbers) if number), 2) + 1
    same = min(same, bound.wild or 3)
    return version[0][:same] == numbers[:same]


def _equal(version: semver.Version, bound: _Bound) -> bool:
    if bound.wild < 3:
        return _tilde(version, bound)
    return semver.compare(version, bound.plain) == 0


def _differs(version: semver.Version, bound: _Bound) -> bool:
    if 0 < bound.wild < 3:
        same = version[0][: bound.wild] == bound.plain[0][: bound.wild]
        return not same or (bound.wild == 2 and version[1] != bound.plain[1])
    return semver.compare(version, bound.plain) != 0


def _above(version: semver.Version, bound: _Bound) -> bool:
    if 0 < bound.wild < 3:
        return version[0][: bound.wild] > bound.plain[0][: bound.wild]
    return semver.compare(version, bound.plain) > 0


def _at_most(version: semver.Version, bound: _Bound) -> bool:
    if bound.wild < 3:
        last = bound.wild or 2
        return version[0][:last] <= bound.plain[0][:last]
    return semver.compare(version, bound.plain) <= 0


_TESTS: Final[dict[str, Callable[[semver.Version, _Bound], bool]]] = {
    "": _equal,
    "=": _equal,
    "!=": _differs,
    ">": _above,
    "<": lambda version, bound: semver.compare(version, bound.plain) < 0,
    **dict.fromkeys((">=", "=>"), lambda version, bound: semver.compare(version, bound.plain) >= 0),
    **dict.fromkeys(("<=", "=<"), _at_most),
    **dict.fromkeys(("~", "~>"), _tilde),
    "^": _caret,
}
