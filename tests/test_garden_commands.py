"""The commands on Garden projects, which dialect a text is taken for, and options of dialects."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from bpp.pipeline import (
    CommandLine,
    Dialects,
    MemoryFiles,
    Option,
    Settings,
    Source,
    build_targets,
    check,
    diff,
    find_dialect,
    graph,
    load_configuration,
    render,
    why,
)
from bpp.pipeline.answers.unknowns import list_unknowns
from bpp.pipeline.dialects.dialect_options import dialect_options, misplaced
from bpp.pipeline.dialects.table import detect_dialect
from bpp.pipeline.testing import assert_diagnostics, story
from support.in_process import bpp_inside
from support.tiny_dialect import TINY

ROOT = Path(__file__).resolve().parent.parent

PROJECT = """\
apiVersion: garden.io/v1
kind: Project
name: shop
environments:
  - name: dev
  - {name: prod, varfile: prod.env, variables: {size: 3}}
variables: {size: 1, host: localhost, level: debug}
"""
ACTIONS = """\
kind: Build
type: container
name: api
---
kind: Deploy
type: container
name: api
build: api
variables: {url: "https://${var.host}/"}
spec:
  size: ${var.size}
  image: ${actions.build.api.outputs.image}
  level: ${var.level || "none"}
  key: ${secrets.key}
  user: ${local.env.NAME || "nobody"}
  gone: ${var.nobody}?
  kept: {$if: "${environment.name == 'prod'}", $then: [a], $else: [b]}
