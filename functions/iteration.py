"""Arrays, element by element: map, filter, reduce, sort, flatmap.

A function that is passed gets the element's index as well when it declares one (`indexed`).
"""

from __future__ import annotations

from functools import cmp_to_key, partial
from typing import Any, Final

from .examples import edge, given
from .registry import Function, Parameter
from .value_limits import ValueLimits, hold_items
from .values import NONE, FunctionError, FunctionValue, article, type_of

_NUMBERS: Final = frozenset({"integer", "float"})


def map_items(items: list[Any], function: FunctionValue) -> list[Any]:
    """What the function makes of each element; none is left out.

    Raises:
        FunctionError: from the function; `invalid_function_result` when it gives a function.
    """
    made = []
    for index, item in enumerate(items):
        result = apply(function, index, item)
        if result is NONE:
            continue
        if type_of(result) == "function":
            raise unfit("map", "a value", function, result, index)
        made.append(result)
    return made


def filter_items(items: list[Any], predicate: FunctionValue) -> list[Any]:
    """The elements for which the predicate is true; none counts as false.

    Raises:
        FunctionError: from the predicate; `invalid_function_result` when it gives no boolean.
    """
    kept = []
    for index, item in enumerate(items):
        verdict = apply(predicate, index, item)
        if verdict is True:
            kept.append(item)
        elif verdict is not False and verdict is not NONE:
            raise unfit("filter", "a boolean", predicate, verdict, index)
    return kept


def reduce_items(items: list[Any], reducer: FunctionValue, initial: Any) -> Any:
    """The elements folded from the left into one value, which starts as `initial`.

    Raises:
        FunctionError: from the reducer; `invalid_function_result` when it gives a value of another
            type than `initial` (numbers are one type here, and none fits everywhere);
            `function_not_allowed` for a function as `initial`.
    """
    kind = type_of(initial)
    if kind == "function":
        raise FunctionError(
            "`reduce` cannot start with a function", code="function_not_allowed", argument=2
        )
    accumulated = initial
    for index, item in enumerate(items):
        accumulated = apply(reducer, index, accumulated, item)
        actual = type_of(accumulated)
        if actual not in (kind, "none") and not {actual, kind} <= _NUMBERS:
            raise unfit("reduce", article(kind), reducer, accumulated, index)
    return accumulated


def sort_items(items: list[Any], comparator: FunctionValue) -> list[Any]:
    """The elements in the comparator's order; equal ones keep theirs.

    Raises:
        FunctionError: from the comparator; `invalid_function_result` when it gives no integer.
    """

    def compare(a: Any, b: Any) -> int:
        result = apply(comparator, None, a, b)
        if result.__class__ is not int:
            raise unfit("sort", "an integer", comparator, result, None)
        return int(result)

    return sorted(items, key=cmp_to_key(compare))


def flat_map_items(items: list[Any], function: FunctionValue, *, limits: ValueLimits) -> list[Any]:
    """The elements of the arrays that the function makes of each element; none is left out.

    Raises:
        FunctionError: from the function; `invalid_function_result` when it gives no array;
            `limit_exceeded`.
    """
    made: list[Any] = []
    for index, item in enumerate(items):
        result = apply(function, index, item)
        if result is NONE:
            continue
        if not isinstance(result, list):
            raise unfit("flatmap", "an array", function, result, index)
        hold_items("flatmap", len(made) + len(result), limits)
        made.extend(result)
    return made


def apply(function: FunctionValue, index: int | None, *arguments: Any) -> Any:
    """Calls a function that was passed; its mistakes tell the element and blame the function."""
    try:
        if function.indexed and index is not None:
            return function(*arguments, index)
        return function(*arguments)
    except FunctionError as error:
        place = "" if index is None else f" (at element {index})"
        raise FunctionError(
            f"{error.message}{place}", code=error.code, hint=error.hint, argument=1
        ) from None


def unfit(
    name: str, wanted: str, function: FunctionValue, result: Any, index: int | None
) -> FunctionError:
    """What to say when a function that was passed gives a value of the wrong type."""
    place = "" if index is None else f" (at element {index})"
    return FunctionError(
        f"the function for `{name}` must give {wanted}, but `{function.name}` gave "
        f"{article(type_of(result))}{place}",
        code="invalid_function_result",
        argument=1,
    )


