"""YAML 1.1 as Go's packages read and write it; the results are those of the real packages."""

from __future__ import annotations

from typing import Any

import pytest
from bpp.functions import FunctionError
from bpp.functions.go import yaml_text
from bpp.functions.go.yaml_scalars import float32_text, is_string
from bpp.functions.go.yaml_text import to_yaml
from bpp.pipeline.formats import yaml_events
from bpp.pipeline.formats.go_yaml import plain, read_go
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from bpp.pipeline.values.tree import AnyNode, Map
from hypothesis import given
from hypothesis import strategies as st
from support.rows import hold


def each(words: str, form: str = "{}", **value: Any) -> dict[str, Any]:
    """Words, each with what it is written as, or all with one value."""
    return {word: value["value"] if value else form.format(word) for word in words.split()}


SCALARS: dict[str, Any] = {
    **each("y Y yes Yes YES on On ON true True TRUE", value=True),
    **each("n N no No NO off Off OFF false False FALSE", value=False),
    **each("~ null Null NULL", value=None),
    **each("yEs nULL tRUE _1 0x 0b 0o8 = << 1e400 .1e400 12:30:45 1:2 2020-01-01 -0b-1"),
    **each("0x10000000000000000 ._0 .e 1.2.3"),
    "0x1F": 31.0,
    "0X1F": 31.0,
    "0o14": 12.0,
    "012": 10.0,
    "0b11": 3.0,
    "-0b1": -1.0,
    "1_000": 1000.0,
    "1__0": 10.0,
    "0_8": 8.0,
    "08": 8.0,
    "00": 0.0,
    "+1": 1.0,
    "0b-1": -1.0,
    "1e3": 1000.0,
    ".5": 0.5,
    "5.": 5.0,
    "1.e2": 100.0,
    "1e-400": 0.0,
    ".5_0": 0.5,
    "-0": 0.0,
    "18446744073709551616": 2.0**64,
    "9007199254740993": 2.0**53,
    "'y'": "y",
    '"012"': "012",
    "!!str 12": "12",
    "!!int '12'": 12.0,
    "!!float 3": 3.0,
    "!!bool yes": True,
    "!!null ''": None,
    "!!binary aGk=": "hi",
    "!foo 12": "12",
    "! 12": "12",
}
KEYS = {"y": "true", "off": "false", "1": "1", "012": "10", "1.5": "1.5", "1e3": "1000"} | {
    "123456789.5": "1.2345679e+08",
    "'y'": "y",
    ".inf": ".inf",
    "!!str 1": "1",
}
DOCUMENTS: dict[str, Any] = {
    "": None,
    "# nothing": None,
    "---\na: 1\n": {"a": 1.0},
    "a: 1\n---\nb: [": {"a": 1.0},
    "--- |\n x\n": "x\n",
    "a: &x {b: y}\nc: *x\n": {"a": {"b": True}, "c": {"b": True}},
    "a: &x {b: 1, c: 2}\n<<: *x\nc: 3\n": {"a": {"b": 1.0, "c": 2.0}, "b": 1.0, "c": 3.0},
    "b: 0\n<<: [{b: 1}, {b: 2, c: 3}]\n": {"b": 1.0, "c": 3.0},
    "'<<': {a: 1}": {"<<": {"a": 1.0}},
    "a: |\n  x\n  y\nb: >-\n  x\n  y\n": {"a": "x\ny\n", "b": "x y"},
    "a: {on: off, n: [no]}\n": {"a": {"true": False, "false": [False]}},
    "- a: 1\n- - 2\n  -\n": [{"a": 1.0}, [2.0, None]],
    '{"a":\t[1.0, "x"]}': {"a": [1.0, "x"]},
}
MISTAKES = {
    "a: .inf": "number_out_of_range@1:4",
    "a: !!int x": "invalid_yaml@1:4",
    "a: !!binary a": "invalid_yaml@1:4",
    "a: *x": "invalid_yaml@1:4",
    "~: a": "invalid_key@1:1",
    "[a]: b": "invalid_key@1:1",
    "18446744073709551615: b": "invalid_key@1:1",
    "<<: 1": "invalid_map@1:5",
    "a: [1": "invalid_yaml@1:4",
    "\ta: 1": "invalid_yaml@1:1",
    "%YAML 1.2\n---\na: 1": "yaml_directive_not_supported@1:1",
}
WARNINGS = {
    "a: 1\nb: 2\na: 3": "rendered_duplicate_key@3:1",
    "a: {b: 1, b: 2}": "rendered_duplicate_key@1:11",
    "a: 1\n---\nb: 1": "rendered_second_document@2:1",
    "a: {b: 1\n }\n---\n}": "rendered_second_document@3:1",
    "a: 1\n---\n": "",
    "a: 1\n...\n": "",
}
TEXTS: dict[str, str] = {
    **each("yes y n 1 012 2020-01-01 2020-1-1 12:30:45 1:2 ~ null", '"{}"'),
    **each("0b1 1_000 .inf -.5 5. +1 18446744073709551616", '"{}"'),
    **each("a] a,b -- = << -a :a a'b 1:60 2020-13-01 0x _1 ._0 1e400 é"),
    **each("- --- ... ---a # & * ! | > % @ ` [ { a: ?", "'{}'"),
    "": '""',
    " a": "' a'",
    "a ": "'a '",
    "a: b": "'a: b'",
    "a #": "'a #'",
    "'a": "'''a'",
    "a\tb": '"a\\tb"',
    "\x1b": '"\\e"',
    "\U0001f600": '"\\U0001F600"',
    "a \nb": '"a \\nb"',
    "a\nb": "|-\n  a\n  b",
    "a\n": "|\n  a",
    "a\n\n": "|+\n  a\n",
    "\n": "|2+\n",
    " a\nb": "|2-\n   a\n  b",
    "\n a": "|2-\n\n   a",
    "x" * 79 + " y z": "x" * 79 + " y\n  z",
    "x" * 81 + " y  z": "x" * 81 + "\n  y  z",
    "'" + "x" * 81 + " '": "'''" + "x" * 81 + "\n  '''",
    "#" + "x" * 81 + " ": "'#" + "x" * 81 + " '",
    "\t" + "x" * 81 + "  y": '"\\t' + "x" * 81 + '\n  \\ y"',
}
NUMBERS = {2.0: "2", 1e6: "1000000", 1e20: "1e+20", 0.1: "0.1", 1e-5: "1e-05", 1.5e300: "1.5e+300"}
NUMBERS |= {123456789.25: "1.2345678925e+08", -0.0: "0", 2.0**63: "9223372036854776000"}


