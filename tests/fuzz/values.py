"""Plain data that is hard to write and to read back: texts that look like other things."""

from __future__ import annotations

import json
import math
import struct
from random import Random
from typing import Any, Final

WORDS: Final = (
    "y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nil", "undefined",
)  # fmt: skip
LOOKS: Final = (
    "", " ", "  ", "~", "=", "==", "<<", "<", "-", "--", "---", "--- a", "...", "... a", ".", "..",
    "?", "? a", ":", ": a", "a:", "a: b", "a :b", "#", "# a", "a #b", "a#b", ",", "[", "]", "[]",
    "{", "}", "{}", "[a, b]", "{a: b}", "&a", "*a", "!a", "!!str a", "|", ">", "|-", ">+2", "%a",
    "%YAML 1.1", "@a", "`a`", "'", "''", "'a'", '"', '""', '"a"', "it's", 'say "x"', 'it\'s "x"',
    "\\", "a\\", "a\\nb", "\\u0041", "\\x", "- a", "-a", "a - b", "key: - a", "?a", ":a", "::",
    "a::b", "1", "-1", "+1", "0", "-0", "00", "010", "08", "0o7", "0o8", "0x1F", "0xg", "-0x1",
    "0b1", "0b2", "1_000", "_1", "1_", "1:30", "190:20:30", "190:20:30.15", "1:60", "1.5", "1.",
    ".5", "-.5", "+.5", "1e3", "1E+3", "1e", "1.e2", "1.0e+3", "6.02e23", "1.2.3", "0.", "-", "+",
    "._", "_", "0_", "-_", ".inf", "-.INF", "+.Inf", ".nan", ".NaN", "inf", "Infinity", "NaN",
    "nan", "1e400", "-1e400", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "1" * 30, "0x" + "f" * 20, "2023-04-20", "2023-4-2", "2023-02-30", "2023-04-20 10:00:00",
    "2023-04-20T10:00:00Z", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "10:00",
    "10:00:00", "12e03", "http://a.b:80/c?d=e#f", "arn:aws:iam::1:role/x", "C:\\x", "a/b", "~/x",
    "a@b.c", "$x", "${", "}", "$", "$$", "{{a}}", "<%a%>", "100%", "a,b", "a, b", "(a)", "a=b",
    "a;b", "a|b", "a>b", "key", "\0",
)  # fmt: skip
CHARACTERS: Final = (
    " ", "\t", "\n", "\r", "\r\n", "\v", "\f", "\0", "\x01", "\x07", "\b", "\x1b", "\x1b[31m",
    "\x1f", "\x7f", "\x80", "\x85", "\x9b", "\x9f", "\xa0", "\xad", "\u0300", "\u061c", "\u0660",
    "\u115f", "\u1680", "\u180e", "\u2000", "\u200b", "\u200d", "\u200e", "\u2028", "\u2029",
    "\u202e", "\u2060", "\u2066", "\u3000", "\ud7ff", "\ue000", "\ufdd0", "\ufe0f", "\ufeff",
    "\ufff9", "\ufffd", "\ufffe", "\uffff", "\U00010000", "\U0001f600", "\U0001fffe",
    "\U000e0041", "\U0010ffff", "é", "ß", "日本", "א", "١", "１", "k\u0327", "😀",
    "👩‍💻", ":", "#", "-", "?", ",", "[", "]", "{", "}", "&", "*", "!", "|", ">", "'", '"', "%",
    "@", "`", "\\", "/", "$", ".", "0", "9", "a", "e", "x", "_", "=", "<", "~",
)  # fmt: skip
NUMBERS: Final = (
    0, 1, -1, 7, 8, 10, 255, 10**6, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 0.0, -0.0, 0.1,
    1.0, 1.5, -2.5, 1e3, 1e15, 1e16, 1e17, 1e22, 1e-4, 1e-5, 1e-7, 1e100, 1.7976931348623157e308,
    5e-324, 2.2250738585072014e-308, 0.30000000000000004, 123456789.123456789, 1e21,
    12345678901234567.0,
)  # fmt: skip


def text(rng: Random) -> str:
    """A string from the pools, or of characters from them; sometimes a long one."""
    kind = rng.randrange(16)
    if kind < 3:
        return rng.choice(LOOKS)
    if kind < 5:
        word = rng.choice(WORDS)
        return rng.choice(
            (word, word.upper(), word.title(), word.swapcase(), word + " ", word + "x")
        )
    if kind < 9:
        return "".join(rng.choices(CHARACTERS, k=rng.randrange(1, 7)))
    if kind < 12:
        return "".join(rng.choice(rng.choice((LOOKS, CHARACTERS))) for _ in range(rng.randrange(4)))
    if kind < 14:
        lines = [rng.choice(LOOKS) for _ in range(rng.randrange(1, 5))]
        return "\n".join(lines) + rng.choice(("", "\n", "\n\n", " "))
    if kind == 14:
        return str(number(rng))
    if rng.randrange(8):
        return "".join(chr(character(rng)) for _ in range(rng.randrange(1, 12)))
    return rng.choice(("a", "a ", "ab\n", "é", " ", "'", '"\\', "1", "😀x")) * rng.randrange(
        200, 1200
    )


def character(rng: Random) -> int:
    """Any code point that is no surrogate, small ones more often."""
    code = rng.randrange(1 << rng.randrange(5, 21)) % 0x110000
    return code if not 0xD800 <= code <= 0xDFFF else code - 0x800


def number(rng: Random) -> int | float:
    """An integer of 64 bits or a finite float."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(NUMBERS)
    if kind == 1:
        return rng.randrange(-(1 << rng.randrange(1, 64)), 1 << rng.randrange(1, 64))
    if kind == 2:
        return round(rng.uniform(-1000, 1000), rng.randrange(6))
    found: float = struct.unpack("<d", rng.getrandbits(64).to_bytes(8, "little"))[0]
    return found if math.isfinite(found) else 0.5


def data(rng: Random, depth: int = 3) -> Any:
    """Nested data; the strings are those of `text`, keys too."""
    kind = rng.randrange(10 if depth else 7)
    if kind < 4:
        return text(rng)
    if kind < 6:
        return number(rng)
    if kind == 6:
        return rng.choice((None, True, False))
    size = rng.randrange(4)
    if kind == 7:
        return [data(rng, depth - 1) for _ in range(size)]
    return {text(rng)[:900]: data(rng, depth - 1) for _ in range(size)}


def same(left: Any, right: Any) -> bool:
    """Equal, and of equal types all the way down: 1, 1.0 and True are three values."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float):
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return bool(left == right)


def nodes(value: Any) -> int:
    """How many values there are in some data, keys among them."""
    if isinstance(value, dict):
        return 1 + len(value) + sum(map(nodes, value.values()))
    return 1 + sum(map(nodes, value)) if isinstance(value, list) else 1


def shown(value: Any) -> str:
    """Data as a short ASCII text for a message."""
    found = json.dumps(value)
    return found if len(found) <= 400 else found[:400] + "..."
