"""`bpp render`: reads, renders, reports, writes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...functions.record import Record
from ..diagnostics import ERROR, Diagnostics
from ..dialects.table import DEFAULT, find_dialect
from ..document import Document
from ..files import FileProblem, Files
from ..rendering import failed_to_read, read_source, render
from ..run import Run
from ..settings import Settings, Stores
from ..shape_files import load_shapes, store_shapes
from ..source import Source
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
    explain_unknowns: bool = False
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
    if options.explain_unknowns and options.stop_after:
        raise UsageProblem("--explain-unknowns needs the whole render, so not --stop-after")
    _check_side_files(options)
    _check_stage(options.stop_after)
    prepared = Inputs(options)
    source = prepared.source()
    arguments = prepared.arguments() if source else None
    if source is None or arguments is None:
        return prepared.fail()
    cache = cache_file(find_dialect(DEFAULT).syntax.grammar)
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
        if options.timings:
            for name, seconds in run.timings:
                tell(f"{name:12} {seconds * 1000:9.2f} ms\n")
        if not run.ok:
            return status_of(run.diagnostics)
        _write(run, source, options, [prepared.files.shown(file) for file in modules])
    except FileProblem as problem:
        failed = Diagnostics()
        failed.add(failed_to_read(problem))
        report(failed, options, source.name)
        return EXIT_UNREADABLE
    return 0


def _run(source: Source, arguments: dict[str, Any], watched: bool) -> tuple[Run, list[str]]:
    """A run, and the files of the plugins that had a part in it when it is watched."""
    if not watched:
        return render(source, **arguments), []
    from ..plugin_files import plugin_files
    from ..plugins import watched_searches

    with watched_searches() as searches:
        run = render(source, **arguments)
    return run, plugin_files(searches)


def status_of(diagnostics: Diagnostics) -> int:
    """1 for mistakes in the blueprint; 3 when nothing but reading from elsewhere failed."""
    errors = [item for item in diagnostics if item.severity == ERROR]
    if errors and all(item.code in _UNREADABLE for item in errors):
        return EXIT_UNREADABLE
    return EXIT_ERRORS


def _check_side_files(options: RenderOptions) -> None:
    """Refuses a rule without a target, and what would take the place of another file."""
    if options.depfile is not None and (
        options.output == "-" or not (options.output or options.split)
    ):
        raise UsageProblem("--depfile needs --output with a file, or --split: a rule has a target")
    others = [options.output, options.file, *options.vars, options.state, options.datasources]
    for option, name in (("--depfile", options.depfile), ("--source-map", options.source_map)):
        if name is None:
            continue
        if name in ("", "-"):
            raise UsageProblem(f"{option} needs the path of a file")
        for other in others:
            if other and os.path.realpath(name) == os.path.realpath(other):
                raise UsageProblem(f"{option} would replace `{other}`")
        others.append(name)


def _check_stage(name: str | None) -> None:
    if name is None:
        return
    choice("--stop-after", name, find_dialect(DEFAULT).pipeline.names())


class Inputs:
    """What the options name, read; problems are kept for one report."""

    def __init__(self, options: RenderOptions) -> None:
        from ..files import DiskFiles

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
            files.append(read_variables(_shown(name), data, self.settings.limits, self.diagnostics))
        environment = {k: v for k, v in os.environ.items() if k.startswith("BPP_VAR_")}
        return Given(variable_flags(self.options.var), tuple(files), environment)

    def _data(self, name: str | None, code: str) -> Any:
        """A state or data sources file as its record."""
        if name is None:
            return None
        from ..supplied import read_supplied

        path = "/dev/stdin" if name == "-" else name
        limits = self.settings.limits
        try:
            return read_supplied(path, _shown(name), code, self.files, limits, self.diagnostics)
        except FileProblem as problem:
            self._problem(problem)
            return None


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
    )


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

    hidden = map(_shown, (*options.vars, options.state or "", options.datasources or ""))
    tell(
        render_report(
            diagnostics,
            options.diagnostics,
            color=use_color(sys.stderr, os.environ, options.color),
            main_file=main_file,
            may_quote=line_filter(set(hidden)),
        )
    )


def _write(run: Run, source: Source, options: RenderOptions, modules: list[str]) -> None:
    """Writes the outputs and what goes with them; `modules` are files that a rule names too."""
    kind = options.format or _kind(options.output, source)
    documents = _split(run, source, kind, options)
    texts = {path: run.text(kind, document) for path, document in documents.items()}
    # what is written beside the outputs, and after them: make trusts a rule whose target is there
    beside: dict[str, str] = {}
    if options.source_map is not None:
        from ..provenance.source_map import source_map_text

        outputs = [(path or None, kind, document) for path, document in documents.items()]
        beside[options.source_map] = source_map_text(run, outputs)
    if options.depfile is not None:
        from ..writing import depfile_text

        inputs = [name for name in run.reads if name not in STANDARD_INPUT]
        beside[options.depfile] = depfile_text(tuple(texts), [*inputs, *modules], phony=True)
    for path in beside:
        _check_writable(path, texts)
    if options.split:
        from ..writing import make_folder

        make_folder(options.split)
    for path, content in texts.items():
        if path:
            _put(path, content)
        else:
            put(content)
    for path, content in beside.items():
        _put(path, content)


def _check_writable(path: str, outputs: Mapping[str, str]) -> None:
    """Finds out that a rule or a map cannot be written before any output is replaced.

    Raises:
        FileProblem: `file_unwritable`.
    """
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    reason = None
    if any(output and real == os.path.realpath(output) for output in outputs):
        reason = "it is one of the outputs"
    elif os.path.isdir(real):
        reason = "it is a folder"
    elif not os.path.isdir(folder):
        # --split makes folders
        made = any(folder == os.path.dirname(os.path.realpath(one)) for one in outputs if one)
        reason = None if made else "its folder does not exist"
    elif not os.access(real if os.path.exists(real) else folder, os.W_OK):
        reason = "permission denied"
    if reason:
        raise FileProblem("file_unwritable", f"`{path}` cannot be written: {reason}")


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
    from ..splitting import split_documents

    stem = os.path.splitext(os.path.basename(source.path or "blueprint"))[0]
    return {
        os.path.join(options.split, name): document
        for name, document in split_documents(run.document, stem, kind).items()
    }


def _dump(run: Run, folder: str) -> None:
    from ..writing import make_folder

    make_folder(folder)
    for number, (name, document) in enumerate(run.stages, 1):
        _put(os.path.join(folder, f"{number}-{name}.yaml"), run.text("yaml", document))


def _put(path: str, text: str) -> None:
    from ..writing import write_atomically

    write_atomically(path, text.encode("utf-8"))
