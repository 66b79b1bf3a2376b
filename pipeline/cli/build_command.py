"""`bpp build`: brings the outputs of a configuration up to date, once or whenever files change."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping

from ..building.builds import BuildResult, Unchanged, UnknownTarget, build_or_skip, select
from ..building.configuration import Configuration, find_configuration
from ..building.target import DIFFERS, FAILED, Surroundings, TargetResult
from ..engine.options import Options
from ..values.settings import Settings
from ..world.files import FileProblem, real_path
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err, write_out, write_raw
from .usage import UsageProblem, cache_folder, moment, stores_of

_PROGRESS_CHARS = 78


def run_build(options: Options) -> int:
    """The exit status of `bpp build`; 1 when a target fails or --check finds a difference."""
    jobs = _jobs(options.jobs)
    limits: Mapping[str, int] = {}
    if options.limit:
        from .limit_flags import limit_flags

        limits = limit_flags(options.limit)
    if options.watch and options.check:
        raise UsageProblem("--watch cannot be combined with --check")
    path = options.config or find_configuration()
    if path is None:
        raise UsageProblem(
            "no `bpp.toml`, and no `pyproject.toml` with `[tool.bpp]`, in this folder or above"
        )
    if options.diagnostics_file:
        from .report_files import check_report_files

        check_report_files(options, [path])
    around = surroundings(os.environ, options.no_cache).evolve(limits=limits)
    if options.watch:
        return _watch(path, jobs, around, options)
    try:
        result = _build_once(path, jobs, around, options)
    except FileProblem as problem:
        return _report_unreadable(problem, path, options)
    return 0 if isinstance(result, Unchanged) else _status(result)


def surroundings(environment: Mapping[str, str], no_cache: bool = False) -> Surroundings:
    """The parts of the environment that a build uses, with `bpp build` and in other build tools."""
    return Surroundings(
        environment={k: v for k, v in environment.items() if k.startswith("BPP_VAR_")},
        settings=Settings(
            now=moment(None, environment.get("SOURCE_DATE_EPOCH")),
            cache=cache_folder("fetched"),
            stores=stores_of(environment),
        ),
        cache=None if no_cache else cache_folder("builds"),
        shapes=cache_folder(),
    )


def _build_once(
    path: str | Configuration,
    jobs: int | None,
    around: Surroundings,
    options: Options,
    names: tuple[str, ...] | None = None,
) -> BuildResult | Unchanged:
    """One build and its report; `names` are the targets instead of those of the options.

    It is `Unchanged` only for a report as text that is not watched.

    Raises:
        FileProblem: when the configuration cannot be read.
        UsageProblem: for an unknown target.
    """
    progress = _Progress(sys.stderr, options.diagnostics)
    try:
        result = build_or_skip(
            path,
            skip=_is_plain(options) and not options.watch,
            targets=options.targets if names is None else names,
            jobs=jobs,
            check=options.check,
            around=around,
            progress=progress.show if progress.wanted else None,
        )
    except UnknownTarget as error:
        raise UsageProblem(str(error)) from None
    finally:
        progress.clear()
    if isinstance(result, Unchanged):
        write_raw(_summary(result.seconds, options.check, fine=result.count))
        return result
    if not _is_plain(options) or _has_diagnostics(result):
        from .build_report import report_build

        reads = {file for one in result.results for file in one.reads}
        _report(lambda form, color: report_build(result, form, color), options, reads)
    # a report for programs is alone on standard output
    written = options.check and options.diagnostics != "text"
    tell = write_err if written else write_out
    if options.check:
        from .build_report import difference_report

        tell(difference_report(result, options.color))
    if result.configuration.ok:
        said = summary(result, options.check)
        if written:
            write_err(said)
        elif not write_raw(said) and options.watch:
            raise BrokenPipeError  # the reader has left, so stop watching
    return result


def _is_plain(options: Options) -> bool:
    """True where the diagnostics are told to people alone."""
    return options.diagnostics == "text" and not options.diagnostics_file


def _report(text: Callable[[str, str], str], options: Options, reads: Iterable[str] = ()) -> None:
    """Writes the report, which `text` gives in a format with colors; the product of --check."""
    from .render_inputs import write_report

    form = options.diagnostics
    write_report(text(form, options.color), form, product=options.check)
    if options.diagnostics_file:
        from .report_files import write_reports

        write_reports(options, lambda form: text(form, "never"), reads)


def _has_diagnostics(result: BuildResult) -> bool:
    return any(
        map(len, [result.configuration.diagnostics, *(one.diagnostics for one in result.results)])
    )


def _report_unreadable(problem: FileProblem, path: str, options: Options) -> int:
    """Reports a configuration that cannot be read; the exit status."""
    from .build_report import report_unreadable

    _report(lambda form, color: report_unreadable(problem, path, form, color), options)
    return EXIT_UNREADABLE


def _status(result: BuildResult) -> int:
    """0 if all is well; 3 if all failures are files that cannot be read."""
    if result.ok:
        return 0
    failed = [one for one in result.results if one.status == FAILED]
    if not result.configuration.ok or result.count(DIFFERS) or not failed:
        return EXIT_ERRORS
    return EXIT_UNREADABLE if all(map(_is_unreadable, failed)) else EXIT_ERRORS


def _is_unreadable(result: TargetResult) -> bool:
    from .render_inputs import status_of

    items = [item for item in result.diagnostics if item.severity == "error"]
    named = all(item.span is None and item.code.startswith("file_") for item in items)
    return named or status_of(result.diagnostics) == EXIT_UNREADABLE


def summary(result: BuildResult, check: bool) -> str:
    """`2 rendered, 498 unchanged, 0 failed in 0.31 s`."""
    count = result.count
    if check:
        fine = count("unchanged", "rendered", "restored")
        return _summary(result.seconds, True, fine, count("failed"), differing=count("differs"))
    numbers = count("unchanged"), count("failed"), count("rendered"), count("restored")
    return _summary(result.seconds, False, *numbers)


def _summary(
    seconds: float,
    check: bool,
    fine: int,
    failed: int = 0,
    rendered: int = 0,
    restored: int = 0,
    differing: int = 0,
) -> str:
    counts = [f"{differing} differ" if check else f"{rendered} rendered"]
    if restored:
        counts.append(f"{restored} from the cache")
    counts += [f"{fine} {'up to date' if check else 'unchanged'}", f"{failed} failed"]
    return f"{', '.join(counts)} in {seconds:.2f} s\n"


def _jobs(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:6]) >= 1 and len(text) <= 4):
        raise UsageProblem("--jobs must be a number from 1 to 9999")
    return int(text)


def _watch(path: str, jobs: int | None, around: Surroundings, options: Options) -> int:
    """Builds until it is interrupted; also waits for a configuration with errors to be fixed."""
    import gc

    from ..building.builds import changed_since, look_at, wait_for_change
    from ..values.terminal import visible
    from ..world.effects import Effects
    from ..world.files import DiskFiles

    gc.enable()  # this process may run for days
    real = real_path(path)
    last: dict[str, TargetResult] = {}
    names: tuple[str, ...] | None = None
    configuration: Configuration | str = path
    while True:
        started = Effects(Settings(), DiskFiles()).now()
        try:
            result = _build_once(configuration, jobs, around, options, names)
            assert isinstance(result, BuildResult)
            configuration = result.configuration
            last.update({one.target.name: one for one in result.results})
        except FileProblem as problem:
            _report_unreadable(problem, path, options)
            last = {}
        except UsageProblem as problem:
            if not last:
                raise  # at the start the command is wrong, later the configuration
            write_err(f"error: {visible(str(problem))}\n")
        reads = {file for one in last.values() for file in one.reads}
        watched = look_at({real, *reads})
        changed = changed_since(watched, started)
        names = None
        while not names:
            changed = changed or wait_for_change(watched)
            if real in changed or isinstance(configuration, str) or not configuration.ok:
                configuration, last, names = path, {}, None
                break
            names = _readers(configuration, last, changed, options)
            watched.update(look_at(changed))
            changed = changed if names else set()
        shown = sorted(map(os.path.relpath, changed))
        more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
        write_err(f"{visible(shown[0])}{more} changed\n")


def _readers(
    configuration: Configuration,
    last: dict[str, TargetResult],
    changed: set[str],
    options: Options,
) -> tuple[str, ...]:
    """The names of the targets that read a changed file."""
    return tuple(
        target.name
        for target in select(configuration.targets, options.targets)
        if target.name not in last or changed & {*last[target.name].reads}
    )


class _Progress:
    """One line of a terminal, overwritten each time; nothing if the stream is not a terminal."""

    def __init__(self, stream: object, form: str) -> None:
        self.wanted = form == "text" and _is_terminal(stream)
        self._length = 0
        self._last = 0.0

    def show(self, done: int, total: int, name: str) -> None:
        """Shows how far the build is, at most 20 times a second."""
        from time import perf_counter

        from ..values.terminal import shorten, visible

        now = perf_counter()
        if now - self._last < 0.05:
            return
        self._last = now
        text = shorten(visible(f"[{done}/{total}] {name}"), _PROGRESS_CHARS)
        write_err(f"\r{text}{' ' * (self._length - len(text))}")
        self._length = len(text)

    def clear(self) -> None:
        """Clears the line."""
        if self._length:
            write_err(f"\r{' ' * self._length}\r")
            self._length = 0


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False
