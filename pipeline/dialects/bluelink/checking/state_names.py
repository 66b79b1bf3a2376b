"""Names in the state of a deployment that the blueprint does not define, mostly misspellings."""

from __future__ import annotations

from typing import Final

from .....functions.regexes import compile_regex
from .....functions.values import NONE, article, from_plain, type_of
from ....engine.materialisation import text_of
from ....engine.run import Context
from ....values.diagnostics import Names, Note, suggestion
from ....values.document import Document
from ....values.source import Span
from ....values.tree import Map
from .dependencies import entries

_INSTANCE: Final = compile_regex(r"(.+)_[0-9]+")


def check_state_names(document: Document, context: Context) -> None:
    """Warns of resources, data sources and children that only the state has.

    `document` is the blueprint before resources are removed and templates become instances.
    """
    state = context.state
    linked = (name for link in state.links for name in link.split("::"))
    known = {
        "resource": (dict.fromkeys([*state.resources, *linked]), _names(document, "resources")),
        "data source": (state.datasources, _names(document, "datasources")),
        "child blueprint": (
            dict.fromkeys([*state.children, *state.included]),
            [*entries(document, "include"), *entries(document, "children")],
        ),
    }
    for noun, (named, defined) in known.items():
        near = Names(defined)
        for name in named:
            if name not in defined and not (noun == "resource" and _is_instance(name, document)):
                context.diagnostics.warn(
                    "undeclared_state",
                    None,
                    f"the state names the {noun} `{name}`, which the blueprint does not define",
                    suggestion(name, near),
                )


def _names(document: Document, section: str) -> set[str]:
    """The names in a section of a document; its children see a state of their own."""
    return {*entries(document, section)}


def _is_instance(name: str, document: Document) -> bool:
    match = _INSTANCE.fullmatch(name)
    template = entries(document, "resources").get(match[1]) if match else None
    return template is not None and template.get("each") is not None


def check_state_exports(document: Document, context: Context) -> None:
    """Reports exports in the state that a child does not have or declares with another type.

    Only children that were opened are checked; the declarations of others are not known.
    """
    include = document.section("include") or document.section("children")
    for name, known in context.state.children.items():
        child = document.children.get(name)
        if child is None:
            continue
        exports = entries(child, "exports")
        for key, data in known.items():
            export = exports.get(key)
            span = include.key_span(name) if include is not None else None
            if export is None:
                context.diagnostics.warn(
                    "undeclared_state",
                    span,
                    f"the state has an export `{key}` that the child blueprint `{name}` does not "
                    "have",
                    suggestion(key, exports),
                )
            else:
                _check_type(name, key, from_plain(data), export, span, context)


def _check_type(
    name: str, key: str, value: object, export: Map, span: Span | None, context: Context
) -> None:
    declared = text_of(export.get("type")) or "any"
    actual = type_of(value)
    if value is NONE or declared in ("any", actual) or (declared, actual) == ("float", "integer"):
        return
    node = export.get("type")
    context.diagnostics.error(
        "export_type_mismatch",
        span,
        f"the export `{key}` of the child blueprint `{name}` is declared as {declared}, but the "
        f"state has {article(actual)}",
        None,
        *([Note("it is declared here", node.span)] if node is not None else []),
    )
