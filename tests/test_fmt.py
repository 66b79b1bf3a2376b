"""`bpp fmt`: what it makes of documents, that it says the same, and what it does with files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from bpp.pipeline import Source, render
from bpp.pipeline.cli.fmt_command import difference
from bpp.pipeline.dialects.table import detect_dialect, find_dialect
from bpp.pipeline.engine.formatting import Formatted, format_text
from bpp.pipeline.formats.detection import format_of
from bpp.pipeline.formats.layout import WIDTH, unspaced
from bpp.pipeline.formats.scalars import leave
from bpp.pipeline.formats.yaml_reader import read_yaml_documents
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.language.spacing import spaced
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from hypothesis import given
from hypothesis import strategies as st
from support.in_process import bpp_inside
from support.rows import hold

HERE = Path(__file__).parent
CASES = sorted((HERE / "fmt").glob("*.before.*"))
DOCUMENTS = sorted(
    file
    for folder in ("tests/cases", "examples")
    for file in (HERE.parent / folder).rglob("*")
    if format_of(file.name) and "snapshots" not in file.parts
)


def formatted(text: str, dialect: str = "bluelink", form: str = "yaml") -> Formatted:
    return format_text(Source("a", text, form), find_dialect(dialect))


# --- what comes out ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", [pytest.param(one, id=one.name) for one in CASES])
def test_a_document_is_formatted(case: Path) -> None:
    """`NAME[.DIALECT].before.EXTENSION` becomes `NAME[.DIALECT].after.EXTENSION`, which stays."""
    before = case.read_text("utf-8")
    after = case.with_name(case.name.replace(".before.", ".after.")).read_text("utf-8")
    stem = case.name.partition(".before.")[0]
    dialect = stem.partition(".")[2] or "bluelink"
    form = format_of(case.name) or "text"
    for text in (before, after):
        made = formatted(text, dialect, form)
        assert made.diagnostics == ()
        assert made.text == after


def test_expressions_are_spaced() -> None:
    def check(row: tuple[str, str, str]) -> None:
        dialect, before, after = row
        style = find_dialect(dialect).syntax.spacing
        assert style is not None
        for text in (before, after):
            assert spaced(text, style) == after

    hold(
        [
            ("bluelink", " values.a ", "values.a"),
            ("bluelink", "f( a,b )", "f(a, b)"),
            ("bluelink", "object( a = 1,b=list( ) )", "object(a=1, b=list())"),
            ("bluelink", 'values . a [ 0 ] [ "b  c" ]', 'values.a[0]["b  c"]'),
            ("bluelink", "a-b.c", "a-b.c"),
            ("bluelink", "if( contains(a , b),c )", "if(contains(a, b), c)"),
            ("garden", "a&&b||! c", "a && b || !c"),
            ("garden", "a   ?  b:c", "a ? b : c"),
            ("garden", "typeof  a=='x'", "typeof a == 'x'"),
            ("garden", "a  +  1", "a + 1"),
            ("garden", "[ a,b ][ 0 ]", "[a, b][0]"),
            ("kargo", "a", " a "),
            ("kargo", "a-1", " a - 1 "),
            ("kargo", "-a+ - 1", " -a + -1 "),
            ("kargo", "a?.b ?. [ 'c' ]??d", " a?.b?.['c'] ?? d "),
            ("kargo", "xs[ 1 : 2 ]", " xs[1:2] "),
            ("kargo", "{ a:1,'b' : c?d:e }", " {a: 1, 'b': c ? d : e} "),
            ("kargo", "let x=1;x", " let x = 1; x "),
            (
                "kargo",
                "filter( xs,{ # >1 and not  (.b in [ 1 ] ) })",
                " filter(xs, {# > 1 and not (.b in [1])}) ",
            ),
            ("kargo", "xs|map( #.a )|len( )", " xs | map(#.a) | len() "),
            ("kargo", "a /* why */ +b", "a /* why */ +b"),
            ("spiff", "  a   b ", " a b "),
            ("spiff", '"a   b"   c', ' "a   b" c '),
        ],
        check,
    )


PRINTED = [
    ("bluelink", 'join(", ", list(values.a, variables.b))'),
    ("bluelink", 'trimsuffix(resources.a.spec.b[0]["c-d"], "x")'),
    ("garden", "a && (b || !c) && d == 1 ? e : [f, g[1]]"),
    ("garden", 'join(a.b, ",") + "x" * 2'),
    ("kargo", "a + b.c[0] ** -1 - c"),
    ("kargo", 'filter(xs, .a > 1 && not (.b in [1, 2])) | map({{a: #, "b-c": 1}})'),
    ("kargo", "let x = a ? b : c; x[1:2] == 1 .. 3"),
]


@pytest.mark.parametrize(("dialect", "text"), PRINTED)
def test_expressions_are_spaced_as_they_are_printed(dialect: str, text: str) -> None:
    """What is left over of a render has the style, too."""
    syntax = find_dialect(dialect).syntax
    shown = syntax.show(syntax.parse(text, 0, False))
    style = syntax.spacing
    assert style is not None
    assert spaced(shown, style).strip() == shown
    assert spaced(re.sub(r"(?<=[\w)\]]), ", ",", shown), style).strip() == shown


# --- what stays ----------------------------------------------------------------------------------


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_line_breaks_and_a_byte_order_mark_stay(mark: str, line_break: str) -> None:
    text = f"{mark}a:{line_break}- b{line_break}- |{line_break}    c{line_break}"
    made = formatted(text).text
    assert made == f"{mark}a:{line_break}  - b{line_break}  - |{line_break}    c{line_break}"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: [\n", "invalid_yaml"),
        ("a: 1\rb:  2\r", "not_formatted"),
        ("%YAML 1.2\n---\na:  1\n", "yaml_directive_not_supported"),
        ("a:  " + "[" * 70 + "]" * 70, "limit_exceeded"),
        ("a: \x01\n", "invalid_character"),
    ],
)
def test_a_text_that_cannot_be_read_stays(text: str, code: str) -> None:
    made = formatted(text)
    assert made.text == text
    assert {item.code for item in made.diagnostics} == {code}


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  b: 1\n  a: 2\n  b: 3\n",
        "a: !!str &x [*x]\n",
        "{a: 1}: b\n",
        "a: {b}\n",
        "? a\n: b\n",
        "a: {!t }\n",
    ],
)
def test_other_mistakes_do_not_matter(text: str) -> None:
    assert formatted(text) == Formatted(text)
    assert formatted(f"\n\n{text}\n\n").text == text


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a: |\n    b", "a: |\n  b"),
        ("a: |-\n    b", "a: |-\n  b\n"),
        ("a: |\n   b\n     ", "a: |\n  b\n    \n"),
        ("a: |+\n   b\n\n\n", "a: |+\n  b\n\n\n"),
        ("a: |3\n      b\n", "a: |3\n      b\n"),
        ("a:\n    b: >2\n         c\n", "a:\n  b: >2\n       c\n"),
        ("a: |\n\n\n    b\n\n\n", "a: |\n\n\n  b\n"),
        ("- |\n b\n-  |\n  c\n", "- |\n  b\n- |\n  c\n"),
        ("", ""),
        ("\n \n", ""),
        ("# a", "# a\n"),
        ("a: 'it''s'", 'a: "it\'s"\n'),
        ("a: 'x\\y'  ", "a: 'x\\y'\n"),
        ("*a  : b", "*a : b\n"),
    ],
)
def test_the_ends_and_levels_of_strings_stay(text: str, after: str) -> None:
    assert formatted(text) == Formatted(after)


def test_strings_that_are_not_evaluated_stay() -> None:
    text = "kind: Stage\nmetadata:\n  a: ${{x}}\nspec:\n  steps:\n    - ${{x}}\n"
    after = text.replace("- ${{x}}", "- ${{ x }}")
    assert formatted(text, "kargo").text == after


@pytest.mark.parametrize(
    "file", [pytest.param(one, id=str(one.relative_to(HERE.parent))) for one in DOCUMENTS[::9]]
)
def test_documents_say_the_same(file: Path) -> None:
    """Of our own documents: nothing is lost, twice is once, and what they render to is the same."""
    try:
        text = file.read_bytes().decode()
    except UnicodeDecodeError:
        return
    source = Source(str(file), text, format_of(file.name) or "yaml", str(file))
    dialect = detect_dialect(source)
    made = format_text(source, dialect)
    if made.diagnostics:
        assert made.text == text
        return
    assert unspaced(made.text) == unspaced(text)
    after = source.evolve(text=made.text)
    assert format_text(after, dialect) == Formatted(made.text)
    if made.text != text:
        results = [render(one, dialect=dialect) for one in (source, after)]
        assert results[0].ok == results[1].ok
        assert len({run.text() for run in results if run.ok}) <= 1
        assert [item.code for item in results[0].diagnostics] == [
            item.code for item in results[1].diagnostics
        ]


# --- laws ----------------------------------------------------------------------------------------

_WORDS = st.sampled_from(
    ["a", "b1", "'c'", "'it''s'", '"d e"', "${ values.a }", "-1", "1e3", "yes", "~", "a b", "'#'"]
)
_COMMENTS = st.sampled_from(["", "", "", "  # x", " #y", "\n      #  z", "\n\n\n# w"])
_BLANKS = st.sampled_from([" ", "  ", "   "])


@st.composite
def _flows(draw: st.DrawFn, depth: int = 2) -> str:
    if depth == 0 or draw(st.booleans()):
        return draw(_WORDS)
    gap = draw(st.sampled_from(["", " ", "\n        "]))
    items = draw(st.lists(_flows(depth - 1), max_size=3))
    if draw(st.booleans()):
        return f"[{gap}" + f",{gap}".join(items) + f"{gap}]"
    pairs = [f"k{number}: {item}" for number, item in enumerate(items)]
    return f"{{{gap}" + f",{gap or ' '}".join(pairs) + f"{gap}}}"


@st.composite
def _blocks(draw: st.DrawFn, indent: int = 0, depth: int = 3) -> str:
    """Lines of a block collection at an indentation; each ends with a line break."""
    pad, made = " " * indent, []
    is_map = draw(st.booleans())
    for number in range(draw(st.integers(1, 3))):
        head = f"k{number}{draw(st.sampled_from(['', ' ']))}:" if is_map else "-"
        comment = draw(_COMMENTS)
        kind = draw(st.integers(0, 4 if depth else 2))
        if kind == 0:
            made.append(f"{pad}{head}{draw(_BLANKS)}{draw(_flows())}{comment}\n")
        elif kind == 1:
            body = draw(st.sampled_from(["x\n", "x\n\n", "x\n  y\n\n\n", "${ f( a ) }\n"]))
            deep = " " * (indent + draw(st.integers(1, 5)))
            lines = "".join(deep + one if one.strip() else one for one in body.splitlines(True))
            mark = draw(st.sampled_from(["|", "|-", "|+", ">", ">-"]))
            made.append(f"{pad}{head} {mark}\n{lines}")
        elif kind == 2:
            made.append(f"{pad}{head} {draw(st.sampled_from(['x', 'y z']))}\n{pad}   more\n")
        else:
            step = draw(st.integers(0 if is_map and kind == 3 else 1, 4))
            inner = draw(_blocks(indent + max(step, 1), depth - 1))
            made.append(f"{pad}{head}{comment}\n{inner}")
    return draw(st.sampled_from(["", "", "\n", "# first\n"])) + "".join(made)


def _comments(text: str) -> list[str]:
    return re.findall(r"#\s*([wxyz])$", text, re.MULTILINE)


@given(st.one_of(_blocks(), st.tuples(_blocks(), _blocks()).map("---\n".join)))
def test_formatting_says_the_same_and_twice_is_once(text: str) -> None:
    found = Diagnostics()
    before = read_yaml_documents(Source("a", text, "yaml"), leave, "\0", Meter(Limits()), found)
    made = formatted(text)
    if before is None:
        assert made.diagnostics
        return
    assert made.diagnostics == ()
    after = read_yaml_documents(
        Source("a", made.text, "yaml"), leave, "\0", Meter(Limits()), Diagnostics()
    )
    assert re.sub(r"\$\{ (f\( a \)|values\.a) \}", _tight, repr(before)) == repr(after)
    assert _comments(made.text) == _comments(text)
    assert formatted(made.text) == Formatted(made.text)
    assert not re.search(r"[ \t]\n|\n\n\n\n", re.sub(r"\|\+\n(?:.*\n)*", "", made.text))


def _tight(match: re.Match[str]) -> str:
    return f"${{{match[1].replace(' ', '')}}}"


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
)


@given(_JSON, st.sampled_from([None, 1, 4]), st.sampled_from([",", " ,", ",  "]))
def test_json_says_the_same_and_twice_is_once(data: object, indent: int | None, comma: str) -> None:
    made = formatted(json.dumps(data, indent=indent, separators=(comma, ":")), form="json")
    assert made.diagnostics == ()
    assert json.loads(made.text) == data
    assert formatted(made.text, form="json") == Formatted(made.text)
    assert all(len(line) <= WIDTH for line in made.text.splitlines())


# --- costs ---------------------------------------------------------------------------------------


def test_steps_are_spent_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []
    work = Meter.work
    monkeypatch.setattr(Meter, "work", lambda self, n: (spent.append(n), work(self, n))[1])

    def steps(count: int) -> int:
        spent.clear()
        assert formatted("a:\n" + "- ${f( a )}   # x\n- {b: [1,2]}\n" * count).diagnostics == ()
        return sum(spent)

    assert 0 < steps(2000) < 2.2 * steps(1000)


def test_a_limit_ends_it() -> None:
    text = "".join(f"- ${{f( a{n} )}}\n" for n in range(1000))
    made = format_text(Source("a", text, "yaml"), find_dialect("bluelink"), Limits(max_steps=1000))
    assert made.text == text
    assert [item.code for item in made.diagnostics] == ["limit_exceeded"]


# --- the command ---------------------------------------------------------------------------------

LOOSE = "version: 2025-11-02\nvalues:\n    a: {type: string,value: 'x'}   #why\n"
TIDY = 'version: 2025-11-02\nvalues:\n  a: {type: string, value: "x"}  # why\n'


def test_files_are_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(LOOSE)
    for told in ("a.yaml: formatted\n", ""):
        done = bpp_inside(tmp_path, "fmt", "a.yaml")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", told)
        assert file.read_text() == TIDY


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (("--check",), 1, "a.yaml: would be formatted\n"),
        (("--diff",), 0, ""),
        (("--check", "--diff"), 1, None),
    ],
)
def test_nothing_is_written(
    tmp_path: Path, arguments: tuple[str, ...], status: int, told: str | None
) -> None:
    (tmp_path / "a.yaml").write_text(LOOSE)
    done = bpp_inside(tmp_path, "fmt", "a.yaml", *arguments)
    assert done.returncode == status
    assert told is None or done.stderr == told
    assert ("+  a: {type: string" in done.stdout) == ("--diff" in arguments)
    assert (tmp_path / "a.yaml").read_text() == LOOSE


def test_standard_input_goes_to_standard_output(tmp_path: Path) -> None:
    for text in (LOOSE, TIDY):
        done = bpp_inside(tmp_path, "fmt", "-", text=text)
        assert (done.returncode, done.stdout) == (0, TIDY)
    assert bpp_inside(tmp_path, "fmt", "-", "--check", text=LOOSE).returncode == 1


def test_folders_have_documents_only(tmp_path: Path) -> None:
    stage = "apiVersion: kargo.akuity.io/v1alpha1\nkind: Stage\nspec:   {}\n"
    files = {"b.yaml": LOOSE, "stage.yaml": stage, "vars.yaml": "a:   1\n", "x.txt": LOOSE}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.yaml").symlink_to("b.yaml")
    done = bpp_inside(tmp_path, "fmt", ".")
    assert (done.returncode, done.stderr) == (0, "b.yaml: formatted\nstage.yaml: formatted\n")
    assert (tmp_path / "link.yaml").is_symlink()
    assert (tmp_path / "vars.yaml").read_text() == "a:   1\n"


@pytest.mark.parametrize("arguments", [(), ("--dialect", "bluelink")])
def test_what_is_no_document_is_not_told(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "vars.yaml").write_text("password: &hunter2\n  b: [*swordfish\n")
    (tmp_path / "b.yaml").write_text(LOOSE)
    done = bpp_inside(tmp_path, "fmt", "vars.yaml", "b.yaml", *arguments)
    assert done.returncode == 1
    assert "`vars.yaml` is not recognisably a document of a dialect" in done.stderr
    assert "hunter2" not in done.stderr
    assert "swordfish" not in done.stderr
    assert (tmp_path / "b.yaml").read_text() == TIDY


def test_a_named_dialect_formats_what_is_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "a.tpl").write_text("x {{.a|quote}}  y\n")
    assert bpp_inside(tmp_path, "fmt", "a.tpl", "--dialect", "gotemplate").returncode == 0
    assert (tmp_path / "a.tpl").read_text() == "x {{ .a | quote }}  y\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [((), 2), (("missing.yaml",), 3), (("x/*.yaml",), 2), (("broken.yaml",), 1)],
)
def test_the_exit_status(tmp_path: Path, arguments: tuple[str, ...], status: int) -> None:
    (tmp_path / "broken.yaml").write_text("version: 2025-11-02\nresources: [\n")
    assert bpp_inside(tmp_path, "fmt", *arguments).returncode == status


@given(st.lists(st.sampled_from(["a", " a", "b ", "", "c,d", "c, d", "'e'", '"e"']), max_size=12))
def test_a_difference_leads_from_one_text_to_the_other(lines: list[str]) -> None:
    before = "".join(f"{line}\n" for line in lines)
    after = "".join(f"{line.strip()}\n" for line in lines if line)
    shown = list(difference(before, after, "a"))
    kept = [line[1:] for line in shown[2:] if line[0] in " -"]
    made = [line[1:] for line in shown[2:] if line[0] in " +"]
    assert bool(shown) == (before != after)
    assert unspaced("".join(kept)) == unspaced("".join(made))
    if len(lines) < 4:
        assert not shown or ("".join(kept), "".join(made)) == (before, after)
