"""The dialects: built in, one row each, registered, and installed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from ...functions.regexes import compile_regex
from ..engine.options import CommandLine
from ..engine.run import Dialect
from ..values.source import Source


class Row:
    """A built-in dialect, of which nothing is imported before it is used.

    `home` is the module and the name of its `Dialect` as `module:NAME`, `options` that of its
    `CommandLine`, `recogniser` that of a function that recognises a text. A text that matches
    `start` is of this dialect. `marks` are strings: the recogniser is imported only for a text that
    contains one of them. A text of no dialect is of this one if its name ends with one of `files`;
    the first of these is the usual one of a folder. A folder is read as its file `folder`.
    """

    __slots__ = ("files", "folder", "home", "marks", "name", "options", "recogniser", "start")

    def __init__(
        self,
        name: str,
        home: str,
        *,
        options: str = "",
        recogniser: str = "",
        start: str = "",
        marks: tuple[str, ...] = (),
        files: tuple[str, ...] = (),
        folder: str = "",
    ) -> None:
        self.name = name
        self.home = home
        self.options = options
        self.recogniser = recogniser
        self.start = compile_regex(start) if start else None
        self.marks = marks
        self.files = files
        self.folder = folder

    def recognises(self, source: Source) -> bool:
        """True for a text of this dialect."""
        text = source.text
        return any(mark in text for mark in self.marks) and bool(_load(self.recogniser)(source))


ROWS: Final = (
    Row(
        "bluelink",
        "bluelink.dialect:BLUELINK",
        start=r"""(?:[\ufeff\s]+|\#[^\n]*|//[^\n]*|---)*+\{?\s*+["']?version["']?\s*+:""",
    ),
    Row(
        "garden",
        "garden.dialect:GARDEN",
        options="garden.command_line:COMMAND_LINE",
        recogniser="garden.recognition:recognises",
        marks=("kind", "apiVersion"),
        files=("project.garden.yml", "garden.yml", ".garden.yml", "garden.yaml", ".garden.yaml"),
    ),
    Row(
        "garden-v2",
        "garden.dialect:GARDEN_V2",
        options="garden.command_line:COMMAND_LINE",
        recogniser="garden.recognition:recognises_second",
        marks=("apiVersion",),
    ),
    Row("expr", "expr.dialect:EXPR"),
    Row("gotemplate", "gotemplate.dialect:GOTEMPLATE"),
    Row(
        "kargo",
        "kargo.dialect:KARGO",
        options="kargo.command_line:COMMAND_LINE",
        recogniser="kargo.recognition:recognises",
        marks=("kargo.akuity.io/",),
    ),
    Row(
        "landscaper",
        "landscaper.dialect:LANDSCAPER",
        options="landscaper.command_line:COMMAND_LINE",
        recogniser="landscaper.recognition:recognises",
        marks=("landscaper.gardener.cloud/",),
        folder="blueprint.yaml",
    ),
    Row("spiff", "spiff.dialect:SPIFF", options="spiff.command_line:COMMAND_LINE"),
)
NAMES: Final = tuple(row.name for row in ROWS)
DEFAULT: Final = "bluelink"
GROUP: Final = "bpp.dialects"


def _load(home: str) -> Any:
    """What a row names; `importlib` is one more module for every command to load."""
    module, _, name = home.partition(":")
    return getattr(__import__(f"{__package__}.{module}", fromlist=[name]), name)


def find_dialect(dialect: str | Dialect) -> Dialect:
    """The dialect with a name, loaded when it is asked for; a `Dialect` is returned as it is.

    A name that is not built in is looked up among the entry points `bpp.dialects`.

    Raises:
        ValueError: unknown name, or an installed dialect that cannot be used.
    """
    return dialect if isinstance(dialect, Dialect) else Dialects().find(dialect)


