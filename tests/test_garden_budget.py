"""What Garden projects may cost: everything is counted before it is done, and nothing twice."""

from __future__ import annotations

import cProfile
import gc
import json.encoder
import sys
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest
from bpp.functions.garden import encodings, text
from bpp.functions.value_limits import SizeLimits
from bpp.functions.values import FunctionError
from bpp.pipeline import Diagnostics, Limits, MemoryFiles, Settings, check, render
from bpp.pipeline.answers.comparison import diff
from bpp.pipeline.dialects.garden import checking
from bpp.pipeline.dialects.garden.answers import why
from bpp.pipeline.dialects.garden.evaluating import expansion, layers, project_variables, scope
from bpp.pipeline.dialects.garden.evaluating.scope import force
from bpp.pipeline.dialects.garden.structure.project import Project
from bpp.pipeline.language.errors import Failure
from bpp.pipeline.language.language import Language
from bpp.pipeline.rendering import survey
from bpp.pipeline.values.source import Source
from bpp.pipeline.world.shape_files import to_bytes
from support.compiled import interpreted
from support.garden_runs import rendered

sys.path.insert(0, str(Path(__file__).parent.parent))
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
        "deep maps that merge",
        "wildcards in an ignore file",
        "braces in a glob",
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
        "  - {name: d, variables: {v: '${project.nowhere}'}}\n"
        f"{ACTION.format(0)}spec: {{a: '${{var.x}}'}}\n"
    )
    found = checked({"garden.yml": text, "garden.c.env": "x=1\n"})
    assert evaluated == ["a", "c", "d"]
    assert {item.summary for item in found} == {
        "there is no key `x` under `var`",
        "there is no key `nowhere` under `project`",
    }


