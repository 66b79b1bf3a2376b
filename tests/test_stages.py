"""Stages on their own: documents are data, and a pipeline may do without any one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from bpp.pipeline import Document, MemoryFiles, Run, Source, Stage, find_dialect, render
from bpp.pipeline.language.errors import Failure
from bpp.pipeline.testing import assert_diagnostics
from support.harness import Case, discover, discover_projects, files_of, load_yaml
from support.tiny_dialect import TINY

BLUELINK = find_dialect("bluelink")
GARDEN = find_dialect("garden")
EVERY = 4
REWRITTEN = ("each/references_rewritten", "transforms/module_parts")

EACH = """\
version: 2025-11-02
values: {list: {type: array, value: "${list(1, 2)}"}}
resources:
  t:
    type: x/y
    each: ${values.list}
    spec: {v: "${elem}"}
exports:
  v: {type: integer, field: "resources.t[0].spec.v"}
"""


def run_without(case: Case, stage: str) -> Run:
    """A case rendered without a stage."""
    dialect = find_dialect(case.dialect)
    return render(
        case.main,
        variables=case.variables,
        files=files_of(case),
        settings=case.settings,
        state=case.state,
        datasources=case.datasources,
        dialect=dialect,
        options=case.project,
        pipeline=dialect.pipeline.without(stage),
    )


def rendering(cases: list[Case]) -> list[Case]:
    """The cases of Bluelink's dialect that render."""
    own = [case for case in cases if case.dialect in (None, BLUELINK.name)]
    return [case for case in own if case.render and not case.errors]


def given_to(run: Run, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The values of variables that the output of a run declares."""
    assert run.document is not None
    section = run.document.section("variables")
    return {k: v for k, v in variables.items() if section is not None and k in section.items}


@pytest.mark.parametrize("stage", BLUELINK.pipeline.names())
def test_a_blueprint_without_a_stage_can_be_read_again_or_is_refused(stage: str) -> None:
    cases = rendering(discover())
    for case in [*cases[::EVERY], *(one for one in cases if one.name in REWRITTEN)]:
        run = run_without(case, stage)
        if not run.ok:
            assert run.diagnostics.errors, case.name
            continue
        again = render(
            Source(case.main, run.text(), "yaml", str(case.folder / case.main)),
            variables=given_to(run, case.variables),
            files=files_of(case),
            settings=case.settings,
            state=case.state,
            datasources=case.datasources,
        )
        # a variable that is left is an input of the deployment and has no default
        wrong = {item.code for item in again.diagnostics if item.severity == "error"}
        assert wrong <= {"required_variable_missing"}, (case.name, [*again.diagnostics])


@pytest.mark.parametrize("stage", GARDEN.pipeline.names())
def test_a_project_without_a_stage_can_be_read_again_or_is_refused(stage: str) -> None:
    for case in rendering(discover_projects()):
        run = run_without(case, stage)
        if not run.ok:
            assert run.diagnostics.errors, case.name
            continue
        again = render(
            Source(case.main, run.text(), "yaml"),
            files=files_of(case),
            settings=case.settings,
            dialect=case.dialect,
            options=case.project,
        )
        # paths of files are those from the project's folder once the last stage has run
        known = {"file_not_found"} if stage == "resolve" else set()
        wrong = {item.code for item in again.diagnostics if item.severity == "error"}
        assert wrong <= known, (case.name, [*again.diagnostics])


@pytest.mark.parametrize("stage", TINY.pipeline.names())
def test_a_small_dialect_does_without_a_stage(stage: str) -> None:
    source = Source("a.yaml", "let: {n: 1}\na: <% n + 1 %>\n", "yaml")
    run = render(source, files=MemoryFiles({}), dialect=TINY, pipeline=TINY.pipeline.without(stage))
    assert run.ok
    again = render(Source("a.yaml", run.text(), "yaml"), files=MemoryFiles({}), dialect=TINY)
    assert again.ok, [*again.diagnostics]


def test_exports_answer_for_the_document_that_they_are_given() -> None:
    source = Source("b.yaml", EACH, "yaml")
    whole = load_yaml(render(source).text())["exports"]["v"]
    assert whole == {"type": "integer", "field": "resources.t_0.spec.v", "value": 1}
    run = render(source, pipeline=BLUELINK.pipeline.without("substitute"))
    found = load_yaml(run.text())["exports"]["v"]
    assert found == {"type": "integer", "field": "resources.t[0].spec.v", "value": 1}


def test_names_that_nothing_defines_any_more_are_mistakes() -> None:
    run = render(Source("b.yaml", EACH, "yaml"), pipeline=BLUELINK.pipeline.without("export"))
    assert not run.ok
    (found,) = run.diagnostics
    assert (found.code, found.span and found.span.source.name) == ("resource_not_found", "<output>")
    assert found.notes[-1].text == "this is wrong with the output of a pipeline without `export`"


def test_what_a_stage_raises_is_reported() -> None:
    def refuse(document: Document, _: object) -> Document:
        raise Failure("invalid_map", "this is refused", document.root)

    source = Source("a.yaml", "a: 1\n", "yaml")
    pipeline = TINY.pipeline.after("read", Stage("refuse", refuse))
    run = render(source, files=MemoryFiles({}), dialect=TINY, pipeline=pipeline)
    assert_diagnostics(run, ["invalid_map@1:1"])
    assert [name for name, _ in run.stages] == ["read", "refuse"]


# --- documents are data ---------------------------------------------------------------------------


def test_a_document_has_its_tree_and_where_it_comes_from() -> None:
    assert [*Document.__annotations__] == [
        *("root", "source", "folder", "children", "parts"),
        *("withheld", "product", "text"),
    ]


def test_what_stages_found_out_is_kept_beside_their_documents() -> None:
    child = "version: 2025-11-02\nvariables: {n: {type: integer}}\nresources: {}\n"
    main = "version: 2025-11-02\nresources: {}\ninclude: {c: {path: c.yaml, variables: {n: 1}}}\n"
    files = MemoryFiles({"/f/main.yaml": main, "/f/c.yaml": child}, "/f")
    run = render("main.yaml", files=files)
    assert run.document is not None, [*run.diagnostics]
    assert tuple(run.work.stages) == run.stages
    inner = run.work.child("c")
    assert inner is not None
    assert [name for name, _ in inner.stages] == [*BLUELINK.pipeline.names()]
    assert inner.stages[-1][1] is run.document.children["c"]
    assert run.work.child("nothing") is None
    assert render("main.yaml", files=files, stop_after="load").work.written is None
