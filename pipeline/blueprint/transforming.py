"""Running the transforms of a document, which are code of somebody else."""

from __future__ import annotations

from typing import Final

from ...transforms.registry import (
    ExpansionError,
    Transform,
    TransformContext,
    TransformError,
    TransformNotLoaded,
)
from ..builders import BuildError
from ..context import Context
from ..diagnostics import ERROR, Diagnostic, Diagnostics, Note, meant
from ..document import Document
from ..source import Span
from ..tree import AnyNode, Array, Map, Scalar
from .graph import check_each_dependencies
from .inspection import listed
from .names import check_names
from .soundness import Unsound, check_soundness, contents, is_altered
from .structure import check_structure

_NOT_YOURS: Final = "this is a mistake in the transform, not in the blueprint"


def run_transforms(document: Document, node: AnyNode, context: Context) -> Document:
    """The document after the transforms that its `transform` (`node`) lists, in that order.

    The first one with a mistake is the last one to run.
    """
    named = [
        item
        for item in (node.items if isinstance(node, Array) else [node])
        if isinstance(item, Scalar) and isinstance(item.value, str)
    ]
    kept = [item for item in named if item.value in context.settings.keep_transform]
    found = [(item, _find(item, context)) for item in named if item not in kept]
    if any(one is None for _, one in found):
        return document
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


def _find(item: Scalar, context: Context) -> Transform | None:
    name = str(item.value)
    try:
        found = context.transforms.find(name)
    except TransformNotLoaded as problem:
        context.diagnostics.error(
            "missing_transformers", item.span, f"the transform `{name}`: {problem.message}"
        )
        return None
    if found is None:
        near = meant(name, context.transforms.names())
        context.diagnostics.error(
            "missing_transformers",
            item.span,
            f"there is no transform `{name}`",
            near
            or f"install the package that provides it, or leave it and its resources in place with "
            f"`--keep-transform {name}`",
        )
    return found


def _run(
    one: Transform, item: Scalar, document: Document, surroundings: TransformContext
) -> Document:
    """What one transform makes of a document; the document itself when that is of no use."""
    context = surroundings.context
    before = contents(document.root)
    errors = context.diagnostics.errors
    try:
        result: object = one.run(document, surroundings)
        if is_altered(before):
            raise ExpansionError("it changes the document it was given instead of making a new one")
        if not isinstance(result, Document):
            raise ExpansionError(f"it returned a `{type(result).__name__}`, not a document")
        check_soundness(result.root, context.language, context.limits)
    except KeyboardInterrupt:
        raise
    except TransformError as error:
        surroundings.error(error.at, error.summary, error.hint, code=error.code)
        return document
    except Unsound as problem:
        _blame(one, item, surroundings, f"what it made is broken: {problem}", problem.resource)
        return document
    except (ExpansionError, BuildError) as error:
        _blame(one, item, surroundings, str(error))
        return document
    # whatever a plugin raises must not look like a mistake of bpp, nor end it
    except BaseException as error:
        _blame(one, item, surroundings, f"it failed with {type(error).__name__}")
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
    """Reports a mistake of a transform, at the resource it worked on when that is known.

    What an exception says is not repeated, because nobody knows whether it has a secret in it.
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
    """Reports what a transform made that is no blueprint, resource by resource."""
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
    check_structure(root, context.language.opener, found, context.settings.keep_transform)
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
    """The checks of references after transforms; says what was no mistake before they ran."""
    found = Diagnostics(context.limits.max_diagnostics)
    inner = context.evolve(diagnostics=found)
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
    note = Note(f"this was no mistake before the transform{'' if one else 's'} {listed(ran)} ran")
    for item in found:
        new = item.severity == ERROR and (item.code, item.summary) not in known
        context.diagnostics.add(item.noting(note) if new else item)


def _ran(given: Document, document: Document) -> list[str]:
    if given.root is document.root:
        return []
    names = _listed(given.root.get("transform"))
    left = _listed(document.root.get("transform"))
    return [name for name in names if name not in left]


def _listed(node: AnyNode | None) -> list[str]:
    items = node.items if isinstance(node, Array) else [node]
    return [str(item.value) for item in items if isinstance(item, Scalar)]
