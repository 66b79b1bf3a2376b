"""The shapes of expressions in a file, so that a later run need not parse them again.

The format is `marshal` of plain data behind a header with a checksum: a file that is foreign,
damaged or of another version is ignored. No code is ever stored. docs/adr/0010 says why.
"""

from __future__ import annotations

import marshal
import os
import sys
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
)
from ..values.version import VERSION
from .files import read_kept

MAX_SHAPES: Final = 4_000
_LARGEST: Final = 16 * 1024 * 1024
_MAGIC: Final = b"bpp-shapes-1\n"


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

    A store holds what many runs met, so a shape's tree is made when it is first asked for.
    """
    head = len(_MAGIC) + 4
    body = data[head:]
    if not data.startswith(_MAGIC) or crc32(body).to_bytes(4, "big") != data[head - 4 : head]:
        return {}
    try:
        return {skeleton: _StoredShape(plain) for skeleton, plain in marshal.loads(body).items()}
    except (ValueError, EOFError, TypeError, KeyError, AttributeError, IndexError):
        return {}


class _StoredShape(Shape):
    """A shape of an earlier run."""

    def __init__(self, plain: tuple[Any, ...]) -> None:
        self.plain = plain

    @lazy
    def expression(self) -> Expression:
        """The tree, without places."""
        return _tree(self.plain)


def _stored(shape: Shape) -> tuple[Any, ...]:
    return shape.plain if isinstance(shape, _StoredShape) else _plain(shape.expression)


def _plain(node: Expression) -> tuple[Any, ...]:
    match node:
        case Literal(value=value):
            return ("none",) if value is NONE else ("literal", value)
        case Hole(index=index):
            return ("hole", index)
        case Reference(root=root, path=path, bare=bare):
            return ("reference", root, path, bare)
        case Call(function=function, arguments=arguments):
            return ("call", function, tuple((_plain(a.value), a.name) for a in arguments))
        case Access(target=target, path=path):
            return ("access", _plain(target), path)
    raise TypeError(f"no shape has a {type(node).__name__}")


def _tree(plain: tuple[Any, ...]) -> Expression:
    match plain:
        case ("none",):
            return Literal(NONE)
        case ("literal", value):
            return Literal(value)
        case ("hole", index):
            return Hole(index)
        case ("reference", root, path, bare):
            return Reference(root, path, bare)
        case ("call", function, arguments):
            return Call(function, tuple(Argument(_tree(value), name) for value, name in arguments))
        case ("access", target, path):
            return Access(_tree(target), path)
    raise ValueError("no shape")


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
