"""`build_targets`: brings the outputs of a configuration up to date; waits for changed files."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from ...functions.record import Record
from ..values.diagnostics import Diagnostics, meant
from ..world.files import DiskFiles, FileProblem, real_path
from .configuration import Configuration, load_configuration
from .expansion import RealPaths, axis_text
from .freshness import Index
from .store import Store
from .target import FAILED, UNCHANGED, Outcome, Surroundings, Target, TargetResult, Task

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the number of finished targets, the number of all, and the name of the next one."""

_WORTH_WORKERS: Final = 0.4
"""Seconds of work that justify starting processes, which takes a tenth of a second each."""

_MOST_VALUES: Final = 12

_SAVE_EVERY: Final = 2.0
"""Seconds of work that may be lost if the process is killed."""


class BuildResult(Record, eq=False):
    """The result of a build: one result per target, in the order of the configuration; seconds.

    There are no results if the configuration has errors. `left` is the number of targets that were
    not tried, because one has failed before.
    """

    configuration: Configuration
    results: tuple[TargetResult, ...] = ()
    seconds: float = 0.0
    left: int = 0

    @property
    def ok(self) -> bool:
        """True if the configuration and all targets are without errors and differences."""
        return self.configuration.ok and all(result.ok for result in self.results)

    def count(self, *statuses: str) -> int:
        """The number of targets with one of these statuses."""
        return sum(result.status in statuses for result in self.results)


class Unchanged(Record, eq=False):
    """A build with nothing to do and nothing to report: the number of its targets, and seconds."""

    count: int
    seconds: float


class UnknownTarget(ValueError):
    """The name of a target that does not exist; the message suggests the closest one."""


def build_targets(
    configuration: str | os.PathLike[str] | Configuration,
    *,
    targets: Iterable[str] = (),
    jobs: int | None = None,
    check: bool = False,
    around: Surroundings | None = None,
    progress: Progress | None = None,
) -> BuildResult:
    """Renders the targets of a configuration that are not up to date.

    `targets` are names (`api`, `api[env=prod]`; default: all). `jobs` is how many are rendered in
    parallel, by default as many as there are processors if that pays off. With `check` nothing is
    written and outputs are compared with the result of a render. `around` is what the build takes
    from its surroundings; without it there are no variables from the environment and no cache.
    Errors are in the result: in its configuration and in the results of its targets.

    Raises:
        FileProblem: if the configuration cannot be read.
        UnknownTarget: for a target that does not exist.
        ValueError: for a number of jobs below 1.
    """
    return _Build(configuration, around, jobs, check, progress).result(targets)


class Plan(Record, eq=False):
    """What a build would do: targets, each with the reason to render it, empty if it is up to date.

    There are none if the configuration has errors.
    """

    configuration: Configuration
    targets: tuple[tuple[Target, str], ...] = ()


def plan_targets(
    configuration: str, *, targets: Iterable[str] = (), around: Surroundings | None = None
) -> Plan:
    """The targets that `build_targets` would render now, and why; nothing is rendered or written.

    Raises:
        FileProblem: if the configuration cannot be read.
        UnknownTarget: for a target that does not exist.
    """
    return _Build(configuration, around, None, True, None).plan(targets)


def build_or_skip(
    configuration: str | Configuration,
    *,
    skip: bool,
    targets: Iterable[str] = (),
    jobs: int | None = None,
    check: bool = False,
    around: Surroundings | None = None,
    progress: Progress | None = None,
    fail_fast: bool = False,
) -> BuildResult | Unchanged:
    """As `build_targets`; `Unchanged` if `skip` is set and all targets are known to be up to date.

    In that case the file of the configuration is compared with that of the last build and not
    parsed. With `fail_fast` no more targets are rendered after one has failed.
    """
    names = list(targets)
    build = _Build(configuration, around, jobs, check, progress, fail_fast)
    if skip and not isinstance(configuration, Configuration):
        count = _unchanged(build.index, configuration, names)
        if count is not None:
            if not check:
                build.index.save()
            return Unchanged(count, time.perf_counter() - build.start)
    return build.result(names)


def _unchanged(index: Index, path: str, names: list[str]) -> int | None:
    """The number of targets if all of them are up to date without warnings, else None."""
    try:
        content = DiskFiles().open_input(path, only_file=True)
    except FileProblem:
        return None
    used: set[str] = set()

    def is_wanted(target: str, group: str) -> bool:
        matching = [name for name in names if _matches(target, group, name)]
        used.update(matching)
        return bool(matching) or not names

    count = index.unchanged(content, is_wanted)
    return count if used.issuperset(names) else None


