"""Names in the state of a deployment that the blueprint does not have: mostly misspellings."""

from __future__ import annotations

import re
from typing import Final

from ..context import Context
from ..diagnostics import meant
from ..document import Document
from .graph import entries

_INSTANCE: Final = re.compile(r"(.+)_[0-9]+")


def check_state_names(document: Document, context: Context) -> None:
    """Warns of resources, data sources and children that only the state names.

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
        for name in named:
            if name not in defined and not (noun == "resource" and _is_instance(name, document)):
                context.diagnostics.warn(
                    "undeclared_state",
                    None,
                    f"the state names the {noun} `{name}`, which the blueprint does not define",
                    meant(name, defined),
                )


def _names(document: Document, section: str) -> set[str]:
    """The names in a section of a document; its children see a state of their own."""
    return {*entries(document, section)}


def _is_instance(name: str, document: Document) -> bool:
    match = _INSTANCE.fullmatch(name)
    template = entries(document, "resources").get(match[1]) if match else None
    return template is not None and template.get("each") is not None
