"""Answers to data sources from records (specification, "datasourceDefinition")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...functions.values import article, from_plain, has_unknown, type_of
from ..diagnostics import meant
from ..filters import FilterError, field_path, get_path, matches
from ..language.errors import Failure
from ..language.expression import Reference
from ..language.waiting import WaitingText
from ..tree import AnyNode, Array, Map, Scalar
from .parts import text_of

if TYPE_CHECKING:
    from .evaluation import Evaluation


def answer(evaluation: Evaluation, name: str, definition: Map) -> dict[str, Any] | None:
    """The exported fields of a data source, or None when nothing answers it in this run.

    State answers by name; otherwise the records of the data source's type are filtered in order and
    the first match is taken. A filter that depends on something unknown leaves it unanswered.

    Raises:
        Failure: `datasource_no_match` or `invalid_filter_combination`; `Failure.node` is the tree
        node
            to blame. Or what `_exports` has reported.
    """
    context = evaluation.context
    if name in context.state.datasources:
        return {k: from_plain(v) for k, v in context.state.datasources[name].items()}
    type_node = definition.get("type")
    records = context.records.get(text_of(type_node) or "")
    if records is None:
        return None
    filters = []
    for node in _filters(definition):
        search_node = node.get("search")
        assert search_node is not None
        search = evaluation.value_of(search_node, Reference("datasources", (name,)), None)
        if has_unknown(search) or search.__class__ is WaitingText:
            return None
        field = text_of(node.get("field")) or ""
        filters.append((node, field, text_of(node.get("operator")) or "", search))
    for node, field, _, _ in filters:
        path = field_path(field)
        if records and not any(get_path(record, path)[0] for record in records):
            raise Failure(
                "datasource_no_match", f"no record has a field `{field}`", node.get("field")
            )
    for record in records:
        if all(_matches(record, *rest) for rest in filters):
            return _exports(evaluation, record, definition)
    raise Failure(
        "datasource_no_match",
        f"no record of type `{text_of(type_node)}` matches the filter (there are {len(records)})",
        definition.get("filter"),
    )


def _filters(definition: Map) -> Iterator[Map]:
    node = definition.get("filter")
    for item in node.items if isinstance(node, Array) else [node]:
        if isinstance(item, Map):
            yield item


def _matches(record: dict[str, Any], node: Map, field: str, operator: str, search: Any) -> bool:
    found, value = get_path(record, field_path(field))
    if not found:
        return False
    try:
        return matches(value, operator, search)
    except FilterError as error:
        raise Failure("invalid_filter_combination", str(error), node.get("operator")) from None


def _exports(evaluation: Evaluation, record: dict[str, Any], definition: Map) -> dict[str, Any]:
    """The exported fields of a record; each that is missing or of another type is reported."""
    exports = definition.get("exports")
    if isinstance(exports, Scalar):
        return dict(record)
    fields: dict[str, Any] = {}
    failed = False
    assert isinstance(exports, Map)
    for key, export in exports.items.items():
        if not isinstance(export, Map):
            continue
        try:
            fields[key] = _field(record, key, export)
        except Failure as failure:
            evaluation.report(failure.node, failure)
            failed = True
    if failed:
        raise Failure("", "", reported=True)
    return fields


def _field(record: dict[str, Any], key: str, export: Map) -> Any:
    alias = export.get("aliasFor")
    name = text_of(alias) or key
    found, value = (True, record[name]) if name in record else get_path(record, field_path(name))
    if not found:
        raise Failure(
            "data_source_field_missing",
            f"the record has no field `{name}`",
            alias or export,
            meant(name, record),
        )
    declared = text_of(export.get("type")) or "any"
    actual = type_of(value)
    if actual == "integer" and declared == "float":
        return float(value)
    if actual != declared:
        raise Failure(
            "data_source_field_type_mismatch",
            f"the field `{name}` is declared as {declared}, but the record has {article(actual)}",
            export.get("type"),
        )
    return value


def export_type(definition: Map, field: str) -> str:
    """The declared type of an exported field; `any` when it is not declared."""
    exports = definition.get("exports")
    export: AnyNode | None = exports.get(field) if isinstance(exports, Map) else None
    return (text_of(export.get("type")) if isinstance(export, Map) else None) or "any"
