"""Where an output comes from: `why` for one path, and the source map for all of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
import yaml
from bpp.pipeline import (
    Array,
    Cause,
    DiskFiles,
    Explanation,
    Map,
    PathProblem,
    Run,
    Settings,
    Source,
    VariableInputs,
    build,
    render,
    why,
)
from bpp.pipeline.answers import nodes
from bpp.pipeline.answers.explanation import plain_explanation
from bpp.pipeline.answers.paths import parse_path, path_text
from bpp.pipeline.answers.source_map import source_map_text
from bpp.pipeline.dialects.bluelink.splitting import split_documents
from bpp.pipeline.engine.input_files import read_variables
from bpp.pipeline.engine.materialisation import MASK
from bpp.pipeline.language.meter import Meter
from bpp.transforms.registry import Transform
from support.harness import Case, discover, load_yaml, secrets_of
from support.harness import run as run_case
from support.in_process import bpp_inside

APP = """\
version: 2023-04-20
variables:
  env: {type: string, default: dev}
  region: {type: string, default: eu-west-1}
  size: {type: integer, default: 3}
  flavour: {type: string, default: plain}
  password: {type: string, secret: true, default: hunter2}
  token: {type: string, secret: true}
values:
  prefix: {type: string, value: "orders-${variables.env}"}
  nothing: {type: string, value: "${none}"}
  dsn: {type: string, secret: true, value: "hunter3-${variables.env}"}
  id: {type: string, value: "${uuid()}"}
datasources:
  net:
    type: aws/vpc
    filter: {field: env, operator: "=", search: "${variables.env}"}
    exports: {vpc: {type: string, aliasFor: vpcId}}
  open:
    type: aws/zone
    filter: {field: name, operator: "=", search: "${values.prefix}"}
    exports: {zone: {type: string}}
include:
  db:
    path: db.yaml
    variables:
      name: ${values.prefix}-db
      secret: ${to_upper("hunter4")}
resources:
  api:
    type: aws/api
    metadata:
      labels: {"a.b/c": "x"}
    spec:
      literal: as written
      name: ${join(list(values.prefix, "api"), "-")}
      folded: ${to_upper("a")}
      branch: ${if(eq(variables.env, "prod"), variables.flavour, variables.region)}
      none: ${values.nothing}
      list: ["one", "${none}", "${variables.size}"]
      flavour: ${variables.flavour}
      vpc: ${datasources.net.vpc}
      zone: ${datasources.open.zone}
      host: ${children.db.host}
      child: ${children.db.name}
      deployed: ${resources.queue[0].state.arn}
      later: ${resources.queue[1].state.arn}
      other: ${resources.queue[1].spec.name}
      pw: "pw=${variables.password}"
      id: ${values.id}
      object: ${object(a = 1, b = variables.env)}
  alarm:
    type: aws/alarm
    condition: ${eq(variables.env, "prod")}
    spec: {name: alarm}
  always:
    type: aws/alarm
    condition: ${eq(variables.env, "dev")}
    spec: {name: always}
  undecided:
    type: aws/alarm
    condition:
      and:
        - ${eq(variables.env, "dev")}
        - ${eq(resources.api.state.x, 1)}
    spec: {}
  queue:
    type: aws/queue
    each: ${list("a", "b", "c")}
    condition: ${not(eq(i, 2))}
    spec: {name: "${values.prefix}-${elem}", n: "${i}"}
exports:
  name: {type: string, field: resources.api.spec.name}
  env: {type: string, field: variables.env}
"""
CHILD = """\
version: 2023-04-20
variables:
  name: {type: string}
  secret: {type: string, secret: true}
  mode: {type: string, default: small}
resources:
  db:
    type: aws/rds
    spec: {name: "${variables.name}", mode: "${variables.mode}", pw: "${variables.secret}"}
  gone: {type: aws/rds, condition: "${eq(variables.mode, \\"large\\")}", spec: {}}
exports:
  name: {type: string, field: resources.db.spec.name}
  host: {type: string, field: resources.db.state.host}
"""
RECORDS = {"aws/vpc": [{"vpcId": "vpc-1", "env": "prod"}, {"vpcId": "vpc-2", "env": "dev"}]}
STATE = {"resources": {"queue_0": {"state": {"arn": "arn:q0"}}}}
SECRETS = ("hunter2", "hunter3", "hunter4", "HUNTER4")


def write(folder: Path) -> Path:
    (folder / "app.yaml").write_text(APP)
    (folder / "db.yaml").write_text(CHILD)
    (folder / "v.yaml").write_text("size: 5\n")
    (folder / "ds.yaml").write_text(json.dumps(RECORDS))
    (folder / "state.yaml").write_text(json.dumps(STATE))
    return folder


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with something of every kind."""
    folder = write(tmp_path_factory.mktemp("provenance"))
    settings = Settings(seed=1)
    run = render(
        "app.yaml",
        files=DiskFiles(cwd=str(folder)),
        settings=settings,
        given=VariableInputs(
            flags={"flavour": "f"},
            files=(read_variables("v.yaml", b"size: 5\n", Meter(settings.limits), _none()),),
            environment={"BPP_VAR_region": "us"},
        ),
        state=STATE,
        datasources=RECORDS,
    )
    assert run.ok, [d.summary for d in run.diagnostics]
    return run


def _none() -> Any:
    from bpp.pipeline import Diagnostics

    return Diagnostics()


