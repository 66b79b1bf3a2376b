"""What a run is given, and where it reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field
from ...functions.values import from_plain
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics, Quoting
from ..values.settings import Limits, Settings
from .inputs import VariableInputs
from .work import Work

if TYPE_CHECKING:
    from ...functions.registry import Functions
    from ...transforms.registry import Transforms
    from ..language.language import Language
    from ..values.source import Span
    from ..world.effects import Effects
    from ..world.files import Files
    from ..world.providers import Providers
    from ..world.remote.resolvers import Resolvers
    from .dialect import Dialect
    from .run import Pipeline


class State(Record):
    """What is known of the deployment: by resource, data source, child and link (`a::b`).

    `children` are the exports of child blueprints, `included` is what is known inside of them: a
    child sees nothing of its parent's state, whose names may be the same.
    """

    resources: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    datasources: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    children: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    links: Mapping[str, Any] = field(factory=dict)
    included: Mapping[str, State] = field(factory=dict)


def known_state(record: Any) -> State:
    """The state that a state file's record tells.

    It stays plain data, in which a null can be told from what is absent: the one is none, the other
    unknown.

    Raises:
        ValueError: for what is no value of the language.
    """
    for part in (record.resources, record.datasources, record.children, record.links):
        from_plain(part)
    inside = {name: known_state(child) for name, child in record.included.items()}
    return State(record.resources, record.datasources, record.children, record.links, inside)


class Inclusion(Record):
    """One step of the way from the main blueprint to a child: who, from where, and which file."""

    name: str
    span: Span
    identity: str


class Context(Record, eq=False):
    """The surroundings of a document in a run; a child gets one of its own.

    `records` answer data sources by type, `providers` those that have no records; `way` is how the
    document was reached from the main blueprint, `identity` names its file for the search for
    cycles, `pipeline` runs its children, `meter` counts what the whole run spends. `options` are
    what a caller tells the stages of `dialect`. `work` is what the stages found out.
    """

    language: Language
    functions: Functions
    settings: Settings
    files: Files
    environment: Effects
    diagnostics: Diagnostics
    given: VariableInputs
    transforms: Transforms
    pipeline: Pipeline
    meter: Meter
    dialect: Dialect = field(repr=False)
    state: State = field(default=State(), repr=False)
    records: Mapping[str, list[dict[str, Any]]] = field(factory=dict, repr=False)
    providers: Providers | None = None
    resolvers: Resolvers | None = None
    way: tuple[Inclusion, ...] = ()
    identity: str = ""
    opened: list[str] = field(factory=list)
    main: bool = True
    options: Any = None
    work: Work = field(factory=Work, repr=False)

    @property
    def quoting(self) -> Quoting:
        """What reports of this run may quote."""
        return self.diagnostics.quoting

    @property
    def limits(self) -> Limits:
        """The limits of the settings."""
        return self.settings.limits
