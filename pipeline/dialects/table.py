"""The dialects there are, by name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ..engine.dialect import Dialect
from ..values.source import Source

NAMES: Final = ("bluelink", "garden", "garden-v2")
DEFAULT: Final = "bluelink"
GROUP: Final = "bpp.dialects"


def find_dialect(dialect: str | Dialect) -> Dialect:
    """The dialect of a name, loaded when it is asked for; a dialect is itself.

    A name that is not built in is looked for among the entry points `bpp.dialects`.

    Raises:
        ValueError: when there is none, or when an installed one cannot be used.
    """
    return dialect if isinstance(dialect, Dialect) else Dialects().find(dialect)


class Dialects:
    """A registry of dialects: built in, registered here, and installed, in this order.

    The installed packages are looked at for a name that is neither built in nor registered.

    Raises:
        ValueError: when a name is registered twice, or is that of a dialect that is built in.
    """

    def __init__(self, dialects: Iterable[Dialect] = (), entry_points: bool = True) -> None:
        self._registered: dict[str, Dialect] = {}
        self._entry_points = entry_points
        for dialect in dialects:
            if dialect.name in self._registered or dialect.name in NAMES:
                raise ValueError(f"the dialect `{dialect.name}` is registered twice")
            self._registered[dialect.name] = dialect

    def find(self, name: str) -> Dialect:
        """The dialect of a name.

        Raises:
            ValueError: when there is none, or when an installed one cannot be used.
        """
        if name == "bluelink":
            from .bluelink.dialect import BLUELINK

            return BLUELINK
        if name in NAMES:
            from .garden.dialect import GARDEN, GARDEN_V2

            return GARDEN if name == "garden" else GARDEN_V2
        found = self._registered.get(name) or self._installed(name)
        if found is None:
            from ..values.diagnostics import meant

            names = self.names()
            near = meant(name, names)
            words = f"there is no dialect `{name}`; there are {', '.join(names)}"
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

        return recognised(source, self._registered.values())

    def names(self) -> list[str]:
        """All names: built in, registered and installed."""
        if not self._entry_points:
            return [*NAMES, *sorted(self._registered)]
        from ..world.plugins import plugin_names

        others = {*self._registered, *plugin_names(GROUP)} - {*NAMES}
        return [*NAMES, *sorted(others)]


# ----------------------------------------------------------------------
# Which dialect a text is written in, when nobody says it.

# How most blueprints begin, and nothing else: this is asked of every text that is rendered.
_BLUEPRINT: Final = re.compile(
    r"""(?:[\ufeff\s]+|\#[^\n]*|//[^\n]*|---)*+\{?\s*+["']?version["']?\s*+:"""
)
# What other texts must have before anything of another dialect is imported to look closer.
_MARKS: Final = ("kind", "apiVersion")


def recognised(source: Source, others: Iterable[Dialect] = ()) -> Dialect:
    """The dialect of a text: the first of `others` that recognises it, a built-in one, the usual.

    Installed dialects are not asked: whoever wants one names it.
    """
    for dialect in others:
        if dialect.recognises is not None and dialect.recognises(source):
            return dialect
    text = source.text
    if not _BLUEPRINT.match(text) and any(mark in text for mark in _MARKS):
        from .garden.recognition import dialect_of

        return find_dialect(dialect_of(source) or DEFAULT)
    return find_dialect(DEFAULT)


def spoken_in(source: Source, dialect: str | Dialect | None) -> Dialect:
    """The dialect that is asked for, else the one that the text is recognised as.

    Raises:
        ValueError: for a name that no dialect has.
    """
    return recognised(source) if dialect is None else find_dialect(dialect)
