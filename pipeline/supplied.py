"""What files supply beside variables: the state of a deployment, and records of data sources."""

from __future__ import annotations

from typing import Any

from .diagnostics import Diagnostics
from .files import Files
from .settings import Limits

STATE = "invalid_state"
RECORDS = "invalid_datasources_file"


def read_supplied(
    name: str, shown: str, code: str, files: Files, limits: Limits, diagnostics: Diagnostics
) -> Any:
    """A state file's `State` or a data sources file's records, by the `code` of its mistakes.

    None when there are mistakes, which are added to `diagnostics`; `shown` is its name there.

    Raises:
        FileProblem: when it cannot be read.
    """
    from .datafiles import place_of, read_data
    from .records import RecordError, structure_datasources, structure_state

    before = diagnostics.errors
    content, source = read_data(shown, files.open_input(name), limits, diagnostics)
    if diagnostics.errors > before:
        return None
    try:
        if code == RECORDS:
            return structure_datasources(content)
        from .context import known_state

        return known_state(structure_state(content))
    except RecordError as error:
        for path, message in error.problems:
            diagnostics.error(code, place_of(source, path), message)
        return None
