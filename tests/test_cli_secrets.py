"""A secret is printed nowhere unless it is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.harness import load_yaml
from support.in_process import bpp_inside as bpp

SECRET = "hunter2xyzzy"
GIVEN = """\
version: 2023-04-20
variables:
  password: {type: string, secret: true}
"""
BLUEPRINT = f"""\
version: 2023-04-20
variables:
  password: {{type: string, secret: true, default: {SECRET}}}
values:
  object: {{type: object, secret: true, value: {{key: {SECRET}}}}}
  text: {{type: string, secret: true, value: {SECRET}}}
  derived: {{type: string, value: "a-${{variables.password}}"}}
  parts: {{type: array, value: "${{split(variables.password, \\"2\\")}}"}}
include:
  child:
    path: child.yaml
    variables: {{name: "${{variables.password}}", other: "${{values.text}}"}}
resources:
  a:
    type: a/b
    description: ${{variables.password}}
    condition: ${{contains(variables.password, "h")}}
    spec:
      one: ${{values.object.key}}
      two: ${{to_upper(values.derived)}}
      three: ${{children.child.name}}
exports:
  password: {{type: string, field: values.derived}}
metadata: {{password: "${{variables.password}}"}}
"""
CHILD = """\
version: 2023-04-20
variables:
  name: {type: string}
  other: {type: string}
resources:
  r: {type: a/b, spec: {name: "${variables.name}-${to_upper(variables.other)}"}}
exports:
  name: {type: string, field: resources.r.spec.name}
"""
STAGES = ("load", "transform", "include", "substitute", "prune", "each", "export")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a blueprint full of one secret."""
    (tmp_path / "b.yaml").write_text(BLUEPRINT)
    (tmp_path / "child.yaml").write_text(CHILD)
    return tmp_path


def hidden(text: str) -> None:
    """Fails when the secret is in a text, in whatever case."""
    assert SECRET not in text.lower()


@pytest.mark.parametrize("how", ["keep", "mask"])
@pytest.mark.parametrize("stage", STAGES)
def test_no_stage_prints_a_secret(folder: Path, stage: str, how: str) -> None:
    done = bpp(folder, "render", "b.yaml", "--stop-after", stage, "--secrets", how)
    assert done.returncode == 0, done.stderr
    hidden(done.stdout + done.stderr)


def test_no_file_holds_a_secret(folder: Path) -> None:
    written = ("--split", "s", "--dump-stages", "d", "--depfile", "f")
    done = bpp(folder, "render", "b.yaml", *written, "--timings")
    assert done.returncode == 0, done.stderr
    hidden(done.stdout + done.stderr)
    for file in folder.rglob("*"):
        if file.is_file() and file.parent != folder:
            hidden(file.read_bytes().decode("utf-8", "replace"))


def test_a_render_with_secrets_renders_to_itself(folder: Path) -> None:
    assert bpp(folder, "render", "b.yaml", "-o", "out.yaml").returncode == 0
    again = bpp(folder, "render", "out.yaml")
    assert again.returncode == 0, again.stderr
    assert again.stdout == (folder / "out.yaml").read_text()


def test_a_child_that_gets_a_secret_keeps_it(folder: Path) -> None:
    assert bpp(folder, "render", "b.yaml", "--split", "s").returncode == 0
    done = bpp(folder, *f"render s/child.yaml --var name={SECRET} --var other={SECRET}".split())
    hidden(done.stdout + done.stderr)


