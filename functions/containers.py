"""Arrays and objects: building them, their size, their parts."""

from __future__ import annotations

from functools import partial
from typing import Any

from .examples import edge, given
from .names import quoted
from .registry import Function, Parameter
from .value_limits import ValueLimits, hold_items
from .values import NONE, FunctionError, type_of


def make_list(*items: Any, limits: ValueLimits) -> list[Any]:
    """The arguments as an array; none is left out.

    Raises:
        FunctionError: `limit_exceeded`; `function_not_allowed` for a function.
    """
    hold_items("list", len(items), limits)
    for position, item in enumerate(items):
        _hold_no_function("list", item, position)
    return [item for item in items if item is not NONE]


def make_object(*arguments: Any, limits: ValueLimits) -> dict[str, Any]:
    """An object from one argument, a list of pairs of a name and a value; none is left out.

    Raises:
        FunctionError: `duplicate_argument_name`, `limit_exceeded`, `function_not_allowed`;
            `invalid_argument` for arguments that are no such pairs, as in a call without names.
    """
    pairs = arguments[0] if arguments else []
    if len(arguments) > 1 or not _are_pairs(pairs):
        raise FunctionError(
            "`object` takes named arguments only", hint="write `object(name = value)`"
        )
    hold_items("object", len(pairs), limits)
    made: dict[str, Any] = {}
    for position, (name, value) in enumerate(pairs):
        if name in made:
            raise FunctionError(
                f"`object` has two arguments named {quoted(name)}",
                code="duplicate_argument_name",
                argument=position,
            )
        _hold_no_function("object", value, position)
        made[name] = value
    return {name: value for name, value in made.items() if value is not NONE}


def _are_pairs(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(isinstance(pair, tuple) for pair in pairs)


def _hold_no_function(name: str, value: Any, position: int) -> None:
    if type_of(value) == "function":
        raise FunctionError(
            f"a function cannot be part of what `{name}` builds",
            code="function_not_allowed",
            hint="functions are arguments of `map`, `filter` and the like",
            argument=position,
        )


def container_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    mapping = Parameter("mapping", ("object",), "the object")
    subnets = {"network": {"subnets": {"a": "10.0.0.0/24", "b": "10.0.1.0/24"}}}
    endpoints = {"cacheClusterConfig": {"endpoints": ["a.dev", "b.dev"]}}
    return (
        Function(
            name="len",
            summary="how many characters a string, elements an array or keys an object has",
            parameters=(Parameter("value", ("string", "array", "object"), "the value to measure"),),
            result="integer",
            call=len,
            topic="collections",
            examples=(
                given("len(values.cacheClusterConfig.endpoints)", 2, values=endpoints),
                given('len("héllo")', 5),
                given("len(object(a = 1, b = 2))", 2),
                edge('len("😀")', 1),
                edge('len("")', 0),
                edge('len(list("a", none))', 1),
                edge("len(object(a = none))", 0),
                edge("len(none)", NONE),
                edge("len(12)", error="invalid_argument_type"),
                edge("len(true)", error="invalid_argument_type"),
                edge('len(base64decode("YQ=="))', error="invalid_argument_type"),
                edge("len()", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="list",
            summary="an array of the arguments; none is left out",
            parameters=(
                Parameter("items", ("any",), "the elements, best of one type", variadic=True),
            ),
            result="array",
            call=partial(make_list, limits=limits),
            topic="collections",
            form="list",
            propagates_none=False,
            examples=(
                given(
                    'list("item1", "item2", "item3", "item4")',
                    ["item1", "item2", "item3", "item4"],
                ),
                given('list("a", none, "b")', ["a", "b"]),
                edge("list()", []),
                edge('list(1, "a", list(true))', [1, "a", [True]]),
                edge("list(none)", []),
                edge('list(getattr("id"))', error="function_not_allowed"),
            ),
        ),
        Function(
            name="object",
            summary="an object of the named arguments; none is left out",
            parameters=(
                Parameter("fields", ("any",), "the values under their names", variadic=True),
            ),
            result="object",
            call=partial(make_object, limits=limits),
            topic="collections",
            form="object",
            named=True,
            propagates_none=False,
            examples=(
                given(
                    'object(id = "subnet-1234", label = "Subnet 1234")',
                    {"id": "subnet-1234", "label": "Subnet 1234"},
                ),
                given("object(a = 1, b = none)", {"a": 1}),
                edge("object()", {}),
                edge("object(values = 1, i = 2)", {"values": 1, "i": 2}),
                edge("object(a = object(b = none))", {"a": {}}),
                edge("object(a = 1, a = 2)", error="duplicate_argument_name"),
                edge("object(1)", error="invalid_argument"),
            ),
        ),
        Function(
            name="keys",
            summary="the keys of an object in their order",
            parameters=(mapping,),
            result="array",
            call=list,
            topic="collections",
            examples=(
                given("keys(datasources.network.subnets)", ["a", "b"], datasources=subnets),
                given("keys(object(z = 1, a = 2))", ["z", "a"]),
                edge("keys(object())", []),
                edge("keys(none)", NONE),
                edge("keys(list(1))", error="invalid_argument_type"),
            ),
        ),
        Function(
            name="vals",
            summary="the values of an object in the order of its keys",
            parameters=(mapping,),
            result="array",
            call=lambda mapping: list(mapping.values()),
            topic="collections",
            examples=(
                given(
                    "vals(datasources.network.subnets)",
                    ["10.0.0.0/24", "10.0.1.0/24"],
                    datasources=subnets,
                ),
                given("vals(object(z = 1, a = 2))", [1, 2]),
                edge("vals(object())", []),
                edge("vals(none)", NONE),
                edge('vals("a")', error="invalid_argument_type"),
            ),
        ),
    )
