"""Files of plain data: YAML or JSON without substitutions, and the places of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..formats.detection import format_of, format_of_text, read_plain
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics
from ..values.source import Source, Span
from ..values.tree import AnyNode, Array, Map, Scalar
from .files import FileProblem, Files, decode_text


def read_data(
    name: str, data: bytes, meter: Meter, diagnostics: Diagnostics
) -> tuple[Any, AnyNode | None]:
    """The content as plain data, and its tree; mistakes are added to `diagnostics`."""
    try:
        text = decode_text(data, name)
    except FileProblem as problem:
        diagnostics.error(problem.code, problem.span, problem.message, problem.hint)
        return None, None
    source = Source(name, text, format_of(name) or format_of_text(text))
    root = read_plain(source, meter, diagnostics)
    return (plain(root), root) if root is not None else (None, None)


def read_map(
    name: str,
    files: Files,
    meter: Meter,
    diagnostics: Diagnostics,
    code: str,
    check: Callable[[dict[str, Any]], Iterable[tuple[tuple[str, ...], str]]],
) -> dict[str, Any] | None:
    """The map in a file that the user names, `-` for standard input; None where it is none.

    Mistakes are added to `diagnostics`: those in its form, which `check` gives by path, by `code`.

    Raises:
        FileProblem: when it cannot be read.
    """
    shown = "<stdin>" if name == "-" else name
    before = diagnostics.errors
    data = files.open_input("/dev/stdin" if name == "-" else name)
    content, root = read_data(shown, data, meter, diagnostics)
    if diagnostics.errors > before:
        return None
    if not isinstance(content, dict):
        diagnostics.error(code, place_of(root, ()), f"`{shown}` must be a map")
        return None
    for path, words in check(content):
        meter.work(1)
        diagnostics.error(code, place_of(root, path), words)
    return content


def plain(node: AnyNode) -> Any:
    """A tree without templates as plain data."""
    match node:
        case Map(items=items):
            return {key: plain(child) for key, child in items.items()}
        case Array(items=items):
            return [plain(child) for child in items]
        case Scalar(value=value):
            return value
    raise TypeError(f"plain data has no {type(node).__name__}")


def place_of(root: AnyNode | None, path: tuple[str | int, ...]) -> Span | None:
    """Where the deepest part of a path that exists is written."""
    node = root
    for item in path:
        child: AnyNode | None = None
        if isinstance(node, Map) and isinstance(item, str):
            child = node.get(item)
        elif isinstance(node, Array) and isinstance(item, int) and item < len(node.items):
            child = node.items[item]
        if child is None:
            break
        node = child
    return node.span if node is not None else None
