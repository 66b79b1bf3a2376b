"""Writes a module with the patterns of common expressions and the trees that the parser gives.

    python tools/pattern_table.py FILE

setup.py runs it while a wheel is built; a checkout has no table and parses every expression
(docs/adr/0019-patterns-of-expressions.md). Exit status: 0, or 2 for wrong usage.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

if __name__ == "__main__":  # bpp is not installed while its wheel is built
    sys.modules["bpp"] = ModuleType("bpp")
    sys.modules["bpp"].__path__ = [str(Path(__file__).resolve().parent.parent)]

from bpp.functions.values import NONE
from bpp.pipeline.dialects.bluelink.grammar import parse
from bpp.pipeline.language.patterns import Form
from bpp.pipeline.values.expression import Access, Call, Expression, Hole, Literal, Reference

_HEAD = '"""Patterns of common expressions and their trees, from tools/pattern_table.py."""\n\n'

TEXT = '"\0"'
FACETS = ("_", "_._", "_._._", "_[9]._", "_[9]._._", "_._[9]", "_._._[9]", '_["_"]', '_._["_"]')
REFERENCES = (
    "variables._",
    "values._",
    *(f"values.{facet}" for facet in FACETS[1:]),
    *(f"values._[{index}]" for index in ("9", '"_"')),
    *(f"children._._{rest}" for rest in ("", "._", "[9]", "[9]._", '["_"]')),
    *(f"datasources._._{rest}" for rest in ("", "[9]")),
    *(f"resources.{facet}" for facet in (*FACETS, "_._._._", "_[9]._._._", "_._._._._")),
    *FACETS[:5],
    "_._._._",
    "elem",
    *(f"elem{rest}" for rest in ("._", "._._", "[9]", "._[9]", '["_"]')),
    "i",
)
ATOMS = (*REFERENCES, TEXT, "9", "true", "false", "none")
USUAL = (
    "variables._",
    "values._",
    "values._._",
    "resources._._._",
    "_._._",
    "children._._",
    "datasources._._",
    "elem",
    "elem._",
    "i",
    TEXT,
    "9",
)
GIVEN = ("variables._", "values._", "elem", "elem._", TEXT)
TESTED = tuple(
    f"_({a},{b})" for a, b in product(("variables._", "values._", "elem._"), (TEXT, "9", "true"))
)
SEVERAL = 8


def patterns() -> Iterator[str]:
    """The patterns: references, calls of them, lists, joined lists, choices."""
    yield from ATOMS
    yield "_._._._._"
    yield "_._._._._._"
    yield "_()"
    yield from (f"_({a})" for a in ATOMS)
    yield from (
        f"_({a}){rest}" for a in ("values._", "variables._", "elem", TEXT) for rest in ("._", "[9]")
    )
    yield from (
        f"_({a},{b})" for a, b in product(REFERENCES, (TEXT, "9", "variables._", "values._", "i"))
    )
    yield from (f"_({a},{b})" for a, b in product(USUAL, USUAL))
    yield from (f"_({a},{b},{c})" for a, b, c in product(USUAL, (TEXT, "9", "variables._"), USUAL))
    for a in GIVEN:  # a call in a call
        yield f"_(_({a}))"
        yield f"_(_({a}),{TEXT})"
        yield f"_(_({a}),{TEXT},{TEXT})"
        yield f"_(_(_({a})))"
    for a, b in product(GIVEN, (*GIVEN, "9")):
        yield f"_(_({a},{b}))"
        yield f"_(_({a},{b}),9)"
        yield f"_(_({a},{b},{TEXT}))"
        yield f"_({a},_({b}))"
        yield f"_(_(_({a},{b})))"
        yield from (f"_(_({a},{b}),{c})" for c in (*GIVEN, "_", "i"))
        yield from (f"_({a},_({b},{c}))" for c in (*GIVEN, "9"))
    for count in (1, 2, 3):  # `join(list(..), "-")` and its like
        some = (*GIVEN, "resources._._._") if count < 3 else ("variables._", "values._", TEXT)
        for items in product(some, repeat=count):
            yield f"_([{','.join(items)}],{TEXT})"
            yield f"_(_({','.join(items)}),{TEXT})"
    for count in range(SEVERAL + 1):
        for a in (TEXT, "9", "variables._"):
            yield f"[{','.join([a] * count)}]"
            yield f"_({','.join([a] * count)})"
            yield f"_({','.join([f'_={a}'] * count)})"
    for first, second in product((TEXT, "9", "variables._", "values._", "true"), repeat=2):
        yield from (
            f"_({test},{first},{second})" for test in (*TESTED, "variables._", "_(variables._)")
        )
        yield f"_(_={first},_={second})"
    for test in TESTED:  # conditions
        yield f"_({test})"
        yield f"_({test},variables._)"
        yield from (f"_({test},{other})" for other in TESTED)
        yield f"_({test},{test},{test})"
    for function in ("_", "_(_)", f"_({TEXT})", "_(9)", f"_(_,{TEXT})"):  # functions of elements
        yield from (f"_({a},{function})" for a in GIVEN)


def written(pattern: str) -> str:
    """An expression of a pattern, all of whose names and numbers differ."""
    count = iter(range(1, 1000))
    return re.sub(r"\b(?:_|9)\b", lambda m: f"{'n' if m[0] == '_' else ''}{next(count)}", pattern)


def form(node: Expression, order: dict[Any, int]) -> Form:
    """A tree as `language/patterns.py` reads it, by the order of its names and numbers."""
    match node:
        case Literal(value=value) if value is NONE:
            return "none"
        case Literal(value=bool(value)):
            return str(value).lower()
        case Literal(value=int(value)):
            return (order[value],)
        case Hole(index=index):
            return index
        case Reference(root=root, path=path, bare=bare):
            return ("" if bare else root, *_path(path, order))
        case Access(target=target, path=path):
            return ("[]", form(target, order), *_path(path, order))
        case Call(function=function, arguments=arguments):
            given = [(form(argument.value, order), argument.name) for argument in arguments]
            marked = [value if name is None else ("=", order[name], value) for value, name in given]
            return ("()", order.get(function, function), *marked)
    raise TypeError(f"no pattern has a {type(node).__name__}")


def _path(path: tuple[str | int, ...], order: dict[Any, int]) -> tuple[Any, ...]:
    return tuple((order[item],) if isinstance(item, int) else order[item] for item in path)


def table() -> dict[str, Form]:
    """Each pattern with its form."""
    found = {}
    for pattern in dict.fromkeys(patterns()):
        text = written(pattern)
        names = re.findall(r"\bn[0-9]+\b", text)
        numbers = [int(number) for number in re.findall(r"(?<![0-9n])[0-9]+", text)]
        order: dict[Any, int] = {name: number for number, name in enumerate(names)}
        order |= {value: number for number, value in enumerate(numbers)}
        found[pattern] = form(parse(text, shape=True), order)
    return found


def module() -> str:
    """The table as the source of a module."""
    lines = [f"    {pattern!r}: {form!r},\n" for pattern, form in sorted(table().items())]
    return f"{_HEAD}TABLE = {{\n{''.join(lines)}}}\n"


def main(arguments: list[str]) -> int:
    """Writes the module to the file that is the one argument."""
    if len(arguments) != 1:
        print("usage: pattern_table.py FILE", file=sys.stderr)
        return 2
    Path(arguments[0]).write_text(module(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
