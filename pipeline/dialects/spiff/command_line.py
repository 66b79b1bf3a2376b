"""Spiff's part of the command line: stubs, state, and the bindings."""

from __future__ import annotations

from typing import Any, Final

from ....functions.record import Record, field
from ...engine.options import CommandInputs, CommandLine, Option
from ...values.source import Source

_STUB: Final = Option(
    "--stub",
    "A stub: its values win over those of FILE; may be repeated, the first one wins.",
    "FILE",
    many=True,
    values="blueprints",
)


class SpiffOptions(Record):
    """The options of a template: its stubs and its state as texts, and the bindings.

    Values of `private` bindings are in no message.
    """

    stubs: tuple[Source, ...] = ()
    state: Source | None = None
    values: dict[str, Any] = field(factory=dict, repr=False)
    private: bool = False


def spiff_options(asked: CommandInputs) -> SpiffOptions:
    """The options that a command line gives.

    Raises:
        FileProblem: a file that cannot be read.
        ValueError: a variable that is not written NAME=VALUE.
    """
    stubs = tuple(map(asked.source, asked.own.get(_STUB.flag, ())))
    state = asked.source(asked.state) if asked.state else None
    return SpiffOptions(stubs, state, asked.data(), True)


COMMAND_LINE: Final = CommandLine(
    (_STUB,), refuses=("--datasources", "--strict-vars", "--split"), inputs=spiff_options
)
