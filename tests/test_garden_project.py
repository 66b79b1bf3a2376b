"""Projects of Garden, beside the cases in `cases/garden`: results, files, options, limits."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from bpp.functions.values import Unknown
from bpp.pipeline import Diagnostics, DiskFiles, Limits, MemoryFiles, Settings, Source, render
from bpp.pipeline.dialects.garden import ProjectOptions
from bpp.pipeline.dialects.garden.answers.results import (
    actions_of,
    left_in,
    show_variables,
    variables_of,
)
from bpp.pipeline.dialects.garden.evaluating.project_variables import read_dotenv, split_flag
from bpp.pipeline.dialects.garden.structure.project import Project
from bpp.pipeline.formats.yaml_fast import read_lines
from bpp.pipeline.formats.yaml_reader import compose, read_yaml_documents
from bpp.pipeline.language.language import Language
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.tree import AnyNode, Array, Map, Scalar
from bpp.pipeline.world.files import FileProblem
from support.garden_runs import HEAD, rendered, told
from support.garden_stages import PLAIN
from support.harness import load_documents, load_yaml

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks import garden as benchmark

LIMITS = Limits()
LANGUAGE = Language(PLAIN.syntax, LIMITS)

# --- results ------------------------------------------------------------------------------------

SHOP = {
    "garden.yml": HEAD
    + """\
