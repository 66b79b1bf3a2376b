"""The fields of configurations as a JSON Schema."""

from __future__ import annotations

from .....functions.signatures import read_table
from ....answers.fields import Schema, tabled


def configuration_fields() -> Schema:
    """The schema of configurations, for editors."""
    return tabled(read_table(__package__.rpartition(".")[0], "fields.toml"))
