"""Blueprints have no substitutions of bpp's own: their templates are texts of other languages."""

from __future__ import annotations

from typing import Final

from ....functions.landscaper.index import INDEX, load
from ....functions.registry import Functions
from ....functions.signatures import declared_functions
from ...language.syntax import Syntax
from ...values.settings import Settings
from ..gotemplate.dialect import SYNTAX as OF_TEMPLATES
from ..gotemplate.functions import functions as of_templates

SYNTAX: Final[Syntax] = OF_TEMPLATES.evolve(go_style=True)
"""Nothing is split, and lists are written as Go does."""


def functions(settings: Settings) -> Functions:
    """The functions of templates: Go's, sprig's and Landscaper's."""
    own = declared_functions(INDEX, load, {"limits": settings.limits})
    made = of_templates(settings).with_functions(*own.outlines().values())
    made.listed = "bpp functions --dialect landscaper"
    return made
