"""What a run may spend: parts of values, nodes, steps, characters and time."""

from __future__ import annotations

import cProfile
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from threading import Event, get_ident
from typing import Any

import pytest
from bpp.functions import FunctionError
from bpp.functions.value_limits import (
    DEFAULT_LIMITS,
    SizeLimits,
    ValueLimits,
    hold_chars,
    hold_items,
    raising,
)
from bpp.pipeline import (
    Diagnostics,
    Limits,
    MemoryFiles,
    Settings,
    Source,
    check,
    graph,
    render,
    why,
)
from bpp.pipeline.engine.budget import Budget, count_nodes, in_a_cycle, too_long_a_way
from bpp.pipeline.formats.detection import read_plain
from bpp.pipeline.language.errors import Failure
from bpp.pipeline.language.evaluator import Evaluator
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.expression import Literal
from bpp.pipeline.values.settings import how_to_raise
from bpp.pipeline.values.threads import Deadline, within
from bpp.pipeline.values.tree import Map
from support.compiled import interpreted

SHARED = [1, 2]
CALLS = '${map(split("a,b,c", ","), trim)}'
RESOURCE = "resources: {r: {type: a/b, spec: {x: 1}}}\n"


def budget(**limits: int) -> Budget:
    """The budget of a run with these limits."""
    found = Limits(**limits)
    return Budget(found, Meter(found))


def limit_of(caught: pytest.ExceptionInfo[Any]) -> str:
    """The limit that is blamed; the message and the hint name it."""
    error = caught.value
    assert error.code == "limit_exceeded"
    name = str(error).rpartition("(`")[2].removesuffix("`)")
    assert f"--limit {name}=" in error.hint or f"`{name}` cannot be raised" in error.hint
    return str(name)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("text", 1),
        (b"bytes", 1),
        (None, 1),
        ([], 1),
        ({}, 1),
        ([1, "a", None], 4),
        ({"a": 1, "b": [2, {}]}, 5),
        ([SHARED, SHARED], 7),
        ({"a": SHARED, "b": [SHARED]}, 8),
    ],
)
def test_a_part_counts_as_often_as_it_occurs(value: Any, parts: int) -> None:
    one = budget()
    assert one.size(value) == one.size(value) == parts


def test_sizes_are_those_of_the_values_that_were_asked_for() -> None:
    # however often an address is used again
    one = budget()
    assert [one.size([0] * count) for count in range(200)] == list(range(1, 201))


@pytest.mark.parametrize("value", [[[[1]]], {"a": {"b": {"c": 1}}}, [1, [2, [3], [4]], []], [[[]]]])
def test_values_may_be_as_deep_as_the_limit_says(value: Any) -> None:
    assert budget(max_depth=3).size(value)
    for outer in ([value], {"a": value}, [0, value]):
        with pytest.raises(Failure) as caught:
            budget(max_depth=3).size(outer)
        assert limit_of(caught) == "max_depth"
        assert "3 deep" in str(caught.value)
        # what was looked at before is known
        one = budget(max_depth=3)
        assert one.size(value)
        with pytest.raises(Failure) as caught:
            one.size(outer)
        assert limit_of(caught) == "max_depth"


def test_a_value_that_goes_on_and_on_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(Failure) as caught:
        budget().size(value)
    assert limit_of(caught) == "max_depth"
    while value:
        value = value[0]


def test_values_may_have_as_many_parts_as_the_limit_says() -> None:
    assert budget(max_value_items=5).size([1, [2, 3]]) == 5
    for value in ([1, [2, 3, 4]], [SHARED, SHARED], {"a": 1, "b": [2], "c": 3, "d": 4}):
        with pytest.raises(Failure) as caught:
            budget(max_value_items=5).size(value)
        assert limit_of(caught) == "max_value_items"
        assert "5 parts" in str(caught.value)


