"""Nothing that a command says or writes of promotions holds a part of a Secret.

All that the commands print, and every file that they leave behind, is searched for the values of
Secrets in many encodings, also when the manifests are full of mistakes.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.in_process import bpp_inside
from support.taint import Finder

SECRETS = {
    "data": "hUnTeR2-s3cr3t-w0rd",
    "stringData": 'z9y8"x7\nw6v5u4t3s2',
    "shared": "09081726354.10928300",
    "number": "4711081547110815",
    "beside": "k1j2h3g4f5d6s7a8p9",
}
FINDER = Finder(SECRETS)
NAMES = ("good/good", "bad/bad", "static/static", "broken/broken", "good/secret")
FILES = [f"{name}.yaml" for name in NAMES]


def _encoded(name: str) -> str:
    return base64.b64encode(SECRETS[name].encode()).decode()


STAGE = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: %s, namespace: demo}
spec:
  vars:
    - {name: token, value: "${{ secret('own').token }}"}
    - {name: joined, value: "a-${{ vars.token }}-${{ secret('own').text }}"}
  verification:
    args: [{name: key, value: "${{ secret('own').token }}"}]
  promotionTemplate:
    spec:
      vars: [{name: number, value: "${{ secret('own').number }}"}]
      steps:
%s
"""
GOOD = """\
        - uses: http
          as: call
          if: ${{ vars.token != '' && vars.number == sharedSecret('all').key }}
          config:
            url: https://example.com/${{ vars.token }}
            method: POST
            headers: [{name: Authorization, value: "Bearer ${{ vars.token }}"}]
            body: "${{ quote({a: vars.joined, b: vars.number}) }}"
        - uses: compose-output
          as: values
          vars: [{name: own, value: "${{ toBase64(vars.token) }}"}]
          config:
            beside: ${{ secret('beside').key }}
            shared: ${{ sharedSecret('all').key }}
            part: ${{ vars.token[:12] }}
            many: ${{ split(vars.token, '-') }}
            map: ${{ secret('own') }}
            upper: ${{ upper(vars.own) }}
            number: ${{ vars.number + 1 }}
            plain: ${{ configMap('plain').key }}
"""
BAD = [
    "${{ secret('own').tokn }}",
    "${{ 1 + vars.token }}",
    "${{ vars.token?.name }}",
    "${{ semverParse(vars.token).Major() }}",
    "${{ fromJSON(vars.token) }}",
    "${{ fromBase64(vars.token) }}",
    "${{ date(vars.token) }}",
    "${{ duration(vars.token) }}",
    "${{ int(vars.token) }}",
    "${{ 'a' matches ('(' + vars.token) }}",
    "${{ secret(vars.token).x }}",
    "${{ imageFrom(vars.token).Tag }}",
    "${{ vars[vars.token] }}",
    "${{ outputs[vars.token].x }}",
    "${{ status(vars.token) }}",
    "${{ vars.token ? 1 : 2 }}",
    "${{ {(vars.token): 1}.x }}",
    "${{ [1][vars.token] }}",
    "${{ timezone(vars.token) }}",
    "${{ repeat(vars.token, 999999999) }}",
    "${{ vars.token }}${{ quote(vars.number) }}",
    "${{ stageMetadata(vars.token).x }}",
]
RESOURCES = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: own, namespace: demo}}
data: {{token: {_encoded("data")}, number: {_encoded("number")}}}
stringData: {{text: {SECRETS["stringData"]!r}}}
---
apiVersion: v1
kind: Secret
metadata:
  name: all
  namespace: kargo-shared-resources
  labels: {{kargo.akuity.io/cred-type: generic}}
data: {{key: {_encoded("shared")}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: plain, namespace: demo}}
data: {{key: visible}}
"""
BESIDE = f"""\
apiVersion: v1
kind: Secret
metadata: {{name: beside, namespace: demo}}
stringData: {{key: {SECRETS["beside"]}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("secrets")
    steps, typed = (
        [f"        - {{uses: fail, config: {{message: {_one(text)}}}}}" for text in texts]
        for texts in (BAD, [text.replace("vars.token", "secret('own').token") for text in BAD])
    )
    files = {
        "good/good.yaml": f"{STAGE % ('test', GOOD)}---\n{RESOURCES}",
        "bad/bad.yaml": f"{STAGE % ('bad', chr(10).join(steps))}---\n{RESOURCES}",
        "good/secret.yaml": BESIDE,
        "static/static.yaml": f"{STAGE % ('static', chr(10).join(typed))}---\n{RESOURCES}",
        "broken/broken.yaml": f"{RESOURCES}---\nkind: Secret\n  data: [{_encoded('data')}",
        "bpp.toml": '[targets.a]\ninput = "good/good.yaml"\noutput = "a.out"\ndialect = "kargo"\n',
    }
    for name, text in files.items():
        (found / name).parent.mkdir(exist_ok=True)
        (found / name).write_text(text)
    return found


def _one(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def commands(secrets: list[str]) -> Iterator[list[str]]:
    for file in FILES:
        for more in (
            ["--dump-stages", "dumped", "-o", f"{file}.out", "--source-map", f"{file}.map"],
            ["--format", "json", "--world", "closed", "--undefined", "nil", "--status", "*=Failed"],
            ["--explain-unknowns", "--timings"],
            ["--strict", "--diagnostics", "json"],
            *([["--show", one] for one in ("steps", "vars", "verification", "criteria")]),
        ):
            yield ["render", file, *more, *secrets]
        for form in ("text", "json", "sarif", "github"):
            yield ["check", file, "--diagnostics", form]
        for form in ("mermaid", "json"):
            yield ["graph", file, "--stage", "test", "--format", form, "--show", "variables"]
        yield ["diff", file, file, "--status-a", "call=Failed", "--world-b", "closed", *secrets]
        for path in (
            "test.vars.token",
            "test.steps.call",
            "test.steps.values.config",
            "test.steps.call.if",
        ):
            yield ["why", file, f"test.{path}", *secrets]
        texts = ["vars.token", "vars.joined + 1", "secret('own')", "${{ vars.number }}"]
        for text in [*texts, *(BAD if file == FILES[1] else [])]:
            yield ["eval", text, "--file", file, "--step", "values", *secrets]
    yield ["build", "-j1"]


@pytest.mark.parametrize("secrets", [[], ["--secrets", "mask"]], ids=["withheld", "masked"])
def test_no_command_tells_a_secret(folder: Path, secrets: list[str]) -> None:
    for arguments in commands(secrets):
        done = bpp_inside(folder, *arguments)
        assert "internal error" not in done.stderr, (arguments, done.stderr)
        assert FINDER.found(done.stdout + done.stderr) == [], arguments
    inputs = {folder / file for file in FILES}
    files = [one for one in folder.rglob("*") if one.is_file() and one not in inputs]
    assert len(files) > 5
    for file in files:
        assert FINDER.found(file.read_bytes().decode("utf-8", "replace")) == [], file


def test_what_is_revealed_is_in_no_message(folder: Path) -> None:
    for file in ("good/good.yaml", "bad/bad.yaml"):
        for more in ([], ["--show", "steps"], ["--diagnostics", "json"], ["--world", "closed"]):
            done = bpp_inside(folder, "render", file, "--secrets", "reveal", *more)
            assert "internal error" not in done.stderr, (more, done.stderr)
            assert FINDER.found(done.stderr) == [], (file, more)
    done = bpp_inside(
        folder, "render", "good/good.yaml", "--secrets", "reveal", "--status", "*=Succeeded"
    )
    assert SECRETS["data"] in done.stdout
