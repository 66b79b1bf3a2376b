"""What `bpp eval` and `bpp console` know of a template: texts are evaluated with its data."""

from __future__ import annotations

from collections.abc import Mapping
from json import loads
from typing import Any

from ....functions.expr.texts import json_text
from ....functions.gotemplate.kinds import Absent
from ....functions.registry import Function
from ....functions.values import FunctionError
from ...answers.inspection import Evaluate
from ...engine.run import Context
from ...engine.string_evaluation import Evaluated
from ...language.errors import Failure, LanguageError
from ...values.diagnostics import Diagnostic, Diagnostics, worded
from ...values.document import Document
from ...values.settings import Settings
from ...values.source import Source
from .compiler import DEEPEST
from .dialect import data_of
from .engine import Execution, compile_template
from .environment import TemplateEnvironment
from .functions import functions
from .lexer import LEFT
from .nodes import Fields, Text, Tree
from .parser import MAIN, parse
from .places import TemplateText, told


def opened(document: Document, context: Context) -> Evaluate | None:
    """The function that evaluates texts with the data of a render."""
    data = data_of(context)

    def evaluate(text: str) -> Evaluated:
        environment = TemplateEnvironment(context, context.functions, document.folder)
        run = Execution(context.meter, environment)
        return evaluate_template(str(text), context.functions, data, run, context)

    return evaluate


def evaluate_template(
    text: str, known: Mapping[str, Function], data: Any, run: Execution, context: Context
) -> Evaluated:
    """The text that a template gives, or the value of a pipe without delimiters, as JSON has it."""
    problems = Diagnostics(context.limits.max_diagnostics)
    source = Source("<expression>", text)
    written = TemplateText.of(source)
    alone = LEFT not in text
    if alone:
        wrapped = f"{LEFT}{text}\n}}}}"
        written = TemplateText(source, 0, len(text), wrapped, len(LEFT))
    program = compile_template(written, known, context.evolve(diagnostics=problems))
    if program is None or (alone and len(program.tree[MAIN].nodes) != 1):
        return Evaluated(diagnostics=tuple(problems))
    try:
        if not alone:
            return Evaluated(text=program.run(data, run).text)
        value = program.value(data, run)
        if isinstance(value, Absent):
            return Evaluated(text=value.used())
        return Evaluated(value=loads(json_text(value)))
    except Failure as failure:
        return Evaluated(diagnostics=(told(failure),))
    except FunctionError as error:
        found = Diagnostic(error.code, error.message, source.span(0, len(text)))
        return Evaluated(diagnostics=(found,))


def tree(text: str) -> list[str]:
    """The nodes of a template, or of a pipe without delimiters, a line each.

    Raises:
        LanguageError: it cannot be parsed.
    """
    shift = 0 if LEFT in text else len(LEFT)
    known = functions(Settings())
    wrapped = f"{LEFT}{text}\n}}}}" if shift else text
    templates, mistakes = parse(wrapped, known, (DEEPEST, DEEPEST), lambda name: None)
    if mistakes:
        size = len(text)
        found = []
        for one in mistakes:
            start, end = min(max(one.start - shift, 0), size), min(max(one.end - shift, 0), size)
            found.append(LanguageError(one.code, one.summary, start, end, worded(one.hint)))
        first, *others = found
        first.others = tuple(others)
        raise first
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
