"""Nothing of a blueprint, a file name or an argument steers what it is printed on.

Every command is given every payload in every place that it has, and whatever it says to people is
held against two readers: a terminal, which obeys control characters and turns text around, and the
runner of GitHub, which obeys lines that begin with `::`, and `##[` anywhere. What `bpp render`
writes is data: it holds no control character either, though lines of a text may be such commands.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.in_process import bpp_inside

PAYLOADS = {
    "characters": (
        "a\x01\x07\x08\x0b\x1b[2J\x1b]0;t\x07\x7f\x80\x85\x9b2J\x9d"
        "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        "\u200b\u200c\u200d\u2028::error::x\u2029##[error]x\u2060\ufeffb"
    ),
    "command": "::error file=a,line=1::boo ##[error]boo ##vso[task.setvariable]x ###[group]z",
    "lines": "x\n::error::boo\r\n  ::stop-commands::t\r::add-mask::x\n##[error]y\n\u3000::debug::z",
}
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
LEGACY = re.compile(r"##[A-Za-z]*\[")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COMMAND = re.compile(r"\s*::")

Command = Callable[[str], list[list[str]]]


def faults(text: str, commands: bool = False) -> Iterator[str]:
    """What a terminal or a runner would obey in a text for people."""
    plain = COLOUR.sub("", text)
    for match in FORBIDDEN.finditer(plain):
        yield f"U+{ord(match[0]):04X} in {plain[max(match.start() - 30, 0) : match.end() + 30]!r}"
    # as the runner splits, and as Python does, which knows more line breaks
    for line in {*re.split(r"\r\n|\r|\n", plain), *plain.splitlines()}:
        if LEGACY.search(line) or (COMMAND.match(line) and not commands):
            yield f"a command in {line[:80]!r}"


def escaped(text: str) -> str:
    """A text as a quoted string of JSON and of YAML."""
    return json.dumps(text)


def wrong(p: str) -> dict[str, Any]:
    """A blueprint with a payload wherever one can be wrong."""
    return {
        "version": p,
        "transform": [p],
        p: p,
        "variables": {
            p: {"type": p, "default": p, "allowedValues": [p], "description": p},
            "b": {"type": "integer", "default": p, p: p},
        },
        "values": {p: {"type": p, "value": p}, "v": {"type": "string", "value": f"${{{p}}}"}},
        "include": {p: {"path": p, "variables": {p: p}}, "c": {"path": p, "metadata": {p: p}}},
        "datasources": {p: {"type": p, "filter": {"field": p, "operator": p, "search": p}}},
        "resources": {
            p: {"type": p, "spec": {p: f"${{{p}("}},
            "r": {
                "type": f"x/{p}",
                p: p,
                "condition": p,
                "each": p,
                "dependsOn": [p],
                "linkSelector": {"byLabel": {p: p}},
                "metadata": {"displayName": p, "labels": {p: p}, "annotations": {p: [p]}},
                "spec": {"f": f"${{variables.b.{p}}}", "g": f'${{variables["{p}"]}}'},
            },
        },
        "exports": {p: {"type": p, "field": p}},
        "metadata": p,
    }


def right(p: str) -> dict[str, Any]:
    """A blueprint that renders, with a payload wherever one may be."""
    return {
        "version": "2023-04-20",
        "variables": {
            "text": {"type": "string", "default": p, "description": p},
        },
        "values": {"v": {"type": "string", "value": f"{p}${{variables.text}}", "description": p}},
        "datasources": {
            "d": {
                "type": "a/b",
                "metadata": {"displayName": p},
                "filter": {"field": "x", "operator": "=", "search": p},
                "exports": {"e": {"type": "string", "description": p}},
            }
        },
        "resources": {
            "r": {
                "type": "a/b",
                "description": p,
                "metadata": {"displayName": p, "annotations": {"note": p}},
                "spec": {
                    "plain": p,
                    "known": "${values.v}",
                    "list": [p, {"x": p}],
                    p: p,
                    "rest": f"{p}${{resources.s.state.id}}{p}",
                    "data": f"{p}${{datasources.d.e}}",
                    "function": f'${{join(list(values.v, "x", resources.s.state.id), "{"-"}")}}',
                },
            },
            "s": {"type": "a/b", "spec": {"x": 1}},
        },
        "exports": {"o": {"type": "string", "field": "resources.r.spec.known", "description": p}},
        "metadata": {p: p},
    }


def file_name(p: str) -> str:
    """A payload as a part of a path, shortened to what systems allow."""
    return p.replace("/", "_")[:60]


@pytest.fixture(params=PAYLOADS)
def payload(request: pytest.FixtureRequest) -> str:
    """One way to steer."""
    return PAYLOADS[request.param]


@pytest.fixture
def project(tmp_path: Path, payload: str) -> Path:
    """Blueprints and what goes with them, with the payload in contents and in names."""
    name = file_name(payload)
    (tmp_path / "wrong.json").write_text(json.dumps(wrong(payload)))
    (tmp_path / "right.json").write_text(json.dumps(right(payload)))
    (tmp_path / "right.yaml").write_text(_as_yaml(right(payload)))
    changed = json.dumps(right(payload)).replace('"x": 1', f'"x": 2, "y": {escaped(payload)}')
    (tmp_path / "other.json").write_text(changed)
    raw = f"version: {payload}\nresources:\n  {payload}: [{payload}\n"
    (tmp_path / "raw.yaml").write_text(raw, newline="")
    (tmp_path / "raw.json").write_text(f'{{"version": "{payload}", {payload}', newline="")
    # a name of a file may itself begin with what is a command
    (tmp_path / f"{name}.json").write_text(json.dumps(wrong(payload)))
    (tmp_path / f"{name}.vars.json").write_text(json.dumps({payload: payload, "text": [payload]}))
    (tmp_path / f"{name}.state.json").write_text(json.dumps({payload: payload}))
    (tmp_path / f"{name}.env").write_text(f"{payload}\n{payload}=x\n", newline="")
    (tmp_path / f"{name}.toml").write_text(f"[targets]\n{payload} = {payload}\n", newline="")
    toml = f"[targets.{escaped(payload)}]\nblueprint = {escaped(payload)}\n"
    toml += f"output = {escaped(name + '.out')}\n{escaped(payload)} = {escaped(payload)}\n"
    (tmp_path / "bad.toml").write_text(toml)
    (tmp_path / "bpp.toml").write_text(
        "[targets.one]\nblueprint = 'right.json'\noutput = 'one.json'\n"
        f"[targets.one.variables]\ntext = {escaped(payload)}\n"
    )
    (tmp_path / "one.json").write_text(json.dumps({payload: payload}))
    (tmp_path / "bpp.lock").write_text(json.dumps({"version": 1, "files": {payload: payload}}))
    return tmp_path


def _as_yaml(value: Any, indent: str = "") -> str:
    """Plain YAML with quoted scalars, one entry a line."""
    lines = []
    for key, child in value.items():
        if isinstance(child, dict):
            lines.append(f"{indent}{escaped(key)}:\n{_as_yaml(child, indent + '  ')}")
        else:
            lines.append(f"{indent}{escaped(key)}: {json.dumps(child)}\n")
    return "".join(lines)


def speaking(p: str) -> list[list[str]]:
    """Commands with the payload in what they read and in their arguments."""
    name = file_name(p)
    return [
        *(["check", file] for file in ("wrong.json", "right.yaml", "raw.yaml", "raw.json")),
        *(["check", "wrong.json", "--diagnostics", form] for form in ("json", "sarif")),
        ["check", "wrong.json", "--color", "always"],
        ["check", f"./{name}.json", f"./{name}.missing"],
        ["why", "right.json", "resources.r.spec.rest"],
        ["why", "right.json", "resources.r.spec.known", "--var", f"text={p}"],
        ["why", "right.json", "resources.r.description", "--color", "always"],
        ["why", "right.json", "values.v", "--format", "json"],
        ["why", "right.json", p],
        ["diff", "right.json", "other.json"],
        ["diff", "right.json", "other.json", "--color", "always"],
        ["diff", "right.json", "other.json", "--format", "json"],
        ["diff", "right.json", "--vars-b", f"./{name}.vars.json"],
        *(["graph", "right.json", "--format", form] for form in ("json", "dot", "mermaid")),
        ["graph", "wrong.json"],
        ["eval", "values.v", "-f", "right.json"],
        ["eval", "resources.r.spec.rest", "-f", "right.json"],
        ["eval", f"{p}${{resources.s.state.id}}{p}", "-f", "right.json"],
        ["eval", p],
        ["eval", f'"{p}"'],
        ["parse", p],
        ["parse", f'x({escaped(p)}, "{p}")'],
        ["parse", f"{p}${{a.b}}"],
        ["functions", p],
        ["explain", p],
        ["lock", "wrong.json", "-o", "x.lock"],
        ["lock", "right.json", "--check"],
        ["lock", "right.json", "--check", "--output", f"./{name}.json"],
        ["build"],
        ["build", "--check"],
        ["build", p],
        ["build", "--config", "bad.toml"],
        ["build", "--config", f"./{name}.toml"],
        ["build", "--jobs", p],
        [p],
        ["render"],
        ["render", "right.json", p],
        ["render", "right.json", f"--{p}"],
        ["render", "right.json", f"-{p}"],
        *(
            ["render", "right.json", option, p]
            for option in ("--format", "--diagnostics", "--color", "--stop-after", "--secrets")
        ),
        *(["render", "right.json", option, p] for option in ("--now", "--seed", "--var")),
        ["render", "right.json", "--limit", p],
        ["render", "right.json", "--limit", f"max_nodes={p}"],
        ["render", "right.json", "--var", f"{p}={p}", "--strict-vars", "-o", "x"],
        ["render", "right.json", "-o", f"./{name}/x"],
        ["render", "right.json", "-o", "x", "--explain-unknowns", "--timings"],
        ["render", "right.json", "-o", "x", "--strict"],
        ["render", "right.json", "--depfile", f"./{name}.json", "-o", f"./{name}.json"],
        ["render", "right.json", "--vars", f"./{name}.vars.json", "--vars", f"./{name}.env"],
        ["render", "right.json", "--state", f"./{name}.state.json"],
        ["render", "right.json", "--datasources", f"./{name}.state.json"],
        ["render", "right.json", "--lock", f"./{name}.state.json", "--offline"],
        ["render", f"./{name}.json"],
        ["render", f"./{name}.missing"],
        ["render", "raw.yaml"],
        ["render", "wrong.json", "--diagnostics", "json"],
        ["integration", p],
    ]


DATA = [
    ["render", "right.json"],
    ["render", "right.yaml"],
    ["render", "right.json", "--format", "yaml"],
    ["render", "right.json", "--stop-after", "load"],
    ["lock", "right.json", "-o", "-"],
]


@pytest.mark.slow
def test_what_is_said_steers_nothing(project: Path, payload: str) -> None:
    statuses = set()
    for arguments in speaking(payload):
        done = bpp_inside(project, *arguments)
        statuses.add(done.returncode)
        assert done.returncode in (0, 1, 2, 3), (arguments, done.stderr)
        # what is rendered is data, and has tests of its own
        said = "" if arguments[0] == "render" else done.stdout
        found = [*faults(done.stderr), *faults(said)]
        assert found == [], (arguments, done.stdout, done.stderr)
    assert statuses == {0, 1, 2, 3}


def test_annotations_are_all_that_a_runner_is_told(project: Path, payload: str) -> None:
    name = file_name(payload)
    for arguments in (
        ["check", "wrong.json"],
        ["check", f"./{name}.json"],
        ["render", "raw.yaml"],
        ["render", f"./{name}.missing"],
        ["build", "--config", "bad.toml"],
        ["build", "--config", f"./{name}.toml"],
    ):
        done = bpp_inside(project, *arguments, "--diagnostics", "github")
        assert done.returncode in (1, 3), (arguments, done.stderr)
        told = done.stdout if arguments[0] == "check" else done.stderr
        assert list(faults(done.stderr + told, commands=True)) == [], arguments
        lines = told.splitlines()
        assert lines, arguments
        for line in lines:
            assert re.match(r"::(error|warning) file=[^:]*::", line), line


def test_output_holds_no_control_characters(project: Path, payload: str) -> None:
    for arguments in DATA:
        done = bpp_inside(project, *arguments)
        assert done.returncode == 0, (arguments, done.stderr)
        assert FORBIDDEN.findall(done.stdout) == [], arguments
        assert list(faults(done.stderr)) == [], arguments


def test_output_is_exact(project: Path, payload: str) -> None:
    """The escapes are those of the format: who reads the output has the text as it was."""
    from support.harness import load_yaml

    for form, read in (("json", json.loads), ("yaml", load_yaml)):
        done = bpp_inside(project, "render", "right.json", "--format", form)
        spec = read(done.stdout)["resources"]["r"]["spec"]
        assert spec["plain"] == payload
        assert spec[payload] == payload
        assert spec["known"] == payload * 2


PACKAGE = """\
from bpp.functions import FunctionError, function
from bpp.transforms import TransformError, expanding

