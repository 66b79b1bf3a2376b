"""Transforms by name: those that ship with bpp, registered ones, and installed ones.

The group of entry points is `bpp.transforms`; an entry point's name is the transform's. They are
looked for only when a blueprint names a transform that is neither built in nor registered, and only
in what the user installed: a blueprint never names code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..functions.record import Record, field

if TYPE_CHECKING:
    from ..functions.registry import Function
    from ..pipeline.engine.context import Context
    from ..pipeline.language.language import Language
    from ..pipeline.values.diagnostics import Diagnostics
    from ..pipeline.values.document import Document
    from ..pipeline.values.settings import Settings
    from ..pipeline.values.source import Span
    from ..pipeline.values.tree import AnyNode, Scalar, Template
    from .protocol import TransformLike as TransformLike

GROUP: Final = "bpp.transforms"
BUILT_IN: Final = {"bpp/defaults-1": "defaults", "bpp/modules-1": "modules"}
"""The transforms that ship with bpp, each with the module that has it as `TRANSFORM`."""


class TransformError(Exception):
    """Raised by a transform for a mistake in the blueprint; it is shown at a node, or at a span.

    `summary` is one plain sentence in lower case without a full stop, with names in backquotes;
    `hint` says what to do.
    """

    def __init__(
        self,
        at: AnyNode | Span,
        summary: str,
        hint: str | None = None,
        *,
        code: str = "transform_refused",
    ) -> None:
        super().__init__(summary)
        self.at = at
        self.summary = summary
        self.hint = hint
        self.code = code


class ExpansionError(ValueError):
    """A mistake in a transform's code, such as an expansion that contradicts itself.

    It is reported with its message, which names no values, as a mistake of the transform.
    """


class Progress:
    """What the run of a transform is about to tell: the resource it works on, what it leaves."""

    __slots__ = ("kept", "place", "resource")

    def __init__(self) -> None:
        self.resource: str | None = None
        self.place: Span | None = None
        self.kept: list[str] = []


class TransformContext(Record, eq=False):
    """What a transform may use: where to report, how to make nodes, and the run's settings."""

    name: str
    diagnostics: Diagnostics
    settings: Settings
    context: Context
    progress: Progress = field(factory=Progress, repr=False)

    @property
    def language(self) -> Language:
        """The language of the run's expressions, which reads and prints templates."""
        return self.context.language

    @property
    def functions(self) -> Mapping[str, Function]:
        """The functions that expressions may call."""
        return self.context.functions

    def error(
        self,
        at: AnyNode | Span,
        summary: str,
        hint: str | None = None,
        *,
        code: str = "transform_refused",
    ) -> None:
        """Reports a mistake of the blueprint and goes on; `TransformError` reports and stops."""
        self.diagnostics.error(code, span_of(at), summary, hint, self._note())

    def warn(
        self,
        at: AnyNode | Span,
        summary: str,
        hint: str | None = None,
        *,
        code: str = "transform_refused",
    ) -> None:
        """Reports something that is odd, but no mistake."""
        self.diagnostics.warn(code, span_of(at), summary, hint, self._note())

    def _note(self) -> Any:
        from ..pipeline.values.diagnostics import Note

        return Note(f"the transform `{self.name}` says so")

    def node(self, data: Any, origin: AnyNode) -> AnyNode:
        """Nodes for plain data in the place of a node; see `bpp.pipeline.node`.

        Strings are read as a blueprint's are, so that `${..}` in them are substitutions.
        """
        from ..pipeline.engine.builders import node

        return node(data, origin, step=self.name, language=self.language)

    def template(self, text: str, origin: AnyNode) -> Scalar | Template:
        """The node of one string in the place of a node; see `bpp.pipeline.template`."""
        from ..pipeline.engine.builders import template

        return template(text, origin, self.language, step=self.name)

    def working_on(self, resource: str | None, place: Span | None = None) -> None:
        """Remembers the resource at hand, which is named when the transform breaks."""
        self.progress.resource = resource
        self.progress.place = place

    def keep(self, *names: str) -> None:
        """Leaves the transform (or those named) in `transform`, as it has not expanded everything.

        A later run, which knows more, expands the rest.
        """
        self.progress.kept.extend(names or (self.name,))


