"""load: text becomes a tree with places, strings with substitutions become templates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .....functions.values import FunctionError
from ....engine.budget import count_nodes
from ....engine.run import Context, report_foreign
from ....formats.detection import read
from ....values.diagnostics import Diagnostic, Diagnostics, Hint, Relay
from ....values.document import Document
from ....values.tree import AnyNode, Map
from ..structure.structure import check_structure
from ..structure.variables import has_custom_types

_OF_EXPRESSIONS: Final = frozenset(
    {"empty_substitution", "invalid_substitution", "unclosed_substitution"}
)
_LOOKS: Final = "a blueprint has a `version` and sections such as `resources`"

_STEPS_A_NODE: Final = 2


def load(document: Document, context: Context) -> Document:
    """Reads the document's source and checks the structure of every section.

    All mistakes of the file are reported together, also those of names that its other mistakes do
    not cause; after a syntax error there is no tree to check. A file that is not recognisably a
    blueprint has one mistake, which tells nothing of it. What is included again is not read again,
    but costs what it will cost the stages that follow.
    """
    known = context.loaded.get(document.source)
    if known is not None:
        context.meter.spend_nodes(known[1])
        context.meter.work(_STEPS_A_NODE * known[1])
        return known[0]
    found = context.diagnostics.beside()
    loaded = document
    try:
        loaded = _read(document, context.evolve(diagnostics=found))
    except FunctionError as error:  # a limit; what was found until then is told all the same
        found.error(error.code, None, error.message, error.hint)
    if report_foreign(document.source, found, context, "a blueprint", _LOOKS):
        return document
    if not found.errors:
        context.quoting.confirm(document.source, None if len(found) else loaded.root)
        if context.documents is not None:
            context.documents.append(loaded)
    if not context.main and not len(found):
        context.loaded[document.source] = loaded, count_nodes(loaded.root)
    context.diagnostics.extend(found)
    return loaded


class _Reading(Relay):
    """Keeps the mistakes in expressions back until it is known in which section they are."""

    def __init__(self, outer: Diagnostics, accepts: Callable[[Diagnostic], bool]) -> None:
        super().__init__(outer, accepts)
        self._kept: list[tuple[Diagnostic, Hint]] = []

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        """Pass it on, or keep it."""
        if diagnostic.code in _OF_EXPRESSIONS and diagnostic.span is not None:
            self._kept.append((diagnostic, hint))
        else:
            super().add(diagnostic, hint)

    def settle(self, variables: AnyNode | None) -> None:
        """Pass on what was kept; in the `variables` no substitution is allowed."""
        for item, hint in self._kept:
            refused = _refused(item, variables)
            super().add(refused, hint if refused is item else None)


def _refused(item: Diagnostic, variables: AnyNode | None) -> Diagnostic:
    """A mistake in a substitution; in a variable none is allowed, whatever is in it."""
    span = item.span
    assert span is not None
    for definition in variables.items.values() if isinstance(variables, Map) else ():
        for key, node in definition.items.items() if isinstance(definition, Map) else ():
            if node.start <= span.start < node.end:
                summary = f"substitutions are not allowed in `{key}` of a variable"
                return Diagnostic("substitution_not_allowed", summary, span)
    return item


def _read(document: Document, context: Context) -> Document:
    language = context.language
    source = document.source
    before = context.diagnostics.errors
    # A place that could not be read has its diagnostic; what stands in for it has no structure.
    unread: set[int] = set()

    def unreadable(item: Diagnostic) -> bool:
        if item.span is not None and item.code != "duplicate_key":
            unread.add(item.span.start)
        return True

    def readable(item: Diagnostic) -> bool:
        return item.span is None or item.span.start not in unread

    reading = _Reading(context.diagnostics, unreadable)
    root = read(source, language.split, language.opener, context.meter, reading)
    variables = root.get("variables") if isinstance(root, Map) else None
    reading.settle(variables)
    if root is None:
        if context.diagnostics.errors == before:
            context.diagnostics.error("invalid_map", None, f"`{source.name}` is empty")
        return document
    structure = Relay(context.diagnostics, readable)
    check_structure(root, language.opener, structure)
    if not isinstance(root, Map):
        return document
    # what is only counted is not looked for in copies of a huge document
    if context.diagnostics.errors > before and not context.diagnostics.full:
        from ..structure.recovery import check_others, mended_definitions, mended_sections

        meant = document.evolve(root=root)
        for mend in (mended_sections, mended_definitions):
            last, meant = meant, mend(meant, unread)
            if meant is not last:
                check_structure(meant.root, language.opener, structure)
        check_others(meant, context)
    if isinstance(variables, Map) and has_custom_types(variables):
        from ..structure.custom_types import check_custom_types

        check_custom_types(variables, context)
    return document.evolve(root=root)
