"""What inputs are made of: our own blueprints, their expressions, and tokens of each format."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

from bpp.functions import core_functions
from bpp.pipeline.formats.detection import read_plain
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from bpp.pipeline.world.data_files import plain

ROOT: Final = Path(__file__).resolve().parents[2]
_FOLDERS: Final = ("tests/cases", "examples")
_MOST_CHARS: Final = 3000

YAML_TOKENS: Final = (
    "version: 2023-04-20\n", "resources:\n", "  a:\n", "    type: x/y\n", "    spec:\n",
    "      k: ", "values:\n", "variables:\n", "a: ", "b: ", "- ", "-\n", "? ", ": ", ":", "\n",
    "\n  ", "\n    ", "\n\n", "  ", " ", "\t", "\n\t", "\r\n", "\r", "#", " # c\n", "|\n", "|-\n",
    "|+\n", "|2\n", ">\n", ">-\n", ">1+\n", "'", "''", '"', '\\"', "\\", '"a\\nb"', "\\x41",
    "\\u00e9", "\\U0001F600", "\\ud83d", "\\\n", "'x'", '"x"', "[", "]", "{", "}", ",", ", ", "[]",
    "{}", "[a, b]", "{a: 1}", "&a ", "*a", "!t ", "!!str ", "<<: ", "<<", "---\n", "--- ", "...\n",
    "...", "%YAML 1.1\n", "%TAG ! x\n", "%", "@", "`", "~", "null", "true", "1", "-1", "0x1F",
    "0o17", "1.5", "1e999", ".inf", ".nan", "2023-04-20", "99999999999999999999", "x", "two words",
    "${", "}", "${variables.a}", "${elem}", '${join(list("a"), "-")}', "\ufeff", "\x00", "\x85",
    "\u2028", "é", "𝄞", "\x1b[0m", "k" * 1100 + ": ",
)  # fmt: skip
JSON_TOKENS: Final = (
    "{", "}", "[", "]", ",", ":", '"', '"a"', '"b": ', '"a": ', "{}", "[]", '{"a": 1}', "null",
    "true", "false", "nul", "True", "NaN", "Infinity", "-Infinity", "0", "-0", "1", "-1", "01",
    "1.", ".5", "1.5", "1e3", "1E+3", "1e", "1e999", "0x1", "+1", "99999999999999999999",
    "9223372036854775807", "-", "//", "// c\n", "/*", "*/", "/* c */", "/", " ", "\n", "\t", "\r\n",
    "\\", "\\n", "\\u0041", "\\ud83d\\ude00", "\\ud83d", "\\ude00", "\\x", "\\u12", "\x00", "\x1f",
    "\x7f", "\ufeff", "\u2028", "é", "😀", "\ud800", "'", "'a'", "a", "#", '"${variables.a}"',
    '"${', "}", '"version": "2023-04-20", ', '"resources": {', "\u00a0", "\f", "\v",
)  # fmt: skip


@cache
def yaml_seeds() -> tuple[str, ...]:
    """The YAML files of the cases and the examples, sorted by path."""
    return tuple(_texts(".yaml"))


@cache
def json_seeds() -> tuple[str, ...]:
    """JSON files, and the YAML files written as JSON."""
    found = _texts(".json") + _texts(".jsonc")
    for number, text in enumerate(yaml_seeds()):
        root = read_plain(Source("seed.yaml", text, "yaml"), Meter(Limits()), Diagnostics())
        if root is not None:
            found.append(
                json.dumps(plain(root), ensure_ascii=False, indent=(None, 1, 2)[number % 3])
            )
    return tuple(text for text in found if len(text) <= _MOST_CHARS)


@cache
def expression_seeds() -> tuple[str, ...]:
    """Strings with substitutions: those of the seeds, and the examples of the functions."""
    found = {"${" + e.expression + "}" for f in core_functions().values() for e in f.examples}
    for text in yaml_seeds():
        for line in text.splitlines():
            start = line.find("${")
            if start >= 0:
                found.add(line[start:])
    return tuple(sorted(found))


@cache
def input_seeds() -> tuple[str, ...]:
    """Files with variables, state and records, in any of their formats."""
    return (*_texts(".toml"), *_texts(".env"), *_texts("state.yaml"), *_texts("vars.yaml"))


def _texts(ending: str) -> list[str]:
    files = [
        f for name in _FOLDERS for f in sorted((ROOT / name).rglob(f"*{ending}")) if f.is_file()
    ]
    texts = [file.read_bytes().decode("utf-8", "replace") for file in files]
    return [text for text in texts if text and len(text) <= _MOST_CHARS]
