"""`bpp render`: reads, renders, reports, writes."""

from __future__ import annotations

import os
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
from .streams import put, tell
from .usage import STANDARD_INPUT, UsageProblem, choice, moment, read_once, variable_flags

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
    if options.depfile is not None:
        _check_depfile(options.depfile, options)
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
                tell(f"{name:12} {seconds * 1000:9.2f} ms\n")
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


def _check_depfile(name: str, options: RenderOptions) -> None:
    """Refuses a rule without a target, and one that would take the place of another file."""
    if options.output == "-" or not (options.output or options.split):
        raise UsageProblem("--depfile needs --output with a file, or --split: a rule has a target")
    if not name:
        raise UsageProblem("--depfile needs the path of a file")
    others = (options.output, options.file, *options.vars, options.state, options.datasources)
    for other in others:
        if other and os.path.realpath(name) == os.path.realpath(other):
            raise UsageProblem(f"--depfile would replace `{other}`")


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
        from ..datafiles import read_data
        from ..records import RecordError, structure_datasources, structure_state

        try:
            data = self.files.open_input("/dev/stdin" if name == "-" else name)
        except FileProblem as problem:
            self._problem(problem)
            return None
        before = self.diagnostics.errors
        content, source = read_data(_shown(name), data, self.settings.limits, self.diagnostics)
        if self.diagnostics.errors > before:
            return None
        try:
            if code == "invalid_datasources_file":
                return structure_datasources(content)
            from ..context import known_state

            record = structure_state(content)
            return known_state(record)
        except RecordError as error:
            from ..datafiles import place_of

            for path, message in error.problems:
                self.diagnostics.error(code, place_of(source, path), f"{message}")
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
    )


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


def _write(run: Run, source: Source, options: RenderOptions) -> None:
    texts = _split_texts(run, source, options) if options.split else {}
    if not texts:
        text = run.text(options.format or _kind(options.output, source))
        if options.output is None or options.output == "-":
            put(text)
            return
        texts[options.output] = text
    rule = None
    if options.depfile is not None:
        from ..writing import depfile_text

        inputs = [name for name in run.reads if name not in STANDARD_INPUT]
        rule = depfile_text(next(iter(texts)), inputs, phony=True)
        _check_writable(options.depfile, texts)
    if options.split:
        from ..writing import make_folder

        make_folder(options.split)
    for path, content in texts.items():
        _put(path, content)
    # make trusts a rule whose target is there, so the target goes first
    if options.depfile is not None and rule is not None:
        _put(options.depfile, rule)


def _check_writable(path: str, outputs: Mapping[str, str]) -> None:
    """Finds out that a rule cannot be written before any output is replaced.

    Raises:
        FileProblem: `file_unwritable`.
    """
    real = os.path.realpath(path)
    folder = os.path.dirname(real)
    reason = None
    if any(real == os.path.realpath(output) for output in outputs):
        reason = "it is one of the outputs"
    elif os.path.isdir(real):
        reason = "it is a folder"
    elif not os.path.isdir(folder):
        # --split makes folders
        made = any(folder == os.path.dirname(os.path.realpath(output)) for output in outputs)
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


def _split_texts(run: Run, source: Source, options: RenderOptions) -> dict[str, str]:
    """The text of each file of a split render, by its path."""
    from ..splitting import split_documents

    assert run.document is not None and options.split is not None
    kind = options.format or _kind(None, source)
    stem = os.path.splitext(os.path.basename(source.path or "blueprint"))[0]
    return {
        os.path.join(options.split, name): run.text(kind, document)
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
