"""The commands on a blueprint of Landscaper: what each prints, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import attrs
import pytest
from bpp.pipeline import Run, why
from bpp.pipeline.answers.nodes import paths_in
from bpp.pipeline.answers.paths import path_text
from bpp.pipeline.answers.source_map import source_map_text
from bpp.pipeline.dialects.landscaper.answers.results import work_of
from bpp.pipeline.dialects.landscaper.answers.why import tree_of
from support.harness import Case, discover_others, run
from support.in_process import bpp_inside
from support.rows import hold

WORKED = Path(__file__).parent / "cases" / "landscaper" / "worked"
USUAL = "--imports values.yaml --stub-targets --component-descriptor cd.yaml"

ITEM = """\
deployItems:
- name: echo
  type: landscaper.gardener.cloud/kubernetes-manifest
  target:
    name: cluster
    namespace: default
  config:
    apiVersion: manifest.deployer.landscaper.gardener.cloud/v1alpha2
    kind: ProviderConfiguration
    release: echo-demo
    replicas: 2
    image: eu.gcr.io/team/echo@v1.2.0
    labels:
      app: echo
      "n": demo
subinstallations: []
"""

REPLICAS = """\
deployItems.echo.config.replicas (known)
  2

  --> echo/deploy.tmpl:11:15
   |
11 |     replicas: {{ .imports.replicas }}
   |               ^^^^^^^^^^^^^^^^^^^^^^^
   = written by deploy execution `main` (GoTemplate)
   = shaped by load

made of
  imports.replicas = 2  (default, echo/blueprint.yaml:6:66)
"""


@attrs.frozen
class Row:
    """A command line, what it prints, what stands in its report, and its status."""

    command: str
    out: str
    told: str = ""
    status: int = 0


ROWS = [
    Row(f"render echo {USUAL}", ITEM),
    Row(f"render echo/blueprint.yaml {USUAL}", ITEM),
    Row(f"render echo {USUAL} --state run.yaml --show exports", "url: http://10.0.0.7:8080\n"),
    Row(
        "render echo --imports bad.yaml --stub-targets --component-descriptor cd.yaml",
        "",
        "error[import_schema]: import `replicas` does not match its schema: "
        "0 is less than the minimum 1\n --> bad.yaml:1:41",
        1,
    ),
    Row(
        f"render echo {USUAL} --state empty.yaml",
        "",
        """\
error[unknown_value]: `deployitems.echo` is known only after deployment
  --> echo/blueprint.yaml:27:28
   |
27 |       url: http://{{ index .deployitems "echo" "host" }}:{{ index .deployitems "echo" "port" }}
   |                            ^^^^^^^^^^^^
   = help: `--state FILE` supplies it under deployitems.echo; `--placeholders` writes a mark instead
""",
        1,
    ),
    Row(
        f"render echo {USUAL} --state empty.yaml --placeholders --show exports",
        'url: "http://<unknown: deployitems.echo.host>:<unknown: deployitems.echo.port>"\n',
    ),
    Row(f"why echo deployItems.echo.config.replicas {USUAL}", REPLICAS),
    Row(
        "eval '.imports.replicas | toJson' --file echo --imports values.yaml --stub-targets", "2\n"
    ),
    Row(
        """eval '(( imports.release "!" ))' --file echo --imports values.yaml --stub-targets""",
        "echo-demo!\n",
    ),
    Row(
        "diff echo --imports-a values.yaml --imports-b prod.yaml --stub-targets"
        " --component-descriptor cd.yaml",
        "~ deployItems.echo.config.replicas: 2 -> 5\n1 changed\n",
        status=1,
    ),
    Row(
        f"render echo {USUAL} --vars values.yaml",
        "",
        "--vars does not apply to `echo`, which is written in `landscaper`; "
        "`--imports` gives values of imports",
        2,
    ),
    Row(
        f"render echo {USUAL} --datasources values.yaml",
        "",
        "; `--imports` gives values of imports",
        2,
    ),
    Row(f"why echo deployItems[0].config.replicas {USUAL}", REPLICAS),
    Row(
        f"why echo deployItems[1].type {USUAL}",
        "",
        "there is no `1` in `deployItems`",
        2,
    ),
    Row(
        f"render echo {USUAL} --var replicas=3 --var namespace=1 --show imports",
        """\
