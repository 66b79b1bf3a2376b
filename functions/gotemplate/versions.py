"""Semantic versions and the constraints that they fulfil."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from ..expr.kinds import Struct
from ..go import versions
from ..regexes import compile_regex
from ..signatures import Declarations
from .guards import TYPES, failed

function: Final = Declarations("versions", __package__, propagates_none=False, types=TYPES)

_MOST: Final = 256
_WILD: Final = r"v?([0-9xX*|]+)(?:\.([0-9xX*|]+))?(?:\.([0-9xX*|]+))?"
_BOUND: Final = rf"{_WILD}(-{versions.NAMES})?(\+{versions.NAMES})?"
_ONE: Final = compile_regex(rf"\s*(!=|=>|=<|>=|<=|~>|[=<>~^]|)\s*{_BOUND}\s*")
_HYPHEN: Final = compile_regex(rf"\s*({_BOUND})\s+-\s+({_BOUND})\s*")


@function("semver(version: string) -> version")
def _semver(text: str) -> Struct:
    version = versions.parsed(text) if len(text) <= _MOST else None
    if version is None:
        raise failed("invalid semantic version", "such as `1.2.3`, `v1.2` or `1.2.3-rc.1`")
    return version


@function("semverCompare(constraint: string, version: string) -> bool")
def _semver_compare(constraint: str, text: str) -> bool:
    if len(constraint) > _MOST:
        raise failed(f"improper constraint: it has more than {_MOST} characters")
    ranges = _HYPHEN.sub(r">= \1, <= \7 ", constraint)  # in front of `||`, as Go has it
    groups = [_bounds(part) for part in ranges.split("||")]
    version = versions.plain(_semver(text))
    return any(_fulfils(version, bounds) for bounds in groups)


_Bound: TypeAlias = tuple[str, versions.Version, int]
"""An operator, a version, and the first part of it that may be any number.

With the very first one wild, Go takes the version for an ordinary 0.0.0 in most tests.
"""


def _bounds(text: str) -> list[_Bound]:
    """The bounds of which a version must fulfil all."""
    found: list[_Bound] = []
    at = 0
    while match := _ONE.match(text, at):
        found.append(_bound(match))
        at = match.end()
        if at == len(text):
            return found
        if text[at] == "," and at + 1 < len(text):
            at += 1
        elif not text[at - 1].isspace():
            break
    raise failed(f"improper constraint: {text}", "such as `>=1.2, <2`, `^1.2` or `~1.2.3 || 2.x`")


def _bound(match: re.Match[str]) -> _Bound:
    parts = match.group(2, 3, 4)
    wild = next((at for at, part in enumerate(parts) if not part or part in "xX*"), 3)
    numbers = ".".join([*(str(part) for part in parts[:wild]), "0", "0", "0"][:3])
    plain = versions.read_version(f"{numbers}{match[5] or ''}")
    if plain is None:
        raise failed("constraint parse error")
    return match[1], plain, wild


def _fulfils(version: versions.Version, bounds: list[_Bound]) -> bool:
    """Prereleases only fulfil bounds of which one has a prerelease."""
    if version[1] and not any(plain[1] for _, plain, _ in bounds):
        return False
    return all(_TESTS[test](version, plain, wild) for test, plain, wild in bounds)


def _order(version: versions.Version, plain: versions.Version, wild: int) -> int:
    """-1, 0 or 1, by the parts in front of a wild one."""
    one, other = version[0][:wild], plain[0][:wild]
    return versions.compare(version, plain) if wild > 2 else int(one > other) - int(one < other)


def _tilde(version: versions.Version, plain: versions.Version, wild: int) -> bool:
    same = wild % 3 == 0 and plain[0] == (0, 0, 0)
    return versions.compare(version, plain) >= 0 and (
        same or not _order(version, plain, min(wild, 2))
    )


def _caret(version: versions.Version, plain: versions.Version, wild: int) -> bool:
    """The first number that is not 0 stays."""
    same = next((at for at, number in enumerate(plain[0]) if number), 2) + 1
    same = min(same, wild or 3)
    return versions.compare(version, plain) >= 0 and version[0][:same] == plain[0][:same]


def _equal(version: versions.Version, plain: versions.Version, wild: int) -> bool:
    return _tilde(version, plain, wild) if wild < 3 else not versions.compare(version, plain)


def _differs(version: versions.Version, plain: versions.Version, wild: int) -> bool:
    return bool(_order(version, plain, wild or 3)) or (wild == 2 and version[1] != plain[1])


_TESTS: Final[dict[str, Callable[[versions.Version, versions.Version, int], bool]]] = {
    **dict.fromkeys(("", "="), _equal),
    **dict.fromkeys(("~", "~>"), _tilde),
    "^": _caret,
    "!=": _differs,
    ">": lambda version, plain, wild: _order(version, plain, wild or 3) > 0,
    "<": lambda version, plain, wild: versions.compare(version, plain) < 0,
    **dict.fromkeys(
        (">=", "=>"), lambda version, plain, wild: versions.compare(version, plain) >= 0
    ),
    **dict.fromkeys(
        ("<=", "=<"), lambda version, plain, wild: _order(version, plain, wild or 2) <= 0
    ),
}