def detect_dialect(source: Source, others: Iterable[Dialect] = ()) -> Dialect:
    """The first of `others` that recognises a text, else a built-in dialect, else the default one.

    Installed dialects are not asked: they must be named.
    """
    for dialect in others:
        if dialect.recognises is not None and dialect.recognises(source):
            return dialect
    for row in ROWS:
        if row.start is not None and row.start.match(source.text):
            return find_dialect(row.name)
    # what comes later is recognised by more, such as the version of a kind that others have, too
    name = next((row.name for row in reversed(ROWS) if row.recognises(source)), None)
    return find_dialect(name or _by_name(source.name))


def _by_name(path: str) -> str:
    """The dialect of a file whose text tells nothing."""
    file = path.rpartition("/")[2]
    for row in ROWS:
        for one in row.files:
            if file == one or (one[0] == "." and file.endswith(one)):
                return row.name
    return DEFAULT


def usual_files() -> tuple[str, ...]:
    """The names of files that a folder's main document usually has, in dialects that say so."""
    return tuple(one for row in ROWS for one in row.files if one[0] != ".")


def main_files() -> tuple[str, ...]:
    """The names of the file that stands for its folder, in dialects whose documents are folders."""
    return tuple(row.folder for row in ROWS if row.folder)


def select_dialect(source: Source, dialect: str | Dialect | None) -> Dialect:
    """The dialect that is named, else the one that is detected.

    Raises:
        ValueError: unknown name.
    """
    return detect_dialect(source) if dialect is None else find_dialect(dialect)


def command_lines(dialect: str | None = None) -> dict[str, CommandLine]:
    """The command lines of the built-in dialects and of `dialect`, each by the name of its dialect.

    Of a built-in dialect only the module that declares it is loaded. Versions of a dialect that
    share one appear once, under the first name. An unknown name is ignored.
    """
    found: dict[str, CommandLine] = {}
    for row in ROWS:
        if row.options and (line := _load(row.options)) not in found.values():
            found[row.name] = line
    if dialect is not None and dialect not in NAMES:
        try:
            found[dialect] = find_dialect(dialect).command_line
        except ValueError:
            return found
    return found


class Dialects:
    """A registry of dialects: built in, registered here, and installed, in this order.

    Installed packages are searched only for a name that is neither built in nor registered.

    Raises:
        ValueError: a name that is registered twice or already built in.
    """

    def __init__(self, dialects: Iterable[Dialect] = (), entry_points: bool = True) -> None:
        self._registered: dict[str, Dialect] = {}
        self._entry_points = entry_points
        for dialect in dialects:
            if dialect.name in self._registered or dialect.name in NAMES:
                raise ValueError(f"the dialect `{dialect.name}` is registered twice")
            self._registered[dialect.name] = dialect

    def find(self, name: str) -> Dialect:
        """The dialect with a name.

        Raises:
            ValueError: unknown name, or an installed dialect that cannot be used.
        """
        for row in ROWS:
            if row.name == name:
                built_in: Dialect = _load(row.home)
                return built_in
        found = self._registered.get(name) or self._installed(name)
        if found is None:
            from ..values.diagnostics import meant

            names = self.names()
            near = meant(name, names)
            words = f"unknown dialect `{name}`; available: {', '.join(names)}"
            raise ValueError(words + (f" ({near})" if near else ""))
        return found

    def _installed(self, name: str) -> Dialect | None:
        if not self._entry_points:
            return None
        from ..world.plugins import PluginProblem, find_plugin, wrong_type

        plugin = find_plugin(GROUP, name)
        if plugin is None:
            return None
        if isinstance(plugin, PluginProblem):
            raise ValueError(f"the dialect `{name}` cannot be used: {plugin.message}")
        if not isinstance(plugin.value, Dialect):
            message = wrong_type(plugin, "Dialect").message
            raise ValueError(f"the dialect `{name}` cannot be used: {message}")
        return plugin.value

    def recognise(self, source: Source) -> Dialect:
        """The dialect of a text: a registered one that recognises it, else a built-in one."""
        return detect_dialect(source, self._registered.values())

    def names(self) -> list[str]:
        """All names: built in, registered and installed."""
        if not self._entry_points:
            return [*NAMES, *sorted(self._registered)]
        from ..world.plugins import plugin_names

        others = {*self._registered, *plugin_names(GROUP)} - {*NAMES}
        return [*NAMES, *sorted(others)]
