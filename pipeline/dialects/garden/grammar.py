"""The grammar of expressions, and the trees that it makes.

Operators are one flat list: with a rule for each level of precedence, the parser would recurse ten
times for one pair of parentheses. `_Builder.chain` applies the precedence. The trees of operators
are calls of the names in `operators.py`; a chain of one operator is one call. Line breaks are not
space.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NoReturn, TypeAlias

from ...language.errors import LanguageError
from ...language.syntax import HOLE
from ...values.expression import Argument, Call, Expression, Hole, Literal, Reference
from .evaluating.operators import BINDING, LIST, LOOKUP, NEITHER, RUNS, TERNARY
from .tokens import NAME, PART, SPACE, STRING, step_of

_S = f"[{SPACE}]*"
_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
_DECIMAL = rf"(?:0|[1-9][0-9]*+)(?:\.[0-9]*+)?{_EXPONENT}|\.[0-9]+{_EXPONENT}"
_NUMBER = rf"(?:0[xX][0-9a-fA-F]+|{_DECIMAL})(?!{PART})"
_OPERATOR = rf"{_S}(?:\|\||&&|==|!=|<=|>=|[<>*/%]|contains(?!{PART})){_S}|[{SPACE}]+[+-][{SPACE}]+"

_RULES: Final = {
    "string": STRING,
    "number": _NUMBER,
    "word": rf"(?:true|false|null)(?!{PART})",
    # one token for most operands; `path` has the other paths
    "plain": rf"(?![0-9]){NAME}(?:\.{NAME})*+(?!{PART}|\.|\[|{_S}\()",
    "name": NAME,
    "dotted": rf"\.{NAME}",
    "prefix": rf"(?:!(?!=)|typeof(?!{PART})){_S}",
    "operator": _OPERATOR,
    "question": rf"{_S}\?{_S}",
    "colon": rf"{_S}:{_S}",
    "comma": rf"{_S},{_S}",
    "open": rf"{_S}\({_S}",
    "close": rf"{_S}\)",
    "left": rf"\[{_S}",
    "right": rf"{_S}\]",
    "ws": _S,
}

GRAMMAR: Final = """
substitution = ws expression ws
expression   = chain (question expression colon chain)*
chain        = operand (operator operand)*
operand      = prefix* primary
primary      = plain / string / number / word / group / array / call / path
group        = open expression close
array        = left (expression (comma expression)* comma?)? right
call         = name open (expression (comma expression)*)? close
path         = name step*
step         = dotted / bracket
bracket      = left expression right
""" + "".join(f"{name} = ~{pattern!r}\n" for name, pattern in _RULES.items())

# most expressions are names with dots, which need no parser
_DOTTED = re.compile(rf"[{SPACE}]*+(?![0-9])({NAME}(?:\.{NAME})*+)[{SPACE}]*+")

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(\r\n|[\s\S]))")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}
_LINE_BREAKS = ("\n", "\r", "\r\n", "\u2028", "\u2029")
_MOST_INTEGER_DIGITS = 400
_NO_CALL = {LIST: "write `[a, b]` for an array", "object": None}

Inner: TypeAlias = Callable[[str, int, tuple[int, int] | None], Expression]
"""Parses the template in a string: its text, its offset, and a place for all of its parts."""


@cache
def _grammar() -> Any:
    from parsimonious.grammar import Grammar

    return Grammar(GRAMMAR)


def parse_expression(
    text: str, offset: int, shape: bool, inner: Inner, place: tuple[int, int] | None = None
) -> Expression:
    """The tree of one expression; `inner` parses the strings that are templates themselves.

    `offset` is added to all positions, or all of them are `place`. In a shape, a string with only
    the hole character becomes a `Hole`.

    Raises:
        LanguageError: for the first token that cannot be parsed.
    """
    plain = dotted(text, offset, place)
    if plain is not None:
        return plain
    from parsimonious.exceptions import ParseError

    stopped: int | None = None
    try:
        tree = _grammar().parse(text)
    except ParseError as error:  # which holds all that was tried, so nothing is raised here
        stopped = error.pos
    if stopped is not None:
        raise _problem(text, stopped, offset, place)
    return _Builder(offset, shape, inner, place).expression(tree.children[1])


def _problem(text: str, stopped: int, offset: int, place: tuple[int, int] | None) -> LanguageError:
    """The error in a text that the parser stopped in."""
    from .syntax_errors import explain

    problem = explain(text, stopped, offset)
    if place is not None:
        problem.start, problem.end = place
    return problem


def dotted(text: str, offset: int, place: tuple[int, int] | None = None) -> Reference | None:
    """The reference that a text is, if it has no more than names with dots between them.

    See `parse_expression` for `offset` and `place`.
    """
    match = _DOTTED.fullmatch(text)
    return None if match is None else _reference(match[1], match.start(1) + offset, place)


def _reference(text: str, start: int, place: tuple[int, int] | None) -> Reference:
    """The reference made of names with dots between them."""
    root, *steps = text.split(".")
    position = start + len(root)
    marks = []
    for step in steps:
        marks.append(place[0] if place is not None else position + 1)
        position += 1 + len(step)
    start, end = place or (start, position)
    return Reference(root, tuple(map(step_of, steps)), False, start, end, tuple(marks))


class _Builder:
    """Turns parse nodes into expressions; counts holes on the way."""

    def __init__(
        self, offset: int, shape: bool, inner: Inner, place: tuple[int, int] | None
    ) -> None:
        self.offset = offset
        self.shape = shape
        self.inner = inner
        self.fixed = place
        self.holes = 0

    def place(self, start: int, end: int) -> tuple[int, int]:
        return self.fixed or (start + self.offset, end + self.offset)

    def refuse(self, summary: str, node: Any, hint: str | None = None) -> NoReturn:
        """Raises an error for an expression that the rules match and the language forbids."""
        start, end = self.place(node.start, node.end)
        raise LanguageError("invalid_substitution", summary, start, end, hint)

    def expression(self, node: Any) -> Expression:
        first, rest = node.children
        if not rest.children:
            return self.chain(first)
        parts = [self.chain(first)]
        for branch in rest.children:
            parts += [self.expression(branch.children[1]), self.chain(branch.children[3])]
        return self.call_of(TERNARY, parts, node.start, node.end)

    def call_of(self, name: str, parts: list[Expression], start: int, end: int) -> Expression:
        arguments = tuple([Argument(part) for part in parts])
        return Call(name, arguments, *self.place(start, end))

    def chain(self, node: Any) -> Expression:
        """Operands and operators, by precedence."""
        first, rest = node.children
        if not rest.children:
            return self.operand(first)
        pending = [(self.operand(first), first.start, first.end)]
        waiting: list[tuple[str, int]] = []  # an operator and the number of its operands so far

        def close(level: int) -> None:
            while waiting and BINDING[waiting[-1][0]] >= level:
                name, count = waiting.pop()
                parts = pending[-count:]
                del pending[-count:]
                start, end = parts[0][1], parts[-1][2]
                trees = [tree for tree, _, _ in parts]
                pending.append((self.call_of(name, trees, start, end), start, end))

        for pair in rest.children:
            operator, operand = pair.children
            name = operator.text.strip()
            level = BINDING[name]
            close(level + 1)
            beside = waiting[-1][0] if waiting and BINDING[waiting[-1][0]] == level else None
            if beside == NEITHER:
                self.refuse(f"`{name}` cannot be chained", operator, "use parentheses")
            if beside == name and name in RUNS:
                waiting[-1] = (name, waiting[-1][1] + 1)
            else:
                close(level)
                waiting.append((name, 2))
            pending.append((self.operand(operand), operand.start, operand.end))
        close(0)
        return pending[0][0]

    def operand(self, node: Any) -> Expression:
        prefixes, primary = node.children
        tree = self.primary(primary.children[0])
        for prefix in reversed(prefixes.children):
            tree = self.call_of(prefix.text.strip(), [tree], prefix.start, node.end)
        return tree

    def primary(self, node: Any) -> Expression:
        start, end = self.place(node.start, node.end)
        match node.expr_name:
            case "plain":
                return _reference(node.text, node.start + self.offset, self.fixed)
            case "string":
                return self.string(node.text, start, end)
            case "number":
                return Literal(self.number(node), start, end)
            case "word":
                return Literal({"true": True, "false": False, "null": None}[node.text], start, end)
            case "group":
                return self.expression(node.children[1])
            case "array":
                items = self.items(node.children[1])
                return self.call_of(LIST, items, node.start, node.end)
            case "call":
                name = node.children[0].text
                if name in _NO_CALL:
                    summary = f"there is no function `{name}`"
                    raise LanguageError("function_not_found", summary, start, end, _NO_CALL[name])
                return self.call_of(name, self.items(node.children[2]), node.start, node.end)
        return self.path(node)

    def items(self, node: Any) -> list[Expression]:
        if not node.children:
            return []
        first, rest = node.children[0].children[:2]
        return [
            self.expression(first),
            *(self.expression(pair.children[1]) for pair in rest.children),
        ]

    def number(self, node: Any) -> int | float:
        text = node.text
        if text[:2] in ("0x", "0X"):
            return int(text, 16)
        if text.isdigit() and len(text) < _MOST_INTEGER_DIGITS:
            return int(text)
        value = float(text)
        if value == float("inf"):
            start, end = self.place(node.start, node.end)
            raise LanguageError("number_out_of_range", "the number is too large", start, end)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value

    def string(self, text: str, start: int, end: int) -> Expression:
        content = text[1:-1]
        if self.shape and content == HOLE:
            self.holes += 1
            return Hole(self.holes - 1, start, end)
        value = unescape(content)
        if "${" not in value:
            return Literal(value, start, end)
        place = self.fixed or ((start, end) if value != content else None)
        return self.inner(value, start + 1, place)

    def path(self, node: Any) -> Expression:
        """A reference, or a lookup on one when a key in brackets must be computed."""
        name, steps = node.children
        start, end = self.place(node.start, node.end)
        path: list[str | int] = []
        marks: list[int] = []
        keys: list[Expression] = []
        for step in steps.children:
            chosen = step.children[0]
            if chosen.expr_name == "dotted":
                key: Expression = Literal(step_of(chosen.text[1:]))
            else:
                key = self.expression(chosen.children[1])
            if keys or not (isinstance(key, Literal) and key.value.__class__ in (str, int)):
                keys.append(key)
            else:
                path.append(key.value)
                marks.append(self.place(chosen.start + 1, chosen.end)[0])
        if not keys:
            return Reference(name.text, tuple(path), False, start, end, tuple(marks))
        first = Reference(name.text, tuple(path), False, start, end, tuple(marks))
        return self.call_of(LOOKUP, [first, *keys], node.start, node.end)


def unescape(content: str) -> str:
    """The text of a string literal, without its quotes."""
    if "\\" not in content:
        return content

    def meaning(match: re.Match[str]) -> str:
        byte, code, other = match.groups()
        if other is None:
            return chr(int(byte or code, 16))
        return "" if other in _LINE_BREAKS else _ESCAPED.get(other, other)

    text = _ESCAPE.sub(meaning, content)
    # a pair of surrogates is one character, a lone one is invalid
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
