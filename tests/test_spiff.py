"""The engine of Spiff: the rows of `spiff.toml`, functions, printed trees, places, bounds."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from bpp.functions import Example
from bpp.functions.gotemplate.kinds import Absent
from bpp.pipeline import LanguageError, Limits, MemoryFiles, Settings, parse_spiff, render, spiff
from bpp.pipeline import Source as Text
from bpp.pipeline.dialects.spiff.command_line import SpiffOptions
from bpp.pipeline.dialects.spiff.dialect import functions
from bpp.pipeline.dialects.spiff.printing import show
from support.in_process import bpp_inside
from support.rows import hold

ROWS = tomllib.loads((Path(__file__).parent / "spiff.toml").read_text("utf-8"))
VALUES = ROWS.pop("values")
FUNCTIONS = functions(Settings())


def told(template: str, *stubs: str, **given: Any) -> str:
    """The result as JSON, with the state if there is any, or the diagnostics."""
    made = spiff(template, stubs, VALUES, **given)
    if made.value is not None:
        result = [made.value, made.state] if made.state else made.value
        return json.dumps(result, ensure_ascii=False)
    lines = []
    for one in made.diagnostics:
        assert one.span is not None
        name = one.span.source.name.strip("<>")
        place = f"{one.span.line}:{one.span.column}"
        where = f"{place} " if name == "template" else f"{name}:{place}: "
        lines.append(f"{where}{one.code} {one.summary}")
    return "\n".join(lines)


@pytest.mark.parametrize("topic", ROWS)
def test_what_a_template_gives(topic: str) -> None:
    def law(row: list[str]) -> None:
        *given, wanted = row
        assert told(*given) == wanted

    hold(ROWS[topic]["rows"], law, lambda row: row[0])


def check_example(example: Example) -> None:
    made = spiff(f"result: {json.dumps(f'(( {example.expression} ))')}")
    if example.error is not None:
        assert [one.code for one in made.diagnostics] in (["spiff_unresolved"], ["template_failed"])
    else:
        assert made.value == {"result": example.result}, made.diagnostics


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_example_holds(name: str) -> None:
    function = FUNCTIONS[name]
    hold(function.examples, check_example, lambda example: example.expression)
    assert function.summary
    assert all(parameter.doc for parameter in function.parameters)


PRINTED = """
a ? 1 :b ? 2 :3 => a ? 1 : b ? 2 : 3
a || b ? c :d => a || b ? c : d
a[0].b => a.[0].b
a[x].b => (a.[x]).b
.[x] => ..[x]
l[1..2].b => l.[[1..2]].[*] ().b
(a) b => ( a ) b
!a => !(a)
**a => *(*(a))
f(a=1,b...) => f(a=1, b...)
f*(a)(b) => f*(a)(b)
|x,y=1|->x + y => lambda|x,y=1|->x + y
lambda f => lambda f
("a" = 1, $b = 2) a => ("a" = 1, "b" = 2 ) a
{ "a" = 1 } => { "a" = 1 }
map[l|x|->x] => map[l|x|->x]
sum[l|0|f] => sum[l|0|f]
catch[a|v,e|->e] => catch[a|v,e|->e]
&template &temporary ( a ) => &template &temporary (( a ))
merge on k a.b => merge on k a.b
merge || 1_0 => merge || 10
prefer ~ => prefer nil
1.50e6 // "\\u00e9" => 1.5e+06 // "é"
tag:x::a.b => tag:x::a.b
-5 -5 => -5 -5
"""


def test_a_tree_is_printed_as_the_engine_prints_it() -> None:
    def law(line: str) -> None:
        text, _, wanted = line.partition(" => ")
        assert show(parse_spiff(text)) == wanted
        assert show(parse_spiff(f"(( {text} ))")) == wanted

    hold(PRINTED.strip().splitlines(), law)


BROKEN = ("1-1", "a.(b)", "f(a,)", "autoscale", "a -b", "1e400", '"a', "(a", "a]", "&temporary 5")


def test_what_is_no_expression_is_told() -> None:
    def law(text: str) -> None:
        with pytest.raises(LanguageError) as error:
            parse_spiff(text)
        assert error.value.end > error.value.start

    hold(BROKEN, law)


def test_an_expression_is_read_in_few_calls() -> None:
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    text = 'a.b || map[[1, 2]|x|->join(",", x, "y" z[0])] == { "k" = c ? 1 :(2) }'
    parse_spiff(text)
    sys.setprofile(count)
    try:
        parse_spiff(text)
    finally:
        sys.setprofile(None)
    assert calls < 3_000  # a grammar of parsimonious takes 9,000


ENDLESS = {
    "(" * 5000 + "1" + ")" * 5000: "max_expression_depth",
    "!" * 8000 + "1": "limit_exceeded",
    "b ? 1 :" * 1500 + "1": "limit_exceeded",
    '"a" ' * 5000: "max_expression_chars",
    "[1..9999999999]": "max_value_items",
    "sum[[1..1000000]|0|s,x|->s + x]": "max_steps",
    'format("%9999999999d", 1)': "limit_exceeded",
    'replace(.text, "a", .text)': "max_value_chars",
    "uniq([1..100000])": "max_steps",
    ".again(1)": "max_reference_depth",
    "*template": "max_",
    "parse(.deeper)": "max_depth",
    "eval(.itself)": "max_reference_depth",
    ".l19": "max_",
}
AROUND = {
    "again": "(( |x|->.again(x) ))",
    "template": {"<<": "(( &template ))", "x": "(( *template ))"},
    "deeper": "x: (( parse(.deeper) ))",
    "itself": "eval(.itself)",
    "text": "a" * 100_000,
    **{f"l{n}": f"(( &temporary([{', '.join([f'.l{n - 1}'] * 10)}]) ))" for n in range(1, 20)},
    "l0": "(( &temporary(1) ))",
}


def test_what_does_not_end_names_its_limit() -> None:
    def law(row: tuple[str, str]) -> None:
        expression, limit = row
        made = spiff(json.dumps({**AROUND, "a": f"(( {expression} ))"}))
        assert [one.code for one in made.diagnostics] == ["limit_exceeded"]
        assert limit in f"limit_exceeded {made.diagnostics[0].summary}"

    hold(ENDLESS.items(), law, lambda row: row[0][:40])


def test_a_long_chain_of_operators_and_references_ends() -> None:
    chain = {f"a{n}": f"(( a{n + 1} + 1 ))" for n in range(500)} | {"a500": 1}
    assert spiff(json.dumps(chain)).value["a0"] == 501
    long = {"b": "x", "a": f"(( {' '.join('b' * 4000)} ))"}
    assert spiff(json.dumps(long)).value["a"] == "x" * 4000


def test_files_and_documents_in_them() -> None:
    files = {
        "data.yaml": "x: (( 1 + 1 ))",
        "plain": "text",
        "many.txt": "a: 1\n---\nb: 2",
        "part.yaml": "x: (( k ))",
    }
    template = """
