"""The language of Garden's configuration: expressions, functions, structures, what is printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bpp.functions import NONE, Example, Function, invoke
from bpp.functions.garden.arguments import number_text
from bpp.functions.values import Unknown
from bpp.pipeline import (
    Argument,
    Call,
    Evaluated,
    Expression,
    LanguageError,
    Limits,
    Literal,
    MemoryFiles,
    Reference,
    Run,
    Settings,
    Source,
    evaluate,
    render,
)
from bpp.pipeline.dialects.garden.evaluating.evaluation import Evaluation
from bpp.pipeline.dialects.garden.evaluating.functions import functions
from bpp.pipeline.dialects.garden.evaluating.operators import (
    BINDING,
    BLOCK,
    LOOKUP,
    OPERATORS,
    RUNS,
    TERNARY,
)
from bpp.pipeline.dialects.garden.evaluating.scope import Lazy, Scope, data_scope
from bpp.pipeline.dialects.garden.syntax import SYNTAX, SYNTAX_V2, joined
from bpp.pipeline.language.language import Language
from bpp.pipeline.testing import assert_diagnostics
from hypothesis import given, settings
from hypothesis import strategies as st
from support.garden_stages import PLAIN, PLAIN_V2
from support.harness import load_yaml
from support.rows import hold

HELPERS = functions(Settings())
RECORDS = [*OPERATORS.values(), *HELPERS.values()]
ROWS = load_yaml((Path(__file__).parent / "support" / "garden_trees.yaml").read_text("utf-8"))

# A machine that runs other things must not fail a test.
unhurried = settings(deadline=None, max_examples=60)


def computed(text: str, dialect: Any = PLAIN, **scope: Any) -> Evaluated:
    """A string of a configuration."""
    return evaluate(text, scope, dialect=dialect, settings=Settings(seed=1))


def rendered(text: str, settings: Settings | None = None) -> Run:
    """A document with `variables` and anything else."""
    source = Source("a.yaml", text, "yaml")
    return render(source, files=MemoryFiles({}), dialect=PLAIN, settings=settings)


def told(answer: Evaluated) -> list[str]:
    """The mistakes, as `code@column`."""
    return [f"{item.code}@{item.span.start + 1 if item.span else 0}" for item in answer.diagnostics]


# --- records ------------------------------------------------------------------------------------


def test_a_record_is_complete() -> None:
    hold(RECORDS, _is_complete, lambda record: record.name)


def _is_complete(record: Function) -> None:
    assert record.summary[0].islower() or record.summary[0] == "`"
    assert not record.summary.endswith(".")
    assert record.examples
    assert not record.propagates_none
    assert all(parameter.doc for parameter in record.parameters) or record.topic == "operators"


GARDEN = """
    base64Decode base64Encode camelCase concat formatDateUtc indent isEmpty join jsonDecode
    jsonEncode kebabCase lower modifyDateUtc range replace sha256 shiftDateUtc slice split string
    trim upper uuidv4 yamlDecode yamlEncode
