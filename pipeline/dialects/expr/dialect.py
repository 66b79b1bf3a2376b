"""The dialect of bare expressions of expr-lang; a document is the data that names lead to."""

from __future__ import annotations

from typing import Final

from ....functions.registry import Functions
from ...engine.run import Context, Dialect, Pipeline, Stage, later
from ...formats.detection import read_plain
from ...values.document import Document
from ...values.settings import Settings
from ...values.tree import Map
from .forms import SEMANTICS
from .syntax import SYNTAX
from .syntax import functions as builtins


def read(document: Document, context: Context) -> Document:
    """Reads the document: all of it is data, nothing in it is an expression."""
    before = context.diagnostics.errors
    root = read_plain(document.source, context.meter, context.diagnostics)
    if isinstance(root, Map):
        made = document.evolve(root=root)
        context.work.written = made
        return made
    if context.diagnostics.errors == before:
        span = root.span if root is not None else None
        summary = f"`{document.source.name}` holds no map"
        context.diagnostics.error("invalid_map", span, summary, "its keys are the names of values")
    return document


def functions(settings: Settings) -> Functions:
    """All builtins under given settings."""
    return builtins(settings.limits)


def inspection() -> object:
    """The answers to commands: expressions are evaluated in the data of a document."""
    from ...answers.inspection import Inspection

    return Inspection(
        opened=later(__package__, "answers:opened"),
        names={"references": later(__package__, "answers:names")},
    )


EXPR: Final = Dialect(
    name="expr",
    title="expressions of expr-lang, without delimiters",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline((Stage("read", read, "read the data that names lead to"),)),
    semantics=SEMANTICS,
    inspection=inspection,
)