def test_nodes_of_documents_are_counted_together_and_too_many_are_told_once() -> None:
    one = budget(max_total_nodes=6)
    one.spend([1, 2])
    one.spend("a")
    one.spend_nodes(2)
    for reported in (False, True, True):
        with pytest.raises(Failure) as caught:
            one.spend("b")
        assert (caught.value.code, caught.value.reported) == ("limit_exceeded", reported)
        if not reported:
            assert limit_of(caught) == "max_total_nodes"


def test_nodes_are_counted() -> None:
    for text, count in (("{}", 1), ('{"a": [1, 2, {"b": []}], "c": "x"}', 7)):
        root = read_plain(Source("b.json", text, "json"), Meter(Limits()), Diagnostics())
        assert root is not None
        assert count_nodes(root) == count


def test_nodes_of_all_files_count() -> None:
    child = '{"version": "2023-04-20", "resources": {}, "metadata": {"a": [1, 2]}}'
    main = '{"version": "2023-04-20", "resources": {}, "include": {"c": {"path": "c.json"}}}'
    files = MemoryFiles({"m.json": main, "c.json": child})
    for most in (6 + 7, 6 + 6):
        settings = Settings(limits=Limits(max_total_nodes=most))
        run = render("m.json", files=files, settings=settings)
        if most == 13:
            assert run.ok
            continue
        (told,) = run.diagnostics
        assert (told.code, str(told.span)) == ("limit_exceeded", "c.json:1:66")
        assert told.summary == "the nodes of this run exceed the limit of 12 (`max_total_nodes`)"
        assert str(told.hint).endswith("`--limit max_total_nodes=24`")


def test_a_long_way_is_told_with_its_place() -> None:
    failure = too_long_a_way(Limits(max_reference_depth=7), "here")
    assert "more than 7 times" in str(failure)
    assert failure.node == "here"
    assert failure.hint is not None
    assert failure.hint.endswith("`--limit max_reference_depth=14`")


@pytest.mark.parametrize(
    ("labels", "path"),
    [
        (["a", "", "b"], ": a -> b -> a"),
        (["a"], ": a -> a"),
        (["", ""], ""),
        ([], ""),
    ],
)
def test_a_cycle_is_told_by_the_names_in_it(labels: list[str], path: str) -> None:
    failure = in_a_cycle(labels)
    assert (failure.code, str(failure)) == (
        "reference_cycle",
        f"the references form a cycle{path}",
    )
    assert failure.hint == "break the cycle by computing one of them from something else"


# --- the meter ----------------------------------------------------------------------------------


def test_steps_are_granted_up_to_the_limit() -> None:
    for most in (0, 1, 255, 256, 257, 600):
        meter = Meter(Limits(max_steps=most))
        for _ in range(most):
            meter.called(None)
        with pytest.raises(FunctionError) as caught:
            meter.called(None)
        assert limit_of(caught) == "max_steps"
        assert f"limit of {most}" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "room"),
    [
        ("abcd", 4),
        (b"abcd", 4),
        ("\u00e4bc", 12),
        ([1], 64),
        ({"a": 1}, 64),
        (12, 0),
        (None, 0),
        ("", 0),
    ],
)
def test_what_is_built_takes_room(value: Any, room: int) -> None:
    meter = Meter(Limits(max_built_chars=200))
    meter.built(value)
    assert meter.room == 200 - room
    meter.called(value)
    assert meter.room == 200 - 2 * room
    tight = Meter(Limits(max_built_chars=max(room - 1, 0)))
    if not room:
        tight.built(value)
        return
    with pytest.raises(FunctionError) as caught:
        tight.built(value)
    assert limit_of(caught) == "max_built_chars"


def test_the_time_of_a_run_has_an_end() -> None:
    meter = Meter(Limits(run_seconds=0))
    for look in (meter.check_time, meter.look, lambda: meter.called(None)):
        with pytest.raises(FunctionError) as caught:
            look()
        assert limit_of(caught) == "run_seconds"
        assert "longer than 0 s" in str(caught.value)


