"""A row of the tables of what the server answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...functions.record import Record
from .workspace import Workspace


class Feature(Record):
    """A request that is answered from what is known of the texts.

    `method` is the protocol's name of the request, `answer` gets its parameters and runs off the
    main loop, within limits; it gives what the protocol asks for, or None. It may raise what a run
    raises when a limit is reached. `options` are those of the registration. `after` is what it
    waits for, for a moment: that the present text is checked (`check`) or rendered (`render`), or
    `nothing`.
    """

    method: str
    answer: Callable[[Workspace, Any], Any]
    options: Any = None
    after: str = "check"


class Command(Record):
    """A command of `workspace/executeCommand`; `answer` gets its arguments."""

    name: str
    answer: Callable[[Workspace, list[Any]], Any]


class Refused(Exception):
    """What was asked for cannot be done; its text says why, to whom asked."""