def read(text: str, **options: Any) -> tuple[AnyNode | None, list[str]]:
    """The nodes of a text, and the codes and places of what was told."""
    told = Diagnostics()
    node = read_go(Source("t", text, "yaml"), Meter(Limits()), told, **options)
    return node, [f"{i.code}@{i.span.line}:{i.span.column}" for i in told if i.span]


def test_scalars_are_those_of_yaml_1_1() -> None:
    def law(text: str) -> None:
        for wrapped in (f"a: {text}\n", f"a: {text} # c\n", f"- &x {text}\n- {{a: *x }}\n"):
            node, told = read(wrapped)
            assert node is not None and told == []
            data = plain(node)
            value = data["a"] if isinstance(data, dict) else data[1]["a"]
            assert (value, type(value)) == (SCALARS[text], type(SCALARS[text]))

    hold(SCALARS, law)


def test_keys_are_strings() -> None:
    def law(text: str) -> None:
        for wrapped in (f"{text}: x\n", f"{{{text}: x}}\n", f"- ? {text}\n  : x\n"):
            node, _ = read(wrapped)
            assert node is not None
            data = plain(node)
            assert (data[0] if isinstance(data, list) else data) == {KEYS[text]: "x"}

    hold(KEYS, law)


def test_documents() -> None:
    def law(text: str) -> None:
        node, _ = read(text)
        assert node is not None
        assert plain(node) == DOCUMENTS[text]

    hold(DOCUMENTS, law)


