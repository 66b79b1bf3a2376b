"""The grammar of `${..}` (specification, "Substitution Grammar") and its expression trees.

The EBNF of the specification, corrected where it contradicts itself: `none` is a literal, names in
brackets are quoted, words are reserved only as whole words at the start of an expression, and
`[a, b]` at the start of an expression is an array. Whitespace may separate tokens. References
and literals are single regular expressions: parsimonious pays per node.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from ....functions.values import NONE
from ...formats import scalars
from ...language.errors import LanguageError
from ...language.syntax import HOLE, unquote
from ...values.expression import Access, Argument, Call, Expression, Hole, Literal, Path, Reference

SPACE = " \t\n\f\r"
_S = r"[ \t\n\f\r]*"
_STRING = r'"(?:[^"\\\\]++|\\\\"?+)*+"'
_NUMBER = r"-?[0-9]+(?:\\.[0-9]+)?(?![0-9A-Za-z_.-])"
_WORD = r"(?:true|false|none)(?![A-Za-z0-9_-])"
_PLAIN = r"[A-Za-z_][A-Za-z0-9_-]*(?![A-Za-z0-9_-])"
_QUOTED = r"""(?:"[A-Za-z0-9_.-]+"|\'[A-Za-z0-9_.-]+\'|[0-9]*)"""
_ACCESSORS = rf"(?:{_S}\\.{_S}{_PLAIN}|{_S}\\[{_S}{_QUOTED}{_S}\\])*+"

GRAMMAR = rf"""
substitution = ws expression ws
expression   = call / array / literal / reference
call         = name open arguments? close accessors
arguments    = argument (comma argument)*
argument     = named / expression
named        = name equals expression
array        = left (expression (comma expression)*)? right
literal      = ~'{_STRING}|{_NUMBER}|{_WORD}'
reference    = ~'{_PLAIN}{_ACCESSORS}'
accessors    = ~'{_ACCESSORS}'
name         = ~'{_PLAIN}'
open         = ~'{_S}\\({_S}'
close        = ~'{_S}\\)'
left         = ~'\\[{_S}'
right        = ~'{_S}\\]'
comma        = ~'{_S},{_S}'
equals       = ~'{_S}={_S}'
ws           = ~'{_S}'
"""

ROOTS = ("variables", "values", "datasources", "children", "resources", "elem", "i")
WORDS = ("true", "false", "none")


@cache
def _accessor() -> re.Pattern[str]:
    return re.compile(r"""\s*(?:\.\s*([A-Za-z_][\w-]*)|\[\s*(?:["']([^"']*)["']|([0-9]*))\s*\])""")


@cache
def _reference() -> re.Pattern[str]:
    """Whitespace and a reference, which is most of what is written, and needs no parser."""
    pattern = rf"{_S}((?!{_WORD}){_PLAIN}{_ACCESSORS}){_S}\Z"
    return re.compile(pattern.replace("\\\\", "\\"))  # the grammar has each backslash twice


@cache
def _grammar() -> Any:
    from parsimonious.grammar import Grammar

    return Grammar(GRAMMAR)


def parse(text: str, offset: int = 0, shape: bool = False) -> Expression:
    """The expression tree of the text between the delimiters.

    `offset` is added to all positions. In a shape, a string literal that holds just the hole
    character becomes a `Hole`, numbered in order.

    Raises:
        LanguageError: at the first position that does not match the grammar.
    """
    if not text.strip(SPACE):
        raise LanguageError(
            "empty_substitution",
            "the substitution is empty",
            offset - 2,
            offset + len(text) + 1,
            'write a reference or a function call, or `${"${"}` for a literal `${`',
        )
    only = _reference().match(text)
    if only is not None:
        return _Builder(offset, shape).reference(only[1], only.start(1) + offset)
    from parsimonious.exceptions import ParseError

    try:
        tree = _grammar().parse(text)
    except ParseError as error:
        from .syntax_errors import explain

        raise explain(text.rstrip(SPACE), error.pos, offset, WORDS) from None
    return _Builder(offset, shape).expression(tree.children[1])


class _Builder:
    """Turns parse nodes into expressions in one direct walk; counts holes on the way."""

    def __init__(self, offset: int, shape: bool) -> None:
        self.offset = offset
        self.shape = shape
        self.holes = 0

    def expression(self, node: Any) -> Expression:
        chosen = node.children[0]
        kind = chosen.expr_name
        if kind == "literal":
            return self.literal(chosen.text, chosen.start + self.offset, chosen.end + self.offset)
        if kind == "reference":
            return self.reference(chosen.text, chosen.start + self.offset)
        if kind == "call":
            return self.call(chosen)
        return self.array(chosen)

    def literal(self, text: str, start: int, end: int) -> Expression:
        first = text[0]
        if first == '"':
            content = text[1:-1]
            if self.shape and content == HOLE:
                self.holes += 1
                return Hole(self.holes - 1, start, end)
            return Literal(unquote(content), start, end)
        if text in ("true", "false"):
            return Literal(text == "true", start, end)
        if text == "none":
            return Literal(NONE, start, end)
        if "." not in text:
            return Literal(integer(text, start), start, end)
        value = float(text)
        if value in (float("inf"), float("-inf")):
            raise out_of_range(start, end)
        return Literal(value, start, end)

    def reference(self, text: str, start: int) -> Expression:
        match = re.match(r"[A-Za-z_][A-Za-z0-9_-]*", text)
        assert match is not None
        root = match.group()
        path, marks = accessors(text, match.end(), start)
        end = start + len(text)
        if root not in ROOTS:
            return Reference("resources", (root, *path), True, start, end, (start, *marks))
        problem = _shape_problem(root, path)
        if problem:
            raise LanguageError("invalid_substitution", problem[0], start, end, problem[1])
        return Reference(root, path, False, start, end, marks)

    def call(self, node: Any) -> Expression:
        name, _, arguments, close, after = node.children
        start = node.start + self.offset
        given: list[Argument] = []
        if arguments.children:
            first, rest = arguments.children[0].children
            given.append(self.argument(first))
            given.extend(self.argument(pair.children[1]) for pair in rest.children)
        call = Call(name.text, tuple(given), start, close.end + self.offset)
        if not after.text:
            return call
        path, _ = accessors(after.text, 0, after.start + self.offset)
        return Access(call, path, start, node.end + self.offset)

    def argument(self, node: Any) -> Argument:
        chosen = node.children[0]
        if chosen.expr_name == "named":
            name, _, value = chosen.children
            start, end = name.start + self.offset, name.end + self.offset
            return Argument(self.expression(value), name.text, start, end)
        return Argument(self.expression(chosen))

    def array(self, node: Any) -> Expression:
        """An array literal means a call of `list`."""
        given: list[Argument] = []
        content = node.children[1]
        if content.children:
            first, rest = content.children[0].children
            given.append(Argument(self.expression(first)))
            given.extend(Argument(self.expression(pair.children[1])) for pair in rest.children)
        return Call("list", tuple(given), node.start + self.offset, node.end + self.offset)


def accessors(text: str, position: int, offset: int) -> tuple[Path, tuple[int, ...]]:
    """The names and indexes from `position` on, and the offset of each.

    Raises:
        LanguageError: for an index that does not fit into 64 bits.
    """
    path: list[str | int] = []
    marks: list[int] = []
    while match := _accessor().match(text, position):
        name, quoted, index = match.groups()
        group = 1 if name is not None else 2 if quoted is not None else 3
        marks.append(offset + match.start(group))
        if group == 3:
            path.append(integer(index, marks[-1]) if index else 0)
        else:
            path.append(name if name is not None else quoted)
        position = match.end()
    return tuple(path), tuple(marks)


def integer(text: str, start: int) -> int:
    """The value of digits, which may have a sign and leading zeros.

    Raises:
        LanguageError: when it does not fit into 64 bits.
    """
    try:
        return scalars.integer(text, 10)
    except scalars.OutOfRange:
        raise out_of_range(start, start + len(text)) from None


def out_of_range(start: int, end: int) -> LanguageError:
    """The error for a number that is too large."""
    return LanguageError("number_out_of_range", "the number does not fit into 64 bits", start, end)


def _shape_problem(root: str, path: Path) -> tuple[str, str | None] | None:
    """The problem with the form of a reference, and a hint; None when it is valid."""
    if root == "i":
        return ("`i` is a number and has no fields", None) if path else None
    if root == "elem":
        return None
    singular = {
        "variables": "variable",
        "values": "value",
        "datasources": "data source",
        "children": "child blueprint",
        "resources": "resource",
    }[root]
    if not path or isinstance(path[0], int):
        return f"`{root}` must be followed by the name of a {singular}", f"write `{root}.name`"
    if root == "variables" and len(path) > 1:
        return (
            "a variable holds a single value and has no fields",
            f'use `fromjson(variables.{path[0]}, "/{path[1]}")` for a variable that holds JSON',
        )
    if root == "datasources":
        if len(path) < 2 or isinstance(path[1], int):
            return (
                "a reference to a data source needs a name and a field",
                "write `datasources.name.field`",
            )
        if len(path) > 3 or (len(path) == 3 and isinstance(path[2], str)):
            return "only one index may follow the field of a data source", None
    if root == "children" and (len(path) < 2 or isinstance(path[1], int)):
        return (
            "a reference to a child blueprint needs a name and an export",
            "write `children.name.export`",
        )
    return None
