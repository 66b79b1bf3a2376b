"""Calls in threads of their own: for room on the stack, and to abandon those that are too slow.

Python bounds the frames of each thread. So that the depth that a blueprint may have depends neither
on the caller nor on the sum of the parts that recurse, a call that could need more frames than are
left gets a thread with an empty stack. Few runs ever need one.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from threading import Thread

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
    return in_a_thread(call) if is_deep(used) else call()


def is_deep(frames: int) -> bool:
    """True when more frames than these are in use here."""
    try:
        sys._getframe(frames)
    except ValueError:
        return False
    return True


def in_a_thread(call: Callable[[], T]) -> T:
    """The result of a call, made in another thread, whose stack is empty.

    A long chain of references leaves its threads and comes back to them again and again, so those
    that have nothing to do wait a while before they end.

    Raises:
        BaseException: whatever the call raises.
        MemoryError: no more threads can be started, and there is no room here.
    """
    try:
        given = _Given(call)
        room = _rooms.pop() if _rooms else _Room()
    except RecursionError:
        raise MemoryError from None
    except RuntimeError:  # the call may fit here all the same
        try:
            return call()
        except RecursionError:
            raise MemoryError from None
    room.make(given)
    result: T = given.result()
    return result


_WAITS: Final = 0.05
"""Seconds that a thread waits for its next call: longer than from one to the next of a chain."""


class _Given:
    """A call for another thread, and what came of it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        from _thread import allocate_lock
        from contextvars import copy_context

        context = copy_context()
        self._call: Callable[[], Any] = lambda: context.run(call)
        self._result: Any = None
        self._error: BaseException | None = None
        self._done = allocate_lock()
        self._done.acquire()

    def run(self) -> None:
        """Makes the call."""
        try:
            self._result = self._call()
        except BaseException as error:  # handed over to the thread that waits
            self._error = error

    def end(self) -> None:
        """Lets the thread go on that waits for the result."""
        self._done.release()

    def result(self) -> Any:
        """The result, once it is there.

        Raises:
            BaseException: whatever the call raised.
        """
        self._done.acquire()
        error, self._error = self._error, None
        if error is None:
            return self._result
        try:
            raise error
        finally:
            del error  # which holds this frame


class _Room:
    """A thread for one call after the other.

    Raises:
        RuntimeError: when no thread can be started.
    """

    def __init__(self) -> None:
        from _thread import allocate_lock
        from threading import Thread

        self._given: _Given | None = None
        self._wanted = allocate_lock()
        self._wanted.acquire()
        Thread(target=self._run, name="bpp-call", daemon=True).start()

    def make(self, given: _Given) -> None:
        """Has the thread make a call. Until then nobody else may know of it."""
        self._given = given
        self._wanted.release()

    def _run(self) -> None:
        while self._wanted.acquire(timeout=_WAITS) or self._is_taken():
            given, self._given = self._given, None
            if given is not None:
                given.run()
                _rooms.append(self)
                given.end()

    def _is_taken(self) -> bool:
        """Whether a call is about to come; otherwise nobody can find this thread from now on."""
        try:
            _rooms.remove(self)
        except ValueError:
            return True
        return False


_rooms: list[_Room] = []
"""The threads that have nothing to do; a process that is forked has none of them."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_rooms.clear)


_MOMENT: Final = 0.02
"""Seconds in which a thread that computes takes time of a processor."""


class Deadline:
    """A point in time by which work must be done, never after that of the `whole`."""

    def __init__(self, seconds: float, whole: Deadline | None = None) -> None:
        self.seconds = seconds
        self._end: float = time.monotonic() + seconds
        if whole is not None:
            self._end = min(self._end, whole._end)

    def pass_now(self) -> None:
        """Leaves no time: whoever asks next is told that none is left."""
        self._end = time.monotonic()

    def left(self) -> float:
        """The seconds that are left.

        Raises:
            TimeoutError: when none are.
        """
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def interrupt(thread: Thread) -> None:
    """Ends a thread that nobody waits for, if it runs code of Python.

    What waits for the system, or computes in C, is left alone: until such a thread took its
    exception, Python would look for it in all others, at every step.
    """
    import ctypes

    if thread.ident is not None and thread.is_alive() and _runs(thread.ident):
        ident, stop = ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, stop)


def _runs(ident: int) -> bool:
    """Whether a thread computes; False where the system does not tell."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return False
    clock = time.pthread_getcpuclockid(ident)
    before = time.clock_gettime(clock)
    time.sleep(_MOMENT)
    return time.clock_gettime(clock) > before + _MOMENT / 20


def within(deadline: Deadline, call: Callable[[], T]) -> T:
    """The result of a call that has no deadline of its own; a call that is too slow is abandoned.

    Raises:
        TimeoutError: when it is not done in time.
        Exception: whatever the call raises.
    """
    from contextvars import copy_context
    from threading import Thread

    context = copy_context()
    results: list[T] = []
    errors: list[BaseException] = []
    seconds = deadline.left()

    def run() -> None:
        try:
            results.append(context.run(call))
        except BaseException as error:  # handed over to the thread that waits
            errors.append(error)

    thread = Thread(target=run, name="bpp-call", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        interrupt(thread)
        raise TimeoutError
    return results[0]