def test_mistakes_have_places() -> None:
    hold(MISTAKES, lambda text: _equal(read(text), (None, [MISTAKES[text]])))
    hold(WARNINGS, lambda text: _equal(read(text)[1], [WARNINGS[text]] if WARNINGS[text] else []))
    deep = "[" * 300
    assert read(deep)[1] == ["limit_exceeded@1:65"]
    bomb = "a: &a [x]\n" + "".join(
        f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n"
        for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert read(bomb)[1][0].startswith("limit_exceeded")


def _equal(found: object, wanted: object) -> None:
    assert found == wanted


def test_places_of_nodes_lead_to_the_text() -> None:
    text = "a: &x {b: 'c'}\nd: |\n  e\nf: *x\n"
    node, _ = read(text)
    assert isinstance(node, Map)
    spans = {key: text[one.start : one.end] for key, one in node.items.items()}
    assert spans == {"a": "&x {b: 'c'}", "d": "|\n  e", "f": "&x {b: 'c'}"}
    assert node.key_span("d").line == 2


def test_integers_are_kept_for_spiff() -> None:
    node, told = read("a: 012\nb: 9223372036854775808\nc: !!str 5\n", integers=True)
    assert node is not None and told == []
    data = plain(node)
    assert data == {"a": 10, "b": 2.0**63, "c": 5}
    assert [type(one) for one in data.values()] == [int, float, int]
    assert read("y: 1", integers=True) == (None, ["invalid_key@1:1"])
    node, told = read("a: 1\n---\n---\nb: 1\n---\n", documents=True)
    assert node is not None and plain(node) == [{"a": 1.0}, {"b": 1.0}]


def test_ordinary_text_is_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_events, "open_events", lambda _: pytest.fail("events were read"))
    text = '---\n# c\na: 1\nb:\n- c: yes\n  d: "n"\n  e: |\n    x\n- [1, {f: off}]\n---\n'
    node, _ = read(text)
    assert node is not None
    assert plain(node) == {
        "a": 1.0,
        "b": [{"c": True, "d": "n", "e": "x\n"}, [1.0, {"f": False}]],
    }


TOO_MANY = {
    "- a: {b: [c]}\n": True,
    "a: {b: c, d: e, f: g}\n": True,
    "- a: !!str b\n": False,
    "- a: 'b'\n": False,
}
"""Lines, and whether many of them are refused before a parser looks at the text."""


def test_text_that_surely_has_too_many_nodes_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = yaml_events.open_events

    def counted(text: str) -> Any:
        opened.append(text)
        return real(text)

    monkeypatch.setattr(yaml_events, "open_events", counted)

    def law(row: tuple[str, bool]) -> None:
        line, refused = row
        opened.clear()
        found = Diagnostics()
        meter = Meter(Limits(max_total_nodes=100))
        assert read_go(Source("t", line * 100, "yaml"), meter, found, computed=True) is None
        assert [one.code for one in found if one.severity == "error"] == ["limit_exceeded"]
        assert opened == ([] if refused else [line * 100])

    hold(TOO_MANY.items(), law)


FITTING = [
    "a: |\n" + "  - a: b\n" * 50,
    "a: '" + "\n\n  - a: b" * 50 + "'\n",
    "a: b\n" + "# - a: b\n" * 50,
    "a: b\n---\n" + "- a: b\n" * 50,
    "a: b" + "\n  - c" * 50 + "\n",
    "- a: b\n" * 16 + "- c:\n",
    "- a: 1\n  b:\n  - c: [x:y, -z]\n" * 6,
]
"""Texts of at most 50 nodes, the parser's."""


