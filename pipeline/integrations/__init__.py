"""bpp as a part of other build tools; what each of them loads is a file or a folder here."""

from __future__ import annotations

import os
from typing import Final

FOLDERS: Final = ("bazel", "cmake")
"""Folders of files that tools read without Python."""


def integration_folder(name: str) -> str:
    """The absolute path of one of `FOLDERS`."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
