"""References between the elements of a document, found without evaluating anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ....language.errors import BREAK_CYCLE, Failure
from ....values.diagnostics import Diagnostics, Names, Note, Remedy, suggestion
from ....values.document import Document
from ....values.expression import Call, Path, Reference, Shape, Substitution, walk
from ....values.source import Span
from ....values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from ..refusals import NEVER_DEPLOYED
from ..structure.inspection import is_name

if TYPE_CHECKING:
    from .....functions.registry import Function, Functions
    from ....engine.budget import Budget
    from ....engine.run import Context
    from ..evaluating.base import EvaluationBase


Element: TypeAlias = tuple[str, str]
SECTIONS = ("values", "datasources", "resources")
_DEPLOYED = ("resources", "children")
_LONG = 20
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
    """The node that is evaluated to follow a path: the one at its end, or one on the way."""
    found: AnyNode | None = node
    for item in path:
        if not isinstance(found, Map) or not isinstance(item, str):
            break
        found = found.get(item)
    return found


def references_in(node: AnyNode | None) -> Iterator[tuple[Reference, Substitution, Template]]:
    """All references in the templates of a node, with their substitutions and templates."""
    for template in templates_in(node):
        for segment in template.segments.substitutions:
            for reference in segment.shape.references:
                yield reference, segment, template


def targets(
    node: AnyNode | None, functions: Functions, by_name: frozenset[str] = frozenset()
) -> dict[Element, tuple[Substitution, Template]]:
    """The elements that a node refers to, each with one place of a reference.

    Arguments of the functions in `by_name` only name an element and do not depend on it.
    """
    found: dict[Element, tuple[Substitution, Template]] = {}
    for template in templates_in(node):
        traits = template.segments.traits
        if traits.roots <= _NO_ELEMENTS:
            continue
        if not traits.bare and by_name.isdisjoint(traits.functions):
            for element, number in traits.heads.items():
                if element not in found and element[0] not in _NO_ELEMENTS:
                    found[element] = (template.segments.substitutions[number], template)
            continue
        for substitution in template.segments.substitutions:
            only_named = _only_named(substitution.shape, functions, by_name)
            for reference in substitution.shape.references:
                if reference.root in _NO_ELEMENTS or id(reference) in only_named:
                    continue
                element = (reference.root, str(reference.path[0]))
                found.setdefault(element, (substitution, template))
    return found


def _only_named(shape: Shape, functions: Functions, by_name: frozenset[str]) -> set[int]:
    """The ids of the references that name a function, or an element for one in `by_name`."""
    return {
        id(argument.value)
        for call in walk(shape.expression)
        if isinstance(call, Call)
        for position, argument in enumerate(call.arguments)
        if isinstance(argument.value, Reference)
        and (
            call.function in by_name
            or names_function(argument.value, functions.get(call.function), position, functions)
        )
    }


def names_function(
    reference: Reference, called: Function | None, position: int, functions: Functions
) -> bool:
    """True for a bare name that is a function, as an argument of a call that takes functions."""
    parameter = called.parameter(position) if called is not None else None
    return (
        reference.bare
        and parameter is not None
        and "function" in parameter.types
        and len(reference.path) == 1
        and functions.get(str(reference.path[0])) is not None
    )


def evaluation_order(document: Document, functions: Functions) -> list[Element]:
    """Values, data sources and resources, each after its dependencies where that is possible.

    A cycle is entered anywhere; the evaluation reports the cycles that matter.
    """
    edges: dict[Element, Iterable[Element]] = {}
    for section in SECTIONS:
        found = document.section(section)
        for name, node in found.items.items() if found else ():
            edges[section, name] = [
                target for target in targets(node, functions) if target[0] in SECTIONS
            ]
    return depth_first(edges)


def depth_first(edges: Mapping[Element, Iterable[Element]]) -> list[Element]:
    """The nodes of a graph in postorder (targets first); iterative, as chains may be long."""
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

    Their state is only known after deployment, but instances are made before.
    """
    resources = document.section("resources")
    ways: _Ways | None = None
    for name, node in resources.items.items() if resources else ():
        each = node.get("each") if isinstance(node, Map) else None
        if each is None:
            continue
        ways = ways or _Ways(document, context.functions)
        for first, (substitution, template) in targets(each, context.functions).items():
            way = ways.find(first)
            if not way:
                continue
            is_child = way[-1].startswith("children.")
            what = "a child blueprint" if is_child else "a resource"
            context.diagnostics.error(
                "each_child_dependency" if is_child else "each_resource_dependency",
                context.language.locate(template, substitution, None),
                f"the list of `{name}` depends on {what}: {' -> '.join(way)}",
                "`each` can only use variables, values and data sources that do not depend on "
                "resources",
            )


