"""Transforms by name: registered by the caller, or installed with an entry point.

The group is `bpp.transforms`; an entry point's name is the transform's. Entry points are looked for
only when a blueprint names a transform that is not registered, and only in what the user
installed: a blueprint never names code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from ..pipeline.context import Context
    from ..pipeline.diagnostics import Diagnostics
    from ..pipeline.document import Document
    from ..pipeline.settings import Settings

GROUP = "bpp.transforms"


@attrs.frozen(eq=False)
class TransformContext:
    """What a transform may use: where to report, and the run's settings."""

    name: str
    diagnostics: Diagnostics
    settings: Settings
    context: Context


@attrs.frozen
class Transform:
    """An expansion that a blueprint asks for by name.

    `run` gets the whole document, unevaluated, and returns a new one; it reports mistakes at nodes
    through the context and touches nothing else. `types` are the resource types it expands.
    """

    name: str
    run: Callable[[Document, TransformContext], Document]
    types: tuple[str, ...] = ()
    doc: str = ""


class TransformNotLoaded(Exception):
    """An installed transform that cannot be used; `message` says why in one sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Transforms:
    """A registry of transforms; entry points are read at the first name that is not registered."""

    def __init__(self, transforms: Iterable[Transform] = (), entry_points: bool = True) -> None:
        self._registered: dict[str, Transform] = {}
        for transform in transforms:
            if transform.name in self._registered:
                raise ValueError(f"the transform `{transform.name}` is registered twice")
            self._registered[transform.name] = transform
        self._entry_points = entry_points

    def find(self, name: str) -> Transform | None:
        """The transform of a name, or None.

        Raises:
            TransformNotLoaded: when it is installed but does not load or is no transform.
        """
        found = self._registered.get(name)
        if found is not None or not self._entry_points:
            return found
        for point in _installed():
            if point.name != name:
                continue
            where = f"`{point.value}` of {_distribution(point)}"
            try:
                loaded = point.load()
            except Exception as error:
                raise TransformNotLoaded(
                    f"{where} cannot be imported ({type(error).__name__})"
                ) from None
            if not isinstance(loaded, Transform):
                raise TransformNotLoaded(f"{where} is no `Transform`")
            return loaded
        return None

    def names(self) -> list[str]:
        """All names: registered and installed."""
        installed = [point.name for point in _installed()] if self._entry_points else []
        return sorted({*self._registered, *installed})


def _installed() -> list[Any]:
    from importlib.metadata import entry_points

    return list(entry_points(group=GROUP))


def _distribution(point: Any) -> str:
    return f"the package `{point.dist.name}`" if point.dist else "an installed package"
