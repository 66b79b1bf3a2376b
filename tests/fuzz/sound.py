"""Random blueprints without a mistake, so that there is an output to hold against the laws."""

from __future__ import annotations

import re
from random import Random
from typing import Any, Final

from .values import LOOKS, text

Names = dict[str, list[str]]

# `@kind` stands for an expression of that kind; `strings` are arrays of nothing but strings.
_FORMS: Final[dict[str, tuple[str, ...]]] = {
    "string": (
        "to_upper(@string)", 'join(@strings, "-")', "join(@strings, @string)", "trim(@string)",
        "if(@boolean, @string, @string)", "coalesce(none, @string)", "first(@string, @string)",
        "object(k = @string, j = @any).k", "list(@integer, @string)[1]", "sha256(@string)",
        'lookup(object(k = @string), "k")', "trimprefix(@string, @string)", "base64encode(@string)",
        "utf8(base64decode(base64encode(@string)))", 'replace(@string, "a", @string)',
        'if(@boolean, @string, "")', "coalesce(@maybe, @string)",
    ),
    "maybe": ("none", "@string", "if(@boolean, @string, none)", "if(@boolean, none, @maybe)"),
    "integer": (
        "len(@string)", "len(@array)", "if(@boolean, @integer, @integer)", "abs(@integer)",
        "min(@integer, 3, @integer)", "max(@integer, @integer)",
    ),
    "boolean": (
        "eq(@string, @string)", "and(@boolean, @boolean)", "or(@boolean, @boolean)",
        "has_prefix(@string, @string)", "contains(@strings, @string)", "not(@boolean)",
        "gt(@integer, @integer)",
    ),
    "strings": (
        "list(@string, @string)", "map(@strings, to_upper)", 'split(@string, "-")', "[@string]",
        "filter(@strings, has_prefix_g(@string))", "if(@boolean, @strings, @strings)",
    ),
    "array": (
        "list(@any, @any)", "[@string, @integer, @maybe]", "@strings", "vals(object(k = @any))",
    ),
    "object": ("object(k = @any, a-b = @any)", "object()", "object(k = @maybe)"),
    "any": ("@string", "@integer", "@boolean", "@array", "@object", "@maybe"),
}  # fmt: skip
_LITERALS: Final[dict[str, tuple[str, ...]]] = {
    "string": ('""', '"abc"', '"${"', r'"\"}"', '"a b"', '"é"', '"no"', '"1"', '"\n"', '"x\\\\y"'),
    "maybe": ("none", '"m"'),
    "integer": ("0", "-1", "42", "9223372036854775807"),
    "boolean": ("true", "false"),
    "strings": ('list("a", "b")', '["c"]', 'list("${", "")'),
    "array": ("list(1, none)", '[true, "x", 1.5]'),
    "object": ('object(k = "v")',),
    "any": ("1.5", '"any"'),
}  # fmt: skip
_PART: Final = re.compile(r"@(\w+)")
_STATES: Final = (("string", "t"), ("boolean", "on"), ("integer", "n"), ("strings", "list"))


def document(rng: Random) -> dict[str, Any]:
    """A blueprint that renders, with values for its variables or with their defaults."""
    names: Names = {
        "string": ["variables.a", "variables.b"],
        "boolean": ["variables.on"],
        "maybe": ["variables.b"],
    }
    made: dict[str, Any] = {
        "version": rng.choice(("2023-04-20", "2025-11-02")),
        "variables": {
            "a": {"type": "string", "default": rng.choice(LOOKS[:60])},
            "b": {
                "type": "string",
                "default": text(rng)[:200].replace("$", "") or "b",
                "secret": not rng.randrange(6),
            },
            "on": {"type": "boolean", "default": rng.randrange(2) == 0},
        },
    }
    if not rng.randrange(3):
        made["datasources"] = {"d": _datasource()}
        names["string"].append("datasources.d.vpc")
        names.setdefault("strings", []).append("datasources.d.subnets")
    if not rng.randrange(3):
        made["include"] = {
            "c": {
                "path": "child.yaml",
                "variables": {"name": f"${{{expression(rng, 'string', names, 2)}}}"},
            }
        }
        names["string"] += ["children.c.out", "children.c.arn"]
    made["values"] = {}
    for number in range(rng.randrange(4)):
        kind = rng.choice(("string", "integer", "boolean", "array", "object"))
        declared = {"type": kind, "value": f"${{{expression(rng, kind, names, 2)}}}"}
        made["values"][f"v{number}"] = declared
        names.setdefault(kind, []).append(f"values.v{number}")
    made["resources"] = {}
    for number in range(rng.randrange(1, 4)):
        made["resources"][f"r{number}"] = _resource(rng, f"r{number}", names)
    made["metadata"] = {"m": template(rng, names, 2)}
    made["exports"] = {"e": {"type": "string", "field": rng.choice(names["string"])}}
    return {name: section for name, section in made.items() if section}


def _datasource() -> dict[str, Any]:
    return {
        "type": "x/source",
        "filter": {"field": "id", "operator": "=", "search": "abc"},
        "exports": {"vpc": {"type": "string"}, "subnets": {"type": "array", "aliasFor": "ids"}},
    }


def _resource(rng: Random, name: str, names: Names) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "x/thing"}
    inside = {kind: list(found) for kind, found in names.items()}
    kind = rng.randrange(5)
    if kind == 0:
        made["condition"] = f"${{{expression(rng, 'boolean', names, 2)}}}"
    elif kind == 1:
        made["each"] = '${list("e0", variables.a, "e2")}'
        inside["string"] += ["elem", "elem", "elem"]
        inside.setdefault("integer", []).append("i")
        names["string"].append(f"resources.{name}[1].spec.own")
    else:
        for known, part in _STATES:
            names.setdefault(known, []).append(f"resources.{name}.state.{part}")
        names["string"].append(f"resources.{name}.spec.own")
    made["spec"] = {
        "own": "${variables.a}",
        "field": template(rng, inside, 3),
        "deep": [
            template(rng, inside, 2),
            {"k": template(rng, inside, 1)},
            1,
            text(rng).replace("$", ""),
        ],
    }
    return made


def expression(rng: Random, kind: str, names: Names, depth: int) -> str:
    """An expression of a kind, made of names that exist."""
    known = names.get(kind, ())
    if not depth or not rng.randrange(4):
        if known and rng.randrange(3):
            return rng.choice(known)
        return rng.choice(_LITERALS[kind])
    form = rng.choice(_FORMS[kind])
    return _PART.sub(lambda part: expression(rng, part[1], names, depth - 1), form)


def template(rng: Random, names: Names, depth: int) -> str:
    """A string with substitutions."""
    if rng.randrange(3):
        return f"${{{expression(rng, rng.choice(('string', 'any')), names, depth)}}}"
    pieces = []
    for _ in range(rng.randrange(1, 4)):
        pieces.append(
            rng.choice(("", "a", "-", " ", "\n", "$", "}", "é", ": ", " #", "{", '"', "\r\n"))
        )
        pieces.append(f"${{{expression(rng, 'string', names, depth - 1)}}}")
    return "".join(pieces)
