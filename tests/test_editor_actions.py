"""Code actions: remedies that are applied, comments that ignore, entries that come and go."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline import check
from bpp.pipeline.codes import CODES
from bpp.pipeline.editor.actions import FIX_ALL
from bpp.pipeline.editor.coordinates import Coordinates
from bpp.pipeline.editor.texts import OpenFiles
from bpp.pipeline.engine.lints import Rules
from bpp.pipeline.formats.remedies import edit_of
from bpp.pipeline.values.diagnostics import Diagnostic, Remedy
from bpp.pipeline.values.source import Source
from lsprotocol import types
from support.editor import Desk
from support.harness import (
    Case,
    checks,
    discover,
    discover_others,
    discover_projects,
    files_of,
)


def changed(text: str, edits: list[types.TextEdit]) -> str:
    """A text with edits."""
    at = Coordinates(Source("a", text))
    for edit in sorted(edits, key=lambda one: at.offset(one.range.start), reverse=True):
        text = (
            text[: at.offset(edit.range.start)] + edit.new_text + text[at.offset(edit.range.end) :]
        )
    return text


def actions(
    desk: Desk, name: str, kinds: list[str] | None = None, line: int | None = None
) -> dict[str, types.CodeAction]:
    """The actions for a whole text or a line of it, by title."""
    first, last = (0, 10_000) if line is None else (line - 1, line - 1)
    span = types.Range(types.Position(first, 0), types.Position(last, 10_000))
    params = types.CodeActionParams(
        desk.document(name), span, types.CodeActionContext([], only=kinds)
    )
    found = desk.ask(types.TEXT_DOCUMENT_CODE_ACTION, params) or []
    return {one.title: one for one in found}


def after(desk: Desk, name: str, action: types.CodeAction) -> str:
    """The text of a document after an action."""
    assert action.edit is not None and action.edit.changes is not None
    uri = desk.uri(name)
    assert set(action.edit.changes) == {uri}
    source = desk.workspace.source(uri)
    assert source is not None
    return changed(source.text, list(action.edit.changes[uri]))


HEAD = "version: 2025-11-02\n"
LANDSCAPER = "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\nimports:\n"
KARGO = (
    "apiVersion: kargo.akuity.io/v1alpha1\nkind: Stage\nmetadata: {name: a}\n"
    "spec:\n  promotionTemplate:\n    spec:\n"
)
RESOURCES = "resources:\n  a: {type: aws/x, spec: {}}\n"

# file, text, title, what stands there afterwards instead of what
ROWS: list[tuple[str, str, str, str, str]] = [
    (
        "a.blueprint.yaml",
        f'{HEAD}{RESOURCES}values:\n  host: {{type: string, value: "${{to_uper(\\"a\\")}}"}}\n',
        "Change `to_uper` to `to_upper`",
        "to_uper(",
        "to_upper(",
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}{RESOURCES}values:\n  host:\n    type: string\n    value: 1.10\n",
        "Put `1.10` in quotes",
        "1.10",
        '"1.10"',
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}{RESOURCES}variables:\n  'zone': {{type: string}}\nvalues: {{}}\n",
        "Ignore `unused_variable` here",
        "{type: string}\n",
        "{type: string}  # bpp: ignore unused_variable\n",
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}{RESOURCES}variables:\n  zone: {{type: string}}  # bpp: ignore other\n",
        "Ignore `unused_variable` here",
        "ignore other\n",
        "ignore other, unused_variable\n",
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}{RESOURCES}variables:\n  # why\n  zone:\n    type: string\n  b: {{type: string}}\n",
        "Remove `zone`",
        "  zone:\n    type: string\n",
        "",
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}variables:\n  zone: {{type: string}}\n{RESOURCES}",
        "Remove `zone`",
        "variables:\n  zone: {type: string}\n",
        "",
    ),
    (
        "blueprint.yaml",
        f"{LANDSCAPER}  - {{name: size, schema: {{type: number}}}}\n"
        "deployExecutions:\n  - name: a\n"
        "    type: GoTemplate\n    template: |\n      a: {{ .imports.size }}"
        " {{ .imports.other }}\n",
        "Declare the import `other`",
        "type: number}}\n",
        "type: number}}\n  - name: other\n    schema: {type: string}\n",
    ),
    (
        "blueprint.yaml",
        f"{LANDSCAPER}  - {{name: size, schema: {{type: number}}}}\n"
        "deployExecutions:\n  - name: a\n"
        "    type: GoTemplate\n    template: |\n      a: {{ .imports.sise }}\n",
        "Change `sise` to `size`",
        ".sise",
        ".size",
    ),
    (
        "kargo.yaml",
        f"{KARGO}      vars: [{{name: repo, value: a}}]\n"
        "      steps:\n        - uses: git-clear\n"
        "          config: {path: '${{ vars.repo }}${{ vars.rpeo }}'}\n",
        "Change `rpeo` to `repo`",
        "rpeo",
        "repo",
    ),
    (
        "blueprint.yaml",
        f"{LANDSCAPER}  - {{name: b, schema: {{}}}}\n  - name: c\n    schema: {{}}\n",
        "Remove `b`",
        "  - {name: b, schema: {}}\n",
        "",
    ),
    (
        "blueprint.yaml",
        f"{LANDSCAPER}  - {{name: b, schema: {{}}}}\n  - name: c\n    schema: {{}}\n",
        "Remove `c`",
        "  - name: c\n    schema: {}\n",
        "",
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}{RESOURCES}  # bpp: ignore unused_value, unused_variable\n",
        "Remove the code `unused_value`",
        "ignore unused_value, unused_variable",
        "ignore unused_variable",
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}resources:\n  a: {{type: aws/x, spec: {{a: '${{variables.zone}}'}}}}\n",
        "Declare the variable `zone`",
        "}}\n",
        "}}\nvariables:\n  zone:\n    type: string\n",
    ),
    (
        "a.blueprint.yaml",
        f"{HEAD}variables:\n  b: {{type: string}}\nresources:\n"
        "  a: {type: aws/x, spec: {a: '${variables.zone}'}}\n",
        "Declare the variable `zone`",
        "  b: {type: string}\n",
        "  b: {type: string}\n  zone:\n    type: string\n",
    ),
]


@pytest.mark.parametrize(("name", "text", "title", "old", "new"), ROWS)
def test_an_action(tmp_path: Path, name: str, text: str, title: str, old: str, new: str) -> None:
    desk = Desk(tmp_path)
    desk.open(name, text)
    found = actions(desk, name)
    assert title in found, list(found)
    assert text.count(old) == 1
    assert after(desk, name, found[title]) == text.replace(old, new)


def test_actions_of_a_kind(tmp_path: Path) -> None:
    values = "values:\n  a: {type: string, value: 1}\n  b: {type: sting, value: a}\n"
    text = HEAD + RESOURCES + values
    desk = Desk(tmp_path)
    desk.open("a.blueprint.yaml", text)
    fixes = actions(desk, "a.blueprint.yaml", [FIX_ALL])
    assert {str(one.kind) for one in fixes.values()} == {FIX_ALL}
    (one,) = fixes.values()
    # a near name may not be the one that is meant
    assert after(desk, "a.blueprint.yaml", one) == text.replace("value: 1", 'value: "1"')
    assert not actions(desk, "a.blueprint.yaml", ["refactor.extract"])


def test_all_of_the_same(tmp_path: Path) -> None:
    text = f"{HEAD}values:\n  host: {{type: string, value: a}}\nresources:\n" + "".join(
        f"  r{n}: {{type: aws/x, spec: {{a: '${{values.hots}}'}}}}\n" for n in range(3)
    )
    desk = Desk(tmp_path)
    desk.open("a.blueprint.yaml", text)
    found = actions(desk, "a.blueprint.yaml", line=5)
    one = found["Change all 3 places with `value_not_found` like this"]
    assert after(desk, "a.blueprint.yaml", one) == text.replace("hots", "host")


def test_a_value_is_given(tmp_path: Path) -> None:
    """In the blueprint, or in the file of values that it is rendered with."""
    text = f"{HEAD}variables:\n  zone:\n    type: string\n{RESOURCES}"
    desk = Desk(tmp_path, {"a.blueprint.yaml": text, "prod.yaml": "other: 1\n"})
    path = os.path.realpath(tmp_path / "a.blueprint.yaml")
    desk.workspace.inputs.choose(path, ["--vars", str(tmp_path / "prod.yaml")])
    desk.open("a.blueprint.yaml")
    place = types.Position(2, 3)
    params = types.CodeActionParams(
        desk.document("a.blueprint.yaml"), types.Range(place, place), types.CodeActionContext([])
    )
    found = {one.title: one for one in desk.ask(types.TEXT_DOCUMENT_CODE_ACTION, params)}
    given = after(desk, "a.blueprint.yaml", found["Give `zone` a default"])
    assert given == text.replace("    type: string\n", '    type: string\n    default: ""\n')
    (one,) = [one for title, one in found.items() if title.startswith("Give `zone` a value in")]
    assert one.edit is not None
    assert one.edit.changes is not None
    ((uri, edits),) = one.edit.changes.items()
    assert uri == desk.uri("prod.yaml")
    assert changed("other: 1\n", list(edits)) == 'other: 1\nzone: ""\n'


def test_a_part_of_a_project(tmp_path: Path) -> None:
    """The file of an action, which only its project can check."""
    project = (
        "apiVersion: garden.io/v1\nkind: Project\nname: shop\nenvironments: [{name: dev}]\n"
        "variables: {host: a}\n"
    )
    action = "kind: Deploy\ntype: kubernetes\nname: api\nspec: {a: '${var.hots}'}\n"
    desk = Desk(tmp_path, {"project.garden.yml": project, "api.garden.yml": action})
    desk.open("project.garden.yml")
    desk.workspace.open(desk.uri("api.garden.yml"), action)
    found = actions(desk, "api.garden.yml")
    one = found["Change `hots` to `host`"]
    assert after(desk, "api.garden.yml", one) == action.replace("hots", "host")
    # of the project's file, which is another one
    assert "Declare the variable `hots`" not in found


def test_json_takes_no_comments(tmp_path: Path) -> None:
    text = '{"version": "2025-11-02", "variables": {"a": {"type": "string"}}, "resources": {}}'
    desk = Desk(tmp_path)
    assert desk.open("a.blueprint.json", text).diagnostics
    assert not [one for one in actions(desk, "a.blueprint.json") if one.startswith("Ignore")]


def test_an_older_text_has_no_actions(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.open("a.blueprint.yaml", f"{HEAD}resouces: {{}}\n")
    desk.workspace.open(desk.uri("a.blueprint.yaml"), f"# more\n{HEAD}resouces: {{}}\n")
    assert not actions(desk, "a.blueprint.yaml")


# --- the law: a remedy remedies -----------------------------------------------------------------

CASES = [*discover(), *discover_others(), *discover_projects(), *discover_projects("kargo")]


def _told(case: Case, files: Any = None) -> list[Diagnostic]:
    if files is None:
        return list(checks(case))
    rules = Rules(known=lambda: CODES) if case.lint else None
    return list(
        check(case.main, files=files, settings=case.settings, rules=rules, options=case.project)
    )


def test_a_remedy_remedies() -> None:
    """After the edit of a hint, the mistake that it is for is gone: each code in each dialect."""
    done: set[tuple[str, str, str]] = set()
    for case in CASES:
        for item in _told(case):
            edit = edit_of(item)
            kind = (case.dialect, item.code, getattr(item.hint, "action", ""))
            if edit is None or kind in done:
                continue
            source = edit.span.source
            if source.path is None or not Path(source.path).is_file():
                continue  # a file in a manifest
            done.add(kind)
            text = source.text[: edit.span.start] + edit.text + source.text[edit.span.end :]
            files = OpenFiles(files_of(case), {source.path: source.evolve(text=text)})
            left = [(one.code, one.span, one.summary) for one in _told(case, files)]
            assert not [
                one
                for one in left
                if one[0] == item.code
                and one[2] == item.summary
                and one[1]
                and one[1].start == item.span.start
            ], str(item)
    assert len(done) > 50
    assert {dialect for dialect, _, _ in done} >= {"bluelink", "garden", "kargo", "landscaper"}


def test_a_remedy_stays_one() -> None:
    """A hint that says what to write is still one after a report was made discreet."""
    import pickle

    hint = Remedy("did you mean `b`?", "b", "a", sure=False)
    again = pickle.loads(pickle.dumps(hint))
    assert (again, again.instead, again.written, again.sure) == (hint, "b", "a", False)
