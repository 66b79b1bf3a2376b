"""The engine of Go's templates: the rows of `gotemplate.toml`, places in its output, and bounds."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bpp.functions.gotemplate.kinds import Absent
from bpp.pipeline import (
    Failure,
    Limits,
    MemoryFiles,
    Settings,
    Source,
    evaluate,
    gotemplate,
    render,
)
from bpp.pipeline.dialects.gotemplate import TemplateOptions
from bpp.pipeline.dialects.gotemplate.engine import Program, Rendered, compile_template
from bpp.pipeline.dialects.gotemplate.functions import functions
from bpp.pipeline.formats.report import render_json
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.positions import InnerSource
from support.in_process import bpp_inside
from support.rows import hold

ROWS = tomllib.loads((Path(__file__).parent / "gotemplate.toml").read_text("utf-8"))
DATA = ROWS.pop("data")
FILES = {"part": "<{{ .n }}>", "bad": "\n{{.x.y}}"}


def outcome(template: str, data: Any = DATA) -> str:
    made = gotemplate(template, data, FILES)
    if made.text is not None:
        return made.text
    first = made.diagnostics[0]
    assert first.span is not None
    name = first.span.source.name
    file = "" if name == "<template>" else f"{name.rpartition('/')[2]}:"
    return f"{first.code} {file}{first.span.line}:{first.span.column} {first.summary}"


def equal(made: Callable[..., Any]) -> Callable[[Any], None]:
    """The law of rows whose last item is what a function makes of the others."""

    def law(row: Any) -> None:
        *given, wanted = row
        assert made(*given) == wanted

    return law


@pytest.mark.parametrize("topic", ROWS)
def test_the_language(topic: str) -> None:
    hold(ROWS[topic]["rows"], equal(outcome))


class Surroundings:
    """What compiling needs of a run."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.meter = Meter(self.limits)
        self.diagnostics = Diagnostics()


def compiled(template: str) -> Program:
    around = Surroundings()
    program = compile_template(Source("t", template), functions(Settings()), around)
    assert program is not None, [*map(str, around.diagnostics)]
    return program


def run(template: str, data: Any) -> Rendered:
    return compiled(template).run(data, Surroundings().meter)


def test_all_mistakes_of_a_text_are_told() -> None:
    made = gotemplate("{{ if .a-b }}{{ foo }}\n{{ end }}{{ (1 }}{{ $x }}{{ end }}", {})
    assert [(one.code, one.stage, str(one.span)) for one in made.diagnostics] == [
        ("template_syntax", "parse", "<template>:1:9"),
        ("unknown_function", "parse", "<template>:1:17"),
        ("template_syntax", "parse", "<template>:2:16"),
        ("template_syntax", "parse", "<template>:2:21"),
        ("template_syntax", "parse", "<template>:2:26"),
    ]
    assert '"stage": "parse"' in render_json(Diagnostics() if not made else _collected(made))


def _collected(made: Any) -> Diagnostics:
    found = Diagnostics()
    for one in made.diagnostics:
        found.add(one)
    return found


def test_places_in_the_output_lead_to_the_template() -> None:
    template = "a: {{ .x.y }}\n{{ range $i, $e := .l }}- {{ $e.n }}{{ $i }}\n{{ end }}{{ $.none }}"
    items = [{"n": "one"}, {"n": "two"}]
    made = run(template, {"x": {"y": "value"}, "l": items})

    def told(part: str) -> tuple[str, list[str]]:
        start = made.text.index(part)
        end = start + len(part)
        return str(made.span(start, end)), made.reads(start, end)

    hold(
        [
            ("a", ("t:1:1", [])),
            ("value", ("t:1:4", ["x.y"])),
            ("two", ("t:2:27", ["l.1.n"])),
            ("- two", ("t:2:25", ["l.1.n"])),
        ],
        equal(told),
    )
    assert [str(place) for place in made.missing] == ["t:3:10"]


def test_templates_in_scalars_have_their_places() -> None:
    text = "main:\n  template: |\n    x\n    {{ .a.b.c }}\n"
    source = Source("f.yaml", text, "yaml")
    inner = "x\n{{ .a.b.c }}\n"
    written = InnerSource("f.yaml", inner, outer=source, start=text.index("|"), end=len(text))
    program = compile_template(written, functions(Settings()), Surroundings())
    assert program is not None
    with pytest.raises(Failure) as caught:
        program.run({"a": {}}, Surroundings().meter)
    assert str(caught.value.node.span) == "f.yaml:4:12"


