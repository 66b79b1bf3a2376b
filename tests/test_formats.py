"""Reading YAML and JSON: values, positions, and what is said about each mistake."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import yaml
from bpp.pipeline.formats import yaml_events
from bpp.pipeline.formats.detection import format_of, format_of_text, read
from bpp.pipeline.formats.scalars import OutOfRange, resolve
from bpp.pipeline.language.errors import LanguageError
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.expression import Literal, Segments, Shape, Substitution
from bpp.pipeline.values.positions import scalar_end, span_in_scalar
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Repeated, Source
from bpp.pipeline.values.tree import Array, Map, Scalar, Template
from hypothesis import example, given, settings
from hypothesis import strategies as st


@attrs.frozen
class Written:
    """A substitution by its text."""

    text: str


NOTHING = Shape(Literal(None))


def split(text: str) -> Segments:
    """Text and substitutions, ended by the first brace; an unclosed one is a mistake."""
    segments: list[Any] = []
    position = 0
    while (start := text.find("${", position)) >= 0:
        end = text.find("}", start)
        if end < 0:
            raise LanguageError("invalid_substitution", "not closed", start, len(text))
        segments += [text[position:start]] if start > position else []
        segments.append(Substitution(NOTHING, (), start, end + 1, text[start + 2 : end]))
        position = end + 1
    found = Segments((*segments, *([text[position:]] if position < len(text) else [])))
    found.substitutions = tuple(part for part in segments if isinstance(part, Substitution))
    return found


def load(text: str, format: str = "yaml", limits: Limits | None = None) -> tuple[Any, Diagnostics]:  # noqa: A002
    diagnostics = Diagnostics()
    source = Source("x", text, format)
    return read(source, split, "${", Meter(limits or Limits()), diagnostics), diagnostics


def plain(node: Any) -> Any:
    """Plain data for nodes; a template as the tuple of its segments, a repeated key with its
    place, as it equals no other."""
    match node:
        case Map():
            return {
                (str(key), node.places[key]) if isinstance(key, Repeated) else key: plain(item)
                for key, item in node.items.items()
            }
        case Array():
            return [plain(item) for item in node.items]
        case Template():
            return tuple(
                part if isinstance(part, str) else Written(f"${{{part.inner}}}")
                for part in node.segments
            )
        case Scalar():
            return node.value


def value(text: str, format: str = "yaml") -> Any:  # noqa: A002
    node, diagnostics = load(text, format)
    assert not list(diagnostics), list(diagnostics)
    return plain(node)


def said(text: str, format: str = "yaml", limits: Limits | None = None) -> list[tuple[str, str]]:  # noqa: A002
    """Code and place of each mistake."""
    _, diagnostics = load(text, format, limits)
    return [
        (item.code, f"{item.span.line}:{item.span.column}" if item.span else "-")
        for item in diagnostics
    ]


@pytest.fixture(params=["c", "pure"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both parsers that YAML may be read with."""
    if request.param == "pure":
        monkeypatch.setattr(yaml_events, "CParser", None)
    else:
        assert yaml_events.CParser is not None, "the C module is not installed"
    return str(request.param)


