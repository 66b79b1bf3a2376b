"""What a dialect has of its own on the command line, and what commands give its stages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field

if TYPE_CHECKING:
    from ..diagnostics import Diagnostics
    from ..files import Files
    from ..settings import Settings


class Option(Record):
    """An option of the command line that one dialect has.

    `flag` is as it is written (`--env`). `metavar` stands for its value in help; an option without
    one is a switch. `many` may be repeated. `choices` are all values there are, if that is known.
    `data` marks the path of a file whose lines no report quotes.
    """

    flag: str
    help: str
    metavar: str = ""
    many: bool = False
    choices: tuple[str, ...] = ()
    data: bool = False


class Asked(Record, eq=False):
    """What a command or a target of a build was given for one render, as text.

    `own` has the values of the dialect's own options by flag; a switch has the value ``""``.
    `var`, `vars` and `state` are the shared options, `values` typed variables of a target by name.
    `environment` is what of the process's environment may be passed on. Mistakes in files are added
    to `diagnostics`.
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

    `options` are its own, `refuses` the shared ones that mean nothing in it, by flag. `inputs`
    makes what the stages of the dialect take, the argument `options` of `render`; it raises
    `FileProblem` for a file that cannot be read and `ValueError` for what cannot be meant. Without
    it, a render takes variables, state and records as `render` has them.
    """

    options: tuple[Option, ...] = ()
    refuses: Collection[str] = ()
    inputs: Callable[[Asked], Any] | None = None
