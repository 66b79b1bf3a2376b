"""Dialects as a public interface: a second one, its answers, and how dialects are found."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, TypeAlias

import pytest
from bpp.functions import Functions, function
from bpp.pipeline import (
    Access,
    Argument,
    Call,
    Context,
    Dialect,
    Dialects,
    Document,
    Evaluated,
    Expression,
    Literal,
    MemoryFiles,
    Operator,
    Pipeline,
    Reference,
    Run,
    Scalar,
    Settings,
    Source,
    Stage,
    build,
    check,
    delimited,
    diff,
    evaluate,
    find_dialect,
    printer,
    render,
    why,
)
from bpp.pipeline.cli.app import Command, parameters
from bpp.pipeline.cli.quick import quick_options
from bpp.pipeline.dialects.table import NAMES
from bpp.pipeline.testing import assert_diagnostics, story
from bpp.pipeline.world import plugins
from hypothesis import given
from hypothesis import strategies as st
from support.in_process import bpp_inside
from support.tiny_dialect import OPERATORS, PLUS, TIMES, TINY, parse, text
from syrupy.assertion import SnapshotAssertion

TINY_FILE = Path(__file__).parent / "support" / "tiny_dialect.py"

DOCUMENT = """\
let:
  price: 3
  total: <% price * (count + 1) %>
  count: 1
  where: at <% host.name %>
later: [host]
order:
  total: <% total %>
  port: <% host.port + price * 2 %>
  kept: <% where %>
  text: <%"<%"%> stands for <% text(total) %> or <% text(host.port) %>
  list: ["<% total %>", 7, "<% host %>"]
