"""The secrets of a document that are known in clear, which no address may hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from ...functions.values import to_text
from ..language.errors import Failure
from ..tree import Map
from .parts import flag_of

if TYPE_CHECKING:
    from .evaluation import Evaluation

_SHORTEST: Final = 4
"""Shorter texts are found in every other address by chance."""


def secrets_in_clear(evaluation: Evaluation) -> Iterator[str]:
    """The texts of secret variables and values, of those that are long enough to be told apart.

    Only `--secrets reveal` has any: otherwise secrets take no part in evaluation.
    """
    for value in _secret_values(evaluation):
        yield from (text for text in _texts(value) if len(text) >= _SHORTEST)


def _secret_values(evaluation: Evaluation) -> Iterator[Any]:
    for variable in evaluation.variables.values():
        if variable.secret:
            yield variable.value
    section = evaluation.document.section("values")
    for name, node in section.items.items() if section else ():
        if isinstance(node, Map) and flag_of(node.get("secret")):
            try:
                yield evaluation.value(name)
            except Failure:
                continue  # reported already


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield to_text(value)
