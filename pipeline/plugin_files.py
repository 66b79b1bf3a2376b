"""The files of plugins that a run used, for what keeps track of what results are made from."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from types import ModuleType

from .plugins import Search


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
