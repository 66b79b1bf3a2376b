"""The graph of a blueprint: which edges there are, what is drawn, and what can go wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from xml.etree import ElementTree

import pytest
from bpp.pipeline import Graph, Limits, Run, Settings, Source, graph, render
from bpp.pipeline.answers.graph.model import TooManyEdges
from bpp.pipeline.answers.inspection import Survey
from bpp.pipeline.rendering import survey
from bpp.pipeline.world.memory_files import MemoryFiles
from conftest import CaseSnapshot
from support.in_process import bpp_inside
from syrupy.assertion import SnapshotAssertion
from syrupy.data import Snapshot, SnapshotCollection
from syrupy.location import PyTestLocation
from syrupy.types import SnapshotIndex

ROOT = Path(__file__).resolve().parent.parent
DOT = shutil.which("dot")
FORMATS = ("mermaid", "dot", "json")


def run_of(text: str, files: dict[str, str] | None = None, **more: Any) -> Run:
    """The run of a blueprint of the newer version, with its children's texts."""
    held = {f"/b/{name}": content.encode() for name, content in (files or {}).items()}
    source = Source("b.yaml", f"version: 2025-11-02\n{text}", "yaml", "/b/b.yaml")
    return render(source, files=MemoryFiles(held, cwd="/b"), **more)


def graph_of(text: str, files: dict[str, str] | None = None, **more: Any) -> Graph:
    """The whole graph of a blueprint that renders."""
    run = run_of(text, files, **more)
    assert run.ok, [item.summary for item in run.diagnostics]
    return graph(run)


def survey_of(text: str, files: dict[str, str] | None = None, **more: Any) -> Survey:
    """What `bpp graph` makes of a blueprint."""
    held = {f"/b/{name}": content.encode() for name, content in (files or {}).items()}
    source = Source("b.yaml", f"version: 2025-11-02\n{text}", "yaml", "/b/b.yaml")
    return survey(source, files=MemoryFiles(held, cwd="/b"), **more)


def edges(found: Graph | None, *kinds: str) -> list[str]:
    """`source > target` of the edges of some kinds, without the word `resources`."""
    assert found is not None
    return [
        f"{edge.source} > {edge.target}".replace("resources.", "")
        for edge in found.edges
        if not kinds or edge.kind in kinds
    ]


def resource(name: str, fields: str = "", spec: str = "{}") -> str:
    """One line of a `resources` section."""
    return f"  {name}: {{type: a/b/c, {fields}spec: {spec}}}\n"


def labelled(name: str, labels: str, selector: str = "") -> str:
    """A resource with labels and a selector."""
    chosen = f"linkSelector: {selector}, " if selector else ""
    return resource(name, f"metadata: {{labels: {labels}}}, {chosen}")


# --- links --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("{byLabel: {app: x}}", ["one > two", "one > three"]),
        ("{byLabel: {app: x, tier: data}}", ["one > two"]),
        ("{byLabel: {tier: data, app: x}}", ["one > two"]),
        ("{byLabel: {app: x, tier: none}}", []),
        ("{byLabel: {app: X}}", []),
        ("{byLabel: {}}", []),
        ("{byLabel: {app: x}, exclude: [two]}", ["one > three"]),
        ("{byLabel: {app: x}, exclude: [two, three]}", []),
        ("{exclude: [two]}", []),
    ],
)
def test_a_selector_needs_all_of_its_labels(selector: str, expected: list[str]) -> None:
    text = "resources:\n"
    text += labelled("one", "{app: x, tier: data}", selector)
    text += labelled("two", "{app: x, tier: data, more: y}")
    text += labelled("three", "{app: x}")
    text += resource("four")
    assert edges(graph_of(text)) == expected


def test_a_link_knows_its_labels_and_its_place() -> None:
    text = (
        "resources:\n" + labelled("one", "{}", "{byLabel: {app: x}}") + labelled("two", "{app: x}")
    )
    (link,) = graph_of(text).edges
    assert link.labels == (("app", "x"),)
    assert str(link.span) == "b.yaml:3:70"
    assert link.span.source.text[link.span.start : link.span.end] == "{app: x}"


