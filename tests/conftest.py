"""Where snapshots are kept: one readable file a case, outside `tests/`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from bpp.pipeline.testing.snapshots import StageSnapshot
from hypothesis import settings
from syrupy.assertion import SnapshotAssertion
from syrupy.data import Snapshot, SnapshotCollection
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

SNAPSHOTS = Path(__file__).parent.parent / "snapshots"

# A run of CI tries the same examples every time; by hand, every run tries others.
settings.register_profile("bpp", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("bpp")


class CaseSnapshot(StageSnapshot):
    """`snapshots/<topic>/<case>.txt` for the test with the parameter `<topic>/<case>`."""

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        return test_location.snapshot_name

    @classmethod
    def get_file_basename(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        return cls._parameter(test_location).rpartition("/")[2]

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS / cls._parameter(test_location).rpartition("/")[0])

    @classmethod
    def discovery_dirname(cls, *, test_location: PyTestLocation) -> str:
        return str(SNAPSHOTS)

    def owns_snapshot_collection(self, *, filepath: str, test_location: PyTestLocation) -> bool:
        return filepath.endswith(".txt")

    @classmethod
    def matches_test_location(
        cls, *, test_location: PyTestLocation, snapshot_location: str
    ) -> bool:
        return cls.get_location(test_location=test_location, index=0) == snapshot_location

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        # named as the test that writes it, so that a file without a test is found out as unused
        file = Path(snapshot_location)
        collection = SnapshotCollection(location=snapshot_location)
        collection.add(Snapshot(name=f"test_case[{file.parent.name}/{file.stem}]"))
        return collection

    @staticmethod
    def _parameter(test_location: PyTestLocation) -> str:
        return test_location.snapshot_name.partition("[")[2].rpartition("]")[0]


@pytest.fixture
def case_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """The snapshot of one case."""
    return snapshot.use_extension(CaseSnapshot)