---
kind: Run
type: exec
name: job
dependencies: [deploy.api]
disabled: ${environment.name == "dev"}
spec: {command: ["${actions.deploy.api.var.url}"]}
"""
BLUEPRINT = "version: 2025-11-02\nresources:\n  a: {type: x/y, spec: {n: 1}}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "api").mkdir()
    (tmp_path / "garden.yml").write_text(PROJECT, "utf-8")
    (tmp_path / "prod.env").write_text("level=warning\n", "utf-8")
    (tmp_path / "api" / "garden.yml").write_text(ACTIONS, "utf-8")
    (tmp_path / "app.yaml").write_text(BLUEPRINT, "utf-8")
    return tmp_path


def bpp(folder: Path, *arguments: str, **more: Any) -> CompletedProcess[str]:
    return bpp_inside(folder, *arguments, **more)


def output(folder: Path, *arguments: str, status: int = 0, **more: Any) -> str:
    done = bpp(folder, *arguments, **more)
    assert done.returncode == status, done.stderr
    return done.stdout


# --- which dialect ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "form", "dialect"),
    [
        (PROJECT, "yaml", "garden"),
        (ACTIONS, "yaml", "garden"),
        ("name: a\nkind: Project\n", "yaml", "garden"),
        ("# about\n---\nkind: 'Project' # one\n", "yaml", "garden"),
        ("name: a\n---\nkind: Deploy\n", "yaml", "garden"),
        ("# c\n{version: 1, kind: Run}\n", "yaml", "bluelink"),
        ('apiVersion: "garden.io/v0"\n', "yaml", "garden"),
        ("apiVersion: garden.io/v2\nkind: Project\n", "yaml", "garden-v2"),
        ('{"kind": "Project", "name": "a"}', "json", "garden"),
        ('[\n  {"name": "a",\n   "kind": "Run"}]', "json", "garden"),
        ('{\n  // one\n  "apiVersion": "garden.io/v2"\n}', "json", "garden-v2"),
        ("{kind: Project, name: a}\n", "yaml", "garden"),
        (BLUEPRINT, "yaml", "bluelink"),
        ("", "yaml", "bluelink"),
        ("apiVersion: v1\nkind: Service\n", "yaml", "bluelink"),
        ("kind: Projects\n", "yaml", "bluelink"),
        (BLUEPRINT.replace("n: 1", "kind: Project"), "yaml", "bluelink"),
        ("version: 1\nresources:\n  a:\n    spec:\n      kind: Project\n", "yaml", "bluelink"),
        ('{"resources": {"a": {\n  "kind": "Project"}}}', "json", "bluelink"),
        ('{"a": "kind", "b": "Project", "c": ["kind", "Project"]}', "json", "bluelink"),
        ('{"a": "\\"kind\\": \\"Project\\""}', "json", "bluelink"),
        ("text: |\n  kind: Project\n", "yaml", "bluelink"),
        ('{"kind": {"name": "Project"}, "x": ["kind"]}', "json", "bluelink"),
    ],
)
def test_a_text_tells_its_dialect(text: str, form: str, dialect: str) -> None:
    source = Source("a", text, form)
    assert detect_dialect(source).name == dialect
    if "version" in text:
        return  # that begins as blueprints do, so nothing else is asked
    claimed = [
        name
        for name in ("garden", "garden-v2")
        if (recognises := find_dialect(name).recognises) is not None and recognises(source)
    ]
    assert claimed == ([] if dialect == "bluelink" else [dialect])


def test_registered_dialects_are_asked_first() -> None:
    loud = TINY.evolve(recognises=lambda source: source.text.startswith("let:"))
    known = Dialects([loud], entry_points=False)
    assert known.recognise(Source("a", "let: {}", "yaml")) is loud
    assert known.recognise(Source("a", "kind: Project", "yaml")).name == "garden"
    assert known.recognise(Source("a", "a: 1", "yaml")).name == "bluelink"


def test_the_library_recognises_and_is_told() -> None:
    source = Source("garden.yml", "kind: Project\nname: a\nvariables: {b: '${1 + 1}'}\n", "yaml")
    run = render(source, files=MemoryFiles({}))
    assert run.ok
    assert run.dialect is find_dialect("garden")
    assert "b: 2" in run.text()
    told = render(source, files=MemoryFiles({}), dialect="bluelink")
    assert not told.ok
    assert_diagnostics(check(source, files=MemoryFiles({})))
    assert story(run).startswith("=== load\n")


def test_a_dialect_is_named(project: Path) -> None:
    assert "1  load" in output(project, "stages", "--dialect", "garden")
    assert "  camelCase(" in output(project, "functions", "--dialect", "garden")
    assert output(project, "functions", "camelCase", "--dialect=garden").startswith("camelCase(")
    assert output(project, "eval", "1 + 1", "--dialect", "garden") == "2\n"
    # an expression may have templates in its strings
    inner = 'var.replicas["${environment.name}"]'
    lines = ["call [key]", "  reference var.replicas", "  reference environment.name", ""]
    assert output(project, "parse", inner, "--dialect", "garden").split("\n") == lines
    assert output(project, "parse", f"a {inner}", "--dialect", "garden").startswith("text")
    shown = output(project, "parse", "a.b || 1", "--dialect", "garden")
    assert shown == "call ||\n  reference a.b\n  integer 1\n"
    (project / "action.yaml").write_text("name: a\nkind: Run\ntype: exec\n", "utf-8")
    assert output(project, "check", "action.yaml", "--dialect", "garden") == ""
    for command in (
        *(["render", "app.yaml"], ["check", "app.yaml"], ["why", "app.yaml", "a"]),
        *(["graph", "app.yaml"], ["diff", "app.yaml", "app.yaml"], ["eval", "1"], ["parse", "1"]),
        *(["stages"], ["functions"]),
    ):
        done = bpp(project, *command, "--dialect", "gardn")
        assert done.returncode == 2
        assert "unknown dialect `gardn`" in done.stderr
        assert "did you mean `garden`?" in done.stderr


# --- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", [(), ("--seed", "1")])  # read without typer, and by it
def test_options_of_a_dialect(project: Path, extra: tuple[str, ...]) -> None:
    def rendered(*options: str) -> str:
        return output(project, "render", "garden.yml", *options, *extra)

    assert "size: 1\n" in rendered()
    chosen = rendered("--env", "prod", "--var", "host=a.b,level=x", "--local-env", "NAME=ci")
    for line in ("size: 3", "level: x", "url: https://a.b/", "user: ci"):
        assert f"  {line}\n" in chosen
    assert "user: nobody" in rendered("--local-env=OTHER")
    (project / "context.yaml").write_text("local: {env: {NAME: file}}\n", "utf-8")
    assert "user: file" in rendered("--context", "context.yaml")
    assert "user: here" in rendered("--context", "context.yaml", "--local-env", "NAME=here")
    (project / "state.json").write_text(
        '{"actions": {"build": {"api": {"outputs": {"image": "i:1"}}}}}', "utf-8"
    )
    assert "image: i:1" in rendered("--state", "state.json")
    assert "kind: Deploy" not in rendered("--no-scan")
    assert "kind: Deploy" in rendered("--no-scan", "--garden-file", "api/garden.yml")


def test_the_process_is_asked_for_named_variables_only(project: Path) -> None:
    command = ("render", "garden.yml", "--local-env", "NAME")
    assert "user: somebody" in output(project, *command, env={"NAME": "somebody"})
    assert "user: nobody" in output(project, *command)
    assert "user: ${local.env.NAME" in output(
        project, "render", "garden.yml", env={"NAME": "somebody"}
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("render app.yaml --env dev", "--env is an option of the dialect `garden`, and `app.yaml`"),
        ("render app.yaml --no-scan --seed 1", "--no-scan is an option of the dialect `garden`"),
        ("why app.yaml resources --mode deploy.a=b", "--mode is an option of the dialect `garden`"),
        ("eval 1 --env dev", "and `<expression>` is written in `bluelink`"),
        ("diff app.yaml --env-a dev", "--env is an option of the dialect `garden`"),
        ("render garden.yml --datasources x.yaml", "--datasources does not apply to `garden.yml`"),
        (
            "render garden.yml --split out",
            "--split does not apply to `garden.yml`, which is",
        ),
        ("check garden.yml --keep-transform x", "--keep-transform does not apply"),
        ("lock garden.yml", "nothing is fetched in the dialect `garden`"),
        ("render garden.yml --garden-merge rfc", "--garden-merge cannot be `rfc`"),
        ("render garden.yml --mode api", "--mode is written ACTION=MODE"),
        ("check garden.yml --mode deplyo.a=b", "--mode: unknown kind of action `deplyo`"),
        ("check app.yaml --env dev", "--env is an option of the dialect `garden`"),
        ("render garden.yml --var size", "--var is written NAME=VALUE"),
        ("render garden.yml --local-env =x", "--local-env is written NAME or NAME=VALUE"),
        ("render garden.yml --stop-after prune", "--stop-after cannot be `prune`"),
        ("render garden.yml --show names", "--show cannot be `names`; it is one of variables"),
        (
            "render garden.yml --show variables --stop-after load",
            "--show cannot be combined with --stop-after",
        ),
        ("render app.yaml --show variables", "--show has no views in the dialect"),
        ("render garden.yml --evn dev", "No such option"),
    ],
)
def test_wrong_usage(project: Path, command: str, words: str) -> None:
    done = bpp(project, *command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        ("render garden.yml --env prd", 1, "did you mean `prod`?"),
        ("render none.yml --env prod", 3, "`none.yml` does not exist"),
        ("diff none.yml --env-a dev --env-b prod", 3, "`none.yml` does not exist"),
        ("render garden.yml --state none.yaml", 3, "error[file_not_found]: `none.yaml`"),
        ("render garden.yml --context none.yaml", 3, "error[file_not_found]: `none.yaml`"),
        ("render garden.yml --vars none.yaml", 3, "error[file_not_found]: `none.yaml`"),
        ("render garden.yml --state list.yaml", 1, "error[invalid_state]: `list.yaml`"),
        ("check garden.yml --state typo.yaml", 1, "`actionz`; did you mean `actions`?"),
        ("check garden.yml --state typo.yaml", 1, "unknown kind of action `rnu`"),
        ("check garden.yml --state typo.yaml", 1, "`providers` must be a map"),
        ("check garden.yml --env prd", 1, "did you mean `prod`?"),
        ("check garden.yml --context wrong.yaml", 1, "file]: unknown context `env`"),
        ("render garden.yml --context wrong.yaml", 1, "file]: unknown context `env`"),
        ("render garden.yml --strict", 1, "error[unresolved_value]"),
        ("why garden.yml deploy.ap", 2, "there is no `ap` in `deploy`"),
        ("eval var.siz -f garden.yml", 1, "did you mean `size`?"),
        ("eval var. -f garden.yml", 1, "error[invalid_substitution]"),
    ],
)
def test_mistakes_of_users(project: Path, command: str, status: int, words: str) -> None:
    (project / "list.yaml").write_text("[1]\n", "utf-8")
    typo = "actionz: {}\nactions: {rnu: {}}\nproviders: [1]\n"
    (project / "typo.yaml").write_text(typo, "utf-8")
    (project / "wrong.yaml").write_text("env: {NAME: password}\n", "utf-8")
    done = bpp(project, *command.split())
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr
    assert "password" not in done.stderr


def test_what_is_wrong_with_a_project_is_told_everywhere(project: Path) -> None:
    (project / "prod.env").unlink()
    assert (
        "error[file_not_found]: `prod.env`"
        in bpp(project, "render", "garden.yml", "--env", "prod").stderr
    )
    assert bpp(project, "render", "garden.yml", "--env", "dev").returncode == 0
    broken = 'kind: Run\ntype: exec\nname: x\nspec: {$if: true, $then: "${1 +}"}\n'
    (project / "x.garden.yml").write_text(broken, "utf-8")
    for command in ("render", "check", "graph"):
        done = bpp(project, command, "garden.yml", "--diagnostics", "json")
        [found] = json.loads(done.stdout if command == "check" else done.stderr)["diagnostics"]
        assert (done.returncode, found["code"], found["file"]) == (
            1,
            "invalid_substitution",
            "x.garden.yml",
        )
    (project / "x.garden.yml").unlink()
    cycle = PROJECT.replace("size: 1", 'size: "${var.host}"').replace("localhost", '"${var.size}"')
    (project / "garden.yml").write_text(cycle, "utf-8")
    told = bpp(project, "render", "garden.yml", "--diagnostics", "github")
    assert "the references form a cycle: var." in told.stdout + told.stderr


def test_own_options_are_in_the_help(project: Path) -> None:
    plain = re.sub(r"\s+", " ", output(project, "diff", "--help"))
    for flag in ("--env NAME", "--env-a, --env-b", "--garden-merge engine|rfc7396"):
        assert flag in plain
    assert "--env" not in output(project, "lock", "--help")
    heading = "Options of the dialect garden:"
    assert plain.index("--help") < plain.index(heading) < plain.index("--env NAME")
    assert heading in output(project, "render", "--dialect", "garden-v2", "--help")
    assert "--env" not in output(project, "render", "--dialect", "bluelink", "--help")


def test_options_of_other_dialects_are_data() -> None:
    line = CommandLine(options=(Option("--size", "How large.", "N"),), refuses=("--state",))
    dialect = TINY.evolve(command_line=line)
    assert misplaced(dialect, ["--size"], ["--var"], "a.yaml") is None
    assert "--state does not apply" in str(misplaced(dialect, [], ["--state"], "a.yaml"))
    assert "of the dialect `garden`" in str(misplaced(dialect, ["--env"], [], "a.yaml"))
    assert "--env" in dialect_options("nobody")


# --- what commands answer -----------------------------------------------------------------------


def test_variables_with_their_sources(project: Path) -> None:
    shown = output(
        project, "render", "garden.yml", "--env", "prod", "--show", "variables", "--format", "json"
    )
    found = json.loads(shown)
    assert found["level"]["value"] == "warning"
    assert found["level"]["source"] == "prod.env:1:1"
    assert [below["level"] for below in found["size"]["below"]] == ["project"]


def test_why(project: Path) -> None:
    def explained(path: str) -> str:
        return output(project, "why", "garden.yml", path, "--env", "prod")

    told = explained("deploy.api.spec.level")
    assert 'var.level = "warning"  (from environment varfile, prod.env:1:1)' in told
    told = explained("deploy.api.variables")
    assert "var.host" in told
    assert "made of\n" in told
    told = explained("run.job.spec.command[0]")
    assert 'actions.deploy.api.var.url = "https://localhost/"' in told
    assert "actions.build.api.outputs.image: not known yet" in explained("deploy.api.spec.image")
    assert "secrets.key: a secret" in explained("deploy.api.spec.key")
    told = explained("deploy.api.spec.gone")
    assert "(gone)" in told
    assert "resolve" in told
    told = explained("project.shop.name")
    assert "written there as it is" in told
    assert 'environment.name = "prod"' in explained("deploy.api.spec.kept")


def test_causes_of_causes() -> None:
    text = (
        "kind: Project\nname: a\nenvironments: [{name: d, variables: {u: 'x${var.u}'}}]\n"
        "variables: {h: [1, {p: 2}], u: '${var.h[1].p}'}\n"
        "---\nkind: Run\ntype: exec\nname: r\nspec: {a: '${var.u}', b: '${upper(var.u)}'}\n"
    )
    run = render(Source("garden.yml", text, "yaml"), files=MemoryFiles({}))
    told = why(run, "run.r.spec")
    first, second, *rest = told.causes
    assert (first.name, first.value, first.how) == ("var.u", "x2", "environment")
    assert [cause.name for cause in first.causes] == ["var.u"]
    assert second.name == "upper"
    assert rest == []


MERGED = """\
kind: Project
name: p
variables: {m: {a: 1, b: 2, c: {x: 1, y: 2}}, on: true}
environments: [{name: dev, variables: {m: {b: 3, c: {y: 5}}}}]
---
kind: Run
name: r
variables: {m: {e: 5}}
spec:
  merged: {b: 0, $merge: "${var.m}", e: own}
  whole: ["${var.m}"]
  chosen: {$if: "${var.on}", $then: "${var.m}"}
