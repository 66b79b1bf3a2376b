"""`bpp graph`: the resources of a blueprint and what they need, as a picture or as data."""

from __future__ import annotations

import os

from ..answers.graph.model import ENDINGS, FORMATS, TooManyEdges
from ..engine.options import Options
from ..rendering import survey
from ..values.diagnostics import Diagnostic
from ..world.files import FileProblem
from .render_inputs import (
    Inputs,
    input_files,
    report,
    report_one,
    report_problem,
    status_of,
)
from .streams import write_raw
from .usage import UsageProblem, keep_inputs


def run_graph(options: Options) -> int:
    """The exit status of `bpp graph`.

    A blueprint with errors is drawn as far as it can be read, and the status is that of the errors.
    """
    kind = _format(options)
    if options.output is not None and options.output != "-":
        keep_inputs("--output", options.output, input_files(options))
    prepared = Inputs(options)
    ready = prepared.read()
    if ready is None:
        return prepared.fail()
    source, arguments = ready
    try:
        found = survey(source, **arguments)
    except ValueError as problem:
        raise UsageProblem(str(problem)) from None
    found.diagnostics.extend(prepared.diagnostics)
    report(found.diagnostics, options, source.name)
    status = status_of(found.diagnostics) if found.diagnostics.errors else 0
    if found.graph is None:
        return status
    try:
        text = found.graph.select(options.only, options.nodes, options.fold).text(kind)
        if options.output is None or options.output == "-":
            write_raw(text)
        else:
            from ..world.writing import folders_of, refuse_inputs, write_atomically

            refuse_inputs([options.output], prepared.files.reads)
            with folders_of([options.output]):
                write_atomically(options.output, text.encode("utf-8"))
    except TooManyEdges as problem:
        item = Diagnostic("limit_exceeded", str(problem), hint=problem.hint)
        return report_one(item, options, source.name)
    except FileProblem as problem:
        return report_problem(problem, options, source.name)
    return status


def _format(options: Options) -> str:
    """The format from --format, else from the output's extension.

    Raises:
        UsageProblem: for an unknown extension.
    """
    if options.format is not None:
        return options.format
    if options.output is None or options.output == "-":
        return FORMATS[0]
    ending = os.path.splitext(options.output)[1].lower()
    if not ending:
        return FORMATS[0]
    if ending not in ENDINGS:
        raise UsageProblem(
            f"unknown extension `{ending}`: add --format with one of {', '.join(FORMATS)}"
        )
    return ENDINGS[ending]
