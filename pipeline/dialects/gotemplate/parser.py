"""The parser of templates, by hand: it goes on after a mistake, in the words of the engine."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, Final

from ....functions.expr.texts import quoted
from ....functions.record import Record
from ...values.diagnostics import Hint
from .lexer import Chunk, Mistake, Token, cut, unquoted
from .nodes import (
    Action,
    Block,
    Called,
    Command,
    Condition,
    Dot,
    Fields,
    Insert,
    Leave,
    Literal,
    Pipe,
    Range,
    Templates,
    Text,
    Tree,
    Variable,
)

MAIN: Final = "execution"
"""The name of a text's own template."""

_MOST: Final = 1000
"""Mistakes of a text that are looked for."""
_ENDS: Final = frozenset(("close", "right", "pipe"))
_OPENERS: Final = frozenset(("if", "with", "range", "define", "block"))
_CONSTANTS: Final = frozenset(("string", "raw", "rune", "number", "true", "false", "nil"))
_STARTS: Final = _CONSTANTS | {"dot", "field", "word", "variable", "left"}
_WORDS_OF_ACTIONS: Final = _OPENERS | {"else", "end", "break", "continue", "template"}
_PARENTHESES: Final = "parenthesized pipeline"
_WORDS: Final = {"true": True, "false": False, "nil": None}
_INTEGER: Final = re.compile(
    r"[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|0(?:_?[0-7])*"
    r"|[1-9](?:_?[0-9])*)"
)
_FRACTION: Final = frozenset(".eEpP")


class Overflow:
    """The value of a constant that is no int; using it is an error."""


class _Open(Record, eq=False):
    """A block that has no end yet.

    `node` is what it belongs to, the name and its place for a template, None for one that is too
    deep; `block` is the one around it, of whose `variables` the first `known` are known behind it.
    """

    word: str
    node: Any
    block: Block
    chunk: Chunk
    variables: dict[str, None]
    known: int


def parse(
    text: str,
    functions: Collection[str],
    deepest: tuple[int, int],
    meant: Callable[[str], Hint],
) -> tuple[Templates, list[Mistake]]:
    """The templates of a text, and its mistakes.

    `functions` are the names that may be called, `meant` words the hint for another one. `deepest`
    are how deep parentheses and blocks may be nested.
    """
    parser = Parser(text, functions, meant, deepest[1])
    for chunk in cut(text, deepest[0]):
        parser.take(chunk)
        if len(parser.mistakes) > _MOST:
            break
    else:
        parser.finish()
    return parser.templates, parser.mistakes


