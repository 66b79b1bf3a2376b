"""Stages, pipelines of stages, and runs of pipelines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from time import perf_counter
from typing import TYPE_CHECKING

from ...functions.record import Record, field
from ...functions.values import FunctionError
from ..language.errors import Failure
from ..values.diagnostics import Diagnostic, Diagnostics, Stop
from ..values.document import Document
from ..values.stack import with_stack_room
from .work import Work

if TYPE_CHECKING:
    from ..language.language import Language
    from ..world.remote.lock import Content
    from .context import Context
    from .dialect import Dialect


class Stage(Record):
    """One named pass: a document in, a document out; the same object when nothing changed.

    It reports mistakes to the context. A `Failure` that it raises is reported and ends the run.
    """

    name: str
    run: Callable[[Document, Context], Document]
    doc: str = ""


class Pipeline(Record):
    """Stages in the order of a tuple."""

    stages: tuple[Stage, ...]

    def before(self, name: str, stage: Stage) -> Pipeline:
        """A pipeline with one more stage just before another.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name)
        return Pipeline((*self.stages[:index], stage, *self.stages[index:]))

    def after(self, name: str, stage: Stage) -> Pipeline:
        """A pipeline with one more stage just after another.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name) + 1
        return Pipeline((*self.stages[:index], stage, *self.stages[index:]))

    def without(self, name: str) -> Pipeline:
        """A pipeline without a stage.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name)
        return Pipeline((*self.stages[:index], *self.stages[index + 1 :]))

    def upto(self, name: str) -> Pipeline:
        """The pipeline's beginning, up to and with a stage.

        Raises:
            ValueError: when there is no stage of that name.
        """
        return self.split_after(name)[0]

    def split_after(self, name: str) -> tuple[Pipeline, Pipeline]:
        """The stages up to and with one, and those after it.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name) + 1
        return Pipeline(self.stages[:index]), Pipeline(self.stages[index:])

    def names(self) -> tuple[str, ...]:
        """The names of the stages in order."""
        return tuple(stage.name for stage in self.stages)

    def _index(self, name: str) -> int:
        names = self.names()
        if name not in names:
            raise ValueError(f"there is no stage `{name}`; the stages are {', '.join(names)}")
        return names.index(name)

    def last(self, document: Document, context: Context) -> Document:
        """What the last stage that ran made of a document."""
        results = [result for _, result, _ in self.steps(document, context)]
        return results[-1] if results else document

    def steps(self, document: Document, context: Context) -> Iterator[tuple[str, Document, float]]:
        """Each stage's name, its result and its seconds; ends after a stage that made errors."""
        before = context.diagnostics.errors
        for stage in self.stages:
            start = perf_counter()
            try:
                document = stage.run(document, context)
            except Failure as failure:
                if not failure.reported:
                    span = getattr(failure.node, "span", None)
                    context.diagnostics.error(failure.code, span, failure.summary, failure.hint)
            context.work.stages.append((stage.name, document))
            yield stage.name, document, perf_counter() - start
            if context.diagnostics.errors > before:
                return
            try:
                context.meter.check_time()
            except FunctionError as error:
                context.diagnostics.error(error.code, None, error.message, error.hint)
                return


class Unwritable(ValueError):
    """A document that cannot be written as text; `diagnostic` says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.summary)
        self.diagnostic = diagnostic


class Run(Record, eq=False):
    """What came of a run.

    `document` is the materialised blueprint, None when there were errors; `stages` has each stage's
    name and result, `timings` the seconds of each, `reads` the files that were opened. Without
    `reveal` no text of the run shows a secret. `contents` is what was fetched, by name. `asked`
    says whether the `clock` or `chance` answered, so that the next run may give something else.
    `dialect` is the one that the document is written in, `work` is what was computed on the way.
    """

    document: Document | None
    stages: tuple[tuple[str, Document], ...]
    diagnostics: Diagnostics
    timings: tuple[tuple[str, float], ...]
    language: Language = field(repr=False)
    reads: tuple[str, ...] = ()
    reveal: bool = False
    contents: Mapping[str, Content] = field(factory=dict)
    asked: Collection[str] = ()
    dialect: Dialect | None = field(default=None, repr=False)
    work: Work = field(factory=Work, repr=False)

    @property
    def ok(self) -> bool:
        """True when there is a result."""
        return self.document is not None

    @with_stack_room
    def text(self, format: str = "yaml", document: Document | None = None) -> str:  # noqa: A002
        """A document of this run as text, the materialised blueprint by default.

        Raises:
            ValueError: when the run failed and no document is given, or the format is unknown.
            Unwritable: when the text would be too long or nested too deep.
        """
        chosen = document or self.document
        if chosen is None:
            raise ValueError("the run has no result; see its diagnostics")
        if format not in ("yaml", "json"):
            raise ValueError(f"there is no format `{format}`; there are yaml and json")
        from ..formats.emit import emit, emit_all

        if chosen.parts is not None:
            roots = [part.root for part in chosen.parts]
            try:
                return emit_all(roots, format, self.language, self.language.limits)
            except Stop as stop:
                raise Unwritable(stop.diagnostic) from None
        if not self.reveal and self.dialect is not None and self.dialect.redact is not None:
            chosen = self.dialect.redact(chosen, self.diagnostics.quoting)
        try:
            return emit(chosen.root, format, self.language, self.language.limits)
        except Stop as stop:
            raise Unwritable(stop.diagnostic) from None
