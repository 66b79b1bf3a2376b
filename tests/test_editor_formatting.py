"""Formatting in an editor: what `bpp fmt` writes, as an edit."""

from __future__ import annotations

from pathlib import Path

import pytest
from bpp.pipeline.dialects.table import detect_dialect
from bpp.pipeline.engine.formatting import format_text
from bpp.pipeline.values.source import Source
from lsprotocol import types
from support.editor import Desk, cut

YAML = (
    "version: 2025-11-02\nvariables:\n  b: {type: string}\n"
    "resources:\n  a:\n     type: x/y\n     spec: {n: \"𝄞${ join(list(variables.b,'-'),'') }\"}\n"
)
TEXTS = {
    "yaml": ("a.blueprint.yaml", YAML),
    "windows": ("a.blueprint.yaml", YAML.replace("\n", "\r\n")),
    "json": ("a.blueprint.json", '{"version":"2025-11-02",\n"resources":{}}'),
    "kargo": (
        "a.yaml",
        "apiVersion: kargo.akuity.io/v1alpha1\nkind: PromotionTask\nmetadata: {name: t}\nspec:\n"
        "   steps:\n   - uses: x\n     config: {a: '${{ 1+2 }}'}\n",
    ),
}


def _edits(desk: Desk, name: str) -> list[types.TextEdit] | None:
    options = types.FormattingOptions(tab_size=8, insert_spaces=False)
    params = types.DocumentFormattingParams(desk.document(name), options)
    found: list[types.TextEdit] | None = desk.ask(types.TEXT_DOCUMENT_FORMATTING, params)
    return found


@pytest.mark.parametrize("case", TEXTS)
def test_a_document_gets_the_one_style(tmp_path: Path, case: str) -> None:
    name, text = TEXTS[case]
    desk = Desk(tmp_path)
    desk.open(name, text)
    (edit,) = _edits(desk, name) or []
    lines = text.split("\n")
    end = types.Position(len(lines) - 1, len(lines[-1].encode("utf-16-le")) // 2)
    before = cut(text, types.Range(types.Position(0, 0), edit.range.start))
    after = cut(text, types.Range(edit.range.end, end))
    made = before + edit.new_text + after
    source = Source(name, text)
    assert made == format_text(source, detect_dialect(source)).text != text
    desk.open(name, made)
    assert _edits(desk, name) == []


def test_only_what_changes_is_edited(tmp_path: Path) -> None:
    text = "version: 2025-11-02\nresources:\n  a:\n    type:   x/y\n  b:\n    type: x/z\n"
    desk = Desk(tmp_path)
    desk.open("a.blueprint.yaml", text)
    (edit,) = _edits(desk, "a.blueprint.yaml") or []
    assert edit.range.start.line == edit.range.end.line == 3
    assert edit.new_text == ""


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.blueprint.yaml", "version: 2025-11-02\nresources: [\n"), ("a.yaml", "other:   1\n")],
)
def test_mistakes_and_other_files_stay(tmp_path: Path, name: str, text: str) -> None:
    desk = Desk(tmp_path)
    desk.workspace.open(desk.uri(name), text)
    assert _edits(desk, name) is None