cluster:
  apiVersion: landscaper.gardener.cloud/v1alpha1
  kind: Target
  metadata:
    name: cluster
    namespace: default
  spec:
    type: landscaper.gardener.cloud/kubernetes-cluster
    config: (secret)
replicas: 3
namespace: "1"
release: echo-1
""",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worked example in a folder of its own."""
    made = tmp_path_factory.mktemp("worked") / "work"
    shutil.copytree(WORKED, made)
    return made


def test_worked_example(folder: Path) -> None:
    import shlex

    def law(row: Row) -> None:
        done = bpp_inside(folder, *shlex.split(row.command))
        assert done.stdout == row.out, done.stdout + done.stderr
        assert row.told in done.stderr, done.stderr
        assert done.returncode == row.status

    hold(ROWS, law, lambda row: row.command)


SECRET = "very-secret-token"
BLUEPRINT = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
- {name: cluster, type: target, targetType: kubernetes-cluster}
- {name: num, type: data, schema: {type: integer}}
importExecutions:
- name: token
  type: Spiff
  template: {bindings: {token: (( imports.cluster.spec.config.token ))}}
deployExecutions:
- name: made
  type: GoTemplate
  template: |
    deployItems:
    - name: one
      type: a/b
      config: {token: x{{ .imports.token }}y, number: {{ .imports.num }}}
"""
TARGETS = f"""\
metadata: {{name: cluster, namespace: garden}}
kind: Target
spec: {{type: landscaper.gardener.cloud/kubernetes-cluster, config: {{token: {SECRET}}}}}
---
metadata: {{name: other}}
"""
BUILD = """\
[targets.app]
blueprint = "blueprint.yaml"
output = "out/{n}.yaml"
options = {imports = ["{n}.yaml"], targets = ["targets.yaml"]}
matrix = {n = ["1", "2"]}
"""


@pytest.fixture
def secretive(tmp_path: Path) -> Path:
    """A blueprint whose target has a secret."""
    texts = {"blueprint.yaml": BLUEPRINT, "targets.yaml": TARGETS, "bpp.toml": BUILD}
    texts |= {f"{n}.yaml": f"imports: {{num: {n}}}\n" for n in "12"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_secrets_of_targets_are_in_the_product_alone(secretive: Path) -> None:
    usual = ("--imports", "1.yaml", "--targets", "targets.yaml")

    def run(*words: str) -> str:
        done = bpp_inside(secretive, *words, *usual)
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    assert SECRET in run("render", ".")
    assert SECRET in run("render", ".", "--show", "imports", "--secrets", "reveal")
    assert SECRET in run("why", ".", "deployItems.one", "--secrets", "reveal")
    run("render", ".", "--dump-stages", "stages", "--source-map", "map.json", "-o", "out.yaml")
    told = [
        run("render", ".", "--secrets", "mask"),
        run("render", ".", "--show", "imports"),
        run("why", ".", "deployItems.one"),
        run("why", ".", "imports.token"),
        run("eval", ".imports", "--file", "."),
        run("eval", "(( imports.token ))", "--file", "."),
        (secretive / "map.json").read_text("utf-8"),
        *(one.read_text("utf-8") for one in (secretive / "stages").iterdir()),
    ]
    assert [text for text in told if SECRET in text or "internal error" in text] == []
    assert sum("(secret)" in text for text in told) > 6


def test_targets_of_a_build_have_the_options(secretive: Path) -> None:
    done = bpp_inside(secretive, "build")
    assert done.returncode == 0, done.stderr
    assert "number: 2" in (secretive / "out" / "2.yaml").read_text("utf-8")
    assert "0 rendered, 2 unchanged" in bpp_inside(secretive, "build").stdout


def test_every_path_is_explained_and_mapped() -> None:
    def law(case: Case) -> None:
        outcome: Run = run(case)
        if not outcome.ok:
            return
        for path in paths_in(tree_of(work_of(outcome))):
            assert why(outcome, path_text(path)).path == path_text(path)
        text = source_map_text(outcome, [("out", "yaml", outcome.document)])
        assert "execution `" not in text

    hold(
        (one for one in discover_others() if one.dialect == "landscaper"), law, lambda one: one.name
    )