CHILD = """\
version: 2025-11-02
variables:
  given: {type: string}
  idle: {type: string, default: x}
resources:
  inner:
    type: a/b/c
    metadata: {labels: {app: x}}
    linkSelector: {byLabel: {app: x}}
    spec: {v: "${variables.given}"}
  other: {type: a/b/c, metadata: {labels: {app: x}}, spec: {}}
exports:
  out: {type: string, field: resources.inner.state.id}
"""
PARENT = """\
include:
  kid: {path: kid.yaml, variables: {given: "${resources.outer.state.id}"}}
resources:
  outer: {type: a/b/c, metadata: {labels: {app: x}}, linkSelector: {byLabel: {app: x}}, spec: {}}
  user: {type: a/b/c, spec: {v: "${children.kid.out}"}}
exports:
  all: {type: string, field: children.kid.out}
"""


def test_links_stay_in_their_blueprint_and_references_cross() -> None:
    found = graph_of(PARENT, {"kid.yaml": CHILD})
    assert edges(found, "link") == ["children.kid.inner > children.kid.other"]
    assert edges(found, "child") == [
        "user > children.kid.exports.out",
        "children.kid.variables.given > outer",
    ]
    assert edges(found.select(), "child") == [
        "user > children.kid.exports.out",
        "children.kid.inner > outer",
    ]
    assert edges(found.select(), "export") == [
        "exports.all > children.kid.exports.out",
        "children.kid.exports.out > children.kid.inner",
    ]
    assert edges(found.select(only=["references"])) == [
        "user > children.kid.inner",
        "children.kid.inner > outer",
    ]


def test_a_selection_keeps_the_blueprints_that_it_needs() -> None:
    found = graph_of(PARENT, {"kid.yaml": CHILD})
    links = found.select(only=["links"])
    assert [one.id for one in links.blueprints] == ["", "children.kid"]
    assert [node.name for node in links.nodes] == ["kid", "inner", "other"]
    nothing = found.select(only=["dependsOn"])
    assert [one.id for one in nothing.blueprints] == [""]
    for part in (links, nothing):
        for form in FORMATS:
            assert ("inner" in part.text(form)) is (part is links)


def test_a_bundled_child_is_drawn_as_one_that_is_read() -> None:
    run = run_of(PARENT, {"kid.yaml": CHILD})
    again = render(Source("b.yaml", run.text(), "yaml"), files=MemoryFiles({}))
    assert edges(graph(again)) == [
        edge for edge in edges(graph(run)) if not edge.startswith("children.kid.variables.idle")
    ]


def test_a_child_that_is_not_opened_is_a_node() -> None:
    text = (
        "include:\n  far: {path: x.yaml, metadata: {sourceType: nowhere}, "
        'variables: {a: "${resources.one.state.id}"}}\n'
        "resources:\n" + resource("one") + resource("two", spec='{v: "${children.far.x}"}')
    )
    found = survey_of(text).graph
    assert found is not None
    assert edges(found) == ["two > children.far", "children.far > one"]
    node = next(node for node in found.nodes if node.kind == "child")
    assert (node.path, node.opens) == ("x.yaml", "")


# --- references ---------------------------------------------------------------------------------


