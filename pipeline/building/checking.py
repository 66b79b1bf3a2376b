"""What `[check]` of a configuration says of the documents around it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from ..engine.lints import Rules
from ..world.files import Files
from ..world.searching import matches

ENDINGS: Final = (".yaml", ".yml", ".json", ".jsonc")
"""The ends of the names of files that may be documents."""

_NAMED: Final = ".blueprint"
_PATHS: Final = ("vars", "state", "allow_path", "files")


def is_named(path: str) -> bool:
    """True for a name that only documents have: `api.blueprint.yaml`."""
    return os.path.splitext(os.path.basename(path))[0].endswith(_NAMED)


def is_excluded(name: str, patterns: Iterable[str]) -> bool:
    """True for the name of a file that is passed over where a folder is searched."""
    for pattern in patterns:
        if "/" not in pattern.rstrip("/"):
            pattern = f"**/{pattern}"
        if matches(os.path.normpath(pattern), name, whole=False):
            return True
    return False


def rules_of(select: Iterable[str], ignore: Iterable[str], warn_as_error: Iterable[str]) -> Rules:
    """The rules for diagnostics with these codes, which know all codes there are."""
    return Rules(frozenset(select), frozenset(ignore), frozenset(warn_as_error), known_codes)


def known_codes() -> Collection[str]:
    """All codes of diagnostics."""
    from ..codes import CODES

    return CODES


def placed(table: Mapping[str, Any], folder: str, files: Files) -> dict[str, Any]:
    """The values of `[check]`, whose paths start at the folder of its configuration."""

    def shown(path: str) -> str:
        return files.shown(os.path.join(folder, path))

    found: dict[str, Any] = {}
    for name, value in table.items():
        if name in _PATHS:
            value = shown(value) if isinstance(value, str) else [shown(one) for one in value]
        elif name == "exclude":
            value = [shown(one) if "/" in one else one for one in value]
        found[name] = tuple(value) if isinstance(value, list) else value
    return found
