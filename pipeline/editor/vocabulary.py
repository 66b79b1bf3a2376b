"""The names that documents give to things, as they were at the last look."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from typing import Final
from weakref import WeakKeyDictionary

from ...functions.values import FunctionError
from ..answers.inspection import inspection_of
from ..answers.offers import sorted_names
from ..engine.run import Run, Work
from ..values.document import Document
from ..values.tree import Map, Trail
from .analysis import Analysis

_MOST: Final = 50_000
_A_LOOK: Final = 256


class Vocabulary:
    """The names in a document by kind, each found when it is first asked for.

    What a render has found out is not found out again. `earlier` has the names for a text in which
    none can be found.
    """

    def __init__(
        self, analysis: Analysis, run: Run | None, earlier: Vocabulary | None = None
    ) -> None:
        self._earlier = earlier
        self._inspection = inspection_of(analysis.dialect)
        source, context = analysis.source, analysis.context
        folder = os.path.dirname(source.path) if source.path else ""
        unread = Document(Map({}, {}, Trail(source), 0, 0), source, folder)
        self._document = analysis.document or unread
        told = context.diagnostics.beside()
        work = run.work if run is not None else Work()
        self._context = context.evolve(work=work, diagnostics=told, documents=None, opened=[])
        self._known: dict[str, list[str]] = {}

    def of(self, kind: str, unwanted: Callable[[], bool] = lambda: False) -> list[str]:
        """The names of a kind, sorted; none when there are none, or the text cannot be read.

        They are found only as long as they are not `unwanted`.
        """
        if kind not in self._known:
            find = self._inspection.names.get(kind)
            found: list[str] = []
            try:
                for name in islice(find(self._document, self._context) if find else (), _MOST):
                    found.append(name)
                    if len(found) % _A_LOOK == 0 and unwanted():
                        return []
            except FunctionError:  # a limit
                found = []
            names = sorted_names(one for one in found if one.isprintable())
            if not names and self._earlier is not None:
                names = self._earlier.of(kind)
            self._known[kind] = names
        return self._known[kind]


_KNOWN: Final[WeakKeyDictionary[Run | Analysis, Vocabulary]] = WeakKeyDictionary()


def names_of(analysis: Analysis) -> Vocabulary:
    """The names of the last version of a text that could be read, or of the last one rendered."""
    good = analysis.good or analysis
    computed = good.computed.run if good.computed is not None else None
    run = computed if good.run is None else good.run
    earlier = None
    if computed is not None and computed is not run:
        earlier = _KNOWN.get(computed) or Vocabulary(good, computed)
    key = good if run is None else run
    found = _KNOWN.get(key)
    if found is None:
        found = _KNOWN[key] = Vocabulary(good, run, earlier)
    return found