"""


def test_the_helper_functions_are_those_of_garden() -> None:
    assert sorted(HELPERS) == GARDEN.split()


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_an_example_holds(record: Function) -> None:
    hold(record.examples, _holds, lambda example: example.expression)


def _holds(example: Example) -> None:
    answer = computed("${" + example.expression + "}", **example.scope)
    codes = [item.code for item in answer.diagnostics]
    assert codes == ([example.error] if example.error else [])
    if example.expression == "uuidv4()":
        assert len(answer.value) == 36
    elif not example.error:
        assert answer.residual is None
        assert answer.value == example.result
        assert type(answer.value) is type(example.result)


@pytest.mark.parametrize("record", HELPERS.values(), ids=lambda record: record.name)
def test_helpers_wait_for_what_is_not_known(record: Function) -> None:
    names = ", ".join(["actions.a"] * max(record.minimum, 1)) if record.maximum else ""
    text = "${" + f"{record.name}({names})" + "}"
    assert (computed(text).residual == text) == bool(names)


def test_no_message_of_a_helper_holds_a_value() -> None:
    hidden = "hUnTeR2"
    for record in HELPERS.values():
        for count in range(1, (record.maximum or 3) + 1):
            try:
                invoke(record, [hidden] * count)
            except Exception as error:
                assert hidden not in str(error)


def test_the_guide_names_all_of_it() -> None:
    guide = (Path(__file__).parents[1] / "docs/guides/garden-language.md").read_text("utf-8")
    symbols = [name for name in BINDING if name != TERNARY]
    words = [f"`{name}`" for name in (*HELPERS, *symbols)]
    assert [word for word in words if word.replace("||", "\\|\\|") not in guide] == []


# --- single strings -----------------------------------------------------------------------------

SCOPE = {"a": 1, "t": True, "e": "", "s": "x", "m": {"k": "v", "a b": 2}, "l": [1, [2, None], "z"]}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${'bar' + 'foo'}", "barfoo"),
        ("${[1, 2, 3]}", [1, 2, 3]),
        ('${concat(["foo", "bar"], ["baz"])}', ["foo", "bar", "baz"]),
        ('${join(["foo", "bar"], ",")}', "foo,bar"),
        ("${(1 + 2) * (3 + 4)}", 21),
        ("${1 + 2 * 3 - 4 / 2}", 5),
        ("${t?1:2}", 1),
        ("${a==1&&t}", True),
        ("${6/2}", 3),
        ("${0x1F + 1e1 + .5 + 5.}", 46.5),
        (r'${"\x41\u00e9\n\"\'\q\\"}', "Aé\n\"'q\\"),
        ('${"${a}"}', 1),
        ('${"a${"b"}"}', None),
        ("${'a${\"b\"}'}", "ab"),
        ("${m['k']}", "v"),
        ('${m["a b"]}', 2),
        ("${l[1]}", [2, None]),
        ("${l[1][0]}", 2),
        ("x${l}", "x1,2,,z"),
        ("x${1.50}${3.0}${1e21}${0.0000001}${true}${null}", "x1.531e+211e-7truenull"),
        ("$", "$"),
        ("$$ $a } {}", "$$ $a } {}"),
        ("$${a}", "${a}"),
        ("$$${a}", "$${a}"),
        ("$${a\nb}? ${a}", "${a\nb}? 1"),
        ("$${a", "$${a"),
        ("${ifa}y${endif}", "y"),
        ("${if t}${l}${endif}", SCOPE["l"]),
        ("${if e}a${else}${endif}", ""),
        ("Do ${if t}it${endif}?", "Do it?"),
        ("${if e}a${else}?b${endif}?c", "?b?c"),
        ("${if t}\n a\n${endif}\n", "\n a\n\n"),
        ("${a}?", 1),
        ("${nobody}?", NONE),
        ("${upper(nobody)}?", NONE),
        ("${[nobody]}?", NONE),
        ("${nobody == 1 || 2}", 2),
        ("${m[nobody] || 2}", 2),
        ("${a} ?", "1 ?"),
        ("\u00a0${\u00a0a\t}", "\u00a01"),
        ("${a contains-b || 3}", None),
    ],
)
def test_strings(written: str, value: Any) -> None:
    answer = computed(written, **SCOPE)
    assert answer.residual is None
    if value is None:
        assert answer.diagnostics
    else:
        assert not answer.diagnostics
        assert answer.value == value
        assert type(answer.value) is type(value)


@pytest.mark.parametrize(
    ("written", "mistake"),
    [
        ("${1+2}", "invalid_substitution@4"),
        ("${1 +2}", "invalid_substitution@5"),
        ('${"a"+"b"}', "invalid_substitution@6"),
        ("${a b}", "invalid_substitution@5"),
        ("${-1}", "invalid_substitution@3"),
        ("${a ?? b}", "invalid_substitution@5"),
        ("${a === b}", "invalid_substitution@5"),
        ("${a and b}", "invalid_substitution@5"),
        ("${a ? 1}", "invalid_substitution@5"),
        ("${a : 1}", "invalid_substitution@5"),
        ("${f(1,)}", "invalid_substitution@7"),
        ("${[1,,2]}", "invalid_substitution@6"),
        ("${f(1]}", "invalid_substitution@6"),
        ("${(1}", "invalid_substitution@3"),
        ("${{a: 1}", "invalid_substitution@3"),
        ("${split(a, b)[0]}", "invalid_substitution@14"),
        ("${[1, 2][0]}", "invalid_substitution@9"),
        ("${(a).b}", "invalid_substitution@6"),
        ("${a .b}", "invalid_substitution@5"),
        ("${a.true}", "invalid_substitution@5"),
        ("${a\n+ b}", "invalid_substitution@4"),
        ("${a contains b contains c}", "invalid_substitution@15"),
        ("x ${a ${b}}", "invalid_substitution@7"),
        ("${a;b}", "invalid_substitution@4"),
        ("${list(1)}", "function_not_found@3"),
        ("${}", "empty_substitution@1"),
        ("x${ }", "empty_substitution@2"),
        ("x ${a", "unclosed_substitution@3"),
        ('${"a}', "unclosed_substitution@3"),
        ("${if a}x", "invalid_substitution@1"),
        ("${if a}${if b}x${endif}", "invalid_substitution@1"),
        ("x${else}", "invalid_substitution@2"),
        ("x${endif}", "invalid_substitution@2"),
        ("${if a}${else}x${else}${endif}", "invalid_substitution@16"),
        ("${if a}?x${endif}", "invalid_substitution@8"),
        ("${if a +}x${endif}", "invalid_substitution@8"),
        ('${"x${1+2}"}', "invalid_substitution@8"),
        ('${"\\n${1+2}"}', "invalid_substitution@3"),
        ("a ${1 + nobody}", "key_not_found@9"),
        ("${m.x.y}", "key_not_found@3"),
        ("${l[3]}", "key_not_found@3"),
        ("${if e}${else}a${[[m], actions.x]}${endif}", "invalid_interpolation@18"),
        ("a${[[m], actions.x]}", "invalid_interpolation@4"),
        ("${l.length}", "key_not_found@3"),
        ("${s.length || 1}", "path_not_found@3"),
        ("${s.x}?", "path_not_found@3"),
        ("${typeof s.x}", "path_not_found@10"),
        ("${l[true]}", "invalid_argument_type@5"),
        ("${a - s}", "invalid_argument_type@7"),
        ('${"x" < actions.a}', "invalid_argument_type@3"),
        ("x${m}", "invalid_interpolation@4"),
        ("${uper(s)}", "function_not_found@3"),
        ("${upper()}", "invalid_argument_count@3"),
        ("${upper(a)}", "invalid_argument_type@9"),
    ],
)
def test_mistakes_have_their_places(written: str, mistake: str) -> None:
    assert told(computed(written, **SCOPE)) == [mistake]


def test_a_missing_key_is_told_with_what_is_there() -> None:
    [problem] = computed("${m.kk}", m={"k": 1, "deep": 2}).diagnostics
    assert problem.summary == "there is no key `kk` under `m`"
    assert problem.hint == "did you mean `k`?; the keys are `deep`, `k`"
    [problem] = computed("${m.none.deep}", m={f"key{n}": 1 for n in range(20)}).diagnostics
    assert problem.summary == "there is no key `none` under `m`"
    assert problem.hint is not None
    assert problem.hint.endswith("`key19`, ...")


def test_in_the_second_version_a_question_mark_is_text() -> None:
    assert computed("${s}?a=b", PLAIN_V2, **SCOPE).value == "x?a=b"
    assert computed("${s}?a=b", **SCOPE).value == "xa=b"
    assert told(computed("${nobody}?", PLAIN_V2)) == ["key_not_found@3"]
    assert computed("${actions.a}?", PLAIN_V2).residual == "${actions.a}?"
    assert computed("${if t}?${endif}", PLAIN_V2, **SCOPE).value == "?"


# --- trees --------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=[row["about"] for row in ROWS])
def test_documents(row: dict[str, Any]) -> None:
    run = rendered(row["in"])
    assert_diagnostics(run, row.get("errors", []))
    if "out" in row:
        once = run.text()
        assert load_yaml(once) == load_yaml(row["out"])
        assert _keys(load_yaml(once)) == _keys(load_yaml(row["out"]))
        assert rendered(once).text() == once


def _keys(data: Any) -> Any:
    """The keys in their order, at every depth."""
    if isinstance(data, dict):
        return [(key, _keys(value)) for key, value in data.items()]
    return [_keys(item) for item in data] if isinstance(data, list) else None


def test_places_and_origins_are_those_of_the_source() -> None:
    run = rendered("variables: {a: 1}\nb:\n  $if: true\n  $then: {c: '${var.a}'}\n")
    assert run.document is not None
    found = run.document.root.items["b"].get("c")  # type: ignore[union-attr]
    assert (str(found.span), found.origin.steps) == ("a.yaml:4:14", ("load", "compute"))


@pytest.mark.parametrize("mode", ["keep", "mask"])
@pytest.mark.parametrize(
    "text",
    [
        "${secrets.a}",
        "${secrets.a || 1}",
        "${!secrets.a}",
        '${typeof secrets.a == "string" ? 1 : 2}',
        "${true ? secrets.a : 1}",
        "${actions.x ? secrets.a : 1}",
        "${actions.x ? nobody[secrets.a] : 1}",
        "${[1, secrets.a]}",
        '${"x${secrets.a}"}',
        "${upper(secrets.a)}",
        "${1 + secrets.a}",
        "${actions[secrets.a]}",
        "${if actions.x}${secrets.a}${endif}",
        "${secrets.a}?",
        "${var.url}",
    ],
)
def test_secrets_mark_what_is_made_of_them(text: str, mode: str) -> None:
    document = f"variables: {{url: 'db://${{secrets.a}}'}}\nout: '{text}'\n"
    run = rendered(document, Settings(secrets=mode))
    assert run.document is not None
    shown = str(load_yaml(run.text())["out"])
    assert ("(secret)" in shown) == (mode == "mask")
    assert ("secrets.a" in shown) == (mode == "keep")


def test_names_are_computed_when_they_are_looked_up() -> None:
    class Counting(Lazy):
        asked = 0

        def content(self) -> Any:
            type(self).asked += 1
            return {"a": Refusing(), "b": 2}

    class Refusing(Lazy):
        def content(self) -> Any:
            raise AssertionError

    scope = Scope({"var": Counting(), "x": {"y": Unknown(Reference("later", ("x",)))}})
    assert scope.resolve(Reference("var", ("b",))) == 2
    assert scope.resolve(Reference("x", ("y", "z"))).expression == Reference("later", ("x", "z"))
    assert Counting.asked == 1
    assert scope.with_roots(True, item=1).local == {"item"}
    assert Evaluation.__doc__


# --- what is printed ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("${ a.b['c']['d e'][0] }", '${a.b.c["d e"][0]}'),
        ("${((1 + 2)) + 3}", "${(1 + 2) + 3}"),
        ("${1 + 2 + 3 - 4}", "${1 + 2 + 3 - 4}"),
        ("${1 - (2 - 3)}", "${1 - (2 - 3)}"),
        ("${(a || b) && !(c || d)}", "${(a || b) && !(c || d)}"),
        ("${typeof typeof !a}", "${typeof typeof !a}"),
        ("${(a contains b) contains c}", "${(a contains b) contains c}"),
        ("${a?b:c?d:e}", "${a ? b : c ? d : e}"),
        ("${(a?b:c)?d:(e?f:g)}", "${(a ? b : c) ? d : (e ? f : g)}"),
        ("${a?b?c:d:e}", "${a ? b ? c : d : e}"),
        ('${m["${a}"]}', "${m[a]}"),
        ('${m["a" + b].c[0]}', '${m["a" + b].c[0]}'),
        ("${'say \"hi\"'}", "${'say \"hi\"'}"),
        ("${if a}?x${endif}", None),
        ("${if a}x${b}${else}$${y}${endif}?z", "${if a}x${b}${else}$${y}${endif}?z"),
        (
            "${if a}${'?'}${else}?${if b}c${endif}?${endif}",
            "${if a}${'?'}${else}?${if b}c${endif}?${endif}",
        ),
        ("${if a}x${b}${else}$${y}${endif} z", "${if a}x${b}${else}$${y}${endif} z"),
        ("x${a}?y", "x${a}?y"),
        ("x${a}${'?'}y", "x${a}${'?'}y"),
        ('${"x${if b}q${endif}"}', "x${if b}q${endif}"),
    ],
)
def test_trees_are_printed(written: str, printed: str | None) -> None:
    language = Language(SYNTAX, Limits())
    if printed is None:
        with pytest.raises(LanguageError):
            language.split(written)
        return
    segments = language.split(written)
    parts = [part if isinstance(part, str) else language.written(part) for part in segments]
    assert SYNTAX.write is not None
    assert SYNTAX.write(parts).replace("'?'", '"?"') == printed.replace("'?'", '"?"')


TEXTS = st.text("a\"'\\${}?\n é", max_size=6)
NAMES = st.sampled_from(["a", "b-c", "$x", "if", "else", "contains", "_1", "länge"])


def expressions() -> st.SearchStrategy[Expression]:
    numbers = st.one_of(st.integers(0, 2**60), st.floats(0, 1e15))
    plain = st.one_of(numbers, TEXTS, st.booleans(), st.none())
    steps = st.one_of(NAMES, st.integers(0, 9), st.sampled_from(["a b", "true", "07", '"']))
    leaves = st.one_of(
        plain.map(_literal),
        st.builds(Reference, NAMES, st.lists(steps, max_size=2).map(tuple)),
    )

    def deeper(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        def call(name: str, *operands: Expression) -> Expression:
            return Call(name, tuple(map(Argument, operands)))

        two = sorted(set(BINDING) - {"!", "typeof", TERNARY})
        rows = st.lists(inner, min_size=3, max_size=4)
        return st.one_of(
            st.builds(call, st.sampled_from(two), inner, inner),
            st.builds(call, st.sampled_from(["!", "typeof"]), inner),
            st.builds(call, st.just(TERNARY), inner, inner, inner),
            st.builds(lambda parts: call("list", *parts), st.lists(inner, max_size=3)),
            st.builds(lambda name, parts: call(name, *parts), st.sampled_from(sorted(RUNS)), rows),
            st.builds(lambda parts: call("f", *parts), st.lists(inner, max_size=2)),
            st.builds(_lookup, st.builds(Reference, NAMES), inner),
            st.builds(_template, st.lists(st.one_of(TEXTS, inner), max_size=4)),
            st.builds(lambda a, b: call(BLOCK, a, joined([b], 0, 0)), inner, inner),
        )

    return st.recursive(leaves, deeper, max_leaves=6)


def _literal(value: Any) -> Literal:
    whole = isinstance(value, float) and value.is_integer()  # read as an integer
    return Literal(int(value) if whole else value)


def _lookup(first: Reference, key: Expression) -> Expression:
    if isinstance(key, Literal) and type(key.value) in (str, int):
        return Reference(first.root, (key.value,))
    return Call(LOOKUP, (Argument(first), Argument(key)))


def _template(parts: list[str | Expression]) -> Expression:
    return joined(parts, 0, 0)


@pytest.mark.parametrize("syntax", [SYNTAX, SYNTAX_V2], ids=["v1", "v2"])
@given(expressions())
@unhurried
def test_what_is_printed_is_read_again(syntax: Any, tree: Expression) -> None:
    shown = syntax.show(tree)
    assert syntax.parse(shown, 0, False) == tree
    assert Language(syntax, Limits()).parse(shown) == tree


@given(st.lists(st.one_of(TEXTS.filter(bool), expressions()), max_size=4))
@unhurried
def test_strings_of_texts_and_trees_are_read_again(parts: list[str | Expression]) -> None:
    """As one tree: two texts in a row are one, and so are a text and a string."""
    for syntax in (SYNTAX, SYNTAX_V2):
        language = Language(syntax, Limits(max_expression_depth=100))
        assert syntax.write is not None
        segments = language.split(syntax.write(parts))
        read = [part if isinstance(part, str) else language.written(part) for part in segments]
        assert joined(read, 0, 0) == joined(parts, 0, 0)


TOKENS = (
    "${ } ${if ${else} ${endif} $${ ? a b.c [ ] ( ) , + - || && ! typeof contains 1 0x 'x' \" "
    "== < : null true . \n range(1,3) \\"
)
PIECES = st.lists(
    st.sampled_from(TOKENS.split(" ")),
    max_size=10,
)


@given(PIECES.map("".join))
@unhurried
def test_any_text_gets_an_answer(text: str) -> None:
    answer = computed(text, **SCOPE)
    assert answer.diagnostics or answer.residual is not None or answer.value is not None or text
    for item in answer.diagnostics:
        assert item.span is not None
        assert 0 <= item.span.start <= item.span.end <= len(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_the_same(value: float) -> None:
    assert float(number_text(value)) == value


# --- limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("'${" + "(" * 33 + "1" + ")" * 33 + "}'", "max_expression_depth"),
        ("'${" + "!" * 33 + "1}'", "max_expression_depth"),
        ("'${1" + " + 1 - 1" * 33 + "}'", "max_expression_depth"),
        ("'${1" + " ? 1" * 33 + " : 1" * 33 + "}'", "max_expression_depth"),
        ("'" + "${if true}" * 33 + "${endif}" * 33 + "'", "max_expression_depth"),
        ("\"${'" + "${if true}" * 300 + "${endif}" * 300 + "'}\"", "max_expression_depth"),
        ("'${" + "a" * 20_000 + "}'", "max_expression_chars"),
        ("'" + "${1}x" * 600 + "'", "max_substitutions"),
        ("'${if true}" + "${1}x" * 600 + "${endif}'", "max_substitutions"),
        ("{$forEach: '${range(1, 200000)}', $return: 1}", "max_each"),
        ("'${range(1, 2000000)}'", "max_value_items"),
        ("'${var.c}'", "max_value_chars"),
    ],
)
def test_limits_name_themselves(text: str, limit: str) -> None:
    doubling = ", ".join(
        f"{name}: '${{var.{of} + var.{of} + var.{of} + var.{of}}}'"
        for name, of in (("a", "x"), ("b", "a"), ("c", "b"))
    )
    document = f"variables: {{x: '{'x' * 1000}', {doubling}}}\na: {text}\n"
    few = Limits(max_value_chars=60_000) if limit == "max_value_chars" else Limits()
    run = rendered(document, Settings(limits=few))
    assert {item.code for item in run.diagnostics} == {"limit_exceeded"}
    assert f"(`{limit}`)" in next(iter(run.diagnostics)).summary


@pytest.mark.parametrize(
    "text",
    [
        "(" * 32 + "1" + ")" * 32,
        "[" * 32 + "1" + "]" * 32,
        "m" + "[m" * 31 + "[m" + "]" * 32,
        "lower(" * 32 + '"1"' + ")" * 32,
        "1" + " + 1" * 3_000,
        "false" + " ? 1 : false" * 1_000,
        "1" + " ? 1" * 30 + " : 1" * 30,
    ],
)
def test_what_is_within_the_limits_is_read(text: str) -> None:
    answer = computed("${" + text + "}", m="m")
    assert {item.code for item in answer.diagnostics} <= {"path_not_found"}


def test_what_goes_on_and_on_is_stopped() -> None:
    loop = "{$forEach: '${range(1, 100)}', $return: 1}"
    for _ in range(4):
        loop = f"{{$forEach: '${{range(1, 100)}}', $return: {loop}}}"
    few = Settings(limits=Limits(max_total_nodes=20_000))
    run = rendered(f"a: {loop}", few)
    assert {item.code for item in run.diagnostics} == {"limit_exceeded"}
    run = rendered(f"variables: {{a: {loop}}}\nb: '${{var.a}}'", few)
    assert {item.code for item in run.diagnostics} == {"limit_exceeded"}


def test_long_chains_of_names_stay_readable() -> None:
    chain = "".join(f"  x{n}: ${{var.x{n + 1} + 1}}\n" for n in range(45))
    run = rendered(f"variables:\n{chain}  x45: ${{actions.a}}\nb: ${{var.x0}}\n")
    assert run.ok
    assert rendered(run.text()).text() == run.text()
    chain = "".join(f"  x{n}: ${{var.x{n + 1} + 1}}\n" for n in range(60))
    few = Settings(limits=Limits(max_reference_depth=50))
    run = rendered(f"b: ${{var.x0}}\nvariables:\n{chain}  x60: 1\n", few)
    assert {item.code for item in run.diagnostics} == {"limit_exceeded"}


def test_data_for_single_strings() -> None:
    assert computed("${secrets.a}").residual == "${secrets.a}"
    assert computed("${secrets.a}", secrets={"a": 1}).value == 1
    assert set(data_scope({"x": 1}).names()) >= {"x", "actions", "providers"}
