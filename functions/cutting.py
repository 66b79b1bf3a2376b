"""Text: taking parts of it. Positions are code points."""

from __future__ import annotations

from functools import partial
from typing import Final

from .composable import composable
from .examples import edge, given
from .registry import Function, Parameter
from .values import NONE, FunctionError

SUBSTR_END_EXCLUSIVE: Final = False
"""The specification's end index is the last character included; the reference engine stops before
it. This is the default of the switch between the two readings."""

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's White_Space property. Python's own idea of it has four control characters more."""


def substring(
    text: str, start: int, end: int | None = None, end_exclusive: bool = SUBSTR_END_EXCLUSIVE
) -> str:
    """The characters from `start` to `end`, or to the last one when there is no `end`.

    Raises:
        FunctionError: `invalid_argument` for a position outside the text, or an end before the
            start.
    """
    size = len(text)
    _hold_position("start", start, size - 1, size)
    if end is None:
        return text[start:]
    _hold_position("end", end, size if end_exclusive else size - 1, size)
    if start > end:
        raise FunctionError("the start of `substr` must not be after its end", argument=1)
    return text[start : end if end_exclusive else end + 1]


def _hold_position(name: str, position: int, last: int, size: int) -> None:
    if 0 <= position <= last:
        return
    if position < 0:
        problem = "must not be negative"
    else:
        problem = f"is beyond the text, which has {size} character{'' if size == 1 else 's'}"
    raise FunctionError(
        f"the {name} of `substr` {problem}",
        argument=1 if name == "start" else 2,
    )


def cutting_functions(substr_end_exclusive: bool) -> tuple[Function, ...]:
    """The records."""
    text = Parameter("text", ("string",), "the string to work on")
    prefix = Parameter("prefix", ("string",), "what to take from the start")
    suffix = Parameter("suffix", ("string",), "what to take from the end")
    host = {"cacheClusterConfig": {"host": "http://cache.services.dev:3000"}}
    hosts = {"cacheClusterConfig": {"hosts": ["http://a.dev/config", "b.dev"]}}
    upto = "before which to stop" if substr_end_exclusive else "of the last character to include"

    def ending(inclusive: str, exclusive: str) -> str:
        return exclusive if substr_end_exclusive else inclusive

    substr = Function(
        name="substr",
        summary="the part of a string between two positions",
        parameters=(
            text,
            Parameter("start", ("integer",), "the position of the first character to include"),
            Parameter(
                "end",
                ("integer",),
                f"the position {upto}; without it, all up to the end of the string",
                optional=True,
            ),
        ),
        result="string",
        call=partial(substring, end_exclusive=substr_end_exclusive),
        topic="text",
        examples=(
            given(
                "substr(values.cacheClusterConfig.host, 0, 3)",
                ending("http", "htt"),
                values=host,
            ),
            given('substr("blueprint", 4)', "print"),
            edge('substr("https://example.com", 8, 15)', ending("example.", "example")),
            edge('substr("héllo", 1, 2)', ending("él", "é")),
            edge('substr("a😀b", 1, 1)', ending("😀", "")),
            edge('substr("abc", 0, 2)', ending("abc", "ab")),
            edge('substr("abc", -1)', error="invalid_argument"),
            edge('substr("abc", 0, -1)', error="invalid_argument"),
            edge('substr("abc", 3)', error="invalid_argument"),
            edge('substr("", 0)', error="invalid_argument"),
            edge('substr("abc", 0, 4)', error="invalid_argument"),
            edge('substr("abc", 2, 1)', error="invalid_argument"),
            edge('substr("abc", 1.0)', error="invalid_argument_type"),
            edge('substr("abc")', error="invalid_argument_count"),
            edge("substr(none, 0)", NONE),
            edge('substr("abc", none)', NONE),
        ),
    )
    trim = Function(
        name="trim",
        summary="a string without white space at its start and end",
        parameters=(text,),
        result="string",
        call=lambda text: text.strip(WHITE_SPACE),
        topic="text",
        examples=(
            given(
                "trim(values.cacheClusterConfig.host)",
                "cache.dev",
                values={"cacheClusterConfig": {"host": "  cache.dev\n"}},
            ),
            given('trim("  a b  ")', "a b"),
            edge('trim("\u00a0\u2003x\u3000")', "x"),
            edge('trim("")', ""),
            edge("trim(none)", NONE),
            edge("trim(1)", error="invalid_argument_type"),
            edge('trim("a", "b")', error="invalid_argument_count"),
        ),
    )
    trimprefix = Function(
        name="trimprefix",
        summary="a string without a given start, which is taken away at most once",
        parameters=(text, prefix),
        result="string",
        call=lambda text, prefix: text.removeprefix(prefix),
        topic="text",
        examples=(
            given(
                'trimprefix(values.cacheClusterConfig.host, "http://")',
                "cache.services.dev:3000",
                values=host,
            ),
            given('trimprefix("example.com", "http://")', "example.com"),
            edge('trimprefix("aab", "a")', "ab"),
            edge('trimprefix("ab", "")', "ab"),
            edge('trimprefix(none, "a")', NONE),
            edge('trimprefix("a", none)', NONE),
        ),
    )
    trimsuffix = Function(
        name="trimsuffix",
        summary="a string without a given end, which is taken away at most once",
        parameters=(text, suffix),
        result="string",
        call=lambda text, suffix: text.removesuffix(suffix),
        topic="text",
        examples=(
            given(
                'trimsuffix(values.cacheClusterConfig.host, ":3000")',
                "http://cache.services.dev",
                values=host,
            ),
            given('trimsuffix("report.txt", ".csv")', "report.txt"),
            edge('trimsuffix("abb", "b")', "ab"),
            edge('trimsuffix("ab", "")', "ab"),
            edge('trimsuffix(none, "a")', NONE),
            edge('trimsuffix("a", none)', NONE),
        ),
    )
    return (
        substr,
        composable(
            substr,
            "a function that gives the part of a string between two positions",
            (
                given(
                    "map(values.cacheClusterConfig.hosts, substr_g(0, 3))",
                    ["http", "b.de"] if not substr_end_exclusive else ["htt", "b.d"],
                    values=hosts,
                ),
                given('map(list("blueprint", "abcdef"), substr_g(4))', ["print", "ef"]),
                edge('map(list("abc", ""), substr_g(0))', error="invalid_argument"),
                edge("map(list(1), substr_g(0))", error="invalid_argument_type"),
                edge('map(list("a"), substr_g("0"))', error="invalid_argument_type"),
                edge('map(list("a"), substr_g())', error="invalid_argument_count"),
            ),
        ),
        trim,
        trimprefix,
        composable(
            trimprefix,
            "a function that takes a given start from a string",
            (
                given(
                    'map(values.cacheClusterConfig.hosts, trimprefix_g("http://"))',
                    ["a.dev/config", "b.dev"],
                    values=hosts,
                ),
                given('map(list("v1.2", "v2"), trimprefix_g("v"))', ["1.2", "2"]),
            ),
        ),
        trimsuffix,
        composable(
            trimsuffix,
            "a function that takes a given end from a string",
            (
                given(
                    'map(values.cacheClusterConfig.hosts, trimsuffix_g("/config"))',
                    ["http://a.dev", "b.dev"],
                    values=hosts,
                ),
                given('map(list("a.yml", "b.yml"), trimsuffix_g(".yml"))', ["a", "b"]),
            ),
        ),
    )
