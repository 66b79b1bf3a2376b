"""Calls in threads, which can be told to stop, and are given up when they hang."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from threading import Thread
from typing import Any, Final, Generic, TypeVar

from ..values.threads import Deadline, interrupt

T = TypeVar("T")

GRACE: Final = 2.0
"""Seconds that a call has to end after it was told to stop."""


class Hung(Exception):
    """A call did not end in time and was given up; its thread may still run."""


class Errand(Generic[T]):
    """A call in a thread of its own, made by the main loop.

    `result` is what comes of it: `Hung` when the call neither ends within `seconds` nor soon after
    it was told to stop. Whatever looks at a deadline that the errand watches ends at once then.
    """

    def __init__(self, call: Callable[[Errand[T]], T], seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[T] = self._loop.create_future()
        self.stopped = False
        self._deadlines: list[Deadline] = []
        self._give_up = self._loop.call_later(seconds, self._abandon)
        context = copy_context()

        def run() -> None:
            try:
                done = context.run(call, self)
            except BaseException as error:  # handed over to the main loop
                self._tell(self._fail, error)
            else:
                self._tell(self._finish, done)

        self.thread = Thread(target=run, name="bpp-editor", daemon=True)
        self.thread.start()

    def watch(self, deadline: Deadline) -> None:
        """Lets a deadline pass when the errand is told to stop."""
        self._deadlines.append(deadline)
        if self.stopped:
            deadline.pass_now()

    def stop(self) -> None:
        """Tells the call to end, whose result nobody wants any more."""
        if self.stopped or self.result.done():
            return
        self.stopped = True
        for deadline in self._deadlines:
            deadline.pass_now()
        self._give_up.cancel()
        self._give_up = self._loop.call_later(GRACE, self._abandon)

    def _abandon(self) -> None:
        if not self.result.done():
            interrupt(self.thread)
            self._fail(Hung())

    def _tell(self, what: Callable[[Any], None], value: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(what, value)
        except RuntimeError:  # the loop has ended
            pass

    def _finish(self, done: T) -> None:
        self._give_up.cancel()
        if not self.result.done():
            self.result.set_result(done)

    def _fail(self, error: BaseException) -> None:
        self._give_up.cancel()
        if not self.result.done():
            # what ends a thread may not end the loop
            known = error if isinstance(error, Exception) else Hung()
            self.result.set_exception(known)
