"""`bpp check`: what it checks, what it tells, where it says so; and the files of reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bpp.pipeline import check
from bpp.pipeline.cli import check_command
from bpp.pipeline.codes import CODES
from bpp.pipeline.engine.lints import Rules
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.source import Source
from bpp.pipeline.world.searching import matches
from support.in_process import bpp_inside
from support.schemas import violations

SPARE = "version: 2025-11-02\nvariables:\n  spare: {type: string}\nresources: {}\n"
SOUND = "version: 2025-11-02\nresources: {}\n"
WRONG = 'version: 2025-11-02\nresources:\n  a: {type: a/b, spec: {n: "${variables.x}"}}\n'


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        file = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_toml", ".toml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def codes(folder: Path, *arguments: str) -> list[tuple[str, str, str]]:
    """The file, severity and code of what is told, on standard output alone."""
    done = bpp_inside(folder, "check", *arguments, "--diagnostics", "json")
    assert done.stderr == ""
    report = json.loads(done.stdout)
    assert violations(report) == []
    return [(item["file"], item["severity"], item["code"]) for item in report["diagnostics"]]


# --- which files --------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    other = "apiVersion: v1\nkind: List\nmetadata: {}\nspec: {}\n"
    write(
        tmp_path,
        app_yaml=SPARE,
        infra__db_yaml=SPARE,
        infra__deep__old_yaml=SPARE,
        infra__kustomization_yaml="resources: [a.yaml]\n",
        infra__values_yaml="version: 1.0.0\nresources: {cpu: 1}\n",
        infra__compose_yaml='version: "3"\nservices: {}\n',
        infra__list_yaml=other,
        infra__blueprint_yaml="apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\n",
        infra__kargo_yaml="apiVersion: kargo.akuity.io/v1alpha1\nkind: Project\n",
        infra__action_yaml="kind: Build\nname: a\ntype: exec\n",
        infra__data_yaml="- [\x00",
        __hidden_yaml=SPARE,
    )
    write(tmp_path, **{".git__a_yaml": SPARE, "node_modules__a_yaml": SPARE})
    (tmp_path / "infra" / "broken.blueprint.yaml").write_text("a: [")
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), "app.yaml infra/broken.blueprint.yaml infra/db.yaml infra/deep/old.yaml"),
        ((".",), "app.yaml infra/broken.blueprint.yaml infra/db.yaml infra/deep/old.yaml"),
        (("infra/deep", "app.yaml", "infra/deep"), "infra/deep/old.yaml app.yaml"),
        (("**/old.yaml",), "infra/deep/old.yaml"),
        (("infra/[de]?.yaml",), "infra/db.yaml"),
        (("./infra/../infra//d*.yaml",), "infra/db.yaml infra/data.yaml"),
        ((".", "--exclude", "infra"), "app.yaml"),
        (
            (".", "--exclude", "*.blueprint.yaml", "--exclude", "infra/deep"),
            "app.yaml infra/db.yaml",
        ),
        (("infra", "--exclude", "**/d*.yaml", "--exclude", "broken*"), "infra/deep/old.yaml"),
        (("app.yaml", "--exclude", "app.yaml"), "app.yaml"),
    ],
)
def test_files_are_named_or_found(project: Path, arguments: tuple[str, ...], expected: str) -> None:
    found = dict.fromkeys(file for file, _, _ in codes(project, *arguments))
    assert sorted(found) == sorted(expected.split())


def test_projects_are_found(tmp_path: Path) -> None:
    write(tmp_path, a__b_yaml="kind: Build\nname: a\ntype: exec\n")
    text = "apiVersion: garden.io/v1\nkind: Project\nname: p\nenvironments: [{name: dev}]\n"
    (tmp_path / "a" / "project.garden.yml").write_text(text + "providers: [{name: '${1 +}'}]\n")
    assert {file for file, _, _ in codes(tmp_path, "a")} == {"a/project.garden.yml"}


def test_folders_of_promotions_are_found(tmp_path: Path) -> None:
    stage = "apiVersion: kargo.akuity.io/v1alpha1\nkind: Stage\nmetadata: {name: %s}\n"
    steps = "spec: {promotionTemplate: {spec: {steps: [{uses: git-comit}]}}}\n"
    write(tmp_path, a__b_yaml=stage % "b" + steps, a__c_yaml=stage % "c" + steps)
    told = [(file, code) for file, _, code in codes(tmp_path, "a")]
    assert sorted(told) == [("a/b.yaml", "unknown_step"), ("a/c.yaml", "unknown_step")]


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("node_modules/..//node_modules", "--exclude", "*"), 2, "has no blueprints"),
        (("x/*.yaml",), 2, "no file matches `x/*.yaml`"),
        (("missing.yaml",), 3, "`missing.yaml` does not exist"),
        (("app.yaml", "--select", "unused_varable"), 2, "(did you mean `unused_variable`?)"),
        (("app.yaml", "--ignore", ""), 2, "--ignore: unknown code ``"),
        (("app.yaml", "--diagnostics-file", "a.xml"), 2, "cannot tell the format of `a.xml`"),
        (
            ("app.yaml", "--diagnostics-file", "a.json", "--diagnostics-file", "sarif:a.json"),
            2,
            "--diagnostics-file names `a.json` twice",
        ),
        (("app.yaml", "--diagnostics-file", "jsn:a"), 2, "unknown format `jsn` (did you mean"),
        (("app.yaml", "--diagnostics-file", "-"), 2, "needs the path of a file"),
        (("app.yaml", "--diagnostics-file", "json:"), 2, "needs the path of a file"),
        (("app.yaml", "--diagnostics-file", "json:app.yaml"), 2, "would replace `app.yaml`"),
        (("infra", "--diagnostics-file", "json:infra/db.yaml"), 2, "would replace `infra/db.yaml`"),
        (("-", "-"), 2, "can be read only once"),
    ],
)
def test_wrong_command_lines(
    project: Path, arguments: tuple[str, ...], status: int, told: str
) -> None:
    before = (project / "infra" / "db.yaml").read_text()
    done = bpp_inside(project, "check", *arguments)
    assert (done.returncode, told in done.stderr) == (status, True), done.stderr
    assert (project / "infra" / "db.yaml").read_text() == before


@pytest.mark.parametrize(
    ("pattern", "path", "whole", "expected"),
    [
        ("a/*.yaml", "a/b.yaml", True, True),
        ("a/*.yaml", "a/b/c.yaml", True, False),
        ("**/c.yaml", "c.yaml", True, True),
        ("a/**/c.yaml", "a/x/y/c.yaml", True, True),
        ("a", "a/x/c.yaml", False, True),
        ("a", "b/a", False, False),
        ("**/x", "a/x/c.yaml", False, True),
        ("/".join(["**", "a"] * 30), "/".join(["a"] * 25 + ["b"] * 25), True, False),
    ],
)
def test_patterns(pattern: str, path: str, whole: bool, expected: bool) -> None:
    assert matches(pattern, path, whole) is expected


# --- what is told -------------------------------------------------------------------------------


def test_rules_choose_and_raise(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_yaml=SPARE.replace(
            "resources: {}", "resources:\n  a: {type: a/b, condition: true, spec: {}}"
        ),
    )
    both = [("a.yaml", "warning", "unused_variable"), ("a.yaml", "warning", "constant_condition")]
    assert codes(tmp_path, "a.yaml") == both
    assert codes(tmp_path, "a.yaml", "--select", "unused_variable") == both[:1]
    assert codes(tmp_path, "a.yaml", "--ignore", "unused_variable,unused_value") == both[1:]
    assert codes(tmp_path, "a.yaml", "--ignore", "all") == []
    raised = codes(tmp_path, "a.yaml", "--warn-as-error", "unused_variable")
    assert [severity for _, severity, _ in raised] == ["error", "warning"]
    for arguments, status in (((), 0), (("--warn-as-error", "all"), 1)):
        assert bpp_inside(tmp_path, "check", "a.yaml", *arguments).returncode == status


def test_all_files_are_quoted(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=WRONG, b_yaml=WRONG.replace("variables.x", "variables.y"))
    done = bpp_inside(tmp_path, "check", "a.yaml", "b.yaml")
    assert "there is no variable `x`" in done.stderr
    assert "there is no variable `y`" in done.stderr


def test_errors_are_told_whatever_the_rules_are(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=WRONG.replace("}}\n", "}} # bpp: ignore variable_not_found\n"))
    found = codes(tmp_path, "a.yaml", "--ignore", "all")
    assert found == [("a.yaml", "error", "variable_not_found")]
    found = codes(tmp_path, "a.yaml")
    assert found[1:] == [("a.yaml", "note", "unused_ignore")]


def test_a_render_tells_no_lints(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=SPARE)
    done = bpp_inside(tmp_path, "render", "a.yaml", "--var", "spare=x")
    assert (done.returncode, done.stderr) == (0, "")
    assert not len(check(Source("a.yaml", SPARE, "yaml")))


def test_success_is_told_on_a_terminal(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=SOUND, b_yaml=SOUND)
    assert bpp_inside(tmp_path, "check", ".").stderr == ""
    for words, told in (
        ((".",), "2 blueprints checked\n"),
        (("a.yaml",), "1 blueprint checked\n"),
        ((".", "--diagnostics", "sarif"), ""),
    ):
        assert bpp_inside(tmp_path, "check", *words, terminal=True).stderr == told


def test_a_variable_is_one_of_some_blueprint(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=SPARE, b_yaml=SOUND)
    both = ("a.yaml", "b.yaml", "--ignore", "unused_variable")
    assert codes(tmp_path, *both, "--var", "spare=x") == []
    found = bpp_inside(tmp_path, "check", *both, "--var", "spar=x")
    assert found.stderr.count("undeclared_variable") == 1
    assert (
        "undeclared_variable" in bpp_inside(tmp_path, "check", *both[1:], "--var", "spare=x").stderr
    )


def test_variables_files_are_read_once(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=SPARE, b_yaml=SPARE)
    done = bpp_inside(tmp_path, "check", "a.yaml", "b.yaml", "--vars", "-", text="spare: [1")
    assert done.stderr.count("<stdin>:1") == 1


def test_comments_cost_by_their_number() -> None:
    comments = "# bpp: ignore unused_variable\n"
    text = SOUND + "metadata:\n  text: |\n" + "    x\n" * 50
    spent = []
    for count in (200, 400):
        source = Source("a.yaml", comments * count + text, "yaml")
        meter = Meter(Rules and check_command.limits_of(check_command.Options()))
        before = meter.left
        found = check(source, rules=Rules(known=lambda: CODES), after=meter)
        assert len(found) == count
        spent.append(before - meter.left)
    assert spent[1] <= 2.2 * spent[0] + 1000


# --- the configuration --------------------------------------------------------------------------


def test_the_configuration_has_a_table(tmp_path: Path) -> None:
    write(
        tmp_path,
        infra__app_yaml=SPARE,
        infra__old__app_yaml=SPARE,
        other_yaml=SPARE,
        bpp_toml='[check]\nfiles = ["infra"]\nexclude = ["infra/old"]\nwarn-as-error = ["all"]\n',
    )
    assert codes(tmp_path) == [("infra/app.yaml", "error", "unused_variable")]
    assert codes(tmp_path / "infra") == [("app.yaml", "error", "unused_variable")]
    assert codes(tmp_path, "other.yaml", "--ignore", "unused_variable") == []
    (tmp_path / "bpp.toml").write_text('[check]\nignore = ["unused_variable"]\nselect = ["all"]\n')
    assert codes(tmp_path, "other.yaml") == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[check]\nignore = ["unused_varable"]\n', "did you mean `unused_variable`?"),
        ('[check]\nignore = "unused_variable"\n', "must be an array"),
        ("[check]\nignor = []\n", "did you mean `ignore`?"),
        ("[chek]\n", "did you mean `check`?"),
        ("[check\n", "bpp.toml:1"),
    ],
)
def test_a_wrong_configuration_is_told(tmp_path: Path, text: str, told: str) -> None:
    write(tmp_path, a_yaml=SOUND, bpp_toml=text)
    done = bpp_inside(tmp_path, "check", "a.yaml")
    assert (done.returncode, told in done.stderr) == (1, True), done.stderr


def test_mistakes_in_targets_are_for_builds(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=SOUND, bpp_toml="[check]\n[targets.a]\nblueprnt = 1\n")
    assert bpp_inside(tmp_path, "check", "a.yaml").returncode == 0
    assert "no targets" not in bpp_inside(tmp_path, "check", "a.yaml").stderr


# --- files of reports ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "a.yaml"),
        ("render", "a.yaml"),
        ("eval", "1", "-f", "a.yaml"),
        ("why", "a.yaml", "resources"),
        ("graph", "a.yaml"),
        ("diff", "a.yaml", "a.yaml"),
        ("lock", "a.yaml"),
        ("build",),
    ],
)
@pytest.mark.parametrize("text", [SOUND, WRONG], ids=["sound", "wrong"])
def test_every_command_writes_reports(
    tmp_path: Path, arguments: tuple[str, ...], text: str
) -> None:
    target = '[targets.a]\nblueprint = "a.yaml"\noutput = "out/a.yaml"\n'
    write(tmp_path, a_yaml=text, bpp_toml=target)
    names = ("r/a.json", "r/b.sarif", "text:c", "github:d")
    for _ in range(2):  # also when nothing is left to do
        for file in tmp_path.glob("r/*"):
            file.unlink()
        bpp_inside(tmp_path, *arguments, *(f"--diagnostics-file={name}" for name in names))
        report = json.loads((tmp_path / "r" / "a.json").read_text())
        assert violations(report) == []
        expected = ["variable_not_found"] if text is WRONG else []
        assert [item["code"] for item in report["diagnostics"]] == expected
        log = json.loads((tmp_path / "r" / "b.sarif").read_text())
        assert [one["ruleId"] for one in log["runs"][0]["results"]] == expected
        assert ("variable_not_found" in (tmp_path / "c").read_text()) == bool(expected)
        assert (tmp_path / "d").read_text().startswith("::error " if expected else "")


@pytest.mark.parametrize(
    ("arguments", "file", "status"),
    [
        (("check", "a.yaml"), "child.yaml", 3),
        (("check", "a.yaml"), "bpp.toml", 2),
        (("check", "a.yaml"), "x.txt", 3),
        (("render", "a.yaml", "-o", "o.yaml"), "x.txt", 3),
        (("why", "a.yaml", "resources.a"), "x.txt", 3),
        (("diff", "a.yaml", "child.yaml"), "x.txt", 3),
        (("lock", "a.yaml"), "bpp.lock", 2),
        (("build",), "bpp.toml", 2),
        (("build",), "a.yaml", 2),
        (("build",), "out/a.yaml", 2),
        (("build", "--check"), "child.yaml", 3),
        (("build",), "x.txt", 3),
    ],
)
def test_reports_replace_nothing_in_use(
    tmp_path: Path, arguments: tuple[str, ...], file: str, status: int
) -> None:
    write(
        tmp_path,
        a_yaml="version: 2025-11-02\ninclude: {c: {path: child.yaml}}\n"
        "resources: {a: {type: x/y, spec: {n: '${file(\"x.txt\")}'}}}\n",
        child_yaml=SOUND,
        bpp_toml='[targets.a]\nblueprint = "a.yaml"\noutput = "out/a.yaml"\n[check]\n',
        out__a_yaml="mine",
    )
    (tmp_path / "x.txt").write_text("mine")
    (tmp_path / "bpp.lock").write_text("mine")
    before = (tmp_path / file).read_text()
    done = bpp_inside(tmp_path, *arguments, "--diagnostics-file", f"json:{file}")
    assert (done.returncode, file in done.stderr.splitlines()[-1]) == (status, True), done.stderr
    assert (tmp_path / file).read_text() == before


@pytest.mark.parametrize("command", ["check", "lock", "build"])
def test_the_report_is_the_product_where_nothing_else_is(tmp_path: Path, command: str) -> None:
    target = '[targets.a]\nblueprint = "a.yaml"\noutput = "a.out.yaml"\n'
    write(tmp_path, a_yaml=WRONG, bpp_toml=target)
    arguments = {"check": ("a.yaml",), "lock": ("a.yaml", "--check"), "build": ("--check",)}
    for form in ("json", "sarif"):
        done = bpp_inside(tmp_path, command, *arguments[command], "--diagnostics", form)
        assert "variable_not_found" in str(json.loads(done.stdout))
        assert done.stderr == "" or done.stderr.startswith("0 differ")
    text = bpp_inside(tmp_path, command, *arguments[command])
    assert "variable_not_found" in text.stderr
    assert "variable_not_found" not in text.stdout
    # where the output is the product, the report is not
    done = bpp_inside(tmp_path, "render", "a.yaml", "--diagnostics", "json")
    assert (done.stdout, "variable_not_found" in done.stderr) == ("", True)


def test_a_lock_file_on_standard_output_is_alone_there(tmp_path: Path) -> None:
    write(tmp_path, a_yaml=SOUND)
    done = bpp_inside(tmp_path, "lock", "a.yaml", "-o", "-", "--diagnostics", "json")
    assert set(json.loads(done.stdout)) == {"version", "files"}
    assert set(json.loads(done.stderr)) == {"version", "diagnostics"}
