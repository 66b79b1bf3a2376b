"""Resolves the references at a place of a document: outside of `each`, or in one element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .....functions.values import Unknown, from_plain, to_text
from ....engine.inputs import MISSING
from ....engine.materialisation import exported, label, relabelled, text_of
from ....language.errors import Failure
from ....language.navigation import missing_field, navigate, navigate_plain
from ....values.diagnostics import Note, suggestion
from ....values.expression import Argument, Call, Literal, Path, Reference
from ....values.tree import AnyNode, Map, Scalar
from ..refusals import no_child_export, scalar_child_export
from .base import EvaluationBase
from .base import Frame as Frame

_DISPLAY_NAME: Final = ("metadata", "displayName")


class Scope:
    """Resolves references outside of `each`, or in one element of it."""

    def __init__(self, evaluation: EvaluationBase, frame: Frame | None) -> None:
        self.evaluation = evaluation
        self.frame = frame

    def resolve(self, reference: Reference) -> Any:
        return _ROOTS[reference.root](self, reference)

    def names_resource(self, name: str) -> bool:
        resources = self.evaluation.document.section("resources")
        return resources is not None and name in resources.items

    def link(self, first: Any, second: Any, call: Call) -> Any:
        return link_state(self, first, second, call)

    def _variable(self, reference: Reference) -> Any:
        evaluation = self.evaluation
        variable = evaluation.variables[str(reference.path[0])]
        value = variable.value
        if variable.secret and not evaluation.reveal:
            return Unknown(Reference("variables", reference.path), _held(variable.type), True)
        if value is MISSING:
            raise evaluation.without_value(variable.name)
        if type(value) is Unknown:
            canonical = Reference("variables", reference.path)
            return Unknown(canonical, _held(variable.type), value.secret)
        return value

    def _value(self, reference: Reference) -> Any:
        path = reference.path
        value = self.evaluation.value(str(path[0]))
        if len(path) == 1:
            return value
        canonical = Reference("values", path)
        if type(value) is Unknown:
            if value.partial is None:
                return Unknown(canonical, "any", value.secret)
            value = value.partial
        return relabelled(
            navigate(value, path[1:], reference, self.evaluation.context.meter), canonical
        )

    def _element(self, reference: Reference) -> Any:
        frame = self.frame
        if frame is None:
            return Unknown(Reference("elem", reference.path))
        element = self.evaluation.elements(frame.template)[frame.index]
        return navigate(element, reference.path, reference, self.evaluation.context.meter)

    def _index(self, reference: Reference) -> Any:
        return Unknown(Reference("i"), "integer") if self.frame is None else self.frame.index

    def _datasource(self, reference: Reference) -> Any:
        name, field = str(reference.path[0]), str(reference.path[1])
        fields = self.evaluation.answer(name)
        if fields is None:
            from .datasources import export_type

            evaluation = self.evaluation
            definition = evaluation.definition("datasources", name)
            declared = export_type(definition, field) if len(reference.path) == 2 else "any"
            from ..secrets.taint import asks_for_secret

            secret = asks_for_secret(evaluation, name)
            return Unknown(Reference("datasources", reference.path), declared, secret)
        if field not in fields:
            raise missing_field(field, fields, reference)
        return navigate(fields[field], reference.path[2:], reference, self.evaluation.context.meter)

    def _child(self, reference: Reference) -> Any:
        name, export = str(reference.path[0]), str(reference.path[1])
        canonical = Reference("children", reference.path)
        known = self.evaluation.context.state.children.get(name, {})
        if export in known and not self._tells_secret(name, export, reference.path[2:]):
            kept, meter = self.evaluation.exported, self.evaluation.context.meter
            if (name, export) not in kept:
                kept[name, export] = from_plain(known[export])
            return navigate(kept[name, export], reference.path[2:], reference, meter)
        child = self.evaluation.child(name)
        if child is None:
            return Unknown(canonical)
        exports = child.section("exports")
        entry = exports.get(export) if exports else None
        if not isinstance(entry, Map):
            raise Failure(
                "child_export_not_found",
                no_child_export(name, export),
                reference,
                suggestion(export, exports.items if exports else ()),
            )
        node = entry.get("value")
        declared = text_of(entry.get("type")) or "any"
        path = reference.path[2:]
        if path and declared in ("string", "integer", "float", "boolean"):
            raise Failure(
                "child_export_scalar_navigation",
                scalar_child_export(name, export, declared),
                reference,
            )
        evaluation = self.evaluation
        plain = isinstance(node, Scalar) and evaluation.mask is None and not evaluation.rehearses
        if not plain and not evaluation.reveal:
            from ..secrets.taint import is_marked_export

            if is_marked_export(evaluation.of_child(name), export, path):
                return Unknown(canonical, declared if not path else "any", True)
        if node is None:
            return Unknown(canonical, declared if not path else "any")
        return _child_value(node, path, canonical, reference)

    def _tells_secret(self, name: str, export: str, path: Path) -> bool:
        """True when an export in the state is made of secrets of the child."""
        evaluation = self.evaluation
        if evaluation.reveal or evaluation.is_rendering(name):
            return False
        from ..secrets.taint import is_marked_export

        return evaluation.child(name) is not None and is_marked_export(
            evaluation.of_child(name), export, path
        )

    def _resource(self, reference: Reference) -> Any:
        evaluation = self.evaluation
        name = str(reference.path[0])
        path = reference.path[1:]
        frame: Frame | None = None
        if evaluation.context.checks and not self.names_resource(name):
            raise Failure("", "", reported=True)  # a transform may make it
        if evaluation.is_template(name):
            if evaluation.alive(name) is False:
                raise self._pruned(name, name, reference)
            index = path[0] if path else None
            assert isinstance(index, int)
            count = len(evaluation.elements(name))
            if index >= count:
                raise Failure(
                    "resource_each_index_out_of_bounds",
                    f"`{name}` has {count} instance{'s' if count != 1 else ''}, "
                    f"so there is no instance {index}",
                    reference,
                )
            frame = Frame(name, index)
            canonical = Reference("resources", (f"{name}_{index}", *path[1:]))
            path = path[1:]
        else:
            if self.frame is not None and name == self.frame.template:
                frame = self.frame
            canonical = Reference("resources", reference.path)
        if evaluation.alive(name, frame) is False:
            shown = name if frame is None else f"{name}[{frame.index}]"
            raise self._pruned(name, shown, reference)
        if not path:
            return Unknown(canonical)
        facet = path[0]
        if facet == "state":
            return self._state(canonical, path[1:])
        key = ("resource", canonical.path, frame)
        evaluation.entering(key, label(canonical))
        try:
            return self._field(name, path, canonical, frame, reference)
        finally:
            evaluation.end(key)

    def _field(
        self,
        name: str,
        path: Path,
        canonical: Reference,
        frame: Frame | None,
        reference: Reference,
    ) -> Any:
        """A part of a resource's spec or metadata."""
        evaluation = self.evaluation
        node = evaluation.resource(name).get(str(path[0]))
        newer = evaluation.document.version != "2023-04-20"
        if node is None:
            if newer and path[0] == "spec":
                return Unknown(canonical)
            raise Failure("path_not_found", f"the resource `{name}` has no `{path[0]}`", reference)
        try:
            found = evaluation.follow(node, path[1:], canonical, frame, reference)
            return _with_text(path, found) if path[0] == "metadata" else found
        except Failure as failure:
            absent = failure.code in ("path_not_found", "index_out_of_bounds")
            if newer and path[0] == "spec" and absent and not failure.reported:
                return Unknown(canonical)
            raise

    def _state(self, canonical: Reference, path: Path) -> Any:
        """A part of the deployed state, when the state file has it."""
        record = self.evaluation.context.state.resources.get(str(canonical.path[0]))
        value: Any = record.get("state") if record else None
        if value is None:
            return Unknown(canonical)
        return navigate_plain(value, path, canonical)

    def _pruned(self, name: str, shown: str, reference: Reference) -> Failure:
        condition = self.evaluation.resource(name).get("condition")
        notes = (Note("this condition is false", condition.span),) if condition else ()
        return Failure(
            "reference_to_pruned_resource",
            f"the resource `{shown}` is not part of this render: its condition is false",
            reference,
            "guard the reference with `if` and the same condition",
            notes,
        )


