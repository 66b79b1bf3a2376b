"""Where a node comes from, as data."""

from __future__ import annotations

from ..functions.record import Record
from .source import Span


class Origin(Record):
    """Where a node comes from: the place it was written and the steps that shaped it."""

    span: Span
    steps: tuple[str, ...]
