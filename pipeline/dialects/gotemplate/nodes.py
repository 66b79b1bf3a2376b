"""The tree of a template: what the parser makes, the compiler runs, and checks look at.

Each node begins with the offsets in the template's text at which it begins and ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from ....functions.record import Record, field
from ....functions.values import FunctionError
from ...language.errors import Failure
from ...values.diagnostics import Hint
from ...values.source import Source, Span
from ...world.files import FileProblem


class Place:
    """A range of a template, for the node of a `Failure`; its span is made when it is asked for."""

    __slots__ = ("end", "source", "start")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        """Where it is written."""
        return self.source.span(self.start, self.end)

    @property
    def text(self) -> str:
        """What is written there."""
        return self.source.text[self.start : self.end]

    def failure(self, summary: str, code: str = "template_error", hint: Hint = None) -> Failure:
        """The error of a run here."""
        return Failure(code, summary, self, hint)

    def blamed(self, error: FunctionError | FileProblem, name: str = "") -> Failure:
        """The error that a function gave, or without a name what went wrong here."""
        code, summary = error.code, error.message
        if name and code in ("invalid_argument", "template_error"):
            code, summary = "template_error", f"error calling {name}: {summary}"
        return Failure(code, summary, self, error.hint)


class Tree(Record, eq=False):
    """The base of all nodes."""

    start: int
    end: int

    def children(self) -> Iterator[Tree]:
        """The nodes that stand in this one."""
        waiting: list[Any] = [*self.__dict__.values()]
        for value in waiting:
            if isinstance(value, Tree):
                yield value
            elif isinstance(value, list):
                for one in value:
                    yield from one if isinstance(one, tuple) else (one,)

    def inside(self) -> Iterator[Tree]:
        """This node and all in it, in their order."""
        waiting: list[Tree] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [*node.children()][::-1]


class Literal(Tree, eq=False):
    """A constant: a string, a number, a boolean, or nil; `written` is its text."""

    value: Any
    written: str


class Dot(Tree, eq=False):
    """`.`"""


class Variable(Tree, eq=False):
    """`$x`, or `$`, the value that the template was called with."""

    name: str


class Called(Tree, eq=False):
    """The name of a function."""

    name: str


class Fields(Tree, eq=False):
    """Fields of something: `.a.b` of dot (None), `$x.a`, `(..).a`, `now.Year`.

    `places` has the offset at which each name begins, with its dot.
    """

    of: Tree | None
    names: tuple[str, ...]
    places: tuple[int, ...]


class Command(Tree, eq=False):
    """Operands: the first is called with the others, or is the value."""

    operands: list[Tree]


class Pipe(Tree, eq=False):
    """Commands, each the last argument of the next; `names` are variables that get the value.

    `assigns` is true for `=`, false for `:=`.
    """

    names: list[Variable]
    assigns: bool
    commands: list[Command]


class Text(Tree, eq=False):
    """Text outside of actions."""

    text: str


class Action(Tree, eq=False):
    """`{{ pipe }}`"""

    pipe: Pipe


class Block(Tree, eq=False):
    """The nodes between two actions."""

    nodes: list[Tree] = field(factory=list)


class Condition(Tree, eq=False):
    """`if` or `with` (`word`): its branches, each with its condition, and the block of `else`."""

    word: str
    branches: list[tuple[Pipe, Block]]
    otherwise: Block | None = None


class Range(Tree, eq=False):
    """`range`: the pipe with its variables, the block of each turn, and that of `else`."""

    pipe: Pipe
    body: Block
    otherwise: Block | None = None


class Leave(Tree, eq=False):
    """`break` or `continue` (`word`)."""

    word: str


class Insert(Tree, eq=False):
    """`template "name" pipe`, or the place of a `block`; `named` is where the name stands."""

    name: str
    named: tuple[int, int]
    pipe: Pipe | None


Templates: TypeAlias = dict[str, Block]
"""The bodies of a text's templates by name; that of the text itself is named `execution`."""
