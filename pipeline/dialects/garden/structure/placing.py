"""Paths of a configuration that comes from a folder, as they are written in the project's folder.

The output is one file, which belongs into the project's folder: there the paths of a configuration
start from this folder, not from the one that it was written in. Garden takes the sources of an
action from `source.path`, or else from the folder of its file; `include`, `exclude` and the paths
in `spec` start there, so they stay as they are.
"""

from __future__ import annotations

import os
import posixpath
from typing import Final

from ....values.expression import Segments
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..evaluating.evaluation import Evaluation
from ..evaluating.expansion import structure_of
from .actions import FILES
from .configs import MODULE, Config, is_null

_SOURCE: Final = "source"
_PATH: Final = "path"
_REPOSITORY: Final = "repository"
_AHEAD: Final = ("apiVersion", "kind", "type", "name", "description")
"""Fields that people write above `source`."""

_GENERATED: Final = "generateFiles"
_SEARCHES: Final = ("scan", "modules")
_INCLUDE: Final = "include"
_ALL_HERE: Final = "*"
_HERE: Final = "."


def placed(
    items: dict[str, AnyNode], config: Config, folder: str, evaluation: Evaluation
) -> dict[str, AnyNode]:
    """The evaluated fields of a configuration, with paths that start from the project's folder.

    A Module builds what is in its own folder, and has no field that names another one.
    """
    way = _way(folder, config.folder)
    found = dict(items)
    if config.is_action:
        if config.rendering is not None:
            found.pop(_PATH, None)  # `source` says it now
        source = _source(found.get(_SOURCE), config, way, evaluation)
        if source is not None and _SOURCE not in found:
            first: dict[str, AnyNode] = {key: found.pop(key) for key in _AHEAD if key in found}
            found = {**first, _SOURCE: source, **found}
        elif source is not None:
            found[_SOURCE] = source
    if config.kind == MODULE and isinstance(files := found.get(_GENERATED), Array):
        # those that a template names lie beside the template
        start = config.rendering.template.folder if config.rendering is not None else config.folder
        ways = {"sourcePath": _way(folder, start), "targetPath": way}
        made = [_with_moved(item, ways) for item in files.items]
        found[_GENERATED] = Array(made, files.trail, files.start, files.end)
    if way != _HERE:
        for key in FILES:
            if key in found:
                found[key] = _moved(found[key], way)
    return found


def taking_output(items: dict[str, AnyNode]) -> dict[str, AnyNode]:
    """The fields of a Project, with a search that finds the output beside or instead of it.

    Globs that choose among other folders would leave the output out, and take what is in it again.
    """
    found = dict(items)
    for key in _SEARCHES:
        node = found.get(key)
        globs = node.get(_INCLUDE) if isinstance(node, Map) else None
        if isinstance(node, Map) and globs is not None and not is_null(globs):
            here: list[AnyNode] = [Scalar(_ALL_HERE, globs.trail, globs.start, globs.end)]
            beside = Array(here, globs.trail, globs.start, globs.end)
            found[key] = node.replacing({**node.items, _INCLUDE: beside})
    return found


def _way(start: str, end: str) -> str:
    """The path from one folder to another, `.` when they are one."""
    inside = start.rstrip(os.sep) + os.sep
    if end.startswith(inside) and len(end) > len(inside):  # most are, and each action asks
        return end[len(inside) :].replace(os.sep, "/")
    return _HERE if start == end else os.path.relpath(end, start).replace(os.sep, "/")


def _source(
    node: AnyNode | None, config: Config, way: str, evaluation: Evaluation
) -> AnyNode | None:
    """The `source` of an action, None for one without that builds the project's folder."""
    if node is None or is_null(node):
        if way == _HERE:
            return node
        root = config.node
        node = Map({}, {}, root.trail.then(evaluation.step), root.start, root.end)
    if not isinstance(node, Map) or structure_of(node) is not None:
        if way != _HERE:
            evaluation.context.diagnostics.error(
                "undecidable",
                node.span,
                f"`{_SOURCE}` must be known, since its `{_PATH}` starts from this folder",
                f"write a map with the unknown part in its `{_PATH}`",
            )
        return node
    repository, path = node.get(_REPOSITORY), node.get(_PATH)
    if repository is not None and not is_null(repository):
        return node
    if path is not None and not is_null(path):
        return node.holding({**node.items, _PATH: _moved(path, way)})
    if way == _HERE:
        return node
    here = Scalar(way, node.trail, node.start, node.end)
    return node.replacing({**node.items, _PATH: here})


def _moved(node: AnyNode, way: str) -> AnyNode:
    """Paths that start from another folder, to which `way` leads; unknown parts stay."""
    match node:
        case Scalar(value=str() as path) if not posixpath.isabs(path):
            moved = posixpath.normpath(posixpath.join(way, path))
            return node if moved == path else Scalar(moved, node.trail, node.start, node.end)
        case Template(segments=segments) if way != _HERE:
            first = segments[0]
            if isinstance(first, str):
                parts = Segments((f"{way}/{first}", *segments[1:]))
            else:
                parts = Segments((f"{way}/", *segments))
            return Template(parts, None, node.trail, node.start, node.end)
        case Array(items=items):
            return Array([_moved(item, way) for item in items], node.trail, node.start, node.end)
        case Map(items=fields):
            inner = {key: fields[key] for key in (_PATH, "$then", "$else") if key in fields}
            return node.replacing({**fields, **{k: _moved(one, way) for k, one in inner.items()}})
    return node


def _with_moved(node: AnyNode, ways: dict[str, str]) -> AnyNode:
    """A map with the paths under some keys moved, each in its own way."""
    if not isinstance(node, Map):
        return node
    moved = {key: _moved(node.items[key], way) for key, way in ways.items() if key in node.items}
    return node.holding({**node.items, **moved})