def test_unknown_values_make_longer_paths_and_fail_when_used() -> None:
    def text(template: str, mark: bool = False) -> str:
        try:
            return run(template, {"d": {"echo": Absent("d.echo", "supply it", mark)}}).text
        except Failure as failure:
            return f"{failure.code} {failure.summary} {failure.node.span} {failure.hint}"

    unknown = "unknown_value `d.echo` is known only after deployment t:1:{} supply it"
    hold(
        [
            ("{{ $x := .d.echo.host }}", ""),
            ('{{ index .d "echo" "host" }}', unknown.format(10)),
            ("{{ .d.echo.host | upper }}", unknown.format(19)),
            ("{{ if .d.echo.up }}{{ end }}", unknown.format(7)),
            ("{{ range .d.echo }}{{ end }}", unknown.format(10)),
            ("{{ and .d.echo 1 }}", unknown.format(4)),
            ("{{ .d }}", unknown.format(4)),
        ],
        equal(text),
    )
    marked = '{{ .d.echo.host }} {{ if .d.echo.up }}{{ upper (index .d "echo" "a") }}{{ end }}'
    assert text(marked, True) == "<unknown: d.echo.host> <UNKNOWN: D.ECHO.A>"


def test_what_is_too_deep_or_too_large_is_an_error() -> None:
    def code(template: str) -> str:
        made = gotemplate(template, {"b": True}, settings=Settings(limits=Limits(max_steps=50_000)))
        return made.diagnostics[0].code if made.diagnostics else str(made.text)

    many = 100_000
    into = "{{ $d := dict }}{{ $_ := set $d `a` $d }}"
    hold(
        [
            ("{{ if .b }}" * 100 + "x" + "{{ end }}" * 100, "x"),
            ("{{ if .b }}" * many + "{{ end }}" * many, "limit_exceeded"),
            ("{{ " + "(" * 90 + "1" + ")" * 90 + " }}", "1"),
            ("{{ " + "(" * many + "1" + ")" * many + " }}", "limit_exceeded"),
            ("{{ 1" + " | add 1" * many + " }}", "limit_exceeded"),
            ("{{ if false }}" + "{{ else if false }}" * 5_000 + "{{ else }}x{{ end }}", "x"),
            ("{{ range 1000000000 }}{{ end }}", "limit_exceeded"),
            ("{{ until 100000000 }}", "limit_exceeded"),
            (
                "{{ $s := `x` }}{{ range until 60 }}{{ $s = print $s $s }}{{ end }}",
                "limit_exceeded",
            ),
            ('{{ printf "%[' + "9" * 5_000 + ']d" 1 }}', "%!d(BADINDEX)"),
            ('{{ printf "%' + "9" * 5_000 + 'd" 1 }}', "limit_exceeded"),
            (into + "{{ $d }}", "limit_exceeded"),
            (into + "{{ toYaml $d }}", "limit_exceeded"),
            (into + "{{ deepEqual $d $d }}", "true"),
            (
                "{{ $l := list 1 }}{{ range until 60 }}{{ $l = list $l $l }}{{ end }}{{ $l }}",
                "limit_exceeded",
            ),
        ],
        equal(code),
    )


