"""Room on the stack: what goes deep goes on in a thread of its own when its caller is deep already.

Python bounds the frames of each thread. So that the depth that a blueprint may have does not depend
on who calls, nor on how the parts that may be deep add up, a call that could need more frames than
are left gets a thread with a stack that is empty. Few runs ever need one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

AT_A_DOOR: Final = 100
"""So many frames may be in use when somebody calls the library, or when a child is rendered."""

AT_A_REFERENCE: Final = 350
"""So many may be in use when a reference leads from one template to the next."""


def roomy(function: Callable[P, T]) -> Callable[P, T]:
    """The function, which works in another thread when its caller is deep already."""

    @wraps(function)
    def door(*arguments: P.args, **named: P.kwargs) -> T:
        return with_room(lambda: function(*arguments, **named))

    return door


def with_room(call: Callable[[], T], used: int = AT_A_DOOR) -> T:
    """What a call gives, made in another thread when more than `used` frames are in use here.

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
    """What a call gives, made in a thread of its own, whose stack is empty.

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
    except RuntimeError:  # the system gives no more threads; there may be room here all the same
        return call()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