SCALARS: list[tuple[str, Any]] = [
    ("", None),
    ("~", None),
    ("null", None),
    ("Null", None),
    ("NULL", None),
    ("nULL", "nULL"),
    ("none", "none"),
    ("true", True),
    ("True", True),
    ("TRUE", True),
    ("tRUE", "tRUE"),
    ("false", False),
    ("False", False),
    ("FALSE", False),
    ("yes", "yes"),
    ("NO", "NO"),
    ("on", "on"),
    ("Off", "Off"),
    ("y", "y"),
    ("n", "n"),
    ("0", 0),
    ("-0", 0),
    ("+1", 1),
    ("-12", -12),
    ("010", 10),
    ("08", 8),
    ("0o17", 15),
    ("0o8", "0o8"),
    ("-0o7", "-0o7"),
    ("0x1F", 31),
    ("0xff", 255),
    ("0xg", "0xg"),
    ("+0x1", "+0x1"),
    ("0b101", "0b101"),
    ("1_000", "1_000"),
    ("1:30", "1:30"),
    ("190:20:30", "190:20:30"),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("0x7fffffffffffffff", 2**63 - 1),
    ("0" * 5000 + "7", 7),
    ("1.0", 1.0),
    ("1.", 1.0),
    (".5", 0.5),
    ("-.5", -0.5),
    ("+1.5", 1.5),
    ("1e3", 1000.0),
    ("1E3", 1000.0),
    ("1e+3", 1000.0),
    ("12e-1", 1.2),
    ("1e", "1e"),
    (".", "."),
    ("..", ".."),
    ("-", "-"),
    ("+", "+"),
    ("1.2.3", "1.2.3"),
    ("1.5 ", "1.5 "),
    ("1e-400", 0.0),
    ("1.e2", 100.0),
    ("2023-04-20", "2023-04-20"),
    ("2023-04-20T10:00:00Z", "2023-04-20T10:00:00Z"),
    ("2023", 2023),
    ("inf", "inf"),
    ("nan", "nan"),
    (".infinity", ".infinity"),
    ("<<", "<<"),
    ("=", "="),
    ("١٢", "١٢"),
    ("１２", "１２"),
    ("t", "t"),
    ("nullable", "nullable"),
    ("trueish", "trueish"),
]


@pytest.mark.parametrize(("text", "expected"), SCALARS)
def test_plain_scalars_follow_the_core_schema(text: str, expected: Any) -> None:
    found = resolve(text)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    "text",
    [
        "9223372036854775808",
        "-9223372036854775809",
        "0xffffffffffffffff",
        "0o7777777777777777777777",
        "9" * 5000,
        ".inf",
        "-.Inf",
        "+.INF",
        ".nan",
        ".NaN",
        "1e400",
        "-1e400",
    ],
)
def test_numbers_out_of_range(text: str) -> None:
    with pytest.raises(OutOfRange):
        resolve(text)
    assert said(f"a: {text}") == [("number_out_of_range", "1:4")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("# nothing\n", None),
        ("---\n", None),
        ("a: 1\n", {"a": 1}),
        ("--- # one document\na: b\n...\n", {"a": "b"}),
        ("version: 2023-04-20", {"version": "2023-04-20"}),
        ("1: a\ntrue: b\nnull: c\n~: d\n", {"1": "a", "true": "b", "null": "c", "~": "d"}),
        ("a: '1'\nb: \"true\"\nc: |\n  1\n", {"a": "1", "b": "true", "c": "1\n"}),
        ("[a, {b: c}, [], {}]", ["a", {"b": "c"}, [], {}]),
        ("a: [b: c]\n", {"a": [{"b": "c"}]}),
        ("{a, b: }", {"a": None, "b": None}),
        ("a:\n- b\n- - c\n", {"a": ["b", ["c"]]}),
        ("a: >\n  x\n  y\n\n  z\nb: |+\n  q\n\n", {"a": "x y\nz\n", "b": "q\n\n"}),
        ("a: b # c\nd: e#f\n", {"a": "b", "d": "e#f"}),
        ("\ufeffa: é\r\nb: 😀\r\n", {"a": "é", "b": "😀"}),
        ("a: R&D!\nb: 1 << 2\nc: '*x'\n", {"a": "R&D!", "b": "1 << 2", "c": "*x"}),
        ("'<<': 1", {"<<": 1}),
        ("a: x ${y} z", {"a": ("x ", Written("${y}"), " z")}),
        ("a: 1${y}", {"a": ("1", Written("${y}"))}),
        ("a: |\n  ${y}\n", {"a": (Written("${y}"),)}),
        ("a: >+\n  ${y}\n\n", {"a": (Written("${y}"),)}),
        ("a: |\n  ${y} z\n", {"a": (Written("${y}"), " z\n")}),
        # line breaks around a lone substitution are layout in block scalars only
        ('a: "${y}\\n"', {"a": (Written("${y}"), "\n")}),
    ],
)
def test_yaml_values(parser: str, text: str, expected: Any) -> None:
    assert value(text) == expected


