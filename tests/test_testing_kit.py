"""The testing kit: its assertions can fail, and the pytest plugin costs nobody anything."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from bpp.pipeline import Document, MemoryFiles, Source, check, evaluate, render
from bpp.pipeline.testing import (
    assert_diagnostics,
    assert_expands,
    difference,
    mismatch,
    places,
    said,
    story,
)
from bpp.transforms import Transform, TransformContext

ROOT = Path(__file__).resolve().parent.parent

BROKEN = """\
version: 2025-11-02
values:
  a: {type: string, value: "${values.b}"}
  c: {type: integer, value: "${variables.v}"}
resources: {}
"""


def split(document: Document, context: TransformContext) -> Document:
    """Makes two resources of one."""
    resources = document.section("resources")
    assert resources is not None
    items = {}
    for name, node in resources.items.items():
        items[f"{name}_a"] = items[f"{name}_b"] = node
    return document.replacing({"resources": resources.replacing(items, context.name)}, context.name)


SPLIT = Transform("split-1", split)
BEFORE = (
    "resources:\n  r: {type: x/y, spec: {n: '${variables.v}'}}\nvariables:\n  v: {type: string}\n"
)
AFTER = """\
# comments and places do not count
resources:
  r_a:
    type: x/y
    spec: {n: "${variables.v}"}
  r_b: {type: x/y, spec: {n: "${variables.v}"}}
variables:
  v: {type: string}
