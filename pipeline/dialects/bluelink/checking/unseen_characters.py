"""Lints: characters that nobody sees, at an end of a key that is written without quotes.

Only keys that may have any name come here; others are errors. Quotes say that it is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....engine.lints import Finding, Lint, Reading
from ....formats.characters import invisible, shown
from ....values.diagnostics import WARNING
from ....values.document import Document
from ....values.tree import AnyNode, Array, Map


def _find(document: Document, reading: Reading) -> Iterator[Finding]:
    text = document.source.text
    if text.isascii():
        return
    stack: list[AnyNode] = [document.root]
    while stack:
        node = stack.pop()
        if not isinstance(node, Map | Array):
            continue
        reading.context.meter.work(len(node.items))
        if isinstance(node, Array):
            stack += node.items
            continue
        stack += node.items.values()
        for key in node.items:
            for end, where in ((key[:1], "beginning"), (key[-1:], "end")):
                found = invisible(end)
                # a key in quotes does not begin at its place
                if found and text.startswith(key, node.places.get(key, len(text))):
                    yield Finding(
                        "unseen_character",
                        node.key_span(key),
                        f"the key `{shown(key)}` has {found[0]} at its {where}",
                        "remove it, or put the key in quotes if it is meant",
                    )


UNSEEN_CHARACTERS: Final = Lint({"unseen_character": WARNING}, _find)
