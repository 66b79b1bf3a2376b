"""The files of a folder, as templates read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Protocol

from ..signatures import Declarations
from .guards import TYPES
from .kinds import Object

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


class FileInfo(Object):
    """A file in a folder."""

    __slots__ = ("is_folder", "name", "size")
    go: ClassVar[str] = "fs.FileInfo"
    kind: ClassVar[str] = "ptr"
    members: ClassVar[Mapping[str, tuple[tuple[str, ...], Callable[..., Any]]]] = {
        "Name": ((), lambda one: one.name),
        "IsDir": ((), lambda one: one.is_folder),
        "Size": ((), lambda one: one.size),
        "Mode": ((), lambda one: "drwxr-xr-x" if one.is_folder else "-rw-r--r--"),
    }

    def __init__(self, name: str, is_folder: bool, size: int) -> None:
        self.name = name
        self.is_folder = is_folder
        self.size = size

    def __str__(self) -> str:
        return self.name


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
    return [FileInfo(*one) for one in folder.listed(path)]
