"""Text: replacing, splitting, joining and case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from .composable import composable
from .examples import edge, given
from .registry import Function, Parameter
from .value_limits import ValueLimits, hold_chars, hold_items
from .values import NONE, FunctionError, article, to_text, type_of

_TEXTUAL: Final = frozenset({"string", "integer", "float", "boolean", "binary"})
_MOST_CHARS_PER_CASE: Final = 3


def replace_all(text: str, search: str, replacement: str, *, limits: ValueLimits) -> str:
    """The text with every occurrence of `search` replaced; an empty one is between all characters.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    grown = len(text) + text.count(search) * (len(replacement) - len(search))
    hold_chars("replace", grown, limits)
    return text.replace(search, replacement)


def split_text(text: str, delimiter: str, *, limits: ValueLimits) -> list[str]:
    """The parts between the delimiters; the single characters for an empty delimiter.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    if not delimiter:
        hold_items("split", len(text), limits)
        return list(text)
    hold_items("split", text.count(delimiter) + 1, limits)
    return text.split(delimiter)


def join_items(items: list[Any], delimiter: str, *, limits: ValueLimits) -> str:
    """The elements as text with the delimiter between them; none is left out.

    Raises:
        FunctionError: `invalid_argument_type` for an element without a text form, `limit_exceeded`.
    """
    texts: list[str] = []
    size = 0
    for position, item in enumerate(items):
        if item is NONE:
            continue
        kind = type_of(item)
        if kind not in _TEXTUAL:
            raise FunctionError(
                f"element {position} of the array for `join` is {article(kind)}, "
                "which cannot be part of a text",
                code="invalid_argument_type",
                argument=0,
            )
        text = to_text(item)
        size += len(text) + (len(delimiter) if texts else 0)
        hold_chars("join", size, limits)
        texts.append(text)
    return delimiter.join(texts)


def change_case(name: str, change: Callable[[str], str], text: str, *, limits: ValueLimits) -> str:
    """The text in upper or lower case.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    if _MOST_CHARS_PER_CASE * len(text) > limits.max_value_chars:
        counts = Counter(text)
        hold_chars(name, sum(len(change(char)) * n for char, n in counts.items()), limits)
    return change(text)