def test_references_are_those_that_are_written() -> None:
    text = """\
variables:
  v: {type: string, default: x}
values:
  known: {type: string, value: "${variables.v}"}
  late: {type: string, value: "${resources.b.state.id}-${values.known}"}
datasources:
  d:
    type: a/b
    filter: {field: f, operator: "=", search: "${values.known}"}
    exports: {e: {type: string}}
resources:
  a:
    type: a/b/c
    dependsOn: [c]
    spec: {x: "${values.late}", y: "${b.spec.z}", d: "${datasources.d.e}"}
  b: {type: a/b/c, spec: {z: 1}}
  c:
    type: a/b/c
    condition: ${eq(variables.v, datasources.d.e)}
    spec: {l: '${link("c", "a")}'}
exports:
  e: {type: string, field: values.late}
"""
    found = graph_of(text)
    assert edges(found, "reference") == [
        "values.known > variables.v",
        "values.late > values.known",
        "values.late > b",
        "datasources.d > values.known",
        "a > values.late",
        "a > datasources.d",
        "a > b",
        "c > variables.v",
        "c > datasources.d",
        "c > a",
    ]
    assert edges(found, "dependsOn") == ["a > c"]
    assert edges(found, "export") == ["exports.e > values.late"]
    small = found.select()
    assert edges(small) == [
        "a > b",
        "a > datasources.d",
        "a > c",
        "c > datasources.d",
        "c > a",
        "exports.e > b",
    ]
    through = [(edge.source, edge.through) for edge in small.edges if edge.through]
    assert through == [("exports.e", ("values.late",))]
    assert edges(found.select(only=["exports"], show=["values"])) == ["exports.e > values.late"]
    assert [node.conditional for node in found.nodes if node.id == "resources.c"] == [True]


INSTANCES = """\
variables:
  n: {type: integer, default: 3}
  off: {type: boolean, default: false}
resources:
  t:
    type: a/b/c
    each: ${if(eq(variables.n, 3), list(1, 2, 3), list(1))}
    metadata: {labels: {k: v}}
    spec: {r: "${resources.base.state.id}"}
  base: {type: a/b/c, spec: {}}
  one: {type: a/b/c, dependsOn: t, spec: {}}
  two: {type: a/b/c, linkSelector: {byLabel: {k: v}}, spec: {x: "${resources.t[1].state.id}"}}
  gone: {type: a/b/c, condition: "${variables.off}", dependsOn: [one], spec: {}}
"""


def test_instances_are_nodes_and_pruned_resources_are_not() -> None:
    found = graph_of(INSTANCES).select()
    assert [node.name for node in found.nodes] == ["t_0", "t_1", "t_2", "base", "one", "two"]
    assert [(n.template, n.index) for n in found.nodes[:3]] == [("t", 0), ("t", 1), ("t", 2)]
    assert edges(found) == [
        "t_0 > base",
        "t_1 > base",
        "t_2 > base",
        "one > t_0",
        "one > t_1",
        "one > t_2",
        "two > t_0",
        "two > t_1",
        "two > t_2",
        "two > t_1",
    ]
    folded = found.select(fold=True)
    assert edges(folded) == ["t > base", "one > t", "two > t", "two > t"]
    assert [node.count for node in folded.nodes if node.name == "t"] == [3]


def test_the_places_are_where_it_is_written() -> None:
    found = graph_of(INSTANCES)
    lines = found.edges[0].span.source.text.splitlines()
    for node in found.nodes:
        written = lines[node.span.line - 1][node.span.column - 1 :]
        assert written.startswith(node.template or node.name)
    for edge in found.edges:
        if edge.kind == "reference":
            written = edge.span.source.text[edge.span.start : edge.span.end]
            name = edge.target.rpartition(".")[2].partition("_")[0]
            assert name in written


# --- as far as possible -------------------------------------------------------------------------


def test_variables_without_a_value_are_left_open() -> None:
    text = "variables:\n  v: {type: string}\n  n: {type: a/custom}\nresources:\n"
    text += '  t: {type: a/b/c, each: "${list(1, 2)}", spec: {x: "${variables.n}"}}\n'
    text += '  one: {type: a/b/c, condition: "${eq(variables.v, \\"x\\")}", spec: {}}\n'
    found = survey_of(text)
    assert found.graph is not None and found.graph.rendered
    assert len(found.diagnostics) == 0
    shown = [(n.name, n.conditional) for n in found.graph.select().nodes]
    assert shown == [("t_0", False), ("t_1", False), ("one", True)]


