"""Serialised data: JSON texts as values, whole or the part that a pointer names."""

from __future__ import annotations

from functools import partial
from typing import Any, Final, NoReturn

from .composable import composable
from .examples import edge, given
from .json_pointer import resolve_pointer
from .registry import Function, Parameter
from .value_limits import ValueLimits, hold_chars, raising
from .values import NONE, FunctionError, article, type_of

_DEEPEST: Final = 128
"""What Python's JSON reader takes on every version, whatever depth the limits allow."""

_MOST_DIGITS: Final = 20

_STRUCTURE: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|([\[{])|([\]}])|,'
"""Strings, also an unfinished one, and what gives JSON its structure. Nothing is tried twice."""


def from_json(text: str, pointer: str, *, limits: ValueLimits) -> Any:
    """The value that a JSON pointer names in a JSON text whose root is an object.

    Raises:
        FunctionError: as `read_json` and `resolve_pointer` do.
    """
    document = read_json("fromjson", text, limits)
    if not isinstance(document, dict):
        raise FunctionError(
            f"the JSON text for `fromjson` must be an object, not {article(type_of(document))}",
            code="invalid_json",
            hint="use `jsondecode` for other JSON",
            argument=0,
        )
    return to_value(resolve_pointer(document, pointer))


def json_decode(text: str, *, limits: ValueLimits) -> Any:
    """The value that a JSON text stands for.

    Raises:
        FunctionError: as `read_json` does.
    """
    return to_value(read_json("jsondecode", text, limits))


def to_value(document: Any) -> Any:
    """Decoded JSON as a value: null is none, and as everywhere none is in no array or object."""
    if document is None:
        return NONE
    if isinstance(document, list):
        return [to_value(item) for item in document if item is not None]
    if isinstance(document, dict):
        return {key: to_value(item) for key, item in document.items() if item is not None}
    return document


def read_json(name: str, text: str, limits: ValueLimits) -> Any:
    """Decodes JSON strictly: RFC 8259 without duplicate keys, lone surrogates and huge numbers.

    Null is Python's `None`; integers stay integers. Size and depth are held before anything is
    built. No message tells anything of the text, which may be a secret, but places and types.

    Raises:
        FunctionError: `invalid_json`, `limit_exceeded`.
    """
    import json

    hold_chars(name, len(text), limits)
    _hold_structure(name, text, limits)
    try:
        document = json.loads(
            text,
            object_pairs_hook=partial(_object, name),
            parse_int=partial(_integer, name),
            parse_float=partial(_float, name),
            parse_constant=partial(_constant, name),
        )
    except json.JSONDecodeError as error:
        raise _invalid(
            name,
            f"is not valid (at line {error.lineno}, column {error.colno})",
            None if text.strip() else "the text is empty",
        ) from None
    if "\\u" in text or not text.isascii():
        _hold_strings(name, document)
    return document


def _hold_structure(name: str, text: str, limits: ValueLimits) -> None:
    deepest = min(limits.max_depth, _DEEPEST)
    opened = text.count("[") + text.count("{")
    if opened <= deepest and text.count(",") < limits.max_value_items:
        return
    import re

    depth = commas = 0
    for match in re.finditer(_STRUCTURE, text, re.DOTALL):
        if match.lastindex == 1:
            depth += 1
            if depth > deepest:
                raise FunctionError(
                    f"the JSON text for `{name}` is nested deeper than {deepest} levels "
                    "(`max_depth`)",
                    code="limit_exceeded",
                    hint=raising("max_depth", deepest, _DEEPEST),
                    argument=0,
                )
        elif match.lastindex == 2:
            depth -= 1
        elif match[0] == ",":
            commas += 1
            if commas >= limits.max_value_items:
                raise FunctionError(
                    f"the JSON text for `{name}` has more than {limits.max_value_items} items "
                    "(`max_value_items`)",
                    code="limit_exceeded",
                    hint=raising("max_value_items", limits.max_value_items),
                    argument=0,
                )


def _hold_strings(name: str, document: Any) -> None:
    try:
        if isinstance(document, str):
            document.encode("utf-8")
        elif isinstance(document, list):
            for item in document:
                _hold_strings(name, item)
        elif isinstance(document, dict):
            for key, item in document.items():
                key.encode("utf-8")
                _hold_strings(name, item)
    except UnicodeEncodeError:
        raise _invalid(name, "has a lone surrogate in a string") from None