def test_yaml_offsets() -> None:
    text = "\ufeffé: 'x' # c\r\n😀:\r\n  - a  # d\r\n  - {b: [1, 2] }\r\nc: |\r\n  x\r\n\r\nd:\r\n"
    root, diagnostics = load(text)
    assert not len(diagnostics)

    def written(node: Any) -> str:
        return text[node.start : node.end]

    assert written(root["é"] if isinstance(root, dict) else root.items["é"]) == "'x'"
    sequence = root.items["😀"]
    assert written(sequence) == "- a  # d\r\n  - {b: [1, 2] }"
    assert [written(item) for item in sequence.items] == ["a", "{b: [1, 2] }"]
    assert written(sequence.items[1].items["b"]) == "[1, 2]"
    assert written(root.items["c"]) == "|\r\n  x"
    assert written(root.items["d"]) == ""
    assert written(root) == text[1:].rstrip()
    assert [text[root.key_span(key).start : root.key_span(key).end] for key in root.items] == [
        "é",
        "😀",
        "c",
        "d",
    ]
    assert root.trail.steps == ("load",)
    assert root.trail is sequence.items[0].trail


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: !!str x", [("yaml_tag_not_supported", "1:4")]),
        ('a: ! "x"', [("yaml_tag_not_supported", "1:4")]),
        ("a: !\n  b: c", [("yaml_tag_not_supported", "1:4")]),
        ("!t a: b", [("yaml_tag_not_supported", "1:1")]),
        ("a: ! [b]", [("yaml_tag_not_supported", "1:4")]),
        ("a: &x !t b", [("yaml_alias_not_supported", "1:4"), ("yaml_tag_not_supported", "1:7")]),
        ("a: &x\n  b: c", [("yaml_alias_not_supported", "1:4")]),
        (
            "a: *x\nb: *y",
            [("yaml_alias_not_supported", "1:4"), ("yaml_alias_not_supported", "2:4")],
        ),
        ("a:\n  <<: {b: c}", [("yaml_alias_not_supported", "2:3")]),
        ("a: 1\nb: 2\n'a': 3\na: 4", [("duplicate_key", "3:1"), ("duplicate_key", "4:1")]),
        ("? [a]\n: b\nc: d", [("invalid_key", "1:3")]),
        ("{a: b}: c", [("invalid_key", "1:1")]),
        ('? [a]\n: b\n"\\02": c\n? [d]\n: e', [("invalid_key", "1:3"), ("invalid_key", "4:3")]),
        ("a: 1\n---\nb: 2", [("multiple_documents", "2:1")]),
        ("# c\n\n%YAML 1.2\n---\na: 1", [("yaml_directive_not_supported", "3:1")]),
        ("%X\n---\na: 1", [("yaml_directive_not_supported", "1:1")]),
        ("a: \x07b\u2028", [("invalid_character", "1:4"), ("invalid_character", "1:6")]),
        ("a: \x85", [("invalid_character", "1:4")]),
        ("a: \ufeff", [("invalid_character", "1:4")]),
        ("a: \ud800", [("invalid_character", "1:4")]),
        ("a: b\0", [("invalid_character", "1:5")]),
        ("a: ${x\nb: ${y", [("invalid_substitution", "1:4"), ("invalid_substitution", "2:4")]),
        ("a: 'it''s ${x'", [("invalid_substitution", "1:11")]),
        ("a: >\n  x\n  y ${x\n", [("invalid_substitution", "3:5")]),
        ('a: "\\ud83d\\ude00"', [("invalid_yaml", "*")]),
        ('a: "\\UFFFFFFFF"', [("invalid_yaml", "*")]),
        ("a:\n\tb: 1", [("invalid_yaml", "2:1")]),
        ('a: "x\nb: 1\n', [("invalid_yaml", "1:4")]),
        ("a: [1, 2\n", [("invalid_yaml", "1:4")]),
        ("a: {b: 1 c: 2}\n", [("invalid_yaml", "*")]),
        ("a: @b", [("invalid_yaml", "1:4")]),
        ("a: b: c", [("invalid_yaml", "1:5")]),
        ("a: - b", [("invalid_yaml", "1:4")]),
        ("- a\nb: c", [("invalid_yaml", "2:1")]),
        ("a: 'b' c", [("invalid_yaml", "1:8")]),
        ("a: [${f(b, c)}]", [("invalid_yaml", "1:5")]),
        ("a: {b: ${c}}", [("invalid_yaml", "1:8")]),
        ('a: ${object(b = "c: d")}', [("invalid_yaml", "1:4")]),
        ('a: ${f("b #c")}', [("invalid_substitution", "1:4")]),
        ("}", [("invalid_yaml", "1:1")]),
        (
            "a: !t 1\nb: *x\na: ${y\nc: .inf\n",
            [
                ("yaml_tag_not_supported", "1:4"),
                ("yaml_alias_not_supported", "2:4"),
                ("duplicate_key", "3:1"),
                ("invalid_substitution", "3:4"),
                ("number_out_of_range", "4:4"),
            ],
        ),
    ],
)
def test_yaml_mistakes(parser: str, text: str, expected: list[tuple[str, str]]) -> None:
    found = said(text)
    assert [code for code, _ in found] == [code for code, _ in expected]
    for (_, place), (_, wanted) in zip(found, expected, strict=True):
        assert wanted in (place, "*")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a:\n\tb: 1", "indent with spaces"),
        ("a: [${f(b, c)}]", "quotes around the substitution"),
        ("a: {b: ${f(b, c)}}", "quotes around the substitution"),
        ('a: ${object(b = "c: d")}', "quotes around the whole string"),
        ('a: ${f("b #c")}', "quotes around the whole string"),
        ("a: @b", "quotes around the whole string"),
        ("a: 99999999999999999999", "quotes around it"),
    ],
)
def test_yaml_hints(parser: str, text: str, part: str) -> None:
    _, diagnostics = load(text)
    (only,) = diagnostics
    assert only.hint is not None
    assert part in only.hint


