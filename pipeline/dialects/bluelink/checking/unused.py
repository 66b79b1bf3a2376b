"""Lints: variables, values and data sources that nothing in their blueprint refers to.

The blueprint is looked at as it is written, so what is used in a resource that will be pruned, or
in a branch that is not taken, is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....engine.lints import Finding, Lint, Reading
from ....language.errors import LanguageError
from ....values.diagnostics import WARNING
from ....values.document import Document
from ....values.expression import Reference
from ....values.tree import Map, Scalar, templates_in

_CODES: Final = {
    "variables": ("unused_variable", "variable"),
    "values": ("unused_value", "value"),
    "datasources": ("unused_data_source", "data source"),
}


def uses(document: Document, reading: Reading) -> set[tuple[str, str]]:
    """The root and the first name of each reference in a document, and in its exports' fields.

    Of a reference to a whole section the name is empty.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    templates = templates_in(document.root)
    reading.context.meter.work(len(templates))
    # strings with the same substitutions share their traits
    traits = {id(found): found for found in (one.segments.traits for one in templates)}
    references = [
        reference
        for found in traits.values()
        for shape in found.shapes
        for reference in shape.references
    ]
    exports = document.section("exports")
    for node in exports.items.values() if exports else ():
        field = node.get("field") if isinstance(node, Map) else None
        if isinstance(field, Scalar) and isinstance(field.value, str):
            reading.context.meter.work()
            try:
                parsed = reading.context.language.parse(field.value)
            except LanguageError:
                continue
            if isinstance(parsed, Reference):
                references.append(parsed)
    return {(one.root, str(one.path[0]) if one.path else "") for one in references}


def _find(document: Document, reading: Reading) -> Iterator[Finding]:
    used = uses(document, reading)
    for section, (code, what) in _CODES.items():
        found = document.section(section)
        if found is None or (section, "") in used:
            continue
        reading.context.meter.work(len(found.items))
        for name in found.items:
            if (section, name) not in used:
                yield Finding(code, found.key_span(name), f"the {what} `{name}` is not used")


UNUSED: Final = Lint({code: WARNING for code, _ in _CODES.values()}, _find)