class _Ways:
    """For each value and data source, the way to the nearest resource or child that it needs."""

    def __init__(self, document: Document, functions: Functions) -> None:
        users: dict[Element, list[Element]] = {}
        for section in ("values", "datasources"):
            for name, node in entries(document, section).items():
                for target in targets(node, functions):
                    users.setdefault(target, []).append((section, name))
        # the next step from an element, and where its way ends
        self.steps: dict[Element, tuple[Element, Element]] = {}
        queue = [target for target in users if target[0] in _DEPLOYED]
        for element in queue:
            end = self.steps[element][1] if element in self.steps else element
            for user in users.get(element, ()):
                if user not in self.steps:
                    self.steps[user] = element, end
                    queue.append(user)

    def find(self, element: Element) -> list[str]:
        """The names on the way from an element, some of a long one; none where it leads nowhere."""
        way: list[str] = []
        while element in self.steps:
            way.append(_name(element))
            element, end = self.steps[element]
            if len(way) == _LONG and element != end:
                way.append("...")
                element = end
        return [*way, _name(element)] if element[0] in _DEPLOYED else []


# Resources named outside of expressions, in `dependsOn` and `linkSelector.exclude`, which came with
# version 2025-11-02 of the specification.

STEP = "each"
WHOLE = ""
"""The section of an element that stands for all that another one refers to at once."""


def named_nodes(node: AnyNode | None) -> list[Scalar]:
    """The strings of a name or a list of names."""
    items = node.items if isinstance(node, Array) else [node]
    return [item for item in items if isinstance(item, Scalar) and isinstance(item.value, str)]


def check_dependencies(resources: Map, diagnostics: Diagnostics) -> None:
    """Reports names of resources that do not exist, and resources that name themselves."""
    names = Names(filter(is_name, resources.items))
    for name, node in resources.items.items():
        if not isinstance(node, Map):
            continue
        for field, items in _named(node).items():
            for item in items:
                target = str(item.value)
                if not target.strip():
                    continue
                if target == str(name):
                    diagnostics.error(
                        "missing_resource_dependency",
                        item.span,
                        f"`{field}` of the resource `{name}` names the resource itself",
                    )
                elif target not in resources.items:
                    diagnostics.error(
                        "missing_resource_dependency",
                        item.span,
                        f"`{field}` names the resource `{target}`, which does not exist",
                        _written_bare(target, resources) or suggestion(target, names),
                    )


def _written_bare(target: str, resources: Map) -> str | None:
    """The hint for a reference where a name is wanted."""
    name = target.removeprefix("${").removesuffix("}").strip().removeprefix("resources.")
    known = name != target and name in resources.items
    return Remedy(f"write `{name}`, the name alone", name, target) if known else None


def _named(node: Map) -> dict[str, list[Scalar]]:
    selector = node.get("linkSelector")
    excluded = selector.get("exclude") if isinstance(selector, Map) else None
    return {
        "dependsOn": named_nodes(node.get("dependsOn")),
        "linkSelector.exclude": named_nodes(excluded) if isinstance(excluded, Array) else [],
    }


