"""What is told of the part of a text under the pointer: its value and why, and documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json import dumps
from typing import Any, Final

from lsprotocol import types

from ...functions.registry import Example, Function
from ...functions.values import NONE
from ..answers.explanation import KNOWN, NONE_VALUE, PARTLY, RESIDUAL, SECRET, Cause
from ..answers.fields import Field, field_at
from ..answers.inspection import openers_of
from ..answers.levels import Level
from ..answers.nodes import chain, node_at
from ..answers.paths import Path
from ..answers.tracing import element_of
from ..answers.values import plain_node
from ..answers.wording import caused, where_from
from ..codes.catalogue import find
from ..engine.materialisation import MASK, label
from ..values.expression import Call, Expression, Literal, Reference, Segments, Shape
from ..values.source import Source, Span
from ..values.substitution import Substitution
from ..values.terminal import shorten, visible
from ..values.tree import AnyNode, Map, Scalar, Template, templates_at
from .analysis import Analysis
from .computed import Computed, Shift, as_text
from .coordinates import Coordinates
from .feature import Feature
from .hints import fenced, sources_of, unknown_text
from .places import Place, place_at, span_in
from .signatures import expression_before, function_of
from .workspace import Workspace

_LINES: Final = 12
"""Causes and lines of a value that are told."""

_CHARACTERS: Final = 1_000
_EXAMPLES: Final = 2
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_NAMES: Final = 12


def hover(workspace: Workspace, params: types.HoverParams) -> types.Hover | None:
    """What is known of what stands at a position, as Markdown."""
    uri = params.text_document.uri
    source, latest = workspace.source(uri), workspace.latest(uri)
    analysis = latest.good if latest is not None else None
    if source is None or latest is None:
        return None
    at = Coordinates(source, workspace.units)
    offset = at.offset(params.position)
    told = [*_mistakes(latest, source, offset)]
    span: Span | None = None
    place = None
    if analysis is not None:
        found = Shift(source.text, analysis.source.text).place(offset, offset)
        place = _place(analysis, found[0]) if found is not None else None
        if found is not None and place is not None:
            asked = _Asked(workspace, uri, source, analysis, *place)
            told += asked.told()
            forth = Shift(analysis.source.text, source.text)
            marked = asked.span()
            moved = forth.place(marked.start, marked.end) if marked is not None else None
            span = Span(source, *moved) if moved is not None else None
    if place is None or place[1].substitution is None:
        told += _of_text(workspace, uri, source, latest, offset)
    if not told:
        return None
    text = "\n\n".join(told)
    markup = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(markup, at.of(span) if span is not None else None)


def _place(analysis: Analysis, offset: int) -> tuple[Map, Place] | None:
    """The tree around an offset of a text, and what stands there."""
    language = analysis.context.language
    for root in analysis.roots:
        if root.start <= offset <= root.end or len(analysis.roots) == 1:
            return root, place_at(root, offset, language)
    return None


def _mistakes(analysis: Analysis, source: Source, offset: int) -> Iterator[str]:
    """The pages of the codes that are told at an offset, in short."""
    if analysis.source.text != source.text:
        return
    codes = dict.fromkeys(
        item.code
        for item in analysis.diagnostics.sorted()
        if item.span is not None
        and item.span.source.name == source.name
        and item.span.source.text == source.text
        and item.span.start <= offset <= item.span.end
    )
    for name in codes:
        code = find(name)
        if code is not None:
            yield f"**{code.name}**: {code.title}. {code.text}\n\n{code.remedy}"


def _of_text(
    workspace: Workspace, uri: str, source: Source, latest: Analysis, offset: int
) -> Iterator[str]:
    """What is known of an expression that is in no tree: its function, and what it printed."""
    if expression_before(source.text, offset, openers_of(latest.dialect)) is None:
        return
    line, column = source.locate(offset)
    words = _WORD.finditer(source.line(line))
    word = next((one[0] for one in words if one.start() < column <= one.end() + 1), "")
    function = function_of(latest, word)
    if function is not None:
        yield function_text(function)
    for computed, read in sources_of(workspace, uri, source):
        place = Shift(source.text, read.text).place(offset, offset)
        for worth in computed.between(read, *place, _LINES) if place is not None else ():
            if worth.values and worth.start <= place[0] <= worth.end:
                text = as_text(worth.values[0])
                more = f", the first of {worth.count}" if worth.count > 1 else ""
                yield f"prints{more}\n\n{fenced(_cut(text), 'text')}"
                return


class _Asked:
    """A place of a text, and what a run knows of it."""

    def __init__(
        self,
        workspace: Workspace,
        uri: str,
        source: Source,
        analysis: Analysis,
        root: Map,
        place: Place,
    ) -> None:
        self._analysis = analysis
        self._root = root
        self._place = place
        self._runs = [*sources_of(workspace, uri, source)]

    def span(self) -> Span | None:
        """What is told of."""
        place = self._place
        if place.template is not None and place.substitution is not None:
            part = place.expression or place.substitution
            return span_in(place.template, part.start, part.end)
        above = node_at(self._root, place.path[:-1])
        if place.key is not None and isinstance(above, Map):
            return above.key_span(place.key)
        return place.node.span if isinstance(place.node, Scalar | Template) else None

    def told(self) -> Iterator[str]:
        """The paragraphs."""
        place = self._place
        if place.template is not None and place.substitution is not None:
            yield from self._of_part(place.template, place.substitution)
            return
        if isinstance(place.node, Scalar | Template) or place.key is not None:
            field = field_at(self._analysis.dialect, self._root, place.path)
            if field is not None and (field.about or place.key is not None):
                yield from _field_text(str(place.path[-1]), field)
        if place.path:
            yield from self._of_node()
            yield from self._of_child()

    def _of_part(self, template: Template, one: Substitution) -> Iterator[str]:
        """What a part of a substitution is worth, why, and what is documented of it."""
        part = self._place.expression
        if isinstance(part, Call):
            function = function_of(self._analysis, part.function)
            if function is not None:
                yield function_text(function)
        if isinstance(part, Literal):
            return
        named = label(part) if isinstance(part, Reference) else ""
        shaped = self._place.shaped if part is not None else one.shape.expression
        for computed, read in self._runs:
            found = self._at(computed, read, template)
            if found is None or shaped is None:
                continue
            written, level, path = found
            alone = _alone(template, one, shaped)
            answer = computed.ask(lambda c=computed, v=level, p=path, a=alone: _told(c, v, p, a))
            if answer is None:
                continue
            status, value, causes = answer
            own = next((cause for cause in causes if cause.name == named), None)
            yield _value_text(named or "value", status, value, own)
            inner = own.causes if own is not None else causes
            lines = caused(tuple(one for one in inner if one.kind != "function"))
            if lines:
                yield fenced("\n".join(line()[2:] for line in lines[:_LINES]), "text")
            if status not in (KNOWN, NONE_VALUE, SECRET):
                unknowns = computed.unknowns_at(read, written.start)
                text = unknown_text([one for one in unknowns if one.text == named] or unknowns)
                if text:
                    yield text
            break
        if isinstance(part, Reference):
            yield from self._of_element(part)

    def _of_element(self, reference: Reference) -> Iterator[str]:
        """What is written of the element that a reference names: its type, its description."""
        for root in self._analysis.roots:
            path = element_of(root, reference)
            node = node_at(root, path) if path is not None else None
            if not isinstance(node, Map):
                continue
            words = {key: _word(node, key) for key in ("type", "description")}
            lines = [f"type `{words['type']}`"] if words["type"] else []
            lines += [words["description"]] if words["description"] else []
            if lines:
                yield "  \n".join(lines)
            return

    def _of_node(self) -> Iterator[str]:
        """What a part with substitutions renders to."""
        inner = next(templates_at(self._place.node), None)
        if inner is None:
            return
        depth, template = len(inner[0]), inner[1]
        for computed, read in self._runs:
            found = self._at(computed, read, template)
            if found is None:
                continue
            written, level, path = found
            whole = path[: len(path) - depth]
            node = computed.ask(lambda v=level, p=whole: _rendered(v, p))
            if node is not None:
                count = len(level.instances(path))
                more = f", the first of {count}" if count > 1 else ""
                yield f"renders to{more}\n\n{fenced(_cut(_node_text(node, level)), 'text')}"
            elif not depth and len(written.segments) == 1:  # a condition, which does not stay
                value = computed.ask(
                    lambda c=computed, v=level, p=path, w=written: c.value(v, p, w)
                )
                if value is not None:
                    yield _value_text("value", value[0], value[1], None)
            return

    def _of_child(self) -> Iterator[str]:
        """The file of an included document, and what it has."""
        node = self._place.node
        for computed, _ in self._runs:
            for one in computed.level.all():
                if not one.included or not one.way or str(self._place.path[-1]) != one.way[-1]:
                    continue
                span = one.included[-1]
                if span.source.path != self._analysis.source.path or not (
                    isinstance(node, Map)
                    or node.start <= span.start <= node.end
                    or span.start <= node.start <= span.end
                ):
                    continue
                lines = [f"`{visible(one.document.source.name)}`"]
                for key, section in one.base.items.items():
                    if isinstance(section, Map) and section.items:
                        names = ", ".join(
                            f"`{visible(name)}`" for name in [*section.items][:_NAMES]
                        )
                        lines.append(f"- {visible(key)}: {names}")
                yield "\n".join(lines)
                return

    def _at(
        self, computed: Computed, read: Source, template: Template
    ) -> tuple[Template, Level, Path] | None:
        """A template in a run, if it has not changed since, and its first place in the documents.

        What has changed may name what the run does not have.
        """
        place = Shift(self._analysis.source.text, read.text).place(template.start, template.end)
        found = computed.template_at(read, place[0]) if place is not None else None
        if found is None or place is None or found[0].start != place[0]:
            return None
        return found


def _alone(template: Template, one: Substitution, part: Expression) -> Template:
    """A template of only one part of a substitution."""
    alone = Substitution(Shape(part), one.literals, one.start, one.end, None)
    return Template(Segments((alone,)), template.text, template.trail, template.start, template.end)


def _told(
    computed: Computed, level: Level, path: Path, alone: Template
) -> tuple[str, Any, tuple[Cause, ...]]:
    status, value = computed.value(level, path, alone)
    return status, value, () if status == SECRET else level.causes(path, alone)


def _value_text(name: str, status: str, value: Any, cause: Cause | None) -> str:
    """The name of a part, its type, its value, and where that comes from."""
    where = where_from(cause) if cause is not None else ""
    after = f"  \n{visible(where)}" if where else ""
    if status == SECRET:
        return f"`{name}`: a secret, not shown{after}"
    if status not in (KNOWN, PARTLY):
        words = {NONE_VALUE: "none", RESIDUAL: "not known yet"}.get(status, status)
        return f"`{name}`: {words}{after}"
    text = as_text(value)
    if "\n" in text or len(text) > _CHARACTERS:
        return f"`{name}`: {_type_name(value)}\n\n{fenced(_cut(text), 'text')}{after}"
    return fenced(f"{name}: {_type_name(value)} = {text}", "text") + after


def _rendered(level: Level, path: Path) -> AnyNode | None:
    """The part of an output at a path, secrets masked."""
    items, nodes = chain(level.masked(), path)
    if len(items) < len(path):
        return None
    return nodes[-1]


def _node_text(node: AnyNode, level: Level) -> str:
    data = plain_node(node, level.language)
    if isinstance(data, dict | list):
        return dumps(data, ensure_ascii=False, indent=2, default=str)
    return as_text(data)


def _word(node: Map, key: str) -> str:
    found = node.get(key)
    value = found.value if isinstance(found, Scalar) else None
    return visible(value) if isinstance(value, str) and value != MASK else ""


def _cut(text: str) -> str:
    lines = text[:_CHARACTERS].split("\n")
    more = text.count("\n") + 1 - _LINES
    if len(text) > _CHARACTERS or more > 0:
        lines = [*lines[:_LINES], "..."]
    return "\n".join(lines)


def _type_name(value: Any) -> str:
    names = {str: "string", bool: "boolean", int: "integer", float: "float", dict: "object"}
    return names.get(value.__class__, "array" if isinstance(value, list | tuple) else "value")


def _field_text(key: str, field: Field) -> Iterator[str]:
    """What a schema says of a field."""
    kind = " or ".join(field.types)
    marks = [*([kind] if kind else []), *(["required"] if field.required else [])]
    marks += ["deprecated"] if field.deprecated else []
    yield f"**{visible(key)}**" + (f" ({', '.join(marks)})" if marks else "")
    if field.about:
        yield field.about
    if field.default is not None:
        yield f"Default: `{as_text(field.default)}`"
    if field.allowed:
        shown = ", ".join(f"`{as_text(one)}`" for one in field.allowed[:_LINES])
        yield f"One of {shown}" + (", .." if len(field.allowed) > _LINES else "")
    elif field.examples:
        yield f"Example: `{shorten(as_text(field.examples[0]), 100)}`"


def function_text(function: Function) -> str:
    """The page of a function, in short."""
    parts = [fenced(function.signature), function.summary, *function.notes]
    documented = [one for one in function.parameters if one.doc or one.choices]
    if documented:
        lines = []
        for one in documented:
            choices = f" One of {', '.join(f'`{word}`' for word in one.choices)}." * bool(
                one.choices
            )
            lines.append(f"- `{one.name}`: {one.doc}{choices}")
        parts.append("\n".join(lines))
    shown = [one for one in function.examples if one.shown][:_EXAMPLES]
    if shown:
        parts.append(fenced("\n".join(map(_example_text, shown)), "text"))
    if function.origin != "core":
        parts.append(f"Declared by {function.origin}")
    return "\n\n".join(parts)


def _example_text(example: Example) -> str:
    given = [
        f"# {root}.{name} = {_plain(value)}\n"
        for root, names in example.scope.items()
        if isinstance(names, Mapping)
        for name, value in names.items()
    ]
    result = f"error: {example.error}" if example.error else _plain(example.result)
    return f"{''.join(given)}{example.expression}\n  = {result}"


def _plain(value: Any) -> str:
    return "none" if value is NONE else dumps(value, ensure_ascii=False, default=str)


FEATURES: Final = (Feature(types.TEXT_DOCUMENT_HOVER, hover),)
