"""The core functions: every example of every record, and what examples cannot say."""

from __future__ import annotations

import base64
import inspect
import ipaddress
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from bpp.functions import (
    NONE,
    Example,
    Function,
    FunctionError,
    FunctionValue,
    Parameter,
    as_value,
    core_functions,
    invoke,
)
from bpp.functions.core.index import INDEX
from bpp.functions.core.json_text import parse_pointer, resolve_pointer
from bpp.functions.core.text import substring
from bpp.functions.names import worded
from bpp.functions.signatures import Declarations, declared_functions, documented
from bpp.functions.value_limits import SizeLimits
from bpp.functions.values import equal
from bpp.pipeline import Settings, evaluate
from hypothesis import given, settings
from hypothesis import strategies as st
from support.rows import hold

ROOT = Path(__file__).resolve().parent.parent
CORE = core_functions()

# A machine that runs other things must not fail a test.
unhurried = settings(deadline=None)

# The headings of the specification (core functions, v2025-11-02) and `link`, whose heading is lost
SPECIFIED = """
    fromjson fromjson_g jsondecode len substr substr_g replace replace_g trim trimprefix
    trimprefix_g trimsuffix trimsuffix_g split split_g join index last_index to_upper to_lower
    has_prefix has_prefix_g has_suffix has_suffix_g contains contains_g list object keys vals map
    filter reduce sort flatmap compose pipe getattr getelem link and or not eq gt ge lt le if first
    coalesce lookup base64encode base64decode min max abs cidrsubnet file http_resource utf8 sha256
    md5 sha1 uuid cwd datetime
"""

TYPES = {"string", "integer", "float", "boolean", "array", "object", "binary", "function", "any"}


@attrs.frozen
class Fixed:
    """An environment with one answer for everything."""

    time: float = 1672671845.987

    def now(self) -> float:
        return self.time

    def uuid(self) -> str:
        return "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"

    def cwd(self) -> str:
        return "/home/user/shop"

    def read(self, path: str) -> bytes:
        return f"file {path}".encode()

    def fetch(self, url: str) -> bytes:
        return f"page {url}".encode()


def call(name: str, *arguments: Any) -> Any:
    return invoke(CORE[name], list(arguments), Fixed())


def failure(name: str, *arguments: Any, **options: Any) -> FunctionError:
    functions = core_functions(**options)
    with pytest.raises(FunctionError) as caught:
        invoke(functions[name], list(arguments), Fixed())
    return caught.value


def indexed(made: Any) -> FunctionValue:
    return FunctionValue("indexed", made, indexed=True)


# The records


def test_all_functions_of_the_specification_are_there_in_its_order() -> None:
    assert list(CORE) == SPECIFIED.split()


def test_equal_arguments_give_the_same_registry() -> None:
    assert core_functions() is CORE
    assert core_functions(limits=SizeLimits()) is CORE
    assert core_functions(substr_end_exclusive=True) is not CORE


def test_a_record_is_complete() -> None:
    hold(CORE.values(), _is_complete, lambda function: function.name)


def _is_complete(function: Function) -> None:
    assert function.summary[0].islower() and not function.summary.endswith(".")
    assert function.result in TYPES
    assert function.topic
    assert len([example for example in function.examples if example.shown]) >= 2
    names = [parameter.name for parameter in function.parameters]
    assert len(set(names)) == len(names)
    for parameter in function.parameters:
        assert parameter.doc and not parameter.doc.endswith(".")
        assert set(parameter.types) <= TYPES | {"resource"}


def test_a_signature_fits_its_python() -> None:
    hold(CORE.values(), _fits_its_python, lambda function: function.name)


def _fits_its_python(function: Function) -> None:
    if function.call is list:
        return  # Python does not know the signature of that
    written = inspect.signature(function.call)
    environment = [None] if function.effect else []
    most = function.minimum + 2 if function.maximum is None else function.maximum
    for count in range(function.minimum, most + 1):
        written.bind(*environment, *range(count))


def declared(*names: str) -> Declarations:
    made = Declarations("text", "bpp.functions.core")
    for name in names:
        made(f"{name}() -> string")(lambda: "a")
    return made


