"""Layers of variables, merged key by key when a value is needed.

The highest layer that has a key decides, and maps are merged. There are two ways for the rest: the
engine merges lists index by index and keeps null as a value; a JSON Merge Patch (RFC 7396) replaces
lists, and a null in a layer above another removes the key.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from .....functions.record import Record
from .....functions.values import NONE, Unknown
from ....language.errors import Failure
from ....values.expression import Reference
from ....values.tree import AnyNode, Array, Map
from ..options import RFC7396
from .evaluation import Evaluation, Tree
from .scope import CONTENT, Lazy, opened

_ABSENT: Final[Any] = object()
_COPIED_A_STEP: Final = 4
_A_LEVEL: Final = 6  # steps of a map that is merged
_A_FIELD: Final = 4  # and of a field that only one layer may have

Remark = Callable[["Part", "Part", str], object]
"""Called with a part, one below it, and how the two ways of merging differ there."""


class Merging(Record, eq=False):
    """The way of merging, the evaluation that counts it, and what is told where the ways differ."""

    way: str
    evaluation: Evaluation
    remark: Remark | None = None


class Part(Record, eq=False):
    """The part of one layer: its value, the node it comes from, and the level of the layer."""

    value: Any
    node: AnyNode | None
    level: str

    def child(self, key: str | int, value: Any) -> Part:
        """The part under a key; the node is the nearest known one."""
        node = self.node
        if isinstance(node, Map) and isinstance(key, str):
            node = node.get(key) or node
        elif isinstance(node, Array) and isinstance(key, int) and key < len(node.items):
            node = node.items[key]
        return Part(value, node, self.level)


def node_of(part: Part) -> AnyNode | None:
    """The nearest known node of a part."""
    value = part.value
    if part.node is None and isinstance(value, Layered) and value.parts:
        return node_of(value.parts[0])
    if part.node is None and isinstance(value, Tree):
        return value.node
    return part.node


class Layered(Lazy):
    """Layers as one value: `parts` from the highest to the lowest.

    `reference` is how the output can refer to it. `bottom` is False when there was a layer below
    the last part. With `named` all parts are known to be maps, so that none has to be evaluated to
    find out.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        reference: Reference | None,
        merging: Merging,
        bottom: bool = True,
        named: bool = False,
    ) -> None:
        self._named = named
        self.parts = tuple(parts)
        self._reference = reference
        self._merging = merging
        self._merge = merging.way
        self._remark = merging.remark
        self._bottom = bottom
        self._alone = bottom and len(self.parts) == 1
        self._members: dict[str, Any] = {}
        self._content: Any = _ABSENT

    def member(self, key: str | int) -> Any:
        """See `Lazy`: a higher layer decides before lower ones are evaluated."""
        name = str(key)
        found = self._members.get(name, CONTENT)
        if found is CONTENT:
            if self._content is not _ABSENT or not self._is_map():
                return CONTENT
            found, whole = self._field(name)
            if whole:
                self._members[name] = found
        return CONTENT if found is _ABSENT else found

    def content(self) -> Any:
        if self._content is _ABSENT:
            self._content = self._computed()
        return self._content

    def keep(self, value: Any) -> None:
        self._merging.evaluation.budget.size(value)
        self.forced = value

    def _is_map(self) -> bool:
        """True when the highest layer is a map."""
        if self._named:
            return True
        return isinstance(opened(self.parts[0].value), dict) if self.parts else False

    def _computed(self) -> Any:
        self._merging.evaluation.work(_A_LEVEL + len(self.parts))
        for position, part in enumerate(self.parts):
            value = opened(part.value)
            if value is NONE:
                continue  # an undefined value leaves the place to the layer below
            if isinstance(value, dict):
                return self._map()
            if isinstance(value, list):
                return self._list(position, value)
            return value
        return NONE if self.parts else {}

    def _map(self) -> Any:
        if self._alone:
            value = opened(self.parts[0].value)
            if isinstance(value, dict):
                self._merging.evaluation.spend(len(value))
                self._merging.evaluation.work(_A_FIELD * len(value))
                return {key: one for key, one in value.items() if one is not NONE}
        keys: dict[str, None] = {}
        for part in reversed(self._maps()):
            value = opened(part.value)
            if isinstance(value, Unknown):
                return self._undecided()
            self._merging.evaluation.spend(len(value))
            keys.update(dict.fromkeys(value))
        fields = {}
        for key in keys:
            value = self._members.get(key, CONTENT)
            if value is CONTENT:
                value = self._field(key)[0]
            if value is not _ABSENT:
                fields[key] = value
        return fields

    def _maps(self) -> list[Part]:
        """The parts that are merged: those above the first that is not a map."""
        found = []
        for part in self.parts:
            value = opened(part.value)
            if isinstance(value, (dict, Unknown)):
                found.append(part)
            elif value is not NONE:
                break
        return found

    def _field(self, key: str) -> tuple[Any, bool]:
        """The value of a key or `_ABSENT`, and whether all layers could be evaluated."""
        if self._alone:
            return self._only(key)
        self._merging.evaluation.work(2 + 2 * len(self.parts))
        found: list[tuple[Part, Any]] = []
        whole = True
        lowest = -1
        failed: Failure | None = None
        for position, part in enumerate(self.parts):
            try:
                value = _under(part.value, key)
            except Failure as failure:
                if failure.code != "reference_cycle" or failure.reported:
                    raise
                # a layer that is being computed has no answer yet
                whole = False
                failed = failed or failure
                continue
            if value is _ENDS:
                break
            if value.__class__ is Unknown and _is_whole(part.value):
                if not found:
                    return self._undecided(key), False
                found.append((part, self._undecided(key)))
                break
            if value is NONE:
                continue
            below = position < len(self.parts) - 1 or not self._bottom
            if value is None and below:
                if self._remark and not found:
                    one = part.child(key, value)
                    self._remark(one, one, "null")
                if self._merge == RFC7396:
                    return (self._child(found, key, False) if found else _ABSENT), whole
            found.append((part, value))
            lowest = position
        if not found:
            if failed is not None:
                raise failed
            return _ABSENT, whole
        bottom = self._bottom and lowest == len(self.parts) - 1
        return self._child(found, key, bottom), whole

    def _only(self, key: str) -> tuple[Any, bool]:
        """The same where nothing is merged."""
        self._merging.evaluation.work(_A_FIELD)
        layer = self.parts[0].value
        value = _under(layer, key)
        if value is _ENDS or value is NONE:
            return _ABSENT, True
        if value.__class__ is Unknown and _is_whole(layer):
            return self._undecided(key), False
        return value, True

    def _child(self, found: list[tuple[Part, Any]], key: str | int, bottom: bool) -> Any:
        """What parts have under a key, with the value of each, as one value."""
        first = found[0][1]
        patches = self._merge == RFC7396 and not bottom and isinstance(first, (Lazy, dict))
        if not patches and (len(found) == 1 or not isinstance(first, (Lazy, dict, list))):
            return first
        self._merging.evaluation.spend(len(found))
        reference = self._reference.deeper(key) if self._reference is not None else None
        parts = [part.child(key, value) for part, value in found]
        return Layered(parts, reference, self._merging, bottom)

    def _list(self, position: int, top: list[Any]) -> Any:
        """A list merged with those below it."""
        parts = [self.parts[position]]
        for part in self.parts[position + 1 :]:
            value = opened(part.value)
            if isinstance(value, list):
                parts.append(part)
            elif isinstance(value, Unknown):
                return top if self._merge == RFC7396 else self._undecided()
            elif value is not NONE:
                break
        if len(parts) == 1:
            return top
        self._merging.evaluation.work(len(parts) * len(top))
        if self._remark and _differs(top, parts[1:]):
            self._remark(parts[0], parts[1], "list")
        if self._merge == RFC7396:
            return top
        lists = [opened(part.value) for part in parts]
        *_, shared, longest = sorted(map(len, lists))
        self._merging.evaluation.spend(longest)
        self._merging.evaluation.work(2 * shared * len(lists) + longest // _COPIED_A_STEP)
        items = []
        for index in range(shared):
            having = [
                (part, values[index])
                for part, values in zip(parts, lists, strict=True)
                if index < len(values) and values[index] is not NONE
            ]
            first = having[0][1] if having else NONE
            if len(having) > 1 and isinstance(first, (Lazy, dict, list)):
                first = self._child(having, index, False)
            items.append(first)
        return items + max(lists, key=len)[shared:]

    def _undecided(self, key: str | None = None) -> Unknown:
        reference = self._reference
        if reference is None:
            raise Failure(
                "undecidable", "this is merged with an unknown value, and no name refers to it"
            )
        return Unknown(reference if key is None else reference.deeper(key))


_ENDS: Final[Any] = object()


def _under(value: Any, key: str) -> Any:
    """The value of a key in a layer: NONE if it is missing, `_ENDS` if the layer is not a map."""
    while isinstance(value, Lazy):
        found = value.member(key)
        if found is not CONTENT:
            return found
        value = value.content()
    if isinstance(value, dict):
        return value.get(key, NONE)
    if isinstance(value, Unknown):
        return value
    return NONE if value is NONE else _ENDS


def _is_whole(value: Any) -> bool:
    return isinstance(opened(value), Unknown)


def _differs(top: list[Any], below: list[Part]) -> bool:
    """True when merging a list by index differs from replacing those below."""
    for part in below:
        lower = opened(part.value)
        if len(lower) > len(top):
            return True
        for mine, other in zip(top, lower, strict=False):
            first, second = opened(mine), opened(other)
            if isinstance(first, (dict, list)) and first.__class__ is second.__class__ and second:
                return True
    return False
