"""Processes that render targets in parallel.

A worker is a Python process that reads tasks from its standard input. It does not import the main
program of this one, so a script that builds needs no `__main__` guard, and it ends at the end of
its input, even if this process is killed.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Final

from ..values.diagnostics import Diagnostics
from ..world.files import FileProblem
from ..world.programs import PythonProcess, start_python
from .target import FAILED, Outcome, TargetResult, Task

READY: Final = "ready"
"""The first message of a worker."""

BUG: Final = "bug"
"""The message of a worker in place of an outcome after an exception."""

PROGRAM: Final = "bpp.pipeline.cli.build_worker"


class Workers:
    """A pool of workers; each takes the next task when it has finished one."""

    def __init__(self, count: int, shapes: str | None) -> None:
        self._count = count
        self._shapes = shapes
        self._processes: list[PythonProcess] = []
        self._stopped = False

    def outcomes(self, tasks: Iterable[Task]) -> Iterator[Outcome | Task]:
        """The outcome of each task as it finishes; the task itself if this process has to run it.

        That is the case if a worker raised an exception, which is reported here, and if no worker
        could be started.
        """
        waiting: SimpleQueue[Task] = SimpleQueue()
        done: SimpleQueue[Outcome | Task] = SimpleQueue()
        count = 0
        for task in tasks:
            waiting.put(task)
            count += 1
        for _ in range(min(self._count, count)):
            Thread(target=self._serve, args=(waiting, done), daemon=True).start()
        try:
            for _ in range(count):
                yield done.get()
            self._close()
        finally:
            self.stop()

    def _close(self) -> None:
        """Closes the input of all workers, and waits for them to end."""
        self._stopped = True
        for process in self._processes:
            try:
                if process.stdin is not None:
                    process.stdin.close()
            except OSError:
                pass
        _wait(self._processes)

    def stop(self) -> None:
        """Ends all workers; they write files atomically."""
        self._stopped = True
        for process in self._processes:
            if process.poll() is None:
                process.terminate()
        for process in _wait(self._processes):
            process.kill()
            process.wait()
        for process in self._processes:
            for stream in (process.stdin, process.stdout):
                try:
                    if stream is not None:
                        stream.close()
                except OSError:
                    pass

    def _serve(self, waiting: SimpleQueue[Task], done: SimpleQueue[Outcome | Task]) -> None:
        """Sends tasks to one process, and to a new one if it dies."""
        process: PythonProcess | None = None
        # Ctrl-C on a terminal goes to all processes; this one ends the workers, which inherit the
        # mask of blocked signals
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while not self._stopped:
            try:
                task = waiting.get_nowait()
            except Empty:
                break
            try:
                if process is None:
                    process = self._started()
            except FileProblem:
                done.put(task)
                continue
            outcome = _asked(process, task)
            if outcome is None:
                if not self._stopped:
                    done.put(_lost(task, process))
                process = None
            else:
                done.put(outcome)

    def _started(self) -> PythonProcess:
        """A process that is ready.

        Raises:
            FileProblem: `program_not_found` or `program_failed`.
        """
        process = start_python(PROGRAM, [self._shapes or ""])
        self._processes.append(process)
        if _answer(process) != READY:
            process.kill()
            raise FileProblem("program_failed", "a process for rendering cannot be started")
        return process


def _wait(processes: list[PythonProcess]) -> list[PythonProcess]:
    """The processes that are still running after two seconds each."""
    late = []
    for process in processes:
        try:
            process.wait(2)
        except Exception:  # a timeout; only `programs` may import subprocess
            late.append(process)
    return late


def _asked(process: PythonProcess, task: Task) -> Outcome | Task | None:
    """The answer of a worker; None if it has ended or its answer is invalid."""
    assert process.stdin is not None
    try:
        pickle.dump(task, process.stdin)
        process.stdin.flush()
    except OSError:
        return None
    answer = _answer(process)
    if answer == BUG:
        return task
    return answer if isinstance(answer, Outcome) else None


def _answer(process: PythonProcess) -> object:
    """The next message of a worker; None if it cannot be read."""
    assert process.stdout is not None
    try:
        return pickle.load(process.stdout)
    except Exception:  # loading a pickle may raise anything; the build would wait for ever
        return None


def _lost(task: Task, process: PythonProcess) -> Outcome:
    try:
        status = process.wait(2)
        why = f"it ended with signal {-status}" if status < 0 else f"it ended with status {status}"
    except Exception:
        process.kill()
        why = "its answer cannot be read"
    found = Diagnostics()
    found.error(
        "worker_failed",
        None,
        f"the process that rendered target `{task.target.name}` is lost: {why}",
        "if memory is short, render fewer targets at once with `--jobs`",
    )
    return Outcome(TargetResult(task.target, FAILED, found))
