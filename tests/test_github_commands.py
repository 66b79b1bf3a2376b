"""Diagnostics as GitHub workflow commands, held against the syntax that GitHub documents.

A command is a line `::name key=value,key=value::data`. In data `%`, CR and LF are written `%25`,
`%0D` and `%0A`; in the values of properties also `:` and `,`, as `%3A` and `%2C`. GitHub's runner
takes a line for a command that starts with `::`, blanks aside, and one that has `##[name` anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import attrs
import pytest
from bpp.pipeline.formats.report import render_github, render_text
from bpp.pipeline.values.diagnostics import ERROR, WARNING, Diagnostic, Diagnostics, Note
from bpp.pipeline.values.source import Source, Span
from bpp.pipeline.values.terminal import visible
from hypothesis import example, given
from hypothesis import strategies as st
from support.in_process import bpp_inside as bpp

_OF_DATA = {"%25": "%", "%0D": "\r", "%0A": "\n"}
_OF_PROPERTIES = {**_OF_DATA, "%3A": ":", "%2C": ","}


@attrs.frozen
class Command:
    """A workflow command as a runner understands it."""

    name: str
    properties: Mapping[str, str]
    data: str


def commands(log: str) -> list[Command]:
    """The commands in a log, by the documented syntax; other lines are only printed."""
    return [command for line in re.split(r"\r\n|\r|\n", log) if (command := _command(line))]


def _command(line: str) -> Command | None:
    legacy = re.search(r"##\[([^\]]*)\]?(.*)", line)
    line = line.strip()
    if line.startswith("::") and (end := line.find("::", 2)) >= 0:
        name, _, rest = line[2:end].partition(" ")
        pairs = [pair.partition("=") for pair in rest.strip().split(",") if "=" in pair]
        properties = {key: _read(value, _OF_PROPERTIES) for key, _, value in pairs}
        return Command(name, properties, _read(line[end + 2 :], _OF_DATA))
    if legacy:
        return Command(legacy[1], {}, legacy[2])
    return None


def _read(text: str, escapes: Mapping[str, str]) -> str:
    return re.sub("%(25|0D|0A|3A|2C)", lambda found: escapes.get(found[0], found[0]), text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "::error file=a.yaml,line=3::text",
            Command("error", {"file": "a.yaml", "line": "3"}, "text"),
        ),
        ("  ::stop-commands::token", Command("stop-commands", {}, "token")),
        ("::error title=a%2Cb%3A%25::x%0Ay%2C", Command("error", {"title": "a,b:%"}, "x\ny%2C")),
        ("x ##[add-mask]secret", Command("add-mask", {}, "secret")),
        ("x ::error::y", None),
        ("::error", None),
    ],
)
def test_the_parser(line: str, expected: Command | None) -> None:
    assert commands(line) == ([expected] if expected else [])


_TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("%:,=#[]\r\n\t \\u{}25ADC0\u2028\x1b")), max_size=40
)
_NASTY = "%0A::error::x\r\n::stop-commands::t\n##[add-mask]y\n%25,file=z:: ##vso[task.x]z %"


@st.composite
def _diagnostics(draw: st.DrawFn) -> Diagnostic:
    text = draw(st.text("ab:%\n\r#[,", max_size=60))
    name = draw(_TEXT)
    span = None
    if draw(st.booleans()):
        start = draw(st.integers(0, len(text)))
        span = Span(Source(name, text), start, draw(st.integers(start, len(text))))
    note = Note(draw(_TEXT), span if draw(st.booleans()) else None)
    hint = draw(st.none() | _TEXT)
    severity = draw(st.sampled_from([ERROR, WARNING]))
    return Diagnostic(draw(_TEXT), draw(_TEXT), span, severity, hint, (note,))


_SOURCE = Source(_NASTY, _NASTY + "\n" + _NASTY)


@given(_diagnostics(), _TEXT)
@example(Diagnostic(_NASTY, _NASTY, Span(_SOURCE, 1, 9), ERROR, _NASTY, (Note(_NASTY),)), _NASTY)
@example(Diagnostic("c", ":", None, ERROR, "::", ()), ",")
def test_a_reader_gets_back_what_was_said(item: Diagnostic, main: str) -> None:
    found = Diagnostics()
    found.add(item)
    log = render_github(found, main)
    (command,) = commands(log)
    assert log.count("\n") == 1 and log.endswith("\n")
    assert command.name == ("error" if item.severity == ERROR else "warning")
    assert command.properties == {
        **_expected_place(item, main),
        "title": visible(item.code).rstrip(),
    }
    assert command.data == "\n".join(_expected_lines(item)).rstrip()


def _expected_place(item: Diagnostic, main: str) -> dict[str, str]:
    span = item.span
    if span is None:
        return {"file": visible(main)}
    place = {"file": visible(span.source.name), "line": str(span.line)}
    place["endLine"] = str(span.end_line)
    if span.line == span.end_line:
        place |= {"col": str(span.column), "endColumn": str(span.end_column)}
    return place


def _expected_lines(item: Diagnostic) -> list[str]:
    lines = [visible(item.summary)]
    if item.hint:
        lines.append(f"help: {visible(item.hint)}")
    for note in item.notes:
        place = f" ({note.span})" if note.span else ""
        lines.append(visible(f"note: {note.text}{place}"))
    return lines


@given(_diagnostics())
@example(Diagnostic(_NASTY, _NASTY, Span(_SOURCE, 1, 9), ERROR, _NASTY, (Note(_NASTY),)))
@example(Diagnostic("c", "s", Span(_SOURCE, len(_NASTY) + 1, len(_NASTY) + 9)))
def test_text_for_people_holds_no_command(item: Diagnostic) -> None:
    found = Diagnostics()
    found.add(item)
    assert commands(render_text(found, color=False)) == []
    assert commands(re.sub("\x1b[^m]*m", "", render_text(found, color=True))) == []


HOSTILE = """\
version: 2025-11-02
variables:
  a: {type: string}
