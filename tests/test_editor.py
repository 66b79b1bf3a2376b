"""The language server: what is known of open texts, and what a client is told over its pipes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from bpp.pipeline.editor import reviews
from bpp.pipeline.editor.errands import Errand, Hung
from bpp.pipeline.editor.publishing import Board, Told, told_of
from bpp.pipeline.editor.reviews import Reviews
from bpp.pipeline.editor.texts import changed, path_of, uri_of
from bpp.pipeline.editor.workspace import Preferences, Workspace
from bpp.pipeline.engine.formatting import format_text
from bpp.pipeline.values.settings import Limits, Settings
from bpp.pipeline.values.threads import Deadline
from lsprotocol import types
from support.editor import BPP, Desk, Editor

NAME = "a.blueprint.yaml"
BLUEPRINT = """\
version: 2025-11-02
values:
  a: {type: string, value: one}
  b: {type: string, value: "${values.a}"}
resources:
  r: {type: acme/one, spec: {name: "${values.a}"}}
"""
GARDEN = """\
apiVersion: garden.io/v1
kind: Project
name: shop
environments: [{name: dev}]
variables: {a: one, b: "${var.a}"}
---
kind: Run
name: seed
type: exec
spec: {command: ["${var.a}"]}
"""
KARGO = """\
apiVersion: kargo.akuity.io/v1alpha1
kind: Warehouse
metadata: {name: images, namespace: shop}
spec: {subscriptions: [{image: {repoURL: ghcr.io/a/b}}]}
---
apiVersion: kargo.akuity.io/v1alpha1
kind: Stage
metadata: {name: dev, namespace: shop}
spec:
  requestedFreight: [{origin: {kind: Warehouse, name: images}, sources: {direct: true}}]
  promotionTemplate: {spec: {steps: [{uses: fail, config: {message: "${{ ctx.stage }}"}}]}}
"""
LANDSCAPER = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports: [{name: a, type: data, schema: {type: string}}]
deployExecutions:
- {name: one, type: GoTemplate, template: "deployItems: [] # {{ .imports.a }}"}
"""
SPIFF = "a: one\nb: (( a ))\n"
GOTEMPLATE = "a: {{ .b }}\n"
DOCUMENTS = {
    "bluelink": (NAME, BLUEPRINT, 1),
    "garden": ("project.garden.yml", GARDEN, 2),
    "kargo": ("kargo.yaml", KARGO, 2),
    "landscaper": ("blueprint.yaml", LANDSCAPER, 1),
    "spiff": ("spiff/a.yaml", SPIFF, 1),
    "gotemplate": ("a.tpl", GOTEMPLATE, 0),
}
NAMED = Preferences({"spiff/*": "spiff", "*.tpl": "gotemplate"})


def desk_of(folder: Path, **settings: Any) -> Desk:
    desk = Desk(folder, settings=Settings(**settings))
    desk.workspace.preferences = NAMED
    return desk


@pytest.mark.parametrize("dialect", DOCUMENTS)
def test_each_dialect_has_trees_and_renders(dialect: str, tmp_path: Path) -> None:
    name, text, trees = DOCUMENTS[dialect]
    desk = desk_of(tmp_path)
    source = desk.workspace.open(desk.uri(name), text)
    assert desk.workspace.is_ours(source)
    found = desk.open(name, text)
    assert found.dialect.name == dialect
    assert not found.diagnostics.errors, found.diagnostics
    assert len(found.roots) >= trees
    assert found.good is found
    assert not found.broken or dialect == "gotemplate"
    assert found.run is not None


