"""The Bluelink dialect, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....functions.core.registry import core_functions
from ....functions.registry import Functions
from ...engine.context import Context
from ...engine.dialect import Dialect
from ...engine.run import Pipeline, Stage
from ...values.document import Document
from ...values.settings import Settings
from .stages.each import expand_each
from .stages.export import export
from .stages.include import include
from .stages.load import load
from .stages.prune import prune
from .stages.substitute import substitute
from .stages.transform import transform
from .syntax import SYNTAX

if TYPE_CHECKING:
    from ...engine.dialect import Inspection


def functions(settings: Settings) -> Functions:
    """The core functions under given settings."""
    return core_functions(settings.substr_end_exclusive, settings.limits)


def check(document: Document, context: Context) -> Document:
    """The static checks of a document and of the children whose paths are known."""
    from ...rendering import check_document

    return check_document(document, context)


def inspection() -> Inspection:
    """What commands ask about blueprints."""
    from .answers.answers import INSPECTION

    return INSPECTION


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
    title="Bluelink Blueprint Specification",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(STAGES),
    check=check,
    inspection=inspection,
)
