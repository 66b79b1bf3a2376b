"""What expressions are evaluated in."""

from __future__ import annotations

from typing import Any, Protocol

from .expression import Call, Reference


class Scope(Protocol):
    """What references mean in some place."""

    def resolve(self, reference: Reference) -> Any:
        """The value a reference leads to, or an `Unknown` with its canonical form.

        Raises:
            Failure: when it leads nowhere.
        """

    def names_resource(self, name: str) -> bool:
        """True when a bare name is a resource's."""

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """The state of the link between two resources (text or reference), or an Unknown."""
