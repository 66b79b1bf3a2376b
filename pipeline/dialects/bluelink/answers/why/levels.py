"""The documents of a run: the main blueprint and its children, each with what is known of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ......functions.record import Record, field
from .....answers.paths import Path
from .....engine.dialect import inspection_of
from .....engine.work import Work
from .....language.errors import Failure
from .....values.document import Document
from .....values.tree import AnyNode, Map
from ...evaluating.evaluation import Evaluation
from ...evaluating.scope import Frame

if TYPE_CHECKING:
    from .....answers.explanation import Cause, ResultTree
    from .....engine.run import Run
    from .....language.language import Language


class Level(Record, eq=False):
    """One document of a run.

    `document` is what came of it, `stages` what each stage made of it, `way` the names of the
    includes that lead to it from the main blueprint, `parent` the level that includes it, `work`
    what was computed of it.

    Dialects whose documents are no blueprints say what was written, tell the causes of what stands
    at a path from what was written there, and have a level for each part of a document.
    """

    document: Document
    stages: tuple[tuple[str, Document], ...]
    language: Language
    way: tuple[str, ...] = ()
    parent: Level | None = None
    written: Map | None = None
    tell: Callable[[Path, AnyNode | None], tuple[Cause, ...]] | None = None
    parts: tuple[Level, ...] = ()
    work: Work = field(factory=Work)

    @property
    def evaluation(self) -> Evaluation | None:
        """What was computed of the document; None when the run stopped before."""
        return self.work.find(Evaluation)

    @property
    def reveals(self) -> bool:
        """True when the run shows secrets."""
        return self.evaluation is not None and self.evaluation.reveal

    @property
    def base(self) -> Map:
        """The tree as it was before anything was computed."""
        if self.written is not None:
            return self.written
        if self.work.written is not None:
            return self.work.written.root
        return self.stages[-1][1].root if self.stages else self.document.root

    def child(self, name: str) -> Level | None:
        """The level of a child blueprint that was opened."""
        child = self.document.children.get(name)
        if child is None:
            return None
        work = self.work.child(name) or Work()
        way = (*self.way, name)
        return Level(child, tuple(work.stages), self.language, way, self, work=work)

    def definition(self, section: str, name: str) -> Map | None:
        """A definition of the document before anything was computed."""
        found = self.base.get(section)
        node = found.get(name) if isinstance(found, Map) else None
        return node if isinstance(node, Map) else None

    def frame_of(self, path: Path) -> Frame | None:
        """The template and the index of an instance, `resources.<template>_<index>`, or None.

        The index may lie beyond the last element.
        """
        if len(path) < 2 or path[0] != "resources":
            return None
        name = str(path[1])
        if self.definition("resources", name) is not None:
            return None
        template, _, digits = name.rpartition("_")
        number = digits.isascii() and digits.isdigit() and str(int(digits)) == digits
        found = self.definition("resources", template) if number else None
        if found is None or found.get("each") is None:
            return None
        return Frame(template, int(digits))

    def count(self, template: str) -> int:
        """How many elements a resource template has; 0 when that was not computed."""
        try:
            return len(self.evaluation.elements(template)) if self.evaluation else 0
        except Failure:
            return 0


def top_level(run: Run) -> Level:
    """The main document of a run that has a result."""
    assert run.document is not None
    answer = inspection_of(run.dialect).level
    if answer is not None:
        return _level(answer(run), run.language)
    return Level(run.document, run.stages, run.language, work=run.work)


def _level(tree: ResultTree, language: Language) -> Level:
    """The level of a document of a dialect that has no blueprints."""
    return Level(
        tree.document,
        tree.stages,
        language,
        written=tree.written,
        tell=tree.causes,
        parts=tuple(_level(part, language) for part in tree.parts),
    )


def level_of(run: Run, path: Path) -> tuple[Level, Path]:
    """The innermost document that a path leads into, and the rest of the path there.

    Nothing is left of a path to a child's document itself.
    """
    level = top_level(run)
    while len(path) > 1 and path[0] == "children":
        child = level.child(str(path[1]))
        if child is None:
            break
        level, path = child, path[2:]
    return level, path
