"""`why` in blueprints: causes, removed parts, and the secrets that no answer may show."""

from __future__ import annotations

from collections.abc import Iterator

from .....functions.values import NONE
from ....answers.explanation import Cause, Departure
from ....answers.levels import Gone
from ....answers.nodes import chain
from ....answers.paths import Path, path_text
from ....engine.materialisation import MASK, flag_of
from ....engine.run import Run
from ....language.errors import Failure
from ....values.tree import AnyNode, Array, Map, Scalar
from ..evaluating.evaluation import Evaluation
from ..evaluating.scope import Frame
from .causes import BlueprintLevel, Causes, answered_by, causes_at, is_field


def find_gone(level: BlueprintLevel, path: Path) -> Gone | None:
    """Why a path of a document is not in its output; None if no stage had it."""
    frame = level.frame_of(path)
    if frame is not None and frame.index >= level.count(frame.template):
        return None
    last, stage = level.last_form(path)
    if last is None:
        return _indexed(level, path)
    if not stage:  # another part of the same name took its place
        return None
    if path[0] == "resources" and len(path) > 1:
        return _resource(level, path, stage, last, frame)
    found = _of_section(level, path, stage)
    if found is not None:
        return Gone(found, last)
    return level.computed_away(path, stage, last)


def _indexed(level: BlueprintLevel, path: Path) -> Gone | None:
    """`resources.queue[0]`: an instance as references name it."""
    if path[0] != "resources" or len(path) < 3 or not isinstance(path[2], int):
        return None
    template = level.definition("resources", str(path[1]))
    if template is None or template.get("each") is None:
        return None
    now = ("resources", f"{path[1]}_{path[2]}", *path[3:])
    if path[2] >= level.count(str(path[1])):
        return None
    if len(chain(level.document.root, now)[0]) < len(now):
        found = find_gone(level, now)
        return found.evolve(path=now) if found is not None else None
    reason = f"an instance of `{path[1]}` has a name of its own in the output"
    return Gone(Departure("each", reason, (path_text(now),)), template, path=now)


def _resource(
    level: BlueprintLevel, path: Path, stage: str, last: AnyNode, frame: Frame | None
) -> Gone | None:
    name = str(path[1])
    evaluation = level.evaluation
    definition = level.definition("resources", frame.template if frame else name)
    if definition is None:
        return Gone(_transformed(level, name, stage), last)
    if evaluation is None:
        return Gone(_plainly(stage), last)
    condition = definition.get("condition")
    if _dead(evaluation, frame.template if frame else name, frame):
        reason = f"the condition of `{frame.template if frame else name}` is false"
        if frame:
            reason += f" for element {frame.index}"
        return Gone(Departure(stage, reason), condition or last, condition)
    if frame is None and definition.get("each") is not None and name not in _resources(level):
        return Gone(_expanded(level, path, stage), last, definition.get("each"))
    field = path[2] if len(path) > 2 else ""
    if field == "each":
        reason = "the instances of the template are made, one for each element"
        return Gone(Departure(stage, reason), last, definition.get("each"))
    if field == "condition":
        reason = "the condition is true, so the resource stays and its condition goes"
        return Gone(Departure(stage, reason), last, condition)
    if field == "dependsOn" or path[2:4] == ("linkSelector", "exclude"):
        reason = "what it names is not part of this render"
        return Gone(Departure(stage, reason), last)
    return level.computed_away(path, stage, last)


def _resources(level: BlueprintLevel) -> dict[str, AnyNode]:
    found = level.document.section("resources")
    return found.items if found is not None else {}


def _dead(evaluation: Evaluation, name: str, frame: Frame | None) -> bool:
    try:
        return evaluation.alive(name, frame) is False
    except Failure:
        return False


def _expanded(level: BlueprintLevel, path: Path, stage: str) -> Departure:
    name = str(path[1])
    count = level.count(name)
    made = [f"{name}_{index}" for index in range(count)]
    now = tuple(
        path_text(("resources", one, *path[2:])) for one in made if one in _resources(level)
    )
    if not count:
        return Departure(stage, f"`{name}` is a template, and its list has no elements")
    reason = f"`{name}` is a template: its instances stand in its place"
    return Departure(stage, reason, now)