def test_duplicate_key_points_at_the_first() -> None:
    for text, format in (("b: 1\na: 1\na: 2", "yaml"), ('{"b":1,\n"a":1,\n"a":2}', "json")):  # noqa: A001
        _, diagnostics = load(text, format)
        (only,) = diagnostics
        assert only.span is not None
        assert only.span.line == 3
        assert only.notes[0].span is not None
        assert only.notes[0].span.line == 2


def test_no_message_shows_what_a_parser_says() -> None:
    for text in ("a: [1\nb", "a: 'x", "a\nb: c", "? ", "- a\n b", "&", "a: |x\n", "%", "[a]]"):
        for item in load(text)[1]:
            assert item.summary[0].islower() or item.summary.startswith(("YAML", "`"))
            assert "expected <" not in item.summary
            assert "token" not in item.summary


@pytest.mark.parametrize("format", ["yaml", "json"])
@pytest.mark.parametrize(
    ("name", "most", "below", "above"),
    [
        ("max_depth", 3, "[[[1]]]", "[[[[1]]]]"),
        ("max_depth", 2, '{"a": {"b": 1}}', '{"a": {"b": {}}}'),
        ("max_nodes", 4, "[1, 2, 3]", "[1, 2, 3, 4]"),
        ("max_nodes", 2, '{"a": 1}', '{"a": [1]}'),
        ("max_scalar_chars", 4, '["abcd"]', '["abcde"]'),
        ("max_key_chars", 4, '{"abcd": 1}', '{"abcde": 1}'),
        ("max_input_bytes", 6, '["éé"]', '["ééé"]'),
    ],
)
def test_limits(format: str, name: str, most: int, below: str, above: str) -> None:  # noqa: A002
    if name == "max_input_bytes":
        most = len(below.encode())
    limits = Limits().evolve(**{name: most})
    assert said(below, format, limits) == []
    node, diagnostics = load(above, format, limits)
    (only,) = diagnostics
    assert node is None
    assert only.code == "limit_exceeded"
    assert f"`{name}`" in only.summary
    assert str(most) in only.summary


@pytest.mark.parametrize("bomb", ["[", "{a: ", "- ", "{? ", '{"a":'])
@pytest.mark.parametrize("format", ["yaml", "json"])
def test_nesting_bombs_stop_early(bomb: str, format: str) -> None:  # noqa: A002
    node, diagnostics = load(bomb * 200_000, format)
    assert node is None
    assert 1 <= len(diagnostics) <= 65


