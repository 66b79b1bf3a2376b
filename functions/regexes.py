"""Regular expressions that a start finds compiled.

`re` compiles by Python code, which took a fifth of the time of a small render. A wheel holds a
table of what the compiler makes of the expressions that are known when a module is imported
(`tools/regex_table.py`, docs/adr/0028-compiled-expressions.md); without a table for this Python
they are compiled when they are made.
"""

from __future__ import annotations

import re
import sys
from typing import Any, AnyStr, Final, TypeAlias

Row: TypeAlias = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
"""The flags, the program as numbers of 32 bits, the number of groups, and their names."""


def _table() -> dict[tuple[str | bytes, int], Row]:
    try:
        from . import regex_table
    except ImportError:
        return {}
    return regex_table.TABLE if made_for() == regex_table.MADE_FOR else {}


def made_for() -> tuple[Any, ...]:
    """What the programs of a table depend on."""
    import _sre  # type: ignore[import-not-found]

    return sys.implementation.name, *sys.version_info[:2], _sre.MAGIC, sys.byteorder


_TABLE: Final = _table()


def compile_regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives; for a constant of a module that every run of something imports."""
    row = _TABLE.get((pattern, flags))
    if row is None:
        return re.compile(pattern, flags)
    import _sre

    own, program, groups, names, order = row
    code = memoryview(program).cast("I").tolist()
    ready: re.Pattern[AnyStr] = _sre.compile(pattern, own, code, groups, names, order)
    return ready
