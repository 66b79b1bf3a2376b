"""The names of a blueprint: imports, exports, what subinstallations hand on, deploy items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from ....answers.mentions import Mention, Thing, file_of, part_mention, text_mentions
from ....engine.run import Context
from ....formats.remedies import Edit, requoted
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.expression import Reference, walk
from ....values.source import Span
from ....values.tree import Map, Scalar
from ...gotemplate import nodes as go
from ...gotemplate.mentions import names_in
from ..checking import Checked, GoText, SpiffText, read_checked
from ..options import DEPLOY, EXPORT

_TARGET: Final = re.compile(r"\bimport:[ ]*[\"']?([\w.-]+)")
_ITEM: Final = re.compile(r"^([ ]*)- name:[ ]*[\"']?([\w.-]+)[\"']?[ ]*$", re.MULTILINE)
_KEY: Final = re.compile(r"^[ ]+[\"']?([\w.-]+)[\"']?[ ]*:(?=[ \n]|\Z)", re.MULTILINE)
_ROOTS: Final = {"imports": "import", "deployitems": "deploy item"}
_PLAIN: Final = re.compile(r"[A-Za-z_]\w*\Z")


def mentions(document: Document, context: Context) -> Iterator[Mention]:
    """The names in a blueprint that is not read yet.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    quiet = context.evolve(
        diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting), checks=True
    )
    checked = read_checked(document, quiet)
    if checked is not None:
        yield from _Names(checked, quiet).all()