"""


@pytest.mark.parametrize(
    ("path", "name", "how", "place"),
    [
        ("merged.a", "var.m.a", "project", "garden.yml:3:20"),
        ("merged.b", "var.m.b", "environment", "garden.yml:4:47"),
        ("whole[0].e", "var.m.e", "action", "garden.yml:8:20"),
        ("whole[0].c.x", "var.m.c.x", "project", "garden.yml:3:36"),
        ("chosen.c.y", "var.m.c.y", "environment", "garden.yml:4:57"),
    ],
)
def test_parts_of_a_merged_map_have_their_own_places(
    path: str, name: str, how: str, place: str
) -> None:
    run = render(Source("garden.yml", MERGED, "yaml"), files=MemoryFiles({}))
    cause = why(run, f"run.r.spec.{path}").causes[-1]
    assert (cause.name, cause.how, str(cause.span)) == (name, how, place)


def test_a_merged_map_names_what_other_levels_give() -> None:
    run = render(Source("garden.yml", MERGED, "yaml"), files=MemoryFiles({}))
    (cause,) = why(run, "run.r.spec.merged").causes
    assert (cause.name, cause.how) == ("var.m", "action")
    inner = {one.name: (one.value, one.how) for one in cause.causes}
    assert inner == {
        "var.m.a": (1, "project"),
        "var.m.b": (3, "environment"),
        "var.m.c": ({"x": 1, "y": 5}, "environment"),
    }
    assert why(run, "run.r.spec.merged.e").causes == ()


def test_graph(project: Path) -> None:
    drawn = output(project, "graph", "garden.yml", "--env", "prod")
    assert "Deploy/container" in drawn
    assert "n1 -.-> n0" in drawn
    data = json.loads(
        output(project, "graph", "garden.yml", "--env=prod", "--format=json", "--show=variables")
    )
    edges = {(edge["from"], edge["to"], edge["kind"]) for edge in data["edges"]}
    assert ("run.job", "deploy.api", "dependsOn") in edges
    assert ("deploy.api", "build.api", "dependsOn") in edges
    assert ("deploy.api", "variables.size", "reference") in edges
    assert {node["kind"] for node in data["nodes"]} == {"action", "variable"}
    assert "digraph" in output(project, "graph", "garden.yml", "--format", "dot")
    assert "disabled" not in drawn
    # disabled in this environment
    drawn = output(project, "graph", "garden.yml", "--env", "dev")
    assert "  class n2 disabled\n" in drawn
    assert "dotted: disabled" in drawn
    drawn = output(project, "graph", "garden.yml", "--env", "dev", "--format", "dot")
    assert 'style="filled,rounded,dotted"' in drawn
    data = json.loads(output(project, "graph", "garden.yml", "--env=dev", "--format=json"))
    assert [node["name"] for node in data["nodes"] if node.get("disabled")] == ["job"]


def test_a_graph_of_what_fails_late_is_drawn(project: Path) -> None:
    wrong = ACTIONS.replace("${var.size}", "${var.siz}")
    (project / "api" / "garden.yml").write_text(wrong, "utf-8")
    done = bpp(project, "graph", "garden.yml")
    assert done.returncode == 1
    assert "did you mean `size`?" in done.stderr
    assert "n1 -.-> n0" in done.stdout


def test_environments_are_compared(project: Path) -> None:
    done = bpp(project, "diff", "garden.yml", "--env-a", "dev", "--env-b", "prod")
    assert done.returncode == 1
    assert "~ deploy.api.spec.size: 1 -> 3\n" in done.stdout
    assert '~ deploy.api.spec.level: "debug" -> "warning"\n' in done.stdout
    assert output(project, "diff", "garden.yml", "garden.yml", "--env", "prod") == ""
    # two dialects, whose parsed texts must not be mixed
    assert bpp(project, "diff", "app.yaml", "garden.yml").returncode == 1


UNREAD = """\
kind: Project
name: p
variables: {base: example.com}
environments:
  - {name: dev, variables: {host: "dev.${var.base}"}}
  - {name: prod, variables: {host: "${var.base}"}}