"""


# --- diagnostics --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expected",
    [
        ["value_not_found@3:31", "variable_not_found@4:32"],
        ["variable_not_found@4", "value_not_found@3"],
        ["variable_not_found", "value_not_found"],
        ["*@3:31", "*@4"],
        ["*", "*"],
    ],
)
def test_diagnostics_are_told_by_code_and_place(expected: list[str]) -> None:
    source = Source("app.yaml", BROKEN, "yaml")
    assert_diagnostics(check(source, files=MemoryFiles({})), expected, warnings=[])
    assert_diagnostics(render(source, files=MemoryFiles({})), expected)
    assert_diagnostics(list(check(source, files=MemoryFiles({}))), expected)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ([], "found but not expected: value_not_found@3:31"),
        (["*"], "found but not expected: variable_not_found@4:32"),
        (["value_not_found@3:30", "*"], "expected but not found: value_not_found@3:30"),
        (["*", "*", "*"], "expected but not found: *"),
        (["other.yaml:*", "*"], "expected but not found: other.yaml:*"),
    ],
)
def test_other_diagnostics_fail_and_all_is_said(expected: list[str], words: str) -> None:
    found = check(Source("app.yaml", BROKEN, "yaml"), files=MemoryFiles({}))
    with pytest.raises(AssertionError) as caught:
        assert_diagnostics(found, expected)
    assert words in str(caught.value)
    assert "error[value_not_found] app.yaml:3:31 there is no value `b`" in str(caught.value)


def test_warnings_are_looked_at_when_they_are_named() -> None:
    text = BROKEN.replace("${values.b}", "${to_upper(text=values.c)}")
    remarks = check(Source("a.yaml", text, "yaml"), files=MemoryFiles({}))
    assert_diagnostics(remarks, ["*", "*"])
    with pytest.raises(AssertionError, match="warnings\nfound but not expected"):
        assert_diagnostics(remarks, ["*", "*"], warnings=[])
    assert_diagnostics(remarks, ["*", "*"], warnings=["ignored_argument_name"])


def test_places_name_other_files() -> None:
    files = MemoryFiles({"/child.yaml": "version: 2025-11-02\nresources: []\n"}, cwd="/")
    text = "version: 2025-11-02\ninclude:\n  c: {path: child.yaml}\nresources: {}\n"
    run = render(Source("app.yaml", text, "yaml"), files=files)
    (place,) = places(run.diagnostics, main="app.yaml")
    name, _, rest = place.partition(":")
    assert name.endswith("child.yaml")
    assert rest.endswith("@2:12")
    assert_diagnostics(run, [place])
    assert mismatch([place], [rest]) is not None


# --- transforms ---------------------------------------------------------------------------------


def test_an_expansion_is_compared_as_data() -> None:
    run = assert_expands(BEFORE, AFTER, SPLIT)
    assert run.stages[-1][0] == "transform"
    assert_expands(f"version: 2023-04-20\n{BEFORE}", f"version: 2023-04-20\n{AFTER}", [SPLIT])
    assert_expands(f"transform: split-1\n{BEFORE}", AFTER, [SPLIT])


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (BEFORE, AFTER.replace("r_b", "r_c"), "resources: the keys are ['r_a', 'r_b']"),
        (BEFORE, AFTER.replace("x/y", "x/z", 1), "resources.r_a.type: 'x/y', expected 'x/z'"),
        (
            BEFORE,
            AFTER.replace("variables.v}", "variables.w}"),
            "'${variables.v}', expected '${variables.w}'",
        ),
        (BEFORE.replace("{type: x/y", "{kind: x/y"), AFTER, "unknown_field"),
    ],
)
def test_another_expansion_fails(before: str, after: str, words: str) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_expands(before, after, SPLIT)
    assert words in str(caught.value)
    if words.startswith("resources.r_a.type"):
        assert "\n-    type: x/z\n+    type: x/y\n" in str(caught.value)


# --- stories and differences --------------------------------------------------------------------


def test_a_story_has_every_stage_and_no_secret() -> None:
    text = (
        "version: 2025-11-02\nvariables:\n  p: {type: string, secret: true, default: s3cret}\n"
        "values:\n  d: {type: integer, value: '${len(\"abc\")}'}\n"
        "resources:\n  a: {type: x/y, spec: {p: 'a ${variables.p}', d: '${values.d}'}}\n"
    )
    told = story(render(Source("app.yaml", text, "yaml"), files=MemoryFiles({})))
    headings = [line for line in told.splitlines() if line.startswith("=== ")]
    assert headings == [
        f"=== {name}"
        for name in ("load", "transform", "include", "substitute", "prune", "each", "export")
    ]
    assert "=== transform\nunchanged\n" in told
    assert "d: 3" in told
    assert "s3cret" not in told
    failed = story(render(Source("app.yaml", BROKEN, "yaml"), files=MemoryFiles({})))
    assert "=== diagnostics\nerror[value_not_found] app.yaml:3:31 there is no value `b`" in failed


def test_what_was_said_has_hints_and_notes() -> None:
    found = evaluate("${lenn(1)}")
    assert said(found.diagnostics) == (
        "error[function_not_found] <expression>:1:3 there is no function `lenn`\n"
        "  hint: did you mean `len`?\n"
    )


@pytest.mark.parametrize(
    ("actual", "expected", "found"),
    [
        ({"a": 1}, {"a": 1}, ""),
        ({"a": 1}, {"a": 1.0}, "a: 1, expected 1.0"),
        ({"a": True}, {"a": 1}, "a: True, expected 1"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "the document: the keys are"),
        ({"children": 1, "b": 2}, {"b": 2, "children": 1}, ""),
        ({"a": [1, 2]}, {"a": [1]}, "a: 2 elements, expected 1"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "a.0.b: 1, expected 2"),
    ],
)
def test_differences(actual: object, expected: object, found: str) -> None:
    told = difference(actual, expected)
    assert told.startswith(found) and bool(told) == bool(found)
    assert difference(actual, expected, ["", "a"]) == ""


# --- the plugin ---------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs pytest in a project of its own, with the plugin as an installed one would be."""

    def run(test: str, *arguments: str, **files: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_it.py").write_text(test, "utf-8")
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text, "utf-8")
        # the installed entry point makes way, so that a checkout without one is tested too
        plugin = ["-p", "no:bpp", "-p", "bpp.pipeline.integrations.pytest_plugin"]
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *plugin, *arguments],
            cwd=tmp_path,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


APP = "version: 2025-11-02\nresources:\n  a: {type: x/y, spec: {i: '${uuid()}', n: '${cwd()}'}}\n"
USE = "def test_app(bpp_snapshot):\n    run = bpp_snapshot('app.yaml')\n    assert run.ok\n"


