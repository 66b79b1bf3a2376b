"""What the shell is offered at the end of a command line, through the protocol that typer uses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bpp.pipeline.cli.app import COMMANDS
from bpp.pipeline.cli.completion import _KINDS
from bpp.pipeline.dialects.table import NAMES
from bpp.pipeline.engine.options import GROUPS, rows_by_field, rows_of
from test_cli import BPP

BLUEPRINT = """\
version: 2023-04-20
variables:
  env: {type: string}
  password: {type: string, secret: true, default: hush-hush}
values:
  names: {type: array, value: "${list(\\"a\\", \\"b\\")}"}
resources:
  queue: {type: a/b, each: "${values.names}", spec: {name: "${elem}"}}
  web:
    type: a/b
    spec:
      name: ${variables.env}
      key: ${variables.password}
      tags: [a, b]
      "$(touch pwned)": 1
"""
ODD = BLUEPRINT.replace("  env:", '  "$(touch pwned)": {type: string}\n  env:')
GARDEN = """\
apiVersion: garden.io/v1
kind: Project
name: shop
environments: [{name: dev, variables: {size: 1}}, {name: prod}]
variables: {host: localhost}
"""
KARGO = "---\n".join(
    f"apiVersion: kargo.akuity.io/v1alpha1\nkind: Stage\nmetadata: {{name: {name}}}\n"
    for name in ("test", "prod")
)
TARGETS = """\
[targets.web]
blueprint = "app.yaml"
output = "build/{env}.yaml"
[targets.web.matrix]
env = ["dev", "prod"]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("completion")
    for name, text in (
        ("app.yaml", BLUEPRINT),
        ("project.garden.yml", GARDEN),
        ("kargo.yaml", KARGO),
        ("bpp.toml", TARGETS),
        ("notes.txt", ""),
        ("prod.env", ""),
        ("parts/one.yaml", ODD),
        ("parts/two.json", "{}"),
    ):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


