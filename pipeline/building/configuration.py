"""Configurations: `bpp.toml`, or `[tool.bpp]` in `pyproject.toml`; found, read and checked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...functions.record import Record
from ...functions.regexes import compile_regex
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics
from ..values.quoting import Quoting, QuotingRule, Range
from ..values.settings import Limits
from ..values.source import Source, Span
from ..world.files import DiskFiles, FileProblem, Files, decode_text, real_path

if TYPE_CHECKING:
    from ..formats.toml_reader import Place
    from .expansion import Path
    from .target import Target

OWN_FILE: Final = "bpp.toml"
SHARED_FILE: Final = "pyproject.toml"

_PREFIX: Final = ("tool", "bpp")


class Configuration(Record, eq=False):
    """A configuration.

    `path` is its real path, `name` the one for messages, `folder` the one that relative paths start
    from. `targets` are expanded and in its order; it is empty if `diagnostics` has errors.
    `content` is the file's bytes.
    """

    path: str
    name: str
    folder: str
    targets: tuple[Target, ...]
    diagnostics: Diagnostics
    content: bytes = b""

    @property
    def ok(self) -> bool:
        """True if it has no errors."""
        return not self.diagnostics.errors


def find_configuration(folder: str | None = None) -> str | None:
    """The path of the configuration for a folder: the nearest one in it or above it.

    In a folder `bpp.toml` comes first, then a `pyproject.toml` with a table `[tool.bpp]`.
    """
    files = DiskFiles()
    here = real_path(folder or files.cwd())
    while True:
        own = os.path.join(here, OWN_FILE)
        if files.exists(own):
            return own
        shared = os.path.join(here, SHARED_FILE)
        if files.exists(shared) and _has_table(files, shared):
            return shared
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def load_configuration(
    path: str | os.PathLike[str],
    known: Callable[[bytes], bool] | None = None,
    files: Files | None = None,
) -> Configuration:
    """The configuration in a file; errors are in its diagnostics.

    `known` takes the file's bytes and returns whether their form has been checked before. `files`
    answer instead of the disk.

    Raises:
        FileProblem: if the file cannot be read.
    """
    source, found = _opened(path, files)
    if source is None:
        return found
    targets = _targets(source, found.diagnostics, known is not None and known(found.content))
    return found if found.diagnostics.errors else found.evolve(targets=tuple(targets))


def _opened(
    path: str | os.PathLike[str], files: Files | None
) -> tuple[Source | None, Configuration]:
    """The text of a configuration, None for one that is no text; and its record, unread.

    Raises:
        FileProblem: if the file cannot be read.
    """
    files = files or DiskFiles()
    path = os.fspath(path)
    content = files.open_input(path, only_file=True)
    name, real = files.shown(path), files.resolve(path)
    found = Configuration(real, name, os.path.dirname(real), (), Diagnostics(), content)
    try:
        text = decode_text(content, name)
    except FileProblem as problem:
        found.diagnostics.error(problem.code, problem.span, problem.message, problem.hint)
        return None, found
    source = Source(name, text, "toml", real)
    found.diagnostics.quoting.admit(source, _QUOTES)
    return source, found


def load_check(path: str, files: Files | None = None) -> tuple[dict[str, Any], Configuration]:
    """The table `[check]` of a configuration, with paths as they are written in it.

    Errors in this table, and in what is around all tables, are in the diagnostics of the
    configuration, which has no targets. `files` answer instead of the disk.

    Raises:
        FileProblem: if the file cannot be read.
    """
    from ..formats.records import RecordError
    from .tables import check_tables

    source, found = _opened(path, files)
    table: dict[str, Any] = {}
    data, prefix = _data(source, found.diagnostics) if source is not None else (None, ())
    if source is not None and data is not None:
        blame = _Blame(source, prefix, found.diagnostics)
        try:
            check_tables(data)
        except RecordError as error:
            for at, message in error.problems:
                if at[:1] == ("check",) or len(at) < 2:
                    blame.add("invalid_configuration", at, message, None, at in error.unknown)
        table = data.get("check", {}) if not found.diagnostics.errors else {}
    return {key.replace("-", "_"): value for key, value in table.items()}, found


def variable_places(content: bytes, path: str, name: str, group: str) -> dict[str, Span]:
    """The spans of a target's variables in a configuration, as far as they can be found."""
    from ..formats.toml_reader import toml_places

    try:
        text = decode_text(content, name)
    except FileProblem:
        return {}
    prefix = _PREFIX if os.path.basename(path) == SHARED_FILE else ()
    found: dict[str, Span] = {}
    for table in (("defaults",), ("targets", group)):
        above = (*prefix, *table, "variables")
        for at, place in toml_places(Source(name, text, "toml", path)).items():
            if at[:-1] == above:
                found[str(at[-1])] = place.value
    return found


