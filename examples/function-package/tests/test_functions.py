"""The functions as expressions call them: the package is installed, nothing is passed."""

from __future__ import annotations

import pytest
from acme_names.functions import FUNCTIONS
from bpp.functions import Example
from bpp.pipeline import evaluate
from bpp.pipeline.testing import assert_diagnostics

EXAMPLES = [example for function in FUNCTIONS for example in function.examples]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.expression)
def test_an_example_holds(example: Example) -> None:
    assert evaluate(f"${{{example.expression}}}").value == example.result


def test_a_name_that_is_too_long_is_refused() -> None:
    found = evaluate('${bucket_name("acme", variables.long)}', {"variables": {"long": "x" * 60}})
    assert_diagnostics(found, ["invalid_argument"])


def test_what_is_not_known_stays() -> None:
    found = evaluate("${kebab(resources.api.state.name)}")
    assert found.residual == "${kebab(resources.api.state.name)}"
