"""The parts of a module under their new names, and references to its outputs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Final

from ...functions.record import Record
from ...functions.values import NONE
from ...pipeline.dialects.bluelink.structure.sections import RESOURCE
from ...pipeline.engine.builders import node as build
from ...pipeline.engine.materialisation import text_of
from ...pipeline.engine.references import (
    Replacing,
    change_expressions,
    find_references,
    in_expression,
    replace_references,
)
from ...pipeline.language.errors import Failure, LanguageError
from ...pipeline.values.diagnostics import meant
from ...pipeline.values.document import Document
from ...pipeline.values.expression import (
    Access,
    Argument,
    Call,
    Expression,
    Literal,
    Path,
    Reference,
    Segments,
    residual,
    walk,
)
from ...pipeline.values.tree import AnyNode, Array, Map, Scalar, Template, templates_in
from ..expansion import carry_over
from ..registry import TransformContext
from .calls import SECTIONS, ModuleCall, TakenNames, names_of, new_name
from .inputs import Inputs, OpenedModule

LABEL: Final = "bpp.module."
"""The prefix of the label that restricts the link selectors of a module to its own resources."""


class Output(Record, eq=False):
    """An export of a module: its expression in the blueprint, and its declared type."""

    expression: Expression
    type: str
    node: AnyNode


class Parts(Record, eq=False):
    """One use of a module, expanded: new definitions by section, its outputs and inputs.

    A use that `stays` is not expanded: its sections contain only its own resource.
    """

    call: ModuleCall
    sections: dict[str, dict[str, AnyNode]]
    outputs: dict[str, Output]
    inputs: Inputs
    stays: bool = False


def parts_of(
    module: Document,
    call: ModuleCall,
    inputs: Inputs,
    decided: bool,
    taken: TakenNames,
    context: TransformContext,
) -> Parts:
    """The parts of a module whose own transforms have run.

    `decided` means that the condition of the resource is known to be true, so it is not added to
    the parts.

    Raises:
        Failure: `module_not_supported`, for contents that a module in this use cannot have.
    """
    renamed = {
        section: {
            name: new_name(taken, section, call.name, name) for name in names_of(module, section)
        }
        for section in SECTIONS
    }
    how = _replacing(renamed, inputs, context)
    condition = None if decided else call.node.get("condition")
    if condition is not None and renamed["include"]:
        raise Failure(
            "module_not_supported",
            f"the module of `{call.resource}` includes child blueprints, so the condition of "
            f"`{call.resource}` must be known before evaluation",
            condition,
            "use the child blueprints as modules, or put the condition on the module's resources",
        )
    exports = module.section("exports")
    document = replace_references(module.evolve(root=_without_exports(module.root)), how)
    sections: dict[str, dict[str, AnyNode]] = {"values": dict(inputs.values)}
    for section in (*SECTIONS, "children"):
        whole = document.section(section)
        names = renamed["include" if section == "children" else section]
        if whole is not None:
            found = sections.setdefault(section, {})
            for name, child in whole.items.items():
                # an unchanged node has moved to another document as well
                if isinstance(child, Map) and section != "children":
                    child = child.replacing(child.items, context.name)
                found[names[name]] = child
    if condition is not None:
        when = _expression(condition, context)
        values = sections["values"]
        sections["values"] = {
            name: _only_when(node, when, context) for name, node in values.items()
        }
    resources = sections.get("resources", {})
    scoped = any(isinstance(n, Map) and "linkSelector" in n.items for n in resources.values())
    for name, node in resources.items():
        if isinstance(node, Map):
            resources[name] = _resource(node, call, scoped, decided, context)
    outputs = _outputs(exports, call, how, sections["values"], taken, context)
    return Parts(call, sections, outputs, inputs)


def _replacing(
    renamed: dict[str, dict[str, str]], inputs: Inputs, context: TransformContext
) -> Replacing:
    def replaced(reference: Reference) -> Expression | None:
        if reference.root == "variables":
            return inputs.expressions.get(str(reference.path[0]), Literal(NONE))
        section = "include" if reference.root == "children" else reference.root
        names = renamed.get(section, {})
        new = names.get(str(reference.path[0])) if reference.path else None
        if new is None:
            return None
        return Reference(reference.root, (new, *reference.path[1:]))

    names = {old: (new,) for old, new in renamed["resources"].items()}
    return Replacing(
        context.language, context.name, replaced, lambda _: None, names, context.functions
    )


def _without_exports(root: Map) -> Map:
    gone = ("exports", "variables", "transform", "metadata", "version")
    return root.replacing({key: node for key, node in root.items.items() if key not in gone})


def _resource(
    node: Map, call: ModuleCall, scoped: bool, decided: bool, context: TransformContext
) -> Map:
    """A resource of the module, with the fields of the resource that uses the module added."""
    step = context.name
    leave = ["each", *(["condition"] if decided else [])]
    own = _scoped(node, call.name, step) if scoped else node
    return carry_over(own, call.node, step, leave)


def _scoped(node: Map, module: str, step: str) -> Map:
    """The resource with the module's label, and a link selector that selects that label as well."""
    items: dict[str, AnyNode | None] = dict(node.items)
    metadata = node.get("metadata")
    if metadata is None or isinstance(metadata, Map):
        inside = metadata.items if isinstance(metadata, Map) else {}
        labels = _labelled(inside.get("labels"), module, node, step)
        made = {**inside, "labels": labels}
        items["metadata"] = (
            metadata.replacing(made, step)
            if isinstance(metadata, Map)
            else Map(made, {}, node.trail.then(step), node.start, node.end)
        )
    selector = node.get("linkSelector")
    if isinstance(selector, Map):
        chosen = _labelled(selector.get("byLabel"), module, selector, step)
        items["linkSelector"] = selector.replacing({**selector.items, "byLabel": chosen}, step)
    order = node.items if metadata is not None else RESOURCE.fields
    found = {key: one for key in order if (one := items.get(key)) is not None}
    return node.replacing(found, step)


