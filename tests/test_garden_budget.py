"""What Garden projects may cost: everything is counted before it is done, and nothing twice."""

from __future__ import annotations

import cProfile
from math import log
from typing import Any

import pytest
from bpp.pipeline import Diagnostics, Limits, MemoryFiles, Settings, check
from bpp.pipeline.dialects.garden import checking
from bpp.pipeline.dialects.garden.evaluating import project_variables, scope
from bpp.pipeline.dialects.garden.evaluating.scope import force
from bpp.pipeline.dialects.garden.structure.project import Project
from bpp.pipeline.rendering import survey
from bpp.pipeline.values.source import Source
from bpp.pipeline.world.shape_files import to_bytes
from support.garden_runs import rendered

from benchmarks.growing_garden import HEAD, LOCAL, PROJECTS

ACTION = "---\nkind: Deploy\nname: d{0}\ntype: exec\n"


def checked(files: dict[str, str], **limits: int) -> Diagnostics:
    memory = MemoryFiles({f"/p/{name}": text for name, text in files.items()}, "/p")
    settings = Settings(limits=Limits(**limits))
    return check("garden.yml", files=memory, dialect="garden", settings=settings)


def environments(count: int, field: str = "") -> str:
    listed = "".join(f"  - name: e{number}\n" for number in range(count))
    return f"{HEAD}environments:\n{listed}{ACTION.format(0)}spec: {{a: 1{field}}}\n"


@pytest.mark.parametrize(
    "shape",
    [
        "matrices in templates",
        "wide matrices in templates",
        "a template that renders itself",
        "loops in loops in loops",
        "loops that square",
        "maps that double",
        "merges that double",
        "loops that double",
        "all variables in each action",
        "varfiles repeated",
        "varfile of each action",
        "environments and actions",
        "configurations and a matrix",
    ],
)
def test_what_multiplies_ends_at_the_budget(shape: str) -> None:
    limits = {"max_steps": 20_000, "max_total_nodes": 20_000, "max_value_items": 10_000}
    files = PROJECTS[shape](12_000)
    assert "limit_exceeded" in {item.code for item in checked(files, **limits)}
    run = rendered(files, Settings(limits=Limits(**limits)))
    assert shape.startswith("environments") or not run.ok


@pytest.mark.parametrize(("variables", "fits"), [(1, True), (2_000, False)])
def test_values_of_many_parts_are_weighed_where_they_are_used(variables: int, fits: bool) -> None:
    text = f"{HEAD}{LOCAL}variables:\n" + "".join(f"  v{n}: x\n" for n in range(variables))
    text += "".join(f"{ACTION.format(n)}spec: {{a: '${{isEmpty(var)}}'}}\n" for n in range(400))
    assert (checked({"garden.yml": text}, max_steps=40_000).errors == 0) is fits


