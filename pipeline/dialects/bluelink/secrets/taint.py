"""What is made of secrets, where values do not say so themselves.

A run that reveals secrets computes with them as with any other value, so that nothing tells later
what was made of one; a document that was rendered has only text. Both are told by an evaluation in
which secrets are withheld: there, whatever is made of one is an `Unknown` with a mark.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from ....engine.work import Work
from ....language.errors import Failure
from ....language.language import Language
from ....language.navigation import navigate
from ....language.waiting import is_secret
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.expression import Path, Reference
from ....values.settings import SECRETS_KEEP
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..evaluating.evaluation import Evaluation
from ..evaluating.scope import Frame

_SOMEWHERE: Final = Reference("values", ("marked",))


class Rehearsal(Evaluation):
    """The evaluation of a document once more, with its secrets withheld and nothing reported.

    Children are those of the original. Whatever it asks for, a file or an address, holds no secret.
    """

    def __init__(self, original: Evaluation) -> None:
        context = original.context
        super().__init__(
            original.document,
            context.evolve(
                settings=context.settings.evolve(secrets=SECRETS_KEEP),
                diagnostics=Diagnostics(context.limits.max_diagnostics),
                environment=context.environment.rehearsing(),
            ),
        )
        self._original = original
        self.rehearses = True

    def child(self, name: str) -> Document | None:
        """See `Evaluation`."""
        return self._original.child(name)

    def answer(self, name: str) -> dict[str, Any] | None:
        """See `Evaluation`; nobody is asked twice, and nobody for a secret."""
        return None if asks_for_secret(self, name) else self._original.answer(name)


def withholding(evaluation: Evaluation) -> Evaluation:
    """An evaluation of the same document in which secrets are withheld."""
    if not evaluation.reveal:
        return evaluation
    marks = evaluation.marks
    if marks.rehearsal is None:
        marks.rehearsal = Rehearsal(evaluation)
    return marks.rehearsal


def rehearse(evaluation: Evaluation, node: Template, frame: Frame | None) -> None:
    """Finds out what a string may ask for, before it is evaluated with secrets revealed."""
    with suppress(Failure):  # it asks for less then
        withholding(evaluation).template(node, frame, masked=False)


def is_marked(evaluation: Evaluation, node: AnyNode) -> bool:
    """True for a node whose value is made of a secret, also in a run that reveals it."""
    try:
        return is_secret(withholding(evaluation).value_of(node, _SOMEWHERE, None))
    except Failure:
        return evaluation.reveal  # it has a value only where secrets are known


def asks_for_secret(evaluation: Evaluation, name: str) -> bool:
    """True for a data source that looks for a secret: which record it finds tells of it."""
    marks = evaluation.marks
    found = marks.asking.get(name)
    if found is None:
        definition = evaluation.definition("datasources", name)
        filters = definition.get("filter")
        asked: list[AnyNode | None] = [definition.get("metadata")]
        for item in filters.items if isinstance(filters, Array) else [filters]:
            asked.append(item.get("search") if isinstance(item, Map) else None)
        # a filter that leads back to its own data source is a mistake that others report
        marks.asking[name] = False
        found = any(is_marked(evaluation, node) for node in asked if node is not None)
        marks.asking[name] = found
    return found


def is_marked_export(work: Work | None, name: str, path: Path, language: Language) -> bool:
    """True for a part of a child's export that is made of a secret of that child."""
    original = work.find(Evaluation) if work is not None else None
    if original is None:
        return False
    marks, key = original.marks, (name, path)
    if key not in marks.exports:
        marks.exports[key] = _is_marked_export(original, name, path, language)
    return marks.exports[key]


def _is_marked_export(original: Evaluation, name: str, path: Path, language: Language) -> bool:
    evaluation = withholding(original)
    exports = evaluation.document.section("exports")
    export = exports.get(name) if exports else None
    if not isinstance(export, Map):
        return False
    field = export.get("field")
    node = export.get("value")
    try:
        if isinstance(field, Scalar):
            reference = language.parse(str(field.value))
            assert isinstance(reference, Reference)
            if is_secret(evaluation.at(None).resolve(reference.deeper(*path))):
                return True
        if node is None:
            return False
        value = evaluation.value_of(node, _SOMEWHERE, None)
        return is_secret(navigate(value, path, _SOMEWHERE))
    except Failure:
        return original.reveal


def is_marked_reference(original: Evaluation | None, reference: Reference) -> bool:
    """True for a reference of a rendered document to what is made of a secret."""
    if original is None:
        return False
    evaluation = withholding(original)
    root = "resources" if reference.bare else reference.root
    if root == "elem" or not reference.path:
        return False
    try:
        if root == "resources":
            found = _as_instance(evaluation, reference.path)
            if found is None:
                return False
            reference = found
        return is_secret(evaluation.at(None).resolve(reference))
    except Failure:
        return False


def _as_instance(evaluation: Evaluation, path: Path) -> Reference | None:
    """The reference as it was before instances got names of their own."""
    resources = evaluation.document.section("resources")
    known = resources.items if resources is not None else {}
    name = str(path[0])
    if name in known:
        return Reference("resources", path)
    template, _, digits = name.rpartition("_")
    if template not in known or not digits.isdecimal():
        return None
    return Reference("resources", (template, int(digits), *path[1:]))
