"""References to the resources that were modules: `resources.m.state.output` and the like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..pipeline.engine.builders import node as build
from ..pipeline.engine.references import find_references
from ..pipeline.engine.renaming import Replacing, in_expression, replace_references
from ..pipeline.values.diagnostics import meant
from ..pipeline.values.document import Document
from ..pipeline.values.expression import (
    Access,
    Argument,
    Call,
    Expression,
    Literal,
    Path,
    Reference,
)
from ..pipeline.values.tree import AnyNode
from .module_names import TakenNames, new_name
from .module_parts import Parts, value_node

if TYPE_CHECKING:
    from .registry import TransformContext

Uses = Mapping[str, Parts | list[Parts]]
"""The expanded modules by the names of their resources; a list where the resource has `each`."""


class _Wrong(Exception):
    """A reference to a module that leads nowhere."""

    def __init__(self, code: str, summary: str, hint: str | None = None) -> None:
        super().__init__(summary)
        self.code = code
        self.summary = summary
        self.hint = hint


class _Outputs:
    """Answers references to modules; fields of exports that are no reference become values."""

    def __init__(self, uses: Uses, taken: TakenNames, context: TransformContext) -> None:
        self.uses = uses
        self.taken = taken
        self.context = context
        self.values: dict[str, AnyNode] = {}
        self._busy: list[str] = []
        self._fields: dict[Reference, Reference] = {}

    def replacing(self) -> Replacing:
        context = self.context
        names = {}
        for name, use in self.uses.items():
            several = use if isinstance(use, list) else [use]
            names[name] = tuple(new for one in several for new in one.sections.get("resources", ()))
        return Replacing(
            context.language, context.name, self.expression, self.field, names, context.functions
        )

    def expression(self, reference: Reference) -> Expression | None:
        """What stands in the place of a reference, None when it leads to no module."""
        if reference.root != "resources" or reference.path[0] not in self.uses:
            return None
        found, rest = self._found(reference)
        shown = self.context.language.syntax.show(reference)
        if shown in self._busy:
            cycle = self._busy[self._busy.index(shown) :]
            first = cycle.index(min(cycle))  # the same words wherever it is entered
            steps = " -> ".join([*cycle[first:], *cycle[:first], cycle[first]])
            raise _Wrong("reference_cycle", f"the outputs of modules form a cycle: {steps}")
        self._busy.append(shown)
        try:
            return _deeper(in_expression(found, self.replacing()), rest, shown)
        finally:
            self._busy.pop()

    def field(self, reference: Reference) -> Reference | None:
        """The same for the field of an export, which can only be a reference."""
        found = self.expression(reference)
        if found is None or isinstance(found, Reference):
            return found
        if reference not in self._fields:
            use, path = self._use(reference)
            output = use.outputs.get(str(path[1])) if len(path) == 2 else None
            if output is None:
                raise _Wrong(
                    "module_output_not_found",
                    "an export can only be one of the outputs of a module",
                    f"write `resources.{reference.path[0]}.state.NAME`",
                )
            name = new_name(self.taken, "values", use.call.name, str(path[1]))
            node = value_node(found, output.node, self.context.name)
            data = {"type": output.type, "value": node}
            self.values[name] = build(data, output.node, step=self.context.name)
            self._fields[reference] = Reference("values", (name,))
        return self._fields[reference]

    def _use(self, reference: Reference) -> tuple[Parts, Path]:
        """The use of a module that a reference leads to, and what follows."""
        name, rest = str(reference.path[0]), reference.path[1:]
        use = self.uses[name]
        if isinstance(use, Parts):
            return use, rest
        if not rest or not isinstance(rest[0], int):
            raise _Wrong(
                "resource_template_needs_index",
                f"`{name}` is a template, so a reference to it needs an index",
                f"write `resources.{name}[0]`",
            )
        if rest[0] >= len(use):
            count = f"{len(use)} instance{'s' if len(use) != 1 else ''}"
            raise _Wrong(
                "resource_each_index_out_of_bounds",
                f"`{name}` has {count}, so there is no instance {rest[0]}",
            )
        return use[rest[0]], rest[1:]

    def _found(self, reference: Reference) -> tuple[Expression, Path]:
        """What a reference to a module means, before what follows the output."""
        use, path = self._use(reference)
        if use.stays:
            return Reference("resources", (use.call.name,)), path
        match path:
            case ("state",):
                fields = [Argument(out.expression, name) for name, out in use.outputs.items()]
                return Call("object", tuple(fields)), ()
            case ("state", str(name), *rest) if name in use.outputs:
                return use.outputs[name].expression, tuple(rest)
            case ("state", name, *_):
                known = ", ".join(f"`{one}`" for one in use.outputs)
                raise _Wrong(
                    "module_output_not_found",
                    f"the module of `{use.call.resource}` has no output `{name}`",
                    meant(str(name), use.outputs) or (f"it has {known}" if known else None),
                )
            case ("spec", "variables", str(name), *rest) if name in use.inputs.expressions:
                return use.inputs.expressions[name], tuple(rest)
        raise _Wrong(
            "module_output_not_found",
            f"the resource `{use.call.resource}` is a module, of which only outputs can be "
            "referred to",
            f"write `resources.{use.call.resource}.state.NAME`",
        )


def with_outputs(
    document: Document, uses: Uses, taken: TakenNames, context: TransformContext
) -> tuple[Document, dict[str, AnyNode]]:
    """The document with references to modules led to what they stand for, and the values it takes.

    Reports `module_output_not_found`, `reference_cycle` and indexes that do not fit.
    """
    outputs = _Outputs(uses, taken, context)
    before = context.diagnostics.errors
    for found in find_references(document, context.language):
        if found.name_only:
            continue
        is_field = not hasattr(found.node, "segments")
        try:
            (outputs.field if is_field else outputs.expression)(found.reference)
        except _Wrong as wrong:
            context.diagnostics.error(wrong.code, found.span, wrong.summary, wrong.hint)
    if context.diagnostics.errors > before:
        return document, {}
    document = replace_references(document, outputs.replacing())
    return document, outputs.values


def _deeper(expression: Expression, path: Path, shown: str) -> Expression:
    if not path:
        return expression
    if isinstance(expression, Reference):
        return expression.deeper(*path)
    if isinstance(expression, Literal):
        raise _Wrong("path_not_found", f"`{shown}` leads into a plain value, which has no fields")
    if isinstance(expression, Access):
        return expression.evolve(path=expression.path + path)
    return Access(expression, path)
