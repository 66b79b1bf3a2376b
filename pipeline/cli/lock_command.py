"""`bpp lock`: fetches the files that a blueprint names and records their digests."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..engine.options import Options
from ..rendering import render
from ..values.terminal import visible
from ..world.files import FileProblem
from ..world.remote.lock import FILE_NAME, Content, Lock, lock_text, read_lock
from .render_inputs import Inputs, report, report_problem, status_of
from .streams import EXIT_ERRORS, write_err, write_raw
from .usage import STANDARD_INPUT, UsageProblem


def run_lock(options: Options) -> int:
    """The exit status of `bpp lock`; 1 when --check finds a difference."""
    if options.add and options.check:
        raise UsageProblem("--add cannot be combined with --check")
    prepared = Inputs(options)
    ready = prepared.read()
    if ready is None:
        return prepared.fail()
    source, arguments = ready
    spoken = arguments["dialect"]
    if "--lock" in spoken.command_line.refuses:
        raise UsageProblem(f"nothing is fetched in the dialect `{spoken.name}`")
    # an include that is left in place now could fetch anything later
    arguments["settings"] = prepared.settings.evolve(use_lock=False, keep_remote_includes=False)
    run = render(source, **arguments)
    run.diagnostics.extend(prepared.diagnostics)
    report(run.diagnostics, options, source.name)
    if not run.ok:
        return status_of(run.diagnostics)
    path = options.output or _beside(options.file)
    files: dict[str, Content] = dict(run.contents)
    if path == "-":
        write_raw(lock_text(files))
        return 0
    try:
        if options.add or options.check:
            old = _read(path, prepared, options.check)
            if old is None:
                report(prepared.diagnostics, options, path)
                return EXIT_ERRORS
            if options.check:
                return _compare(old, files, path)
            files = {**old.files, **files}
        from ..world.writing import refuse_inputs, write_atomically

        refuse_inputs([path], run.reads)
        data = lock_text(files).encode("utf-8")
        changed = write_atomically(path, data, named=options.output is not None)
    except FileProblem as problem:
        return report_problem(problem, options, source.name)
    write_err(f"{visible(path)}: {_counted(len(files))}{'' if changed else ', unchanged'}\n")
    return 0


def _beside(file: str) -> str:
    folder = "" if file in STANDARD_INPUT else os.path.dirname(file)
    return os.path.join(folder, FILE_NAME)


def _read(path: str, prepared: Inputs, required: bool) -> Lock | None:
    """The existing lock file; an empty one if it is missing and not `required`.

    Raises:
        FileProblem: when it cannot be read.
    """
    if not required and not prepared.files.exists(path):
        return Lock(path, {})
    data = prepared.files.open_input(path, only_file=True)
    return read_lock(path, data, prepared.settings.limits, prepared.diagnostics)


def _compare(lock: Lock, found: Mapping[str, Content], path: str) -> int:
    lines = [
        f"{sign} {visible(name)}\n"
        for name in sorted({*lock.files, *found})
        if (sign := _sign(lock.files.get(name), found.get(name)))
    ]
    if lines:
        write_err(
            f"{visible(path)} differs (+ new, - no longer fetched, ~ changed):\n{''.join(lines)}"
        )
        return EXIT_ERRORS
    write_err(f"{visible(path)}: {_counted(len(found))}, up to date\n")
    return 0


def _sign(old: Content | None, new: Content | None) -> str:
    if old == new:
        return ""
    if old is None:
        return "+"
    return "-" if new is None else "~"


def _counted(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
