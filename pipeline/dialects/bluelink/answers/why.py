"""`why` in blueprints: causes, removed parts, and the secrets that no answer may show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....answers.explanation import Cause
from ....answers.levels import Gone
from ....answers.paths import Path
from ....answers.tracing import ABSENT
from ....engine.materialisation import MASK, flag_of
from ....engine.run import Run
from ....values.source import Span
from ....values.tree import AnyNode, Map, Scalar, Template
from .causes import Causes, causes_at, is_field, trace
from .departures import find_gone, transforms_of
from .levels import BlueprintLevel

_SECRET_PARTS = {"variables": ("default", "allowedValues"), "values": ("value",)}


def level_of_run(run: Run) -> BlueprintLevel:
    """The main blueprint of a run that has a result."""
    assert run.document is not None
    return ExplainedBlueprint(run.document, run.stages, run, work=run.work)


class ExplainedBlueprint(BlueprintLevel, eq=False):
    """A blueprint of a run with the answers of `why`."""

    def causes(self, path: Path, written: AnyNode | None) -> tuple[Cause, ...]:
        """See `Level.causes`."""
        return causes_at(self, path, written)

    def gone(self, path: Path) -> Gone | None:
        """See `Level.gone`."""
        return find_gone(self, path)

    def causes_of_gone(self, path: Path, gone: Gone) -> tuple[Cause, ...]:
        """See `Level.causes_of_gone`."""
        frame = self.frame_of(path)
        return Causes().of_node(self, gone.decided_by, frame, self.is_secret(path))

    def value_at(self, path: Path, written: Template) -> Any:
        """See `Level.value_at`."""
        if self.evaluation is None:
            return ABSENT
        return trace(self.evaluation, written, self.frame_of(path)).value

    def made(
        self, path: Path, nodes: list[AnyNode], written: AnyNode | None
    ) -> tuple[str, str] | None:
        """See `Level.made`: documents of children, what transforms made, values of exports."""
        if not path:
            return "child", f"the document of the child `{self.way[-1]}`"
        if self._is_by_transform(path):
            named = ", ".join(f"`{one}`" for one in transforms_of(self))
            return "transform", f"made by the transform {named} from what stands there"
        if isinstance(written, Scalar) and path[-1] == "value" and is_field(self, path, written):
            return "reference", "what the field there refers to"
        return None

    def _is_by_transform(self, path: Path) -> bool:
        """True for a part of a resource that only a transform made."""
        if path[0] != "resources" or len(path) < 2 or not transforms_of(self):
            return False
        section = self.stages[0][1].root.get("resources")
        return isinstance(section, Map) and str(self.earlier(path)[1]) not in section.items

    def hint(self, path: Path) -> str | None:
        """See `Level.hint`: for an instance beyond the last, `resources.queue_9`, `.queue[9]`."""
        frame = self.frame_of(path)
        template = frame.template if frame is not None else str(path[1]) if len(path) > 1 else ""
        definition = self.definition("resources", template)
        if path[0] != "resources" or definition is None or definition.get("each") is None:
            return None
        count = self.count(template)
        return f"the list of `{template}` has {count} element{'' if count == 1 else 's'}"

    # ---------------------------------------------------------------- secrets

    def is_secret(self, path: Path) -> bool:
        """See `Level.is_secret`: in definitions of secrets, and given to secrets by includes."""
        if self.reveals or len(path) < 3:
            return False
        section, name, part = path[:3]
        if section == "include" and part == "variables":
            return len(path) > 3 and str(path[3]) in _secret_inputs(self, str(name))
        if part not in _SECRET_PARTS.get(str(section), ()):
            return False
        definition = self.definition(str(section), str(name))
        return definition is not None and flag_of(definition.get("secret"))

    def masked(self) -> Map:
        """See `Level.masked`."""
        if self.reveals:
            return self.document.root
        return _masked(self.redacted(self.document).root, self)

    def withheld_places(self) -> Iterator[Span]:
        """See `Level.withheld_places`: where includes give something to secrets of children."""
        if self.reveals:
            return
        for name in self.document.children:
            child = self.child(name)
            include = self.definition("include", name)
            variables = include.get("variables") if include is not None else None
            if isinstance(variables, Map):
                for key in _secret_inputs(self, name):
                    node = variables.get(key)
                    if node is not None:
                        yield node.span
            if child is not None:
                yield from child.withheld_places()


def _secret_inputs(level: BlueprintLevel, name: str) -> set[str]:
    """The variables of a child that are secrets."""
    child = level.child(name)
    if child is None or child.evaluation is None:
        return set()
    return {key for key, one in child.evaluation.variables.items() if one.secret}


def _masked(root: Map, level: BlueprintLevel) -> Map:
    """The tree with masks for what includes give to secrets as text."""
    include = root.get("include")
    if isinstance(include, Map):
        items: dict[str, AnyNode] = {
            name: _masked_include(node, _secret_inputs(level, name))
            for name, node in include.items.items()
        }
        root = root.replacing({**root.items, "include": include.replacing(items)})
    children = root.get("children")
    if isinstance(children, Map):
        inner: dict[str, AnyNode] = {}
        for name, node in children.items.items():
            child = level.child(name)
            if child is not None and isinstance(node, Map):
                node = _masked(node, child)
            inner[name] = node
        root = root.replacing({**root.items, "children": children.replacing(inner)})
    return root


def _masked_include(node: AnyNode, secrets: set[str]) -> AnyNode:
    variables = node.get("variables") if isinstance(node, Map) else None
    if not isinstance(node, Map) or not isinstance(variables, Map) or not secrets:
        return node
    items: dict[str, AnyNode] = {
        key: Scalar(MASK, item.trail, item.start, item.end)
        if key in secrets and isinstance(item, Scalar)
        else item
        for key, item in variables.items.items()
    }
    return node.replacing({**node.items, "variables": variables.replacing(items)})
