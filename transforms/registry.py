"""Transforms by name: built-in, registered and installed ones.

Installed transforms are entry points in the group `bpp.transforms`, named as the transform is. They
are looked up only when a blueprint names a transform that is neither built in nor registered, and
only among the packages that the user installed: a blueprint never names code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..functions.breakage import breakage
from ..functions.record import Record, field

if TYPE_CHECKING:
    from typing import Protocol

    from ..functions.registry import Functions
    from ..pipeline.engine.run import Context
    from ..pipeline.language.language import Language
    from ..pipeline.values.diagnostics import Diagnostics
    from ..pipeline.values.document import Document
    from ..pipeline.values.settings import Settings
    from ..pipeline.values.source import Span
    from ..pipeline.values.tree import AnyNode, Scalar, Template
else:
    Protocol = object  # every render loads this module, and a protocol is slow to create

GROUP: Final = "bpp.transforms"
BUILT_IN: Final = {"bpp/defaults-1": "defaults", "bpp/modules-1": "modules.transform"}
"""The built-in transforms, each with the module that defines it as `TRANSFORM`."""


class TransformError(Exception):
    """Raised by a transform for a mistake in the blueprint, at a node or a span.

    `summary` is one short sentence: lower case, no full stop, names in backquotes. `hint` says what
    to do.
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
    """A mistake in a transform's code, such as an inconsistent expansion.

    It is reported as a mistake of the transform, with its message, which contains no values.
    """


class Progress:
    """The state of a running transform: its current resource, and the transforms to run again."""

    __slots__ = ("kept", "place", "resource")

    def __init__(self) -> None:
        self.resource: str | None = None
        self.place: Span | None = None
        self.kept: list[str] = []


class TransformContext(Record, eq=False):
    """The tools of a transform: reporting, building nodes, and the settings of the run."""

    name: str
    diagnostics: Diagnostics
    settings: Settings
    context: Context
    progress: Progress = field(factory=Progress, repr=False)

    @property
    def language(self) -> Language:
        """The expression language of the run, which parses and prints templates."""
        return self.context.language

    @property
    def functions(self) -> Functions:
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
        """Reports a mistake in the blueprint and continues; raise `TransformError` to stop."""
        self.diagnostics.error(code, span_of(at), summary, hint, self._note())

    def warn(
        self,
        at: AnyNode | Span,
        summary: str,
        hint: str | None = None,
        *,
        code: str = "transform_refused",
    ) -> None:
        """Reports something suspicious that is not a mistake."""
        self.diagnostics.warn(code, span_of(at), summary, hint, self._note())

    def _note(self) -> Any:
        from ..pipeline.values.diagnostics import Note

        return Note(f"reported by the transform `{self.name}`")

    def node(self, data: Any, origin: AnyNode) -> AnyNode:
        """Builds nodes from plain data, located at `origin`; see `bpp.pipeline.node`.

        Strings are parsed as in a blueprint: `${..}` in them is a substitution.
        """
        from ..pipeline.engine.builders import node

        return node(data, origin, step=self.name, language=self.language)

    def template(self, text: str, origin: AnyNode) -> Scalar | Template:
        """Builds the node of a string, located at `origin`; see `bpp.pipeline.template`."""
        from ..pipeline.engine.builders import template

        return template(text, origin, self.language, step=self.name)

    def working_on(self, resource: str | None, place: Span | None = None) -> None:
        """Sets the current resource, which is named in the report if the transform fails."""
        self.progress.resource = resource
        self.progress.place = place

    def keep(self, *names: str) -> None:
        """Keeps this transform (or those named) in `transform`, as something is not expanded yet.

        A later run, which knows more, expands the rest.
        """
        self.progress.kept.extend(names or (self.name,))


class Transform(Record):
    """An expansion that a blueprint requests by name (specification, "transform").

    `run` takes the whole document, unevaluated, and returns a new one; it reports mistakes at nodes
    through the context and has no other effects. `types` are the resource types it expands.
    """

    name: str
    run: Callable[[Document, TransformContext], Document]
    types: tuple[str, ...] = ()
    doc: str = ""


class TransformObject(Protocol):
    """An object that can be used as a transform because it has these attributes."""

    @property
    def name(self) -> str:
        """The name by which a blueprint requests it."""

    @property
    def types(self) -> tuple[str, ...]:
        """The resource types that it expands."""

    def run(self, document: Document, context: TransformContext, /) -> Document:
        """The document with those resources expanded; see `Transform`."""


TransformLike: TypeAlias = "Transform | TransformObject | type[TransformObject]"
"""Anything that can be registered: a `Transform`, an object like one, or the class of such objects.

A class is called without arguments when it is registered or loaded.
"""


class TransformNotLoaded(Exception):
    """An installed transform that cannot be used; `message` says why, in one sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Transforms:
    """A registry of transforms; entry points are read only for names that are not registered.

    Raises:
        ValueError: when two transforms share a name, when one has the name of a built-in transform,
            or when a given object is not a transform.
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
        """The transform with this name, or None.

        Raises:
            TransformNotLoaded: when it is installed, but does not load or is not a transform.
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
            raise TransformNotLoaded(f"{plugin.origin} defines another transform, `{found.name}`")
        return found

    def names(self) -> list[str]:
        """All names: built in, registered and installed."""
        known = {*self._registered, *BUILT_IN}
        if self._entry_points:
            from ..pipeline.world.plugins import plugin_names

            known.update(plugin_names(GROUP))
        return sorted(known)


def as_transform(value: object) -> Transform:
    """Turns a class or an object with `name`, `types` and `run` into a `Transform`.

    Raises:
        TransformNotLoaded: for any other value.
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
    # a class whose constructor calls `sys.exit` must not end bpp
    except (Exception, SystemExit) as error:
        if isinstance(error, TransformNotLoaded):
            raise
        why = f"it has no `{error.name}`" if isinstance(error, AttributeError) else None
        raise TransformNotLoaded(
            f"a `{what.__name__}` is not a transform: "
            + (why or f"creating a transform from it fails with {breakage(error)}")
        ) from None


def _checked(transform: Transform) -> Transform:
    name: object = transform.name
    if not isinstance(name, str) or not name.strip():
        raise TransformNotLoaded("the name of a transform must be a non-empty string")
    if not callable(transform.run):
        raise TransformNotLoaded(f"the `run` of the transform `{name}` cannot be called")
    return transform


def span_of(at: AnyNode | Span) -> Span:
    """The span of a node, or the span itself."""
    found: Any = getattr(at, "span", at)
    span: Span = found
    return span