@pytest.mark.slow
def test_the_fixture_compares_every_stage(
    project: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    missing = project(USE, app_yaml=APP)
    assert missing.returncode == 1, missing.stdout
    assert "the snapshot `__snapshots__/test_it/test_app.txt` does not exist" in missing.stdout
    assert "`pytest --snapshot-update` writes it" in missing.stdout
    made = project(USE, "--snapshot-update", app_yaml=APP)
    assert made.returncode == 0, made.stdout
    kept = tmp_path / "__snapshots__" / "test_it" / "test_app.txt"
    text = kept.read_text("utf-8")
    assert text.startswith("=== load\nversion: ")
    assert "=== export" in text
    assert '"n": <cwd>' in text
    again = project(USE)
    assert again.returncode == 0, again.stdout
    changed = project(USE, app_yaml=APP.replace("x/y", "x/z"))
    assert changed.returncode == 1
    shown = changed.stdout.partition("AssertionError: ")[2]
    lines = [line.removeprefix("E").strip() for line in shown.splitlines()]
    assert "`pytest --snapshot-update` writes it" in lines[0]
    assert lines[1:4] == ["=== load", "@@ -1,7 +1,7 @@", 'version: "2025-11-02"']
    assert lines[6:8] == ["-    type: x/y", "+    type: x/z"]
    assert "=== substitute: the same difference" in lines


@pytest.mark.slow
def test_the_fixture_refuses_mistakes_that_nobody_expects(
    project: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    refused = project(USE, "--snapshot-update", app_yaml=BROKEN)
    assert refused.returncode == 1
    assert "found but not expected: value_not_found@3:31" in refused.stdout
    expecting = (
        "def test_app(bpp_snapshot):\n"
        "    bpp_snapshot('app.yaml', errors=['value_not_found@3:31', '*@4'])\n"
    )
    assert project(expecting, "--snapshot-update", app_yaml=BROKEN).returncode == 0
    assert project(expecting, app_yaml=BROKEN).returncode == 0


@pytest.mark.slow
def test_the_fixture_takes_texts_and_arguments(
    project: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    test = (
        "from bpp.pipeline import Source\n"
        "TEXT = 'version: 2025-11-02\\nvariables: {v: {type: string}}\\n"
        'values: {a: {type: string, value: "${variables.v}"}}\\nresources: {}\\n\'\n'
        "def test_text(bpp_snapshot):\n"
        "    for name in ('one', 'two'):\n"
        "        bpp_snapshot(Source('a.yaml', TEXT, 'yaml'), variables={'v': name})\n"
    )
    assert project(test, "--snapshot-update").returncode == 0
    folder = tmp_path / "__snapshots__" / "test_it"
    texts = sorted(file.read_text("utf-8") for file in folder.iterdir())
    assert ["value: one" in text for text in texts] == [True, False]
    assert project(test).returncode == 0


STAGE = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: test, namespace: lamps}
spec:
  promotionTemplate:
    spec:
      vars: [{name: host, value: a.org}]
      steps: [{uses: http, config: {url: "https://${{ vars.host }}/${{ ctx.stage }}"}}]
"""


@pytest.mark.slow
def test_the_fixture_shows_the_stages_of_a_promotion(
    project: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    test = (
        "from bpp.pipeline.dialects.kargo import PromotionOptions\n"
        "def test_stage(bpp_snapshot):\n"
        "    options = PromotionOptions(variables={'host': 'b.org'})\n"
        "    run = bpp_snapshot('app.yaml', options=options)\n"
        "    assert run.data[0]['spec']['steps'][0]['config']['url'] == 'https://b.org/test'\n"
    )
    made = project(test, "--snapshot-update", app_yaml=STAGE)
    assert made.returncode == 0, made.stdout
    text = (tmp_path / "__snapshots__" / "test_it" / "test_stage.txt").read_text("utf-8")
    assert text.index("=== tasks") < text.index("=== steps") < text.index("https://b.org/test")
    assert project(test).returncode == 0
    changed = project(test.replace("'https://b", "'https://c").replace("b.org", "c.org"))
    assert "+        url: https://c.org/test" in changed.stdout, changed.stdout


def test_without_syrupy_the_fixture_says_what_it_needs(
    project: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = project(USE, "-p", "no:syrupy", app_yaml=APP)
    assert done.returncode == 1
    assert "`bpp_snapshot` needs syrupy" in done.stdout


def test_who_does_not_use_the_plugin_pays_nothing() -> None:
    """Importing it loads nothing of ours but the package that holds it."""
    program = (
        "import sys, pytest\nbefore = set(sys.modules)\n"
        "import bpp.pipeline.integrations.pytest_plugin\n"
        "print(*sorted(set(sys.modules) - before))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr == ""
    loaded = done.stdout.split()
    assert [name for name in loaded if not name.startswith("__editable__")] == [
        "bpp",
        "bpp.pipeline",
        "bpp.pipeline.integrations",
        "bpp.pipeline.integrations.pytest_plugin",
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    plugins = project["project"]["entry-points"]["pytest11"]
    assert plugins == {"bpp": "bpp.pipeline.integrations.pytest_plugin"}


def test_no_run_imports_the_kit() -> None:
    program = (
        "import sys\nfrom bpp.pipeline import Source, render\n"
        "render(Source('a.yaml', 'version: 2025-11-02\\nresources: {}\\n', 'yaml'))\n"
        "print(*sorted(m for m in sys.modules if 'testing' in m or m == 'inspect'))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")
