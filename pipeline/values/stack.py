"""Room on the stack: a call that may recurse deeply runs in a new thread when its caller is deep.

Python bounds the frames of each thread. So that the depth that a blueprint may have depends neither
on the caller nor on the sum of the parts that recurse, a call that could need more frames than are
left gets a thread with an empty stack. Few runs ever need one.
"""

from __future__ import annotations

import sys
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
    from contextvars import copy_context
    from threading import Thread

    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(call())
        except BaseException as error:  # handed over to the thread that waits
            errors.append(error)

    thread = Thread(target=copy_context().run, args=(run,), name="bpp-stack", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no more threads can be started; the call may fit here all the same
        return call()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
