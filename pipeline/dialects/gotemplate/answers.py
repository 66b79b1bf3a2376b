"""What `bpp eval` and `bpp console` know of a template: texts are evaluated with its data."""

from __future__ import annotations

from collections.abc import Iterator
from json import loads
from typing import Any

from ....functions.expr.texts import json_text
from ....functions.gotemplate.kinds import Absent
from ....functions.record import field
from ....functions.values import FunctionError
from ...answers.inspection import Evaluate
from ...engine.run import Context, Run
from ...engine.string_evaluation import Evaluated
from ...language.errors import Failure, LanguageError
from ...language.meter import Meter
from ...values.diagnostics import Diagnostic, Diagnostics
from ...values.document import Document
from ...values.settings import Limits, Settings
from ...values.source import Source, Span
from .dialect import data_of
from .engine import Rendered, compile_template
from .environment import Folder, TemplateEnvironment
from .functions import functions
from .lexer import LEFT, RIGHT
from .nodes import Fields, Text, Tree
from .parser import MAIN, parse


def opened(document: Document, context: Context) -> Evaluate | None:
    """The function that evaluates texts with the data of a render."""
    data = data_of(context)

    folder = Folder(context, document.folder)

    def evaluate(text: str) -> Evaluated:
        environment = TemplateEnvironment(context.functions, folder)
        return evaluate_template(str(text), data, environment, context)

    return evaluate


def printed(run: Run) -> Iterator[tuple[Span, str]]:
    """Each action of a template with what it printed."""
    made = run.work.find(Rendered)
    if made is None:
        return
    for action, text in made.printed():
        yield made.program.text.span(action.start, action.end), text


def names(document: Document, context: Context) -> Iterator[str]:
    """What the dot has, as templates write it."""
    stack = [("", data_of(context))]
    while stack:
        path, data = stack.pop()
        for key, inner in data.items() if isinstance(data, dict) else ():
            if str(key).isidentifier():
                yield f"{path}.{key}"
                stack.append((f"{path}.{key}", inner))


class _Wrapped(Source, eq=False):
    """A pipe in delimiters; places are those in the pipe alone, the text of `outer`."""

    outer: Source = field(default=None, repr=False)

    def span(self, start: int, end: int, exact: bool = True) -> Span:
        size, shift = len(self.outer.text), len(LEFT)
        start = min(max(start - shift, 0), size)
        return Span(self.outer, start, min(max(end - shift, start), size), exact)


def _template(text: str) -> Source:
    """A template, or a pipe without delimiters, which is put into them."""
    source = Source("<expression>", text)
    if LEFT in text:
        return source
    return _Wrapped(source.name, f"{LEFT}{text}\n{RIGHT}", outer=source)


def evaluate_template(
    text: str, data: Any, environment: TemplateEnvironment, context: Context
) -> Evaluated:
    """The text that a template gives, or the value of a pipe without delimiters, as JSON has it."""
    problems = Diagnostics(context.limits.max_diagnostics)
    source = _template(text)
    alone = isinstance(source, _Wrapped)
    try:
        known = context.evolve(diagnostics=problems)
        program = compile_template(source, environment.functions, known)
        if program is None or (alone and len(program.tree[MAIN].nodes) != 1):
            return Evaluated(diagnostics=tuple(problems))
        if not alone:
            return Evaluated(text=program.run(data, context.meter, environment).text)
        value = program.value(data, context.meter, environment)
        if isinstance(value, Absent):
            return Evaluated(text=value.used())
        return Evaluated(value=loads(json_text(value)))
    except Failure as failure:
        return Evaluated(diagnostics=(failure.diagnostic(),))
    except FunctionError as error:
        place = source.span(0, len(source.text))
        return Evaluated(diagnostics=(Diagnostic(error.code, error.message, place),))


def tree(text: str) -> list[str]:
    """The nodes of a template, or of a pipe without delimiters, a line each.

    Raises:
        LanguageError: it cannot be parsed.
    """
    source = _template(text)
    templates, mistakes = parse(
        source.text, functions(Settings()), Meter(Limits()), lambda name: None
    )
    if mistakes:
        found = []
        for one in mistakes:
            place = source.span(one.start, one.end)
            found.append(LanguageError(one.code, one.summary, place.start, place.end, one.hint))
        found[0].others = tuple(found[1:])
        raise found[0]
    lines: list[str] = []
    for name, block in templates.items():
        lines += [f"template {name}"] if name != MAIN else []
        pending: list[tuple[int, Tree]] = [(int(name != MAIN), one) for one in block.nodes[::-1]]
        while pending:
            depth, node = pending.pop()
            lines.append("  " * depth + _described(node))
            pending += [(depth + 1, one) for one in [*node.children()][::-1]]
    return lines


def _described(node: Tree) -> str:
    """A node without those in it: its kind and what it says itself."""
    told = [
        json_text(one) if isinstance(node, Text) and name == "text" else str(one)
        for name, one in vars(node).items()
        if name in ("name", "written", "word", "text")
    ]
    if isinstance(node, Fields):
        told.append("." + ".".join(node.names))
    return " ".join([type(node).__name__.lower(), *told])