@pytest.mark.parametrize(
    ("names", "listed", "wrong"),
    [(("uuid", "new"), ("uuid",), "new"), (("uuid",), ("uuid", "new"), "new")],
)
def test_a_function_without_its_row_in_the_index_is_an_error(
    names: tuple[str, ...], listed: tuple[str, ...], wrong: str
) -> None:
    index = dict.fromkeys(listed, ("text", "call", None))
    functions = declared_functions(index, lambda module: declared(*names), {})
    assert list(functions) == list(listed)
    with pytest.raises(RuntimeError, match=f"stale for {wrong}: run tools/function_reference.py"):
        functions.get("uuid")


def test_every_row_of_the_index_has_a_declaration_and_an_entry() -> None:
    assert {*INDEX} == {*SPECIFIED.split()} == {*documented("bpp.functions.core")} - {"data"}
    assert [name for name, function in CORE.items() if function.name != name] == []
    with pytest.raises(ValueError, match="`a` is declared twice"):
        declared("a", "a")


def test_a_record_that_evolves_keeps_its_documentation() -> None:
    join = CORE["join"].evolve(name="glue")
    assert (join.summary, join.examples) == (CORE["join"].summary, CORE["join"].examples)
    assert CORE["join"].parameters[0].evolve(name="all").doc == CORE["join"].parameters[0].doc


def test_a_registry_tells_effects_without_records() -> None:
    expected = {name: function.effect for name, function in CORE.items() if function.effect}
    assert core_functions().effects() == expected


def test_the_reference_page_is_up_to_date() -> None:
    tool = ROOT / "tools" / "function_reference.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# The examples


def plug_in(name: str, call: Any, count: int) -> Function:
    """What a plug-in would add for `sort` and `reduce`."""
    parameter = Parameter("value", ("any",), "a value")
    return Function(name, name, (parameter,) * count, "any", call, "test", origin="test")


def check_example(example: Example, chosen: Settings | None = None) -> None:
    answer = evaluate("${" + example.expression + "}", example.scope, settings=chosen)
    codes = [diagnostic.code for diagnostic in answer.diagnostics]
    if example.error is not None:
        assert example.error in codes
    elif example.result is None:
        assert "invalid_substitution" not in codes
    else:
        assert codes == []
        assert equal(answer.value, example.result)


@pytest.mark.parametrize("function", CORE.values(), ids=lambda function: function.name)
def test_an_example_holds(function: Function) -> None:
    hold(function.examples, check_example, lambda example: example.expression)


@pytest.mark.parametrize("example", CORE["link"].examples[:3], ids=lambda e: e.expression)
def test_a_link_stays_as_it_is(example: Example) -> None:
    answer = evaluate("${" + example.expression + "}", example.scope)
    assert answer.residual.replace("resources.", "") == (
        "${" + example.expression.replace("resources.", "") + "}"
    )


@pytest.mark.parametrize("name", ["substr", "substr_g"])
def test_the_examples_of_the_other_substr_hold(name: str) -> None:
    exclusive = Settings(substr_end_exclusive=True)
    for example in core_functions(substr_end_exclusive=True)[name].examples:
        check_example(example, exclusive)


def test_functions_of_plug_ins_sort_and_reduce() -> None:
    by_name = plug_in("compare_strings_alphabetically", lambda a, b: (a > b) - (a < b), 2)
    total = plug_in("sum_memory_reducer", lambda total, item: total + item["memory"], 2)
    sort = "sort(datasources.region.availabilityZones, compare_strings_alphabetically)"
    reduce = "reduce(datasources.instances.items, sum_memory_reducer, 0)"
    scope = {
        "datasources": {
            "region": {"availabilityZones": ["b", "c", "a"]},
            "instances": {"items": [{"memory": 2}, {"memory": 3}]},
        }
    }
    for expression, result in ((sort, ["a", "b", "c"]), (reduce, 5)):
        assert evaluate(f"${{{expression}}}", scope, functions=(by_name, total)).value == result


# Text


