"""What is said of code that is not bpp's own and broke: the kind of exception, and its own line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from traceback import walk_tb
from types import FrameType
from typing import Final

_OURS: Final = __name__.partition(".")[0]
_KEPT: ContextVar[list[BaseException] | None] = ContextVar("kept", default=None)


@contextmanager
def kept(causes: list[BaseException]) -> Iterator[None]:
    """Adds to a list, while it is open, every exception that `breakage` describes."""
    token = _KEPT.set(causes)
    try:
        yield
    finally:
        _KEPT.reset(token)


def cause_of(causes: list[BaseException]) -> BaseException | None:
    """The one exception, a group of several, or None."""
    if len(causes) > 1:
        return BaseExceptionGroup("several plugins broke, or one did so several times", causes)
    return causes[0] if causes else None


def breakage(error: BaseException) -> str:
    """`ZeroDivisionError at acme/names.py:7 in slug`, or the kind alone where no line is known.

    The line is the innermost one of the package that bpp called, not of a library which that uses.
    What the exception says is left out, because it may hold a secret.
    """
    causes = _KEPT.get()
    if causes is not None:
        causes.append(error)
    place = _place(error)
    return type(error).__name__ + (f" at {place}" if place else "")


def _place(error: BaseException) -> str:
    file = error.filename if isinstance(error, SyntaxError) else None
    if file and file.endswith(".py"):  # a module that cannot be read
        return f"{_short(file, 2)}:{error.lineno}"  # type: ignore[attr-defined]
    root, found = "", ""
    for frame, line in walk_tb(error.__traceback__):
        name = _module(frame).partition(".")[0]
        if not root and name != _OURS and name not in sys.stdlib_module_names:
            root = name
        if root and name == root:
            within = frame.f_code.co_name
            where = "" if within == "<module>" else f" in {within}"
            found = f"{_file(frame)}:{line}{where}"
    return found


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__") or "?")


def _file(frame: FrameType) -> str:
    """The file of a frame from the folder of its top package on."""
    file = frame.f_code.co_filename
    is_package = file.endswith("__init__.py")
    return _short(file, _module(frame).count(".") + 1 + is_package)


def _short(file: str, parts: int) -> str:
    return "/".join(file.replace("\\", "/").split("/")[-parts:])