def test_text_with_few_nodes_is_not_refused() -> None:
    def law(text: str) -> None:
        found = Diagnostics()
        meter = Meter(Limits(max_total_nodes=52))
        source = Source("t", f"{text}\n\n\n", "yaml")
        assert read_go(source, meter, found, computed=True) is not None
        assert not found.errors

    hold(FITTING, law)


def test_computed_text_makes_no_room() -> None:
    limits = Limits()
    meter = Meter(limits)
    text = "- x\n" * 400_000
    read_go(Source("t", text), meter, Diagnostics(), computed=True)
    assert meter.share == 1


def test_values_are_written() -> None:
    hold(TEXTS, lambda text: _equal(to_yaml(text), TEXTS[text] + "\n"))
    hold(NUMBERS, lambda value: _equal(to_yaml(value), NUMBERS[value] + "\n"))
    nested = "a:\n- 1\n- b: []\nd:\n  e: null\n  f: {}"
    broken = "a:\n  ? |\n    b\n  : - |\n      x\n? |-\n  k\n  l\n: 1"
    rows: list[tuple[Any, str]] = [
        ({"a": [1, {"b": []}], "d": {"e": None, "f": {}}}, nested),
        ([[1, 2], [{"a": 1}]], "- - 1\n  - 2\n- - a: 1"),
        ({"b1": 1, "a": 2, "B": 3, "b10": 4, "b9": 5, "9": 6, "10": 7, "_": 8, "b": 9}, ""),
        ({"k\nl": 1, "a": {"b\n": ["x\n"]}}, broken),
        ({"k" * 129: {"a": 1}}, f"? {'k' * 129}\n: a: 1"),
        ({"n": "demo", "": 1}, '"": 1\n"n": demo'),
        ({"a": "x\n\n", "b": ["y z"]}, "a: |+\n  x\n\nb:\n- y z"),
        (b"hi", "aGk="),
    ]
    order = '_: 8\n"9": 6\n"10": 7\nB: 3\na: 2\nb: 9\nb1: 1\nb9: 5\nb10: 4'
    hold(rows, lambda row: _equal(to_yaml(row[0]), (row[1] or order) + "\n"), lambda row: row[1])


def test_what_json_lacks_is_not_written() -> None:
    cyclic: dict[str, Any] = {}
    cyclic["self"] = cyclic

    def law(row: tuple[Any, str]) -> None:
        with pytest.raises(FunctionError) as caught:
            to_yaml(row[0])
        assert caught.value.code == row[1]

    bad = (float("nan"), {"a": float("inf")}, "\x7f", {"k" * 1100: 1}, object)
    hold([*((one, "not_json") for one in bad[:4]), (cyclic, "limit_exceeded")], law)


TREES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(TREES | st.lists(st.sampled_from(sorted(TEXTS)), max_size=3))
def test_what_is_written_is_read_back(tree: Any) -> None:
    try:
        text = to_yaml({"a": [tree], "b": tree})
    except FunctionError as error:
        assert error.code == "not_json"
        return
    node, told = read(text)
    assert node is not None and told == []
    assert plain(node) == {"a": [tree], "b": tree}


def test_floats_of_32_bits() -> None:
    rows = {1e6: "1e+06", 0.1: "0.1", 16777217.0: "1.6777216e+07", 1e300: ".inf", 3.0: "3"}
    hold(rows, lambda value: _equal(float32_text(value), rows[value]))
    assert not is_string("0000-02-29")


def test_keys_are_ordered_by_a_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare(left: str, right: str, wide: bool = False) -> int:
        raise AssertionError(f"{left} and {right} were compared")

    monkeypatch.setattr(yaml_text, "_order", compare)
    keys = [f"{word}{number}" for word in ("_", "a-", "B", "") for number in range(12)]
    found = [line.split(":")[0] for line in to_yaml(dict.fromkeys(keys, True)).splitlines()]
    assert [one.strip('"') for one in found] == [
        *(f"_{number}" for number in range(12)),
        *map(str, range(12)),
        *(f"B{number}" for number in range(12)),
        *(f"a-{number}" for number in range(12)),
    ]
