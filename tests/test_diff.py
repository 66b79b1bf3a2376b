"""Differences between two renders: of the library, and `bpp diff`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline import Difference, MemoryFiles, Run, Source, diff, render
from bpp.pipeline.answers.comparison import alignment
from hypothesis import given
from hypothesis import strategies as st
from support.in_process import bpp_inside as bpp

DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.sampled_from(["a", "1"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


def run(spec: Any, **more: Any) -> Run:
    """A render of a blueprint with one resource, whose specification has one field."""
    resources = {"a": {"type": "x/y", "spec": {"p": spec}}, "z": {"type": "x/y", "spec": {}}}
    document = {"version": "2023-04-20", "resources": {**resources, **more}}
    outcome = render(Source("a.json", json.dumps(document), "json"), files=MemoryFiles({}))
    assert outcome.ok, [item.summary for item in outcome.diagnostics]
    return outcome


def told(old: Any, new: Any) -> list[tuple[str, str, Any, Any]]:
    """The differences of two specifications, with paths from there."""
    prefix = "resources.a.spec."
    return [
        (item.kind, item.where.removeprefix(prefix), item.old, item.new)
        for item in diff(run(old), run(new))
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (1, 1, []),
        (1, 2, [("changed", "p", 1, 2)]),
        ("1", 1, [("changed", "p", "1", 1)]),
        (1, 1.0, [("changed", "p", 1, 1.0)]),
        (True, 1, [("changed", "p", True, 1)]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ({"a": 1}, {"b": 1}, [("removed", "p.a", 1, None), ("added", "p.b", None, 1)]),
        ({"a": {"b": 1}}, {"a": 5}, [("changed", "p.a", {"b": 1}, 5)]),
        ([], {}, [("changed", "p", [], {})]),
        ({"x.y": 1}, {"x.y": 2}, [("changed", 'p["x.y"]', 1, 2)]),
        # by index
        ([1, 2, 3], [1, 5, 3], [("changed", "p[1]", 2, 5)]),
        (
            [1, 2, 3],
            [8, 9],
            [("changed", "p[0]", 1, 8), ("changed", "p[1]", 2, 9), ("removed", "p[2]", 3, None)],
        ),
        ([{"n": "a", "v": 1}], [{"n": "a", "v": 2}], [("changed", "p[0].v", 1, 2)]),
        # inserted, removed and moved
        ([1, 2, 3], [0, 1, 2, 3], [("added", "p[0]", None, 0)]),
        ([1, 2, 3], [1, 3], [("removed", "p[1]", 2, None)]),
        ([1, 2, 3], [3, 1, 2], [("moved", "p[2]", 2, 0)]),
        (["a", "b"], ["b", "a"], [("moved", "p[0]", 0, 1)]),
        (["a", "b", "c"], ["c", "b", "c"], [("changed", "p[0]", "a", "c")]),
        ([1, 1, 2], [1, 2], [("removed", "p[1]", 1, None)]),
        ([[1, 2], [3]], [[1, 2], [3, 4]], [("added", "p[1][1]", None, 4)]),
        ([{"a": 1, "b": 2}, 5], [{"b": 2, "a": 1}, 5], []),
        # residuals are their text, and text that looks like one is something else
        ("${z.state.b}", "x", [("changed", "p", "${resources.z.state.b}", "x")]),
        (
            "${z.state.b}",
            '${"${"}resources.z.state.b}',
            [("changed", "p", "${resources.z.state.b}", '${"${"}resources.z.state.b}')],
        ),
    ],
)
def test_two_specifications(old: Any, new: Any, expected: list[Any]) -> None:
    assert told(old, new) == expected
    types = [(type(item[2]), type(item[3])) for item in told(old, new)]
    assert types == [(type(item[2]), type(item[3])) for item in expected]


def test_resources_are_compared_by_name() -> None:
    one = {"type": "x/y", "spec": {"v": 1}}
    found = diff(run(1, b=one, c=one), run(1, c=one, d=one))
    assert [(item.kind, item.where) for item in found] == [
        ("removed", "resources.b"),
        ("added", "resources.d"),
    ]
    assert found[0] == Difference(("resources", "b"), "removed", one, None)


def test_yaml_and_json_are_the_same() -> None:
    as_yaml = Source("a.yaml", run([1, {"a": "x"}]).text("yaml"), "yaml")
    assert diff(run([1, {"a": "x"}]), render(as_yaml, files=MemoryFiles({}))) == ()


def test_a_run_without_a_result_is_refused() -> None:
    failed = render(Source("a.yaml", "resources: 5", "yaml"), files=MemoryFiles({}))
    with pytest.raises(ValueError, match="no result"):
        diff(failed, run(1))


def without_none(value: Any) -> Any:
    """Data as it is in a document, which has no null."""
    if isinstance(value, dict):
        return {key: without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [without_none(item) for item in value if item is not None]
    return value


@given(DATA, DATA)
def test_there_is_a_difference_where_the_data_differ(old: Any, new: Any) -> None:
    old, new = without_none({"v": old}), without_none({"v": new})
    same = json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True)
    if "-0.0" not in json.dumps([old, new]):
        assert (told(old, new) == []) is same
    assert bool(told(old, new)) is bool(told(new, old))


def rebuilt(old: list[str], new: list[str], pairs: list[tuple[Any, Any]]) -> Iterator[str]:
    """The new array, from the old one and what the alignment left out or paired."""
    taken = {before for before, _ in pairs if before is not None}
    kept = iter([text for index, text in enumerate(old) if index not in taken])
    arrived = {after for _, after in pairs if after is not None}
    for index, text in enumerate(new):
        yield text if index in arrived else next(kept)


@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")))
def test_what_an_alignment_leaves_out_is_the_same_in_both(old: list[str], new: list[str]) -> None:
    pairs = list(alignment(old, new))
    assert list(rebuilt(old, new, pairs)) == new
    for side in (0, 1):
        indexes = [pair[side] for pair in pairs if pair[side] is not None]
        assert len(indexes) == len(set(indexes))


def test_long_arrays_are_aligned_by_what_occurs_once() -> None:
    old = [f"e{n}" for n in range(1200)]
    new = ["first", *old[:600], *old[601:]]
    assert sorted(alignment(old, new), key=str) == [(600, None), (None, 0)]
    assert len(list(alignment(["x"] * 1000, ["x", "y"] * 500))) < 2000


# --- the command --------------------------------------------------------------------------------

BLUEPRINT = """\
version: 2023-04-20
variables:
  stage: {type: string}
  size: {type: integer, default: 1}
  password: {type: string, secret: true}
