"""`bpp why`: explains where a value of the output comes from."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Any, Final

from ...functions.values import FunctionError
from ..answers.explaining import why
from ..answers.explanation import (
    GONE,
    RESIDUAL,
    SECRET,
    Explanation,
    plain_explanation,
)
from ..answers.paths import PathProblem, parse_path
from ..answers.wording import caused, shown_place
from ..dialects.table import DEFAULT, find_dialect
from ..engine.options import Options
from ..formats.report import cut
from ..rendering import render
from ..values.diagnostics import Diagnostic, worded
from ..values.quoting import Quoting
from ..values.source import Span
from ..values.terminal import Palette, shorten, use_color, visible, visible_json
from .render_inputs import Inputs, report, report_one, report_typed, status_of
from .report_files import keep_report
from .streams import EXIT_USAGE, write_out, write_raw

_WIDTH: Final = 100
_VALUE_LINES: Final = 20
_TEXT_CHARS: Final = 300
_LINES: Final = 200


def run_why(options: Options) -> int:
    """The exit status of `bpp why`: 2 for a path that the output never had."""
    inputs = Inputs(options)
    try:
        parse_path(options.path, find_dialect(DEFAULT).syntax.opener)
        ready = inputs.read()
        if ready is None:
            return inputs.fail()
        source, arguments = ready
        run = render(source, **arguments)
        if not run.ok:
            report(run.diagnostics, options, source.name)
            return status_of(run.diagnostics)
        explanation = why(run, options.path)
        keep_report(run.diagnostics, options, source.name)
    except PathProblem as problem:
        return report_typed(problem.diagnostic, options, options.path, EXIT_USAGE)
    except FunctionError as error:  # a limit that a loop over causes has reached
        item = Diagnostic(error.code, error.message, hint=worded(error.hint))
        return report_one(item, options, source.name)
    if options.format == "json":
        text = json.dumps(plain_explanation(explanation), ensure_ascii=False, indent=2)
        write_raw(visible_json(text) + "\n")
        return 0
    palette = Palette(use_color(sys.stdout, os.environ, options.color))
    quoting = run.diagnostics.quoting
    write_out("".join(f"{line}\n" for line in _lines(explanation, palette, quoting)))
    return 0


def _lines(answer: Explanation, palette: Palette, quoting: Quoting) -> Iterator[str]:
    """The explanation as text: the value, its place, its causes, and its changes by stage."""
    paint = palette.paint
    yield f"{paint('strong', visible(answer.path))} ({answer.status})"
    if answer.departure is not None:
        yield f"  {visible(answer.departure.reason)} (at the stage `{answer.departure.stage}`)"
        yield from _more([f"  now: {visible(path)}" for path in answer.departure.now], 12, "  ")
    elif answer.status != SECRET:
        yield from _value(answer)
    yield ""
    if answer.span is not None:
        yield from _drawn(answer, answer.span, palette, quoting)
    causes = caused(answer.causes)
    if causes:
        yield ""
        yield paint("strong", "decided by" if answer.status == GONE else "made of")
        shown = [line() for line in causes[:_LINES]]
        yield from _more(shown, _LINES, "  ", len(causes))
    if answer.changes:
        yield ""
        yield paint("strong", "stage by stage")
        width = max(len(change.stage) for change in answer.changes)
        for change in answer.changes:
            text = "(not there)" if change.text is None else shorten(change.text, _TEXT_CHARS)
            yield f"  {visible(change.stage):{width}}  {visible(text)}".rstrip()


def _value(answer: Explanation) -> Iterator[str]:
    if answer.status == RESIDUAL:
        yield f"  {visible(shorten(answer.value, _TEXT_CHARS))}"
        return
    text = "".join(_beginning(answer.value, _VALUE_LINES))
    lines = [f"  {visible(shorten(line, _TEXT_CHARS))}" for line in text.split("\n")]
    yield from _more(lines, _VALUE_LINES, "  ", _height(answer.value))


def _beginning(value: Any, most: int) -> Iterator[str]:
    """JSON up to a number of lines: all of a value that may be a whole blueprint takes long."""
    encoder = json.JSONEncoder(ensure_ascii=False, indent=2)
    for piece in encoder.iterencode(value):
        yield piece
        most -= piece.count("\n")
        if most <= 0:
            return


def _height(value: Any) -> int:
    """The number of lines of a value as JSON."""
    count = 0
    left = [value]
    while left:
        one = left.pop()
        count += 1
        if one and isinstance(one, (dict, list)):
            count += 1
            left += one.values() if isinstance(one, dict) else one
    return count


def _drawn(answer: Explanation, span: Span, palette: Palette, quoting: Quoting) -> Iterator[str]:
    """The place as diagnostics draw it, and how the value was made."""
    margin = " " * len(str(span.line))
    gutter = palette.paint("gutter", f"{margin} |")
    yield f"{palette.paint('gutter', f'{margin}-->')} {shown_place(span)}"
    if span.source.text and quoting.may_show(span.source, span.line):
        excerpt = cut(span, _WIDTH - len(margin) - 3)
        yield gutter
        yield f"{palette.paint('gutter', f'{excerpt.line} |')} {excerpt.text}"
        yield f"{gutter} {' ' * excerpt.indent}{palette.paint('note', '^' * excerpt.length)}"
    sign = palette.paint("gutter", f"{margin} =")
    if answer.status != GONE:
        yield f"{sign} {visible(answer.made)}"
        yield f"{sign} shaped by {', '.join(map(visible, answer.steps))}"
    for name, place in zip(answer.way, answer.included, strict=False):
        yield f"{sign} in the child `{visible(name)}`, included at {shown_place(place)}"


def _more(lines: list[str], most: int, indent: str, count: int = 0) -> Iterator[str]:
    """The first lines, and the number of lines left out; `count` are all if these are the first."""
    yield from lines[:most]
    left = max(count, len(lines)) - most
    if left > 0:
        yield f"{indent}... and {left} more lines"