def _labelled(node: AnyNode | None, module: str, around: Map, step: str) -> AnyNode:
    if node is not None and not isinstance(node, Map):
        return node
    place = node if node is not None else around
    inside: dict[str, AnyNode] = {}
    for key, value in node.items.items() if node is not None else ():
        nested = key.startswith(LABEL)  # the label of a module in this one
        inside[f"{LABEL}{module}_{key.removeprefix(LABEL)}" if nested else key] = value
    inside[LABEL + module] = Scalar("true", place.trail.then(step), place.start, place.end)
    if node is not None:
        return node.replacing(inside, step)
    return Map(inside, {}, place.trail.then(step), place.start, place.end)


def _expression(condition: AnyNode, context: TransformContext) -> Expression:
    """The condition of a resource as one expression."""
    match condition:
        case Scalar(value=value):
            return Literal(value)
        case Template():
            return context.language.exact(condition.segments.substitutions[0])
        case Map(items=items):
            ((operator, operand),) = items.items()
            inside = operand.items if isinstance(operand, Array) else [operand]
            parts = [_expression(item, context) for item in inside]
            if len(parts) == 1 and operator != "not":
                return parts[0]
            return Call(operator, tuple(Argument(part) for part in parts))
    raise AssertionError("the structure checks refuse any other condition")


def _only_when(node: AnyNode, when: Expression, context: TransformContext) -> AnyNode:
    """A value that needs parts of the module becomes none where the condition is false."""
    content = node.get("value") if isinstance(node, Map) else None
    if not isinstance(node, Map) or content is None:
        return node

    def change(expression: Expression) -> Expression:
        roots = {part.root for part in walk(expression) if isinstance(part, Reference)}
        if roots.isdisjoint({"resources", "children"}):
            return expression
        return Call("if", (Argument(when), Argument(expression), Argument(Literal(NONE))))

    new = change_expressions(content, change, context.language, context.name)
    if new is content:
        return node
    return node.replacing({**node.items, "value": new}, context.name)


