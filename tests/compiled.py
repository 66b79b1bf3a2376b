"""Whether the hot modules of what is tested are compiled (docs/adr/0018-compiled-wheels.md)."""

from __future__ import annotations

import pytest
from bpp.pipeline import tree

COMPILED = not str(tree.__file__).endswith(".py")

interpreted = pytest.mark.skipif(COMPILED, reason="compiled code has no docstrings or frames")