values:
  id: {type: string, value: "${uuid()}"}
  time: {type: string, value: "${datetime(\\"rfc3339\\")}"}
resources:
  audit:
    type: aws/x/y
    condition: ${eq(variables.stage, "prod")}
    spec: {v: 1}
  db:
    type: aws/x/y
    spec:
      name: ${variables.stage}-db
      size: ${variables.size}
      password: ${variables.password}
      port: ${if(eq(variables.stage, "prod"), 5432, "5432")}
      host: ${resources.audit2.state.host}
  audit2: {type: aws/x/y, spec: {id: "${values.id}", at: "${values.time}"}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a blueprint and variables for two stages."""
    (tmp_path / "app.yaml").write_text(BLUEPRINT)
    (tmp_path / "test.yaml").write_text("stage: test\npassword: hunter2\n")
    (tmp_path / "prod.yaml").write_text("stage: prod\nsize: 4\npassword: hunter3\n")
    return tmp_path


TWO_STAGES = ("diff", "app.yaml", "--vars-a", "test.yaml", "--vars-b", "prod.yaml")


def test_one_blueprint_with_two_sets_of_variables(folder: Path) -> None:
    done = bpp(folder, *TWO_STAGES)
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        '~ resources.db.spec.name: "test-db" -> "prod-db"',
        "~ resources.db.spec.size: 1 -> 4",
        '~ resources.db.spec.port: "5432" (string) -> 5432 (integer)',
        '+ resources.audit: {"type": "aws/x/y", "spec": {"v": 1}}',
        "1 added, 3 changed",
    ]


def test_a_render_does_not_differ_from_itself(folder: Path) -> None:
    done = bpp(folder, "diff", "app.yaml", "app.yaml", "--vars", "test.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_secrets_are_never_shown(folder: Path) -> None:
    for form in ("text", "json"):
        done = bpp(folder, *TWO_STAGES, "--format", form)
        assert "hunter" not in done.stdout + done.stderr


def test_json_is_for_programs(folder: Path) -> None:
    done = bpp(folder, *TWO_STAGES, "--format", "json")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert {"path": "resources.db.spec.size", "kind": "changed", "old": 1, "new": 4} in found
    assert found[-1] == {
        "path": "resources.audit",
        "kind": "added",
        "old": None,
        "new": {"type": "aws/x/y", "spec": {"v": 1}},
    }
    same = bpp(folder, "diff", "app.yaml", "app.yaml", "--vars", "test.yaml", "--format", "json")
    assert (same.returncode, json.loads(same.stdout)) == (0, [])


def test_a_materialised_document_is_as_good_as_a_blueprint(folder: Path) -> None:
    made = bpp(folder, "render", "app.yaml", "--vars", "prod.yaml", "--seed", "0", "--now", "5")
    (folder / "out.yaml").write_text(made.stdout)
    more = ("--seed", "0", "--now", "5", "--vars-a", "prod.yaml")
    assert bpp(folder, "diff", "app.yaml", "out.yaml", *more).returncode == 0
    piped = bpp(folder, "diff", "app.yaml", "-", *more, text=made.stdout.replace(": 4", ": 5"))
    assert piped.returncode == 1
    assert piped.stdout == "~ resources.db.spec.size: 4 -> 5\n1 changed\n"


def test_one_blueprint_from_standard_input(folder: Path) -> None:
    done = bpp(
        folder, "diff", "-", "--vars-a", "test.yaml", "--vars-b", "prod.yaml", text=BLUEPRINT
    )
    assert done.returncode == 1
    assert "+ resources.audit" in done.stdout


def test_what_is_for_one_side_wins(folder: Path) -> None:
    done = bpp(
        folder, "diff", "app.yaml", "--vars", "test.yaml", "--var", "size=7", "--var-b", "size=8"
    )
    assert done.stdout == "~ resources.db.spec.size: 7 -> 8\n1 changed\n"


def test_states_and_records_of_each_side(folder: Path) -> None:
    (folder / "state.yaml").write_text("resources: {audit2: {state: {host: h}}}\n")
    done = bpp(folder, "diff", "app.yaml", "--vars", "test.yaml", "--state-b", "state.yaml")
    line = '~ resources.db.spec.host: "${resources.audit2.state.host}" -> "h"'
    assert done.stdout == f"{line}\n1 changed\n"


def test_a_side_with_errors_writes_no_differences(folder: Path) -> None:
    done = bpp(
        folder,
        "diff",
        "app.yaml",
        "--vars-a",
        "test.yaml",
        "--vars-b",
        "prod.yaml",
        "--var-b",
        "size=x",
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[variable_type_mismatch]" in done.stderr
    assert "this applies to side b only" in done.stderr


def test_what_both_sides_say_is_said_once(folder: Path) -> None:
    (folder / "app.yaml").write_text(BLUEPRINT.replace("uuid()", "uid()"))
    done = bpp(folder, *TWO_STAGES)
    assert done.stderr.count("error[") == 1
    assert "side" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("app.yaml",), 2, "two blueprints, or one with values for one side"),
        (("-", "-"), 2, "standard input"),
        (("-", "--vars", "-", "--var-a", "a=b"), 2, "standard input"),
        (("app.yaml", "app.yaml", "--vars", "-"), 2, "standard input"),
        (("app.yaml", "app.yaml", "--format", "yml"), 2, "--format cannot be `yml`"),
        (("app.yaml", "app.yaml", "--var-a", "stage"), 2, "--var is written NAME=VALUE"),
        (("nope.yaml", "app.yaml"), 3, "`nope.yaml` does not exist"),
        (("app.yaml", "nope.yaml"), 3, "`nope.yaml` does not exist"),
        (("nope.yaml", "--var-a", "stage=x"), 3, "`nope.yaml` does not exist"),
        (("app.yaml", "--vars-b", "nope.yaml"), 3, "`nope.yaml` does not exist"),
        ((), 2, "Missing argument 'A'"),
    ],
)
def test_wrong_usage(folder: Path, arguments: tuple[str, ...], status: int, said: str) -> None:
    done = bpp(folder, "diff", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert done.stderr.count(said) == 1


def test_colours_are_for_terminals(folder: Path) -> None:
    assert "\x1b" not in bpp(folder, *TWO_STAGES).stdout
    assert "\x1b[1;32m+ resources.audit" in bpp(folder, *TWO_STAGES, "--color", "always").stdout


def test_long_texts_are_shown_where_they_differ(folder: Path) -> None:
    done = bpp(
        folder, "diff", "app.yaml", "--vars", "test.yaml",
        "--var-a", f"stage={'x' * 300}-one", "--var-b", f"stage={'x' * 300}-two",
    )  # fmt: skip
    line, count = done.stdout.splitlines()
    assert count == "1 changed"
    assert len(line) < 200
    assert "-one-db" in line
    assert "-two-db" in line


def test_nothing_in_a_difference_steers_a_terminal(folder: Path) -> None:
    text = 'version: 2023-04-20\nresources: {a: {type: x/y, spec: {"\\e[2J": "\\e[1m"}}}\n'
    (folder / "one.yaml").write_text(text)
    (folder / "two.yaml").write_text(text.replace("[1m", "[2m"))
    done = bpp(folder, "diff", "one.yaml", "two.yaml")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
