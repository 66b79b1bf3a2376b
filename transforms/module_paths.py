"""Paths in a module, which start at its own folder, as paths of the blueprint that uses it."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final

from ..pipeline.engine.renaming import change_expressions
from ..pipeline.language.errors import Failure
from ..pipeline.values.document import Document
from ..pipeline.values.expression import (
    Access,
    Argument,
    Call,
    Expression,
    Literal,
    Reference,
    Segments,
    walk,
)
from ..pipeline.values.tree import AnyNode, Map, Scalar, Template, templates_in

if TYPE_CHECKING:
    from .module_reading import OpenedModule
    from .registry import TransformContext

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_LOCAL: Final = ("files", "cwd")


def with_outer_paths(
    opened: OpenedModule, module: Document, outer: Document, context: TransformContext
) -> Document:
    """The module's document with the paths of its includes and files seen from `outer`'s folder.

    A module that was fetched may name no files of this machine: its expressions are evaluated in a
    blueprint that may.

    Raises:
        Failure: `module_not_supported`, at a path that cannot be told before it is computed.
    """
    root = module.root
    if opened.fetched:
        _refuse_local(opened, root, context)
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
        if any(items[name] is not node for name, node in section.items.items()):
            section = section.replacing(items, context.name)
            root = root.replacing({**root.items, "include": section}, context.name)
    return module if root is module.root else module.evolve(root=root)


def _moved(path: str, module: Document, outer: Document) -> str:
    if posixpath.isabs(path) or _SCHEME.match(path):
        return path
    way = posixpath.relpath(module.folder or ".", outer.folder or ".")
    return posixpath.join(way, path.removeprefix("./"))


def _with_outer_path(
    opened: OpenedModule,
    node: AnyNode,
    module: Document,
    outer: Document,
    context: TransformContext,
) -> AnyNode:
    """An include with its path seen from the folder of the blueprint that uses the module."""
    if not isinstance(node, Map):
        return node
    metadata, path = node.get("metadata"), node.get("path")
    if isinstance(metadata, Map) and "sourceType" in metadata.items:
        return node
    if opened.fetched:
        raise Failure(
            "module_not_supported",
            "a module that was fetched cannot include what lies beside it",
            path or node,
            "say where it is with `metadata`, or use it as a module",
        )
    first: object = None
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
        "where this path starts is only known when it is computed, and the module is in another "
        "folder than the blueprint that uses it",
        path,
        "begin it with text, such as `./`, or with a call of `cwd`",
    )


def _with_outer_files(
    root: Map, module: Document, outer: Document, context: TransformContext
) -> Map:
    """The tree with the paths that `file` is called with seen from the outer folder."""
    functions = context.functions
    names = {n for n, f in functions.items() if f.effect == "files"}
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
            same = all(items[key] is child for key, child in node.items.items())
            return node if same else node.replacing(items, context.name)
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
            "the path of a file must be written as text in a module that is in another folder than "
            "the blueprint that uses it",
            where[0],
            "write the path, or pass the content to the module as a variable",
        ) from None
    assert isinstance(found, Map)
    return found


class _Computed(Exception):
    """A path that is only known when it is computed."""


def _argument(argument: Argument, change: object) -> Argument:
    assert callable(change)
    value = change(argument.value)
    return argument if value is argument.value else Argument(value, argument.name)


def _refuse_local(opened: OpenedModule, root: Map, context: TransformContext) -> None:
    names = {n for n, f in context.functions.items() if f.effect in _LOCAL}
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
                        f"a module that was fetched cannot call `{called}`, which looks at this "
                        "machine",
                        "pass what it needs to it as a variable",
                    )
