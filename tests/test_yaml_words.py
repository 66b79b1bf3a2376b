"""Words of YAML without quotes: what each means, and those that have marks in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bpp.pipeline.formats import yaml_events
from bpp.pipeline.formats.detection import read_plain
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from bpp.pipeline.world.data_files import plain
from fuzz.values import same
from support.rows import hold

# By the core schema of YAML 1.2, section 10.3.2.
WORDS: list[tuple[str, Any]] = [
    *((word, None) for word in ("~", "null", "Null", "NULL")),
    *((word, True) for word in ("true", "True", "TRUE")),
    *((word, False) for word in ("false", "False", "FALSE")),
    *((word, 0) for word in ("0", "-0", "+0", "00", "0o0", "0x0")),
    *((word, 10) for word in ("10", "+10", "010", "0o12", "0xa", "0xA")),
    *((word, -19) for word in ("-19", "-019")),
    *((word, 9223372036854775807) for word in ("9223372036854775807", "0x7fffffffffffffff")),
    ("-9223372036854775808", -(2**63)),
    *((word, 0.5) for word in ("0.5", ".5", "+.5", "5e-1", "5E-1", "50.e-2", ".5e0", "0.50")),
    *((word, 12000.0) for word in ("12e3", "12E03", "1.2e4", "12000.", "12e+3")),
    *((word, -0.0) for word in ("-0.0", "-0.", "-.0", "-0e0")),
    *(
        (word, word)
        for word in (
            "nULL", "none", "None", "nil", "tRUE", "yes", "Yes", "YES", "no", "NO", "on",
            "Off", "y", "N", "0b1", "0o8", "0O17", "0X1F", "-0x1", "+0o7", "0x", "0xg", "1_000",
            "1,000", "1:30", "190:20:30", "10:00:00", "2023-04-20", "2023-4-2", "1.2.3", "1e",
            "e5", ".e5", "1.5f", "--1", "+-1", "-", ".", "..", "_", "1_", "inf", "nan", "-inf",
            ".Infinity", ".iNF", "=", "<<", "<", "12e03x", "v1", "1.0-rc", "١", "１", "½",
            "2001-12-14T21:59:43Z",
        )
        if word != "-"
    ),
]  # fmt: skip


@pytest.fixture(params=["c", "pure"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers that YAML may be read with."""
    if request.param == "pure":
        monkeypatch.setattr(yaml_events, "CParser", None)


def read(text: str, form: str = "yaml") -> Any:
    """The data of a text, or the code, the place and the sentence of what is wrong."""
    diagnostics = Diagnostics()
    root = read_plain(Source("x", text, form), Meter(Limits()), diagnostics)
    for item in diagnostics:
        assert item.span is not None
        return f"{item.code}@{item.span.line}:{item.span.column}: {item.summary}"
    assert root is not None
    return plain(root)


def test_the_table_is_long_enough() -> None:
    assert len({word for word, _ in WORDS}) >= 80


def test_a_word_means_the_same_wherever_it_stands() -> None:
    hold(WORDS, _means_the_same)


def _means_the_same(row: tuple[str, Any]) -> None:
    word, expected = row
    assert same(read(f"k: {word}\n"), {"k": expected})
    assert same(read(f"k: {word}"), {"k": expected})
    assert same(read(f"k: {word} # c\r\n"), {"k": expected})
    assert same(read(f"- {word}\n- {word}\n"), [expected, expected])
    assert same(read(f"k:\n  {word}\n"), {"k": expected})
    assert same(read(word), expected)
    if "," not in word:
        assert same(read(f"[{word}, {word}]"), [expected, expected])
        assert same(read(f"{{k: {word}}}"), {"k": expected})


def test_in_quotes_it_is_a_text() -> None:
    hold([word for word, _ in WORDS], _is_a_text_in_quotes)


def _is_a_text_in_quotes(word: str) -> None:
    assert read(f"k: '{word}'\n") == {"k": word}
    assert read(f'k: "{word}"\n') == {"k": word}
    assert read(f"['{word}', \"{word}\"]") == [word, word]
    assert read(f"k: |-\n  {word}\n") == {"k": word}
    assert read(f"k: >-\n  {word}\n") == {"k": word}
    assert read(json.dumps({"k": word}), "json") == {"k": word}
    assert read(json.dumps({"k": word}, ensure_ascii=False)) == {"k": word}


def test_a_key_is_the_text_that_is_written() -> None:
    hold([word for word, _ in WORDS if word != "<<"], _is_a_key_as_written)


