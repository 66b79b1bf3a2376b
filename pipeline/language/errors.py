"""How reading and computing expressions fails; both stay inside the pipeline."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

_NAMING: Final = frozenset({"path_not_found", "resource_not_found", "data_source_field_missing"})


class LanguageError(Exception):
    """A text that is no valid template.

    `start` and `end` are offsets in the decoded text of the string, `code` a diagnostic code.
    """

    def __init__(
        self, code: str, summary: str, start: int, end: int, hint: str | None = None
    ) -> None:
        super().__init__(summary)
        self.code = code
        self.summary = summary
        self.start = start
        self.end = end
        self.hint = hint


Misplaced: TypeAlias = tuple[str, int, int, str | None]
"""A token that cannot stand where it does: a sentence, where it starts and ends, and a hint."""


def unreadable_text(
    what: str, size: int, found: Misplaced | None, position: int, offset: int
) -> LanguageError:
    """The mistake in a text that a parser gave up on at `position`, `found` being what is known.

    `what` says what the text should be, `size` is its length without blanks at its end. `offset` is
    added to all positions.
    """
    if found is None:
        start = min(position, max(size - 1, 0))
        found = (f"the {what} cannot be read from here", start, max(size, start + 1), None)
    summary, start, end, hint = found
    return LanguageError("invalid_substitution", summary, offset + start, offset + end, hint)


class Failure(Exception):
    """An expression that has no value, and the expression node to blame.

    `node` may belong to a shape; `Language.locate` finds its place in the text that was written.
    `reported` says that the mistake has its diagnostic already, so that nobody reports what merely
    follows from it. `substitution` is the one that was being evaluated.
    """

    def __init__(
        self,
        code: str,
        summary: str,
        node: Any = None,
        hint: str | None = None,
        notes: tuple[Any, ...] = (),
        reported: bool = False,
    ) -> None:
        super().__init__(summary)
        self.code = code
        self.summary = summary
        self.node = node
        self.hint = hint
        self.notes = notes
        self.reported = reported
        self.substitution: Any = None

    @property
    def discreet_hint(self) -> str | None:
        """The hint for a run that reveals secrets: a near name could be a key of one."""
        return None if self.code in _NAMING else self.hint