JSON_VALUES: list[tuple[str, Any]] = [
    ("{}", {}),
    ("[]", []),
    ("1", 1),
    (' "a" ', "a"),
    ('{"a":1,}', {"a": 1}),
    ("[1,]", [1]),
    ("[1, // x\n]", [1]),
    ('// a\n{/*b*/"a"/*c*/:/*d*/1/*e*/,/*f*/"b":[/**/]/***/,/* * */}// end', {"a": 1, "b": []}),
    ('"\\ud83d\\ude00\\u00e9\\"\\\\\\/\\b\\f\\n\\r\\t"', '😀é"\\/\b\f\n\r\t'),
    ('"\u2028\x7f\ufeff"', "\u2028\x7f\ufeff"),
    ("\ufeff[1]", [1]),
    ("-0", 0),
    ("-12", -12),
    ("1.50", 1.5),
    ("1E+2", 100.0),
    ("1e-2", 0.01),
    ("[true, false, null]", [True, False, None]),
    ('{"": {"": [[], {}]}}', {"": {"": [[], {}]}}),
    (
        '{"a": "x ${y}", "b": "\\u0024{y}"}',
        {"a": ("x ", Written("${y}")), "b": (Written("${y}"),)},
    ),
    ('"http://x /* y */"', "http://x /* y */"),
]


@pytest.mark.parametrize(("text", "expected"), JSON_VALUES)
def test_json_values(text: str, expected: Any) -> None:
    assert value(text, "json") == expected


@pytest.mark.parametrize(
    ("text", "code", "place", "summary"),
    [
        ("", "invalid_json", "1:1", "the text is empty"),
        ("[,]", "invalid_json", "1:2", "a value is missing before this `,`"),
        ("{,}", "invalid_json", "1:2", "a key is missing before this comma"),
        ("[1,,2]", "invalid_json", "1:4", "a value is missing before this `,`"),
        ('{"a" 1}', "invalid_json", "1:2", "expected a `:` and a value after this key"),
        ('{"a":}', "invalid_json", "1:6", "a value is missing before this `}`"),
        ("{a:1}", "invalid_json", "1:2", "expected a key in double quotes"),
        ("{'a':1}", "invalid_json", "1:2", "expected a key in double quotes"),
        ("['a']", "invalid_json", "1:2", "a string needs double quotes"),
        ('{"a":1 "b":2}', "invalid_json", "1:6", "expected a comma or `}` after this value"),
        ("[1 2]", "invalid_json", "1:2", "expected a comma or `]` after this value"),
        ('{"a":1]', "invalid_json", "1:7", "expected `}` here"),
        ("[1}", "invalid_json", "1:3", "expected `]` here"),
        ('{"a":1', "invalid_json", "1:1", "this map is not closed"),
        ("[[1]", "invalid_json", "1:1", "this list is not closed"),
        ("/* x", "invalid_json", "1:1", "this comment is not closed"),
        ("[1 /* x", "invalid_json", "1:4", "this comment is not closed"),
        ('["a\nb"]', "invalid_json", "1:2", "this string has no closing quote"),
        ('"a', "invalid_json", "1:1", "this string has no closing quote"),
        ('"a\tb"', "invalid_character", "1:3", "the control character U+0009 is not allowed"),
        ('"\\x41"', "invalid_json", "1:2", "this escape is not known in JSON"),
        ('"\\u12"', "invalid_json", "1:2", "`\\u` takes four hexadecimal digits"),
        ('"\\ud83d"', "invalid_character", "1:2", "this escape is half of a character"),
        ('"\\ude00"', "invalid_character", "1:2", "this escape is half of a character"),
        ('"\ud83d"', "invalid_character", "1:2", "a byte or half character"),
        ("01", "invalid_json", "1:1", "this is not a number"),
        ("1.", "invalid_json", "1:1", "this is not a number"),
        (".5", "invalid_json", "1:1", "this is not a number"),
        ("+1", "invalid_json", "1:1", "this is not a number"),
        ("0x1", "invalid_json", "1:1", "this is not a number"),
        ("1e400", "number_out_of_range", "1:1", "the number is too large"),
        (
            "9223372036854775808",
            "number_out_of_range",
            "1:1",
            "the integer needs more than 64 bits",
        ),
        ("NaN", "invalid_json", "1:1", "JSON holds finite numbers only"),
        ("-Infinity", "invalid_json", "1:1", "JSON holds finite numbers only"),
        ("True", "invalid_json", "1:1", "`True` is not a value"),
        ("abc", "invalid_json", "1:1", "this word is not a value"),
        ("[1] 2", "invalid_json", "1:5", "there is more text after the end of the document"),
        ("\u00a0{}", "invalid_json", "1:1", "this does not begin a value"),
        ('{"a":1,"\\u0061":2}', "duplicate_key", "1:8", "the key `a` is written twice"),
        ('["\\u0041 ${x"]', "invalid_substitution", "1:10", "not closed"),
    ],
)
def test_json_mistakes(text: str, code: str, place: str, summary: str) -> None:
    _, diagnostics = load(text, "json")
    (only,) = diagnostics
    assert only.span is not None
    assert (only.code, f"{only.span.line}:{only.span.column}") == (code, place)
    assert only.summary.startswith(summary)


