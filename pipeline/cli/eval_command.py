"""`bpp eval`: evaluates expressions, in the scope of a blueprint or on their own."""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from ...functions.values import NONE
from ..answers.inspection import Evaluate, opened
from ..engine.options import Options
from ..engine.string_evaluation import Bare, Evaluated, as_written
from ..expressions import evaluate
from ..language.language import Language
from ..rendering import prepare
from ..values.diagnostics import Diagnostics
from ..values.source import Source, Span
from ..values.terminal import visible, visible_json, visible_lines
from ..values.threads import Deadline
from .inspect_commands import is_expression
from .render_inputs import Inputs, dialect_of, report, status_of
from .streams import write_out
from .usage import read_once

TYPED: Final = "<expression>"


def run_eval(options: Options) -> int:
    """The exit status of `bpp eval`."""
    if options.expression == "-":
        return evaluate_lines(options)
    session = Session(options)
    if not session.can_begin():
        return session.inputs.fail()
    answer, found = session.ask(Source(TYPED, options.expression))
    report(found, options, TYPED)
    if found.errors:
        return status_of(found)
    write_out(f"{shown(answer)}\n")
    return 0


def evaluate_lines(options: Options) -> int:
    """Answers each line of standard input by a line; the exit status.

    Blank lines and those that begin with `#` are skipped. A line with a mistake has no answer; the
    others do, and all mistakes are reported at the end.
    """
    read_once("-", options.file, *options.vars, options.state, options.datasources)
    session = Session(options)
    if not session.can_begin():
        return session.inputs.fail()
    typed = Source("<stdin>", sys.stdin.buffer.read().decode("utf-8", "replace"))
    found = Diagnostics(session.inputs.settings.limits.max_diagnostics)
    for number, start in enumerate(typed.line_starts, 1):
        line = typed.line(number).rstrip("\r")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        answer, mistakes = session.ask(typed, start, start + len(line))
        found.extend(mistakes)
        found.quoting.add(mistakes.quoting)
        if not mistakes.errors:
            write_out(f"{shown(answer, one_line=True)}\n")
    report(found, options, typed.name)
    return status_of(found) if found.errors else 0


class Session:
    """The scope of a blueprint, or an empty one, in which expressions are evaluated.

    What is computed for one expression is kept for the next. `source` is the blueprint, `arguments`
    are those of `render`.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        self.inputs = Inputs(options)
        self.source = self.inputs.source() if options.file else None
        self.arguments: dict[str, Any] | None = None
        self._evaluate: Evaluate | None = None
        self._context: Any = None

    def can_begin(self) -> bool:
        """True unless the blueprint or a file of data cannot be read.

        Raises:
            UsageProblem: for an invalid option.
        """
        if self.options.file and self.source is None:
            return False
        self.dialect = dialect_of(self.source, self.options)
        self.language = Language(self.dialect.syntax, self.inputs.settings.limits)
        if self.source is None and self.dialect.opens_nothing:
            self.source = Source("<scope>", "")
        if self.source is not None:
            self.arguments = self.inputs.arguments(self.source)
        return self.source is None or self.arguments is not None

    def ask(
        self, typed: Source, start: int = 0, end: int | None = None
    ) -> tuple[Evaluated, Diagnostics]:
        """The value of an expression, which is a part of what was typed, and the mistakes.

        After mistakes the blueprint is read again for the next expression: what failed is kept, and
        would not be reported a second time.
        """
        expression = typed.text[start:end]
        text = Bare(expression) if is_expression(expression, self.language) else expression
        fresh = self._evaluate is None
        answer, found = self._answer(text, typed, start)
        if found.errors and self.source is not None:
            self._evaluate = None
            if not fresh:  # what stood in the way may be what earlier expressions have used up
                return self.ask(typed, start, end)
        return answer, found

    def _answer(self, text: str, typed: Source, shift: int) -> tuple[Evaluated, Diagnostics]:
        if self.source is None:
            settings, files = self.inputs.settings, self.inputs.files
            answer = evaluate(text, settings=settings, files=files, dialect=self.dialect)
            answer = _placed(answer, typed, shift)
            return answer, _collected(answer, Diagnostics(), typed)
        self._open()
        if self._evaluate is None:
            return Evaluated(), self._context.diagnostics
        evaluate_in_scope = self._evaluate
        found = Diagnostics(quoting=self._context.quoting)
        answer = found.watch(lambda: evaluate_in_scope(text), self._context.settings.debug)
        answer = _placed(answer, typed, shift)
        if self._context.diagnostics.errors:
            # what the expression needs is wrong; a mistake of its own only follows from that
            found.extend(self._context.diagnostics)
            return answer, found
        return answer, _collected(answer, found, typed)

    def _open(self) -> None:
        """Reads the blueprint unless that is done; each expression has the time of a run."""
        deadline = Deadline(self.inputs.settings.limits.run_seconds)
        if self._evaluate is not None:
            self._context.meter.deadline = deadline
            return
        assert self.source is not None and self.arguments is not None
        self._context, document = prepare(self.source, **self.arguments)
        self._context.meter.deadline = deadline
        self._evaluate = self._context.diagnostics.watch(
            lambda: opened(document, self._context), self._context.settings.debug
        )

    def forget(self) -> None:
        """Reads the blueprint again for the next expression."""
        self._evaluate = None

    def start(self) -> Diagnostics:
        """The mistakes of the blueprint itself."""
        self._open()
        found: Diagnostics = self._context.diagnostics
        return found


def _placed(answer: Evaluated, typed: Source, shift: int) -> Evaluated:
    """An answer with its places in what was typed: `shift` is where the evaluated text begins."""

    def moved(span: Span | None) -> Span | None:
        if span is None or span.source.name != TYPED:
            return span
        start, end = (min(max(at + shift, 0), len(typed.text)) for at in (span.start, span.end))
        return Span(typed, start, end, span.exact)

    return answer.evolve(
        diagnostics=tuple(
            item.evolve(
                span=moved(item.span),
                notes=tuple(note.evolve(span=moved(note.span)) for note in item.notes),
            )
            for item in answer.diagnostics
        ),
    )


def _collected(answer: Evaluated, found: Diagnostics, typed: Source) -> Diagnostics:
    """The diagnostics of an answer, which may quote what was typed."""
    found.quoting.admit_typed(typed)
    found.extend(answer.diagnostics)
    found.causes += answer.causes
    return found


def shown(answer: Evaluated, one_line: bool = False) -> str:
    """A value as JSON, a residual or a text as it is; `one_line` for programs that read lines."""
    if answer.text is not None and not one_line:
        return visible_lines(answer.text)
    value: Any = answer.value if answer.residual is None else answer.partial
    if answer.residual is not None and value is None:
        return (visible if one_line else visible_lines)(answer.residual)
    if value is NONE:
        return "none"
    value = as_written(value) if answer.finished else value
    indent = None if one_line else 2
    return visible_json(json.dumps(value, ensure_ascii=False, indent=indent, default=_written))


def _written(value: Any) -> str:
    """A value of a dialect's own as a string: bytes as Base64."""
    if not isinstance(value, bytes):
        return str(value)
    import base64

    return base64.b64encode(value).decode("ascii")