k: 3
a: (( read("data.yaml").x ))
b: (( read("plain") ))
c: (( read("many.txt", "multiyaml") ))
d: (( *read("part.yaml", "template") ))
e: (( read("plain", "binary") ))
f: (( read("data.yaml", "import").x ))
g: (( read("none") || "no" ))
"""
    made = spiff(template, files=files)
    assert made.value == {
        "k": 3,
        "a": 2,
        "b": "text",
        "c": [{"a": 1}, {"b": 2}],
        "d": {"x": 3},
        "e": "dGV4dA==",
        "f": 2,
        "g": "no",
    }


def test_an_unknown_binding_names_its_path() -> None:
    absent = {"items": Absent("deployitems", "give `--state`"), "marked": Absent("m", mark=True)}
    template = "a: (( items.x.y || 1 ))\nb: (( marked.x ))\nc: (( { $a = 1 } ))\n"
    run = render(
        Text("<t>", template), dialect="spiff", options=SpiffOptions(values=absent), files=None
    )
    [problem] = run.diagnostics
    assert (problem.code, str(problem.span), problem.hint) == (
        "unknown_value",
        "<t>:1:7",
        "give `--state`",
    )


def test_no_value_stands_in_a_message() -> None:
    values = {"s": "hunter2hunter2"}
    template = """
a: (( s + 1 ))
b: (( integer(s) ))
c: (( validate(s, ["=", "x"]) ))
d: (( m[s] ))
e: (( lambda s ))
f: (( element({ "x" = 1 }, "x") s.x ))
m: {x: 1}
"""
    made = spiff(template, values=values)
    assert len(made.diagnostics) == 6
    assert "hunter2" not in "".join(map(str, made.diagnostics))


def test_the_commands(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("a: (( imports.k + 1 ))\nb:\n  x: (( a ))\n")
    (tmp_path / "stub.yaml").write_text("b: {x: 7}\n")
    (tmp_path / "vars.yaml").write_text("imports: {k: 1}\n")
    given = ("--dialect", "spiff", "--vars", "vars.yaml")
    render_ = bpp_inside(tmp_path, "render", "t.yaml", *given, "--stub", "stub.yaml")
    assert render_.stdout == "a: 2.0\nb:\n  x: 7\n"
    evaluated = bpp_inside(tmp_path, "eval", "a + b.x", "--file", "t.yaml", *given)
    assert evaluated.stdout == "4.0\n"
    mistaken = bpp_inside(tmp_path, "eval", "nothing", "--file", "t.yaml", *given)
    assert "`nothing` not found" in mistaken.stderr
    why = bpp_inside(tmp_path, "why", "t.yaml", "b.x", *given)
    assert "t.yaml:3" in why.stdout
    assert bpp_inside(tmp_path, "check", "t.yaml", "--dialect", "spiff").returncode == 0
    parsed = bpp_inside(tmp_path, "parse", "a.b || f(1)", "--dialect", "spiff")
    assert "reference a.b" in parsed.stdout


def test_the_limits_are_those_of_the_settings() -> None:
    settings = Settings(limits=Limits(max_depth=5))
    made = spiff("a: [[[[[[1]]]]]]", settings=settings, files=MemoryFiles({}))
    assert [one.code for one in made.diagnostics] == ["limit_exceeded"]


def test_values_that_need_one_another_end_at_a_bound() -> None:
    for last, codes in (("1", []), ("(( a0 ))", ["spiff_unresolved"])):
        for count, more in ((900, codes), (7_000, ["limit_exceeded"])):
            chain = "".join(f"a{n}: (( a{n + 1} ))\n" for n in range(count))
            found = {item.code for item in spiff(f"{chain}a{count}: {last}\n").diagnostics}
            assert found == {*more}, (last, count)
    made = spiff('a: (( parse("", "yaml") ))\nb: (( parse("# x", "import") ))\n')
    assert {item.code for item in made.diagnostics} <= {"spiff_unresolved"}


@pytest.mark.parametrize("text", ["", "- a\n", "x\n", "- (( b.c ))\n"])
def test_a_document_that_is_no_map_has_a_graph(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    for form in ("mermaid", "json"):
        done = bpp_inside(tmp_path, "graph", "a.yaml", "--dialect", "spiff", "--format", form)
        assert done.returncode in (0, 1), done.stderr
