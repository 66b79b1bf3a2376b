"""The functions of Go's templates: each example of `functions/gotemplate/examples.toml`."""

from __future__ import annotations

from random import Random

import pytest
from bpp.functions import Example, Function
from bpp.pipeline import Settings
from bpp.pipeline.dialects.gotemplate.engine import compile_template
from bpp.pipeline.dialects.gotemplate.functions import functions
from bpp.pipeline.formats.go_yaml import as_floats
from bpp.pipeline.language.errors import Failure
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from support.rows import hold

FUNCTIONS = functions(Settings())


class Surroundings:
    """What templates are compiled in, and what functions with an effect ask."""

    limits = Limits()

    def __init__(self) -> None:
        self.diagnostics = Diagnostics(10)
        self.meter = Meter(self.limits)

    def now(self) -> float:
        return 1_600_000_000.0

    def stream(self) -> Random:
        return Random(7)


def text_of(pipeline: str, data: object = None) -> str:
    """What an action prints, or the code of the error."""
    around = Surroundings()
    after = "{{ $d }}" if pipeline.startswith("$d :=") else ""
    source = Source("<text>", f"{{{{ {pipeline} }}}}{after}", "text")
    program = compile_template(source, FUNCTIONS, around)
    if program is None:
        return f"error: {next(iter(around.diagnostics)).code}"
    try:
        return program.run(as_floats(data), around.meter, around).text
    except Failure as failure:
        return f"error: {failure.code}"


def check_example(example: Example) -> None:
    if example.result is None and example.error is None:
        return
    expected = f"error: {example.error}" if example.error else example.result
    assert text_of(example.expression, example.scope) == expected


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_an_example_holds(function: Function) -> None:
    hold(function.examples, check_example, lambda example: example.expression)
    assert function.summary
    assert all(parameter.doc for parameter in function.parameters)
