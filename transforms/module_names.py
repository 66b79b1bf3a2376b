"""Names for the parts of modules in the blueprint that they become part of."""

from __future__ import annotations

from typing import Final

from ..functions.record import Record, field
from ..pipeline.values.document import Document
from ..pipeline.values.tree import Map

SECTIONS: Final = ("values", "datasources", "resources", "include")


class TakenNames(Record, eq=False):
    """The names of each section that something has already; only `new_name` adds to them."""

    sections: dict[str, set[str]] = field(factory=dict)


def taken_names(document: Document) -> TakenNames:
    """The names of a document."""
    taken = TakenNames({section: set() for section in SECTIONS})
    for section in (*SECTIONS, "children"):
        node = document.section(section)
        if node is not None:
            taken.sections["include" if section == "children" else section].update(node.items)
    return taken


def new_name(taken: TakenNames, section: str, module: str, name: str) -> str:
    """`<module>_<name>`, with a number after it when something else is called so."""
    wanted = chosen = f"{module}_{name}"
    names = taken.sections[section]
    number = 2
    while chosen in names:
        chosen = f"{wanted}_{number}"
        number += 1
    names.add(chosen)
    return chosen


def names_of(document: Document, section: str) -> list[str]:
    """The names in a section, those of children with those of includes."""
    found: dict[str, None] = {}
    for one in (section, "children") if section == "include" else (section,):
        node = document.root.get(one)
        if isinstance(node, Map):
            found.update(dict.fromkeys(node.items))
    return list(found)