def select(targets: Iterable[Target], names: Iterable[str]) -> list[Target]:
    """The targets with these names, in their own order; all of them without names.

    Raises:
        UnknownTarget: for a target that does not exist.
    """
    every = list(targets)
    wanted = list(names)
    if not wanted:
        return every
    chosen: set[str] = set()
    for name in wanted:
        found = [target.name for target in every if _matches(target.name, target.group, name)]
        if not found:
            known = _axes_of(every, name.partition("[")[0]) if "[" in name else ""
            near = known or meant(name, [*(t.group for t in every), *(t.name for t in every)])
            raise UnknownTarget(f"unknown target `{name}`" + (f" ({near})" if near else ""))
        chosen.update(found)
    return [target for target in every if target.name in chosen]


def _axes_of(targets: Iterable[Target], group: str) -> str:
    """The axes of a group with their values; empty for one without any."""
    axes: dict[str, dict[str, None]] = {}
    for target in targets:
        for axis, value in target.axes.items() if target.group == group else ():
            axes.setdefault(axis, {})[axis_text(value)] = None
    listed = []
    for axis, values in axes.items():
        more = f" and {len(values) - _MOST_VALUES} more" if len(values) > _MOST_VALUES else ""
        listed.append(f"`{axis}`: {', '.join([*values][:_MOST_VALUES])}{more}")
    return f"the axes of `{group}` are {'; '.join(listed)}" if listed else ""


def _matches(target: str, group: str, name: str) -> bool:
    """True if a name is that of a target or its group, or selects some of its axes."""
    if name in (target, group):
        return True
    wanted, bracket, rest = name.partition("[")
    if wanted != group or not bracket or not rest.endswith("]"):
        return False
    own = target[len(wanted) + 1 : -1].split(",")
    return all(part in own for part in rest[:-1].split(","))


