"""State and data source files: what is accepted, and what is said about the rest."""

from __future__ import annotations

from typing import Any

import pytest
from bpp.pipeline.formats.records import (
    RecordError,
    StateFile,
    structure_datasources,
    structure_state,
)


def test_a_state_file_is_taken_as_it_is() -> None:
    data: dict[str, Any] = {
        "resources": {"db": {"state": {"host": "yes", "port": 5432, "up": True, "x": None}}},
        "datasources": {"network": {"ids": ["a", 1, 1.5]}},
        "children": {"core": {"url": "https://example.com"}},
        "links": {"fn::db": {"policy": {"arn": "x"}}},
        "included": {"core": {"resources": {"db": {"state": {"a": 1}}}}},
    }
    state = structure_state(data)
    assert state.included["core"].resources == data["included"]["core"]["resources"]
    assert state.resources == data["resources"]
    assert state.resources["db"]["state"] is data["resources"]["db"]["state"]
    assert state.datasources == data["datasources"]
    assert state.children == data["children"]
    assert state.links == data["links"]


def test_sections_may_be_absent() -> None:
    assert structure_state({}) == StateFile()


def test_data_sources_are_lists_of_records() -> None:
    data = {"aws/vpc": [{"id": "a"}, {"id": "b", "tags": {"x": 1}}], "aws/zone": []}
    assert structure_datasources(data) == data


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        (None, [((), "the file must be an object, not null")]),
        ([], [((), "the file must be an object, not an array")]),
        ("yes", [((), "the file must be an object, not a string")]),
        ({1: {}}, [((), "the file must have strings as keys")]),
        (
            {"resorces": {}, "zzz": {}},
            [
                (("resorces",), "`resorces` is not known in the file (did you mean `resources`?)"),
                (("zzz",), "`zzz` is not known in the file"),
            ],
        ),
        (
            {"included": {"a": {"resorces": {}}, "b": {"included": {"c": 5}}}},
            [
                (
                    ("included", "a", "resorces"),
                    "`resorces` is not known in `included.a` (did you mean `resources`?)",
                ),
                (
                    ("included", "b", "included", "c"),
                    "`included.b.included.c` must be an object, not an integer",
                ),
            ],
        ),
        (
            {"resources": {"a": {"state": 5}, "b": {"state": None}}},
            [
                (
                    ("resources", "a", "state"),
                    "`resources.a.state` must be an object, not an integer",
                ),
                (("resources", "b", "state"), "`resources.b.state` must be an object, not null"),
            ],
        ),
        (
            {"resources": {"a": 3, "b": {}, "c": {"stat": 1}}},
            [
                (("resources", "a"), "`resources.a` must be an object, not an integer"),
                (("resources", "b"), "`state` is missing in `resources.b`"),
                (("resources", "c"), "`state` is missing in `resources.c`"),
                (
                    ("resources", "c", "stat"),
                    "`stat` is not known in `resources.c` (did you mean `state`?)",
                ),
            ],
        ),
        (
            {"resources": True, "children": {"core": "yes"}},
            [
                (("resources",), "`resources` must be an object, not a boolean"),
                (("children", "core"), "`children.core` must be an object, not a string"),
            ],
        ),
        (
            {"links": {"a": {}, "a::b": 1.5, "::b": {}, "a::b::c": {}}},
            [
                (("links", "a"), "`links.a` must name a link as `<resource>::<resource>`"),
                (("links", "a::b"), "`links.a::b` must be an object, not a float"),
                (("links", "::b"), "`links.::b` must name a link as `<resource>::<resource>`"),
                (
                    ("links", "a::b::c"),
                    "`links.a::b::c` must name a link as `<resource>::<resource>`",
                ),
            ],
        ),
        (
            {"resources": {"a": {"state": {"x": [1, float("nan")], "y": {2: 3}, "z": b""}}}},
            [
                (
                    ("resources", "a", "state", "x", 1),
                    "`resources.a.state.x[1]` must be a finite number",
                ),
                (
                    ("resources", "a", "state", "y"),
                    "`resources.a.state.y` must have strings as keys",
                ),
                (("resources", "a", "state", "z"), "`resources.a.state.z` must not be a `bytes`"),
            ],
        ),
    ],
)
def test_every_problem_of_a_state_file_is_named(
    data: Any, problems: list[tuple[tuple[str | int, ...], str]]
) -> None:
    with pytest.raises(RecordError) as caught:
        structure_state(data)
    assert caught.value.problems == problems
    assert (caught.value.path, caught.value.message) == problems[0]
    assert str(caught.value) == problems[0][1]


@pytest.mark.parametrize(
    ("data", "problems"),
    [
        ([], [((), "the file must be an object, not an array")]),
        (
            {"aws/vpc": [{"a": 1}, 3, "x"], "b": {}, "c": "yes"},
            [
                (("aws/vpc", 1), "`aws/vpc[1]` must be an object, not an integer"),
                (("aws/vpc", 2), "`aws/vpc[2]` must be an object, not a string"),
                (("b",), "`b` must be an array, not an object"),
                (("c",), "`c` must be an array, not a string"),
            ],
        ),
        (
            {"aws/vpc": [{"a": [float("inf")]}]},
            [(("aws/vpc", 0, "a", 0), "`aws/vpc[0].a[0]` must be a finite number")],
        ),
    ],
)
def test_every_problem_of_a_data_sources_file_is_named(
    data: Any, problems: list[tuple[tuple[str | int, ...], str]]
) -> None:
    with pytest.raises(RecordError) as caught:
        structure_datasources(data)
    assert caught.value.problems == problems


def test_values_never_appear_in_a_problem() -> None:
    data = {"resources": {"db": {"state": {"password": {"hunter2"}}}}}
    with pytest.raises(RecordError) as caught:
        structure_state(data)
    assert "hunter2" not in repr(caught.value.problems)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_deep_values_need_no_recursion() -> None:
    value: Any = 1
    for _ in range(3_000):
        value = [value]
    assert structure_state({"children": {"core": {"x": value}}}).children["core"]["x"] is value
