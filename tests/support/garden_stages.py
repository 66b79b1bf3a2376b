"""The language of Garden alone, as a dialect with two stages: no projects, no files.

`variables` are what `var` leads to, `context` holds the other names, which are data.
"""

from __future__ import annotations

from bpp.pipeline import Context, Dialect, Document, Map, Pipeline, Reference, Stage, read_tree
from bpp.pipeline.dialects.garden.evaluating.evaluation import Evaluation
from bpp.pipeline.dialects.garden.evaluating.expansion import check_structures
from bpp.pipeline.dialects.garden.evaluating.forms import SEMANTICS
from bpp.pipeline.dialects.garden.evaluating.functions import functions
from bpp.pipeline.dialects.garden.evaluating.scope import Scope, data_scope
from bpp.pipeline.dialects.garden.syntax import SYNTAX, SYNTAX_V2
from bpp.pipeline.values.source import Span


def read(document: Document, context: Context) -> Document:
    """Reads the text and checks what can be checked of it."""

    def report(place: Span, summary: str, hint: str | None) -> None:
        context.diagnostics.error("invalid_structure", place, summary, hint)

    document = read_tree(document, context)
    check_structures(document.root, report)
    return document


def compute(document: Document, context: Context) -> Document:
    """Evaluates everything."""
    evaluation = Evaluation(context, "compute")
    known = document.root.get("context")
    data = evaluation.value(known, Scope({})) if known else {}
    scope = data_scope(data)
    variables = document.root.get("variables")
    if variables is not None:
        tree = evaluation.tree(variables, scope, Reference("var"))
        scope.roots.update(var=tree, variables=tree)
    root = evaluation.node(document.root, scope)
    assert isinstance(root, Map)
    return document.evolve(root=root)


PLAIN = Dialect(
    name="plain-garden",
    title="expressions and structures",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline((Stage("read", read), Stage("compute", compute))),
    semantics=SEMANTICS,
)

PLAIN_V2 = PLAIN.evolve(syntax=SYNTAX_V2)