def test_secrets_are_revealed_on_demand(folder: Path) -> None:
    done = bpp(folder, "render", "b.yaml", "--secrets", "reveal", "--strict")
    assert done.returncode == 0, done.stderr
    spec = load_yaml(done.stdout)["resources"]["a"]["spec"]
    assert spec["one"] == SECRET
    assert spec["two"] == f"A-{SECRET.upper()}"


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
@pytest.mark.parametrize(
    "line",
    [
        f"p: {{type: integer, secret: true, default: {SECRET}}}",
        f"p: {{type: string, secret: true, default: {SECRET}, allowedValues: [x{SECRET}]}}",
        f"p: {{type: string, secret: true, default: {SECRET}, unknown: 1}}",
        f"p: {{secret: true, default: {SECRET}}}",
        f"p: {{type: strin, secret: true, default: {SECRET}}}",
        f"p: {{type: string, secret: true, default: [{SECRET}]}}",
        f"p: {{type: string, secret: true, default: {SECRET}: x}}",
        f'p: {{type: string, secret: true, default: "${{{SECRET}}}"}}',
        f"p: {{type: string, secret: yes, default: {SECRET}}}",
    ],
)
def test_no_mistake_quotes_a_default(folder: Path, line: str, form: str) -> None:
    text = f"version: 2023-04-20\nvariables:\n  {line}\nresources: {{}}\n"
    done = bpp(folder, "render", "-", "--diagnostics", form, text=text)
    assert done.returncode == 1
    hidden(done.stdout + done.stderr)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.yaml", f"password: [{SECRET}]\n"),
        ("v.yaml", f'password: "{SECRET}\n'),
        ("v.yaml", f"pasword: {SECRET}\n"),
        ("v.toml", f"password = {SECRET}\n"),
        ("v.json", f'{{"password": "{SECRET}",,}}'),
        ("v.env", f"password {SECRET}\n"),
    ],
)
def test_no_mistake_quotes_a_variables_file(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)
    done = bpp(folder, "render", "-", "--vars", name, text=GIVEN + "resources: {}\n")
    assert done.returncode in (0, 1)
    hidden(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "expression",
    [
        "jsondecode(variables.password)",
        'fromjson(variables.password, "/a")',
        "file(variables.password)",
        "http_resource(variables.password)",
        "substr(variables.password, 90, 99)",
        'split(variables.password, "2")[99]',
        "and(true, variables.password)",
    ],
)
@pytest.mark.parametrize("how", ["keep", "mask"])
def test_no_call_tells_a_secret(folder: Path, expression: str, how: str) -> None:
    spec = f"resources: {{a: {{type: a/b, spec: {{x: '${{{expression}}}'}}}}}}\n"
    arguments = ("--var", f"password={SECRET}", "--secrets", how)
    done = bpp(folder, "render", "-", *arguments, text=GIVEN + spec)
    assert done.returncode in (0, 1), done.stderr
    hidden(done.stdout + done.stderr)


@pytest.mark.parametrize(
    ("command", "form"),
    [("render", "text"), ("render", "json"), ("check", "text"), ("check", "sarif")],
)
@pytest.mark.parametrize(
    "given",
    [
        SECRET,
        f'"{SECRET}"',
        f'${{to_upper("{SECRET}")}}',
        f'${{join(list("{SECRET}"), "-")}}',
    ],
)
def test_what_a_child_is_given_for_a_secret_is_told_nowhere(
    tmp_path: Path, given: str, command: str, form: str
) -> None:
    (tmp_path / "b.yaml").write_text(
        "version: 2023-04-20\n"
        "include:\n"
        "  child:\n"
        "    path: child.yaml\n"
        "    variables:\n"
        f"      pin: {given}\n"
    )
    (tmp_path / "child.yaml").write_text(
        "version: 2023-04-20\n"
        "variables:\n"
        "  pin: {type: string, secret: true, allowedValues: [one, two]}\n"
        "resources: {}\n"
    )
    written = ["--dump-stages", "d"] if command == "render" else []
    done = bpp(tmp_path, command, "b.yaml", "--diagnostics", form, *written)
    hidden(done.stdout + done.stderr)
    for file in tmp_path.glob("d/*"):
        hidden(file.read_text())


@pytest.mark.parametrize("command", ["render", "check"])
@pytest.mark.parametrize("form", ["text", "json", "sarif"])
@pytest.mark.parametrize(
    "spec",
    [
        f"{{module: m.yaml, variables: {{pin: {SECRET}}}}}",
        f"{{module: m.yaml, variables: {{pin: '${{to_upper(\"{SECRET}\")}}'}}}}",
        f"{{module: m.yaml, variables: {{pni: {SECRET}}}}}",
        f"{{module: absent.yaml, variables: {{pin: {SECRET}}}}}",
    ],
)
def test_no_mistake_quotes_a_secret_given_to_a_module(
    tmp_path: Path, spec: str, form: str, command: str
) -> None:
    (tmp_path / "b.yaml").write_text(
        "version: 2023-04-20\n"
        "transform: bpp/modules-1\n"
        "resources:\n"
        f"  a: {{type: bpp/module, spec: {spec}}}\n"
    )
    (tmp_path / "m.yaml").write_text(
        "version: 2023-04-20\n"
        "variables:\n"
        "  pin: {type: string, secret: true, allowedValues: [one, two]}\n"
        "resources: {}\n"
    )
    done = bpp(tmp_path, command, "b.yaml", "--diagnostics", form)
    assert done.returncode == 1, done.stdout
    hidden(done.stdout + done.stderr)