def _outputs(
    exports: Map | None,
    call: ModuleCall,
    how: Replacing,
    values: dict[str, AnyNode],
    taken: TakenNames,
    context: TransformContext,
) -> dict[str, Output]:
    found: dict[str, Output] = {}
    for name, node in exports.items.items() if exports is not None else ():
        if not isinstance(node, Map):
            continue
        declared = text_of(node.get("type")) or "any"
        value, field = node.get("value"), node.get("field")
        if isinstance(value, Scalar):
            found[name] = Output(Literal(value.value), declared, node)
        elif value is not None:
            value_name = new_name(taken, "values", call.name, name)
            values[value_name] = build({"type": declared, "value": value}, value, step=context.name)
            found[name] = Output(Reference("values", (value_name,)), declared, node)
        elif isinstance(field, Scalar):
            expression = _field(str(field.value), how)
            if expression is not None:
                found[name] = Output(expression, declared, node)
    return found


def _field(text: str, how: Replacing) -> Expression | None:
    try:
        reference = how.language.parse(text)
    except LanguageError:
        return None  # reported by the checks of the module
    if not isinstance(reference, Reference):
        return None
    return how.reference(reference) or reference


def value_node(expression: Expression, origin: AnyNode, step: str) -> AnyNode:
    """The node of an expression, with the location of another node."""
    if isinstance(expression, Literal) and isinstance(expression.value, str | int | float):
        return build(expression.value, origin, step=step)
    trail = origin.trail.then(step)
    return Template(Segments([residual(expression)]), None, trail, origin.start, origin.end)


_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LOCAL: Final = ("files", "cwd")


def with_outer_paths(
    opened: OpenedModule, module: Document, outer: Document, context: TransformContext
) -> Document:
    """Makes the paths of a module's includes and files relative to the folder of `outer`.

    A fetched module may not name files of this machine: its expressions will be evaluated in a
    blueprint that may.

    Raises:
        Failure: `module_not_supported`, at a path whose start is not known before evaluation.
    """
    root = module.root
    if opened.fetched:
        _refuse_local(root, context)
    elif posixpath.normpath(module.folder or ".") == posixpath.normpath(outer.folder or "."):
        return module
    else:
        root = _with_outer_files(root, module, outer, context)
    section = root.get("include")
    if isinstance(section, Map):
        items = {
            name: _with_outer_path(opened, node, module, outer, context)
            for name, node in section.items.items()
        }
        section = section.holding(items, context.name)
        root = root.holding({**root.items, "include": section}, context.name)
    return module if root is module.root else module.evolve(root=root)


def _moved(path: str, module: Document, outer: Document) -> str:
    if posixpath.isabs(path) or _SCHEME.match(path):
        return path
    folder = posixpath.relpath(module.folder or ".", outer.folder or ".")
    return posixpath.join(folder, path.removeprefix("./"))


def _with_outer_path(
    opened: OpenedModule,
    node: AnyNode,
    module: Document,
    outer: Document,
    context: TransformContext,
) -> AnyNode:
    """An include with its path relative to the folder of the blueprint that uses the module."""
    if not isinstance(node, Map):
        return node
    metadata, path = node.get("metadata"), node.get("path")
    if isinstance(metadata, Map) and "sourceType" in metadata.items:
        return node
    if opened.fetched:
        raise Failure(
            "module_not_supported",
            "a fetched module cannot include local files",
            path or node,
            "give its location with `metadata`, or use it as a module",
        )
    if isinstance(path, Scalar) and isinstance(path.value, str):
        moved = _moved(path.value, module, outer)
        if moved == path.value:
            return node
        new: AnyNode = Scalar(moved, path.trail.then(context.name), path.start, path.end)
        return node.replacing({**node.items, "path": new}, context.name)
    if not isinstance(path, Template):
        return node
    first = path.segments[0]
    if isinstance(first, str):
        segments = Segments([_moved(first, module, outer), *path.segments[1:]])
        trail = path.trail.then(context.name)
        new = Template(segments, None, trail, path.start, path.end)
        return node.replacing({**node.items, "path": new}, context.name)
    expression = path.segments.substitutions[0].shape.expression
    if isinstance(expression, Call) and expression.function == "cwd":
        return node
    raise Failure(
        "module_not_supported",
        "this path must start with plain text, because the module is not in the folder of the "
        "blueprint that uses it",
        path,
        "start it with text such as `./`, or with a call of `cwd`",
    )