def settle_dependencies(
    resources: Map,
    instances: Mapping[str, Sequence[str]],
    declared: Mapping[str, object],
    evaluation: EvaluationBase,
) -> Map:
    """The resources with names that exist: a template becomes its instances, pruned ones go.

    `instances` are the names made from each template, `declared` all names before pruning. Many
    resources may name a template with many instances; when there are too many, the `evaluation`
    reports it.
    """
    items: dict[str, AnyNode] = {}
    for name, node in resources.items.items():
        items[name] = node
        if isinstance(node, Map):
            try:
                items[name] = _settled(node, resources, instances, declared, evaluation.budget)
            except Failure as failure:
                evaluation.report(node, failure)
                return resources
    return resources.holding(items, STEP)


def _settled(
    node: Map,
    resources: Map,
    instances: Mapping[str, Sequence[str]],
    declared: Mapping[str, object],
    budget: Budget,
) -> Map:
    def replaced(names: AnyNode) -> AnyNode | None:
        found: list[AnyNode] = []
        old = named_nodes(names)
        for item in old:
            target = str(item.value)
            if target in instances:
                budget.spend_nodes(len(instances[target]))
                made = [
                    Scalar(one, item.trail.then(STEP), item.start, item.end)
                    for one in instances[target]
                ]
                found.extend(made)
            elif target in resources.items or target not in declared:
                found.append(item)
        if len(found) == len(old) and all(a is b for a, b in zip(found, old, strict=True)):
            return names
        if not found:
            return None
        return Array(found, names.trail.then(STEP), names.start, names.end)

    node = _with(node, "dependsOn", replaced)
    selector = node.get("linkSelector")
    if isinstance(selector, Map):
        new = _with(selector, "exclude", replaced)
        if new is not selector:
            return node.replacing({**node.items, "linkSelector": new}, STEP)
    return node


def _with(node: Map, key: str, replaced: object) -> Map:
    names = node.get(key)
    if names is None:
        return node
    assert callable(replaced)
    new = replaced(names)
    if new is names:
        return node
    items = {
        k: (new if k == key else v) for k, v in node.items.items() if k != key or new is not None
    }
    return node.replacing(items, STEP)


# The node in which one element refers to another, and the substitution if it is a template.
Place: TypeAlias = tuple[AnyNode, Substitution | None]
Edges: TypeAlias = dict[Element, dict[Element, Place]]
Written: TypeAlias = dict[int, Template]


Lasting: TypeAlias = "Callable[[str, AnyNode, frozenset[str]], dict[Element, Place] | None]"


def check_residual_cycles(
    document: Document, context: Context, lasting: Lasting | None = None
) -> None:
    """Reports cycles among the references that remain, which could never be deployed.

    `dependsOn` counts as a reference. In a check `lasting` gives the references of a definition
    that are left in every render; None for a definition that may be removed.
    """
    by_name = frozenset(n for n, f in context.functions.outlines().items() if f.form == "link")
    edges: Edges = {}
    for section, key in (*((s, s) for s in SECTIONS), ("include", "children")):
        found = document.section(section)
        for name, node in found.items.items() if found else ():
            if lasting is not None:
                left = lasting(section, node, by_name)
                if left is None:
                    continue
                edges[key, name] = left
            else:
                places = targets(node, context.functions, by_name)
                edges[key, name] = {
                    element: (template, substitution)
                    for element, (substitution, template) in places.items()
                }
            if section == "resources" and isinstance(node, Map):
                for item in named_nodes(node.get("dependsOn")):
                    edges[key, name].setdefault((key, str(item.value)), (item, None))
    report_cycles(edges, context, NEVER_DEPLOYED, document)


