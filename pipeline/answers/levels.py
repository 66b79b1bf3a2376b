"""The documents of a run as `why`, `diff` and the source map read them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Sequence
from functools import partial
from typing import Any, Final

from ...functions.record import Record, field
from ...functions.values import NONE
from ..engine.evaluation import Names
from ..engine.materialisation import label
from ..engine.run import Run
from ..engine.string_evaluation import plain_value
from ..language.language import Language
from ..values.document import Document
from ..values.quoting import Quoting
from ..values.source import Span
from ..values.tree import AnyNode, Array, Map, Template, templates_in
from .explanation import KNOWN, NONE_VALUE, SECRET, UNUSED, WITHHELD, Cause, Departure
from .nodes import Places, chain, child_counterpart, node_at, same_place
from .paths import Path, path_text
from .tracing import ABSENT, Trace, TreeScope, Use, element_of, look_up_in, trace_in
from .values import status_of

_DEEPEST: Final = 60


class Gone(Record, eq=False):
    """A part that a stage removed.

    `node` is its last form, `decided_by` the node whose value decided that it goes. `path` is its
    path in the stages, if that is not the requested one.
    """

    departure: Departure
    node: AnyNode
    decided_by: AnyNode | None = None
    path: Path | None = None


class Level(Record, eq=False):
    """One document of a run.

    `document` is the result, `stages` has the result of each stage, `written` is the tree before
    anything was computed, None for that of the first stage. `parts` has a level for each document
    of an output of several, `way` the names of the includes that lead here from the main document.

    This class answers for any dialect. A dialect overrides what it knows better: `inside` where
    documents include others, `earlier` where a stage renames parts, `is_secret` and `masked`
    where secrets are written in clear, `traced`, `instances`, `causes`, `gone`, `made` and `hint`.
    """

    document: Document
    stages: tuple[tuple[str, Document], ...]
    run: Run = field(repr=False)
    written: Map | None = None
    parts: tuple[Level, ...] = ()
    way: tuple[str, ...] = ()

    @property
    def alone(self) -> str | None:
        """The one key of the document whose name makes no difference to another document's."""
        return None

    @property
    def language(self) -> Language:
        """The language of the document."""
        return self.run.language

    @property
    def reveals(self) -> bool:
        """True when the run shows secrets."""
        return self.run.reveal

    @property
    def base(self) -> Map:
        """The tree before anything was computed."""
        if self.written is not None:
            return self.written
        return (self.stages[0][1] if self.stages else self.document).root

    @property
    def functions(self) -> Container[str]:
        """The names of the functions; a bare reference to one is no reference to a value."""
        names = self.run.work.find(Names)
        return names.context.functions if names is not None else ()

    @property
    def included(self) -> tuple[Span, ...]:
        """The places of the includes in `way`."""
        return ()

    @classmethod
    def of_run(cls, run: Run) -> Level:
        """The level of a run whose dialect has none of its own; documents are numbered from 0."""
        assert run.document is not None
        stages = tuple((name, _as_one(document)) for name, document in run.stages)
        first = run.stages[0][1].parts or () if run.stages else ()
        parts = tuple(
            cls(part, (), run, first[number].root if len(first) > number else None)
            for number, part in enumerate(run.document.parts or ())
        )
        return cls(_as_one(run.document), stages, run, None, parts)

    def full(self, path: Path) -> Path:
        """A path as it is typed with its names in full, where a dialect has shorter ones."""
        return path

    def inside(self, path: Path) -> tuple[Level, Path]:
        """The innermost document that a path leads into, and the rest of the path there."""
        return self, path

    def all(self) -> Iterator[Level]:
        """This document and those that it includes, each before its own."""
        yield self

    def earlier(self, path: Path) -> Path:
        """The path of a part before a stage renamed it."""
        return path

    def origin(
        self, above: AnyNode | None, key: str, node: AnyNode, places: Places
    ) -> tuple[AnyNode | None, Level | None]:
        """The written form of a child of `above`, itself a written form; `base` is the first.

        With the level that finds the written forms inside of the child, if it is not clear by name.
        """
        return (None if above is None else child_counterpart(above, key, node, places)), None

    def reference(self, above: AnyNode | None, key: str, written: AnyNode) -> str | None:
        """The reference that a string outside of templates is, if the dialect has any."""
        return None

    def redacted(self, document: Document) -> Document:
        """A stage of this document with a mask for each secret in clear."""
        dialect = self.run.dialect
        if dialect is None or dialect.redact is None:
            return document
        return dialect.redact(document, Quoting())

    def shown(self, document: Document) -> Document:
        """A stage of this document as it may be shown: redacted, unless the run reveals secrets."""
        return document if self.reveals else self.redacted(document)

    def unread(self) -> Collection[Path]:
        """The paths of parts of the result that nothing reads, so that `diff` leaves them out."""
        return ()

    def masked(self) -> Map:
        """The tree of the result, and of what it includes, with a mask for each secret."""
        return self.shown(self.document).root

    def is_secret(self, path: Path) -> bool:
        """True for a path to a secret in clear; False when the run reveals secrets."""
        items, nodes = chain(self.base, path)
        masked = self.shown(self.document.evolve(root=self.base)).root
        return masked is not self.base and node_at(masked, items) is not nodes[-1]

    def traced(self, path: Path, template: Template) -> Trace:
        """What a template that is written at a path refers to, and its value.

        `path` is one in `base`, or one that `instances` gives for it.
        """
        return _trace(self, template)

    def instances(self, path: Path) -> Sequence[Path]:
        """The paths of the parts that a written part becomes, where it becomes several or none."""
        return (path,)

    def causes(self, path: Path, written: AnyNode | None) -> tuple[Cause, ...]:
        """The causes of the value at a path; `written` is its node before it was computed."""
        return _Causes(self).of_node(written)

    def made(
        self, path: Path, nodes: list[AnyNode], written: AnyNode | None
    ) -> tuple[str, str] | None:
        """The kind of an explanation and the same in words, if a dialect has its own for a path."""
        return None

    def hint(self, path: Path) -> str | None:
        """A hint for a path whose last item does not exist."""
        return None

    def gone(self, path: Path) -> Gone | None:
        """Why a path is not in the output; None if no stage had it."""
        last, stage = self.last_form(path)
        return self.computed_away(path, stage, last) if last is not None and stage else None

    def last_form(self, path: Path) -> tuple[AnyNode | None, str]:
        """The last form that a path had after any stage, and the stage that removed it, if any."""
        last: AnyNode | None = None
        stage = ""
        for name, document in self.stages:
            node = node_at(document.root, path, self.earlier(path))
            if node is not None:
                last, stage = node, ""
            elif last is not None and not stage:
                stage = name
        return last, stage

    def causes_of_gone(self, path: Path, gone: Gone) -> tuple[Cause, ...]:
        """The causes of the removal of a path."""
        return self.causes(path, gone.decided_by or gone.node)

    def computed_away(self, path: Path, stage: str, last: AnyNode) -> Gone:
        """A part whose value is none, that moved up in its array, or that the stage left out."""
        for depth in range(len(path), 1, -1):
            written = node_at(self.base, path[:depth], self.earlier(path)[:depth])
            if isinstance(written, Template) and self.value_at(path, written) is NONE:
                reason = "its value is none, and what is none is left out"
                if depth < len(path):
                    reason = f"`{path_text(path[:depth])}` is none, and what is none is left out"
                return Gone(Departure(stage, reason), written, written)
        items, nodes = chain(self.document.root, path)
        if isinstance(nodes[-1], Array):
            left = nodes[-1].items
            reason = (
                "elements before it are none and were left out: "
                f"the array has {len(left)} element{'' if len(left) == 1 else 's'} now"
            )
            at = [index for index, item in enumerate(left) if same_place(item, last)]
            now = (path_text((*items, at[0])),) if len(at) == 1 else ()
            return Gone(Departure(stage, reason, now), last)
        return Gone(Departure(stage, f"the stage `{stage}` left it out"), last)

    def value_at(self, path: Path, written: Template) -> Any:
        """The value of a template that is written at a path, `ABSENT` if it cannot be computed."""
        return self.traced(path, written).value