def test_what_needs_an_open_variable_is_drawn_as_written() -> None:
    text = "variables:\n  v: {type: string}\nresources:\n"
    text += "  t: {type: a/b/c, each: '${split(variables.v, \",\")}', spec: {}}\n"
    found = survey_of(text)
    assert found.graph is not None and not found.graph.rendered
    assert [(n.name, n.repeated) for n in found.graph.select().nodes] == [("t", True)]
    assert found.diagnostics.errors == 0
    assert [item.code for item in found.diagnostics] == ["required_variable_missing"]
    given = survey_of(text.replace("string}", "string, default: 'a,b'}"))
    assert given.graph is not None and given.graph.rendered


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        (
            "resources:\n"
            + resource("a", spec='{x: "${resources.b.state.x}"}')
            + resource("b", spec='{x: "${resources.a.state.x}"}'),
            "reference_cycle",
            ["a > b", "b > a"],
        ),
        (
            "resources:\n" + resource("a", spec='{x: "${resources.bb.state.x}"}') + resource("b"),
            "resource_not_found",
            [],
        ),
        (
            "include:\n  kid: {path: none.yaml}\nresources:\n"
            + resource("a", spec='{x: "${children.kid.x}"}'),
            "include_path_not_found",
            ["a > children.kid"],
        ),
        (
            "transform: t-1\nresources:\n" + resource("a", "dependsOn: b, ") + resource("b"),
            "missing_transformers",
            ["a > b"],
        ),
    ],
)
def test_a_blueprint_with_errors_is_drawn_as_written(
    text: str, code: str, expected: list[str]
) -> None:
    found = survey_of(text)
    assert code in [item.code for item in found.diagnostics]
    assert found.diagnostics.errors
    assert found.graph is not None and not found.graph.rendered
    assert edges(found.graph) == expected


def test_children_of_what_is_written_are_read() -> None:
    each = "variables:\n  v: {type: string}\n" + PARENT.replace(
        "  user: {", "  user: {each: '${split(variables.v, \",\")}', "
    )
    found = survey_of(each, {"kid.yaml": CHILD})
    assert found.diagnostics.errors == 0
    assert found.graph is not None and not found.graph.rendered
    whole = edges(graph_of(PARENT, {"kid.yaml": CHILD}))
    assert edges(found.graph) == ["user > variables.v", *whole]
    closed = survey_of(each.replace("kid.yaml", '"${variables.v}"'), {"kid.yaml": CHILD})
    assert edges(closed.graph, "child") == [
        "user > children.kid",
        "children.kid > variables.v",
        "children.kid > outer",
    ]


def test_what_cannot_be_read_is_not_drawn() -> None:
    found = survey_of("resources: [")
    assert found.graph is None
    assert found.diagnostics.errors


def test_a_failed_run_has_the_graph_of_what_was_read() -> None:
    run = run_of("resources:\n" + resource("a", "dependsOn: b, ") + resource("c"))
    assert not run.ok
    assert not graph(run).rendered
    assert [node.name for node in graph(run).nodes] == ["a", "c"]


@pytest.mark.parametrize(
    ("stage", "rendered", "names"),
    [
        ("load", False, ["t", "base", "one", "two", "gone"]),
        ("transform", False, ["t", "base", "one", "two", "gone"]),
        ("export", True, ["t_0", "t_1", "t_2", "base", "one", "two"]),
    ],
)
def test_a_run_that_stopped_early_has_a_graph(stage: str, rendered: bool, names: list[str]) -> None:
    found = graph(run_of(INSTANCES, stop_after=stage))
    assert found.rendered is rendered
    assert [node.name for node in found.nodes if node.kind == "resource"] == names