JSON_DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text().filter(lambda text: "${" not in text),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(JSON_DATA, st.booleans(), st.sampled_from([None, 1, 3]))
def test_json_reads_what_json_writes(data: Any, ascii_only: bool, indent: int | None) -> None:
    import json

    found = value(json.dumps(data, ensure_ascii=ascii_only, indent=indent), "json")
    assert found == data


@settings(max_examples=300)
@given(st.text(alphabet="ab\"\\{}[]:,/* \n01-.etrufalsn'#", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    for format in ("yaml", "json"):  # noqa: A001
        node, diagnostics = load(text, format)
        assert node is not None or len(diagnostics)
        for item in diagnostics:
            assert item.span is not None
            assert 0 <= item.span.start <= item.span.end <= len(text)


@settings(max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            [
                "a",
                "b: ",
                "- ",
                "\n",
                "\n  ",
                "'x'",
                "[",
                "]",
                "{",
                "}",
                ", ",
                "|\n  ",
                "${x}",
                " #",
                "1",
            ]
        ),
        max_size=15,
    )
)
def test_both_parsers_give_the_same(parts: list[str]) -> None:
    text = "k: " + "".join(parts)
    parser = yaml_events.CParser
    with_c = load(text)[0]
    try:
        yaml_events.CParser = None
        pure = load(text)[0]
    finally:
        yaml_events.CParser = parser
    if with_c is not None and pure is not None:
        assert plain(with_c) == plain(pure)


@pytest.mark.parametrize(
    ("written", "text", "from_", "to", "expected"),
    [
        ("abc def", "abc def", 4, 7, "def"),
        ("abc\n   def", "abc def", 4, 7, "def"),
        ("'it''s x'", "it's x", 5, 6, "x"),
        ("'it''s x'", "it's x", 2, 3, "''"),
        ('"\\u0041\\tb \\x43"', "A\tb C", 2, 3, "b"),
        ('"\\u0041\\tb \\x43"', "A\tb C", 4, 5, "\\x43"),
        ('"a \\\n  b"', "a b", 2, 3, "b"),
        ('"a\n\n  b"', "a\nb", 2, 3, "b"),
        ("|\n  ab\n    cd\n", "ab\n  cd\n", 5, 7, "cd"),
        ("|2-\n    ab\n  cd\n", "  ab\ncd", 5, 7, "cd"),
        (">\n  ab\n  cd\n\n  ef\n", "ab cd\nef\n", 6, 8, "ef"),
        (">-\n  ab\n    cd\n  ef\n", "ab\n  cd\nef", 5, 7, "cd"),
        ("|\n  ${x}\n", "${x}", 2, 3, "x"),
        ("|\r\n  ab\r\n  cd\r\n", "ab\ncd\n", 3, 5, "cd"),
    ],
)
def test_places_inside_scalars(written: str, text: str, from_: int, to: int, expected: str) -> None:
    source = Source("x", "k: " + written + "\n", "yaml")
    span = span_in_scalar(source, 3, 3 + len(written.rstrip()), text, from_, to)
    assert span.exact
    assert source.text[span.start : span.end] == expected