def told(causes: tuple[Cause, ...], depth: int = 0) -> Iterator[str]:
    """Causes as lines."""
    for cause in causes:
        place = f" @{cause.span.source.name}:{cause.span.line}" if cause.span else ""
        value = "" if cause.value is None else f" {json.dumps(cause.value)}"
        how = f" ({cause.how})" if cause.how else ""
        again = " again" if cause.repeated else ""
        status = "" if cause.status == "known" else f" {cause.status}"
        yield f"{'  ' * depth}{cause.kind} {cause.name}{status}{value}{how}{place}{again}"
        yield from told(cause.causes, depth + 1)


# --- one path -----------------------------------------------------------------------------------

PREFIX = 'value values.prefix "orders-dev" @app.yaml:10'
ENV = 'variable variables.env "dev" (its default) @app.yaml:3'

ORIGINS = {
    "resources.api.spec.literal": ("written", "as written", "app.yaml:35:16", []),
    "resources.api.spec.folded": ("template", "A", "app.yaml:37:15", ["function to_upper"]),
    "resources.api.spec.name": (
        "template",
        "orders-dev-api",
        "app.yaml:36:13",
        [PREFIX, f"  {ENV}", "function join", "function list"],
    ),
    "resources.api.spec.branch": (
        "template",
        "us",
        "app.yaml:38:15",
        [
            ENV,
            "variable variables.flavour not needed",
            'variable variables.region "us" (the environment variable BPP_VAR_region)',
            "function if",
            "function eq",
        ],
    ),
    "resources.api.spec.flavour": (
        "template",
        "f",
        "app.yaml:41:16",
        ['variable variables.flavour "f" (--var)'],
    ),
    "resources.api.spec.list[1]": (
        "template",
        5,
        "app.yaml:40:32",
        ["variable variables.size 5 (the file v.yaml) @v.yaml:1"],
    ),
    "resources.api.spec.vpc": (
        "template",
        "vpc-2",
        "app.yaml:42:12",
        ['datasource datasources.net.vpc "vpc-2" (record 2 of `aws/vpc`) @app.yaml:16', f"  {ENV}"],
    ),
    "resources.api.spec.zone": (
        "template",
        "${datasources.open.zone}",
        "app.yaml:43:13",
        [
            'datasource datasources.open.zone residual "${datasources.open.zone}"'
            " (known after deployment) @app.yaml:20",
            f"  {PREFIX}",
            f"    {ENV}",
        ],
    ),
    "resources.api.spec.host": (
        "template",
        "${children.db.host}",
        "app.yaml:44:13",
        [
            'child children.db.host residual "${children.db.host}"'
            " (the export `host` of the child `db`) @db.yaml:13",
            '  state resources.db.state.host residual "${resources.db.state.host}"'
            " (known after deployment)",
        ],
    ),
    "resources.api.spec.child": (
        "template",
        "orders-dev-db",
        "app.yaml:45:14",
        [
            'child children.db.name "orders-dev-db"'
            " (the export `name` of the child `db`) @db.yaml:12",
            '  resource resources.db.spec.name "orders-dev-db" @db.yaml:9',
            '    variable variables.name "orders-dev-db" (the include `db`) @app.yaml:27',
            f"      {PREFIX}",
            f"        {ENV}",
        ],
    ),
    "resources.api.spec.deployed": (
        "template",
        "arn:q0",
        "app.yaml:46:17",
        ['state resources.queue[0].state.arn "arn:q0" (the state)'],
    ),
    "resources.api.spec.later": (
        "template",
        "${resources.queue_1.state.arn}",
        "app.yaml:47:14",
        [
            'state resources.queue[1].state.arn residual "${resources.queue_1.state.arn}"'
            " (known after deployment)"
        ],
    ),
    "resources.api.spec.other": (
        "template",
        "orders-dev-b",
        "app.yaml:48:14",
        [
            'resource resources.queue[1].spec.name "orders-dev-b" @app.yaml:71',
            f"  {PREFIX}",
            f"    {ENV}",
            '  element elem "b" (element 1 of the list of `queue`) @app.yaml:69',
            "    function list",
        ],
    ),
    "resources.api.spec.pw": (
        "template",
        "pw=${variables.password}",
        "app.yaml:49:11",
        ["variable variables.password secret (its default) @app.yaml:7"],
    ),
    "resources.api.spec.object.b": (
        "part",
        "dev",
        "app.yaml:51:15",
        [ENV, "function object"],
    ),
    "resources.queue_1.spec.n": (
        "template",
        1,
        "app.yaml:71:49",
        ["index i 1 (the index of this instance of `queue`)"],
    ),
    "resources.undecided.condition": (
        "template",
        "${eq(resources.api.state.x, 1)}",
        "app.yaml:65:11",
        [
            'state resources.api.state.x residual "${resources.api.state.x}"'
            " (known after deployment)",
            "function eq",
        ],
    ),
    "exports.name.value": (
        "reference",
        "orders-dev-api",
        "app.yaml:73:31",
        [
            'resource resources.api.spec.name "orders-dev-api" @app.yaml:36',
            f"  {PREFIX}",
            f"    {ENV}",
            "  function join",
            "  function list",
        ],
    ),
    "children.db.resources.db.spec.mode": (
        "template",
        "small",
        "db.yaml:9:45",
        ['variable variables.mode "small" (its default) @db.yaml:5'],
    ),
    "children.db.resources.db.spec.pw": (
        "template",
        "${variables.secret}",
        "db.yaml:9:70",
        ["variable variables.secret secret (the include `db`) @app.yaml:28", "  function to_upper"],
    ),
    'resources.api.metadata.labels["a.b/c"]': ("written", "x", "app.yaml:33:25", []),
    "/resources/api/metadata/labels/a.b~1c": ("written", "x", "app.yaml:33:25", []),
    "/resources/api/spec/list/0": ("written", "one", "app.yaml:40:14", []),
    "resources.api.metadata": ("written", {"labels": {"a.b/c": "x"}}, "app.yaml:32:5", []),
}


