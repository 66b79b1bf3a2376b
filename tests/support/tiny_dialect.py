"""A second dialect: `<% price * (count + 1) %>`, made of public names only.

A document has definitions under `let`, names of what is known later under `later`, and anything
else. There are strings, integers, names with fields, `+`, `*`, parentheses, and `text(1)`.
"""

from __future__ import annotations

import re

import bpp.pipeline as bpp
from bpp.functions import Functions, Unknown, function
from bpp.pipeline import Argument, Call, Context, Document, LanguageError, Reference, Stage

TOKEN = re.compile(r'\s*(?:("(?:\\"|[^"])*")|(-?\d+)|([a-z_]\w*)|([+*().])|(\S)|\Z)')
STRING, INTEGER, NAME, MARK = 1, 2, 3, 4
OPERATORS = {"plus": bpp.Operator("+", 1), "times": bpp.Operator("*", 2)}
SYMBOLS = {operator.symbol: name for name, operator in OPERATORS.items()}


class Reading:
    """One expression, token by token."""

    def __init__(self, text: str, offset: int, shape: bool) -> None:
        self.text, self.offset, self.shape = text, offset, shape
        self.holes = self.end = 0
        self.step()

    def step(self) -> None:
        """On to the next token; `before` is where the last one ended."""
        self.before = self.end + self.offset
        match = TOKEN.match(self.text, self.end)
        assert match is not None
        self.kind = match.lastindex or 0
        self.token = match[self.kind] if self.kind else ""
        self.end = match.end()
        self.start = self.end - len(self.token) + self.offset

    def take(self, mark: str) -> bool:
        """Past a mark, when it is there."""
        found = self.token == mark
        if found:
            self.step()
        return found

    def demand(self, fits: bool, wanted: str) -> None:
        """Refuses the token when it does not fit."""
        if not fits:
            summary = f"{wanted} is expected here"
            end = self.end + self.offset
            raise LanguageError("invalid_substitution", summary, self.start, max(end, self.start))

    def operation(self, level: int = 1) -> bpp.Expression:
        """Operands with operators of a level or above between them."""
        start, left = self.start, self.operand()
        while self.token in SYMBOLS and OPERATORS[SYMBOLS[self.token]].binding >= level:
            name = SYMBOLS[self.token]
            self.step()
            right = self.operation(OPERATORS[name].binding + 1)
            left = Call(name, (Argument(left), Argument(right)), start, self.before)
        return left

    def operand(self) -> bpp.Expression:
        """A literal, a name, a call, or an operation in parentheses."""
        kind, token, start = self.kind, self.token, self.start
        if self.take("("):
            return self.closed(self.operation())
        self.demand(kind in (STRING, INTEGER, NAME), "a value")
        self.step()
        if kind == INTEGER:
            return bpp.Literal(int(token), start, self.before)
        if kind == STRING and self.shape and token[1:-1] == bpp.HOLE:
            self.holes += 1
            return bpp.Hole(self.holes - 1, start, self.before)
        if kind == STRING:
            return bpp.Literal(token[1:-1].replace('\\"', '"'), start, self.before)
        if self.take("("):
            return Call(token, (Argument(self.closed(self.operation())),), start, self.before)
        path: list[str | int] = []
        while self.take("."):
            self.demand(self.kind == NAME, "a name")
            path.append(self.token)
            self.step()
        return Reference(token, tuple(path), start=start, end=self.before)

    def closed(self, inner: bpp.Expression) -> bpp.Expression:
        """Past a closing parenthesis."""
        self.demand(self.token == ")", "`)`")
        self.step()
        return inner


def parse(text: str, offset: int, shape: bool) -> bpp.Expression:
    """The tree of the text between the delimiters."""
    reading = Reading(text, offset, shape)
    tree = reading.operation()
    reading.demand(reading.kind == 0, "an operator")
    return tree


text = function(signature="text(value: integer) -> string")(lambda value: str(value))
PLUS = function(signature="plus(a: integer, b: integer) -> integer")(lambda a, b: a + b)
TIMES = function(signature="times(a: integer, b: integer) -> integer")(lambda a, b: a * b)


def compute(document: Document, context: Context) -> Document:
    """Evaluates everything; what `later` lists is not known yet."""
    later = document.root.get("later")
    waits = {item.value for item in later.items} if isinstance(later, bpp.Array) else set()

    def outside(reference: Reference) -> Unknown | int:
        if reference.root not in waits:
            raise bpp.Failure("name_not_found", f"there is no `{reference.root}`", reference)
        return (context.options or {}).get(reference.root, Unknown(reference))

    let = document.section("let")
    names = bpp.Definitions(let.items if let else {}, context, outside)
    return bpp.evaluate_tree(document, context, names.resolve, "compute")


def tidy(document: Document, context: Context) -> Document:
    """Drops the definitions unless something still refers to one."""
    let = document.section("let")
    used = {reference.root for reference in bpp.references_in(document.root)}
    unused = let is not None and used.isdisjoint(let.items)
    return document.replacing({"let": None}, "tidy") if unused else document


def known(inputs: bpp.CommandInputs) -> dict[str, int]:
    """The values of `--known`."""
    return {k: int(v) for k, _, v in (p.partition("=") for p in inputs.own.get("--known", ()))}


KNOWN = bpp.Option("--known", "The value of a name in `later`.", "NAME=INTEGER", many=True)
TINY = bpp.Dialect(
    name="tiny",
    title="sums and products",
    syntax=bpp.delimited("<%", "%>", parse=parse, show=bpp.printer(OPERATORS), grammar="tiny 1"),
    functions=lambda settings: Functions([text, PLUS, TIMES]),
    pipeline=bpp.Pipeline(
        (
            Stage("read", bpp.read_tree, "read the text"),
            Stage("compute", compute, "compute what is known"),
            Stage("tidy", tidy, "drop what is used up"),
        )
    ),
    quotes=bpp.quoting_by_keys("let", "later"),
    command_line=bpp.CommandLine((KNOWN,), inputs=known),
)
