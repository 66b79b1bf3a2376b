"""Values for variables: files of them, who wins, and what fits."""

from __future__ import annotations

from typing import Any

import pytest
from bpp.functions.values import NONE, Unknown
from bpp.pipeline.dialects.bluelink.evaluating.inputs import resolve_variables, without_value
from bpp.pipeline.engine.input_files import read_variables
from bpp.pipeline.engine.inputs import MISSING, Variable, VariableInputs, VariablesFile
from bpp.pipeline.formats.detection import read
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostic, Diagnostics
from bpp.pipeline.values.settings import Limits, Settings
from bpp.pipeline.values.source import Source, Span
from bpp.pipeline.values.tree import Map

DEFINITIONS = """\
name: {type: string}
port: {type: integer}
ratio: {type: float, default: 1}
debug: {type: boolean, default: false}
region: {type: aws/region, default: eu-west-1}
stage: {type: string, default: dev, allowedValues: [dev, staging, production]}
size: {type: integer, default: 1, allowedValues: [1, 2, 4]}
password: {type: string, secret: true}
pin: {type: integer, secret: true, default: 7, allowedValues: [7, 1234]}
"""
REQUIRED = {"name": "x", "port": 1}


def definitions(text: str = DEFINITIONS) -> Map:
    """The `variables` section in a text."""
    diagnostics = Diagnostics()
    source = Source("blueprint.yaml", text, "yaml")
    root = read(source, lambda part: (part,), "${", Meter(Limits()), diagnostics)
    assert not list(diagnostics)
    assert isinstance(root, Map)
    return root


def resolve(
    given: VariableInputs, text: str = DEFINITIONS, **settings: Any
) -> tuple[dict[str, Variable], list[Diagnostic]]:
    """The variables and what was said about them."""
    diagnostics = Diagnostics()
    declared, chosen = definitions(text), Settings(**settings)
    found = resolve_variables(declared, given, chosen, diagnostics)
    return found, [*diagnostics, *without_value(declared, found, chosen).values()]


def file(name: str, text: str) -> VariablesFile:
    """A file without mistakes."""
    found, told = parsed(name, text)
    assert not told
    return found


def parsed(name: str, text: str | bytes) -> tuple[VariablesFile, list[Diagnostic]]:
    """A file and what was said about it."""
    diagnostics = Diagnostics()
    data = text if isinstance(text, bytes) else text.encode()
    return read_variables(name, data, Meter(Limits()), diagnostics), list(diagnostics)


# --- who wins -----------------------------------------------------------------------------------


def test_precedence() -> None:
    spread = "a b c d e f".split()  # noqa: SIM905
    text = "".join(f"{name}: {{type: string, default: default}}\n" for name in spread)
    given = VariableInputs(
        values={"a": "caller"},
        flags=dict.fromkeys("ab", "flag"),
        files=(
            file("one.yaml", "a: one\nb: one\nc: one\nd: one\n"),
            file("two.yaml", "a: two\nb: two\nc: two\n"),
        ),
        environment={f"BPP_VAR_{name}": "environment" for name in "abcde"},
    )
    found, told = resolve(given, text)
    assert not told
    assert [(v.value, v.source) for v in found.values()] == [
        ("caller", "caller"),
        ("flag", "flag"),
        ("two", "two.yaml"),
        ("one", "one.yaml"),
        ("environment", "environment"),
        ("default", "default"),
    ]


def test_defaults_have_the_declared_type() -> None:
    found, told = resolve(VariableInputs(values=REQUIRED))
    assert not told
    assert {name: v.value for name, v in found.items() if name != "password"} == {
        "name": "x",
        "port": 1,
        "ratio": 1.0,
        "debug": False,
        "region": "eu-west-1",
        "stage": "dev",
        "size": 1,
        "pin": 7,
    }
    assert isinstance(found["ratio"].value, float)
    assert found["region"].type == "aws/region"
    assert found["pin"].secret
    assert "1234" not in repr(found["pin"])


def test_no_variables() -> None:
    assert resolve_variables(None, VariableInputs(), Settings(), Diagnostics()) == {}


