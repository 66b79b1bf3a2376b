"""The meter of a run: steps, time, the size of computed values, and nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ...functions.values import FunctionError
from ..values.settings import Limits, how_to_raise
from ..values.threads import AT_A_REFERENCE, Deadline, in_a_thread, with_room

_CHUNK: Final = 256
_ITEM: Final = 8
# fits on a thread's stack of 256 KiB beside the frames that lead there: a string takes 3, a call 1
_NESTED: Final = 150


class Meter:
    """Counts the steps, time and memory that the documents of one run spend together.

    `left` are the steps until the next look at the bounds, `room` the characters that may still be
    built; the evaluator lowers both itself, which is cheaper than a call. `nested` are the strings,
    calls and levels of data that are being evaluated inside of one another in this thread.
    """

    __slots__ = ("_granted", "_nodes", "deadline", "left", "limits", "nested", "room")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.deadline = Deadline(limits.run_seconds)
        self.room = limits.max_built_chars
        self.left = 0
        self.nested = 0
        self._granted = 0
        self._nodes = 0

    def with_room(
        self, call: Callable[[], Any], frames: int = AT_A_REFERENCE, weight: int = 0
    ) -> Any:
        """The result of a call that leads to another part of a document, in a new thread if needed.

        Compiled code uses the stack without frames that Python counts, so nested strings and calls
        are counted instead, and this call by its `weight`.

        Raises:
            BaseException: whatever the call raises.
        """
        nested = self.nested
        is_full = nested >= _NESTED
        self.nested = weight if is_full else nested + weight
        try:
            return in_a_thread(call) if is_full else with_room(call, frames)
        finally:
            self.nested = nested

    def look(self) -> None:
        """Grants more steps when `left` is below zero.

        Raises:
            FunctionError: `limit_exceeded` for too many steps, or when the time is up.
        """
        self.check_time()
        most = self.limits.max_steps
        more = min(max(_CHUNK, -self.left), most - self._granted)
        if self.left + more < 0:
            raise over_limit(
                "max_steps",
                f"the number of function calls exceeds the limit of {most}",
                self.limits,
            )
        self._granted += more
        self.left += more

    def work(self, count: int = 1) -> None:
        """Counts steps before a loop takes them: comparisons, records, configurations, edges.

        Raises:
            FunctionError: `limit_exceeded` for too many steps, or when the time is up.
        """
        self.left -= count
        if self.left < 0:
            self.look()

    def check_time(self) -> None:
        """Looks at the clock.

        Raises:
            FunctionError: `limit_exceeded` when the time is up.
        """
        try:
            self.deadline.left()
        except TimeoutError:
            seconds = self.limits.run_seconds
            summary = f"the run takes longer than {seconds} s"
            raise over_limit("run_seconds", summary, self.limits) from None

    def called(self, result: Any) -> None:
        """Counts a call that another function made, and its result.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        self.left -= 1
        if self.left < 0:
            self.look()
        self.built(result)

    def built(self, value: Any) -> None:
        """Counts the size of a computed value.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        kind = type(value)
        if kind is str or kind is bytes:
            self.room -= len(value)
        elif kind is list or kind is dict:
            self.room -= _ITEM * len(value)
        if self.room < 0:
            raise self.out_of_room()

    def out_of_room(self) -> FunctionError:
        """The error when `room` is below zero."""
        most = self.limits.max_built_chars
        return over_limit(
            "max_built_chars",
            f"this run computes more than {most} characters of text",
            self.limits,
        )

    def spend_nodes(self, count: int) -> None:
        """Counts nodes that become part of a document.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        self._nodes += count
        most = self.limits.max_total_nodes
        if self._nodes > most:
            raise over_limit(
                "max_total_nodes",
                f"the documents of this run would have more than {most} nodes",
                self.limits,
            )


def over_limit(name: str, summary: str, limits: Limits) -> FunctionError:
    """The error of a blueprint that exceeds the limit `name`."""
    return FunctionError(f"{summary} (`{name}`)", "limit_exceeded", how_to_raise(name, limits))
