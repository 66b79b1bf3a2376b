"""Every case folder: the expected document or the expected mistakes, the laws, the story."""

from __future__ import annotations

import pytest
from bpp.pipeline import Diagnostics, Run, Source, check, render
from conftest import SNAPSHOTS
from support.harness import (
    NOWHERE,
    Case,
    at,
    checks,
    difference,
    discover,
    discover_others,
    discover_projects,
    files_of,
    load_json,
    mismatch,
    places,
    run,
    said,
    secrets_of,
    story,
)
from syrupy.assertion import SnapshotAssertion

CASES = [*discover(), *discover_others(), *discover_projects(), *discover_projects("kargo")]

SOMETIMES = {"undeclared_state"}
"""Codes that sometimes blame no text: the state of a deployment is given as data."""


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_case(case: Case, case_snapshot: SnapshotAssertion) -> None:
    blueprint = case.dialect == "bluelink"
    checked = checks(case) if blueprint or not case.render else Diagnostics()
    if blueprint:
        _demand_spans(checked)
    if not case.render:
        _demand_places(case, checked)
        assert said(case, checked) == case_snapshot
        if blueprint and case.errors:
            assert run(case).diagnostics.errors
        return
    outcome = run(case)
    if blueprint:
        _demand_spans(outcome.diagnostics)
    _demand_places(case, outcome.diagnostics)
    if not case.errors:
        assert outcome.ok
        assert not checked.errors, said(case, checked)
        _demand_document(case, outcome)
        _demand_laws(case, outcome)
    told = story(case, outcome)
    if case.settings.secrets != "reveal":
        assert [secret for secret in secrets_of(case) if secret in told] == []
    assert told == case_snapshot


def _demand_places(case: Case, diagnostics: Diagnostics) -> None:
    for severity, expected in (
        ("error", case.errors),
        ("warning", case.warnings),
        ("note", case.notes),
    ):
        if expected is not None:
            wrong = mismatch(places(case, diagnostics, severity), expected)
            assert wrong is None, wrong + "\n" + said(case, diagnostics)


def _demand_spans(diagnostics: Diagnostics) -> None:
    """A mistake has a place, which is one of its file."""
    for item in diagnostics:
        assert item.span is not None or item.code in NOWHERE | SOMETIMES, item
        for span in (item.span, *(note.span for note in item.notes)):
            if span is not None:
                assert 0 <= span.start <= span.end <= len(span.source.text), item
                assert span.line <= len(span.source.line_starts), item
                assert span.column <= len(span.source.line(span.line)) + 1, item


def _demand_document(case: Case, outcome: Run) -> None:
    data = case.load(outcome.text("yaml"))
    if case.expected is not None:
        wrong = difference(data, case.expected, case.open)
        assert not wrong, wrong
    for path, value in case.expected_paths.items():
        wrong = difference(at(data, path), value, path=path)
        assert not wrong, wrong


def _demand_laws(case: Case, outcome: Run) -> None:
    """JSON holds the same data, and the output has no errors and renders to itself."""
    text = outcome.text("yaml")
    data = case.load(text)
    as_json = outcome.text("json")
    wrong = difference(load_json(as_json), data)
    assert not wrong, f"JSON and YAML output differ: {wrong}"
    if case.dialect == "landscaper":  # what comes of a blueprint is none
        return
    settings = case.settings.evolve(strict=False)
    options = case.project and case.project.evolve(scan=False)
    for form, written in (("yaml", text), ("json", as_json)):
        source = Source(case.main, written, form, path=str(case.folder / case.main))
        again = render(
            source,
            files=files_of(case),
            settings=settings,
            dialect=case.dialect,
            options=options,
        )
        assert again.ok, said(case, again.diagnostics)
        assert again.text(form) == written
        found = check(
            source,
            files=files_of(case),
            settings=settings,
            dialect=case.dialect,
            options=options,
        )
        assert not found.errors, said(case, found)


def test_every_case_can_fail() -> None:
    lenient = [
        case.name
        for case in CASES
        if not case.errors and case.expected is None and not case.expected_paths and case.render
    ]
    assert lenient == []


def test_every_snapshot_has_a_case() -> None:
    kept = {file.relative_to(SNAPSHOTS).as_posix() for file in SNAPSHOTS.rglob("*.txt")}
    assert kept - {f"{case.name}.txt" for case in CASES} == set()
