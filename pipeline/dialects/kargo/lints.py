"""Remarks on expressions that work, but hardly as they are meant, made from the tree alone."""

from __future__ import annotations

from typing import Final

from ....functions.record import Record
from ...values.expression import Call, Expression, Literal, Reference, Substitution
from ...values.tree import Template
from ..expr.operators import CHAIN, INDEX, OPTIONAL, TERNARY
from ..expr.types import Locals, Type, Typer, typed
from .coercion import QUOTES, beside_text

_SETS: Final = frozenset({"in", "matches", "contains", "startsWith", "endsWith"})
METADATA: Final = "a value of metadata"
_VERSIONED: Final = {
    ("image", "Tag"): "a tag",
    ("commit", "Tag"): "a tag",
    ("chart", "Version"): "a chart version",
    ("artifact", "Version"): "a version",
    ("artifact", "Metadata"): METADATA,
}
_MAPS: Final = {
    "configMap": "a value of a ConfigMap",
    "sharedConfigMap": "a value of a ConfigMap",
    "freightMetadata": METADATA,
    "stageMetadata": METADATA,
}


class Remark(Record):
    """A remark on the part of a text from `start` to `end`."""

    code: str
    summary: str
    start: int
    end: int
    hint: str | None = None


class Reviewer(Typer):
    """A typer that makes remarks on what it types; `text` is what the tree was read from."""

    text: str = ""

    def review(self, tree: Expression, text: str) -> list[Remark]:
        """The remarks on an expression without mistakes of types."""
        self.text = text
        self.found: list[Remark] = []
        self.known: dict[int, Type] = {}
        self.type(tree, {})
        return self.found

    def type(self, node: Expression, local: Locals) -> Type:
        """See `Typer`; a node is typed once."""
        kind = self.known[id(node)] = super().type(node, local)
        if isinstance(node, Call):
            if node.function == "??":
                self._default(node)
            elif node.function in _SETS:
                self._negation(node)
            elif node.function == "object":
                self._keys(node)
        return kind

    def operation(self, name: str, left: Type, right: Type, node: Expression) -> Type:
        """See `Typer`: the type that an operator gives."""
        if name in ("==", "!=") and isinstance(node, Call):
            first, other = (argument.value for argument in node.arguments)
            if left == right and left in ("string", "integer"):
                chained = next((one for one in (first, other) if _is_chain(one)), None)
                if chained is not None:
                    shown = self.text[chained.start : chained.end]
                    empty = '""' if left == "string" else "0"
                    hint = f"write `({shown} ?? {empty})`"
                    said = f"this fails where `{shown}` is nil"
                    self._remark("comparison_fails_on_nil", said, chained, hint)
            if any(map(_is_named, (first, other))) and "string" in (left, right):
                said = "the status of `stepMetas` is no plain string, so this is never equal"
                hint = "`status('alias')`, or `string(..)` around it"
                self._remark("comparison_never_true", said, node, hint)
        return super().operation(name, left, right, node)

    def _remark(self, code: str, summary: str, node: Expression, hint: str | None = None) -> None:
        self.found.append(Remark(code, summary, node.start, node.end, hint))

    def _default(self, node: Call) -> None:
        first = node.arguments[0].value
        inner = first
        if isinstance(first, Call) and first.function == CHAIN:
            inner = first.arguments[0].value
        if not isinstance(inner, Call) or inner.function not in (INDEX, OPTIONAL):
            return
        base, key = (argument.value for argument in inner.arguments)
        if self.known.get(id(base)) == typed("strings"):
            shown = (self.text[one.start : one.end] for one in (base, key))
            whole, name = shown
            name = f"'{name}'" if isinstance(key, Literal) and name == key.value else name
            said = "a missing key gives an empty string here, so the default is never used"
            hint = f"write `get({whole}, {name}) ?? ..`"
            self._remark("default_never_used", said, node, hint)

    def _negation(self, node: Call) -> None:
        first = node.arguments[0].value
        if isinstance(first, Call) and first.function == "not" and first.start == node.start:
            sign = "not" if self.text.startswith("not", first.start) else "!"
            said = f"`{sign}` binds tighter than `{node.function}`"
            hint = f"write `.. not {node.function} ..`"
            self._remark("negation_binds_tighter", said, node, hint)

    def _keys(self, node: Call) -> None:
        seen: set[str | None] = set()
        for argument in node.arguments:
            if argument.name in seen:
                said = f"the map has `{argument.name}` already, and the first one counts"
                at = Literal(None, argument.start, argument.end)
                self._remark("duplicate_map_key", said, at)
            seen.add(argument.name)


def _is_chain(node: Expression) -> bool:
    return isinstance(node, Call) and node.function == CHAIN


def _is_named(node: Expression) -> bool:
    return isinstance(node, Reference) and node.root == "stepMetas" and node.path[1:] == ("Status",)


def lone(template: Template) -> Substitution | None:
    """The expression that is all of a template; a line break at the end does not count."""
    first, *others = template.segments
    return first if isinstance(first, Substitution) and others in ([], ["\n"]) else None


def quoted_beside_text(node: Template, tree: Expression) -> Remark | None:
    """The remark on `quote` and its kin in a string that has other parts."""
    if lone(node) is None and isinstance(tree, Call) and tree.function in QUOTES:
        said, hint = beside_text(tree.function)
        return Remark("quote_not_alone", said, tree.start, tree.end, hint)
    return None


class Origin(Record):
    """What a string is that may look like a number, the call that gives an artifact of it, and its
    key in metadata, such as `Stage.key`."""

    what: str
    call: Call | None = None
    key: str = ""


def origin_of(tree: Expression, typer: Typer) -> Origin | Reference | None:
    """Where a value comes from, or the name that leads to it; None for no such string."""
    if not isinstance(tree, Call):
        return tree if isinstance(tree, Reference) else None
    parts = [argument.value for argument in tree.arguments]
    if tree.function in (CHAIN, "??"):
        return origin_of(parts[0], typer)
    if tree.function == TERNARY:
        found = [origin_of(part, typer) for part in parts[1:]]
        return next((one for one in found if one is not None), None)
    base = parts[0] if tree.function in (INDEX, OPTIONAL) else None
    if not isinstance(base, Call):
        return None
    name = str(parts[1].value) if isinstance(parts[1], Literal) else ""
    if base.function in _MAPS:
        holder = "Stage" if base.function == "stageMetadata" else "Freight"
        return Origin(_MAPS[base.function], None, f"{holder}.{name}")
    if base.function in (INDEX, OPTIONAL, CHAIN):
        inner = origin_of(base, typer)
        return inner if isinstance(inner, Origin) and inner.what == METADATA else None
    what = _VERSIONED.get((str(typer.type(base, {})), name))
    return Origin(what, base) if what else None
