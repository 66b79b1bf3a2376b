"""`bpp graph`: the resources of a blueprint and what they need, as a picture or as data."""

from __future__ import annotations

import os

from ..answers.graph.model import ENDINGS, FORMATS, TooManyEdges
from ..engine.options import Options
from ..rendering import survey
from ..values.diagnostics import Diagnostics
from ..world.files import FileProblem
from .render_inputs import Inputs, report, report_problem, status_of
from .streams import EXIT_ERRORS, write_raw
from .usage import UsageProblem


def run_graph(options: Options) -> int:
    """The exit status of `bpp graph`.

    A blueprint with errors is drawn as far as it can be read, and the status is that of the errors.
    """
    kind = _format(options)
    _check_output(options)
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
            from ..world.writing import write_atomically

            write_atomically(options.output, text.encode("utf-8"))
    except TooManyEdges as problem:
        problems = Diagnostics()
        problems.error("limit_exceeded", None, str(problem), problem.hint)
        report(problems, options, source.name)
        return EXIT_ERRORS
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


def _check_output(options: Options) -> None:
    """Refuses to write over an input.

    Raises:
        UsageProblem: naming the file.
    """
    output = options.output
    if output is None or output == "-":
        return
    for name in (options.file, *options.vars, options.state, options.datasources):
        if name and name != "-" and os.path.realpath(name) == os.path.realpath(output):
            raise UsageProblem(f"--output would replace `{name}`")
