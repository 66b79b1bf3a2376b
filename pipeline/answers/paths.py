"""Paths into an output, as the language writes them: `resources.api.spec["a.b"][0]`."""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from ...functions.record import Record
from ..values.diagnostics import Diagnostic
from ..values.source import Source, Span

Path: TypeAlias = tuple[str | int, ...]

SOURCE_NAME: Final = "<path>"

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
# Wider than what the language allows after a dot: keys such as `aws/sqs` need no quotes here.
_STEP: Final = re.compile(
    r"""\[(?P<index>[0-9]{1,9})\]|\["(?P<quoted>(?:[^"\\]|\\.)*)"\]|(?P<dot>\.?)(?P<name>[^.\[\]"]+)"""
)
_ESCAPE: Final = re.compile(r"\\(.)")


class PathProblem(ValueError):
    """A path that cannot be read or that leads nowhere; `diagnostic` points into its text."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.summary)
        self.diagnostic = diagnostic


class WrittenPath(Record):
    """A path and, for each of its items, where in the text it is written."""

    text: str
    items: Path
    places: tuple[tuple[int, int], ...]

    def span(self, item: int) -> Span:
        """The place of an item."""
        return Span(Source(SOURCE_NAME, self.text), *self.places[item])


def parse_path(text: str, opener: str = "") -> WrittenPath:
    """Names after dots, indexes and quoted names in brackets; or a JSON pointer (`/a/0`).

    `opener` is what begins a substitution, which a path is not.

    Raises:
        PathProblem: `invalid_output_path`.
    """
    if text.startswith("/"):
        return _pointer(text)
    if opener and text.startswith(opener):
        hint = "a path is written without delimiters; `bpp eval` computes expressions"
        raise _unreadable(text, 0, hint)
    items: list[str | int] = []
    places: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        name = match and match["name"]
        # a dot is what separates a name from what stands before it, and nothing else
        if match is None or (name and bool(match["dot"]) == (position == 0)):
            raise _unreadable(text, position)
        if match["index"]:
            items.append(int(match["index"]))
        else:
            items.append(name or _ESCAPE.sub(r"\1", match["quoted"]))
        places.append((match.start("name") if name else position, match.end()))
        position = match.end()
    if not items:
        raise _unreadable(text, 0)
    return WrittenPath(text, tuple(items), tuple(places))


def _pointer(text: str) -> WrittenPath:
    items: list[str | int] = []
    places: list[tuple[int, int]] = []
    position = 1
    for part in text[1:].split("/"):
        items.append(part.replace("~1", "/").replace("~0", "~"))
        places.append((position, position + len(part)))
        position += len(part) + 1
    return WrittenPath(text, tuple(items), tuple(places))


def _unreadable(
    text: str, position: int, hint: str = 'write it as in `resources.api.spec.ports[0]["a.b"]`'
) -> PathProblem:
    span = Span(Source(SOURCE_NAME, text), position, min(position + 1, len(text)))
    summary = "the path is empty" if not text else "this cannot be read as a path"
    return PathProblem(Diagnostic("invalid_output_path", summary, span, hint=hint))


def path_text(path: Path) -> str:
    """A path as the language writes it."""
    parts = []
    for item in path:
        if isinstance(item, int):
            parts.append(f"[{item}]")
        elif _PLAIN.fullmatch(item):
            parts.append(f".{item}")
        else:
            escaped = item.replace("\\", "\\\\").replace('"', '\\"')
            parts.append(f'["{escaped}"]')
    return "".join(parts).removeprefix(".")
