"""What a provider answers to a data source, taken with care: a plugin's mistake is not bpp's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...functions.values import from_plain, has_unknown
from ..language.errors import Failure
from ..language.expression import Reference
from ..language.waiting import WaitingText
from ..providers import Filter, Offer, ProviderError, Providers, Query
from ..tree import AnyNode, Map

if TYPE_CHECKING:
    from .evaluation import Evaluation

_WITHHELD: Final = "what it says is withheld, because it may hold a secret that is revealed"
_NO_DATA: Final = "a record that holds what is no value of the language"


def find_provider(evaluation: Evaluation, type_name: str, node: AnyNode | None) -> Offer | None:
    """Who answers data sources of a type, or None.

    Raises:
        Failure: `provider_failed`, for one that is installed but cannot be used.
    """
    found = (evaluation.context.providers or Providers()).data_source(type_name)
    if found is None or isinstance(found, Offer):
        return found
    raise Failure("provider_failed", found.message, node, "mend or uninstall the package")


def ask(
    evaluation: Evaluation,
    offer: Offer,
    name: str,
    definition: Map,
    type_name: str,
    filters: Iterable[tuple[str, str, Any]],
) -> list[dict[str, Any]] | dict[str, Any] | None:
    """The records to filter, the one record that was found, or None when it stays unknown.

    `filters` are fields, operators and search values.

    Raises:
        Failure: `provider_failed`.
    """
    metadata = _metadata(evaluation, name, definition)
    if metadata is None:
        return None
    node = definition.get("type")
    # copies, which a provider may change as it likes
    asked = tuple(
        Filter(field, operator, from_plain(search)) for field, operator, search in filters
    )
    hint = "this is a mistake in the provider, not in the blueprint"
    try:
        answer = offer.value.answer(Query(type_name, name, asked, from_plain(metadata)))
        records, problem = _records(answer)
    except ProviderError as refusal:
        summary = f"{offer.origin} cannot answer"
        if evaluation.reveal:
            raise Failure("provider_failed", summary, node, _WITHHELD) from None
        raise Failure("provider_failed", f"{summary}: {refusal}", node) from None
    # a plugin's mistake must not look like one of bpp, nor end it
    except (Exception, SystemExit) as error:
        summary = f"{offer.origin} failed with {type(error).__name__}"
        raise Failure("provider_failed", summary, node, hint) from None
    if problem:
        summary = f"{offer.origin} answers with {problem}, not with records"
        raise Failure("provider_failed", summary, node, hint)
    return records


def _records(answer: Any) -> tuple[list[dict[str, Any]] | dict[str, Any] | None, str]:
    """An answer as plain data, and what is wrong with it."""
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
    """False for what no document can hold: bytes, and texts that are no Unicode."""
    match value:
        case str():
            return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)
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
