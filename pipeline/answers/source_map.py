"""The source map of an output: where every path of it comes from.

The form is described in docs/guides/provenance.md. The map has places and names, never values.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator
from json.encoder import encode_basestring_ascii as encoded
from typing import Any, Final

from ..engine.materialisation import label
from ..engine.run import Run
from ..formats.emit import LONGEST_SIMPLE_KEY, literal, quote
from ..language.language import Language
from ..values.document import Document
from ..values.source import Source
from ..values.tree import AnyNode, Map, Scalar, Template, Trail
from .inspection import top_level
from .levels import Level
from .nodes import Places, child_counterpart, same_place
from .paths import Path

VERSION: Final = 1


def source_map_text(run: Run, outputs: Iterable[tuple[str | None, str, Document]]) -> str:
    """The map of what a run wrote, as JSON: of each output its file (None: standard output), its
    format and its document.

    Several outputs are the main document and its children, in the order of `split_documents`.
    """
    top = top_level(run)
    tables = _Tables(run.language, top.functions)
    maps = []
    for (file, format_, document), found_at in zip(outputs, top.all(), strict=False):
        if document.parts is not None:
            found = _entries_of_parts(tables, top, document.parts, format_ == "yaml")
        else:
            level = found_at.evolve(document=document)
            found = _entries(tables, level, level.shown(document).root, format_ == "yaml")[0]
        places = ",\n".join(found)
        name = "null" if file is None else encoded(file)
        maps.append(f'{{"file":{name},"format":{encoded(format_)},"places":{{\n{places}\n}}}}')
    return (
        f'{{"version":{VERSION},\n'
        f'"files":{_listed(map(encoded, tables.files))},\n'
        f'"steps":{_listed(map(_listed_texts, tables.steps))},\n'
        f'"computed":{_listed(tables.computed)},\n'
        f'"outputs":{_listed(maps)}}}\n'
    )


def _listed(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


def _listed_texts(items: Iterable[str]) -> str:
    return _listed(map(encoded, items))


class _Tables:
    """Shared parts of places, each written once: files, lists of steps, references, functions."""

    def __init__(self, language: Language, functions: Container[str]) -> None:
        self.language = language
        self.functions = functions
        self.files: dict[str, int] = {}
        self.steps: dict[tuple[str, ...], int] = {}
        self.computed: dict[str, int] = {}
        self.keys: dict[str, str] = {}
        self.trails: dict[int, tuple[int, int, list[int]]] = {}
        self.ends: dict[int, str] = {}
        self.places = Places()
        self._shapes: dict[tuple[int, ...], str] = {}
        self._kept: list[Any] = []

    def trail(self, trail: Trail) -> tuple[int, int, list[int]]:
        """The numbers of a trail's file and its steps, and where its lines begin."""
        source = trail.source
        made = source.__class__ is not Source
        file = -1 if made else self.files.setdefault(source.name, len(self.files))
        steps = self.steps.setdefault(trail.steps, len(self.steps))
        starts = [] if made else source.line_starts
        found = self.trails[id(trail)] = file, steps, starts
        self._kept.append(trail)  # so that its id stays its own
        return found

    def made(self, node: AnyNode) -> tuple[int, str]:
        """The number of a file, and the place there, of what made a part of a text."""
        span = node.span
        file = self.files.setdefault(span.source.name, len(self.files))
        return file, _range(span.source.line_starts, span.start, span.end)

    def template(self, template: Template) -> str:
        """The end of an entry: the number of the references and calls of a template."""
        segments = template.segments
        substitutions = segments.substitutions
        shapes = tuple([id(substitution.shape) for substitution in substitutions])
        found = self._shapes.get(shapes)
        if found is None:
            references = (
                label(reference)
                for substitution in substitutions
                for reference in substitution.shape.references
                if not (reference.bare and self._is_function(reference.path))
            )
            found = self._number(dict.fromkeys(references), sorted(segments.functions))
            self._shapes[shapes] = found
        self.ends[id(segments)] = found
        self._kept.append(segments)
        return found

    def _is_function(self, path: Path) -> bool:
        """True for a bare name that stands for a function, as an argument of another one."""
        return len(path) == 1 and path[0] in self.functions

    def field(self, reference: str | None) -> str:
        """The end of an entry: the number of a reference outside of templates, if it is one."""
        return self._number([reference], ()) if reference is not None else ""

    def _number(self, references: Iterable[str], functions: Iterable[str]) -> str:
        entry = (
            f'{{"references":{_listed_texts(references)},"functions":{_listed_texts(functions)}}}'
        )
        return f",{self.computed.setdefault(entry, len(self.computed))}"

    def key(self, name: str) -> str:
        """A key as a step of a JSON pointer, escaped for JSON."""
        found = self.keys.get(name)
        if found is None:
            escaped = encoded(name.replace("~", "~0").replace("/", "~1"))[1:-1]
            found = self.keys[name] = f"/{escaped}"
        return found