@pytest.mark.parametrize(
    ("start", "end", "inclusive", "exclusive"),
    [
        (0, 2, "abc", "ab"),
        (1, 1, "b", ""),
        (0, 3, None, "abc"),
        (2, 3, None, "c"),
        (2, 1, None, None),
    ],
)
def test_the_end_of_substr(
    start: int, end: int, inclusive: str | None, exclusive: str | None
) -> None:
    for end_exclusive, expected in ((False, inclusive), (True, exclusive)):
        if expected is None:
            assert failure(
                "substr", "abc", start, end, substr_end_exclusive=end_exclusive
            ).code == ("invalid_argument")
        else:
            assert substring("abc", start, end, substr_end_exclusive=end_exclusive) == expected
            other = core_functions(substr_end_exclusive=end_exclusive)
            assert invoke(other["substr_g"], [start, end])("abc") == expected


@unhurried
@given(st.text(), st.text(max_size=3))
def test_index_and_has_prefix_agree(text: str, needle: str) -> None:
    first, last = call("index", text, needle), call("last_index", text, needle)
    assert (first >= 0) == (last >= 0) == call("contains", text, needle)
    if first >= 0:
        assert first <= last <= call("len", text)
        assert call("has_prefix", text[first:], needle)
        assert call("has_suffix", text[: last + len(needle)], needle)


@unhurried
@given(st.text(min_size=1), st.data())
def test_substr_counts_as_len_does(text: str, data: st.DataObject) -> None:
    size = call("len", text)
    start = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(start, size - 1))
    part = call("substr", text, start, end)
    assert call("len", part) == end - start + 1
    assert call("substr", text, 0, start)[:-1] + part + text[end + 1 :] == text
    assert call("substr", text, start) == call("substr", text, start, size - 1)


@unhurried
@given(st.text(), st.text(max_size=2))
def test_join_undoes_split(text: str, delimiter: str) -> None:
    assert call("join", call("split", text, delimiter), delimiter) == text


@unhurried
@given(st.text(), st.text(max_size=2), st.text(max_size=2))
def test_replace_is_split_and_join(text: str, search: str, replacement: str) -> None:
    if search:
        parts = call("split", text, search)
        assert call("replace", text, search, replacement) == call("join", parts, replacement)


# JSON


RFC_6901 = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "fragment", "result"),
    [
        ("", "#", RFC_6901),
        ("/foo", "#/foo", ["bar", "baz"]),
        ("/foo/0", "#/foo/0", "bar"),
        ("/", "#/", 0),
        ("/a~1b", "#/a~1b", 1),
        ("/c%d", "#/c%25d", 2),
        ("/e^f", "#/e%5Ef", 3),
        ("/g|h", "#/g%7Ch", 4),
        ("/i\\j", "#/i%5Cj", 5),
        ('/k"l', "#/k%22l", 6),
        ("/ ", "#/%20", 7),
        ("/m~0n", "#/m~0n", 8),
    ],
)
def test_the_pointers_of_rfc_6901(pointer: str, fragment: str, result: Any) -> None:
    assert resolve_pointer(RFC_6901, pointer) == result
    assert resolve_pointer(RFC_6901, fragment) == result
    assert call("fromjson", json.dumps(RFC_6901), pointer) == result


@unhurried
@given(st.lists(st.text()))
def test_pointers_reach_any_key(keys: list[str]) -> None:
    pointer = "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)
    assert parse_pointer(pointer) == keys


@pytest.mark.parametrize("pointer", ["#foo", "#/%zz", "#/%", "#/%ff", "/~", "/~2", "/a~"])
def test_what_is_no_pointer(pointer: str) -> None:
    assert failure("fromjson", "{}", pointer).code == "invalid_json_pointer"


@pytest.mark.parametrize("part", ["01", "+1", "x", "", "1 ", "-1", "1e0", "\u0661"])
def test_what_is_no_element(part: str) -> None:
    assert failure("fromjson", '{"a":[1,2]}', f"/a/{part}").code == "invalid_json_pointer"


def test_null_keeps_the_positions_that_a_pointer_names() -> None:
    assert call("fromjson", '{"a":[null,1]}', "/a/1") == 1
    assert call("fromjson", '{"a":[null,1]}', "/a") == [1]
    assert call("fromjson", '{"a":[null,1]}', "/a/0") is NONE


