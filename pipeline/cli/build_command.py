"""`bpp build`: brings the outputs of a configuration up to date, once or whenever files change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from ..building.builds import (
    BuildResult,
    Unchanged,
    UnknownTarget,
    build_or_skip,
    plan_targets,
    select,
)
from ..building.configuration import Configuration, find_configuration, load_configuration
from ..building.target import DIFFERS, FAILED, RESTORED, Surroundings, TargetResult
from ..engine.options import Options
from ..values.settings import Settings
from ..values.terminal import visible
from ..world.files import FileProblem, real_path
from .progress import Progress
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err, write_out, write_raw
from .usage import UsageProblem, cache_folder, moment, stores_of


def run_build(options: Options) -> int:
    """The exit status of `bpp build`; 1 when a target fails or --check finds a difference."""
    jobs = _jobs(options.jobs)
    limits: Mapping[str, int] = {}
    if options.limit:
        from .limit_flags import limit_flags

        limits = limit_flags(options.limit)
    _check_together(options)
    path = options.config or find_configuration()
    if path is None:
        raise UsageProblem(
            "no `bpp.toml`, and no `pyproject.toml` with `[tool.bpp]`, in this folder or above"
        )
    around = surroundings(os.environ, options.no_cache).evolve(limits=limits)
    try:
        if options.diagnostics_file:
            _keep_files(path, options)
        if options.watch:
            return _watch(path, jobs, around, options)
        if options.listing or options.dry_run:
            return _tell_plan(path, around, options)
        result = _build_once(path, jobs, around, options)
    except FileProblem as problem:
        return _report_unreadable(problem, path, options)
    return 0 if isinstance(result, Unchanged) else _status(result)


def _keep_files(path: str, options: Options) -> None:
    """Refuses reports that would replace the configuration, or an input or output of a target.

    Raises:
        FileProblem: when the configuration cannot be read.
        UsageProblem: naming the file.
    """
    from .report_files import check_report_files

    check_report_files(options, [path])
    configuration = load_configuration(path)
    names = [name for one in configuration.targets for name in (*one.inputs(), *one.outputs())]
    folder = os.path.relpath(configuration.folder)
    check_report_files(options, [os.path.normpath(os.path.join(folder, name)) for name in names])


def _check_together(options: Options) -> None:
    """Refuses options that exclude each other.

    Raises:
        UsageProblem: naming them.
    """
    for flags in (
        ("--list", "--dry-run", "--check", "--watch"),
        ("--keep-going", "--fail-fast"),
    ):
        fields = {"--list": "listing"}
        given = [f for f in flags if getattr(options, fields.get(f, f[2:].replace("-", "_")))]
        if len(given) > 1:
            raise UsageProblem(f"{given[-1]} cannot be combined with {given[0]}")


def _tell_plan(path: str, around: Surroundings, options: Options) -> int:
    """Prints the targets, or those that would be rendered and why; the exit status.

    Raises:
        FileProblem: when the configuration cannot be read.
        UsageProblem: for an unknown target.
    """
    try:
        plan = plan_targets(path, targets=options.targets, around=around)
    except UnknownTarget as error:
        raise UsageProblem(str(error)) from None
    if not plan.configuration.ok:
        from .build_report import report_build

        broken = BuildResult(plan.configuration)
        _report(lambda form, color: report_build(broken, form, color), options)
        return EXIT_ERRORS
    if options.listing:
        rows = [(one.name, f"{one.blueprint} -> {one.output}") for one, _ in plan.targets]
        closing = ""
    else:
        rows = [(one.name, why) for one, why in plan.targets if why]
        fine = len(plan.targets) - len(rows)
        closing = f"{len(rows)} to render, {fine} unchanged\n"
    write_out(_aligned(rows) + closing)
    return 0


def _aligned(rows: Iterable[tuple[str, str]]) -> str:
    """Two columns, the first as wide as its widest cell."""
    table = [(visible(name), visible(text)) for name, text in rows]
    width = max((len(name) for name, _ in table), default=0)
    return "".join(f"{name:{width}}  {text}".rstrip() + "\n" for name, text in table)


def surroundings(environment: Mapping[str, str], no_cache: bool = False) -> Surroundings:
    """The parts of the environment that a build uses, with `bpp build` and in other build tools."""
    return Surroundings(
        environment={k: v for k, v in environment.items() if k.startswith("BPP_VAR_")},
        settings=Settings(
            now=moment(None, environment.get("SOURCE_DATE_EPOCH")),
            cache=cache_folder("fetched"),
            stores=stores_of(environment),
            debug=environment.get("BPP_TRACEBACK") == "full",
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
    progress = Progress(options.diagnostics)

    def told(done: int, total: int, name: str) -> None:
        progress.show(f"[{done}/{total}] {name}")

    try:
        result = build_or_skip(
            path,
            skip=_is_plain(options) and not (options.watch or options.verbose),
            targets=options.targets if names is None else names,
            jobs=jobs,
            check=options.check,
            around=around,
            progress=told if progress.wanted else None,
            fail_fast=options.fail_fast,
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
        if options.verbose:
            tell(_aligned((one.target.name, _done(one)) for one in result.results))
        said = summary(result, options.check)
        if written:
            write_err(said)
        elif not write_raw(said) and options.watch:
            raise BrokenPipeError  # the reader has left, so stop watching
    return result


def _done(result: TargetResult) -> str:
    """What a build did for a target, and why."""
    status = "from the cache" if result.status == RESTORED else result.status
    return f"{status}: {result.why}" if result.why else status


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
    """Reports a configuration that cannot be read; the exit status.

    Raises:
        FileProblem: for a file of `--diagnostics-file` that cannot be written.
    """
    if problem.code == "file_unwritable":
        raise problem
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
        differing = count("differs")
        return _summary(
            result.seconds, True, fine, count("failed"), differing=differing, left=result.left
        )
    numbers = count("unchanged"), count("failed"), count("rendered"), count("restored")
    return _summary(result.seconds, False, *numbers, left=result.left)


def _summary(
    seconds: float,
    check: bool,
    fine: int,
    failed: int = 0,
    rendered: int = 0,
    restored: int = 0,
    differing: int = 0,
    left: int = 0,
) -> str:
    counts = [f"{differing} differ" if check else f"{rendered} rendered"]
    if restored:
        counts.append(f"{restored} from the cache")
    counts += [f"{fine} {'up to date' if check else 'unchanged'}", f"{failed} failed"]
    if left:
        counts.append(f"{left} not tried")
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