class _Names:
    """The names of one blueprint; its file is their scope."""

    def __init__(self, checked: Checked, context: Context) -> None:
        self.checked = checked
        self.context = context
        self.file = file_of(checked.work.blueprint.source)
        blueprint = checked.work.blueprint
        self.imports = {one.name for one in blueprint.all_imports()}
        self.exports = {one.name for one in blueprint.exports}

    def all(self) -> Iterator[Mention]:
        """Declarations, links, then what templates say."""
        blueprint = self.checked.work.blueprint
        for kind, listed in (("import", blueprint.all_imports()), ("export", blueprint.exports)):
            for one in listed:
                thing = Thing(self.file, kind, one.name)
                yield from text_mentions(one.node.get("name"), thing, one.node.span)
        for sub in self.checked.subinstallations:
            for links, made in ((sub.imports, False), (sub.exports, True)):
                for link in links:
                    yield from self._link(link.ref, link.node, made)
        for text in self.checked.go:
            yield from names_in(text.program, self.context)
            yield from self._go(text)
        for template in self.checked.spiff:
            yield from self._spiff(template)

    def _outside(self, name: str, made: bool) -> Thing:
        """What a subinstallation calls by a name of the blueprint around it."""
        if made and name in self.exports:
            return Thing(self.file, "export", name)
        if not made and name in self.imports:
            return Thing(self.file, "import", name)
        return Thing(self.file, "data object", name)

    def _link(self, name: str, node: object, made: bool) -> Iterator[Mention]:
        thing = self._outside(name, made)
        defines = made and thing.kind == "data object"
        if isinstance(node, Scalar) and str(node.value).startswith(f"{name}["):
            yield from part_mention(node, 0, thing)
        else:
            whole = node.span if defines and isinstance(node, Scalar) else None
            yield from text_mentions(node, thing, whole)

    def _go(self, text: GoText) -> Iterator[Mention]:
        keys: dict[go.Tree, list[go.Literal]] = {}
        for node in text.trees():
            self.context.meter.work(2)
            if isinstance(node, go.Command) and len(node.operands) > 2:
                called, of, *rest = node.operands
                if isinstance(called, go.Called) and called.name in ("index", "get"):
                    written = [one for one in rest if isinstance(one, go.Literal)]
                    keys[of] = written if len(written) == len(rest) else []
            elif isinstance(node, go.Text):
                yield from self._constant(text, node)
        for node, paths in text.origins().items():
            for path in paths:
                yield from self._path(text, node, path, keys.get(node, []))

    def _path(
        self, text: GoText, node: go.Tree, path: tuple[str, ...], keys: list[go.Literal]
    ) -> Iterator[Mention]:
        """The name in a path such as `imports`, `replicas`, where a node says it."""
        at = 2 if path[:1] == ("values",) else 1
        kind = _ROOTS.get(path[at - 1]) if len(path) > at else None
        if kind is None:
            return
        names = node.names if isinstance(node, go.Fields) else ()
        item = at - (len(path) - len(names) - len(keys))
        source = text.program.text
        thing = Thing(self.file, kind, path[at])
        if 0 <= item < len(names) and isinstance(node, go.Fields):
            start = node.places[item] + 1
            span = source.span(start, start + len(thing.name))
            if span.source.text[span.start : span.end] == thing.name:
                yield Mention(span, thing, write=partial(_field, span))
        elif len(names) <= item < len(names) + len(keys):
            key = keys[item - len(names)]
            span = source.span(key.start, key.end)
            yield Mention(span, thing, write=partial(_literal, span, thing.name))

    def _constant(self, text: GoText, node: go.Text) -> Iterator[Mention]:
        """The names in the text between the actions of a template."""
        for match in _TARGET.finditer(node.text):
            if match[1] in self.imports:
                yield from self._in_text(text, node, match.span(1), "import")
        if text.execution.phase == DEPLOY:
            named = [*_ITEM.finditer(node.text)]
            least = min((len(one[1]) for one in named), default=0)
            for one in named:
                if len(one[1]) == least:
                    yield from self._in_text(text, node, one.span(2), "deploy item", True)
        elif text.execution.phase == EXPORT:
            for match in _KEY.finditer(node.text):
                if match[1] in self.exports:
                    yield from self._in_text(text, node, match.span(1), "export")

    def _in_text(
        self, text: GoText, node: go.Text, place: tuple[int, int], kind: str, defines: bool = False
    ) -> Iterator[Mention]:
        name = node.text[slice(*place)]
        span = text.program.text.span(node.start + place[0], node.start + place[1])
        if span.exact and span.source.text[span.start : span.end] == name:
            thing = Thing(self.file, kind, name)
            whole = span if defines else None
            yield Mention(span, thing, defines, partial(_word, span), whole)

    def _spiff(self, template: SpiffText) -> Iterator[Mention]:
        own = template.root.items if isinstance(template.root, Map) else {}
        for scalar, tree in template.expressions:
            self.context.meter.work(2)
            for part in walk(tree):
                if not isinstance(part, Reference) or part.root in own or not part.path:
                    continue
                path = (part.root, *map(str, part.path))
                at = 2 if path[0] == "values" else 1
                kind = _ROOTS.get(path[at - 1]) if len(path) > at else None
                if kind is not None:
                    span = template.place(scalar, part).span
                    yield from self._in_reference(span, path[:at], Thing(self.file, kind, path[at]))
        exports = own.get("exports")
        if isinstance(exports, Map) and template.execution.phase == EXPORT:
            for name in exports.items:
                if name in self.exports:
                    yield Mention(exports.key_span(name), Thing(self.file, "export", name))

    def _in_reference(self, span: Span, before: tuple[str, ...], thing: Thing) -> Iterator[Mention]:
        written = ".".join((*before, thing.name))
        text = span.source.text
        if text.startswith(written, span.start):
            start = span.start + len(written) - len(thing.name)
            found = span.source.span(start, start + len(thing.name))
            yield Mention(found, thing, write=partial(_word, found))


def _field(span: Span, name: str) -> Edit | None:
    return Edit(span, name) if _PLAIN.match(name) else None


def _word(span: Span, name: str) -> Edit | None:
    return Edit(span, name) if re.fullmatch(r"[\w-]+", name) else None


def _literal(span: Span, old: str, name: str) -> Edit | None:
    shown = span.source.text[span.start : span.end]
    inside = requoted(shown, old, name)
    if inside is None and shown == f'\\"{old}\\"':
        inside = f'\\"{name}\\"'
    return Edit(span, inside) if inside is not None else None