@pytest.mark.parametrize("path", ORIGINS)
def test_origins(outcome: Run, path: str) -> None:
    kind, value, place, causes = ORIGINS[path]
    found = why(outcome, path)
    assert (found.kind, found.value, str(found.span)) == (kind, value, place)
    assert list(told(found.causes)) == causes


def test_an_effect_is_not_repeated(outcome: Run) -> None:
    assert outcome.document is not None
    value = outcome.document.root.get("values").get("id").get("value").value  # type: ignore[union-attr]
    found = why(outcome, "resources.api.spec.id")
    assert found.value == value
    assert list(told(found.causes)) == [
        f'value values.id "{value}" @app.yaml:13',
        "  function uuid (makes a new id)",
    ]


def test_what_was_told_is_not_told_again(outcome: Run) -> None:
    lines = list(told(why(outcome, "resources.api").causes))
    again = [line for line in lines if line.endswith(" again")]
    assert any("values.prefix" in line for line in again)
    assert sum(line.lstrip() == PREFIX for line in lines) == 1


def test_stages_and_steps(outcome: Run) -> None:
    found = why(outcome, "resources.queue_0.spec.name")
    assert [(change.stage, change.text) for change in found.changes] == [
        ("load", "${values.prefix}-${elem}"),
        ("each", "orders-dev-a"),
    ]
    assert found.steps == ("load", "each")
    child = why(outcome, "children.db.resources.db.spec.name")
    assert [(change.stage, change.text) for change in child.changes] == [
        ("load", "${variables.name}"),
        ("substitute", "orders-dev-db"),
    ]
    assert child.way == ("db",)
    assert [str(span) for span in child.included] == ["app.yaml:24:3"]


GONE = {
    "resources.alarm": ("prune", "the condition of `alarm` is false", ()),
    "resources.alarm.spec.name": ("prune", "the condition of `alarm` is false", ()),
    "resources.always.condition": (
        "prune",
        "the condition is true, so the resource stays and its condition goes",
        (),
    ),
    "resources.queue": (
        "each",
        "`queue` is a template: its instances stand in its place",
        ("resources.queue_0", "resources.queue_1"),
    ),
    "resources.queue.spec.name": (
        "each",
        "`queue` is a template: its instances stand in its place",
        ("resources.queue_0.spec.name", "resources.queue_1.spec.name"),
    ),
    "resources.queue[1].spec": (
        "each",
        "an instance of `queue` has a name of its own in the output",
        ("resources.queue_1.spec",),
    ),
    "resources.queue_2.spec.n": ("each", "the condition of `queue` is false for element 2", ()),
    "resources.queue[2].spec.n": ("each", "the condition of `queue` is false for element 2", ()),
    "resources.queue_1.each": (
        "each",
        "the instances of the template are made, one for each element",
        (),
    ),
    "resources.queue_1.condition": (
        "each",
        "the condition is true, so the resource stays and its condition goes",
        (),
    ),
    "resources.api.spec.none": (
        "substitute",
        "its value is none, and what is none is left out",
        (),
    ),
    "resources.api.spec.list[2]": (
        "substitute",
        "elements before it are none and were left out: the array has 2 elements now",
        ("resources.api.spec.list[1]",),
    ),
    "values.nothing": (
        "substitute",
        "the value `nothing` is none, and what is none is left out",
        (),
    ),
    "variables.env": (
        "export",
        "nothing in the output refers to `variables.env`: its value stands where it was used",
        (),
    ),
    "variables.password.default": (
        "export",
        "the variable is an input of the deployment, which has no default for it",
        (),
    ),
    "datasources.net.type": (
        "substitute",
        "it was answered by record 2 of `aws/vpc`, so its values stand where they were used",
        (),
    ),
    "exports.env.field": (
        "export",
        "its value is known, and the output has nothing that the field could refer to",
        (),
    ),
    "children.db.resources.gone": ("prune", "the condition of `gone` is false", ()),
    "children.db.variables.mode": (
        "export",
        "nothing in the output refers to `variables.mode`: its value stands where it was used",
        (),
    ),
}


@pytest.mark.parametrize("path", GONE)
def test_what_is_gone(outcome: Run, path: str) -> None:
    found = why(outcome, path)
    assert (found.status, found.value) == ("gone", None)
    assert found.departure is not None
    gone = found.departure
    assert (gone.stage, gone.reason, gone.now) == GONE[path]
    assert found.changes[-1].text is None or path.startswith("resources.queue[")
    for place in gone.now:
        assert why(outcome, place).status != "gone"


def test_what_decides_is_a_cause(outcome: Run) -> None:
    assert list(told(why(outcome, "resources.alarm").causes)) == [ENV, "function eq"]
    assert list(told(why(outcome, "resources.queue_2").causes)) == [
        "index i 2 (the index of this instance of `queue`)",
        "function not",
        "function eq",
    ]


