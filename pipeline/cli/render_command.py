"""`bpp render`: reads, renders, reports, writes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from ...functions.record import Record, field
from ..dialects.table import DEFAULT, detect_dialect, find_dialect
from ..engine.dialect import Dialect
from ..engine.run import Run, Unwritable
from ..rendering import failed_to_read, read_source, render
from ..values.diagnostics import ERROR, Diagnostics
from ..values.document import Document
from ..values.settings import Limits, Settings, Stores
from ..values.source import Source
from ..world.files import FileProblem, Files
from ..world.shape_files import load_shapes, store_shapes
from .cache import cache_file, content_folder
from .entry import EXIT_ERRORS, EXIT_UNREADABLE
from .streams import put, tell
from .usage import STANDARD_INPUT, UsageProblem, choice, moment, read_once, variable_flags

_UNREADABLE = frozenset(
    {"network_failed", "remote_failed", "remote_not_found", "remote_denied", "remote_not_cached"}
)

FORMATS = ("yaml", "json")
REPORTS = ("text", "json", "sarif", "github")


class RenderOptions(Record):
    """The options of the command line, as text and as given; `own` has those of a dialect."""

    file: str
    dialect: str | None = None
    output: str | None = None
    format: str | None = None
    split: str | None = None
    var: tuple[str, ...] = ()
    vars: tuple[str, ...] = ()
    strict_vars: bool = False
    state: str | None = None
    datasources: str | None = None
    strict: bool = False
    explain_unknowns: bool = False
    show: str | None = None
    secrets: str = "keep"
    stop_after: str | None = None
    dump_stages: str | None = None
    depfile: str | None = None
    source_map: str | None = None
    now: str | None = None
    seed: int | None = None
    allow_net: tuple[str, ...] = ()
    allow_path: tuple[str, ...] = ()
    lock: str | None = None
    offline: bool = False
    keep_transform: tuple[str, ...] = ()
    substr_end_exclusive: bool = False
    limit: tuple[str, ...] = ()
    diagnostics: str = "text"
    color: str = "auto"
    timings: bool = False
    own: Mapping[str, tuple[str, ...]] = field(factory=dict)


def run_render(options: RenderOptions) -> int:
    """The exit status of `bpp render`."""
    choice("--format", options.format, (*FORMATS, None))
    choice("--diagnostics", options.diagnostics, REPORTS)
    choice("--color", options.color, ("auto", "always", "never"))
    if options.split and (options.output or options.stop_after):
        raise UsageProblem(
            "--split writes a folder and goes with neither --output nor --stop-after"
        )
    if options.explain_unknowns and options.stop_after:
        raise UsageProblem("--explain-unknowns needs the whole render, so not --stop-after")
    if options.depfile is not None or options.source_map is not None:
        from .side_files import check_side_files

        check_side_files(options)
    prepared = Inputs(options)
    source = prepared.source()
    arguments = prepared.arguments(source) if source else None
    if source is None or arguments is None:
        return prepared.fail()
    spoken: Dialect = arguments["dialect"]
    if options.stop_after is not None:
        choice("--stop-after", options.stop_after, spoken.pipeline.names())
    if options.show is not None or options.explain_unknowns:
        from .views import check_views

        check_views(options, spoken)
    cache = cache_file(spoken.syntax.grammar)
    arguments |= {"stop_after": options.stop_after, "shapes": load_shapes(cache)}
    run, modules = _run(source, arguments, watched=options.depfile is not None)
    store_shapes(cache, run.language)
    run.diagnostics.extend(prepared.diagnostics)
    report(run.diagnostics, options, source.name)
    if options.explain_unknowns:
        from .unknowns_table import tell_unknowns

        tell_unknowns(run, options.color)
    try:
        if options.dump_stages:
            _dump(run, options.dump_stages)
        timings = list(run.timings)
        if run.ok:
            start = perf_counter()
            _write(run, source, options, [prepared.files.shown(file) for file in modules])
            timings.append(("write", perf_counter() - start))
        if options.timings:
            from .timings import timings_text

            tell(timings_text(timings))
        if not run.ok:
            return status_of(run.diagnostics)
    except FileProblem as problem:
        failed = Diagnostics()
        failed.add(failed_to_read(problem))
        report(failed, options, source.name)
        return EXIT_UNREADABLE
    except Unwritable as problem:
        failed = Diagnostics()
        failed.add(problem.diagnostic)
        report(failed, options, source.name)
        return EXIT_ERRORS
    return 0


def _run(source: Source, arguments: dict[str, Any], watched: bool) -> tuple[Run, list[str]]:
    """A run, and the files of the plugins that had a part in it when it is watched."""
    if not watched:
        return render(source, **arguments), []
    from ..world.plugins import plugin_files, watched_searches

    with watched_searches() as searches:
        run = render(source, **arguments)
    return run, plugin_files(searches)


def status_of(diagnostics: Diagnostics) -> int:
    """1 for mistakes in the blueprint; 3 when nothing but reading from elsewhere failed."""
    errors = [item for item in diagnostics if item.severity == ERROR]
    if errors and all(item.code in _UNREADABLE for item in errors):
        return EXIT_UNREADABLE
    return EXIT_ERRORS


class Inputs:
    """What the options name, read; problems are kept for one report."""

    def __init__(self, options: RenderOptions) -> None:
        from ..world.files import DiskFiles

        read_once(options.file, *options.vars, options.state, options.datasources)
        self.options = options
        self.settings = settings_of(options)
        self.files: Files = DiskFiles(options.allow_path, limits=self.settings.limits)
        self.diagnostics = Diagnostics()
        self.unreadable = False
        if options.lock is not None:
            # whether it is used shows later; that it is missing is said at once
            try:
                self.files.open_input(options.lock)
            except FileProblem as problem:
                self._problem(problem)

    def source(self) -> Source | None:
        """The blueprint's text, or None."""
        try:
            return read_source(self.options.file, self.files)
        except FileProblem as problem:
            self._problem(problem)
            return None

    def arguments(self, source: Source | None) -> dict[str, Any] | None:
        """The arguments of `render`, the dialect among them; None when something was wrong.

        Raises:
            UsageProblem: for an option that cannot be.
        """
        spoken = dialect_of(source, self.options)
        own = spoken.command_line.inputs
        arguments: dict[str, Any]
        if own is not None:
            from .own_options import own_input

            try:
                arguments = {"options": own_input(own, self)}
            except FileProblem as problem:
                self._problem(problem)
        else:
            state = self._data(self.options.state, "invalid_state")
            records = self._data(self.options.datasources, "invalid_datasources_file")
            arguments = {"given": self._given(), "state": state, "datasources": records}
        if self.diagnostics.errors:
            return None
        return {
            **arguments,
            "settings": self.settings,
            "files": self.files,
            "dialect": spoken,
        }

    def fail(self) -> int:
        """Reports the problems; the exit status."""
        report(self.diagnostics, self.options, self.options.file)
        return EXIT_UNREADABLE if self.unreadable else EXIT_ERRORS

    def _problem(self, problem: FileProblem) -> None:
        self.unreadable = True
        self.diagnostics.add(failed_to_read(problem))

    def _given(self) -> Any:
        from ..engine.inputs import VariableInputs

        files = []
        for name in self.options.vars:
            from ..engine.input_files import read_variables

            try:
                data = self.files.open_input("/dev/stdin" if name == "-" else name)
            except FileProblem as problem:
                self._problem(problem)
                continue
            files.append(read_variables(_shown(name), data, self.settings.limits, self.diagnostics))
        environment = {k: v for k, v in os.environ.items() if k.startswith("BPP_VAR_")}
        return VariableInputs(variable_flags(self.options.var), tuple(files), environment)

    def _data(self, name: str | None, code: str) -> Any:
        """A state or data sources file as its record."""
        if name is None:
            return None
        from ..engine.input_files import read_supplied

        path = "/dev/stdin" if name == "-" else name
        limits = self.settings.limits
        try:
            return read_supplied(path, _shown(name), code, self.files, limits, self.diagnostics)
        except FileProblem as problem:
            self._problem(problem)
            return None


