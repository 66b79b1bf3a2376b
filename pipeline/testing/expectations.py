"""Compares what a test expects with the run that came of its inputs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..answers.comparison import ADDED, MOVED, REMOVED, Difference, differences
from ..answers.inspection import top_level
from ..answers.nodes import chain
from ..answers.paths import Path, PathProblem, parse_path, path_text
from ..answers.values import plain_node, status_of_node
from ..engine.run import Run
from ..values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics, Note, meant
from ..values.source import Span
from ..values.tree import AnyNode, Array, Map
from .assertions import places, unmatched

CODE: Final = "expectation_failed"
_LONGEST: Final = 200
_MOST: Final = 10
_KNOWN: Final = "known"


def compare(
    expect: Mapping[str, Any],
    node: AnyNode | None,
    name: Span,
    run: Run | None,
    found: Diagnostics,
) -> Iterator[Diagnostic]:
    """What is not as a test expects it; a mistake that nobody expects is told as it is.

    `expect` is plain data and `node` its tree, `name` the place of the test's name; `found` is what
    the run has said.
    """
    there = _Places(node, name)
    yield from _mistakes(ERROR, expect.get("errors", []), there, "errors", found)
    if "warnings" in expect:
        yield from _mistakes(WARNING, expect["warnings"], there, "warnings", found)
    if run is None or run.document is None:
        if not found.errors:
            yield Diagnostic(CODE, "the render has no result", name)
        return
    if "text" in expect:
        yield from _text(expect["text"], run, there.at("text"))
    if run.document.text is None:
        yield from _Output(run).compared(expect, there)


class _Places:
    """Where the parts of an expectation are written."""

    def __init__(self, node: AnyNode | None, name: Span) -> None:
        self._node = node
        self._name = name

    def at(self, *path: str | int) -> Span:
        """The place of a part: its key, if that has a map or an array; else of the test's name."""
        if self._node is None:
            return self._name
        items, nodes = chain(self._node, path)
        if len(items) < len(path):
            return self._name
        above, last = nodes[-2], nodes[-1]
        if isinstance(above, Map) and isinstance(last, Map | Array):
            return above.key_span(str(path[-1]))
        return last.span


def _mistakes(
    severity: str, expected: list[str], there: _Places, key: str, found: Diagnostics
) -> Iterator[Diagnostic]:
    """The mistakes that are missing, and those that nobody expects."""
    told = [item for item in found.sorted() if item.severity == severity]
    main = next((item.span.source.name for item in told if item.span is not None), "")
    named = [(places([item], severity, main)[0], item) for item in told]
    missing, left = unmatched([name for name, _ in named], expected)
    for name in dict.fromkeys(missing):
        near = meant(name, left)
        words = f"the {severity} `{name}` is expected, but there is none"
        yield Diagnostic(CODE, words, there.at(key, expected.index(name)), hint=near)
    for name, item in named:
        if name in left:
            left.remove(name)
            yield item.evolve(severity=ERROR)


def _text(expected: str, run: Run, place: Span) -> Iterator[Diagnostic]:
    actual = run.text()
    if actual == expected:
        return
    lines, wanted = actual.splitlines(), expected.splitlines()
    same = 0
    while same < min(len(lines), len(wanted)) and lines[same] == wanted[same]:
        same += 1
    if same == max(len(lines), len(wanted)):
        words = "the output ends in other line breaks than expected"
    elif same == len(wanted):
        words = f"line {same + 1} of the output is not expected: {_shown(lines[same])}"
    elif same == len(lines):
        words = f"line {same + 1} is not in the output, expected is {_shown(wanted[same])}"
    else:
        words = _differs(f"line {same + 1} of the output", lines[same], wanted[same])
    yield Diagnostic(CODE, words, place)


class _Output:
    """The result of a run, by path."""

    def __init__(self, run: Run) -> None:
        level = top_level(run)
        self._shown = level.masked()
        self._real = level.document.root
        self._language = run.language
        self._numbered = run.document is not None and run.document.parts is not None

    def compared(self, expect: Mapping[str, Any], there: _Places) -> Iterator[Diagnostic]:
        """What is not as expected at the paths of `values`, `absent` and `unknown`."""
        for text, value in expect.get("values", {}).items():
            place = there.at("values", text)
            path, node, problem = self._find(text, place)
            if node is not None:
                yield from self._value(path, node, value, place)
            elif problem is not None:
                yield problem
        for index, text in enumerate(expect.get("absent", ())):
            place = there.at("absent", index)
            path, node, problem = self._find(text, place)
            if node is not None:
                yield Diagnostic(CODE, f"`{text}` is in the output", place, notes=_origin(node))
            elif problem is not None and not path:
                yield problem
        for index, text in enumerate(expect.get("unknown", ())):
            place = there.at("unknown", index)
            path, node, problem = self._find(text, place)
            if problem is not None:
                yield problem
            elif node is not None and status_of_node(chain(self._real, path)[1][-1]) == _KNOWN:
                words = f"`{text}` is known, it is {_shown(plain_node(node, self._language))}"
                yield Diagnostic(CODE, words, place, notes=_origin(node))

    def _find(self, text: str, place: Span) -> tuple[Path, AnyNode | None, Diagnostic | None]:
        """The path that a text is, its node, and else the problem; an invalid text has no path."""
        try:
            path = parse_path(text).items
        except PathProblem as problem:
            words = f"`{text}` cannot be read as a path"
            return (), None, Diagnostic(CODE, words, place, hint=problem.diagnostic.hint)
        if self._numbered:
            path = (str(path[0]), *path[1:])
        items, nodes = chain(self._shown, path)
        if len(items) == len(path):
            return path, nodes[-1], None
        last, hint = nodes[-1], None
        if isinstance(last, Map):
            hint = meant(str(path[len(items)]), last.items)
        elif isinstance(last, Array):
            hint = f"the array has {len(last.items)} element{'' if len(last.items) == 1 else 's'}"
        return path, None, Diagnostic(CODE, f"`{text}` is not in the output", place, hint=hint)

    def _value(self, path: Path, node: AnyNode, wanted: Any, place: Span) -> Iterator[Diagnostic]:
        found = differences(wanted, plain_node(node, self._language))
        for item in found[:_MOST]:
            inner = chain(node, item.path)[1][-1]
            words = _told(item, path_text((*path, *item.path)))
            yield Diagnostic(CODE, words, place, notes=_origin(inner))
        if len(found) > _MOST:
            words = f"`{path_text(path)}` differs in {len(found) - _MOST} more places"
            yield Diagnostic(CODE, words, place)


def _told(item: Difference, where: str) -> str:
    if item.kind == ADDED:
        return f"`{where}` is not expected: it is {_shown(item.new)}"
    if item.kind == REMOVED:
        return f"`{where}` is not in the output, expected is {_shown(item.old)}"
    if item.kind == MOVED:
        return f"`{where}` is element {item.new} of the output"
    return _differs(f"`{where}`", item.new, item.old)


def _differs(what: str, actual: Any, wanted: Any) -> str:
    return f"{what} is {_shown(actual)}, expected is {_shown(wanted)}"


def _origin(node: AnyNode) -> tuple[Note, ...]:
    return (Note("the value comes from here", node.span),) if node.end > node.start else ()


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"`{text[:_LONGEST]}…`" if len(text) > _LONGEST else f"`{text}`"
