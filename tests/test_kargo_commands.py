"""The commands on promotions: options and wrong usage, differences, targets of builds."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest
from bpp.pipeline import build_targets, load_configuration, render
from bpp.pipeline.dialects.kargo import PromotionOptions
from support.in_process import bpp_inside

MANIFESTS = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: PromotionTask
metadata: {name: task}
spec:
  vars: [{name: count, value: "1.50"}]
  steps:
    - {uses: compose-output, as: inner, config: {count: "${{ vars.count }}"}}
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Warehouse
metadata: {name: main}
spec: {subscriptions: [{image: {repoURL: acme/app}}]}
"""
STAGE = """\
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: NAME}
spec:
  requestedFreight: [{origin: {kind: Warehouse, name: main}}]
  promotionTemplate:
    spec:
      vars: [{name: host, value: a.org}]
      steps:
        - uses: compose-output
          as: made
          config:
            tag: "${{ imageFrom('acme/app').Tag }}"
            url: "https://${{ vars.host }}/${{ ctx.stage }}"
        - {uses: fail, as: never, if: "${{ vars.host == 'b.org' }}"}
        - {task: {name: task}, as: task}
"""
FREIGHT = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Freight
metadata: {name: fNAME}
origin: {kind: Warehouse, name: main}
images: [{repoURL: acme/app, tag: vNAME}]
"""
FILES = {
    "kargo.yaml": MANIFESTS + "".join(STAGE.replace("NAME", name) for name in ("test", "prod")),
    "one.yaml": FREIGHT.replace("NAME", "1"),
    "two.yaml": FREIGHT.replace("NAME", "2"),
    "state.yaml": "ctx: {uiBaseURL: x}\n",
    "vars.toml": 'host = "toml.org"\n',
    "vars.yaml": "host: yaml.org\n",
    "bpp.toml": (
        '[targets.kargo]\nblueprint = "kargo.yaml"\noutput = "{stage}.out"\n'
        'options = {stage = ["{stage}"], freight = ["one.yaml"], no-scan = true}\n'
        'matrix = {stage = ["test", "prod"]}\n'
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kargo")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    return folder


def bpp(folder: Path, line: str) -> CompletedProcess[str]:
    return bpp_inside(folder, *line.split())


USED = {
    "--stage test": ["/test", "!/prod"],
    "--freight one.yaml": ["tag: v1", "freight: f1"],
    "--freight one.yaml --image acme/app=v9": ["tag: v9", "!freight:"],
    "--freight one.yaml --freight two.yaml --target-freight f2": ["tag: v2"],
    "--var host=b.org --vars vars.yaml": ["b.org"],
    "--vars vars.toml": ["toml.org"],
    "--ctx stage=other": ["/other"],
    "--no-scan --world closed --freight one.yaml": ["tag: v1"],
}


@pytest.mark.parametrize("options", USED)
def test_options(folder: Path, options: str) -> None:
    done = bpp(folder, f"render kargo.yaml {options}")
    assert done.returncode == 0, done.stderr
    for part in USED[options]:
        assert (part.strip("!") in done.stdout) != part.startswith("!"), part


WRONG = {
    "--status made=Done": "--status: `status.made` must be one of",
    "--status made=Suceeded": "(did you mean `Succeeded`?)",
    "--status made": "--status is written ALIAS=STATUS",
    "--ctx meta.promotion.actr=x": "did you mean `actor`?",
    "--ctx meta.promotion.rollback=maybe": "must be true or false",
    "--image acme/app": "--image is written URL=TAG[@DIGEST]",
    "--kargo-version new": "--kargo-version is written MAJOR.MINOR",
    "--world flat": "--world cannot be `flat`; it is one of open, closed",
    "--datasources state.yaml": "--datasources does not apply to `kargo.yaml`",
    "--split out": "--split does not apply to `kargo.yaml`",
}


@pytest.mark.parametrize("options", WRONG)
def test_wrong_usage(folder: Path, options: str) -> None:
    done = bpp(folder, f"render kargo.yaml {options}")
    assert (done.returncode, done.stdout) == (2, "")
    assert WRONG[options] in done.stderr


MISTAKES = {
    "--state state.yaml": ["state.yaml:1:18", "did you mean `uiBaseUrl`?"],
    "--stage tset": ["stage_not_found", "did you mean `test`?"],
    "--freight one.yaml --freight two.yaml": ["duplicate_manifest", "two.yaml:3:18"],
    "--freight none.yaml": ["file_not_found"],
}


@pytest.mark.parametrize("options", MISTAKES)
def test_mistakes_in_what_is_given(folder: Path, options: str) -> None:
    done = bpp(folder, f"render kargo.yaml {options}")
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert all(part in done.stderr for part in MISTAKES[options]), done.stderr


ANSWERS = {
    "diff kargo.yaml --stage test --freight-a one.yaml --freight-b two.yaml": [
        '~ test.steps.made.config.tag: "v1" -> "v2"\n1 changed\n'
    ],
    "diff kargo.yaml --freight one.yaml --stage-a test --stage-b prod": [
        '~ steps.made.config.url: "https://a.org/test" -> "https://a.org/prod"\n1 changed\n'
    ],
    "diff kargo.yaml --stage test --var-b host=b.org --no-scan": [
        '~ test.steps.made.config.url: "https://a.org/test" -> "https://b.org/test"\n'
        '+ test.steps.never: {"uses": "fail", "as": "never", "if": "${{ true }}"}\n'
    ],
    "why kargo.yaml test.steps.made.config.tag --freight one.yaml": [
        'imageFrom(..) = "v1"  (from Freight f1, origin Warehouse/main, one.yaml:3:18)'
    ],
    "why kargo.yaml test.steps.inner.config.count": [
        'test.steps["task::inner"].config.count (known)',
        'the string "1.50" was coerced to a number',
        'vars.count = "1.50"  (from task variable, kargo.yaml:5:31)',
    ],
    "why kargo.yaml test.steps.never": [
        "test.steps.never (gone)",
        "its `if` is false",
        'vars.host = "a.org"  (from promotion variable, kargo.yaml:',
    ],
    "why kargo.yaml prod.vars.host": ["prod.vars.host (known)"],
}


@pytest.mark.parametrize("line", ANSWERS)
def test_answers(folder: Path, line: str) -> None:
    done = bpp(folder, line)
    for part in ANSWERS[line]:
        assert part in done.stdout, done.stdout + done.stderr


def test_a_near_alias_is_a_hint(folder: Path) -> None:
    assert "did you mean `never`?" in bpp(folder, "why kargo.yaml test.steps.nevr").stderr


def test_stages_are_targets_of_a_build(folder: Path) -> None:
    configuration = load_configuration(str(folder / "bpp.toml"))

    def build() -> list[str]:
        return [one.status for one in build_targets(configuration, jobs=1).results]

    assert build() == ["rendered", "rendered"]
    assert "url: https://a.org/prod" in (folder / "prod.out").read_text("utf-8")
    assert "tag: v1" in (folder / "test.out").read_text("utf-8")


def test_freight_may_be_plain_data(folder: Path) -> None:
    freight = {
        "apiVersion": "kargo.akuity.io/v1alpha1",
        "kind": "Freight",
        "metadata": {"name": "data"},
        "origin": {"kind": "Warehouse", "name": "main"},
        "images": [{"repoURL": "acme/app", "tag": "v3"}],
    }
    options = PromotionOptions(stages=("test",), freight=(freight,))
    (made,) = render(folder / "kargo.yaml", options=options).data
    assert made["spec"]["freight"] == "data"
    assert made["spec"]["steps"][0]["config"]["tag"] == "v3"
    with pytest.raises(ValueError, match="unknown world `flat`"):
        render(folder / "kargo.yaml", options=PromotionOptions(world="flat"))
