"""Blueprints have no substitutions of bpp's own: their templates are texts of other languages."""

from __future__ import annotations

from typing import Final

from ....functions.registry import Functions
from ...language.errors import LanguageError
from ...language.syntax import Syntax, delimited
from ...values.expression import Expression
from ...values.settings import Settings


def _parse(text: str, offset: int, shape: bool) -> Expression:
    raise LanguageError("invalid_substitution", "there are no expressions", offset, offset)


def _show(tree: Expression) -> str:
    return ""


SYNTAX: Final[Syntax] = delimited("\0{", "}\0", parse=_parse, show=_show)
"""No text that the readers accept holds this opener, so nothing is ever split."""


def functions(settings: Settings) -> Functions:
    """The functions of both engines."""
    return Functions([])