"""


def rendered(text: str, **arguments: Any) -> Run:
    """A document of the tiny dialect, rendered."""
    return render(
        Source("order.yaml", text, "yaml"), files=MemoryFiles({}), dialect=TINY, **arguments
    )


def computed(text: str, scope: dict[str, Any] | None = None) -> Evaluated:
    """A string in the tiny dialect."""
    return evaluate(text, scope, dialect=TINY)


# --- a dialect of public names ------------------------------------------------------------------


def test_the_tiny_dialect_is_small_and_uses_public_names_only() -> None:
    source = TINY_FILE.read_text("utf-8")
    assert source.count("\n") < 150
    public = {"bpp.pipeline", "bpp.functions", "bpp.transforms"}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            assert {name for name in names if name.startswith("bpp")} <= public
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bpp"):
            assert node.module in public
            listed = importlib.import_module(node.module).__all__
            assert {alias.name for alias in node.names} <= {*listed}
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "bpp":
            assert node.attr in importlib.import_module("bpp.pipeline").__all__
    assert len(OPERATORS) == 2
    assert TINY.pipeline.names() == ("read", "compute", "tidy")


def test_every_stage_of_it_is_told(snapshot: SnapshotAssertion) -> None:
    assert story(rendered(DOCUMENT)) == snapshot


def test_rendering_again_changes_nothing() -> None:
    once = rendered(DOCUMENT)
    again = rendered(once.text())
    assert again.text() == once.text()


def test_places_and_origins_are_those_of_the_source() -> None:
    run = rendered(DOCUMENT)
    assert run.document is not None
    order = run.document.section("order")
    assert order is not None
    total = order.items["total"]
    assert (str(total.span), total.origin.steps) == ("order.yaml:8:10", ("load", "compute"))


def test_stages_can_be_added_and_the_run_stopped() -> None:
    run = rendered(DOCUMENT, stop_after="read")
    assert [name for name, _ in run.stages] == ["read"]
    assert "<% total %>" in run.text()
    pipeline = TINY.pipeline.before("tidy", Stage("nothing", lambda document, _: document))
    names = [name for name, _ in rendered(DOCUMENT, pipeline=pipeline).stages]
    assert names == ["read", "compute", "nothing", "tidy"]


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("<% 1 + %>", "invalid_substitution@2:13"),
        ("<% (1 %>", "invalid_substitution@2:12"),
        ("<% %>", "invalid_substitution@2:9"),
        ("<% 1 ! 2 %>", "invalid_substitution@2:11"),
        ("<% a.1 %>", "invalid_substitution@2:11"),
        ("<% 1", "unclosed_substitution@2:6"),
        ('<% "a %>', "unclosed_substitution@2:9"),
        ("<% a <% b %> %>", "invalid_substitution@2:11"),
        ("<% nobody %>", "name_not_found@2:9"),
        ("<% n.field %>", "path_not_found@2:9"),
        ('<% text("a") %>', "invalid_argument_type@2:14"),
        ("<% txt(1) %>", "function_not_found@2:9"),
        ('<% 1 + "a" %>', "invalid_argument_type@2:13"),
        ("a <% n * (2 + 3 * text(4)) %>", "invalid_argument_type@2:24"),
    ],
)
def test_mistakes_have_their_places(written: str, place: str) -> None:
    run = rendered(f"let: {{n: 1}}\na:   {written}\n")
    assert not run.ok
    assert_diagnostics(run, [place])


def test_cycles_and_depth_are_mistakes() -> None:
    run = rendered("let:\n  a: <% b %>\n  b: <% a %>\nout: <% a %>\n")
    assert_diagnostics(run, ["reference_cycle@2:9"])
    names = "".join(f"  n{i}: <% n{i + 1} %>\n" for i in range(120))
    run = rendered(f"let:\n{names}  n120: 1\nout: <% n0 %>\n")
    assert {item.code for item in run.diagnostics} == {"limit_exceeded"}


def test_what_is_no_map_is_a_mistake() -> None:
    assert_diagnostics(rendered("[1]"), ["invalid_map@1:1"])
    assert_diagnostics(rendered(""), ["invalid_map"])


def test_without_checks_of_its_own_the_first_stage_is_checked() -> None:
    found = check(Source("a.yaml", "a: <% + %>", "yaml"), files=MemoryFiles({}), dialect=TINY)
    assert_diagnostics(found, ["invalid_substitution@1:7"])
    found = check(Source("a.yaml", "a: <% b %>", "yaml"), files=MemoryFiles({}), dialect=TINY)
    assert_diagnostics(found, [])


def test_single_strings_are_evaluated() -> None:
    assert computed("<% (1 + 2) * 3 %>").value == 9
    assert computed("<% a.b * 2 + c %>", {"a": {"b": 2}}).residual == "<%4 + c%>"
    assert computed("<% resources %>").residual == "<%resources%>"


def test_what_is_left_is_refused_when_all_must_be_known() -> None:
    strict = Settings(strict=True)
    run = rendered(DOCUMENT, settings=strict)
    assert not run.ok
    found = [(item.code, str(item.span), item.summary) for item in run.diagnostics]
    assert found[:2] == [
        ("unresolved_value", "order.yaml:5:10", "`let.where` is not known: it needs `host.name`"),
        ("unresolved_value", "order.yaml:9:9", "`order.port` is not known: it needs `host.port`"),
    ]
    assert rendered(DOCUMENT, settings=strict, stop_after="read").ok
    assert rendered("a: <% 1 + 1 %>", settings=strict).text() == "a: 2\n"


def test_none_leaves_its_field_out() -> None:
    nothing = function(signature="nothing() -> any")(lambda: None)
    maker = TINY.functions
    dialect = TINY.evolve(
        functions=lambda settings: maker(settings).with_functions(nothing),
        syntax=TINY.syntax.evolve(parse=lambda *_: Call("nothing")),
    )
    source = Source("a.yaml", 'a: <% - %>\nb: [1, "<% - %>"]\nc: 2\n', "yaml")
    run = render(source, files=MemoryFiles({}), dialect=dialect)
    assert run.text() == "b:\n  - 1\nc: 2\n"


def test_a_function_of_a_dialect_that_breaks_is_a_mistake() -> None:
    broken = function(signature="plus(a: integer, b: integer) -> integer")(lambda a, b: 1 // 0)
    dialect = TINY.evolve(functions=lambda settings: Functions([text, broken, TIMES]))
    run = render(Source("a.yaml", "a: <% 1 + 1 %>", "yaml"), files=MemoryFiles({}), dialect=dialect)
    assert_diagnostics(run, ["function_failed@1:7"])


# --- blueprints in another syntax ---------------------------------------------------------------

BLUEPRINT = """\
version: 2025-11-02
variables:
  n: {type: integer}
