"""Where the command line keeps shapes between runs: a file in the user's cache folder."""

from __future__ import annotations

import os

from ..files import DiskFiles, FileProblem
from ..language.expression import Shape
from ..language.language import Language
from ..language.shape_store import fingerprint, from_bytes, to_bytes


def cache_file(grammar: str) -> str | None:
    """The store's path; None when the user wants none or has no home."""
    if os.environ.get("BPP_NO_CACHE"):
        return None
    base = os.environ.get("BPP_CACHE_DIR")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        base = os.path.join(home, "bpp")
    if not os.path.isabs(base):
        return None
    return os.path.join(base, f"shapes-{fingerprint(grammar)}")


def load_shapes(path: str | None) -> dict[str, Shape]:
    """What an earlier run stored; nothing when there is none or it cannot be read."""
    if path is None or not os.path.exists(path):
        return {}
    try:
        return from_bytes(DiskFiles().open_input(path))
    except FileProblem:
        return {}


def store_shapes(path: str | None, language: Language) -> None:
    """Keeps the shapes of this run when it met new ones; a cache that cannot be written is none."""
    if path is None or not language.parses:
        return
    from ..writing import make_folder, write_atomically

    try:
        make_folder(os.path.dirname(path))
        write_atomically(path, to_bytes(language.shapes))
    except FileProblem:
        return
