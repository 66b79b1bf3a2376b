"""The options of a render of a template."""

from __future__ import annotations

from typing import Any

from ....functions.record import Record, field


class TemplateOptions(Record):
    """The options of a render of a template: the data that is its dot, as JSON has it.

    Values of `private` data are in no message.
    """

    data: Any = field(default=None, repr=False)
    private: bool = False
