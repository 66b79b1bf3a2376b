"""JSON Schemas of the files that bpp reads and writes beside documents."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import attrs

from ..formats.json_schema import Recorder, Schema
from ..formats.records import DataSourcesFile, ReportRecord, StateFile

_Place: TypeAlias = Annotated[list[int], "file, place, own, steps, line and what computed it"]

_MARKED: Final[list[tuple[object, Schema]]] = [
    (
        _Place,
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 0},
            "minItems": 8,
            "maxItems": 9,
        },
    )
]


@attrs.frozen
class Computed:
    """What a text with substitutions refers to and calls."""

    references: list[str]
    functions: list[str]


@attrs.frozen
class MappedOutput:
    """The places of what an output is made of, by JSON pointer, in the order of its lines."""

    file: str | None
    format: Literal["yaml", "json"]
    places: dict[str, _Place]


@attrs.frozen
class SourceMap:
    """Where each part of an output comes from; entries are indexes into the lists."""

    version: Literal[1]
    files: list[str]
    steps: list[list[str]]
    computed: list[Computed]
    outputs: list[MappedOutput]


def diagnostics_schema() -> Schema:
    """The schema of reports."""
    about = "What `--diagnostics json` reports."
    return Recorder(open=True).document("Diagnostics", about, ReportRecord)


def source_map_schema() -> Schema:
    """The schema of source maps."""
    about = "What `bpp render --source-map` writes."
    return Recorder(_MARKED, open=True).document("Source map", about, SourceMap)


def state_schema() -> Schema:
    """The schema of state files."""
    about = "What is known of a deployment, for `--state`."
    return Recorder().document("State", about, StateFile)


def datasources_schema() -> Schema:
    """The schema of files with the records of data sources."""
    about = "Records that answer data sources, by type, for `--datasources`."
    return Recorder().document("Data source records", about, DataSourcesFile)
