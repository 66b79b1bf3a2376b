"""What came of a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from ...functions.record import Record, field
from ..values.diagnostics import Diagnostic, Diagnostics, Stop
from ..values.document import Document
from ..values.threads import with_stack_room
from .work import Work

if TYPE_CHECKING:
    from ..language.language import Language
    from ..world.remote.lock import Content
    from .context import Dialect


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
