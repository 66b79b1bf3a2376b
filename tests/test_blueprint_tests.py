"""`bpp test`: files of tests, what they expect, and what is told of those that fail."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.in_process import bpp_inside

BLUEPRINT = """\
version: 2025-11-02
variables:
  environment: {type: string, allowedValues: [test, prod]}
  password: {type: string, secret: true, default: canary-7d1f}
resources:
  api:
    type: a/b
    spec:
      name: "api-${variables.environment}"
      sizes: [1, 2]
      key: "${resources.topic.state.id}"
      password: "${variables.password}"
  topic:
    type: a/c
    spec: {}
  debug:
    type: a/c
    condition: ${eq(variables.environment, "test")}
    spec: {}
"""

PASSING = """\
defaults: {variables: {environment: prod}}
tests:
  production:
    expect:
      values:
        resources.api.spec.name: api-prod
        resources.api.spec.sizes: [1, 2]
        resources.api.spec["password"]: "${variables.password}"
        /resources/api/type: a/b
      absent: [resources.debug]
      unknown: [resources.api.spec.key, resources.api]
      warnings: []
  refused:
    variables: {environment: staging}
    expect: {errors: [variable_value_not_allowed]}
  both:
    matrix: {environment: [test, prod]}
    variables: {environment: "{environment}"}
    expect: {values: {resources.topic.type: a/c}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.blueprint.yaml").write_text(BLUEPRINT)
    return tmp_path


def write(folder: Path, text: str) -> None:
    (folder / "app.blueprint-test.yaml").write_text(text)


def told(folder: Path, *arguments: str) -> list[tuple[int, str, str]]:
    """The line, code and summary of each error, in their order."""
    done = bpp_inside(folder, "test", *arguments, "--diagnostics", "json")
    assert done.returncode == 1, done
    items = json.loads(done.stdout)["diagnostics"]
    return [(item["line"], item["code"], item["summary"]) for item in items]


def test_what_is_as_expected_passes(folder: Path) -> None:
    write(folder, PASSING)
    done = bpp_inside(folder, "test", "-v")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    names = [line.split("yaml: ")[1].split("  (")[0] for line in lines[:-1]]
    assert names == ["production", "refused", "both[environment=test]", "both[environment=prod]"]
    assert lines[-1].startswith("4 passed, 0 failed in ")


@pytest.mark.parametrize(
    ("expect", "summary"),
    [
        (
            "values: {resources.api.spec.name: api}",
            '`resources.api.spec.name` is `"api-prod"`, expected is `"api"`',
        ),
        (
            "values: {resources.api.spec.nme: api}",
            "`resources.api.spec.nme` is not in the output",
        ),
        (
            "values: {resources.api.spec.sizes: [1, 2, 3]}",
            "`resources.api.spec.sizes[2]` is not in the output, expected is `3`",
        ),
        (
            "values: {resources.topic: {type: a/c}}",
            "`resources.topic.spec` is not expected: it is `{}`",
        ),
        (
            'values: {resources.api.spec.sizes: ["1", 2]}',
            '`resources.api.spec.sizes[0]` is `1`, expected is `"1"`',
        ),
        ("absent: [resources.api]", "`resources.api` is in the output"),
        ("absent: [a..b]", "`a..b` cannot be read as a path"),
        (
            "unknown: [resources.api.spec.name]",
            '`resources.api.spec.name` is known, it is `"api-prod"`',
        ),
        ("unknown: [resources.apu]", "`resources.apu` is not in the output"),
        ("errors: [cycle@3]", "the error `cycle@3` is expected, but there is none"),
        ("warnings: [cycle]", "the warning `cycle` is expected, but there is none"),
    ],
)
def test_what_is_not_as_expected_is_told_at_its_place(
    folder: Path, expect: str, summary: str
) -> None:
    text = f"tests:\n  a:\n    variables: {{environment: prod}}\n    expect:\n      {expect}\n"
    write(folder, text)
    assert told(folder) == [(5, "expectation_failed", summary)]


def test_a_mistake_that_nobody_expects_is_told_once_with_its_tests(folder: Path) -> None:
    write(folder, "tests:\n  first: {}\n  second: {}\n")
    done = bpp_inside(folder, "test")
    assert done.returncode == 1
    assert done.stderr.count("error[required_variable_missing]") == 1
    assert "set it in the test's `variables`" in done.stderr
    assert "in the test `first`" in done.stderr
    assert "in the test `second`" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("0 passed, 2 failed")


def test_near_names_and_origins(folder: Path) -> None:
    write(
        folder,
        "tests:\n  a:\n    variables: {environment: prod}\n    expect:\n      values:\n"
        "        resources.api.spec.nme: x\n        resources.api.spec.name: x\n",
    )
    said = bpp_inside(folder, "test").stderr
    assert "did you mean `name`?" in said
    assert 'app.blueprint.yaml:9:13\n9 |       name: "api-${variables.environment}"' in said


def test_the_clock_and_the_environment_of_tests(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "app.blueprint.yaml").write_text(
        """\
version: 2025-11-02
variables: {a: {type: string, default: b}}
resources:
  r: {type: a/b, spec: {at: '${datetime("unix")}', a: '${variables.a}', id: '${uuid()}'}}
"""
    )
    monkeypatch.setenv("BPP_VAR_a", "from outside")
    write(
        folder,
        'tests: {zero: {expect: {values: {resources.r.spec.at: "0", resources.r.spec.a: b}}},\n'
        '  later: {now: "1970-01-01T00:01:00Z",'
        ' expect: {values: {resources.r.spec.at: "60"}, snapshot: true}}}\n',
    )
    assert bpp_inside(folder, "test", "--update").returncode == 0
    assert bpp_inside(folder, "test").returncode == 0


def test_snapshots(folder: Path) -> None:
    write(
        folder,
        "tests:\n  'a / b':\n    variables: {environment: prod}\n    expect: {snapshot: true}\n",
    )
    assert told(folder)[0][2] == "the snapshot `__snapshots__/app/a-b.yaml` does not exist"
    done = bpp_inside(folder, "test", "--update")
    assert (done.returncode, "1 snapshot written" in done.stdout) == (0, True)
    kept = folder / "__snapshots__" / "app" / "a-b.yaml"
    assert "name: api-prod" in kept.read_text()
    assert "canary" not in kept.read_text()
    assert bpp_inside(folder, "test").returncode == 0
    kept.write_text(kept.read_text().replace("api-prod", "api"))
    said = bpp_inside(folder, "test").stderr
    assert "differs from the snapshot" in said
    assert "-      name: api\n" in said
    assert "+      name: api-prod\n" in said


@pytest.mark.parametrize(
    ("text", "line", "summary"),
    [
        (
            "",
            1,
            "`app.blueprint-test.yaml` is no file of tests: it has no `tests` at the top level",
        ),
        ("tests: {}\n", 1, "there are no tests"),
        ("tests:\n  a: {expekt: {}}\n", 2, "`expekt` is not known in `tests.a`"),
        ("tests:\n  a: {output: x}\n", 2, "`output` is not known in `tests.a`"),
        ("tests:\n  a:\n    expect: {errors: x}\n", 3, "must be an array, not a string"),
        ("tests:\n  a:\n    now: soon\n", 3, "must be seconds since 1970"),
        ("tests:\n  a: {options: {inputs: x}}\n", 2, "no dialect has the option `inputs`"),
    ],
)
def test_a_malformed_file(folder: Path, text: str, line: int, summary: str) -> None:
    write(folder, text)
    found = told(folder)
    assert [item[:2] for item in found] == [(line, "invalid_test_file")]
    assert summary in found[0][2]


def test_a_file_without_its_blueprint(tmp_path: Path) -> None:
    write(tmp_path, "tests: {a: {}}\n")
    assert "there is no blueprint beside this file" in told(tmp_path)[0][2]
    write(tmp_path, "blueprint: other.yaml\ntests: {a: {}}\n")
    assert told(tmp_path)[0][2] == "`other.yaml` does not exist"


def test_inputs_of_tests_are_not_quoted(folder: Path) -> None:
    write(
        folder,
        "tests:\n  a: {variables: {password: canary-9e, environment: prod}, exp: 1}\n",
    )
    done = bpp_inside(folder, "test")
    assert done.returncode == 1
    assert "canary" not in done.stderr + done.stdout
    write(
        folder,
        "tests:\n  a:\n    variables: {password: canary-9e, environment: prod}\n"
        "    expect: {values: {resources.api.spec.password: x}}\n",
    )
    done = bpp_inside(folder, "test")
    assert '`resources.api.spec.password` is `"${variables.password}"`' in done.stderr
    assert "canary" not in done.stderr + done.stdout


def test_junit(folder: Path) -> None:
    write(
        folder,
        PASSING + "  'wrong <\\x01>':\n    expect: {absent: [resources.api]}\n".replace("'", '"'),
    )
    assert bpp_inside(folder, "test", "--junit", "out/results.xml").returncode == 1
    suite = ElementTree.parse(folder / "out" / "results.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("5", "1")
    (failure,) = suite.iter("failure")
    assert failure.get("message") == "`resources.api` is in the output"
    assert "app.blueprint-test.yaml:21:23" in (failure.text or "")


def test_tests_of_another_dialect(tmp_path: Path) -> None:
    (tmp_path / "hello.tpl").write_text("Hello, {{ .name }}!\n")
    (tmp_path / "values.yaml").write_text("name: you\n")
    (tmp_path / "hello.blueprint-test.yaml").write_text(
        "blueprint: hello.tpl\ndefaults: {dialect: gotemplate, vars: [values.yaml]}\ntests:\n"
        '  fits: {expect: {text: "Hello, you!\\n"}}\n'
        '  differs: {expect: {text: "Hello, me!\\n"}}\n'
    )
    found = told(tmp_path)
    words = 'line 1 of the output is `"Hello, you!"`, expected is `"Hello, me!"`'
    assert found == [(5, "expectation_failed", words)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-k", "zzz"], "no test has `zzz` in its name"),
        (["empty"], "`empty` has no tests; they are in files such as"),
        (["*.x"], "no file matches `*.x`"),
        (["--watch", "--junit", "a.xml"], "--junit cannot be combined with --watch"),
    ],
)
def test_wrong_usage(folder: Path, arguments: list[str], said: str) -> None:
    write(folder, PASSING)
    (folder / "empty").mkdir()
    done = bpp_inside(folder, "test", *arguments)
    assert (done.returncode, said in done.stderr) == (2, True), done


def test_only_some_tests(folder: Path) -> None:
    write(folder, PASSING.replace("api-prod", "api"))
    assert bpp_inside(folder, "test", "-k", "both").stdout.startswith("2 passed, 0 failed")
    done = bpp_inside(folder, "test", "--fail-fast")
    assert done.stdout.splitlines()[-1].startswith("0 passed, 1 failed")