providers:
  - {name: local, environments: [dev], x: "${var.base}"}
  - {name: kubernetes, environments: [prod], x: "${var.base}"}
---
{kind: Deploy, name: db, type: container, environments: [prod], spec: {host: "${var.host}"}}
---
{kind: Deploy, name: api, type: container, spec: {host: "${var.host}"}}
"""


def test_what_nothing_reads_is_no_difference(tmp_path: Path) -> None:
    (tmp_path / "garden.yml").write_text(UNREAD, "utf-8")
    command = ("diff", "garden.yml", "--env-a", "dev", "--env-b", "prod")
    assert output(tmp_path, *command, status=1) == (
        "- deploy.db.disabled: true\n"
        '~ deploy.api.spec.host: "dev.example.com" -> "example.com"\n'
        "1 removed, 1 changed\n"
    )
    # the environment that is rendered on both sides is compared
    command = ("diff", "garden.yml", "--env", "dev", "--var-a", "host=x", "--var-b", "host=y")
    assert "deploy.api.spec.host" in output(tmp_path, *command, status=1)
    changed = UNREAD.replace("[dev], x: ", "[dev], y: ")
    (tmp_path / "other.yml").write_text(changed, "utf-8")
    command = ("diff", "garden.yml", "other.yml", "--no-scan", "--env", "dev")
    found = output(tmp_path, *command, status=1)
    assert "project.p.providers[0].x" in found
    assert output(tmp_path, *command[:-1], "prod") == ""


def test_expressions_in_a_project(project: Path) -> None:
    scope = ("-f", "garden.yml", "--env", "prod")
    assert output(project, "eval", "var.size + 1", *scope) == "4\n"
    assert output(project, "eval", "actions.build.api.version", *scope).startswith("${actions.")
    assert output(project, "eval", '"${environment.name}" == "prod"', *scope) == "true\n"
    assert output(project, "eval", "${var.host}-${environment.name}", *scope) == (
        '"localhost-prod"\n'
    )


def test_unknowns(project: Path) -> None:
    done = bpp(project, "render", "garden.yml", "--explain-unknowns", "--env", "prod")
    rows = {part.split("\n")[0]: part for part in done.stderr.split("\n\n")}
    assert "`--state`: actions.build.api.outputs.image" in rows["actions.build.api.outputs.image"]
    assert "`--local-env NAME`" in rows["local.env.NAME"]
    assert "secret" in rows["secrets.key"]
    run = render(Source("a.yaml", "let: {}", "yaml"), files=MemoryFiles({}), dialect=TINY)
    assert list_unknowns(run) == ()
    assert [node.id for node in graph(run).nodes] == ["let"]


def test_paths_lead_into_any_dialect() -> None:
    one, two = (
        render(Source("a.yaml", f"let: {{n: {n}}}\na: <% n %>\n", "yaml"), dialect=TINY)
        for n in (1, 2)
    )
    assert [item.where for item in diff(one, two) if item.where == "a"] == ["a"]
    assert why(one, "a").value == 1


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_the_source_map_has_every_line(project: Path, form: str) -> None:
    files = ("-o", f"out.{form}", "--source-map", "map.json", "--depfile", "out.d")
    output(project, "render", "garden.yml", "--env", "prod", *files)
    lines = (project / f"out.{form}").read_text("utf-8").splitlines()
    told = json.loads((project / "map.json").read_text("utf-8"))
    [written] = told["outputs"]
    data = json.loads(output(project, "render", "garden.yml", "--env=prod", "--format=json"))
    assert {*written["places"]} == {pointer for pointer in _pointers(data, "") if pointer}
    for pointer, entry in written["places"].items():
        name = pointer.rpartition("/")[2]
        assert name.isdigit() or name in lines[entry[7] - 1]
    size = written["places"]["/2/spec/size"]
    assert told["files"][size[0]] == "api/garden.yml"
    assert told["computed"][size[8]]["references"] == ["var.size"]
    rule = (project / "out.d").read_text("utf-8").splitlines()[0]
    assert rule == f"out.{form}: garden.yml api/garden.yml prod.env"


def _pointers(data: Any, pointer: str) -> list[str]:
    found = [pointer]
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for key, inner in items:
            found += _pointers(inner, f"{pointer}/{key}")
    return found


# --- builds -------------------------------------------------------------------------------------

TARGETS = """\
[targets.shop]
blueprint = "garden.yml"
output = "{env}.yaml"
matrix = {env = ["dev", "prod"]}
variables = {host = "h", "deep.er" = 1}
"""


def _build(folder: Path, text: str) -> tuple[list[str], str]:
    path = folder / "bpp.toml"
    path.write_text(text, "utf-8")
    configuration = load_configuration(path)
    if not configuration.ok:
        return [], " ".join(item.summary for item in configuration.diagnostics)
    result = build_targets(configuration, jobs=1)
    said = [item.summary for one in result.results for item in one.diagnostics]
    return [one.status for one in result.results], " ".join(said)


def test_projects_are_built(project: Path) -> None:
    text = TARGETS + 'options = {env = "{env}", no-scan = true, garden-file = ["api/garden.yml"]}\n'
    assert _build(project, text)[0] == ["rendered", "rendered"]
    assert "size: 3" in (project / "prod.yaml").read_text("utf-8")
    assert "url: https://h/" in (project / "dev.yaml").read_text("utf-8")
    (project / "app.toml").write_text("", "utf-8")
    again = TARGETS + 'options = {env = "{env}"}\n'
    assert _build(project, again)[0] == ["rendered", "rendered"]
    # a file that is added to the folder counts
    (project / "new.garden.yml").write_text("kind: Run\ntype: exec\nname: new\n", "utf-8")
    assert _build(project, again)[0] == ["rendered", "rendered"]
    assert "name: new" in (project / "dev.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("options = {evn = 'a'}", "no dialect has the option `evn`"),
        ("options = {env = ['a']}", "`env` must be a single value"),
        ("options = {no-scan = 'a'}", "`no-scan` must be a boolean"),
        ("options = {explain-files = true}", "no dialect has the option `explain-files`"),
        ("options = {mode = [1]}", "`targets.shop.options.mode[0]` must be a string"),
        ("options = {garden-merge = 'x'}", "`garden-merge` must be one of engine, rfc7396"),
        ("options = {mode = 'x'}", "--mode is written ACTION=MODE"),
        ("options = {env = '{nv}'}", "unknown axis `nv`"),
        ("dialect = 'gardn'", "unknown dialect `gardn`"),
        ("dialect = 'bluelink'\noptions = {env = 'a'}", "--env is an option of the dialect"),
        ("datasources = 'x.yaml'", "--datasources does not apply to `garden.yml`"),
    ],
)
def test_mistakes_in_targets(project: Path, more: str, words: str) -> None:
    assert words in _build(project, TARGETS + more + "\n")[1]


def test_a_file_is_known_by_its_name_where_its_text_tells_nothing() -> None:
    def found(name: str, text: str = "kind: Deplyo\n") -> str:
        return detect_dialect(Source(name, text, "yaml")).name

    assert found("a/c.garden.yml") == found("garden.yaml") == "garden"
    assert found("a/mygarden.yml") == found("garden.yml/app.yaml") == "bluelink"
    assert found("garden.yml", "version: 2023-04-20\n") == "bluelink"
    assert found("garden.yml", "apiVersion: garden.io/v2\nkind: Deplyo\n") == "garden-v2"


def test_a_folder_is_no_file_but_may_have_one(project: Path) -> None:
    (project / "inner").mkdir()
    (project / "inner" / "project.garden.yml").write_text(PROJECT, "utf-8")
    hint = os.path.join("inner", "project.garden.yml")
    assert f"such as `{hint}`" in bpp(project, "render", "inner").stderr
    assert "such as `garden.yml`" in bpp(project, "why", ".", "project").stderr


# --- documents ----------------------------------------------------------------------------------


def test_sizes_of_dialects_are_told() -> None:
    text = (ROOT / "docs" / "dialects.md").read_text("utf-8")
    rows = re.findall(r"^\| (?:all|`[\w-]+`) \|[^|]+\| ([^|]+) \| (\d+) \|$", text, re.MULTILINE)
    assert len(rows) > 4
    counted: set[Path] = set()
    for where, told in rows[1:]:
        files = {file for path in re.findall(r"`([^`]+)`", where) for file in _python(path)}
        counted |= files
        assert _lines(files) == pytest.approx(int(told), rel=0.15)
    rest = _python("pipeline/") - counted
    assert _lines(rest) == pytest.approx(int(rows[0][1]), rel=0.15)


def _python(path: str) -> set[Path]:
    return {*ROOT.glob(path if "*" in path else f"{path}**/*.py")}


def _lines(files: set[Path]) -> int:
    texts = (file.read_text("utf-8") for file in files)
    return sum(text.count("\n") for text in texts if not text.startswith('"""Generated by '))


