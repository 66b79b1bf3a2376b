"""The reader of expressions: tokens in, a tree out (docs/adr/0023).

Operators are calls of the names in `operators.py`, and so is everything else that is no literal and
no name: members, methods, `let`, predicates. A chain of one operator is one call. A name with steps
that are written out (`a.b[0]`) is one reference; `#` is the item of a predicate.
"""

from __future__ import annotations

import re
from typing import Final

from ....functions.regexes import compile_regex
from ...language.errors import LanguageError
from ...language.syntax import HOLE
from ...values.expression import Argument, Call, Expression, Hole, Literal, Reference
from . import operators
from .operators import BINDING, CHAIN, COMPARISONS, RIGHT, RUNS, SAME, SLICES, UNARY
from .tokens import WORDS, Token, bad_token, number_of, string_of, tokens

PREDICATES: Final = {
    **dict.fromkeys(("all", "none", "any", "one", "filter", "map", "groupBy"), (2, 2)),
    **dict.fromkeys(("find", "findIndex", "findLast", "findLastIndex"), (2, 2)),
    "count": (1, 2),
    "sum": (1, 2),
    "sortBy": (2, 3),
    "reduce": (2, 3),
}
"""The functions whose second argument is a predicate, with their least and most arguments."""

NAME: Final = compile_regex(r"(?:[^\W\d]|\$)[\w$]*+")
_PLAIN: Final = compile_regex(r"\s*+((?:[^\W\d]|\$)[\w$]*+)((?:\.(?:[^\W\d]|\$)[\w$]*+)*+)\s*+")
_NEGATED: Final = frozenset({"in", "matches", "contains", "startsWith", "endsWith"})
_VALUES: Final = {"true": True, "false": False, "nil": None}
_NOT_CALLED: Final = {
    "list": "write `[a, b]` for an array",
    "object": "write `{a: 1}` for a map",
}
_MOST_NODES: Final = 10_000
_DEEPEST: Final = 100
_COALESCE: Final = "??"


def parse_expression(text: str, offset: int, shape: bool) -> Expression:
    """The tree of an expression; `offset` is added to all positions.

    In a shape, a string with only the hole character becomes a `Hole`.

    Raises:
        LanguageError: for the first token that cannot be read.
    """
    plain = _PLAIN.fullmatch(text)
    if plain is not None and plain[1] not in _VALUES and plain[1] not in WORDS:
        return _dotted(plain, offset)
    return _Reader(text, offset, shape).whole()


def _dotted(match: re.Match[str], offset: int) -> Reference:
    """The reference made of names with dots between them."""
    steps = match[2].split(".")[1:]
    start, position = match.start(1) + offset, match.end(1) + offset
    marks = []
    for step in steps:
        marks.append(position + 1)
        position += 1 + len(step)
    return Reference(match[1], tuple(steps), False, start, position, tuple(marks))


