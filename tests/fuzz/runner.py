"""Tries inputs one after the other, and says what breaks."""

from __future__ import annotations

import hashlib
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Final

import attrs

from .targets import Target
from .verdict import Broken

CORPUS: Final = Path(__file__).parent / "corpus"
SECONDS: Final = 10.0
"""CPU seconds that one input may take."""


class TooSlow(BaseException):
    """An input takes too long; no `except Exception` of what is tried may keep it."""


@attrs.frozen
class Finding:
    """An input that breaks a law.

    `kind` is the same for inputs that break at the same place, `told` says what happened.
    """

    target: str
    seed: int
    number: int
    data: bytes
    kind: str
    told: str


def make(target: Target, seed: int, number: int) -> bytes:
    """The input of a number: the same one every time."""
    return target.make(Random(f"{target.name} {seed} {number}"))


def attempt(target: Target, data: bytes, seconds: float = SECONDS) -> tuple[str, str] | None:
    """Tries one input: None when all laws hold, else the kind of what happened and its words."""
    try:
        with limited(seconds):
            target.hold(data)
    except Broken as error:
        return str(error).partition(":")[0], str(error)
    except TooSlow:
        return "too slow", f"more than {seconds} CPU seconds"
    except (Exception, RecursionError, MemoryError) as error:
        frames = traceback.extract_tb(error.__traceback__)
        last = frames[-1]
        place = f"{type(error).__name__} at {Path(last.filename).name}:{last.name}"
        return place, "".join(traceback.format_exception(error))
    return None


def run(
    target: Target,
    seed: int,
    numbers: Iterator[int],
    until: Callable[[], bool] = lambda: False,
) -> Iterator[Finding | int]:
    """Tries inputs; gives each finding, and the number of each input that was tried."""
    for number in numbers:
        data = make(target, seed, number)
        wrong = attempt(target, data)
        if wrong is not None:
            yield Finding(target.name, seed, number, data, *wrong)
        yield number
        if until():
            return


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TooSlow inside of the block after so many CPU seconds, where there is such a clock."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def save(finding: Finding, folder: Path = CORPUS) -> Path:
    """Keeps the input of a finding, by its content."""
    place = folder / finding.target
    place.mkdir(parents=True, exist_ok=True)
    file = place / hashlib.sha256(finding.data).hexdigest()[:16]
    file.write_bytes(finding.data)
    return file


def smaller(target: Target, finding: Finding, seconds: float = 20.0) -> Finding:
    """A shorter input that breaks in the same way: pieces are left out while it does."""
    if not target.shrinks:
        return finding
    data = finding.data
    end = time.monotonic() + seconds
    size = len(data) // 2
    while size and time.monotonic() < end:
        position = 0
        while position < len(data) and time.monotonic() < end:
            shorter = data[:position] + data[position + size :]
            try:
                wrong = attempt(target, shorter, 2.0)
            except UnicodeDecodeError:
                wrong = None
            if wrong is not None and wrong[0] == finding.kind:
                data, finding = shorter, attrs.evolve(finding, data=shorter, told=wrong[1])
            else:
                position += size
        size //= 2
    return finding