@pytest.mark.parametrize(
    ("nested", "weight", "elsewhere"),
    [(0, 0, False), (149, 5, False), (150, 5, True), (400, 0, True)],
)
def test_what_is_nested_deep_goes_on_in_another_thread(
    nested: int, weight: int, elsewhere: bool
) -> None:
    meter = Meter(Limits())
    meter.nested = nested
    thread, inside = meter.with_room(lambda: (get_ident(), meter.nested), weight=weight)
    assert (thread != get_ident(), meter.nested) == (elsewhere, nested)
    assert inside == (weight if elsewhere else nested + weight)
    with pytest.raises(LookupError):
        meter.with_room(partial({}.__getitem__, "x"), weight=weight)
    assert meter.nested == nested
    # few frames are left
    assert meter.with_room(get_ident, 1) != get_ident()


# --- sizes of values ----------------------------------------------------------------------------


def test_functions_alone_have_the_limits_of_a_run() -> None:
    for name in ("max_value_chars", "max_value_items", "max_depth"):
        assert getattr(DEFAULT_LIMITS, name) == getattr(Limits(), name)


@pytest.mark.parametrize(
    ("bound", "highest", "hint"),
    [
        (5, None, "--limit n=10`"),
        (5, 11, "--limit n=10`"),
        (5, 9, "--limit n=9`"),
        (8, 9, "--limit n=9`"),
        (9, 9, "`n` cannot be raised further"),
        (10, 9, "`n` cannot be raised further"),
    ],
)
def test_limits_are_doubled_up_to_the_highest(bound: int, highest: int | None, hint: str) -> None:
    assert raising("n", bound, highest).endswith(hint)


def test_limits_of_the_stack_are_not_raised_without_end() -> None:
    for depth, hint in (
        (64, "=128`"),
        (100, "=128`"),
        (128, "`max_depth` cannot be raised further"),
    ):
        assert how_to_raise("max_depth", Limits(max_depth=depth)).endswith(hint)


@pytest.mark.parametrize(
    ("hold", "limit"), [(hold_chars, "max_value_chars"), (hold_items, "max_value_items")]
)
def test_what_is_too_large_is_refused_by_its_size(
    hold: Callable[[str, int, ValueLimits], None], limit: str
) -> None:
    limits = SizeLimits(max_value_chars=5, max_value_items=5)
    hold("join", 5, limits)
    with pytest.raises(
        FunctionError, match="the result of `join` would have more than 5"
    ) as caught:
        hold("join", 6, limits)
    assert limit_of(caught) == limit
    assert str(caught.value.hint).endswith(f"`--limit {limit}=10`")


# --- time ---------------------------------------------------------------------------------------


def test_a_deadline_ends_what_knows_none() -> None:
    deadline = Deadline(60)
    assert deadline.seconds == 60
    assert 59 < deadline.left() <= 60
    assert 0 < Deadline(0.9).left() <= 0.9
    assert within(deadline, lambda: 5) == 5
    with pytest.raises(LookupError, match="x"):
        within(deadline, partial({}.__getitem__, "x"))
    with pytest.raises(SystemExit):
        within(deadline, sys.exit)
    stop = Event()
    with pytest.raises(TimeoutError) as caught:
        within(Deadline(0.05), partial(stop.wait, 60))
    assert caught.value.__cause__ is None
    stop.set()
    for late in (Deadline(0), Deadline(-1)):
        with pytest.raises(TimeoutError):
            late.left()
        with pytest.raises(TimeoutError):
            within(late, lambda: 5)


