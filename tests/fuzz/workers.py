"""Processes that try the inputs of one target."""

from __future__ import annotations

import itertools
import multiprocessing
import queue
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import attrs

from .runner import Finding, make, run, smaller
from .targets import TARGETS

_STEP: Final = 200
_MOST_MEMORY: Final = 4 << 30


@attrs.frozen
class Task:
    """What the workers of one target do: inputs from `start` on, to `last` or for some seconds."""

    target: str
    seed: int
    start: int
    last: int | None
    seconds: float | None
    jobs: int


def work(task: Task) -> Iterator[Finding | int]:
    """Findings as they come, and how many more inputs were tried.

    A finding without words is one more of a kind that was told before. A process that is ended by
    a signal is a finding: the input that it tried is known.
    """
    context = multiprocessing.get_context("spawn")
    answers: Any = context.Queue()
    numbers: Any = context.Array("q", task.jobs)
    workers = [
        context.Process(target=_work, args=(task, job, numbers, answers), daemon=True)
        for job in range(task.jobs)
    ]
    for worker in workers:
        worker.start()
    running = set(range(task.jobs))
    while running:
        try:
            answer = answers.get(timeout=1)
        except queue.Empty:
            for job in [job for job in running if workers[job].exitcode is not None]:
                running.discard(job)
                status = workers[job].exitcode or 0
                if status > 0:
                    raise RuntimeError(f"a worker ends with {status}") from None
                told = f"the process ends with signal {-status}"
                data = make(TARGETS[task.target], task.seed, numbers[job])
                yield Finding(task.target, task.seed, numbers[job], data, told, told)
            continue
        if isinstance(answer, Finding):
            yield answer
        elif answer is None:
            running.pop()
        else:
            yield answer


def _work(task: Task, job: int, numbers: Any, answers: Any) -> None:
    """One process: every `jobs`-th input."""
    _bound_memory()
    target = TARGETS[task.target]
    seen: Counter[str] = Counter()
    first = task.start + job
    wanted = (
        itertools.count(first, task.jobs)
        if task.last is None
        else range(first, task.last, task.jobs)
    )

    def noted() -> Iterator[int]:
        for number in wanted:
            numbers[job] = number
            yield number

    end = None if task.seconds is None else time.monotonic() + task.seconds
    tried = 0
    for answer in run(
        target, task.seed, noted(), lambda: end is not None and time.monotonic() > end
    ):
        if isinstance(answer, Finding):
            seen[answer.kind] += 1
            once = seen[answer.kind] == 1
            answers.put(smaller(target, answer) if once else attrs.evolve(answer, told=""))
            continue
        tried += 1
        if tried == _STEP:
            answers.put(tried)
            tried = 0
    answers.put(tried)
    answers.put(None)


def _bound_memory() -> None:
    """An input that wants much more memory than others is a finding, not the end of the machine."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
