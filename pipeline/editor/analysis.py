"""What is known of one version of a text: its tree, its mistakes, and what it renders to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from lsprotocol.types import PositionEncodingKind

from ...functions.record import Record, field
from ..answers.inspection import top_level
from ..answers.levels import Level
from ..engine.lints import Rules
from ..engine.run import Context, Dialect, Run
from ..rendering import checked, prepare, render
from ..values.diagnostics import Diagnostics
from ..values.document import Document
from ..values.source import Source
from ..values.tree import Map
from .computed import Computed
from .coordinates import Coordinates
from .inputs import left_open


class Analysis(Record, eq=False):
    """A version of a text, checked.

    `documents` are the trees of what was read, by name of their source: this text, and those that
    it includes. `run` is the render with the inputs that the user has chosen, None as long as there
    is none. `good` is the last analysis of the text in which it could be read: this one, or an
    earlier one while the text is broken; its offsets are those of its own source. `computed` has
    the values of the last version that could be rendered.
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
    computed: Computed | None = field(default=None, repr=False)

    @property
    def document(self) -> Document | None:
        """The tree of this text as it was read, None while the text is broken."""
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


def analyse(
    uri: str,
    version: int,
    source: Source,
    arguments: Mapping[str, Any],
    rules: Rules,
    earlier: Analysis | None = None,
    units: PositionEncodingKind | str = PositionEncodingKind.Utf16,
) -> Analysis:
    """Checks a text; `arguments` are those of `prepare`."""
    shapes = earlier.context.language.shapes if earlier is not None else None
    context, document = prepare(source, **{"shapes": shapes, **arguments})
    context = context.evolve(documents=[])
    found = checked(document, context, rules)
    read = {one.source.name: one for one in context.documents or ()}
    return Analysis(
        uri,
        version,
        source,
        context.dialect,
        context,
        found,
        read,
        units,
        earlier=earlier.good if earlier is not None else None,
        computed=earlier.computed if earlier is not None else None,
    )


def rendered(analysis: Analysis, arguments: Mapping[str, Any]) -> Analysis:
    """The same analysis with a render of its text; `arguments` are those of `render`."""
    shapes = analysis.context.language.shapes
    given = left_open(dict(arguments), analysis.document, analysis.context)
    run = render(analysis.source, **{**given, "shapes": shapes, "dialect": analysis.dialect})
    computed = analysis.computed
    if run.ok:
        computed = Computed(run, analysis.source, given.get("given") is not arguments.get("given"))
    return analysis.evolve(run=run, computed=computed)
