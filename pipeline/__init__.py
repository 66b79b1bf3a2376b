"""How documents are read, run, reported and written: the public names, loaded when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .blueprint.inputs import Given
    from .context import Context, State
    from .diagnostics import Diagnostic, Diagnostics, Note
    from .document import Document
    from .expressions import Evaluated, evaluate
    from .files import DiskFiles, FileProblem, Files, MemoryFiles
    from .rendering import check, render
    from .run import Pipeline, Run, Stage
    from .settings import Limits, Settings
    from .source import Source, Span
    from .tree import Array, Map, Origin, Scalar, Template, build

_HOMES = {
    "Array": "tree",
    "Context": "context",
    "Diagnostic": "diagnostics",
    "Diagnostics": "diagnostics",
    "DiskFiles": "files",
    "Document": "document",
    "Evaluated": "expressions",
    "FileProblem": "files",
    "Files": "files",
    "Given": "blueprint.inputs",
    "Limits": "settings",
    "Map": "tree",
    "MemoryFiles": "files",
    "Note": "diagnostics",
    "Origin": "tree",
    "Pipeline": "run",
    "Run": "run",
    "Scalar": "tree",
    "Settings": "settings",
    "Source": "source",
    "Span": "source",
    "Stage": "run",
    "State": "context",
    "Template": "tree",
    "build": "tree",
    "check": "rendering",
    "evaluate": "expressions",
    "render": "rendering",
}

__all__ = [
    "Array",
    "Context",
    "Diagnostic",
    "Diagnostics",
    "DiskFiles",
    "Document",
    "Evaluated",
    "FileProblem",
    "Files",
    "Given",
    "Limits",
    "Map",
    "MemoryFiles",
    "Note",
    "Origin",
    "Pipeline",
    "Run",
    "Scalar",
    "Settings",
    "Source",
    "Span",
    "Stage",
    "State",
    "Template",
    "build",
    "check",
    "evaluate",
    "render",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
