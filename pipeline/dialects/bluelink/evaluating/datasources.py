"""Answers to data sources from records (specification, "datasourceDefinition")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from .....functions.breakage import breakage
from .....functions.values import (
    NONE,
    FunctionError,
    Unknown,
    article,
    from_plain,
    has_unknown,
    type_of,
)
from ....engine.evaluation import Evaluation
from ....engine.materialisation import text_of
from ....language.errors import FIX_PACKAGE, Failure
from ....language.meter import Meter
from ....language.waiting import WaitingText
from ....values.diagnostics import Names, meant, suggestion
from ....values.expression import Reference
from ....values.threads import within
from ....values.tree import AnyNode, Array, Map, Scalar
from ....world.providers import Filter, Offer, ProviderError, Providers, Query
from .filters import FilterError, field_path, get_path, matches
from .inputs import is_unicode

_MISSING: Final = object()
_A_STEP: Final = 8  # elements of a search value, or letters of a path


def answer(evaluation: Evaluation, name: str, definition: Map) -> dict[str, Any] | None:
    """The exported fields of a data source, or None when they are not known in this run.

    The state has fields by name; otherwise the first of the records of the data source's type that
    matches its filter is used; without records a provider of the type is asked. A filter that
    depends on something unknown leaves the data source unknown.

    Raises:
        Failure: `datasource_no_match`, `invalid_filter_combination` or `provider_failed`;
            `Failure.node` is the tree node to blame; or one that `_exports` has reported.
    """
    context = evaluation.context
    if name in context.state.datasources:
        return _known_fields(evaluation, name, definition)
    if context.checks:
        return None
    type_node = definition.get("type")
    type_name = text_of(type_node) or ""
    records: list[dict[str, Any]] | dict[str, Any] | None = context.records.get(type_name)
    provider = None
    if records is None:
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
        asked = [(field, operator, search) for _, field, operator, search in filters]
        records = ask(evaluation, provider, name, definition, type_name, asked)
        if isinstance(records, dict):
            return _exports(evaluation, records, definition)
    if records is None:
        return None
    assert isinstance(records, list)
    tables = context.work.find(_Tables) or _Tables()
    context.work.keep(tables)
    table = tables.get(type_name)
    if table is None or table.records is not records:
        table = tables[type_name] = _Table(records, context.meter)
    try:
        record = _first_match(table, filters, context.meter)
    except FunctionError as error:
        raise Failure(error.code, error.message, definition, error.hint) from None
    if record is not None:
        return _exports(evaluation, record, definition)
    raise Failure(
        "datasource_no_match",
        f"no record of type `{type_name}` matches the filter (there are {len(records)})",
        definition.get("filter"),
    )


def _first_match(
    table: _Table, filters: Sequence[tuple[Map, str, str, Any]], meter: Meter
) -> dict[str, Any] | None:
    """The first record that all filters accept.

    Raises:
        Failure: `datasource_no_match` for a field that no record has.
        FunctionError: `limit_exceeded`.
    """
    for node, field, _, _ in filters:
        if table.records and not table.has(field):
            raise Failure(
                "datasource_no_match",
                f"no record has a field `{field}`",
                node.get("field"),
                suggestion(field, table.fields),
            )
    cost = sum(_cost(field, search) for _, field, _, search in filters)
    for record in table.candidates(filters):
        meter.work(cost)
        if all(_matches(record, *rest) for rest in filters):
            return record
    return None


def _known_fields(evaluation: Evaluation, name: str, definition: Map) -> dict[str, Any]:
    """The exported fields in the state; those that are missing there stay unknown."""
    stored = {k: from_plain(v) for k, v in evaluation.context.state.datasources[name].items()}
    exports = definition.get("exports")
    if not isinstance(exports, Map):
        return stored
    names = Names(exports.items)
    for field in stored:
        if field not in exports.items:
            evaluation.context.diagnostics.warn(
                "undeclared_state",
                exports.span,
                f"the state has a field `{field}` that the data source `{name}` does not export",
                suggestion(field, names),
            )

    def known(key: str, export: Map) -> Any:
        value = stored.get(key, _MISSING)
        if value is _MISSING:
            return Unknown(Reference("datasources", (name, key)), export_type(definition, key))
        return value if value is NONE else _typed(value, export, f"the field `{key}`", "the state")

    return _each_export(evaluation, exports, known)


def _filters(definition: Map) -> Iterator[Map]:
    node = definition.get("filter")
    for item in node.items if isinstance(node, Array) else [node]:
        if isinstance(item, Map):
            yield item


def _cost(field: str, search: Any) -> int:
    """The steps of comparing one record with a filter."""
    size = len(search) if isinstance(search, list | str) else 0
    return 1 + (size + len(field)) // _A_STEP


def _found(record: dict[str, Any], field: str) -> tuple[bool, Any]:
    """Whether a record has a field, by its whole name or by its path, and its value."""
    if field in record:
        return True, record[field]
    return get_path(record, field_path(field))


_ALIKE: Final = 0.75
"""How much a field is spelt like the one that is proposed: a field that is null looks absent."""


class _Table:
    """The records of one type, for many data sources that look for one of them."""

    def __init__(self, records: list[dict[str, Any]], meter: Meter) -> None:
        self.records = records
        self.fields = Names({key: None for record in records for key in record})
        self._meter = meter
        # for a field its values' classes, and the records that have a value
        self._by_value: dict[str, tuple[set[type], dict[Any, list[dict[str, Any]]]]] = {}

    def has(self, field: str) -> bool:
        """Whether any record has a field."""
        if field in self.fields.known:
            return True
        path = field_path(field)
        if len(path) == 1 or path[0] not in self.fields.known:
            return path[0] in self.fields.known
        self._meter.work(len(self.records))
        return any(get_path(record, path)[0] for record in self.records)

    def candidates(self, filters: Sequence[tuple[Map, str, str, Any]]) -> list[dict[str, Any]]:
        """The records that the first filter may accept, all of them where it must look."""
        if not filters or filters[0][2] != "=" or type(filters[0][3]) not in (str, int, bool):
            return self.records
        _, field, _, search = filters[0]
        if field not in self._by_value:
            self._by_value[field] = self._indexed(field)
        kinds, by_value = self._by_value[field]
        return by_value.get(search, []) if kinds == {type(search)} else self.records

    def _indexed(self, field: str) -> tuple[set[type], dict[Any, list[dict[str, Any]]]]:
        self._meter.work(len(self.records))
        kinds: set[type] = set()
        by_value: dict[Any, list[dict[str, Any]]] = {}
        for record in self.records:
            found, value = _found(record, field)
            if found:
                kinds.add(type(value))
                if type(value) in (str, int, bool):
                    by_value.setdefault(value, []).append(record)
        return kinds, by_value


class _Tables(dict[str, _Table]):
    """The records that the data sources of a document look through, by type."""


def _matches(record: dict[str, Any], node: Map, field: str, operator: str, search: Any) -> bool:
    found, value = _found(record, field)
    if not found:
        return False
    try:
        return matches(value, operator, search)
    except FilterError as error:
        raise Failure("invalid_filter_combination", str(error), node.get("operator")) from None


def _exports(evaluation: Evaluation, record: dict[str, Any], definition: Map) -> dict[str, Any]:
    """The exported fields of a record; missing fields and wrong types are reported."""
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
            f"the record has no field `{name}`, or it is null",
            alias or export,
            lambda: meant(name, record, _ALIKE),
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


# Answers of providers are validated: a mistake in a plugin must not look like one in bpp.
_WITHHELD: Final = "its message is withheld because it may contain a revealed secret"
_NO_DATA: Final = "a record with a value that the language does not have"


def find_provider(evaluation: Evaluation, type_name: str, node: AnyNode | None) -> Offer | None:
    """The provider for data sources of a type, or None.

    Raises:
        Failure: `provider_failed`, for a provider that is installed but cannot be used.
    """
    found = (evaluation.context.providers or Providers()).data_source(type_name)
    if found is None or isinstance(found, Offer):
        return found
    raise Failure("provider_failed", found.message, node, FIX_PACKAGE)


def ask(
    evaluation: Evaluation,
    offer: Offer,
    name: str,
    definition: Map,
    type_name: str,
    filters: Iterable[tuple[str, str, Any]],
) -> list[dict[str, Any]] | dict[str, Any] | None:
    """The records to filter, the one record that was found, or None when the provider has none.

    `filters` are fields, operators and search values.

    Raises:
        Failure: `provider_failed`.
    """
    metadata = _metadata(evaluation, name, definition)
    if metadata is None:
        return None
    node = definition.get("type")
    # copies, which a provider may modify
    asked = tuple(
        Filter(field, operator, from_plain(search)) for field, operator, search in filters
    )
    hint = "this is a mistake in the provider, not in the blueprint"
    query = Query(type_name, name, asked, from_plain(metadata))
    meter = evaluation.context.meter
    try:
        records, problem = _records(within(meter.deadline, lambda: offer.value.answer(query)))
    except ProviderError as refusal:
        summary = f"{offer.origin} cannot answer"
        if evaluation.reveal:
            raise Failure("provider_failed", summary, node, _WITHHELD) from None
        raise Failure("provider_failed", f"{summary}: {refusal}", node) from None
    # a plugin's mistake must not look like one of bpp, nor end it
    except (Exception, SystemExit) as error:
        _check_time(meter, node)
        summary = f"{offer.origin} failed with {breakage(error)}"
        raise Failure("provider_failed", summary, node, hint) from None
    if problem:
        summary = f"{offer.origin} answers with {problem}, not with records"
        raise Failure("provider_failed", summary, node, hint)
    return records


def _check_time(meter: Meter, node: AnyNode | None) -> None:
    try:
        meter.check_time()
    except FunctionError as error:
        raise Failure(error.code, error.message, node, error.hint) from None


def _records(answer: Any) -> tuple[list[dict[str, Any]] | dict[str, Any] | None, str]:
    """An answer as plain data, and the problem with it."""
    if answer is None:
        return None, ""
    if isinstance(answer, Mapping):
        record = _plain(answer)
        return record, "" if record is not None else _NO_DATA
    if not isinstance(answer, Sequence) or isinstance(answer, (str, bytes)):
        return None, f"a `{type(answer).__name__}`"
    records = []
    for item in answer:
        if not isinstance(item, Mapping):
            return None, f"a list that holds a `{type(item).__name__}`"
        record = _plain(item)
        if record is None:
            return None, _NO_DATA
        records.append(record)
    return records, ""


def _plain(record: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        plain: dict[str, Any] = from_plain(dict(record))
    except ValueError:
        return None
    return plain if all(map(_is_data, plain.items())) else None


def _is_data(value: Any) -> bool:
    """False for values that a document cannot hold: bytes, and strings that are not Unicode."""
    match value:
        case str():
            return is_unicode(value)
        case dict():
            return all(map(_is_data, value.items()))
        case list() | tuple():
            return all(map(_is_data, value))
    return not isinstance(value, bytes)


def _metadata(evaluation: Evaluation, name: str, definition: Map) -> dict[str, Any] | None:
    """The metadata as plain data, or None when a part of it is not known in this run."""
    node = definition.get("metadata")
    if node is None:
        return {}
    value = evaluation.value_of(node, Reference("datasources", (name, "metadata")), None)
    if has_unknown(value) or value.__class__ is WaitingText:
        return None
    return value if isinstance(value, dict) else {}
