"""Scalars as Kubernetes reads them: YAML 1.1, where it differs from what YAML 1.2 makes of them."""

from __future__ import annotations

import re
from operator import is_
from typing import Final

from ....functions.regexes import compile_regex
from ...engine.run import Context
from ...formats.scalars import template
from ...values.source import Source, Span
from ...values.tree import AnyNode, Array, Map, Scalar, Template

_TRUE: Final = ("y", "yes", "on")
_FALSE: Final = ("n", "no", "off")
WORDS: Final = {
    form: value
    for words, value in ((_TRUE, True), (_FALSE, False))
    for word in words
    for form in (word, word.capitalize(), word.upper())
}
"""Words that are booleans in YAML 1.1 alone, in the usual three cases."""

# looked for in a whole text, so that few are looked through
_ODD: Final = compile_regex(
    rf"(?<![^\s,\[{{])(?:{'|'.join(WORDS)}|[-+]?0[0-9xXbBoO_]\w*+|[-+]?[0-9]++_[\w.+-]*+)(?![^\s,\]}}:])"
)
_LONGEST: Final = 99
"""Characters of a scalar that YAML 1.1 may read as something else than YAML 1.2."""

_INTEGER: Final = r"([-+]?)0(?:([xXbBoO])([0-9a-fA-F]+)|([0-7]+))"
_DECIMAL: Final = r"[-+]?[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?"
_BASES: Final = {"x": 16, "b": 2, "o": 8}
_PROPERTIES: Final = r"(?:[&!]\S*[ \t]+)*"


def older(text: str) -> str | int | float | bool:
    """The value of a plain scalar in YAML 1.1; the text itself where YAML 1.2 has the same."""
    word = WORDS.get(text)
    if word is not None:
        return word
    plain = text[:1] + text[1:].replace("_", "")
    found = re.fullmatch(_INTEGER, plain)
    try:
        if found is not None:
            sign, letter, digits, octal = found.groups()
            return int(sign + (digits or octal), _BASES[letter.lower()] if letter else 8)
        if "_" in text[1:] and (found := re.fullmatch(_DECIMAL, plain)):
            return float(plain) if found[1] or found[2] else int(plain)
    except ValueError:  # such as 0b12, which is a string
        pass
    return text


def written(node: Scalar) -> str:
    """A scalar as it is written, with its quotes but without an anchor."""
    text = node.trail.source.text[node.start : node.end]
    found = re.match(_PROPERTIES, text) if text[:1] in ("&", "!") else None
    return text[found.end() :] if found else text


class Cutter:
    """Makes of nodes as they are read those of a manifest: scalars of YAML 1.1, and templates.

    An anchored node is made once, however many aliases stand for it.
    """

    def __init__(self, source: Source, context: Context) -> None:
        self._split = context.language.split
        self._opener = context.language.opener
        self._diagnostics = context.diagnostics
        self._work = context.meter.work
        self._odd = source.format != "json" and _ODD.search(source.text) is not None
        self._cuts = self._opener in source.text
        self._made: dict[tuple[int, bool], AnyNode] = {}

    def node(self, node: AnyNode, cut: bool) -> AnyNode:
        """The node of a manifest; with `cut`, strings may hold expressions."""
        cut = cut and self._cuts
        if not cut and not self._odd:
            return node
        if isinstance(node, Scalar):
            return self._scalar(node, cut)
        if isinstance(node, Template):
            return node
        known = self._made.get((id(node), cut))
        if known is None:
            self._work(len(node.items))
            known = self._made[id(node), cut] = self._inside(node, cut)
        return known

    def _inside(self, node: Map | Array, cut: bool) -> AnyNode:
        if isinstance(node, Array):
            listed = [self.node(child, cut) for child in node.items]
            if all(map(is_, listed, node.items)):
                return node
            return Array(listed, node.trail, node.start, node.end)
        items = {key: self.node(child, cut) for key, child in node.items.items()}
        if self._odd and not items.keys().isdisjoint(WORDS):
            return self._with_keys(node, items)
        return node.holding(items)

    def _with_keys(self, node: Map, items: dict[str, AnyNode]) -> Map:
        """The map with keys such as `on`, which are booleans and so become `true` and `false`."""
        made, places = {}, dict(node.places)
        for key, child in items.items():
            span = node.key_span(key)
            if key in WORDS and span.source.text[span.start : span.end] == key:
                self._warn(span, key, WORDS[key])
                key = str(WORDS[key]).lower()
                places[key] = span.start
            made[key] = child
        return Map(made, places, node.trail, node.start, node.end)

    def _scalar(self, node: Scalar, cut: bool) -> AnyNode:
        value = node.value
        if cut and type(value) is str and self._opener in value:
            return template(value, self._split, node.trail, node.start, node.end, self._diagnostics)
        if not self._odd or type(value) not in (str, int) or node.end - node.start > _LONGEST:
            return node
        text = written(node)
        found = older(text)
        if found is text or (found == value and type(found) is type(value)):
            return node
        self._warn(node.span, text, found)
        return Scalar(found, node.trail, node.start, node.end)

    def _warn(self, place: Span, text: str, found: object) -> None:
        said = str(found).lower()
        self._diagnostics.warn(
            "yaml_1_1_scalar",
            place,
            f"Kubernetes reads `{text}` as {said}",
            f"write `{said}`, or put quotes around it for a string",
        )
