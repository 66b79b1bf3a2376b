"""Templates of Kargo: examples of its functions, what is told of coercions, and laws."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import pytest
from bpp.functions import Example, Function
from bpp.functions.expr.encodings import parsed_json
from bpp.functions.kargo.index import INDEX
from bpp.pipeline import Evaluated, Limits, Settings, evaluate
from bpp.pipeline.dialects.expr.scope import data_scope
from bpp.pipeline.dialects.kargo.coercion import coerced, config_value, finished, pasted, remarks
from bpp.pipeline.dialects.kargo.dialect import KARGO
from bpp.pipeline.dialects.kargo.forms import SEMANTICS
from bpp.pipeline.dialects.kargo.syntax import SYNTAX, protect
from bpp.pipeline.engine.string_evaluation import Bare
from bpp.pipeline.language.evaluator import Evaluator
from bpp.pipeline.language.language import Language
from hypothesis import given, settings
from hypothesis import strategies as st

FUNCTIONS = KARGO.functions(Settings())
RECORDS = [FUNCTIONS[name] for name in INDEX]
LANGUAGE = Language(SYNTAX, Limits())

unhurried = settings(deadline=None, max_examples=80)


def computed(text: str, scope: Any = None) -> Evaluated:
    """A template, or an expression without delimiters, in a scope."""
    return evaluate(text if "${" in text else Bare(text), scope, dialect=KARGO)


# --- functions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_record_is_complete(record: Function) -> None:
    assert not record.summary.endswith(".")
    assert record.examples
    assert record.notes[0].startswith("Usable ")
    assert all(parameter.doc for parameter in record.parameters)


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, id=f"{record.name}: {example.expression}"[:60])
        for record in RECORDS
        for example in record.examples
    ],
)
def test_an_example_holds(example: Example) -> None:
    answer = computed(example.expression)
    assert [item.code for item in answer.diagnostics] == ([example.error] if example.error else [])
    if answer.residual is not None:
        assert example.result is None
        assert computed(answer.residual).residual == answer.residual
    elif not example.error:
        assert answer.value == example.result
        assert type(answer.value) is type(example.result)


# --- coercion -------------------------------------------------------------------------------------

DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.floats(allow_nan=False, allow_infinity=False))
    | st.text("a1. \n\"'\\{}<é\u2028\U0001f600", max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(DATA)
@unhurried
def test_data_is_what_it_was_before_it_was_pasted(data: Any) -> None:
    if isinstance(data, str):
        assert coerced(f'"{data}"') == data
    else:
        assert coerced(pasted(data)) == finished(data) == data
        assert type(finished(data)) is type(data)
        assert coerced(pasted(data) + "\n") == data
        assert config_value(data) == data


@given(st.text('t0179.e_+-xinfaNuls[]{}:, \n"', max_size=9))
@unhurried
def test_a_text_becomes_what_it_says_or_stays(text: str) -> None:
    found = coerced(text)
    if isinstance(found, str):
        assert found in (text, text.removesuffix("\n")[1:-1], f"{text[1:-2]}\n")
    elif not isinstance(found, float):
        words = {"t": True, "T": True, "f": False, "F": False}
        body = text.removesuffix("\n")
        assert found == (words[body] if body in words else parsed_json(body.lower()))
    elif math.isfinite(found):
        assert coerced(pasted(found)) == found


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("${{ t }}", "coercion_changes_text: `1.10` becomes the number 1.1"),
        ("${{ '00' }}7", "coercion_changes_text: `007` becomes the number 7"),
        (
            "${{ 9007199254740993 }}",
            "coercion_changes_text: `9007199254740993` becomes the number ",
        ),
        ("${{ '1e5' }}", "coercion_changes_text"),
        ("${{ 'inf' }}", "coercion_changes_text"),
        ("${{ '42' }}", "coerced_value: the string becomes a number"),
        ("${{ 'f' }}", "coerced_value: the string becomes a boolean"),
        ("${{ 'nu' }}ll", "coerced_value: the string becomes null"),
        ("[${{ 1 }}]", "coerced_value: the string becomes a list"),
        ("v${{ quote(t) }}", "quote_not_alone: the quotes of `quote` stay"),
        ("${{ asYAML(t) }}${{ t }}", "quote_not_alone"),
        ("${{ q }}", "quotes_stripped"),
        ('"${{ t }}"', "quotes_stripped"),
        ("${{ quote(q) }}", "quote_escapes"),
        ("${{ t + '\\n' | quote() }}\n", "quote_escapes"),
        ("${{ quote({a: q}) }}", ""),
        ("${{ asJSON(t) }}\n", ""),
        ("${{ unsafeQuote(q) }}", ""),
        ("${{ 1.5 }} ${{ quote }}x", ""),
        ("${{ true }}", ""),
        ("${{ nil }}", ""),
        ("${{ {a: t} }}", ""),
        ("${{ 42 }}", ""),
    ],
)
def test_what_is_told_of_a_coercion(text: str, code: str) -> None:
    segments = LANGUAGE.split(text)
    evaluator = Evaluator(FUNCTIONS, None, Limits(), None, SEMANTICS)
    value = evaluator.segments(segments, data_scope({"t": "1.10", "q": '"a"', "quote": 1}))
    told = [*remarks(segments, value, finished(value))]
    assert [f"{one.code}: {one.summary}".startswith(code) for one in told] == [True] * bool(code)
    hidden = [*remarks(segments, value, finished(value), quotable=False)]
    assert not any("1" in one.summary for one in hidden)


def test_a_config_has_whole_numbers_and_nothing_that_is_lost() -> None:
    found = config_value({"a": [1.0, -0.0, 1.5, 1e300, "x\u0085"]})["a"]
    assert list(map(repr, found)) == ["1", "0", "1.5", "1e+300", "'x\\x85'"]
    for value, code in ((math.inf, "not_json"), (["a\x7f"], "config_lost")):
        with pytest.raises(Exception) as caught:
            config_value(value)
        assert caught.value.code == code  # type: ignore[attr-defined]


# --- what is written ------------------------------------------------------------------------------

TEXTS = st.lists(st.sampled_from(["${{", "${%", "}}", "%}", *'"${}%\\a\n']), max_size=7).map(
    "".join
)
OPEN = KARGO.evolve(semantics=SEMANTICS.evolve(scope=partial(data_scope, closed=False)))


@given(TEXTS)
@unhurried
def test_data_with_delimiters_is_read_back(text: str) -> None:
    written = protect(text)
    assert (written == text) == ("${{" not in text and "${%" not in text)
    assert evaluate(written, {}, dialect=KARGO).value == text


@given(
    st.lists(TEXTS | st.sampled_from(["${{ x }}", "${% y %}", "${{ [z, y] }}"]), max_size=6), TEXTS
)
@unhurried
def test_what_is_left_means_what_was_written(parts: list[str], text: str) -> None:
    template = "".join(parts)
    whole = evaluate(template, {"x": text, "y": template, "z": {text: 1}}, dialect=KARGO)
    part = evaluate(template, {"x": text}, dialect=OPEN)
    if part.residual is not None:
        assert evaluate(part.residual, {}, dialect=OPEN).residual == part.residual
        part = evaluate(part.residual, {"y": template, "z": {text: 1}}, dialect=KARGO)
    assert (part.value, part.residual) == (whole.value, None)
    assert len(part.diagnostics) == len(whole.diagnostics)
