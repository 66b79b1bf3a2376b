"""What a dialect has of its own on the command line, and what commands ask about its results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field
from ..values.settings import Settings
from .options import Option

if TYPE_CHECKING:
    from ..values.diagnostics import Diagnostics
    from ..world.files import Files


# ----------------------------------------------------------------------
# A dialect's part of the command line: its options, and the inputs that commands give it.


class CommandInputs(Record, eq=False):
    """The inputs of one render, as strings: from a command, or from a target of a build.

    `own` has the values of the dialect's own options by flag; a switch has the value ``""``.
    `var`, `vars` and `state` are the shared options, `values` the typed variables of a target by
    name. `environment` has the environment variables that may be passed on. Problems in files are
    added to `diagnostics`.
    """

    own: Mapping[str, tuple[str, ...]]
    var: tuple[str, ...]
    vars: tuple[str, ...]
    state: str | None
    environment: Mapping[str, str] = field(repr=False)
    settings: Settings
    files: Files
    diagnostics: Diagnostics
    values: Mapping[str, Any] = field(factory=dict, repr=False)


class CommandLine(Record):
    """A dialect's part of the command line.

    `options` are its own, `refuses` the flags of shared options that do not apply to it. `inputs`
    makes the argument `options` of `render`, which the stages of the dialect read; it raises
    `FileProblem` for a file that cannot be read and `ValueError` for an invalid value. Without it,
    a render takes variables, state and records as `render` does.
    """

    options: tuple[Option, ...] = ()
    refuses: Collection[str] = ()
    inputs: Callable[[CommandInputs], Any] | None = None
