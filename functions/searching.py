"""Text and arrays: where something stands in them, and whether it does."""

from __future__ import annotations

from typing import Any

from .comparison import equal
from .composable import composable
from .examples import edge, given
from .registry import Function, Parameter
from .values import NONE, FunctionError, article, type_of


def contains(haystack: str | list[Any], needle: Any) -> bool:
    """True when a string contains a string, or an array an equal element.

    Raises:
        FunctionError: `invalid_argument_type` for a needle that no string can contain.
    """
    if isinstance(haystack, list):
        return any(equal(item, needle) for item in haystack)
    if not isinstance(needle, str):
        raise FunctionError(
            "argument 2 (`needle`) of `contains` must be a string when it is sought in a string, "
            f"not {article(type_of(needle))}",
            code="invalid_argument_type",
            argument=1,
        )
    return needle in haystack


def searching_functions() -> tuple[Function, ...]:
    """The records."""
    text = Parameter("text", ("string",), "the string to search in")
    needle = Parameter("needle", ("string",), "the string to search for")
    host = {"cacheClusterConfig": {"host": "http://cache.services.dev:3000"}}
    hosts = {"cacheClusterConfig": {"hosts": ["http://a.dev/config", "b.services.dev"]}}
    index = Function(
        name="index",
        summary="the position of the first occurrence of a string in another, or -1",
        parameters=(text, needle),
        result="integer",
        call=lambda text, needle: text.find(needle),
        topic="text",
        examples=(
            given('index(values.cacheClusterConfig.host, ":3000")', 25, values=host),
            given('index("héllo", "l")', 2),
            edge('index("abc", "x")', -1),
            edge('index("abc", "")', 0),
            edge('index(none, "a")', NONE),
            edge('index("a", none)', NONE),
            edge('index(list("a"), "a")', error="invalid_argument_type"),
        ),
    )
    last_index = Function(
        name="last_index",
        summary="the position of the last occurrence of a string in another, or -1",
        parameters=(text, needle),
        result="integer",
        call=lambda text, needle: text.rfind(needle),
        topic="text",
        examples=(
            given('last_index(values.cacheClusterConfig.host, ":3000")', 25, values=host),
            given('last_index("héllo", "l")', 3),
            edge('last_index("abc", "x")', -1),
            edge('last_index("abc", "")', 3),
            edge('last_index(none, "a")', NONE),
        ),
    )
    has_prefix = Function(
        name="has_prefix",
        summary="whether a string starts with another",
        parameters=(text, Parameter("prefix", ("string",), "the start to look for")),
        result="boolean",
        call=lambda text, prefix: text.startswith(prefix),
        topic="text",
        examples=(
            given('has_prefix(values.cacheClusterConfig.host, "http://")', True, values=host),
            given('has_prefix("example.com", "http://")', False),
            edge('has_prefix("a", "")', True),
            edge('has_prefix(none, "a")', NONE),
            edge('has_prefix("a", none)', NONE),
            edge('has_prefix("1", 1)', error="invalid_argument_type"),
        ),
    )
    has_suffix = Function(
        name="has_suffix",
        summary="whether a string ends with another",
        parameters=(text, Parameter("suffix", ("string",), "the end to look for")),
        result="boolean",
        call=lambda text, suffix: text.endswith(suffix),
        topic="text",
        examples=(
            given('has_suffix(values.cacheClusterConfig.host, "/config")', False, values=host),
            given('has_suffix("example.com/config", "/config")', True),
            edge('has_suffix("a", "")', True),
            edge('has_suffix(none, "a")', NONE),
            edge('has_suffix("a", none)', NONE),
        ),
    )
    contains_record = Function(
        name="contains",
        summary="whether a string contains a string, or an array an equal element",
        parameters=(
            Parameter("haystack", ("string", "array"), "the string or array to search in"),
            Parameter("needle", ("any",), "the string or element to search for"),
        ),
        result="boolean",
        call=contains,
        topic="text",
        examples=(
            given('contains(values.cacheClusterConfig.host, "services.dev")', True, values=host),
            given('contains(list("a", "b"), "c")', False),
            edge('contains(list("ab"), "a")', False),
            edge("contains(list(object(a = list(1))), object(a = list(1)))", True),
            edge("contains(list(object(a = 1)), object(a = true))", False),
            edge("contains(list(1.0), 1)", False),
            edge('contains("a", "")', True),
            edge('contains(none, "a")', NONE),
            edge('contains("a", none)', NONE),
            edge('contains("1", 1)', error="invalid_argument_type"),
            edge('contains(object(a = 1), "a")', error="invalid_argument_type"),
        ),
    )
    return (
        index,
        last_index,
        has_prefix,
        composable(
            has_prefix,
            "a function that tells whether a string starts with another",
            (
                given(
                    'filter(values.cacheClusterConfig.hosts, has_prefix_g("http://"))',
                    ["http://a.dev/config"],
                    values=hosts,
                ),
                given('map(list("v1", "x"), has_prefix_g("v"))', [True, False]),
            ),
        ),
        has_suffix,
        composable(
            has_suffix,
            "a function that tells whether a string ends with another",
            (
                given(
                    'filter(values.cacheClusterConfig.hosts, has_suffix_g("/config"))',
                    ["http://a.dev/config"],
                    values=hosts,
                ),
                given('map(list("a.yml", "b.txt"), has_suffix_g(".yml"))', [True, False]),
            ),
        ),
        contains_record,
        composable(
            contains_record,
            "a function that tells whether a string or an array contains something",
            (
                given(
                    'filter(values.cacheClusterConfig.hosts, contains_g("services.dev"))',
                    ["b.services.dev"],
                    values=hosts,
                ),
                given("map(list(list(1, 2), list(3)), contains_g(3))", [False, True]),
            ),
        ),
    )
