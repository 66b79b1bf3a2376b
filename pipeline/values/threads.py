"""Calls in threads of their own: for room on the stack, and to abandon those that are too slow.

Python bounds the frames of each thread. So that the depth that a blueprint may have depends neither
on the caller nor on the sum of the parts that recurse, a call that could need more frames than are
left gets a thread with an empty stack. Few runs ever need one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

AT_A_DOOR: Final = 100
"""Frames that may be in use when the library is called, or when a child is rendered."""

AT_A_REFERENCE: Final = 350
"""Frames that may be in use when a reference leads from one template to the next."""


def with_stack_room(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function to run in a new thread when its caller is deep already."""

    @wraps(function)
    def door(*arguments: P.args, **named: P.kwargs) -> T:
        return with_room(lambda: function(*arguments, **named))

    return door


def with_room(call: Callable[[], T], used: int = AT_A_DOOR) -> T:
    """The result of a call, made in a new thread when more than `used` frames are in use here.

    Raises:
        BaseException: whatever the call raises.
    """
    return in_a_thread(call) if _is_deep(used) else call()


def _is_deep(frames: int) -> bool:
    try:
        sys._getframe(frames)
    except ValueError:
        return False
    return True


def in_a_thread(call: Callable[[], T]) -> T:
    """The result of a call, made in a new thread, whose stack is empty.

    Raises:
        BaseException: whatever the call raises.
    """
    results: list[T] = []
    errors: list[BaseException] = []
    try:
        join = _start(call, results, errors)
    except RuntimeError:  # no more threads can be started; the call may fit here all the same
        return call()
    join()
    if errors:
        raise errors[0]
    return results[0]


class Deadline:
    """A point in time by which work must be done, never after that of the `whole`."""

    def __init__(self, seconds: float, whole: Deadline | None = None) -> None:
        self.seconds = seconds
        self._end: float = time.monotonic() + seconds
        if whole is not None:
            self._end = min(self._end, whole._end)

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
    results: list[T] = []
    errors: list[BaseException] = []
    seconds = deadline.left()
    _start(call, results, errors)(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError
    return results[0]


def _start(
    call: Callable[[], T], results: list[T], errors: list[BaseException]
) -> Callable[..., None]:
    """Start a thread that puts a call's result, or its error, into a list; returns its `join`."""
    from contextvars import copy_context
    from threading import Thread

    context = copy_context()

    def run() -> None:
        try:
            results.append(context.run(call))
        except BaseException as error:  # handed over to the thread that waits
            errors.append(error)

    thread = Thread(target=run, name="bpp-call", daemon=True)
    thread.start()
    return thread.join
