"""The syntax: a string is one expression, without delimiters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from ....functions import expr
from ....functions.expr.index import INDEX, load
from ....functions.regexes import compile_regex
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
from .types import Find, Structs, Typer

_PLAIN: Final = r"""[^"'\\\n]*+"""
# Patterns that are valid for sure: characters, classes and repetitions, without groups
_PIECE: Final = r"(?:[\w/ :@=,-]|\\\\[.dwsDWS/+*?-]|\.|\[\^?(?:0-9|a-z|A-Z|a-f|A-F|[\w.])++-?\])"
_PATTERN: Final = rf"\^?(?:{_PIECE}[+*?]?){{0,99}}+\$?"
# What a key of a map, a pattern that may be wrong, and what `%` divides by are stays in the tree.
_LITERAL: Final = (
    r"""(?=["'`/\[{,%0-9.bBm])(?:"""  # which most places are not: this is looked at first
    rf"{COMMENT}|{RAW}|[bB](?:{DOUBLE}|{SINGLE})"
    rf"""|\[\s*(?:"({_PLAIN})"|'({_PLAIN})'|{DOUBLE}|{SINGLE}|-?[0-9]++)\s*\]"""
    rf"""|m(?<=\bm)atches\b\s*(?:"({_PATTERN})"|'({_PATTERN})'|{DOUBLE}|{SINGLE})"""
    rf"|%\s*[0-9]|[{{,]\s*[0-9][\w.]*+\s*:"
    rf"""|"({_PLAIN})"(?!\s*:)|'({_PLAIN})'(?!\s*:)|{DOUBLE}|{SINGLE}"""
    r"|[0-9.](?<![\w$].)[0-9_.]*+[eE][+-]?[0-9]"
    r"|(?<![\w$.])(?:([0-9]{1,18})(?![\w.])|([0-9]{1,15}\.[0-9]{1,15})(?![\w.])))"
)
_HOLE: Final = f'"{HOLE}"'
_BUILTINS: Final = declared_functions(INDEX, load, {"limits": DEFAULT_LIMITS})


def builtin(name: str) -> Function | None:
    """The builtin with a name."""
    return _BUILTINS.get(name)


def parser(find: Find, structs: Structs = dict) -> Callable[[str, int, bool], Expression]:
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


def _unescaped(text: str) -> str:
    return text.replace("\\\\", "\\")


def _unchanged(text: str) -> str:
    return text


def _unreadable(text: str, start: int) -> LanguageError:
    return LanguageError("invalid_substitution", "the expression cannot be read", start, len(text))


SYNTAX: Final = Syntax(
    grammar="expr 3",
    opener="",
    closer="",
    whole=compile_regex(r"([\s\S]*+)"),
    text_literal=compile_regex(_LITERAL),
    hole=_HOLE,
    holes={
        **dict.fromkeys((3, 4), (f"matches {_HOLE}", _unescaped)),
        **dict.fromkeys((5, 6), (_HOLE, str)),
        7: (f"{HOLE}i", int),
        8: (f"{HOLE}f", float),
    },
    keys=(1, 2),
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
