"""Where the process starts and ends."""

from __future__ import annotations

import sys

EXIT_ERRORS = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_BUG = 70
EXIT_STOPPED = 128
"""And the number of the signal."""

EXIT_INTERRUPTED = 130


def main() -> None:
    """Runs the command line and exits with its status.

    `--version` is answered before anything is imported. A reader that stops early ends the program
    quietly, a signal ends it after temporary files are removed, and a bug says what to report.
    """
    import gc

    try:
        _import_nothing_from_here()
        # The trees of one render have no cycles worth collecting, and the process is short.
        gc.disable()
        status = _guarded()
        if sys.gettrace() is None:  # coverage and debuggers have something to do at the end
            _leave(status)
    except KeyboardInterrupt as stop:  # before the work begins, or when it is done
        status = _status_after(stop)
    sys.exit(status)


def _import_nothing_from_here() -> None:
    """Takes the working directory from the places that Python imports from.

    It may be that of a blueprint, with files that are named like modules or packages. Python puts
    it there for an empty or relative element of PYTHONPATH, and for `python -m` and `python -c`.
    What is named in full stays, and so does the place that this module comes from.
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
    """Ends the process without taking its objects apart one by one, which takes a while.

    Returns when something is left to be written, so that the usual way out deals with it.
    """
    import os

    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return
    os._exit(status)


def _guarded() -> int:
    import os

    from .streams import open_missing, tell

    open_missing()
    stopped: list[int] = []
    try:
        _turn_signals_into_interruptions(stopped)
        status = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever stops reading has what he wants, as in `bpp functions | head`.
        drop(1)
        return 0
    except KeyboardInterrupt as stop:
        return _status_after(stop)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else EXIT_ERRORS
    except OSError as error:
        drop(1)
        tell(f"error: the output cannot be written: {error.strerror or 'I/O error'}\n")
        return EXIT_UNREADABLE
    except MemoryError:
        # what was built is gone with the frames that held it, so there is room for a sentence
        drop(1)
        tell(
            "error: there is not enough memory for this blueprint; nothing was written\n"
            "  help: give it more memory, or lower limits that it needs not reach: "
            "`bpp explain limits`\n"
        )
        return EXIT_ERRORS
    except Exception as error:
        wanted = os.environ.get("BPP_TRACEBACK")
        if wanted == "full":
            raise
        _report_bug(error, bool(wanted))
        return EXIT_BUG
    # also when a plugin has caught what was meant for all of this
    return EXIT_STOPPED + stopped[0] if stopped else status


def _status_after(stop: KeyboardInterrupt) -> int:
    return EXIT_STOPPED + stop.args[0] if stop.args else EXIT_INTERRUPTED


def _run() -> int:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from ..values.version import VERSION

        sys.stdout.write(f"bpp {VERSION}\n")
        return 0
    from .quick import quick_options
    from .usage import UsageProblem

    options = quick_options(sys.argv[1:])
    try:
        if options is None:
            return _run_other()
        from .render_command import RenderOptions, run_render

        return run_render(RenderOptions(**options))
    except UsageProblem as problem:
        from .streams import tell
        from .terminal import visible

        tell(f"error: {visible(str(problem))}\n")
        return EXIT_USAGE


def _run_other() -> int:
    from .quick import quick_build_options

    options = quick_build_options(sys.argv[1:])
    if options is None:
        from .app import app

        return app()
    from .build_command import BuildOptions, run_build

    return run_build(BuildOptions(**options))


def drop(descriptor: int) -> None:
    """Lets what is still buffered for a stream go nowhere: the flush at exit must not fail."""
    import os

    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, descriptor)
    if null != descriptor:
        os.close(null)


def _turn_signals_into_interruptions(stopped: list[int]) -> None:
    """A termination unwinds the stack, so that no temporary file stays behind.

    Notes the number of the signal. What is ignored stays so, as `nohup` wants it.
    """
    import signal

    def leave(number: int, _: object) -> None:
        # what comes while things are put in order must not disturb that
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
    """What a user can pass on: never what exceptions say, which could be parts of the blueprint."""
    import platform
    import traceback

    from ..values.version import VERSION
    from .streams import tell

    frames = traceback.extract_tb(error.__traceback__)
    place = "unknown"
    if frames:
        last = frames[-1]
        place = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno} in {last.name}"
    tell(
        f"bpp: internal error: {type(error).__name__} at {place}\n"
        "  This is a bug in bpp, not in your blueprint. Nothing was written.\n"
        f"  Please report it with: bpp {VERSION}{_build()}, Python {platform.python_version()}, "
        f"{platform.system()}, and the command you ran.\n"
        "  Set BPP_TRACEBACK=1 to see where it happened, or BPP_TRACEBACK=full to see what\n"
        "  exceptions say as well, which may hold secrets.\n"
    )
    if traced:
        tell("".join(_frames(error)))


def _build() -> str:
    """How the modules that every render runs came here: as they are, or compiled."""
    try:
        from ..values import tree
    except ImportError:
        return " (incomplete)"
    return "" if str(tree.__file__).endswith(".py") else " (compiled)"


def _frames(error: BaseException) -> list[str]:
    """Where an exception comes from and what led to it, the first one first."""
    import traceback

    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    frames = traceback.format_list(traceback.extract_tb(error.__traceback__))
    return [*(_frames(before) if before else ()), f"{type(error).__name__}\n", *frames]
