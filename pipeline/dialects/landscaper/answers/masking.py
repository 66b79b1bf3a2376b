"""What may be shown while someone looks at a blueprint: nothing that is made of Targets' secrets.

What an action computes of a secret may be in a form that no search for texts finds: so, where
Targets have secrets, only what is certainly made of something else is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from json import dumps

from ....engine.materialisation import MASK
from ....engine.run import Run
from ....formats.go_yaml import plain
from ....values.document import Document
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar
from ...gotemplate.engine import Program, Rendered
from ...gotemplate.nodes import Action, Condition, Dot, Fields, Range, Tree, Variable
from ...gotemplate.parser import MAIN
from ...spiff.syntax import inner
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
        self._known: dict[Program, dict[Tree, bool]] = {}

    def action(self, program: Program, action: Action) -> bool:
        """True for an action that reads only imports that are no Targets, or their elements."""
        if not self._any:
            return True
        if program not in self._known:
            self._known[program] = dict(self._placed(program))
        element = self._known[program].get(action)
        if element is None:
            return False
        waiting: list[Tree] = [action]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Fields) and (node.of is None or isinstance(node.of, Variable)):
                if not self._fields(node, element):
                    return False
            elif isinstance(node, Variable) or (isinstance(node, Dot) and not element):
                return False
            else:
                waiting += node.children()
        return True

    def _placed(self, program: Program) -> Iterator[tuple[Action, bool]]:
        """The actions whose dot is the data itself, or (true) an element of what is no secret."""
        waiting: list[tuple[Tree, bool]] = [(program.tree[MAIN], False)]
        while waiting:
            node, element = waiting.pop()
            if isinstance(node, Action):
                yield node, element
            elif isinstance(node, Range):
                listed = node.pipe.commands[0].operands if len(node.pipe.commands) == 1 else []
                own = listed[0] if len(listed) == 1 else None
                if isinstance(own, Fields) and self._fields(own, element):
                    waiting.append((node.body, True))
            elif not isinstance(node, Condition) or node.word != "with":
                waiting += [(one, element) for one in node.children()]

    def _fields(self, node: Fields, element: bool) -> bool:
        """True for fields of an element that is no secret, or of the data that lead to none."""
        if node.of is None and element:
            return True
        of_data = node.of is None or (isinstance(node.of, Variable) and node.of.name == "$")
        return of_data and self.path(node.names)

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


def _works(work: Installation) -> Iterator[Installation]:
    yield work
    for child in work.children:
        yield from _works(child)


def printed(run: Run) -> Iterator[tuple[Span, str]]:
    """Each action and expression with what it gave, but for what may be a secret."""
    works = [*_works(work_of(run))]
    clean = _Clean(works)
    for work in works:
        for made in work.rendered:
            for action, text in made.printed():
                if clean.action(made.program, action):
                    yield made.program.text.span(action.start, action.end), text
        values = [one.node for one in work.values.values() if one.how == BOUND]
        subs = [one.node for one in work.subinstallations]
        yield from _computed([*values, *work.deploy_items, *subs, *work.exports.values()], clean)


def _computed(nodes: Iterable[AnyNode | None], clean: _Clean) -> Iterator[tuple[Span, str]]:
    """The expressions of Spiff that results were computed by, with what they gave."""
    waiting = [*nodes][::-1]
    while waiting:
        node = waiting.pop()
        if node is None or isinstance(node.trail.source, Rendered):
            continue
        written = node.trail.source.text[node.start : node.end].strip("'\"")
        if inner(written) is not None:
            if clean.node(node, node.start, node.end):
                value = plain(node)
                text = value if isinstance(value, str) else dumps(value, ensure_ascii=False)
                yield node.span, text
        elif isinstance(node, Map | Array):
            below = node.items.values() if isinstance(node, Map) else node.items
            waiting += [*below][::-1]


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