values:
  two: {type: integer, value: <% variables.n * 2 %>}
  odd: {type: string, value: "<% text(resources.a.state.size + values.two) %>!"}
resources:
  a:
    type: x/y
    spec: {size: <% values.two + 1 %>, literal: '<%"<%"%>'}
  b:
    type: x/y
    spec: {other: <% resources.a.spec.size %>, odd: <% values.odd %>}
exports:
  size: {type: integer, field: resources.a.spec.size}
"""


@pytest.fixture
def sums() -> Dialect:
    """Blueprints with the syntax of the tiny dialect."""
    base = find_dialect("bluelink")
    return base.evolve(
        name="sums",
        syntax=TINY.syntax,
        functions=lambda settings: base.functions(settings).with_functions(PLUS, TIMES, text),
    )


def test_blueprints_can_be_written_in_another_syntax(
    sums: Dialect, snapshot: SnapshotAssertion
) -> None:
    source = Source("sums.yaml", BLUEPRINT, "yaml")
    run = render(source, files=MemoryFiles({}), dialect=sums, variables={"n": 4})
    assert story(run) == snapshot
    assert_diagnostics(check(source, files=MemoryFiles({}), dialect=sums))
    again = render(Source("sums.yaml", run.text(), "yaml"), files=MemoryFiles({}), dialect=sums)
    assert again.text() == run.text()


def test_names_that_no_blueprint_has_are_mistakes(sums: Dialect) -> None:
    for name in ("lone.x", "resources", "include.a"):
        written = BLUEPRINT.replace("values.two + 1", name)
        run = render(
            Source("sums.yaml", written, "yaml"),
            files=MemoryFiles({}),
            dialect=sums,
            variables={"n": 4},
        )
        assert_diagnostics(run, ["invalid_substitution@10:21"])


# --- printing and delimiters --------------------------------------------------------------------


def operations() -> st.SearchStrategy[Expression]:
    leaves = st.one_of(
        st.integers(-9, 99).map(Literal),
        st.text('ab"<%> ', max_size=4).map(Literal),
        st.sampled_from(["a", "b"]).map(Reference),
        st.just(Reference("a", ("b", "c"))),
    )

    def deeper(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        pair = st.tuples(inner.map(Argument), inner.map(Argument))
        return st.one_of(
            st.builds(Call, st.sampled_from(["plus", "times"]), pair),
            st.builds(Call, st.just("text"), st.tuples(inner.map(Argument))),
        )

    return st.recursive(leaves, deeper, max_leaves=12)


@given(operations())
def test_what_is_printed_is_read_again(tree: Expression) -> None:
    shown = TINY.syntax.show(tree)
    assert parse(shown, 0, False) == tree


@pytest.mark.parametrize(
    ("tree", "shown"),
    [
        ("1 + 2 + 3", "1 + 2 + 3"),
        ("1 + (2 + 3)", "1 + (2 + 3)"),
        ("(1 * 2) + 3", "1 * 2 + 3"),
        ("(1 + 2) * 3", "(1 + 2) * 3"),
        ("text((1 + 2))", "text(1 + 2)"),
    ],
)
def test_parentheses_stand_where_they_are_needed(tree: str, shown: str) -> None:
    assert TINY.syntax.show(parse(tree, 0, False)) == shown


def test_operators_may_be_read_from_the_right_and_stand_before() -> None:
    show = printer(
        {"power": Operator("^", 3, right=True), "minus": Operator("-", 1), "not": Operator("!", 4)}
    )
    one, two = Argument(Literal(1)), Argument(Literal(2))
    left = Call("power", (Argument(Call("power", (one, two))), two))
    right = Call("power", (two, Argument(Call("power", (one, two)))))
    assert (show(left), show(right)) == ("(1 ^ 2) ^ 2", "2 ^ 1 ^ 2")
    both = Call("not", (Argument(Call("not", (Argument(Call("minus", (one, two))),))),))
    assert show(both) == "!!(1 - 2)"
    assert show(Access(Call("minus", (one, two)), ("a",))) == "(1 - 2).a"


@pytest.mark.parametrize(
    ("opener", "closer"), [("<%", "%>"), ("[[", "]]"), ("{{", "}}"), ("%", "%"), ("${", "}")]
)
def test_delimiters_are_free(opener: str, closer: str) -> None:
    """Whatever they are: texts are split, and the opener can be written as text."""
    syntax = delimited(opener, closer, parse=parse, show=printer(OPERATORS))
    dialect = TINY.evolve(syntax=syntax)
    written = f"{opener}1 + 1{closer}, {opener}text(2){closer}{syntax.protected}"
    assert evaluate(written, dialect=dialect).value == f"2, 2{opener}"
    waiting = evaluate(f"{syntax.protected} {opener}a + 1{closer}", dialect=dialect).residual
    assert waiting == f"{syntax.protected} {opener}a + 1{closer}"
    quoted = f'{opener}"{closer}"{closer}'
    assert evaluate(quoted, dialect=dialect).value == closer


# --- finding dialects ---------------------------------------------------------------------------


def test_a_dialect_is_registered_or_given() -> None:
    known = Dialects([TINY], entry_points=False)
    assert known.names() == [*NAMES, "tiny"]
    assert known.find("tiny") is TINY
    assert find_dialect(TINY) is TINY
    assert evaluate("<% 1 + 1 %>", dialect=known.find("tiny")).value == 2
    with pytest.raises(
        ValueError, match=r"unknown dialect `other`; available: bluelink, garden, .*, tiny"
    ):
        known.find("other")


@pytest.mark.parametrize("twice", [[TINY, TINY], [TINY.evolve(name="bluelink")]])
def test_a_name_is_registered_once(twice: list[Dialect]) -> None:
    with pytest.raises(ValueError, match="twice"):
        Dialects(twice)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Installs a package that offers a dialect."""

    def make(code: str, point: str) -> None:
        info = tmp_path / "acme_dialect-1.0.dist-info"
        info.mkdir()
        (tmp_path / "acme_dialect.py").write_text(code, "utf-8")
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-dialect\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[bpp.dialects]\n{point}\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "acme_dialect", raising=False)

    return make


