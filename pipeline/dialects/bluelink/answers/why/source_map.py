"""A map of a whole output: for every path of it, where that comes from.

The form is described in docs/guides/provenance.md. The map holds places and names, never values.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from json.encoder import encode_basestring_ascii as encoded
from typing import TYPE_CHECKING, Any, Final

from .....answers.paths import Path
from .....engine.materialisation import label
from .....formats.emit import LONGEST_SIMPLE_KEY, literal, quote
from .....values.tree import AnyNode, Map, Scalar, Template
from ...secrets.secrecy import redacted
from .levels import Level, top_level
from .nodes import child_counterpart, same_place

if TYPE_CHECKING:
    from .....engine.run import Run
    from .....language.language import Language
    from .....values.document import Document
    from .....values.source import Source
    from .....values.tree import Trail

VERSION: Final = 1


def source_map_text(run: Run, outputs: Iterable[tuple[str | None, str, Document]]) -> str:
    """The map of what a run wrote, as JSON: of each output its file (None: standard output), its
    format and its document.

    Several outputs are the main document and its children, in the order of `split_documents`.
    """
    top = top_level(run)
    main = top.evaluation
    tables = _Tables(run.language, main.context.functions if main is not None else ())
    maps = []
    for (file, format_, document), found_at in zip(outputs, _levels(top), strict=False):
        if document.parts is not None:
            found = _entries_of_parts(tables, top, document.parts, format_ == "yaml")
        else:
            shown = document if run.reveal else redacted(document)
            level = Level(document, (), run.language, work=found_at.work)
            found = _entries(tables, level, shown.root, format_ == "yaml")[0]
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


def _levels(level: Level) -> Iterator[Level]:
    """A document and its children, each before its own."""
    yield level
    for name in level.document.children:
        child = level.child(name)
        if child is not None:
            yield from _levels(child)


def _listed(items: Iterable[str]) -> str:
    return f"[{','.join(items)}]"


def _listed_texts(items: Iterable[str]) -> str:
    return _listed(map(encoded, items))


class _Tables:
    """What many places share, each told once: files, lists of steps, references and functions."""

    def __init__(self, language: Language, functions: Collection[str]) -> None:
        self.language = language
        self.functions = functions
        self.files: dict[str, int] = {}
        self.steps: dict[tuple[str, ...], int] = {}
        self.computed: dict[str, int] = {}
        self.keys: dict[str, str] = {}
        self.trails: dict[int, tuple[int, int, list[int], int]] = {}
        self.ends: dict[int, str] = {}
        self._shapes: dict[tuple[int, ...], str] = {}
        self._kept: list[Any] = []

    def trail(self, trail: Trail) -> tuple[int, int, list[int], int]:
        """The numbers of a trail's file and its steps, where its lines begin, and their count."""
        source: Source = trail.source
        file = self.files.setdefault(source.name, len(self.files))
        steps = self.steps.setdefault(trail.steps, len(self.steps))
        starts = source.line_starts
        found = self.trails[id(trail)] = file, steps, starts, len(starts)
        self._kept.append(trail)  # so that its id stays its own
        return found

    def template(self, template: Template) -> str:
        """The end of an entry: the number of what a text refers to and calls."""
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

    def field(self, text: str) -> str:
        """The end of an entry: the number of what the field of an export refers to."""
        return self._number([text], ())

    def _number(self, references: Iterable[str], functions: Iterable[str]) -> str:
        told = (
            f'{{"references":{_listed_texts(references)},"functions":{_listed_texts(functions)}}}'
        )
        return f",{self.computed.setdefault(told, len(self.computed))}"

    def key(self, name: str) -> str:
        """A key as a step of a JSON pointer, escaped for JSON."""
        found = self.keys.get(name)
        if found is None:
            told = encoded(name.replace("~", "~0").replace("/", "~1"))[1:-1]
            found = self.keys[name] = f"/{told}"
        return found


# --- walking ------------------------------------------------------------------------------------


def _entries_of_parts(
    tables: _Tables, top: Level, parts: tuple[Document, ...], yaml: bool
) -> list[str]:
    """The entries of an output of several documents; a pointer begins with the number of one."""
    found: list[str] = []
    line = 1 if yaml else 2
    for number, part in enumerate(parts):
        level = top.parts[number] if top.parts else Level(part, (), tables.language)
        places, line = _entries(tables, level, part.root, yaml, f"/{number}", line)
        found += places
        line += yaml
    return found


