"""The functions of templates: builtins, sprig's, and those that read YAML and files."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ....functions import gotemplate
from ....functions.gotemplate.guards import TYPES, failed
from ....functions.gotemplate.index import INDEX, load
from ....functions.registry import Function, Functions, Outline
from ....functions.signatures import Declarations, advice, declared_functions
from ...formats.go_yaml import plain, read_go
from ...language.meter import Meter
from ...values.diagnostics import Diagnostics
from ...values.settings import Limits, Settings
from ...values.source import Source

function: Final = Declarations("yaml", gotemplate.__name__, propagates_none=False, types=TYPES)


def functions(settings: Settings) -> Functions:
    """All functions under given settings."""
    limits = {"limits": settings.limits}

    def made(name: str) -> Function:
        return function.record(name, limits)

    declared = declared_functions(INDEX, load, limits)
    declared.advise = partial(advice, gotemplate.__name__)
    declared.listed = "bpp functions --dialect gotemplate"
    return declared.with_functions(Outline("fromYaml", "call", None, made))


@function("fromYaml(text: string) -> any", weight=128)
def from_yaml(text: str, *, limits: Limits) -> Any:
    """The data of the first document of a text; numbers are floats.

    Raises:
        FunctionError: the text is not valid YAML.
    """
    problems = Diagnostics(1)
    root = read_go(Source("<text>", text, "yaml"), Meter(limits), problems)
    if root is None:
        first = next(iter(problems), None)
        place = f"line {first.span.line}: " if first and first.span else ""
        raise failed(
            f"error converting YAML to JSON: yaml: {place}{first.summary if first else ''}"
        )
    return plain(root)
