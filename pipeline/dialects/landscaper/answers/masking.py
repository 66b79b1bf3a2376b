"""What may be shown while someone looks at a blueprint: nothing that is made of Targets' secrets.

What an action computes of a secret may be in a form that no search for texts finds: so, where
Targets have secrets, only what is certainly made of something else is shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....engine.materialisation import MASK
from ....engine.run import Run
from ....values.document import Document
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar
from ...gotemplate.engine import Program, Rendered
from ...gotemplate.nodes import Action, Condition, Dot, Fields, Range, Tree, Variable
from ...gotemplate.parser import MAIN
from ..installation import BOUND, Installation
from .results import work_of
from .why import reads_of

_PUBLIC = ("metadata", "apiVersion", "kind")
"""Fields of a Target that hold no secret."""


class _Clean:
    """Tells what is certainly not made of a secret."""

    def __init__(self, works: list[Installation]) -> None:
        self._any = any(True for work in works for _ in work.secrets())
        values = [one for work in works for one in work.values.values()]
        self._targets = {one.name for one in values if one.is_target}
        self._bound = {one.name for one in values if one.how == BOUND}
        self._known: dict[Program, set[Tree]] = {}

    def action(self, program: Program, action: Action) -> bool:
        """True for an action that reads only imports that are no Targets, from the data itself."""
        if not self._any:
            return True
        if program not in self._known:
            self._known[program] = {*_at_the_top(program)}
        if action not in self._known[program]:
            return False
        waiting: list[Tree] = [action]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Fields) and _of_the_data(node):
                if not self.path(node.names):
                    return False
            elif isinstance(node, Dot | Variable):
                return False
            else:
                waiting += node.children()
        return True

    def path(self, path: tuple[str | int, ...]) -> bool:
        """True for a path in the bindings that leads to no secret."""
        if path[:1] != ("imports",):
            return path[:1] in (("cd",), ("components",))
        name = path[1] if len(path) > 1 else ""
        if name in self._targets:
            return path[2:3] != () and path[2] in _PUBLIC
        return bool(name) and name not in self._bound

    def node(self, node: AnyNode, start: int, end: int) -> bool:
        """True for a range of the text of a node that is not made of a secret."""
        if not self._any:
            return True
        source = node.trail.source
        if isinstance(source, Rendered):
            writers = source.writers(start, end)
            return all(self.action(source.program, action) for action, _ in writers)
        if "((" not in source.text[start:end]:
            return True
        reads = reads_of(node)
        return bool(reads) and all(map(self.path, reads))


def _of_the_data(node: Fields) -> bool:
    return node.of is None or (isinstance(node.of, Variable) and node.of.name == "$")


def _at_the_top(program: Program) -> Iterator[Tree]:
    """The actions whose dot is the data itself."""
    waiting: list[Tree] = [program.tree[MAIN]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Action):
            yield node
        elif not isinstance(node, Range) and not (
            isinstance(node, Condition) and node.word == "with"
        ):
            waiting += node.children()


def _works(work: Installation) -> Iterator[Installation]:
    yield work
    for child in work.children:
        yield from _works(child)


def printed(run: Run) -> Iterator[tuple[Span, str]]:
    """Each action of a template of Go with what it printed, but for what may be a secret."""
    works = [*_works(work_of(run))]
    clean = _Clean(works)
    for work in works:
        for made in work.rendered:
            for action, text in made.printed():
                if clean.action(made.program, action):
                    yield made.program.text.span(action.start, action.end), text


def shown(run: Run) -> Document:
    """The result with a mask for all that may be made of a secret."""
    document, work = run.document, work_of(run)
    assert document is not None
    root = _masked(document.root, _Clean([*_works(work)]))
    assert isinstance(root, Map)
    return document.evolve(root=root, product=False)


def _masked(node: AnyNode, clean: _Clean) -> AnyNode:
    if isinstance(node, Map):
        items: dict[str, AnyNode] = {}
        for key, child in node.items.items():
            place = node.places.get(key)
            secret = place is not None and not clean.node(node, place, place + len(key))
            items[f"{MASK} {len(items)}" if secret else key] = _masked(child, clean)
        return node.holding(items)
    if isinstance(node, Array):
        listed = [_masked(child, clean) for child in node.items]
        return Array(listed, node.trail, node.start, node.end)
    if isinstance(node, Scalar) and not clean.node(node, node.start, node.end):
        return Scalar(MASK, node.trail, node.start, node.end)
    return node
