"""Functions made of functions, and functions that reach into objects and arrays."""

from __future__ import annotations

from typing import Any

from .composable import composable
from .examples import edge, given
from .names import meant
from .registry import Function, Parameter
from .values import NONE, FunctionError, FunctionValue


def compose(*functions: FunctionValue) -> FunctionValue:
    """One function of several, called from right to left."""
    return chain("compose", functions[::-1])


def pipe(*functions: FunctionValue) -> FunctionValue:
    """One function of several, called from left to right."""
    return chain("pipe", functions)


def chain(name: str, functions: tuple[FunctionValue, ...]) -> FunctionValue:
    """A function that gives each function's result to the next; an index goes to the first."""
    head, *rest = functions

    def apply(*arguments: Any) -> Any:
        value = head(*arguments)
        for function in rest:
            value = function(value)
        return value

    return FunctionValue(name, apply, indexed=head.indexed)


def attribute(mapping: dict[str, Any], name: str) -> Any:
    """The value of an attribute that must be there.

    Raises:
        FunctionError: `path_not_found`.
    """
    if name not in mapping:
        raise FunctionError(
            "the object does not have the attribute that `getattr` is to get",
            code="path_not_found",
            hint=meant(name, mapping),
        )
    return mapping[name]


def element(items: list[Any], position: int) -> Any:
    """The element at a position that must be there.

    Raises:
        FunctionError: `index_out_of_bounds`.
    """
    if not 0 <= position < len(items):
        plural = "" if len(items) == 1 else "s"
        raise FunctionError(
            f"`getelem` is to get an element beyond an array of {len(items)} element{plural}",
            code="index_out_of_bounds",
        )
    return items[position]


def composition_functions() -> tuple[Function, ...]:
    """The records."""
    kind = ("function",)
    function = Parameter("function", kind, "a function of one argument")
    more = Parameter("more", kind, "more functions, each fitting the one next to it", variadic=True)
    subnets = {"network": {"subnets": [{"id": "subnet-1a"}, {"id": "subnet-2b"}]}}
    nested = {
        "network": {
            "subnets": [
                {"definition": {"id": "subnet-1234"}},
                {"definition": {"id": "subnet-5678"}},
            ]
        }
    }
    pairs = {
        "network": {
            "subnets": [
                [{"id": "subnet-1234", "label": "Subnet 1234"}, "10.0.0.0/16"],
                [{"id": "subnet-5678", "label": "Subnet 5678"}, "172.31.0.0/16"],
            ]
        }
    }
    get_attribute = Function(
        name="getattr",
        summary="the value of an attribute of an object",
        parameters=(
            Parameter("mapping", ("object",), "the object"),
            Parameter("name", ("string",), "the attribute's name, which is not a path"),
        ),
        result="any",
        call=attribute,
        topic="functions",
    )
    get_element = Function(
        name="getelem",
        summary="the element at a position of an array",
        parameters=(
            Parameter("items", ("array",), "the array"),
            Parameter("position", ("integer",), "the element's position, counted from 0"),
        ),
        result="any",
        call=element,
        topic="functions",
    )
    return (
        Function(
            name="compose",
            summary="one function of several, called from right to left",
            parameters=(function, more),
            result="function",
            call=compose,
            topic="functions",
            examples=(
                given(
                    'map(datasources.network.subnets, compose(to_upper, getattr("id")))',
                    ["SUBNET-1A", "SUBNET-2B"],
                    datasources=subnets,
                ),
                given(
                    'map(list("v1-a", "v2-b"), compose(trimprefix_g("v"), trim))', ["1-a", "2-b"]
                ),
                edge("map(list(true), compose(not))", [False]),
                edge("map(list(true), compose(not, not, not))", [False]),
                edge('map(list("a"), compose(to_upper, len))', error="invalid_argument_type"),
                edge("map(list(true), compose())", error="invalid_argument_count"),
                edge('map(list("a"), compose("trim"))', error="invalid_argument_type"),
                edge('map(list("a"), compose(trim, none))', NONE),
            ),
        ),
        Function(
            name="pipe",
            summary="one function of several, called from left to right",
            parameters=(function, more),
            result="function",
            call=pipe,
            topic="functions",
            examples=(
                given(
                    'map(datasources.network.subnets, pipe(getattr("id"), to_upper))',
                    ["SUBNET-1A", "SUBNET-2B"],
                    datasources=subnets,
                ),
                given('map(list(" v1 ", "v2"), pipe(trim, trimprefix_g("v")))', ["1", "2"]),
                edge('map(list("héé"), pipe(split_g(""), len))', [3]),
                edge('map(list("a"), pipe(len, to_upper))', error="invalid_argument_type"),
                edge("map(list(true), pipe())", error="invalid_argument_count"),
            ),
        ),
        composable(
            get_attribute,
            "a function that gives the value of an attribute of an object",
            (
                given(
                    "map(datasources.network.subnets, "
                    'compose(getattr("id"), getattr("definition")))',
                    ["subnet-1234", "subnet-5678"],
                    datasources=nested,
                ),
                given(
                    'map(datasources.network.subnets, getattr("id"))',
                    ["subnet-1a", "subnet-2b"],
                    datasources=subnets,
                ),
                edge('map(list(object(a = 1)), getattr("b"))', error="path_not_found"),
                edge(
                    'map(list(object(a = object(b = 1))), getattr("a.b"))', error="path_not_found"
                ),
                edge('map(list("a"), getattr("b"))', error="invalid_argument_type"),
                edge("map(list(object()), getattr(1))", error="invalid_argument_type"),
                edge("map(list(object()), getattr(none))", NONE),
            ),
            name="getattr",
        ),
        composable(
            get_element,
            "a function that gives the element at a position of an array",
            (
                given(
                    'map(datasources.network.subnets, compose(getattr("id"), getelem(0)))',
                    ["subnet-1234", "subnet-5678"],
                    datasources=pairs,
                ),
                given('map(list(list("a", "b"), list("c", "d")), getelem(1))', ["b", "d"]),
                edge("map(list(list(1)), getelem(1))", error="index_out_of_bounds"),
                edge("map(list(list(1)), getelem(-1))", error="index_out_of_bounds"),
                edge('map(list("ab"), getelem(0))', error="invalid_argument_type"),
                edge('map(list(list(1)), getelem("0"))', error="invalid_argument_type"),
            ),
            name="getelem",
        ),
    )
