"""Dependency files: rules that say what outputs are made from."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Final

from .file_problems import FileProblem

_WIDTH: Final = 78
_NEVER: Final = re.compile(r"[\n\r;]")
_SPECIAL: Final = re.compile(r"\.[A-Z_]+\Z|[^/]*=")
"""Paths that make would read as a setting of its own or as one of its variables."""
_NO_TARGET: Final = re.compile(r"[=|%]")
"""In the path of a target make takes these for something else."""


def depfile_text(targets: str | Sequence[str], inputs: Sequence[str], phony: bool = False) -> str:
    """A rule that says what files are made from, as make, ninja and CMake read it.

    `phony` adds an empty rule for each input, so that make does not stop when one is deleted.

    Raises:
        FileProblem: `file_unwritable` for a path with a line break or a `;`, which no such rule can
            have: make would run what follows as a command.
    """
    made = [targets] if isinstance(targets, str) else targets
    # make takes a first word with `=` for a variable, so such words stand behind others
    words = sorted(map(_escaped, inputs), key=lambda word: "=" in word)
    lines = [f"{' '.join(map(_escaped, made))}:"]
    for word in words:
        if len(lines[-1]) + len(word) > _WIDTH:
            lines[-1] += " \\"
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {word}"
    # make takes nothing for quoted at the end of a line, but a blank is needed there
    lines[-1] = re.sub(r"(\\+)\1\Z", r"\1 ", lines[-1])
    if phony:
        lines += [f"{word}:" for word in words if not _NO_TARGET.search(word)]
    return "\n".join(lines) + "\n"


def _escaped(path: str) -> str:
    if _NEVER.search(path):
        raise FileProblem(
            "file_unwritable",
            "a path with a line break or a `;` cannot be written to a dependency file",
        )
    if _SPECIAL.match(path):
        path = f"./{path}"
    drive = path[:2] if os.name == "nt" and path[1:2] == ":" else ""
    # backslashes are plain, except in front of what would need one
    rest = re.sub(r"(\\+)\Z", r"\1\1", path[len(drive) :])
    return drive + re.sub(r"(\\*)([ \t#:|])", r"\1\1\\\2", rest).replace("$", "$$")