def _object(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _invalid(name, "has an object with the same key twice")
    return result


def _integer(name: str, digits: str) -> int:
    if len(digits) <= _MOST_DIGITS:
        number = int(digits)
        if -(2**63) <= number < 2**63:
            return number
    raise _invalid(name, "has an integer that does not fit into 64 bits", "quote it as a string")


def _float(name: str, digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _invalid(name, "has a number that is too large")
    return number


def _constant(name: str, word: str) -> NoReturn:
    raise _invalid(name, f"has `{word}`, which is no JSON number")


def _invalid(name: str, problem: str, hint: str | None = None) -> FunctionError:
    return FunctionError(
        f"the JSON text for `{name}` {problem}", code="invalid_json", hint=hint, argument=0
    )


def serialised_functions(limits: ValueLimits) -> tuple[Function, ...]:
    """The records."""
    json = Parameter("json", ("string",), "the JSON text")
    config = {"cacheClusterConfig": '{"host":"localhost","ports":[6379,6380],"tls":null}'}
    vectors = {"doc": '{"":0,"a/b":1,"m~n":8,"c%d":2," ":7,"foo":["bar","baz"],"n":null}'}

    def pointing(pointer: str, result: Any = None, error: str | None = None) -> Any:
        return edge(f'fromjson(values.doc, "{pointer}")', result, error, values=vectors)

    fromjson = Function(
        name="fromjson",
        summary="the value that a JSON pointer names in a JSON text whose root is an object",
        parameters=(
            json,
            Parameter("pointer", ("string",), 'a JSON pointer (RFC 6901), such as `"/hosts/0"`'),
        ),
        result="any",
        call=partial(from_json, limits=limits),
        topic="JSON",
        examples=(
            given('fromjson(variables.cacheClusterConfig, "/host")', "localhost", variables=config),
            given(
                'fromjson(trim(variables.cacheClusterConfig), "/host")',
                "localhost",
                variables=config,
            ),
            given(r'fromjson("{\"host\":\"localhost\"}", "/host")', "localhost"),
            given('fromjson(variables.cacheClusterConfig, "/ports/1")', 6380, variables=config),
            edge('fromjson(variables.cacheClusterConfig, "host")', "localhost", variables=config),
            edge('fromjson(variables.cacheClusterConfig, "#/host")', "localhost", variables=config),
            edge(
                'fromjson(variables.cacheClusterConfig, "")',
                {"host": "localhost", "ports": [6379, 6380]},
                variables=config,
            ),
            pointing("/", 0),
            pointing("/a~1b", 1),
            pointing("/m~0n", 8),
            pointing("/c%d", 2),
            pointing("#/c%25d", 2),
            pointing("#/%20", 7),
            pointing("/foo", ["bar", "baz"]),
            pointing("/n", NONE),
            pointing("/n/x", error="path_not_found"),
            pointing("/bar", error="path_not_found"),
            pointing("/foo/0/x", error="path_not_found"),
            pointing("/foo/2", error="index_out_of_bounds"),
            pointing("/foo/-", error="index_out_of_bounds"),
            pointing("/foo/01", error="invalid_json_pointer"),
            pointing("/foo/x", error="invalid_json_pointer"),
            pointing("/m~2n", error="invalid_json_pointer"),
            edge('fromjson("[1]", "/0")', error="invalid_json"),
            edge('fromjson("null", "")', error="invalid_json"),
            edge('fromjson("{", "/a")', error="invalid_json"),
            edge('fromjson(none, "/a")', NONE),
            edge('fromjson("{}", none)', NONE),
            edge('fromjson(object(), "/a")', error="invalid_argument_type"),
        ),
    )
    jsondecode = Function(
        name="jsondecode",
        summary="the value that a JSON text stands for",
        parameters=(json,),
        result="any",
        call=partial(json_decode, limits=limits),
        topic="JSON",
        examples=(
            given(
                "jsondecode(values.cacheClusterConfig)",
                {"host": "localhost", "ports": [6379, 6380]},
                values=config,
            ),
            given('jsondecode("[1, 2.5, true]")', [1, 2.5, True]),
            edge('jsondecode("null")', NONE),
            edge('jsondecode("[1, null, [null]]")', [1, []]),
            edge('jsondecode("7")', 7),
            edge('jsondecode("7.0")', 7.0),
            edge('jsondecode("9223372036854775807")', 9223372036854775807),
            edge('jsondecode("9223372036854775808")', error="invalid_json"),
            edge('jsondecode("1e400")', error="invalid_json"),
            edge('jsondecode("NaN")', error="invalid_json"),
            edge('jsondecode("")', error="invalid_json"),
            edge('jsondecode("[1,]")', error="invalid_json"),
            edge(r'jsondecode("{\"a\":1,\"a\":2}")', error="invalid_json"),
            edge("jsondecode(none)", NONE),
            edge("jsondecode(1)", error="invalid_argument_type"),
        ),
    )
    return (
        fromjson,
        composable(
            fromjson,
            "a function that gives the value a JSON pointer names in a JSON text",
            (
                given(
                    'map(values.cacheClusterConfigDefs, fromjson_g("/host"))',
                    ["a.dev", "b.dev"],
                    values={"cacheClusterConfigDefs": ['{"host":"a.dev"}', '{"host":"b.dev"}']},
                ),
                given(r'map(list("{\"a\":[1,2]}"), fromjson_g("/a/0"))', [1]),
                edge(r'map(list("{\"a\":null}"), fromjson_g("/a"))', []),
                edge('map(list("{}"), fromjson_g("/a"))', error="path_not_found"),
            ),
        ),
        jsondecode,
    )
