"""Nodes from plain data, and references found and renamed in trees."""

from __future__ import annotations

import re
from typing import Any

import pytest
from bpp.pipeline import (
    BuildError,
    Document,
    FoundReference,
    Limits,
    Scalar,
    Source,
    Template,
    find_references,
    node,
    rename_references,
    render,
    template,
)
from bpp.pipeline.dialects.bluelink.syntax import SYNTAX
from bpp.pipeline.formats.emit import emit
from bpp.pipeline.language.language import Language
from bpp.pipeline.values.tree import AnyNode, Array, Map

LANGUAGE = Language(SYNTAX, Limits())

TEXT = """\
version: 2025-11-02
values:
  text: {type: string, value: 'a ${orders.state.a}-${resources["orders"].state.b} z'}
  call: {type: string, value: '${to_upper(join(list(resources.orders.spec.name, "orders"), ""))}'}
  list: {type: array, value: '${map(list("x"), trim)}'}
resources:
  orders:
    type: a/b
    spec: {name: "n", dependsOn: [orders]}
  trim:
    type: a/b
    dependsOn: orders
    linkSelector: {byLabel: {orders: orders}, exclude: [orders]}
    spec: {link: '${link("orders", trim)}', note: 'orders', own: "${values.text}"}
exports:
  name: {type: string, field: orders.spec.name}
"""


def loaded(text: str = TEXT) -> Document:
    run = render(Source("app.yaml", text, "yaml"), stop_after="load")
    assert run.ok, [item.summary for item in run.diagnostics]
    assert run.document is not None
    return run.document


def written(root: AnyNode) -> str:
    return emit(root, "yaml", LANGUAGE, Limits())


def scalar() -> Scalar:
    found = loaded().root.get("version")
    assert isinstance(found, Scalar)
    return found


# --- building -----------------------------------------------------------------------------------


def test_plain_data_become_nodes_with_an_origin() -> None:
    origin = scalar()
    data = {"a": [1, 2.5, True, None, "${text}"], "b": {"c": origin}, "t": ("x",)}
    made = node(data, origin, step="acme")
    assert written(made) == (
        'a:\n  - 1\n  - 2.5\n  - true\n  - null\n  - ${"${"}text}\n'
        'b:\n  c: "2025-11-02"\nt:\n  - x\n'
    )
    assert isinstance(made, Map)
    assert made.origin.span == origin.span
    assert made.origin.steps == ("load", "acme")
    inner = made.items["b"]
    assert isinstance(inner, Map)
    assert inner.items["c"] is origin


def test_strings_are_templates_when_asked() -> None:
    made = node({"a": "${resources.x.state.b}-c", "d": "plain"}, scalar(), language=LANGUAGE)
    assert isinstance(made, Map)
    assert isinstance(made.items["a"], Template)
    assert isinstance(made.items["d"], Scalar)
    assert written(made) == "a: ${resources.x.state.b}-c\nd: plain\n"


def test_an_origin_may_be_given_as_such() -> None:
    origin = scalar().origin
    assert node(1, origin, step="acme").origin == origin.evolve(steps=("load", "acme"))


def test_one_template() -> None:
    made = template("${variables.stage}", scalar(), LANGUAGE, step="acme")
    assert isinstance(made, Template)
    assert made.origin.steps == ("load", "acme")
    assert isinstance(template("stage", scalar(), LANGUAGE), Scalar)


def _loop() -> Any:
    found: list[Any] = []
    found.append(found)
    return found


class Text(str):
    """Not quite a string."""


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"a": {"b": {1}}}, "`a.b` is a `set`"),
        ({"a": [1, b"x"]}, "`a[1]` is a `bytes`"),
        ({1: 2}, "the data has a key that is a `int`"),
        ({"a": {None: 1}}, "`a` has a key that is a `NoneType`"),
        (float("inf"), "the data is a number that is not finite"),
        (2**63, "the data is an integer of more than 64 bits"),
        ("\udc00", "the data is text that is not valid Unicode"),
        (Text("x"), "the data is a `Text`"),
        (_loop(), "is nested more than 64 deep"),
        ("${", "the data cannot be read: the substitution is not closed"),
        ({"a": "${x y}"}, "`a` cannot be read"),
    ],
)
def test_what_no_document_holds_is_refused(data: Any, told: str) -> None:
    with pytest.raises(BuildError, match=re.escape(told)):
        node(data, scalar(), language=LANGUAGE)


