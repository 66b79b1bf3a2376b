"""Structures (`$if`, `$forEach`, `$merge`, `$concat`), expanded one level into unevaluated parts.

An undecided part is `Left`: the structure as a node, with its known parts evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn, Protocol, TypeAlias

from .....functions.record import Record
from .....functions.values import NONE, Unknown, has_unknown
from ....engine.materialisation import OMITTED, Omitted, to_node
from ....language.errors import Failure
from ....values.expression import Reference
from ....values.settings import Limits, how_to_raise
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Template, templates_in
from .operators import kind_of_value
from .scope import ITEM, Lazy, Scope, Undecided, force

FOR_EACH: Final = "$forEach"
FILTER: Final = "$filter"
RETURN: Final = "$return"
IF: Final = "$if"
THEN: Final = "$then"
ELSE: Final = "$else"
MERGE: Final = "$merge"
CONCAT: Final = "$concat"

_STRUCTURES: Final = (FOR_EACH, IF, MERGE)
_ONLY: Final = {FOR_EACH: (FILTER, RETURN), IF: (THEN, ELSE)}
_NEEDED: Final = {FOR_EACH: RETURN, IF: THEN}

Report = Callable[[Span, str, str | None], object]
"""Called with the place of a problem, the message, and a hint."""


def structure_of(node: Map) -> str | None:
    """The key that makes a map a structure."""
    items = node.items
    for key in _STRUCTURES:  # of each map there is
        if key in items:
            return key
    return None


def is_concat(node: AnyNode) -> bool:
    """True for an item of an array that is replaced by the items of another."""
    return isinstance(node, Map) and CONCAT in node.items


def malformed(node: Map, item: bool = False) -> tuple[Span, str, str | None] | None:
    """The problem with the keys of a map: the place, a message, a hint.

    `item` is True for an item of an array, and for the result of a loop.
    """
    if item and CONCAT in node.items:
        others = [key for key in node.items if key != CONCAT]
        if not others:
            return None
        summary = f"the key `{others[0]}` is not allowed beside `{CONCAT}`"
        return node.key_span(others[0]), summary, None
    kind = structure_of(node)
    if kind not in _ONLY:
        return None
    known = _ONLY[kind]
    others = [key for key in node.items if key != kind and key not in known]
    if others:
        hint = f"only {' and '.join(f'`{key}`' for key in known)} are allowed there"
        return (
            node.key_span(others[0]),
            f"the key `{others[0]}` is not allowed beside `{kind}`",
            hint,
        )
    if _NEEDED[kind] not in node.items:
        return node.span, f"`{kind}` requires `{_NEEDED[kind]}`", None
    return None


def check_structures(root: AnyNode, report: Report) -> None:
    """Reports all structures with missing or unknown keys, also in parts that are not selected.

    Other problems need evaluation.
    """
    stack = [(root, False)]
    while stack:
        node, item = stack.pop()
        if type(node) is Array:
            stack.extend((child, True) for child in reversed(node.items))
        elif type(node) is Map:
            problem = malformed(node, item)
            if problem:
                report(*problem)
            loop = FOR_EACH in node.items
            stack.extend(
                [
                    (child, loop and key == RETURN)
                    for key, child in reversed(node.items.items())
                    if child.__class__ is Map or child.__class__ is Array
                ]
            )


_CODE: Final = "invalid_structure"


class Part:
    """A node to be evaluated in a scope; without one, a value that came from the node."""

    __slots__ = ("node", "scope", "value")

    def __init__(self, node: AnyNode, scope: Scope | None, value: Any = NONE) -> None:
        self.node = node
        self.scope = scope
        self.value = value


class Left(Record, eq=False):
    """The rest of an undecided structure."""

    node: AnyNode


class Evaluating(Protocol):
    """The evaluation of trees, as far as structures need it; see `Evaluation`."""

    step: str
    limits: Limits

    def fail(
        self, place: AnyNode | Span, code: str, summary: str, hint: str | None = None
    ) -> NoReturn: ...

    def count(self) -> None: ...

    def spend(self, count: int) -> None: ...

    def tree(self, node: AnyNode, scope: Scope) -> Any: ...

    def part_tree(self, part: Part | Left, reference: Reference | None) -> Any: ...

    def part_node(self, part: Part | Left) -> AnyNode | Omitted: ...

    def perhaps(self, node: AnyNode, scope: Scope) -> AnyNode: ...

    def operand(self, node: AnyNode, scope: Scope) -> AnyNode: ...

    def is_drawn(self, node: AnyNode) -> bool: ...


Fields: TypeAlias = dict[str, Part]
Items: TypeAlias = list[Part | Left]
Expanded: TypeAlias = Fields | Items | Part | Left | Omitted


def expand(self: Evaluating, node: Map, scope: Scope) -> Expanded:
    """The expansion of a map: fields, items, one part, or nothing.

    Raises:
        Failure: for an invalid structure.
    """
    kind = structure_of(node)
    if kind is None:
        return {key: Part(child, scope) for key, child in node.items.items()}
    problem = malformed(node)
    if problem:
        self.fail(problem[0], _CODE, problem[1], problem[2])
    if kind == IF:
        return _choice(self, node, scope)
    if kind == MERGE:
        return _merged(self, node, scope)
    return _loop(self, node, scope)


def _operand(self: Evaluating, node: AnyNode, scope: Scope) -> Any:
    """The value of an operand, which may be undefined."""
    return force(self.tree(node, scope))


def _left(self: Evaluating, node: Map, known: dict[str, AnyNode]) -> Left:
    """A structure with some of its parts evaluated."""
    return Left(node.replacing({**node.items, **known}, self.step))


def _boolean(self: Evaluating, key: str, node: AnyNode, scope: Scope) -> bool | Unknown:
    """The value of a condition, without conversion."""
    value = _operand(self, node, scope)
    if value is True or value is False:
        return value is True
    if isinstance(value, Unknown) and value.type in ("any", "boolean"):
        return value
    summary = f"the value of `{key}` must be a boolean, not {kind_of_value(value)}"
    hint = "compare it, as in `a == b`, or negate it twice, as in `!!a`"
    return self.fail(node, _CODE, summary, hint)


def _choice(self: Evaluating, node: Map, scope: Scope) -> Expanded:
    """`$if`: the chosen part; both parts stay if the condition is unknown."""
    condition = _boolean(self, IF, node.items[IF], scope)
    if isinstance(condition, Unknown):
        known = {IF: to_node(condition, node.items[IF], self.step)}
        for key in (THEN, ELSE):
            if key in node.items:
                known[key] = self.perhaps(node.items[key], scope)
        return _left(self, node, known)
    chosen = node.items.get(THEN if condition else ELSE)
    return OMITTED if chosen is None else Part(chosen, scope)


def _merged(self: Evaluating, node: Map, scope: Scope) -> Expanded:
    """`$merge`: its fields take its place, and later fields override earlier ones."""
    fields: Fields = {}
    left: Left | None = None
    for key, child in node.items.items():
        if key != MERGE:
            fields[key] = Part(child, scope)
            continue
        operand = _fields(self, child, scope)
        if isinstance(operand, Left):
            left = operand
            fields[key] = Part(child, scope)  # keeps the place
            continue
        for name in (FOR_EACH, IF, MERGE):
            if name in operand:
                raise read_again(name)
        fields.update(operand)
    if left is None:
        return fields
    known: dict[str, AnyNode] = {}
    for key, part in fields.items():
        found = left.node if key == MERGE else self.part_node(part)
        if not isinstance(found, Omitted):
            known[key] = found
        elif key in node.items:
            known[key] = part.node  # it could still take the place of a merged one
    return Left(node.replacing(known, self.step))


def read_again(key: str) -> Failure:
    """The failure for data with a key that would make it a structure in the output."""
    return Failure(
        "invalid_structure",
        f"`{key}` is a key of data here, and would be a structure in the output",
        hint="`$concat` inserts items only where it is written as an item, such as "
        "`$concat: {$if: ..}`"
        if key == CONCAT
        else "give the data as a string, as `jsonEncode` makes one",
    )


def _fields(self: Evaluating, node: AnyNode, scope: Scope) -> Fields | Left:
    """The fields of the operand of `$merge`."""
    if isinstance(node, Map):
        found = expand(self, node, scope)
        if isinstance(found, Part):
            return _fields(self, found.node, scope)
        if isinstance(found, dict | Left):
            return found
        _refuse(self, MERGE, "an object", [] if isinstance(found, list) else NONE, node)
    if isinstance(node, Array):
        _refuse(self, MERGE, "an object", [], node)
    value = _operand(self, node, scope)
    if isinstance(value, dict):
        self.spend(len(value))
        return {key: Part(node, None, item) for key, item in value.items()}
    if isinstance(value, Unknown) and value.type in ("any", "object"):
        return Left(to_node(value, node, self.step))
    return _refuse(self, MERGE, "an object", value, node)


def _refuse(self: Evaluating, key: str, wanted: str, value: Any, node: AnyNode) -> NoReturn:
    """Refuses an operand of the wrong type.

    Raises:
        Failure: reported.
    """
    hint = None
    if value is NONE and key == MERGE:
        hint = "give it a default, as in `a || var.empty`"
    elif value is NONE:
        hint = "give it a default, as in `a || []`"
    summary = f"the value of `{key}` must be {wanted}, not {kind_of_value(value)}"
    self.fail(node, _CODE, summary, hint)


def items_of(self: Evaluating, node: Array, scope: Scope) -> Items:
    """The items of an array, with those that `$concat` inserts.

    Raises:
        Failure: for an invalid structure.
    """
    items: Items = []
    for child in node.items:
        items += _spliced(self, child, scope)
    return items


def _spliced(self: Evaluating, node: AnyNode, scope: Scope) -> Items:
    """An item, or for `$concat` the items that replace it."""
    if not is_concat(node):
        return [Part(node, scope)]
    assert isinstance(node, Map)
    problem = malformed(node, item=True)
    if problem:
        self.fail(problem[0], _CODE, problem[1], problem[2])
    found = elements(self, CONCAT, node.items[CONCAT], scope)
    if isinstance(found, Left):
        return [_left(self, node, {CONCAT: found.node})]
    return found


def elements(self: Evaluating, key: str, node: AnyNode, scope: Scope) -> Items | Left:
    """The items that `$concat` inserts, or those of a list under another key."""
    if isinstance(node, Array):
        return items_of(self, node, scope)
    if isinstance(node, Map):
        found = expand(self, node, scope)
        if isinstance(found, Part):
            return elements(self, key, found.node, scope)
        if isinstance(found, list | Left):
            return found
        _refuse(self, key, "an array", {} if isinstance(found, dict) else NONE, node)
    value = _operand(self, node, scope)
    if isinstance(value, list):
        self.spend(len(value))
        return [Part(node, None, item) for item in value]
    if isinstance(value, Unknown) and value.type in ("any", "array"):
        return Left(to_node(value, node, self.step))
    return _refuse(self, key, "an array", value, node)


def _loop(self: Evaluating, node: Map, scope: Scope) -> Expanded:
    """`$forEach`: one item for each element or field, without those that `$filter` drops."""
    operand = node.items[FOR_EACH]
    entries = _entries(self, operand, scope)
    if isinstance(entries, Left):
        return _as_written(self, node, entries.node, scope)
    limit = self.limits.max_each
    if len(entries) > limit:
        summary = f"a loop has more than {limit} items (`max_each`)"
        self.fail(operand, "limit_exceeded", summary, how_to_raise("max_each", self.limits))
    items: Items = []
    count = 0
    for key, part in entries:
        self.count()
        value = self.part_tree(part, None)
        if _undefined(value, part.node):
            continue
        inner = scope.with_roots(True, **{ITEM: {"key": key or str(count), "value": value}})
        count += 1
        if FILTER in node.items:
            try:
                wanted = _boolean(self, FILTER, node.items[FILTER], inner)
            except Undecided:
                return loop_later(self, node, scope)
            if isinstance(wanted, Unknown):
                return loop_later(self, node, scope)
            if not wanted:
                continue
        items += _spliced(self, node.items[RETURN], inner)
    return items


def _entries(self: Evaluating, node: AnyNode, scope: Scope) -> list[tuple[str | None, Part]] | Left:
    """The keys and values that a loop iterates over."""
    if isinstance(node, Map):
        found = expand(self, node, scope)
        if isinstance(found, Part):
            return _entries(self, found.node, scope)
        if isinstance(found, Left):
            return found
        if isinstance(found, dict):
            return [*found.items()]
        if isinstance(found, Omitted):
            _refuse(self, FOR_EACH, "an array or an object", NONE, node)
        return _numbered(self, node, found, scope)
    if isinstance(node, Array):
        return _numbered(self, node, items_of(self, node, scope), scope)
    value = _operand(self, node, scope)
    if isinstance(value, list):
        self.spend(len(value))
        return [(None, Part(node, None, item)) for item in value]
    if isinstance(value, dict):
        self.spend(len(value))
        return [(key, Part(node, None, item)) for key, item in value.items()]
    if isinstance(value, Unknown) and value.type in ("any", "array", "object"):
        return Left(to_node(value, node, self.step))
    return _refuse(self, FOR_EACH, "an array or an object", value, node)


def _numbered(
    self: Evaluating, node: AnyNode, items: Items, scope: Scope
) -> list[tuple[str | None, Part]] | Left:
    parts = [part for part in items if isinstance(part, Part)]
    if len(parts) < len(items):
        return Left(self.operand(node, scope))
    return [(None, part) for part in parts]


def _undefined(value: Any, node: AnyNode) -> bool:
    """True for a missing optional value, which a loop skips."""
    written = isinstance(node, Template) or (isinstance(node, Map) and IF in node.items)
    return written and isinstance(value, Lazy) and value.content() is NONE


def loop_later(self: Evaluating, node: Map, scope: Scope) -> Left:
    """A loop with known items and an unknown result.

    Raises:
        Failure: when it refers to local names.
    """
    value = _operand(self, node.items[FOR_EACH], scope)
    if has_unknown(value) and not isinstance(value, Unknown):
        # the parts stay in their places
        found = self.operand(node.items[FOR_EACH], scope)
    else:
        found = to_node(value, node.items[FOR_EACH], self.step)
    return _as_written(self, node, found, scope)


_AN_ITEM: Final = {
    "key": Unknown(Reference(ITEM, ("key",)), "string"),
    "value": Unknown(Reference(ITEM, ("value",))),
}
"""What a loop that stays knows of its items."""


def _as_written(self: Evaluating, node: Map, operand: AnyNode, scope: Scope) -> Left:
    """A loop that stays, with its known parts put in.

    Raises:
        Failure: when it still refers to local names.
    """
    inner = scope.with_roots(**{ITEM: _AN_ITEM})
    known = {FOR_EACH: operand}
    for key in (FILTER, RETURN):
        written = node.items.get(key)
        if written is None or self.is_drawn(written):
            continue
        found = (self.operand if key == FILTER else self.perhaps)(written, inner)
        if key == RETURN and is_concat(found) and not is_concat(written):
            raise read_again(CONCAT)
        known[key] = found
    left = _left(self, node, known)
    local = scope.local - {ITEM}
    for template in _templates(left.node):
        if not local.isdisjoint(template.segments.roots):
            names = ", ".join(f"`{name}`" for name in sorted(local & template.segments.roots))
            self.fail(
                template,
                "undecidable",
                f"the loop depends on an unknown value, but {names} cannot stay in the output",
            )
    return left


def _templates(node: AnyNode) -> Iterator[Any]:
    assert isinstance(node, Map)
    for key in (FILTER, RETURN):
        if key in node.items:
            yield from templates_in(node.items[key])