resources:
  x:
    type: acme/thing
    description: "::stop-commands::${variables.b}##[add-mask]y"
    spec:
      "##[add-mask]y": ${variables.b}
      text: |
        ::error file=x::y
        ::add-mask::${variables.c}
"""


@pytest.mark.parametrize("form", ["text", "github", "json", "sarif"])
@pytest.mark.parametrize("command", ["render", "check"])
def test_a_blueprint_cannot_speak_to_the_runner(tmp_path: Path, command: str, form: str) -> None:
    (tmp_path / "sub").mkdir()
    file = "sub/::error::x,y%0A ##[z].yaml"
    (tmp_path / file).write_text(HOSTILE)
    arguments = (command, file, "--diagnostics", form, *(["--var", "a=1"] * (command == "render")))
    done = bpp(tmp_path, *arguments, env={"GITHUB_ACTIONS": "true", "CI": "true"})
    assert done.returncode == 1
    found = commands(done.stdout + done.stderr)
    assert {one.name for one in found} == ({"error"} if form == "github" else set())
    shown = file.replace("##[", "\\u{23}#[")
    assert [(one.properties["file"], one.properties["line"]) for one in found] == (
        [(shown, "7"), (shown, "9"), (shown, "12")] if form == "github" else []
    )


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "infra").mkdir()
    (tmp_path / "infra" / "app.yaml").write_text(HOSTILE)
    done = bpp(tmp_path, "check", str(tmp_path / "infra" / "app.yaml"), "--diagnostics", "github")
    first = commands(done.stdout)[0]
    assert first.properties == {
        "file": "infra/app.yaml",
        "line": "7",
        "endLine": "7",
        "col": "38",
        "endColumn": "49",
        "title": "variable_not_found",
    }
