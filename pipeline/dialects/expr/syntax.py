"""The syntax: a string is one expression, without delimiters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from ....functions.expr.index import INDEX, load
from ....functions.expr.kinds import StructType
from ....functions.registry import Function, Functions
from ....functions.signatures import declared_functions
from ....functions.value_limits import DEFAULT_LIMITS, ValueLimits
from ...language.errors import LanguageError
from ...language.language import Language
from ...language.syntax import HOLE, Syntax
from ...values.expression import Expression, Segment, Substitution
from .printing import show, write
from .reader import parse_expression
from .tokens import COMMENT, DOUBLE, RAW, SINGLE
from .types import Find, Typer

_PLAIN: Final = rf"""[^"'\\\n{HOLE}]*+"""
# A string that is a key, a pattern or before a colon is part of the tree and stays.
_TEXT_LITERAL: Final = (
    rf"{COMMENT}|{RAW}|[bB](?:{DOUBLE}|{SINGLE})|(?:\[|\bmatches\b)\s*(?:{DOUBLE}|{SINGLE})"
    rf"""|(?:"(?={_PLAIN}"(?!\s*:))|'(?={_PLAIN}'(?!\s*:)))({_PLAIN})["']|{DOUBLE}|{SINGLE}"""
)
_BUILTINS: Final = declared_functions(INDEX, load, {"limits": DEFAULT_LIMITS})


def builtin(name: str) -> Function | None:
    """The builtin with a name."""
    return _BUILTINS.get(name)


def parser(
    find: Find, structs: Mapping[str, StructType] = {}
) -> Callable[[str, int, bool], Expression]:
    """A parser that checks types, with the functions that `find` knows and the types of these."""
    typer = Typer(find, structs)

    def parse(text: str, offset: int, shape: bool) -> Expression:
        tree = parse_expression(text, offset, shape)
        typer.check(tree)
        return tree

    return parse


def _cut(language: Language, text: str) -> list[Segment]:
    """A string is one expression."""
    shape, literals = language.read(text, 0)
    return [Substitution(shape, literals, 0, len(text), text)]


def _unchanged(text: str) -> str:
    return text


def _unreadable(text: str, start: int) -> LanguageError:
    return LanguageError("invalid_substitution", "the expression cannot be read", start, len(text))


SYNTAX: Final = Syntax(
    grammar="expr 1",
    opener="",
    closer="",
    whole=re.compile(r"([\s\S]*+)"),
    text_literal=re.compile(_TEXT_LITERAL),
    hole=f'"{HOLE}"',
    brackets=("([{", ")]}"),
    parse=parser(builtin),
    unquote=_unchanged,
    show=show,
    protected="",
    unreadable=_unreadable,
    cut=_cut,
    write=write,
    protect=_unchanged,
    bounded=True,
)


def functions(limits: ValueLimits) -> Functions:
    """All builtins under given limits."""
    return declared_functions(INDEX, load, {"limits": limits})