# --- text by type -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("name", "8080", "8080"),
        ("name", "", ""),
        ("name", " true ", " true "),
        ("name", "${x}", "${x}"),
        ("region", "us-east-1", "us-east-1"),
        ("port", "8080", 8080),
        ("port", " -1 ", -1),
        ("port", "+007", 7),
        ("port", str(2**63 - 1), 2**63 - 1),
        ("ratio", "1.5", 1.5),
        ("ratio", "2", 2.0),
        ("ratio", "1e3", 1000.0),
        ("debug", "true", True),
        ("debug", "false", False),
    ],
)
def test_text_is_read_by_type(name: str, text: str, value: Any) -> None:
    for given in (
        VariableInputs(values={k: v for k, v in REQUIRED.items() if k != name}, flags={name: text}),
        VariableInputs(
            values={k: v for k, v in REQUIRED.items() if k != name},
            environment={f"BPP_VAR_{name}": text},
        ),
    ):
        found, told = resolve(given)
        assert not told
        assert found[name].value == value
        assert type(found[name].value) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("port", "http", "must be an integer, but `--var` gives `http`"),
        ("port", "1.0", "must be an integer"),
        ("port", "1_000", "must be an integer"),
        ("port", "0x10", "must be an integer"),
        ("port", "", "gives an empty string"),
        ("port", "9" * 5000, "must be an integer"),
        ("port", str(2**63), "must be an integer"),
        ("port", "१", "must be an integer"),
        ("ratio", "nan", "must be a float"),
        ("ratio", "1e999", "must be a float"),
        ("debug", "yes", "must be a boolean, but `--var` gives `yes`"),
        ("debug", "True", "must be a boolean"),
        ("debug", "1", "must be a boolean"),
        ("name", "\udcff", "text that is not valid UTF-8"),
        ("region", "\udcff", "text that is not valid UTF-8"),
    ],
)
def test_text_that_does_not_fit(name: str, text: str, words: str) -> None:
    found, (told, *rest) = resolve(VariableInputs(flags={"name": "x", "port": "1", name: text}))
    assert not rest
    assert told.code == "variable_type_mismatch"
    assert words in told.summary
    assert len(told.summary) < 200
    assert found[name].value is MISSING
    assert str(told.span).startswith("blueprint.yaml:")


# --- values with a type -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("port", "1", "gives a string"),
        ("port", 1.0, "gives a float"),
        ("port", True, "gives a boolean"),
        ("port", None, "gives null"),
        ("port", 2**63, "gives an integer of more than 64 bits"),
        ("ratio", float("inf"), "gives a number that is not finite"),
        ("ratio", 10**400, "gives an integer of more than 64 bits"),
        ("debug", 1, "gives an integer"),
        ("debug", "true", "gives a string"),
        ("name", 1, "gives an integer"),
        ("name", ["a"], "gives an array"),
        ("name", {"a": 1}, "gives an object"),
        ("name", "\ud800", "text that is not valid UTF-8"),
        ("name", Limits(), "gives a Python `Limits`"),
        ("region", 1, "must be a label of `aws/region`, a string, but the caller gives an integer"),
    ],
)
def test_values_that_do_not_fit(name: str, value: Any, words: str) -> None:
    found, (told, *rest) = resolve(VariableInputs(values={**REQUIRED, name: value}))
    assert not rest
    assert told.code == "variable_type_mismatch"
    assert words in told.summary
    assert found[name].value is MISSING


def test_an_integer_serves_as_a_float() -> None:
    found, told = resolve(VariableInputs(values={**REQUIRED, "ratio": 3}))
    assert not told
    assert repr(found["ratio"].value) == "3.0"


def test_unknown_values_pass() -> None:
    unknown = Unknown("later")
    found, told = resolve(VariableInputs(values={**REQUIRED, "stage": unknown, "size": unknown}))
    assert not told
    assert found["stage"].value is found["size"].value is unknown


def test_none_is_not_given() -> None:
    found, told = resolve(VariableInputs(values={**REQUIRED, "stage": NONE}))
    assert not told
    assert found["stage"].value == "dev"


