"""Assertions on diagnostics and transforms: differences, places of mistakes, runs as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from typing import Any, Final, TypeAlias

from ...functions.breakage import cause_of
from ...transforms.registry import Transform
from ..engine.run import Run
from ..engine.string_evaluation import Evaluated
from ..rendering import render
from ..values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics
from ..values.settings import Settings
from ..values.source import Source
from ..world.files import Files
from ..world.memory_files import MemoryFiles


def difference(actual: Any, expected: Any, ignored: Iterable[str] = (), path: str = "") -> str:
    """The first difference in types, values or the order of keys; empty if they are equal.

    Paths in `ignored` are not compared. The place of `children` among the sections does not count.
    """
    if path in ignored:
        return ""
    here = path or "the document"
    if isinstance(expected, dict) and isinstance(actual, dict):
        if _order(actual, path) != _order(expected, path):
            return f"{here}: the keys are {list(actual)}, expected {list(expected)}"
        pairs: Iterator[tuple[Any, Any, Any]] = ((k, actual[k], expected[k]) for k in expected)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(actual) != len(expected):
            return f"{here}: {len(actual)} elements, expected {len(expected)}: {actual!r}"
        pairs = ((n, a, e) for n, (a, e) in enumerate(zip(actual, expected, strict=True)))
    elif type(actual) is not type(expected) or actual != expected:
        return f"{here}: {actual!r}, expected {expected!r}"
    else:
        return ""
    for key, a, e in pairs:
        found = difference(a, e, ignored, f"{path}.{key}" if path else str(key))
        if found:
            return found
    return ""


def _order(keys: Iterable[str], path: str) -> list[str]:
    names = list(keys)
    document = not path or "children" in path.split(".")
    if document and "children" in names:
        names.remove("children")
        names.append("children")
    return names


def places(diagnostics: Iterable[Diagnostic], severity: str = ERROR, main: str = "") -> list[str]:
    """`file:code@line:column` of each by their places; the file `main` is not named."""
    found = []
    for diagnostic in diagnostics:
        if diagnostic.severity != severity:
            continue
        span = diagnostic.span
        if span is None:
            found.append(("", 0, 0, diagnostic.code))
        else:
            name = "" if span.source.name == main else span.source.name
            found.append((name, span.line, span.column, diagnostic.code))
    return [_place(*item) for item in sorted(found)]


def _place(name: str, line: int, column: int, code: str) -> str:
    where = f"@{line}:{column}" if line else ""
    return f"{name}:{code}{where}" if name else f"{code}{where}"


def mismatch(actual: list[str], expected: Iterable[str]) -> str | None:
    """The differences between places found and expected, one a line; None if they match.

    Expected may be `code@line` or just `code`, and the code `*`, for less precise expectations.
    """
    missing, left = unmatched(actual, expected)
    lines = [f"expected but not found: {place}" for place in missing]
    lines += [f"found but not expected: {place}" for place in left]
    return "\n".join(lines) or None


def unmatched(actual: list[str], expected: Iterable[str]) -> tuple[list[str], list[str]]:
    """The places that are expected and not found, and those that are found and not expected."""
    left = list(actual)
    missing = []
    # The most precise expectations choose first.
    for place in sorted(expected, key=lambda text: (text.startswith("*"), -text.count(":"))):
        hit = next((item for item in left if _fits(item, place)), None)
        if hit is None:
            missing.append(place)
        else:
            left.remove(hit)
    return missing, left


def _fits(actual: str, expected: str) -> bool:
    head, _, where = actual.partition("@")
    wanted_head, _, wanted_where = expected.partition("@")
    name, _, code = head.rpartition(":")
    wanted_name, _, wanted_code = wanted_head.rpartition(":")
    if wanted_code not in ("*", code):
        return False
    if not wanted_where:
        return wanted_name in ("", name)
    return name == wanted_name and (where == wanted_where or where.split(":")[0] == wanted_where)


def story(run: Run, main: str | None = None) -> str:
    """The document as YAML after each stage, `unchanged` where a stage did nothing.

    The diagnostics follow; `main` is as for `said`, by default the name of the run's source.
    Secrets are masked, unless the run reveals them.
    """
    parts = []
    before = None
    for stage, document in run.stages:
        text = run.text("yaml", document)
        parts.append(f"=== {stage}\n" + ("unchanged\n" if text == before else text))
        before = text
    reported = said(run.diagnostics, main_of(run) if main is None else main)
    if reported:
        parts.append("=== diagnostics\n" + reported)
    return "\n".join(parts)


def main_of(run: Run) -> str:
    """The name of the source that a run began with; empty if no stage ran."""
    return run.stages[0][1].source.name if run.stages else ""


def said(diagnostics: Iterable[Diagnostic], main: str = "") -> str:
    """Diagnostics as lines of text in the order of their places, those in `main` first."""
    ordered = sorted(
        diagnostics,
        key=lambda d: (
            (d.span.source.name != main, d.span.source.name, d.span.line, d.span.column)
            if d.span
            else (False, "", 0, 0)
        ),
    )
    lines = []
    for item in ordered:
        place = f" {item.span}" if item.span else ""
        lines.append(f"{item.severity}[{item.code}]{place} {item.summary}\n")
        lines += [
            f"  note: {n.text}" + (f" ({n.span})" if n.span else "") + "\n" for n in item.notes
        ]
        if item.hint:
            lines.append(f"  hint: {item.hint}\n")
    return "".join(lines)


Found: TypeAlias = Run | Evaluated | Diagnostics | Iterable[Diagnostic]
"""Results with diagnostics: the answers of `render`, `evaluate` and `check`."""

_BROKEN: Final = {
    "function_failed",
    "provider_failed",
    "remote_resolver_failed",
    "transform_failed",
}
_DEBUG: Final = "with `settings=Settings(debug=True)` the traceback is shown too\n"

_VERSION: Final = "version: 2025-11-02\n"
_KEY: Final = r"(?m)^[\"']?{}[\"']?\s*:"


def assert_diagnostics(
    found: Found,
    errors: Iterable[str] = (),
    warnings: Iterable[str] | None = None,
    main: str | None = None,
) -> None:
    """Asserts that there are exactly these errors, and these warnings unless they are None.

    Each is `code@line:column`, or `file:code@line:column` for a file other than `main`, which is
    the run's own by default. Less may be said: `code@line`, `code`, or `*` for any code.

    Raises:
        AssertionError: with what is missing, what was not expected, and all that was reported; its
            cause is what a plugin raised, in a run with `Settings(debug=True)`.
    """
    __tracebackhide__ = True
    if main is None:
        main = main_of(found) if isinstance(found, Run) else ""
    items = list(found.diagnostics if isinstance(found, Run | Evaluated) else found)
    named = main or _only_source(items)
    for severity, expected in ((ERROR, errors), (WARNING, warnings)):
        if expected is None:
            continue
        wrong = mismatch(places(items, severity, named), expected)
        if wrong is not None:
            causes = [*_causes(found)]
            hint = "" if causes or not _BROKEN & {item.code for item in items} else _DEBUG
            message = f"{severity}s\n{wrong}\n{said(items, named)}{hint}"
            raise AssertionError(message) from cause_of(causes)


def _causes(found: Found) -> Iterable[BaseException]:
    """What plugins raised, if that was kept."""
    if isinstance(found, Run):
        found = found.diagnostics
    return found.causes if isinstance(found, Diagnostics | Evaluated) else ()


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
    """Asserts that transforms turn one blueprint into another, without errors.

    Both are YAML texts. A `version` that is left out is the newest, a `transform` that is left out
    of `before` names the given transforms in their order. The order of keys counts, places and
    comments do not. `arguments` are those of `render`; `stage` is the stage that is looked at. The
    answer is the run, for more questions.

    Raises:
        AssertionError: with the first difference and both texts compared line by line.
    """
    __tracebackhide__ = True
    given = (transforms,) if isinstance(transforms, Transform) else tuple(transforms)
    arguments["settings"] = (arguments.get("settings") or Settings()).evolve(debug=True)
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