variables: {a: 1, m: {x: 1, y: 2}, later: "${secrets.s}"}
---
kind: Build
name: b
---
kind: Deploy
name: d
type: container
dependencies: [build.b]
build: c
disabled: ${var.a == 2}
variables: {a: 2, own: "${actions.run.r.var.q}"}
spec: {v: "${actions.build.b.version}", w: "${actions.r.outputs.log}"}
---
kind: Build
name: c
disabled: ${secrets.off}
---
kind: Run
name: r
variables: {q: 1}
""",
    "garden.local.env": "a=file\n",
    "given.yml": "m: {x: given}\n",
}


def test_variables_come_with_their_sources() -> None:
    run = rendered(SHOP, variables=("m.y=cli",), variable_files=("given.yml",))
    project = run.work.find(Project)
    assert project is not None
    found = {one.name: one for one in variables_of(project)}
    assert list(found) == ["a", "later", "m"]
    assert (found["a"].value, found["a"].level, str(found["a"].span)) == (
        "file",
        "environment varfile",
        "garden.local.env:1:1",
    )
    assert [(one.level, str(one.span)) for one in found["a"].below] == [
        ("project", "garden.yml:4:13")
    ]
    assert found["m"].value == {"x": "given", "y": "cli"}
    assert [found["m"].level, *(one.level for one in found["m"].below)] == [
        "--var",
        "--vars",
        "project",
    ]
    assert isinstance(found["later"].value, Unknown)
    own = {one.name: (one.value, one.level) for one in variables_of(project, "deploy.d")}
    assert own["a"] == (2, "action")
    assert own["own"] == (1, "action")
    with pytest.raises(KeyError):
        variables_of(project, "deploy.nobody")


def test_variables_are_shown_in_both_formats() -> None:
    run = rendered(SHOP)
    shown = show_variables(run)
    assert load_yaml(shown)["a"] == {
        "value": "file",
        "level": "environment varfile",
        "source": "garden.local.env:1:1",
        "below": [{"level": "project", "source": "garden.yml:4:13"}],
    }
    assert json.loads(show_variables(run, "json")) == load_yaml(shown)
    assert load_yaml(shown)["later"]["value"] == "${secrets.s}"


def test_actions_come_with_what_they_need() -> None:
    project = rendered(SHOP).work.find(Project)
    assert project is not None
    found = {one.key: one for one in actions_of(project)}
    assert list(found) == ["build.b", "deploy.d", "build.c", "run.r"]
    deploy = found["deploy.d"]
    assert (deploy.type, deploy.disabled) == ("container", True)
    assert [(need.key, need.how) for need in deploy.needs] == [
        ("build.b", "dependencies"),
        ("build.c", "build"),
        ("run.r", "reference"),
    ]
    assert found["build.c"].disabled is None


def test_what_is_left_is_listed() -> None:
    run = rendered(SHOP)
    project = run.work.find(Project)
    assert project is not None
    left = left_in(project, run.language)
    assert [(one.key, one.path, one.text) for one in left] == [
        ("project", ("variables", "later"), "${secrets.s}"),
        ("deploy.d", ("spec", "v"), "${actions.build.b.version}"),
        ("deploy.d", ("spec", "w"), "${actions.r.outputs.log}"),
        ("build.c", ("disabled",), "${secrets.off}"),
    ]
    assert [str(one.template.span) for one in left[:2]] == ["garden.yml:4:43", "garden.yml:16:11"]


def test_json_in_and_out() -> None:
    run = rendered(SHOP)
    text = run.text("json")
    assert json.loads(text) == load_documents(run.text())
    again = render(
        Source("garden.json", text, "json"),
        files=MemoryFiles({"/p/x": ""}, "/p"),
        dialect="garden",
        options=ProjectOptions(environment="local"),
    )
    assert again.text("json") == text


def test_nothing_is_written_for_nothing() -> None:
    run = rendered("# nothing\n---\n")
    assert [one.code for one in run.diagnostics] == ["project_not_found"]
    assert (run.text(), run.text("json")) == ("", "[]\n")


def test_a_project_is_missed_only_where_all_was_read() -> None:
    (found,) = rendered("name: a\nkind: Run\ntype: exec\n").diagnostics
    assert (found.code, str(found.span)) == ("project_not_found", "garden.yml:2:1")
    (found,) = rendered("kind: Run\nname").diagnostics
    assert found.code == "invalid_yaml"


def test_stages_are_those_that_are_documented() -> None:
    names = ["load", "environment", "variables", "templates", "resolve"]
    assert [name for name, _ in rendered(SHOP).stages] == names
    for count, name in enumerate(names, 1):
        memory = MemoryFiles({"/p/garden.yml": HEAD}, "/p")
        run = render("garden.yml", files=memory, dialect="garden", stop_after=name)
        assert [stage for stage, _ in run.stages] == names[:count]
        assert load_documents(run.text())[0]["name"] == "p"


@pytest.mark.parametrize("options", [ProjectOptions(merge="deep"), {"environment": "x"}])
def test_options_that_are_none_are_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"merge|ProjectOptions"):
        render(Source("garden.yml", HEAD, "yaml"), dialect="garden", options=options)


# --- reading ------------------------------------------------------------------------------------

LINES: list[tuple[str, list[tuple[str, str]]]] = [
    ("A=b", [("A", "b")]),
    ("A = b ", [("A", "b")]),
    ("export A=b", [("A", "b")]),
    ("A: b", [("A", "b")]),
    ("A:b", []),
    ("A=b#c", [("A", "b")]),
    ("A=", [("A", "")]),
    ("A=\nB=1", [("A", ""), ("B", "1")]),
    ('A="b # c" # d', [("A", "b # c")]),
    ('A="x\\ny\\tz"', [("A", "x\ny\\tz")]),
    ("A='x\\ny'", [("A", "x\\ny")]),
    ("A=`x 'y' \"z\"`", [("A", "x 'y' \"z\"")]),
    ("A='two\nlines'\nB=1", [("A", "two\nlines"), ("B", "1")]),
    ("a.b-c_d=1", [("a.b-c_d", "1")]),
    ("junk\n=x\n# A=1\nA=2\nA=3", [("A", "2"), ("A", "3")]),
    ("A='b", [("A", "'b")]),
    ("A=a=b", [("A", "a=b")]),
    ("A=b\r\nB=c\r\n", [("A", "b"), ("B", "c")]),
]


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_lines_of_variables(text: str, expected: list[tuple[str, str]]) -> None:
    found = list(read_dotenv(text))
    assert [(line.key, line.value) for line in found] == expected
    for line in found:
        assert text[line.start :].startswith(line.key)
        assert line.start <= line.value_start <= line.end <= len(text)


def test_flags_are_cut_at_commas() -> None:
    assert split_flag('a=b,c="d,e", f=1,') == ["a=b", 'c="d,e"', " f=1"]
    assert split_flag("a='b,c'") == ["a='b", "c'"]


DOCUMENTS = [
    "",
    "# nothing\n",
    "---\na: 1\n",
    "a: 1\n---\nb: 2\n",
    "# first\n--- \na: |\n  x\n\n---\n# nothing\n---\nb:\n- 1\n- ${x}\n",
    "a: 1\n---\n---\nb: {x: 1}\n",
    'a: "${x}"\n...\n---\nb: 1\n',
    "a: |+\n  x\n\n\n---\nb: >-\n  y\n",
    "- 1\n---\ntext\n---\na:\n",
    "--- {a: 1}\n--- [b]\n",
]


@pytest.mark.parametrize("text", DOCUMENTS)
def test_documents_are_those_of_a_parser(text: str) -> None:
    """Line by line or by events: the same nodes at the same places."""
    source = Source("a.yml", text, "yaml")
    diagnostics = Diagnostics()
    found = read_yaml_documents(source, LANGUAGE.split, LANGUAGE.opener, Meter(LIMITS), diagnostics)
    expected: list[AnyNode] = []
    compose(source, LANGUAGE.split, LANGUAGE.opener, Meter(LIMITS), diagnostics, None, expected)
    assert list(diagnostics) == []
    kept = [node for node in expected if not (isinstance(node, Scalar) and node.value is None)]
    assert [_shape(node) for node in found or ()] == [_shape(node) for node in kept]


def _shape(node: AnyNode) -> Any:
    place = node.start, node.end
    if isinstance(node, Map):
        return place, node.places, {key: _shape(child) for key, child in node.items.items()}
    if isinstance(node, Array):
        return place, [_shape(child) for child in node.items]
    return place, str(getattr(node, "value", None) or node)


def test_usual_documents_are_read_line_by_line() -> None:
    text = "a: 1\n---\nb: ${x}\n"
    source = Source("a.yml", text, "yaml")
    node = read_lines(source, LANGUAGE.split, LANGUAGE.opener, Meter(LIMITS), 9, len(text))
    assert isinstance(node, Map)
    assert (list(node.items), node.places, node.items["b"].start) == (["b"], {"b": 9}, 12)


def test_one_document_where_only_one_may_be() -> None:
    files = {"garden.yml": HEAD + "varfile: v.yml\n", "v.yml": "a: 1\n---\nb: 1\n"}
    assert [one.code for one in rendered(files).diagnostics] == ["invalid_variables_file"]


# --- files --------------------------------------------------------------------------------------


def _wanted(name: str) -> bool:
    return name.endswith(".yml")


def test_files_below_a_folder(tmp_path: Path) -> None:
    names = ["b.yml", "a/z.yml", "a/b/y.yml", "c/x.txt", ".git/w.yml", "node_modules/v.yml"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("kind: Run\n")
    expected = ["b.yml", "a/z.yml", "a/b/y.yml"]
    disk = DiskFiles(cwd=str(tmp_path))
    memory = MemoryFiles({f"/p/{name}": "" for name in names}, "/p")
    assert disk.below(str(tmp_path), _wanted) == expected
    assert memory.below("/p", _wanted) == expected
    assert memory.below("/p/a", _wanted) == ["z.yml", "b/y.yml"]
    assert disk.below(str(tmp_path / "nothing"), _wanted) == []


def test_too_many_files_below_a_folder(tmp_path: Path) -> None:
    for name in ("a/z.yml", "a/x.txt", "b.yml", ".git/w.yml", ".git/v.yml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "node_modules").mkdir()
    # a folder and three files; what is passed over does not count
    for most in (4, 3):
        files = DiskFiles(cwd=str(tmp_path), limits=Limits(max_scanned_files=most))
        if most == 4:
            assert files.below(".", _wanted) == ["b.yml", "a/z.yml"]
            continue
        with pytest.raises(FileProblem) as caught:
            files.below(".", _wanted)
        problem = caught.value
        assert problem.code == "limit_exceeded"
        assert problem.message == "there are more than 3 files below `.` (`max_scanned_files`)"
        assert str(problem.hint).endswith("`--limit max_scanned_files=6`")


def test_no_folder_outside_is_searched(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
    (outside / "garden.yml").write_text("kind: Run\nname: outside\n")
    os.symlink(outside, inside / "link")
    os.symlink(outside / "garden.yml", inside / "other.garden.yml")
    (inside / "garden.yml").write_text(HEAD)
    files = DiskFiles(cwd=str(inside))
    with pytest.raises(FileProblem) as caught:
        files.below(str(outside), _wanted)
    assert caught.value.code == "file_not_allowed"
    run = render("garden.yml", files=files, dialect="garden")
    assert [(one.code, one.span) for one in run.diagnostics] == [("file_not_allowed", None)]


def test_files_that_the_user_names() -> None:
    files = {"garden.yml": HEAD, "x/other.yml": "kind: Run\nname: r\n", "x/garden.yml": HEAD}
    run = rendered(files, files=("x/other.yml", "garden.yml"), scan=False)
    assert [one["kind"] for one in load_documents(run.text())] == ["Project", "Run"]
    run = rendered(files, files=("x/nothing.yml",), scan=False)
    assert [one.code for one in run.diagnostics] == ["file_not_found"]


def test_limits_of_files(tmp_path: Path) -> None:
    files = {"garden.yml": HEAD, **{f"{n}.garden.yml": "" for n in range(3)}}
    limits = Limits(max_includes=3)
    assert rendered(files, Settings(limits=limits)).ok
    run = rendered(files, Settings(limits=limits.evolve(max_includes=2)))
    assert "`max_includes`" in told(run)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    for most, good in ((4, True), (3, False)):
        settings = Settings(limits=Limits(max_scanned_files=most))
        disk = DiskFiles(cwd=str(tmp_path), limits=settings.limits)
        run = render("garden.yml", files=disk, dialect="garden", settings=settings)
        assert run.ok is good
        assert good or "`max_scanned_files`" in told(run)


def test_loops_and_depth_have_limits() -> None:
    chain = "".join(f"  v{n}: '${{var.v{n + 1}}}'\n" for n in range(150))
    run = rendered(f"{HEAD}variables:\n{chain}  v150: 1\n")
    assert "`max_reference_depth`" in told(run)
    many = "{" + ", ".join(f"k{n}: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]" for n in range(6)) + "}"
    run = rendered(
        f"{HEAD}---\nkind: ConfigTemplate\nname: t\nconfigs: []\n---\n"
        f"kind: RenderTemplate\nname: r\ntemplate: t\nmatrix: {many}\n"
    )
    assert "`max_each`" in told(run)


def test_a_file_to_import_holds_no_templates() -> None:
    text = (
        f"{HEAD}importVariables: [{{from: file, path: v.env}}]\nvariables: {{a: '${{imported.A}}'}}"
    )
    run = rendered({"garden.yml": text, "v.env": "A='\0${B\0'\n"})
    assert run.ok, told(run)
    found = run.work.find(Project)
    assert found is not None
    assert [one.value for one in variables_of(found)] == ["\0${B\0"]


def test_a_text_without_a_path_reads_nothing_else() -> None:
    memory = MemoryFiles({"/p/garden.yml": "kind: Run\nname: r\n"}, "/p")
    run = render(Source("<stdin>", HEAD, "yaml"), files=memory, dialect="garden")
    assert [one["kind"] for one in load_documents(run.text())] == ["Project"]
    assert run.reads == ()


# --- the benchmark ------------------------------------------------------------------------------


def test_the_benchmark_compares_what_is_the_same() -> None:
    garden = benchmark.rendered(benchmark.project(3, 10), "garden")
    blueprint = benchmark.rendered(benchmark.blueprint(3, 10), "bluelink")
    specs = [one["spec"] for one in load_documents(garden.text()) if one["kind"] == "Deploy"]
    resources = load_yaml(blueprint.text())["resources"]
    for number, spec in enumerate(specs):
        other = resources[f"d{number}"]["spec"]
        assert len(spec) == 10
        for key, value in spec.items():
            if not str(value).startswith("${"):
                assert other[key] == value


# --- the example --------------------------------------------------------------------------------

EXAMPLE = Path(__file__).parents[1] / "examples" / "garden"


@pytest.mark.parametrize("environment", ["local", "blue.production"])
def test_the_example_renders_in_each_environment(environment: str) -> None:
    files = DiskFiles(cwd=str(EXAMPLE))
    options = ProjectOptions(environment=environment)
    run = render("project.garden.yml", files=files, dialect="garden", options=options)
    assert run.ok, told(run)
    found = {f"{one['kind']}.{one['name']}": one for one in load_documents(run.text())}
    assert list(found)[-2:] == ["Deploy.worker-mails", "Deploy.worker-invoices"]
    local = environment == "local"
    api = found["Deploy.api"]["spec"]
    assert api["replicas"] == (1 if local else 3)
    assert api["env"]["GREETING"] == ("hello from local" if local else "hello")
    assert api["ingresses"] == [{"hostname": "api.localhost" if local else "api.example.com"}]


# --- aliases ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "name"),
    [(Limits(max_nodes=900), "max_nodes"), (Limits(max_depth=5), "max_depth")],
)
def test_an_alias_counts_as_what_it_stands_for(limits: Limits, name: str) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for number in range(1, 4):
        last = f"*a{number - 1}"
        rows.append(f"a{number}: &a{number} [{', '.join([last] * 10)}]")
    text = HEAD + "variables:\n" + "".join(f"  {row}\n" for row in rows)
    source = Source("garden.yml", text)
    assert render(source, files=MemoryFiles({}), settings=Settings()).ok
    run = render(source, files=MemoryFiles({}), settings=Settings(limits=limits))
    codes = [item.code for item in run.diagnostics if name in item.summary]
    assert codes == ["limit_exceeded"]


def test_one_document_s_anchors_are_not_another_s() -> None:
    text = "a: &x 1\n---\nb: *x\n"
    source, found = Source("x.yml", text), Diagnostics()
    read_yaml_documents(source, LANGUAGE.split, LANGUAGE.opener, Meter(LIMITS), found)
    assert [item.code for item in found] == ["invalid_yaml"]


@pytest.mark.parametrize("how", ["../{name}", "link-{name}", "{up}/{name}"])
@pytest.mark.parametrize(
    "field",
    [
        "varfile: {{path: {0}, optional: true}}",
        "path: {0}",
        "importVariables: [{{from: file, path: {0}}}]",
    ],
)
def test_nothing_outside_is_told(tmp_path: Path, field: str, how: str) -> None:
    said = set()
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "there.yml").write_text("secret: 1\n")
    for name in ("there.yml", "none.yml"):
        (inside / f"link-{name}").symlink_to(tmp_path / name)
        written = field.format(how.format(name=name, up=tmp_path))
        if field.startswith("path"):
            text = HEAD + (
                "---\nkind: ConfigTemplate\nname: t\nconfigs:\n"
                f"  - {{kind: Run, type: exec, name: r, {written}, varfiles: [x.env]}}\n"
                "---\nkind: RenderTemplate\nname: u\ntemplate: t\n"
            )
        else:
            text = f"{HEAD}{written}\n"
        (inside / "garden.yml").write_text(text)
        run = render("garden.yml", files=DiskFiles(cwd=str(inside)), dialect="garden")
        assert not run.ok
        said.add(
            "".join(f"{one.code}: {one.summary}" for one in run.diagnostics).replace(name, "x")
        )
    assert len(said) == 1
    assert said.pop().startswith("file_not_allowed")


def test_a_search_for_configurations_counts(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{number}.txt").touch()
    (tmp_path / "garden.yml").write_text(HEAD)
    files = DiskFiles(cwd=str(tmp_path))
    settings = Settings(limits=Limits(max_steps=40))
    run = render("garden.yml", files=files, dialect="garden", settings=settings)
    assert [one.code for one in run.diagnostics] == ["limit_exceeded"]
