"""Trees of common expressions, ready made, so that most runs need no parser.

A pattern is an expression without white space in which `_` stands for each name and `9` for each
whole number; words that the grammar knows stay. Expressions of one pattern have one tree, but for
what stands in these places, so a table of patterns answers for all of them. It is made by the
parser (`tools/pattern_table.py`), which reads whatever is not in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ...functions.regexes import compile_regex
from ...functions.values import NONE
from ..values.expression import Access, Argument, Call, Expression, Hole, Literal, Path, Reference

Form: TypeAlias = int | str | tuple[Any, ...]
"""A tree as plain data.

A text's hole is its number, a word (`true`, `false`, `none`) stands for itself, a whole number is a
tuple of one, its number among those of the expression. All else is a tuple that begins with a
string: `"()"` a call (its function and arguments), `"[]"` names and indexes applied to a call (the
call and the path), another string a reference with that root (and its path), `""` one without. A
name is its number among the names of the expression, in an argument with a name as well, which is
`"="` (its name and value).
"""

_NAME: Final = r"([A-Za-z_][A-Za-z0-9_-]*)"
_TOKEN: Final = compile_regex(rf'"(?:{_NAME}(?=")|[^"]*)"|{_NAME}|([0-9]+)|[ \t\n\f\r]+')
_DIGITS: Final = 18
"""So many fit into 64 bits in any case."""


class Patterns:
    """A table of patterns; `kept` are the words that are not names."""

    def __init__(self, table: Mapping[str, Form], kept: frozenset[str]) -> None:
        self.table = table
        self.kept = kept

    def find(self, text: str) -> Expression | None:
        """The tree of an expression, without places; None when the table does not have it."""
        pattern, names, numbers = pattern_of(text, self.kept)
        form = self.table.get(pattern)
        if form is None or any(len(number) > _DIGITS for number in numbers):
            return None
        return _tree(form, names, numbers)


def pattern_of(text: str, kept: frozenset[str]) -> tuple[str, list[str], list[str]]:
    """The pattern of an expression, its names and its whole numbers in their order."""
    names: list[str] = []
    numbers: list[str] = []

    def replace(match: re.Match[str]) -> str:
        quoted, name, number = match.groups()
        found = quoted or name
        if found is not None and found not in kept:
            names.append(found)
            return '"_"' if quoted else "_"
        if number is not None:
            numbers.append(number)
            return "9"
        return "" if match[0].isspace() else match[0]

    return _TOKEN.sub(replace, text), names, numbers


def _tree(form: Form, names: list[str], numbers: list[str]) -> Expression:
    if isinstance(form, int):
        return Hole(form)
    if isinstance(form, str):
        return Literal(NONE if form == "none" else form == "true")
    kind = form[0]
    if isinstance(kind, int):
        return Literal(int(numbers[kind]))
    if kind == "()":
        function = form[1]
        arguments = tuple([_argument(given, names, numbers) for given in form[2:]])
        return Call(function if isinstance(function, str) else names[function], arguments)
    if kind == "[]":
        return Access(_tree(form[1], names, numbers), _path(form[2:], names, numbers))
    path = _path(form[1:], names, numbers)
    return Reference(kind, path) if kind else Reference("resources", path, True)


def _argument(form: Form, names: list[str], numbers: list[str]) -> Argument:
    if isinstance(form, tuple) and form[0] == "=":
        return Argument(_tree(form[2], names, numbers), names[form[1]])
    return Argument(_tree(form, names, numbers))


def _path(items: tuple[Any, ...], names: list[str], numbers: list[str]) -> Path:
    return tuple(
        [names[item] if isinstance(item, int) else int(numbers[item[0]]) for item in items]
    )