def test_a_near_key_is_suggested() -> None:
    assert worded(failure("fromjson", '{"host":1}', "/hosst").hint) == "did you mean `host`?"


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "{", "[1,]", "{'a':1}", "01", "+1", ".5", "1.", "0x1", "nul", "True", "// a\n1"),
        *("NaN", "Infinity", "[-Infinity]", "1e400", "-1e999", "9223372036854775808"),
        *("-9223372036854775809", "1" * 10000, '{"a":1,"a":1}', '[{"b":{"a":1,"\\u0061":1}}]'),
        *('"\\ud800"', '["\\udc00\\ud800"]', '{"\\ud800":1}', '"a\nb"', '"\\x"', "\ufeff1", "1 2"),
    ],
)
def test_what_is_no_json(text: str) -> None:
    error = failure("jsondecode", text)
    assert error.code == "invalid_json"
    assert error.argument == 0


@pytest.mark.parametrize(
    "text", ["[" * 65, "[" * 1_000_000, '{"a":' * 65 + "1" + "}" * 65, '["[[",' * 65]
)
def test_deep_json_is_refused(text: str) -> None:
    error = failure("jsondecode", text)
    assert error.code == "limit_exceeded"
    assert "`max_depth`" in error.message


def test_depth_is_that_of_the_nesting() -> None:
    assert call("jsondecode", "[" * 64 + "]" * 64)
    assert call("jsondecode", json.dumps(["[" * 200, '"{' * 200, [[]] * 200]))
    assert failure("jsondecode", "[[[]]]", limits=SizeLimits(max_depth=2)).code == "limit_exceeded"
    assert failure("jsondecode", "[" * 500, limits=SizeLimits(max_depth=999)).code == (
        "limit_exceeded"
    )


def test_an_unfinished_string_costs_one_pass() -> None:
    assert failure("jsondecode", "[" * 65 + '"\\' * 1_000_000).code == "limit_exceeded"
    assert failure("jsondecode", "[]" * 65 + '"' + '\\"' * 1_000_000).code == "invalid_json"


plain = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, width=32).filter(lambda number: abs(number) < 1e300)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@unhurried
@given(plain)
def test_jsondecode_reads_what_was_written(value: Any) -> None:
    assert equal(call("jsondecode", json.dumps(value)), value)
    assert equal(call("jsondecode", json.dumps(value, ensure_ascii=False)), value)


# Addresses


