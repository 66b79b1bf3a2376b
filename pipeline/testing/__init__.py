"""The testing kit: what blueprints, transforms, functions and dialects are tested with.

Nothing of it is imported by a run. The assertions raise `AssertionError` with the whole difference.
"""

from .assertions import (
    Found,
    assert_diagnostics,
    assert_expands,
    difference,
    mismatch,
    places,
    said,
    story,
)

__all__ = [
    "Found",
    "assert_diagnostics",
    "assert_expands",
    "difference",
    "mismatch",
    "places",
    "said",
    "story",
]