# --- allowed values -----------------------------------------------------------------------------


def test_allowed_values() -> None:
    found, told = resolve(
        VariableInputs(values=REQUIRED, flags={"stage": "production", "size": "4"})
    )
    assert not told
    assert (found["stage"].value, found["size"].value) == ("production", 4)
    found, told = resolve(VariableInputs(values=REQUIRED, flags={"stage": "prod", "size": "3"}))
    assert [(t.code, t.hint) for t in told] == [
        ("variable_value_not_allowed", "allowed are `dev`, `staging`, `production`"),
        ("variable_value_not_allowed", "allowed are `1`, `2`, `4`"),
    ]
    assert "does not allow `prod`, which `--var` gives" in told[0].summary
    assert found["stage"].value is MISSING
    _, (near,) = resolve(VariableInputs(values=REQUIRED, flags={"stage": "stagin"}))
    assert near.hint == "did you mean `staging`?"


# --- missing ------------------------------------------------------------------------------------


def test_all_that_is_missing_is_told_at_once() -> None:
    found, told = resolve(VariableInputs())
    assert [(t.code, str(t.span)) for t in told] == [
        ("required_variable_missing", "blueprint.yaml:1:1"),
        ("required_variable_missing", "blueprint.yaml:2:1"),
    ]
    assert "--var name=VALUE" in (told[0].hint or "")
    assert found["name"].value is found["password"].value is MISSING


def test_a_secret_is_needed_when_it_is_printed() -> None:
    for mode, missing in (("keep", []), ("mask", []), ("reveal", ["required_variable_missing"])):
        found, told = resolve(VariableInputs(values=REQUIRED), secrets=mode)
        assert [t.code for t in told] == missing
        assert found["password"].value is MISSING
        assert found["password"].source == ""


# --- secrets ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        VariableInputs(values={**REQUIRED, "pin": 98765}),
        VariableInputs(values={**REQUIRED, "pin": "98765"}),
        VariableInputs(values=REQUIRED, flags={"pin": "98765"}),
        VariableInputs(values=REQUIRED, flags={"pin": "98765x"}),
        VariableInputs(values=REQUIRED, environment={"BPP_VAR_pin": "x98765"}),
        VariableInputs(values=REQUIRED, files=(file("s.env", "pin=98765x"),)),
        VariableInputs(values=REQUIRED, files=(file("s.yaml", "pin: '98765'"),)),
        VariableInputs(values=REQUIRED, files=(file("s.yaml", "pin: 98765"),)),
    ],
)
def test_a_secret_is_never_told(given: VariableInputs) -> None:
    found, (told,) = resolve(given)
    said = f"{told.summary} {told.hint} {found}"
    assert "98765" not in said
    assert "1234" not in said
    assert found["pin"].value is MISSING


def test_a_mistaken_secret_field_is_careful() -> None:
    text = 'a: {type: string, secret: "yes"}\nb: {type: string, secret: false, default: x}\n'
    found, told = resolve(VariableInputs(), text)
    assert not told
    assert (found["a"].secret, found["b"].secret) == (True, False)


# --- undeclared ---------------------------------------------------------------------------------


def test_undeclared_names_are_warned_of() -> None:
    here = Span(Source("main.yaml", "regoin: 1"), 0, 6)
    given = VariableInputs(
        values={**REQUIRED, "regoin": "x"},
        spans={"regoin": here},
        flags={"stge": "x"},
        files=(file("v.yaml", "zzz: 1\n"),),
        environment={"BPP_VAR_other": "x", "PATH": "y"},
    )
    _, told = resolve(given)
    assert [(t.code, t.severity, str(t.span), t.hint) for t in told] == [
        ("undeclared_variable", "warning", "main.yaml:1:1", "did you mean `region`?"),
        ("undeclared_variable", "warning", "None", "did you mean `stage`?"),
        ("undeclared_variable", "warning", "v.yaml:1:6", None),
    ]
    assert (
        told[1].summary == "`--var` gives a value to `stge`, which the blueprint does not declare"
    )