@pytest.mark.parametrize(
    ("block", "bits", "number", "result"),
    [
        ("192.168.0.0/16", 8, 255, "192.168.255.0/24"),
        ("10.0.0.0/8", 0, 0, "10.0.0.0/8"),
        ("0.0.0.0/0", 32, 2**32 - 1, "255.255.255.255/32"),
        ("172.16.5.9/12", 4, 15, "172.31.0.0/16"),
        ("fd00:fd12:3456:7890::/56", 16, 162, "fd00:fd12:3456:7800:a200::/72"),
        ("fd00:fd12:3456:7890::/56", 8, 1, "fd00:fd12:3456:7801::/64"),
        ("2001:DB8::/32", 16, 1, "2001:db8:1::/48"),
        ("::/0", 128, 2**128 - 1, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"),
        ("::/0", 128, 0, "::/128"),
        ("::/0", 128, 1, "::1/128"),
        ("::ffff:0:0/96", 8, 10, "::ffff:10.0.0.0/104"),
        ("fd00::/8", 64, 1, "fd00::100:0:0:0/72"),
    ],
)
def test_subnets(block: str, bits: int, number: int, result: str) -> None:
    assert call("cidrsubnet", block, bits, number) == result


@pytest.mark.parametrize(
    ("block", "bits", "number"),
    [
        *[(block, 0, 0) for block in ("", "/", "/8", "10.0.0.0/", "10.0.0.0/08", "10.0.0.0/+8")],
        *[(block, 0, 0) for block in ("10.0.0/8", "010.0.0.0/8", "256.0.0.0/8", "10.0.0.0/-1")],
        *[(block, 0, 0) for block in ("10.0.0.0/255.0.0.0", "fe80::1%eth0/64", "::/129", ":::/8")],
        *[(block, 0, 0) for block in (" 10.0.0.0/8", "10.0.0.0/8 ", "10.0.0.0/\u0668", "a/8/9")],
        *[("::/0", 129, 0), ("::/64", 64, 2**64), ("10.0.0.0/8", 2**62, 0), ("10.0.0.0/8", 1, 2)],
    ],
)
def test_what_is_no_subnet(block: str, bits: int, number: int) -> None:
    assert failure("cidrsubnet", block, bits, number).code == "invalid_cidr"


@unhurried
@given(st.integers(0, 2**32 - 1), st.integers(0, 32), st.data())
def test_subnets_lie_in_their_block(address: int, prefix: int, data: st.DataObject) -> None:
    block = ipaddress.ip_network((address, prefix), strict=False)
    bits = data.draw(st.integers(0, 32 - prefix))
    number = data.draw(st.integers(0, 2**bits - 1))
    subnet = ipaddress.ip_network(call("cidrsubnet", str(block), bits, number))
    assert subnet.subnet_of(block)
    assert subnet.prefixlen == prefix + bits
    assert int(subnet.network_address) - int(block.network_address) == number * subnet.num_addresses


# Collections and functions


def test_an_index_goes_to_functions_that_declare_one() -> None:
    add = indexed(lambda item, index: item + index)
    items = [10, 20]
    assert call("map", items, add) == [10, 21]
    assert call("map", items, FunctionValue("same", lambda item: item)) == items
    assert call("filter", items, indexed(lambda item, index: index == 1)) == [20]
    assert call("flatmap", items, indexed(lambda item, index: [item] * index)) == [20]
    assert call("reduce", items, indexed(lambda sum_, item, i: sum_ + item * i), 1) == 21
    double = FunctionValue("double", lambda item: item * 2)
    assert call("map", items, call("pipe", add, double)) == [20, 42]
    assert call("map", items, call("compose", double, add)) == [20, 42]


def test_sort_is_stable_and_leaves_its_input() -> None:
    items = [[2, "a"], [1, "b"], [2, "c"], [1, "d"]]
    by_number = FunctionValue("by_number", lambda a, b: a[0] - b[0])
    assert call("sort", items, by_number) == [[1, "b"], [1, "d"], [2, "a"], [2, "c"]]
    assert items[0] == [2, "a"]


@pytest.mark.parametrize("result", [True, 1.0, "1", NONE, None])
def test_a_comparator_gives_an_integer(result: Any) -> None:
    comparator = FunctionValue("comparator", lambda a, b: result)
    assert failure("sort", [1, 2], comparator).code == "invalid_function_result"


@pytest.mark.parametrize("result", [1, "", [], {}, 0.0])
def test_a_predicate_gives_a_boolean(result: Any) -> None:
    predicate = FunctionValue("predicate", lambda item: result)
    assert failure("filter", [1], predicate).code == "invalid_function_result"


def test_a_reducer_builds_objects() -> None:
    merge = FunctionValue("merge", lambda so_far, item: {**so_far, **item})
    assert call("reduce", [{"a": 1}, {"b": 2}], merge, {}) == {"a": 1, "b": 2}


def test_mistakes_in_passed_functions_tell_the_element_and_blame_the_function() -> None:
    error = failure("map", ["a", 1], as_value(CORE["trim"]))
    assert error.code == "invalid_argument_type"
    assert error.argument == 1
    assert error.message.endswith("(at element 1)")


def test_functions_are_no_values() -> None:
    trim = as_value(CORE["trim"])
    assert failure("list", trim).code == "function_not_allowed"
    assert failure("object", [("a", trim)]).code == "function_not_allowed"
    assert failure("eq", trim, trim).code == "function_not_allowed"
    assert failure("reduce", [], trim, trim).code == "function_not_allowed"
    maker = as_value(CORE["split_g"])
    assert failure("map", ["a"], maker).code == "invalid_function_result"


def test_object_takes_pairs() -> None:
    assert call("object") == {}
    assert call("object", [("if", 1), ("a", NONE), ("b", {})]) == {"if": 1, "b": {}}
    assert failure("object", [("a", 1), ("a", NONE)]).code == "duplicate_argument_name"
    assert failure("object", "a").code == "invalid_argument"
    assert failure("object", ["a"]).code == "invalid_argument"
    assert failure("object", 1, 2).code == "invalid_argument"


def test_equality_of_shared_and_deep_values_is_quick() -> None:
    left: Any = [1]
    right: Any = [1]
    for _ in range(200):
        left, right = [left, left], [right, right]
    assert call("eq", left, right)
    deep: Any = [0]
    other: Any = [1]
    for _ in range(20_000):
        deep, other = [deep], [other]
    assert not call("eq", deep, other)


# Bytes


@unhurried
@given(st.binary())
def test_base64_round_trip(data: bytes) -> None:
    text = call("base64encode", data)
    assert text == base64.b64encode(data).decode()
    assert call("base64decode", text) == data


@unhurried
@given(st.text())
def test_utf8_round_trip(text: str) -> None:
    assert call("utf8", call("base64decode", call("base64encode", text))) == text


@pytest.mark.parametrize(
    "text", ["YQ", "YQ=", "YQ===", "Y", "YQ==\n", " YQ==", "Y!==", "=", "YQ==YQ=="]
)
def test_what_is_no_base64(text: str) -> None:
    assert failure("base64decode", text).code == "invalid_base64"


# Effects


@pytest.mark.parametrize(
    ("form", "result"),
    [
        ("unix", "1672671845"),
        ("rfc3339", "2023-01-02T15:04:05Z"),
        ("tag", "2023-01-02--15-04-05"),
        ("tagcompact", "20230102150405"),
    ],
)
def test_time_formats(form: str, result: str) -> None:
    assert call("datetime", form) == result


def test_times_far_away() -> None:
    def at(seconds: float, form: str) -> Any:
        return invoke(CORE["datetime"], [form], Fixed(seconds))

    assert at(-0.5, "rfc3339") == "1969-12-31T23:59:59Z"
    assert at(-62135596800.0, "tagcompact") == "00010101000000"
    for seconds in (float("inf"), float("nan"), 1e300):
        with pytest.raises(FunctionError):
            at(seconds, "rfc3339")


def test_effects_go_through_the_environment() -> None:
    assert call("uuid") == "f81d4fae-7dec-41d0-a765-00a0c91e6bf6"
    assert call("cwd") == "/home/user/shop"
    assert call("file", "a.txt") == b"file a.txt"
    assert call("http_resource", "HTTPS://a.dev/b") == b"page HTTPS://a.dev/b"
    for function in CORE.values():
        if function.effect:
            arguments = ["x"] * function.minimum
            with pytest.raises(FunctionError) as caught:
                invoke(function, arguments)
            assert caught.value.code == "effect_not_allowed"


# Limits


@pytest.mark.parametrize(
    ("name", "arguments", "limit"),
    [
        ("replace", ["aaa", "a", "1234"], "max_value_chars"),
        ("replace", ["abcdef", "", "--"], "max_value_chars"),
        ("join", [["aaaa", "bbbb"], "---"], "max_value_chars"),
        ("join", [[b"aaaaaaaa", 123456], ""], "max_value_chars"),
        ("to_upper", ["ß" * 6], "max_value_chars"),
        ("to_lower", ["İ" * 6], "max_value_chars"),
        ("base64encode", [b"1234567"], "max_value_chars"),
        ("base64encode", ["ééééé"], "max_value_chars"),
        ("jsondecode", ['"123456789"'], "max_value_chars"),
        ("jsondecode", ["[1,2,3,4]"], "max_value_items"),
        ("split", ["a,b,c,d", ","], "max_value_items"),
        ("split", ["abcd", ""], "max_value_items"),
        ("list", [1, 2, 3, 4], "max_value_items"),
        ("object", [[("a", 1), ("b", 1), ("c", 1), ("d", 1)]], "max_value_items"),
        ("flatmap", [["a,b", "c,d"], "split"], "max_value_items"),
    ],
)
def test_limits_name_themselves(name: str, arguments: list[Any], limit: str) -> None:
    limits = SizeLimits(max_value_chars=10, max_value_items=3)
    if name == "flatmap":
        arguments = [arguments[0], invoke(CORE["split_g"], [","])]
    error = failure(name, *arguments, limits=limits)
    assert error.code == "limit_exceeded"
    assert f"`{limit}`" in error.message


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("replace", ["aaaaa", "a", "12"]),
        ("join", [["aaaa", "bbbb"], "--"]),
        ("to_upper", ["ß" * 5]),
        ("to_lower", ["abcdefghij"]),
        ("base64encode", [b"123456"]),
        ("jsondecode", ["[1,2,3]"]),
        ("jsondecode", ['["a,b,c,"]']),
        ("split", ["a,b,c", ","]),
        ("list", [1, 2, 3]),
    ],
)
def test_limits_are_the_greatest_that_pass(name: str, arguments: list[Any]) -> None:
    limits = SizeLimits(max_value_chars=10, max_value_items=3)
    invoke(core_functions(limits=limits)[name], arguments)


