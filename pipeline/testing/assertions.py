"""What a test demands of diagnostics and of transforms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from difflib import unified_diff
from typing import Any, Final, TypeAlias

from ...transforms.registry import Transform
from ..engine.run import Run
from ..engine.string_evaluation import Evaluated
from ..rendering import render
from ..values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics
from ..values.source import Source
from ..world.files import Files
from ..world.memory_files import MemoryFiles
from .differences import difference
from .places import mismatch, places
from .stories import main_of, said

Found: TypeAlias = Run | Evaluated | Diagnostics | Iterable[Diagnostic]
"""What has diagnostics: the answers of `render`, `evaluate` and `check`."""

_VERSION: Final = "version: 2025-11-02\n"
_KEY: Final = r"(?m)^[\"']?{}[\"']?\s*:"


def assert_diagnostics(
    found: Found,
    errors: Iterable[str] = (),
    warnings: Iterable[str] | None = None,
    main: str | None = None,
) -> None:
    """Demands these errors, and these warnings unless they are None, and no others.

    Each is `code@line:column`, or `file:code@line:column` for a file other than `main`, which is
    the run's own by default. Less may be said: `code@line`, `code`, or `*` for any code.

    Raises:
        AssertionError: with what is missing, what is too much, and all that was said.
    """
    if main is None:
        main = main_of(found) if isinstance(found, Run) else ""
    items = list(found.diagnostics if isinstance(found, Run | Evaluated) else found)
    named = main or _only_source(items)
    for severity, expected in ((ERROR, errors), (WARNING, warnings)):
        if expected is None:
            continue
        wrong = mismatch(places(items, severity, named), expected)
        if wrong is not None:
            raise AssertionError(f"{severity}s\n{wrong}\n{said(items, named)}")


def _only_source(items: list[Diagnostic]) -> str:
    """The name of the source that all diagnostics are in; empty when there is more than one."""
    names = {item.span.source.name for item in items if item.span is not None}
    return names.pop() if len(names) == 1 else ""


def assert_expands(
    before: str,
    after: str,
    transforms: Transform | Iterable[Transform],
    *,
    stage: str = "transform",
    files: Files | None = None,
    **arguments: Any,
) -> Run:
    """Demands that transforms make one blueprint of another, with no errors.

    Both are YAML texts. A `version` that is left out is the newest, a `transform` that is left out
    of `before` names the given transforms in their order. The order of keys counts, places and
    comments do not. `arguments` are those of `render`; `stage` is the stage that is looked at. The
    answer is the run, for more questions.

    Raises:
        AssertionError: with the first difference and both texts compared line by line.
    """
    given = (transforms,) if isinstance(transforms, Transform) else tuple(transforms)
    if not _has(before, "transform"):
        before = f"transform: [{', '.join(json.dumps(one.name) for one in given)}]\n{before}"
    files = files or MemoryFiles({})
    run = render(
        _source("before.yaml", before),
        transforms=given,
        files=files,
        stop_after=stage,
        **arguments,
    )
    assert_diagnostics(run)
    wanted = render(_source("after.yaml", after), files=files, stop_after="load")
    assert_diagnostics(wanted)
    wrong = difference(json.loads(run.text("json")), json.loads(wanted.text("json")))
    if wrong:
        old, new = wanted.text().splitlines(), run.text().splitlines()
        compared = unified_diff(old, new, "expected", "expanded", lineterm="")
        raise AssertionError("\n".join([wrong, *compared]))
    return run


def _has(text: str, key: str) -> bool:
    return re.search(_KEY.format(key), text) is not None


def _source(name: str, text: str) -> Source:
    return Source(name, text if _has(text, "version") else _VERSION + text, "yaml")
