"""Runs the transforms of a document, which are third-party code, and checks their results."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from operator import is_
from typing import Any, Final

from ....functions.breakage import breakage
from ....transforms.registry import (
    ExpansionError,
    Transform,
    TransformContext,
    TransformError,
    TransformNotLoaded,
    Transforms,
)
from ...engine.builders import BuildError
from ...engine.run import Context
from ...formats.scalars import MAX_INTEGER, MIN_INTEGER
from ...language.errors import LanguageError
from ...language.language import Language
from ...values.diagnostics import ERROR, Diagnostic, Diagnostics, Note, Relay, meant
from ...values.document import Document
from ...values.expression import Segments, Shape, Substitution
from ...values.settings import Limits
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, Scalar, Template, Trail
from .checking.dependencies import check_each_dependencies
from .checking.names import check_names
from .evaluating.inputs import is_unicode
from .structure.inspection import listed
from .structure.structure import check_structure

# A transform is third-party code: its result is not trusted before it was checked to be a tree, and
# its input before it was checked to be unchanged. `structure` checks that the tree is a blueprint.

_SCALARS: Final = (str, int, float, bool, type(None))


class InvalidTree(Exception):
    """The problem with a tree, as the end of a sentence; `path` is its place."""

    def __init__(self, path: tuple[str, ...], why: str) -> None:
        super().__init__(why)
        self.path = path
        self.why = why

    @property
    def resource(self) -> str | None:
        """The resource that contains the problem, if any."""
        return self.path[1] if len(self.path) > 1 and self.path[0] == "resources" else None

    def __str__(self) -> str:
        return f"`{'.'.join(self.path)}` {self.why}" if self.path else f"the root {self.why}"


def check_tree(root: Any, language: Language, limits: Limits) -> None:
    """Checks every node of a tree: its class, its content and its origin.

    Raises:
        InvalidTree: at the first value that is not a node, contains a non-node, or contains itself.
    """
    if root.__class__ is not Map:
        raise InvalidTree((), f"is a `{type(root).__name__}`, not a `Map`")
    count = 0
    around: set[int] = set()
    # a node is checked when it is entered, and left when all nodes below it are done
    stack: list[tuple[Any, tuple[str, ...], bool]] = [(root, (), True)]
    while stack:
        node, path, enter = stack.pop()
        if not enter:
            around.discard(id(node))
            continue
        count += 1
        if count > limits.max_nodes:
            raise InvalidTree((), f"has more than {limits.max_nodes} nodes (`max_nodes`)")
        _check_node(node, path, language)
        if node.__class__ is Scalar or node.__class__ is Template:
            continue
        if id(node) in around:
            raise InvalidTree(path, "is a node that contains itself")
        if len(path) > limits.max_depth:
            raise InvalidTree(
                path[:3], f"is nested more than {limits.max_depth} deep (`max_depth`)"
            )
        around.add(id(node))
        stack.append((node, path, False))
        for key, child in _children(node, path):
            stack.append((child, (*path, key), True))


def _children(node: Map | Array, path: tuple[str, ...]) -> list[tuple[str, Any]]:
    items: Any = getattr(node, "items", None)
    if isinstance(node, Array):
        if items.__class__ is not list:
            raise InvalidTree(path, f"is an `Array` of a `{type(items).__name__}`, not of a list")
        return [(str(index), child) for index, child in enumerate(items)]
    if items.__class__ is not dict:
        raise InvalidTree(path, f"is a `Map` of a `{type(items).__name__}`, not of a dict")
    if not isinstance(getattr(node, "places", None), Mapping):
        raise InvalidTree(path, "is a `Map` whose `places` are not a mapping")
    for key in items:
        if key.__class__ is not str:
            raise InvalidTree(path, f"has a key that is a `{type(key).__name__}`")
        if not is_unicode(key):
            raise InvalidTree(path, "has a key that is not valid Unicode")
    return list(items.items())


def _check_node(node: Any, path: tuple[str, ...], language: Language) -> None:
    kind = node.__class__
    if kind not in (Map, Array, Scalar, Template):
        raise InvalidTree(path, f"is a `{kind.__name__}`, not a node")
    trail, start, end = (getattr(node, name, None) for name in ("trail", "start", "end"))
    if not isinstance(trail, Trail):
        raise InvalidTree(path, "is a node without an origin: make it with `context.node`")
    if start.__class__ is not int or end.__class__ is not int:
        raise InvalidTree(path, "is a node without a place: make it with `context.node`")
    if not 0 <= start <= end <= len(trail.source.text):
        raise InvalidTree(path, f"has a position outside of `{trail.source.name}`")
    if kind is Scalar:
        _check_value(getattr(node, "value", ...), path)
    elif kind is Template:
        _check_template(node, path, language)


def _check_value(value: Any, path: tuple[str, ...]) -> None:
    if value.__class__ not in _SCALARS:
        raise InvalidTree(path, f"is a `Scalar` of a `{type(value).__name__}`")
    if value.__class__ is float and not isfinite(value):
        raise InvalidTree(path, "is a number that is not finite")
    if value.__class__ is int and not MIN_INTEGER <= value <= MAX_INTEGER:
        raise InvalidTree(path, "is an integer of more than 64 bits")
    if value.__class__ is str and not is_unicode(value):
        raise InvalidTree(path, "is a string that is not valid Unicode")


def _check_template(node: Template, path: tuple[str, ...], language: Language) -> None:
    segments = getattr(node, "segments", None)
    if not isinstance(segments, Segments) or not all(
        isinstance(one, str | Substitution) for one in segments
    ):
        raise InvalidTree(
            path, "is a `Template` without `Segments`: make it with `context.template`"
        )
    if not segments.substitutions:
        raise InvalidTree(path, "is a `Template` without substitutions: text alone is a `Scalar`")
    if not hasattr(node, "text") or node.text is not None:
        return
    # It was made, not parsed: its printed form must parse.
    try:
        if not all(isinstance(one.shape, Shape) for one in segments.substitutions):
            raise TypeError
        language.split(language.template(node))
    except LanguageError as error:
        summary = f"contains an expression that cannot be parsed: {error.summary}"
        raise InvalidTree(path, summary) from None
    except (TypeError, AttributeError, ValueError, KeyError, IndexError):
        raise InvalidTree(path, "is a `Template` with a part that is not an expression") from None


def contents(root: AnyNode) -> list[tuple[AnyNode, Any]]:
    """Every node of a tree with its current content, for `is_altered`."""
    found: list[tuple[AnyNode, Any]] = []
    stack: list[AnyNode] = [root]
    while stack:
        node = stack.pop()
        found.append((node, _content(node)))
        if isinstance(node, Map):
            stack.extend(node.items.values())
        elif isinstance(node, Array):
            stack.extend(node.items)
    return found


def is_altered(before: list[tuple[AnyNode, Any]]) -> bool:
    """True when the content of a node has changed, which is never allowed."""
    return any(
        len(now := _content(node)) != len(held) or not all(map(is_, now, held))
        for node, held in before
    )


def _content(node: AnyNode) -> list[object]:
    """The objects that make up a node, which are compared by identity."""
    if isinstance(node, Map):
        return [*node.items, *node.items.values()]
    if isinstance(node, Array):
        return [*node.items]
    return [node.value if isinstance(node, Scalar) else node.segments]


ALL: Final = "*"
"""Stands for all transforms among those that are kept."""
_NOT_CHECKED: Final = (
    "it may change resources, so their types, fields that are missing, references to resources "
    "that do not exist, and cycles are not checked"
)
_NOT_YOURS: Final = "this is a mistake in the transform, not in the blueprint"


def run_transforms(document: Document, node: AnyNode, context: Context) -> Document:
    """The document after the transforms that its `transform` (`node`) lists, in that order.

    No transform runs after one that failed. A check leaves those in place that it does not know.
    """
    named = [
        item
        for item in (node.items if isinstance(node, Array) else [node])
        if isinstance(item, Scalar) and isinstance(item.value, str)
    ]
    kept = [item for item in named if _is_kept(str(item.value), context)]
    found = [(item, _find(item, context)) for item in named if item not in kept]
    unknown = [item for item, one in found if one is None]
    if unknown and (not context.checks or context.diagnostics.errors):
        return document
    kept += unknown
    found = [(item, one) for item, one in found if one is not None]
    left: dict[str, Scalar] = {}
    changed = document
    for item, one in found:
        assert one is not None
        surroundings = TransformContext(one.name, context.diagnostics, context.settings, context)
        changed = _run(one, item, changed, surroundings)
        if context.diagnostics.errors:
            return document
        for name in surroundings.progress.kept:
            left.setdefault(name, Scalar(name, item.trail, item.start, item.end))
    rest = [item for item in named if item in kept or item.value in left]
    known = {item.value for item in rest}
    rest += [item for name, item in left.items() if name not in known]
    if len(rest) == len(named) and all(item in rest for item in named):
        return changed
    remaining: AnyNode | None = None
    if rest:
        remaining = rest[0] if len(rest) == 1 else Array([*rest], node.trail, node.start, node.end)
    return changed.replacing({"transform": remaining}, "transform")


def registry_of(context: Context) -> Transforms:
    """The transforms of a run."""
    return context.transforms or Transforms()  # type: ignore[return-value]


def _find(item: Scalar, context: Context) -> Transform | None:
    name = str(item.value)
    known = registry_of(context)
    try:
        found: Transform | None = known.find(name)
    except TransformNotLoaded as problem:
        context.diagnostics.error(
            "missing_transformers", item.span, f"the transform `{name}`: {problem.message}"
        )
        return None
    if found is None:
        instead = (
            f"install the package that provides it, or leave it and its resources in place with "
            f"`--keep-transform {name}`"
        )
        report = context.diagnostics.warn if context.checks else context.diagnostics.error
        report(
            "missing_transformers",
            item.span,
            f"there is no transform `{name}`",
            lambda: meant(name, known.names()) or instead,
            *((Note(_NOT_CHECKED),) if context.checks else ()),
        )
    return found


def _is_kept(name: str, context: Context) -> bool:
    keep = context.settings.keep_transform
    return name in keep or ALL in keep


def _run(
    one: Transform, item: Scalar, document: Document, surroundings: TransformContext
) -> Document:
    """The result of one transform; the document itself when the result is unusable."""
    context = surroundings.context
    before = contents(document.root)
    errors = context.diagnostics.errors
    try:
        result: object = one.run(document, surroundings)
        if is_altered(before):
            raise ExpansionError("it modifies its input document instead of making a new one")
        if not isinstance(result, Document):
            raise ExpansionError(f"it returned a `{type(result).__name__}`, not a document")
        check_tree(result.root, context.language, context.limits)
    except KeyboardInterrupt:
        raise
    except TransformError as error:
        surroundings.error(error.at, error.summary, error.hint, code=error.code)
        return document
    except InvalidTree as problem:
        _blame(one, item, surroundings, f"its result is broken: {problem}", problem.resource)
        return document
    except (ExpansionError, BuildError) as error:
        _blame(one, item, surroundings, str(error))
        return document
    # an exception in a plugin must not look like a bug in bpp, nor end it
    except BaseException as error:
        _blame(one, item, surroundings, f"it failed with {breakage(error)}")
        return document
    if result.root is document.root or context.diagnostics.errors > errors:
        return document
    changed = document.evolve(root=result.root)
    _check_result(one, item, document, changed, context)
    return changed


def _blame(
    one: Transform,
    item: Scalar,
    surroundings: TransformContext,
    why: str,
    resource: str | None = None,
) -> None:
    """Reports a mistake of a transform, at the resource it was working on when that is known.

    The message of an exception is not repeated, because it may contain a secret.
    """
    progress = surroundings.progress
    name = resource or progress.resource
    where = f" at the resource `{name}`" if name else ""
    place = progress.place if progress.resource is not None and resource is None else None
    surroundings.diagnostics.error(
        "transform_failed",
        place or item.span,
        f"the transform `{one.name}` is broken{where}: {why}",
        _NOT_YOURS,
        *((Note("the transform is named here", item.span),) if place else ()),
    )


def _check_result(
    one: Transform, item: Scalar, before: Document, after: Document, context: Context
) -> None:
    """Reports the structural mistakes in the result of a transform, resource by resource."""
    wrong = _structure(after.root, context)
    if not len(wrong):
        return
    seen: set[tuple[str, Span | None]] = set()
    section = after.section("resources")
    old = before.section("resources")
    for name, node in section.items.items() if section else ():
        if section is None or (old is not None and old.get(name) is node):
            continue
        alone = Map(
            {**_heads(after.root), "resources": section.replacing({name: node})},
            after.root.places,
            after.root.trail,
            after.root.start,
            after.root.end,
        )
        for problem in _structure(alone, context):
            seen.add((problem.summary, problem.span))
            _report_result(one, item, problem, f"the resource `{name}`", context)
    for problem in wrong:
        if (problem.summary, problem.span) not in seen:
            _report_result(one, item, problem, "a document", context)


def _structure(root: Map, context: Context) -> Diagnostics:
    found = Diagnostics(context.limits.max_diagnostics)
    check_structure(root, context.language.opener, found)
    return found


def _heads(root: Map) -> dict[str, AnyNode]:
    return {"version": root.items["version"]} if "version" in root.items else {}


def _report_result(
    one: Transform, item: Scalar, problem: Diagnostic, what: str, context: Context
) -> None:
    context.diagnostics.add(
        Diagnostic(
            "invalid_transform_result",
            f"the transform `{one.name}` made {what} that is not valid: {problem.summary}",
            problem.span or item.span,
            problem.severity,
            problem.hint or _NOT_YOURS,
            problem.notes,
        )
    )


def check_transformed(given: Document, document: Document, context: Context) -> None:
    """Checks references after transforms; a note marks mistakes that are new since they ran."""
    found = Diagnostics(context.limits.max_diagnostics)
    inner = context.evolve(diagnostics=found)
    if is_unsettled(document, context):
        inner = context.evolve(diagnostics=Relay(found, is_settled))
    check_names(document, inner)
    check_each_dependencies(document, inner)
    ran = _ran(given, document)
    if not found.errors or not ran:
        context.diagnostics.extend(found)
        return
    earlier = Diagnostics(context.limits.max_diagnostics)
    check_names(given, context.evolve(diagnostics=earlier))
    known = {(item.code, item.summary) for item in earlier}
    one = len(ran) == 1
    note = Note(f"this was valid before the transform{'' if one else 's'} {listed(ran)} ran")
    for item in found:
        new = item.severity == ERROR and (item.code, item.summary) not in known
        context.diagnostics.add(item.noting(note) if new else item)


def is_unsettled(document: Document, context: Context) -> bool:
    """True for a document in a check that a transform may still change."""
    node = document.root.get("transform")
    items = node.items if isinstance(node, Array) else [node]
    named = [one.value for one in items if isinstance(one, Scalar) and isinstance(one.value, str)]
    return context.checks and not all(_is_kept(name, context) for name in named)


_UNSETTLED: Final = frozenset(
    {
        "missing_resource_dependency",
        "path_not_found",
        "reference_cycle",
        "reference_to_pruned_resource",
        "resource_not_found",
    }
)


def is_settled(diagnostic: Diagnostic) -> bool:
    """True for a mistake that no transform may mend."""
    return diagnostic.code not in _UNSETTLED


def _ran(given: Document, document: Document) -> list[str]:
    if given.root is document.root:
        return []
    names = _listed(given.root.get("transform"))
    left = _listed(document.root.get("transform"))
    return [name for name in names if name not in left]


def _listed(node: AnyNode | None) -> list[str]:
    items = node.items if isinstance(node, Array) else [node]
    return [str(item.value) for item in items if isinstance(item, Scalar)]
