"""References in trees of nodes, and where they are; `renaming` puts others in their place.

In a whole document, and in definitions of resources and exports, names outside of expressions are
references as well: `dependsOn`, `linkSelector.exclude` and the `field` of an export.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from ...functions.record import Record
from ..language.errors import LanguageError
from ..values.expression import Call, Expression, Reference, Substitution, walk
from ..values.expression import Literal as LiteralValue
from ..values.tree import AnyNode, Array, Map, Scalar, Template

if TYPE_CHECKING:
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
        return substitution.shape.expression
    return language.exact(substitution)


def field_reference(node: Scalar, language: Language) -> Reference | None:
    """The reference that the field of an export is, or None when it is none."""
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
