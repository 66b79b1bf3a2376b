"""How diagnostics look in each format, and that no blueprint can steer what reads them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from bpp.pipeline.formats.report import (
    cut,
    render,
    render_github,
    render_json,
    render_sarif,
    render_text,
    use_color,
)
from bpp.pipeline.values.diagnostics import WARNING, Diagnostic, Diagnostics, Note, did_you_mean
from bpp.pipeline.values.source import Source, Span
from bpp.pipeline.values.version import VERSION
from support.rows import hold

TEXT = """\
version: 2023-04-20
variables:
  environment: {type: string}
resources:
  fn:
    type: aws/lambda/function
    spec:
      name: orders-${variables.enviroment}-fn
"""


def span_of(part: str, text: str = TEXT, name: str = "app.yaml", exact: bool = True) -> Span:
    start = text.index(part)
    return Span(Source(name, text), start, start + len(part), exact)


def collected(*items: Diagnostic, limit: int = 1000) -> Diagnostics:
    diagnostics = Diagnostics(limit)
    for item in items:
        for span in (item.span, *(note.span for note in item.notes)):
            if span is not None:
                diagnostics.quoting.admit_typed(span.source)
    diagnostics.extend(items)
    return diagnostics


def shown(*items: Diagnostic, width: int = 100) -> str:
    return render_text(collected(*items), color=False, width=width)


def full() -> Diagnostic:
    source = Source("app.yaml", TEXT)
    used = TEXT.index("variables.enviroment")
    declared = TEXT.index("environment:")
    return Diagnostic(
        "variable_not_found",
        "variable `enviroment` is not declared",
        Span(source, used, used + 20),
        hint="did you mean `environment`?",
        notes=(
            Note("variables of a parent are not visible here"),
            Note("the nearest name is here", Span(source, declared, declared + 11)),
        ),
    )


def test_text_shows_place_line_remarks_and_count() -> None:
    assert shown(full(), Diagnostic("missing_resources", "no resources", severity=WARNING)) == (
        "warning[missing_resources]: no resources\n"
        "\n"
        "error[variable_not_found]: variable `enviroment` is not declared\n"
        " --> app.yaml:8:22\n"
        "  |\n"
        "8 |       name: orders-${variables.enviroment}-fn\n"
        "  |                      ^^^^^^^^^^^^^^^^^^^^\n"
        "  = note: variables of a parent are not visible here\n"
        "  = help: did you mean `environment`?\n"
        " note: the nearest name is here\n"
        " --> app.yaml:3:3\n"
        "3 |   environment: {type: string}\n"
        "\n"
        "1 error, 1 warning\n"
    )


def test_no_diagnostics_are_no_text() -> None:
    assert render_text(collected(), color=True) == ""
    assert render_github(collected(), "app.yaml") == ""
    assert json.loads(render_json(collected())) == {"version": 1, "diagnostics": []}


def test_line_numbers_share_a_gutter() -> None:
    text = "\n" * 99 + "here: 1\n"
    item = Diagnostic("x", "y", span_of("here", text), notes=(Note("z", span_of("\n", text)),))
    assert "   --> app.yaml:100:1\n    |\n100 | here: 1\n    | ^^^^\n" in shown(item)
    assert "   note: z\n   --> app.yaml:1:1\n  1 |\n" in shown(item)


@pytest.mark.parametrize(
    ("text", "part", "line", "carets"),
    [
        ("\tkey:\tvalue", "value", "    key:    value", "            ^^^^^"),
        ("a: 日本 x", "x", "a: 日本 x", "        ^"),
        ("a: 日本 x", "本", "a: 日本 x", "     ^^"),
        ("a: e\u0301 x", "x", "a: e\u0301 x", "     ^"),
        ("a: \u202ex", "x", "a: \\u{202e}x", "           ^"),
        ("a: \x1b[2J x", "\x1b", "a: \\u{1b}[2J x", "   ^^^^^^"),
        ("a: one\n  two\nb: 1", "one\n  two", "a: one", "   ^^^"),
        ("a: b", "", "a: b", "^"),
        ("a:  \nb", "\n", "a:", "    ^"),
        ("a: ##[error]x", "x", "a: \\u{23}#[error]x", "                 ^"),
    ],
)
def test_carets_stand_under_the_span(text: str, part: str, line: str, carets: str) -> None:
    drawn = shown(Diagnostic("x", "y", span_of(part, text))).splitlines()
    assert drawn[3:5] == [f"1 | {line}", f"  | {carets}"]


@pytest.mark.parametrize("end_of_line", ["\n", "\r\n", "\r"])
def test_all_line_breaks_end_a_line(end_of_line: str) -> None:
    drawn = shown(Diagnostic("x", "y", span_of("b", f"a{end_of_line}b{end_of_line}c")))
    assert " --> app.yaml:2:1\n  |\n2 | b\n  | ^\n" in drawn


def test_a_long_line_is_cut_around_the_span() -> None:
    rows = product([0, 30, 90, 5_000, 9_800], [1, 10, 400], ["a", "日", "\t", "\u202e"], [40, 100])
    hold(rows, _is_cut_around_the_span)


def _is_cut_around_the_span(row: tuple[int, int, str, int]) -> None:
    before, length, letter, width = row
    text = letter * before + "X" * length + letter * (10_000 - before)
    drawn = shown(Diagnostic("x", "y", span_of("X" * length, text)), width=width).splitlines()
    line, carets = drawn[3], drawn[4]
    columns = sum(2 if character == "日" else 1 for character in line)
    assert columns <= width
    assert columns >= width - 20
    visible_part = re.sub("[^X]", "", line)
    assert len(visible_part) == min(length, carets.count("^"))
    offset = line.index("X")
    wide = line[:offset].count("日")
    assert carets.index("^") == offset + wide
    assert line.endswith("...")


def test_a_huge_line_costs_little() -> None:
    text = "[" + "1," * 4_000_000 + "1]"
    source = Source("app.json", text)
    items = [Diagnostic("x", f"y{n}", Span(source, n * 7000, n * 7000 + 3)) for n in range(1000)]
    assert len(render_text(collected(*items), color=False)) < 64 * 1024


def test_a_guessed_place_says_so() -> None:
    item = Diagnostic("x", "y", span_of("fn", exact=False))
    assert " --> app.yaml:5:3 (approximate)\n" in shown(item)


@pytest.mark.parametrize("start", [0, 5, 400, 10**9])
@pytest.mark.parametrize("text", ["", "a", "a\n", "\n\n"])
def test_places_outside_the_text_do_no_harm(text: str, start: int) -> None:
    span = Span(Source("app.yaml", text), start, start + 3)
    items = collected(Diagnostic("x", "y", span, notes=(Note("z", span),)))
    for name in ("text", "json", "sarif", "github"):
        assert render(items, name, color=True, main_file="app.yaml")


def test_a_line_that_may_not_be_quoted_is_left_out() -> None:
    text = "password:\n  default: hunter2\n"
    span = span_of("hunter2", text)
    items = collected(Diagnostic("x", "y", span, notes=(Note("z", span),)))
    assert "hunter2" in render_text(items, color=False)
    items.quoting.leave_unquoted(span)
    quoted = render_text(items, color=False)
    assert "hunter2" not in quoted
    assert quoted.count("app.yaml:2:12") == 2


HOSTILE = "a\x1b[31m\u202e\u2066\u200f\u061c\x9b\x00\r\n::error::b\u2028c\x7f\ud800##[error]d\ufeff"


@pytest.mark.parametrize("color", [False, True])
def test_text_never_passes_characters_that_steer(color: bool) -> None:
    text = HOSTILE.replace("\r\n", "") + "\n::error::x\n"
    span = Span(Source(HOSTILE, text), 0, 3)
    other = Span(span.source, text.index("::error::x"), len(text))
    items = collected(
        Diagnostic(HOSTILE, HOSTILE, span, hint=HOSTILE, notes=(Note(HOSTILE, span), Note(HOSTILE)))
    )
    items.add(Diagnostic("x", "y", other))
    drawn = render_text(items, color=color)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    assert set(re.findall(r"[^\x20-\x7e]", plain)) == {"\n"}
    assert "##[" not in drawn
    assert not re.search(r"^\s*::", drawn, re.M)
    assert "\\u{1b}[31m\\u{202e}" in drawn
    drawn.encode()


def test_colours_frame_the_same_text() -> None:
    colored = render_text(collected(full()), color=True)
    plain = render_text(collected(full()), color=False)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
    assert "\x1b[1;31merror[variable_not_found]\x1b[0m" in colored
    assert "\x1b[1;36mhelp\x1b[0m" in colored
    assert "\x1b" not in plain
    warning = render_text(collected(Diagnostic("x", "y", severity=WARNING)), color=True)
    assert warning.startswith("\x1b[1;33mwarning[x]\x1b[0m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "choice", "expected"),
    [
        (Terminal(), {}, "auto", True),
        (io.StringIO(), {}, "auto", False),
        (None, {}, "auto", False),
        (Terminal(), {"NO_COLOR": "1"}, "auto", False),
        (Terminal(), {"NO_COLOR": ""}, "auto", True),
        (Terminal(), {"TERM": "dumb"}, "auto", False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, "auto", True),
        (io.StringIO(), {"FORCE_COLOR": "0"}, "auto", False),
        (io.StringIO(), {"CLICOLOR_FORCE": "1", "TERM": "dumb"}, "auto", True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, "auto", False),
        (io.StringIO(), {"NO_COLOR": "1"}, "always", True),
        (Terminal(), {"FORCE_COLOR": "1"}, "never", False),
    ],
)
def test_when_colours_are_used(
    stream: Any, environ: Mapping[str, str], choice: str, expected: bool
) -> None:
    assert use_color(stream, environ, choice) is expected


def test_a_closed_stream_gets_no_colours() -> None:
    stream = Terminal()
    stream.close()
    assert use_color(io.StringIO(), {}) is False
    closed = io.StringIO()
    closed.close()
    assert use_color(closed, {}) is False


def test_the_text_is_bounded_and_counts_the_rest() -> None:
    source = Source("app.yaml", "x" * 100_000)
    items = Diagnostics(limit=1000)
    for number in range(10_000):
        severity = WARNING if number % 4 == 0 else "error"
        items.add(Diagnostic("x", f"no {number}", Span(source, number, number + 1), severity))
    drawn = render_text(items, color=True)
    assert len(drawn.encode()) <= 64 * 1024
    last = drawn.splitlines()[-1]
    found = re.fullmatch(r"7500 errors, 2500 warnings \((\d+) more not shown\)", last)
    assert found
    assert int(found.group(1)) + drawn.count("error[x]") + drawn.count("warning[x]") == 10_000


def test_errors_stay_when_there_is_no_room_for_warnings() -> None:
    source = Source("app.yaml", "x" * 2000)
    items = [
        Diagnostic("x", "w" * 900, Span(source, number, number + 1), WARNING)
        for number in range(900)
    ]
    drawn = shown(*items, Diagnostic("last", "an error", Span(source, 1900, 1901)))
    assert "error[last]: an error\n" in drawn
    assert drawn.splitlines()[-1].startswith("1 error, 900 warnings (")


def test_one_diagnostic_cannot_fill_the_text() -> None:
    huge = "\u202e" * 700_000
    span = Span(Source(huge, huge), 300, 600_000)
    notes = tuple(Note(f"{number}{huge}", span) for number in range(100))
    drawn = shown(Diagnostic("x", huge, span, hint=huge, notes=notes))
    assert len(drawn.encode()) <= 64 * 1024
    assert "error[x]" in drawn
    assert "and 92 more" in drawn


def test_json_has_every_field() -> None:
    items = collected(full(), Diagnostic("missing_version", "no version"))
    assert json.loads(render_json(items))["diagnostics"] == [
        {
            "code": "missing_version",
            "severity": "error",
            "summary": "no version",
            "hint": None,
            "file": None,
            "line": None,
            "column": None,
            "end_line": None,
            "end_column": None,
            "exact": None,
            "notes": [],
        },
        {
            "code": "variable_not_found",
            "severity": "error",
            "summary": "variable `enviroment` is not declared",
            "hint": "did you mean `environment`?",
            "file": "app.yaml",
            "line": 8,
            "column": 22,
            "end_line": 8,
            "end_column": 42,
            "exact": True,
            "notes": [
                {
                    "text": "variables of a parent are not visible here",
                    "file": None,
                    "line": None,
                    "column": None,
                    "end_line": None,
                    "end_column": None,
                    "exact": None,
                },
                {
                    "text": "the nearest name is here",
                    "file": "app.yaml",
                    "line": 3,
                    "column": 3,
                    "end_line": 3,
                    "end_column": 14,
                    "exact": True,
                },
            ],
        },
    ]


def test_json_is_ascii_and_keeps_the_text() -> None:
    drawn = render_json(collected(Diagnostic("x", HOSTILE)))
    assert drawn.isascii()
    assert json.loads(drawn)["diagnostics"][0]["summary"] == HOSTILE


@pytest.mark.parametrize("name", ["json", "sarif", "github"])
def test_what_was_left_out_is_said(name: str) -> None:
    items = collected(*(Diagnostic("x", str(number)) for number in range(5)), limit=2)
    assert "3 more diagnostics" in render(items, name, color=False, main_file="app.yaml")


def test_sarif_has_what_code_scanning_needs() -> None:
    log = json.loads(render_sarif(collected(full(), Diagnostic("own_code", "z")), "dir/app.yaml"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "bpp"
    assert driver["version"] == VERSION
    assert run["columnKind"] == "unicodeCodePoints"
    by_id = {rule["id"]: rule for rule in driver["rules"]}
    assert by_id["variable_not_found"]["help"]["text"]
    assert by_id["own_code"]["shortDescription"]["text"] == "own code"
    without, placed = run["results"]
    assert without["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "dir/app.yaml"}}}
    ]
    assert driver["rules"][placed["ruleIndex"]]["id"] == placed["ruleId"] == "variable_not_found"
    assert placed["level"] == "error"
    assert placed["message"]["text"].splitlines() == [
        "variable `enviroment` is not declared",
        "help: did you mean `environment`?",
        "note: variables of a parent are not visible here",
    ]
    assert placed["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "app.yaml"},
        "region": {"startLine": 8, "startColumn": 22, "endLine": 8, "endColumn": 42},
    }
    assert placed["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 3


def test_sarif_has_what_is_to_be_written() -> None:
    span = span_of("environment")
    hint = did_you_mean("environment", "other")
    log = json.loads(render_sarif(collected(Diagnostic("x", "y", span, hint=hint)), "m"))
    (result,) = log["runs"][0]["results"]
    (fix,) = result["fixes"]
    assert fix["description"]["text"] == "did you mean `other`?"
    (change,) = fix["artifactChanges"]
    (replacement,) = change["replacements"]
    place = result["locations"][0]["physicalLocation"]
    assert change["artifactLocation"] == place["artifactLocation"]
    assert replacement == {"deletedRegion": place["region"], "insertedContent": {"text": "other"}}


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("app.yaml", "app.yaml"),
        ("sub dir/ü#%?.yaml", "sub%20dir/%C3%BC%23%25%3F.yaml"),
        ("../a:b.yaml", "../a%3Ab.yaml"),
        ("/tmp/a.yaml", "file:///tmp/a.yaml"),
        ("<stdin>", "%3Cstdin%3E"),
        ("bad\udcff.yaml", "bad%FF.yaml"),
        ("bad\ud800.yaml", "bad%3F.yaml"),
        ("https://example.com/a b.yaml?x=1", "https://example.com/a%20b.yaml?x=1"),
    ],
)
def test_sarif_names_files_as_uris(name: str, uri: str) -> None:
    log = json.loads(render_sarif(collected(Diagnostic("x", "y", span_of("fn", name=name))), "m"))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == uri


def test_sarif_messages_hold_no_links() -> None:
    item = Diagnostic("x", "see [here](https://example.com/)")
    log = json.loads(render_sarif(collected(item), "m"))
    text = log["runs"][0]["results"][0]["message"]["text"]
    assert text == "see \\[here\\](https://example.com/)"


def test_github_commands() -> None:
    several = Diagnostic("b", "50%", span_of("fn:\n    type"), WARNING)
    items = collected(full(), several, Diagnostic("c", "no place"))
    assert render_github(items, "my app.yaml") == (
        "::error file=my app.yaml,title=c::no place\n"
        "::error file=app.yaml,line=8,endLine=8,col=22,endColumn=42,title=variable_not_found"
        "::variable `enviroment` is not declared%0Ahelp: did you mean `environment`?"
        "%0Anote: variables of a parent are not visible here"
        "%0Anote: the nearest name is here (app.yaml:3:3)\n"
        "::warning file=app.yaml,line=5,endLine=6,title=b::50%25\n"
    )


def test_github_commands_cannot_be_injected() -> None:
    span = Span(Source("a,b:c%::error::\n" + HOSTILE, "x"), 0, 1)
    note = Note("::warning::\n" + HOSTILE, span)
    drawn = render_github(
        collected(Diagnostic(HOSTILE, ":::" + HOSTILE, span, notes=(note,))), "app.yaml"
    )
    (line,) = drawn.splitlines()
    assert line.isascii()
    assert line.isprintable()
    assert line.startswith("::error ")
    assert "##[" not in line
    properties = line[len("::error ") :].partition("::")[0]
    assert properties.startswith("file=a%2Cb%3Ac%25%3A%3Aerror%3A%3A\\u{a}a")
    assert [part.partition("=")[0] for part in properties.split(",")] == [
        "file",
        "line",
        "endLine",
        "col",
        "endColumn",
        "title",
    ]


def test_an_unknown_format_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="unknown format"):
        render(collected(), "xml", color=False, main_file="app.yaml")


@pytest.mark.parametrize(
    ("start", "end", "indent", "length"), [(7, 15, 7, 8), (17, 24, 17, 3), (26, 30, 17, 3)]
)
def test_a_place_that_is_withheld_marks_the_whole_ellipsis(
    start: int, end: int, indent: int, length: int
) -> None:
    source = Source("a.yaml", "spec: {password: hunter2, name: x}\n", "yaml")
    excerpt = cut(Span(source, start, end), 80, stop=17)
    assert excerpt.text == "spec: {password: ..."
    assert (excerpt.indent, excerpt.length) == (indent, length)
