"""Writing YAML and JSON: what is written reads back as the same data, whoever reads it."""

from __future__ import annotations

import json
import math
from typing import Any

import attrs
import pytest
import yaml
from bpp.pipeline.formats.detection import read
from bpp.pipeline.formats.emit import emit
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics, Stop
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from bpp.pipeline.values.tree import AnyNode, Array, Map, Scalar, Template, Trail, build
from fuzz.values import same
from hypothesis import given, settings
from hypothesis import strategies as st
from support.rows import hold

TRAIL = Trail(Source("x", ""))


@attrs.frozen
class Substitution:
    """A substitution that these tests leave over."""

    text: str


class Printer:
    """Writes `${...}` back as it was read."""

    opener = "${"
    go_style = False

    def template(self, node: Template) -> str:
        """The segments one after the other."""
        return "".join(
            segment if isinstance(segment, str) else segment.text  # type: ignore[attr-defined]
            for segment in node.segments
        )

    def protect(self, text: str) -> str:
        """The opener as a substitution of its own."""
        return text.replace("${", '${"${"}')

    def split(self, text: str) -> Any:
        """What this writes is never too large."""
        return split(text)


def split(text: str) -> tuple[Any, ...]:
    """The whole text as one substitution."""
    return (Substitution(text),)


def written(data: Any, format: str = "yaml", limits: Limits | None = None) -> str:  # noqa: A002
    node = data if isinstance(data, (Map, Array, Scalar, Template)) else build(data, TRAIL, 0, 0)
    return emit(node, format, Printer(), limits or Limits().evolve(max_key_chars=10_000))


def template(text: str) -> Template:
    return Template((Substitution(text),), None, TRAIL, 0, 0)  # type: ignore[arg-type]


def plain(node: AnyNode) -> Any:
    match node:
        case Map():
            return {key: plain(item) for key, item in node.items.items()}
        case Array():
            return [plain(item) for item in node.items]
        case Template():
            return template
        case Scalar():
            return node.value


def read_back(text: str, format: str) -> Any:  # noqa: A002
    diagnostics = Diagnostics()
    limits = Limits().evolve(max_key_chars=10_000)
    node = read(Source("x", text, format), split, "${", Meter(limits), diagnostics)
    assert node is not None, list(diagnostics)
    assert not len(diagnostics), list(diagnostics)
    return plain(node)