def test_sizes_are_held_before_anything_is_built() -> None:
    text = "a" * 1_000_000
    assert failure("replace", text, "a", text).code == "limit_exceeded"
    assert failure("join", [text] * 1_000_000, text).code == "limit_exceeded"


# Everything at once

SAMPLES: dict[str, Any] = {
    "string": st.text(max_size=5) | st.sampled_from(["/a", "{}", "10.0.0.0/8", "unix", "YQ=="]),
    "integer": st.integers(-3, 40) | st.sampled_from([2**63 - 1, -(2**63)]),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "array": st.lists(plain, max_size=4),
    "object": st.dictionaries(st.text(max_size=3), plain, max_size=4),
    "binary": st.binary(max_size=8),
    "function": st.sampled_from([as_value(function, Fixed()) for function in CORE.values()]),
    "resource": st.text(max_size=3),
}
SAMPLES["any"] = st.one_of(*SAMPLES.values())


@st.composite
def calls(draw: st.DrawFn, fitting: bool) -> tuple[Function, list[Any]]:
    """A function with arguments, of the right types if `fitting`."""
    function = draw(st.sampled_from(list(CORE.values())))
    most = function.minimum + 2 if function.maximum is None else function.maximum
    count = draw(st.integers(function.minimum, most))
    arguments = []
    for position in range(count):
        parameter = function.parameter(position)
        types = parameter.types if fitting and parameter else ("any",)
        arguments.append(draw(st.one_of(*[SAMPLES[kind] for kind in types])))
    return function, arguments


