"""Blueprints have no substitutions of bpp's own: their templates are texts of other languages."""

from __future__ import annotations

from typing import Final

from ....functions.gotemplate.index import INDEX as OF_GO
from ....functions.gotemplate.index import load as load_of_go
from ....functions.landscaper.index import INDEX as OWN
from ....functions.landscaper.index import load as load_own
from ....functions.registry import Functions
from ....functions.signatures import declared_functions
from ...language.errors import LanguageError
from ...language.syntax import Syntax, delimited
from ...values.expression import Expression
from ...values.settings import Settings


def _parse(text: str, offset: int, shape: bool) -> Expression:
    raise LanguageError("invalid_substitution", "there are no expressions", offset, offset)


def _show(tree: Expression) -> str:
    return ""


SYNTAX: Final[Syntax] = delimited("\0{", "}\0", parse=_parse, show=_show).evolve(flat_lists=True)
"""No text that the readers accept holds this opener, so nothing is ever split."""


def functions(settings: Settings) -> Functions:
    """The functions of templates: Go's, sprig's and Landscaper's."""
    limits = {"limits": settings.limits}
    made = declared_functions(OF_GO, load_of_go, limits)
    made.listed = "bpp functions --dialect landscaper"
    return made.with_functions(*declared_functions(OWN, load_own, limits).outlines().values())
