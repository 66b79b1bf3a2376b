"""Who refers to whom, read from the expressions without computing anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from ..document import Document
from ..language.expression import Call, Path, Reference, walk
from ..language.substitution import Substitution
from ..tree import AnyNode, Map, Scalar, Template, templates_in

if TYPE_CHECKING:
    from ..context import Context

Element: TypeAlias = tuple[str, str]
SECTIONS = ("values", "datasources", "resources")
_NO_ELEMENTS = frozenset({"variables", "elem", "i"})


def entries(document: Document, section: str) -> dict[str, Map]:
    """The definitions of a section."""
    found = document.section(section)
    items = found.items if found else {}
    return {name: node for name, node in items.items() if isinstance(node, Map)}


def is_certain(resource: Map) -> bool:
    """True for a resource that is part of every render, once."""
    condition = resource.get("condition")
    always = condition is None or (isinstance(condition, Scalar) and condition.value is True)
    return always and resource.get("each") is None


def reached(node: AnyNode, path: Path) -> AnyNode | None:
    """What is computed to follow a path below a node: what it leads to, or what lies in its way."""
    found: AnyNode | None = node
    for item in path:
        if not isinstance(found, Map) or not isinstance(item, str):
            break
        found = found.get(item)
    return found


def references_in(node: AnyNode | None) -> Iterator[tuple[Reference, Substitution, Template]]:
    """All references in the templates of a node, with where they stand."""
    for template in templates_in(node):
        for segment in template.segments.substitutions:
            for reference in segment.shape.references:
                yield reference, segment, template


def targets(
    node: AnyNode | None, by_name: frozenset[str] = frozenset()
) -> dict[Element, tuple[Substitution, Template]]:
    """The elements a node refers to, each with one place that does.

    Arguments of the functions in `by_name` only name an element and do not wait for it.
    """
    found: dict[Element, tuple[Substitution, Template]] = {}
    for template in templates_in(node):
        traits = template.segments.traits
        if traits.roots <= _NO_ELEMENTS:
            continue
        if by_name.isdisjoint(traits.functions):
            for element, number in traits.heads.items():
                if element not in found and element[0] not in _NO_ELEMENTS:
                    found[element] = (template.segments.substitutions[number], template)
            continue
        for substitution in template.segments.substitutions:
            for reference in substitution.shape.references:
                if reference.root in _NO_ELEMENTS or (
                    by_name & substitution.shape.functions
                    and not _waits_for(reference, substitution, by_name)
                ):
                    continue
                element = (reference.root, str(reference.path[0]))
                found.setdefault(element, (substitution, template))
    return found


def _waits_for(reference: Reference, substitution: Substitution, by_name: frozenset[str]) -> bool:
    """False for a reference that only stands as an argument of a function that takes names."""
    for node in walk(substitution.shape.expression):
        if (
            isinstance(node, Call)
            and node.function in by_name
            and any(argument.value is reference for argument in node.arguments)
        ):
            return False
    return True


def evaluation_order(document: Document) -> list[Element]:
    """Values, data sources and resources, each after what it refers to where that is possible.

    Cycles are entered somewhere; the evaluation finds those that matter.
    """
    edges: dict[Element, Iterable[Element]] = {}
    for section in SECTIONS:
        found = document.section(section)
        for name, node in found.items.items() if found else ():
            edges[section, name] = [target for target in targets(node) if target[0] in SECTIONS]
    return depth_first(edges)


def depth_first(edges: Mapping[Element, Iterable[Element]]) -> list[Element]:
    """The nodes of a graph in postorder: targets first; a loop, as chains may be long."""
    done: set[Element] = set()
    order: list[Element] = []
    for start in edges:
        if start in done:
            continue
        done.add(start)
        stack = [(start, iter(edges[start]))]
        while stack:
            node, rest = stack[-1]
            for target in rest:
                if target in edges and target not in done:
                    done.add(target)
                    stack.append((target, iter(edges[target])))
                    break
            else:
                stack.pop()
                order.append(node)
    return order


def check_each_dependencies(document: Document, context: Context) -> None:
    """Reports every `each` that depends on a resource or a child blueprint, directly or not.

    Their state is only known after deployment, but instances have to be made before.
    """
    resources = document.section("resources")
    cache: dict[Element, dict[Element, tuple[Substitution, Template]]] = {}

    def direct(element: Element) -> dict[Element, tuple[Substitution, Template]]:
        if element not in cache:
            section = document.section(element[0])
            cache[element] = targets(section.get(element[1]) if section else None)
        return cache[element]

    for name, node in resources.items.items() if resources else ():
        each = node.get("each") if isinstance(node, Map) else None
        if each is None:
            continue
        for first, (substitution, template) in targets(each).items():
            way = _way(first, direct)
            if way is None:
                continue
            code = (
                "each_child_dependency" if way[-1][0] == "children" else "each_resource_dependency"
            )
            what = "a child blueprint" if way[-1][0] == "children" else "a resource"
            path = " -> ".join(f"{section}.{item}" for section, item in way)
            context.diagnostics.error(
                code,
                context.language.locate(template, substitution, None),
                f"the list of `{name}` depends on {what}: {path}",
                "`each` may use variables, values and data sources that do not need resources",
            )


def _way(start: Element, direct: object) -> list[Element] | None:
    """A path from an element to a resource or a child, or None."""
    assert callable(direct)
    before: dict[Element, Element | None] = {start: None}
    queue = [start]
    for element in queue:
        if element[0] in ("resources", "children"):
            way: list[Element] = []
            current: Element | None = element
            while current is not None:
                way.append(current)
                current = before[current]
            return way[::-1]
        if element[0] in ("values", "datasources"):
            for target in direct(element):
                if target not in before:
                    before[target] = element
                    queue.append(target)
    return None
