"""The only module that starts programs: Graphviz for pictures, and workers of builds."""

from __future__ import annotations

import subprocess
from typing import TypeAlias

from ...functions.value_limits import raising
from .files import FileProblem

PythonProcess: TypeAlias = "subprocess.Popen[bytes]"


def run_program(command: list[str], data: bytes, seconds: int, hint: str) -> bytes:
    """The output of a program for data on its standard input; it has no terminal and no shell.

    Its standard error is dropped: it could quote its input.

    Raises:
        FileProblem: `program_not_found`, with the hint, or `program_failed`.
    """
    name = command[0]
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        message = f"the program `{name}` is not installed or not on `PATH`"
        raise FileProblem("program_not_found", message, hint) from None
    except subprocess.TimeoutExpired:
        message = f"`{name}` did not finish within `program_seconds` ({seconds} s)"
        hint = "draw a smaller part, or " + raising("program_seconds", seconds)
        raise FileProblem("program_failed", message, hint) from None
    except OSError as error:
        reason = error.strerror or "it cannot be started"
        raise FileProblem("program_failed", f"`{name}` cannot be run: {reason}") from None
    if done.returncode != 0 or not done.stdout:
        message = f"`{name}` failed with status {done.returncode}"
        raise FileProblem("program_failed", message, hint)
    return done.stdout


def start_python(module: str, arguments: list[str]) -> PythonProcess:
    """Another process of this Python that runs the `main` of a module, with pipes to and from it.

    It imports from where this process does, and never from the working directory by accident: a
    blueprint's folder may hold files with the names of modules.

    Raises:
        FileProblem: `program_not_found` or `program_failed`.
    """
    import os
    import sys

    if not sys.executable or getattr(sys, "frozen", False):
        raise FileProblem("program_not_found", "no Python interpreter can be started")
    program = (
        "import sys\n"
        "count = int(sys.argv[1])\n"
        "sys.path[:] = sys.argv[2 : 2 + count]\n"
        "del sys.argv[1 : 2 + count]\n"
        f"from {module} import main\n"
        "main()\n"
    )
    # also entries that are not folders: installers put names there for their own finders
    folders = [folder or os.getcwd() for folder in sys.path]
    command = [sys.executable, "-P", "-c", program, str(len(folders)), *folders, *arguments]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        reason = error.strerror or "it cannot be started"
        raise FileProblem("program_failed", f"`{sys.executable}` cannot be run: {reason}") from None
