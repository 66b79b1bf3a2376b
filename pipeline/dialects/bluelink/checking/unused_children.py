"""Lints: children that do nothing for their parent, and variables given as they are anyway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ....engine.lints import Finding, Lint, Reading
from ....values.diagnostics import NOTE, WARNING, Note
from ....values.document import Document
from ....values.tree import AnyNode, Map, Scalar
from ....world.files import FileProblem
from .unused import uses

# a child that has any of these does something, whether or not its exports are used
_EFFECTS: Final = ("resources", "datasources", "include", "children")


def _find(document: Document, reading: Reading) -> Iterator[Finding]:
    include = document.section("include")
    if include is None:
        return
    used = uses(document, reading)
    reading.context.meter.work(len(include.items))
    for name, node in include.items.items():
        child = _child(document, node, reading)
        if child is None or not isinstance(node, Map):
            continue
        idle = not any(section.items for key in _EFFECTS if (section := child.section(key)))
        if idle and ("children", name) not in used and ("children", "") not in used:
            yield Finding(
                "unused_include",
                include.key_span(name),
                f"the child blueprint `{name}` has no resources, and its exports are not used",
            )
        yield from _repeated(name, node.get("variables"), child, reading)


def _child(document: Document, node: AnyNode, reading: Reading) -> Document | None:
    """The local child of an include with a fixed path, if the check has read it."""
    path = node.get("path") if isinstance(node, Map) else None
    if not isinstance(path, Scalar) or not isinstance(path.value, str):
        return None
    try:
        real = reading.context.files.resolve(path.value, document.folder)
    except FileProblem:
        return None
    return reading.documents.get(real)


def _repeated(
    name: str, given: AnyNode | None, child: Document, reading: Reading
) -> Iterator[Finding]:
    declared = child.section("variables")
    if not isinstance(given, Map) or declared is None:
        return
    reading.context.meter.work(len(given.items))
    for variable, value in given.items.items():
        definition = declared.get(variable)
        if not isinstance(definition, Map) or not isinstance(value, Scalar):
            continue
        default, secret = definition.get("default"), definition.get("secret")
        if secret is not None or not isinstance(default, Scalar) or default.value is None:
            continue
        if type(value.value) is type(default.value) and value.value == default.value:
            yield Finding(
                "default_repeated",
                given.key_span(variable),
                f"`{variable}` is given its default",
                f"leave it out, unless `{name}` must not follow a change of the default",
                (Note("the default is written here", default.span),),
            )


CHILDREN: Final = Lint({"unused_include": WARNING, "default_repeated": NOTE}, _find)
