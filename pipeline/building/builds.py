"""`build_targets`: brings the outputs of a configuration up to date."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import Final, TypeAlias

from ..values.diagnostics import Diagnostics, meant
from .configuration import Configuration, load_configuration
from .conflicts import RealPaths
from .freshness import Index
from .results import FAILED, UNCHANGED, BuildResult, Outcome, TargetResult, Task
from .store import Store
from .target import Surroundings, Target

Progress: TypeAlias = Callable[[int, int, str], None]
"""Is told how many targets are done, how many there are, and the name of one that is next."""

_WORTH_WORKERS: Final = 0.4
"""Seconds of work from which starting processes, a tenth of a second each, pays off."""

_SAVE_EVERY: Final = 2.0
"""Seconds of work that may be lost when the process is killed."""


class UnknownTarget(ValueError):
    """A name that no target has; the message says which and names the near one."""


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

    `targets` are names (`api`, `api[env=prod]`; default: all). `jobs` is how many may be rendered
    side by side, by default as many as there are processors, and no more than is worth it. With
    `check` nothing is written and outputs are compared with what they should be. `around` is what
    the build takes from its surroundings; without it there are no variables from the environment
    and no cache. Mistakes are in the result: in its configuration, and in what came of each target.

    Raises:
        FileProblem: when the configuration cannot be read.
        UnknownTarget: for a name that no target has.
        ValueError: for a number of jobs below 1.
    """
    if jobs is not None and jobs < 1:
        raise ValueError("at least one job is needed")
    start = perf_counter()
    around = around or Surroundings()
    store = Store(around.cache)
    given = configuration.path if isinstance(configuration, Configuration) else configuration
    index = Index(store, around, os.path.realpath(given))
    if not isinstance(configuration, Configuration):
        configuration = load_configuration(configuration, index.knows)
    if not configuration.ok:
        return BuildResult(configuration, (), perf_counter() - start)
    chosen = select(configuration.targets, targets)
    build = _Build(configuration, index, store, around, jobs, check, progress)
    try:
        found = build.run(chosen)
    finally:
        if not check:
            index.save(configuration)
    results = tuple(found[target.name] for target in chosen)
    return BuildResult(configuration, results, perf_counter() - start)


def select(targets: Iterable[Target], names: Iterable[str]) -> list[Target]:
    """The targets that are meant by names, in their own order; all of them when there are none.

    Raises:
        UnknownTarget: for a name that is none.
    """
    every = list(targets)
    wanted = list(names)
    if not wanted:
        return every
    chosen: set[str] = set()
    for name in wanted:
        found = [target.name for target in every if _is_meant(target, name)]
        if not found:
            near = meant(name, [*(t.group for t in every), *(t.name for t in every)])
            raise UnknownTarget(f"there is no target `{name}`" + (f" ({near})" if near else ""))
        chosen.update(found)
    return [target for target in every if target.name in chosen]


def _is_meant(target: Target, name: str) -> bool:
    if name in (target.name, target.group):
        return True
    group, bracket, rest = name.partition("[")
    if group != target.group or not bracket or not rest.endswith("]"):
        return False
    own = target.name[len(group) + 1 : -1].split(",")
    return all(part in own for part in rest[:-1].split(","))


class _Build:
    def __init__(
        self,
        configuration: Configuration,
        index: Index,
        store: Store,
        around: Surroundings,
        jobs: int | None,
        check: bool,
        progress: Progress | None,
    ) -> None:
        self._configuration = configuration
        self._index = index
        self._store = store
        self._around = around
        self._jobs = jobs
        self._check = check
        self._progress = progress
        self._saved = perf_counter()
        self._done = 0
        self._total = 0
        self._shapes: dict[str, object] | None = None

    def run(self, targets: list[Target]) -> dict[str, TargetResult]:
        """The results by target name.

        A target that reads what another one writes is rendered again when that has changed, until
        nothing does.
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
        """The targets that have read what has been written since."""
        real = RealPaths(self._configuration.folder)
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
                    self._index.states.forget(path)
                    found.append(target)
                    break
        return found

    def _round(self, targets: list[Target]) -> Iterator[TargetResult]:
        stale = []
        for target in targets:
            outcome = self._index.up_to_date(target, self._configuration.folder, self._check)
            if outcome is None:
                stale.append(target)
            else:
                if outcome.entry is not None:
                    self._learn(outcome)
                yield outcome.result
        self._done += len(targets) - len(stale)
        for outcome in self._rendered([self._task(target) for target in stale]):
            self._learn(outcome)
            self._done += 1
            yield outcome.result

    def _rendered(self, tasks: list[Task]) -> Iterator[Outcome]:
        """Renders here for as long as the rest is not worth starting processes."""
        jobs = min(self._jobs or processors(), len(tasks))
        quickest = None
        for position, task in enumerate(tasks):
            left = len(tasks) - position
            much = quickest is not None and quickest * left > _WORTH_WORKERS
            if jobs > 1 and left > 1 and (self._jobs is not None or much):
                yield from self._in_workers(tasks[position:], jobs)
                return
            start = perf_counter()
            self._tell(task.target)
            yield self._here(task)
            taken = perf_counter() - start
            quickest = taken if quickest is None else min(quickest, taken)

    def _here(self, task: Task) -> Outcome:
        from ..world.shape_files import keep_shapes, load_shapes
        from .target_rendering import render_target

        path = self._shapes_file()
        if self._shapes is None:
            self._shapes = dict(load_shapes(path))
        else:
            # the command line has turned the collector off: what earlier renders left has to go
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
            self._configuration.path,
            self._around,
            self._store.folder,
            self._store.key,
            self._check,
        )

    def _learn(self, outcome: Outcome) -> None:
        if self._check:
            return
        self._index.learn(outcome, self._configuration.folder)
        if perf_counter() - self._saved > _SAVE_EVERY:
            self._index.save(self._configuration, last=False)
            self._saved = perf_counter()

    def _tell(self, target: Target) -> None:
        if self._progress is not None:
            self._progress(self._done, self._total, target.name)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _never_ending(target: Target) -> TargetResult:
    found = Diagnostics()
    found.error(
        "target_cycle",
        None,
        f"target `{target.name}` reads what is made from its own output, and that never settles",
        "let the targets read files that no target writes",
    )
    return TargetResult(target, FAILED, found)
