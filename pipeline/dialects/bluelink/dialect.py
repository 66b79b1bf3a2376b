"""The Bluelink dialect, put together."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from ....functions.core.registry import core_functions
from ....functions.registry import Functions
from ...engine.run import Context, Dialect, Pipeline, Stage, later
from ...values.diagnostics import ERROR, NOTE, Diagnostic, Relay
from ...values.document import Document
from ...values.quoting import Quoting, QuotingRule, Range
from ...values.settings import Settings
from ...values.source import Source
from .stages.each import expand_each
from .stages.export import export
from .stages.include import include
from .stages.load import load
from .stages.prune import prune
from .stages.substitute import substitute
from .stages.transform import transform
from .structure.sections import NEWER, OLDER
from .syntax import SYNTAX

if TYPE_CHECKING:
    from ...answers.inspection import Inspection
    from ...engine.lints import Lint


_STATIC: Final = ("load", "transform")


def functions(settings: Settings) -> Functions:
    """The core functions under given settings."""
    return core_functions(settings.substr_end_exclusive, settings.limits)


def check(document: Document, context: Context) -> Document:
    """The static checks of a document and of the children whose paths are known."""
    from .checking.static_children import check_document

    context = context.evolve(checks=True)
    document = check_document(document, context)
    # a cycle is in the way of what needs it alone; a render tells the mistakes beside it as well
    if all(_is_cycle(item, document) for item in context.diagnostics if item.severity == ERROR):
        from .checking.examination import examine

        examine(document, context)
    return document


def _is_cycle(item: Diagnostic, document: Document) -> bool:
    span = item.span
    return item.code == "reference_cycle" and span is not None and span.source is document.source


def check_rest(document: Document, context: Context, stage: str) -> None:
    """What can be checked of a document in which the first stages found mistakes."""
    if stage in _STATIC:
        from .checking.static_children import check_further

        told = Relay(context.diagnostics, lambda item: item.severity != NOTE)
        check_further(document, context.evolve(diagnostics=told))


def withhold(document: Document, context: Context, stage: str) -> None:
    """Asks the children what of that which they are given is a secret; to render asks them, too."""
    if stage in _STATIC:
        from .checking.static_children import withhold_given

        withhold_given(document, context, stage != _STATIC[0])


def is_blueprint(source: Source) -> bool:
    """True for a text that is recognisably a blueprint."""
    from .secrets.quotation import is_blueprint

    return is_blueprint(source)


def stands_alone(source: Source) -> bool:
    """True for a text that is certainly a blueprint."""
    from .secrets.quotation import is_certain

    return is_certain(source)


def hides(source: Source, quoting: Quoting) -> Iterable[Range]:
    """The parts of a text that may be for a secret."""
    from .secrets.quotation import hidden

    return hidden(source, quoting)


def redact(document: Document, quoting: Quoting) -> Document:
    """The document with a mask for each secret in it."""
    from .secrets.secrecy import redacted

    return redacted(document, quoting)


def lints() -> tuple[Lint, ...]:
    """What `check` remarks on blueprints that render."""
    from .checking.lints import LINTS

    return LINTS


def inspection() -> Inspection:
    """What commands ask about blueprints."""
    from ...answers.inspection import Inspection

    return Inspection(
        level=later(__package__, "answers.why:level_of_run"),
        opened=later(__package__, "answers.evaluating:opened_blueprint"),
        graph=later(__package__, "answers.graph:blueprint_graph"),
        survey=later(__package__, "answers.graph:blueprint_survey"),
        unknowns=later(__package__, "answers.unknowns:unknowns_of_blueprints"),
        unsupplied=later(__package__, "answers.evaluating:open_variables"),
        split=later(__package__, "splitting:split_documents"),
        names={
            "variables": later(__package__, "answers.evaluating:variable_names"),
            "references": later(__package__, "answers.evaluating:reference_names"),
            "resources": later(__package__, "answers.evaluating:resource_names"),
            "transforms": later(__package__, "answers.evaluating:transform_names"),
        },
        schemas={
            "blueprint": later(__package__, "answers.schemas:blueprint_schema"),
            **{
                f"blueprint-{version}": partial(
                    later(__package__, "answers.schemas:blueprint_schema"), version
                )
                for version in (OLDER, NEWER)
            },
        },
        variables=later(__package__, "answers.schemas:variables_schema"),
        named={
            "transform": "transforms",
            "transform.*": "transforms",
            "include.*.path": "files",
            "resources.*.dependsOn": "resources",
            "resources.*.dependsOn.*": "resources",
            "resources.*.linkSelector.exclude.*": "resources",
            "exports.*.field": "references",
        },
        mentions=later(__package__, "answers.mentions:mentions"),
        naming={
            "field": ("", ""),  # a provider gives it
            "": (r"[A-Za-z0-9_.-]+", "letters, digits, `_`, `.` and `-`"),
        },
        declarations={
            "variable": (("variables",), "NAME:\n  type: string"),
            "value": (("values",), 'NAME:\n  type: string\n  value: ""'),
        },
        defaults={"variable": (("variables", "NAME"), 'default: ""')},
    )


STAGES = (
    Stage("load", load, "read the text into a tree with places, check its structure"),
    Stage("transform", transform, "expand abstract resources, check every reference"),
    Stage("include", include, "find child blueprints and render them"),
    Stage("substitute", substitute, "compute what can be known, leave the rest as smaller text"),
    Stage("prune", prune, "remove resources whose condition is false"),
    Stage("each", expand_each, "make one resource of each element"),
    Stage("export", export, "find and check exported values, drop what is used up"),
)

BLUELINK = Dialect(
    name="bluelink",
    title=f"Bluelink Blueprint Specification, versions {OLDER} and {NEWER}",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(STAGES),
    check=check,
    check_rest=check_rest,
    quotes=QuotingRule(is_blueprint, hides),
    withhold=withhold,
    redact=redact,
    unresolved=later(__package__, "answers.unknowns:unresolved"),
    lints=lints,
    stands_alone=stands_alone,
    inspection=inspection,
)