# --- transforms, bundled children, other inputs -------------------------------------------------


def _expand(document: Any, context: Any) -> Any:
    resources = {}
    for name, node in document.section("resources").items.items():
        if node.get("type").value != "example/service":
            resources[name] = node
            continue
        for part in ("function", "queue"):
            kind = build(f"example/{part}", node.trail.then(context.name), node.start, node.end)
            made = node.replacing({**node.items, "type": kind}, context.name)
            resources[f"{name}_{part}"] = made
    section = document.section("resources").replacing(resources, context.name)
    return document.replacing({"resources": section}, context.name)


def run_text(text: str, **more: Any) -> Run:
    run = render(Source("app.yaml", text, "yaml"), **more)
    assert run.ok, [d.summary for d in run.diagnostics]
    return run


def test_what_a_transform_makes() -> None:
    run = run_text(
        """\
version: 2023-04-20
transform: services-2024
variables: {env: {type: string}}
resources:
  orders: {type: example/service, spec: {name: "orders-${variables.env}"}}
""",
        variables={"env": "test"},
        transforms=[Transform("services-2024", _expand, types=("example/service",))],
    )
    name = why(run, "resources.orders_queue.spec.name")
    assert (name.kind, name.value, str(name.span)) == ("transform", "orders-test", "app.yaml:5:48")
    assert list(told(name.causes)) == ['variable variables.env "test" (the caller)']
    kind = why(run, "resources.orders_queue.type")
    assert (kind.value, kind.own, str(kind.span)) == ("example/queue", False, "app.yaml:5:11")
    assert kind.steps == ("load", "services-2024")
    whole = why(run, "resources.orders_queue")
    assert [change.stage for change in whole.changes] == ["load"]
    gone = why(run, "resources.orders").departure
    assert gone is not None
    assert gone.stage == "transform"
    assert gone.reason == "the transform `services-2024` replaced it"
    assert gone.now == ("resources.orders_function", "resources.orders_queue")
    ran = why(run, "transform").departure
    assert ran is not None
    assert ran.reason == "the transforms that it names have run"


def test_bundled_children(outcome: Run) -> None:
    again = run_text(outcome.text("yaml"), state=STATE)
    found = why(again, "children.db.resources.db.spec.mode")
    assert (found.kind, found.value, found.way) == ("written", "small", ("db",))
    assert found.span is not None
    assert found.span.source.name == "app.yaml"
    export = why(again, "children.db.exports.name.value")
    assert export.value == "orders-dev-db"
    host = why(again, "resources.api.spec.host")
    assert next(told(host.causes)).startswith("child children.db.host residual")


def test_a_child_that_the_state_knows(tmp_path: Path) -> None:
    write(tmp_path)
    run = render(
        "app.yaml",
        files=DiskFiles(cwd=str(tmp_path)),
        state={"children": {"db": {"host": "10.0.0.1"}}, "datasources": {"open": {"zone": "z1"}}},
        datasources=RECORDS,
    )
    host = why(run, "resources.api.spec.host")
    assert list(told(host.causes)) == ['child children.db.host "10.0.0.1" (the state)']
    gone = why(run, "datasources").departure
    assert gone is not None
    assert "record 2 of `aws/vpc`, the state" in gone.reason


def test_json_with_comments() -> None:
    text = """\
{ // the blueprint
  "version": "2023-04-20",
  "variables": {"n": {"type": "integer", "default": 1}},
  "resources": {"a": {"type": "x/y", "spec": {"n": "${variables.n}"}}}
}
"""
    found = why(run_text_json(text), "resources.a.spec.n")
    assert (found.value, str(found.span)) == (1, "app.jsonc:4:52")
    assert list(told(found.causes)) == ["variable variables.n 1 (its default) @app.jsonc:3"]


def run_text_json(text: str) -> Run:
    return render(Source("app.jsonc", text, "json"))


# --- wrong paths --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "code", "summary", "hint", "place"),
    [
        (
            "resources.api.spec.nane",
            "output_path_not_found",
            "there is no `nane` in `resources.api.spec`",
            "did you mean `name`?",
            (19, 23),
        ),
        (
            "resource.api",
            "output_path_not_found",
            "there is no `resource` in the output",
            "did you mean `resources`?",
            (0, 8),
        ),
        (
            "api.spec",
            "output_path_not_found",
            "there is no `api` in the output",
            "a path begins with a section: `resources.api`",
            (0, 3),
        ),
        (
            "resources.api.spec.literal.x",
            "output_path_not_found",
            "`resources.api.spec.literal` is a single value, so it has no `x`",
            None,
            (27, 28),
        ),
        (
            "resources.api.spec.list[9]",
            "output_path_not_found",
            "`resources.api.spec.list` has 2 elements, so it has no element 9",
            None,
            (23, 26),
        ),
        (
            "resources.queue_9",
            "output_path_not_found",
            "there is no `queue_9` in `resources`",
            "the list of `queue` has 3 elements",
            (10, 17),
        ),
        (
            "children.db.resources.dbb",
            "output_path_not_found",
            "there is no `dbb` in `children.db.resources`",
            "did you mean `db`?",
            (22, 25),
        ),
        ("", "invalid_output_path", "the path is empty", None, (0, 0)),
        ("a..b", "invalid_output_path", "this cannot be read as a path", None, (1, 2)),
        (".a", "invalid_output_path", "this cannot be read as a path", None, (0, 1)),
        ("a[0]b", "invalid_output_path", "this cannot be read as a path", None, (4, 5)),
        ("a[", "invalid_output_path", "this cannot be read as a path", None, (1, 2)),
        ("a[-1]", "invalid_output_path", "this cannot be read as a path", None, (1, 2)),
        (
            "${resources.api}",
            "invalid_output_path",
            "this cannot be read as a path",
            "a path is written without delimiters; `bpp eval` computes expressions",
            (0, 1),
        ),
        ("/", "output_path_not_found", "there is no `` in the output", None, (1, 1)),
    ],
)
def test_wrong_paths(
    outcome: Run, path: str, code: str, summary: str, hint: str | None, place: tuple[int, int]
) -> None:
    with pytest.raises(PathProblem) as caught:
        why(outcome, path)
    found = caught.value.diagnostic
    assert (found.code, found.summary) == (code, summary)
    if hint is not None:
        assert found.hint == hint
    assert found.span is not None
    assert (found.span.start, found.span.end) == place


