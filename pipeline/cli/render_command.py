"""`bpp render`: reads, renders, reports, writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

import attrs

from ..diagnostics import ERROR, Diagnostics
from ..dialects.table import DEFAULT, find_dialect
from ..files import FileProblem, Files
from ..rendering import failed_to_read, read_source, render
from ..run import Run
from ..settings import Settings
from ..source import Source
from .cache import cache_file, load_shapes, store_shapes
from .entry import EXIT_ERRORS, EXIT_UNREADABLE
from .usage import UsageProblem, choice, moment, variable_flags

FORMATS = ("yaml", "json")
REPORTS = ("text", "json", "sarif", "github")


@attrs.frozen
class RenderOptions:
    """The options of the command line, as text and as given."""

    file: str
    output: str | None = None
    format: str | None = None
    split: str | None = None
    var: tuple[str, ...] = ()
    vars: tuple[str, ...] = ()
    strict_vars: bool = False
    state: str | None = None
    datasources: str | None = None
    strict: bool = False
    secrets: str = "keep"
    stop_after: str | None = None
    dump_stages: str | None = None
    depfile: str | None = None
    now: str | None = None
    seed: int | None = None
    allow_net: tuple[str, ...] = ()
    allow_path: tuple[str, ...] = ()
    keep_transform: tuple[str, ...] = ()
    substr_end_exclusive: bool = False
    diagnostics: str = "text"
    color: str = "auto"
    timings: bool = False


def run_render(options: RenderOptions) -> int:
    """The exit status of `bpp render`."""
    choice("--format", options.format, (*FORMATS, None))
    choice("--diagnostics", options.diagnostics, REPORTS)
    choice("--color", options.color, ("auto", "always", "never"))
    if options.split and (options.output or options.stop_after):
        raise UsageProblem(
            "--split writes a folder and goes with neither --output nor --stop-after"
        )
    if options.depfile and not (options.output or options.split):
        raise UsageProblem("--depfile needs --output or --split: a rule has a target")
    _check_stage(options.stop_after)
    prepared = Inputs(options)
    source = prepared.source()
    arguments = prepared.arguments() if source else None
    if source is None or arguments is None:
        return prepared.fail()
    cache = cache_file(find_dialect(DEFAULT).syntax.grammar)
    run = render(source, stop_after=options.stop_after, shapes=load_shapes(cache), **arguments)
    store_shapes(cache, run.language)
    run.diagnostics.extend(prepared.diagnostics)
    report(run.diagnostics, options, source.name)
    try:
        if options.dump_stages:
            _dump(run, options.dump_stages)
        if options.timings:
            for name, seconds in run.timings:
                sys.stderr.write(f"{name:12} {seconds * 1000:9.2f} ms\n")
        if not run.ok:
            return status_of(run.diagnostics)
        _write(run, source, options)
    except FileProblem as problem:
        failed = Diagnostics()
        failed.add(failed_to_read(problem))
        report(failed, options, source.name)
        return EXIT_UNREADABLE
    return 0


def status_of(diagnostics: Diagnostics) -> int:
    """1 for mistakes in the blueprint; 3 when nothing but the network failed."""
    errors = [item for item in diagnostics if item.severity == ERROR]
    if errors and all(item.code == "network_failed" for item in errors):
        return EXIT_UNREADABLE
    return EXIT_ERRORS


def _check_stage(name: str | None) -> None:
    if name is None:
        return
    choice("--stop-after", name, find_dialect(DEFAULT).pipeline.names())


class Inputs:
    """What the options name, read; problems are kept for one report."""

    def __init__(self, options: RenderOptions) -> None:
        from ..files import DiskFiles

        self.options = options
        self.settings = settings_of(options)
        self.files: Files = DiskFiles(options.allow_path, limits=self.settings.limits)
        self.diagnostics = Diagnostics()
        self.unreadable = False

    def source(self) -> Source | None:
        """The blueprint's text, or None."""
        try:
            return read_source(self.options.file, self.files)
        except FileProblem as problem:
            self._problem(problem)
            return None

    def arguments(self) -> dict[str, Any] | None:
        """The arguments of `render`, or None when something was wrong."""
        state = self._data(self.options.state, "invalid_state")
        records = self._data(self.options.datasources, "invalid_datasources_file")
        given = self._given()
        if self.diagnostics.errors:
            return None
        return {
            "given": given,
            "settings": self.settings,
            "files": self.files,
            "state": state,
            "datasources": records,
        }

    def fail(self) -> int:
        """Reports the problems; the exit status."""
        report(self.diagnostics, self.options, self.options.file)
        return EXIT_UNREADABLE if self.unreadable else EXIT_ERRORS

    def _problem(self, problem: FileProblem) -> None:
        self.unreadable = True
        self.diagnostics.add(failed_to_read(problem))

    def _given(self) -> Any:
        from ..blueprint.inputs import Given

        files = []
        for name in self.options.vars:
            from ..varfiles import read_variables

            try:
                data = self.files.open_input("/dev/stdin" if name == "-" else name)
            except FileProblem as problem:
                self._problem(problem)
                continue
            files.append(read_variables(name, data, self.settings.limits, self.diagnostics))
        environment = {k: v for k, v in os.environ.items() if k.startswith("BPP_VAR_")}
        return Given(variable_flags(self.options.var), tuple(files), environment)

    def _data(self, name: str | None, code: str) -> Any:
        """A state or data sources file as its record."""
        if name is None:
            return None
        from ..datafiles import read_data
        from ..records import RecordError, structure_datasources, structure_state

        try:
            data = self.files.open_input("/dev/stdin" if name == "-" else name)
        except FileProblem as problem:
            self._problem(problem)
            return None
        before = self.diagnostics.errors
        content, source = read_data(name, data, self.settings.limits, self.diagnostics)
        if self.diagnostics.errors > before:
            return None
        try:
            if code == "invalid_datasources_file":
                return structure_datasources(content)
            from ..context import State

            record = structure_state(content)
            return State(record.resources, record.datasources, record.children, record.links)
        except RecordError as error:
            from ..datafiles import place_of

            for path, message in error.problems:
                self.diagnostics.error(code, place_of(source, path), f"{message}")
            return None


