"""Snapshots as readable text files, one for each, kept by syrupy."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from difflib import unified_diff
from typing import Any, Final

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from ..world.writing import write_atomically

_UPDATE: Final = "`pytest --snapshot-update` writes it; read it before you commit it"


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


def mismatch(snapshot: Any, story: str) -> str:
    """The failure of a comparison that a snapshot of syrupy has just made with a story of a run.

    Every stage that differs is shown line by line, but not again for the same difference as before.
    """
    result = snapshot.executions[snapshot.num_executions - 1]
    file = os.path.relpath(result.snapshot_location, os.path.dirname(result.test_location.filepath))
    if result.recalled_data is None:
        return f"the snapshot `{file}` does not exist\n{_UPDATE}"
    lines = [f"the stages differ from the snapshot `{file}`; if they are right, {_UPDATE}"]
    old, new = _stages(str(result.recalled_data)), _stages(story)
    before: list[str] = []
    for stage in sorted(old.keys() | new.keys(), key=[*new, *old].index):
        wrong = list(_changes(old.get(stage, ""), new.get(stage, "")))
        changed = [line for line in wrong if line[0] in "+-"]
        if changed and changed == before:
            lines.append(f"=== {stage}: the same difference")
        elif changed:
            lines += [f"=== {stage}", *wrong]
        before = changed or before
    return "\n".join(lines)


def _stages(story: str) -> dict[str, str]:
    """The parts of a story by stage; what stands before the first is part of none."""
    parts = re.split(r"^=== (.*)\n", story, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _changes(old: str, new: str) -> Iterator[str]:
    compared = unified_diff(old.splitlines(), new.splitlines(), "snapshot", "now", lineterm="")
    yield from list(compared)[2:]
