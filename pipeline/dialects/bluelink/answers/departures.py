"""Why a part of a blueprint is not in its output, and at which stage it went."""

from __future__ import annotations

from collections.abc import Iterator

from .....functions.values import NONE
from ....answers.explanation import Departure
from ....answers.levels import Gone
from ....answers.nodes import chain, node_at
from ....answers.paths import Path, path_text
from ....language.errors import Failure
from ....values.tree import AnyNode, Array, Map, Scalar
from ..evaluating.evaluation import Evaluation
from ..evaluating.scope import Frame
from .causes import answered_by
from .levels import BlueprintLevel


def find_gone(level: BlueprintLevel, path: Path) -> Gone | None:
    """Why a path of a document is not in its output; None if no stage had it."""
    frame = level.frame_of(path)
    if frame is not None and frame.index >= level.count(frame.template):
        return None
    last: AnyNode | None = None
    stage = ""
    for name, document in level.stages:
        node = node_at(document.root, path, level.earlier(path))
        if node is not None:
            last, stage = node, ""
        elif last is not None and not stage:
            stage = name
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


# --- resources ----------------------------------------------------------------------------------


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


# --- other sections -----------------------------------------------------------------------------


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
