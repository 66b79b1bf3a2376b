"""Who answered a data source: the state, a record, or a provider."""

from __future__ import annotations

from collections.abc import Iterator

from ..blueprint.parts import text_of
from ..filters import FilterError, field_path, get_path, matches
from ..language.errors import Failure
from ..language.expression import Reference
from ..tree import Array, Map
from .levels import Level


def answered_by(level: Level, name: str) -> str | None:
    """A few words for who answered, None for a data source that nobody answered in this run."""
    evaluation = level.evaluation
    definition = level.definition("datasources", name)
    if evaluation is None or definition is None:
        return None
    if name in evaluation.context.state.datasources:
        return "the state"
    try:
        if evaluation.answer(name) is None:
            return None
    except Failure:
        return None
    type_name = text_of(definition.get("type")) or ""
    if type_name not in evaluation.context.records:
        return f"a provider of `{type_name}`"
    number = _first_match(level, name, definition, type_name)
    return f"record {number} of `{type_name}`" if number else f"a record of `{type_name}`"


def _first_match(level: Level, name: str, definition: Map, type_name: str) -> int | None:
    """The 1-based number of the first record that passes the filters."""
    assert level.evaluation is not None
    asked = []
    for node in _filters(definition):
        search = node.get("search")
        if search is None:
            return None
        value = level.evaluation.value_of(search, Reference("datasources", (name,)), None)
        asked.append((text_of(node.get("field")) or "", text_of(node.get("operator")) or "", value))
    for number, record in enumerate(level.evaluation.context.records[type_name], 1):
        try:
            found = [(get_path(record, field_path(field)), how, what) for field, how, what in asked]
            if all(there and matches(value, how, what) for (there, value), how, what in found):
                return number
        except FilterError:
            return None
    return None


def _filters(definition: Map) -> Iterator[Map]:
    node = definition.get("filter")
    for item in node.items if isinstance(node, Array) else [node]:
        if isinstance(item, Map):
            yield item
