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
from ...language.errors import Failure
from ...values.diagnostics import Diagnostic, Diagnostics
from ...values.document import Document
from ...values.source import Source
from .dialect import data_of
from .engine import Execution, compile_template
from .environment import TemplateEnvironment
from .lexer import LEFT
from .parser import MAIN
from .places import TemplateText, told


def opened(document: Document, context: Context) -> Evaluate | None:
    """The function that evaluates texts with the data of a render."""
    data = data_of(context)

    def evaluate(text: str) -> Evaluated:
        functions = context.functions
        environment = TemplateEnvironment(context, functions, document.folder)
        run = Execution(context.meter, environment)
        return evaluate_template(str(text), functions, data, run, context)

    return evaluate


def evaluate_template(
    text: str, functions: Mapping[str, Function], data: Any, run: Execution, context: Context
) -> Evaluated:
    """The text that a template gives, or the value of a pipe without delimiters, as JSON has it."""
    problems = Diagnostics(context.limits.max_diagnostics)
    source = Source("<expression>", text)
    written = TemplateText.of(source)
    alone = LEFT not in text
    if alone:
        wrapped = f"{LEFT}{text}\n}}}}"
        written = TemplateText(source, 0, len(text), wrapped, len(LEFT))
    program = compile_template(written, functions, context.evolve(diagnostics=problems))
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