def test_an_installed_dialect_is_found(install: Callable[[str, str], None]) -> None:
    install("from support.tiny_dialect import TINY", "acme = acme_dialect:TINY")
    assert evaluate("<% 2 * 3 %>", dialect="acme").value == 6
    assert Dialects().names() == [*NAMES, "acme"]


def test_options_of_an_installed_dialect_are_taken_when_it_is_named(
    install: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    code = (
        "from bpp.pipeline import CommandLine, Option\n"
        "from support.tiny_dialect import TINY\n"
        "LINE = CommandLine(options=(Option('--size', 'How large.', 'N'),"
        " Option('--loud', 'Shout.', commands=('render',)),"
        " Option('--env', 'Several.', 'N', True)))\n"
        "FOUND = TINY.evolve(name='acme', command_line=LINE)\n"
    )
    install(code, "acme = acme_dialect:FOUND")
    ours = [one for one in parameters("diff", "acme") if one.dialect == "acme"]
    assert [(one.row.flag, one.side) for one in ours] == [
        ("--size", ""),
        ("--size", "a"),
        ("--size", "b"),
        ("--env", ""),
        ("--env", "a"),
        ("--env", "b"),
    ]
    assert not [one for one in parameters("render") if one.dialect == "acme"]
    command = Command("render", lambda options: options)  # type: ignore[arg-type,return-value]
    line = ["a.yaml", "--dialect=acme", "--size", "3", "--loud", "--env", "x", "--env", "y"]
    assert quick_options(["render", *line]) is None
    found: Any = command.main(line, prog_name="bpp", standalone_mode=False)
    assert found.own == {"--size": ("3",), "--loud": ("",), "--env": ("x", "y")}
    command.main(["--dialect", "acme", "--help"], prog_name="bpp", standalone_mode=False)
    shown = capsys.readouterr().out
    assert "Options of the dialect acme:\n  --size N" in shown
    assert "Options of the dialect garden" not in shown


# --- every command, for a dialect of public names -------------------------------------------------


@pytest.fixture
def tiny(
    install: Callable[[str, str], None], tmp_path: Path
) -> Callable[..., CompletedProcess[str]]:
    """Runs a command with the installed tiny dialect in a folder with a document of it."""
    install("from support.tiny_dialect import TINY", "tiny = acme_dialect:TINY")
    (tmp_path / "order.yaml").write_text(DOCUMENT, "utf-8")

    def run(*arguments: str) -> CompletedProcess[str]:
        return bpp_inside(tmp_path, *arguments, "--dialect", "tiny")

    return run


Tiny: TypeAlias = Callable[..., CompletedProcess[str]]


def test_it_is_rendered_and_checked(tiny: Tiny, tmp_path: Path) -> None:
    assert "  total: 6\n  port: <%host.port + 6%>\n" in tiny("render", "order.yaml").stdout
    assert tiny("check", "order.yaml").returncode == 0
    (tmp_path / "wrong.yaml").write_text("a: <% + %>\n", "utf-8")
    wrong = tiny("check", "wrong.yaml")
    assert (wrong.returncode, "invalid_substitution" in wrong.stderr + wrong.stdout) == (1, True)


def test_its_own_option_is_taken_and_in_the_help(tiny: Tiny, tmp_path: Path) -> None:
    assert "--known" in tiny("render", "--help").stdout
    (tmp_path / "a.yaml").write_text("later: [n]\na: <% n * 2 %>\n", "utf-8")
    assert "a: <%n * 2%>\n" in tiny("render", "a.yaml").stdout
    assert "a: 8\n" in tiny("render", "a.yaml", "--known", "n=4").stdout
    assert tiny("eval", "n + 1", "-f", "a.yaml", "--known", "n=4").stdout == "5\n"


def test_strings_are_evaluated_in_a_document_of_it(tiny: Tiny) -> None:
    assert tiny("eval", "total + price", "-f", "order.yaml").stdout == "9\n"
    assert tiny("eval", "text(1 + 2)").stdout == '"3"\n'
    wrong = tiny("eval", "missing", "-f", "order.yaml")
    assert (wrong.returncode, "name_not_found" in wrong.stderr) == (1, True)


def test_why_explains_its_values(tiny: Tiny) -> None:
    told = json.loads(tiny("why", "order.yaml", "order.total", "--format", "json").stdout)
    assert (told["status"], told["value"]) == ("known", 6)
    assert (told["kind"], told["made"]) == ("template", "computed from the text there")
    [total] = told["causes"]
    assert (total["name"], total["value"], total["place"]["line"]) == ("total", 6, 3)
    assert [cause["name"] for cause in total["causes"]] == ["price", "count", "times", "plus"]
    assert [change["stage"] for change in told["changes"]] == ["read", "compute"]
    shown = tiny("why", "order.yaml", "order.port").stdout
    assert "host.port: not known yet" in shown
    missing = tiny("why", "order.yaml", "order.totl")
    assert (missing.returncode, "did you mean `total`?" in missing.stderr) == (2, True)


def test_why_explains_removed_parts(tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text("let: {n: 1}\na: <% n %>\n", "utf-8")
    told = json.loads(tiny("why", "short.yaml", "let.n", "--format", "json").stdout)
    assert (told["status"], told["departure"]["stage"]) == ("gone", "tidy")


def test_its_graph_has_the_elements_and_their_references(tiny: Tiny) -> None:
    drawn = json.loads(tiny("graph", "order.yaml", "--format", "json").stdout)
    assert {node["id"] for node in drawn["nodes"]} >= {"let.total", "order.port", "later"}
    edges = {(edge["from"], edge["to"]) for edge in drawn["edges"]}
    assert {("let.total", "let.price"), ("order.port", "let.price")} <= edges
    assert "price" in tiny("graph", "order.yaml").stdout


def test_its_results_are_compared(tiny: Tiny, tmp_path: Path) -> None:
    (tmp_path / "new.yaml").write_text(DOCUMENT.replace("price: 3", "price: 4"), "utf-8")
    done = tiny("diff", "order.yaml", "new.yaml")
    assert done.returncode == 1
    assert "let.price" in done.stdout


def test_its_functions_and_stages_are_listed(tiny: Tiny) -> None:
    assert "text" in tiny("functions").stdout
    assert "compute what is known" in tiny("stages").stdout


def test_its_unknown_values_are_refused_and_explained(tiny: Tiny) -> None:
    strict = tiny("render", "order.yaml", "--strict")
    assert strict.returncode == 1
    assert "`order.port` is not known: it needs `host.port`" in strict.stderr
    table = tiny("render", "order.yaml", "--explain-unknowns").stderr
    rows = {part.split("\n")[0]: part for part in table.split("\n\n")}
    assert "follows from host.name" in rows["where"]
    assert "order.yaml:9:9" in rows["host.port"]


def test_its_source_map_has_every_line(tiny: Tiny, tmp_path: Path) -> None:
    tiny("render", "order.yaml", "-o", "out.yaml", "--source-map", "map.json")
    told = json.loads((tmp_path / "map.json").read_text("utf-8"))
    [written] = told["outputs"]
    lines = (tmp_path / "out.yaml").read_text("utf-8").splitlines()
    total = written["places"]["/order/total"]
    assert lines[total[7] - 1] == "  total: 6"
    assert told["computed"][total[8]] == {"references": ["total"], "functions": []}


def test_secrets_of_a_dialect_are_masked_in_answers() -> None:
    def redact(document: Document, quoting: object) -> Document:
        let = document.section("let")
        price = let.items.get("price") if let is not None else None
        if let is None or price is None:
            return document
        hidden = Scalar("(secret)", price.trail, price.start, price.end)
        return document.replacing({"let": let.replacing({**let.items, "price": hidden})}, "mask")

    source = Source("order.yaml", DOCUMENT, "yaml")
    run = render(source, files=MemoryFiles({}), dialect=TINY.evolve(redact=redact))
    assert (why(run, "let.price").status, why(run, "let.price").value) == ("secret", None)
    [total] = why(run, "order.total").causes
    assert (total.status, total.value) == ("withheld", None)
    other = render(
        Source("order.yaml", DOCUMENT.replace("price: 3", "price: 4"), "yaml"),
        files=MemoryFiles({}),
        dialect=TINY.evolve(redact=redact),
    )
    assert "let.price" not in [item.where for item in diff(run, other)]


def test_a_dialect_may_keep_no_scope() -> None:
    def double(document: Document, context: Context) -> Document:
        return document.replacing({"b": build(2, document.root.trail, 0, 0)}, "double")

    stages = (TINY.pipeline.stages[0], Stage("double", double))
    dialect = TINY.evolve(pipeline=Pipeline(stages))
    run = render(
        Source("a.yaml", "a: 1\nb: <% a %>\n", "yaml"), files=MemoryFiles({}), dialect=dialect
    )
    told = why(run, "b")
    assert told.made == "computed from the text there"
    assert [(cause.name, cause.value) for cause in told.causes] == [("a", 1)]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("raise RuntimeError('no')", "cannot be imported (RuntimeError at acme_dialect.py:1)"),
        ("TINY = 5", "is a `int`, not a `Dialect`"),
    ],
)
def test_an_installed_dialect_that_does_not_work_is_told(
    install: Callable[[str, str], None], code: str, words: str
) -> None:
    install(code, "acme = acme_dialect:TINY")
    with pytest.raises(ValueError) as caught:
        render(Source("a.yaml", "a: 1", "yaml"), dialect="acme")
    assert words in str(caught.value)
    assert "`acme = acme_dialect:TINY` of the package `acme-dialect`" in str(caught.value)
    assert evaluate("${len(list(1))}").value == 1


def test_packages_are_looked_at_for_unknown_names_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def scanned(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(plugins, "_installed", scanned)
    assert find_dialect("bluelink").name == "bluelink"
    assert evaluate("<% 1 %>", dialect=TINY).value == 1
    with pytest.raises(AssertionError):
        find_dialect("unheard_of")
