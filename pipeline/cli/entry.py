"""Where the process starts and ends."""

from __future__ import annotations

import sys

EXIT_ERRORS = 1
EXIT_USAGE = 2
EXIT_UNREADABLE = 3
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


def main() -> None:
    """Runs the command line and exits with its status.

    `--version` is answered before anything is imported. A reader that stops early ends the program
    quietly, a signal ends it after temporary files are removed, and a bug says what to report.
    """
    import gc

    # The trees of one render have no cycles worth collecting, and the process is short.
    gc.disable()
    status = _guarded()
    if sys.gettrace() is None:  # coverage and debuggers have something to do at the end
        _leave(status)
    sys.exit(status)


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
    try:
        _turn_signals_into_exits()
        status = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever stops reading has what he wants, as in `bpp functions | head`.
        drop(1)
        return 0
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else EXIT_ERRORS
    except OSError as error:
        drop(1)
        tell(f"error: the output cannot be written: {error.strerror or 'I/O error'}\n")
        return EXIT_UNREADABLE
    except Exception as error:
        if os.environ.get("BPP_TRACEBACK"):
            raise
        _report_bug(error)
        return EXIT_BUG
    return status


def _run() -> int:
    if sys.argv[1:] in (["--version"], ["-V"]):
        from ..version import VERSION

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


def _turn_signals_into_exits() -> None:
    """A termination unwinds the stack, so that no temporary file stays behind."""
    import signal

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), leave)
    if hasattr(signal, "SIGXFSZ"):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _report_bug(error: Exception) -> None:
    """What a user can pass on; never a traceback, which could hold parts of the blueprint."""
    import platform
    import traceback

    from ..version import VERSION
    from .streams import tell

    frames = traceback.extract_tb(error.__traceback__)
    place = "unknown"
    if frames:
        last = frames[-1]
        place = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno} in {last.name}"
    tell(
        f"bpp: internal error: {type(error).__name__} at {place}\n"
        "  This is a bug in bpp, not in your blueprint. Nothing was written.\n"
        f"  Please report it with: bpp {VERSION}, Python {platform.python_version()}, "
        f"{platform.system()}, and the command you ran.\n"
        "  Set BPP_TRACEBACK=1 to see the whole traceback.\n"
    )