def offered(folder: Path, line: str, shell: str = "bash") -> list[str]:
    """The words that are offered at the end of a line, whose last word may be empty."""
    words = line.split(" ")
    env = {name: value for name, value in os.environ.items() if not name.startswith("BPP_")}
    env |= {"_BPP_COMPLETE": f"complete_{shell}", "BPP_CACHE_DIR": str(folder / ".cache")}
    if shell == "bash":
        env |= {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}
    else:
        env |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run(
        [BPP], cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.stderr == ""
    return [word for word in done.stdout.split("\n") if word]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bpp ren", ["render"]),
        ("bpp render ", ["app.yaml", "kargo.yaml", "parts/", "project.garden.yml"]),
        ("bpp render pa", ["parts/", "parts/one.yaml", "parts/two.json"]),
        ("bpp render parts/t", ["parts/two.json"]),
        ("bpp render app.yaml --vars pr", ["prod.env", "project.garden.yml"]),
        ("bpp render app.yaml --split ", ["parts/"]),
        ("bpp render app.yaml --var ", ["env=", "password="]),
        ("bpp diff app.yaml --var-b e", ["env="]),
        ("bpp render nosuch.yaml --var ", []),
        ("bpp render app.yaml --stop-after e", ["each", "export"]),
        ("bpp render project.garden.yml --stop-after e", ["environment"]),
        ("bpp render --dialect garden --stop-after r", ["resolve"]),
        ("bpp render --dialect ", sorted(NAMES)),
        ("bpp render --diagnostics ", ["text", "json", "sarif", "github"]),
        ("bpp render --limit max_inp", ["max_input_bytes="]),
        ("bpp render project.garden.yml --var ", ["host=", "size="]),
        ("bpp render project.garden.yml --env ", ["dev", "prod"]),
        ("bpp render project.garden.yml --show ", ["variables"]),
        ("bpp render kargo.yaml --stage ", ["prod", "test"]),
        ("bpp explain limit", ["limit_exceeded", "limit_not_tighter", "limits"]),
        ("bpp check --ignore limit_n", ["limit_not_tighter"]),
        ("bpp functions trimp", ["trimprefix", "trimprefix_g"]),
        ("bpp build ", ["web", "web[env=dev]", "web[env=prod]"]),
        ("bpp build --config ", ["bpp.toml", "parts/"]),
        ("bpp cache ", ["show", "clear"]),
        ("bpp integration ", ["bazel", "cmake"]),
        ("bpp why app.yaml --var env=x resources.q", ["resources.queue_0", "resources.queue_1"]),
        (
            "bpp why app.yaml --var env=x resources.w",
            ["resources.web", "resources.web.spec", "resources.web.type"],
        ),
        (
            "bpp why app.yaml --var env=x resources.web.spec.t",
            [
                "resources.web.spec.tags",
                "resources.web.spec.tags[0]",
                "resources.web.spec.tags[1]",
            ],
        ),
        ("bpp why app.yaml resources.que", ["resources.queue"]),
        ("bpp why project.garden.yml pro", ["project", "project.shop"]),
    ],
)
def test_values_are_offered(folder: Path, line: str, words: list[str]) -> None:
    found = offered(folder, line)
    if words == ["resources.queue"]:  # without its variables the render stops before instances
        assert words[0] in found
    else:
        assert found == words


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_no_shell_is_offered_a_value_or_a_command(folder: Path, shell: str) -> None:
    lines = ("bpp render parts/one.yaml --var ", "bpp why app.yaml --var env=x ")
    for line in (*lines, lines[1] + "variables.", lines[1] + "resources.web.spec."):
        text = "\n".join(offered(folder, line, shell))
        assert "hush" not in text and "touch" not in text
    assert "password=" in "\n".join(offered(folder, lines[0], shell))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_offered_the_same(folder: Path, shell: str) -> None:
    """The scripts hand over what `offered` does, and read what is answered in their own form."""
    env = {**os.environ, "_BPP_COMPLETE": f"source_{shell}"}
    script = subprocess.run([BPP], env=env, capture_output=True, encoding="utf-8", check=True)
    asked = {"bash": ["COMP_WORDS", "COMP_CWORD"], "zsh": ["_TYPER_COMPLETE_ARGS"]}
    fish = ["_TYPER_COMPLETE_ARGS", "_TYPER_COMPLETE_FISH_ACTION=get-args"]
    for name in (*asked.get(shell, fish), f"_BPP_COMPLETE=complete_{shell}"):
        assert name in script.stdout
    for line, words in (
        ("bpp render app.yaml --var ", ["env=", "password="]),
        ("bpp build web", ["web", "web[env=dev]", "web[env=prod]"]),
        ("bpp why app.yaml --var env=x resources.q", ["resources.queue_0", "resources.queue_1"]),
    ):
        answer = "\n".join(offered(folder, line, shell))
        if shell == "zsh":
            start, _, rest = answer.partition("((")
            assert (start, rest[-3:]) == ("_arguments '*: :", "))'")
            answer = "\n".join(word.strip('"') for word in rest[:-3].split("\n"))
        assert answer.split("\n") == words


def test_a_command_is_completed_without_the_engine(folder: Path) -> None:
    code = (
        "import os, sys; os.environ.update(_BPP_COMPLETE='complete_bash', COMP_WORDS='bpp\\nre', "
        "COMP_CWORD='1'); sys.argv = ['bpp']; sys.settrace(lambda *a: None)\n"
        "from bpp.pipeline.cli.entry import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name.startswith('bpp.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("render\n"), done.stderr
    for name in ("rendering", "engine.evaluation", "dialects.bluelink", "answers", "building"):
        assert f"'bpp.pipeline.{name}" not in done.stdout


def test_each_kind_of_values_is_in_the_table_of_options() -> None:
    rows = [row for _, several in rows_by_field() for row in several]
    named = {row.values for row in rows if row.values}
    assert named == set(_KINDS)


def test_options_that_several_commands_have_are_grouped_in_help() -> None:
    grouped = [field for fields in GROUPS.values() for field in fields]
    assert len(grouped) == len(set(grouped))
    fields = {name: row for name, rows in rows_by_field() for row in rows}
    assert set(grouped) <= set(fields)
    loose = [name for name, row in fields.items() if name not in grouped and not row.is_argument]
    assert all(len(fields[name].commands) == 1 for name in loose)


@pytest.mark.parametrize("command", COMMANDS)
def test_summaries_are_not_cut(command: str) -> None:
    done = subprocess.run(
        [BPP, "--help"],
        env={**os.environ, "COLUMNS": "80"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    shown = " ".join(done.stdout.split())
    assert " ".join(COMMANDS[command].get_short_help_str(10).split()) in shown
    assert max(map(len, done.stdout.splitlines())) <= 80
    # an editor is served without options
    assert [row for _, row in rows_of(command)] or command == "lsp"