def test_a_run_without_a_result_has_no_answer() -> None:
    run = render(Source("app.yaml", "version: 1\n", "yaml"))
    with pytest.raises(ValueError, match="no result"):
        why(run, "version")


@pytest.mark.parametrize(
    "path", ["a", 'a["b.c"][0].d', "a.b-c_d[12]", 'a["x\\"y"]', 'a["x\\\\"]', 'a["aws/sqs"]']
)
def test_paths_are_written_as_they_are_read(path: str) -> None:
    assert path_text(parse_path(path).items) == path


# --- secrets ------------------------------------------------------------------------------------


def every_path(node: Any, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if prefix:
        yield prefix
    pairs: Any = ()
    if isinstance(node, Map):
        pairs = node.items.items()
    elif isinstance(node, Array):
        pairs = enumerate(node.items)
    for key, child in pairs:
        yield from every_path(child, (*prefix, key))


def test_no_answer_holds_a_secret(outcome: Run) -> None:
    paths = {path for _, document in outcome.stages for path in every_path(document.root)}
    assert outcome.document is not None
    child = outcome.work.child("db")
    assert child is not None
    stages = child.stages
    assert len(stages) == 7
    paths |= {("children", "db", *path) for _, child in stages for path in every_path(child.root)}
    answered = 0
    for path in paths:
        try:
            found = why(outcome, path_text(path))
        except PathProblem:
            continue
        answered += 1
        text = json.dumps(plain_explanation(found))
        assert not [secret for secret in SECRETS if secret in text], path_text(path)
    assert answered > 150


def test_a_secret_says_that_it_is_one(outcome: Run) -> None:
    for path in ("values.dsn.value", "include.db.variables.secret"):
        found = why(outcome, path)
        assert (found.status, found.value) == ("secret", None)
        assert {change.text for change in found.changes} == {MASK}
    assert list(told(why(outcome, "values.dsn.value").causes)) == [
        "variable variables.env withheld (its default) @app.yaml:3"
    ]
    assert why(outcome, "include.db.variables").value == {"name": "orders-dev-db", "secret": MASK}


def test_secrets_are_shown_when_they_are_revealed() -> None:
    text = """\
version: 2023-04-20
variables: {p: {type: string, secret: true, default: hunter2}}
resources: {a: {type: x/y, spec: {p: "p=${variables.p}"}}}
"""
    found = why(run_text(text, settings=Settings(secrets="reveal")), "resources.a.spec.p")
    assert found.value == "p=hunter2"
    assert list(told(found.causes)) == ['variable variables.p "hunter2" (its default) @app.yaml:2']


# --- every case ---------------------------------------------------------------------------------

CASES = [
    case
    for case in discover()
    if case.render and not case.errors and case.settings.secrets != "reveal"
]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in CASES])
def test_every_case_is_explained_and_mapped(case: Case) -> None:
    run = run_case(case)
    if not run.ok:
        pytest.skip("has errors of the evaluation")
    _every_path_has_an_answer(case, run)
    for form in ("yaml", "json"):
        _the_map_has_every_node_and_its_line(case, run, form)
    _the_map_says_what_the_answers_say(run)


def _every_path_has_an_answer(case: Case, run: Run) -> None:
    secrets = secrets_of(case)
    assert run.document is not None
    for path in every_path(run.document.root):
        found = why(run, path_text(path))
        assert isinstance(found, Explanation)
        assert found.status != "gone"
        assert found.changes[-1].text is not None
        text = json.dumps(plain_explanation(found))
        assert not [secret for secret in secrets if secret in text]
    for path in every_path(run.stages[0][1].root):
        gone = why(run, path_text(path))  # what was written never leads to nothing
        assert gone.status != "gone" or gone.departure is not None


# --- the map ------------------------------------------------------------------------------------


def source_map(run: Run, format: str) -> dict[str, Any]:  # noqa: A002
    assert run.document is not None
    found: dict[str, Any] = json.loads(source_map_text(run, [("out", format, run.document)]))
    return found


