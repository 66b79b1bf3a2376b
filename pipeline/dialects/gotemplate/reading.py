"""The paths of the data that the nodes of a template read, told without running it."""

from __future__ import annotations

from typing import TypeAlias

from .nodes import (
    Action,
    Block,
    Called,
    Command,
    Condition,
    Dot,
    Fields,
    Insert,
    Literal,
    Pipe,
    Range,
    Templates,
    Tree,
    Variable,
)
from .parser import MAIN

Path: TypeAlias = tuple["str | Tree", ...]
"""Keys from the data on; a `Range` stands for the key of its turn."""
Paths: TypeAlias = tuple[Path, ...]

_MOST = 64
"""Paths that one value may come from."""
_PASSING = frozenset(("default", "coalesce", "ternary", "or", "and", "deepCopy", "required"))


class Reading:
    """The paths that each node reads: fields, variables and dot lead to the data."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates
        self._paths: dict[Tree, Paths] = {}
        self._told: dict[Tree, list[Path]] = {}
        self._scopes: list[dict[str, Paths]] = []
        self._dots: dict[str, Paths] = {MAIN: ((),)}
        self._ways: list[str] = []
        self._body(MAIN)
        for name in templates:
            if name not in self._dots:
                self._dots[name] = ()
                self._body(name)

    def paths(self, node: Tree) -> list[Path]:
        """The paths that a node reads, and all in it, each once; the longest alone."""
        if node not in self._told:  # of a loop's action each turn asks
            found = dict.fromkeys(
                path for one in node.inside() for path in self._paths.get(one, ())
            )
            self._told[node] = [path for path in found if path]
        return self._told[node]

    def references(self) -> list[tuple[Tree, Path]]:
        """Every field, variable or dot that leads to the data, with its path."""
        return [(node, path) for node, paths in self._paths.items() for path in paths]

    def _body(self, name: str) -> None:
        dot = self._dots[name]
        if len(self._ways) > 20 or name in self._ways:
            return
        self._ways.append(name)
        outer, self._scopes = self._scopes, [{"$": dot}]
        self._block(self._templates[name], dot)
        self._scopes = outer
        self._ways.pop()

    def _block(self, block: Block, dot: Paths) -> None:
        self._scopes.append({})
        for node in block.nodes:
            match node:
                case Action():
                    self._pipe(node.pipe, dot)
                case Condition():
                    self._condition(node, dot)
                case Range():
                    self._range(node, dot)
                case Insert():
                    inner = self._pipe(node.pipe, dot) if node.pipe is not None else ()
                    if node.name in self._templates and node.name not in self._dots:
                        self._dots[node.name] = inner
                        self._body(node.name)
        self._scopes.pop()

    def _condition(self, node: Condition, dot: Paths) -> None:
        self._scopes.append({})
        for pipe, block in node.branches:
            value = self._pipe(pipe, dot)
            self._block(block, value if node.word == "with" else dot)
        if node.otherwise is not None:
            self._block(node.otherwise, dot)
        self._scopes.pop()

    def _range(self, node: Range, dot: Paths) -> None:
        self._scopes.append({})
        items = tuple((*path, node) for path in self._pipe(node.pipe, dot))
        names = node.pipe.names
        if names:
            self._assign(names[-1], items, False)
        if len(names) > 1:
            self._assign(names[0], (), False)
        self._block(node.body, items)
        if node.otherwise is not None:
            self._block(node.otherwise, dot)
        self._scopes.pop()

    def _assign(self, variable: Variable, value: Paths, assigns: bool) -> None:
        for scope in reversed(self._scopes) if assigns else ():
            if variable.name in scope:
                scope[variable.name] = tuple(dict.fromkeys(scope[variable.name] + value))[:_MOST]
                return
        self._scopes[-1][variable.name] = value

    def _pipe(self, pipe: Pipe, dot: Paths) -> Paths:
        value: Paths = ()
        for command in pipe.commands:
            value = self._command(command, value, dot)
        for variable in pipe.names:
            self._assign(variable, value, pipe.assigns)
        return value

    def _command(self, command: Command, final: Paths, dot: Paths) -> Paths:
        first, *rest = command.operands
        values = [self._operand(one, dot) for one in rest]
        if not isinstance(first, Called):
            return self._operand(first, dot)
        if first.name in ("index", "get", "dig") and rest:
            return self._indexed(command, rest, values, final)
        passing = first.name in _PASSING
        every = [path for value in (*values, final) for path in value] if passing else []
        return tuple(dict.fromkeys(every))[:_MOST]

    def _indexed(
        self, command: Command, rest: list[Tree], values: list[Paths], final: Paths
    ) -> Paths:
        """What `index x "a"` reads, as far as its keys are written."""
        first = rest[0]
        digs = isinstance(command.operands[0], Called) and command.operands[0].name == "dig"
        of, keys = (final or values[-1], rest) if digs else (values[0], rest[1:])
        path: list[str] = []
        for key in keys:
            if not isinstance(key, Literal) or not isinstance(key.value, str | int):
                break
            path.append(str(key.value))
        found = tuple((*one, *path) for one in of)
        if digs:
            self._paths[command] = found
        elif isinstance(first, Dot | Fields | Variable):
            self._paths[first] = found
        return found

    def _operand(self, node: Tree, dot: Paths) -> Paths:
        value: Paths = ()
        match node:
            case Dot():
                value = dot
            case Variable():
                value = next((s[node.name] for s in reversed(self._scopes) if node.name in s), ())
            case Fields():
                of = dot if node.of is None else self._operand(node.of, dot)
                value = tuple((*path, *node.names) for path in of)
                if node.of is not None:
                    self._paths.pop(node.of, None)
            case Pipe():
                return self._pipe(node, dot)
            case _:
                return ()
        if value:
            known = self._paths.get(node, ())
            self._paths[node] = tuple(dict.fromkeys((*known, *value)))[:_MOST]
        return value
