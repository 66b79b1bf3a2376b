"""The outline of texts: symbols, folding, selections, links and tokens, by dialect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline.editor.features import features
from bpp.pipeline.editor.tokens import TYPES
from lsprotocol import types
from support.editor import Desk, cut, marked
from test_editor_completion import DOCUMENTS, PREFERENCES

ROOT = Path(__file__).parent.parent


def desk_with(tmp_path: Path, dialect: str, text: str | None = None) -> tuple[Desk, str, str]:
    """A workspace with the document of a dialect; its name and its text."""
    name, good = DOCUMENTS[dialect]
    desk = Desk(tmp_path)
    desk.workspace.preferences = PREFERENCES
    desk.open(name, text or good)
    return desk, name, text or good


def shown(symbols: list[types.DocumentSymbol] | None, depth: int = 0) -> Iterator[str]:
    for one in symbols or ():
        detail = f": {one.detail}" if one.detail else ""
        yield f"{'  ' * depth}{one.name}{detail}"
        yield from shown(one.children, depth + 1)


SYMBOLS = {
    "bluelink": "values|  prefix: string|    value|resources|  api: aws/lambda/function",
    "garden": "Project shop|Build api: container|Deploy web: kubernetes|  dependencies",
    "kargo": "Warehouse teapot|Stage test|promotionTemplate|  metadata|          clone: git-clone",
    "landscaper": "imports|  cluster|deployExecutions|  default: GoTemplate|    template",
    "spiff": "name|host",
}


@pytest.mark.parametrize("dialect", SYMBOLS)
def test_symbols(tmp_path: Path, dialect: str) -> None:
    desk, name, text = desk_with(tmp_path, dialect)
    params = types.DocumentSymbolParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params)
    lines = [*shown(found)]
    for line in SYMBOLS[dialect].split("|"):
        assert any(one.strip() == line.strip() for one in lines), lines
    stack = [*found]
    while stack:
        one = stack.pop()
        assert cut(text, one.selection_range) in cut(text, one.range)
        stack += one.children or ()


def test_symbols_of_a_text_that_is_broken_are_those_that_are_left(tmp_path: Path) -> None:
    desk, name, text = desk_with(tmp_path, "bluelink")
    broken = text.replace("    type: integer\n", "    type: [integer\n")
    desk.open(name, broken)
    params = types.DocumentSymbolParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, params)
    by_name = {one.name: one for one in found}
    assert cut(broken, by_name["resources"].selection_range) == "resources"
    assert cut(broken, by_name["variables"].range).startswith("variables:\n  environment")


def test_symbols_of_the_workspace(tmp_path: Path) -> None:
    desk, name, text = desk_with(tmp_path, "bluelink")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "net.blueprint.yaml").write_text(text.replace("table", "network"))
    (tmp_path / "parts" / "other.yaml").write_text("values:\n  network: 1\n")
    (tmp_path / "stages.yaml").write_text(DOCUMENTS["kargo"][1])
    found = desk.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("net"))
    assert [(one.name, one.container_name) for one in found] == [("network", "resources")]
    assert found[0].location.uri == desk.uri("parts/net.blueprint.yaml")
    found = desk.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("API"))
    assert {one.location.uri for one in found} >= {desk.uri(name)}
    found = desk.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("stage"))
    assert [one.name for one in found] == ["Stage test"]


FOLDED = """\
version: 2025-11-02
# one
# two
resources:
  a:
    type: x/y
    spec:
      list:
        - b
        - c
      text: |
        one
        two
      flow: {
        a: 1,
        b: 2
      }
