"""The syntax: a string is one expression, without delimiters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from ....functions import expr
from ....functions.expr.index import INDEX, load
from ....functions.expr.kinds import StructType
from ....functions.registry import Function, Functions
from ....functions.signatures import advice, declared_functions
from ....functions.value_limits import DEFAULT_LIMITS, ValueLimits
from ...language.errors import LanguageError
from ...language.language import Language
from ...language.syntax import HOLE, Syntax
from ...values.expression import Expression, Segment, Substitution
from .printing import show, write
from .reader import parse_expression
from .tokens import COMMENT, DOUBLE, RAW, SINGLE
from .types import Find, Typer

_PLAIN: Final = r"""[^"'\\\n]*+"""
# A key in brackets or of a map, a pattern, and what `%` divides by are part of the tree and stay.
_LITERAL: Final = (
    rf"{COMMENT}|{RAW}|[bB](?:{DOUBLE}|{SINGLE})|\[\s*(?:{DOUBLE}|{SINGLE}|-?[0-9]++)\s*\]"
    rf"|\bmatches\b\s*(?:{DOUBLE}|{SINGLE})|%\s*[0-9]|[{{,]\s*[0-9][\w.]*+\s*:"
    rf"""|(?:"(?={_PLAIN}"(?!\s*:))|'(?={_PLAIN}'(?!\s*:)))({_PLAIN})["']|{DOUBLE}|{SINGLE}"""
    r"|(?<![\w$])[0-9.][0-9_.]*+[eE][+-]?[0-9]"
    r"|(?<![\w$.])(?:([0-9]{1,18})(?![\w.])|([0-9]{1,15}\.[0-9]{1,15})(?![\w.]))"
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
    grammar="expr 2",
    opener="",
    closer="",
    whole=re.compile(r"([\s\S]*+)"),
    text_literal=re.compile(_LITERAL),
    hole=f'"{HOLE}"',
    holes={2: (f"{HOLE}i", int), 3: (f"{HOLE}f", float)},
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


def functions(limits: ValueLimits, dialect: str = "expr") -> Functions:
    """All builtins under given limits, as a dialect has them."""
    made = declared_functions(INDEX, load, {"limits": limits})
    made.advise, made.listed = partial(advice, expr.__name__), f"bpp functions --dialect {dialect}"
    return made