def _is_a_key_as_written(word: str) -> None:
    assert read(f"{word}: 1\n") == {word: 1}
    assert read(f"'{word}': 1\n") == {word: 1}
    assert read(json.dumps({word: 1}), "json") == {word: 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[http://a.b/c?d=e, x]", ["http://a.b/c?d=e", "x"]),
        ("{url: https://a.b:80/, k: 1}", {"url": "https://a.b:80/", "k": 1}),
        ("[arn:aws:iam::1:role/x]", ["arn:aws:iam::1:role/x"]),
        ("[AWS::Lambda::Function, a::b::c]", ["AWS::Lambda::Function", "a::b::c"]),
        ("k: [1:30, 10:00:00]", {"k": ["1:30", "10:00:00"]}),
        ("{a: 1:30 , b: c:d }", {"a": "1:30", "b": "c:d"}),
        ("[a: b:c]", [{"a": "b:c"}]),
        ("{a:b: c}", {"a:b": "c"}),
        ("{'a':b:c, \"d\":1}", {"a": "b:c", "d": 1}),
        ("[a?, b?c, {d?: e}]", ["a?", "b?c", {"d?": "e"}]),
        ("[a?>b, c?@d, e?'f, g?*h, i?&j]", ["a?>b", "c?@d", "e?'f", "g?*h", "i?&j"]),
        ("[?x, {?y: ?z}]", ["?x", {"?y": "?z"}]),
        (
            "[.inf?a, 0x1?a, 1?a, null?a, true?a, {9223372036854775808?a: -.INF?a}]",
            [".inf?a", "0x1?a", "1?a", "null?a", "true?a", {"9223372036854775808?a": "-.INF?a"}],
        ),
        ("{k: 1, k?b: 2, k?c: 3}", {"k": 1, "k?b": 2, "k?c": 3}),
        ("{? a : b}", {"a": "b"}),
        ("{\n  ? a\n  : b:c\n}", {"a": "b:c"}),
        ("k: a:b?c\n?d: ?e\n'f:g': [h:i]\n", {"k": "a:b?c", "?d": "?e", "f:g": ["h:i"]}),
        ("- [a:b] # c:d?\n- |\n  e:f?\n- >-\n  g:h?\n", [["a:b"], "e:f?\n", "g:h?"]),
        ('["a:b\\x3a?", c:d]', ["a:b:?", "c:d"]),
        ("\ufeff[a:b, \ue000, \ue001:\uf8ff, 😀:é]", ["a:b", "\ue000", "\ue001:\uf8ff", "😀:é"]),
        ('["\\uE000\\U0000e001", a:b?]', ["\ue000\ue001", "a:b?"]),
        ("k: |\n  x\n   ", {"k": "x\n \n"}),
        ("- |+\n   ", ["\n"]),
        ("k: |-\r\n  x\r\n  ", {"k": "x"}),
        ("k: x\n  ", {"k": "x"}),
        ("k:\n  ", {"k": None}),
    ],
)
def test_marks_in_words_are_part_of_them(text: str, expected: Any) -> None:
    assert read(text) == expected


def test_the_pure_parser_takes_it_for_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    # by the letter of YAML; whoever installs bpp has the other parser
    monkeypatch.setattr(yaml_events, "CParser", None)
    assert read("{a:1}") == {"a:1": None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a:1}", "invalid_yaml@1:3: a `:` cannot stand here inside brackets"),
        ("{a: x:y, type:string}", "invalid_yaml@1:14: a `:` cannot stand here inside brackets"),
        ("- {b:c, a: d}", "invalid_yaml@1:5: a `:` cannot stand here inside brackets"),
        ("k: [a:b, c", "invalid_yaml@1:4: this list in brackets is not closed"),
        ("k: {a: b?, c: [d:e]", "invalid_yaml@1:4: this map in brackets is not closed"),
        ("[.inf, a:b]", "number_out_of_range@1:2: a number must be finite"),
        ("[a:b]]", "invalid_yaml@1:6: there is more text after the end of the document"),
        ("[\n ", "invalid_yaml@2:2: the text ends before a bracket is closed"),
        ("k: [", "invalid_yaml@1:5: the text ends before a bracket is closed"),
        ("k: {a: ", "invalid_yaml@1:8: the text ends before a bracket is closed"),
    ],
)
def test_mistakes_are_told_where_they_are(
    text: str, expected: str, request: pytest.FixtureRequest
) -> None:
    if request.node.callspec.params["parser"] == "pure":
        pytest.skip("its places are its own")
    assert read(text) == expected


def test_without_a_character_to_stand_in_the_text_is_refused() -> None:
    text = f"[a:b, {''.join(map(chr, range(0xE000, 0xE040)))}]"
    if yaml_events.CParser is None:
        assert read(text)[0] == "a:b"
    else:
        assert read(text) == "invalid_yaml@1:3: a `:` cannot stand here inside brackets"
