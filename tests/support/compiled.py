"""Whether the hot modules of what is tested are compiled (docs/adr/0018-compiled-wheels.md)."""

from __future__ import annotations

import pytest
from bpp.pipeline.values import tree

COMPILED = not str(tree.__file__).endswith(".py")

interpreted = pytest.mark.skipif(
    COMPILED,
    reason="only sources have docstrings and calls to count, and take nodes of wrong types",
)
