"""What the command line keeps between runs, in the user's cache folder."""

from __future__ import annotations

import os

from ..world.shape_files import shapes_path


def cache_file(grammar: str) -> str | None:
    """The store's path; None when the user wants none or has no home."""
    folder = cache_folder()
    return shapes_path(folder, grammar) if folder else None


def content_folder() -> str | None:
    """Where what is fetched is kept; None when the user wants no cache or has no home."""
    folder = cache_folder()
    return os.path.join(folder, "fetched") if folder else None


def build_folder() -> str | None:
    """Where builds keep what they know; None when the user wants no cache or has no home."""
    folder = cache_folder()
    return os.path.join(folder, "builds") if folder else None


def cache_folder() -> str | None:
    """The user's cache folder; None when the user wants no cache or has no home."""
    if os.environ.get("BPP_NO_CACHE"):
        return None
    base = os.environ.get("BPP_CACHE_DIR")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        base = os.path.join(home, "bpp")
    return base if os.path.isabs(base) else None
