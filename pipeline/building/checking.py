"""Outputs on disk against what they should be, by path."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from ..answers.comparison import CHANGED, Difference, differences
from ..dialects.table import DEFAULT, find_dialect
from ..engine.input_files import read_data
from ..engine.materialisation import MASK
from ..values.diagnostics import Diagnostics
from ..values.settings import Limits
from ..world.files import DiskFiles, FileProblem
from .results import DIFFERS, UNCHANGED, TargetResult

HIDDEN = "(not shown)"


def compared(result: TargetResult, path: str, text: str) -> TargetResult:
    """The result of a check: how the file at a path differs from the text it should have."""
    limits = Limits()
    try:
        data = DiskFiles(limits=limits.evolve(max_input_bytes=1 << 30)).open_input(path)
    except FileProblem as problem:
        return result.evolve(status=DIFFERS, remark=_why_not(problem))
    if data == text.encode():
        return result.evolve(status=UNCHANGED)
    name = result.target.output
    limits = limits.evolve(max_input_bytes=1 << 30)
    found = Diagnostics()
    old, _ = read_data(name, data, limits, found)
    if found.errors:
        return result.evolve(status=DIFFERS, remark="the file cannot be read as a blueprint")
    new, _ = read_data(_named_alike(name, result), text.encode(), limits, found)
    secrets = frozenset(_secrets(new))
    opener = find_dialect(DEFAULT).syntax.opener
    told = tuple(_discreet(item, secrets, opener) for item in differences(old, new))
    remark = "" if told else "the data is the same, but it is written differently"
    return result.evolve(status=DIFFERS, differences=told, remark=remark)


def _why_not(problem: FileProblem) -> str:
    if problem.code == "file_not_found":
        return "the file does not exist"
    return problem.message


def _named_alike(name: str, result: TargetResult) -> str:
    """A name by which the text is read in the format it was written in."""
    return f"{os.path.basename(name)}.{result.target.format}" if result.target.format else name


def _secrets(node: Any) -> Iterator[str]:
    """The names of what a document says is secret, in its children too."""
    if isinstance(node, dict):
        for name, child in node.items():
            if isinstance(child, dict) and child.get("secret") is True:
                yield name
            yield from _secrets(child)
    elif isinstance(node, list):
        for child in node:
            yield from _secrets(child)


def _discreet(item: Difference, secrets: frozenset[str], opener: str) -> Difference:
    """A difference without what was written in place of a secret, by hand or with `reveal`."""
    if item.kind != CHANGED or not isinstance(item.new, str):
        return item
    held = opener in item.new and any(name in item.new for name in secrets)
    if held or MASK in item.new:
        return Difference(item.path, item.kind, HIDDEN, item.new)
    return item