def settings_of(options: RenderOptions) -> Settings:
    """The settings that the options and the environment ask for."""
    choice("--secrets", options.secrets, ("keep", "mask", "reveal"))
    return Settings(
        strict=options.strict,
        secrets=options.secrets,
        now=moment(options.now, os.environ.get("SOURCE_DATE_EPOCH")),
        seed=options.seed,
        allow_net=options.allow_net,
        allow_path=options.allow_path,
        keep_transform=options.keep_transform,
        strict_vars=options.strict_vars,
        substr_end_exclusive=options.substr_end_exclusive,
    )


def report(diagnostics: Diagnostics, options: RenderOptions, main_file: str) -> None:
    """Writes diagnostics to standard error, in the chosen form; nothing when there are none."""
    if not len(diagnostics) and options.diagnostics in ("text", "github"):
        return
    from .quotable import line_filter
    from .report import render as render_report
    from .terminal import use_color

    hidden = {*options.vars, options.state or "", options.datasources or ""}
    sys.stderr.write(
        render_report(
            diagnostics,
            options.diagnostics,
            color=use_color(sys.stderr, os.environ, options.color),
            main_file=main_file,
            may_quote=line_filter(hidden),
        )
    )


def _write(run: Run, source: Source, options: RenderOptions) -> None:
    written: list[str] = []
    if options.split:
        written = _write_split(run, source, options)
    else:
        kind = options.format or _kind(options.output, source)
        text = run.text(kind)
        if options.output and options.output != "-":
            _put(options.output, text)
            written = [options.output]
        else:
            _print(text)
    if options.depfile:
        from ..writing import depfile_text

        inputs = [name for name in run.reads if name not in ("/dev/stdin", "-")]
        _put(options.depfile, depfile_text(written[0], inputs, phony=True))


def _kind(output: str | None, source: Source) -> str:
    """The output's format when no flag says it: the target's extension, then the input's."""
    from ..formats.detection import format_of

    return (format_of(output) if output else None) or (
        source.format if source.format in FORMATS else "yaml"
    )


def _write_split(run: Run, source: Source, options: RenderOptions) -> list[str]:
    from ..splitting import split_documents
    from ..writing import make_folder

    assert run.document is not None and options.split is not None
    kind = options.format or _kind(None, source)
    make_folder(options.split)
    stem = os.path.splitext(os.path.basename(source.path or "blueprint"))[0]
    texts: Mapping[str, str] = {
        name: run.text(kind, document)
        for name, document in split_documents(run.document, stem, kind).items()
    }
    for name, text in texts.items():
        _put(os.path.join(options.split, name), text)
    return [os.path.join(options.split, name) for name in texts]


def _dump(run: Run, folder: str) -> None:
    from ..writing import make_folder

    make_folder(folder)
    for number, (name, document) in enumerate(run.stages, 1):
        _put(os.path.join(folder, f"{number}-{name}.yaml"), run.text("yaml", document))


def _put(path: str, text: str) -> None:
    from ..writing import write_atomically

    write_atomically(path, text.encode("utf-8"))


def _print(text: str) -> None:
    """Writes to standard output as UTF-8, whatever the locale says."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    stream.write(text.encode("utf-8"))
    stream.flush()
