"""The functions of Landscaper: each example of `functions/landscaper/examples.toml`."""

from __future__ import annotations

from typing import Any

import pytest
from bpp.functions import Example, Function, FunctionError
from bpp.functions.landscaper.components import as_v2, as_v3
from bpp.functions.signatures import documented
from bpp.pipeline import Settings
from bpp.pipeline.dialects.gotemplate.engine import compile_template
from bpp.pipeline.dialects.landscaper.go_templates import functions
from bpp.pipeline.formats.go_yaml import as_floats, plain, read_go
from bpp.pipeline.language.errors import Failure
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from support.rows import hold

FUNCTIONS = functions(Settings())
NAMES = [name for name in documented("bpp.functions.landscaper") if name != "data"]
DATABASE = {
    "meta": {"schemaVersion": "v2"},
    "component": {
        "name": "example.com/database",
        "version": "2.1.0",
        "resources": [{"name": "schema", "version": "1", "type": "json"}],
    },
}


class Surroundings:
    """What templates are compiled in, and the components that their functions ask."""

    limits = Limits()

    def __init__(self, scope: Any) -> None:
        self.diagnostics = Diagnostics(10)
        self.meter = Meter(self.limits)
        self.descriptor = scope.get("cd")

    @property
    def components(self) -> Surroundings:
        return self

    def find(self, name: str, version: str) -> Any:
        return as_v2(DATABASE) if (name, version) == ("example.com/database", "2.1.0") else None

    def content(self, descriptor: Any, resource: Any) -> bytes:
        assert resource["access"]["localReference"] == "text.txt"
        return b"hello\n"

    def spend(self, steps: int) -> None:
        self.meter.work(steps)

    def parsed(self, text: str) -> Any:
        node = read_go(Source("<text>", text), self.meter, self.diagnostics)
        if node is None:
            raise FunctionError("not YAML", "template_error")
        return plain(node)


def check_example(example: Example) -> None:
    around = Surroundings(example.scope)
    source = Source("<text>", f"{{{{ {example.expression} }}}}", "text")
    program = compile_template(source, FUNCTIONS, around)
    assert program is not None, [str(item) for item in around.diagnostics]
    try:
        text = program.run(as_floats(example.scope), around.meter, around).text
    except Failure as failure:
        text = f"error: {failure.code}"
    assert text == (f"error: {example.error}" if example.error else example.result)


@pytest.mark.parametrize("function", [FUNCTIONS[name] for name in NAMES], ids=lambda f: f.name)
def test_an_example_holds(function: Function) -> None:
    hold(function.examples, check_example, lambda example: example.expression)
    assert function.summary
    assert all(parameter.doc for parameter in function.parameters)


def test_forms_of_descriptors_are_converted() -> None:
    mine = as_v2(documented("bpp.functions.landscaper")["data"]["component"]["cd"])
    newer = as_v3(mine)
    assert newer["apiVersion"] == "ocm.software/v3alpha1"
    assert newer["metadata"]["provider"] == {"name": "internal"}
    assert newer["spec"]["references"][0]["componentName"] == "example.com/database"
    assert as_v2(newer) == mine
