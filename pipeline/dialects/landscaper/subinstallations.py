"""Subinstallations: their fields, and the flow of data between them and their parent.

Of the specification, "Nested Installations". `check` asks for the flow, too, without any values.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from ....functions.record import Record, field
from ....functions.regexes import compile_regex
from ...values.diagnostics import Diagnostics, Names, Note, meant
from ...values.source import Span
from ...values.tree import AnyNode, Map, Scalar, items_at, list_at, text_at
from .blueprint import (
    DATA,
    TARGET,
    TARGET_LIST,
    TARGET_MAP,
    Declaration,
    find_cycle,
    report_duplicates,
)
from .fields import fields_of, form, list_of

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
_AS_A_WHOLE: Final = {"targetListRef": TARGET_LIST, "targetMapRef": TARGET_MAP}
_TARGET_IMPORT: Final = form(
    "a target import", "name! target targets:texts targetListRef targetMap:text-map targetMapRef"
)
_TARGET_EXPORT: Final = form("a target export", "name! target!")
_BLUEPRINT: Final = form("a blueprint's place", "ref filesystem:map")
_NAME: Final = compile_regex(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_LONGEST_NAME: Final = 52
_KEY: Final = compile_regex(r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?")
_ELEMENT: Final = compile_regex(r"(?P<name>[^\[\]]+)\[(?P<at>[^\[\]]*)\]")


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
    if "blueprint" in found and not fields_of(found["blueprint"], _BLUEPRINT, told):
        summary = "the blueprint of a subinstallation needs a `ref` or a `filesystem`"
        told.error("blueprint_reference", found["blueprint"].span, summary)
    imports = tuple(_links(found.get("imports"), _target_imports, told))
    exports = tuple(_links(found.get("exports"), _target_exports, told))
    named = [*list_at(found, "imports", "data"), *list_at(found, "imports", "targets")]
    report_duplicates("import", named, told)
    for key in ("data", "targets"):
        report_duplicates("export", list_at(found, "exports", key), told)
    if told.errors > before or not isinstance(node, Map) or not name:
        return None
    shown = {key: one for key, one in found.items() if key not in ("apiVersion", "kind")}
    return Subinstallation(name, node.replacing(shown), imports, exports)


_Read: TypeAlias = Callable[[AnyNode, Diagnostics], Iterator[Link]]


def _links(node: AnyNode | None, targets: _Read, told: Diagnostics) -> Iterator[Link]:
    """The links of data, and those of targets as they are read for imports or exports."""
    found = fields_of(node, _LINKS, told) if node is not None else {}
    for read, key in ((_data, "data"), (targets, "targets")):
        for one in list_at(found, key):
            yield from read(one, told)


def _target_imports(one: AnyNode, told: Diagnostics) -> Iterator[Link]:
    found = fields_of(one, _TARGET_IMPORT, told)
    given = [way for way in _WAYS if way in found]
    name = text_at(found, "name")
    if len(given) != 1:
        code = "field_conflict" if given else "field_required"
        summary = f"a target import has {'only ' if given else ''}one of {', '.join(_WAYS)}"
        told.error(code, one.span, summary)
        return
    way, value = given[0], found[given[0]]
    if way in _AS_A_WHOLE:
        yield Link(name, text_at(found, way), _AS_A_WHOLE[way], value)
    elif isinstance(value, Scalar):
        yield _target(name, value)
    for inner in list_at(found, way):
        yield _target(name, inner, "list")
    for key, inner in items_at(value):
        if not _KEY.fullmatch(key) and isinstance(value, Map):
            summary = f"`{key}` is not a valid key of a targetMap"
            told.error("subinstallation_import", value.key_span(key), summary)
        yield _target(name, inner, f"map:{key}")


def _target(name: str, node: AnyNode, group: str = "") -> Link:
    """A link to a target, or to an element of a list or a map."""
    text = str(getattr(node, "value", ""))
    element = _ELEMENT.fullmatch(text)
    ref, index = (element["name"], element["at"]) if element else (text, None)
    return Link(name, ref, TARGET, node, index, group)


def _data(one: AnyNode, told: Diagnostics) -> Iterator[Link]:
    found = fields_of(one, _DATA, told)
    elsewhere = [key for key in _ELSEWHERE if key in found]
    for key in elsewhere:
        summary = f"`{key}` cannot stand in a subinstallation"
        told.error("field_conflict", found[key].span, summary, "use `dataRef`")
    if "dataRef" in found:
        yield Link(text_at(found, "name"), text_at(found, "dataRef"), DATA, found["dataRef"])
    elif found and not elsewhere:
        told.error("field_required", one.span, "a data link has no `dataRef`")


def _target_exports(one: AnyNode, told: Diagnostics) -> Iterator[Link]:
    found = fields_of(one, _TARGET_EXPORT, told)
    if "target" in found:
        yield Link(text_at(found, "name"), text_at(found, "target"), TARGET, found["target"])


def without_absent(one: Subinstallation, gone: Container[str]) -> Subinstallation:
    """A subinstallation without the data imports of what its parent could have, and has not."""
    kept = tuple(link for link in one.imports if link.kind != DATA or link.ref not in gone)
    imports = one.node.get("imports")
    if len(kept) == len(one.imports) or not isinstance(imports, Map):
        return one
    data = [item for item in list_at(imports, "data") if text_at(item, "dataRef") not in gone]
    inside = {**imports.items, "data": list_of(data, imports.items["data"])}
    if not data:
        del inside["data"]
    node = one.node.replacing({**one.node.items, "imports": imports.replacing(inside)})
    return one.evolve(node=node, imports=kept)


def check_flow(
    listed: Iterable[Subinstallation], active: Mapping[str, Declaration], told: Diagnostics
) -> None:
    """Checks where the imports of subinstallations come from, and that no two export the same.

    `active` are the imports of the parent that have a value.
    """
    subs = list(listed)
    report_duplicates("subinstallation", (one.node for one in subs), told)
    makers: dict[tuple[str, str], tuple[Subinstallation, Link]] = {}
    for one in subs:
        for link in one.exports:
            key = _outer(link)
            other = makers.get(key)
            if link.ref in active:
                summary = f"`{one.name}` exports `{link.ref}`, which the blueprint imports"
                note = Note("it is imported here", active[link.ref].span)
            elif other is not None:
                summary = f"`{link.ref}` is exported by `{other[0].name}` already"
                note = Note("it is exported here", other[1].span)
            else:
                makers[key] = (one, link)
                continue
            told.error("subinstallation_export", link.span, summary, None, note)
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
    wanted: tuple[str, ...] = (link.kind,)
    if link.at is not None:
        wanted = (TARGET_LIST, TARGET_MAP) if link.at.isdigit() else (TARGET_MAP,)
    summary = f"`{one.name}` imports the {link.kind} `{link.ref}`, which is "
    if declared is None:
        if link.at is None and (link.kind, link.ref) in makers:
            return
        known = [name for name, other in active.items() if other.kind in wanted]
        known += [ref for (made, ref) in makers if made == link.kind]
        summary += "neither an import of the blueprint nor exported by a subinstallation"
        told.error("subinstallation_import", link.span, summary, meant(link.ref, Names(known)))
    elif declared.kind not in wanted:
        summary += f"a {declared.kind} import"
        told.error("subinstallation_import", link.span, summary)


def needed(
    one: Subinstallation, others: Iterable[Subinstallation], active: Container[str]
) -> Iterator[str]:
    """The names of the subinstallations whose exports one imports, not `active` imports."""
    refs = {_outer(link) for link in one.imports if link.ref not in active}
    return (other.name for other in others if any(_outer(link) in refs for link in other.exports))


def _outer(link: Link) -> tuple[str, str]:
    return (DATA if link.kind == DATA else TARGET, link.ref)
