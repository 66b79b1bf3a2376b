"""`bpp render`: reads, renders, reports, writes."""

from __future__ import annotations

import os
from collections.abc import Container, Mapping
from time import perf_counter
from typing import Any

from ..engine.options import Options
from ..engine.run import Dialect, Run, Unwritable
from ..rendering import render
from ..values.document import Document
from ..values.source import Source
from ..world.files import FileProblem, same_file
from ..world.shape_files import load_shapes, shapes_path, store_shapes
from .render_inputs import (
    Inputs,
    input_files,
    report,
    report_one,
    report_problem,
    status_of,
)
from .streams import write_err, write_raw
from .usage import STANDARD_INPUT, UsageProblem, cache_folder, choice, keep_inputs


def run_render(options: Options) -> int:
    """The exit status of `bpp render`."""
    _check_options(options)
    prepared = Inputs(options)
    ready = prepared.read()
    if ready is None:
        return prepared.fail()
    source, arguments = ready
    spoken: Dialect = arguments["dialect"]
    if options.stop_after is not None:
        choice("--stop-after", options.stop_after, spoken.pipeline.names())
    if options.show is not None or options.explain_unknowns:
        from .views import check_views

        check_views(options, spoken)
    folder = cache_folder()
    cache = shapes_path(folder, spoken.syntax.grammar) if folder else None
    arguments |= {"stop_after": options.stop_after, "shapes": load_shapes(cache)}
    run, modules = _run(source, arguments, watched=options.depfile is not None)
    store_shapes(cache, run.language)
    run.diagnostics.extend(prepared.diagnostics)
    report(run.diagnostics, options, source.name)
    for flag in options.own:
        if flag in spoken.command_line.explains:
            write_err(spoken.command_line.explains[flag](run))
    if options.explain_unknowns:
        from .views import explain_unknowns

        explain_unknowns(run, options.color)
    try:
        if options.dump_stages:
            _dump(run, options.dump_stages)
        timings = list(run.timings)
        if run.ok:
            start = perf_counter()
            _write(run, source, options, prepared, modules)
            timings.append(("write", perf_counter() - start))
    except FileProblem as problem:
        return report_problem(problem, options, source.name)
    except Unwritable as problem:
        return report_one(problem.diagnostic, options, source.name, quoting=run.diagnostics.quoting)
    if options.timings:
        write_err(_timings_table(timings))
    return 0 if run.ok else status_of(run.diagnostics)


def _check_options(options: Options) -> None:
    """Refuses options that exclude each other, and outputs that would replace a file in use."""
    if options.split and (options.output or options.stop_after):
        raise UsageProblem("--split cannot be combined with --output or --stop-after")
    if options.explain_unknowns and options.stop_after:
        raise UsageProblem("--explain-unknowns cannot be combined with --stop-after")
    if options.depfile is not None and (
        options.output == "-" or not (options.output or options.split)
    ):
        raise UsageProblem("--depfile needs --output with a file, or --split")
    others = input_files(options)
    if options.output:
        keep_inputs("--output", options.output, others)
        others.append(options.output)
    for option, name in (("--depfile", options.depfile), ("--source-map", options.source_map)):
        if name is None:
            continue
        if name in ("", "-"):
            raise UsageProblem(f"{option} needs the path of a file")
        keep_inputs(option, name, others)
        others.append(name)


def _run(source: Source, arguments: dict[str, Any], watched: bool) -> tuple[Run, list[str]]:
    """A run, and, if they are watched, the files of the plugins that took part in it."""
    if not watched:
        return render(source, **arguments), []
    from ..world.plugins import plugin_files, watched_searches

    with watched_searches() as searches:
        run = render(source, **arguments)
    return run, plugin_files(searches)


def _write(
    run: Run, source: Source, options: Options, prepared: Inputs, modules: list[str]
) -> None:
    """Writes the outputs and the files beside them; a make rule also lists `modules`."""
    kind = options.format or _kind(options.output, source)
    documents = _split(run, source, kind, options)
    if options.show is None:
        texts = {path: run.text(kind, document) for path, document in documents.items()}
    else:
        from .views import view_of

        texts = {path: view_of(run, options.show, kind) for path in documents}
    # written after the outputs: make trusts a rule whose target exists
    beside: dict[str, str] = {}
    if run.dialect is not None:
        made = run.dialect.command_line.beside
        beside = {options.own[flag][-1]: made[flag](run) for flag in made if flag in options.own}
    if options.source_map is not None:
        from ..answers.source_map import source_map_text

        outputs = [(path or None, kind, document) for path, document in documents.items()]
        beside[options.source_map] = source_map_text(run, outputs)
    if options.depfile is not None:
        from ..world.writing import depfile_text

        inputs = [name for name in run.reads if name not in STANDARD_INPUT]
        inputs += map(prepared.files.shown, modules)
        beside[options.depfile] = depfile_text(tuple(texts), inputs, phony=True)
    for path in beside:
        if any(output and same_file(path, output) for output in texts):
            message = f"`{path}` cannot be written: it is one of the outputs"
            raise FileProblem("file_unwritable", message)
    if not beside and set(texts) == {""}:
        write_raw(texts[""])
        return
    from ..world.writing import refuse_inputs

    refuse_inputs([*texts, *beside], [*prepared.files.reads, *modules])
    printed = texts.pop("", "")
    if options.split:
        from ..world.writing import make_folder

        make_folder(options.split)
    _write_all({**texts, **beside}, printed, unnamed=texts if options.split else ())


def _kind(output: str | None, source: Source) -> str:
    """The output's format without --format: by the target's extension, else that of the input."""
    from ..formats.detection import format_of

    return (format_of(output) if output else None) or (
        source.format if source.format in ("yaml", "json") else "yaml"
    )


def _split(run: Run, source: Source, kind: str, options: Options) -> Mapping[str, Document]:
    """The documents to write by path; the empty path is standard output."""
    assert run.document is not None
    if not options.split:
        target = options.output
        return {"" if target is None or target == "-" else target: run.document}
    from ..answers.inspection import inspection_of

    stem = os.path.splitext(os.path.basename(source.path or "blueprint"))[0]
    split = inspection_of(run.dialect).split
    found = split(run.document, stem, kind) if split else {f"{stem}.{kind}": run.document}
    return {os.path.join(options.split, name): document for name, document in found.items()}


def _dump(run: Run, folder: str) -> None:
    from ..world.writing import make_folder, refuse_inputs

    make_folder(folder)
    texts = {
        os.path.join(folder, f"{number}-{name}.yaml"): run.text(
            "yaml", document.evolve(product=False)
        )
        for number, (name, document) in enumerate(run.stages, 1)
    }
    refuse_inputs(texts, run.reads)
    _write_all(texts, unnamed=texts)


def _write_all(texts: Mapping[str, str], printed: str = "", unnamed: Container[str] = ()) -> None:
    """Writes files; prints once all of them can be written, and before any of them is."""
    from ..world.writing import folders_of, write_together

    with folders_of(texts):
        write_together(
            # lone surrogates come from file names that are not valid UTF-8
            {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()},
            (lambda: write_raw(printed)) if printed else None,
            unnamed=unnamed,
        )


def _timings_table(timings: list[tuple[str, float]]) -> str:
    """One line for each name with its time in milliseconds, and the total."""
    rows = [*timings, ("total", sum(seconds for _, seconds in timings))]
    widest = max(len(name) for name, _ in rows)
    return "".join(f"{name:<{widest}} {seconds * 1000:9.1f} ms\n" for name, seconds in rows)