class _Build:
    """One build of a configuration, and its cache."""

    def __init__(
        self,
        configuration: str | os.PathLike[str] | Configuration,
        around: Surroundings | None,
        jobs: int | None,
        check: bool,
        progress: Progress | None,
        fail_fast: bool = False,
    ) -> None:
        self.start = self._saved = time.perf_counter()
        self._given = configuration
        self._around = around or Surroundings()
        self._store = Store(self._around.cache)
        path = configuration.path if isinstance(configuration, Configuration) else configuration
        self._path = real_path(os.fspath(path))
        self.index = Index(self._store, self._around, self._path)
        self._jobs = jobs
        self._check = check
        self._progress = progress
        self._fail_fast = fail_fast
        self._failed = False
        self._done = 0
        self._total = 0
        self._shapes: dict[str, object] | None = None

    def result(self, names: Iterable[str]) -> BuildResult:
        """Renders the targets with these names; raises what `build_targets` does."""
        if self._jobs is not None and self._jobs < 1:
            raise ValueError("at least one job is needed")
        configuration = self._loaded()
        if not configuration.ok:
            return BuildResult(configuration, (), time.perf_counter() - self.start)
        chosen = select(configuration.targets, names)
        try:
            found = self._run(chosen)
        finally:
            if not self._check:
                self.index.save()
        results = tuple(found[target.name] for target in chosen if target.name in found)
        left = len(chosen) - len(results)
        return BuildResult(configuration, results, time.perf_counter() - self.start, left)

    def plan(self, names: Iterable[str]) -> Plan:
        """Why targets are not up to date; raises what `plan_targets` does."""
        configuration = self._loaded()
        chosen = select(configuration.targets, names) if configuration.ok else []
        return Plan(configuration, tuple((one, self.index.why_stale(one)) for one in chosen))

    def _loaded(self) -> Configuration:
        """The configuration, whose targets the index knows from now on if it is valid."""
        configuration, content = self._given, None
        if not isinstance(configuration, Configuration):
            configuration = load_configuration(configuration, self.index.knows)
            content = configuration.content
        if configuration.ok:
            self.index.use(configuration.targets, content)
        return configuration

    def _run(self, targets: list[Target]) -> dict[str, TargetResult]:
        """The results by target name.

        A target that reads the output of another one is rendered again if that has changed, until
        nothing changes.
        """
        results: dict[str, TargetResult] = {}
        waiting = targets
        self._total = len(targets)
        for _ in range(len(targets) + 1):
            before = dict(results)
            for result in self._round(waiting):
                earlier = before.get(result.target.name)
                if earlier is not None and result.status == UNCHANGED:
                    result = result.evolve(status=earlier.status, changed=earlier.changed)
                results[result.target.name] = result
            if self._failed:
                return results
            fresh = {target.name for target in waiting}
            waiting = self._behind(targets, results, fresh)
            if not waiting or self._check:
                return results
            self._total += len(waiting)
        for target in waiting:
            results[target.name] = _never_ending(target)
        return results

    def _behind(
        self, targets: list[Target], results: dict[str, TargetResult], fresh: set[str]
    ) -> list[Target]:
        """The targets that have read files that were written later."""
        real = RealPaths(os.path.dirname(self._path))
        written = {
            real.of(result.target.output)
            for name, result in results.items()
            if name in fresh and result.changed
        }
        if not written:
            return []
        found = []
        for target in targets:
            for path in results[target.name].reads:
                if real.of(path) in written:
                    self.index.states.forget(path)
                    found.append(target)
                    break
        return found

    def _round(self, targets: list[Target]) -> Iterator[TargetResult]:
        stale: dict[str, tuple[Target, str]] = {}
        for target in targets:
            outcome = self.index.up_to_date(target, self._check)
            if outcome is None:
                stale[target.name] = target, self.index.why_stale(target)
            else:
                if outcome.entry is not None:
                    self._learn(outcome)
                yield outcome.result
        self._done += len(targets) - len(stale)
        tasks = [self._task(target) for target, _ in stale.values()]
        for outcome in self._rendered(tasks):
            self._learn(outcome)
            self._done += 1
            yield outcome.result.evolve(why=stale[outcome.result.target.name][1])
            if self._fail_fast and outcome.result.status == FAILED:
                self._failed = True
                return

    def _rendered(self, tasks: list[Task]) -> Iterator[Outcome]:
        """Renders in this process until the rest justifies starting others."""
        jobs = min(self._jobs or processors(), len(tasks))
        quickest = None
        for position, task in enumerate(tasks):
            left = len(tasks) - position
            much = quickest is not None and quickest * left > _WORTH_WORKERS
            if jobs > 1 and left > 1 and (self._jobs is not None or much):
                yield from self._in_workers(tasks[position:], jobs)
                return
            start = time.perf_counter()
            self._tell(task.target)
            yield self._here(task)
            taken = time.perf_counter() - start
            quickest = taken if quickest is None else min(quickest, taken)

    def _here(self, task: Task) -> Outcome:
        from ..world.shape_files import keep_shapes, load_shapes
        from .target_rendering import render_target

        path = self._shapes_file()
        if self._shapes is None:
            self._shapes = dict(load_shapes(path))
        else:
            # the command line disables the collector: free what earlier renders left
            gc.collect(1)
        known = len(self._shapes)
        outcome = render_target(task, self._shapes)  # type: ignore[arg-type]
        if path and len(self._shapes) > known:
            keep_shapes(path, self._shapes)  # type: ignore[arg-type]
        return outcome

    def _in_workers(self, tasks: list[Task], jobs: int) -> Iterator[Outcome]:
        from .workers import Workers

        workers = Workers(jobs, self._shapes_file())
        self._tell(tasks[0].target)
        try:
            for answer in workers.outcomes(tasks):
                outcome = self._here(answer) if isinstance(answer, Task) else answer
                self._tell(outcome.result.target)
                yield outcome
        finally:
            workers.stop()

    def _shapes_file(self) -> str | None:
        from ..dialects.table import DEFAULT, find_dialect
        from ..world.shape_files import shapes_path

        folder = self._around.shapes
        return shapes_path(folder, find_dialect(DEFAULT).syntax.grammar) if folder else None

    def _task(self, target: Target) -> Task:
        return Task(
            target,
            self._path,
            self._around,
            self._store.folder,
            self._store.key,
            self._check,
        )

    def _learn(self, outcome: Outcome) -> None:
        if self._check:
            return
        self.index.learn(outcome)
        if time.perf_counter() - self._saved > _SAVE_EVERY:
            self.index.save(last=False)
            self._saved = time.perf_counter()

    def _tell(self, target: Target) -> None:
        if self._progress is not None:
            self._progress(self._done, self._total, target.name)


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _never_ending(target: Target) -> TargetResult:
    found = Diagnostics()
    found.error(
        "target_cycle",
        None,
        f"target `{target.name}` reads a file that is made from its own output, and never settles",
        "let the targets read files that no target writes",
    )
    return TargetResult(target, FAILED, found)


# Polling works on every file system, in containers and over the network, and needs no package. It
# is exact, as the files that a build reads are known; a thousand files take a few milliseconds.

INTERVAL: Final = 0.3
"""Seconds between two looks."""

_CLOCK_LAG: Final = 0.05
"""Seconds by which the clock of a file system may be behind."""

Look: TypeAlias = tuple[int, int, int, int] | None


def look_at(paths: Iterable[str]) -> dict[str, Look]:
    """Size, times and inode of each file; None for a file that does not exist."""
    return {path: _look(path) for path in paths}


def changed_since(looks: dict[str, Look], moment: float) -> set[str]:
    """The files that were written after a moment, in seconds since 1970, or just before it.

    This finds changes that were made while a build was reading.
    """
    least = int((moment - _CLOCK_LAG) * 10**9)
    return {path for path, look in looks.items() if look and max(look[1], look[2]) >= least}


def wait_for_change(before: dict[str, Look], interval: float = INTERVAL) -> set[str]:
    """The changed files, as soon as nothing has changed for an interval.

    Editors and checkouts write in several steps; the states in between are not built.
    """
    last = before
    while True:
        time.sleep(interval)
        now = look_at(before)
        if now == last and now != before:
            return {path for path in now if now[path] != before[path]}
        last = now


def _look(path: str) -> Look:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino
