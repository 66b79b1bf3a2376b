"""Random expressions: mostly of the types that functions want, known in part."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any, Final

from bpp.functions import NONE, Function, core_functions

# A scope in which some names have values and others are not known yet.
SCOPE: Final[dict[str, Any]] = {
    "variables": {"a": "abc", "empty": "", "count": 3, "on": True, "odd": 'x"${y}\\', "ratio": 1.5},
    "values": {
        "list": ["b", "abc", "", NONE, 2],
        "object": {"k": "v", "n": 1, "odd key": "o", "none": NONE, "deep": {"l": [[1], {"m": 2}]}},
        "texts": ["b", "", "a", "\n"],
        "json": '{"a": [1, {"b c": null}], "~": 1e3}',
        "big": 2**63 - 1,
    },
    "elem": {"k": "e", "n": [1, 2]},
    "i": 2,
    "resources": {"r": {"state": {"text": "s-1", "list": ["x", "y"]}, "spec": {"name": "n"}}},
}
LEAVES: Final = {
    "string": (
        '"a"', '""', '"abc"', '"${"', r'"\"}"', '"a.b"', "variables.a", "variables.odd",
        "values.json", "values.object.k", 'values.object["odd key"]', "values.list[0]", "elem.k",
        "resources.r.state.text", "resources.x.state.t", "x.state.t", '"2023-04-20"',
        '"10.0.0.0/8"', '"/a/1"', '"unix"', '"é😀"', "resources.r.spec.name", "children.c.out",
        "datasources.d.vpc", '"\n\t"', '"child.yaml"',
    ),
    "integer": (
        "0", "1", "-1", "3", "007", "i", "variables.count", "values.big", "-9223372036854775808",
        "9223372036854775807", "values.object.n", "resources.x.state.n", "resources.r.state.n",
    ),
    "float": (
        "1.5", "-0.0", "variables.ratio", "1.0", "0.1", "123456789012345680.0",
        "resources.x.state.f",
    ),
    "boolean": (
        "true", "false", "variables.on", "resources.x.state.on",
    ),
    "array": (
        "[]", "[1, 2]", '["a"]', "values.list", "values.texts", "resources.x.state.list",
        "resources.r.state.list", "datasources.d.subnets", "elem.n",
    ),
    "object": (
        "values.object", "object()", 'object(a = 1, b-c = "x")', "elem", "resources.x.state.o",
    ),
    "binary": (
        'base64decode("YQ==")', 'base64decode("//8=")', 'file("data.txt")',
    ),
    "function": (
        "to_upper", "not", "trim", "len", "eq", 'getattr("k")', "getelem(0)", "replace_g", "max",
        'compose(to_upper, trimprefix_g("a"))', 'pipe(len, eq)', "unknown_function", "sha256",
    ),
    "resource": (
        '"r"', "resources.r", "x", "resources.x",
    ),
    "any": (
        "none", "variables.empty", "values.object.none", "values.list[3]", "elem",
        "resources.x.state", "values.object.deep.l[1].m", "values.missing", "variables.missing",
        "resources.r[1].spec.name",
    ),
}  # fmt: skip
TOKENS: Final = (
    "${", "}", "${", "}", "(", ")", "[", "]", ",", ".", "=", " ", "\n", "\t", '"', '\\"', "\\", "'",
    "-", "+", "0", "1", "42", "-1", "1.5", "1.", ".5", "1e3", "9223372036854775808", "true",
    "false", "none", "null", "variables", "values", "resources", "elem", "i", "datasources",
    "children", "variables.a", "x.y", "a-b", "list(", "object(", "if(", "map(", "join(", "len(",
    '"a"', '["a b"]', '["a.b"]', "['k']", "[0]", "[]", "[99999999999999999999]", "==", "&&", "||",
    "!", "?", ":", ":-", "/", "*", "#", "$", "$$", "{", "é", "😀", "\u00a0", "\u2028", "\x00",
    "\x7f", "_", "k = ", "k=", "elem.k", "values.list[0]", "${variables.a}",
)  # fmt: skip


@cache
def _functions() -> tuple[Function, ...]:
    return tuple(function for function in core_functions().values())


@cache
def _giving(kind: str) -> tuple[Function, ...]:
    return tuple(f for f in _functions() if f.result == kind or "any" in (f.result, kind))


def expression(rng: Random, kind: str = "any", depth: int = 3) -> str:
    """An expression, without delimiters, that mostly gives a value of a type."""
    if not rng.randrange(12):
        kind = rng.choice(tuple(LEAVES))
    if not depth or not rng.randrange(3):
        return rng.choice(LEAVES[kind] if kind in LEAVES else LEAVES["any"])
    if kind == "array" and not rng.randrange(3):
        return f"[{', '.join(expression(rng, 'any', depth - 1) for _ in range(rng.randrange(4)))}]"
    if kind == "object" and not rng.randrange(2):
        return call(rng, "object", _fields(rng, depth))
    giving = _giving(kind)
    if not giving:
        return rng.choice(LEAVES["any"])
    function = rng.choice(giving)
    if function.name == "object":
        return call(rng, "object", _fields(rng, depth))
    written = call(rng, function.name, _arguments(rng, function, depth))
    if not rng.randrange(10):
        written += rng.choice((".k", "[0]", '["odd key"]', ".k[1]", "[0].k", "[-1]", "[]"))
    return written


def call(rng: Random, name: str, arguments: list[str]) -> str:
    """A call, with white space where it may stand."""
    if rng.randrange(4):
        return f"{name}({', '.join(arguments)})"
    blank = rng.choice(("", " ", "\n", "\t ", "  "))
    return f"{name}{blank}({blank}{f'{blank},{blank}'.join(arguments)}{blank})"


def _arguments(rng: Random, function: Function, depth: int) -> list[str]:
    count = function.minimum
    if function.maximum is None:
        count += rng.randrange(3)
    elif function.maximum > count:
        count += rng.randrange(function.maximum - count + 1)
    if not rng.randrange(20):
        count = rng.randrange(5)
    arguments = []
    for position in range(count):
        parameter = function.parameter(position)
        kinds = parameter.types if parameter else ("any",)
        if parameter and parameter.choices and rng.randrange(3):
            arguments.append(f'"{rng.choice(parameter.choices)}"')
        else:
            arguments.append(expression(rng, rng.choice(kinds), depth - 1))
    return arguments


def _fields(rng: Random, depth: int) -> list[str]:
    names = rng.sample(("k", "a", "b-c", "n", "true", "elem", "_1"), rng.randrange(4))
    return [
        f"{name}{rng.choice(('=', ' = '))}{expression(rng, 'any', depth - 1)}" for name in names
    ]


def template(rng: Random, depth: int = 3) -> str:
    """A string with substitutions: mostly one alone, else some in text."""
    if rng.randrange(4):
        return f"${{{expression(rng, depth=depth)}}}"
    pieces = []
    for _ in range(rng.randrange(1, 4)):
        pieces.append(rng.choice(("", "a", "-", " ", "\n", "$", "}", "é", ": ", " #", "{", '"')))
        pieces.append(f"${{{expression(rng, 'string', depth - 1)}}}")
    return "".join(pieces)