P = {payload}


@expanding("acme-said", "acme/said")
def said(resource, context):
    raise TransformError(resource, P, P)


@expanding("acme-raised", "acme/raised")
def raised(resource, context):
    raise RuntimeError(P)


def resolve(request):
    raise OSError(P)


@function(summary="s" + P, examples={{'spoken("x")': P}})
def spoken(a: str) -> str:
    raise FunctionError(P, hint=P)
"""


def test_packages_steer_nothing(
    tmp_path: Path, payload: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an installed package says of a blueprint may be made of it."""
    folder = tmp_path / "packages"
    record = folder / "hostile-1.0.dist-info"
    record.mkdir(parents=True)
    (folder / "hostile.py").write_text(PACKAGE.format(payload=ascii(payload)))
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1.0\n")
    (record / "entry_points.txt").write_text(
        "[bpp.transforms]\nacme-said = hostile:said\nacme-raised = hostile:raised\n"
        "[bpp.resolvers]\nacme = hostile:resolve\n[bpp.functions]\nspoken = hostile:spoken\n"
    )
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "hostile", raising=False)
    base = {"version": "2023-04-20", "resources": {"r": {"type": "acme/said", "spec": {}}}}
    blueprints = {
        "said": {**base, "transform": "acme-said"},
        "raised": json.loads(
            json.dumps({**base, "transform": "acme-raised"}).replace("acme/said", "acme/raised")
        ),
        "include": {
            **base,
            "include": {"c": {"path": "core", "metadata": {"sourceType": "acme", "x": payload}}},
        },
        "call": {**base, "values": {"v": {"type": "string", "value": '${spoken("x")}'}}},
    }
    for name, blueprint in blueprints.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(blueprint))
        for form in ("text", "github", "json"):
            done = bpp_inside(tmp_path, "render", f"{name}.json", "--diagnostics", form)
            assert done.returncode == 1, (name, done.stderr)
            assert done.stderr
            assert list(faults(done.stderr, commands=form == "github")) == [], name
    for arguments in (["functions"], ["functions", "spoken"]):
        done = bpp_inside(tmp_path, *arguments)
        assert "spoken" in done.stdout + done.stderr
        assert [*faults(done.stdout), *faults(done.stderr)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("fine\n  x ::error::\n", False),
        ("\x1b[1;31merror\x1b[0m: x\n", False),
        ("x\n \t::error::y", True),
        ("\x1b[1m::error::y\x1b[0m", True),
        ("x\r::error::y", True),
        ("x\x9b", True),
        ("x ##[a]", True),
        ("\u202e", True),
    ],
)
def test_the_readers(text: str, found: bool) -> None:
    assert bool(list(faults(text))) is found
