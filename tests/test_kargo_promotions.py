"""Promotions: which are rendered, views of them, expressions in their scopes, unknown values."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import pytest
from bpp.pipeline import Run, Settings, Source, render
from bpp.pipeline.answers.inspection import inspection_of
from bpp.pipeline.dialects.kargo import PromotionOptions, promotions
from bpp.pipeline.values.tree import AnyNode
from support.harness import CASES, Case, discover_projects, files_of, load_yaml, run
from support.in_process import bpp_inside

KARGO = {case.name.rpartition("/")[2]: case for case in discover_projects("kargo")}
PROJECT = KARGO["project_with_freight"]
FOLDER = CASES / "kargo" / "project_with_freight"


def view(outcome: Run, name: str, form: str = "yaml") -> str:
    return inspection_of(outcome.dialect).views[name](outcome, form)


def rendered(text: str, **options: object) -> Run:
    return render(Source("kargo.yaml", text, "yaml"), options=PromotionOptions(**options))  # type: ignore[arg-type]


def codes(outcome: Run, severity: str = "error") -> list[str]:
    return [item.code for item in outcome.diagnostics if item.severity == severity]


@pytest.mark.parametrize("name", ["project_with_freight", "outcomes", "tasks_alone"])
def test_what_is_rendered_without_knowledge_and_then_with_it_is_rendered_with_it(name: str) -> None:
    case: Case = KARGO[name]
    full = case.project
    less = PromotionOptions(variables=full.variables)
    whole = render(case.main, files=files_of(case), options=full)
    first = render(case.main, files=files_of(case), options=less)
    assert first.text() != whole.text() or name == "tasks_alone"
    source = Source("first.yaml", first.text(), "yaml", path=str(case.folder / "first.yaml"))
    later = render(source, files=files_of(case), options=full)
    assert later.text() == whole.text()


def test_views_show_steps_variables_and_verification() -> None:
    outcome = run(KARGO["outcomes"])
    table = view(outcome, "steps").splitlines()
    assert table[0].split() == ["stage", "step", "uses", "runs", "because"]
    assert table[3].split(maxsplit=4) == ["test", "step-3", "delete", "no", "`failing` failed"]
    rows = json.loads(view(outcome, "steps", "json"))
    assert {row["runs"] for row in rows} == {"yes", "no", "maybe"}
    assert rows[0].keys() == {"stage", "step", "uses", "runs", "because"}
    shown = load_yaml(view(outcome, "vars"))
    assert shown["test"]["size"] == 84
    assert shown["test"]["unused"] == "${{ ctx.uiBaseUrl }}"
    checked = load_yaml(view(run(PROJECT), "verification"))
    assert checked == {"prod": {"replicas": "3 of prod-3", "tag": "1.10", "plain": "as it is"}}


WAREHOUSE = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Warehouse
metadata: {name: NAME}
spec:
  subscriptions: [{image: {repoURL: acme/app}}]
  freightCreationCriteria: {expression: "EXPRESSION"}
status:
  discoveredArtifacts:
    images: [{repoURL: acme/app, references: [{tag: v1.2.0}, {tag: v1.1.0}]}]
"""


def test_criteria_are_about_what_was_discovered() -> None:
    texts = {"met": "imageFrom('acme/app').Tag == 'v1.2.0'", "wrong": "status('a')"}
    made = (WAREHOUSE.replace("NAME", name).replace("EXPRESSION", e) for name, e in texts.items())
    outcome = rendered("---\n".join(made))
    assert load_yaml(view(outcome, "criteria")) == {"met": True}
    assert codes(outcome, "warning") == ["function_not_here", "nothing_to_render"]


def test_stages_are_chosen_by_name_and_others_only_warned_of() -> None:
    text = (FOLDER / "kargo.yaml").read_text("utf-8")
    outcome = rendered(text, stages=("test",))
    assert outcome.data[0]["spec"]["stage"] == "test" and len(outcome.data) == 1
    assert codes(rendered(text, stages=("tset",))) == ["stage_not_found"]
    broken = text.replace('value: "${{ true }}"', 'value: "${{ 1 + }}"')
    assert codes(rendered(broken)) == ["invalid_substitution"]
    outcome = rendered(broken, stages=("test",))
    assert outcome.ok and codes(outcome, "warning") == ["invalid_substitution"]
    assert codes(rendered(text, stages=("passed",))) == ["nothing_to_render"]