class Parser:
    """Takes the chunks of a text, one by one."""

    def __init__(
        self, text: str, functions: Collection[str], meant: Callable[[str], Hint], deepest: int
    ) -> None:
        self.text = text
        self.functions = functions
        self.meant = meant
        self.deepest = deepest
        self.templates: Templates = {MAIN: Block(0, 0)}
        self.mistakes: list[Mistake] = []
        self.block = self.templates[MAIN]
        self.opened: list[_Open] = []
        self.variables: dict[str, None] = {"$": None}
        self.tokens: list[Token] = []
        self.at = 0

    def take(self, chunk: Chunk) -> None:
        """Parses a chunk."""
        if chunk.tokens is None:
            inside = self.text[chunk.start : chunk.end]
            self.block.nodes.append(Text(chunk.start, chunk.end, inside))
            return
        found: Mistake | None = chunk.error
        self.tokens = chunk.tokens
        self.at = 0
        try:
            if self.tokens:
                self._action(chunk)
        except Mistake as problem:
            if found is None or problem.start < found.start:
                found = problem
        if found is not None:
            self.mistakes.append(found)

    def finish(self) -> None:
        """Reports what has no end."""
        if self.opened:
            word, chunk, size = self.opened[-1].word, self.opened[-1].chunk, len(self.text)
            hint = f"close `{word}` with `{{{{ end }}}}`"
            problem = Mistake("unexpected EOF", max(size - 1, 0), size, hint)
            self.mistakes.append(problem.noting(f"`{word}` starts here", chunk.start, chunk.end))

    # Actions

    def _action(self, chunk: Chunk) -> None:
        word = self.tokens[0].kind
        self.at = word in _WORDS_OF_ACTIONS
        if word in _OPENERS:
            self._open(word, chunk)
        elif word == "else":
            self._else(chunk)
        elif word == "end":
            self._end(chunk)
        elif word in ("break", "continue"):
            self._expect_close(f"{{{{{word}}}}}")
            self._hold_in_range(word)
            self.block.nodes.append(Leave(chunk.start, chunk.end, word))
        elif word == "template":
            name, named = self._name("template clause")
            pipe = None if self.tokens[self.at].kind == "close" else self._pipe("template clause")
            self.block.nodes.append(Insert(chunk.start, chunk.end, name, named, pipe))
        else:
            self.block.nodes.append(Action(chunk.start, chunk.end, self._pipe("command")))

    def _hold_in_range(self, word: str) -> None:
        """Refuses a word that stands in no loop of its template."""
        for one in reversed(self.opened):
            if isinstance(one.node, Range) and one.node.otherwise is None:
                return
            if isinstance(one.node, tuple):
                break
        raise self._mistake(f"{{{{{word}}}}} outside {{{{range}}}}", self.tokens[0])

    def _open(self, word: str, chunk: Chunk) -> None:
        if len(self.opened) >= self.deepest:
            if len(self.opened) == self.deepest:
                summary = f"blocks may be nested {self.deepest} deep"
                problem = Mistake(summary, chunk.start, chunk.end, None, "limit_exceeded")
                self.mistakes.append(problem)
            self.opened.append(
                _Open(word, None, self.block, chunk, self.variables, len(self.variables))
            )
            return
        around, known = self.variables, len(self.variables)
        inner = Block(chunk.end, chunk.end)
        found: Mistake | None = None
        node: Any
        if word in ("define", "block"):
            node = "", (chunk.start, chunk.end)
            try:
                node = self._template(word, chunk)
            except Mistake as mistake:
                found = mistake
            self.variables = {"$": None}
        else:
            pipe, found = self._guarded_pipe(word)
            if word == "range":
                node = Range(chunk.start, chunk.end, pipe, inner)
            else:
                node = Condition(chunk.start, chunk.end, word, [(pipe, inner)])
            self.block.nodes.append(node)
        self.opened.append(_Open(word, node, self.block, chunk, around, known))
        self.block = inner
        if found is not None:
            raise found

    def _guarded_pipe(self, context: str) -> tuple[Pipe, Mistake | None]:
        """A pipe, or an empty one with its mistake: the block that it opens goes on."""
        try:
            return self._pipe(context), None
        except Mistake as problem:
            token = self.tokens[0]
            return Pipe(token.start, token.end, [], False, []), problem

    def _template(self, word: str, chunk: Chunk) -> tuple[str, tuple[int, int]]:
        """The name of a template that begins here, and where it stands."""
        if word == "define" and self.opened:
            raise self._mistake("unexpected <define> in command", self.tokens[0])
        context = f"{word} clause"
        name, named = self._name(context)
        if word == "define":
            self._expect_close(context)
        else:
            pipe = self._pipe(context)
            self.block.nodes.append(Insert(chunk.start, chunk.end, name, named, pipe))
        return name, named

    def _else(self, chunk: Chunk) -> None:
        found = self.opened[-1] if self.opened else None
        if found is None or isinstance(found.node, tuple):
            context = f" in {found.word} clause" if found else ""
            raise Mistake(f"unexpected {{{{else}}}}{context}", chunk.start, chunk.end)
        node = found.node
        if node is None:
            return
        if node.otherwise is not None:
            raise Mistake("expected end; found {{else}}", chunk.start, chunk.end)
        following = self.tokens[self.at].kind
        self.block = Block(chunk.end, chunk.end)
        if following == found.word and following in ("if", "with"):
            self.at += 1
            pipe, problem = self._guarded_pipe(following)
            node.branches.append((pipe, self.block))
            if problem is not None:
                raise problem
            return
        vars(node)["otherwise"] = self.block
        self._expect_close("input" if following in ("if", "with") else "else")

    def _end(self, chunk: Chunk) -> None:
        if not self.opened:
            self._expect_close("end")
            raise Mistake("unexpected {{end}}", chunk.start, chunk.end)
        found = self.opened.pop()
        inner, self.block = self.block, found.block
        self.variables = found.variables
        while len(self.variables) > found.known:
            self.variables.popitem()
        if isinstance(found.node, tuple):
            name, named = found.node
            self._define(name, named, inner)
        elif found.node is not None:
            vars(found.node)["end"] = chunk.end
        self._expect_close("end")

    def _define(self, name: str, named: tuple[int, int], block: Block) -> None:
        known = self.templates.get(name)
        if known is None or name == MAIN or _is_empty(known):
            if name != MAIN or not _is_empty(block):
                self.templates[name] = block
        elif not _is_empty(block):
            raise Mistake(f"template: multiple definition of template {quoted(name)}", *named)

    def _name(self, context: str) -> tuple[str, tuple[int, int]]:
        """The name of a template and where it stands."""
        token = self.tokens[self.at]
        if token.kind not in ("string", "raw"):
            raise self._unexpected(token, context)
        self.at += 1
        return self._string(token), (token.start, token.end)

    def _expect_close(self, context: str) -> None:
        token = self.tokens[self.at]
        if token.kind != "close":
            raise self._unexpected(token, context)

    def _unexpected(self, token: Token, context: str) -> Mistake:
        return self._mistake(f"unexpected {token.shown} in {context}", token)

    def _mistake(self, summary: str, token: Token | Tree) -> Mistake:
        return Mistake(summary, token.start, token.end)

    # Pipes

    def _pipe(self, context: str) -> Pipe:
        """All of an action, or with `parenthesized pipeline` what parentheses hold."""
        closing = "right" if context == _PARENTHESES else "close"
        start = self.tokens[self.at - (closing == "right")].start
        names, assigns = self._declared(context)
        commands: list[Command] = []
        while True:
            token = self.tokens[self.at]
            if token.kind == closing:
                break
            if token.kind not in _STARTS:
                raise self._unexpected(token, context)
            commands.append(self._command())
        if not commands:
            raise self._mistake(f"missing value for {context}", token)
        for stage, command in enumerate(commands[1:], 2):
            first = command.operands[0]
            if isinstance(first, Literal | Dot):
                raise self._mistake(f"non executable command in pipeline stage {stage}", first)
        end = token.end if closing == "right" else self.tokens[self.at - 1].end
        return Pipe(start, end, names, assigns, commands)

    def _declared(self, context: str) -> tuple[list[Variable], bool]:
        names: list[Variable] = []
        variables = self.variables
        while self.tokens[self.at].kind == "variable":
            token, following = self.tokens[self.at : self.at + 2]
            if following.kind in ("assign", "declare"):
                self.at += 2
                names.append(Variable(token.start, token.end, token.text))
                variables[token.text] = None
                return names, following.kind == "assign"
            if following.text != ",":
                break
            self.at += 2
            names.append(Variable(token.start, token.end, token.text))
            variables[token.text] = None
            if context != "range" or len(names) > 1:
                raise self._mistake(f"too many declarations in {context}", following)
            if self.tokens[self.at].kind not in ("variable", "close", "right"):
                raise self._mistake("range can only initialize variables", following)
        return names, False

    def _command(self) -> Command:
        start = self.tokens[self.at].start
        operands: list[Tree] = []
        while True:
            operand = self._operand()
            token = self.tokens[self.at]
            if operand is not None:
                operands.append(operand)
                if token.kind not in _ENDS and token.start > operand.end:
                    continue
            if token.kind == "pipe":
                self.at += 1
            elif token.kind not in _ENDS:
                raise self._unexpected(token, "operand")
            break
        if not operands:
            raise self._mistake("empty command", token)
        return Command(start, operands[-1].end, operands)

    def _operand(self) -> Tree | None:
        node = self._term()
        if node is None:
            return None
        names: list[str] = []
        places: list[int] = []
        end = node.end
        while self.tokens[self.at].kind == "field" and self.tokens[self.at].start == end:
            token = self.tokens[self.at]
            names.append(token.text[1:])
            places.append(token.start)
            end = token.end
            self.at += 1
        if not names:
            return node
        if isinstance(node, Literal | Dot):
            shown = node.written if isinstance(node, Literal) else "."
            raise Mistake(f"unexpected . after term {quoted(shown)}", places[0], end)
        if isinstance(node, Fields) and node.of is None:
            names, places = [*node.names, *names], [*node.places, *places]
            return Fields(node.start, end, None, tuple(names), tuple(places))
        return Fields(node.start, end, node, tuple(names), tuple(places))

    def _term(self) -> Tree | None:
        token = self.tokens[self.at]
        kind, start, end = token.kind, token.start, token.end
        if kind not in _STARTS:
            return None
        self.at += 1
        if kind == "field":
            return Fields(start, end, None, (token.text[1:],), (start,))
        if kind == "dot":
            return Dot(start, end)
        if kind == "word":
            if token.text not in self.functions:
                summary = f"function {quoted(token.text)} not defined"
                name = token.text
                hint = self.meant(name)
                raise Mistake(summary, start, end, hint, "unknown_function")
            return Called(start, end, token.text)
        if kind == "variable":
            if token.text not in self.variables:
                raise self._mistake(f"undefined variable {quoted(token.text)}", token)
            return Variable(start, end, token.text)
        if kind == "left":
            pipe = self._pipe(_PARENTHESES)
            self.at += 1
            return pipe
        if kind in _WORDS:
            return Literal(start, end, _WORDS[kind], token.text)
        value = self._string(token) if kind in ("string", "raw") else self._number(token)
        return Literal(start, end, value, token.text)

    def _string(self, token: Token) -> str:
        text = unquoted(token.text)
        if text is None:
            raise self._mistake("invalid syntax", token)
        return text

    def _number(self, token: Token) -> Any:
        word = token.text
        if token.kind == "rune":
            text = unquoted(word)
            if not text or len(text) != 1:
                summary = f"malformed character constant: {word}" if text else "invalid syntax"
                raise self._mistake(summary, token)
            return ord(text)
        value = number(word)
        if value is None:
            raise self._mistake(f"illegal number syntax: {quoted(word)}", token)
        if isinstance(value, str):
            raise self._mistake(value, token)
        return value