def text_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    text = Parameter("text", ("string",), "the string to work on")
    delimiter = Parameter("delimiter", ("string",), "what separates the parts")
    host = {"cacheClusterConfig": {"host": "http://cache.services.dev:3000"}}
    hosts = {"cacheClusterConfig": {"hosts": ["http://a.dev/config", "b.dev"]}}
    replace = Function(
        name="replace",
        summary="a string with all occurrences of a text replaced by another",
        parameters=(
            text,
            Parameter("search", ("string",), "the text to replace, taken literally"),
            Parameter("replacement", ("string",), "the text to put in its place"),
        ),
        result="string",
        call=partial(replace_all, limits=limits),
        topic="text",
        examples=(
            given(
                'replace(values.cacheClusterConfig.host, "http://", "https://")',
                "https://cache.services.dev:3000",
                values=host,
            ),
            given('replace("a-b-c", "-", "")', "abc"),
            edge('replace("abc", "", "-")', "-a-b-c-"),
            edge('replace("a.c", ".", "..")', "a..c"),
            edge('replace("abc", "x", "y")', "abc"),
            edge('replace(none, "a", "b")', NONE),
            edge('replace("a", none, "b")', NONE),
            edge('replace("a", "a", none)', NONE),
            edge('replace("a1", 1, "b")', error="invalid_argument_type"),
        ),
    )
    split = Function(
        name="split",
        summary="the parts of a string between the places where a delimiter stands",
        parameters=(text, delimiter),
        result="array",
        call=partial(split_text, limits=limits),
        topic="text",
        examples=(
            given(
                'split(values.cacheClusterConfig.hosts, ",")',
                ["a.dev", "b.dev"],
                values={"cacheClusterConfig": {"hosts": "a.dev,b.dev"}},
            ),
            given('split("a--b-c", "--")', ["a", "b-c"]),
            edge('split("", ",")', [""]),
            edge('split(",a,", ",")', ["", "a", ""]),
            edge('split("héé", "")', ["h", "é", "é"]),
            edge('split("", "")', []),
            edge('split(none, ",")', NONE),
            edge('split("a,b", none)', NONE),
            edge('split(list("a"), ",")', error="invalid_argument_type"),
        ),
    )
    join = Function(
        name="join",
        summary="the elements of an array as one string with a delimiter between them",
        parameters=(
            Parameter(
                "items",
                ("array",),
                "the elements; numbers and booleans become text, none is left out",
            ),
            delimiter,
        ),
        result="string",
        call=partial(join_items, limits=limits),
        topic="text",
        examples=(
            given(
                'join(values.cacheClusterConfig.hosts, ",")',
                "http://a.dev/config,b.dev",
                values=hosts,
            ),
            given('join([8080, 8081, 8082], ",")', "8080,8081,8082"),
            given('join([true, false, true], "|")', "true|false|true"),
            given('join(["tag1", none, "tag2", none, "tag3"], ",")', "tag1,tag2,tag3"),
            edge('join(list(1.5, 2.0), " ")', "1.5 2.0"),
            edge('join(list(), ",")', ""),
            edge('join(list(none), ",")', ""),
            edge('join(list("a"), ",")', "a"),
            edge('join(none, ",")', NONE),
            edge('join(list("a"), none)', NONE),
            edge('join(list("a", list("b")), ",")', error="invalid_argument_type"),
            edge('join(list(object()), ",")', error="invalid_argument_type"),
            edge('join("ab", ",")', error="invalid_argument_type"),
        ),
    )
    to_upper = Function(
        name="to_upper",
        summary="a string in upper case",
        parameters=(text,),
        result="string",
        call=partial(change_case, "to_upper", str.upper, limits=limits),
        topic="text",
        examples=(
            given(
                "to_upper(values.cacheClusterConfig.hostName)",
                "CACHE-1",
                values={"cacheClusterConfig": {"hostName": "cache-1"}},
            ),
            given('to_upper("héllo")', "HÉLLO"),
            edge('to_upper("straße")', "STRASSE"),
            edge("to_upper(none)", NONE),
            edge("to_upper(true)", error="invalid_argument_type"),
        ),
    )
    to_lower = Function(
        name="to_lower",
        summary="a string in lower case",
        parameters=(text,),
        result="string",
        call=partial(change_case, "to_lower", str.lower, limits=limits),
        topic="text",
        examples=(
            given(
                "to_lower(values.cacheClusterConfig.hostId)",
                "cache-1",
                values={"cacheClusterConfig": {"hostId": "Cache-1"}},
            ),
            given('to_lower("HÉLLO")', "héllo"),
            edge("to_lower(none)", NONE),
            edge("to_lower(1)", error="invalid_argument_type"),
        ),
    )
    return (
        replace,
        composable(
            replace,
            "a function that replaces all occurrences of a text in a string",
            (
                given(
                    'map(values.cacheClusterConfig.hosts, replace_g("http://", "https://"))',
                    ["https://a.dev/config", "b.dev"],
                    values=hosts,
                ),
                given('map(list("a-b", "c"), replace_g("-", "_"))', ["a_b", "c"]),
            ),
        ),
        split,
        composable(
            split,
            "a function that splits a string at a delimiter",
            (
                given(
                    'flatmap(values.cacheClusterConfig.multiClusterHosts, split_g(","))',
                    ["a.dev", "b.dev", "c.dev"],
                    values={"cacheClusterConfig": {"multiClusterHosts": ["a.dev,b.dev", "c.dev"]}},
                ),
                given('map(list("a b", "c"), split_g(" "))', [["a", "b"], ["c"]]),
            ),
        ),
        join,
        to_upper,
        to_lower,
    )
