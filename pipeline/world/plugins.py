"""Plugins of installed packages, by entry points: how they are found, loaded and blamed.

A group is one kind of addition (`bpp.transforms`, `bpp.datasources`, ...), and an entry point's
name is what a blueprint writes to ask for it. Only the one that is asked for is imported; functions
are the exception, because one entry point may lead to many (`all_plugins`). A blueprint never names
code, only what the user has installed. Looking at the installed packages
takes as long as a small render: ask only for names that are neither built in nor registered.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...functions.record import Record

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Plugin(Record):
    """The object of an entry point; `origin` names it and its distribution for messages."""

    name: str
    value: Any
    origin: str


class Search(Record):
    """A look at the plugins of a group, or the use of one, with the file of its module."""

    group: str
    file: str | None = None


class PluginProblem(Record):
    """An entry point that cannot be used; `message` says which and why in one plain sentence."""

    name: str
    message: str


_SEARCHES: ContextVar[list[Search] | None] = ContextVar("searches", default=None)


@contextmanager
def watched_searches() -> Iterator[list[Search]]:
    """A list of all searches for plugins while it is open: a result depends on what they find."""
    searches: list[Search] = []
    token = _SEARCHES.set(searches)
    try:
        yield searches
    finally:
        _SEARCHES.reset(token)


def find_plugin(group: str, name: str) -> Plugin | PluginProblem | None:
    """The plugin of a name, what is wrong with it, or None when no package has one."""
    points = [point for point in _installed(group) if point.name == name]
    return _load(points) if points else None


def all_plugins(group: str) -> list[Plugin | PluginProblem]:
    """Everything in a group, each loaded by itself, in an order that hangs on names only."""
    return [_load([point]) for point in sorted(_installed(group), key=_origin)]


def plugin_names(group: str) -> list[str]:
    """The names of a group's entry points, sorted; nothing is imported."""
    return sorted({point.name for point in _installed(group)})


def installed_packages() -> list[str]:
    """The names of all installed packages with their versions; nothing of them is read."""
    from .files import listing

    return sorted(
        f"{folder}/{name}"
        for folder in sys.path
        for name in listing(folder)
        if name.endswith((".dist-info", ".egg-info"))
    )


def wrong_type(plugin: Plugin, wanted: str) -> PluginProblem:
    """The problem of a plugin that is something else than its group holds."""
    found = type(plugin.value).__name__
    return PluginProblem(plugin.name, f"{plugin.origin} is a `{found}`, not a `{wanted}`")


def _load(points: list[EntryPoint]) -> Plugin | PluginProblem:
    point = points[0]
    if len(points) > 1:
        owners = " and ".join(sorted(map(_origin, points)))
        return PluginProblem(point.name, f"{owners} have the same name; uninstall one of them")
    origin = _origin(point)
    try:
        plugin = Plugin(point.name, point.load(), origin)
        _note(point.group, getattr(sys.modules.get(point.module), "__file__", None))
        return plugin
    # a package that ends the process when it is imported must not end bpp either
    except (Exception, SystemExit) as error:
        from ...functions.breakage import breakage

        return PluginProblem(point.name, f"{origin} cannot be imported ({breakage(error)})")


def _origin(point: EntryPoint) -> str:
    owner = f"the package `{point.dist.name}`" if point.dist else "an installed package"
    return f"the entry point `{point.name} = {point.value}` of {owner}"


def _note(group: str, file: str | None = None) -> None:
    searches = _SEARCHES.get()
    if searches is not None:
        searches.append(Search(group, file))


def _installed(group: str) -> list[EntryPoint]:
    _note(group)
    return _scanned(group, tuple(sys.path))


@lru_cache(maxsize=64)
def _scanned(group: str, path: tuple[str, ...]) -> list[EntryPoint]:
    """The entry points of a group, each once however often its package is found.

    They are kept for the places that Python imports from, because every scan reads all packages; a
    package that is installed meanwhile is seen by the next process.
    """
    from importlib.metadata import entry_points

    found = {}
    for point in entry_points(group=group):
        owner = point.dist.name if point.dist else ""
        found[point.name, point.value, owner] = point
    return list(found.values())


def plugin_files(searches: Iterable[Search]) -> list[str]:
    """The files of the modules that entry points led to, and of those in the same packages.

    A package counts from its outermost folder with an `__init__.py`: what a plugin imports from
    its neighbours shapes results as much as its own module does. Sorted absolute paths.
    """
    led_to = {search.file for search in searches if search.file}
    owners = {
        _outermost(name)
        for name, module in list(sys.modules.items())
        if led_to and _file(module) in led_to
    }
    files = {
        file
        for name, module in list(sys.modules.items())
        if (file := _file(module)) and not owners.isdisjoint(_ways(name))
    }
    return sorted(files | led_to)


def _outermost(name: str) -> str:
    """The outermost package of a module that has a file of its own, or the module itself."""
    return next((way for way in _ways(name) if _file(sys.modules.get(way))), name)


def _ways(name: str) -> Iterator[str]:
    """A module's packages from the outside, and its own name: `a`, `a.b`, `a.b.c` for `a.b.c`."""
    end = name.find(".")
    while end >= 0:
        yield name[:end]
        end = name.find(".", end + 1)
    yield name


def _file(module: ModuleType | None) -> str | None:
    file = getattr(module, "__file__", None)
    return os.path.abspath(file) if isinstance(file, str) and os.path.isfile(file) else None