def _is_empty(block: Block) -> bool:
    return all(isinstance(node, Text) and not node.text.strip() for node in block.nodes)


_MOST_DIGITS: Final = 4_000


def number(word: str) -> Any:
    """The value of a number: an int, a float, a complex, `Overflow`; a sentence for one too large.

    None for what is no number.
    """
    if word[-1:] == "i":
        return _imaginary(word)
    if _INTEGER.fullmatch(word):
        digits = word.replace("_", "").lstrip("+-")
        base = 0 if digits[1:2].isalpha() else 8 if digits[0] == "0" else 10
        # Python refuses to read what has thousands of digits
        whole = int(digits, base) if len(digits) < _MOST_DIGITS else 1 << 64
        if word[0] == "-":
            whole = -whole
        if -(1 << 63) <= whole < 1 << 63:
            return whole
        if 0 < whole < 1 << 64 and word[0] != "+":
            return Overflow
        return f"integer overflow: {quoted(word)}"
    value = _float(word)
    if value is not None and not _FRACTION.intersection(word):
        return f"integer overflow: {quoted(word)}"
    return value


def _float(word: str) -> float | None:
    try:
        if "x" in word or "X" in word:
            return float.fromhex(word) if {*"pP"}.intersection(word) else None
        value = float(word)
    except (ValueError, OverflowError):
        return None
    return value if value - value == 0 else None


def _imaginary(word: str) -> complex | None:
    try:
        return complex(word.replace("i", "j"))
    except ValueError:
        return None
