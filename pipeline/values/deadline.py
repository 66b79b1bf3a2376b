"""Deadlines, and calls that are bounded by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Deadline:
    """A point in time by which work must be done."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """The seconds that are left.

        Raises:
            TimeoutError: when none are.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def within(deadline: Deadline, call: Callable[[], T]) -> T:
    """The result of a call that has no deadline of its own; a call that is too slow is abandoned.

    Raises:
        TimeoutError: when it is not done in time.
        Exception: whatever the call raises.
    """
    from queue import Empty, SimpleQueue
    from threading import Thread

    answers: SimpleQueue[tuple[T, None] | tuple[None, BaseException]] = SimpleQueue()

    def run() -> None:
        try:
            answers.put((call(), None))
        except BaseException as error:  # handed over to the thread that waits
            answers.put((None, error))

    Thread(target=run, daemon=True).start()
    try:
        value, error = answers.get(timeout=deadline.left())
    except Empty:
        raise TimeoutError from None
    if error is not None:
        raise error
    return value  # type: ignore[return-value]