def test_the_example_is_a_project_without_mistakes(tmp_path: Path) -> None:
    folder = tmp_path / "garden"
    shutil.copytree(ROOT / "examples" / "garden-shop", folder)
    assert output(folder, "check", "project.garden.yml") == ""
    once = output(folder, "render", "project.garden.yml", "--env", "prod", "-o", "once.yaml")
    assert once == ""
    again = output(folder, "render", "once.yaml", "--env", "prod", "--no-scan")
    assert again == (folder / "once.yaml").read_text("utf-8")


def test_secrets_of_a_state_file_are_told_by_wish_only() -> None:
    text = "kind: Project\nname: a\nvariables: {b: '${secrets.c}'}\n"
    source = Source("garden.yml", text, "yaml")
    from bpp.pipeline.dialects.garden import ProjectOptions

    options = ProjectOptions(state={"secrets": {"c": "hunter2"}})
    for secrets, shown in (("keep", "${secrets.c}"), ("mask", "(secret)"), ("reveal", "hunter2")):
        settings = Settings(secrets=secrets)
        run = render(source, files=MemoryFiles({}), options=options, settings=settings)
        assert f"b: {shown}\n" in run.text()


def test_check_looks_into_every_environment() -> None:
    text = """\
apiVersion: garden.io/v1
kind: Project
name: shop
variables: {size: 1, all: "${var.nothing}"}
environments:
  - {name: dev, variables: {a: "${var.b}", b: "${var.a}"}}
  - {name: prod, defaultNamespace: null, variables: {c: "${var.sise}", d: '${1 + "x"}'}}
"""
    found = check(Source("project.garden.yml", text), files=MemoryFiles({}))
    assert_diagnostics(
        found,
        [
            "key_not_found@4",
            "reference_cycle@6",
            "key_not_found@7",
            "invalid_argument_type@7",
        ],
    )


