"""`bpp graph`: the resources of a blueprint and what they need, as a picture or as data."""

from __future__ import annotations

import os

from ...functions.record import Record
from ..answers.graph.model import ENDINGS, FORMATS, ONLY, SHOW, TooManyEdges
from ..rendering import failed_to_read, survey
from ..values.diagnostics import Diagnostics
from ..world.files import FileProblem
from .entry import EXIT_ERRORS, EXIT_UNREADABLE
from .render_command import REPORTS, Inputs, RenderOptions, report, status_of
from .streams import put
from .usage import UsageProblem, choice


class GraphOptions(Record):
    """The options of `bpp graph` alone."""

    format: str | None = None
    output: str | None = None
    only: tuple[str, ...] = ()
    show: tuple[str, ...] = ()
    fold: bool = False


def run_graph(options: GraphOptions, inputs: RenderOptions) -> int:
    """The exit status of `bpp graph`.

    A blueprint with errors is drawn as far as it could be read, and the status says so.
    """
    choice("--diagnostics", inputs.diagnostics, REPORTS)
    choice("--color", inputs.color, ("auto", "always", "never"))
    for word in options.only:
        choice("--only", word, ONLY)
    for word in options.show:
        choice("--show", word, SHOW)
    kind = _format(options)
    _check_output(options.output, inputs)
    prepared = Inputs(inputs)
    source = prepared.source()
    arguments = prepared.arguments(source) if source else None
    if source is None or arguments is None:
        return prepared.fail()
    try:
        found = survey(source, **arguments)
    except ValueError as problem:
        raise UsageProblem(str(problem)) from None
    found.diagnostics.extend(prepared.diagnostics)
    report(found.diagnostics, inputs, source.name)
    status = status_of(found.diagnostics) if found.diagnostics.errors else 0
    if found.graph is None:
        return status
    problems = Diagnostics()
    try:
        text = found.graph.select(options.only, options.show, options.fold).text(kind)
        if options.output is None or options.output == "-":
            put(text)
        else:
            from ..world.writing import write_atomically

            write_atomically(options.output, text.encode("utf-8"))
    except TooManyEdges as problem:
        problems.error("limit_exceeded", None, str(problem), problem.hint)
        status = EXIT_ERRORS
    except FileProblem as problem:
        problems.add(failed_to_read(problem))
        status = EXIT_UNREADABLE
    report(problems, inputs, source.name)
    return status


def _format(options: GraphOptions) -> str:
    """The format that is asked for, else that of the output's name.

    Raises:
        UsageProblem: for a format that there is not.
    """
    if options.format is not None:
        choice("--format", options.format, FORMATS)
        return options.format
    if options.output is None or options.output == "-":
        return FORMATS[0]
    ending = os.path.splitext(options.output)[1].lower()
    if not ending:
        return FORMATS[0]
    if ending not in ENDINGS:
        raise UsageProblem(
            f"--format is needed, as `{ending}` is no format of a graph; "
            f"there are {', '.join(FORMATS)}"
        )
    return ENDINGS[ending]


def _check_output(output: str | None, inputs: RenderOptions) -> None:
    """Refuses to draw over what is being read.

    Raises:
        UsageProblem: naming the file.
    """
    if output is None or output == "-":
        return
    for name in (inputs.file, *inputs.vars, inputs.state, inputs.datasources):
        if name and name != "-" and os.path.realpath(name) == os.path.realpath(output):
            raise UsageProblem(f"--output would replace `{name}`")
