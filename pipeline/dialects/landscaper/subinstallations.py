"""Subinstallations: their fields, and the flow of data between them and their parent.

Of the specification, "Nested Installations". `check` asks for the flow, too, without any values.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final

from ....functions.record import Record, field
from ...values.diagnostics import Diagnostics, Names, Note, meant
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map
from .blueprint import (
    DATA,
    TARGET,
    TARGET_LIST,
    TARGET_MAP,
    Declaration,
    find_cycle,
    report_duplicates,
)
from .fields import entries, fields_of, form, text_at

TEMPLATE: Final = form(
    "a subinstallation",
    "apiVersion kind name! blueprint:map! imports:map importDataMappings:map exports:map "
    "exportDataMappings:map optimization:map",
    "importMappings=importDataMappings exportMappings=exportDataMappings",
)
_LINKS: Final = form("a list of links", "data:list targets:list")
_ELSEWHERE: Final = ("secretRef", "configMapRef")
_DATA: Final = form("a data link", "name! dataRef secretRef:any configMapRef:any")
_WAYS: Final = ("target", "targets", "targetListRef", "targetMap", "targetMapRef")
_TARGET_IMPORT: Final = form(
    "a target import", "name! target targets:texts targetListRef targetMap:text-map targetMapRef"
)
_TARGET_EXPORT: Final = form("a target export", "name! target!")
_BLUEPRINT: Final = form("a blueprint's place", "ref filesystem:map")
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_LONGEST_NAME: Final = 52
_KEY: Final = re.compile(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_ELEMENT: Final = re.compile(r"(?P<name>[^\[\]]+)\[(?P<at>[^\[\]]*)\]")


class Link(Record, eq=False):
    """An import or export of a subinstallation: its own name, and what it is called outside.

    `kind` is that of a data link, of a target, or of the list or map that is handed on as a whole;
    a list or map of single targets has a link for each, in the same `group`: `list`, or `map:KEY`.
    `at` is the index or the key of an element of what is called so outside.
    """

    name: str
    ref: str
    kind: str
    node: AnyNode = field(repr=False)
    at: str | None = None
    group: str = ""

    @property
    def span(self) -> Span:
        """The place of the outer name."""
        return self.node.span


class Subinstallation(Record, eq=False):
    """A subinstallation as it is declared; `node` is its map, with the right names of fields."""

    name: str
    node: Map = field(repr=False)
    imports: tuple[Link, ...] = ()
    exports: tuple[Link, ...] = ()

    @property
    def span(self) -> Span:
        """The place of the name."""
        return self.node.items["name"].span


def read_subinstallation(node: AnyNode, told: Diagnostics) -> Subinstallation | None:
    """A subinstallation of a template; None after mistakes."""
    before = told.errors
    found = fields_of(node, TEMPLATE, told)
    name = text_at(found, "name")
    if "name" in found and (len(name) > _LONGEST_NAME or not _NAME.fullmatch(name)):
        summary = f"`{name}` is not a valid name of a subinstallation"
        hint = "at most 52 lower-case letters, digits and `-`"
        told.error("subinstallation_import", found["name"].span, summary, hint)
    if "blueprint" in found:
        place = fields_of(found["blueprint"], _BLUEPRINT, told)
        if not place:
            summary = "the blueprint of a subinstallation needs a `ref` or a `filesystem`"
            told.error("blueprint_reference", found["blueprint"].span, summary)
    imports = tuple(_imports(found.get("imports"), told))
    exports = tuple(_exports(found.get("exports"), told))
    report_duplicates("import", _names(found.get("imports"), "data", "targets"), told)
    for key in ("data", "targets"):
        report_duplicates("export", _names(found.get("exports"), key), told)
    if told.errors > before or not isinstance(node, Map) or not name:
        return None
    shown = {key: one for key, one in found.items() if key not in ("apiVersion", "kind")}
    return Subinstallation(name, node.replacing(shown), imports, exports)


def _names(node: AnyNode | None, *keys: str) -> Iterator[AnyNode | None]:
    """The names of links."""
    for key in keys:
        for one in entries(node.get(key) if isinstance(node, Map) else None):
            yield one.get("name") if isinstance(one, Map) else None


def _imports(node: AnyNode | None, told: Diagnostics) -> Iterator[Link]:
    links = fields_of(node, _LINKS, told) if node is not None else {}
    for one in entries(links.get("data")):
        yield from _data(one, told)
    for one in entries(links.get("targets")):
        found = fields_of(one, _TARGET_IMPORT, told)
        given = [way for way in _WAYS if way in found]
        name = text_at(found, "name")
        if len(given) != 1:
            code = "field_conflict" if given else "field_required"
            summary = f"a target import has {'only ' if given else ''}one of {', '.join(_WAYS)}"
            told.error(code, one.span, summary)
            continue
        way = given[0]
        value = found[way]
        if isinstance(value, Array):
            for inner in value.items:
                yield _target(name, str(getattr(inner, "value", "")), inner, "list")
        elif isinstance(value, Map):
            for key, inner in value.items.items():
                if not _KEY.fullmatch(key):
                    summary = f"`{key}` is not a valid key of a targetMap"
                    told.error("subinstallation_import", value.key_span(key), summary)
                yield _target(name, str(getattr(inner, "value", "")), inner, f"map:{key}")
        else:
            kinds = {"targetListRef": TARGET_LIST, "targetMapRef": TARGET_MAP}
            text = text_at(found, way)
            if way in kinds:
                yield Link(name, text, kinds[way], value)
            else:
                yield _target(name, text, value)


def _target(name: str, text: str, node: AnyNode, group: str = "") -> Link:
    """A link to a target, or to an element of a list or a map."""
    element = _ELEMENT.fullmatch(text)
    if element is None:
        return Link(name, text, TARGET, node, None, group)
    return Link(name, element["name"], TARGET, node, element["at"], group)


def _data(one: AnyNode, told: Diagnostics) -> Iterator[Link]:
    found = fields_of(one, _DATA, told)
    for key in _ELSEWHERE:
        if key in found:
            summary = f"`{key}` cannot stand in a subinstallation"
            told.error("field_conflict", found[key].span, summary, "use `dataRef`")
    if "dataRef" in found:
        yield Link(text_at(found, "name"), text_at(found, "dataRef"), DATA, found["dataRef"])
    elif found and not found.keys() & set(_ELSEWHERE):
        told.error("field_required", one.span, "a data link has no `dataRef`")


def _exports(node: AnyNode | None, told: Diagnostics) -> Iterator[Link]:
    links = fields_of(node, _LINKS, told) if node is not None else {}
    for one in entries(links.get("data")):
        yield from _data(one, told)
    for one in entries(links.get("targets")):
        found = fields_of(one, _TARGET_EXPORT, told)
        if "target" in found:
            yield Link(text_at(found, "name"), text_at(found, "target"), TARGET, found["target"])


def without_absent(one: Subinstallation, optional: Iterable[str]) -> Subinstallation:
    """A subinstallation without the data imports of what its parent could have, and has not."""
    gone = {*optional}
    if not any(link.kind == DATA and link.ref in gone for link in one.imports):
        return one
    imports = one.node.items["imports"]
    data = imports.get("data") if isinstance(imports, Map) else None
    assert isinstance(imports, Map) and isinstance(data, Array)
    left = [item for item in data.items if text_of(item, "dataRef") not in gone]
    inside = {key: node for key, node in imports.items.items() if key != "data"}
    if left:
        inside["data"] = Array(left, data.trail, data.start, data.end)
    node = one.node.replacing({**one.node.items, "imports": imports.replacing(inside)})
    kept = tuple(link for link in one.imports if link.kind != DATA or link.ref not in gone)
    return one.evolve(node=node, imports=kept)


def text_of(node: AnyNode, key: str) -> str:
    """The string under a key of a map, empty without one."""
    return text_at(node.items, key) if isinstance(node, Map) else ""


def check_flow(
    listed: Iterable[Subinstallation], active: Mapping[str, Declaration], told: Diagnostics
) -> None:
    """Checks where the imports of subinstallations come from, and that no two export the same.

    `active` are the imports of the parent that have a value.
    """
    subs = list(listed)
    report_duplicates("subinstallation", (one.node.get("name") for one in subs), told)
    makers: dict[tuple[str, str], tuple[Subinstallation, Link]] = {}
    for one in subs:
        for link in one.exports:
            key = _outer(link)
            other = makers.get(key)
            if link.ref in active:
                summary = f"`{one.name}` exports `{link.ref}`, which the blueprint imports"
                note = Note("it is imported here", active[link.ref].span)
                told.error("subinstallation_export", link.span, summary, None, note)
            elif other is not None:
                summary = f"`{link.ref}` is exported by `{other[0].name}` already"
                note = Note("it is exported here", other[1].span)
                told.error("subinstallation_export", link.span, summary, None, note)
            else:
                makers[key] = (one, link)
    for one in subs:
        for link in one.imports:
            _check_import(one, link, active, makers, told)
    after = {one.name: list(needed(one, subs, active)) for one in subs}
    way = find_cycle(after)
    if way:
        first = next(one for one in subs if one.name == way[0])
        text = " -{depends_on}-> ".join(way)
        told.error(
            "subinstallation_cycle", first.span, f"the subinstallations form a cycle: {text}"
        )


def _check_import(
    one: Subinstallation,
    link: Link,
    active: Mapping[str, Declaration],
    makers: Mapping[tuple[str, str], tuple[Subinstallation, Link]],
    told: Diagnostics,
) -> None:
    declared = active.get(link.ref)
    kind = link.kind
    wanted: tuple[str, ...] = (kind,)
    if link.at is not None:
        wanted = (TARGET_LIST, TARGET_MAP) if link.at.isdigit() else (TARGET_MAP,)
    if declared is not None and declared.kind in wanted:
        return
    if declared is None and link.at is None and (kind, link.ref) in makers:
        return
    known = [name for name, other in active.items() if other.kind in wanted]
    known += [ref for (made, ref) in makers if made == kind]
    summary = f"`{one.name}` imports the {kind} `{link.ref}`, "
    if declared is not None:
        told.error(
            "subinstallation_import", link.span, f"{summary}which is a {declared.kind} import"
        )
        return
    summary += "which is neither an import of the blueprint nor exported by a subinstallation"
    told.error("subinstallation_import", link.span, summary, meant(link.ref, Names(known)))


def needed(
    one: Subinstallation, others: Iterable[Subinstallation], active: Container[str]
) -> Iterator[str]:
    """The names of the subinstallations whose exports one imports, not `active` imports."""
    refs = {_outer(link) for link in one.imports if link.ref not in active}
    return (other.name for other in others if any(_outer(link) in refs for link in other.exports))


def _outer(link: Link) -> tuple[str, str]:
    return (DATA if link.kind == DATA else TARGET, link.ref)
