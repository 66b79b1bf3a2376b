"""The testing kit for blueprints, transforms, functions and dialects.

No run imports it. The assertions raise `AssertionError` with the whole difference.
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