def test_a_task_is_rendered_in_the_context_of_a_stage(tmp_path: Path) -> None:
    task, _, stages = (FOLDER / "kargo.yaml").read_text("utf-8").partition("---\n")
    (tmp_path / "task.yaml").write_text(task)
    (tmp_path / "stages.yaml").write_text(stages)
    options = PromotionOptions(stages=("prod",))
    outcome = render(str(tmp_path / "task.yaml"), options=options)
    (made,) = outcome.data
    assert made["spec"]["stage"] == "prod"
    assert made["spec"]["steps"][1]["config"]["path"] == "./src/env/prod/values.yaml"
    alone = render(str(tmp_path / "task.yaml"), options=PromotionOptions())
    assert codes(alone) == ["task_variable_missing"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(copytree(FOLDER, tmp_path_factory.mktemp("kargo") / "project"))


SCOPES = {
    "imageFrom(vars.image).Tag": ("promote::update", '"1.10"'),
    "${{ imageFrom(vars.image).Tag }}": ("update", "1.1"),
    "ctx.meta.step.alias + task.outputs.update.commitMessage": ("commit", "task.outputs.update"),
    "vars.review ?? 'none'": (None, "false"),
    "vars.nope ?? 'none'": (None, '"none"'),
    "vars.nope": (None, "variable_not_found"),
    "${{ 40 + 2 }}": (None, "42\n"),
    "${{ [40 + 2] }}": (None, "42\n]"),
    "1": ("updat", "did you mean `update`?"),
}


@pytest.mark.parametrize("text", SCOPES)
def test_expressions_are_evaluated_in_a_scope(folder: Path, text: str) -> None:
    step, answer = SCOPES[text]
    options = ["--file", "kargo.yaml", "--stage", "test", "--freight", "freight.yaml"]
    done = bpp_inside(folder, "eval", text, *options, *(["--step", step] if step else []))
    assert answer in (done.stdout if done.returncode == 0 else done.stdout + done.stderr)


def test_unknown_values_are_listed_and_refused(folder: Path) -> None:
    line = "render kargo.yaml --stage prod --freight freight.yaml --strict --explain-unknowns"
    told = bpp_inside(folder, *line.split())
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.count("[unresolved_value]") == 6
    assert "stages.prod.outputs.promote::push.branch" in told.stderr
    # what only waits for a Secret does not count
    secret = (CASES / "kargo" / "secrets" / "kargo.yaml").read_text("utf-8")
    alone = secret.replace("sharedConfigMap('all').name", "'a'")
    source = Source("kargo.yaml", alone.replace("configMap('missing').timeout", "'1s'"), "yaml")
    assert render(source, settings=Settings(strict=True)).ok
    assert not render(Source("kargo.yaml", alone, "yaml"), settings=Settings(strict=True)).ok


def test_a_task_is_checked_once_for_all_of_its_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[object] = []
    check = promotions._Inflation._is_step

    def counted(self: promotions._Inflation, item: AnyNode) -> bool:
        checked.append(item)
        return check(self, item)

    monkeypatch.setattr(promotions._Inflation, "_is_step", counted)
    head = "apiVersion: kargo.akuity.io/v1alpha1\nkind: {}\nmetadata: {{name: {}, namespace: ns}}\n"
    task = "spec: {vars: [{name: v}], steps: [{uses: fail}, {uses: 1}, {uses: fail, as: b}]}\n"
    uses = "".join(f"  - {{task: {{name: t}}, as: u{n}, vars: [{{name: v}}]}}\n" for n in range(9))
    stage = f"spec:\n promotionTemplate:\n  spec:\n   steps:\n {uses}".replace("\n  -", "\n   -")
    text = f"{head.format('PromotionTask', 't')}{task}---\n{head.format('Stage', 's')}{stage}"
    outcome = rendered(text)
    assert len(checked) == 9 + 3
    assert codes(outcome).count("invalid_string") == 1
    assert codes(outcome).count("task_variable_missing") == 9
    made = rendered(
        text.replace("uses: 1", "uses: fail").replace(
            "vars: [{name: v}]}\n", "vars: [{name: v, value: x}]}\n"
        )
    )
    assert [row["step"] for row in json.loads(view(made, "steps", "json"))][:4] == [
        "u0::step-1", "u0::step-2", "u0::b", "u1::step-1",
    ]  # fmt: skip