def _entries(
    tables: _Tables, level: Level, root: Map, yaml: bool, top: str = "", line: int = 1
) -> tuple[list[str], int]:
    """An entry for each node of an output, in its order, which is that of the output's lines.

    The first has the pointer `top` and stands at `line`; the answer is the line after the last too.

    A node is held against what it was before anything was computed (`written`). What lies in a
    template has the template's entry among the computed ones, and so has all below it.
    """
    opener = tables.language.opener
    keys, trails, ends = tables.keys, tables.trails, tables.ends
    found: list[str] = []
    add = found.append

    # the collection being walked: what is left of it, its pointer, its place, what it was, the
    # document that it is the root, the resources or the children of, and the end of its entries
    items: Iterator[tuple[Any, AnyNode]] = iter((("", root),))
    prefix = computed = ""
    mapping = False
    outer: AnyNode | None = None
    before: AnyNode | None = None
    within: Level | None = None
    fields: dict[str, AnyNode] | None = None
    outer_start = -1
    stack: list[Any] = []

    trail: Trail | None = None
    file = steps = size = 0
    starts: list[int] = []
    opened: Level | None

    while True:
        for key, node in items:
            if mapping:
                pointer = prefix + (keys.get(key) or tables.key(key))
            else:
                pointer = f"{prefix}/{key}" if stack else top

            # what it was
            opened = None
            ending = computed
            written: AnyNode | None = None
            if not computed:
                if fields is not None:
                    written = fields.get(key)
                if written is not node and written.__class__ is not Template:
                    if within is not None:
                        written, opened = _in_document(within, before, key, node)
                    elif before is not None:
                        written = child_counterpart(before, key, node)
                    elif not stack:
                        written, opened = level.base, level
                if written.__class__ is Template:
                    ending = ends.get(id(written.segments)) or tables.template(written)
                elif key == "value" and written is not node and written.__class__ is Scalar:
                    ending = _of_field(tables, before, written)

            # the place
            if node.trail is not trail:
                trail = node.trail
                file, steps, starts, size = trails.get(id(trail)) or tables.trail(trail)
            start, end = node.start, node.end
            first = bisect_right(starts, start)
            column = start - starts[first - 1] + 1
            if first == size or end < starts[first]:
                stop = f"{first},{column + end - start}"
            else:
                last = bisect_right(starts, end)
                stop = f"{last},{end - starts[last - 1] + 1}"
            exact = 1
            if start == outer_start and _same(node, outer):
                exact = 0
            add(f'"{pointer}":[{file},{first},{column},{stop},{exact},{steps},{line}{ending}]')

            # the lines it takes
            if yaml and mapping and len(pointer) > _SHORT_KEY:
                line += len(quote(key)) + 1 > LONGEST_SIMPLE_KEY
            kind = node.__class__
            if kind is Scalar:
                line += 1
                value = node.value  # type: ignore[union-attr]
                if yaml and value.__class__ is str and "\n" in value and opener not in value:
                    block = literal(value)
                    line += len(block[1]) if block is not None else 0
                continue
            if kind is Template or not node.items:  # type: ignore[union-attr]
                line += 1
                continue
            line += not yaml or mapping
            stack.append((items, prefix, computed, mapping, outer, before, within))
            prefix, computed, outer, before, within = pointer, ending, node, written, opened
            outer_start = start
            mapping = kind is Map
            inside: Any = node.items  # type: ignore[union-attr]
            items = iter(inside.items() if mapping else enumerate(inside))
            fields = before.items if mapping and isinstance(before, Map) else None
            break
        else:
            if not stack:
                return found, line
            items, prefix, computed, mapping, outer, before, within = stack.pop()
            outer_start = outer.start if outer is not None else -1
            fields = before.items if mapping and isinstance(before, Map) else None
            line += not yaml


def _same(node: AnyNode, outer: AnyNode | None) -> bool:
    return outer is not None and same_place(node, outer)


def _in_document(
    level: Level, before: AnyNode | None, key: str, node: AnyNode
) -> tuple[AnyNode | None, Level | None]:
    """What a section of a document was, a resource or a child, and the level that this is of."""
    if before is None:
        child = level.child(key)
        return (child.base, child) if child is not None else (None, None)
    if before is level.base:
        if key == "children":
            return None, level
        return child_counterpart(before, key, node), level if key == "resources" else None
    frame = level.frame_of(("resources", key))
    if frame is not None:
        return level.definition("resources", frame.template), None
    return child_counterpart(before, key, node), None


def _of_field(tables: _Tables, export: AnyNode | None, written: Scalar) -> str:
    """The end of an entry for a value that an export's field refers to."""
    if isinstance(export, Map) and export.get("field") is written:
        return tables.field(str(written.value))
    return ""


# names that are shorter take one line, however many of their characters are escaped
_SHORT_KEY: Final = 150
