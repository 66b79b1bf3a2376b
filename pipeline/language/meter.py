"""The meter of a run: its one budget of steps, time, computed text and nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ...functions.values import FunctionError, Unknown
from ..values.settings import Limits, how_to_raise
from ..values.threads import AT_A_REFERENCE, Deadline, in_a_thread, is_deep

_CHUNK: Final = 256
_CONTAINERS: Final = (list, dict)
_WITH_PARTS: Final = (list, dict, Unknown)
_ITEM: Final = 64  # bytes of a short string, or of a place in an object
_LONG: Final = 64
_CHARS_A_STEP: Final = 64
_CHARS_A_PART: Final = 8
_PARTS_A_STEP: Final = 8
_WIDE: Final = 4  # bytes of a character in a text that is not ASCII, at the most
_AGAIN: Final = 4  # characters of computed text that reading a character once more is worth
_MEBIBYTE: Final = 1 << 20
_STEPS_A_MISTAKE: Final = 40
# fits on a thread's stack of 256 KiB beside the frames that lead there: a string takes 3, a call 1
_NESTED: Final = 150


class Meter:
    """Counts the steps, time and memory that the documents of one run spend together.

    Whatever loops over input spends before it works, and the clock is looked at then. What a run
    may compute (`most`) grows with the text that it has read, so that a large input needs no flags
    and a small one cannot stand for a large one: `share` are the MiB of it, at least 1.0.

    A run may go on where the reading of its input ended (`after`); it leaves that meter alone.

    `left` are the steps until the next look at the bounds, `room` the characters that may still be
    built; the evaluator lowers both itself, which is cheaper than a call. `nested` are the strings,
    calls and levels of data that are being evaluated inside of one another in this thread. Each
    node counts as `node_weight` of them. `ended` is the error of the limit that was reached last.
    """

    __slots__ = (
        "_granted",
        "_nodes",
        "_parts",
        "_size",
        "_texts",
        "deadline",
        "ended",
        "left",
        "limits",
        "nested",
        "node_weight",
        "room",
        "settled",
        "share",
    )

    def __init__(self, limits: Limits, after: Meter | None = None) -> None:
        self.limits = limits
        self.deadline = Deadline(limits.run_seconds)
        self.room = limits.max_built_chars
        self.left = 0
        self.nested = 0
        self.node_weight = 1
        # what `navigate` looked through, and how far, by the address of the list, which is kept
        self.settled: dict[int, tuple[list[Any], int]] = {}
        self.share = 1.0
        self.ended: FunctionError | None = None
        self._granted = 0
        self._nodes = 0
        self._parts = 0
        self._size = 0
        self._texts: set[tuple[int, int]] = set()
        if after is not None:
            self.deadline = after.deadline
            self.room = after.room
            self.share = after.share
            self._nodes = after._nodes
            self._size = after._size
            self._texts.update(after._texts)

    def renew(self) -> None:
        """Starts anew, for another question about what the run has made."""
        self.deadline = Deadline(self.limits.run_seconds)
        self.room = self.most("max_built_chars")
        self.left = self._granted = self._nodes = 0
        self.ended = None

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
            return in_a_thread(call) if is_full or is_deep(frames) else call()
        finally:
            self.nested = nested

    def read(self, text: str) -> None:
        """Counts a text before a reader gets it; one that was read before makes no room again.

        After a limit has ended the run, nothing more is read.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        if self.ended is not None:
            raise self.ended
        self.check_time()
        if not self.grow(text):
            self.room -= _AGAIN * len(text)
            if self.room < 0:
                raise self.out_of_room()

    def grow(self, text: str | bytes) -> bool:
        """Lets the run compute more, in proportion to what it has read; False for a known text."""
        size = len(text)
        known = (size, hash(text))
        if known in self._texts:
            return False
        self._texts.add(known)
        self._size += size
        if self._size > _MEBIBYTE:
            before = self.most("max_built_chars")
            self.share = self._size / _MEBIBYTE
            self.room += self.most("max_built_chars") - before
        return True

    def know(self, text: str) -> None:
        """Takes a text that the run computed for one that it has read: it makes no room."""
        self._texts.add((len(text), hash(text)))

    def most(self, name: str) -> int:
        """The value of a limit that grows with what was read."""
        bound: int = getattr(self.limits, name)
        return int(bound * self.share)

    def over(self, name: str, summary: str) -> FunctionError:
        """The error of exceeding such a limit."""
        share = self.share
        each = f", {getattr(self.limits, name)} for each MiB of input" if share > 1 else ""
        self.ended = over_limit(name, f"{summary} {self.most(name)}{each}", self.limits)
        return self.ended

    def look(self) -> None:
        """Grants more steps when `left` is below zero.

        Raises:
            FunctionError: `limit_exceeded` for too many steps, or when the time is up.
        """
        self.check_time()
        more = min(max(_CHUNK, -self.left), self.most("max_steps") - self._granted)
        if self.left + more < 0:
            raise self.over("max_steps", "the steps of this run exceed the limit of")
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

    def mistake(self) -> None:
        """Counts a mistake that nobody is told of, until a limit has ended the run.

        Raises:
            FunctionError: `limit_exceeded` for too many steps, or when the time is up.
        """
        if self.ended is None:
            self.work(_STEPS_A_MISTAKE)

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
            self.ended = over_limit("run_seconds", summary, self.limits)
            raise self.ended from None

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
        if kind is str:
            self.room -= len(value) if value.isascii() else _WIDE * len(value)
        elif kind is bytes:
            self.room -= len(value)
        elif kind is list or kind is dict:
            self.room -= _ITEM * len(value)
        if self.room < 0:
            raise self.out_of_room()

    def weigh(self, value: Any, weight: int = 1, depth: int = 0) -> bool:
        """Counts an argument before a function looks at it; True when a part of it is unknown.

        Functions look at all of a text or a collection, however small their result is. `weight` is
        what a function does with each character and each part, in comparisons. `depth` is how deep
        the value stands in another one.

        Raises:
            FunctionError: `limit_exceeded` for too many steps, for a value that is nested too deep,
                or when the time is up.
        """
        kind = type(value)
        if kind is Unknown:
            return True
        if kind is str or kind is bytes:
            size = len(value)
            if size > _LONG:
                self.work(size * weight // _CHARS_A_STEP)
            return False
        if not isinstance(value, _CONTAINERS):
            return False
        if depth > self.limits.max_depth:
            raise self.too_deep()
        parts = weight
        waits = False
        for item in value if isinstance(value, list) else value.values():
            parts += weight
            kind = type(item)
            if kind is str:
                size = len(item)
                if size > _LONG:
                    parts += size // _CHARS_A_PART
            elif isinstance(item, _WITH_PARTS) and self.weigh(item, weight, depth + 1):
                waits = True
                break
        self._parts += parts
        if self._parts >= _PARTS_A_STEP:
            self.work(self._parts // _PARTS_A_STEP)
            self._parts %= _PARTS_A_STEP
        return waits

    def kept(self, value: Any, depth: int = 0) -> None:
        """Counts a value with all its parts, as often as they occur: an expression writes them out.

        `depth` is how deep it stands in another one.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        self.built(value)
        if isinstance(value, _CONTAINERS):
            if depth > self.limits.max_depth:
                raise self.too_deep()
            for item in value if isinstance(value, list) else value.values():
                self.kept(item, depth + 1)

    def too_deep(self) -> FunctionError:
        """The error of a value that is nested too deep."""
        bound = self.limits.max_depth
        return over_limit("max_depth", f"a value may be nested {bound} deep", self.limits)

    def out_of_room(self) -> FunctionError:
        """The error when `room` is below zero."""
        return self.over("max_built_chars", "the text that this run computes exceeds the limit of")

    def nodes_left(self) -> int:
        """The nodes that documents may still have."""
        return (self.most("max_total_nodes") - self._nodes) // self.node_weight

    def spend_nodes(self, count: int) -> None:
        """Counts nodes that become part of a document, before they are made, and a step for each.

        Raises:
            FunctionError: `limit_exceeded`, for too many or when the time is up.
        """
        self._nodes += count * self.node_weight
        # what was read only adds to the limit
        if self._nodes > self.limits.max_total_nodes and self.nodes_left() < 0:
            raise self.over_nodes()
        self.left -= count
        if self.left < 0:
            self.look()

    def over_nodes(self) -> FunctionError:
        """The error of documents with too many nodes."""
        return self.over("max_total_nodes", "the nodes of this run exceed the limit of")


def over_limit(name: str, summary: str, limits: Limits) -> FunctionError:
    """The error of a blueprint that exceeds the limit `name`."""
    return FunctionError(f"{summary} (`{name}`)", "limit_exceeded", how_to_raise(name, limits))