def test_broken_definitions_are_left_to_the_checks() -> None:
    text = (
        "a: 1\nb: {}\nc: {type: integer, default: x}\n"
        "d: {type: [x], default: 1}\ne: {default: [1]}\n"
    )
    found, told = resolve(VariableInputs(values={"a": "x", "b": 2}), text)
    assert not told
    assert [found[name].value for name in "abcde"] == [MISSING, 2, MISSING, 1, MISSING]


# --- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.yaml", "name: a\nport: 1\nratio: 1.5\ndebug: true\n"),
        ("dir.d/v.YML", "{name: a, port: 1, ratio: 1.5, debug: true}"),
        ("/dev/fd/63", "name: a\nport: 1\nratio: 1.5\ndebug: true\n"),
        ("-", "name: a\nport: 1\nratio: 1.5\ndebug: true\n"),
        ("v.json", '{"name": "a", "port": 1, "ratio": 1.5, "debug": true}'),
        ("v.jsonc", '{"name": "a", /* c */ "port": 1, "ratio": 1.5, "debug": true,}'),
        ("v.toml", "name = 'a'\nport = 1\nratio = 1.5\ndebug = true\n"),
    ],
)
def test_formats_with_types(name: str, text: str) -> None:
    found = file(name, text)
    assert found.name == name
    assert [(k, a.value, a.text) for k, a in found.assignments.items()] == [
        ("name", "a", False),
        ("port", 1, False),
        ("ratio", 1.5, False),
        ("debug", True, False),
    ]


