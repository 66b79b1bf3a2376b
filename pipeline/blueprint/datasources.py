"""Answers to data sources from records (specification, "datasourceDefinition")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ...functions.values import NONE, Unknown, article, from_plain, has_unknown, type_of
from ..diagnostics import meant
from ..filters import FilterError, field_path, get_path, matches
from ..language.errors import Failure
from ..language.expression import Reference
from ..language.waiting import WaitingText
from ..tree import AnyNode, Array, Map, Scalar
from .parts import text_of

if TYPE_CHECKING:
    from .evaluation import Evaluation

_UNTOLD: Final = object()


def answer(evaluation: Evaluation, name: str, definition: Map) -> dict[str, Any] | None:
    """The exported fields of a data source, or None when nothing answers it in this run.

    State answers by name; otherwise the records of the data source's type are filtered in order and
    the first match is taken; where there are none a provider of the type is asked. A filter that
    depends on something unknown leaves the data source unanswered.

    Raises:
        Failure: `datasource_no_match`, `invalid_filter_combination` or `provider_failed`;
            `Failure.node` is the tree node to blame. Or what `_exports` has reported.
    """
    context = evaluation.context
    if name in context.state.datasources:
        return _known_fields(evaluation, name, definition)
    type_node = definition.get("type")
    type_name = text_of(type_node) or ""
    records: list[dict[str, Any]] | dict[str, Any] | None = context.records.get(type_name)
    provider = None
    if records is None:
        from .provided import find_provider

        provider = find_provider(evaluation, type_name, type_node)
        if provider is None:
            return None
    filters: list[tuple[Map, str, str, Any]] = []
    for node in _filters(definition):
        search_node = node.get("search")
        assert search_node is not None
        search = evaluation.value_of(search_node, Reference("datasources", (name,)), None)
        if has_unknown(search) or search.__class__ is WaitingText:
            return None
        field = text_of(node.get("field")) or ""
        filters.append((node, field, text_of(node.get("operator")) or "", search))
    if provider is not None:
        from .provided import ask

        asked = [(field, operator, search) for _, field, operator, search in filters]
        records = ask(evaluation, provider, name, definition, type_name, asked)
        if isinstance(records, dict):
            return _exports(evaluation, records, definition)
    if records is None:
        return None
    assert isinstance(records, list)
    for node, field, _, _ in filters:
        if records and not any(_found(record, field)[0] for record in records):
            raise Failure(
                "datasource_no_match",
                f"no record has a field `{field}`",
                node.get("field"),
                meant(field, dict.fromkeys(key for record in records for key in record)),
            )
    for record in records:
        if all(_matches(record, *rest) for rest in filters):
            return _exports(evaluation, record, definition)
    raise Failure(
        "datasource_no_match",
        f"no record of type `{type_name}` matches the filter (there are {len(records)})",
        definition.get("filter"),
    )


def _known_fields(evaluation: Evaluation, name: str, definition: Map) -> dict[str, Any]:
    """The exported fields that the state has; those that it does not have stay unknown."""
    told = {k: from_plain(v) for k, v in evaluation.context.state.datasources[name].items()}
    exports = definition.get("exports")
    if not isinstance(exports, Map):
        return told
    for field in told:
        if field not in exports.items:
            evaluation.context.diagnostics.warn(
                "undeclared_state",
                exports.span,
                f"the state has a field `{field}` of the data source `{name}`, which it does not "
                "export",
                meant(field, exports.items),
            )

    def known(key: str, export: Map) -> Any:
        value = told.get(key, _UNTOLD)
        if value is _UNTOLD:
            return Unknown(Reference("datasources", (name, key)), export_type(definition, key))
        return value if value is NONE else _typed(value, export, f"the field `{key}`", "the state")

    return _each_export(evaluation, exports, known)


def _filters(definition: Map) -> Iterator[Map]:
    node = definition.get("filter")
    for item in node.items if isinstance(node, Array) else [node]:
        if isinstance(item, Map):
            yield item


def _found(record: dict[str, Any], field: str) -> tuple[bool, Any]:
    """Whether a record has a field, by its whole name or by its path, and what it holds."""
    if field in record:
        return True, record[field]
    return get_path(record, field_path(field))


def _matches(record: dict[str, Any], node: Map, field: str, operator: str, search: Any) -> bool:
    found, value = _found(record, field)
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
    assert isinstance(exports, Map)
    return _each_export(evaluation, exports, lambda key, export: _field(record, key, export))


def _each_export(
    evaluation: Evaluation, exports: Map, read: Callable[[str, Map], Any]
) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    failed = False
    for key, export in exports.items.items():
        if not isinstance(export, Map):
            continue
        try:
            fields[key] = read(key, export)
        except Failure as failure:
            evaluation.report(failure.node, failure)
            failed = True
    if failed:
        raise Failure("", "", reported=True)
    return fields


def _field(record: dict[str, Any], key: str, export: Map) -> Any:
    alias = export.get("aliasFor")
    name = text_of(alias) or key
    found, value = _found(record, name)
    if not found:
        raise Failure(
            "data_source_field_missing",
            f"the record has no field `{name}`",
            alias or export,
            meant(name, record),
        )
    return _typed(value, export, f"the field `{name}`", "the record")


def _typed(value: Any, export: Map, what: str, who: str) -> Any:
    declared = text_of(export.get("type")) or "any"
    actual = type_of(value)
    if actual == "integer" and declared == "float":
        return float(value)
    if actual != declared:
        raise Failure(
            "data_source_field_type_mismatch",
            f"{what} is declared as {declared}, but {who} has {article(actual)}",
            export.get("type"),
        )
    return value


def export_type(definition: Map, field: str) -> str:
    """The declared type of an exported field; `any` when it is not declared."""
    exports = definition.get("exports")
    export: AnyNode | None = exports.get(field) if isinstance(exports, Map) else None
    return (text_of(export.get("type")) if isinstance(export, Map) else None) or "any"
