"""Cycles that no input could break, found without evaluating anything.

Only references that every render evaluates count: arguments that a lazy function may skip are left
out, and so are resources that a condition may remove or that `each` makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ....values.document import Document
from ....values.expression import Access, Call, Expression, Hole, Literal, Reference
from ....values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from ..refusals import NEVER_DEPLOYED
from .dependencies import (
    WHOLE,
    Edges,
    Element,
    Place,
    entries,
    is_certain,
    named_nodes,
    names_function,
    reached,
    report_cycles,
)

if TYPE_CHECKING:
    from ....engine.run import Context


class DeployTime:
    """Finds the templates that no input can resolve before deployment; each is decided once."""

    def __init__(self, document: Document, context: Context) -> None:
        self.functions = context.functions
        self.values = entries(document, "values")
        self.resources = entries(document, "resources")
        self._known: dict[int, bool] = {}

    def edges(self, node: AnyNode | None) -> dict[Element, Place]:
        """The elements that the templates in a node wait for, each with one place."""
        found: dict[Element, Place] = {}
        for template in templates_in(node):
            for substitution in template.segments.substitutions:
                for reference in self._kept(substitution.shape.expression):
                    if self._reference_waits(reference):
                        element = (reference.root, str(reference.path[0]))
                        found.setdefault(element, (template, substitution))
        return found

    def template(self, node: Template) -> bool:
        """True when a template can only be known after deployment."""
        known = self._known
        # templates on the way, with what they depend on and was not looked at; chains may be of any
        # length
        way: list[tuple[Template, Iterator[bool | Template]]] = []
        part: bool | Template | None = node if id(node) not in known else None
        while part is not None:
            if part is True or known.get(id(part)):
                # so all wait that led here
                known.update((id(template), True) for template, _ in way)
                break
            assert isinstance(part, Template)
            known[id(part)] = False  # a cycle of values alone waits for nothing
            way.append((part, self._parts(part)))
            part = None
            while way and part is None:
                rest = way[-1][1]
                part = next((one for one in rest if one and known.get(id(one)) is not False), None)
                if part is None:
                    way.pop()
        return known[id(node)]

    def _parts(self, node: Template) -> Iterator[bool | Template]:
        """For each reference of a template: whether it waits, or the template that decides it."""
        for substitution in node.segments.substitutions:
            for reference in self._kept(substitution.shape.expression):
                yield self._decides(reference)

    def _kept(self, expression: Expression) -> Iterator[Reference]:
        """The references that an expression still has when they are not known.

        An argument beside others that are not known either is left out: one of them may be none, or
        decide.
        """
        match expression:
            case Reference():
                yield expression
            case Access(target=target):
                yield from self._kept(target)
            case Call(function=name, arguments=arguments):
                function = self.functions.get(name)
                open_ones = [a.value for a in arguments if not isinstance(a.value, Literal | Hole)]
                if function is not None and function.form == "call" and len(open_ones) == 1:
                    yield from self._kept(open_ones[0])

    def _reference_waits(self, reference: Reference) -> bool:
        found = self._decides(reference)
        return found if isinstance(found, bool) else self.template(found)

    def _decides(self, reference: Reference) -> bool | Template:
        """Whether a reference waits, or the template that decides it."""
        if not reference.path:  # `i`, or `elem`, where it has no meaning
            return False
        name, path = str(reference.path[0]), reference.path[1:]
        if reference.root == "values":
            content = self.values[name].get("value") if name in self.values else None
            return content if not path and isinstance(content, Template) else False
        definition = self.resources.get(name) if reference.root == "resources" else None
        if definition is None or not is_certain(definition):
            return False
        if not path or path[0] == "state":
            return True
        content = reached(definition, path)
        return content if isinstance(content, Template) else False


# The number of leading arguments that a lazy form always evaluates.
_MANY = 10
_ALWAYS = {"if": 1, "first": 1, "coalesce": 1, "and": 1, "or": 1, "link": 0}


def check_static_cycles(document: Document, context: Context) -> None:
    """Reports values, fields of resources, conditions, data sources and children that need each
    other in any render, and resources that could never be deployed one after the other."""
    before = context.diagnostics.errors
    report_needs(document, context)
    if context.diagnostics.errors == before:
        deploy_time = DeployTime(document, context)
        report_cycles(
            _deployment(document, deploy_time),
            context,
            NEVER_DEPLOYED,
        )


def report_needs(document: Document, context: Context) -> set[str]:
    """Reports the parts of a document that need each other in any render; their names."""
    return report_cycles(_Needs(document, context).edges(), context, "the references form a cycle")


class _Needs:
    """The references between the parts of a document that are evaluated as one."""

    def __init__(self, document: Document, context: Context) -> None:
        self.context = context
        self.resources = entries(document, "resources")
        self.parts: dict[Element, list[Template]] = {}
        self.element: dict[int, Element] = {}
        # for nodes that were referred to, by their ids, what every reference to them needs
        self._inside: dict[int, list[Element]] = {}
        self._wholes: dict[Element, list[Element]] = {}
        for name, node in entries(document, "values").items():
            self.parts["values", name] = list(templates_in(node.get("value")))
        for name, node in entries(document, "datasources").items():
            self.parts["datasources", name] = list(templates_in(node.get("filter")))
        for name, node in self.resources.items():
            if node.get("each") is None:
                self._add_resource(name, node)
        bundled = entries(document, "children")
        for name, node in entries(document, "include").items():
            if name not in bundled:
                used = (node.get(key) for key in ("path", "variables", "metadata"))
                self.parts["children", name] = [t for item in used for t in templates_in(item)]

    def _add_resource(self, name: str, node: Map) -> None:
        condition = node.get("condition")
        if condition is not None and not isinstance(condition, Scalar):
            self.parts["resources", f"{name}.condition"] = list(_decisive(condition))
        if not is_certain(node):
            return
        for key, child in node.items.items():
            for path, template in _placed(child, f"{name}.{key}"):
                self.parts["resources", path] = [template]
                self.element[id(template)] = ("resources", path)

    def edges(self) -> Edges:
        """For each part, the parts it needs."""
        edges: Edges = {}
        for element, templates in self.parts.items():
            own = edges[element] = {}
            for template in templates:
                for substitution in template.segments.substitutions:
                    for reference in self._needed(substitution.shape.expression):
                        for target in self._targets(reference):
                            own.setdefault(target, (template, substitution))
        for whole, inside in self._wholes.items():
            place = self.parts[inside[0]][0], None
            edges[whole] = dict.fromkeys(inside, place)
        return edges

    def _needed(self, expression: Expression) -> Iterator[Reference]:
        """The references that every evaluation of an expression follows."""
        match expression:
            case Reference():
                yield expression
            case Access(target=target):
                yield from self._needed(target)
            case Call(function=name, arguments=arguments):
                function = self.context.functions.get(name)
                count = _ALWAYS.get(function.form, len(arguments)) if function else 0
                for position, argument in enumerate(arguments[:count]):
                    value = argument.value
                    if not isinstance(value, Reference) or not names_function(
                        value, function, position, self.context.functions
                    ):
                        yield from self._needed(value)

    def _targets(self, reference: Reference) -> Iterator[Element]:
        if not reference.path:  # a mistake, which other checks tell
            return
        if reference.root in ("values", "datasources", "children"):
            yield reference.root, str(reference.path[0])
        if reference.root != "resources":
            return
        name = str(reference.path[0])
        node = self.resources.get(name)
        if node is None or isinstance((*reference.path, None)[1], int):
            return  # an instance, and a mistake where there is none
        yield "resources", f"{name}.condition"
        found = reached(node, reference.path[1:])
        if found is not None:
            yield from self._templates_inside(found)

    def _templates_inside(self, node: AnyNode) -> list[Element]:
        """The elements of the templates in a node; for many of them one that needs them all, so
        that many references to it do not lead to each of them."""
        known = self._inside.get(id(node))
        if known is None:
            every = (self.element.get(id(template)) for template in templates_in(node))
            known = [element for element in every if element is not None]
            if len(known) > _MANY:
                whole = (WHOLE, str(len(self._wholes)))
                self._wholes[whole] = known
                known = [whole]
            self._inside[id(node)] = known
        return known


def _deployment(document: Document, deploy_time: DeployTime) -> Edges:
    """For each element, the elements that must be deployed before it."""
    edges: Edges = {}
    for name, node in entries(document, "values").items():
        edges["values", name] = deploy_time.edges(node.get("value"))
    resources = entries(document, "resources")
    certain = {name: node for name, node in resources.items() if is_certain(node)}
    for name, node in certain.items():
        own = edges["resources", name] = {}
        for child in node.items.values():
            own.update(deploy_time.edges(child))
        for item in named_nodes(node.get("dependsOn")):
            if item.value in certain and item.value != name:
                own.setdefault(("resources", str(item.value)), (item, None))
    return edges


def _placed(node: AnyNode, path: str) -> Iterator[tuple[str, Template]]:
    """All templates in a node, each with the path it has in messages."""
    stack = [(path, node)]
    while stack:
        place, item = stack.pop()
        match item:
            case Template():
                yield place, item
            case Map(items=items):
                stack.extend((f"{place}.{key}", child) for key, child in items.items())
            case Array(items=elements):
                stack.extend((f"{place}[{i}]", child) for i, child in enumerate(elements))


def _decisive(condition: AnyNode) -> Iterator[Template]:
    """The operand of a condition that is always evaluated."""
    node: AnyNode | None = condition
    while isinstance(node, Map):
        inner = next(iter(node.items.values()), None)
        node = inner.items[0] if isinstance(inner, Array) and inner.items else inner
    if isinstance(node, Template):
        yield node