class Transform(Record):
    """An expansion that a blueprint asks for by name (specification, "transform").

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
    """A registry of transforms; entry points are read at the first name that nobody else has.

    Raises:
        ValueError: for two transforms of one name, or of the name of one that ships with bpp, and
            for something that is no transform.
    """

    def __init__(
        self,
        transforms: Iterable[TransformLike] = (),
        entry_points: bool = True,
    ) -> None:
        self._registered: dict[str, Transform] = {}
        for given in transforms:
            try:
                transform = as_transform(given)
            except TransformNotLoaded as problem:
                raise ValueError(problem.message) from None
            if transform.name in self._registered:
                raise ValueError(f"the transform `{transform.name}` is registered twice")
            if transform.name in BUILT_IN:
                raise ValueError(f"the transform `{transform.name}` ships with bpp")
            self._registered[transform.name] = transform
        self._entry_points = entry_points

    def find(self, name: str) -> Transform | None:
        """The transform of a name, or None.

        Raises:
            TransformNotLoaded: when it is installed but does not load or is no transform.
        """
        found = self._registered.get(name)
        if found is not None:
            return found
        home = BUILT_IN.get(name)
        if home is not None:
            from importlib import import_module

            built_in: Transform = import_module(f".{home}", __package__).TRANSFORM
            return built_in
        return self._installed(name) if self._entry_points else None

    def _installed(self, name: str) -> Transform | None:
        from ..pipeline.world.plugins import PluginProblem, find_plugin

        plugin = find_plugin(GROUP, name)
        if plugin is None:
            return None
        if isinstance(plugin, PluginProblem):
            raise TransformNotLoaded(plugin.message)
        try:
            found = as_transform(plugin.value)
        except TransformNotLoaded as problem:
            raise TransformNotLoaded(f"{plugin.origin} is unusable: {problem.message}") from None
        if found.name != name:
            raise TransformNotLoaded(f"{plugin.origin} is another transform, `{found.name}`")
        return found

    def names(self) -> list[str]:
        """All names: built in, registered and installed."""
        known = {*self._registered, *BUILT_IN}
        if self._entry_points:
            from ..pipeline.world.plugins import plugin_names

            known.update(plugin_names(GROUP))
        return sorted(known)


def as_transform(value: object) -> Transform:
    """A `Transform` as it is; of a class or an object with `name`, `types` and `run`, one.

    Raises:
        TransformNotLoaded: for anything else.
    """
    if isinstance(value, Transform):
        return _checked(value)
    what = value if isinstance(value, type) else type(value)
    if not callable(getattr(value, "run", None)):
        raise TransformNotLoaded(f"a `{what.__name__}` is not a transform: it has no `run`")
    try:
        one: Any = value() if isinstance(value, type) else value
        doc = (what.__doc__ or "").strip().partition("\n")[0]
        types = (one.types,) if isinstance(one.types, str) else tuple(one.types)
        return _checked(Transform(one.name, one.run, types, doc))
    # a class that ends the process when it is called must not end bpp
    except (Exception, SystemExit) as error:
        if isinstance(error, TransformNotLoaded):
            raise
        why = f"it has no `{error.name}`" if isinstance(error, AttributeError) else None
        raise TransformNotLoaded(
            f"a `{what.__name__}` is not a transform: "
            + (why or f"making one fails with {type(error).__name__}")
        ) from None


def _checked(transform: Transform) -> Transform:
    name: object = transform.name
    if not isinstance(name, str) or not name.strip():
        raise TransformNotLoaded("the name of a transform is a text that is not empty")
    if not callable(transform.run):
        raise TransformNotLoaded(f"the `run` of the transform `{name}` cannot be called")
    return transform


def span_of(at: AnyNode | Span) -> Span:
    """The place of a node, or the place itself."""
    found: Any = getattr(at, "span", at)
    span: Span = found
    return span
