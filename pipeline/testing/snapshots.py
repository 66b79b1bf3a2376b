"""Snapshots as readable text files, one for each, kept by syrupy."""

from __future__ import annotations

from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ..world.writing import write_atomically


class StageSnapshot(SingleFileSnapshotExtension):
    """`__snapshots__/<test module>/<test>.txt`."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: Any, **_: Any) -> None:
        """Write a snapshot; a link in its place is refused.

        Raises:
            FileProblem: `file_unwritable`.
        """
        data = next(iter(snapshot_collection)).data
        write_atomically(snapshot_collection.location, data.encode(), named=False)
