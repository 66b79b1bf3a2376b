"""Providers of data sources and of the options of custom variable types.

Both are registered by the caller (`render(..., providers=[...])`) or installed with an entry point,
in the groups `bpp.datasources` and `bpp.variable_types`. The entry point's name is the type that it
answers, and it leads to the same record that a caller registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from ...functions.record import Record

if TYPE_CHECKING:
    from .plugins import PluginProblem

DATA_SOURCES: Final = "bpp.datasources"
VARIABLE_TYPES: Final = "bpp.variable_types"

Answer: TypeAlias = Sequence[Mapping[str, Any]] | Mapping[str, Any] | None
"""Records to filter, the matching record, or None for "not in this run"."""


class Filter(Record):
    """One filter of a data source: `field` and `operator` as written, `search` evaluated."""

    field: str
    operator: str
    search: Any


class Query(Record):
    """The query of a data source (specification, "dataSourceFilterDefinition"); all filters apply.

    `name` is the data source's in its blueprint, `metadata` its `displayName`, `annotations` and
    `custom`, evaluated.
    """

    type: str
    name: str
    filters: tuple[Filter, ...]
    metadata: Mapping[str, Any]


class ProviderError(Exception):
    """Raised by a provider that cannot answer.

    Its text is shown, but not in a run that reveals secrets: there a provider may be asked for one.
    """


class DataSourceProvider(Record):
    """Answers data sources of one or more types.

    `answer` returns records, to which bpp applies the filters in order, or the one record that it
    has found itself, or None when the data source stays unknown in this run. Records are plain data
    as JSON has it; they are never read as expressions. It may raise `ProviderError`.
    """

    types: tuple[str, ...]
    answer: Callable[[Query], Answer]
    doc: str = ""


class VariableType(Record):
    """The options of a custom variable type (specification, "variableDefinition").

    `options` are the labels that variables of the type may have, or labels with the values that
    they stand for.
    """

    name: str
    options: Mapping[str, Any] | Sequence[str]
    doc: str = ""


class Offer(Record):
    """A provider that was found; `origin` names its owner for messages."""

    value: Any
    origin: str


_Kind = TypeVar("_Kind", DataSourceProvider, VariableType)


class Providers:
    """A registry; entry points are read at the first type that is not registered."""

    def __init__(
        self,
        providers: Iterable[DataSourceProvider | VariableType] = (),
        entry_points: bool = True,
    ) -> None:
        self._data_sources: dict[str, DataSourceProvider] = {}
        self._variable_types: dict[str, VariableType] = {}
        self._entry_points = entry_points
        for provider in providers:
            if isinstance(provider, DataSourceProvider):
                for name in types_of(provider):
                    _register(self._data_sources, name, provider)
            elif isinstance(provider, VariableType):
                _register(self._variable_types, provider.name, provider)
            else:
                raise ValueError(f"a `{type(provider).__name__}` is not a provider")

    def data_source(self, name: str) -> Offer | PluginProblem | None:
        """The provider of a data source type, the problem with it, or None."""
        registered = self._data_sources.get(name)
        if registered is not None:
            return Offer(registered, f"the provider of `{name}`")
        found = self._installed(DATA_SOURCES, name, DataSourceProvider)
        if isinstance(found, Offer) and name not in types_of(found.value):
            from .plugins import PluginProblem

            return PluginProblem(name, f"{found.origin} does not answer `{name}`")
        return found

    def variable_type(self, name: str) -> Offer | PluginProblem | None:
        """The custom variable type of a name, the problem with it, or None."""
        registered = self._variable_types.get(name)
        if registered is not None:
            return Offer(registered, f"the variable type `{name}`")
        found = self._installed(VARIABLE_TYPES, name, VariableType)
        if isinstance(found, Offer) and name != found.value.name:
            from .plugins import PluginProblem

            return PluginProblem(name, f"{found.origin} is another type, `{found.value.name}`")
        return found

    def _installed(self, group: str, name: str, kind: type[_Kind]) -> Offer | PluginProblem | None:
        if not self._entry_points:
            return None
        from .plugins import Plugin, find_plugin, wrong_type

        plugin = find_plugin(group, name)
        if not isinstance(plugin, Plugin):
            return plugin
        if not isinstance(plugin.value, kind):
            return wrong_type(plugin, kind.__name__)
        return Offer(plugin.value, plugin.origin)


def types_of(provider: DataSourceProvider) -> tuple[str, ...]:
    """The types that a provider answers; one alone may stand there without a tuple."""
    types: object = provider.types
    if isinstance(types, str):
        return (types,)
    return tuple(types) if isinstance(types, Sequence | Set) else ()


def _register(registered: dict[str, _Kind], name: str, provider: _Kind) -> None:
    if name in registered:
        raise ValueError(f"the type `{name}` is registered twice")
    registered[name] = provider
