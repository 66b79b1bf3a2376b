"""The white space inside of the templates that a blueprint holds."""

from __future__ import annotations

from collections.abc import Callable

from ...formats.go_yaml import read_go
from ...language.meter import Meter
from ...values.diagnostics import Diagnostics
from ...values.source import Source
from ...values.tree import list_at, text_at
from ..gotemplate.spacing import spaced
from .blueprint import GO_TEMPLATE

_PHASES = ("importExecutions", "subinstallationExecutions", "deployExecutions", "exportExecutions")


def space_templates(source: Source, meter: Meter) -> Callable[[str], str]:
    """Spaces strings that are templates of Go in the executions of a blueprint."""
    root = read_go(source, meter, Diagnostics())
    executions = [one for name in _PHASES for one in list_at(root, name)]
    templates = [(text_at(one, "type"), text_at(one, "template")) for one in executions]
    found = {text for engine, text in templates if engine == GO_TEMPLATE}
    found -= {text for engine, text in templates if engine != GO_TEMPLATE}
    return lambda text: spaced(text, meter.limits) if text in found else text
