"""Where a part of a blueprint's output comes from: through text, back to imports.

The result is one tree for `why` and `diff`: imports, deploy items, subinstallations and exports by
name, and the state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from .....functions.record import field
from ....answers.explanation import KNOWN, RESIDUAL, SECRET, Cause
from ....answers.levels import Level
from ....answers.nodes import chain, node_at
from ....answers.paths import Path
from ....engine.materialisation import MASK
from ....engine.run import Run
from ....language.errors import LanguageError
from ....values.concealing import Concealed
from ....values.expression import Reference, walk
from ....values.tree import AnyNode, Array, Map, Scalar, text_at
from ....world.data_files import plain
from ...spiff.reader import parse
from ...spiff.syntax import inner
from ..blueprint import Execution
from ..documents import EXPORTS, ITEMS, SUBS, imports_of, masked
from ..fields import as_numbers, map_of
from ..installation import BOUND, Installation
from ..supplied import OUTCOMES
from .results import work_of

_IMPORTS, _NESTED = "imports", "installations"
_ROOTS: Final = (_IMPORTS, "cd", "components", "state", "values", *OUTCOMES)
"""The bindings that expressions of Spiff read."""
_MOST: Final = 200
"""Bindings that are listed of one place."""


class BlueprintLevel(Level, eq=False):
    """An installation as `why` and `diff` read it; `work` is that on the root.

    Its document has a mask for each string of a target's configuration, in names as well, unless
    the run reveals them. `makers` are the executions that gave a part, by these names.
    """

    work: Any = field(default=None, repr=False)
    makers: dict[tuple[str, str], Execution] = field(factory=dict, repr=False)

    def full(self, path: Path) -> Path:
        """The path with names; an index in a list of the document leads to its item as well."""
        place = 3 if path[:1] == (_NESTED,) else 1
        listed = node_at(self.document.root, path[:place])
        if path[place - 1 : place] in ((ITEMS,), (SUBS,)) and isinstance(listed, Map):
            key = str(path[place]) if place < len(path) else ""
            names = [*listed.items]
            if key not in names:
                is_index = key.isdecimal() and int(key) < len(names)
                key = names[int(key)] if is_index else str(self._safe(key))
            if key in names:
                return (*path[:place], key, *path[place + 1 :])
        return path

    def unread(self) -> Collection[Path]:
        """Imports and state are no result."""
        return [(name,) for name in (_IMPORTS, "state") if name in self.document.root.items]

    def is_secret(self, path: Path) -> bool:
        """True for a path to what is masked."""
        _, nodes = chain(self.document.root, path)
        last = nodes[-1]
        return isinstance(last, Scalar) and isinstance(last.value, str) and MASK in last.value

    def made(
        self, path: Path, nodes: list[AnyNode], written: AnyNode | None
    ) -> tuple[str, str] | None:
        """Who gave a value."""
        execution = self._maker(path)
        if execution is not None:
            return "template", f"written by {execution.title} ({execution.engine})"
        if path[:1] == (_IMPORTS,) and len(path) > 1:
            value = self.work.values.get(str(path[1]))
            return ("written", f"{value.how} value of an import") if value is not None else None
        return "written", "written there as it is"

    def _maker(self, path: Path) -> Execution | None:
        """The execution that wrote a path."""
        return self.makers.get((str(path[0]), str(path[1]))) if len(path) > 1 else None

    def causes(self, path: Path, written: AnyNode | None) -> tuple[Cause, ...]:
        """The bindings that went into a value."""
        _, nodes = chain(self.document.root, path)
        return tuple(self._causes(nodes[-1], set()))

    def _causes(self, node: AnyNode, told: set[str]) -> Iterator[Cause]:
        for read in reads_of(node)[:_MOST]:
            name = ".".join(map(str, read))
            repeated = name in told
            told.add(name)
            yield self._cause(name, read, repeated, told)

    def _safe(self, data: Any) -> Any:
        return data if self.reveals else self.work.withheld().in_data(data)

    def _cause(self, name: str, read: Path, repeated: bool, told: set[str]) -> Cause:
        work = self.work
        if read[:1] != (_IMPORTS,) or len(read) < 2:
            found = _below(work.bindings, read)
            plain_value = isinstance(found, str | int | float | bool)
            shown = self._safe(found) if plain_value else None
            return Cause("binding", name, KNOWN, shown, repeated=repeated)
        value = work.values.get(str(read[1]))
        if value is None:
            return Cause("import", name, KNOWN, None, "no value", repeated=repeated)
        if value.node is None:
            return Cause("import", name, RESIDUAL, None, "after deployment", repeated=repeated)
        _, nodes = chain(value.node, read[2:])
        node = nodes[-1]
        hidden = value.is_target and not self.reveals
        shown = plain(as_numbers(imports_of(work).items[value.name] if hidden else value.node))
        data = self._safe(_below(shown, read[2:]))
        how = value.how
        if value.how == BOUND:
            how = f"import execution `{value.giver}`"
        inner = () if repeated or value.how != BOUND else tuple(self._causes(node, told))
        status = SECRET if data == MASK else KNOWN
        given = None if status == SECRET else data
        return Cause("import", name, status, given, how, node.span, (), inner, repeated)


def reads_of(node: AnyNode) -> list[Path]:
    """The paths of the bindings that were read by what wrote a node: actions, or an expression."""
    source = node.trail.source
    reads = getattr(source, "reads", None)
    if reads is None:
        if isinstance(node, Map | Array):
            below = node.items.values() if isinstance(node, Map) else node.items
            return [path for one in below for path in reads_of(one)]
        body = inner(source.text[node.start : node.end].strip("'\""))
        try:
            tree = parse(body, 0, False) if body is not None else None
        except LanguageError:
            return []
        found = (one for one in walk(tree) if isinstance(one, Reference)) if tree else ()
        return [(one.root, *one.path) for one in found if one.root in _ROOTS]
    return [tuple(map(_key, one.split("."))) for one in reads(node.start, node.end)]


def _key(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def _below(data: Any, path: Path) -> Any:
    for key in path:
        if data == MASK:
            break
        if isinstance(data, dict) and str(key) in data:
            data = data[str(key)]
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return None
    return data


def level_of_blueprint(run: Run) -> Level:
    """The result of a run by names."""
    work = work_of(run)
    assert run.document is not None
    root = as_numbers(tree_of(work, run.reveal))
    assert isinstance(root, Map)
    secrets = work.withheld() if not run.reveal else Concealed(())
    told = {
        name: secrets.names(one.items) for name, one in root.items.items() if isinstance(one, Map)
    }
    makers = {
        (section, told.get(section, {}).get(name, name)): one
        for (section, name), one in work.makers.items()
    }
    root = masked(root, secrets)
    document = run.document.evolve(root=root, product=False)
    return BlueprintLevel(document, (), run, root, work=work, makers=makers)


def tree_of(work: Installation, reveal: bool = False) -> Map:
    """The tree of an installation, and those of nested ones below their names."""
    found: dict[str, Any] = {
        _IMPORTS: imports_of(work, reveal),
        ITEMS: {text_at(one, "name"): one for one in work.deploy_items},
        SUBS: {one.name: one.node for one in work.subinstallations},
        EXPORTS: work.exports,
        "state": work.slots,
    }
    if work.children:
        found[_NESTED] = {one.path: tree_of(one, reveal) for one in work.children}
    return map_of(found, work.blueprint.root)