def test_unknown_texts_that_double_are_references() -> None:
    run = rendered(PROJECTS["unknown texts that double"](3_000))
    assert run.ok
    assert len(run.text()) < 60_000


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The names of the environments that a check evaluates."""
    found: list[Any] = []
    real = checking._check_one

    def counting(name: str | None, *more: Any) -> bool:
        found.append(name)
        return real(name, *more)

    monkeypatch.setattr(checking, "_check_one", counting)
    return found


def test_environments_that_are_alike_are_checked_once(evaluated: list[Any]) -> None:
    assert not checked({"garden.yml": environments(50)}).errors
    assert evaluated == ["e0"]


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ("", 1),
        (", b: '${environment.name}'", 3),
        (", b: '${environment}'", 3),
        (", b: '${var.x}'", 1),
    ],
)
def test_environments_are_checked_for_what_asks_which_it_is(
    evaluated: list[Any], more: str, count: int
) -> None:
    checked({"garden.yml": environments(3, more)})
    assert len(evaluated) == count


def test_an_environment_with_fields_or_a_file_is_checked_itself(evaluated: list[Any]) -> None:
    text = (
        f"{HEAD}environments:\n  - name: a\n  - name: b\n  - name: c\n"
        "  - {name: d, variables: {v: '${var.nowhere}'}}\n"
        f"{ACTION.format(0)}spec: {{a: '${{var.x}}'}}\n"
    )
    found = checked({"garden.yml": text, "garden.c.env": "x=1\n"})
    assert evaluated == ["a", "c", "d"]
    assert {item.summary for item in found} == {
        "there is no key `x` under `var`",
        "there is no key `nowhere` under `var`",
    }


def test_providers_of_some_environments_keep_them_apart(evaluated: list[Any]) -> None:
    text = (
        f"{HEAD}environments: [{{name: a}}, {{name: b}}]\n"
        "providers: [{name: exec, environments: [b], x: '${var.nowhere}'}]\n"
    )
    found = checked({"garden.yml": text})
    assert (evaluated, found.errors) == (["a", "b"], 1)


def test_the_check_says_what_it_left_out() -> None:
    text = environments(40, ", b: '${environment.name}'")
    found = checked({"garden.yml": text}, max_steps=3_000)
    said = [item.summary for item in found]
    assert any(one.startswith("the check ends here: ") for one in said), said
    assert any("of 40 environments are not checked" in one for one in said)


def test_values_share_their_parts() -> None:
    lines = "".join(f"  a{n + 1}: {{l: '${{var.a{n}}}', r: '${{var.a{n}}}'}}\n" for n in range(6))
    run = rendered(f"{HEAD}{LOCAL}variables:\n  a0: {{x: 1}}\n{lines}")
    project = run.work.find(Project)
    assert project is not None
    assert project.stack is not None
    value = force(project.stack.value)["a6"]
    assert value["l"] is value["r"]
    assert value["l"]["l"] is value["r"]["r"]
    assert force(project.stack.value) is force(project.stack.value)


def test_a_file_of_variables_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = project_variables._lines

    def counting(source: Source, context: Any) -> Any:
        read.append(source.name)
        return real(source, context)

    monkeypatch.setattr(project_variables, "_lines", counting)
    actions = "".join(
        f"{ACTION.format(n)}varfiles: [v.env, ./v.env]\nspec: {{a: '${{var.x}}'}}\n"
        for n in range(5)
    )
    text = f"{HEAD}environments: [{{name: a, variables: {{}}}}, {{name: b, variables: {{}}}}]\n"
    assert not checked({"garden.yml": text + actions, "v.env": "x=1\n"}).errors
    assert len(read) == 1


def test_a_mistake_in_a_file_of_variables_is_told_for_each_run_of_it() -> None:
    text = f"{HEAD}environments: [{{name: a, variables: {{}}}}, {{name: b, variables: {{}}}}]\n"
    text += f"varfile: v.yml\n{ACTION.format(0)}spec: {{a: '${{var.x}}'}}\n"
    found = checked({"garden.yml": text, "v.yml": "a: 1\nb: ${\n"})
    assert [item.code for item in found] == ["unclosed_substitution"]


def test_names_for_suggestions_are_indexed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    real = scope.Names

    def counting(names: Any) -> Any:
        built.append(1)
        return real(names)

    monkeypatch.setattr(scope, "Names", counting)
    for shape in ("missing keys", "missing actions", "missing providers", "wrong inputs"):
        built.clear()
        found = checked(PROJECTS[shape](3_000))
        assert found.errors > 20
        assert len(built) <= 3, shape


def test_expressions_that_are_too_deep_are_not_kept() -> None:
    for opening in ("!", "typeof "):
        run = rendered(f"{HEAD}{LOCAL}{ACTION.format(0)}spec: {{a: '${{{opening * 600}1}}'}}\n")
        assert [item.code for item in run.diagnostics] == ["limit_exceeded"]
        assert to_bytes(run.language.shapes)


def calls(shape: str, size: int, of: str) -> int:
    """How many calls of functions a command takes: a count that knows no noise."""
    files = PROJECTS[shape](size)
    memory = MemoryFiles({f"/p/{name}": text for name, text in files.items()}, "/p")
    source = Source("garden.yml", files["garden.yml"], "yaml", "/p/garden.yml")
    command = check if of == "check" else survey
    profile = cProfile.Profile()
    profile.runcall(command, source, files=memory, dialect="garden")
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize(
    ("shape", "of"),
    [
        ("environments", "check"),
        ("equal environments", "check"),
        ("inputs and uses", "check"),
        ("schemas", "check"),
        ("missing templates", "check"),
        ("chain of actions", "graph"),
        ("actions that refer to each other", "graph"),
        ("variables used by actions", "graph"),
        ("providers of each action", "check"),
    ],
)
def test_calls_grow_as_the_project_does(shape: str, of: str) -> None:
    small, large = 6_000, 24_000
    first, last = calls(shape, small, of), calls(shape, large, of)
    assert log(last / first) / log(large / small) < 1.2, (first, last)
