"""Maps with known fields, as Go decodes them: names match without case, null is absent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from ....functions.go.yaml_scalars import float32_text
from ....functions.record import Record, field
from ....functions.regexes import compile_regex
from ...language.errors import IN_QUOTES, Failure
from ...values.diagnostics import Diagnostics, did_you_mean, suggestion
from ...values.tree import AnyNode, Array, Map, Scalar, build, kind_of

TEXT, BOOL, MAP, LIST, ANY = "string", "boolean", "map", "list", ""
TEXTS, TEXT_MAP = "list of strings", "map of strings"
"""The types of fields; `ANY` takes everything."""
_WORDS: Final = {
    "": TEXT,
    "bool": BOOL,
    "map": MAP,
    "list": LIST,
    "any": ANY,
    "texts": TEXTS,
    "text-map": TEXT_MAP,
}

RENDERED, RESULT = "rendered", "result"
"""The kinds of forms for what templates give."""

_WHOLE: Final = compile_regex(r"[-+]?[0-9_]+|[-+]?0[xob][0-9a-fA-F_]+")
_LONGEST_WHOLE: Final = 2.0**63


class Form(Record):
    """What may stand in a map: `what` it is, and its fields by name with their types.

    `required` must be there. `slips` are names that are meant, by those that are written instead.
    In what is `RENDERED` a scalar of another type becomes a string, and errors have another code; a
    `RESULT` may have other fields, too.
    """

    what: str
    fields: Mapping[str, str]
    required: tuple[str, ...] = ()
    slips: Mapping[str, str] = field(factory=dict)
    kind: str = ""

    @cached_property
    def known(self) -> Mapping[str, str]:
        """The fields by their names in lower case."""
        return {name.lower(): name for name in self.fields}

    @property
    def code(self) -> str:
        """The code of a wrong type."""
        return "rendered_yaml" if self.kind else "field_type"


def form(what: str, fields: str, slips: str = "", kind: str = "") -> Form:
    """A form by its fields, `name! n:any`: `!` marks what is required; `slips` are `from=to`."""
    split = [one.rstrip("!").partition(":") for one in fields.split()]
    types = {name: _WORDS[word] for name, _, word in split}
    ends = zip(split, fields.split(), strict=True)
    required = tuple(name for (name, _, _), one in ends if one.endswith("!"))
    meant = dict(one.split("=") for one in slips.split())
    return Form(what, types, required, meant, kind)


def fields_of(node: AnyNode, form: Form, told: Diagnostics) -> dict[str, AnyNode]:
    """The fields of a map by their right names; those of a wrong type are reported and left out."""
    found: dict[str, AnyNode] = {}
    there: set[str] = set()
    if not isinstance(node, Map):
        told.error(form.code, node.span, f"{form.what} must be a map, not {a_kind(node)}")
        return found
    known = form.known
    # of two spellings the one that sorts last counts
    for key in sorted(node.items):
        name = key if key in form.fields else known.get(key.lower())
        if name is None:
            if form.kind == RESULT:
                continue
            meant = form.slips.get(key)
            hint = did_you_mean(key, meant) if meant else suggestion(key, form.fields)
            summary = f"{form.what} has no field `{key}`, which is ignored"
            told.warn("unknown_field", node.key_span(key), summary, hint)
            continue
        if name in found:
            summary = f"`{name}` is given twice, and `{key}` counts"
            told.warn("unknown_field", node.key_span(key), summary, "write it once")
        value = node.items[key]
        if isinstance(value, Scalar) and value.value is None:
            found.pop(name, None)
            continue
        there.add(name)
        kind = form.fields[name]
        plain = kind == ANY or (kind == TEXT and type(getattr(value, "value", None)) is str)
        fitting = value if plain else _fitting(value, kind, f"`{name}` of {form.what}", form, told)
        if fitting is not None:
            found[name] = fitting
    for name in form.required:
        if name not in there:
            told.error("field_required", node.span, f"{form.what} has no `{name}`")
    return {name: found[name] for name in form.fields if name in found}


def _fitting(node: AnyNode, kind: str, what: str, form: Form, told: Diagnostics) -> AnyNode | None:
    """A node of the type that a field has; None for one that has another type."""
    if kind == TEXT and isinstance(node, Scalar):
        if isinstance(node.value, str):
            return node
        if form.kind and node.value is not None:
            made = scalar_text(node)
            told.warn(
                "string_field_scalar",
                node.span,
                f"{what} is a string, so {a_kind(node)} there is read as `{made}`",
                IN_QUOTES,
            )
            return build(made, node.trail, node.start, node.end)
    elif kind == TEXTS and isinstance(node, Array):
        items = [_fitting(one, TEXT, f"each entry of {what}", form, told) for one in node.items]
        kept = [one for one in items if one is not None]
        return node if kept == node.items else list_of(kept, node)
    elif kind == TEXT_MAP and isinstance(node, Map):
        values = {
            key: _fitting(one, TEXT, f"`{key}` of {what}", form, told)
            for key, one in node.items.items()
        }
        return node.holding({key: one for key, one in values.items() if one is not None})
    elif (
        kind == ANY
        or (kind in (MAP, TEXT_MAP) and isinstance(node, Map))
        or (kind in (LIST, TEXTS) and isinstance(node, Array))
        or (kind == BOOL and isinstance(node, Scalar) and isinstance(node.value, bool))
    ):
        return node
    hint = IN_QUOTES if kind == TEXT and isinstance(node, Scalar) else None
    told.error(form.code, node.span, f"{what} must be a {kind}, not {a_kind(node)}", hint)
    return None


def a_kind(node: AnyNode) -> str:
    """The type of a node, with an article."""
    word = {"object": "map", "array": "list", "float": "number", "integer": "number"}
    kind = kind_of(node)
    name = word.get(kind, kind)
    return name if name == "null" else f"a {name}"


def scalar_text(node: Scalar) -> str:
    """A boolean or a number as the text that a string field makes of it: floats of 32 bits."""
    value = node.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value).lower()
    written = node.trail.source.text[node.start : node.end]
    if _WHOLE.fullmatch(written) and float(value).is_integer():
        return str(int(value))
    return float32_text(float(value))


def each_scalar(node: AnyNode, change: Callable[[Any], Any]) -> AnyNode:
    """A tree with other values of its scalars; what is unchanged stays the same object."""
    if isinstance(node, Scalar):
        value = change(node.value)
        return node if value is node.value else Scalar(value, node.trail, node.start, node.end)
    if isinstance(node, Map):
        return node.holding({key: each_scalar(one, change) for key, one in node.items.items()})
    assert isinstance(node, Array)
    return list_of([each_scalar(one, change) for one in node.items], node)


def as_numbers(node: AnyNode) -> AnyNode:
    """A tree with integers where floats are whole, as they are written."""
    return each_scalar(node, _as_integer)


def as_floats(node: AnyNode) -> AnyNode:
    """A tree with floats for integers, as Go reads them."""
    return each_scalar(node, lambda value: float(value) if type(value) is int else value)


def _as_integer(value: Any) -> Any:
    whole = isinstance(value, float) and value.is_integer() and abs(value) < _LONGEST_WHOLE
    return int(value) if whole else value


def map_of(items: Mapping[str, Any], near: AnyNode) -> Map:
    """A map of nodes and plain data that a stage makes, at the place of a node."""
    return build(dict(items), near.trail, near.start, near.end)  # type: ignore[return-value]


def list_of(items: Sequence[Any], near: AnyNode) -> Array:
    """A list of nodes and plain data that a stage makes, at the place of a node."""
    return build(items, near.trail, near.start, near.end)  # type: ignore[return-value]


def report_failure(failure: Failure, told: Diagnostics) -> None:
    """Reports what has no result at the place that is to blame."""
    if not failure.reported:
        span = getattr(failure.node, "span", None)
        told.error(failure.code, span, failure.summary, failure.hint, *failure.notes)
