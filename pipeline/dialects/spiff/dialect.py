"""The dialect of Spiff: a tree with expressions, in front of stubs and bindings."""

from __future__ import annotations

from typing import Any, Final

from ....functions.record import Record, field
from ....functions.registry import Functions
from ....functions.values import FunctionError
from ...engine.run import Context, Dialect, Pipeline, Stage, later
from ...formats.go_yaml import read_go
from ...values.diagnostics import ERROR, Diagnostics
from ...values.document import Document
from ...values.quoting import QuotingRule, quote_all
from ...values.settings import Settings
from ...values.source import Source
from ...values.tree import AnyNode, Array, Map
from ...world.files import FileProblem
from .calls import builtins
from .cells import Run
from .command_line import COMMAND_LINE, SpiffOptions
from .processing import process, unreadable
from .syntax import SYNTAX


class Inputs(Record, eq=False):
    """What the first stage reads: the template, and what it is processed with."""

    template: AnyNode
    run: Run = field(repr=False)


def options_of(context: Context) -> SpiffOptions:
    """The options of a run, by default those with its variables as bindings.

    Raises:
        ValueError: other options than `SpiffOptions`.
    """
    options = context.options
    if options is None:
        return SpiffOptions(values=dict(context.given.values))
    if not isinstance(options, SpiffOptions):
        raise ValueError(f"templates of Spiff take SpiffOptions, not {type(options).__name__}")
    return options


def as_data(value: Any) -> Any:
    """Bindings as the engine gets them from JSON: all numbers are floats."""
    if isinstance(value, dict):
        return {str(key): as_data(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(item) for item in value]
    return float(value) if type(value) is int else value


def parse(document: Document, context: Context) -> Document:
    """Reads the template, its stubs and its state, and looks at each expression."""
    options = options_of(context)
    before = context.diagnostics.errors
    sources = [document.source, *options.stubs, *([options.state] if options.state else [])]
    if options.private:
        context.quoting.conceal(
            lambda: ((f"({name})", one) for name, one in options.values.items())
        )
    nodes = []
    for source in sources:
        if source is not options.state:
            context.quoting.admit(source, QUOTES)
        nodes.append(_read(source, context))
    if context.diagnostics.errors > before:
        return document
    found = [node for node in nodes if node is not None]
    for node in found:
        for item in unreadable(node, context.language, context.meter):
            context.diagnostics.add(item.evolve(stage="process"))
    state = found.pop() if options.state else None
    template, *stubs = found
    run = run_of(context, document.folder).evolve(
        stubs=tuple(stubs),
        state=state,
        values=as_data(options.values),
        source=document.source.name,
    )
    context.work.keep(Inputs(template, run))
    made = _holding(document, template)
    context.work.written = made
    return made


def _read(source: Source, context: Context) -> AnyNode | None:
    found = context.diagnostics
    root = read_go(source, context.meter, found, integers=True, documents=True)
    documents = root.items if isinstance(root, Array) else []
    if len(documents) > 1:
        span, hint = documents[1].span, "put each document into a file of its own"
        found.error("rendered_second_document", span, "several documents are not possible", hint)
        return None
    return documents[0] if documents else read_go(source, context.meter, found, integers=True)


def run_of(context: Context, folder: str) -> Run:
    """The surroundings of a template that stands in a folder."""
    files = context.files

    def read(name: str, text: str) -> list[AnyNode]:
        found = Diagnostics()
        root = read_go(
            Source(name, text, "yaml"), context.meter, found, integers=True, documents=True
        )
        wrong = next((item for item in found if item.severity == ERROR), None)
        if wrong is not None:
            line = f"{wrong.span.line}: " if wrong.span is not None else ""
            raise FunctionError(f"error parsing file [{name}]: {line}{wrong.summary}")
        return root.items if isinstance(root, Array) else []

    def opened(path: str) -> bytes:
        try:
            return files.read(path.lstrip("/"), folder)
        except FileProblem as problem:
            raise FunctionError(f"read: {problem.message}", hint=problem.hint) from None

    def listed(path: str, folders: bool) -> list[str]:
        raise FunctionError("list: folders are not listed here", "function_not_supported")

    return Run(
        context.language,
        context.meter,
        read=read,
        content=opened,
        list=listed,
        numbers=context.environment.numbers,
    )


def evaluate(document: Document, context: Context) -> Document:
    """Evaluates the stubs, the last one first, then the template in front of them."""
    inputs = context.work.find(Inputs)
    assert inputs is not None
    made = process(inputs.template, inputs.run)
    context.work.keep(made)
    context.diagnostics.extend(made.diagnostics)
    return document if made.node is None else _holding(document, made.node)


def _holding(document: Document, root: AnyNode) -> Document:
    if isinstance(root, Map):
        return document.evolve(root=root, parts=None)
    return document.evolve(parts=(document.evolve(root=root),))


def functions(settings: Settings) -> Functions:
    """The builtins that need no scope."""
    return builtins(settings.limits)


def inspection() -> object:
    """The answers to commands: expressions are evaluated in the scope of the document."""
    from ...answers.inspection import Inspection

    return Inspection(
        opened=later(__package__, "answers:opened"),
        names={"references": later(__package__, "answers:names")},
    )


QUOTES: Final = QuotingRule(lambda source: "((" in source.text, quote_all)
"""All of a template may be quoted."""

SPIFF: Final = Dialect(
    name="spiff",
    title="trees of YAML with expressions in `(( .. ))`, merged with stubs",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(
        (
            Stage("parse", parse, "read the template, its stubs and its state"),
            Stage("process", evaluate, "evaluate the stubs, then the template in front of them"),
        )
    ),
    quotes=QUOTES,
    opens_nothing=True,
    tells_stages=True,
    command_line=COMMAND_LINE,
    inspection=inspection,
)
