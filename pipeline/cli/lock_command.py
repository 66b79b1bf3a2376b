"""`bpp lock`: fetches what a blueprint names and records what it was."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..rendering import failed_to_read, render
from ..values.diagnostics import Diagnostics
from ..world.files import FileProblem
from ..world.remote.lock import FILE_NAME, Content, Lock, lock_text, read_lock
from .entry import EXIT_ERRORS, EXIT_UNREADABLE
from .render_command import REPORTS, Inputs, RenderOptions, report, status_of
from .streams import put, tell
from .terminal import visible
from .usage import STANDARD_INPUT, UsageProblem, choice


def run_lock(options: RenderOptions, add: bool, check: bool) -> int:
    """The exit status of `bpp lock`; 1 when `check` finds a difference."""
    choice("--diagnostics", options.diagnostics, REPORTS)
    choice("--color", options.color, ("auto", "always", "never"))
    if add and check:
        raise UsageProblem("--add changes the lock file, --check does not: choose one")
    prepared = Inputs(options)
    source = prepared.source()
    arguments = prepared.arguments(source) if source else None
    if source is None or arguments is None:
        return prepared.fail()
    spoken = arguments["dialect"]
    if "--lock" in spoken.command_line.refuses:
        raise UsageProblem(f"nothing is fetched in the dialect `{spoken.name}`, so nothing locked")
    # a child that stays closed now could be anything later
    arguments["settings"] = prepared.settings.evolve(use_lock=False, keep_remote_includes=False)
    run = render(source, **arguments)
    run.diagnostics.extend(prepared.diagnostics)
    report(run.diagnostics, options, source.name)
    if not run.ok:
        return status_of(run.diagnostics)
    path = options.output or _beside(options.file)
    files: dict[str, Content] = dict(run.contents)
    if path == "-":
        put(lock_text(files))
        return 0
    try:
        if add or check:
            old = _read(path, prepared, check)
            if old is None:
                report(prepared.diagnostics, options, path)
                return EXIT_ERRORS
            if check:
                return _compare(old, files, path)
            files = {**old.files, **files}
        from ..world.writing import write_atomically

        changed = write_atomically(path, lock_text(files).encode("utf-8"))
    except FileProblem as problem:
        failed = Diagnostics()
        failed.add(failed_to_read(problem))
        report(failed, options, source.name)
        return EXIT_UNREADABLE
    tell(f"{visible(path)}: {_counted(len(files))}{'' if changed else ', unchanged'}\n")
    return 0


def _beside(file: str) -> str:
    folder = "" if file in STANDARD_INPUT else os.path.dirname(file)
    return os.path.join(folder, FILE_NAME)


def _read(path: str, prepared: Inputs, required: bool) -> Lock | None:
    """The lock file that is there; an empty one when there is none and none is `required`.

    Raises:
        FileProblem: when it cannot be read.
    """
    if not required and not prepared.files.exists(path):
        return Lock(path, {})
    data = prepared.files.open_input(path)
    return read_lock(path, data, prepared.settings.limits, prepared.diagnostics)


def _compare(lock: Lock, found: Mapping[str, Content], path: str) -> int:
    lines = [
        f"{sign} {visible(name)}\n"
        for name in sorted({*lock.files, *found})
        if (sign := _sign(lock.files.get(name), found.get(name)))
    ]
    if lines:
        tell(f"{visible(path)} differs (+ new, - no longer fetched, ~ changed):\n{''.join(lines)}")
        return EXIT_ERRORS
    tell(f"{visible(path)}: {_counted(len(found))}, up to date\n")
    return 0


def _sign(old: Content | None, new: Content | None) -> str:
    if old == new:
        return ""
    if old is None:
        return "+"
    return "-" if new is None else "~"


def _counted(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"