def _with_text(path: Path, value: Any) -> Any:
    """A part of a resource's metadata; a display name is text, whatever it was computed as."""
    if path == _DISPLAY_NAME and type(value) in (int, float, bool):
        return to_text(value)
    if len(path) == 1 and type(value) is dict and "displayName" in value:
        return {**value, "displayName": _with_text(_DISPLAY_NAME, value["displayName"])}
    return value


# not bound, which would keep every element's scope alive as long as the run
_ROOTS: Final[dict[str, Callable[[Scope, Reference], Any]]] = {
    "variables": Scope._variable,
    "values": Scope._value,
    "resources": Scope._resource,
    "elem": Scope._element,
    "i": Scope._index,
    "datasources": Scope._datasource,
    "children": Scope._child,
}


def _held(type_name: str) -> str:
    """The type of the value of a variable; a custom type holds a label."""
    return "string" if "/" in type_name else type_name


def _child_value(node: AnyNode, path: Path, canonical: Reference, blame: Reference) -> Any:
    """A child's export as a value; its residual parts are unknowns."""
    value = exported(node, Reference("children", canonical.path[:2]))
    if type(value) is Unknown:
        if not path:
            return value
        if value.partial is None:
            return Unknown(canonical, "any", value.secret)
        value = value.partial
    return relabelled(navigate(value, path, blame), canonical)


def link_state(scope: Scope, first: Any, second: Any, call: Call) -> Any:
    """The result of `link(a, b)`: its state from the state file, else an unknown.

    Sides are names (strings) or resource references; the state file has a link as `a::b`.

    Raises:
        Failure: `resource_not_found` for a resource that does not exist.
    """
    sides = [_side(scope, side, call, i) for i, side in enumerate((first, second))]
    names = [side.value if isinstance(side, Literal) else str(side.path[0]) for side in sides]
    known = scope.evaluation.context.state.links.get("::".join(names))
    if known is not None:
        return from_plain(known)
    return Unknown(Call("link", tuple(Argument(side) for side in sides)), "object")


def _side(scope: Scope, side: Any, call: Call, position: int) -> Literal | Reference:
    if isinstance(side, Reference):
        resolved = scope.resolve(
            Reference("resources", side.path[:2] if _indexed(side) else side.path[:1])
        )
        assert isinstance(resolved, Unknown)
        expression = resolved.expression
        assert isinstance(expression, Reference)
        return expression
    if not scope.names_resource(side):
        resources = scope.evaluation.document.section("resources")
        shown = "with this name" if scope.evaluation.reveal else f"`{side}`"
        raise Failure(
            "resource_not_found",
            f"there is no resource {shown}",
            call.arguments[position].value,
            suggestion(side, resources.items if resources else ()),
        )
    return Literal(side)


def _indexed(reference: Reference) -> bool:
    return len(reference.path) > 1 and isinstance(reference.path[1], int)
