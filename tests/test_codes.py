"""Every diagnostic code has a record, every record is used, and the reference page shows them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bpp.pipeline.codes import CODES, TOPICS, Code, find, page
from bpp.pipeline.dialects.bluelink.structure.structure import check_structure
from bpp.pipeline.dialects.bluelink.syntax import SYNTAX
from bpp.pipeline.formats.detection import format_of_text, read
from bpp.pipeline.language.language import Language
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from support.rows import hold

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pipeline", "functions", "transforms")
RECORDS = ROOT / "pipeline" / "codes"

# The position of the code among the arguments of what is called; the keywords count in every call.
POSITIONS = {
    "error": 0,
    "warn": 0,
    "Diagnostic": 0,
    "LanguageError": 0,
    "Failure": 0,
    "report.add": 0,
    "FileProblem": 0,
    "NetworkProblem": 0,
    "RemoteProblem": 0,
    "Closed": 0,
    "report_missing": 0,
    "one_of": 1,
    "type_like": 1,
    "scalars": 0,
    "FunctionError": 1,
    "Remark": 0,
    "AtKey": 0,
    "check_word": 3,
}
KEYWORDS = ("code", "missing")

LANGUAGE = Language(SYNTAX, Limits())
WORD = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

# Codes that no source names: they belong to answers of providers and plug-ins, or are kept so that
# their names are not given another meaning. A name leaves this set when the source begins to use
# it, and its record goes with it when nothing ever will.
RESERVED = frozenset(
    {
        "computed_field_in_blueprint",
        "data_source_empty_filter",
        "data_source_field_missing",
        "data_source_field_type_mismatch",
        "data_source_filter_field_conflict",
        "data_source_filter_field_not_supported",
        "data_source_filter_operator_not_supported",
        "data_source_missing_type",
        "empty_condition",
        "include_failed",
        "invalid_children",
        "invalid_condition",
        "invalid_datasources_file",
        "invalid_link_selector",
        "invalid_resource_spec",
        "invalid_spec_ext",
        "invalid_state",
        "invalid_transform",
        "invalid_value",
        "max_depth_exceeded",
        "missing_export_type",
        "missing_resource_dependency",
        "parse_error",
        "provider_not_found",
        "resource_type_not_found",
        "value_not_found",
        "variable_invalid_or_missing",
        "variable_not_found",
        "variable_null_allowed_value",
    }
)


def sources() -> list[Path]:
    return sorted(
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if RECORDS not in path.parents
    )


def called(node: ast.Call) -> str:
    match node.func:
        case ast.Attribute(value=ast.Name(id="report"), attr="add"):
            return "report.add"  # other things have an `add` as well
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def literals(node: ast.expr) -> Iterator[tuple[str, int]]:
    """The string that an expression is, or the two that a conditional one chooses from; lines."""
    match node:
        case ast.Constant(value=str(text)):
            yield text, node.lineno
        case ast.IfExp():
            yield from literals(node.body)
            yield from literals(node.orelse)


def codes_in(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every literal that stands where a code is expected."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if any(keyword.arg == "reported" for keyword in node.keywords):
                continue  # follows from a mistake that has its diagnostic: no code of its own
            position = POSITIONS.get(called(node), len(node.args))
            for argument in node.args[position : position + 1]:
                yield from literals(argument)
            for keyword in node.keywords:
                if keyword.arg in KEYWORDS:
                    yield from literals(keyword.value)
        elif isinstance(node, ast.arguments):
            named = [*node.posonlyargs, *node.args]
            defaults = list(zip(reversed(named), reversed(node.defaults), strict=False))
            defaults += [
                (argument, default)
                for argument, default in zip(node.kwonlyargs, node.kw_defaults, strict=True)
                if default is not None
            ]
            for parameter, default in defaults:
                if parameter.arg == "code":
                    yield from literals(default)


def words_in(tree: ast.AST) -> set[str]:
    """Every string literal: codes also travel through tables and arguments of other names."""
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_every_code_has_a_record_and_every_record_is_used_or_reserved() -> None:
    used: set[str] = set()
    unknown = []
    for path in sources():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used |= words_in(tree)
        unknown += [
            f"{path.relative_to(ROOT)}:{line}: {code}"
            for code, line in codes_in(tree)
            if code not in CODES
        ]
    assert not unknown
    assert set(CODES) - used - RESERVED == set()
    assert set(CODES) >= RESERVED


def named(code: Code) -> str:
    return code.name


def test_every_record_is_complete() -> None:
    hold(CODES.values(), _is_complete, named)


def _is_complete(code: Code) -> None:
    assert WORD.fullmatch(code.name)
    assert code.topic in TOPICS
    assert not code.title.endswith(".")
    for text in (code.text, code.remedy):
        assert text.endswith(".")
        assert "  " not in text
    assert text_sentences(code) >= 2
    shown = page(code)
    assert shown.startswith(code.name)
    assert all(len(line) <= 80 for line in shown.splitlines() if not line.startswith("    "))


def text_sentences(code: Code) -> int:
    return len(re.findall(r"[.!?](?:\s|$)", f"{code.text} {code.remedy}"))


def test_an_example_gives_its_code_and_no_other() -> None:
    hold([code for code in CODES.values() if code.example], _gives_its_code, named)


def _gives_its_code(code: Code) -> None:
    """As far as reading and structure go: most of the others need a whole run."""
    text = blueprint(code)
    source = Source("example", text, format_of_text(text))
    diagnostics = Diagnostics()
    root = read(source, LANGUAGE.split, LANGUAGE.opener, Meter(Limits()), diagnostics)
    if root is not None:
        check_structure(root, LANGUAGE.opener, diagnostics)
    assert {item.code for item in diagnostics} <= {code.name}


def blueprint(code: Code) -> str:
    """An example as a whole blueprint, unless what it lacks is the point."""
    text = code.example
    if text.startswith("${"):
        quoted = text.replace("'", "''")
        text = f"values:\n  a:\n    type: string\n    value: '{quoted}'\n"
    if text.startswith(("{", "%")):
        return text
    if "version:" not in text and code.name != "missing_version":
        text = f"version: 2023-04-20\n{text}"
    if not re.search("^(resources|include):", text, re.M) and code.name != "missing_resources":
        text += "resources: {}\n"
    return text


def test_codes_are_found_however_they_are_spelled() -> None:
    assert find(" Unknown-Field ") is CODES["unknown_field"]
    assert find("no_such_code") is None


def test_start_up_does_not_pay_for_the_records() -> None:
    program = (
        "import sys\n"
        "import bpp.pipeline, bpp.pipeline.values.diagnostics, bpp.pipeline.formats.report\n"
        "heavy = {'bpp.pipeline.codes', 'bpp.pipeline.formats.records', 'cattrs', 'json'}\n"
        "print(*sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "\n"


def test_the_reference_page_is_up_to_date() -> None:
    tool = ROOT / "tools" / "diagnostic_reference.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