def _as_one(document: Document) -> Document:
    """Several documents as one, each below its number."""
    if document.parts is None:
        return document
    root = document.root
    items: dict[str, AnyNode] = {str(n): part.root for n, part in enumerate(document.parts)}
    return document.evolve(root=Map(items, {}, root.trail, root.start, root.end), parts=None)


def _trace(level: Level, template: Template) -> Trace:
    names = level.run.work.find(Names)
    if names is None:
        return look_up_in(TreeScope(level.base, level.stages), template, level.functions)
    return trace_in(names.context, names, template)


def causes_in(
    node: AnyNode | None,
    trace: Callable[[Template], Trace],
    cause: Callable[[Use], Cause],
    function: Callable[[str], Cause],
) -> tuple[Cause, ...]:
    """What the templates in a node refer to and call, each once; what is needed goes before."""
    found: dict[str, Cause] = {}
    functions: dict[str, Cause] = {}
    for template in templates_in(node):
        traced = trace(template)
        for use in traced.uses:
            name = label(use.reference)
            before = found.get(name)
            if before is None or (before.status == UNUSED and use.value is not ABSENT):
                found[name] = cause(use)
        for name in traced.functions:
            if name not in functions:
                functions[name] = function(name)
    return (*found.values(), *functions.values())


class _Causes:
    """Finds the causes of parts of a document; each reference is explained in full once."""

    def __init__(self, level: Level) -> None:
        self._level = level
        self._explained: set[str] = set()
        self._secret: dict[str, bool] = {}
        self._depth = 0

    def of_node(self, node: AnyNode | None) -> tuple[Cause, ...]:
        """What the templates in a node refer to and call, each once."""
        if self._depth > _DEEPEST:
            return ()
        self._depth += 1
        trace = partial(_trace, self._level)
        causes = causes_in(node, trace, self._cause, lambda name: Cause("function", name, KNOWN))
        self._depth -= 1
        return causes

    def _cause(self, use: Use) -> Cause:
        reference, value = use.reference, use.value
        name = label(reference)
        if value is ABSENT:
            return Cause("value", name, UNUSED)
        level = self._level
        path = element_of(level.base, reference)
        node = None
        if path is not None:
            by_section = len(path) > 1 and path[0] == reference.root
            path = (*path, *(reference.path[1:] if by_section else reference.path))
            node = chain(level.base, path)[1][-1]
        repeated = name in self._explained
        self._explained.add(name)
        causes = () if repeated else self.of_node(node)
        status = status_of(value)
        if path is not None and level.is_secret(path):
            status = SECRET
        elif status not in (SECRET, NONE_VALUE) and (
            self._secret.get(name) or any(one.status in (SECRET, WITHHELD) for one in causes)
        ):
            status = WITHHELD
        self._secret.setdefault(name, status in (SECRET, WITHHELD))
        hidden = status in (SECRET, WITHHELD, NONE_VALUE)
        shown = None if hidden else plain_value(value, level.language)
        span = node.span if node is not None else None
        return Cause("value", name, status, shown, "", span, causes=causes, repeated=repeated)
