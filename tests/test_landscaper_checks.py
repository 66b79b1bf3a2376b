"""Schemas, patterns and graphs of blueprints: what no case shows."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bpp.functions.go import regexps
from bpp.functions.values import FunctionError
from bpp.pipeline import Limits
from bpp.pipeline.dialects.landscaper.formats import FORMATS
from bpp.pipeline.dialects.landscaper.plain_schemas import plain_check
from bpp.pipeline.dialects.landscaper.schema_compiler import Compiled
from bpp.pipeline.dialects.landscaper.schema_rules import VALIDATOR, Checker, problems
from bpp.pipeline.dialects.spiff import calls
from bpp.pipeline.formats.detection import read_plain
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.source import Source
from bpp.pipeline.values.tree import AnyNode
from support.in_process import bpp_inside
from support.rows import hold

CASES = Path(__file__).parent / "cases" / "landscaper"

BLUEPRINT = """\
apiVersion: landscaper.gardener.cloud/v1alpha1
kind: Blueprint
imports:
  - {name: value, type: data, schema: SCHEMA}
"""

VALID = [
    # exact numbers; floats that are whole are integers
    ({"multipleOf": 0.1}, 0.3),
    ({"type": "integer"}, 100.0),
    ({"enum": [1, "a"]}, 1.0),
    # empty keywords, and those of other drafts
    ({"enum": [], "anyOf": [], "oneOf": [], "type": []}, 5),
    ({"nullable": False, "dependentRequired": {"a": ["b"]}, "additionalItems": False}, {"a": 1}),
    ({"items": True, "additionalItems": False}, [1, 2]),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": 1}, 2),
    # references
    ({"not": {"$ref": "#/definitions/a", "not": {}}, "definitions": {"a": {"type": "string"}}}, 1),
    ({"not": {"$ref": "#definitions/a"}, "definitions": {"a": {"type": "string"}}}, 1),
    ({"id": "http://a.b/c", "$defs": {"a": {}}, "items": {"$ref": "c#/$defs/a"}}, [1]),
    ({"properties": {"a": {"$ref": "#"}}, "maxProperties": 1}, {"a": {"a": {}}}),
    ({"format": "unheard of"}, 5),
    ({"default": {"$ref": "#/nowhere"}, "properties": {"default": {"$ref": "#"}}}, {}),
    ({"properties": {"$ref": {"type": "string"}}}, {"$ref": "x"}),
]
INVALID = [
    ({"multipleOf": 0.1}, 0.35),
    ({"const": 1}, True),
    ({"const": None}, 0),
    ({"uniqueItems": True}, [{"a": 1}, {"a": 1.0}]),
    ({"format": "date"}, 5),
    ({"exclusiveMaximum": True, "maximum": 3}, 3),
    ({"properties": {"a": False}}, {"a": 1}),
    ({"items": [{}], "additionalItems": False}, [1, 2]),
    ({"items": {"$ref": "#/definitions/a"}, "definitions": {"a": {"type": "string"}}}, [1]),
    ({"contains": {"type": "string"}}, []),
    ({"properties": {"a": {"$ref": "#"}}, "maxProperties": 1}, {"a": {"a": 1, "b": 2}}),
]


def render(folder: Path, schema: Any, value: Any) -> tuple[int, str]:
    """The status of a render of one import, and the codes that it reports."""
    (folder / "blueprint.yaml").write_text(BLUEPRINT.replace("SCHEMA", json.dumps(schema)))
    (folder / "values.yaml").write_text(json.dumps({"imports": {"value": value}}))
    command = ["render", str(folder), "--imports", str(folder / "values.yaml"), "--diagnostics"]
    done = bpp_inside(folder, *command, "json")
    found = json.loads(done.stderr or '{"diagnostics": []}')["diagnostics"]
    return done.returncode, " ".join(dict.fromkeys(one["code"] for one in found))


def test_values_that_fit_a_schema(tmp_path: Path) -> None:
    hold(VALID, lambda row: _is(render(tmp_path, *row), (0, "")))


def test_values_that_break_a_schema(tmp_path: Path) -> None:
    hold(INVALID, lambda row: _is(render(tmp_path, *row), (1, "import_schema")))


def _is(found: object, wanted: object) -> None:
    assert found == wanted


def test_hostile_schemas_end_at_a_limit_or_in_a_cycle(tmp_path: Path) -> None:
    doubling: dict[str, Any] = {
        f"a{n}": {"allOf": [{"$ref": f"#/definitions/a{n + 1}"}] * 2} for n in range(40)
    }
    doubling["a40"] = {}
    rows = [
        ({"definitions": doubling, "not": {"$ref": "#/definitions/a0"}}, 1, "limit_exceeded"),
        ({"allOf": [{"$ref": "#"}]}, 1, "schema_cycle"),
    ]
    hold(rows, lambda row: _is(render(tmp_path, *row[:2]), (1, row[2])), lambda row: row[2])


CHOICES = {"anyOf": [{"const": number} for number in range(50)]}


def surroundings(limits: Limits) -> Any:
    """What schemas need of the context of a run."""
    return SimpleNamespace(limits=limits, meter=Meter(limits), diagnostics=Diagnostics())


def test_schemas_spend_steps_for_each_value_and_each_part_of_them() -> None:
    rows: list[tuple[Any, Any]] = [
        ({"items": CHOICES}, ["x"] * 100),
        ({"items": {"oneOf": CHOICES["anyOf"]}}, ["x"] * 100),
        ({"patternProperties": {f"a{number}*": {} for number in range(400)}}, {}),
        ({"anyOf": [{"required": [str(number)]} for number in range(1000)]}, {}),
    ]
    for schema, value in rows:
        context = surroundings(Limits(max_steps=50_000))
        with pytest.raises(FunctionError, match="steps of this run"):
            problems(Compiled(node(schema), context), node(value), "it", "import_schema")


def test_a_schema_is_looked_at_in_a_few_steps_for_each_part() -> None:
    context = surroundings(Limits(max_steps=10_000))
    made = Compiled(node({"anyOf": [{"required": [str(n)]} for n in range(1000)]}), context)
    assert made.is_valid
    names = [f"a{number}" for number in range(1000)]
    context = surroundings(Limits(max_steps=10_000))
    made = Compiled(node({"properties": {name: {"minLength": 1} for name in names}}), context)
    assert made.fits is not None
    assert made.fits(node(dict.fromkeys(names, "x")))


def test_mistakes_of_a_value_end_and_keep_no_alternatives() -> None:
    context = surroundings(Limits(max_diagnostics=3))
    made = Compiled(node({"items": CHOICES}), context)
    assert len(problems(made, node(["x"] * 100), "it", "import_schema")) == 4
    checker = Checker(Meter(Limits()))
    error = next(VALIDATOR(CHOICES, format_checker=checker).iter_errors("x"))
    assert not error.context


def node(value: Any) -> AnyNode:
    source = Source("value.json", json.dumps(value), "json")
    found = read_plain(source, Meter(Limits()), Diagnostics())
    assert found is not None
    return found


def test_what_a_plain_schema_takes_fits_it(tmp_path: Path) -> None:
    """The rows that the library refuses are never taken without it."""
    taken = 0
    for schema, value in [*VALID, *INVALID]:
        check = plain_check(node(schema), lambda steps: None)
        taken += check is not None and check(node(value))
        assert check is None or (schema, value) in VALID or not check(node(value))
    assert taken


def test_plain_schemas_load_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.split(".")[0] == "jsonschema"]:
        monkeypatch.delitem(sys.modules, name)
    for name in [one for one in sys.modules if ".schema_" in one]:
        monkeypatch.delitem(sys.modules, name)
    schema = {
        "type": "array",
        "items": {"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x"]}}},
    }
    assert render(tmp_path, schema, [{"a": "x", "b": 1}]) == (0, "")
    assert "jsonschema" not in sys.modules
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    assert render(tmp_path, schema, [{}]) == (1, "function_not_loaded")
    more = "".join(f"  - {{name: v{n}, schema: {{minimum: {n}}}}}\n" for n in range(3))
    (tmp_path / "blueprint.yaml").write_text(BLUEPRINT.replace("SCHEMA", "{minimum: 9}") + more)
    (tmp_path / "values.yaml").write_text("imports: {value: 1, v0: -1, v1: -1, v2: -1}")
    told = bpp_inside(tmp_path, "render", ".", "--imports", "values.yaml").stderr
    assert told.count("schemas need the packages") == told.count("pip install") == 1


FORMAT_ROWS = {
    "date-time": (
        "2020-01-02T15:04:05.5+01:00 15:04:05Z 2020-01-02",
        "2020-01-02t15:04:05z 24:00:00",
    ),
    "time": ("15:04:05 15:04:05.5 15:04:05+02:00", "15:04 25:00:00"),
    "hostname": ("a.b A1.x", "-a a_b a."),
    "email": ('a@b "A"<a@b.c> a@[1.2.3.4]', "a@ @b a..b@c a@b. " + "a" * 60 + "<"),
    "ipv4": ("1.2.3.4 ::ffff:1.2.3.4", "1.2.3 01.2.3.4 ::1"),
    "ipv6": ("::1 ::ffff:1.2.3.4", "1.2.3.4 fe80::1%eth0"),
    "uri": ("a:b http://[::1]:80/x urn:x:y", "/a http://a/%zz http://a:port/ 1x:y http://a\\b"),
    "uri-reference": ("/a a ?b", ":x http://[::1"),
    "uri-template": ("/a/{b} /{{a}}", "/{a a\\b"),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "123E4567-e89b-12d3-a456-426614174000"),
    "regex": ("a \\d", "( (?=a)"),
    "json-pointer": ("/a/~0", "a /~"),
    "relative-json-pointer": ("0 1/a 0#", "01 -1"),
}


def test_formats() -> None:
    rows = [
        (name, text, index == 0)
        for name, both in FORMAT_ROWS.items()
        for index, texts in enumerate(both)
        for text in texts.split()
    ]
    hold(rows, lambda row: _is(FORMATS[row[0]](row[1]), row[2]))


PATTERNS = {
    r"a\z": ("a", "a\n"),
    r"^a$": ("a", "a\n"),
    r"(?m)^a$": ("b\na\n", "ba"),
    r"a(?i)b|c": ("aB C", "Ab"),
    r"^[[:alpha:]\]]+$": ("a]", "1"),
    r"\Qa+\E\x{62}": ("a+b", "aab"),
    r"^\s$": ("\f", "\v"),
    r"(?P<n>a)(?:b|c)*?d": ("abcd", "bd"),
}


def test_patterns_are_those_of_re2() -> None:
    for pattern, (fits, breaks) in PATTERNS.items():
        compiled = regexps.compile_pattern(pattern)
        assert compiled.finds(fits), pattern
        assert not compiled.finds(breaks), pattern
    for pattern in ("(?=a)", r"(a)\1", "(", "a**", "[b-a]", r"\C"):
        with pytest.raises(regexps.BadPattern):
            regexps.compile_pattern(pattern)


def test_without_the_library_for_patterns_a_schema_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    regexps.compile_pattern.cache_clear()
    monkeypatch.setitem(sys.modules, "re2", None)
    found = render(tmp_path, {"items": {"pattern": "^a$"}}, ["a"])
    regexps.compile_pattern.cache_clear()
    assert found == (1, "function_not_loaded")


def test_the_graph_of_templates_and_that_of_a_render(tmp_path: Path) -> None:
    worked = CASES / "worked"
    given = [f"--imports={worked}/values.yaml", f"--component-descriptor={worked}/cd.yaml"]
    found = {}
    for name, arguments in {"read": [], "made": [*given, "--stub-targets"]}.items():
        done = bpp_inside(tmp_path, "graph", str(worked / "echo"), "--format", "json", *arguments)
        graph = json.loads(done.stdout)
        found[name] = {(edge["from"], edge["to"]) for edge in graph["edges"]}
    static = {
        ("importExecutions.check", "imports.namespace"),
        ("deployExecutions.main", "importExecutions.check"),
        ("deployExecutions.main", "imports.replicas"),
        ("deployExecutions.main", "imports.namespace"),
        ("deployExecutions.main", "imports.cluster"),
        ("deployItems.echo", "deployExecutions.main"),
        ("exportExecutions.main", "deployItems.echo"),
        ("exports.url", "exportExecutions.main"),
    }
    assert found["read"] == static
    assert found["made"] == static | {("deployItems.echo", "imports.cluster")}


def test_the_graph_of_subinstallations_names_what_they_exchange(tmp_path: Path) -> None:
    done = bpp_inside(
        tmp_path,
        "graph",
        str(CASES / "check_flow" / "main.yaml"),
        "--dialect",
        "landscaper",
        "--format",
        "json",
    )
    edges = {(one["from"], one["to"], one["kind"]): one for one in json.loads(done.stdout)["edges"]}
    link = edges["subinstallations.two", "subinstallations.one", "link"]
    assert link["labels"] == {"data": "between"}
    assert [name for name, _, _ in edges if name.startswith("deployItems")] == ["deployItems.one"]


def test_strings_without_quotes_are_told_when_a_rule_names_them(tmp_path: Path) -> None:
    values = [".imports.s", ".imports.s | quote", ".imports.s | toJson", 'index .imports "s"']
    lines = [f"  - {{{{ {one} }}}}\n    k: {{{{ {one} }}}} x{{{{ {one} }}}}\n" for one in values]
    text = BLUEPRINT.replace("SCHEMA", "{type: string}").replace("value,", "s,")
    text += "deployExecutions:\n- {name: a, type: GoTemplate, file: a.tmpl}\n"
    text += "# bpp: ignore unquoted_interpolation\n"
    (tmp_path / "blueprint.yaml").write_text(text)
    (tmp_path / "a.tmpl").write_text("deployItems:\n" + "".join(lines))
    code = "unquoted_interpolation"
    for rule, level in {
        "": "",
        "--select=all": "",
        f"--select=all,{code}": "warning",
        f"--warn-as-error={code}": "error",
    }.items():
        done = bpp_inside(tmp_path, "check", "blueprint.yaml", "--diagnostics=json", *rule.split())
        found = json.loads(done.stdout or done.stderr)["diagnostics"]
        told = [one for one in found if one["code"] == code]
        assert {one["severity"] for one in told} == ({level} if level else set()), rule
        assert len(told) == (4 if level else 0)
        assert any(one["code"] == "unused_ignore" for one in found) == bool(level)


def _with_spiff(folder: Path, expressions: list[str]) -> None:
    """A blueprint with an execution for each expression."""
    head = "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\ndeployExecutions:\n"
    pieces = [
        f"- {{name: e{number}, type: Spiff, template: {{a: {json.dumps(f'(( {one} ))')}}}}}\n"
        for number, one in enumerate(expressions)
    ]
    (folder / "blueprint.yaml").write_text(head + "".join(pieces), "utf-8")


def test_equal_expressions_of_spiff_are_paid_for_once(tmp_path: Path) -> None:
    for command in ("check", "render"):
        for differs, code in ((0, 0), (1, 1)):
            long = [f'"{"x" * 200}" "{number * differs}"' for number in range(40)]
            _with_spiff(tmp_path, long)
            done = bpp_inside(tmp_path, command, "blueprint.yaml", "--limit", "max_steps=20000")
            assert done.returncode == code, done.stderr
            assert ("max_steps" in done.stderr) == bool(code)


def test_near_names_are_searched_for_when_they_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    monkeypatch.setattr(calls, "meant", lambda name, _: searched.append(name))
    _with_spiff(tmp_path, [f"nofunction{number}(1)" for number in range(40)])
    keys = ", ".join(f"a{number}: (( nofunction{number}(1) ))" for number in range(40))
    (tmp_path / "template.yaml").write_text(f"{{{keys}}}")
    for command in (("check",), ("render",), ("render", "--dialect", "spiff")):
        searched.clear()
        file = "template.yaml" if "--dialect" in command else "blueprint.yaml"
        done = bpp_inside(tmp_path, *command, file, "--limit", "max_diagnostics=3")
        assert "unknown_function" in done.stderr
        assert 0 < len(searched) <= 3


def test_a_file_that_spiff_cannot_read_is_told_where_it_is_read(tmp_path: Path) -> None:
    _with_spiff(tmp_path, ['read("none")', 'read("none") || parse("x: [") || 1'])
    done = bpp_inside(tmp_path, "render", "blueprint.yaml")
    assert "error[spiff_unresolved]: read: `none` does not exist" in done.stderr
    assert "blueprint.yaml:4:" in done.stderr
    assert "1 error" in done.stderr
