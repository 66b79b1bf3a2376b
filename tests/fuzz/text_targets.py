"""Readers of YAML, of JSON and of files, on any text at all."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any, Final

from bpp.pipeline import FileProblem, Language, Limits, MemoryFiles, Source, find_dialect
from bpp.pipeline.codes import CODES
from bpp.pipeline.formats import yaml_events
from bpp.pipeline.formats.detection import read
from bpp.pipeline.formats.scalars import MAX_INTEGER, MIN_INTEGER
from bpp.pipeline.formats.yaml_fast import read_lines
from bpp.pipeline.formats.yaml_reader import _composed
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.rendering import read_source
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.tree import AnyNode, Array, Map

from . import layouts, values
from .mutation import mutated, part, soup
from .seeds import JSON_TOKENS, YAML_TOKENS, json_seeds, yaml_seeds
from .verdict import broken, contents, examine, facts, printed

LIMITS: Final = Limits()
SYNTAX: Final = find_dialect("bluelink").syntax
_ENCODINGS: Final = (
    "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "latin-1",
    "cp1252", "utf-7", "shift_jis", "cp500",
)  # fmt: skip
_NAMES: Final = ("a.yaml", "a.yml", "a.json", "a.jsonc", "a", "a.blueprint")


def make_yaml(rng: Random) -> str:
    """Parts of blueprints, changed; tokens; lines of pieces; known data in any layout, changed."""
    kind = rng.randrange(8)
    if kind < 3:
        return mutated(rng, [part(rng, rng.choice(yaml_seeds()))], YAML_TOKENS)
    if kind < 5:
        return soup(rng, YAML_TOKENS)
    if kind == 5:
        return mutated(rng, yaml_seeds(), YAML_TOKENS)
    text = layouts.yaml_text(rng, [values.data(rng, 2)])
    return text if kind == 6 else mutated(rng, [text], YAML_TOKENS)


def make_json(rng: Random) -> str:
    """Parts of blueprints, changed; tokens; known data in any layout, changed."""
    kind = rng.randrange(8)
    if kind < 2:
        return mutated(rng, json_seeds(), JSON_TOKENS)
    if kind < 5:
        return soup(rng, JSON_TOKENS)
    text = layouts.json_text(rng, values.data(rng, 2), plain=rng.randrange(2) == 0)
    return mutated(rng, [text], JSON_TOKENS) if kind < 7 else text


def make_bytes(rng: Random) -> bytes:
    """A text in some encoding, cut and changed; or any bytes."""
    if not rng.randrange(6):
        return rng.randbytes(rng.randrange(40))
    text = make_yaml(rng) if rng.randrange(2) else make_json(rng)
    if rng.randrange(3):
        data = text.encode("utf-8", "surrogatepass")
    else:
        data = text.encode(rng.choice(_ENCODINGS), "replace" if rng.randrange(2) else "ignore")
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.randbytes(rng.randrange(3)) + data[at + rng.randrange(3) :]
    return data


def loaded(text: str, form: str) -> tuple[AnyNode | None, Diagnostics, Language]:
    """What the reader of a format makes of a text, with answers that are held against `examine`."""
    diagnostics = Diagnostics()
    language = Language(SYNTAX, LIMITS)
    source = Source(f"main.{form}", text, form)
    root = read(source, language.split, language.opener, Meter(LIMITS), diagnostics)
    if root is None and not diagnostics.errors:
        broken("neither a tree nor an error")
    examine(diagnostics)
    printed(diagnostics)
    return root, diagnostics, language


def hold_yaml(text: str) -> None:
    """An answer, the same one from the reader of lines and from a parser's events."""
    root, diagnostics, language = loaded(text, "yaml")
    source = Source("main.yaml", text, "yaml")
    by_lines = read_lines(source, language.split, language.opener, Meter(LIMITS))
    if by_lines is None or (root is None and diagnostics.errors):
        return  # not for the reader of lines, or refused before it is asked
    told = Diagnostics()
    by_events = _composed(source, language.split, language.opener, Meter(LIMITS), told)
    if by_events is None:
        broken("read line by line, refused by the parser", *map(str, told))
    examine(told)
    if len(told) or facts(by_lines) != facts(by_events):
        broken("read differently line by line", contents(by_lines), contents(by_events))


def hold_parsers(text: str) -> None:
    """What both parsers for YAML take, both read alike; the pure one raises nothing of its own."""
    root, told, _ = loaded(text, "yaml")
    kept = yaml_events.CParser
    if kept is None:
        return
    yaml_events.CParser = None
    try:
        pure, told_by_pure, _ = loaded(text, "yaml")
    finally:
        yaml_events.CParser = kept
    if not isinstance(root, Map | Array) or pure is None or told.errors or told_by_pure.errors:
        return  # blocks that are the whole text begin at no certain column
    if contents(root) != contents(pure):
        broken("the parsers differ", contents(root), contents(pure))


_EXTRAS: Final = re.compile(r"/[/*]|,\s*[\]}]")
_HALF: Final = re.compile("[\ud800-\udfff]")


def hold_json(text: str) -> None:
    """An answer, and the one that Python's reader gives, where that is as strict as ours."""
    root, diagnostics, _ = loaded(text, "json")
    try:
        expected = _strict(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as problem:
        if root is not None and not diagnostics.errors and not _EXTRAS.search(text):
            broken("read, but it is no JSON", str(problem))
        return
    except _Foreign:
        return
    if _HALF.search(json.dumps(expected, ensure_ascii=False)):
        return
    if root is None and {item.code for item in diagnostics} == {"limit_exceeded"}:
        return
    if root is None:
        broken("JSON that is not read", [item.summary for item in diagnostics])
    found = contents(root)
    if "${" not in text and "\\u0024" not in text and not values.same(found, expected):
        broken("JSON read differently", found, expected)


class _Foreign(Exception):
    """JSON that is none to us: twice the same key, numbers out of range, halves of characters."""


def _strict(text: str) -> Any:
    return json.loads(
        text,
        parse_constant=_refuse,
        parse_int=_integer,
        parse_float=_float,
        object_pairs_hook=_unique,
    )


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _integer(digits: str) -> int:
    if len(digits) > 25 or not MIN_INTEGER <= int(digits) <= MAX_INTEGER:
        raise _Foreign
    return int(digits)


def _float(digits: str) -> float:
    if float(digits) in (float("inf"), float("-inf")):
        raise _Foreign
    return float(digits)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _Foreign
    return dict(pairs)


def hold_bytes(data: bytes) -> None:
    """A file of any bytes is read, or refused with a known code and a place."""
    for name in _NAMES[len(data) % 3 :: 3]:
        try:
            source = read_source(name, MemoryFiles({name: data}))
        except FileProblem as problem:
            if problem.code not in CODES:
                broken("the code has no record", problem.code)
            if problem.span is None:
                broken("a file problem without a place", problem.code)
            continue
        if _HALF.search(source.text):
            broken("half of a character passes the door")
        loaded(source.text, source.format)
