"""Copies of a module with one small mistake in each."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final, NamedTuple


def _both(*pairs: tuple[type[Any], type[Any]]) -> dict[type[Any], type[Any]]:
    return {**dict(pairs), **{second: first for first, second in pairs}}


_NEGATED: Final = _both(
    (ast.Lt, ast.GtE),
    (ast.Gt, ast.LtE),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
)
_OFF_BY_ONE: Final = _both((ast.Lt, ast.LtE), (ast.Gt, ast.GtE))
_COMPUTED: Final = _both(
    (ast.Add, ast.Sub),
    (ast.Mult, ast.FloorDiv),
    (ast.BitOr, ast.BitAnd),
    (ast.LShift, ast.RShift),
)
_UNTOUCHED: Final = (ast.Assert, ast.Import, ast.ImportFrom, ast.JoinedStr)
_ANNOTATIONS: Final = ("annotation", "returns", "decorator_list", "bases")


class Mutant(NamedTuple):
    """One change: `owner.field` becomes `value`; `was` and `now` are for people."""

    line: int
    was: str
    now: str
    owner: ast.AST
    field: str
    value: Any

    def text(self, whole: ast.AST) -> str:
        """A tree with the change, as text; the tree itself stays as it was."""
        before = getattr(self.owner, self.field)
        setattr(self.owner, self.field, self.value)
        try:
            return ast.unparse(ast.fix_missing_locations(whole))
        finally:
            setattr(self.owner, self.field, before)


def mutants(tree: ast.AST) -> Iterator[Mutant]:
    """All changes that are tried in a tree, in its order."""
    if isinstance(tree, _UNTOUCHED) or _is_for_types(tree):
        return
    yield from _changes(tree)
    for field, value in ast.iter_fields(tree):
        if field in _ANNOTATIONS:
            continue
        if isinstance(value, ast.AST):
            for other in _others(value, field):
                yield _mutant(tree, field, other, value, other)
            yield from mutants(value)
        elif isinstance(value, list):
            for at, part in enumerate(value):
                if isinstance(part, ast.AST):
                    for other in _others(part):
                        changed = [*value[:at], other, *value[at + 1 :]]
                        yield _mutant(tree, field, changed, part, other)
                    yield from mutants(part)


def _mutant(owner: ast.AST, field: str, value: Any, was: ast.AST, now: ast.AST) -> Mutant:
    line = next((node.lineno for node in ast.walk(was) if hasattr(node, "lineno")), 0)
    return Mutant(line, ast.unparse(was), ast.unparse(now), owner, field, value)


def _others(part: ast.AST, field: str = "") -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    match part:
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.Constant(value=str() as value) if " " not in value:
            yield ast.Constant(value + "?")
        case ast.Constant(value=bytes() as value):
            yield ast.Constant(value + b"?")
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            yield inner
        case ast.Raise() | ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Continue():
            yield ast.Break()
        case ast.Break():
            yield ast.Continue()
        case ast.BoolOp() | ast.Call() | ast.Name() | ast.Attribute() if field in ("test", "guard"):
            yield ast.UnaryOp(ast.Not(), part)


def _changes(node: ast.AST) -> Iterator[Mutant]:
    """What may be changed about a node itself."""
    match node:
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                for table in (_NEGATED, _OFF_BY_ONE):
                    if type(op) in table:
                        other = table[type(op)]()
                        yield _with(node, "ops", [*ops[:at], other, *ops[at + 1 :]])
        case ast.BoolOp(op=op):
            yield _with(node, "op", ast.Or() if isinstance(op, ast.And) else ast.And())
            yield from _without_one(node, "values")
        case ast.BinOp(op=computed) | ast.AugAssign(op=computed) if type(computed) in _COMPUTED:
            yield _with(node, "op", _COMPUTED[type(computed)]())
        case ast.Call():
            yield from _without_one(node, "args")
            yield from _without_one(node, "keywords")
        case ast.Tuple(ctx=ast.Load()) | ast.List(ctx=ast.Load()) | ast.Set():
            yield from _without_one(node, "elts")
        case ast.comprehension():
            yield from _without_one(node, "ifs")
        case ast.Match():
            yield from _without_one(node, "cases")
        case ast.Return(value=value) | ast.Assign(value=value) | ast.AnnAssign(value=value):
            # what is false either way is the same to most
            if value is not None and ast.unparse(value) not in ("None", "False"):
                yield _with(node, "value", ast.Constant(None))


def _with(node: ast.AST, field: str, value: Any) -> Mutant:
    made = _mutant(node, field, value, node, node)
    return made._replace(now=made.text(node))


def _without_one(node: ast.AST, field: str) -> Iterator[Mutant]:
    parts = getattr(node, field)
    # what has one part is another change's, but for calls and the like
    if len(parts) < 2 and isinstance(node, ast.BoolOp | ast.Match | ast.Set):
        return
    for at, part in enumerate(parts):
        made = _mutant(node, field, parts[:at] + parts[at + 1 :], part, part)
        yield made._replace(now="(left out)")


def _is_for_types(node: ast.AST) -> bool:
    """True for what only type checkers and people read."""
    match node:
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.Expr(value=ast.Constant()):
            return True
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case ast.Assign(targets=[ast.Name(id="__slots__" | "__all__")]):
            return True
        case ast.Assign(value=ast.Call(func=ast.Name(id="TypeVar" | "ParamSpec"))):
            return True
    return False
