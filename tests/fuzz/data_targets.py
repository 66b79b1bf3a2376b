"""Readers and writers on known data: what comes out is what went in."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from bpp.pipeline.engine.input_files import read_variables
from bpp.pipeline.formats.detection import read_plain
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source
from bpp.pipeline.world.data_files import plain, read_data

from . import layouts, values, written
from .mutation import mutated, soup
from .seeds import JSON_TOKENS, YAML_TOKENS, input_seeds, json_seeds, yaml_seeds
from .verdict import broken, examine, printed

LIMITS: Final = Limits()
_WIDE: Final = LIMITS.evolve(max_key_chars=100_000)
_SEPARATOR: Final = "\n=====\n"
_TOKENS: Final = (
    "a = ", "a=", "[a]\n", "[[a]]\n", "a.b = ", '"a"', "'a'", '"""', "'''", "1", "1_0", "0x1",
    "0b1", "1e3", "inf", "nan", "true", "2023-04-20", "2023-04-20T10:00:00Z", "10:00:00", "[1, 2]",
    "{a = 1}", "\n", "# c\n", "export ", "A=b\n", "A='b'\n", 'A="b\\n"\n', "$", "${A}", "\\", "=",
    ",", " ", "\t", "\x00", "\x85", "\u2028", "é", "\r\n", "\\ud800", "\\U0001F600",
    "99999999999999999999",
)  # fmt: skip
_INPUT_NAMES: Final = ("a.toml", "a.env", ".env", "a.json", "a.yaml", "vars", "a.b")


def make_layout(rng: Random) -> str:
    """Data as YAML in some layout, and the data."""
    data = {"k": values.data(rng)} if rng.randrange(3) else [values.data(rng, 2)]
    return layouts.yaml_text(rng, data) + _SEPARATOR + json.dumps(data)


def hold_layout(case: str) -> None:
    """However known data is laid out, it is read."""
    _read_back(case, "yaml")


def make_jsonc(rng: Random) -> str:
    """Data as JSON in some layout, and the data."""
    data = values.data(rng)
    return layouts.json_text(rng, data) + _SEPARATOR + json.dumps(data)


def hold_jsonc(case: str) -> None:
    """However known data is laid out and commented, it is read."""
    _read_back(case, "json")


def _read_back(case: str, form: str) -> None:
    text, separator, data = case.rpartition(_SEPARATOR)
    if not separator:
        broken("the input is no text with its data")
    diagnostics = Diagnostics()
    root = read_plain(Source(f"main.{form}", text, form), Meter(_WIDE), diagnostics)
    if root is None or len(diagnostics):
        broken("known data is refused", [(item.code, str(item.span)) for item in diagnostics])
    if not values.same(plain(root), json.loads(data)):
        broken("known data is read differently", plain(root), json.loads(data))


def make_data(rng: Random) -> str:
    """Data alone."""
    return json.dumps(values.data(rng))


def hold_data(case: str) -> None:
    """What we write, every reader reads back."""
    wrong = written.differences(json.loads(case))
    if wrong:
        broken("what is written is read back differently", *wrong)


def make_input(rng: Random) -> str:
    """A file name, a line break, and what the file holds."""
    name = rng.choice(_INPUT_NAMES)
    kind = rng.randrange(4)
    if kind == 0:
        return f"{name}\n{soup(rng, _TOKENS)}"
    if kind == 1:
        return f"{name}\n{soup(rng, JSON_TOKENS if 'json' in name else YAML_TOKENS)}"
    seeds = json_seeds() if "json" in name else yaml_seeds() if "yaml" in name else input_seeds()
    return f"{name}\n{mutated(rng, seeds, _TOKENS)}"


def hold_input(case: str) -> None:
    """A file of variables, state or records is read, or refused with places."""
    name, _, text = case.partition("\n")
    for reader in (read_variables, read_data):
        diagnostics = Diagnostics()
        found: Any = reader(name, text.encode("utf-8", "surrogatepass"), Meter(LIMITS), diagnostics)
        if reader is read_data and found[1] is None and not diagnostics.errors:
            broken("neither data nor an error")
        examine(diagnostics)
        printed(diagnostics)
