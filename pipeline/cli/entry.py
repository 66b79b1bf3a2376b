"""Starts and ends the process."""

from __future__ import annotations

import sys

from .streams import (
    EXIT_BUG,
    EXIT_ERRORS,
    EXIT_INTERRUPTED,
    EXIT_STOPPED,
    EXIT_UNREADABLE,
    EXIT_USAGE,
    discard,
    open_missing,
    write_err,
)


def main() -> None:
    """Runs the command line and exits with its status.

    `--version` imports almost nothing. A closed pipe ends the program quietly, a signal ends it
    after temporary files are removed, and a bug prints what to report.
    """
    import gc

    try:
        _import_nothing_from_here()
        # the trees of a render have no cycles worth collecting, and the process is short
        gc.disable()
        status = _guarded()
        if sys.gettrace() is None:  # coverage and debuggers need the normal exit
            _leave(status)
    except KeyboardInterrupt as stop:  # before the work begins or after it is done
        status = _status_after(stop)
    sys.exit(status)


def _import_nothing_from_here() -> None:
    """Removes the working directory from `sys.path`.

    It may hold a blueprint next to files that are named like modules or packages. Python adds it
    for an empty or relative element of PYTHONPATH, and for `python -m` and `python -c`. Absolute
    elements stay, and so does the folder that this module comes from.
    """
    import os

    try:
        here = os.getcwd()
    except OSError:
        return
    named = "" if sys.flags.ignore_environment else os.environ.get("PYTHONPATH", "")
    parts = named.split(os.pathsep) if named else []
    unwanted = {"", *(os.path.abspath(part) for part in parts if not os.path.isabs(part))}
    if sys.path[:1] == [here] and not sys.flags.safe_path:
        unwanted.add(here)
    ours = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    sys.path[:] = [folder for folder in sys.path if folder == ours or folder not in unwanted]


def _leave(status: int) -> None:
    """Ends the process without freeing its objects one by one, which takes a while.

    Returns if a stream cannot be flushed, so that the normal exit handles it.
    """
    import os

    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(status)


_MEMORY = "not enough memory for this blueprint"
_UNEXPLAINED = ("without setting an exception", "without exception set")
"""How Python's messages about C code end that failed and lost the reason."""


def _guarded() -> int:
    import os

    open_missing()
    stopped: list[int] = []
    try:
        _turn_signals_into_interruptions(stopped)
        status = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        # a closed pipe is a success: `bpp functions | head`
        discard(1)
        return 0
    except KeyboardInterrupt as stop:
        return _status_after(stop)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else EXIT_ERRORS
    except OSError as error:
        return _refused_by_system(_reason(error))
    except MemoryError:
        return _without_memory(_MEMORY)
    except Exception as error:
        from ..world.file_problems import FileProblem

        if isinstance(error, FileProblem):
            return _refused_by_system(error.message)
        if isinstance(error, SystemError) and isinstance(error.__cause__, MemoryError):
            return _without_memory(_MEMORY)
        if isinstance(error, SystemError) and str(error).endswith(_UNEXPLAINED):
            return _without_memory(
                "a library failed without a reason, as it does where memory is short"
            )
        wanted = os.environ.get("BPP_TRACEBACK")
        if wanted == "full":
            raise
        _report_bug(error, bool(wanted))
        return EXIT_BUG
    # even if a plugin caught the interruption
    return EXIT_STOPPED + stopped[0] if stopped else status


def _without_memory(cause: str) -> int:
    """Says so; the frames that held the memory are gone, so there is room for a message."""
    discard(1)
    write_err(
        f"error: {cause}; nothing was written\n"
        "  help: raise the memory limit, or lower the limits that this blueprint does not "
        "need: `bpp explain limits`\n"
    )
    return EXIT_ERRORS


def _reason(error: OSError) -> str:
    """What an error of the system that no command has expected is about."""
    why = error.strerror or "I/O error"
    if error.filename is not None:
        return f"`{error.filename}` cannot be used: {why}"
    if isinstance(error, FileNotFoundError):
        return "the working directory no longer exists"
    return f"the output cannot be written: {why}"