def test_too_many_edges_are_a_diagnostic() -> None:
    text = "resources:\n" + "".join(
        labelled(f"r{n}", "{app: x}", "{byLabel: {app: x}}") for n in range(20)
    )
    settings = Settings(limits=Limits(max_graph_edges=379))
    found = survey_of(text, settings=settings)
    assert found.graph is None
    (problem,) = found.diagnostics
    assert problem.code == "limit_exceeded" and "`max_graph_edges`" in problem.summary
    with pytest.raises(TooManyEdges):
        graph(run_of(text, settings=settings))
    assert len(graph_of(text).edges) == 380


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"only": ["link"]}, "did you mean `links`"),
        ({"show": ["resources"]}, "available: values, variables"),
    ],
)
def test_words_of_a_selection_are_checked(arguments: dict[str, list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        graph_of("resources:\n" + resource("a")).select(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean `mermaid`"):
        graph_of("resources:\n" + resource("a")).text("mermaids")


# --- pictures -----------------------------------------------------------------------------------

EVIL = (
    '"];click n0 "javascript:x"</b><script>alert(1)</script>&lt;|x|{}\\N\\G %%{init}%% `x` #quot;'
)
STEERING = "\x1b[31m\x85\u202e\u2028"
QUOTED = json.dumps(EVIL + STEERING)


def evil() -> Graph:
    """A graph whose texts try to be markup wherever a text can be anything."""
    text = f"""\
include:
  end: {{path: {QUOTED}, metadata: {{sourceType: nowhere}}}}
resources:
  end: {{type: a/b/end, metadata: {{labels: {{{QUOTED}: {QUOTED}}}}}, spec: {{}}}}
  subgraph:
    type: a/-/..
    linkSelector: {{byLabel: {{{QUOTED}: {QUOTED}}}}}
    spec: {{v: "${{children.end.x}}"}}
  "1.--": {{type: a/b, spec: {{v: "${{resources.end.state.x}}"}}}}
  {"n" * 500}: {{type: a/b, spec: {{v: "${{resources._style_.state.x}}"}}}}
  _style_: {{type: classDef/click, spec: {{}}}}
"""
    found = survey_of(text).graph
    assert found is not None
    return found


def test_text_is_never_markup() -> None:
    found = evil()
    for form in FORMATS:
        text = found.text(form)
        assert not any(ord(c) < 32 and c != "\n" for c in text)
        assert not set(text) & set("\x1b\x85\u202e\u2028")
    mermaid, dot = found.text("mermaid"), found.text("dot")
    for text in (mermaid, dot):
        for piece in ("<script", "</b><", 'javascript:x"', "|x|", "`x`", "{init}", "\\N"):
            assert piece not in text
    labels = [line.split('"') for line in mermaid.splitlines() if line.startswith("  n")]
    for pieces in filter(lambda pieces: len(pieces) > 1, labels):
        assert len(pieces) == 3, pieces
        assert re.fullmatch(r"[\w ./,…#;-]*", pieces[1].replace("<br/>", "")), pieces
    assert "n" * 40 not in mermaid
    assert {
        edge["labels"][EVIL + STEERING]
        for edge in json.loads(found.text("json"))["edges"]
        if "labels" in edge
    } == {EVIL + STEERING}


def test_no_picture_holds_a_value() -> None:
    text = """\
variables:
  password: {type: string, secret: true, default: hunter2, allowedValues: [hunter2, hunter3]}
values:
  url: {type: string, secret: true, value: "postgres://hunter2:${variables.password}@x"}
resources:
  a: {type: a/b/c, description: hunter2, spec: {u: "${values.url}", v: hunter2}}
exports:
  e: {type: string, field: values.url, description: hunter2}
"""
    run = run_of(text, settings=Settings(secrets="reveal"))
    for found in (graph(run), survey_of(text).graph):
        assert found is not None
        for form in FORMATS:
            assert "hunter" not in found.text(form)


@pytest.mark.skipif(DOT is None, reason="needs Graphviz")
def test_a_picture_is_sound_and_holds_every_name() -> None:
    for found in (evil(), graph_of(INSTANCES).select()):
        picture = ElementTree.fromstring(found.text("svg"))
        names = {element.tag.rpartition("}")[2] for element in picture.iter()}
        assert names <= {"svg", "g", "title", "text", "path", "polygon", "polyline", "ellipse", "a"}
        shown = "".join(
            element.text or "" for element in picture.iter() if element.tag.endswith("text")
        )
        for node in found.nodes:
            if len(node.name) < 30:
                assert node.name in shown
        links = {
            value
            for element in picture.iter()
            for key, value in element.attrib.items()
            if key.endswith("href")
        }
        assert links == set()


def test_a_graph_without_anything_is_drawn() -> None:
    empty = graph_of("resources:\n" + resource("a")).select(only=["links"])
    assert empty.nodes == ()
    for form in FORMATS:
        assert empty.text(form)


class GraphSnapshot(CaseSnapshot):
    """`snapshots/graphs/<example>.<extension>` for the parameter `graphs/<example>-<extension>`."""

    @classmethod
    def get_file_basename(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        return super().get_file_basename(test_location=test_location, index=index).partition("-")[0]

    def owns_snapshot_collection(self, *, filepath: str, test_location: PyTestLocation) -> bool:
        return filepath.endswith(f".{self.file_extension}")

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        file = Path(snapshot_location)
        collection = SnapshotCollection(location=snapshot_location)
        parameter = f"{file.parent.name}/{file.stem}-{self.file_extension}"
        collection.add(Snapshot(name=f"test_an_example_is_drawn_as_before[{parameter}]"))
        return collection


EXTENSIONS = {"mermaid": "mmd", "dot": "dot", "json": "json"}
SNAPSHOTS = {
    form: type(f"Snapshot{form}", (GraphSnapshot,), {"file_extension": extension})
    for form, extension in EXTENSIONS.items()
}


def examples() -> Iterator[Any]:
    """The examples to be drawn, in each format of text."""
    for name, file in (("orders", "orders/app"), ("shop", "shop/shop")):
        for form in FORMATS:
            yield pytest.param(file, form, id=f"graphs/{name}-{EXTENSIONS[form]}")


@pytest.mark.parametrize(("file", "form"), list(examples()))
def test_an_example_is_drawn_as_before(
    file: str, form: str, snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    run = render(f"examples/{file}.blueprint.yaml", variables={"environment": "production"})
    assert graph(run).select().text(form) == snapshot.use_extension(SNAPSHOTS[form])


def test_every_picture_has_an_example() -> None:
    kept = {file.name for file in (ROOT / "snapshots" / "graphs").iterdir()}
    assert kept == {param.id.removeprefix("graphs/").replace("-", ".") for param in examples()}


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a blueprint, one with a mistake and one that is none."""
    sound = "version: 2025-11-02\nresources:\n" + resource("a", "dependsOn: b, ") + resource("b")
    (tmp_path / "b.yaml").write_text(sound)
    (tmp_path / "wrong.yaml").write_text(sound.replace("dependsOn: b", "dependsOn: bb"))
    (tmp_path / "broken.yaml").write_text("version: [")
    return tmp_path


def bpp(folder: Path, *arguments: str, path: str | None = None) -> CompletedProcess[str]:
    """Runs `bpp graph` in a folder."""
    return bpp_inside(folder, "graph", *arguments, env={"PATH": path} if path else {})


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("b.yaml",), 0, ""),
        (("b.yaml", "--only", "dependsOn", "--fold", "--show", "values"), 0, ""),
        (("wrong.yaml",), 1, "which does not exist"),
        (("broken.yaml",), 1, "error["),
        (("none.yaml",), 3, "error[file_not_found]"),
        (("b.yaml", "--format", "png"), 2, "--format cannot be `png`; it is one of mermaid, dot"),
        (("b.yaml", "--only", "link"), 2, "did you mean `links`?"),
        (("b.yaml", "--show", "x"), 2, "it is one of values, variables"),
        (
            ("b.yaml", "-o", "x.png"),
            2,
            "unknown extension `.png`: add --format with one of mermaid",
        ),
        (("b.yaml", "-o", "b.yaml", "--format", "dot"), 2, "--output would replace `b.yaml`"),
        (("b.yaml", "-o", "b.yaml/x.dot"), 3, "error[file_unwritable]"),
        (("b.yaml", "--state", "none.json"), 3, "error[file_not_found]"),
        (("b.yaml", "--var", "x"), 2, "--var is written NAME=VALUE"),
        (("b.yaml", "--diagnostics", "x"), 2, "--diagnostics cannot be `x`"),
    ],
)
def test_the_status_says_who_has_to_act(
    folder: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    before = (folder / "b.yaml").read_text()
    done = bpp(folder, *arguments)
    assert done.returncode == status, done.stderr
    assert said in done.stderr and "Traceback" not in done.stderr
    assert (done.stderr == "") is (status == 0)
    assert (folder / "b.yaml").read_text() == before
    drawn = status == 0 or arguments == ("wrong.yaml",)
    assert ("flowchart LR" in done.stdout) is drawn


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("x.mmd", "%%{init"),
        ("x", "%%{init"),
        ("x.gv", "digraph"),
        ("x.json", "{"),
        ("x.DOT", "digraph"),
    ],
)
def test_the_format_follows_the_name_of_the_output(folder: Path, name: str, start: str) -> None:
    done = bpp(folder, "b.yaml", "-o", name)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / name).read_text("utf-8").startswith(start)


def test_a_picture_without_graphviz_says_what_to_install(folder: Path) -> None:
    (folder / "x.svg").write_text("old")
    done = bpp(folder, "b.yaml", "-o", "x.svg", path=str(folder))
    assert done.returncode == 3
    assert "error[program_not_found]: the program `dot` is not installed" in done.stderr
    assert "apt install graphviz" in done.stderr and "`mermaid`" in done.stderr
    assert (folder / "x.svg").read_text() == "old"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("#!/bin/sh\necho secret >&2\nexit 7\n", "`dot` failed with status 7"),
        ("#!/bin/sh\nexit 0\n", "`dot` failed with status 0"),
        ("not a program", "`dot` cannot be run"),
    ],
)
def test_a_program_that_fails_is_a_diagnostic(folder: Path, script: str, said: str) -> None:
    tools = folder / "tools"
    tools.mkdir()
    (tools / "dot").write_text(script)
    (tools / "dot").chmod(0o755)
    done = bpp(folder, "b.yaml", "--format", "svg", path=str(tools))
    assert done.returncode == 3
    assert f"error[program_failed]: {said}" in done.stderr and "secret" not in done.stderr
    assert done.stdout == ""


def test_a_program_that_hangs_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bpp.pipeline import FileProblem
    from bpp.pipeline.answers.graph.model import svg_text

    (tmp_path / "dot").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileProblem, match="`program_seconds`"):
        graph = graph_of("resources:\n" + resource("a"))
        svg_text(graph.evolve(limits=Limits(program_seconds=1)))


@pytest.mark.skipif(DOT is None, reason="needs Graphviz")
def test_a_picture_is_written(folder: Path) -> None:
    done = bpp(folder, "b.yaml", "-o", "x.svg")
    assert (done.returncode, done.stderr) == (0, "")
    assert ElementTree.parse(folder / "x.svg").getroot().tag.endswith("svg")


def test_the_same_graph_whatever_the_hash_seed(folder: Path) -> None:
    (folder / "big.yaml").write_text(
        "version: 2025-11-02\nresources:\n"
        + "".join(
            labelled(f"r{n}", f"{{app: x, n: 'n{n % 3}'}}", "{byLabel: {app: x, n: n1}}")
            for n in range(9)
        )
    )
    texts = set()
    for seed in ("1", "2", "3"):
        os.environ["PYTHONHASHSEED"] = seed
        try:
            texts.add(bpp(folder, "big.yaml", "--format", "dot").stdout)
        finally:
            del os.environ["PYTHONHASHSEED"]
    assert len(texts) == 1