def test_providers_of_some_environments_keep_them_apart(evaluated: list[Any]) -> None:
    text = (
        f"{HEAD}environments: [{{name: a}}, {{name: b}}]\n"
        "providers: [{name: exec, environments: [b], x: '${project.nowhere}'}]\n"
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


def test_an_environment_is_searched_without_the_others() -> None:
    def searched(count: int) -> int:
        listed = "".join(f"  - {{name: e{n}, variables: {{v: {n}}}}}\n" for n in range(count))
        profile = cProfile.Profile()
        profile.runcall(checked, {"garden.yml": f"{HEAD}environments:\n{listed}"})
        code = expansion.structure_of.__code__
        return sum(entry.callcount for entry in profile.getstats() if entry.code is code)

    assert searched(80) <= 4 * searched(20)


def test_projects_have_the_size_that_is_asked_for() -> None:
    for name, make in PROJECTS.items():
        files = make(300_000)
        assert sum(map(len, files.values())) < 309_000, name


def test_equal_conditions_of_blocks_are_parsed_once() -> None:
    def parses(blocks: int) -> int:
        lines = "".join(f"  f{n}: '${{if var.a == \"x\"}}{n}${{endif}}'\n" for n in range(blocks))
        text = f"{HEAD}{LOCAL}variables: {{a: x}}\n{ACTION.format(0)}spec:\n{lines}"
        return rendered(text).language.parses

    assert parses(40) == parses(2)


@pytest.mark.parametrize(("uses", "fits"), [(2, True), (80, False)])
def test_a_text_takes_steps_for_each_time_that_it_is_decoded(uses: int, fits: bool) -> None:
    lines = "".join(f"  f{n}: '${{yamlDecode(var.t)}}'\n" for n in range(uses))
    text = f"{HEAD}{LOCAL}variables: {{t: {'x' * 2_000}}}\n{ACTION.format(0)}spec:\n{lines}"
    assert rendered(text, Settings(limits=Limits(max_steps=40_000))).ok is fits


@pytest.mark.parametrize(("uses", "fits"), [(2, True), (40, False)])
def test_what_is_decoded_counts_for_the_run(uses: int, fits: bool) -> None:
    lines = "".join(f"  f{n}: '${{isEmpty(yamlDecode(var.t))}}'\n" for n in range(uses))
    listed = f"[{', '.join('x' * 500)}]"
    text = f"{HEAD}{LOCAL}variables: {{t: '{listed}'}}\n{ACTION.format(0)}spec:\n{lines}"
    run = rendered(text, Settings(limits=Limits(max_total_nodes=5_000)))
    assert {item.code for item in run.diagnostics} == (set() if fits else {"limit_exceeded"})


def test_a_text_that_is_computed_makes_no_room() -> None:
    lines = "".join(f"  f{n}: '${{isEmpty(yamlDecode(var.t + \"{n}\"))}}'\n" for n in range(8))
    text = f"{HEAD}{LOCAL}variables: {{t: {'x' * 8_000}}}\n{ACTION.format(0)}spec:\n{lines}"
    run = rendered(text)
    assert run.ok
    assert run.language.meter._size == len(text)


def value_of(expression: str, variables: str = "", **limits: int) -> list[str]:
    """The summaries of the mistakes of a project with one field."""
    project = f"{HEAD}{LOCAL}variables:\n  a: x\n{variables}"
    project += f"{ACTION.format(0)}spec:\n  f: '{expression}'\n"
    run = rendered(project, Settings(limits=Limits(**limits)))
    return [item.summary for item in run.diagnostics]


@pytest.mark.parametrize(
    "expression", ["x${var.l}", '${"x" + var.l}', "${if true}${var.l}-${endif}"]
)
def test_a_list_of_one_long_text_is_counted_before_it_becomes_text(expression: str) -> None:
    listed = "'${var.t}', " * 200
    lines = f"  t: '{'word ' * 20_000}'\n  l: [{listed}]\n"
    (summary,) = value_of(expression, lines, max_built_chars=1 << 20)
    assert "(`max_built_chars`)" in summary


@pytest.mark.parametrize(
    ("module", "part", "call"),
    [
        (json.encoder, "encode_basestring", encodings.encode_json),
        (text, "plain_text", text.to_string),
    ],
)
def test_what_is_written_ends_where_it_is_too_long(
    monkeypatch: pytest.MonkeyPatch, module: Any, part: str, call: Callable[..., str]
) -> None:
    written: list[Any] = []
    real = getattr(module, part)

    def counting(value: Any) -> str:
        written.append(value)
        return str(real(value))

    monkeypatch.setattr(module, part, counting)
    with pytest.raises(FunctionError, match="max_value_chars"):
        call(["word " * 20] * 100, limits=SizeLimits(max_value_chars=1_000))
    assert len(written) == 10


def test_operands_that_stay_are_counted() -> None:
    lines = f"  l: [{', '.join(map(str, range(500)))}]\n"
    assert not value_of("${local.env.X || var.l}", lines)
    (summary,) = value_of("${local.env.X || var.l}", lines, max_built_chars=30_000)
    assert "(`max_built_chars`)" in summary


@pytest.mark.parametrize(
    ("expression", "fits"),
    [
        ("${isEmpty(range(1, 2000))}", True),
        ("${jsonEncode(range(1, 2000))}", False),
        ("${yamlEncode(range(1, 2000))}", False),
        ('${join(range(1, 2000), "-")}', False),
        ("${lower(var.t)}", True),
        ("${kebabCase(var.t)}", False),
        ("${camelCase(var.t)}", False),
    ],
)
def test_a_call_costs_what_it_does_with_each_part(expression: str, fits: bool) -> None:
    lines = f"  t: '{'word ' * 800}'\n"
    assert (not value_of(expression, lines, max_steps=1_150)) is fits


def test_nothing_is_built_where_no_room_is_left() -> None:
    fields = "".join(f"  f{n}: ${{range({n}, 900)}}\n" for n in range(50))
    project = f"{HEAD}{LOCAL}{ACTION.format(0)}spec:\n{fields}"
    profile = cProfile.Profile()
    settings = Settings(limits=Limits(max_built_chars=100_000))
    run = profile.runcall(rendered, project, settings)
    assert {item.code for item in run.diagnostics} == {"limit_exceeded"}
    made = [one for one in profile.getstats() if getattr(one.code, "co_name", "") == "numbers"]
    assert sum(one.callcount for one in made) == 2


def test_a_text_that_does_not_parse_is_read_once() -> None:
    fields = "".join(f"  f{n}: ${{var[}}\n" for n in range(50))
    run = rendered(f"{HEAD}{LOCAL}{ACTION.format(0)}spec:\n{fields}")
    assert run.diagnostics.errors == 50
    assert run.language.parses == 2
    places = [item.span for item in run.diagnostics]
    assert {place.column for place in places if place is not None} == {12, 13}


def test_a_failure_keeps_no_frames() -> None:
    lines = "  a: ${var.b}\n  b: ${var.nowhere}\n"
    run = rendered(f"{HEAD}{LOCAL}variables:\n{lines}")
    project = run.work.find(Project)
    assert project is not None
    assert project.base is not None
    failure = project.base.own[0].part.value.content()["b"]._content
    assert isinstance(failure, Failure)
    assert failure.__context__ is None
    assert failure.__traceback__ is None


def test_lists_are_merged_where_more_than_one_has_items(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    real = layers.Part.child

    def counting(self: Any, key: Any, value: Any) -> Any:
        made.append(key)
        return real(self, key, value)

    monkeypatch.setattr(layers.Part, "child", counting)
    listed = "".join(f"    - {{a: {n}}}\n" for n in range(500))
    project = f"{HEAD}{LOCAL}variables:\n  l:\n{listed}{ACTION.format(0)}"
    run = rendered(f"{project}variables: {{l: [{{b: 1}}]}}\nspec: {{x: '${{var.l}}'}}\n")
    assert "- b: 1\n      a: 0\n" in run.text() or "- a: 0\n      b: 1\n" in run.text()
    assert "- a: 499\n" in run.text()
    assert len(made) < 50


@pytest.mark.parametrize("most", [1, 2, 1_000])
def test_mistakes_that_are_equal_count_once(most: int) -> None:
    listed = "{kind: Build, type: exec, name: '${parent.name}', spec: {a: 'x ${1 + var.nowhere}'}}"
    uses = "".join(
        f"---\nkind: RenderTemplate\nname: r{n}\ntemplate: t\ninputs: {{}}\n" for n in range(9)
    )
    text = f"{HEAD}{LOCAL}---\nkind: ConfigTemplate\nname: t\nconfigs: [{listed}]\n{uses}"
    settings = Settings(limits=Limits(max_diagnostics=most))
    found = rendered(text, settings=settings).diagnostics
    assert (found.errors, found.dropped, len(found)) == (1, 0, 1)


def test_mistakes_leave_nothing_behind() -> None:
    text = PROJECTS["missing keys"](20_000)["garden.yml"]
    gc.disable()
    try:
        run = rendered(text)
        kept = sum(isinstance(one, Failure) for one in gc.get_objects())
    finally:
        gc.enable()
    assert run.diagnostics.errors > 500
    assert kept < 20


@interpreted
@pytest.mark.parametrize(
    ("shape", "of", "most"),
    [
        ("variables used by actions", "graph", 105),
        ("missing keys", "check", 200),
        ("variables", "check", 32),
        ("chain of actions", "graph", 100),
    ],
)
def test_a_line_of_a_project_takes_so_many_calls(shape: str, of: str, most: int) -> None:
    small, large = 6_000, 24_000
    calls(shape, small, of)  # imports what it needs
    lines = [PROJECTS[shape](size)["garden.yml"].count("\n") for size in (small, large)]
    more = calls(shape, large, of) - calls(shape, small, of)
    assert more / (lines[1] - lines[0]) < most


@interpreted
def test_a_string_that_an_earlier_run_has_split_is_not_split_again() -> None:
    lines = "".join(f"  v{n}: 'x ${{var.w{n % 20}}} ${{var.w1}}'\n" for n in range(60))
    known = "".join(f"  w{n}: x\n" for n in range(20))
    text = f"{HEAD}{LOCAL}variables:\n{known}{lines}  b: \"${{kebabCase('a B')}}\"\n"
    source = Source("garden.yml", text, "yaml")
    first = render(source, dialect="garden")
    profile = cProfile.Profile()
    again = profile.runcall(render, source, shapes=first.language.shapes, dialect="garden")
    assert again.text() == first.text() != ""
    code = Language._split.__code__
    assert sum(one.callcount for one in profile.getstats() if one.code is code) == 1
    # however it is known, it costs as much
    meters = [run.language.meter for run in (first, again)]
    assert meters[0]._granted - meters[0].left == meters[1]._granted - meters[1].left


def test_a_difference_is_found_without_what_only_why_asks_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = f"{HEAD}{LOCAL}variables: {{a: x}}\n{ACTION.format(0)}spec: {{a: '${{var.a}}'}}\n"
    runs = [rendered(text.replace("a: x", f"a: {name}")) for name in "xy"]
    whole: list[Any] = []
    real = why.configs_in

    def counting(document: Any) -> Any:
        whole.append(document)
        return real(document)

    monkeypatch.setattr(why, "configs_in", counting)
    assert [one.where for one in diff(*runs)] == [
        "project.p.variables.a",
        "deploy.d0.spec.a",
    ]
    assert whole == [run.document for run in runs]
    assert len(why.ProjectLevel(runs[0]).stages) == len(runs[0].stages)
