"""Spiff's part of the command line: stubs, state, and the bindings."""

from __future__ import annotations

from typing import Any, Final

from ....functions.record import Record, field
from ...engine.options import CommandInputs, CommandLine, Option
from ...values.source import Source
from ...world.files import decode_text

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
    from ...formats.go_yaml import plain, read_go

    def opened(name: str) -> Source:
        text = decode_text(asked.files.open_input(name), name)
        return Source(name, text, "yaml")

    values: dict[str, Any] = {}
    for name in asked.vars:
        source = opened(name)
        root = read_go(source, asked.meter, asked.diagnostics)
        found = plain(root) if root is not None else {}
        if isinstance(found, dict):
            values |= found
        else:
            summary = f"`{name}` must be a map"
            asked.diagnostics.error("invalid_variables_file", source.span(0, 1), summary)
    for pair in asked.var:
        key, sign, value = pair.partition("=")
        if not sign:
            raise ValueError("--var is written NAME=VALUE")
        values[key] = value
    stubs = tuple(map(opened, asked.own.get(_STUB.flag, ())))
    state = opened(asked.state) if asked.state else None
    return SpiffOptions(stubs, state, values | dict(asked.values), True)


COMMAND_LINE: Final = CommandLine(
    (_STUB,), refuses=("--datasources", "--strict-vars", "--split"), inputs=spiff_options
)