def lines_of(text: str) -> dict[str, int]:
    """The line of each JSON pointer in a text, by a reader that knows nothing of ours."""
    found = {"": 1}

    def visit(node: yaml.Node, pointer: str) -> None:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                step = key.value.replace("~", "~0").replace("/", "~1")
                found[f"{pointer}/{step}"] = key.start_mark.line + 1
                visit(value, f"{pointer}/{step}")
        elif isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                found[f"{pointer}/{index}"] = item.start_mark.line + 1
                visit(item, f"{pointer}/{index}")

    visit(yaml.compose(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)), "")
    return found


def at_pointer(data: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        data = data[int(name)] if isinstance(data, list) else data[name]
    return data


def _the_map_has_every_node_and_its_line(case: Case, run: Run, form: str) -> None:
    text = run.text(form)
    found = source_map(run, form)
    places = found["outputs"][0]["places"]
    assert {pointer: place[7] for pointer, place in places.items()} == lines_of(text)
    for place in places.values():
        assert 0 <= place[0] < len(found["files"])
        assert 0 <= place[6] < len(found["steps"])
        assert len(place) == 8 or 0 <= place[8] < len(found["computed"])
    assert not [secret for secret in secrets_of(case) if secret in json.dumps(found)]


def _the_map_says_what_the_answers_say(run: Run) -> None:
    found = source_map(run, "yaml")
    for pointer, place in found["outputs"][0]["places"].items():
        if not pointer:
            continue
        answer = why(run, pointer)
        assert answer.span is not None
        assert found["files"][place[0]] == answer.span.source.name
        assert [place[3], place[4]] == [answer.span.end_line, answer.span.end_column]
        assert found["steps"][place[6]] == list(answer.steps)
        if answer.kind == "template" or answer.kind == "part":
            computed = found["computed"][place[8]]
            named = [cause.name for cause in answer.causes if cause.kind != "function"]
            called = {cause.name for cause in answer.causes if cause.kind == "function"}
            assert sorted(computed["references"]) == sorted(named)
            assert called <= set(computed["functions"])


def test_a_literal_stands_where_the_map_says(outcome: Run) -> None:
    found = source_map(outcome, "json")
    output = json.loads(outcome.text("json"))
    texts = {"app.yaml": APP.splitlines(), "db.yaml": CHILD.splitlines()}
    looked = 0
    for pointer, place in found["outputs"][0]["places"].items():
        value = at_pointer(output, pointer)
        file, line, column, end_line, end_column = found["files"][place[0]], *place[1:5]
        if isinstance(value, dict | list) or len(place) > 8 or not place[5] or value == MASK:
            continue
        assert line == end_line
        written = texts[file][line - 1][column - 1 : end_column - 1]
        assert load_yaml(written) == value, pointer
        looked += 1
    assert looked > 20


def test_what_the_map_tells_of_computed_values(outcome: Run) -> None:
    found = source_map(outcome, "yaml")
    places = found["outputs"][0]["places"]

    def computed(pointer: str) -> tuple[list[str], list[str]]:
        told = found["computed"][places[pointer][8]]
        return told["references"], told["functions"]

    assert computed("/resources/api/spec/name") == (["values.prefix"], ["join", "list"])
    assert computed("/resources/queue_1/spec/name") == (["values.prefix", "elem"], [])
    assert computed("/resources/api/spec/list/1") == (["variables.size"], [])
    assert computed("/resources/api/spec/object/b") == (["variables.env"], ["object"])
    assert computed("/exports/name/value") == (["resources.api.spec.name"], [])
    assert computed("/children/db/resources/db/spec/name") == (["variables.name"], [])
    assert places["/resources/api/spec/object/b"][5] == 0
    assert places["/resources/api/spec/object"][5] == 1
    assert places["/children"][5] == 0
    assert len(places["/resources/api/spec/literal"]) == 8
    assert found["steps"][places["/resources/queue_1/spec/name"][6]] == ["load", "each"]


def test_the_map_of_an_early_stage() -> None:
    text = "version: 2023-04-20\nresources: {a: {type: x/y, spec: {v: '${variables.v}'}}}\n"
    text += "variables: {v: {type: string, default: a}}\n"
    run = render(Source("app.yaml", text, "yaml"), stop_after="load")
    found = source_map(run, "yaml")
    place = found["outputs"][0]["places"]["/resources/a/spec/v"]
    assert found["computed"][place[8]]["references"] == ["variables.v"]
    assert found["steps"] == [["load"]]
    assert why(run, "resources.a.spec.v").value == "${variables.v}"


def test_long_keys_and_blocks_of_text_take_more_lines() -> None:
    key = "k" * 1010
    text = f"""\
version: 2023-04-20
resources:
  a:
    type: x/y
    spec:
      ? {key}
      : 1
      block: |
        one
        two
      list:
        - - a
          - b: |
              three
              four
            c: 1
        - d
      empty: {{}}
      last: 2
"""
    run = run_text(text)
    for format in ("yaml", "json"):  # noqa: A001
        places = source_map(run, format)["outputs"][0]["places"]
        assert {p: place[7] for p, place in places.items()} == lines_of(run.text(format))


def test_equal_texts_are_told_once() -> None:
    resources = "".join(
        f"  r{n}: {{type: x/y, spec: {{a: '${{variables.v}}-{n}', "
        f'b: \'${{coalesce(lookup(values.m, "{n}"), "{n}")}}\'}}}}\n'
        for n in range(200)
    )
    text = f"""\
version: 2023-04-20
variables: {{v: {{type: string, default: x}}}}
values: {{m: {{type: object, value: '${{object(k = 1)}}'}}}}
resources:
{resources}"""
    run = run_text(text)
    text = source_map_text(run, [(None, "yaml", run.document)])  # type: ignore[list-item]
    found = json.loads(text)
    assert len(found["computed"]) == 3
    assert len(text) < 60 * len(found["outputs"][0]["places"])


def test_a_split_output_has_a_map_of_each_file(outcome: Run) -> None:
    assert outcome.document is not None
    documents = split_documents(outcome.document, "app", "yaml")
    found = json.loads(source_map_text(outcome, [(n, "yaml", d) for n, d in documents.items()]))
    assert [one["file"] for one in found["outputs"]] == ["app.yaml", "db.yaml"]
    for one, document in zip(found["outputs"], documents.values(), strict=True):
        lines = lines_of(outcome.text("yaml", document))
        assert {pointer: place[7] for pointer, place in one["places"].items()} == lines
    child = found["outputs"][1]["places"]["/resources/db/spec/name"]
    assert found["files"][child[0]] == "db.yaml"
    assert found["computed"][child[8]]["references"] == ["variables.name"]


# --- the command line ---------------------------------------------------------------------------


def bpp(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> CompletedProcess[str]:
    return bpp_inside(folder, *arguments, env={"NO_COLOR": "1", **(env or {})})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path)


OPTIONS = ("--datasources", "ds.yaml", "--state", "state.yaml", "--vars", "v.yaml")

CHILD_ANSWER = """\
resources.api.spec.child (known)
  "orders-dev-db"

  --> app.yaml:45:14
   |
45 |       child: ${children.db.name}
   |              ^^^^^^^^^^^^^^^^^^^
   = computed from the text there
   = shaped by load, substitute

made of
  children.db.name = "orders-dev-db"  (from the export `name` of the child `db`, db.yaml:12:31)
    resources.db.spec.name = "orders-dev-db"  (at db.yaml:9:18)
      variables.name = "orders-dev-db"  (from the include `db`, app.yaml:27:13)
        values.prefix = "orders-dev"  (at app.yaml:10:33)
          variables.env = "dev"  (from its default, app.yaml:3:32)

stage by stage
  load        ${children.db.name}
  substitute  orders-dev-db
"""

GONE_ANSWER = """\
resources.queue.spec.name (gone)
  `queue` is a template: its instances stand in its place (at the stage `each`)
  now: resources.queue_0.spec.name
  now: resources.queue_1.spec.name

  --> app.yaml:71:18
   |
71 |     spec: {name: "${values.prefix}-${elem}", n: "${i}"}
   |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^

decided by
  function list

stage by stage
  load  ${values.prefix}-${elem}
  each  (not there)
"""

SECRET_ANSWER = """\
variables.password.default (gone)
  the variable is an input of the deployment, which has no default for it (at the stage `export`)

 --> app.yaml:7:51

stage by stage
  load    (secret)
  export  (not there)
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("resources.api.spec.child", CHILD_ANSWER),
        ("resources.queue.spec.name", GONE_ANSWER),
        ("variables.password.default", SECRET_ANSWER),
    ],
)
def test_answers_for_people(folder: Path, path: str, expected: str) -> None:
    done = bpp(folder, "why", "app.yaml", path, *OPTIONS)
    assert (done.stdout, done.stderr, done.returncode) == (expected, "", 0)


def test_the_answer_as_json(folder: Path) -> None:
    done = bpp(
        folder, "why", "app.yaml", "resources.api.spec.list[1]", "--format", "json", *OPTIONS
    )
    assert done.returncode == 0
    place = {"file": "app.yaml", "line": 40, "column": 32, "end_line": 40, "end_column": 51}
    assert json.loads(done.stdout) == {
        "version": 1,
        "path": "resources.api.spec.list[1]",
        "status": "known",
        "kind": "template",
        "made": "computed from the text there",
        "value": 5,
        "place": {**place, "exact": True},
        "own": True,
        "includes": [],
        "steps": ["load", "substitute"],
        "changes": [
            {"stage": "load", "text": "${variables.size}"},
            {"stage": "substitute", "text": "5"},
        ],
        "causes": [
            {
                "kind": "variable",
                "name": "variables.size",
                "status": "known",
                "value": 5,
                "how": "the file v.yaml",
                "place": {
                    "file": "v.yaml",
                    "line": 1,
                    "column": 7,
                    "end_line": 1,
                    "end_column": 8,
                    "exact": True,
                },
                "in": [],
                "repeated": False,
                "causes": [],
            }
        ],
        "departure": None,
    }


@pytest.mark.parametrize("path", ["include", "include.db.variables.secret", "variables", "values"])
def test_no_line_with_a_secret_is_quoted(folder: Path, path: str) -> None:
    app = APP.replace(
        '    variables:\n      name: ${values.prefix}-db\n      secret: ${to_upper("hunter4")}\n',
        '    variables: {name: a, secret: "hunter4"}\n',
    )
    (folder / "app.yaml").write_text(app)
    for wanted in (path, f"{path}.db.variables" if path == "include" else path):
        done = bpp(folder, "why", "app.yaml", wanted, *OPTIONS)
        assert done.returncode == 0
        assert "hunter" not in (done.stdout + done.stderr).lower()


def test_a_wrong_path_is_wrong_usage(folder: Path) -> None:
    done = bpp(folder, "why", "app.yaml", "resources.apy.spec", *OPTIONS)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "error[output_path_not_found]: there is no `apy` in `resources`\n"
        " --> <path>:1:11\n"
        "  |\n"
        "1 | resources.apy.spec\n"
        "  |           ^^^\n"
        "  = help: did you mean `api`?\n"
        "\n"
        "1 error\n"
    )
    done = bpp(folder, "why", "app.yaml", "a[", "--diagnostics", "json")
    assert done.returncode == 2
    assert json.loads(done.stderr)["diagnostics"][0]["code"] == "invalid_output_path"


def test_other_statuses(folder: Path) -> None:
    assert bpp(folder, "why", "app.yaml").returncode == 2
    assert bpp(folder, "why", "app.yaml", "version", "--format", "yaml").returncode == 2
    assert bpp(folder, "why", "none.yaml", "version").returncode == 3
    (folder / "bad.yaml").write_text("version: 2023-04-20\n")
    done = bpp(folder, "why", "bad.yaml", "version")
    assert done.returncode == 1
    assert "error[" in done.stderr
    assert done.stdout == ""


def test_what_could_steer_a_terminal_is_escaped(folder: Path) -> None:
    (folder / "e.yaml").write_text(
        'version: 2023-04-20\nresources:\n  a:\n    type: x/y\n    spec: {v: "\\e[31mred"}\n'
    )
    for form in ("text", "json"):
        done = bpp(folder, "why", "e.yaml", "resources.a.spec", "--format", form)
        assert done.returncode == 0
        assert "\x1b" not in done.stdout


def test_the_map_is_written_beside_the_output(folder: Path) -> None:
    done = bpp(folder, "render", "app.yaml", "-o", "o.yaml", "--source-map", "o.map", *OPTIONS)
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "o.map").read_text())
    output = found["outputs"][0]
    assert (found["version"], output["file"], output["format"]) == (1, "o.yaml", "yaml")
    lines = lines_of((folder / "o.yaml").read_text())
    assert {pointer: place[7] for pointer, place in output["places"].items()} == lines
    assert found["files"] == ["app.yaml", "db.yaml"]
    text = (folder / "o.map").read_text()
    assert not [secret for secret in SECRETS if secret in text]


def test_the_map_of_what_goes_to_standard_output(folder: Path) -> None:
    done = bpp(folder, "render", "app.yaml", "--format", "json", "--source-map", "o.map", *OPTIONS)
    assert done.returncode == 0
    output = json.loads((folder / "o.map").read_text())["outputs"][0]
    assert (output["file"], output["format"]) == (None, "json")
    assert {p: place[7] for p, place in output["places"].items()} == lines_of(done.stdout)


def test_the_map_of_a_split_output(folder: Path) -> None:
    done = bpp(folder, "render", "app.yaml", "--split", "out", "--source-map", "o.map", *OPTIONS)
    assert done.returncode == 0
    outputs = json.loads((folder / "o.map").read_text())["outputs"]
    assert [one["file"] for one in outputs] == ["out/app.yaml", "out/db.yaml"]
    for one in outputs:
        lines = lines_of((folder / one["file"]).read_text())
        assert {p: place[7] for p, place in one["places"].items()} == lines


def test_a_failed_render_writes_no_map(folder: Path) -> None:
    (folder / "o.map").write_text("old")
    done = bpp(folder, "render", "app.yaml", "--strict", "-o", "o.yaml", "--source-map", "o.map")
    assert done.returncode == 1
    assert (folder / "o.map").read_text() == "old"
    done = bpp(
        folder, "render", "app.yaml", "-o", "o.yaml", "--source-map", "app.yaml/o.map", *OPTIONS
    )
    assert done.returncode == 3
    assert "cannot be written" in done.stderr
    assert not (folder / "o.yaml").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--source-map", ""), "--source-map needs the path of a file"),
        (("--source-map", "-"), "--source-map needs the path of a file"),
        (("--source-map", "app.yaml"), "--source-map would replace `app.yaml`"),
        (("--source-map", "./v.yaml"), "--source-map would replace `v.yaml`"),
        (("-o", "o.yaml", "--source-map", "o.yaml"), "--source-map would replace `o.yaml`"),
        (
            ("-o", "o.yaml", "--depfile", "o.d", "--source-map", "o.d"),
            "--source-map would replace `o.d`",
        ),
    ],
)
def test_a_map_that_would_replace_something(
    folder: Path, options: tuple[str, ...], message: str
) -> None:
    done = bpp(folder, "render", "app.yaml", "--vars", "v.yaml", *options)
    assert (done.returncode, done.stderr) == (2, f"error: {message}\n")
    assert (folder / "app.yaml").read_text() == APP


def test_a_source_map_looks_at_what_was_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    compare = nodes.same_place
    monkeypatch.setattr(nodes, "same_place", lambda *pair: seen.append(pair) or compare(*pair))
    item = (
        "- {{name: e{0}, type: GoTemplate, template: 'deployItems: [{{name: d{0}, type: a/b}}]'}}\n"
    )
    head = "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\ndeployExecutions:\n"
    text = head + "".join(item.format(n) for n in range(100))
    run = render(Source("blueprint.yaml", text, "yaml"))
    mapped = json.loads(source_map_text(run, [(None, "yaml", run.document)]))
    assert "/deployItems/99/name" in mapped["outputs"][0]["places"]
    assert len(seen) < 10 * 100