def _targets(source: Source, diagnostics: Diagnostics, known: bool) -> list[Target]:
    from .expansion import check_conflicts, expand

    data, prefix = _data(source, diagnostics)
    if data is None:
        return []
    blame = _Blame(source, prefix, diagnostics)
    if not known and not _is_sound(data, blame):
        return []
    targets = expand(data, blame.add)
    if not targets and not diagnostics.errors:
        blame.add("invalid_configuration", (), "there are no targets", "add `[targets.NAME]`")
    if not diagnostics.errors:
        check_conflicts(targets, source.path or "", blame.add)
    return targets


def _data(source: Source, diagnostics: Diagnostics) -> tuple[Any, Path]:
    """The tables of a configuration, None if it cannot be read; and where they are in it."""
    from ..formats.toml_reader import read_toml

    data = read_toml(source, Meter(Limits()), diagnostics, "invalid_configuration")
    if data is None or os.path.basename(source.path or "") != SHARED_FILE:
        return data, ()
    tool = data.get("tool")
    return tool.get("bpp", {}) if isinstance(tool, dict) else {}, _PREFIX


_HEADING: Final = compile_regex(r"[ \t]*\[")
_OURS: Final = compile_regex(
    r"^[ \t]*\[+[ \t]*(?:targets|defaults|matrix|check|tool\.bpp)\b", re.MULTILINE
)
_VARIABLES: Final = compile_regex(r"\bvariables\b")


def _is_configuration(source: Source) -> bool:
    return _OURS.search(source.text) is not None


def _hides(source: Source, quoting: Quoting) -> Iterator[Range]:
    """The lines that mention variables, or are in a table that does."""
    within = False
    for number, start in enumerate(source.line_starts, 1):
        line = source.line(number)
        mentions = _VARIABLES.search(line) is not None
        if _HEADING.match(line):
            within = mentions
        if within or mentions:
            yield start, start + len(line)


_QUOTES: Final = QuotingRule(_is_configuration, _hides)


def _is_sound(data: Any, blame: _Blame) -> bool:
    """True if the data has the form of a configuration; problems are reported."""
    from ..formats.records import RecordError
    from .tables import check_tables

    try:
        check_tables(data)
    except RecordError as error:
        for path, message in error.problems:
            blame.add("invalid_configuration", path, message, None, path in error.unknown)
        return False
    return True


class _Blame:
    """Adds diagnostics about paths in the file; places are computed for the first one."""

    def __init__(self, source: Source, prefix: Path, diagnostics: Diagnostics) -> None:
        self._source = source
        self._prefix = prefix
        self._diagnostics = diagnostics
        self._places: Mapping[Path, Place] | None = None

    def add(self, code: str, path: Path, message: str, hint: str | None, key: bool = False) -> None:
        """Adds an error about the value at a path, or about its key."""
        if self._places is None:
            from ..formats.toml_reader import toml_places

            self._places = toml_places(self._source)
        whole = (*self._prefix, *path)
        while whole and whole not in self._places:
            whole = whole[:-1]
        place = self._places.get(whole)
        span = Span(self._source, 0, 0)
        if place is not None:
            span = place.key if key else place.value
        self._diagnostics.error(code, span, message, hint)


def _has_table(files: DiskFiles, path: str) -> bool:
    """True if a `pyproject.toml` has a table `[tool.bpp]`."""
    try:
        text = decode_text(files.open_input(path, only_file=True), path)
    except FileProblem:
        return False
    if "bpp" not in text:
        return False
    from ..formats.toml_reader import read_toml

    found = Diagnostics()
    data = read_toml(Source(path, text, "toml"), Meter(Limits()), found, "invalid_configuration")
    if data is None:
        # a broken file that mentions the table is reported, not skipped
        return "[tool.bpp" in text
    tool = data.get("tool")
    return isinstance(tool, dict) and "bpp" in tool