def test_places_inside_json_strings() -> None:
    source = Source("x", '["\\ud83d\\ude00 \\u0041b"]', "json")
    span = span_in_scalar(source, 1, len(source.text) - 1, "😀 Ab", 0, 1)
    assert source.text[span.start : span.end] == "\\ud83d\\ude00"
    span = span_in_scalar(source, 1, len(source.text) - 1, "😀 Ab", 3, 4)
    assert source.text[span.start : span.end] == "b"


def test_a_place_that_is_not_certain_says_so() -> None:
    source = Source("x", "a: 1\nkey: |\n  text\n", "yaml")
    span = span_in_scalar(source, 10, 18, "something else", 1, 3)
    assert not span.exact
    assert source.text[span.start : span.end] == "key: |"
    span = span_in_scalar(source, 3, 4, "something else", 1, 3)
    assert not span.exact
    assert span.start == 3


TEXTS = st.text(alphabet="ab c\n\t'\"\\:#-é😀\u2028\x07,{}%", min_size=1, max_size=60)


@settings(max_examples=400)
@given(
    TEXTS,
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([10, 20, 1000]),
    st.integers(0, 2),
)
@example("a  b\n\n c\n", ">", 10, 1)
def test_every_character_is_found_where_it_is_written(
    text: str, style: str | None, width: int, depth: int
) -> None:
    data: Any = text
    for _ in range(depth):
        data = {"k": data}
    written = yaml.dump({"key": data}, default_style=style, width=width, allow_unicode=True)
    node, diagnostics = load(written)
    if node is None or len(diagnostics):
        return
    while isinstance(node, Map):
        node = next(iter(node.items.values()))
    source = node.trail.source
    for index, character in enumerate(text):
        span = span_in_scalar(source, node.start, node.end, text, index, index + 1)
        if not span.exact:
            continue
        found = written[span.start : span.end]
        folded = character in " \n" and found in ("\n", "\r\n")
        escaped = found.startswith("\\") or found == "''"
        assert found == character or folded or escaped


@settings(max_examples=300)
@given(TEXTS, st.sampled_from([None, "'", '"', "|", ">"]), st.sampled_from([10, 1000]))
def test_places_are_certain_for_what_the_reader_reads(
    text: str, style: str | None, width: int
) -> None:
    written = yaml.dump({"key": text}, default_style=style, width=width, allow_unicode=True)
    node, diagnostics = load(written)
    if node is None or len(diagnostics):
        return
    scalar = next(iter(node.items.values()))
    if scalar.value == text:
        span = span_in_scalar(scalar.trail.source, scalar.start, scalar.end, text, 0, 1)
        # line breaks alone are the one text that a block keeps no place for
        assert span.exact or not text.strip("\n")


@pytest.mark.parametrize(
    ("text", "start", "key", "expected"),
    [
        ("abc: 1", 0, "abc", "abc"),
        ("'a''b': 1", 0, "a'b", "'a''b'"),
        ('{"a\\"b": 1}', 1, 'a"b', '"a\\"b"'),
        ("? |\n  a\n: b", 2, "a\n", "|"),
        ('"open', 0, "open", '"open'),
    ],
)
def test_scalar_end(text: str, start: int, key: str, expected: str) -> None:
    assert text[start : scalar_end(text, start, key)] == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.yml", "yaml"),
        ("a.YAML", "yaml"),
        ("b/a.blueprint.yaml", "yaml"),
        ("a.json", "json"),
        ("a.jsonc", "json"),
        ("a.toml", None),
        ("yaml", None),
        ("<stdin>", None),
    ],
)
def test_format_of(name: str, expected: str | None) -> None:
    assert format_of(name) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "yaml"),
        ("a: 1", "yaml"),
        ("# c\n{}", "yaml"),
        ('{"a": 1}', "json"),
        ('\ufeff \n{ // c\n "a": 1}', "json"),
        ("{}", "json"),
        ("{a: 1}", "yaml"),
        ("{'a': 1}", "yaml"),
        ("// c\n{}", "json"),
        ("/* c */ []", "json"),
        ('["a"]', "json"),
        ("[-1]", "json"),
        ("[a]", "yaml"),
        ("{", "json"),
        ("- a", "yaml"),
    ],
)
def test_format_of_text(text: str, expected: str) -> None:
    assert format_of_text(text) == expected