def _transformed(level: BlueprintLevel, name: str, stage: str) -> Departure:
    """A resource that a transform replaced, with what it made at the same place."""
    before = next((d.root for s, d in level.stages if _has_resource(d.root, name)), None)
    old = before.get("resources") if before is not None else None
    node = old.get(name) if isinstance(old, Map) else None
    now = []
    if isinstance(old, Map) and node is not None:
        now = [
            path_text(("resources", key))
            for key, made in _resources(level).items()
            if key not in old.items
            and made.trail.source is node.trail.source
            and node.start <= made.start
            and made.end <= node.end
        ]
    named = ", ".join(f"`{one}`" for one in transforms_of(level))
    return Departure(stage, f"the transform {named} replaced it", tuple(now))


def _has_resource(root: Map, name: str) -> bool:
    found = root.get("resources")
    return isinstance(found, Map) and name in found.items


def transforms_of(level: BlueprintLevel) -> list[str]:
    """The names of the transforms that a document asked for."""
    node = level.stages[0][1].root.get("transform") if level.stages else None
    items = node.items if isinstance(node, Array) else [node]
    return [str(item.value) for item in items if isinstance(item, Scalar)]


def _of_section(level: BlueprintLevel, path: Path, stage: str) -> Departure | None:
    """A reason that follows from the section and what was computed of the element."""
    evaluation = level.evaluation
    section = path[0]
    name = str(path[1]) if len(path) > 1 else ""
    if section == "transform":
        return Departure(stage, "the transforms that it names have run")
    if evaluation is None:
        return None
    if section == "variables":
        left = level.document.section("variables")
        if left is not None and name in left.items and len(path) > 2:
            reason = "the variable is an input of the deployment, which has no default for it"
            return Departure(stage, reason)
        what = f"`variables.{name}`" if name else "a variable"
        reason = f"nothing in the output refers to {what}: its value stands where it was used"
        return Departure(stage, reason)
    if section == "datasources":
        names = [name] if name else list(_names(level.base, "datasources"))
        answers = {one: answered_by(level, one) for one in names}
        if answers and all(answers.values()):
            who = ", ".join(dict.fromkeys(str(answer) for answer in answers.values()))
            reason = f"it was answered by {who}, so its values stand where they were used"
            return Departure(stage, reason)
    if section == "values" and name and _is_none(evaluation, name):
        return Departure(stage, f"the value `{name}` is none, and what is none is left out")
    if section == "exports" and name:
        left = level.document.section("exports")
        if left is None or name not in left.items:
            return Departure(stage, f"what `{name}` exports is none, and what is none is left out")
        if path[2:] == ("field",):
            reason = "its value is known, and the output has nothing that the field could refer to"
            return Departure(stage, reason)
    return None


def _names(root: Map, section: str) -> Iterator[str]:
    found = root.get(section)
    return iter(found.items if isinstance(found, Map) else ())


def _is_none(evaluation: Evaluation, name: str) -> bool:
    try:
        return evaluation.value(name) is NONE
    except Failure:
        return False


def _plainly(stage: str) -> Departure:
    return Departure(stage, f"the stage `{stage}` left it out")


_SECRET_PARTS = {"variables": ("default", "allowedValues"), "values": ("value",)}


def level_of_run(run: Run) -> BlueprintLevel:
    """The main blueprint of a run that has a result."""
    assert run.document is not None
    return ExplainedBlueprint(run.document, run.stages, run, work=run.work)


class ExplainedBlueprint(BlueprintLevel, eq=False):
    """A blueprint of a run with the answers of `why`."""

    def causes(self, path: Path, written: AnyNode | None) -> tuple[Cause, ...]:
        return causes_at(self, path, written)

    def gone(self, path: Path) -> Gone | None:
        return find_gone(self, path)

    def causes_of_gone(self, path: Path, gone: Gone) -> tuple[Cause, ...]:
        frame = self.frame_of(path)
        return Causes().of_node(self, gone.decided_by, frame, self.is_secret(path))

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
        frame = self.frame_of(path)
        template = frame.template if frame is not None else str(path[1]) if len(path) > 1 else ""
        definition = self.definition("resources", template)
        if path[0] != "resources" or definition is None or definition.get("each") is None:
            return None
        count = self.count(template)
        return f"the list of `{template}` has {count} element{'' if count == 1 else 's'}"

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
        if self.reveals:
            return self.document.root
        return _masked(self.redacted(self.document).root, self)


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
