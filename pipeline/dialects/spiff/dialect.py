"""The dialect of Spiff: a tree with expressions, in front of stubs and bindings."""

from __future__ import annotations

from typing import Final

from ....functions.registry import Functions
from ....functions.values import FunctionError
from ...engine.run import Context, Dialect, Pipeline, Stage, later
from ...formats.go_yaml import as_floats, read_go
from ...values.document import Document
from ...values.quoting import QuotingRule, quote_all
from ...values.settings import Settings
from ...values.source import Source
from ...values.tree import AnyNode, Array, Map
from .cells import Run, builtins
from .command_line import COMMAND_LINE, SpiffOptions
from .processing import process, tell_unreadable
from .syntax import SYNTAX


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
    template, *stubs = found
    run = Run(
        template,
        context.language,
        context.meter,
        context.diagnostics,
        content=lambda path: context.files.read(path.lstrip("/"), document.folder),
        list=_unlisted,
        numbers=context.environment.numbers,
        stubs=tuple(stubs),
        values=as_floats(options.values),
        source=document.source.name,
    )
    for node in found:
        tell_unreadable(node, run)
    context.work.keep(run)
    written = context.work.written = _holding(document, template)
    if context.documents is not None:
        context.documents.append(written)
    return written


def _read(source: Source, context: Context) -> AnyNode | None:
    found = context.diagnostics
    root = read_go(source, context.meter, found, integers=True, documents=True)
    documents = root.items if isinstance(root, Array) else []
    if len(documents) > 1:
        span, hint = documents[1].span, "put each document into a file of its own"
        found.error("rendered_second_document", span, "several documents are not possible", hint)
        return None
    return documents[0] if documents else read_go(source, context.meter, found, integers=True)


def _unlisted(path: str, folders: bool) -> list[str]:
    raise FunctionError("list: folders are not listed here", "function_not_supported")


def evaluate(document: Document, context: Context) -> Document:
    """Evaluates the stubs, the last one first, then the template in front of them."""
    run = context.work.find(Run)
    assert run is not None
    made = process(run)
    if made is None:
        return document
    context.work.keep(made)
    return _holding(document, made.node)


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
        printed=later(__package__, "answers:printed"),
        names={"references": later(__package__, "answers:names")},
        mentions=later(__package__, "mentions:mentions"),
        naming={"": (r"[A-Za-z_][A-Za-z0-9_-]*", "letters, digits, `_` and `-`")},
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