def report_cycles(
    edges: Edges, context: Context, what: str, document: Document | None = None
) -> set[str]:
    """Reports one cycle, with every step, of each group of elements that refer to each other.

    Gives the names in these cycles.
    """
    told: set[str] = set()
    written: Written | None = None
    for cycle in shortest_cycles(edges):
        following = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
        if written is None:
            written = _written_in(context)
        spans = [
            _span(edges[here][there], context, written)
            for here, there in following
            if here[0] != WHOLE
        ]
        names = [_name(element) for element in cycle if element[0] != WHOLE]
        names.append(names[0])
        notes = [
            Note(f"`{here}` refers to `{there}`", span)
            for here, there, span in zip(names[1:-1], names[2:], spans[1:], strict=True)
        ]
        if document is not None and len(cycle) == 1:
            notes.extend(_moving(document, edges[cycle[0]][cycle[0]][1]))
        path = " -> ".join(names)
        context.diagnostics.error(
            "reference_cycle", spans[0], f"{what}: {path}", BREAK_CYCLE, *notes
        )
        told.update(names)
    return told


def _moving(document: Document, substitution: Substitution | None) -> Iterator[Note]:
    """Why an element of a list waits that stands in the same resource, at what it waits for."""
    resources = entries(document, "resources")
    for reference in substitution.shape.references if substitution is not None else ():
        if reference.root == "resources" and str(reference.path[0]) in resources:
            found = reached(resources[str(reference.path[0])], reference.path[1:])
            items = found.items if isinstance(found, Array) else ()
            waiting = next((item for item in items if isinstance(item, Template)), None)
            if waiting is not None:
                text = "an element that turns out to be none would move those after it up"
                yield Note(text, waiting.span)
                return


def _span(place: Place, context: Context, written: Written) -> Span:
    node, substitution = place
    if isinstance(node, Template) and node.text is None and substitution is not None:
        node, substitution = _as_written(node, substitution, written)
    if isinstance(node, Template) and substitution is not None:
        return context.language.locate(node, substitution, None)
    return node.span


def _written_in(context: Context) -> Written:
    """The templates of a document before anything was computed, by where they begin."""
    document = context.work.written
    root = document.root if document is not None else None
    # what a module made several times counts where it was made first
    return {template.start: template for template in reversed([*templates_in(root)])}


def _as_written(node: Template, substitution: Substitution, written: Written) -> Place:
    """What was written where a template that was made stands, with the same reference in it."""
    heads = [str(one.path[0]) for one in substitution.shape.references if one.path]
    template = written.get(node.start)
    if template is not None and template.trail.source is node.trail.source:
        for segment in template.segments.substitutions:
            for reference in segment.shape.references:
                name = str(reference.path[0]) if reference.path else ""
                if any(head == name or head.startswith(f"{name}_") for head in heads):
                    return template, segment
    return node, None


def _name(element: Element) -> str:
    return f"{element[0]}.{element[1]}"


def shortest_cycles(edges: Mapping[Element, Mapping[Element, object]]) -> list[list[Element]]:
    """One cycle of each strongly connected group, beginning with its first element in the file."""
    order = depth_first(edges)
    backwards: dict[Element, list[Element]] = {}
    for element, found in edges.items():
        for target in found:
            if target in edges:
                backwards.setdefault(target, []).append(element)
    group: dict[Element, int] = {}
    for number, start in enumerate(reversed(order)):
        queue = [start]
        while queue:
            element = queue.pop()
            if element in group:
                continue
            group[element] = number
            queue.extend(other for other in backwards.get(element, ()) if other not in group)
    seen: set[int] = set()
    cycles: list[list[Element]] = []
    for start in edges:
        if group[start] in seen:
            continue
        seen.add(group[start])
        cycle = _shortest_cycle(start, edges, group)
        if cycle:
            cycles.append(cycle)
    return cycles


def _shortest_cycle(
    start: Element, edges: Mapping[Element, Mapping[Element, object]], group: Mapping[Element, int]
) -> list[Element] | None:
    before: dict[Element, Element] = {}
    # by hash: compiled code takes a key that is written again for the first one when it compares
    first = {start}
    queue = [start]
    for element in queue:
        for target in edges[element]:
            if target in first:
                way = [element]
                while way[-1] in before:
                    way.append(before[way[-1]])
                return way[::-1]
            if target in edges and target not in before and group[target] == group[start]:
                before[target] = element
                queue.append(target)
    return None
