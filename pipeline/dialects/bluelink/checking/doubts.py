"""What a check does not know but a render may: variables, answers, children, time and chance.

A check evaluates a document with all of these unknown. A mistake counts if it is there whatever
they are: not in an argument that they may skip, nor in a resource that they may remove.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from .....functions.values import Unknown, has_unknown
from ....language.errors import Failure
from ....language.waiting import WaitingText, is_as_written
from ....values.document import Document
from ....values.expression import Access, Call, Expression, Reference, Traits, walk
from ....values.tree import AnyNode, Map, Template, templates_in
from .dependencies import SECTIONS, Element, Place, entries, names_function

if TYPE_CHECKING:
    from .....functions.registry import Function, Functions

_OUTSIDE: Final = frozenset({"variables", "datasources", "children"})
_ELEMENT: Final = frozenset({"elem", "i"})
_DECIDES: Final = frozenset({"and", "or", "lookup"})
_SIMPLE: Final = frozenset({"call", "list", "object"})
_STATIC: Final = frozenset({"variables", "values"})
_SKIPS: Final = frozenset({"if", "first", "coalesce"})


class Doubts:
    """Whether what is unknown in the check of a document may be known in a render.

    Values that no input supplies are not in doubt: the state of resources, links, and the
    variables that are `withheld`, which are secrets.
    """

    def __init__(
        self, document: Document, functions: Functions, withheld: Mapping[str, object]
    ) -> None:
        self._document = document
        self._functions = functions
        self._withheld = withheld
        self._effects = frozenset(functions.effects())
        self._staying: set[tuple[Traits, bool]] = set()

    def of(self, value: Any) -> bool:
        """True for a value with a part that is in doubt."""
        if isinstance(value, Unknown):
            return self.of_expression(value.expression)
        if isinstance(value, WaitingText):
            parts = value.segments.substitutions
            return any(self.of_expression(part.shape.expression) for part in parts)
        if isinstance(value, list | dict):
            return any(map(self.of, value.values() if isinstance(value, dict) else value))
        return False

    def of_node(self, node: AnyNode | None, elements: bool = True) -> bool:
        """True for a node with a template that is in doubt; by its `elements` alone or not."""
        return any(
            self.of_expression(part.shape.expression, elements)
            for template in templates_in(node)
            for part in template.segments.substitutions
        )

    def may_remove(self, definition: AnyNode) -> bool:
        """True for a resource as far as it is evaluated that a render may remove."""
        if not isinstance(definition, Map):
            return False
        return "each" in definition.items or self.of_node(definition.get("condition"))

    def of_way(self, keys: Iterable[Any], alive: Mapping[Any, Any]) -> bool:
        """True for parts that are being computed, by their keys, if one is a field of a resource
        that a render may remove. `alive` has what became of conditions."""
        for key in keys:
            if key[0] == "resource":
                _, path, frame = key
                name = (path[0], None) if frame is None else (frame.template, frame.index)
                decided = alive.get(name)
                if decided is not None and decided is not True and self.of_node(decided):
                    return True
        return False

    def are_counted(self, value: Any) -> bool:
        """True for a list of elements that every render knows, whatever they are.

        Raises:
            Failure: without words, when a render may know other ones, or fewer.
        """
        if not self.of(value):
            return False
        if type(value) is list:
            if has_unknown([item for item in value if not self.of(item)]):
                return False  # what a render does not know either
            if all(map(self._is_given, value)):
                return True
        raise Failure("", "", reported=True)

    def _is_given(self, value: Any) -> bool:
        """True for a value that is known as soon as variables are."""
        if isinstance(value, Unknown):
            return self._is_variable(value.expression)
        if isinstance(value, WaitingText):
            parts = value.segments.substitutions
            return all(self._is_variable(part.shape.expression) for part in parts)
        if isinstance(value, list | dict):
            return all(map(self._is_given, value.values() if isinstance(value, dict) else value))
        return True

    def _is_variable(self, expression: Expression) -> bool:
        return (
            isinstance(expression, Reference)
            and expression.root == "variables"
            and self.of_expression(expression)
        )

    def of_expression(self, expression: Expression, elements: bool = True) -> bool:
        """True for an expression with a reference or a call that is in doubt."""
        for part in walk(expression):
            if isinstance(part, Call) and part.function in self._effects:
                return True
            if isinstance(part, Reference) and self._of_reference(part, elements):
                return True
        return False

    def _of_reference(self, reference: Reference, elements: bool) -> bool:
        if reference.root in _ELEMENT:
            return elements
        if not reference.path:
            return True
        name = str(reference.path[0])
        if reference.root == "variables":
            return name not in self._withheld
        if reference.root in _OUTSIDE:
            return True
        if reference.root == "resources":
            resources = self._document.section("resources")
            if resources is None or name not in resources.items:
                return True  # an instance
            if len(reference.path) == 1 or reference.path[1] == "state":
                return False
        return (reference.root, name) in self._elements

    @cached_property
    def _elements(self) -> set[Element]:
        """The elements that refer to something in doubt, directly or not."""
        users: dict[Element, list[Element]] = {}
        found: set[Element] = set()
        for section in SECTIONS:
            for name, node in entries(self._document, section).items():
                for template in templates_in(node):
                    for segment in template.segments.substitutions:
                        shape = segment.shape
                        if not self._effects.isdisjoint(shape.functions):
                            found.add((section, name))
                        for one in shape.references:
                            if one.root == "variables":
                                if str(one.path[0]) not in self._withheld:
                                    found.add((section, name))
                            elif one.root in _OUTSIDE:
                                found.add((section, name))
                            elif one.path:
                                target = one.root, str(one.path[0])
                                users.setdefault(target, []).append((section, name))
        pending = [*found]
        while pending:
            for user in users.get(pending.pop(), ()):
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return found

    # Strings of which nothing is known: they stay the nodes they were, in which the checks of what
    # stages make have nothing to find.

    def stays(self, node: Template) -> bool:
        """True for a string like one that stayed, but for its literals and texts."""
        return (node.segments.traits, len(node.segments) == 1) in self._staying

    def is_left(self, result: object, node: Template) -> bool:
        """True for a result that is all of the template that it was made of."""
        segments = node.segments
        if type(result) is not Template or not is_as_written(result.segments, segments):
            return False
        functions = [self._functions.get(name) for name in segments.functions]
        if segments.roots <= _STATIC and all(
            one is not None and one.form in _SIMPLE and not one.effect and one.result != "function"
            for one in functions
        ):
            # whatever its literals are: none decides, and none is all that a call gets
            self._staying.add((segments.traits, len(segments) == 1))
        return True

    # References that are left whatever is in doubt.

    def lasting(
        self, section: str, node: AnyNode, failed: set[int], by_name: frozenset[str]
    ) -> dict[Element, Place] | None:
        """The elements that a definition refers to in every render, each with one place.

        None for a definition that a render may remove. `failed` are the ids of templates that could
        not be evaluated, `by_name` the functions whose arguments only name an element.
        """
        if section not in ("values", "resources") or self.may_remove(node):
            return None
        found: dict[Element, Place] = {}
        for template in templates_in(node):
            if id(template) in failed:
                continue
            for segment in template.segments.substitutions:
                for reference in self._lasting(segment.shape.expression, by_name):
                    if reference.path:
                        element = reference.root, str(reference.path[0])
                        found.setdefault(element, (template, segment))
        return found

    def _lasting(self, expression: Expression, by_name: frozenset[str]) -> Iterator[Reference]:
        if isinstance(expression, Reference):
            if expression.root not in _OUTSIDE:
                yield expression
        elif isinstance(expression, Access):
            yield from self._lasting(expression.target, by_name)
        elif isinstance(expression, Call) and expression.function not in by_name:
            function = self._functions.get(expression.function)
            arguments = [argument.value for argument in expression.arguments]
            may_end = function is None or function.form in _DECIDES or function.propagates_none
            if may_end and any(map(self.of_expression, arguments)):
                return
            yield from self._of_arguments(arguments, function, by_name)

    def _of_arguments(
        self, arguments: list[Expression], function: Function | None, by_name: frozenset[str]
    ) -> Iterator[Reference]:
        for position, value in enumerate(arguments):
            if not isinstance(value, Reference) or not names_function(
                value, function, position, self._functions
            ):
                yield from self._lasting(value, by_name)
            skips = function is not None and function.form in _SKIPS
            if skips and self.of_expression(value):
                return
