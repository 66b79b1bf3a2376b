"""Writes a module with the compiled regular expressions of modules that are often imported.

    python tools/regex_table.py FILE

setup.py runs it while a wheel is built; a checkout has no table and compiles them when it starts
(docs/adr/0028-compiled-expressions.md). Exit status: 0, or 2 for wrong usage.
"""

from __future__ import annotations

import re
import sys
from array import array
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if __name__ == "__main__":  # bpp is not installed while its wheel is built
    sys.modules["bpp"] = ModuleType("bpp")
    sys.modules["bpp"].__path__ = [str(ROOT)]

from bpp.functions import regexes  # noqa: E402

_HEAD = '"""Compiled regular expressions, from tools/regex_table.py."""\n\n'
_FOLDERS = ("functions", "pipeline")
_MAKERS = re.compile(r"^from .* import .*\b(?:compile_regex|delimited)$", re.MULTILINE)


def expressions() -> list[tuple[str | bytes, int]]:
    """The expressions that are made when a module is imported, each with its flags."""
    found: dict[tuple[str | bytes, int], None] = {}
    plain = regexes.compile_regex

    def noted(pattern: str | bytes, flags: int = 0) -> re.Pattern[Any]:
        found[pattern, int(flags)] = None
        return plain(pattern, flags)

    regexes.compile_regex = noted  # type: ignore[assignment]
    try:
        for folder in _FOLDERS:
            for file in sorted((ROOT / folder).rglob("*.py")):
                if _MAKERS.search(file.read_text("utf-8")):
                    name = ".".join(("bpp", *file.relative_to(ROOT).with_suffix("").parts))
                    import_module(name)
    finally:
        regexes.compile_regex = plain
    return list(found)


def compiled(pattern: str | bytes, flags: int) -> regexes.Row:
    """What Python's compiler hands to its engine for an expression."""
    from re import _compiler

    engine = _compiler._sre
    _compiler._sre = SimpleNamespace(**{**vars(engine), "compile": lambda *given: given})
    try:
        given: Any = _compiler.compile(pattern, flags)
    finally:
        _compiler._sre = engine
    _, own, code, groups, names, order = given
    return int(own), array("I", code).tobytes(), groups, dict(names), tuple(order)


def module() -> str:
    """The table as the source of a module."""
    rows = [f"    {key!r}: {compiled(*key)!r},\n" for key in sorted(expressions(), key=repr)]
    return f"{_HEAD}MADE_FOR = {regexes.made_for()!r}\nTABLE = {{\n{''.join(rows)}}}\n"


def main(arguments: list[str]) -> int:
    """Writes the module to the file that is the one argument."""
    if len(arguments) != 1:
        print("usage: regex_table.py FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(module(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
