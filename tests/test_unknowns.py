"""What is still unknown after a render: why, what supplies it, where it is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline import MemoryFiles, Run, Settings, Source, render
from bpp.pipeline.answers.explanation import UnknownPath
from bpp.pipeline.answers.unknowns import list_unknowns
from support.in_process import bpp_inside as bpp

CHILD = """\
version: 2025-11-02
variables:
  name: {type: string}
resources:
  db: {type: a/b, spec: {name: "${variables.name}", id: "${resources.key.state.id}"}}
  key: {type: a/b, spec: {}}
exports:
  url: {type: string, field: resources.key.state.url}
"""
BLUEPRINT = """\
version: 2025-11-02
variables:
  password: {type: string, secret: true}
values:
  address: {type: string, value: "tcp://${resources.db.state.host}"}
datasources:
  net:
    type: acme/net
    filter: {field: id, operator: "=", search: x}
    exports: {id: {type: string}}
  zone:
    type: acme/zone
    filter: {field: id, operator: "=", search: "${resources.db.state.zone}"}
    exports: {id: {type: string}}
include:
  core: {path: child.yaml, variables: {name: "${resources.db.state.name}"}}
resources:
  db: {type: a/b, spec: {known: 1, host: "${resources.log.state.host}"}}
  log: {type: a/b, spec: {}}
  t: {type: a/b, each: "${list(1, 2)}", spec: {size: "${elem}"}}
  app:
    type: a/b
    spec:
      value: ${values.address}
      net: ${datasources.net.id}-${datasources.zone.id}
      link: ${link("app", "db").policy}
      child: ${children.core.url}
      residual: ${resources.db.spec.host}
      computed: ${resources.db.spec.arn}
      id: ${resources.log}
      instance: ${resources.t[1].state.id}
      secret: ${variables.password}
      "a.b": ["${resources.db.state.host}"]
exports:
  host: {type: string, field: resources.db.state.host}
"""
EVERY = {
    "resources.db.state.host": ("state", "`--state`: resources.db.state.host"),
    "resources.db.state.zone": ("state", "`--state`: resources.db.state.zone"),
    "resources.db.state.name": ("state", "`--state`: resources.db.state.name"),
    "resources.log.state.host": ("state", "`--state`: resources.log.state.host"),
    "resources.t_1.state.id": ("state", "`--state`: resources.t_1.state.id"),
    "values.address": ("value", "follows from resources.db.state.host"),
    "datasources.net.id": (
        "data source without an answer",
        "`--datasources`: records of acme/net; `--state`: datasources.net.id",
    ),
    "datasources.zone.id": (
        "data source with an unknown filter",
        "follows from resources.db.state.zone; `--state`: datasources.zone.id",
    ),
    'link("app", "db")': ("link", '`--state`: links["app::db"]'),
    "children.core.url": (
        "export of a child",
        "what the child needs; `--state`: children.core.url",
    ),
    "resources.db.spec.host": ("residual spec", "follows from resources.log.state.host"),
    "resources.db.spec.arn": (
        "computed by the provider",
        "nothing; it is known after deployment",
    ),
    "resources.log": ("id of a resource", "nothing; refer to a field of its state instead"),
    "variables.password": ("secret", "withheld; `--secrets reveal` writes it"),
    "variables.name in children.core": (
        "deploy-time variable",
        "follows from include.core.variables.name",
    ),
    "resources.key.state.id in children.core": (
        "state",
        "`--state`: included.core.resources.key.state.id",
    ),
    "resources.key.state.url in children.core": (
        "state",
        "`--state`: included.core.resources.key.state.url",
    ),
}
SUPPLY: dict[str, Any] = {
    "resources": {
        "db": {"state": {"host": "h", "zone": "z", "name": "n"}},
        "log": {"state": {"host": "h"}},
        "t_1": {"state": {"id": "t1"}},
    },
    "datasources": {"net": {"id": "n"}, "zone": {"id": "z"}},
    "links": {"app::db": {"policy": "p"}},
    "children": {"core": {"url": "u"}},
    "included": {"core": {"resources": {"key": {"state": {"id": "k", "url": "u"}}}}},
}


def run(text: str = BLUEPRINT, **arguments: Any) -> Run:
    """A render of a text beside its child."""
    return render(
        Source("app.yaml", text, "yaml"), files=MemoryFiles({"child.yaml": CHILD}), **arguments
    )


def found(outcome: Run) -> dict[str, UnknownPath]:
    """The unknowns by what stands in the output."""
    return {item.text: item for item in list_unknowns(outcome)}


@pytest.mark.parametrize("text", EVERY)
def test_every_kind_says_why_and_what_helps(text: str) -> None:
    item = found(run())[text]
    assert (item.why, item.supply) == EVERY[text]


def test_all_are_listed_once() -> None:
    assert set(found(run())) == set(EVERY)


def test_all_places_are_told() -> None:
    item = found(run())["resources.db.state.host"]
    assert item.places == ("values.address.value", 'resources.app.spec["a.b"][0]', "exports.host")
    assert [str(span) for span in item.spans] == [
        "app.yaml:5:34",
        "app.yaml:33:15",
        "app.yaml:35:31",
    ]


def test_instances_of_a_template_are_one_place_in_the_source() -> None:
    text = """\
version: 2025-11-02
resources:
  t: {type: a/b, each: "${list(1, 2, 3)}", spec: {id: "${resources.db.state.id}"}}
  db: {type: a/b, spec: {}}
