"""Random blueprints as plain data: most of one is as it should be, and some part is not."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from .expressions import expression, template
from .values import data, text

NAMES: Final = ("a", "b", "r", "x", "queue", "on", "list", "object", "odd-name", "c", "d")
TYPES: Final = ("string", "integer", "float", "boolean", "array", "object", "x/custom", "any")
FIELDS: Final = (
    "type", "value", "spec", "condition", "each", "path", "variables", "metadata", "description",
    "exports", "field", "filter", "default", "allowedValues", "secret", "labels", "annotations",
    "displayName", "linkSelector", "byLabel", "exclude", "dependsOn", "custom", "aliasFor",
    "operator", "search", "and", "or", "not", "id", "depends_on", "",
)  # fmt: skip
SECTIONS: Final = (
    "variables", "values", "datasources", "resources", "include", "exports", "metadata",
    "transform", "children",
)  # fmt: skip
_EXPORTED: Final = (
    "resources.r.spec.name", "resources.a.state.x", "values.a", "variables.a", "children.c.out",
    "datasources.d.vpc", "values.object.k", "resources.x.spec.deep[1].k", "r[0]", "elem", "",
)  # fmt: skip
_OPERATORS: Final = (
    "=",
    "!=",
    "in",
    "not in",
    "contains",
    "starts with",
    "ends with",
    "has key",
    "~",
)


def document(rng: Random) -> dict[str, Any]:
    """A blueprint with some sections."""
    made: dict[str, Any] = {"version": rng.choice(("2023-04-20", "2025-11-02"))}
    for name, count in (("variables", 3), ("values", 3), ("datasources", 2), ("include", 2)):
        if rng.randrange(3):
            made[name] = _named(rng, name, count)
    made["resources"] = _named(rng, "resources", 4)
    for name in ("exports", "metadata"):
        if not rng.randrange(2):
            made[name] = _named(rng, "exports", 2) if name == "exports" else {"m": leaf(rng)}
    for _ in range(rng.randrange(3) * rng.randrange(2)):
        _damage(rng, made)
    return made


def leaf(rng: Random) -> Any:
    """What stands in a field: text with substitutions, or any data."""
    kind = rng.randrange(10)
    if kind < 6:
        return template(rng, 2)
    if kind == 6:
        return text(rng)
    if kind == 7:
        return data(rng, 1)
    return rng.choice(
        ("a", 1, True, None, 1.5, "x-${variables.a}", "${values.a}", "${elem}", "${i}")
    )


def _named(rng: Random, section: str, most: int) -> dict[str, Any]:
    make = _ELEMENTS[section]
    return {name: make(rng) for name in rng.sample(NAMES, rng.randrange(1, most + 1))}


def _variable(rng: Random) -> dict[str, Any]:
    kind = rng.choice(TYPES[:4])
    made: dict[str, Any] = {"type": kind}
    if rng.randrange(4):
        made["default"] = _of(rng, kind)
    if not rng.randrange(5):
        made["secret"] = True
    if not rng.randrange(6):
        made["allowedValues"] = [_of(rng, kind) for _ in range(2)]
    return made


def _of(rng: Random, kind: str) -> Any:
    if not rng.randrange(10):
        return data(rng, 1)
    known = {
        "string": "abc",
        "integer": 3,
        "float": 1.5,
        "boolean": True,
        "array": [1],
        "object": {"k": 1},
    }
    return (
        known.get(kind, "abc")
        if rng.randrange(3)
        else text(rng)
        if kind == "string"
        else known.get(kind)
    )


def _value(rng: Random) -> dict[str, Any]:
    kind = rng.choice(TYPES[:6])
    written = f"${{{expression(rng, kind, 2)}}}" if rng.randrange(4) else _of(rng, kind)
    made = {"type": kind, "value": written}
    if not rng.randrange(6):
        made["secret"] = True
    return made


def _datasource(rng: Random) -> dict[str, Any]:
    return {
        "type": "x/source",
        "filter": {"field": "id", "operator": rng.choice(_OPERATORS), "search": leaf(rng)},
        "exports": {
            "vpc": {"type": rng.choice(TYPES[:5])},
            "subnets": {"type": "array", "aliasFor": "ids"},
        },
    }


def _include(rng: Random) -> dict[str, Any]:
    path = rng.choice(
        ("child.yaml", "child.yaml", "sub/child.json", "${variables.a}.yaml", "missing.yaml")
    )
    made: dict[str, Any] = {"path": path}
    if rng.randrange(3):
        made["variables"] = {name: leaf(rng) for name in rng.sample(("name", "size", "secret"), 2)}
    return made


def _resource(rng: Random) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "x/thing"}
    if not rng.randrange(3):
        made["condition"] = condition(rng)
    if not rng.randrange(3):
        made["each"] = f"${{{expression(rng, 'array', 2)}}}"
    if not rng.randrange(4):
        made["metadata"] = {"displayName": leaf(rng), "labels": {"l": leaf(rng)}}
    if not rng.randrange(6):
        made["linkSelector"] = {"byLabel": {"l": leaf(rng)}}
    made["spec"] = {"name": leaf(rng), "deep": [leaf(rng), {"k": leaf(rng)}], "text": leaf(rng)}
    return made


def condition(rng: Random, depth: int = 2) -> Any:
    """A condition: a text, or an object with one operator."""
    if not depth or rng.randrange(3):
        return f"${{{expression(rng, 'boolean', 2)}}}"
    operator = rng.choice(("and", "or", "not"))
    if operator == "not":
        return {"not": condition(rng, depth - 1)}
    return {operator: [condition(rng, depth - 1) for _ in range(rng.randrange(4))]}


def _export(rng: Random) -> dict[str, Any]:
    return {"type": rng.choice(TYPES[:6]), "field": rng.choice(_EXPORTED)}


_ELEMENTS: Final = {
    "variables": _variable,
    "values": _value,
    "datasources": _datasource,
    "include": _include,
    "resources": _resource,
    "exports": _export,
}


def _damage(rng: Random, node: dict[str, Any]) -> None:
    """Puts something somewhere that does not belong there."""
    for _ in range(rng.randrange(4)):
        inner = [child for child in node.values() if isinstance(child, dict) and child]
        if not inner:
            break
        node = rng.choice(inner)
    kind = rng.randrange(4)
    name = (
        rng.choice(list(node))
        if node and rng.randrange(2)
        else rng.choice((*FIELDS, *SECTIONS, *NAMES))
    )
    if kind == 0:
        node.pop(name, None)
    elif kind == 1:
        node[name] = data(rng, 2)
    elif kind == 2:
        node[name] = leaf(rng)
    else:
        node[name] = rng.choice(([], {}, None, "", [leaf(rng)], {text(rng)[:40]: leaf(rng)}))
