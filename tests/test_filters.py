"""Every operator with every pair of types."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from bpp.pipeline.dialects.bluelink.evaluating.filters import (
    FilterError,
    field_path,
    get_path,
    matches,
)

VALUES: dict[str, Any] = {
    "string": "ab",
    "integer": 1,
    "float": 1.0,
    "boolean": True,
    "array of strings": ["ab", "c"],
    "array of integers": [1, 2],
    "array of floats": [1.0, 2.5],
    "array of booleans": [True, False],
    "array without elements": [],
    "array of different or nested types": [1, "ab"],
    "object of strings": {"ab": "ab"},
    "object of integers": {"ab": 1},
    "object of floats": {"ab": 1.0},
    "object of booleans": {"ab": True},
    "object without elements": {},
    "object of different or nested types": {"ab": [1]},
    "null": None,
}
PRIMITIVES = ("string", "integer", "float", "boolean")
ARRAYS = tuple(f"array of {name}s" for name in PRIMITIVES)
OBJECTS = tuple(f"object of {name}s" for name in PRIMITIVES)
EMPTY_ARRAY, EMPTY_OBJECT = "array without elements", "object without elements"
ANY_OBJECT = (*OBJECTS, EMPTY_OBJECT, "object of different or nested types")

EQUALITY = {
    **{(name, name): True for name in (*PRIMITIVES, *ARRAYS, EMPTY_ARRAY)},
    **{(name, EMPTY_ARRAY): False for name in ARRAYS},
    **{(EMPTY_ARRAY, name): False for name in ARRAYS},
}
MEMBERSHIP = {
    **{(name, f"array of {name}s"): True for name in PRIMITIVES},
    **{(name, EMPTY_ARRAY): False for name in PRIMITIVES},
}
KEY = {(name, "string"): name != EMPTY_OBJECT for name in ANY_OBJECT}
CONTAINMENT = {
    ("string", "string"): True,
    **{(f"array of {name}s", name): True for name in PRIMITIVES},
    **{(f"object of {name}s", name): True for name in PRIMITIVES},
    **{(EMPTY_ARRAY, name): False for name in PRIMITIVES},
    **{(EMPTY_OBJECT, name): False for name in PRIMITIVES},
}
TEXT = {("string", "string"): True}


def ordered(result: bool) -> dict[tuple[str, str], bool]:
    """What an ordering operator says to equal values."""
    return {(name, name): result for name in ("string", "integer", "float")}


def negated(table: dict[tuple[str, str], bool]) -> dict[tuple[str, str], bool]:
    """The table of the negated operator."""
    return {pair: not result for pair, result in table.items()}


TABLES = {
    "=": EQUALITY,
    "!=": negated(EQUALITY),
    "in": MEMBERSHIP,
    "not in": negated(MEMBERSHIP),
    "has key": KEY,
    "not has key": negated(KEY),
    "contains": CONTAINMENT,
    "not contains": negated(CONTAINMENT),
    "starts with": TEXT,
    "not starts with": negated(TEXT),
    "ends with": TEXT,
    "not ends with": negated(TEXT),
    ">": ordered(False),
    "<": ordered(False),
    ">=": ordered(True),
    "<=": ordered(True),
}


@pytest.mark.parametrize("operator", TABLES)
def test_every_combination(operator: str) -> None:
    table = TABLES[operator]
    for field, search in itertools.product(VALUES, VALUES):
        if (field, search) in table:
            found = matches(VALUES[field], operator, VALUES[search])
            assert found is table[field, search], (field, operator, search)
            continue
        with pytest.raises(FilterError) as caught:
            matches(VALUES[field], operator, VALUES[search])
        told = f"`{operator}` cannot compare a field of type {field} with a search value of type "
        assert str(caught.value).startswith(f"{told}{search}; it compares "), (field, search)


@pytest.mark.parametrize(
    ("field", "operator", "search", "expected"),
    [
        ("a", "=", "A", False),
        ("", "=", "", True),
        (0, "=", 0, True),
        (False, "=", True, False),
        ([1, 2], "=", [2, 1], False),
        ([1, 2], "=", [1, 2, 3], False),
        ([1, 2], "!=", [1, 2, 3], True),
        ("b", "in", ["a", "b"], True),
        ("B", "in", ["a", "b"], False),
        (3, "not in", [1, 2], True),
        ({"a": 1}, "has key", "A", False),
        ({"a": None}, "has key", "a", True),
        ({"a": 1}, "not has key", "b", True),
        ("service-orders", "contains", "orders", True),
        ("service", "contains", "", True),
        ("service", "not contains", "Service", True),
        (["orders-db"], "contains", "orders", False),
        ({"orders": "x"}, "contains", "orders", False),
        ({"a": "x", "b": "orders"}, "contains", "orders", True),
        ("prod-1", "starts with", "prod", True),
        ("prod-1", "starts with", "", True),
        ("prod", "starts with", "prod-1", False),
        ("a-prod", "not ends with", "prod", False),
        ("a-prod", "ends with", "a", False),
        (2, ">", 1, True),
        (1.5, "<", 1.25, False),
        ("2023-01", "<", "2023-02", True),
        ("10", "<", "9", True),
        (2, ">=", 3, False),
        (2, "<=", 3, True),
    ],
)
def test_results(field: Any, operator: str, search: Any, expected: bool) -> None:
    assert matches(field, operator, search) is expected


@pytest.mark.parametrize(
    ("operator", "hint"),
    [("equals", ""), ("has keys", " (did you mean `has key`?)"), ("==", " (did you mean `=`?)")],
)
def test_unknown_operators(operator: str, hint: str) -> None:
    with pytest.raises(FilterError) as caught:
        matches("a", operator, "a")
    assert str(caught.value) == f"`{operator}` is not a filter operator{hint}"


def test_messages_hold_no_values() -> None:
    with pytest.raises(FilterError) as caught:
        matches("hunter2", "=", {"hunter2": object()})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("name", ("name",)),
        ("tag:service", ("tag:service",)),
        ("tags.service", ("tags", "service")),
        ("subnets[].zone", ("subnets", 0, "zone")),
        ("subnets[12].ids[0]", ("subnets", 12, "ids", 0)),
        ("a[0][1]", ("a", 0, 1)),
        ("[1].a", (1, "a")),
        ('tags["a.b"].c', ("tags", "a.b", "c")),
        ("tags['a.b']", ("tags", "a.b")),
        ("", ("",)),
        ("a..b", ("a..b",)),
        (".a", (".a",)),
        ("a.", ("a.",)),
        ("a[", ("a[",)),
        ("a[x]", ("a[x]",)),
        ("a[0]b", ("a[0]b",)),
    ],
)
def test_field_paths(text: str, path: tuple[str | int, ...]) -> None:
    assert field_path(text) == path


RECORD = {"a": [{"b": None}, "text"], "c.d": 1, "e": {"f": False}}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ((), (True, RECORD)),
        (("a", 0, "b"), (True, None)),
        (("a", 1), (True, "text")),
        (("c.d",), (True, 1)),
        (("e", "f"), (True, False)),
        (("a", 2), (False, None)),
        (("a", "b"), (False, None)),
        (("a", 1, 0), (False, None)),
        (("e", 0), (False, None)),
        (("e", "f", "g"), (False, None)),
        (("x",), (False, None)),
    ],
)
def test_paths_into_records(path: tuple[str | int, ...], expected: tuple[bool, Any]) -> None:
    assert get_path(RECORD, path) == expected