def test_what_does_not_end_in_time_does_not_hold_the_process_up() -> None:
    script = (
        "import time\n"
        "from bpp.pipeline.values.threads import Deadline, within\n"
        "try:\n    within(Deadline(0.01), lambda: time.sleep(60))\n"
        "except TimeoutError:\n    print('late')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=30)
    assert done.stdout.strip() == b"late"


# --- one budget that grows with the input -------------------------------------------------------


def test_what_may_be_computed_grows_with_what_is_read_once() -> None:
    meter = Meter(Limits(max_steps=10, max_built_chars=1 << 23, max_total_nodes=5))
    text = "a" * (1 << 20)
    meter.read(text)
    assert (meter.share, meter.most("max_steps"), meter.nodes_left()) == (1, 10, 5)
    meter.read(text + "b")
    # in proportion to the bytes, not to what is begun of a MiB
    assert (meter.share, meter.most("max_steps"), meter.nodes_left()) == (2 + 2**-20, 20, 10)
    assert meter.room == (2 << 23) + 8
    meter.read(text)
    assert meter.room == (2 << 23) + 8 - 4 * len(text)
    meter.read("c" * (1 << 19))
    assert (meter.most("max_steps"), meter.nodes_left()) == (25, 12)
    meter.spend_nodes(12)
    with pytest.raises(FunctionError, match="limit of 12, 5 for each MiB of input"):
        meter.spend_nodes(1)


def test_a_run_goes_on_where_the_reading_of_its_input_ended() -> None:
    first = Meter(Limits(max_total_nodes=5))
    first.read("a" * (1 << 21))
    first.spend_nodes(4)
    second = Meter(first.limits, first)
    assert (second.share, second.nodes_left(), second.deadline) == (2, 6, first.deadline)
    second.spend_nodes(6)
    assert first.nodes_left() == 6


@pytest.mark.parametrize(
    ("value", "steps"),
    [("a" * 64, 0), ("a" * 640, 10), (["a"] * 79, 10), ([[1] * 7] * 10, 11), ({"a": 1}, 0)],
)
def test_what_a_function_looks_at_takes_steps(value: Any, steps: int) -> None:
    meter = Meter(Limits(max_steps=1000))
    meter.look()
    left = meter.left
    assert not meter.weigh(value)
    assert left - meter.left == steps


def test_a_key_of_many_parts_is_refused_before_it_is_read() -> None:
    from bpp.pipeline.formats.toml_reader import read_toml

    for text, limit in (
        (".".join("a" * 65) + " = 1", "max_depth"),
        ("[" + ".".join("a" * 65) + "]", "max_depth"),
        ("a = [1, 1, 1, 1, 1, 1]", "max_total_nodes"),
        (f"{'.'.join('a' * 60)}.b = 1", "max_steps"),
    ):
        told = Diagnostics()
        meter = Meter(Limits(max_total_nodes=7, max_steps=3000))
        assert read_toml(Source("a.toml", text, "toml"), meter, told, "x") is None
        assert [item.code for item in told] == ["limit_exceeded"]
        assert f"`{limit}`" in next(iter(told)).summary


def test_a_word_of_toml_is_looked_at_once() -> None:
    from bpp.pipeline.formats import toml_reader

    for text, tokens in (
        ("a = 999", ["a", "=", "999"]),
        (r'a = "\"\"', ["a", "=", r'"\"\"']),
        ("a = 'b\nc", ["a", "=", "'b", "c"]),
        (r'a = """b\"c', ["a", "=", r'"""b\"c']),
        ("a.b = '''b", ["a.", "b", "=", "'''b"]),
    ):
        found = re.compile(toml_reader._STRUCTURE, re.DOTALL).finditer(text)
        assert [token[0] for token in found] == tokens


class Watched(dict[str, Any]):
    """A mapping that counts how often all of it is looked at."""

    looks = 0

    def __iter__(self) -> Iterator[str]:
        Watched.looks += 1
        return super().__iter__()

    def keys(self) -> Any:
        Watched.looks += 1
        return super().keys()


@pytest.mark.parametrize("count", [2, 40])
def test_many_secrets_are_masked_in_one_copy(count: int) -> None:
    from bpp.pipeline.dialects.bluelink.secrets.secrecy import redacted

    line = "  v{}: {{type: string, secret: true, default: hidden}}\n"
    text = f"version: 2023-04-20\nvariables:\n{''.join(map(line.format, range(count)))}{RESOURCE}"
    run = render(Source("a.yaml", text, "yaml"), stop_after="load")
    assert run.document is not None
    section = run.document.section("variables")
    assert section is not None
    section.items = Watched(section.items)
    Watched.looks = 0
    masked = redacted(run.document, run.diagnostics.quoting)
    assert Watched.looks == 1
    assert "hidden" not in repr(masked.root)


def test_an_export_of_a_child_in_the_state_becomes_a_value_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from bpp.pipeline.dialects.bluelink.evaluating import scope

    made: list[Any] = []
    real = scope.from_plain
    monkeypatch.setattr(scope, "from_plain", lambda value: made.append(value) or real(value))
    fields = "".join(f"      f{n}: ${{children.c.l[{n}]}}\n" for n in range(20))
    text = "version: 2023-04-20\ninclude: {c: {path: c.yaml}}\n"
    text += f"resources:\n  r:\n    type: a/b\n    spec:\n{fields}"
    child = f"version: 2023-04-20\n{RESOURCE}"
    listed = list(range(20))
    run = render(
        Source("/p/a.yaml", text, "yaml", "/p/a.yaml"),
        files=MemoryFiles({"/p/c.yaml": child}, "/p"),
        state={"children": {"c": {"l": listed}}},
    )
    assert run.ok, str(run.diagnostics)
    assert made == [listed]


def test_lists_that_take_turns_are_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from bpp.pipeline.language import navigation

    looks: list[Any] = []
    real = navigation._may_be_none
    monkeypatch.setattr(navigation, "_may_be_none", lambda one: looks.append(one) or real(one))
    meter = Meter(Limits())
    lists = [list(range(200)) for _ in range(3)]
    for at in range(200):
        for one in lists:
            assert navigation.navigate(one, (at,), Literal(0), meter) == at
    assert len(looks) < 3 * (200 + 20 * 20)
    for _ in range(100):  # and what is no longer used is not kept
        navigation.navigate([0] * 100, (99,), Literal(0), meter)
    assert len(meter.settled) < 20


@pytest.mark.parametrize(("uses", "fits"), [(2, True), (200, False)])
def test_each_item_that_is_compared_takes_steps(uses: int, fits: bool) -> None:
    values = f"values: {{l: {{type: array, value: [{', '.join(['a'] * 1_000)}]}}}}\n"
    fields = "".join(f"      f{n}: '${{contains(values.l, \"b{n}\")}}'\n" for n in range(uses))
    text = f"version: 2023-04-20\n{values}resources:\n  r:\n    type: a/b\n    spec:\n{fields}"
    settings = Settings(limits=Limits(max_steps=12_000))
    assert render(Source("a.yaml", text, "yaml"), settings=settings).ok is fits


def test_what_a_selector_selects_is_looked_for_as_it_is_asked_for() -> None:
    from bpp.pipeline.dialects.bluelink.checking.links import selections

    line = (
        "  r{}: {{type: a/b, metadata: {{labels: {{a: b, c: d}}}}, linkSelector: {{byLabel: {}}}, "
    )
    text = "version: 2023-04-20\nresources:\n" + "".join(
        line.format(n, "{a: b}" if n % 2 else "{a: b, c: d}") + "spec: {}}\n" for n in range(64)
    )
    root = read_plain(Source("a.yaml", text, "yaml"), Meter(Limits()), Diagnostics())
    assert isinstance(root, Map)
    resources = root.items["resources"]
    assert isinstance(resources, Map)
    found = selections(resources, Meter(Limits(max_steps=200)))
    asked = [(name, next(selected)) for name, _, selected in found]
    assert asked[:2] == [("r0", "r1"), ("r1", "r0")]
    assert len(asked) == 64
    with pytest.raises(FunctionError, match="max_steps"):  # two groups of 64
        list(selections(resources, Meter(Limits(max_steps=20))))


def parsed_by(call: Callable[[], Any]) -> int:
    """How often the parser of blueprints is asked."""
    from bpp.pipeline.dialects.bluelink import grammar

    profile = cProfile.Profile()
    profile.runcall(call)
    code = grammar.parse.__code__
    return sum(one.callcount for one in profile.getstats() if one.code is code)


def test_a_shape_without_texts_is_not_parsed_again_for_its_places() -> None:
    fields = "".join(f"      f{n}: '${{nofunction{n}(1)}}'\n" for n in range(30))
    text = f"version: 2023-04-20\nresources:\n  r:\n    type: a/b\n    spec:\n{fields}"
    found = Diagnostics()
    assert parsed_by(lambda: found.extend(check(Source("a.yaml", text, "yaml")))) == 30
    assert [item.span.column for item in found if item.span] == [14] * 10 + [15] * 20


@interpreted
@pytest.mark.parametrize("most", [10, 1_000])
def test_mistakes_that_are_only_counted_need_no_places(most: int) -> None:
    fields = "".join(f"      f{n}: '${{nofunction(\"{n}\")}}'\n" for n in range(30))
    text = f"version: 2023-04-20\nresources:\n  r:\n    type: a/b\n    spec:\n{fields}"
    settings = Settings(limits=Limits(max_diagnostics=most))
    found = Diagnostics(most)

    def examine() -> None:
        found.extend(check(Source("a.yaml", text, "yaml"), settings=settings))

    assert parsed_by(examine) == 1 + min(most, 30)
    assert found.errors == 30


@interpreted
def test_a_blueprint_with_mistakes_is_read_once_to_be_drawn_and_quoted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from bpp.pipeline.formats import yaml_fast
    from bpp.pipeline.formats.report import report
    from bpp.pipeline.rendering import survey

    read: list[Any] = []
    real = yaml_fast._compose
    monkeypatch.setattr(yaml_fast, "_compose", lambda *all: read.append(all) or real(*all))
    value = "values:\n  a: {type: string, value: '${values.b}'}\n"
    found = survey(Source("a.yaml", f"version: 2023-04-20\n{value}{RESOURCE}", "yaml"))
    assert found.graph is not None
    assert "3 |   a: {type: string, value: '${values.b}'}" in report(found.diagnostics)
    assert len(read) == 1


def test_a_shape_costs_the_same_whoever_knows_its_tree() -> None:
    text = f"version: 2023-04-20\nvalues: {{v: {{type: array, value: '{CALLS}'}}}}\n{RESOURCE}"
    first = render(Source("a.yaml", text, "yaml"))
    known = first.language.shapes
    assert known and first.language.parses + first.language.ready  # `ready`: known to a wheel
    for most in range(40, 400):
        settings = Settings(limits=Limits(max_steps=most))
        source = Source("a.yaml", text, "yaml")
        again = render(source, settings=settings, shapes=known)
        assert again.language.parses == 0
        assert again.ok == render(source, settings=settings).ok
        if again.ok:
            break
    assert most > 5 * len(CALLS) - 20


def test_mistakes_that_are_only_counted_take_steps_and_the_limit_is_told() -> None:
    fields = "".join(f"  r{n}: {{typ: a/b, spec: {{}}}}\n" for n in range(200))
    text = f"version: 2023-04-20\nresources:\n{fields}"
    for most, told in ((1000, False), (60, True)):
        limits = Limits(max_diagnostics=most, max_steps=3_000)
        found = render(Source("a.yaml", text, "yaml"), settings=Settings(limits=limits)).diagnostics
        codes = [item.code for item in found]
        assert ("limit_exceeded" in codes) is told
        assert len(codes) <= most


def test_collectors_of_one_run_spend_together() -> None:
    meter = Meter(Limits(max_steps=95))
    outer = Diagnostics(1, spend=meter.mistake)
    inner = outer.beside()
    for number, collector in enumerate((outer, inner, outer, inner)):
        collector.error("x", None, str(number))
    with pytest.raises(FunctionError, match="max_steps"):
        outer.error("x", None, "5")
    outer.error("x", None, "6")  # the run has ended, so nothing is charged any more
    outer.error("limit_exceeded", None, "the last")
    assert [item.summary for item in outer] == ["the last"]
    assert (outer.dropped, outer.errors) == (4, 5)
    with pytest.raises(FunctionError, match="max_steps"):
        meter.read("more")


def test_a_file_that_is_included_again_is_read_once_and_costs_as_much() -> None:
    child = "version: 2023-04-20\nresources: {r: {type: a/b, spec: {x: [1, 2, '${1}', 4]}}}\n"
    entries = "".join(f"  c{n}: {{path: c.yaml}}\n" for n in range(20))
    main = f"version: 2023-04-20\ninclude:\n{entries}{RESOURCE}"
    files = MemoryFiles({"m.yaml": main, "c.yaml": child})
    run = render("m.yaml", files=files)
    assert run.ok
    read = {id(run.work.children[f"c{n}"].stages[0][1].root) for n in range(20)}
    assert len(read) == 1
    settings = Settings(limits=Limits(max_steps=500))
    (told,) = render("m.yaml", files=files, settings=settings).diagnostics
    assert "`max_steps`" in told.summary


@pytest.mark.parametrize(("most", "fits"), [(3_000, True), (2_000, False)])
def test_an_instance_takes_steps_even_when_nothing_is_in_it(most: int, fits: bool) -> None:
    each = "resources: {r: {type: a/b, each: '${values.v}', spec: {}}}\n"
    text = "version: 2023-04-20\nvalues: {v: {type: array, value: '${range(0, 80)}'}}\n" + each
    text = text.replace("${range(0, 80)}", '${split("' + "," * 79 + '", ",")}')
    limits = Settings(limits=Limits(max_steps=most))
    assert render(Source("a.yaml", text, "yaml"), settings=limits).ok is fits


def test_graphs_and_explanations_take_steps() -> None:
    listed = ", ".join(map(str, range(50)))
    text = f"version: 2023-04-20\nvalues: {{v: {{type: array, value: [{listed}]}}}}\nresources:\n"
    text += "  w: {type: a/b, each: '${values.v}', spec: {x: '${elem}'}}\n"
    text += "".join(
        f"  r{n}: {{type: a/b, spec: {{x: '${{resources.w[{n}].spec.x}}'}}}}\n" for n in range(50)
    )
    source = Source("a.yaml", text, "yaml")
    run = render(source, settings=Settings(limits=Limits(max_steps=12_500)))
    assert run.ok
    with pytest.raises(FunctionError, match="max_steps"):
        for _ in range(20):
            graph(run)
    with pytest.raises(FunctionError, match="max_steps"):
        why(run, "resources")
    assert why(render(source), "resources").causes


@interpreted
def test_why_looks_at_each_template_once_and_writes_what_it_shows() -> None:
    from bpp.pipeline.answers import tracing
    from bpp.pipeline.answers.explaining import why

    count = 60
    text = "version: 2023-04-20\nresources:\n" + "".join(
        f"  r{n}: {{type: a/b, spec: {{x: '${{resources.r{n + 1}.spec.x}}'}}}}\n"
        for n in range(count)
    )
    run = render(Source("a.yaml", f"{text}  r{count}: {{type: a/b, spec: {{x: 1}}}}\n", "yaml"))
    profile = cProfile.Profile()
    found = profile.runcall(why, run, "resources")
    assert len(found.causes) == count
    calls = {one.code: one.callcount for one in profile.getstats()}
    assert calls[tracing.trace_in.__code__] == count
    assert Evaluator.__init__.__code__ not in calls  # a reference alone is looked up

    from bpp.pipeline.cli import why_command

    value = {f"k{n}": {"a": [n, {}, []], "b": {"c": None}} for n in range(2_000)}
    profile = cProfile.Profile()
    shown = profile.runcall(lambda: "".join(why_command._beginning(value, 20)))
    whole = json.dumps(value, ensure_ascii=False, indent=2)
    assert whole.startswith(shown) and 20 <= shown.count("\n") <= 21
    assert why_command._height(value) == whole.count("\n") + 1
    assert sum(one.callcount for one in profile.getstats()) < 1_000
