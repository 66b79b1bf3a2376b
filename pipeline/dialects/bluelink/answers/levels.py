"""The documents of a run of a blueprint: the main one and its children."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Self

from .....functions.record import field
from ....answers.levels import Level
from ....answers.nodes import child_counterpart
from ....answers.paths import Path
from ....engine.context import Work
from ....language.errors import Failure
from ....values.source import Span
from ....values.tree import AnyNode, Map, Scalar
from ..evaluating.evaluation import Evaluation
from ..evaluating.scope import Frame


class BlueprintLevel(Level, eq=False):
    """One blueprint of a run; `parent` is the level that includes it, `work` that of its run."""

    parent: BlueprintLevel | None = None
    work: Work = field(factory=Work)

    @property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the document; None when the run stopped before."""
        return self.work.find(Evaluation)

    @property
    def reveals(self) -> bool:
        """See `Level.reveals`."""
        return self.evaluation is not None and self.evaluation.reveal

    @property
    def base(self) -> Map:
        """See `Level.base`: the tree after the transforms."""
        if self.work.written is not None:
            return self.work.written.root
        return self.stages[-1][1].root if self.stages else self.document.root

    @property
    def functions(self) -> Container[str]:
        """See `Level.functions`."""
        return self.evaluation.context.functions if self.evaluation is not None else ()

    @property
    def included(self) -> tuple[Span, ...]:
        """See `Level.included`."""
        if self.evaluation is None:
            return ()
        return tuple(step.span for step in self.evaluation.context.way)

    # ---------------------------------------------------------------- children and instances

    def child(self, name: str) -> Self | None:
        """The level of a child blueprint that was opened."""
        child = self.document.children.get(name)
        if child is None:
            return None
        work = self.work.child(name) or Work()
        way = (*self.way, name)
        return type(self)(child, tuple(work.stages), self.run, way=way, parent=self, work=work)

    def inside(self, path: Path) -> tuple[Self, Path]:
        """See `Level.inside`; of a path to a child's document itself nothing is left."""
        level: Self = self
        while len(path) > 1 and path[0] == "children":
            child = level.child(str(path[1]))
            if child is None:
                break
            level, path = child, path[2:]
        return level, path

    def all(self) -> Iterator[Level]:
        """See `Level.all`."""
        yield self
        for name in self.document.children:
            child = self.child(name)
            if child is not None:
                yield from child.all()

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

    def earlier(self, path: Path) -> Path:
        """See `Level.earlier`: an instance was its template."""
        frame = self.frame_of(path)
        return path if frame is None else (path[0], frame.template, *path[2:])

    def origin(
        self, above: AnyNode | None, key: str, node: AnyNode
    ) -> tuple[AnyNode | None, Level | None]:
        """See `Level.origin`: of a section, a resource or a child."""
        if above is None:
            child = self.child(key)
            return (child.base, child) if child is not None else (None, None)
        if above is self.base:
            if key == "children":
                return None, self
            return child_counterpart(above, key, node), self if key == "resources" else None
        frame = self.frame_of(("resources", key))
        if frame is not None:
            return self.definition("resources", frame.template), None
        return child_counterpart(above, key, node), None

    def reference(self, above: AnyNode | None, key: str, written: AnyNode) -> str | None:
        """See `Level.reference`: the value of an export comes from its field."""
        if key != "value" or not isinstance(above, Map) or above.get("field") is not written:
            return None
        return str(written.value) if isinstance(written, Scalar) else None
