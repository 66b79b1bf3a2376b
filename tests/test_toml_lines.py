"""TOML that is read line by line means what the standard library's reader says it does."""

from __future__ import annotations

import random
import tomllib

import pytest
from bpp.pipeline.formats.toml_lines import ordinary_toml

KEYS = ["a", "b", "a.b", "a.b.c", "b.a", "-", "_1", "1", "é", '"a"', "", " a", "a "]
VALUES = [
    *(
        '"x"',
        '"a, b"',
        '""',
        '"',
        '"\\"',
        '"\\n"',
        '"é"',
        '"a"b"',
        '"a" # c',
        '"[x"',
        "'x'",
        "'a\"b'",
        "'\\n'",
    ),
    *("1", "0", "01", "-1", "1_0", "1.5", "٣", "1 ", "true", "false", "1979-05-27", '"""x"""'),
    *("[]", "[ ]", '["a"]', '["a", "b"]', '["a","b"]', '["a", ]', "[1, 2]", '[true, "x"]'),
    *('[["a"]]', '["[x"]', '["a, b"]', '["a" "b"]', "[, ]", "{}", "{a = 1}", '"\t"', ""),
]
LINES = ["# c", "", "  ", "#\x01", "x", "[a", "a]", "=", "a=1", "[[a]]", "[[b.a]]", "\r", "[a] # c"]


def _line(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.05:
        return chance.choice(LINES)
    if kind < 0.4:
        return f"[{chance.choice(KEYS[:8] if kind < 0.39 else KEYS)}]"
    few = kind < 0.9
    return f"{chance.choice(KEYS[:8] if few else KEYS)} = {chance.choice(VALUES)}"


def test_what_is_read_is_what_it_means() -> None:
    chance = random.Random(20230420)
    read = 0
    for _ in range(20_000):
        text = "\n".join(_line(chance) for _ in range(chance.randrange(1, 6)))
        data = ordinary_toml(text)
        if data is not None:
            read += 1
            # as text, so that the order of keys counts, and 1 is not true
            assert repr(data) == repr(tomllib.loads(text)), text
    assert read > 2_000


@pytest.mark.parametrize(
    "text",
    [
        '# what it is\n[targets.api]\nblueprint = "api.yaml"\nmatrix.region = ["eu", "us"]\n',
        '[defaults]\nstrict = true\nseed = 7\nvars = []\n\n[targets.a-b_1]\noutput = "é.yaml"\n',
    ],
)
def test_ordinary_configurations_are_read(text: str) -> None:
    assert ordinary_toml(text) == tomllib.loads(text)
