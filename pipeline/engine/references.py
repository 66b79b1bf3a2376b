"""References in trees of nodes: where they are, and others in their place.

In a whole document, and in definitions of resources and exports, names outside of expressions are
references as well: `dependsOn`, `linkSelector.exclude` and the `field` of an export.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypeVar

from ...functions.record import Record, field
from ..language.errors import LanguageError
from ..values.expression import (
    Access,
    Call,
    Expression,
    Path,
    Reference,
    Segment,
    Segments,
    Substitution,
    residual,
    walk,
)
from ..values.expression import Literal as LiteralValue
from ..values.tree import AnyNode, Array, Map, Scalar, Template

if TYPE_CHECKING:
    from ...functions.registry import Function
    from ..language.language import Language
    from ..values.document import Document
    from ..values.source import Span

Section: TypeAlias = Literal["resources", "exports"]
"""The section that a definition belongs to, which says what in it are names."""

LINK: Final = "link"
"""The function whose arguments may be names of resources as text."""


class FoundReference(Record):
    """One reference of a tree.

    `reference` has the root `resources` also when the name was written alone (`bare` is true then,
    and the name may be a function's). `node` is the string that it stands in, `span` its own place.
    `name_only` is true where a name is text: `dependsOn`, `linkSelector.exclude`, arguments of
    `link`.
    """

    reference: Reference
    span: Span
    node: Scalar | Template
    name_only: bool = False


def find_references(
    where: Document | AnyNode, language: Language, *, section: Section | None = None
) -> list[FoundReference]:
    """All references in a document or a node, in the order in which they are written.

    `section` says that a node is a definition of that section, whose `dependsOn` and the like are
    looked at; in a document they always are. Implements "References & Substitutions" of the
    specification.
    """
    return list(_found(where, language, section))


def exact_tree(substitution: Substitution, language: Language) -> Expression:
    """The tree with its literals and, where it was written, its places."""
    if substitution.inner is None:
        tree: Expression = substitution.shape.expression
        return tree
    return language.exact(substitution)


def field_reference(node: Scalar, language: Language) -> Reference | None:
    """The field of an export as a reference, or None if it is not one."""
    if not isinstance(node.value, str):
        return None
    try:
        found = language.parse(node.value)
    except LanguageError:
        return None  # the static checks say what is wrong with it
    return found if isinstance(found, Reference) else None


def _found(
    where: Document | AnyNode, language: Language, section: Section | None
) -> Iterator[FoundReference]:
    if isinstance(where, Template):
        yield from _in_template(where, language)
    elif isinstance(where, Array):
        for item in where.items:
            yield from _found(item, language, None)
    elif isinstance(where, Map):
        for key, child in where.items.items():
            if section == "resources" and key == "dependsOn":
                yield from _named(child)
            elif section == "resources" and key == "linkSelector" and isinstance(child, Map):
                yield from _named(child.get("exclude"))
                yield from _found(child, language, None)
            elif section == "exports" and key == "field" and isinstance(child, Scalar):
                reference = field_reference(child, language)
                if reference is not None:
                    yield FoundReference(reference, child.span, child)
            else:
                yield from _found(child, language, None)
    elif not isinstance(where, Scalar):
        for name, node in where.root.items.items():
            kind: Section | None = name if name in ("resources", "exports") else None  # type: ignore[assignment]
            if name == "children":
                continue
            if kind is not None and isinstance(node, Map):
                for child in node.items.values():
                    yield from _found(child, language, kind)
            else:
                yield from _found(node, language, None)


def _in_template(node: Template, language: Language) -> Iterator[FoundReference]:
    for segment in node.segments:
        if not isinstance(segment, Substitution):
            continue
        exact = exact_tree(segment, language)
        for part in walk(exact):
            if isinstance(part, Reference):
                span = language.place(node, part.start, part.end)
                yield FoundReference(part, span, node)
            elif isinstance(part, Call) and part.function == LINK:
                for argument in part.arguments:
                    value = argument.value
                    if isinstance(value, LiteralValue) and isinstance(value.value, str):
                        span = language.place(node, value.start, value.end)
                        name = Reference("resources", (value.value,))
                        yield FoundReference(name, span, node, True)


def _named(node: AnyNode | None) -> Iterator[FoundReference]:
    for item in node.items if isinstance(node, Array) else [node]:
        if isinstance(item, Scalar) and isinstance(item.value, str):
            name = Reference("resources", (item.value,))
            yield FoundReference(name, item.span, item, True)


Replace: TypeAlias = Callable[[Reference], "Expression | None"]
"""Gives the replacement of a reference; None leaves it."""

_Where = TypeVar("_Where", "Document", Map, Array, Scalar, Template)


class Replacing(Record):
    """Rules for the replacement of references.

    `reference` answers for those in expressions, `export_field` for the field of an export, which
    stays a plain reference; `names` are the resources that a name outside of expressions stands for
    from now on, one or several. `step` is added to the origin of what changes. `functions` are
    those of the run: with them a bare name that means a function is left alone.
    """

    language: Language
    step: str
    reference: Replace
    export_field: Callable[[Reference], Reference | None]
    names: Mapping[str, tuple[str, ...]] = field(factory=dict)
    functions: Mapping[str, Function] = field(factory=dict)


def rename_references(
    where: _Where,
    renames: Mapping[str, str],
    language: Language,
    *,
    step: str,
    section: Section | None = None,
    functions: Mapping[str, Function] | None = None,
) -> _Where:
    """The document or node with references renamed; the same object if it has no such references.

    `renames` go from reference to reference: `{"resources.orders": "resources.orders_function"}`,
    `{"values.a.b": "values.c"}`. A name alone is a resource's. The longest that fits a reference
    counts, and what follows it is kept. However a reference is written (`resources.x`, `x`,
    `resources["x"]`, in a text, as an argument), it is found; so are names in `dependsOn`, link
    selectors and calls of `link`. What changes keeps its place and has `step` in its origin.
    `functions` and `section` are explained at `Replacing` and `find_references`.

    Raises:
        ValueError: when an item of `renames` is no reference.
    """
    table = {_plain(key, language): _plain(value, language) for key, value in renames.items()}
    names = {
        str(old[1][0]): (str(new[1][0]),)
        for old, new in table.items()
        if old[0] == new[0] == "resources" and len(old[1]) == len(new[1]) == 1
    }

    def renamed(reference: Reference) -> Reference | None:
        root: str = reference.root
        path: Path = reference.path
        if root == "resources" and len(path) > 1 and isinstance(path[1], int):
            # an instance of a template: what holds for `x.spec` holds for `x[0].spec` as well
            inside = _longest(table, root, (path[0], *path[2:]), 2)
            if inside is not None:
                return _with_index(inside, path[1])
        return _longest(table, root, path)

    how = Replacing(language, step, renamed, renamed, names, functions or {})
    return replace_references(where, how, section=section)


def _with_index(reference: Reference, index: int) -> Reference:
    if reference.root != "resources":
        return reference
    return Reference(reference.root, (reference.path[0], index, *reference.path[1:]))


def _longest(
    table: Mapping[tuple[str, Path], tuple[str, Path]], root: str, path: Path, shortest: int = 0
) -> Reference | None:
    """The new name for the longest renamed part of a reference, with the rest of its path."""
    for length in range(len(path), shortest - 1, -1):
        found = table.get((root, path[:length]))
        if found is not None:
            return Reference(found[0], (*found[1], *path[length:]))
    return None


def replace_references(where: _Where, how: Replacing, *, section: Section | None = None) -> _Where:
    """The document or node with references replaced; the same object when nothing changes.

    A reference may become any expression. Arguments are those of `rename_references`.
    """
    if isinstance(where, (Map, Array, Scalar, Template)):
        return _definition(where, how, section)  # type: ignore[return-value]
    sections: dict[str, AnyNode] = {}
    for name, node in where.root.items.items():
        if name == "children":
            continue  # documents with names of their own
        kind: Section | None = name if name in ("resources", "exports") else None  # type: ignore[assignment]
        if kind is None or not isinstance(node, Map):
            sections[name] = _node(node, how)
            continue
        items = {key: _definition(child, how, kind) for key, child in node.items.items()}
        sections[name] = node.holding(items, how.step)
    return where.replacing(sections, how.step)


def in_expression(expression: Expression, how: Replacing) -> Expression:
    """An expression with its references replaced; the same object when nothing changes."""
    if isinstance(expression, Reference):
        found = how.reference(expression)
        if found is None:
            return expression
        if isinstance(found, Reference):
            return Reference(found.root, found.path, found.bare, expression.start, expression.end)
        return found
    if isinstance(expression, Access):
        target = in_expression(expression.target, how)
        if target is expression.target:
            return expression
        if isinstance(target, Reference):
            return target.deeper(*expression.path)
        return expression.evolve(target=target)
    if isinstance(expression, Call):
        return _call(expression, how)
    return expression


def _call(call: Call, how: Replacing) -> Call:
    arguments = []
    function = how.functions.get(call.function)
    for position, argument in enumerate(call.arguments):
        value = argument.value
        new = value
        if isinstance(value, LiteralValue) and call.function == LINK:
            names = how.names.get(value.value, ()) if isinstance(value.value, str) else ()
            if len(names) == 1:
                new = LiteralValue(names[0], value.start, value.end)
        elif not _is_function(value, function, position, how):
            new = in_expression(value, how)
        arguments.append(argument if new is value else argument.evolve(value=new))
    if all(new is old for new, old in zip(arguments, call.arguments, strict=True)):
        return call
    return call.evolve(arguments=tuple(arguments))


def _is_function(
    value: Expression, function: Function | None, position: int, how: Replacing
) -> bool:
    """True for a bare name that means a function where it stands."""
    if not (isinstance(value, Reference) and value.bare and len(value.path) == 1):
        return False
    parameter = function.parameter(position) if function is not None else None
    takes = parameter is not None and "function" in parameter.types
    return takes and str(value.path[0]) in how.functions


def change_expressions(
    node: AnyNode,
    change: Callable[[Expression], Expression],
    language: Language,
    step: str,
) -> AnyNode:
    """The node with every expression in it changed; the same object when nothing changes.

    `change` gives the same object back for an expression that stays.
    """
    if isinstance(node, Template):
        return _template(node, change, language, step)
    if isinstance(node, Map):
        items = {
            key: change_expressions(child, change, language, step)
            for key, child in node.items.items()
        }
        return node.holding(items, step)
    if isinstance(node, Array):
        changed = [change_expressions(item, change, language, step) for item in node.items]
        return _array(node, changed, step)
    return node


def _node(node: AnyNode, how: Replacing) -> AnyNode:
    return change_expressions(node, lambda old: in_expression(old, how), how.language, how.step)


def _array(node: Array, items: list[AnyNode], step: str) -> Array:
    if len(items) == len(node.items) and all(
        new is old for new, old in zip(items, node.items, strict=True)
    ):
        return node
    return Array(items, node.trail.then(step), node.start, node.end)


def _template(
    node: Template,
    change: Callable[[Expression], Expression],
    language: Language,
    step: str,
) -> Template:
    segments: list[Segment] = []
    changed = False
    for segment in node.segments:
        if isinstance(segment, Substitution) and (
            segment.shape.references or segment.shape.functions
        ):
            exact = exact_tree(segment, language) if segment.literals else segment.shape.expression
            new = change(exact)
            if new is not exact:
                changed = True
                segment = residual(new)
        segments.append(segment)
    if not changed:
        return node
    return Template(Segments(segments), None, node.trail.then(step), node.start, node.end)


def _definition(node: AnyNode, how: Replacing, section: Section | None) -> AnyNode:
    node = _node(node, how)
    if not isinstance(node, Map) or section is None:
        return node
    items = dict(node.items)
    if section == "exports":
        text = node.get("field")
        if isinstance(text, Scalar):
            items["field"] = _field(text, how)
        return node.holding(items, how.step)
    depends = node.get("dependsOn")
    if depends is not None:
        items["dependsOn"] = _names(depends, how)
    selector = node.get("linkSelector")
    excluded = selector.get("exclude") if isinstance(selector, Map) else None
    if isinstance(selector, Map) and excluded is not None:
        inside = {**selector.items, "exclude": _names(excluded, how)}
        items["linkSelector"] = selector.holding(inside, how.step)
    return node.holding(items, how.step)


def _field(node: Scalar, how: Replacing) -> Scalar:
    reference = field_reference(node, how.language)
    new = how.export_field(reference) if reference is not None else None
    if new is None:
        return node
    text = how.language.syntax.show(new)
    return Scalar(text, node.trail.then(how.step), node.start, node.end)


def _names(node: AnyNode, how: Replacing) -> AnyNode:
    """A name or a list of names, each once."""
    old = node.items if isinstance(node, Array) else [node]
    items: dict[object, AnyNode] = {}
    for item in old:
        name = item.value if isinstance(item, Scalar) else None
        instead = how.names.get(name) if isinstance(name, str) else None
        if instead is None:
            items.setdefault(name if isinstance(name, str) else id(item), item)
            continue
        trail = item.trail.then(how.step)
        for new in instead:
            items.setdefault(new, Scalar(new, trail, item.start, item.end))
    if isinstance(node, Array):
        return _array(node, list(items.values()), how.step)
    found = list(items.values())
    if len(found) == 1:
        return found[0]
    return Array(found, node.trail.then(how.step), node.start, node.end)


def _plain(text: str, language: Language) -> tuple[str, Path]:
    try:
        found = language.parse(text)
    except LanguageError as error:
        raise ValueError(f"`{text}` is no reference: {error.summary}") from None
    if not isinstance(found, Reference):
        raise ValueError(f"`{text}` is no reference")
    return found.root, found.path
