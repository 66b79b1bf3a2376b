"""The tree of a template: what the parser makes, the compiler runs, and checks look at.

Offsets are those of the template's text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias


class Tree:
    """The base of all nodes: where the node begins and ends."""

    __slots__ = ("end", "start")
    start: int
    end: int

    def children(self) -> Iterator[Tree]:
        """The nodes that stand in this one."""
        yield from ()

    def walk(self) -> Iterator[Tree]:
        """This node and all in it, in their order."""
        waiting: list[Tree] = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [*node.children()][::-1]


class Literal(Tree):
    """A constant: a string, a number, a boolean, or nil; `written` is its text."""

    __slots__ = ("value", "written")

    def __init__(self, value: Any, written: str, start: int, end: int) -> None:
        self.value = value
        self.written = written
        self.start = start
        self.end = end


class Dot(Tree):
    """`.`"""

    __slots__ = ()

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end


class Fields(Tree):
    """Fields of something: `.a.b` of dot (None), `$x.a`, `(..).a`, `now.Year`.

    `places` has the offset at which each name begins, with its dot.
    """

    __slots__ = ("names", "of", "places")

    def __init__(
        self, of: Tree | None, names: tuple[str, ...], places: tuple[int, ...], start: int, end: int
    ) -> None:
        self.of = of
        self.names = names
        self.places = places
        self.start = start
        self.end = end

    def children(self) -> Iterator[Tree]:
        if self.of is not None:
            yield self.of


class Variable(Tree):
    """`$x`, or `$`, the value that the template was called with."""

    __slots__ = ("name",)

    def __init__(self, name: str, start: int, end: int) -> None:
        self.name = name
        self.start = start
        self.end = end


class Called(Tree):
    """The name of a function."""

    __slots__ = ("name",)

    def __init__(self, name: str, start: int, end: int) -> None:
        self.name = name
        self.start = start
        self.end = end


class Command(Tree):
    """Operands: the first is called with the others, or is the value."""

    __slots__ = ("operands",)

    def __init__(self, operands: list[Tree], start: int, end: int) -> None:
        self.operands = operands
        self.start = start
        self.end = end

    def children(self) -> Iterator[Tree]:
        yield from self.operands


class Pipe(Tree):
    """Commands, each the last argument of the next; `names` are variables that get the value.

    `assigns` is true for `=`, false for `:=`.
    """

    __slots__ = ("assigns", "commands", "names")

    def __init__(
        self, names: list[Variable], assigns: bool, commands: list[Command], start: int, end: int
    ) -> None:
        self.names = names
        self.assigns = assigns
        self.commands = commands
        self.start = start
        self.end = end

    def children(self) -> Iterator[Tree]:
        yield from self.names
        yield from self.commands


class Text(Tree):
    """Text outside of actions."""

    __slots__ = ("text",)

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end


class Action(Tree):
    """`{{ pipe }}`"""

    __slots__ = ("pipe",)

    def __init__(self, pipe: Pipe, start: int, end: int) -> None:
        self.pipe = pipe
        self.start = start
        self.end = end

    def children(self) -> Iterator[Tree]:
        yield self.pipe


class Block(Tree):
    """The nodes between two actions."""

    __slots__ = ("nodes",)

    def __init__(self, start: int) -> None:
        self.nodes: list[Tree] = []
        self.start = start
        self.end = start

    def children(self) -> Iterator[Tree]:
        yield from self.nodes


class Condition(Tree):
    """`if` or `with` (`word`): its branches, each with its condition, and the block of `else`."""

    __slots__ = ("branches", "otherwise", "word")

    def __init__(self, word: str, start: int) -> None:
        self.word = word
        self.branches: list[tuple[Pipe, Block]] = []
        self.otherwise: Block | None = None
        self.start = start
        self.end = start

    def children(self) -> Iterator[Tree]:
        for pipe, block in self.branches:
            yield pipe
            yield block
        if self.otherwise is not None:
            yield self.otherwise


class Range(Tree):
    """`range`: the pipe with its variables, the block of each turn, and that of `else`."""

    __slots__ = ("body", "otherwise", "pipe")

    def __init__(self, pipe: Pipe, body: Block, start: int) -> None:
        self.pipe = pipe
        self.body = body
        self.otherwise: Block | None = None
        self.start = start
        self.end = start

    def children(self) -> Iterator[Tree]:
        yield self.pipe
        yield self.body
        if self.otherwise is not None:
            yield self.otherwise


class Leave(Tree):
    """`break` or `continue` (`word`)."""

    __slots__ = ("word",)

    def __init__(self, word: str, start: int, end: int) -> None:
        self.word = word
        self.start = start
        self.end = end


class Insert(Tree):
    """`template "name" pipe`, or the place of a `block`; `named` is where the name stands."""

    __slots__ = ("name", "named", "pipe")

    def __init__(
        self, name: str, named: tuple[int, int], pipe: Pipe | None, start: int, end: int
    ) -> None:
        self.name = name
        self.named = named
        self.pipe = pipe
        self.start = start
        self.end = end

    def children(self) -> Iterator[Tree]:
        if self.pipe is not None:
            yield self.pipe


Templates: TypeAlias = dict[str, Block]
"""The bodies of a text's templates by name; that of the text itself is named `execution`."""