def test_a_folder_lists_what_lies_inside(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    (inside / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "secret").write_text("hunter2")
    (inside / "sub" / "a.txt").write_text("abc")
    for name, target in (
        ("in", "a.txt"),
        ("folder", "deep"),
        ("gone", "x"),
        ("out", "../../secret"),
    ):
        (inside / "sub" / name).symlink_to(target)
    listing = "{{ range readDir `sub` }}{{ .Name }} {{ .IsDir }} {{ .Size }} {{ end }}"
    (inside / "a.tmpl").write_text(listing)
    done = bpp_inside(inside, "render", "a.tmpl", "--dialect", "gotemplate")
    assert done.stdout == "a.txt false 3 deep true 0 folder true 0 in false 3 "
    (inside / "a.tmpl").write_text("{{ readDir `sub/a.txt` }}")
    done = bpp_inside(inside, "render", "a.tmpl", "--dialect", "gotemplate")
    assert "`sub/a.txt` is not a folder" in done.stderr


def test_commands(tmp_path: Path) -> None:
    (tmp_path / "a.tmpl").write_text("{{ .a }}\n{{ upper 3 }}{{ until }}\n")
    (tmp_path / "v.yaml").write_text("a: y\nb: 1\n")

    def said(*arguments: str) -> str:
        return bpp_inside(tmp_path, *arguments, "--dialect", "gotemplate").stdout

    checked = bpp_inside(tmp_path, "check", "a.tmpl", "--dialect", "gotemplate")
    assert checked.returncode == 1
    assert "argument_type" in checked.stderr and "argument_count" in checked.stderr
    (tmp_path / "a.tmpl").write_text("{{ .a }} {{ .b }}\n")
    scope = ("--file", "a.tmpl", "--vars", "v.yaml")
    hold(
        [
            ("render", "a.tmpl", "--vars", "v.yaml", "--var", "b=x", "true x\n"),
            ("eval", ".b | add 1 | int", *scope, "2\n"),
            ("eval", "{{ .b }}!", *scope, "1!\n"),
            (
                "parse",
                ".a | upper",
                "action\n  pipe\n    command\n      fields .a\n    command\n      called upper\n",
            ),
            ("eval", "dict `a` 1", '{\n  "a": 1\n}\n'),
        ],
        equal(said),
    )


def test_the_library() -> None:
    run = render(Source("t", "{{ .a }}"), dialect="gotemplate", options=TemplateOptions({"a": [1]}))
    assert run.data == "[1]"
    assert evaluate(".a | len", {"a": [1]}, dialect="gotemplate").value == 1
    assert gotemplate("{{ now | date `2006` }}", {}, settings=Settings(now=0.0)).text == "1970"
    seeded = [gotemplate("{{ randAlpha 9 }}", {}, settings=Settings(seed=1)).text for _ in "ab"]
    assert seeded[0] == seeded[1]
    assert gotemplate("{{ toJson . }}", {"n": 1}, MemoryFiles({})).text == '{"n":1}'


def test_steps_are_counted_for_each_item_that_a_function_looks_at() -> None:
    long = "{{ $l := until 2000 }}{{ range until 100000 }}%s{{ end }}"
    for written in (
        '{{ $x := has "x" $l }}',
        "{{ $x := deepEqual $l (until 2000) }}",
        "{{ $x := toYaml $l }}",
        "{{ $x := sortAlpha $l }}",
        "{{ $x := uniq $l }}",
        "{{ $x := without $l 1 }}",
    ):
        small = gotemplate(long % written, {}, settings=Settings(limits=Limits(max_steps=40_000)))
        assert [item.code for item in small.diagnostics] == ["limit_exceeded"], written
    doubled = "{{ $t := list 1 }}{{ range until 40 }}{{ $t = list $t $t }}{{ end }}{{ uniq $t }}"
    found = gotemplate(doubled, {}, settings=Settings(limits=Limits(max_steps=40_000)))
    assert [item.code for item in found.diagnostics] == ["limit_exceeded"]


@pytest.mark.parametrize(
    "pipe",
    (
        *("toString", "toStrings", "print", "quote", "squote", "cat", "deepCopy", "sortAlpha"),
        *('join ","', "chunk 1", 'printf "%d"', "toYaml", "toJson", "has -1"),
    ),
)
def test_a_call_is_refused_before_it_looks_at_a_huge_list(pipe: str) -> None:
    limits = Limits(max_steps=25_000)
    text = f"{{{{ $l := until 100000 }}}}{{{{ $x := $l | {pipe} }}}}"
    found = gotemplate(text, {}, settings=Settings(limits=limits))
    assert [item.code for item in found.diagnostics] == ["limit_exceeded"]
    assert not gotemplate(text, {}, settings=Settings()).diagnostics


def test_lists_tell_values_apart_in_depth() -> None:
    text = (
        '{{ $l := list 1 1.0 "1" (list 1) (list 1) (list 1.0) (dict "a" 1) (dict "a" 1) }}'
        "{{ uniq $l }} {{ without $l (list 1) 1 | toJson }} {{ " + "9" * 5_000 + " }}"
    )
    found = gotemplate(text, {})
    assert [item.code for item in found.diagnostics] == ["template_syntax"]
    assert "integer overflow" in str(found.diagnostics)
    found = gotemplate(text[: text.rindex("{{")], {})
    assert found.text == '[1 1 1 [1] [1] map[a:1]] [1,"1",[1],{"a":1},{"a":1}] '
