"""Snapshots as readable text files, one for each, kept by syrupy."""

from __future__ import annotations

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class StageSnapshot(SingleFileSnapshotExtension):
    """`__snapshots__/<test module>/<test>.txt`."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"
