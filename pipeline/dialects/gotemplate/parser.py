"""The parser of templates, by hand: it goes on after a mistake, in the words of the engine."""

from __future__ import annotations

from collections.abc import Callable, Collection
from math import isfinite
from typing import Any, Final

from ....functions.expr.texts import quoted
from ....functions.regexes import compile_regex
from ...language.meter import Meter
from ...values.diagnostics import Hint
from ...values.threads import with_room
from .lexer import Chunk, Mistake, Token, cut, too_deep, unquoted
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

USED: Final = 300
"""Frames of Python that may be in use where more are about to be needed."""

_MOST: Final = 1000
"""Mistakes of a text that are looked for."""
_CHARS_A_STEP: Final = 8
_STEPS_A_TOKEN: Final = 6
_ENDS: Final = frozenset(("close", "right", "pipe"))
_OPENERS: Final = frozenset(("if", "with", "range", "define", "block"))
_CONSTANTS: Final = frozenset(("string", "raw", "rune", "number", "true", "false", "nil"))
_STARTS: Final = _CONSTANTS | {"dot", "field", "word", "variable", "left"}
_WORDS_OF_ACTIONS: Final = _OPENERS | {"else", "end", "break", "continue", "template"}
_PARENTHESES: Final = "parenthesized pipeline"
_WORDS: Final = {"true": True, "false": False, "nil": None}
_OCTAL: Final = compile_regex(r"[+-]?0[0-7_]+")
_FRACTION: Final = frozenset(".eEpP")


class Overflow:
    """The value of a constant that is no int; using it is an error."""


class _Open:
    """A block that has no end yet, and the one around it, whose first `known` variables last.

    `branches` are those so far, `otherwise` is the block of `else`; a template has a `name`.
    """

    def __init__(self, word: str, chunk: Chunk, block: Block, variables: dict[str, None]) -> None:
        self.word = word
        self.chunk = chunk
        self.block = block
        self.variables = variables
        self.known = len(variables)
        self.branches: list[tuple[Pipe, Block]] = []
        self.otherwise: Block | None = None
        self.name = ""
        self.named = chunk.start, chunk.end

    @property
    def is_template(self) -> bool:
        """True for `define` and `block`."""
        return self.word in ("define", "block")


