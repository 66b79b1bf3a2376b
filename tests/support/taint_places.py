"""Blueprints in which the secrets of `taint.Row`s come from different places."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from bpp.pipeline import (
    Access,
    Argument,
    Call,
    Expression,
    Literal,
    MemoryFiles,
    Reference,
    Run,
    Settings,
    render,
)

from support.taint import TYPES, Row, written


def in_value(name: str) -> Expression:
    return Reference("values", (name,))


def in_export(name: str) -> Expression:
    return Reference("children", ("child", name))


def in_spec(name: str) -> Expression:
    return Reference("resources", ("holder", "spec", name))


def in_field(name: str) -> Expression:
    return Reference("values", ("fields", name))


def in_array(name: str) -> Expression:
    """An element of an array that the expression makes, behind another secret."""
    made = Call("list", tuple(Argument(Reference("values", (one,))) for one in (name, name)))
    return Access(made, (1,))


def in_choice(name: str) -> Expression:
    arguments = (Literal(True), Reference("values", (name,)), Literal(None))
    return Call("if", tuple(map(Argument, arguments)))


PLACES = (in_value, in_export, in_spec, in_field, in_array, in_choice)


def blueprint(
    chosen: Mapping[str, Row], place: Callable[[str], Expression], change: bool = False
) -> MemoryFiles:
    """A field for each row; a child, a value and a resource pass secrets on."""
    values: dict[str, Any] = {}
    inner: dict[str, Any] = {}
    spec: dict[str, str] = {}
    secrets = []
    for field, row in chosen.items():
        name = f"s_{field}"
        value = changed(row.secret) if change else row.secret
        secrets.append(name)
        inner[name] = {"type": TYPES[type(value)], "value": written(value), "secret": True}
        for other, told in row.others(f"p_{field}"):
            values[other] = {"type": TYPES[type(told)], "value": written(told)}
        spec[field] = "${" + row.text(place(name), f"p_{field}") + "}"
    everything = {name: f"${{values.{name}}}" for name in secrets}
    main = {
        "version": "2023-04-20",
        "values": {**inner, "fields": {"type": "object", "value": everything}, **values},
        "include": {"child": {"path": "child.json"}},
        "resources": {
            "fields": {"type": "a/b", "spec": spec},
            "holder": {"type": "a/b", "spec": everything},
            "orderApi": {"type": "a/b", "spec": {}},
            "createOrderFunction": {"type": "a/b", "spec": {}},
        },
    }
    child = {
        "version": "2023-04-20",
        "values": inner,
        "resources": {},
        "exports": {
            name: {"type": inner[name]["type"], "field": f"values.{name}"} for name in secrets
        },
    }
    return MemoryFiles({"main.json": json.dumps(main, indent=1), "child.json": json.dumps(child)})


def changed(value: Any) -> Any:
    """Another value of the same type."""
    match value:
        case bool():
            return not value
        case str():
            return value + "?"
        case int() | float():
            return value + 1
        case list():
            return [*value, "?"]
    return {**value, "other": "?"}


def fields(
    chosen: Mapping[str, Row],
    place: Callable[[str], Expression],
    secrets: str,
    change: bool = False,
) -> Mapping[str, Any]:
    """What became of the fields."""
    files = blueprint(chosen, place, change)
    run = render("main.json", files=files, settings=Settings(secrets=secrets))
    assert [item for item in run.diagnostics if item.severity == "error"] == []
    found: Mapping[str, Any] = as_data(run)["resources"]["fields"]["spec"]
    return found


def as_data(run: Run) -> Any:
    assert run.document is not None
    return json.loads(run.text("json"))