def _with_outer_files(
    root: Map, module: Document, outer: Document, context: TransformContext
) -> Map:
    """The tree with the paths in calls of `file` relative to the outer folder."""
    functions = context.functions
    names = {n for n, effect in functions.effects().items() if effect == "files"}
    where: list[Template] = []

    def change(expression: Expression) -> Expression:
        if isinstance(expression, Reference):
            if expression.bare and len(expression.path) == 1 and expression.path[0] in names:
                raise _Computed
            return expression
        if isinstance(expression, Access):
            target = change(expression.target)
            return expression if target is expression.target else expression.evolve(target=target)
        if not isinstance(expression, Call):
            return expression
        if expression.function in names and expression.arguments:
            first = expression.arguments[0]
            if not isinstance(first.value, Literal) or not isinstance(first.value.value, str):
                raise _Computed
            moved = _moved(first.value.value, module, outer)
            changed = Argument(Literal(moved, first.value.start, first.value.end), first.name)
            return expression.evolve(arguments=(changed, *expression.arguments[1:]))
        arguments = tuple(_argument(argument, change) for argument in expression.arguments)
        if all(new is old for new, old in zip(arguments, expression.arguments, strict=True)):
            return expression
        return expression.evolve(arguments=arguments)

    def rebuilt(node: AnyNode) -> AnyNode:
        if isinstance(node, Template):
            if node.segments.functions.isdisjoint(names):
                return node
            where[:] = [node]
            return change_expressions(node, change, context.language, context.name)
        if isinstance(node, Map):
            items = {key: rebuilt(child) for key, child in node.items.items()}
            return node.holding(items, context.name)
        if isinstance(node, Scalar):
            return node
        changed = [rebuilt(item) for item in node.items]
        if all(new is old for new, old in zip(changed, node.items, strict=True)):
            return node
        return type(node)(changed, node.trail.then(context.name), node.start, node.end)

    try:
        found = rebuilt(root)
    except _Computed:
        raise Failure(
            "module_not_supported",
            "the path of this file must be plain text, because the module is not in the folder of "
            "the blueprint that uses it",
            where[0],
            "write the path as text, or pass the content to the module as a variable",
        ) from None
    assert isinstance(found, Map)
    return found


class _Computed(Exception):
    """The path of a file is not plain text."""


def _argument(argument: Argument, change: Callable[[Expression], Expression]) -> Argument:
    value = change(argument.value)
    return argument if value is argument.value else Argument(value, argument.name)


def _refuse_local(root: Map, context: TransformContext) -> None:
    names = {n for n, effect in context.functions.effects().items() if effect in _LOCAL}
    for template in templates_in(root):
        for substitution in template.segments.substitutions:
            for part in walk(substitution.shape.expression):
                called = part.function if isinstance(part, Call) else None
                if isinstance(part, Reference) and part.bare and len(part.path) == 1:
                    called = str(part.path[0])
                if called in names:
                    span = context.language.locate(template, substitution, part)
                    context.diagnostics.error(
                        "effect_not_allowed",
                        span,
                        f"a fetched module cannot call `{called}`, which accesses this machine",
                        "pass the value to the module as a variable",
                    )


Uses = Mapping[str, Parts | list[Parts]]
"""The expanded modules by the names of their resources; a list if the resource has `each`."""


class _Invalid(Exception):
    """An invalid reference to a module."""

    def __init__(self, code: str, summary: str, hint: str | None = None) -> None:
        super().__init__(summary)
        self.code = code
        self.summary = summary
        self.hint = hint


