"""Runs tests of blueprints: renders with the inputs of each and compares what came of it."""

from __future__ import annotations

import os
import re
import time
from difflib import unified_diff
from typing import Any, Final

from ...functions.record import Record
from ..building.target import Surroundings, Target, Task
from ..building.target_rendering import render_arguments
from ..dialects.table import select_dialect
from ..engine.inputs import Assignment, VariablesFile
from ..engine.run import Run
from ..language.meter import Meter
from ..rendering import failed_to_read, read_source, render
from ..values.diagnostics import Diagnostic, Diagnostics, Note
from ..values.expression import Shape
from ..values.settings import Settings
from ..values.source import Span
from ..values.tree import Map
from ..world.files import DiskFiles, FileProblem
from .expectations import CODE, compare
from .test_files import Case, TestFile

SNAPSHOTS: Final = "__snapshots__"
_WORD: Final = re.compile(r"[^\w.-]+")
_MOST_LINES: Final = 40


class CaseResult(Record, eq=False):
    """What came of a test: it has passed if the diagnostics have no errors.

    `reads` are the absolute paths of the files that were read, `snapshot` is the path and the text
    of one that is to be written, `seconds` is what the render took.
    """

    case: Case
    diagnostics: Diagnostics
    seconds: float
    reads: tuple[str, ...] = ()
    snapshot: tuple[str, str] | None = None

    @property
    def ok(self) -> bool:
        """True for a test that has passed."""
        return not self.diagnostics.errors


def run_case(
    file: TestFile,
    case: Case,
    around: Settings,
    shapes: dict[str, Shape],
    update: bool = False,
) -> CaseResult:
    """Renders with the inputs of a test, and compares the result with what it expects.

    The clock stands still and ids are the same in every run, unless the test has a `now` and a
    `seed` of its own; variables of the environment are not looked at. With `update` a snapshot that
    differs is given to be written. `shapes` are parsed expressions of earlier renders.
    """
    start = time.perf_counter()
    base = around.evolve(now=0.0)
    target = case.target.evolve(seed=case.target.seed if case.target.seed is not None else 0)
    settings = target.settings(Surroundings(settings=base), file.folder)
    files = DiskFiles(settings.allow_path, file.folder, settings.limits)
    said = Diagnostics(settings.limits.max_diagnostics)
    if file.source is not None:
        said.quoting.add(file.diagnostics.quoting)
    run = None
    try:
        run = _rendered(file, case, target, settings, files, said, shapes)
    except FileProblem as problem:
        said.add(failed_to_read(problem))
    found = said.beside()
    note = Note(f"in the test `{case.name}`", case.span)
    for item in compare(case.expect, case.node, case.span, run, said):
        found.add(item.noting(note) if item.span is None or item.code != CODE else item)
    snapshot = None
    if case.expect.get("snapshot") and run is not None and run.document is not None:
        snapshot = _compared(file, case, run, found, update)
    found.causes += said.causes
    reads = tuple(os.path.join(file.folder, name) for name in files.reads)
    return CaseResult(case, found, time.perf_counter() - start, reads, snapshot)


def _rendered(
    file: TestFile,
    case: Case,
    target: Target,
    settings: Settings,
    files: DiskFiles,
    said: Diagnostics,
    shapes: dict[str, Shape],
) -> Run | None:
    """The run of a test; None if its inputs have errors.

    Raises:
        FileProblem: a file that the test names cannot be read.
    """
    source = read_source(target.blueprint, files)
    try:
        spoken = select_dialect(source, target.dialect)
    except ValueError as problem:
        said.error("invalid_test_file", case.span, str(problem))
        return None
    task = Task(target, file.path, Surroundings(settings=settings))
    arguments = render_arguments(task, spoken, settings, files, said, Meter(settings.limits))
    if arguments is None:
        return None
    if "given" in arguments:
        given = arguments["given"]
        own = _variables(file, case)
        arguments["given"] = given.evolve(files=(*given.files[:-1], own))
    run = render(source, **arguments, shapes=shapes)
    shapes.update(run.language.shapes)
    said.extend(map(_suited, run.diagnostics))
    said.count(run.diagnostics)
    said.quoting.add(run.diagnostics.quoting)
    return run


def _suited(item: Diagnostic) -> Diagnostic:
    """A diagnostic with a hint about tests instead of command-line flags."""
    if item.code != "required_variable_missing":
        return item
    return item.evolve(hint="set it in the test's `variables` or `vars`, or add a default")


def _variables(file: TestFile, case: Case) -> VariablesFile:
    """The variables that a test sets, with their places."""
    assert file.source is not None
    spans: dict[str, Span] = {}
    for above in (file.root.get("defaults"), _at(file.root.get("tests"), case.target.group)):
        table = _at(above, "variables")
        if isinstance(table, Map):
            spans |= {name: node.span for name, node in table.items.items()}
    return VariablesFile(
        file.name,
        {
            name: Assignment(value, spans.get(name, case.span))
            for name, value in case.target.variables.items()
        },
    )


def _at(node: Any, key: str) -> Any:
    return node.get(key) if isinstance(node, Map) else None


def _compared(
    file: TestFile, case: Case, run: Run, found: Diagnostics, update: bool
) -> tuple[str, str] | None:
    """Compares the output with the snapshot of a test, or gives the one that is to be written."""
    assert run.document is not None
    kind = "json" if run.document.source.format == "json" else "yaml"
    ending = "txt" if run.document.text is not None else kind
    stem = os.path.basename(file.path).partition(".")[0]
    name = _WORD.sub("-", case.name).strip("-")
    shown = os.path.join(SNAPSHOTS, stem, f"{name}.{ending}")
    path = os.path.join(file.folder, shown)
    text = run.text(kind)
    try:
        kept: str | None = DiskFiles().open_input(path, only_file=True).decode("utf-8", "replace")
    except FileProblem:
        kept = None
    if kept == text:
        return None
    if update:
        return path, text
    hint = "if the output is right, `bpp test --update` writes it; read it before you commit it"
    if kept is None:
        found.error(CODE, case.span, f"the snapshot `{shown}` does not exist", hint)
        return None
    lines = [*unified_diff(kept.splitlines(), text.splitlines(), lineterm="", n=2)][2:]
    notes = [Note(line) for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        notes.append(Note(f"and {len(lines) - _MOST_LINES} more lines"))
    found.error(CODE, case.span, f"the output differs from the snapshot `{shown}`", hint, *notes)
    return None
