"""The command `bpp` without a process of its own: for tests that run it some hundred times."""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from bpp.pipeline.cli import entry

_SIGNALS = ("SIGTERM", "SIGHUP", "SIGXFSZ")


def bpp_inside(
    folder: Path,
    *arguments: str,
    text: str | None = None,
    env: Mapping[str, str] | None = None,
    terminal: bool = False,
) -> CompletedProcess[str]:
    """Runs the command in a folder, without the caller's settings, as `test_cli.bpp` does.

    Everything but the start and the end of a process is as a user has it: the arguments are read
    from `sys.argv`, what is printed are bytes. Workers of `bpp build` are processes all the same.
    Standard error says of itself that it is a `terminal`.
    """
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "SOURCE_DATE", "GITHUB"))
    }
    kept.update({"BPP_CACHE_DIR": str(folder / ".cache"), **(env or {})})
    out, err = _stream(), _stream()
    if terminal:
        err = _Terminal(io.BytesIO(), encoding="utf-8", newline="\n")
    with (
        _standard_input(text or ""),
        _surroundings(folder, kept, ["bpp", *arguments], _stream(text or ""), out, err),
    ):
        status = copy_context().run(entry._guarded)
    return CompletedProcess(arguments, status, _text(out), _text(err))


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", newline="\n")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextmanager
def _standard_input(text: str) -> Iterator[None]:
    """A text as what `/dev/stdin` is, which is how the command opens `-`."""
    before = os.dup(0)
    with tempfile.TemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        file.seek(0)
        os.dup2(file.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(before, 0)
            os.close(before)


@contextmanager
def _surroundings(
    folder: Path, environment: Mapping[str, str], arguments: list[str], *streams: Any
) -> Iterator[None]:
    """A process as the command finds it; all of it is put back."""
    handlers = {name: signal.getsignal(getattr(signal, name)) for name in _known_signals()}
    before = dict(os.environ), os.getcwd(), sys.argv, (sys.stdin, sys.stdout, sys.stderr)
    try:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        sys.argv = arguments
        sys.stdin, sys.stdout, sys.stderr = streams
        yield
    finally:
        environ, cwd, sys.argv, (sys.stdin, sys.stdout, sys.stderr) = before
        os.environ.clear()
        os.environ.update(environ)
        os.chdir(cwd)
        for name, handler in handlers.items():
            signal.signal(getattr(signal, name), handler)


def _known_signals() -> Iterator[str]:
    return (name for name in _SIGNALS if hasattr(signal, name))