def parse(
    text: str, functions: Collection[str], meter: Meter, meant: Callable[[str], Hint]
) -> tuple[Templates, list[Mistake]]:
    """The templates of a text, and its mistakes; a limit that is reached is the last one.

    `functions` are the names that may be called, `meant` words the hint for another one.

    Raises:
        FunctionError: `limit_exceeded` for too many steps, or when the time is up.
    """
    parser = _Parser(text, functions, meant, meter.limits.max_reference_depth)
    mistakes: list[Mistake] = []
    meter.work(len(text) // _CHARS_A_STEP + 1)
    for chunk in cut(text, meter.limits):
        meter.work(_STEPS_A_TOKEN * len(chunk.tokens or " "))
        found = parser.take(chunk)
        if found is not None:
            mistakes.append(found)
            if found.code == "limit_exceeded" or len(mistakes) > _MOST:
                return parser.templates, mistakes
    if parser.opened:
        word, start, size = parser.opened[-1].word, parser.opened[-1].chunk, len(text)
        hint = f"close `{word}` with `{{{{ end }}}}`"
        problem = Mistake("unexpected EOF", max(size - 1, 0), size, hint)
        mistakes.append(problem.noting(f"`{word}` starts here", start.start, start.end))
    return parser.templates, mistakes


class _Parser:
    """Takes the chunks of a text, one by one."""

    def __init__(
        self, text: str, functions: Collection[str], meant: Callable[[str], Hint], deepest: int
    ) -> None:
        self.text = text
        self.functions = functions
        self.meant = meant
        self.deepest = deepest
        self.templates: Templates = {MAIN: Block(0, 0)}
        self.block = self.templates[MAIN]
        self.opened: list[_Open] = []
        self.variables: dict[str, None] = {"$": None}
        self.tokens: list[Token] = []
        self.at = 0

    def take(self, chunk: Chunk) -> Mistake | None:
        """Parses a chunk; its first mistake."""
        if chunk.tokens is None:
            inside = self.text[chunk.start : chunk.end]
            self.block.nodes.append(Text(chunk.start, chunk.end, inside))
            return None
        self.tokens = chunk.tokens
        try:
            if self.tokens:
                self._action(chunk)
        except Mistake as problem:
            if chunk.error is None or problem.start < chunk.error.start:
                return problem
        return chunk.error

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
            if one.word == "range" and one.otherwise is None:
                return
            if one.is_template:
                break
        raise self._mistake(f"{{{{{word}}}}} outside {{{{range}}}}", self.tokens[0])

    def _open(self, word: str, chunk: Chunk) -> None:
        if len(self.opened) >= self.deepest:
            raise too_deep("blocks", self.deepest, chunk.start, chunk.end)
        inside = bool(self.opened)
        one = _Open(word, chunk, self.block, self.variables)
        self.opened.append(one)
        inner = Block(chunk.end, chunk.end)
        if not one.is_template:
            self.block = inner
            one.branches.append((self._pipe(word), inner))
            return
        try:  # the block is open whatever is wrong with its name
            if word == "define" and inside:
                raise self._mistake("unexpected <define> in command", self.tokens[0])
            context = f"{word} clause"
            one.name, one.named = self._name(context)
            if word == "define":
                self._expect_close(context)
            else:
                insert = Insert(chunk.start, chunk.end, one.name, one.named, self._pipe(context))
                self.block.nodes.append(insert)
        finally:
            self.block = inner
            self.variables = {"$": None}

    def _else(self, chunk: Chunk) -> None:
        found = self.opened[-1] if self.opened else None
        if found is None or found.is_template:
            context = f" in {found.word} clause" if found else ""
            raise Mistake(f"unexpected {{{{else}}}}{context}", chunk.start, chunk.end)
        if found.otherwise is not None:
            raise Mistake("expected end; found {{else}}", chunk.start, chunk.end)
        following = self.tokens[self.at].kind
        self.block = Block(chunk.end, chunk.end)
        if following == found.word and following in ("if", "with"):
            self.at += 1
            found.branches.append((self._pipe(following), self.block))
            return
        found.otherwise = self.block
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
        start, branches = found.chunk.start, found.branches
        if found.is_template:
            self._define(found, inner)
        elif branches and found.word == "range":
            self.block.nodes.append(Range(start, chunk.end, *branches[0], found.otherwise))
        else:
            node = Condition(start, chunk.end, found.word, branches, found.otherwise)
            self.block.nodes.append(node)
        self._expect_close("end")

    def _define(self, found: _Open, block: Block) -> None:
        name = found.name
        known = self.templates.get(name)
        if known is None or name == MAIN or _is_empty(known):
            if name != MAIN or not _is_empty(block):
                self.templates[name] = block
        elif not _is_empty(block):
            summary = f"template: multiple definition of template {quoted(name)}"
            raise Mistake(summary, *found.named)

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
        while self.tokens[self.at].kind == "variable":
            token, following = self.tokens[self.at : self.at + 2]
            is_sign = following.kind in ("assign", "declare")
            if not is_sign and following.text != ",":
                break
            self.at += 2
            names.append(Variable(token.start, token.end, token.text))
            self.variables[token.text] = None
            if is_sign:
                return names, following.kind == "assign"
            if context != "range" or len(names) > 1:
                raise self._mistake(f"too many declarations in {context}", following)
            if self.tokens[self.at].kind not in ("variable", "close", "right"):
                raise self._mistake("range can only initialize variables", following)
        return names, False

    def _command(self) -> Command:
        operands = [self._operand()]
        while (token := self.tokens[self.at]).kind not in _ENDS:
            if token.kind not in _STARTS or token.start == operands[-1].end:
                raise self._unexpected(token, "operand")
            operands.append(self._operand())
        self.at += token.kind == "pipe"
        return Command(operands[0].start, operands[-1].end, operands)

    def _operand(self) -> Tree:
        node = self._term()
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

    def _term(self) -> Tree:
        token = self.tokens[self.at]
        kind, start, end = token.kind, token.start, token.end
        self.at += 1
        if kind == "field":
            return Fields(start, end, None, (token.text[1:],), (start,))
        if kind == "dot":
            return Dot(start, end)
        if kind == "word":
            if token.text not in self.functions:
                summary = f"function {quoted(token.text)} not defined"
                raise Mistake(summary, start, end, self.meant(token.text), "unknown_function")
            return Called(start, end, token.text)
        if kind == "variable":
            if token.text not in self.variables:
                raise self._mistake(f"undefined variable {quoted(token.text)}", token)
            return Variable(start, end, token.text)
        if kind == "left":
            pipe: Tree = with_room(lambda: self._pipe(_PARENTHESES), USED)
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


def number(word: str) -> Any:
    """The value of a number: an int, a float, a complex, `Overflow`; a sentence for one too large.

    None for what is no number.
    """
    try:
        if word[-1:] == "i":
            return complex(word.replace("i", "j"))
        whole = int(word, 8 if _OCTAL.fullmatch(word) else 0)
    except ValueError:  # of integers, 08 and what has thousands of digits
        return _float(word)
    if -(1 << 63) <= whole < 1 << 63:
        return whole
    if 0 < whole < 1 << 64 and word[0] != "+":
        return Overflow
    return f"integer overflow: {quoted(word)}"


def _float(word: str) -> float | str | None:
    read: Callable[[str], float] = float
    if "x" in word or "X" in word:
        if not {*"pP"}.intersection(word):
            return None
        read = float.fromhex
    try:
        value = read(word)
    except (ValueError, OverflowError):
        return None
    if not _FRACTION.intersection(word):
        return f"integer overflow: {quoted(word)}"
    return value if isfinite(value) else None