def _refused_by_system(why: str) -> int:
    """Says why nothing can be read or written here, for what no command has expected."""
    from ..values.terminal import visible

    discard(1)
    write_err(f"error: {visible(why)}\n")
    return EXIT_UNREADABLE


def _status_after(stop: KeyboardInterrupt) -> int:
    return EXIT_STOPPED + stop.args[0] if stop.args else EXIT_INTERRUPTED


def _run() -> int:
    asked = {*sys.argv[1:]}
    if asked & {"--version", "-V"} and asked <= {"--version", "-V", "--verbose", "-v"}:
        sys.stdout.write(_version_lines(len(asked & {"--verbose", "-v"}) > 0))
        return 0
    from .quick import quick_options
    from .usage import UsageProblem

    options = quick_options(sys.argv[1:])
    try:
        if options is None:
            from .app import app

            return app()
        match sys.argv[1]:
            case "build":
                from .build_command import run_build

                return run_build(options)
            case "check":
                from .check_command import run_check

                return run_check(options)
            case "eval":
                from .eval_command import run_eval

                return run_eval(options)
        from .render_command import run_render

        return run_render(options)
    except UsageProblem as problem:
        from ..values.terminal import visible

        write_err(f"error: {visible(str(problem))}\n")
        return EXIT_USAGE


def _version_lines(verbose: bool) -> str:
    """The version; with `verbose` also a line for each of what a report of a bug should name."""
    from ..values.version import VERSION

    lines = [f"bpp {VERSION}"]
    if verbose:
        import platform

        from ..dialects.table import NAMES, find_dialect

        lines += [
            f"modules: {'compiled' if _build() else 'not compiled'}",
            f"Python {platform.python_version()} ({platform.python_implementation()}, "
            f"{platform.system()} {platform.machine()})",
            *(f"{name}: {find_dialect(name).title}" for name in NAMES),
        ]
    return "".join(f"{line}\n" for line in lines)


def _turn_signals_into_interruptions(stopped: list[int]) -> None:
    """Unwinds the stack on termination, so that no temporary file is left behind.

    Adds the number of the signal to the list. Signals that are ignored stay so, as with `nohup`.
    """
    import signal

    def leave(number: int, _: object) -> None:
        # further signals must not disturb the cleanup
        for one in handled:
            signal.signal(one, signal.SIG_IGN)
        stopped.append(number)
        raise KeyboardInterrupt(number)

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    every = [getattr(signal, name) for name in names if hasattr(signal, name)]
    handled = [one for one in every if signal.getsignal(one) != signal.SIG_IGN]
    for one in handled:
        signal.signal(one, leave)
    if hasattr(signal, "SIGXFSZ"):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _report_bug(error: Exception, traced: bool) -> None:
    """Prints what to report: no messages of exceptions, which could quote the blueprint."""
    import platform
    import traceback

    from ..values.version import VERSION

    frames = traceback.extract_tb(error.__traceback__)
    place = "unknown"
    if frames:
        last = frames[-1]
        place = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno} in {last.name}"
    write_err(
        f"bpp: internal error: {type(error).__name__} at {place}\n"
        "  This is a bug in bpp, not in your blueprint. Nothing was written.\n"
        f"  Please report it with: bpp {VERSION}{_build()}, Python {platform.python_version()}, "
        f"{platform.system()}, and the command you ran.\n"
        "  Set BPP_TRACEBACK=1 to see where it happened, or BPP_TRACEBACK=full to also see the\n"
        "  messages of exceptions, which may hold secrets.\n"
    )
    if traced:
        write_err("".join(_frames(error)))


def _build() -> str:
    """Whether the modules that every render runs are compiled."""
    try:
        from ..values import tree
    except ImportError:
        return " (incomplete)"
    return "" if str(tree.__file__).endswith(".py") else " (compiled)"


def _frames(error: BaseException) -> list[str]:
    """The frames of an exception and of its causes, the first cause first."""
    import traceback

    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    return [*(_frames(before) if before else ()), f"{type(error).__name__}\n", *frames]
