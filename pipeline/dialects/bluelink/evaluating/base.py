"""The part of an evaluation that its scopes and the search for secrets use."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ....engine.evaluation import Evaluation
from ....engine.inputs import Variable
from ....engine.run import Context
from ....language.errors import Failure
from ....language.syntax import Scope
from ....values.diagnostics import Diagnostic
from ....values.document import Document
from ....values.expression import Path, Reference
from ....values.tree import AnyNode, Map


class Frame:
    """One element of an `each`: the name of the resource template and the index."""

    __slots__ = ("_hash", "index", "template")

    def __init__(self, template: str, index: int) -> None:
        self.template = template
        self.index = index
        self._hash = hash((template, index))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        return self.index == other.index and self.template == other.template


class EvaluationBase(Evaluation):
    """The evaluation of a blueprint as references see it; `evaluation.Evaluation` is the only one.

    Scopes and the search for secrets need it, and the evaluation needs both.
    """

    def __init__(self, document: Document, context: Context) -> None:
        super().__init__(context)
        self.document = document
        self.variables: dict[str, Variable] = {}
        self.lacking: dict[str, Diagnostic] = {}
        self.marks = Marks()
        # what the state says of exports of children, as values, by child and export
        self.exported: dict[tuple[str, str], Any] = {}
        self.rehearses = False

    def without_value(self, name: str) -> Failure:
        """The failure of a variable without a value, whose mistake is reported by now."""
        mistake = self.lacking.pop(name, None)
        if mistake is not None:
            self.context.diagnostics.add(mistake)
        return Failure("", "", reported=True)

    def definition(self, section: str, name: str) -> Map:
        """A definition that is known to exist."""
        found = self.document.section(section)
        node = found.get(name) if found else None
        assert isinstance(node, Map), f"{section}.{name} was checked before"
        return node

    def resource(self, name: str) -> Map:
        """The definition of a resource."""
        return self.definition("resources", name)

    def is_template(self, name: str) -> bool:
        """True for a resource with `each`."""
        return self.resource(name).get("each") is not None

    def entering(self, key: Any, label: str) -> None:
        """Marks a reference as being followed, for the path of a cycle; `end` is due."""
        self.busy[key] = label

    @abstractmethod
    def at(self, frame: Frame | None) -> Scope:
        """The scope outside of `each`, or in one of its elements."""

    @abstractmethod
    def value(self, name: str) -> Any:
        """The value of `values.<name>`."""

    @abstractmethod
    def elements(self, name: str) -> list[Any]:
        """The elements of a resource's `each`."""

    @abstractmethod
    def alive(self, name: str, frame: Frame | None = None) -> Any:
        """True, False, or the residual condition of a resource or of one instance."""

    @abstractmethod
    def answer(self, name: str) -> dict[str, Any] | None:
        """The exported fields of a data source, or None when they are not known in this run."""

    @abstractmethod
    def child(self, name: str) -> Document | None:
        """A child's materialised document, or None when it is not opened in this run."""

    @abstractmethod
    def of_child(self, name: str) -> EvaluationBase | None:
        """The evaluation of a child, or None when it was not evaluated."""

    @abstractmethod
    def is_rendering(self, name: str) -> bool:
        """True while a child is being rendered."""

    @abstractmethod
    def follow(
        self, node: AnyNode, path: Path, reference: Reference, frame: Frame | None, blame: Reference
    ) -> Any:
        """The value at a path below a node."""

    @abstractmethod
    def rehearsal(self) -> EvaluationBase:
        """A new evaluation of the document with its secrets withheld and nothing reported."""


class Marks:
    """The results of the search for secrets so far (see `secrets.taint`)."""

    def __init__(self) -> None:
        self.rehearsal: EvaluationBase | None = None
        self.asking: dict[str, bool] = {}
        self.exports: dict[tuple[str, Path], bool] = {}
