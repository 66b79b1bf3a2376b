"""`bpp lock`: fetches the files that a blueprint names and records their digests."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..engine.options import Options
from ..engine.run import Run
from ..rendering import failed_to_read, render
from ..values.diagnostics import Diagnostics
from ..values.terminal import visible
from ..world.files import FileProblem
from ..world.remote.lock import FILE_NAME, Content, Lock, lock_text, read_lock
from .render_inputs import Inputs, report, status_of
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err, write_raw
from .usage import STANDARD_INPUT, UsageProblem


def run_lock(options: Options) -> int:
    """The exit status of `bpp lock`; 1 when --check finds a difference."""
    if options.add and options.check:
        raise UsageProblem("--add cannot be combined with --check")
    prepared = Inputs(options)
    path = options.output or _beside(options.file)
    if options.diagnostics_file:
        from .report_files import check_report_files

        check_report_files(options, [path])
    ready = prepared.read()
    if ready is None:
        return prepared.fail(product=path != "-")
    source, arguments = ready
    spoken = arguments["dialect"]
    if "--lock" in spoken.command_line.refuses:
        raise UsageProblem(f"nothing is fetched in the dialect `{spoken.name}`")
    # an include that is left in place now could fetch anything later
    arguments["settings"] = prepared.settings.evolve(use_lock=False, keep_remote_includes=False)
    run = render(source, **arguments)
    found = run.diagnostics
    found.extend(prepared.diagnostics)
    printed, told, status = "", "", status_of(found)
    if run.ok:
        files: dict[str, Content] = dict(run.contents)
        if path == "-":
            printed, status = lock_text(files), 0
        else:
            try:
                told, status = _kept(path, files, run, prepared)
            except FileProblem as problem:
                found.add(failed_to_read(problem))
                status = EXIT_UNREADABLE
    report(found, options, source.name, product=path != "-")
    write_err(told)
    write_raw(printed)
    return status


def _kept(path: str, files: dict[str, Content], run: Run, prepared: Inputs) -> tuple[str, int]:
    """Writes the lock file, or compares it; what to say of it, and the exit status.

    Raises:
        FileProblem: when it cannot be read or written.
    """
    options = prepared.options
    if options.add or options.check:
        old = _read(path, prepared, run.diagnostics)
        if old is None:
            return "", EXIT_ERRORS
        if options.check:
            return _compare(old, files, path)
        files = {**old.files, **files}
    from ..world.writing import folders_of, refuse_inputs, write_atomically

    refuse_inputs([path], run.reads)
    data = lock_text(files).encode("utf-8")
    with folders_of([path]):
        changed = write_atomically(path, data, named=options.output is not None)
    return f"{visible(path)}: {_counted(len(files))}{'' if changed else ', unchanged'}\n", 0


def _beside(file: str) -> str:
    folder = "" if file in STANDARD_INPUT else os.path.dirname(file)
    return os.path.join(folder, FILE_NAME)


def _read(path: str, prepared: Inputs, found: Diagnostics) -> Lock | None:
    """The existing lock file, which may be missing unless it is compared; None after mistakes.

    Raises:
        FileProblem: when it cannot be read.
    """
    if not prepared.options.check and not prepared.files.exists(path):
        return Lock(path, {})
    data = prepared.files.open_input(path, only_file=True)
    return read_lock(path, data, prepared.settings.limits, found)


def _compare(lock: Lock, found: Mapping[str, Content], path: str) -> tuple[str, int]:
    lines = [
        f"{sign} {visible(name)}\n"
        for name in sorted({*lock.files, *found})
        if (sign := _sign(lock.files.get(name), found.get(name)))
    ]
    if not lines:
        return f"{visible(path)}: {_counted(len(found))}, up to date\n", 0
    heading = f"{visible(path)} differs (+ new, - no longer fetched, ~ changed):\n"
    return heading + "".join(lines), EXIT_ERRORS


def _sign(old: Content | None, new: Content | None) -> str:
    if old == new:
        return ""
    if old is None:
        return "+"
    return "-" if new is None else "~"


def _counted(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