NAMESPACES = """\
kind: Project
name: shop
variables: {base: shop, nothing: null}
environments:
  - {name: dev, defaultNamespace: "${var.base}-${local.username}"}
  - {name: blue, defaultNamespace: "${project.name}-blue"}
  - {name: shared, defaultNamespace: null}
  - {name: own, defaultNamespace: "${var.nothing}"}
outputs: [{name: place, value: "${environment.fullName}"}]
---
kind: Run
name: job
type: exec
spec: {command: ["${environment.namespace}"]}
"""


def test_a_computed_namespace_in_every_command(tmp_path: Path) -> None:
    (tmp_path / "garden.yml").write_text(NAMESPACES, "utf-8")
    asked = bpp(tmp_path, "check", "garden.yml").stderr
    assert asked.startswith("note[caller_value]: only the caller knows `local.username`")
    assert asked.endswith("\n1 note\n")
    assert output(tmp_path, "eval", "${environment.fullName}", "-f", "garden.yml") == (
        "${environment.fullName}\n"
    )
    blue = ("-f", "garden.yml", "--env", "blue")
    assert output(tmp_path, "eval", "${environment.fullName}", *blue) == '"shop-blue.blue"\n'
    assert "Run/exec" in output(tmp_path, "graph", "garden.yml")
    told = bpp(tmp_path, "diff", "garden.yml", "--env-a", "dev", "--env-b", "blue").stdout
    assert '~ run.job.spec.command[0]: "${environment.namespace}" -> "shop-blue"\n' in told
    done = bpp(tmp_path, "render", "garden.yml", "--explain-unknowns")
    rows = {part.split("\n")[0]: part for part in done.stderr.split("\n\n")}
    assert "`--env NAMESPACE.dev`" in rows["environment.namespace"]
    assert "`--context`: local.username" in rows["local.username"]