"""
    (item,) = list_unknowns(run(text))
    assert len(item.places) == 3
    assert len(item.spans) == 1


def test_what_is_said_to_help_helps() -> None:
    """Supplying what the list names leaves the secret and what nothing supplies."""
    left = set(found(run(state=SUPPLY)))
    assert left == {"variables.password", "resources.db.spec.arn", "resources.log"}


def test_a_complete_render_has_none() -> None:
    assert list_unknowns(run("version: 2025-11-02\nresources: {a: {type: a/b, spec: {}}}")) == ()
    assert list_unknowns(run("resources: 5")) == ()


def test_strict_reports_the_same() -> None:
    strict = run(settings=Settings(strict=True))
    reported = {
        need
        for item in strict.diagnostics
        for need in item.summary.split("`")[3::2]
        if item.code == "unresolved_value"
    }
    listed = {text.partition(" in children.")[0] for text in found(strict)}
    assert reported == listed - {"variables.password"}


def test_a_child_that_is_not_opened() -> None:
    text = """\
version: 2025-11-02
include:
  far: {path: app.yaml, metadata: {sourceType: example}}
resources:
  app: {type: a/b, spec: {url: "${children.far.url}"}}
"""
    item = found(run(text))["children.far.url"]
    assert (item.why, item.supply) == ("child that is not opened", "`--state`: children.far.url")


# --- the command --------------------------------------------------------------------------------


FAILING = """\
version: 2023-04-20
variables: {s: {type: string, secret: true}}
values: {v: {type: string, value: "${variables.s}-x"}, bad: {type: string, value: "${WRONG}"}}
resources:
  r: {type: a/b, spec: {a: "${values.v}", b: "${values.bad}"}}
  q_x: {type: a/b, spec: {a: "x"}}
  q:
    type: a/b
    each: ${list(1, 2)}
    spec:
      x: ${elem}${i}${variables.s}
      y: ${r.spec.b}
      z: ${if(eq(i, 1), variables.s, r.state.z)}
  z:
    type: a/b
    spec:
      a: ${resources.q[0].spec.x}
      b: ${resources.q[1].spec.y}
      c: ${q_x.state.a}
      d: ${resources.r.spec.a}
      e: ${resources.q[0].spec.z}
      f: ${resources.q[1].spec.z}
"""


@pytest.mark.parametrize(
    ("wrong", "stage", "secrets"),
    [
        # found before anything is computed, when nobody knows what is made of secrets
        ("to_upper(1)", "transform", set()),
        (
            'list(\\"a\\")[3]',
            "substitute",
            {
                "variables.s",
                "values.v",
                "resources.q_0.spec.x",
                "resources.q_1.spec.z",
                "resources.r.spec.a",
            },
        ),
    ],
)
def test_the_unknowns_of_a_run_that_failed(wrong: str, stage: str, secrets: set[str]) -> None:
    outcome = run(FAILING.replace("WRONG", wrong), variables={"s": "hunter2"})
    assert (outcome.ok, outcome.stages[-1][0]) == (False, stage)
    why = {item.text: item.why for item in list_unknowns(outcome)}
    assert why["elem"] == why["i"] == "element of an `each`"
    assert why["resources.q_x.state.a" if secrets else "q_x.state.a"] == "state"
    assert why["values.bad"] == "value"
    assert {text for text, reason in why.items() if reason == "secret"} == secrets


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the blueprint and its child."""
    (tmp_path / "app.yaml").write_text(BLUEPRINT)
    (tmp_path / "child.yaml").write_text(CHILD)
    return tmp_path


def test_the_table_stands_beside_the_output(folder: Path) -> None:
    plain = bpp(folder, "render", "app.yaml")
    done = bpp(folder, "render", "app.yaml", "--explain-unknowns", env={"COLUMNS": "300"})
    assert done.returncode == 0
    assert done.stdout == plain.stdout
    lines = done.stderr.splitlines()
    assert lines[0].split("  ")[0] == "unknown"
    assert len(lines) == 1 + len(EVERY)
    (line,) = [line for line in lines if line.startswith("resources.db.state.host ")]
    assert line.endswith("app.yaml:5:34 (2 more)")
    assert len({line.index("app.yaml:") for line in lines if "app.yaml:" in line}) == 1


def test_a_table_that_is_too_wide_becomes_paragraphs(folder: Path) -> None:
    done = bpp(folder, "render", "app.yaml", "--explain-unknowns")
    assert max(map(len, done.stderr.splitlines())) <= 80
    paragraphs = {part.split("\n")[0]: part for part in done.stderr.split("\n\n")}
    assert len(paragraphs) == len(EVERY)
    assert paragraphs["resources.db.state.host"].split("\n")[1:] == [
        "  why: state",
        "  how to supply it: `--state`: resources.db.state.host",
        "  used at: app.yaml:5:34 (2 more)",
    ]


def test_the_table_follows_what_strict_reports(folder: Path) -> None:
    done = bpp(folder, "render", "app.yaml", "--explain-unknowns", "--strict")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[unresolved_value]" in done.stderr
    assert "`--state`: resources.t_1.state.id" in done.stderr


def test_a_failed_render_has_no_table(folder: Path) -> None:
    (folder / "app.yaml").write_text(BLUEPRINT.replace("list(1, 2)", "nothing()"))
    done = bpp(folder, "render", "app.yaml", "--explain-unknowns")
    assert done.returncode == 1
    assert "how to supply it" not in done.stderr


def test_nothing_unknown_is_said(folder: Path) -> None:
    (folder / "app.yaml").write_text("version: 2023-04-20\nresources: {a: {type: a/b, spec: {}}}")
    done = bpp(folder, "render", "app.yaml", "--explain-unknowns")
    assert (done.returncode, done.stderr) == (0, "nothing is unknown\n")


def test_a_part_of_a_render_cannot_be_explained(folder: Path) -> None:
    done = bpp(folder, "render", "app.yaml", "--explain-unknowns", "--stop-after", "load")
    assert (done.returncode, done.stdout) == (2, "")