class _Outputs:
    """Resolves references to modules; an export that is not a plain reference becomes a value."""

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
        """The expression that replaces a reference; None if it does not refer to a module."""
        if reference.root != "resources" or reference.path[0] not in self.uses:
            return None
        found, rest = self._found(reference)
        shown = self.context.language.syntax.show(reference)
        if shown in self._busy:
            cycle = self._busy[self._busy.index(shown) :]
            first = cycle.index(min(cycle))  # the same message wherever it is entered
            steps = " -> ".join([*cycle[first:], *cycle[:first], cycle[first]])
            raise _Invalid("reference_cycle", f"the outputs of modules form a cycle: {steps}")
        self._busy.append(shown)
        try:
            return _deeper(in_expression(found, self.replacing()), rest, shown)
        finally:
            self._busy.pop()

    def field(self, reference: Reference) -> Reference | None:
        """The reference that replaces the `field` of an export."""
        found = self.expression(reference)
        if found is None or isinstance(found, Reference):
            return found
        if reference not in self._fields:
            use, path = self._use(reference)
            output = use.outputs.get(str(path[1])) if len(path) == 2 else None
            if output is None:
                raise _Invalid(
                    "module_output_not_found",
                    "an export can only refer to an output of a module",
                    f"write `resources.{reference.path[0]}.state.NAME`",
                )
            name = new_name(self.taken, "values", use.call.name, str(path[1]))
            node = value_node(found, output.node, self.context.name)
            data = {"type": output.type, "value": node}
            self.values[name] = build(data, output.node, step=self.context.name)
            self._fields[reference] = Reference("values", (name,))
        return self._fields[reference]

    def _use(self, reference: Reference) -> tuple[Parts, Path]:
        """The use of a module that a reference names, and the rest of the path."""
        name, rest = str(reference.path[0]), reference.path[1:]
        use = self.uses[name]
        if isinstance(use, Parts):
            return use, rest
        if not rest or not isinstance(rest[0], int):
            raise _Invalid(
                "resource_template_needs_index",
                f"`{name}` is a template, so a reference to it needs an index",
                f"write `resources.{name}[0]`",
            )
        if rest[0] >= len(use):
            count = f"{len(use)} instance{'s' if len(use) != 1 else ''}"
            raise _Invalid(
                "resource_each_index_out_of_bounds",
                f"`{name}` has {count}, so there is no instance {rest[0]}",
            )
        return use[rest[0]], rest[1:]

    def _found(self, reference: Reference) -> tuple[Expression, Path]:
        """The expression of the output that a reference names, and the rest of the path."""
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
                raise _Invalid(
                    "module_output_not_found",
                    f"the module of `{use.call.resource}` has no output `{name}`",
                    meant(str(name), use.outputs) or (f"available: {known}" if known else None),
                )
            case ("spec", "variables", str(name), *rest) if name in use.inputs.expressions:
                return use.inputs.expressions[name], tuple(rest)
        raise _Invalid(
            "module_output_not_found",
            f"only the outputs of the module `{use.call.resource}` can be referred to",
            f"write `resources.{use.call.resource}.state.NAME`",
        )


def with_outputs(
    document: Document, uses: Uses, taken: TakenNames, context: TransformContext
) -> tuple[Document, dict[str, AnyNode]]:
    """Replaces references to modules; returns the document and the values to add to it.

    Reports `module_output_not_found`, `reference_cycle` and invalid indexes.
    """
    outputs = _Outputs(uses, taken, context)
    before = context.diagnostics.errors
    for found in find_references(document, context.language):
        if found.name_only:
            continue
        is_field = not hasattr(found.node, "segments")
        try:
            (outputs.field if is_field else outputs.expression)(found.reference)
        except _Invalid as problem:
            context.diagnostics.error(problem.code, found.span, problem.summary, problem.hint)
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
        raise _Invalid("path_not_found", f"`{shown}` does not exist: a plain value has no fields")
    if isinstance(expression, Access):
        return expression.evolve(path=expression.path + path)
    return Access(expression, path)
