"""`bpp build`: brings the outputs of a configuration up to date, once or whenever files change."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from ...functions.record import Record
from ..building.builds import BuildResult, Unchanged, UnknownTarget, build_or_skip
from ..building.configuration import Configuration, find_configuration
from ..building.target import DIFFERS, FAILED, Surroundings, TargetResult
from ..values.diagnostics import Diagnostics
from ..values.settings import Settings
from ..world.files import FileProblem
from .cache import build_folder, cache_folder, content_folder
from .entry import EXIT_ERRORS, EXIT_UNREADABLE
from .streams import put, say, tell
from .usage import UsageProblem, choice, moment

_PROGRESS_CHARS = 78


class BuildOptions(Record):
    """The options of the command line, as text and as given."""

    targets: tuple[str, ...] = ()
    jobs: str | None = None
    watch: bool = False
    check: bool = False
    config: str | None = None
    no_cache: bool = False
    limit: tuple[str, ...] = ()
    diagnostics: str = "text"
    color: str = "auto"


def run_build(options: BuildOptions) -> int:
    """The exit status of `bpp build`; 1 when a target fails or a check finds a difference."""
    if options.diagnostics != "text":
        from .report import FORMATS

        choice("--diagnostics", options.diagnostics, FORMATS)
    choice("--color", options.color, ("auto", "always", "never"))
    jobs = _jobs(options.jobs)
    limits: Mapping[str, int] = {}
    if options.limit:
        from .limit_flags import limit_flags

        limits = limit_flags(options.limit)
    if options.watch and options.check:
        raise UsageProblem("--watch builds, --check does not: choose one")
    path = options.config or find_configuration()
    if path is None:
        raise UsageProblem(
            "there is no `bpp.toml` and no `pyproject.toml` with `[tool.bpp]`, here or above"
        )
    around = surroundings(os.environ, options.no_cache).evolve(limits=limits)
    if options.watch:
        from .watch_command import watch_build

        return watch_build(path, jobs, around, options)
    try:
        result = build_once(path, jobs, around, options)
    except FileProblem as problem:
        return tell_unreadable(problem, path, options)
    return 0 if isinstance(result, Unchanged) else status_of_build(result)


def surroundings(environment: Mapping[str, str], no_cache: bool = False) -> Surroundings:
    """What a build takes from the environment, as `bpp build` and everything beside it does."""
    from .stores import stores_of

    return Surroundings(
        environment={k: v for k, v in environment.items() if k.startswith("BPP_VAR_")},
        settings=Settings(
            now=moment(None, environment.get("SOURCE_DATE_EPOCH")),
            cache=content_folder(),
            stores=stores_of(environment),
        ),
        cache=None if no_cache else build_folder(),
        shapes=cache_folder(),
    )


def build_once(
    path: str | Configuration,
    jobs: int | None,
    around: Surroundings,
    options: BuildOptions,
    names: tuple[str, ...] | None = None,
) -> BuildResult | Unchanged:
    """One build and its report; `names` are the targets instead of those of the options.

    It is `Unchanged` only for a report as text that is not watched.

    Raises:
        FileProblem: when the configuration cannot be read.
        UsageProblem: for a target that is none.
    """
    progress = _Progress(sys.stderr, options.diagnostics)
    try:
        result = build_or_skip(
            path,
            skip=options.diagnostics == "text" and not options.watch,
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
        put(_summary(result.seconds, options.check, fine=result.count))
        return result
    if options.diagnostics != "text" or _has_diagnostics(result):
        from .build_report import report_build

        told = report_build(result, options.diagnostics, options.color)
        tell(told, commands=options.diagnostics == "github")
    if options.check:
        from .build_report import difference_report

        say(difference_report(result, options.color))
    if result.configuration.ok and not put(summary(result, options.check)) and options.watch:
        raise BrokenPipeError  # nobody sees what is built from now on
    return result


def _has_diagnostics(result: BuildResult) -> bool:
    told = [result.configuration.diagnostics, *(one.diagnostics for one in result.results)]
    return any(map(len, told))


def tell_unreadable(problem: FileProblem, path: str, options: BuildOptions) -> int:
    """Reports a configuration that cannot be read; the exit status."""
    from ..rendering import failed_to_read
    from .build_report import report_alone

    found = Diagnostics()
    found.add(failed_to_read(problem))
    told = report_alone(found, path, options.diagnostics, options.color)
    tell(told, commands=options.diagnostics == "github")
    return EXIT_UNREADABLE


def status_of_build(result: BuildResult) -> int:
    """0 when all is well; 3 when nothing but files that cannot be read is in the way."""
    if result.ok:
        return 0
    failed = [one for one in result.results if one.status == FAILED]
    if not result.configuration.ok or result.count(DIFFERS) or not failed:
        return EXIT_ERRORS
    return EXIT_UNREADABLE if all(map(_is_unreadable, failed)) else EXIT_ERRORS


def _is_unreadable(result: TargetResult) -> bool:
    from .render_command import status_of

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
    counts += [f"{fine} {'as they should be' if check else 'unchanged'}", f"{failed} failed"]
    return f"{', '.join(counts)} in {seconds:.2f} s\n"


def _jobs(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and int(text[:6]) >= 1 and len(text) <= 4):
        raise UsageProblem("--jobs must be a number from 1 to 9999")
    return int(text)


class _Progress:
    """One line on a terminal that is written over; nothing anywhere else."""

    def __init__(self, stream: object, form: str) -> None:
        self.wanted = form == "text" and _is_terminal(stream)
        self._length = 0
        self._last = 0.0

    def show(self, done: int, total: int, name: str) -> None:
        """Tells how far the build is; not more often than anybody could read."""
        from time import perf_counter

        from .terminal import shorten, visible

        now = perf_counter()
        if now - self._last < 0.05:
            return
        self._last = now
        text = shorten(visible(f"[{done}/{total}] {name}"), _PROGRESS_CHARS)
        tell(f"\r{text}{' ' * (self._length - len(text))}")
        self._length = len(text)

    def clear(self) -> None:
        """Leaves an empty line."""
        if self._length:
            tell(f"\r{' ' * self._length}\r")
            self._length = 0


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return False
