"""What is known of one version of a text: its tree, its mistakes, and what it renders to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final

from lsprotocol.types import PositionEncodingKind

from ...functions.record import Record, field
from ...functions.values import FunctionError
from ..answers.inspection import top_level
from ..answers.levels import Level
from ..engine.lints import Rules
from ..engine.run import Context, Dialect, Run
from ..formats.detection import read_documents
from ..language.meter import Meter
from ..rendering import checked, prepare, render
from ..values.diagnostics import Diagnostics, Stop
from ..values.document import Document
from ..values.settings import Settings
from ..values.source import Source
from ..values.threads import Deadline
from ..values.tree import Map, Trail
from .computed import Computed
from .coordinates import Coordinates
from .inputs import left_open

_UNREADABLE: Final = frozenset({"invalid_yaml", "invalid_json"})
"""Nothing of a text is read that has such a mistake."""

Watch = Callable[[Deadline], object]
"""Is told of the deadline of a run before it begins."""


class Analysis(Record, eq=False):
    """A version of a text, checked.

    `documents` are the trees of what was read, by name of their source: this text, and those that
    it includes. `broken` says that the tree of this text stands for what could be read of it: the
    dialect has found mistakes of structure. `run` is the render with the inputs that the user has
    chosen, None as long as there is none. `good` is the last analysis of the text in which it could
    be read: this one, or an earlier one while the text is broken; its offsets are those of its own
    source. `computed` has the values of the last version that could be rendered. `whole` is that of
    the document that this text is a part of, whose run and diagnostics these are.
    """

    uri: str
    version: int
    source: Source
    dialect: Dialect
    context: Context = field(repr=False)
    diagnostics: Diagnostics = field(repr=False)
    documents: Mapping[str, Document] = field(repr=False)
    units: PositionEncodingKind | str = PositionEncodingKind.Utf16
    run: Run | None = field(default=None, repr=False)
    earlier: Analysis | None = field(default=None, repr=False)
    broken: bool = False
    computed: Computed | None = field(default=None, repr=False)
    whole: Analysis | None = field(default=None, repr=False)

    @property
    def document(self) -> Document | None:
        """The tree of this text as it was read, None while nothing of the text can be read."""
        return self.documents.get(self.source.name)

    @property
    def roots(self) -> tuple[Map, ...]:
        """The trees in this text: one for each of its documents, none while it is unreadable."""
        document = self.document
        if document is None:
            return ()
        if document.parts is not None:
            return tuple(part.root for part in document.parts if part.source is self.source)
        return (document.root,)

    @property
    def good(self) -> Analysis | None:
        """The last analysis with a tree."""
        return self if self.document is not None else self.earlier

    @cached_property
    def at(self) -> Coordinates:
        """Positions in the text."""
        return Coordinates(self.source, self.units)

    @cached_property
    def level(self) -> Level | None:
        """What answers questions about the render; None without a result."""
        return top_level(self.run) if self.run is not None and self.run.ok else None

    @cached_property
    def reads(self) -> frozenset[str]:
        """The absolute paths of the files that were read or looked for, but for this text."""
        files = self.context.files
        names = [*files.reads, *(self.run.reads if self.run is not None else ())]
        found = {os.path.normpath(os.path.join(files.cwd(), name)) for name in names}
        return frozenset(found - {self.source.path})

    def renew(self) -> None:
        """Gives the next question about this analysis time and steps of its own."""
        for one in (self, self.earlier) if self.earlier is not None else (self,):
            runs = [one.run, one.computed.run if one.computed is not None else None]
            for language in (one.context.language, *(run.language for run in runs if run)):
                if language.meter is not None:
                    language.meter.renew()


def analyse(
    uri: str,
    version: int,
    source: Source,
    arguments: Mapping[str, Any],
    rules: Rules,
    earlier: Analysis | None = None,
    units: PositionEncodingKind | str = PositionEncodingKind.Utf16,
    watch: Watch | None = None,
) -> Analysis:
    """Checks a text; `arguments` are those of `prepare`."""
    shapes = earlier.context.language.used() if earlier is not None else None
    context, document = prepare(source, **_limited({"shapes": shapes, **arguments}, watch))
    context = context.evolve(documents=[])
    found = checked(document, context, rules)
    read = {one.source.name: one for one in context.documents or ()}
    broken = source.name not in read
    if broken and (rest := _rest(document, context)) is not None:
        read[source.name] = rest
    last = earlier.good if earlier is not None and source.name not in read else None
    return Analysis(
        uri,
        version,
        source,
        context.dialect,
        context,
        found,
        read,
        units,
        earlier=last,
        broken=broken,
        computed=earlier.computed if earlier is not None else None,
    )


def part_of(whole: Analysis, uri: str, source: Source) -> Analysis:
    """The analysis of a text that a document reads as a part of itself."""
    empty = Map({}, {}, Trail(source), 0, 0)
    document = _rest(Document(empty, source), whole.context)
    read = {source.name: document} if document is not None else {}
    return whole.evolve(uri=uri, source=source, documents=read, earlier=None, whole=whole)


def _limited(arguments: dict[str, Any], watch: Watch | None) -> dict[str, Any]:
    """The arguments of a run, with a meter whose deadline is watched."""
    meter = arguments.get("after")
    if meter is None:
        settings = arguments.get("settings") or Settings()
        meter = arguments["after"] = Meter(settings.limits)
    if watch is not None:
        watch(meter.deadline)
    return arguments


def _rest(document: Document, context: Context) -> Document | None:
    """What can be read of a document in which the dialect has found mistakes of structure."""
    source, language = document.source, context.language
    if source.format == "text" or context.meter.ended is not None:
        return None
    if any(item.code in _UNREADABLE for item in context.diagnostics):
        return None
    unheard = Diagnostics(1)
    try:
        nodes = read_documents(source, language.split, language.opener, context.meter, unheard)
    except (FunctionError, Stop):
        return None
    parts = [document.evolve(root=node) for node in nodes or () if isinstance(node, Map)]
    if len(parts) < 2:
        return parts[0] if parts else None
    return parts[0].evolve(parts=tuple(parts))


def rendered(
    analysis: Analysis, arguments: Mapping[str, Any], watch: Watch | None = None
) -> Analysis:
    """The same analysis with a render of its text; `arguments` are those of `render`."""
    shapes = analysis.context.language.used()
    given = left_open(dict(arguments), analysis.document, analysis.context)
    named = {**given, "shapes": shapes, "dialect": analysis.dialect}
    run = render(analysis.source, **_limited(named, watch))
    computed = analysis.computed
    if run.ok:
        computed = Computed(run, analysis.source, given.get("given") is not arguments.get("given"))
    return analysis.evolve(run=run, computed=computed)
