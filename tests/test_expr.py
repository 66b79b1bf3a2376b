"""The language of the dialect `expr`: examples, cases, and the laws of what is printed."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bpp.functions import Example, Function
from bpp.functions.expr.kinds import NamedText, StringMap, Struct, StructType, Unsigned
from bpp.functions.expr.text import lower, upper
from bpp.functions.expr.texts import by_character, float_text, json_float, quoted
from bpp.functions.go.regexps import compile_pattern
from bpp.functions.registry import Functions
from bpp.functions.signatures import Declarations
from bpp.functions.values import Unknown
from bpp.pipeline import (
    Argument,
    Call,
    Evaluated,
    Expression,
    LanguageError,
    Limits,
    Literal,
    Reference,
    Settings,
    evaluate,
)
from bpp.pipeline.dialects.expr.dialect import EXPR
from bpp.pipeline.dialects.expr.forms import SEMANTICS
from bpp.pipeline.dialects.expr.operators import BINDING, OPERATORS, RUNS, SAME
from bpp.pipeline.dialects.expr.reader import parse_expression
from bpp.pipeline.dialects.expr.scope import data_scope
from bpp.pipeline.dialects.expr.syntax import SYNTAX, builtin, parser
from bpp.pipeline.dialects.expr.types import Typer
from bpp.pipeline.dialects.kargo.dialect import KARGO
from bpp.pipeline.engine.run import Dialect
from bpp.pipeline.language.language import Language
from hypothesis import given, settings
from hypothesis import strategies as st
from support.harness import CASES, load_yaml
from support.rows import hold

BUILTINS = EXPR.functions(Settings())
RECORDS = [*OPERATORS.values(), *BUILTINS.values()]

# A machine that runs other things must not fail a test.
unhurried = settings(deadline=None, max_examples=60)


def computed(
    text: str, scope: Any = None, settings: Settings | None = None, dialect: Dialect = EXPR
) -> Evaluated:
    """An expression in a scope, without which all names are unknown."""
    return evaluate(text, scope, dialect=dialect, settings=settings)


# --- records ------------------------------------------------------------------------------------


def test_a_record_is_complete() -> None:
    hold(RECORDS, _is_complete, lambda record: record.name)


def _is_complete(record: Function) -> None:
    assert record.summary[0].islower() or record.summary[0] in "`%"
    assert not record.summary.endswith(".")
    assert record.examples
    assert not record.propagates_none
    assert all(parameter.doc for parameter in record.parameters) or record.topic == "operators"


def test_the_builtins_are_those_of_the_language() -> None:
    names = """
        abs all any bitand bitnand bitnot bitor bitshl bitshr bitushr bitxor ceil concat count date
        duration filter find findIndex findLast findLastIndex first flatten float floor fromBase64
        fromJSON fromPairs get groupBy hasPrefix hasSuffix indexOf int join keys last lastIndexOf
        len lower map max mean median min none now one reduce repeat replace reverse round sort
        sortBy split splitAfter string sum take timezone toBase64 toJSON toPairs trim trimPrefix
        trimSuffix type uniq upper values
    """
    assert sorted(BUILTINS) == names.split()


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_an_example_holds(record: Function) -> None:
    hold(record.examples, _holds, lambda example: example.expression)


def _holds(example: Example) -> None:
    answer = computed(example.expression)
    assert [item.code for item in answer.diagnostics] == ([example.error] if example.error else [])
    if not example.error:
        assert answer.residual is None
        assert answer.value == example.result
        assert type(answer.value) is type(example.result)


def test_builtins_wait_for_what_is_not_known() -> None:
    hold(BUILTINS.values(), _waits_for_what_is_not_known, lambda record: record.name)


def _waits_for_what_is_not_known(record: Function) -> None:
    names = ["later"] * record.minimum
    if record.parameters[1:2] and record.parameters[1].types == ("function",):
        names[1:2] = ["#"] if record.minimum > 1 else []
    text = f"{record.name}({', '.join(names)})"
    assert (computed(text).residual == text) == bool(names)


# --- types of Go with names -----------------------------------------------------------------------

KIND = StructType("kind", "the kind of an origin", "v1.Kind")
ORIGIN = StructType("origin", "an origin", "v1.Origin", {"Kind": ("kind", "kind")})
IMAGE = StructType(
    "image",
    "an image",
    "v1.Image",
    {
        "Tag": ("string", "tag"),
        "Digest": ("string", "digest"),
        "Notes": ("strings", "notes"),
    },
)
VERSION = StructType(
    "version",
    "a version",
    "semver.Version",
    methods={
        "Major": ((), "integer", lambda version: Unsigned(1)),
        "Next": ((), "version", lambda version: version),
        "Than": (("version", "any"), "boolean", lambda version, other, more: True),
        "String": ((), "string", lambda version: "1.2"),
    },
)
STRUCTS = {one.name: one for one in (KIND, ORIGIN, IMAGE, VERSION)}
structs = Declarations("structs", "bpp.functions.expr", propagates_none=False, types=STRUCTS)
structs("origin() -> origin")(lambda: Struct(ORIGIN, {"Kind": NamedText(KIND, "Repo")}))
structs("map_of(key: string) -> strings")(lambda key: StringMap({key: "v"}))
structs("part() -> image")(lambda: Struct(IMAGE, {"Tag": "1", "Digest": Unknown(None)}))
structs("version() -> version")(lambda: Struct(VERSION, {}))


@structs("image(url: string, origin?: origin) -> image")
def _image(url: str, origin: Any = None) -> Struct | None:
    return Struct(IMAGE, {"Tag": "1.10", "Notes": StringMap(a="b")}) if url else None


def find(name: str) -> Function | None:
    """A function that may be one of `structs`."""
    return structs.record(name, {}) if name in structs.outlines() else builtin(name)


DIALECTS = {
    "expr": EXPR,
    "open": EXPR.evolve(semantics=SEMANTICS.evolve(scope=partial(data_scope, closed=False))),
    "structs": EXPR.evolve(
        syntax=SYNTAX.evolve(parse=parser(find, lambda: STRUCTS)),
        semantics=SEMANTICS.evolve(typer=Typer(find, lambda: STRUCTS)),
        functions=lambda settings: Functions(
            [*BUILTINS.values(), *(structs.record(name, {}) for name in structs.outlines())]
        ),
    ),
    "kargo": KARGO,
}
"""The dialect, with scopes in which other names are unknown as with `--file`, and with structs."""


# --- cases --------------------------------------------------------------------------------------


def rows() -> list[Any]:
    """The rows of the cases, each with the case that it is of."""
    found = []
    for file in sorted(CASES.glob("*/*/expressions.yaml")):
        case = load_yaml(file.read_text("utf-8"))
        for row in case["rows"]:
            found.append(pytest.param(case, *row, id=f"{file.parent.name}: {row[0]}"[:70]))
    return found


@pytest.mark.parametrize(("case", "written", "expected"), rows())
def test_case(case: Any, written: str, expected: Any) -> None:
    limits = case.get("settings", {}).get("limits", {})
    dialect = DIALECTS[case.get("dialect", "expr")]
    answer = computed(written, case.get("scope"), Settings(limits=Limits(**limits)), dialect)
    told = expected if isinstance(expected, dict) else {}
    if "mistake" in told:
        assert len(answer.diagnostics) == 1
        found = answer.diagnostics[0]
        assert found.span is not None
        code, _, place = told["mistake"].partition("@")
        assert found.code == code
        assert place in ("*", f"{found.span.start + 1}-{found.span.end}")
        assert told.get("summary", found.summary) == found.summary
        assert told.get("hint", found.hint) == found.hint
    elif "residual" in told:
        assert answer.diagnostics == ()
        assert answer.residual == told["residual"]
        again = computed(answer.residual, dialect=dialect)
        assert again.residual == answer.residual
    else:
        assert answer.diagnostics == ()
        assert answer.residual is None
        assert answer.value == expected
        assert type(answer.value) is type(expected)


# --- what is printed ----------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "x1", "$y", "länge", "_"])
TEXTS = st.text("a\"'\\{}#`\n\t\x01é\u2028", max_size=5)


def expressions() -> st.SearchStrategy[Expression]:
    numbers = st.one_of(st.integers(-(2**62), 2**62), st.floats(0, 1e30))
    plain = st.one_of(numbers, TEXTS, st.booleans(), st.none(), st.binary(max_size=3))
    steps = st.one_of(NAMES, st.integers(-3, 9), st.sampled_from(["a b", "in", "7"]))
    leaves = st.one_of(
        plain.map(Literal), st.builds(Reference, NAMES, st.lists(steps, max_size=2).map(tuple))
    )

    def deeper(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        def call(name: str, *parts: Expression) -> Expression:
            return Call(name, tuple(map(Argument, parts)))

        def runs(name: str, *parts: Expression) -> Expression:
            """A run of an operator is one call, as the reader makes it."""
            return call(name, *parts)

        two = sorted({SAME.get(name, name) for name in BINDING} - {"|"})
        key = TEXTS.filter(lambda text: "\x01" not in text)
        return st.one_of(
            st.builds(call, st.sampled_from(two), inner, inner),
            st.builds(call, st.just("not"), inner),
            st.builds(call, st.just("-"), inner.filter(lambda tree: not isinstance(tree, Literal))),
            st.builds(call, st.just("?:"), inner, inner, inner),
            st.builds(call, st.just("?:"), inner, inner),
            st.builds(lambda n, v, b: call("let", Literal(n), v, b), NAMES, inner, inner),
            st.builds(lambda a, b: call(";", a, b), inner, inner),
            st.builds(
                lambda a, b, c: call("<=>", a, Literal("<"), b, Literal(">="), c),
                inner,
                inner,
                inner,
            ),
            st.builds(lambda parts: call("list", *parts), st.lists(inner, max_size=3)),
            st.builds(
                lambda pairs: Call("object", tuple(Argument(v, k) for k, v in pairs)),
                st.lists(st.tuples(key, inner), max_size=2),
            ),
            st.builds(lambda k, v: call("{()}", call("+", k, k), v), inner, inner),
            st.builds(runs, st.sampled_from(sorted(RUNS)), inner, inner, inner),
            st.builds(lambda a, b: call("filter", a, call("{}", b)), inner, inner),
            st.builds(lambda a, b: call("split", a, b), inner, inner),
            st.builds(lambda a, b: call("[]", call("first", a), b), inner, inner),
            st.builds(
                lambda a, n: call("?", call("?.", call("first", a), Literal(n))), inner, NAMES
            ),
            st.builds(lambda a, k: call("?", call("?.", a, k)), inner, inner),
            st.builds(
                lambda a, n, b: call("()", call("first", a), Literal(n), b), inner, NAMES, inner
            ),
            st.builds(lambda a, b, c: call("[a:b]", a, b, c), inner, inner, inner),
            st.builds(lambda a, b: call("[:b]", a, b), inner, inner),
        )

    return st.recursive(leaves, deeper, max_leaves=7)


@given(expressions())
@unhurried
def test_what_is_printed_is_read_again(tree: Expression) -> None:
    """Whatever its types: those are looked at afterwards."""
    try:
        once = parse_expression(SYNTAX.show(tree), 0, False)
    except LanguageError as error:  # of a tree that no text gives
        assert error.code in ("limit_exceeded", "number_out_of_range")
        return
    assert SYNTAX.show(once) == SYNTAX.show(tree)
    assert parse_expression(SYNTAX.show(once), 0, False) == once


PIECES = (
    "a b.c ?. ?? ?: # . [ ] ( ) { } , ; : | + - * / % ** .. == != < <= in not and or matches 'x' 1 "
    '2.5 nil true let if else = filter( map( len( "y" // `z` \\ & ::'
)


@given(st.lists(st.sampled_from(PIECES.split()), max_size=9).map(" ".join))
@settings(deadline=None, max_examples=150)
def test_any_text_gets_an_answer(text: str) -> None:
    answer = computed(text, {"a": 1, "b": {"c": [1, None]}}, dialect=DIALECTS["open"])
    for item in answer.diagnostics:
        assert item.span is not None
        assert 0 <= item.span.start <= item.span.end <= len(text)
    if answer.residual is not None:
        assert computed(answer.residual).residual == answer.residual


SCOPE = {
    "n": None,
    "i": 7,
    "f": 2.5,
    "s": "abc",
    "t": True,
    "l": [1, 2, 3],
    "m": {"a": 1, "b": {"c": ["x"]}},
    "o": [{"n": "x", "on": True}, {"n": "y", "on": False}],
}
LAWFUL = (
    "i + len(l)",
    "s + string(i)",
    "t ? m.b.c[0] : n.x",
    "t and i > 3 or n",
    "n ?? i",
    "n?.a.b ?? s",
    "filter(o, .on == t) | map(.n + s)",
    "map(l, # * i + f)",
    "reduce(l, #acc + # * i, 0)",
    "sortBy(o, .n, t ? 'desc' : 'asc')",
    "let a = i; let b = a + f; [a, b, s]",
    "{a: i, b: {c: s}}.b.c",
    "s[1:] + s[:1]",
    "l[i - 5]",
    "i in l or s in m",
    "s matches '^a' and s contains s",
    "1 < i < 9 == t",
    "get(l, 9) == n",
    "m[s] == n",
    "i % 0",
    "n + i",
    "m.b.c.d",
    "upper(i)",
    "groupBy(l, # % 2 == 1)[t]",
)


@pytest.mark.parametrize("text", LAWFUL)
@given(known=st.sets(st.sampled_from(sorted(SCOPE))))
@settings(deadline=None, max_examples=20)
def test_what_is_known_later_gives_the_same(text: str, known: set[str]) -> None:
    whole = computed(text, SCOPE)
    part = computed(text, {name: SCOPE[name] for name in known}, dialect=DIALECTS["open"])
    if part.residual is not None:
        rest = {name: value for name, value in SCOPE.items() if name not in known}
        part = computed(part.residual, rest)
    assert bool(part.diagnostics) == bool(whole.diagnostics)
    assert part.value == whole.value
    assert part.residual is whole.residual is None


# --- shapes, numbers, what is not there -----------------------------------------------------------


def test_texts_that_differ_in_literals_are_read_once() -> None:
    language = Language(SYNTAX, Limits())
    for number in range(9):
        language.split(f"vars.a == 'x{number}' ? upper(\"y{number}\") : '{number}'")
        language.split(
            f"[vars.b, 'z{number}', -{number}, {number}.5, a[:{number}], {{n: {number}}}]"
        )
    assert language.parses == 2
    last = language.split("[vars.b, 'z', -1, 2.5, a[:3], {n: 007}]").substitutions[0]
    assert str(last.literals) == "('z', 1, 2.5, 3, 7)"
    segment = language.split("vars.a == 'x1' ? upper(\"y\") : ''").substitutions[0]
    assert segment.literals == ("x1", "y", "")


def test_texts_that_differ_in_keys_and_plain_patterns_are_read_once() -> None:
    language = Language(SYNTAX, Limits())
    for number in range(9):
        language.split(f"a['k{number}'].b[\"c\"] in ['x{number}', f(['y{number}'])]")
        language.split(f"a matches '^v[0-9]+\\\\.{number}$'")
    assert language.parses == 2
    (segment,) = language.split("a['k'].b[\"l m\"] in ['x', f(['y'])]")
    assert language.show(segment) == 'a.k.b["l m"] in ["x", f(["y"])]'
    assert language.split("a matches 'x\\\\.y'").substitutions[0].literals == ("x\\.y",)


def test_a_key_that_decides_about_types_is_looked_at() -> None:
    language = Language(SYNTAX, Limits())
    for key, count in (("Yaer", 1), ("Year", 0), ("Mnth", 1), ("Month", 0)):
        try:
            language.split(f"let t = now(); t['{key}']")
            found = 0
        except LanguageError as error:
            found = error.summary.count(f"no field `{key}`")
        assert found == count, key


@given(st.floats(allow_nan=False, allow_infinity=False))
@unhurried
def test_numbers_read_back_the_same(value: float) -> None:
    assert float(float_text(value)) == float(json_float(value)) == value


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('say "hi"\\', r'"say \"hi\"\\"'),
        ("\a\b\f\n\r\t\v\x00\x7f", r'"\a\b\f\n\r\t\v\x00\x7f"'),
        ("é\u200b\U000e0001\ud7ff", '"é' + r'\u200b\U000e0001\ud7ff"'),
        ("\udcff", r'"\xff"'),
    ],
)
def test_strings_are_quoted_as_go_does_it(text: str, written: str) -> None:
    assert quoted(text) == written


@pytest.mark.parametrize("record", BUILTINS.values(), ids=lambda record: record.name)
def test_no_message_of_a_builtin_holds_a_value(record: Function) -> None:
    hidden = "hUnTeR2"
    for count in range(1, 4):
        answer = computed(f"{record.name}({', '.join(['s'] * count)})", {"s": hidden})
        for item in answer.diagnostics:
            assert hidden not in f"{item.summary} {item.hint}"


@pytest.mark.parametrize(
    "text",
    ["1 + s", "i[s]", "l[s]", "i.a", "s % 2", "l[len(s)]", "s matches (s + '(')"],
)
def test_no_message_of_an_operator_holds_a_value(text: str) -> None:
    found = computed(text, {"s": "hUnTeR2", "i": 1, "l": [1]}).diagnostics[0]
    assert "hUnTeR2" not in f"{found.summary} {found.hint}"
    assert "7" not in found.summary


def test_characters_of_a_text_are_looked_at_once_each() -> None:
    asked: list[str] = []
    assert by_character("aaba", lambda one: asked.append(one) or one * 2) == "aaaabbaa"
    assert sorted(asked) == ["a", "b"]
    assert lower("\u03a3A\u03a3 \u0130") == "\u03c3a\u03c3 i"
    assert upper("stra\u00dfe \u01c6") == "STRA\u00dfE \u01c4"


def test_without_the_library_for_patterns_a_message_names_it(monkeypatch: Any) -> None:
    compile_pattern.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)
    found = computed("s matches '^a'", {"s": "abc"}).diagnostics[0]
    compile_pattern.cache_clear()
    assert found.code == "function_not_loaded"
    assert found.summary == "patterns need the package google-re2, which is not installed"
    assert found.hint == "`pip install 'blueprint-preprocessor[expr]'`"


def test_other_languages_import_nothing_of_it() -> None:
    program = (
        "import sys\n"
        "from bpp.pipeline import Source, render\n"
        "render(Source('a.yaml', 'version: 2023-04-20\\nresources: {}\\n', 'yaml'))\n"
        "print(*(name for name in sys.modules if {'expr', 'kargo', 're2'} & {*name.split('.')}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_commands_take_the_dialect(tmp_path: Path) -> None:
    data = tmp_path / "data.yaml"
    data.write_text("apps: [{name: a, on: true}, {name: b, on: false}]\nn: 2\n")

    def said(*arguments: str, given: str = "") -> str:
        program = "from bpp.pipeline.cli.entry import main; main()"
        command = [sys.executable, "-c", program, *arguments, "--dialect", "expr"]
        done = subprocess.run(command, capture_output=True, text=True, input=given)
        return done.stdout + done.stderr

    assert said("eval", "n * 21", "--file", str(data)) == "42\n"
    assert said("eval", "n * later", "--file", str(data)) == "2 * later\n"
    assert said("console", str(data), given="apps | filter(.on) | map(.name)\n") == '["a"]\n'
    assert said("parse", "a.b ?? 1") == "call ??\n  reference a.b\n  integer 1\n"
    assert "map(array: array, predicate: function) -> array" in said("functions", "map")
    assert "did you mean `map`?" in said("functions", "mapp")