@pytest.mark.parametrize("name", ["v.yaml", "v.json", "v.toml", "v.env"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_empty_files(name: str, mark: bytes) -> None:
    text = b"{}" if name == "v.json" else b""
    found, told = parsed(name, mark + text)
    assert not told
    assert not found.assignments


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.yaml", 'a: "${variables.b} ${"\n'),
        ("v.json", '{"a": "${variables.b} ${"}'),
        ("v.toml", "a = '${variables.b} ${'"),
        ("v.env", "a=${variables.b} ${"),
    ],
)
def test_files_are_data(name: str, text: str) -> None:
    assert file(name, text).assignments["a"].value == "${variables.b} ${"


def test_a_wrong_value_is_shown_in_its_file() -> None:
    given = VariableInputs(
        values={"name": "x"}, files=(file("vars.yaml", "# c\nother:  1\nport: 'x'\n"),)
    )
    _, told = resolve(given, DEFINITIONS + "other: {type: string}\n")
    assert [(str(t.span), t.hint) for t in told] == [
        ("vars.yaml:3:7", "write it without quotes"),
        ("vars.yaml:2:9", "put it in quotes to make it a string"),
    ]
    assert told[0].summary == ("variable `port` must be an integer, but `vars.yaml` gives a string")
    assert [(n.text, str(n.span)) for n in told[0].notes] == [
        ("`port` is declared here", "blueprint.yaml:2:1")
    ]


ENV = """\
# a comment
 export A = plain text  # comment
B=
C= # nothing
D=#fff
E='single $x \\n "quoted"'
F="double \\"x\\" \\\\ \\$ \\n \\q" # comment
G="over
two lines"
H='a'   \t
I.j-k=a=b#c
L=it's
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_env_files(newline: str) -> None:
    found = file("v.env", ENV.replace("\n", newline)).assignments
    assert {name: a.value for name, a in found.items()} == {
        "A": "plain text",
        "B": "",
        "C": "",
        "D": "#fff",
        "E": 'single $x \\n "quoted"',
        "F": 'double "x" \\ $ \n \\q',
        "G": f"over{newline}two lines",
        "H": "a",
        "I.j-k": "a=b#c",
        "L": "it's",
    }
    assert all(a.text for a in found.values())
    assert str(found["A"].span) == "v.env:2:13"


@pytest.mark.parametrize("name", [".env", "a/.env", ".env.production", "prod.env", "X.ENV"])
def test_names_of_env_files(name: str) -> None:
    assert file(name, "A=1").assignments["A"].value == "1"


@pytest.mark.parametrize(
    ("name", "text", "codes", "place", "words"),
    [
        ("v.yaml", "- a", ["invalid_variables_file"], "v.yaml:1:1", "is a map"),
        ("v.yaml", "a: [1]", ["invalid_variables_file"], "v.yaml:1:4", "not an array"),
        ("v.yaml", "a: {b: 1}", ["invalid_variables_file"], "v.yaml:1:4", "not an object"),
        ("v.yaml", "a:\nb: 1", ["invalid_variables_file"], "v.yaml:1:3", "not null"),
        ("v.yaml", "a: 1\na: 2", ["duplicate_key"], "v.yaml:2:1", ""),
        ("v.json", "[1]", ["invalid_variables_file"], "v.json:1:1", "is a map"),
        ("v.toml", "a = 1\nb = ", ["invalid_variables_file"], "v.toml:2:5", "invalid TOML: "),
        (
            "v.toml",
            "a = 1\na = 2\n",
            ["invalid_variables_file"],
            "v.toml:2:1",
            "invalid TOML: `a` ",
        ),
        ("v.toml", "x = 1\n[a]\nb = 1", ["invalid_variables_file"], "v.toml:2:2", "an object"),
        ("v.toml", "a.b = 1", ["invalid_variables_file"], "v.toml:1:3", "an object"),
        ("v.toml", "a = 2023-01-01", ["invalid_variables_file"], "v.toml:1:5", "a date"),
        ("v.toml", "a = 1979-05-27T07:32:00Z", ["invalid_variables_file"], "v.toml:1:5", "time"),
        ("v.toml", "a = inf", ["invalid_variables_file"], "v.toml:1:5", "not finite"),
        ("v.toml", f"a = {2**63}", ["invalid_variables_file"], "v.toml:1:5", "64 bits"),
        ("v.toml", f"a = {'9' * 5000}", ["invalid_variables_file"], "v.toml:1:1", "cannot be"),
        ("v.toml", f"a = {'[' * 5000}", ["invalid_variables_file"], "v.toml:1:1", "cannot be"),
        ("v.env", "A=1\nnonsense", ["invalid_variables_file"], "v.env:2:1", "not `NAME=value`"),
        ("v.env", "A B=1", ["invalid_variables_file"], "v.env:1:1", "not `NAME=value`"),
        ("v.env", "B='x\nA=1", ["invalid_variables_file"], "v.env:1:1", "not closed"),
        ("v.env", 'B="x" y\nA=1', ["invalid_variables_file"], "v.env:1:7", "more text"),
        ("v.env", "A=1\nA=2", ["duplicate_key"], "v.env:2:1", "given twice"),
        ("v.txt", "A=1", ["invalid_variables_file"], "v.txt:1:1", "unknown extension `.txt`"),
        ("v.yaml", b"a: \xff", ["invalid_utf8"], "v.yaml:1:4", "not valid UTF-8"),
        ("v.env", "A=1".encode("utf-16"), ["invalid_utf8"], "v.env:1:1", "UTF-16"),
    ],
)
def test_mistakes_in_files(
    name: str, text: str | bytes, codes: list[str], place: str, words: str
) -> None:
    found, told = parsed(name, text)
    assert [t.code for t in told] == codes
    assert str(told[0].span) == place
    assert words in told[0].summary
    # what can be read is still there
    wanted = "A=1" in str(text) and name == "v.env" and isinstance(text, str)
    assert not wanted or "A" in found.assignments


def test_env_files_do_not_tell_secrets() -> None:
    _, told = parsed("v.env", 'pass word=hunter2\nB=\'hunter2\nC="x" hunter2\n')
    assert len(told) == 3
    assert "hunter2" not in "".join(f"{t.summary} {t.hint}" for t in told)


def test_large_files_are_read_in_time() -> None:
    import time

    start = time.process_time()
    for text in ('A="' + "\\x" * 200_000, "A=" + " x" * 200_000, "A=" + " " * 400_000 + "x"):
        parsed("v.env", text)
    assert time.process_time() - start < 3