def check_value(value: Any) -> None:
    """A value of the language, without none in arrays and objects."""
    assert isinstance(value, str | bool | int | float | bytes | list | dict | FunctionValue)
    if isinstance(value, list):
        for item in value:
            check_value(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            assert isinstance(key, str)
            check_value(item)


@settings(max_examples=1500, deadline=None)
@given(st.booleans().flatmap(calls))
def test_a_call_gives_a_value_or_a_mistake(case: tuple[Function, list[Any]]) -> None:
    function, arguments = case
    try:
        value = invoke(function, arguments, Fixed())
    except FunctionError as error:
        assert error.message[0] == "`" or error.message[0].islower()
        assert not error.message.endswith(".")
        return
    if value is not NONE:
        check_value(value)


@settings(max_examples=500, deadline=None)
@given(calls(True), st.data())
def test_none_propagates(case: tuple[Function, list[Any]], data: st.DataObject) -> None:
    function, arguments = case
    if function.propagates_none and arguments:
        arguments[data.draw(st.integers(0, len(arguments) - 1))] = NONE
        assert invoke(function, arguments, Fixed()) is NONE


def test_the_functions_that_handle_none() -> None:
    handling = {name for name, function in CORE.items() if not function.propagates_none}
    assert handling == {"list", "object", "or", "if", "first", "coalesce"}


@pytest.mark.parametrize("function", CORE.values(), ids=lambda function: function.name)
def test_messages_never_hold_values(function: Function) -> None:
    secret = "hunter2, and more: {[<"
    most = 3 if function.maximum is None else function.maximum
    for other in (secret, 1, [secret], {secret: secret}, b"\xff" + secret.encode(), True):
        for count in range(function.minimum, most + 1):
            for position in range(count):
                arguments: list[Any] = [secret] * count
                arguments[position] = other
                try:
                    invoke(function, arguments, Fixed())
                except FunctionError as error:
                    assert "hunter2" not in f"{error.message} {error.hint}"
