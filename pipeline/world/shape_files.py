"""The shapes of expressions in a file, so that a later run need not parse them again.

The format is `marshal` of plain data behind a header with a checksum: a file that is foreign,
damaged or of another version is ignored. No code is ever stored. docs/adr/0010 says why. A tree is
stored flat, as its nodes in the order in which a stack makes them, so that nothing recurses.
"""

from __future__ import annotations

import marshal
import os
import sys
from math import inf
from typing import Any, Final
from zlib import crc32

from ...functions.values import NONE
from ..language.language import Language
from ..values.expression import (
    Access,
    Argument,
    Call,
    Expression,
    Hole,
    Literal,
    Reference,
    Shape,
    lazy,
    walk,
)
from ..values.version import VERSION
from .files import read_kept

MAX_SHAPES: Final = 4_000
_LARGEST: Final = 16 * 1024 * 1024
_DEEPEST: Final = 200
"""Levels of a stored tree: deeper ones are parsed again, by what knows how deep they may be."""

_MAGIC: Final = b"bpp-shapes-2\n"


def fingerprint(grammar: str) -> str:
    """A hash of the versions of bpp and Python and of a grammar: part of a file's name."""
    text = f"{VERSION} {sys.version} {grammar}"
    return f"{crc32(text.encode()):08x}"


def to_bytes(shapes: dict[str, Shape]) -> bytes:
    """The shapes by their skeletons, without places; at most `MAX_SHAPES` of them."""
    kept = list(shapes.items())[:MAX_SHAPES]
    body = marshal.dumps({skeleton: _stored(shape) for skeleton, shape in kept})
    return _MAGIC + crc32(body).to_bytes(4, "big") + body


def from_bytes(data: bytes) -> dict[str, Shape]:
    """The shapes in a store; none when it is not one, or not whole.

    A store holds what many runs met, so a shape's tree is made and checked when it is first asked
    for.
    """
    head = len(_MAGIC) + 4
    body = data[head:]
    if not data.startswith(_MAGIC) or crc32(body).to_bytes(4, "big") != data[head - 4 : head]:
        return {}
    try:
        return {skeleton: _StoredShape(plain) for skeleton, plain in marshal.loads(body).items()}
    # whatever bytes may do
    except Exception:
        return {}


class _StoredShape(Shape):
    """A shape of an earlier run."""

    def __init__(self, plain: tuple[Any, ...]) -> None:
        self.plain = plain

    @lazy
    def expression(self) -> Expression:
        """The tree, without places."""
        return _tree(self.plain)

    def is_sound(self, holes: int) -> bool:
        """True when the stored nodes are a tree, with no more holes than the text has."""
        return bool(self.needed <= holes)

    @lazy
    def needed(self) -> float:
        """How many holes the text must have; infinitely many for nodes that are no tree."""
        try:
            nodes = walk(self.expression)
        except (ValueError, TypeError, LookupError):
            return inf
        return max([node.index + 1 for node in nodes if isinstance(node, Hole)], default=0)


def _stored(shape: Shape) -> tuple[Any, ...]:
    return shape.plain if isinstance(shape, _StoredShape) else _plain(shape.expression)


def _plain(tree: Expression) -> tuple[Any, ...]:
    """The nodes of a tree, each after those that it is made of."""
    return tuple(map(_plain_node, list(walk(tree))[::-1]))


def _plain_node(node: Expression) -> tuple[Any, ...]:
    match node:
        case Literal(value=value):
            return ("none",) if value is NONE else ("literal", value)
        case Hole(index=index, type=kind):
            return ("hole", index, kind)
        case Reference(root=root, path=path, bare=bare):
            return ("reference", root, path, bare)
        case Call(function=function, arguments=arguments):
            return ("call", function, *(argument.name for argument in arguments))
        case Access(path=path):
            return ("access", path)
    raise TypeError(f"no shape has a {type(node).__name__}")


def _tree(plain: tuple[Any, ...]) -> Expression:
    """The tree of stored nodes, each of which takes its parts from the end of those before it.

    Raises:
        ValueError: when they are not the nodes of one tree.
        TypeError, LookupError: likewise.
    """
    made: list[Expression] = []
    depths: list[int] = []
    for kind, *fields in plain:
        count = 0
        node: Expression
        match kind, fields:
            case "none", []:
                node = Literal(NONE)
            case "literal", [str() | int() | float() | None as value]:
                node = Literal(value)
            case "hole", [int(index), str(type_)] if index >= 0:
                node = Hole(index, type=type_)
            case "reference", [str(root), tuple(path), bool(bare)] if path or not bare:
                node = Reference(root, _checked(path), bare)
            case "call", [str(function), *names]:
                count = len(names)
                values = [made.pop() for _ in names]
                if not all(name is None or isinstance(name, str) for name in names):
                    raise ValueError("no name")
                node = Call(function, tuple(map(Argument, values, names)))
            case "access", [tuple(path)]:
                count = 1
                node = Access(made.pop(), _checked(path))
            case _:
                raise ValueError("no node")
        depth = 1 + max([depths.pop() for _ in range(count)], default=0)
        if depth > _DEEPEST:
            raise ValueError("too deep")
        made.append(node)
        depths.append(depth)
    (tree,) = made
    return tree


def _checked(path: tuple[Any, ...]) -> tuple[str | int, ...]:
    if not all(isinstance(item, str | int) for item in path):
        raise ValueError("no path")
    return path


def shapes_path(folder: str, grammar: str) -> str:
    """The path of the shapes of a grammar in a cache folder."""
    return os.path.join(folder, f"shapes-{fingerprint(grammar)}")


def load_shapes(path: str | None) -> dict[str, Shape]:
    """The shapes that an earlier run stored; empty if they are missing or cannot be read."""
    data = read_kept(path, _LARGEST) if path is not None else None
    return from_bytes(data) if data is not None else {}


def store_shapes(path: str | None, language: Language) -> None:
    """Store the shapes of this run when it met new ones; failures to write are ignored."""
    if path is not None and language.parses:
        keep_shapes(path, language.shapes)


def keep_shapes(path: str, shapes: dict[str, Shape]) -> None:
    """Store shapes in a file; failures to write are ignored."""
    from .writing import keep

    keep(path, to_bytes(shapes))
