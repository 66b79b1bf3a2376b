"""Values that a transform needs before a document is evaluated: list lengths, paths, conditions.

A transform expands a document that is not evaluated yet. The few values that decide how to expand
it are computed here and discarded; the later stages compute the final ones.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from ..functions.values import Unknown, has_unknown
from ..pipeline.dialects.bluelink.checking.names import check_names
from ..pipeline.dialects.bluelink.evaluating.evaluation import Evaluation
from ..pipeline.engine.context import Context
from ..pipeline.engine.references import find_references
from ..pipeline.language.errors import Failure
from ..pipeline.language.waiting import WaitingText
from ..pipeline.values.diagnostics import Diagnostics
from ..pipeline.values.document import Document
from ..pipeline.values.expression import Reference
from ..pipeline.values.tree import AnyNode, Map, templates_in

_QUIET: Final = frozenset({"variables", "values", "elem", "i"})
_SOMETHING: Final = Reference("resources", ("x",))
_LATER: Final = Unknown(_SOMETHING)


class Lookahead:
    """Evaluates parts of one document without reporting anything.

    A value that cannot be computed is None: a later stage that needs it reports why.
    """

    def __init__(self, document: Document, context: Context) -> None:
        self.document = document
        self.context = context

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the document; None if it contains invalid references."""
        quiet = self.context.evolve(diagnostics=Diagnostics())
        check_names(self.document, quiet)
        if quiet.diagnostics.errors:
            return None
        evaluation = Evaluation(self.document, quiet)
        if evaluation.reveal:
            from ..pipeline.dialects.bluelink.secrets.secrecy import secrets_in_clear

            self.context.environment.withhold(secrets_in_clear(evaluation))
        return evaluation

    def value(self, node: AnyNode) -> Any:
        """A node's value, an `Unknown` if it is only known later, or None."""
        if self.evaluation is None:
            return None
        try:
            value = self.evaluation.value_of(node, _SOMETHING, None)
        except Failure:
            return None
        return _LATER if value.__class__ is WaitingText else value

    def plain(self, node: AnyNode) -> Any:
        """The same without side effects: a value that needs any is an `Unknown`."""
        value = self.value(node) if self._is_quiet(node, set()) else _LATER
        return _LATER if has_unknown(value) else value

    def is_marked(self, node: AnyNode) -> bool:
        """True for a node that contains a secret, in a run that reveals secrets."""
        if self.evaluation is None or not self.evaluation.reveal:
            return False
        from ..pipeline.dialects.bluelink.secrets.taint import is_marked

        return is_marked(self.evaluation, node)

    def elements(self, resource: str) -> list[Any] | None:
        """The elements of a resource's `each`, or None."""
        if self.evaluation is None:
            return None
        try:
            return self.evaluation.elements(resource)
        except Failure:
            return None

    def condition(self, node: AnyNode) -> bool | None:
        """True or False for a condition that can be decided, or None."""
        from ..pipeline.dialects.bluelink.evaluating.evaluation import decide

        if self.evaluation is None:
            return None
        try:
            found = decide(self.evaluation, node, None)
        except Failure:
            return None
        return found if isinstance(found, bool) else None

    def _is_quiet(self, node: AnyNode, seen: set[str]) -> bool:
        """True if evaluating a node needs no data source, clock or file."""
        functions = self.context.functions
        for template in templates_in(node):
            for name in template.segments.functions:
                function = functions.get(name)
                if function is not None and function.effect is not None:
                    return False
        for found in find_references(node, self.context.language):
            reference = found.reference
            if reference.root not in _QUIET:
                return False
            if reference.root == "values" and (name := str(reference.path[0])) not in seen:
                seen.add(name)
                section = self.document.section("values")
                definition = section.get(name) if section else None
                if isinstance(definition, Map) and not self._is_quiet(definition, seen):
                    return False
        return True