class _Reader:
    """One expression, token by token, by the precedence of its operators."""

    def __init__(self, text: str, offset: int, shape: bool) -> None:
        self.tokens = tokens(text)
        self.offset = offset
        self.shape = shape
        self.holes = self.at = self.nodes = self.depth = self.predicates = 0
        self.now = self.tokens[0]
        if self.now.kind == "bad":
            raise bad_token(self.now, offset)

    # tokens

    def step(self) -> Token:
        """Past a token, which is returned."""
        token = self.now
        if self.at + 1 < len(self.tokens):
            self.at += 1
            self.now = self.tokens[self.at]
            if self.now.kind == "bad":
                raise bad_token(self.now, self.offset)
        return token

    def sees(self, symbol: str) -> bool:
        """Whether the next token is a symbol."""
        return self.now.text == symbol and self.now.kind == "symbol"

    def take(self, symbol: str) -> bool:
        """Past a symbol, if it is next."""
        found = self.sees(symbol)
        if found:
            self.step()
        return found

    def demand(self, symbol: str, hint: str | None = None) -> None:
        """Past a symbol, which must be next."""
        if not self.take(symbol):
            raise self.refuse(f"`{symbol}` is expected here", hint=hint)

    def refuse(
        self,
        summary: str,
        token: Token | None = None,
        hint: str | None = None,
        code: str = "invalid_substitution",
    ) -> LanguageError:
        """The error at a token, by default the next one."""
        token = token or self.now
        start = token.start + self.offset
        return LanguageError(code, summary, start, max(token.end + self.offset, start), hint)

    @property
    def before(self) -> int:
        """Where the last token ended."""
        return (self.tokens[self.at - 1].end if self.at else 0) + self.offset

    # trees

    def call(self, name: str, parts: list[Expression], start: int) -> Call:
        """A call that begins at an offset and ends with the last token."""
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            summary = f"an expression may have {_MOST_NODES} parts"
            raise self.refuse(summary, code="limit_exceeded")
        return Call(name, tuple([Argument(part) for part in parts]), start, self.before)

    def hold_depth(self, depth: int) -> None:
        """Refuses what is nested too deeply for those who go through the tree."""
        if depth > _DEEPEST:
            summary = f"expressions may be nested {_DEEPEST} deep"
            raise self.refuse(summary, code="limit_exceeded")

    def whole(self) -> Expression:
        """The whole text."""
        tree = self.sequence()
        if self.now.kind != "end":
            raise self.unexpected()
        return tree

    def sequence(self) -> Expression:
        """Expressions with `;` between them."""
        start = self.now.start + self.offset
        parts = [self.expression()]
        while self.take(";") and self.now.kind != "end":
            parts.append(self.expression())
        return parts[0] if len(parts) == 1 else self.call(operators.SEQUENCE, parts, start)

    def expression(self, least: int = 0) -> Expression:
        """Operands with operators that bind at least so tightly."""
        self.depth += 1
        self.hold_depth(self.depth)
        if least == 0 and self.now.kind == "symbol" and self.now.text in ("let", "if"):
            tree = self.variable() if self.now.text == "let" else self.branches()
        else:
            start = self.now.start + self.offset
            tree = self.operations(self.primary(), least, start)
            if least == 0:
                tree = self.conditions(tree, start)
        self.depth -= 1
        return tree

    def operations(self, left: Expression, least: int, start: int) -> Expression:
        """What follows an operand: operators and their right sides."""
        before = ""
        links = 0
        while self.now.kind == "symbol":
            token = self.now
            negated = token.text == "not"
            if negated:
                following = self.tokens[self.at + 1]
                if following.text not in _NEGATED:
                    self.step()
                    raise self.unexpected()
                token = following
            binding = BINDING.get(token.text, -1)
            if binding < least:
                break
            if negated:
                self.step()
            self.step()
            name = SAME.get(token.text, token.text)
            links += name not in RUNS or name != before
            self.hold_depth(self.depth + links)
            if token.text == "|":
                left = self.piped(left, start)
            elif before == _COALESCE and token.text != _COALESCE:
                raise self.refuse(
                    f"`{token.text}` cannot follow `??`", token, "put one of them into parentheses"
                )
            elif token.text in COMPARISONS:
                left = self.compared(left, token, binding, start)
            else:
                right = self.expression(binding if name in RIGHT else binding + 1)
                if before == name and name in RUNS and isinstance(left, Call):
                    self.nodes += 1  # a run of the same operator is one call
                    left = Call(name, (*left.arguments, Argument(right)), start, self.before)
                else:
                    left = self.call(name, [left, right], start)
                if negated:
                    left = self.call("not", [left], start)
            before = "" if negated else name
        return left

    def compared(self, left: Expression, token: Token, binding: int, start: int) -> Call:
        """`a < b`, or `a < b <= c`, which is `a < b and b <= c`."""
        parts = [left, Literal(token.text), self.expression(binding + 1)]
        while self.now.kind == "symbol" and self.now.text in COMPARISONS:
            parts += [Literal(self.step().text), self.expression(binding + 1)]
        if len(parts) == 3:
            return self.call(token.text, [left, parts[2]], start)
        return self.call(operators.COMPARED, parts, start)

    def conditions(self, tree: Expression, start: int) -> Expression:
        """`c ? a : b` and `c ?: b` after a condition."""
        while self.take("?"):
            parts = [tree]
            if not self.take(":"):
                parts.append(self.expression())
                self.demand(":", "a choice is `condition ? value : other`")
            tree = self.call(operators.TERNARY, [*parts, self.expression()], start)
        return tree

    def variable(self) -> Expression:
        """`let name = value; expressions`."""
        start = self.step().start + self.offset
        token = self.name("a variable is `let name = value; expression`")
        self.demand("=")
        value = self.expression()
        self.demand(";", "what the variable is for follows: `let name = value; expression`")
        name = Literal(token.text, token.start + self.offset, token.end + self.offset)
        return self.call(operators.LET, [name, value, self.sequence()], start)

    def branches(self) -> Expression:
        """`if condition { .. } else { .. }`."""
        start = self.step().start + self.offset
        condition = self.expression()
        first = self.block()
        if not self.take("else"):
            raise self.refuse("`else` is expected here", hint="each `if` needs an `else { .. }`")
        self.depth += 1
        self.hold_depth(self.depth)
        other = self.branches() if self.sees("if") else self.block()
        self.depth -= 1
        return self.call(operators.TERNARY, [condition, first, other], start)

    def block(self) -> Expression:
        """Expressions between braces."""
        self.demand("{", "the branches of `if` stand between braces")
        tree = self.sequence()
        self.demand("}")
        return tree

    def name(self, hint: str | None = None) -> Token:
        """Past a name, which must be next."""
        if self.now.kind != "name":
            raise self.refuse("a name is expected here", hint=hint)
        return self.step()

    # operands

    def primary(self) -> Expression:
        """An operand with what follows it: members, indexes, calls."""
        token = self.now
        start = token.start + self.offset
        if token.kind == "symbol":
            if token.text in UNARY:
                tree = self.unary(token, start)
            elif token.text in ("#", "."):
                tree = self.item(token, start)
            elif token.text == "{":
                tree = self.map(start)
            elif self.take("("):
                tree = self.sequence()
                self.demand(")")
            elif self.take("::"):
                tree = self.called(self.name(), [], start)
            elif self.take("["):
                tree = self.call("list", self.items("]"), start)
            else:
                raise self.unexpected()
            return self.postfix(tree, start)
        if token.kind in ("number", "string", "bytes"):
            self.step()
            literal = self.literal(token, start)
            return literal if token.kind == "number" else self.postfix(literal, start)
        if token.kind != "name":
            raise self.unexpected()
        self.step()
        if token.text in _VALUES:
            return Literal(_VALUES[token.text], start, token.end + self.offset)
        if self.sees("("):
            return self.postfix(self.called(token, [], start), start)
        self.nodes += 1
        return self.postfix(Reference(token.text, (), False, start, token.end + self.offset), start)

    def unary(self, token: Token, start: int) -> Expression:
        """`not x`, `-x`, `+x`; a number with a sign is a number."""
        name = SAME.get(self.step().text, token.text)
        tree = self.expression(UNARY[token.text])
        if name == "-" and isinstance(tree, Literal) and tree.value.__class__ in (int, float):
            return Literal(-tree.value, start, self.before)
        return self.call(name, [tree], start)

    def item(self, token: Token, start: int) -> Expression:
        """`#`, `#index`, or the item of a member that is written `.name`."""
        if not self.predicates:
            example = "filter(items, #.ready)"
            raise self.refuse(
                f"`{token.text}` has a meaning in predicates only",
                hint=f"it is the item of an array, as in `{example}`",
            )
        if token.text == ".":
            return Reference("#", (), False, start, start)
        self.step()
        name = ""
        if self.now.kind == "name":
            name = self.step().text
        return Reference(f"#{name}", (), False, start, self.before)

    def literal(self, token: Token, start: int) -> Expression:
        """A number, a string or bytes; in a shape it may be a hole."""
        end, text = token.end + self.offset, token.text
        if HOLE in text and HOLE in (text[0], text[1:-1]):
            if self.shape:
                self.holes += 1
                kind = {"i": "integer", "f": "float"}.get(text[1], "string")
                return Hole(self.holes - 1, start, end, kind)
            if text[0] == HOLE:
                raise bad_token(token, self.offset)
        read = number_of if token.kind == "number" else string_of
        return Literal(read(token, self.offset), start, end)

    def items(self, closer: str) -> list[Expression]:
        """Expressions with commas between them, up to a closing bracket."""
        found: list[Expression] = []
        while not self.take(closer):
            if found:
                self.demand(",")
                if self.take(closer):
                    break
            found.append(self.expression())
        return found

    def map(self, start: int) -> Expression:
        """`{a: 1, "b c": 2, (key): 3}`: the first of equal keys counts."""
        self.step()
        keys: list[Expression] = []
        values: list[Expression] = []
        while not self.take("}"):
            if keys:
                self.demand(",")
                if self.take("}"):
                    break
            keys.append(self.key())
            self.demand(":", "a map is `{name: value}`; put other keys in parentheses")
            values.append(self.expression())
        names = [key for key in keys if isinstance(key, Literal) and isinstance(key.value, str)]
        if len(names) < len(keys):
            mixed = [part for pair in zip(keys, values, strict=True) for part in pair]
            return self.call(operators.ENTRIES, mixed, start)
        self.nodes += 1
        named = zip(names, values, strict=True)
        arguments = [Argument(value, key.value, key.start, key.end) for key, value in named]
        return Call("object", tuple(arguments), start, self.before)

    def key(self) -> Expression:
        """The key of a map: the text of a name or a number, a string, an expression."""
        token = self.now
        if token.kind in ("name", "number", "string"):
            self.step()
            name = string_of(token, self.offset) if token.kind == "string" else token.text
            return Literal(name, token.start + self.offset, token.end + self.offset)
        if self.sees("("):
            return self.expression()
        hint = "a key is a name, a string, a number, or an expression in parentheses"
        if token.text in WORDS:
            hint = f'`{token.text}` is an operator: write `"{token.text}"`'
        raise self.refuse("a key is expected here", hint=hint)

    # what follows an operand

    def postfix(self, tree: Expression, start: int) -> Expression:
        """Members, indexes, slices and calls of methods, behind an operand."""
        links = 0
        while self.now.kind == "symbol":
            text = self.now.text
            if text in (".", "?.", "[") and not isinstance(tree, Reference):
                links += 1
                self.hold_depth(self.depth + links)
            if text in (".", "?."):
                self.step()
                if text == "?." and self.take("["):
                    key = self.expression()
                    self.demand("]")
                    links += 1  # two calls
                    inner = self.call(operators.OPTIONAL, [tree, key], start)
                    tree = self.call(CHAIN, [inner], start)
                else:
                    tree = self.member(tree, text == "?.", start)
            elif text == "[":
                self.step()
                tree = self.bracket(tree, start)
            else:
                break
        return tree

    def member(self, tree: Expression, optional: bool, start: int) -> Expression:
        """`.name`, `.name(..)`, and both after `?`."""
        token = self.now
        if token.kind != "name" and token.text not in WORDS:
            raise self.refuse("a name is expected here", hint='other keys are written `["key"]`')
        self.step()
        name = Literal(token.text, token.start + self.offset, token.end + self.offset)
        chained = isinstance(tree, Call) and tree.function == CHAIN
        if chained:
            tree = tree.arguments[0].value  # type: ignore[union-attr]
        if self.take("("):
            parts = [tree, name, *self.items(")")]
            tree = self.call(
                operators.OPTIONAL_METHOD if optional else operators.METHOD, parts, start
            )
        elif optional:
            tree = self.call(operators.OPTIONAL, [tree, name], start)
        else:
            tree = self.index(tree, name, start)
        return self.call(CHAIN, [tree], start) if chained or optional else tree

    def index(self, tree: Expression, key: Expression, start: int) -> Expression:
        """A member by its name, or by a key in brackets."""
        fixed = isinstance(key, Literal) and key.value.__class__ in (str, int)
        if not (fixed and isinstance(tree, Reference)):
            return self.call(operators.INDEX, [tree, key], start)
        self.nodes += 1
        path = (*tree.path, key.value)  # type: ignore[union-attr]
        return Reference(tree.root, path, False, start, self.before, (*tree.marks, key.start))

    def bracket(self, tree: Expression, start: int) -> Expression:
        """`[key]`, or a slice."""
        first = [] if self.sees(":") else [self.expression()]
        if first and self.take("]"):
            return self.index(tree, first[0], start)
        if not self.take(":"):
            self.demand("]")
        last = [] if self.sees("]") else [self.expression()]
        self.demand("]")
        return self.call(SLICES[bool(first), bool(last)], [tree, *first, *last], start)

    # calls

    def piped(self, left: Expression, start: int) -> Expression:
        """`left | name(..)`: the first argument of a call."""
        token = self.name("what follows `|` is a call, as in `items | len()`")
        return self.called(token, [left], start)

    def called(self, token: Token, given: list[Expression], start: int) -> Expression:
        """The call of a function whose name was read; a pipe gives it an argument."""
        if token.text in _NOT_CALLED:
            summary = f"there is no function `{token.text}`"
            raise self.refuse(summary, token, _NOT_CALLED[token.text], "function_not_found")
        self.demand("(")
        counts = PREDICATES.get(token.text)
        if counts is None:
            return self.call(token.text, [*given, *self.items(")")], start)
        least, most = counts
        parts = [*given]
        while not self.sees(")"):
            if len(parts) > len(given):
                self.demand(",")
                if self.sees(")"):
                    break
            if len(parts) == most:
                plural = f"{least} or {most}" if least < most else str(most)
                summary = f"`{token.text}` takes {plural} arguments"
                raise self.refuse(summary, code="invalid_argument_count")
            parts.append(self.predicate() if len(parts) == 1 else self.expression())
        if len(parts) < least:
            summary = f"`{token.text}` takes {least} arguments, but got {len(parts)}"
            hint = f"the second one is a predicate, as in `{token.text}(items, # > 1)`"
            raise self.refuse(summary, token, hint, "invalid_argument_count")
        self.demand(")")
        return self.call(token.text, parts, start)

    def predicate(self) -> Expression:
        """An expression about an item, with or without braces."""
        start = self.now.start + self.offset
        self.predicates += 1
        if self.take("{"):
            tree = self.sequence()
            self.demand("}", "the braces of a predicate hold an expression; a map needs its own")
        else:
            tree = self.expression()
            if self.sees(";"):
                raise self.refuse("`;` cannot stand here", hint="put the predicate between braces")
        self.predicates -= 1
        return self.call(operators.PREDICATE, [tree], start)

    def unexpected(self) -> LanguageError:
        """The error for a token that cannot stand where it does."""
        token = self.now
        previous = self.tokens[self.at - 1] if self.at else None
        if token.kind == "end":
            if previous is None:
                example = "write an expression, such as `1 + 1`"
                return self.refuse(
                    "the expression is empty", hint=example, code="empty_substitution"
                )
            return self.refuse("the expression ends here, but a value is expected")
        hint: str | None = None
        if token.text in ("if", "let"):
            hint = f"put the `{token.text}` into parentheses"
        elif token.text in _NEGATED:
            hint = f"it is an operator: `a {token.text} b`"
        elif token.kind in ("name", "number", "string") and previous is not None:
            hint = "an operator is missing before it"
        elif token.text in (".", "?.", "[") and previous is not None:
            hint = "put what is before it into parentheses"
        elif token.text == "=":
            hint = "`==` compares"
        return self.refuse(f"`{token.text[:40]}` cannot stand here", hint=hint)