def named_dialect(name: str | None) -> Dialect:
    """The dialect of a name, the usual one without.

    Raises:
        UsageProblem: for a name that no dialect has.
    """
    try:
        return find_dialect(name or DEFAULT)
    except ValueError as problem:
        raise UsageProblem(str(problem)) from None


def dialect_of(source: Source | None, options: RenderOptions) -> Dialect:
    """The dialect that is named, else the one that the text is recognised as.

    Raises:
        UsageProblem: for a name that no dialect has, and for options that this one has not.
    """
    if source is None or options.dialect is not None:
        found = named_dialect(options.dialect)
    else:
        found = detect_dialect(source)
    unread = source is None and bool(options.file)  # which is told, whatever dialect it is in
    if not unread and (options.own or found.command_line.refuses):
        from .own_options import refuse_misplaced

        refuse_misplaced(found, options)
    return found


def _shown(name: str) -> str:
    """A file's name in diagnostics."""
    return "<stdin>" if name == "-" else name


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
        lock=options.lock,
        offline=options.offline,
        cache=content_folder(),
        stores=_stores(),
        limits=limits_of(options),
    )


def limits_of(options: RenderOptions) -> Limits:
    """The limits that the options ask for.

    Raises:
        UsageProblem: for an unknown limit, or a value that it cannot have.
    """
    if not options.limit:
        return Limits()
    from .limit_flags import limits_of

    return limits_of(options.limit)


