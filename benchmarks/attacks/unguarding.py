"""bpp's own source without its guards, so that they can be measured by leaving them out.

Two things are left out: comparisons with limits, which are written where they are needed, and
functions that only guard, which a table names. It is done while modules are imported, from their
source, also where they are compiled.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Mapping
from importlib.machinery import FileFinder, SourceFileLoader
from types import CodeType
from typing import Any, Final

PACKAGES: Final = ("functions", "pipeline", "transforms")
LIMITS: Final = frozenset({"limits", "_limits"})
COUNTERS: Final = frozenset({"left", "room"})
"""What a meter counts down."""

Bodies = Mapping[str, Mapping[str, str]]
"""By module and name, what a function does instead: `pass`, or one statement."""


class Missing(Exception):
    """A function that is to be replaced is not there."""


def install(guards: Bodies | None) -> None:
    """Has bpp imported from its source, without the guards of a table when there is one.

    Nothing of bpp may have been imported before.
    """
    folders = []
    for package in PACKAGES:
        spec = importlib.util.find_spec(f"bpp.{package}")
        assert spec is not None and spec.submodule_search_locations is not None
        folders += spec.submodule_search_locations

    class Loader(SourceFileLoader):
        def get_code(self, fullname: str) -> CodeType:
            path = self.get_filename(fullname)
            tree = ast.parse(self.get_data(path))
            if guards is not None:
                tree = unguarded(tree, fullname.removeprefix("bpp."), guards)
            return compile(tree, path, "exec", dont_inherit=True)

    def hook(path: str) -> FileFinder:
        if not any(path == folder or path.startswith(folder + os.sep) for folder in folders):
            raise ImportError(path)
        return FileFinder(path, (Loader, [".py"]))

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()


def unguarded(tree: ast.Module, module: str, guards: Bodies) -> ast.Module:
    """A module without its guards.

    Raises:
        Missing: for a function of the table that the module does not have.
    """
    bodies = dict(guards.get(module, {}))
    _replace(tree, "", bodies)
    if bodies:
        raise Missing(f"{module} has no {', '.join(bodies)}")
    idle = {
        name.rpartition(".")[2]
        for functions in guards.values()
        for name, body in functions.items()
        if body == "pass"
    }
    stripped: ast.Module = _Stripper(_limit_names(tree), idle).visit(tree)
    for node in ast.walk(stripped):
        if isinstance(node, ast.FunctionDef):
            _forget_sizes(node)
    return ast.fix_missing_locations(stripped)


def comparisons(source: str) -> int:
    """How many comparisons with limits a module has."""
    tree = ast.parse(source)
    stripper = _Stripper(_limit_names(tree), set())
    stripper.visit(tree)
    return stripper.found


def _replace(parent: ast.Module | ast.ClassDef, prefix: str, bodies: dict[str, str]) -> None:
    """Gives functions other bodies, and takes them out of `bodies`."""
    for node in parent.body:
        if isinstance(node, ast.ClassDef):
            _replace(node, f"{node.name}.", bodies)
        elif isinstance(node, ast.FunctionDef):
            body = bodies.pop(prefix + node.name, None)
            if body is not None:
                node.body = ast.parse(body).body


def _limit_names(tree: ast.Module) -> set[str]:
    """The names to which limits are given, or what is left of one."""
    return {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _is_limit(node.value, set())
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _is_limit(node: ast.expr, names: set[str]) -> bool:
    match node:
        case ast.Attribute(attr=field, value=ast.Name(id=owner) | ast.Attribute(attr=owner)):
            return owner in LIMITS or (owner == "meter" and field in COUNTERS)
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, right=right):
            return _is_limit(left, names) or _is_limit(right, names)
    return False


class _Stripper(ast.NodeTransformer):
    """Gives comparisons with limits the answer that all have for what is within them.

    Calls of functions that do nothing go, and so does what meters count.
    """

    def __init__(self, names: set[str], idle: set[str]) -> None:
        self.names = names
        self.idle = idle
        self.found = 0

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        limited = [_is_limit(one, self.names) for one in (node.left, node.comparators[0])]
        match node.ops[0], limited:
            case ((ast.Gt() | ast.GtE()), [_, True]):
                answer = False
            case ((ast.Lt() | ast.LtE()), [_, True]):
                answer = True
            case ((ast.Gt() | ast.GtE()), [True, _]):
                answer = True
            case ((ast.Lt() | ast.LtE()), [True, _]):
                answer = False
            case _:
                return node
        self.found += 1
        return ast.copy_location(ast.Constant(answer), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        rest = []
        for value in node.values:
            if not isinstance(value, ast.Constant) or not isinstance(value.value, bool):
                rest.append(value)
            elif value.value is decides:
                return value
        node.values = rest
        return node if len(rest) > 1 else rest[0] if rest else ast.Constant(not decides)

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if not isinstance(node.test, ast.Constant) or not isinstance(node.test.value, bool):
            return node
        return (node.body if node.test.value else node.orelse) or ast.Pass()

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        match node.value:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in self.idle:
                return ast.copy_location(ast.Pass(), node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        is_counter = isinstance(node.target, ast.Attribute) and _is_limit(node.target, set())
        return ast.copy_location(ast.Pass(), node) if is_counter else node


def _forget_sizes(function: ast.FunctionDef) -> None:
    """Takes out what was counted for comparisons that are gone."""
    while True:
        read = {
            node.id
            for node in ast.walk(function)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        dropper = _Dropper(read)
        dropper.visit(function)
        if not dropper.dropped:
            return


class _Dropper(ast.NodeTransformer):
    """Drops additions to names that nobody reads."""

    def __init__(self, read: set[str]) -> None:
        self.read = read
        self.dropped = False

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        match node.target, node.value:
            case ast.Name(id=name), (
                ast.Name() | ast.Attribute() | ast.Constant() | ast.Call(func=ast.Name(id="len"))
            ) if name not in self.read:
                self.dropped = True
                return ast.copy_location(ast.Pass(), node)
        return node
