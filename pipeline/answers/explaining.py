"""The front door `why`: where a part of an output comes from, in any dialect."""

from __future__ import annotations

from ..engine.materialisation import MASK
from ..engine.run import Run
from ..values.diagnostics import Diagnostic, meant
from ..values.source import Span
from ..values.threads import with_stack_room
from ..values.tree import AnyNode, Array, Map, Scalar, Template
from .explanation import GONE, SECRET, Change, Explanation
from .inspection import top_level
from .levels import Level
from .nodes import chain, counterpart, node_at, same_place
from .paths import Path, PathProblem, WrittenPath, parse_path, path_text
from .values import node_text, plain_node, status_of_node


@with_stack_room
def why(run: Run, path: str) -> Explanation:
    """Where a path of a run's output comes from.

    `path` is written as the language writes references, `resources.api.spec.ports[0]["a.b"]`, with
    `children.<name>` in front for what is in a child blueprint; a JSON pointer (`/resources/api`)
    will do as well. For a path that a stage removed the answer says which and why. Secrets are
    withheld, unless the run reveals them.

    Raises:
        ValueError: the run has no result.
        PathProblem: a ValueError with a `diagnostic`, when the path cannot be parsed, or neither
            the output nor a stage has it.
        FunctionError: `limit_exceeded` for too many steps.
    """
    top = top_level(run)
    written = parse_path(path, run.language.opener)
    written = written.evolve(items=top.full(written.items))
    items, nodes = chain(top.masked(), written.items)
    level, rest = top.inside(written.items)
    start = len(written.items) - len(rest)
    if len(items) < len(written.items):
        gone = _gone(level, rest, written)
        if gone is None:
            raise _not_found(written, items, nodes[-1], level)
        return gone
    found = _found(level, items[start:], nodes[start:], path_text(items))
    return found.evolve(included=level.included)


def _found(level: Level, path: Path, nodes: list[AnyNode], shown: str) -> Explanation:
    node = nodes[-1]
    earlier = level.earlier(path)
    written = counterpart(level.base, path, nodes, earlier)
    withheld = level.is_secret(path)
    masked = isinstance(node, Scalar) and node.value == MASK and withheld
    kind, made = level.made(path, nodes, written) or _made(level, nodes, written)
    return Explanation(
        path=shown,
        status=SECRET if masked else status_of_node(node),
        kind=kind,
        made=made,
        value=None if masked else plain_node(node, level.language),
        span=_span(earlier, nodes),
        own=not is_part(nodes) and (written is None or same_place(node, written)),
        way=level.way,
        steps=node.trail.steps,
        changes=_changes(level, path, nodes, withheld),
        causes=level.causes(path, written),
    )


def _gone(level: Level, path: Path, written: WrittenPath) -> Explanation | None:
    gone = level.gone(path)
    if gone is None:
        return None
    prefix: Path = tuple(item for name in level.way for item in ("children", name))
    departure = gone.departure
    now = tuple(f"{path_text(prefix)}.{one}" if prefix else one for one in departure.now)
    path = gone.path or path
    return Explanation(
        path=path_text(written.items),
        status=GONE,
        kind=GONE,
        made=f"the stage `{departure.stage}` removed it",
        span=gone.node.span,
        way=level.way,
        included=level.included,
        steps=gone.node.trail.steps,
        changes=_changes_by_name(level, path),
        causes=level.causes_of_gone(path, gone),
        departure=departure.evolve(now=now),
    )


def _not_found(written: WrittenPath, items: Path, last: AnyNode, level: Level) -> PathProblem:
    """The problem at the first item of a path that does not exist."""
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
    hint = level.hint(written.items[len(items) - 1 :]) or meant(str(item), known)
    if hint is None and not items and isinstance(last, Map):
        hint = _below_a_section(str(item), last)
    if hint is None and 0 < len(known) <= 12:
        hint = "it has " + ", ".join(f"`{name}`" for name in known)
    return PathProblem(
        Diagnostic("output_path_not_found", summary, written.span(len(items)), hint=hint)
    )


def _item(item: str | int) -> str:
    return f"element {item}" if isinstance(item, int) else f"`{item}`"


def _below_a_section(name: str, root: Map) -> str | None:
    """The hint for a path that leaves its section out."""
    for section, node in root.items.items():
        if isinstance(node, Map) and name in node.items:
            return f"a path begins with a section: `{path_text((section, name))}`"
    return None


def _span(earlier: Path, nodes: list[AnyNode]) -> Span:
    """The place of a node; that of an object or an array begins at its key."""
    node = nodes[-1]
    above = nodes[-2] if len(nodes) > 1 else None
    if isinstance(node, (Map, Array)) and isinstance(above, Map):
        start = above.places.get(str(earlier[-1]))
        same = above.trail.source is node.trail.source
        if same and start is not None and start < node.start:
            return node.trail.source.span(start, node.end)
    return node.span


def is_part(nodes: list[AnyNode]) -> bool:
    """True for a part of what was computed as a whole, which has the place of the whole."""
    return len(nodes) > 1 and same_place(nodes[-1], nodes[-2])


def _made(level: Level, nodes: list[AnyNode], written: AnyNode | None) -> tuple[str, str]:
    """The kind of an explanation, and the same in words."""
    node = nodes[-1]
    if written is None:
        return "stage", f"made by the stage `{node.trail.steps[-1]}`"
    if isinstance(written, Template):
        if is_part(nodes):
            return "part", "a part of what is computed from the text there"
        if isinstance(node, Template) and level.language.template(node) == level.language.template(
            written
        ):
            return "template", "left as it is written there"
        return "template", "computed from the text there"
    if isinstance(written, Scalar):
        same = isinstance(node, Scalar) and node.value == written.value
        return "written", "written there as it is" if same else "made from what is written there"
    if node is written:
        return "written", "written there as it is"
    return "mixed", "written there, with parts that are computed"


def _changes(level: Level, path: Path, nodes: list[AnyNode], withheld: bool) -> tuple[Change, ...]:
    """The forms that the stages gave a path of the output."""
    earlier = level.earlier(path)
    found = []
    for stage, document in level.stages:
        root = level.shown(document).root
        found.append((stage, counterpart(root, path, nodes, earlier)))
    return _differing(found, level, withheld)


def _changes_by_name(level: Level, path: Path) -> tuple[Change, ...]:
    """The forms that the stages gave a path that is not in the output."""
    earlier = level.earlier(path)
    found = [
        (stage, node_at(level.shown(document).root, path, earlier))
        for stage, document in level.stages
    ]
    return _differing(found, level, level.is_secret(path))


def _differing(
    found: list[tuple[str, AnyNode | None]], level: Level, withheld: bool
) -> tuple[Change, ...]:
    """Each stage whose node is not that of the stage before."""
    changes: list[Change] = []
    before: str | None = None
    for stage, node in found:
        text = None if node is None else node_text(node, level.language)
        if text != before:
            changes.append(Change(stage, MASK if withheld and text is not None else text))
        before = text
    return tuple(changes)