def _stores() -> Stores:
    """What the environment says about object stores, which is mostly nothing."""
    if not any(name.startswith(("AWS_", "AZURE_", "STORAGE_")) for name in os.environ):
        return Stores()
    from .stores import stores_of

    return stores_of(os.environ)


def report(diagnostics: Diagnostics, options: RenderOptions, main_file: str) -> None:
    """Writes diagnostics to standard error, in the chosen form; nothing when there are none."""
    if not len(diagnostics) and options.diagnostics in ("text", "github"):
        return
    import sys

    from .quotable import line_filter
    from .report import render as render_report
    from .terminal import use_color

    hidden = map(_shown, files_of_data(options))
    tell(
        render_report(
            diagnostics,
            options.diagnostics,
            color=use_color(sys.stderr, os.environ, options.color),
            main_file=main_file,
            may_quote=line_filter(set(hidden)),
            limits=limits_of(options),
        ),
        commands=options.diagnostics == "github",
    )


def files_of_data(options: RenderOptions) -> list[str]:
    """The files of variables and other data, whose lines no report quotes."""
    named = [*options.vars, options.state or "", options.datasources or ""]
    if options.own:
        from .own_options import own_files_of_data

        named += own_files_of_data(options)
    return named


def _write(run: Run, source: Source, options: RenderOptions, modules: list[str]) -> None:
    """Writes the outputs and what goes with them; `modules` are files that a rule names too."""
    kind = options.format or _kind(options.output, source)
    documents = _split(run, source, kind, options)
    if options.show is None:
        texts = {path: run.text(kind, document) for path, document in documents.items()}
    else:
        from .views import view_of

        texts = {path: view_of(run, options.show, kind) for path in documents}
    # what is written beside the outputs, and after them: make trusts a rule whose target is there
    beside: dict[str, str] = {}
    if options.source_map is not None:
        from ..dialects.bluelink.answers.why.source_map import source_map_text

        outputs = [(path or None, kind, document) for path, document in documents.items()]
        beside[options.source_map] = source_map_text(run, outputs)
    if options.depfile is not None:
        from ..world.writing import depfile_text

        inputs = [name for name in run.reads if name not in STANDARD_INPUT]
        beside[options.depfile] = depfile_text(tuple(texts), [*inputs, *modules], phony=True)
    real = {os.path.realpath(path) for path in texts if path}
    for path in beside:
        if os.path.realpath(path) in real:
            message = f"`{path}` cannot be written: it is one of the outputs"
            raise FileProblem("file_unwritable", message)
    printed = texts.pop("", "")
    if not texts and not beside:
        put(printed)
        return
    if options.split:
        from ..world.writing import make_folder

        make_folder(options.split)
    _write_all({**texts, **beside}, printed)


def _kind(output: str | None, source: Source) -> str:
    """The output's format when no flag says it: the target's extension, then the input's."""
    from ..formats.detection import format_of

    return (format_of(output) if output else None) or (
        source.format if source.format in FORMATS else "yaml"
    )


def _split(run: Run, source: Source, kind: str, options: RenderOptions) -> Mapping[str, Document]:
    """The documents to write by path; the empty path is standard output."""
    assert run.document is not None
    if not options.split:
        target = options.output
        return {"" if target is None or target == "-" else target: run.document}
    from ..dialects.bluelink.splitting import split_documents

    stem = os.path.splitext(os.path.basename(source.path or "blueprint"))[0]
    return {
        os.path.join(options.split, name): document
        for name, document in split_documents(run.document, stem, kind).items()
    }


def _dump(run: Run, folder: str) -> None:
    from ..world.writing import make_folder

    make_folder(folder)
    _write_all(
        {
            os.path.join(folder, f"{number}-{name}.yaml"): run.text("yaml", document)
            for number, (name, document) in enumerate(run.stages, 1)
        }
    )


def _write_all(texts: Mapping[str, str], printed: str = "") -> None:
    """Writes files, and prints when all of them can be written but none has been."""
    from ..world.writing import write_together

    write_together(
        # what is no character can only be a byte of a file's name
        {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()},
        (lambda: put(printed)) if printed else None,
    )
