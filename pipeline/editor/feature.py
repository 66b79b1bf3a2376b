"""A row of the tables of what the server answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ...functions.record import Record
from .workspace import Workspace

NOTHING: Final = "nothing"
CHECK: Final = "check"
RENDER: Final = "render"


class Feature(Record):
    """A request that is answered from what is known of the texts.

    `method` is the protocol's name of the request, `answer` gets its parameters and runs off the
    main loop, within limits, one at a time; it gives what the protocol asks for, or None. It may
    raise what a run raises when a limit is reached. `options` are those of the registration.
    `after` is what it waits for, a second at most: the `check` of the present text, its `render`,
    or `nothing`, for what is asked with every keystroke.
    """

    method: str
    answer: Callable[[Workspace, Any], Any]
    options: Any = None
    after: str = CHECK


class Command(Record):
    """A command of the editor, whose arguments `answer` gets as a list of plain data."""

    name: str
    answer: Callable[[Workspace, list[Any]], Any]


class Refused(Exception):
    """What was asked for cannot be done; its text says why, to whom asked."""
