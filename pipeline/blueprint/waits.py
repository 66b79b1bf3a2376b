"""Which templates are known after deployment only, whatever a render is given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..document import Document
from ..language.expression import Access, Call, Expression, Hole, Literal, Reference
from ..language.substitution import Substitution
from ..tree import AnyNode, Template, templates_in
from .graph import Element, entries, is_certain, reached

if TYPE_CHECKING:
    from ..context import Context


class Waits:
    """Follows references from template to template; each is answered once."""

    def __init__(self, document: Document, context: Context) -> None:
        self.functions = context.functions
        self.values = entries(document, "values")
        self.resources = entries(document, "resources")
        self._known: dict[int, bool] = {}

    def edges(self, node: AnyNode | None) -> dict[Element, tuple[AnyNode, Substitution | None]]:
        """The elements that the templates in a node have to wait for, with one place of each."""
        found: dict[Element, tuple[AnyNode, Substitution | None]] = {}
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
        # templates on the way, with those that they depend on; chains may be of any length
        way: list[tuple[Template, list[bool | Template]]] = []
        here: bool | Template = node
        while True:
            if isinstance(here, Template) and id(here) not in known:
                known[id(here)] = False  # round a cycle of values nothing waits
                way.append((here, list(self._parts(here))))
            if not way:
                return known[id(node)]
            here, parts = way[-1][0], way[-1][1]
            undecided = [part for part in parts if not isinstance(part, bool)]
            if True not in parts:
                following = next((part for part in undecided if id(part) not in known), None)
                if following is not None:
                    here = following
                    continue
            known[id(here)] = True in parts or any(known[id(part)] for part in undecided)
            way.pop()

    def _parts(self, node: Template) -> Iterator[bool | Template]:
        """What decides whether a template waits, for each of its references."""
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
        """Whether a reference waits, or the template that it leads to."""
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