class Yaml11(yaml.SafeLoader):
    """A reader of YAML 1.1 with its booleans, octals and base 60 numbers."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [item for item in resolvers if item[0] != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def yaml_1_1(text: str) -> Any:
    return yaml.load(text, Yaml11)


def yaml_1_2(text: str) -> Any:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True).load(text)


AWKWARD = [
    "",
    " ",
    "a b",
    " a",
    "a ",
    "\n",
    "a\n",
    "a\nb",
    "a\nb\n",
    "a\n\n",
    "\na",
    " a\nb",
    "a\n  b\n\n   c\n",
    "a \nb",
    "a\n\tb",
    "a\tb",
    "a\r\nb",
    "a\rb",
    "yes",
    "No",
    "ON",
    "off",
    "y",
    "N",
    "true",
    "False",
    "null",
    "Null",
    "~",
    "~/x",
    "nullable",
    "none",
    "1",
    "-1",
    "+1",
    "010",
    "0o10",
    "0x1f",
    "0b1",
    "1_000",
    "1:30",
    "190:20:30",
    "1.5",
    "1.",
    ".5",
    ".",
    "..",
    "...",
    "... x",
    "---",
    "--- x",
    "1e3",
    "1e+3",
    "1.0e+3",
    "1.2.3",
    ".inf",
    "-.INF",
    ".NaN",
    "2023-04-20",
    "2023-04-20 10:00:00",
    "2023-04-20T10:00:00Z",
    "=",
    "==",
    "<<",
    "<",
    "-",
    "- a",
    "-a",
    "?",
    "? a",
    "?a",
    ":",
    ": a",
    ":a",
    "a:",
    "a: b",
    "a:b",
    "a :b",
    "a : b",
    "a #b",
    "a#b",
    "#a",
    ",a",
    "a,b",
    "[a]",
    "a[b]",
    "{a}",
    "a{b}",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%a",
    "@a",
    "`a`",
    "'a'",
    "it's",
    '"a"',
    'say "x"',
    'it\'s "x"',
    "a\\b",
    "\\",
    "a'\\",
    "http://a.b:80/c?d=e#f",
    "arn:aws:iam::1:role/x",
    "\0",
    "\x07",
    "\x1b[0m",
    "\x7f",
    "\x85",
    "a\x85b",
    "\xa0",
    "\xad",
    "\u200b",
    "\u2028",
    "a\nb\u2029",
    "\u202e",
    "\ufeff",
    "\ufffe",
    "é",
    "日本語",
    "😀",
    "a  b",
    "a" * 3000,
    "word " * 300,
]


def test_awkward_strings_are_the_same_for_every_reader() -> None:
    hold(AWKWARD, _is_the_same_for_every_reader, lambda text: repr(text[:40]))


def _is_the_same_for_every_reader(text: str) -> None:
    for data in (text, [text], {"k": [text, {"k": text}]}, {text: text}, {text: {text: [text]}}):
        document = written(data)
        assert document.endswith("\n")
        assert same(read_back(document, "yaml"), data)
        assert same(yaml_1_1(document), data)
        assert yaml_1_2(document) == data
        document = written(data, "json")
        assert same(read_back(document, "json"), data)
        assert same(json.loads(document), data)


TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text(alphabet=" \n\tab:#-'\"\\?,[]{}0123456789.eExo_+yYnN~é", max_size=20),
    st.sampled_from(AWKWARD[:-2]),
).filter(lambda text: "${" not in text)
DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(DATA)
def test_every_reader_reads_the_data_back(data: Any) -> None:
    document = written(data)
    assert same(read_back(document, "yaml"), data)
    assert same(yaml_1_1(document), data)
    assert yaml_1_2(document) == data
    assert written(data) == document
    document = written(data, "json")
    assert same(read_back(document, "json"), data)
    assert same(json.loads(document), data)


def test_layout_of_yaml() -> None:
    data = {
        "a": {"b": [1, [2, [3]], {"c": "d", "e": [{"f": None}]}], "g": {}, "h": []},
        "text": "x\n  y\n\nz\n",
        "items": ["x\ny", "p\n\n\n"],
        "q": 'say "x"',
        "r": 'it\'s: "x"',
        "s": '- "x"',
        "y": "no",
        "n": 1e16,
        "m": 1.5e-7,
    }
    assert written(data) == (
        "a:\n"
        "  b:\n"
        "    - 1\n"
        "    - - 2\n"
        "      - - 3\n"
        "    - c: d\n"
        "      e:\n"
        "        - f: null\n"
        "  g: {}\n"
        "  h: []\n"
        "text: |\n"
        "  x\n"
        "    y\n"
        "\n"
        "  z\n"
        "items:\n"
        "  - |-\n"
        "    x\n"
        "    y\n"
        "  - |+\n"
        "    p\n"
        "\n"
        "\n"
        'q: say "x"\n'
        'r: "it\'s: \\"x\\""\n'
        "s: '- \"x\"'\n"
        '"y": "no"\n'
        '"n": 1.0e+16\n'
        "m: 1.5e-07\n"
    )


def test_layout_of_json() -> None:
    data = {"a": [1, [], {}, [{"b": "é\u2028"}]], "c": {"d": 1e16}, "e": None, "f": True}
    assert written(data, "json") == (
        "{\n"
        '  "a": [\n'
        "    1,\n"
        "    [],\n"
        "    {},\n"
        "    [\n"
        "      {\n"
        '        "b": "é\\u2028"\n'
        "      }\n"
        "    ]\n"
        "  ],\n"
        '  "c": {\n'
        '    "d": 1e+16\n'
        "  },\n"
        '  "e": null,\n'
        '  "f": true\n'
        "}\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${a}", "${a}"),
        ("x-${a}", "x-${a}"),
        ('${join(list("a", b), "-")}', '${join(list("a", b), "-")}'),
        ('${object(a = "b: c")}', "'${object(a = \"b: c\")}'"),
        ('${f("a #b")}', "'${f(\"a #b\")}'"),
        ("${a}:", '"${a}:"'),
        ("- ${a}", '"- ${a}"'),
        ("${a}\nb", '"${a}\\nb"'),
        ('it\'s: ${f("x")}', '"it\'s: ${f(\\"x\\")}"'),
    ],
)
def test_templates_are_plain_where_yaml_allows(text: str, expected: str) -> None:
    document = written(Map({"k": template(text)}, {}, TRAIL, 0, 0))
    assert document == f"k: {expected}\n"
    assert yaml_1_1(document) == {"k": text}
    assert written(template(text), "json") == json.dumps(text) + "\n"


def test_known_text_with_the_opener_is_protected() -> None:
    assert written({"k": "a ${b}"}) == 'k: a ${"${"}b}\n'
    assert written({"k": "a\n${b}\n"}) == 'k: "a\\n${\\"${\\"}b}\\n"\n'
    assert json.loads(written(["${b}"], "json")) == ['${"${"}b}']


def test_shared_nodes_are_written_out() -> None:
    shared = build({"a": [1, 2]}, TRAIL, 0, 0)
    document = written(Array([shared, shared], TRAIL, 0, 0))
    assert "&" not in document
    assert read_back(document, "yaml") == [{"a": [1, 2]}, {"a": [1, 2]}]


@pytest.mark.parametrize("format", ["yaml", "json"])
def test_depth_has_no_limit_but_the_setting(format: str) -> None:  # noqa: A002
    node: AnyNode = Scalar(1, TRAIL, 0, 0)
    for _ in range(1000):
        node = Array([Map({"a": node}, {}, TRAIL, 0, 0)], TRAIL, 0, 0)
    assert written(node, format, Limits(max_depth=2001)).count("a") == 1000
    with pytest.raises(Stop, match="`max_depth`"):
        written(node, format)


@pytest.mark.parametrize("format", ["yaml", "json"])
def test_the_output_has_a_limit(format: str) -> None:  # noqa: A002
    data = {"a": ["b" * 10] * 10}
    size = len(written(data, format))
    assert written(data, format, Limits().evolve(max_output_chars=size))
    with pytest.raises(Stop) as stop:
        written(data, format, Limits().evolve(max_output_chars=size - 1))
    assert stop.value.diagnostic.code == "limit_exceeded"
    assert "`max_output_chars`" in stop.value.diagnostic.summary


@pytest.mark.parametrize("format", ["yaml", "json"])
def test_shared_nodes_cannot_grow_without_end(format: str) -> None:  # noqa: A002
    node: AnyNode = Scalar("lol", TRAIL, 0, 0)
    for _ in range(30):
        node = Array([node] * 10, TRAIL, 0, 0)
    with pytest.raises(Stop):
        written(node, format, Limits().evolve(max_output_chars=100_000))


@pytest.mark.parametrize("format", ["yaml", "json"])
@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_numbers_that_are_not_finite(format: str, number: float) -> None:  # noqa: A002
    with pytest.raises(Stop) as stop:
        written([number], format)
    assert stop.value.diagnostic.code == "number_out_of_range"
