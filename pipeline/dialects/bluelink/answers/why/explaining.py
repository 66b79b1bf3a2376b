"""The front door for the question where a part of an output comes from: `why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....answers.explanation import GONE, SECRET, Cause, Change, Explanation
from .....answers.paths import Path, PathProblem, WrittenPath, parse_path, path_text
from .....answers.values import node_text, plain_node, status_of_node
from .....engine.materialisation import MASK
from .....values.diagnostics import Diagnostic, meant
from .....values.source import Span
from .....values.stack import with_stack_room
from .....values.tree import AnyNode, Array, Map, Scalar, Template
from ...evaluating.scope import Frame
from ...secrets.secrecy import redacted
from .causes import Causes
from .departures import find_gone, transforms_of
from .levels import Level, level_of, top_level
from .nodes import chain, counterpart, same_place
from .withholding import holds_secret, without_secrets

if TYPE_CHECKING:
    from .....engine.run import Run


@with_stack_room
def why(run: Run, path: str) -> Explanation:
    """Where a path of a run's output comes from.

    `path` is written as the language writes references, `resources.api.spec.ports[0]["a.b"]`, with
    `children.<name>` in front for what is in a child blueprint; a JSON pointer (`/resources/api`)
    will do as well. For a path that a stage removed the answer says which and why. Secrets are
    withheld, unless the run reveals them.

    Raises:
        ValueError: when the run has no result.
        PathProblem: a ValueError with a `diagnostic`, when the path cannot be read, or leads to
            nothing that the output has or a stage had.
    """
    if run.document is None:
        raise ValueError("the run has no result; see its diagnostics")
    written = parse_path(path, run.language.opener)
    items, nodes = chain(without_secrets(top_level(run)), written.items)
    level, rest = level_of(run, written.items)
    start = len(written.items) - len(rest)
    if len(items) < len(written.items):
        gone = _gone(level, rest, written)
        if gone is None:
            raise _nothing(written, items, nodes[-1], level)
        return gone
    found = _found(level, items[start:], nodes[start:], path_text(items))
    return found.evolve(included=_included(level))


def _found(level: Level, path: Path, nodes: list[AnyNode], shown: str) -> Explanation:
    node = nodes[-1]
    frame = level.frame_of(path)
    written = counterpart(level.base, path, nodes, frame)
    withheld = holds_secret(level, path)
    causes = Causes()
    told: tuple[Cause, ...]
    if level.tell is not None:
        told = level.tell(path, written)
    elif isinstance(written, Scalar):
        told = causes.of_field(level, written) if _is_field(level, path, written) else ()
    else:
        told = causes.of_node(level, written, frame, withheld)
    if isinstance(written, Map) and len(path) == 2 and path[0] == "exports":
        told = (*causes.of_field(level, written.get("field")), *told)
    masked = isinstance(node, Scalar) and node.value == MASK and withheld
    kind, made = _made(level, path, nodes, written, frame)
    return Explanation(
        path=shown,
        status=SECRET if masked else status_of_node(node),
        kind=kind,
        made=made,
        value=None if masked else plain_node(node, level.language),
        span=_span(path, nodes, frame),
        own=not _is_part(nodes) and (written is None or same_place(node, written)),
        way=level.way,
        steps=node.trail.steps,
        changes=_changes(level, path, nodes, frame, withheld),
        causes=told,
    )


def _gone(level: Level, path: Path, written: WrittenPath) -> Explanation | None:
    gone = find_gone(level, path)
    if gone is None:
        return None
    prefix: Path = tuple(item for name in level.way for item in ("children", name))
    departure = gone.departure
    now = tuple(f"{path_text(prefix)}.{one}" if prefix else one for one in departure.now)
    path = gone.path or path
    frame = level.frame_of(path)
    withheld = holds_secret(level, path)
    return Explanation(
        path=path_text(written.items),
        status=GONE,
        kind=GONE,
        made=f"the stage `{departure.stage}` removed it",
        span=gone.node.span,
        way=level.way,
        included=_included(level),
        steps=gone.node.trail.steps,
        changes=_changes_by_name(level, path, frame, withheld),
        causes=level.tell(path, gone.decided_by or gone.node)
        if level.tell is not None
        else Causes().of_node(level, gone.decided_by, gone.frame or frame, withheld),
        departure=departure.evolve(now=now),
    )


def _nothing(written: WrittenPath, items: Path, last: AnyNode, level: Level) -> PathProblem:
    """The problem of a path that leads nowhere, at the first item that does not exist."""
    item = written.items[len(items)]
    where = f"in `{path_text(items)}`" if items else "in the output"
    known = list(last.items) if isinstance(last, Map) else []
    if isinstance(last, Map):
        summary = f"there is no `{item}` {where}"
    elif isinstance(last, (Scalar, Template)):
        summary = f"`{path_text(items)}` is a single value, so it has no {_item(item)}"
    else:
        count = len(last.items)
        elements = f"{count} element{'' if count == 1 else 's'}"
        summary = f"`{path_text(items)}` has {elements}, so it has no {_item(item)}"
    hint = _instances(level, written.items[len(items) - 1 :]) or meant(str(item), known)
    if hint is None and not items and isinstance(last, Map):
        hint = _below_a_section(str(item), last)
    if hint is None and 0 < len(known) <= 12:
        hint = "it has " + ", ".join(f"`{name}`" for name in known)
    return PathProblem(
        Diagnostic("output_path_not_found", summary, written.span(len(items)), hint=hint)
    )


def _instances(level: Level, path: Path) -> str | None:
    """The hint for an instance beyond the last element: `resources.queue_9`, `.queue[9]`."""
    frame = level.frame_of(path)
    template = frame.template if frame is not None else str(path[1]) if len(path) > 1 else ""
    definition = level.definition("resources", template)
    if path[0] != "resources" or definition is None or definition.get("each") is None:
        return None
    count = level.count(template)
    return f"the list of `{template}` has {count} element{'' if count == 1 else 's'}"


def _item(item: str | int) -> str:
    return f"element {item}" if isinstance(item, int) else f"`{item}`"


def _below_a_section(name: str, root: Map) -> str | None:
    """The hint for a path that leaves its section out."""
    for section, node in root.items.items():
        if isinstance(node, Map) and name in node.items:
            return f"a path begins with a section: `{path_text((section, name))}`"
    return None


def _span(path: Path, nodes: list[AnyNode], frame: Frame | None) -> Span:
    """The place of a node; that of an object or an array begins at its key."""
    node = nodes[-1]
    above = nodes[-2] if len(nodes) > 1 else None
    if isinstance(node, (Map, Array)) and isinstance(above, Map):
        key = frame.template if frame is not None and len(path) == 2 else str(path[-1])
        start = above.places.get(key)
        same = above.trail.source is node.trail.source
        if same and start is not None and start < node.start:
            return Span(node.trail.source, start, node.end)
    return node.span


def _is_field(level: Level, path: Path, written: AnyNode | None) -> bool:
    """True for the field of an export, from which its value comes as well."""
    if len(path) != 3 or path[0] != "exports":
        return False
    definition = level.definition("exports", str(path[1]))
    return definition is not None and written is definition.get("field")


def _is_part(nodes: list[AnyNode]) -> bool:
    """True for a part of what was computed as a whole, which has the place of the whole."""
    return len(nodes) > 1 and same_place(nodes[-1], nodes[-2])


# --- how it came about --------------------------------------------------------------------------


def _made(
    level: Level, path: Path, nodes: list[AnyNode], written: AnyNode | None, frame: Frame | None
) -> tuple[str, str]:
    """The kind of an explanation, and the same in words."""
    node = nodes[-1]
    if not path:
        return "child", f"the document of the child `{level.way[-1]}`"
    if _by_transform(level, path, frame):
        named = ", ".join(f"`{one}`" for one in transforms_of(level))
        return "transform", f"made by the transform {named} from what stands there"
    if written is None:
        return "stage", f"made by the stage `{node.trail.steps[-1]}`"
    if isinstance(written, Template):
        if _is_part(nodes):
            return "part", "a part of what is computed from the text there"
        if isinstance(node, Template) and _text(level, node) == _text(level, written):
            return "template", "left as it is written there"
        return "template", "computed from the text there"
    if path[-1] == "value" and _is_field(level, path, written):
        return "reference", "what the field there refers to"
    if isinstance(written, Scalar):
        same = isinstance(node, Scalar) and node.value == written.value
        return "written", "written there as it is" if same else "made from what is written there"
    if node is written:
        return "written", "written there as it is"
    return "mixed", "written there, with parts that are computed"


def _text(level: Level, node: Template) -> str:
    return level.language.template(node)


def _by_transform(level: Level, path: Path, frame: Frame | None) -> bool:
    """True for what lies in a resource that no one wrote."""
    if path[0] != "resources" or len(path) < 2 or not transforms_of(level):
        return False
    section = level.stages[0][1].root.get("resources")
    name = frame.template if frame else str(path[1])
    return isinstance(section, Map) and name not in section.items


def _changes(
    level: Level, path: Path, nodes: list[AnyNode], frame: Frame | None, withheld: bool
) -> tuple[Change, ...]:
    """What each stage that changed it made of a path."""
    found = []
    for stage, document in level.stages:
        root = document.root if level.reveals else redacted(document).root
        found.append((stage, counterpart(root, path, nodes, frame)))
    return _told(found, level, withheld)


def _changes_by_name(
    level: Level, path: Path, frame: Frame | None, withheld: bool
) -> tuple[Change, ...]:
    found: list[tuple[str, AnyNode | None]] = []
    for stage, document in level.stages:
        root = document.root if level.reveals else redacted(document).root
        items, nodes = chain(root, path)
        if len(items) < len(path) and frame is not None and len(items) < 2:
            items, nodes = chain(root, ("resources", frame.template, *path[2:]))
        found.append((stage, nodes[-1] if len(items) == len(path) else None))
    return _told(found, level, withheld)


def _told(
    found: list[tuple[str, AnyNode | None]], level: Level, withheld: bool
) -> tuple[Change, ...]:
    changes: list[Change] = []
    before: str | None = None
    for stage, node in found:
        text = None if node is None else node_text(node, level.language)
        if text != before:
            changes.append(Change(stage, MASK if withheld and text is not None else text))
        before = text
    return tuple(changes)


def _included(level: Level) -> tuple[Span, ...]:
    if level.evaluation is None:
        return ()
    return tuple(step.span for step in level.evaluation.context.way)
