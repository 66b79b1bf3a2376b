"""The files of a folder, as templates read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol

from ..expr.kinds import Method, Struct, StructType
from ..signatures import Declarations
from .guards import TYPES

function: Final = Declarations("files", __package__, propagates_none=False, types=TYPES)


class Folder(Protocol):
    """What functions with the effect `files` get first.

    Its methods raise `FileProblem` for what may not or cannot be read.
    """

    def include(self, path: str, binding: Any) -> str:
        """The text that a file gives as a template."""

    def contents(self, path: str) -> bytes:
        """The bytes of a file."""

    def listed(self, path: str) -> Iterable[tuple[str, bool, int]]:
        """What is in a folder, sorted: names, whether each is a folder, and sizes."""


def _told(name: str) -> Method:
    return (), "any", lambda one: one.values[name]


_FILE: Final = StructType(
    "file",
    "a file",
    "os.fileStat",
    methods={
        "Name": _told("name"),
        "IsDir": _told("is_folder"),
        "Size": _told("size"),
        "Mode": ((), "any", lambda one: "drwxr-xr-x" if one.values["is_folder"] else "-rw-r--r--"),
        "String": _told("name"),
    },
)


@function("include(path: string, binding: any) -> string", effect="files")
def include(folder: Folder, path: str, binding: Any) -> str:
    """The text of a file that is run as a template of its own, with `binding` as its dot."""
    return folder.include(path, binding)


@function("readFile(path: string) -> bytes", effect="files")
def read_file(folder: Folder, path: str) -> bytes:
    """The bytes of a file, which `toString` makes a text."""
    return folder.contents(path)


@function("readDir(path: string) -> list", effect="files")
def read_folder(folder: Folder, path: str) -> list[Any]:
    """What is in a folder, sorted by name: `.Name`, `.IsDir`, `.Size` and `.Mode` of each."""
    names = "name", "is_folder", "size"
    return [Struct(_FILE, dict(zip(names, one, strict=True))) for one in folder.listed(path)]