def iteration_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    items = Parameter("items", ("array",), "the array")
    kind = ("function",)
    function = Parameter("function", kind, "takes an element, and its index if it declares one")
    subnets = {"network": {"subnets": [{"id": "subnet-1a"}, {"id": "subnet-2b"}]}}
    names = {"network": {"subnets": ["subnet-402948-a", "subnet-11-b"]}}
    zones = {"region": {"availabilityZones": ["us-b", "us-a"]}}
    hosts = {"hosts": ["host1,example.com:3049", "host2,example.com:4095"]}
    return (
        Function(
            name="map",
            summary="an array of what a function makes of each element; none is left out",
            parameters=(items, function),
            result="array",
            call=map_items,
            topic="collections",
            examples=(
                given(
                    'map(datasources.network.subnets, compose(to_upper, getattr("id")))',
                    ["SUBNET-1A", "SUBNET-2B"],
                    datasources=subnets,
                ),
                given('map(list(" a ", "b"), trim)', ["a", "b"]),
                edge("map(list(), trim)", []),
                edge("map(none, trim)", NONE),
                edge(r'map(list("null", "1"), jsondecode)', [1]),
                edge('map(list("a"), has_prefix)', error="invalid_argument_count"),
                edge("map(list(1), trim)", error="invalid_argument_type"),
                edge('map(list("a"), trimprefix_g)', error="invalid_function_result"),
                edge('map(list("a"), "trim")', error="invalid_argument_type"),
                edge('map("ab", trim)', error="invalid_argument_type"),
            ),
        ),
        Function(
            name="filter",
            summary="the elements of an array for which a function is true",
            parameters=(
                items,
                Parameter("predicate", kind, "takes an element and gives a boolean"),
            ),
            result="array",
            call=filter_items,
            topic="collections",
            examples=(
                given(
                    'filter(datasources.network.subnets, has_prefix_g("subnet-402948-"))',
                    ["subnet-402948-a"],
                    datasources=names,
                ),
                given("filter(list(true, false, true), not)", [False]),
                edge('filter(list(), has_prefix_g("a"))', []),
                edge('filter(none, has_prefix_g("a"))', NONE),
                edge(r'filter(list("null", "true", "false"), jsondecode)', ["true"]),
                edge('filter(list("a"), to_upper)', error="invalid_function_result"),
                edge('filter(list(1), has_prefix_g("a"))', error="invalid_argument_type"),
            ),
        ),
        Function(
            name="reduce",
            summary="the elements of an array folded into one value by a function",
            parameters=(
                items,
                Parameter(
                    "reducer",
                    kind,
                    "takes the value so far, an element, and the index if it declares one; gives "
                    "the next value",
                ),
                Parameter("initial", ("any",), "the value to start with"),
            ),
            result="any",
            call=reduce_items,
            topic="collections",
            examples=(
                given("reduce(list(3, 9, 4), max, 0)", 9),
                given("reduce(list(true, false), and, true)", False),
                given("reduce(datasources.instances.items, sum_memory_reducer, 0)"),
                given("reduce(datasources.instances.items, build_id_to_name_map, object())"),
                given(
                    "reduce(list(datasources.vpc.tags, datasources.subnet.tags, "
                    "values.customTags), merge_tags_reducer, object())"
                ),
                edge("reduce(list(), max, 7)", 7),
                edge('reduce(list("a", "b"), coalesce, "x")', "x"),
                edge("reduce(list(1.5), max, 1)", 1.5),
                edge("reduce(none, max, 0)", NONE),
                edge("reduce(list(1), max, none)", NONE),
                edge("reduce(list(1), eq, 1)", error="invalid_function_result"),
                edge('reduce(list("a"), max, 0)', error="invalid_argument_type"),
                edge("reduce(list(1), abs, 0)", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="sort",
            summary="the elements of an array in the order that a comparison function gives",
            parameters=(
                items,
                Parameter(
                    "comparator",
                    kind,
                    "takes two elements; gives a negative integer when the first comes before the "
                    "second, a positive one when it comes after, 0 when they are equal "
                    "(no core function is one; plug-ins add them)",
                ),
            ),
            result="array",
            call=sort_items,
            topic="collections",
            examples=(
                given(
                    "sort(datasources.region.availabilityZones, compare_strings_alphabetically)",
                    datasources=zones,
                ),
                given("sort(datasources.instances.items, compare_instance_size)"),
                given("sort(datasources.resources.items, compare_priority_desc)"),
                edge(
                    "sort(datasources.region.availabilityZones, eq)",
                    error="invalid_function_result",
                    datasources=zones,
                ),
                edge('sort(list("only"), index)', ["only"]),
                edge("sort(list(), eq)", []),
                edge("sort(none, eq)", NONE),
                edge("sort(list(2, 1), index)", error="invalid_argument_type"),
                edge("sort(list(2, 1), abs)", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="flatmap",
            summary="the arrays that a function makes of each element, as one array",
            parameters=(items, function),
            result="array",
            call=partial(flat_map_items, limits=limits),
            topic="collections",
            examples=(
                given(
                    'flatmap(values.hosts, split_g(","))',
                    ["host1", "example.com:3049", "host2", "example.com:4095"],
                    values=hosts,
                ),
                given("flatmap(list(object(a = 1), object(b = 2)), vals)", [1, 2]),
                edge("flatmap(list(object(a = list(1))), vals)", [[1]]),
                edge(r'flatmap(list("null", "[1]"), jsondecode)', [1]),
                edge("flatmap(list(), vals)", []),
                edge("flatmap(none, vals)", NONE),
                edge('flatmap(list("a"), trim)', error="invalid_function_result"),
            ),
        ),
    )