@pytest.mark.parametrize("dialect", ["bluelink", "garden", "kargo", "landscaper", "spiff"])
def test_a_broken_text_keeps_the_last_good_tree(dialect: str, tmp_path: Path) -> None:
    name, text, _ = DOCUMENTS[dialect]
    desk = desk_of(tmp_path)
    first = desk.open(name, text)
    for end in ("}", "}}", "]"):
        broken = desk.open(name, text + end + "\n")
        assert broken.dialect is first.dialect
        assert broken.diagnostics.errors
        assert broken.document is None
        assert broken.good is not None and broken.good.source is first.source
        assert broken.good.earlier is None
    whole = desk.open(name, text)
    assert whole.good is whole and whole.earlier is None


def test_a_text_with_a_mistake_of_structure_has_a_tree(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    found = desk.open(NAME, BLUEPRINT + "include: 12\n")
    assert found.broken and found.good is found
    (root,) = found.roots
    assert [*root.items] == ["version", "values", "resources", "include"]


def test_a_text_that_is_no_document_is_left_alone(tmp_path: Path) -> None:
    workspace = desk_of(tmp_path).workspace
    for name in ("values.yaml", "package.json", "a.py"):
        uri = (tmp_path / name).as_uri()
        assert not workspace.is_ours(workspace.open(uri, "{}\n")), name
    assert workspace.is_ours(workspace.open("untitled:Untitled-1", BLUEPRINT))
    assert workspace.is_ours(workspace.open("untitled:Untitled-2", "a", "spiff"))


CHECK = """\
[check]
ignore = ["unused_value"]
warn-as-error = ["unused_variable"]
vars = ["vars.yaml"]
exclude = ["old"]
"""


def test_a_configuration_applies_as_to_the_command(tmp_path: Path) -> None:
    text = BLUEPRINT + "variables:\n  v: {type: integer}\n"
    desk = Desk(tmp_path, {"bpp.toml": CHECK, "vars.yaml": "v: many\n", NAME: text})
    command = subprocess.run(
        [sys.executable, "-c", BPP, "check", "--diagnostics", "json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    found = desk.open(NAME)
    codes = sorted((item.code, item.severity) for item in found.diagnostics)
    assert ("unused_variable", "error") in codes
    assert "unused_value" not in dict(codes)
    for code, _ in codes:
        assert f'"{code}"' in command.stdout
    old = desk.workspace.open(desk.uri("old/b.yaml"), BLUEPRINT)
    assert not desk.workspace.is_ours(old)


def test_a_configuration_names_a_dialect(tmp_path: Path) -> None:
    files = {"bpp.toml": '[check]\ndialect = "spiff"\nfiles = ["parts/*.yaml"]\n'}
    desk = Desk(tmp_path, files)
    for name, dialect in (("parts/a.yaml", "spiff"), ("a.yaml", None)):
        source = desk.workspace.open(desk.uri(name), SPIFF)
        known = desk.workspace.dialect(source)
        assert (known.name if known else None) == dialect


HEAD = "version: 2025-11-02\nresources: {r: {type: acme/one, spec: {}}}\n"
CHILD = HEAD + "values:\n  c: {type: string, value: '${values.none}'}\n"
PARENT = HEAD + "include:\n  child: {path: child.blueprint.yaml}\n"


def told(desk: Desk, name: str) -> Told:
    analysis = desk.workspace.latest(desk.uri(name))
    assert analysis is not None
    found = analysis.diagnostics
    return told_of(desk.uri(name), analysis.source, found, desk.workspace)


def test_mistakes_in_included_files_are_told_there_once(tmp_path: Path) -> None:
    child = "child.blueprint.yaml"
    desk = Desk(tmp_path, {child: CHILD, NAME: PARENT})
    found = desk.open(NAME)
    assert found.reads >= {str(tmp_path / child)}
    board = Board()
    assert board.post(desk.uri(NAME), told(desk, NAME)) >= {desk.uri(child)}
    assert [one.range.start.line for one in board.of(desk.uri(child))] == [3]
    desk.open(child)
    board.post(desk.uri(child), told(desk, child))
    assert len([one for one in board.of(desk.uri(child)) if one.severity == 1]) == 1
    assert desk.uri(child) in board.post(desk.uri(NAME), {})


def test_open_texts_count_before_those_on_disk(tmp_path: Path) -> None:
    child = "child.blueprint.yaml"
    desk = Desk(tmp_path, {child: CHILD, NAME: PARENT})
    desk.workspace.open(desk.uri(child), CHILD.replace("${values.none}", "none"))
    assert not desk.open(NAME).diagnostics.errors
    desk.workspace.close(desk.uri(child))
    assert desk.open(NAME).diagnostics.errors


def test_places_of_a_mistake_are_told_with_it(tmp_path: Path) -> None:
    text = BLUEPRINT.replace("value: one", 'value: "${values.b}"')
    desk = Desk(tmp_path)
    desk.open(NAME, text)
    (cycle,) = [one for one in told(desk, NAME)[desk.uri(NAME)] if one.code == "reference_cycle"]
    assert cycle.related_information
    assert {one.location.uri for one in cycle.related_information} == {desk.uri(NAME)}
    desk.open(NAME, BLUEPRINT)
    tagged = [one for one in told(desk, NAME)[desk.uri(NAME)] if one.tags]
    assert {one.code for one in tagged} == {"unused_value"}


def change(text: str, *place: int) -> types.TextDocumentContentChangePartial:
    start, end = types.Position(*place[:2]), types.Position(*place[2:])
    return types.TextDocumentContentChangePartial(types.Range(start, end), text)


@pytest.mark.parametrize(
    ("text", "edit", "units", "wanted"),
    [
        ("ab\ncd\n", change("x", 1, 1, 1, 1), "utf-16", "ab\ncxd\n"),
        ("ab\r\ncd\r\n", change("x", 0, 9, 1, 0), "utf-16", "abxcd\r\n"),
        ("ab\rcd", change("x", 1, 0, 1, 1), "utf-16", "ab\rxd"),
        ("a\x0bb\x85c\u2028d\ne", change("x", 1, 0, 1, 1), "utf-16", "a\x0bb\x85c\u2028d\nx"),
        ("\U0001f600a", change("x", 0, 2, 0, 3), "utf-16", "\U0001f600x"),
        ("\U0001f600a", change("x", 0, 1, 0, 2), "utf-32", "\U0001f600x"),
        ("\U0001f600a", change("x", 0, 4, 0, 5), "utf-8", "\U0001f600x"),
        ("\udc80a", change("x", 0, 1, 0, 2), "utf-16", "\udc80x"),
        ("\ufeffa", change("x", 0, 1, 0, 2), "utf-16", "\ufeffx"),
        ("ab", change("x", 0, 2, 0, 1), "utf-16", "ax"),
        ("ab", change("x", 7, 7, 9, 9), "utf-16", "abx"),
        ("", change("x", 0, 0, 0, 0), "utf-16", "x"),
    ],
)
def test_changes_are_applied_as_the_protocol_counts(
    text: str, edit: types.TextDocumentContentChangePartial, units: str, wanted: str
) -> None:
    assert changed(text, [edit], units) == wanted


def test_uris_and_paths() -> None:
    assert path_of("file:///a%20b/%C3%A9.yaml") == "/a b/\u00e9.yaml"
    assert path_of(uri_of("/a b/#c?.yaml")) == "/a b/#c?.yaml"
    for odd in ("untitled:Untitled-1", "git:/a.yaml?x", "file:///a%00b", "http://[::1", ""):
        assert path_of(odd) == odd
    workspace = Workspace("/", {}, Settings())
    spelt = "file:///c%3A/a.blueprint.yaml"
    source = workspace.open(spelt, BLUEPRINT)
    assert source.path is not None
    assert workspace.uri_of(source.path) == spelt


def test_what_is_typed_is_let_go(tmp_path: Path) -> None:
    desk = desk_of(tmp_path)
    for number in range(20):
        name = f"unheard{number}"
        desk.open(NAME, BLUEPRINT.replace("${values.a}", f"${{values.{name}}}-${{values.a}}"))
    found = desk.open(NAME, BLUEPRINT)
    assert not [shape for shape in found.context.language.used() if "unheard" in shape]
    assert found.earlier is None


def test_a_document_is_brought_into_the_one_style(tmp_path: Path) -> None:
    ugly = "version:   2025-11-02\n\n\n\nresources:\n      r: {type:  acme/one,   spec: {}}\n"
    desk = Desk(tmp_path)
    desk.open(NAME, ugly)
    options = types.FormattingOptions(2, insert_spaces=True)

    def ask() -> Any:
        params = types.DocumentFormattingParams(desk.document(NAME), options)
        return desk.ask(types.TEXT_DOCUMENT_FORMATTING, params)

    edits = ask()
    text = ugly
    for edit in reversed(edits):
        part = types.TextDocumentContentChangePartial(edit.range, edit.new_text)
        text = changed(text, [part], "utf-16")
    assert text == format_text(desk.open(NAME, ugly).source, desk.open(NAME, ugly).dialect).text
    assert text != ugly
    desk.open(NAME, text)
    assert ask() == []
    desk.open(NAME, text + "}")
    assert ask() is None


# looks: when, how often, and what comes of those that hang


def looks(workspace: Workspace, heard: list[Told], said: list[str]) -> Reviews:
    return Reviews(
        workspace, lambda _, told: heard.append(told), said.append, lambda: None, debug=True
    )


def test_only_the_last_of_many_keystrokes_is_looked_at(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path), {}, Settings())
    uri = (tmp_path / NAME).as_uri()
    heard: list[Told] = []

    async def play() -> None:
        found = looks(workspace, heard, [])
        for version in range(50):
            workspace.open(uri, BLUEPRINT + f"# {version}\n")
            found.changed(uri, version)
        review = found.of(uri)
        assert review is not None
        await review.until("render", 60)

    asyncio.run(play())
    latest = workspace.latest(uri)
    assert latest is not None and latest.version == 49 and latest.run is not None
    assert len(heard) == 1


def test_a_look_that_nobody_wants_any_more_ends(tmp_path: Path) -> None:
    workspace = Workspace(str(tmp_path), {}, Settings())
    source = workspace.open((tmp_path / NAME).as_uri(), BLUEPRINT)
    dialect = workspace.dialect(source)
    assert dialect is not None
    found = workspace.check("", 1, source, dialect, Deadline.pass_now)
    assert {item.code for item in found.diagnostics} == {"limit_exceeded"}


def test_a_call_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    def forever(_: Errand[None]) -> None:
        try:
            while True:
                pass
        finally:
            ended.append("yes")

    async def play() -> Errand[None]:
        errand: Errand[None] = Errand(forever, 0.05)
        with pytest.raises(Hung):
            await errand.result
        return errand

    errand = asyncio.run(play())
    errand.thread.join(20)
    assert ended == ["yes"]


def test_a_document_that_hangs_is_told_once_and_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace(str(tmp_path), {}, Settings(limits=Limits(run_seconds=2)))
    monkeypatch.setattr(reviews, "GRACE", 0.0)
    usual = workspace.check

    def check(uri: str, *rest: Any) -> Any:
        if uri.endswith("hangs.blueprint.yaml"):
            Event().wait()
        return usual(uri, *rest)

    monkeypatch.setattr(workspace, "check", check)
    heard: list[Told] = []
    said: list[str] = []

    async def play() -> None:
        found = looks(workspace, heard, said)
        for name in ("hangs.blueprint.yaml", NAME):
            uri = (tmp_path / name).as_uri()
            workspace.open(uri, BLUEPRINT)
            found.changed(uri, 1)
        for name in (NAME, "hangs.blueprint.yaml"):
            review = found.of((tmp_path / name).as_uri())
            assert review is not None
            await review.until("render", 60)

    asyncio.run(play())
    assert len(said) == 1 and "hangs.blueprint.yaml" in said[0]
    assert workspace.latest((tmp_path / NAME).as_uri()) is not None


def test_a_text_that_is_too_large_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MOST_CHARS", 10)
    workspace = Workspace(str(tmp_path), {}, Settings())
    uri = (tmp_path / NAME).as_uri()
    heard: list[Told] = []

    async def play() -> None:
        found = looks(workspace, heard, [])
        workspace.open(uri, BLUEPRINT)
        found.changed(uri, 1)
        review = found.of(uri)
        assert review is not None
        await review.until("render", 60)

    asyncio.run(play())
    assert [one.code for one in heard[0][uri]] == ["limit_exceeded"]
    assert workspace.latest(uri) is None


# over pipes


def test_an_editor_is_served(tmp_path: Path) -> None:
    child = "child.blueprint.yaml"
    sound = CHILD.replace("${values.none}", "none")
    files = {child: CHILD, NAME: PARENT, "bpp.toml": "[check]\nselect = 1\n"}

    async def play() -> None:
        async with Editor(tmp_path, files) as editor:
            await editor.open(NAME)
            uri = editor.uri(child)
            await editor.until(lambda: editor.found.get(uri))
            assert [one.range.start.line for one in editor.found[uri]] == [3]
            assert editor.found[editor.uri("bpp.toml")]
            # an open child counts as it is written, and its parent is looked at again
            await editor.open(child, sound)
            await editor.until(lambda: not [one for one in editor.found[uri] if one.severity == 1])
            found = await editor.change(child, change("  d: 1\n", 3, 0, 3, 0))
            assert any(one.range.start.line == 3 for one in found), found
            # a configuration is a document, too
            assert await editor.open("bpp.toml")
            good = '[check]\nselect = ["unused_value"]\n'
            editor.type("bpp.toml", good)
            await editor.until(lambda: not editor.found[editor.uri("bpp.toml")])

    asyncio.run(play())


def frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


INITIALIZE = frame(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}')
SHUTDOWN = frame(b'{"jsonrpc":"2.0","id":2,"method":"shutdown"}')
EXIT = frame(b'{"jsonrpc":"2.0","method":"exit"}')


NONE = [
    b'"method":"textDocument/hover","params":{"textDocument":1}',
    b'"method":"textDocument/hover","params":null',
    b'"method":"textDocument/hover"',
    b'"method":"workspace/executeCommand","params":{"command":"none"}',
    b'"method":"no/such/method","params":[]',
]


def test_requests_that_are_none_are_answered(tmp_path: Path) -> None:
    wrong = b"".join(frame(b'{"jsonrpc":"2.0","id":7,' + one + b"}") for one in NONE)
    ran = subprocess.run(
        [sys.executable, "-c", BPP, "lsp"],
        input=wrong + INITIALIZE + wrong + SHUTDOWN + wrong + EXIT,
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.count(b'"error"') == 3 * len(NONE)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (INITIALIZE + SHUTDOWN + EXIT, 0),
        (INITIALIZE + EXIT, 1),
        (EXIT, 1),
        (INITIALIZE, 0),
        (b"nothing of the protocol\r\n", 0),
        (frame(b"{") + frame(b"[]") + frame(b'"') + INITIALIZE + SHUTDOWN + EXIT, 0),
    ],
)
def test_the_server_ends_quietly(tmp_path: Path, sent: bytes, status: int) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", BPP, "lsp"],
        input=sent,
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stderr) == (status, b"")
    assert ran.stdout.count(b"Content-Length") == sent.count(INITIALIZE) + sent.count(SHUTDOWN)


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError(name='pygls')\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", BPP, "lsp"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=env,
    )
    assert ran.returncode == 2
    assert "pip install 'blueprint-preprocessor[lsp]'" in ran.stderr