def test_why_a_namespace_is_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "garden.yml").write_text(NAMESPACES, "utf-8")

    def causes(path: str, *options: str) -> str:
        return output(tmp_path, "why", "garden.yml", path, *options).partition("made of\n")[2]

    dev = (
        "  environment.namespace: not known yet  (from `defaultNamespace`, garden.yml:5:35)\n"
        '    var.base = "shop"  (from project, garden.yml:3:13)\n'
        "    local.username: not known yet\n"
    )
    assert causes("run.job.spec.command[0]").startswith(dev)
    given = '  environment.fullName = "me.dev"  (from --env)\n'
    assert causes("project.shop.outputs[0].value", "--env", "me.dev").startswith(given)


@pytest.mark.parametrize("environment", ["shared", "own"])
def test_only_a_render_needs_a_namespace(tmp_path: Path, environment: str) -> None:
    (tmp_path / "garden.yml").write_text(NAMESPACES, "utf-8")
    told = bpp(tmp_path, "render", "garden.yml", "--env", environment).stderr
    assert f"the environment `{environment}` needs a namespace" in told
    shown = output(tmp_path, "render", "garden.yml", "--env", f"me.{environment}")
    assert f"value: me.{environment}\n" in shown


def test_a_namespace_that_is_given_needs_no_default(tmp_path: Path) -> None:
    (tmp_path / "garden.yml").write_text(NAMESPACES, "utf-8")
    told = bpp(tmp_path, "render", "garden.yml", "--strict").stderr
    assert "defaultNamespace` is unknown: it depends on `local.username`" in told
    assert output(tmp_path, "render", "garden.yml", "--strict", "--env", "me.dev")


@pytest.mark.parametrize("text", ["${var[local.username]}", "${var.a[local.username]}"])
def test_why_a_key_is_not_known(tmp_path: Path, text: str) -> None:
    (tmp_path / "garden.yml").write_text(
        "kind: Project\nname: p\nenvironments: [{name: local}]\nvariables: {a: {b: 1}}\n"
        f"---\nkind: Deploy\nname: d\ntype: exec\nspec: {{f: '{text}'}}\n"
    )
    told = output(tmp_path, "why", "garden.yml", "deploy.d.spec.f")
    assert "local.username: not known yet" in told
