"""Shapes in a file, between runs (docs/adr/0010-shapes-kept-between-runs.md)."""

from __future__ import annotations

import os
from typing import Final

from ..language.expression import Shape
from ..language.language import Language
from ..language.shape_store import fingerprint, from_bytes, to_bytes
from .files import FileProblem, read_kept

_LARGEST: Final = 16 * 1024 * 1024


def shapes_path(folder: str, grammar: str) -> str:
    """The path of the shapes of a grammar in a cache folder."""
    return os.path.join(folder, f"shapes-{fingerprint(grammar)}")


def load_shapes(path: str | None) -> dict[str, Shape]:
    """What an earlier run stored; nothing when there is none or it cannot be read."""
    data = read_kept(path, _LARGEST) if path is not None else None
    return from_bytes(data) if data is not None else {}


def store_shapes(path: str | None, language: Language) -> None:
    """Keeps the shapes of this run when it met new ones; a cache that cannot be written is none."""
    if path is not None and language.parses:
        keep_shapes(path, language.shapes)


def keep_shapes(path: str, shapes: dict[str, Shape]) -> None:
    """Keeps shapes in a file; a cache that cannot be written is none."""
    from .writing import make_folder, write_privately

    try:
        make_folder(os.path.dirname(path))
        write_privately(path, to_bytes(shapes))
    except FileProblem:
        return
