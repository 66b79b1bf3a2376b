"""What came of a build, and of each of its targets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field
from ..values.diagnostics import Diagnostics
from .configuration import Configuration
from .target import Surroundings, Target

if TYPE_CHECKING:
    from ..answers.comparison import Difference

RENDERED, RESTORED, UNCHANGED, DIFFERS, FAILED = (
    "rendered",
    "restored",
    "unchanged",
    "differs",
    "failed",
)


class TargetResult(Record, eq=False):
    """What came of one target.

    `status` is `rendered`; `restored` when the cache had the result; `unchanged` when nothing was
    to be done; `differs` when a check found another output than it should be; or `failed`.
    `changed` says whether the output's content is new. `reads` are the absolute paths of what was
    read or looked for. Of a check, `differences` are those between the output on disk and what it
    should be, by path, and `remark` says what they do not. `volatile` names what answers
    differently each time: such a target is rendered in every build.
    """

    target: Target
    status: str
    diagnostics: Diagnostics
    changed: bool = False
    reads: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    remark: str = ""
    volatile: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True unless it failed or differs."""
        return self.status not in (FAILED, DIFFERS)


class BuildResult(Record, eq=False):
    """What came of a build: its targets in the order of the configuration, and the seconds it took.

    There are no results when the configuration has mistakes.
    """

    configuration: Configuration
    results: tuple[TargetResult, ...] = ()
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """True when everything is as it should be."""
        return self.configuration.ok and all(result.ok for result in self.results)

    def count(self, *statuses: str) -> int:
        """How many targets have one of these statuses."""
        return sum(result.status in statuses for result in self.results)


class Task(Record, eq=False):
    """A target to render, with all that a worker must know; `cache` is none when nothing is kept.

    `key` is what digests go through. With `check` nothing is written.
    """

    target: Target
    configuration: str
    around: Surroundings = field(repr=False)
    cache: str | None = None
    key: bytes = field(default=b"", repr=False)
    check: bool = False


class Outcome(Record, eq=False):
    """A target's result, and what the index keeps of it; nothing for what cannot be trusted."""

    result: TargetResult
    entry: dict[str, Any] | None = None