def _entries_of_parts(
    tables: _Tables, top: Level, parts: tuple[Document, ...], yaml: bool
) -> list[str]:
    """The entries of an output of several documents; a pointer begins with the number of one."""
    found: list[str] = []
    line = 1 if yaml else 2
    for number, part in enumerate(parts):
        level = top.parts[number] if top.parts else top.evolve(document=part, stages=())
        places, line = _entries(tables, level, part.root, yaml, f"/{number}", line)
        found += places
        line += yaml
    return found


def _entries(
    tables: _Tables, level: Level, root: Map, yaml: bool, top: str = "", line: int = 1
) -> tuple[list[str], int]:
    """An entry for each node of an output, in its order, which is that of the output's lines.

    The first has the pointer `top` and stands at `line`; the answer is the line after the last too.

    A node is compared with its form before anything was computed (`written`). A node in what a
    template gave has the template's entry among the computed ones, and so has all below it.
    """
    keys, trails, ends = tables.keys, tables.trails, tables.ends
    found: list[str] = []

    # the collection being walked: its remaining items, its pointer, its place, its written form,
    # the level whose `origin` finds the written forms in it, and the end of its entries
    items: Iterator[tuple[Any, AnyNode]] = iter((("", root),))
    prefix = computed = ""
    mapping = False
    outer: AnyNode | None = None
    before: AnyNode | None = None
    within: Level | None = None
    fields: dict[str, AnyNode] | None = None
    stack: list[Any] = []

    trail: Trail | None = None
    file = steps = 0
    starts: list[int] = []
    opened: Level | None

    while True:
        for key, node in items:
            if mapping:
                pointer = prefix + (keys.get(key) or tables.key(key))
            else:
                pointer = f"{prefix}/{key}" if stack else top

            opened = None
            ending = computed
            written: AnyNode | None = None
            if not computed:
                if fields is not None:
                    written = fields.get(key)
                if not stack:
                    written, opened = level.base, level
                elif written is not node and written.__class__ is not Template:
                    written, opened = _origin(before, within, key, node, tables.places)
                if written.__class__ is Template:
                    ending = ends.get(id(written.segments)) or tables.template(written)
                elif written.__class__ is Scalar and written is not node:
                    ending = tables.field(level.reference(before, key, written))

            if node.trail is not trail:
                trail = node.trail
                file, steps, starts = trails.get(id(trail)) or tables.trail(trail)
            if not starts:
                file, place = tables.made(node)
            else:
                place = _range(starts, node.start, node.end)
            exact = 0 if outer is not None and same_place(node, outer) else 1
            found.append(f'"{pointer}":[{file},{place},{exact},{steps},{line}{ending}]')

            if len(pointer) > _SHORT_KEY and yaml and mapping:
                line += len(quote(key)) + 1 > LONGEST_SIMPLE_KEY
            kind = node.__class__
            if kind is Scalar or kind is Template or not node.items:  # type: ignore[union-attr]
                line += _leaf_lines(node, yaml, tables.language)
                continue
            line += not yaml or mapping
            stack.append((items, prefix, computed, mapping, outer, before, within))
            prefix, computed, outer, before, within = pointer, ending, node, written, opened
            mapping = kind is Map
            inside: Any = node.items  # type: ignore[union-attr]
            items = iter(inside.items() if mapping else enumerate(inside))
            break
        else:
            if not stack:
                return found, line
            items, prefix, computed, mapping, outer, before, within = stack.pop()
            line += not yaml
        fields = before.items if mapping and isinstance(before, Map) else None


def _origin(
    before: AnyNode | None, within: Level | None, key: str, node: AnyNode, places: Places
) -> tuple[AnyNode | None, Level | None]:
    """The written form of a child of a collection whose own is `before`; see `Level.origin`."""
    if within is not None:
        return within.origin(before, key, node, places)
    return (None if before is None else child_counterpart(before, key, node, places)), None


def _range(starts: list[int], start: int, end: int) -> str:
    """The lines and columns of two offsets; `starts` are those at which the lines begin."""
    first = bisect_right(starts, start)
    column = start - starts[first - 1] + 1
    if first == len(starts) or end < starts[first]:
        return f"{first},{column},{first},{column + end - start}"
    last = bisect_right(starts, end)
    return f"{first},{column},{last},{end - starts[last - 1] + 1}"


def _leaf_lines(node: AnyNode, yaml: bool, language: Language) -> int:
    """The lines that a node without others takes: strings may be blocks in YAML."""
    value = node.value if yaml and isinstance(node, Scalar) else None
    if value.__class__ is not str or "\n" not in value or language.opener in value:
        return 1
    block = literal(value)
    return 1 + len(block[1]) if block is not None else 1


# names that are shorter take one line, however many of their characters are escaped
_SHORT_KEY: Final = 150
