"""What an answer to any input may be: a result, or diagnostics that help; nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NoReturn

from bpp.pipeline.codes import CODES
from bpp.pipeline.formats.report import render_github, render_text
from bpp.pipeline.values.diagnostics import ERROR, NOTE, WARNING, Diagnostic, Diagnostics
from bpp.pipeline.values.source import Span
from bpp.pipeline.values.tree import AnyNode, Array, Map, Template

STEERING: Final = re.compile(
    "[\0-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What no printed text may hold: characters that move a terminal's cursor or turn its text."""

# a sentence begins in lower case, unless with a name or with what is always written large
_START: Final = re.compile(r"[a-z0-9`\"'$]|[A-Z]{2,}")


class Broken(Exception):
    """A law that an input breaks; the message says which."""


def broken(law: str, *facts: object) -> NoReturn:
    """Raises Broken, with what was found."""
    raise Broken(
        ": ".join([law, *(shown if len(shown := repr(f)) < 500 else shown[:500] for f in facts)])
    )


def examine(found: Iterable[Diagnostic], placeless: frozenset[str] = frozenset()) -> None:
    """Holds diagnostics against what each has to have: a known code, a place, a sentence.

    `placeless` are the codes that may come without a place.

    Raises:
        Broken: for the first that lacks something.
    """
    for item in found:
        if item.code not in CODES:
            broken("the code has no record", item.code)
        if item.severity not in (ERROR, WARNING, NOTE):
            broken("the severity is none", item.severity)
        if not _START.match(item.summary) or item.summary.endswith((".", " ", "\n")):
            broken("the summary is no sentence", item.code, item.summary)
        if item.hint is not None and not item.hint.strip():
            broken("the hint is empty", item.code)
        if item.span is None and item.code not in placeless:
            broken("a diagnostic without a place", item.code, item.summary)
        for span in (item.span, *(note.span for note in item.notes)):
            if span is not None:
                _inside(span, item)


def _inside(span: Span, item: Diagnostic) -> None:
    if not 0 <= span.start <= span.end <= len(span.source.text):
        broken(
            "a place outside of the text", item.code, span.start, span.end, len(span.source.text)
        )


def printed(diagnostics: Diagnostics) -> None:
    """Prints diagnostics as people and logs see them.

    Raises:
        Broken: when the text could steer what shows it, or one command is two lines.
    """
    if not len(diagnostics):
        return
    for text in (render_text(diagnostics, False), render_github(diagnostics, "main.yaml")):
        steering = STEERING.search(text)
        if steering:
            broken(
                "a control character is printed",
                text[max(0, steering.start() - 60) : steering.end() + 9],
            )


def facts(node: AnyNode) -> Any:
    """All that there is to know of a node, places included, to compare two of them."""
    place = (node.trail.steps, node.start, node.end)
    if isinstance(node, Map):
        items = [(key, facts(child)) for key, child in node.items.items()]
        return ("map", *place, items, dict(node.places))
    if isinstance(node, Array):
        return ("array", *place, [facts(child) for child in node.items])
    if isinstance(node, Template):
        return ("template", *place, node.text, repr(node.segments))
    return ("scalar", *place, node.value.__class__.__name__, node.value)


def contents(node: AnyNode) -> Any:
    """What a tree says, without places: data, with templates as tuples."""
    if isinstance(node, Map):
        return {key: contents(child) for key, child in node.items.items()}
    if isinstance(node, Array):
        return [contents(child) for child in node.items]
    if isinstance(node, Template):
        return ("template", repr(node.segments))
    return node.value
