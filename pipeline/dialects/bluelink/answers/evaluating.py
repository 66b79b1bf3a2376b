"""Strings in the scope of a blueprint, and the names that they may refer to."""

from __future__ import annotations

from collections.abc import Iterator

from .....functions.values import Unknown
from ....answers.inspection import Evaluate
from ....answers.nodes import path_texts
from ....answers.paths import path_text
from ....engine.run import Context
from ....engine.string_evaluation import Evaluated, evaluate_in
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.expression import ELEMENT_ROOTS, Reference
from ....values.source import Source
from ....values.tree import Map
from ..checking.names import check_text
from ..evaluating.inputs import resolve_variables, without_value
from ..expansion import registry_of
from ..secrets.taint import withholding
from ..stages.include import begin


def opened_blueprint(document: Document, context: Context) -> Evaluate | None:
    """What evaluates strings in the scope of a blueprint that is not read yet; None after errors.

    A variable needs a value, and a child is rendered, where a string depends on it. Problems with
    the blueprint are reported to the context, those with the string are in the result.
    """
    document = context.pipeline.upto("transform").last(document, context)
    if context.diagnostics.errors:
        return None
    evaluation = begin(document, context, lazily=True)
    if context.diagnostics.errors:
        return None

    def evaluate(text: str) -> Evaluated:
        problems = check_text(text, document, context)
        if problems:
            return Evaluated(diagnostics=tuple(problems))
        given = text, Source("<expression>", text), context.language
        if evaluation.reveal:
            # finds out what may be asked for
            other = withholding(evaluation)
            evaluate_in(*given, other.evaluator, other.at(None))
        evaluator, scope = evaluation.evaluator, evaluation.at(None)
        return evaluate_in(*given, evaluator, scope, evaluation.mask, evaluation.reveal)

    return evaluate


def variable_names(document: Document, context: Context) -> list[str]:
    """The variables that a blueprint declares."""
    return _names(context.pipeline.reached("load", document, context), "variables")


def resource_names(document: Document, context: Context) -> list[str]:
    """The resources of a blueprint."""
    return _names(context.pipeline.reached("load", document, context), "resources")


def transform_names(document: Document, context: Context) -> list[str]:
    """The transforms that a blueprint can name."""
    return registry_of(context).names()


def reference_names(document: Document, context: Context) -> Iterator[str]:
    """References to what a blueprint defines, and to the fields of its resources."""
    document = context.pipeline.reached("load", document, context)
    for section in ("variables", "values"):
        yield from (path_text((section, name)) for name in _names(document, section))
    for name in _names(document, "include"):
        yield path_text(("children", name))
        work = context.work.child(name)
        child = work.stages[0][1] if work is not None and work.stages else None
        for field in _names(child, "exports") if child is not None else ():
            yield path_text(("children", name, field))
    for name, node in _maps(document, "datasources"):
        exports = node.get("exports")
        for field in exports.items if isinstance(exports, Map) else ():
            yield path_text(("datasources", name, field))
    for name, node in _maps(document, "resources"):
        own = ("resources", name, *((0,) if "each" in node.items else ()))
        yield path_text(own)
        for facet in ("spec", "metadata"):
            tree = node.get(facet)
            if tree is not None:
                yield from path_texts(tree, path_text((*own, facet)))
    if any("each" in node.items for _, node in _maps(document, "resources")):
        yield from ELEMENT_ROOTS


def open_variables(document: Document, context: Context) -> dict[str, Unknown]:
    """An unknown for each variable of a blueprint that was read which has no value."""
    definitions = document.section("variables")
    given, settings = context.given, context.settings
    variables = resolve_variables(definitions, given, settings, Diagnostics(), context.providers)
    missing = {}
    for name in without_value(definitions, variables, settings):
        kind = variables[name].type
        kind = "string" if "/" in kind else kind
        missing[name] = Unknown(Reference("variables", (name,)), kind)
    return missing


def _names(document: Document, section: str) -> list[str]:
    found = document.section(section)
    return list(found.items) if found is not None else []


def _maps(document: Document, section: str) -> Iterator[tuple[str, Map]]:
    found = document.section(section)
    for name, node in found.items.items() if found is not None else ():
        if isinstance(node, Map):
            yield name, node