def test_an_origin_is_a_node_or_an_origin() -> None:
    with pytest.raises(TypeError, match="not a `int`"):
        node({}, 5)  # type: ignore[arg-type]


# --- finding ------------------------------------------------------------------------------------


def shown(found: list[FoundReference]) -> list[str]:
    return [
        f"{one.span.line}:{one.span.column} {SYNTAX.show(one.reference)}"
        + (" (name)" if one.name_only else "")
        for one in found
    ]


def test_references_are_found_where_they_are_written() -> None:
    assert shown(find_references(loaded(), LANGUAGE)) == [
        "3:36 orders.state.a",
        "3:54 resources.orders.state.b",
        "4:53 resources.orders.spec.name",
        "5:48 trim",
        "12:16 resources.orders (name)",
        "13:57 resources.orders (name)",
        "14:26 resources.orders (name)",
        "14:36 trim",
        "14:69 values.text",
        "16:31 orders.spec.name",
    ]


def test_a_definition_alone_needs_its_section() -> None:
    section = loaded().section("resources")
    assert section is not None
    trim = section.items["trim"]
    alone = find_references(trim, LANGUAGE)
    assert [one.name_only for one in alone] == [True, False, False]
    whole = find_references(trim, LANGUAGE, section="resources")
    assert [one.name_only for one in whole] == [True, True, True, False, False]


# --- renaming -----------------------------------------------------------------------------------

RENAMED = """\
version: "2025-11-02"
values:
  text:
    type: string
    value: a ${resources.fn.state.a}-${resources.fn.state.b} z
  call:
    type: string
    value: ${to_upper(join(list(resources.fn.spec.functionName, "orders"), ""))}
  list:
    type: array
    value: ${map(list("x"), trim)}
resources:
  orders:
    type: a/b
    spec:
      name: "n"
      dependsOn:
        - orders
  trim:
    type: a/b
    dependsOn: fn
    linkSelector:
      byLabel:
        orders: orders
      exclude:
        - fn
    spec:
      link: ${link("fn", trim)}
      note: orders
      own: ${values.text}
exports:
  name:
    type: string
    field: resources.fn.spec.functionName
"""


def test_every_form_of_a_reference_is_renamed() -> None:
    renames = {
        "orders": "resources.fn",
        'resources["orders"].spec.name': "resources.fn.spec.functionName",
    }
    document = loaded()
    found = rename_references(document, renames, LANGUAGE, step="acme")
    assert written(found.root) == RENAMED
    values = found.section("values")
    old = document.section("values")
    assert values is not None
    assert old is not None
    for name in ("text", "call"):
        new, was = values.items[name], old.items[name]
        assert isinstance(new, Map)
        assert isinstance(was, Map)
        assert new.items["value"].origin.steps == ("load", "acme")
        assert new.items["value"].span == was.items["value"].span
        assert new.items["type"] is was.items["type"]
    assert values.items["list"] is old.items["list"]


def test_a_name_that_means_a_function_is_left_alone() -> None:
    from bpp.pipeline.dialects.table import find_dialect
    from bpp.pipeline.values.settings import Settings

    functions = find_dialect("bluelink").functions(Settings())
    renames = {"trim": "resources.cut"}
    document = loaded()
    found = rename_references(document, renames, LANGUAGE, step="acme", functions=functions)
    text = written(found.root)
    assert 'map(list("x"), trim)' in text
    assert 'link("orders", resources.cut)' in text


def test_nothing_to_rename_gives_the_same_object() -> None:
    document = loaded()
    assert rename_references(document, {"x": "resources.y"}, LANGUAGE, step="acme") is document
    array = Array([], document.root.trail, 0, 0)
    assert rename_references(array, {"x": "resources.y"}, LANGUAGE, step="acme") is array


def test_other_sections_can_be_renamed() -> None:
    found = rename_references(loaded(), {"values.text": "values.other"}, LANGUAGE, step="acme")
    assert "own: ${values.other}" in written(found.root)


@pytest.mark.parametrize("bad", ["", "5", "f()", "a b", "values", "variables.a.b"])
def test_renames_are_references(bad: str) -> None:
    with pytest.raises(ValueError, match="is no reference"):
        rename_references(loaded(), {bad: "resources.a"}, LANGUAGE, step="acme")
    with pytest.raises(ValueError, match="is no reference"):
        rename_references(loaded(), {"resources.a": bad}, LANGUAGE, step="acme")