"""


def test_folding(tmp_path: Path) -> None:
    desk, name, _ = desk_with(tmp_path, "bluelink", FOLDED)
    params = types.FoldingRangeParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_FOLDING_RANGE, params)
    lines = {(one.start_line, one.end_line) for one in found}
    assert lines >= {(1, 2), (3, 16), (4, 16), (6, 16), (7, 9), (10, 12), (13, 15)}
    assert [one.kind for one in found if one.start_line == 1] == [types.FoldingRangeKind.Comment]


def test_blocks_of_templates_fold(tmp_path: Path) -> None:
    text = DOCUMENTS["landscaper"][1].replace(
        "      deployItems:\n", "      {{ if .imports.shop }}\n      deployItems:\n"
    )
    desk, name, text = desk_with(tmp_path, "landscaper", f"{text}      {{{{ end }}}}\n")
    params = types.FoldingRangeParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_FOLDING_RANGE, params)
    start = text.split("\n").index("      {{ if .imports.shop }}")
    assert start in {one.start_line for one in found}


SELECTIONS = [
    (
        "bluelink",
        "shop-${variables.environment}",
        "shop-${trim(varia^bles.environment)}",
        [
            "variables.environment",
            "trim(variables.environment)",
            "${trim(variables.environment)}",
            "shop-${trim(variables.environment)}",
            "value: shop-${trim(variables.environment)}",
        ],
    ),
    ("bluelink", "labels: {app: shop}", "labels: {app: sh^op}", ["shop", "app: shop"]),
    ("bluelink", "main", '"ma^in"', ["main", '"main"', 'handler: "main"']),
    ("kargo", "vars.repo", "vars.re^po", ["vars.repo", " vars.repo ", "${{ vars.repo }}"]),
    ("garden", "- build.api", "- build.${va^r.host}", ["var.host", "${var.host}"]),
    ("landscaper", ".shop.host", ".shop.ho^st", [" .imports.shop.host "]),
    ("spiff", "(( name ))", "(( na^me ))", ["name", " name ", "(( name ))"]),
]


@pytest.mark.parametrize(("dialect", "old", "new", "expected"), SELECTIONS)
def test_selections_grow(
    tmp_path: Path, dialect: str, old: str, new: str, expected: list[str]
) -> None:
    text, position = marked(DOCUMENTS[dialect][1].replace(old, new, 1), "^")
    desk, name, text = desk_with(tmp_path, dialect, text)
    params = types.SelectionRangeParams(desk.document(name), [position])
    (found,) = desk.ask(types.TEXT_DOCUMENT_SELECTION_RANGE, params)
    ranges = []
    while found is not None:
        ranges.append(cut(text, found.range))
        found = found.parent
    places = [ranges.index(one) for one in expected]
    assert places == sorted(places)
    assert ranges[-1] == text


TOKENS = [
    (
        "bluelink",
        "shop-${variables.environment}",
        'shop-${join(values.a, "x", 3)}',
        '${ macro|join function|values variable|a property|"x" string|3 number|} macro',
    ),
    ("kargo", "vars.repo", "vars.repo == 'x'", "vars variable|repo property|== operator"),
    ("garden", "shop.example.com", "${local.env.X || 'y'}", "|| operator|'y' string|env property"),
    ("landscaper", ".shop.host", ".shop.host | quote", "| operator|quote function|host property"),
    (
        "gotemplate",
        ".name",
        ".name | quote",
        "if keyword|$you variable|name property|PIPE operator",
    ),
    ("spiff", "(( name ))", "(( name || true ))", "(( macro|name variable|true keyword"),
]


def told_tokens(data: list[int], text: str) -> Iterator[tuple[str, str]]:
    line = column = 0
    lines = text.split("\n")
    for number in range(0, len(data), 5):
        down, right, size, kind, _ = data[number : number + 5]
        line, column = line + down, right if down else column + right
        yield lines[line][column : column + size], TYPES[kind]


@pytest.mark.parametrize(("dialect", "old", "new", "expected"), TOKENS)
def test_tokens(tmp_path: Path, dialect: str, old: str, new: str, expected: str) -> None:
    desk, name, text = desk_with(tmp_path, dialect, DOCUMENTS[dialect][1].replace(old, new, 1))
    params: Any = types.SemanticTokensParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, params)
    told = [*told_tokens(found.data, text)]
    for one in expected.replace("|| op", "OR op").replace("| op", "PIPE op").split("|"):
        word, _, kind = one.replace("OR", "||").replace("PIPE", "|").rpartition(" ")
        assert (word, kind) in told
    params = types.SemanticTokensRangeParams(
        desk.document(name), types.Range(types.Position(0, 0), types.Position(1, 0))
    )
    found = desk.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, params)
    first = [*told_tokens(found.data, text)]
    assert first == (told[: len(first)] if dialect == "gotemplate" else [])


def test_comments_have_no_tokens(tmp_path: Path) -> None:
    text = DOCUMENTS["bluelink"][1].replace("values:\n", "# ${values.x}\nvalues:\n")
    desk, name, text = desk_with(tmp_path, "bluelink", text)
    params = types.SemanticTokensParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, params)
    assert len([one for one in told_tokens(found.data, text) if one[0] == "${"]) == 1


def test_links(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_text("x")
    (tmp_path / "net.blueprint.yaml").write_text("version: 2025-11-02\n")
    text = DOCUMENTS["bluelink"][1].replace("main", '${file("a b.txt")}') + (
        "include:\n  net:\n    path: net.blueprint.yaml\n  no:\n    path: missing.yaml\n"
    )
    desk, name, text = desk_with(tmp_path, "bluelink", text)
    params = types.DocumentLinkParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_DOCUMENT_LINK, params)
    assert [(cut(text, one.range), one.target) for one in found] == [
        ("a b.txt", desk.uri("a b.txt")),
        ("net.blueprint.yaml", desk.uri("net.blueprint.yaml")),
    ]


def test_links_of_garden_and_landscaper(tmp_path: Path) -> None:
    (tmp_path / "prod.env").write_text("a=1\n")
    text = DOCUMENTS["garden"][1].replace("name: prod", "name: prod\n    varfile: prod.env")
    desk, name, text = desk_with(tmp_path, "garden", text)
    params = types.DocumentLinkParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_DOCUMENT_LINK, params)
    assert [one.target for one in found] == [desk.uri("prod.env")]
    text = DOCUMENTS["landscaper"][1].partition("    template:")[0] + "    file: prod.env\n"
    desk, name, text = desk_with(tmp_path, "landscaper", text)
    params = types.DocumentLinkParams(desk.document(name))
    found = desk.ask(types.TEXT_DOCUMENT_DOCUMENT_LINK, params)
    assert [one.target for one in found] == [desk.uri("prod.env")]


OURS = (
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
    types.TEXT_DOCUMENT_FOLDING_RANGE,
    types.TEXT_DOCUMENT_DOCUMENT_LINK,
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL,
)
TEXTS = sorted(
    path
    for folder in ("tests/cases", "examples")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".yaml", ".yml", ".json", ".jsonc") and path.stat().st_size < 6_000
)[::29]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_fails_at_any_place(tmp_path: Path, path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    desk = Desk(tmp_path)
    desk.open(path.name, text)
    rows = {row.method: row.answer for row in features()}
    for method in OURS:
        document: Any = types.DocumentSymbolParams(desk.document(path.name))
        rows[method](desk.workspace, document)
    step = max(1, len(text) // 40)
    for offset in range(0, len(text) + 1, step):
        broken, position = marked(f"{text[:offset]}\x00{text[offset + 1 :]}", "\x00")
        desk.workspace.open(desk.uri(path.name), broken)
        given = types.CompletionParams(desk.document(path.name), position)
        found = rows[types.TEXT_DOCUMENT_COMPLETION](desk.workspace, given)
        assert found is None or len(found.items) <= 200
        select = types.SelectionRangeParams(desk.document(path.name), [position])
        rows[types.TEXT_DOCUMENT_SELECTION_RANGE](desk.workspace, select)
