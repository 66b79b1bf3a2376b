"""What is different between two materialised blueprints, by path and not by text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from .alignment import alignment
from .blueprint.secrecy import redacted
from .language.language import Language
from .provenance.levels import top_level
from .provenance.paths import Path, path_text
from .run import Run
from .stack import roomy
from .tree import AnyNode, Array, Map, Template

ADDED, REMOVED, CHANGED, MOVED = "added", "removed", "changed", "moved"


@attrs.frozen
class Difference:
    """One path at which two blueprints differ.

    `kind` is `added`, `removed`, `changed` or `moved`. `path` is the place in the second blueprint,
    for what is removed or moved in the first. `old` and `new` are plain data, None where there is
    none; a residual is its text, `${..}`. For an array's element that is moved they are its indexes
    before and after.
    """

    path: Path
    kind: str
    old: Any = None
    new: Any = None

    @property
    def where(self) -> str:
        """The path as text: `resources.a.spec.ports[0]`, `resources.a.metadata["x.y"]`."""
        return path_text(self.path)


@roomy
def diff(a: Run, b: Run) -> tuple[Difference, ...]:
    """The differences between the results of two runs, in the order of the first, then the second.

    Two results are the same when they hold the same data: the order of keys does not count, the
    types of values do (`"1"`, `1` and `1.0` are three values). Elements of arrays are compared by
    index, unless equal ones show that some were inserted, removed or moved. What is added or
    removed as a whole is one difference. Secrets are references in both, so they never differ.

    Raises:
        ValueError: when a run has no result.
    """
    old, new = _data(a), _data(b)
    return differences(old, new)


def differences(old: Any, new: Any) -> tuple[Difference, ...]:
    """The differences between two documents that are plain data, in the order of `diff`."""
    return tuple(_compare(old, new, ()))


def _data(run: Run) -> Any:
    if run.document is None:
        raise ValueError("a run has no result; see its diagnostics")
    return _plain(redacted(top_level(run).document).root, run.language)


def _plain(node: AnyNode, language: Language) -> Any:
    """A tree as plain data in which strings are written as they are in a blueprint."""
    match node:
        case Map(items=items):
            return {key: _plain(child, language) for key, child in items.items()}
        case Array(items=items):
            return [_plain(child, language) for child in items]
        case Template():
            return language.template(node)
    value = node.value
    if isinstance(value, str) and language.opener in value:
        return language.protect(value)
    return value


def _compare(old: Any, new: Any, path: Path) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            here = (*path, key)
            if key not in new:
                yield Difference(here, REMOVED, old[key])
            elif key not in old:
                yield Difference(here, ADDED, None, new[key])
            else:
                yield from _compare(old[key], new[key], here)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _compare_arrays(old, new, path)
    elif old.__class__ is not new.__class__ or old != new:
        yield Difference(path, CHANGED, old, new)


def _compare_arrays(old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
    old_keys, new_keys = list(map(_identity, old)), list(map(_identity, new))
    if old_keys == new_keys:
        return
    removed: list[int] = []
    added: list[int] = []
    for before, after in alignment(old_keys, new_keys):
        if before is None:
            assert after is not None
            added.append(after)
        elif after is None:
            removed.append(before)
        else:
            yield from _compare(old[before], new[after], (*path, after))
    arrived: dict[str, list[int]] = {}
    here = {index for index in {*removed} & {*added} if old_keys[index] == new_keys[index]}
    for index in reversed([index for index in added if index not in here]):
        arrived.setdefault(new_keys[index], []).append(index)
    for index in removed:
        if index in here:
            continue
        waiting = arrived.get(old_keys[index])
        if waiting:
            yield Difference((*path, index), MOVED, index, waiting.pop())
        else:
            yield Difference((*path, index), REMOVED, old[index])
    for index in sorted(index for waiting in arrived.values() for index in waiting):
        yield Difference((*path, index), ADDED, None, new[index])


def _identity(value: Any) -> str:
    """A text that two values share when they are the same, whatever the order of their keys."""
    import json

    return json.dumps(value, sort_keys=True, ensure_ascii=False)
