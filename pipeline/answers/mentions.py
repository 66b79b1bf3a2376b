"""Names: where a document and those that belong to it define and use them, and how each is written.

A dialect lists its names (`Inspection.mentions`); editors find definitions and references by them,
and change them everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final, TypeAlias

from ...functions.record import Record, field
from ..engine.references import find_references
from ..engine.run import Context, Pipeline
from ..formats.remedies import Edit, requoted
from ..language.language import Language
from ..values.diagnostics import Diagnostics
from ..values.document import Document
from ..values.expression import Reference
from ..values.positions import span_in_scalar
from ..values.source import Source, Span
from ..values.tree import Map, Scalar, Template
from .tracing import element_of

Write: TypeAlias = Callable[[str], "Edit | None"]
"""The edit that writes another name; None where it cannot be written."""

_STEP: Final = re.compile(
    r"""\s*+(?:(?:\?\.|\.)?\[\s*+(?P<inside>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\]]*?)\s*+\]"""
    r"""|(?:\?\.|\.)?\s*+(?P<word>[^\s.\[\]?(){},|"']+))"""
)
_UNQUOTED: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\Z")
_OTHERS: Final = re.compile(r"(?:true|false|null|yes|no|on|off|y|n|~|[-+.\d][\d._xoe+-]*)\Z", re.I)
"""What is no string in YAML when it has no quotes."""


class Thing(Record):
    """What has a name: `scope` is where the name counts, such as a file, `kind` what it is."""

    scope: str
    kind: str
    name: str


class Mention(Record, eq=False):
    """A name at a place: it `defines` the thing, or uses it; `write` makes it another name there.

    `whole` is all of a definition, for editors that show it.
    """

    span: Span
    thing: Thing
    defines: bool = False
    write: Write | None = field(default=None, repr=False)
    whole: Span | None = field(default=None, repr=False)

    def renamed(self, name: str) -> Edit | None:
        """The edit that writes another name here."""
        if self.write is not None:
            return self.write(name)
        return written_in_text(self.span, self.thing.name, name)


def mentions_in_tree(document: Document, context: Context) -> Iterator[Mention]:
    """The names in a document that is not read yet, for dialects that list none.

    They are those of its elements: the entries of the maps at the top, and other top-level keys.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    told = Diagnostics(context.limits.max_diagnostics, context.quoting)
    first = Pipeline(context.pipeline.stages[:1])
    root = first.last(document, context.evolve(diagnostics=told)).root
    file = file_of(document.source)
    for key, node in root.items.items():
        if isinstance(node, Map):
            for name in node.items:
                yield key_defines(node, name, Thing(file, key, name))
        else:
            yield key_defines(root, key, Thing(file, "element", key))
    for found in find_references(root, context.language):
        context.meter.work(4)
        reference, path = found.reference, element_of(root, found.reference)
        if path is not None and isinstance(found.node, Template):
            item = 0 if len(path) > 1 and reference.root == path[0] else -1
            kind = str(path[0]) if len(path) > 1 else "element"
            thing = Thing(file, kind, str(path[-1]))
            mention = item_mention(context.language, found.node, reference, item, thing)
            if mention is not None:
                yield mention


def file_of(source: Source) -> str:
    """The scope of the names of a file."""
    return source.path or source.name


def written_in_text(span: Span, old: str, new: str) -> Edit | None:
    """A key or a scalar with another name, in the quotes that it has."""
    shown = span.source.text[span.start : span.end]
    inside = requoted(shown, old, new)
    if inside is not None:
        return Edit(span, inside)
    if shown != old or not span.exact:
        return None
    if not _UNQUOTED.match(new) or _OTHERS.match(new):
        import json

        return Edit(span, json.dumps(new, ensure_ascii=False))
    return Edit(span, new)


def key_defines(node: Map, key: str, thing: Thing) -> Mention:
    """The definition of a thing by a key of a map."""
    child = node.items[key]
    span = node.key_span(key)
    whole = span.source.span(span.start, max(span.end, child.end))
    return Mention(span, thing, True, whole=whole)


def text_mentions(node: object, thing: Thing, whole: Span | None = None) -> Iterator[Mention]:
    """The name that a string is; it defines the thing when all of its definition is given."""
    if isinstance(node, Scalar) and node.value == thing.name:
        yield Mention(node.span, thing, whole is not None, whole=whole)


def part_mention(node: Scalar, start: int, thing: Thing) -> Iterator[Mention]:
    """The name that stands in a string from an offset on."""
    text = str(node.value)
    source = node.trail.source
    end = start + len(thing.name)
    span = span_in_scalar(source, node.start, node.end, text, start, end)
    if span.exact and text[start:end] == thing.name:
        yield Mention(span, thing, write=partial(_part, span))


def _part(span: Span, name: str) -> Edit | None:
    return Edit(span, name) if _UNQUOTED.match(name) else None


def item_mention(
    language: Language,
    node: Template,
    reference: Reference,
    item: int,
    thing: Thing,
    part: tuple[int, int] | None = None,
) -> Mention | None:
    """The use of a thing by an item of a reference in a template; -1 is the root.

    `part` is the range of the name in the item, where it is not all of it.
    """
    text = node.text
    if text is None:
        return None
    found = _item(text, reference, item + (0 if reference.bare else 1))
    if found is None:
        return None
    start, end, word = found
    if part is not None:
        quote = 0 if word else 1
        start, end = start + quote + part[0], start + quote + part[1]
    span = language.place(node, start, end)
    if not span.exact:
        return None
    mark = span.source.text[node.start : node.start + 1]

    def write(name: str) -> Edit | None:
        if part is not None or not word:
            shown = text[start:end]
            if part is not None:
                return _part(span, name)
            inside = requoted(shown, thing.name, name)
            return Edit(span, _escaped(inside, mark)) if inside is not None else None
        if language.syntax.show(_alone(reference, name)).removeprefix("x.") == name:
            return Edit(span, name)
        path = list(reference.path[: item + 1])
        root = reference.root
        if item >= 0:
            path[item] = name
        elif not reference.bare:
            return None
        shown = language.syntax.show(Reference(root, tuple(path), reference.bare))
        place = language.place(node, reference.start, end)
        return Edit(place, _escaped(shown, mark))

    return Mention(span, thing, write=write)


def literal_mention(
    language: Language, node: Template, start: int, end: int, thing: Thing
) -> Mention | None:
    """The use of a thing by a string in an expression, which has quotes around it."""
    text = node.text
    if text is None or text[start + 1 : end - 1] != thing.name:
        return None
    span = language.place(node, start + 1, end - 1)
    return Mention(span, thing, write=partial(_part, span)) if span.exact else None


def _alone(reference: Reference, name: str) -> Reference:
    """A reference that shows whether a name can be written in it as a word."""
    return Reference("resources", (name,), True) if reference.bare else Reference("x", (name,))


def _escaped(text: str, mark: str) -> str:
    """A part of the text of a scalar, as it is written in the scalar's quotes."""
    if mark == '"':
        return text.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("'", "''") if mark == "'" else text


def _item(text: str, reference: Reference, number: int) -> tuple[int, int, bool] | None:
    """Where the root (0) or an item of a reference is written, and whether as a plain word.

    None unless what is written there is known to be the reference.
    """
    position = reference.start
    names = [*([] if reference.bare else [reference.root]), *reference.path]
    for at, name in enumerate(names[: number + 1]):
        match = _STEP.match(text, position, reference.end)
        if match is None:
            return None
        word = match["word"] is not None
        shown = match["word" if word else "inside"]
        if isinstance(name, str) and shown != name and (word or shown[1:-1] != name):
            return None
        if at == number:
            return (*match.span("word" if word else "inside"), word)
        position = match.end()
    return None
