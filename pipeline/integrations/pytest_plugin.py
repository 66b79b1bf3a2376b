"""The pytest plugin: the fixture `bpp_snapshot`.

pytest imports this in every run of every project that has bpp installed, so it imports nothing of
ours: a fixture loads what it needs when a test asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from ..engine.run import Run
    from ..values.source import Source


class SnapshotOfStages(Protocol):
    """The type of the fixture `bpp_snapshot`."""

    def __call__(
        self,
        source: str | os.PathLike[str] | Source,
        *,
        errors: Iterable[str] = (),
        warnings: Iterable[str] | None = None,
        **arguments: Any,
    ) -> Run:
        """Renders a blueprint and compares the result and the diagnostics of every stage.

        A path is relative to the folder of the test. `errors` and `warnings` are those of
        `bpp.pipeline.testing.assert_diagnostics`, `arguments` those of `bpp.pipeline.render`; the
        clock stands still and ids are the same in every run unless `settings` say otherwise. What a
        plugin raises is the cause of the failure.

        Raises:
            AssertionError: when a stage or a diagnostic differs.
        """


@pytest.fixture
def bpp_snapshot(request: pytest.FixtureRequest) -> SnapshotOfStages:
    """Renders a blueprint and compares every stage with a snapshot that syrupy keeps."""
    try:
        snapshot = request.getfixturevalue("snapshot")
    except pytest.FixtureLookupError:
        pytest.fail("the fixture `bpp_snapshot` needs syrupy: pip install syrupy", pytrace=False)
    from ..testing.snapshots import StageSnapshot

    kept = snapshot.use_extension(StageSnapshot)
    folder = str(request.path.parent)

    def compare(
        source: str | os.PathLike[str] | Source,
        *,
        errors: Iterable[str] = (),
        warnings: Iterable[str] | None = None,
        **arguments: Any,
    ) -> Run:
        from ..rendering import render
        from ..testing import assert_diagnostics, story
        from ..testing.snapshots import mismatch
        from ..values.settings import Settings
        from ..world.files import DiskFiles

        __tracebackhide__ = True
        settings = arguments.get("settings") or Settings(now=0.0, seed=0)
        arguments["settings"] = settings = settings.evolve(debug=True)
        if "files" not in arguments:
            allowed = settings.allow_path
            arguments["files"] = DiskFiles(allowed, cwd=folder, limits=settings.limits)
        run = render(source, **arguments)
        assert_diagnostics(run, errors, warnings)
        text = story(run).replace(folder, "<cwd>")
        if text != kept:
            # pytest explains no comparison of a plugin that it has not rewritten
            raise AssertionError(mismatch(kept, text))
        return run

    return compare
