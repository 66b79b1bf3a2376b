"""Where the static checks of expressions put what they find."""

from __future__ import annotations

from typing import Any, Final, Protocol


class Report(Protocol):
    """Where a mistake in an expression goes; `width` cuts the place to its first characters.

    `hints` is false where nobody reads a hint, as it takes time to find the name that was meant.
    """

    @property
    def hints(self) -> bool: ...

    def add(
        self, code: str, summary: str, node: Any, hint: str | None = None, width: int = 0
    ) -> None:
        """Takes one mistake at a node of an expression."""

    def warn(self, code: str, summary: str, node: Any, hint: str | None = None) -> None:
        """Takes one remark on something that works."""


class _Silent:
    """Takes what is reported elsewhere."""

    hints = False

    def add(
        self, code: str, summary: str, node: Any, hint: str | None = None, width: int = 0
    ) -> None:
        pass

    def warn(self, code: str, summary: str, node: Any, hint: str | None = None) -> None:
        pass


SILENT: Final[Report] = _Silent()
