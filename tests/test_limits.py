"""Every limit: what just fits, what does not, and what is said then; depth; memory; the flags."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import time
import tracemalloc
from bisect import bisect_left
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bpp.pipeline import (
    Diagnostics,
    DiskFiles,
    Limits,
    MemoryFiles,
    Run,
    Settings,
    Source,
    check,
    evaluate,
    graph,
    render,
)
from bpp.pipeline.cli.limit_flags import limit_flags, limits, shown
from bpp.pipeline.cli.usage import UsageProblem
from bpp.pipeline.engine.run import Unwritable
from bpp.pipeline.formats.report import render_text
from bpp.pipeline.values.settings import HIGHEST
from bpp.pipeline.world.files import FileProblem
from support import depths
from support.depths import HEAD, RESOURCE, WAYS, named
from support.in_process import bpp_inside

GUIDE = Path(__file__).parents[1] / "docs" / "guides" / "limits.md"


class Place(NamedTuple):
    """Where a probe may write files, and what it may change."""

    folder: Path
    patch: pytest.MonkeyPatch


Probe = Callable[[Limits, Place], str]


def values(*items: tuple[str, str, str]) -> str:
    """A head with values: name, type, content."""
    made = [f"  {name}:\n    type: {kind}\n    value: {text}\n" for name, kind, text in items]
    return f"{HEAD}values:\n{''.join(made)}"


def told(run: Run) -> str:
    """What a run says, and what writing its result does."""
    said = [f"{item.code}: {item.summary} / {item.hint}" for item in run.diagnostics]
    try:
        if run.ok:
            run.text()
    except Unwritable as problem:
        said.append(f"{problem.diagnostic.code}: {problem} / {problem.diagnostic.hint}")
    return "\n".join(said)


def rendering(*texts: str) -> Probe:
    """Renders the first text; the others are its children `c1.yaml`, `c2.yaml` and so on."""

    def probe(limits: Limits, place: Place) -> str:
        names = ["main.yaml", *(f"c{n}.yaml" for n in range(1, len(texts)))]
        for name, text in zip(names, texts, strict=True):
            (place.folder / name).write_text(text, encoding="utf-8")
        files = DiskFiles(cwd=str(place.folder), limits=limits)
        source = Source("main.yaml", texts[0], "yaml", str(place.folder / "main.yaml"))
        return told(render(source, settings=Settings(limits=limits), files=files))

    return probe


def reading_twice(limits: Limits, place: Place) -> str:
    """Reads two files in a run, and in a second run, which has its own count."""
    for name in "ab":
        (place.folder / name).write_text("x" * 50)
    files = DiskFiles(cwd=str(place.folder), limits=limits)
    text = values(*((f"v{n}", "integer", f'${{len(utf8(file("{n}")))}}') for n in "ab"))
    source = Source("a.yaml", text + depths.EMPTY, "yaml", str(place.folder / "a.yaml"))
    for _ in range(2):
        said = told(render(source, settings=Settings(limits=limits), files=files))
    return said


def scanning(limits: Limits, place: Place) -> str:
    """Looks for files in a folder with two of them."""
    for name in "ab":
        (place.folder / name).touch()
    files = DiskFiles(cwd=str(place.folder), limits=limits)
    try:
        files.below(".", lambda name: True)
    except FileProblem as problem:
        return f"{problem.code}: {problem.message} / {problem.hint}"
    return ""


def fetching(children: int, data: Callable[[], str]) -> Probe:
    """Fetches children with a resolver that answers with `data`."""

    def probe(limits: Limits, _: Place) -> str:
        entries = "".join(
            f"  c{n}:\n    path: c{n}.yaml\n    metadata:\n      sourceType: git\n"
            for n in range(children)
        )
        run = render(
            Source("main.yaml", f"{HEAD}include:\n{entries}{depths.EMPTY}", "yaml"),
            settings=Settings(limits=limits, keep_remote_includes=False),
            files=MemoryFiles({}),
            resolvers={"git": lambda request: data()},
        )
        return told(run)

    return probe


def slow_clock(limits: Limits, place: Place) -> str:
    """A run in which the clock is half a second further at each look, at the text and stages."""
    ticks = count()
    place.patch.setattr(time, "monotonic", lambda: next(ticks) / 2)
    return told(
        render(Source("a.yaml", HEAD + depths.EMPTY, "yaml"), settings=Settings(limits=limits))
    )


def slow_answer() -> str:
    time.sleep(1.3)
    return HEAD + depths.EMPTY


def slow_picture(limits: Limits, place: Place) -> str:
    program = place.folder / "dot"
    program.write_text("#!/bin/sh\n/bin/cat > /dev/null; /bin/sleep 1.3; echo '<svg></svg>'\n")
    program.chmod(0o755)
    place.patch.setenv("PATH", str(place.folder))
    run = render(Source("a.yaml", HEAD + depths.EMPTY, "yaml"), settings=Settings(limits=limits))
    try:
        graph(run).text("svg")
    except FileProblem as problem:
        return f"{problem.code}: {problem.message} / {problem.hint}"
    return ""


def drawing(limits: Limits, _: Place) -> str:
    run = render(
        Source("a.yaml", depths.chain_of_conditions(5), "yaml"), settings=Settings(limits=limits)
    )
    try:
        graph(run)
    except ValueError as problem:
        return f"limit_exceeded: {problem} / {problem.hint}"  # type: ignore[attr-defined]
    return ""


def reporting(mistakes: int, words: str) -> Probe:
    """Reports mistakes; what is cut off is told by the limit's name here."""

    def probe(limits: Limits, _: Place) -> str:
        found = Diagnostics(limits.max_diagnostics)
        for number in range(mistakes):
            found.error("invalid_map", None, f"{number} {words}")
        text = render_text(found, False, limits=limits)
        whole = text.count(words) == mistakes
        return "" if whole else " ".join(f"`{name}`" for name in CUTS)

    return probe


CUTS = ("max_diagnostics", "max_message_chars", "max_report_bytes")
"""Limits that cut what is printed, which is no mistake of the blueprint."""

LETTERS = "a" * 40
CHILD = HEAD + depths.EMPTY
WRITTEN = CHILD.replace("2025-11-02", '"2025-11-02"')
"""The same as a render writes it, which must not be too large either."""
INCLUDES = "include:\n" + "".join(f"  c{n}:\n    path: c{n}.yaml\n" for n in (1, 2))

TABLE: dict[str, tuple[int, Probe]] = {
    "max_input_bytes": (len(WRITTEN), rendering(WRITTEN)),
    "max_total_input_bytes": (100, reading_twice),
    "max_depth": (9, rendering(depths.block(9))),
    "max_nodes": (10, rendering(f"{HEAD}resources:\n{RESOURCE}    spec: {{k: [1]}}\n")),
    "max_total_nodes": (
        15 + 2 + 8,
        rendering(
            values(("v", "array", '${split("a", ",")}')) + INCLUDES.split("  c2")[0] + depths.EMPTY,
            CHILD,
        ),
    ),
    "max_scalar_chars": (40, rendering(values(("v", "string", LETTERS)) + depths.EMPTY)),
    "max_key_chars": (40, rendering(values((LETTERS, "string", "x")) + depths.EMPTY)),
    "max_expression_chars": (
        len('trim("?")'),
        rendering(HEAD + named(f'trim("{LETTERS}")')),
    ),
    "max_expression_depth": (4, rendering(depths.calls(4))),
    "max_substitutions": (4, rendering(values(("v", "string", "${1}a${2}b")) + depths.EMPTY)),
    "max_value_chars": (
        80,
        rendering(
            values(("v", "string", LETTERS), ("w", "string", "${values.v}${values.v}"))
            + depths.EMPTY
        ),
    ),
    "max_value_items": (
        7,
        rendering(
            values(("v", "array", "${list(1, 2)}"), ("w", "array", "${list(values.v, values.v)}"))
            + depths.EMPTY
        ),
    ),
    "max_built_chars": (
        80 + 40,
        rendering(
            values(("v", "string", LETTERS), ("w", "string", "${values.v}${trim(values.v)}"))
            + depths.EMPTY
        ),
    ),
    "max_steps": (
        # five for each of the 41 characters of a shape, ten for the calls, one for each node
        41 * 5 + 10 + 16,
        rendering(
            values(("v", "array", '${map(map(split("a,b,c", ","), trim), to_lower)}'))
            + depths.EMPTY
        ),
    ),
    "run_seconds": (5, slow_clock),
    "max_reference_depth": (5, rendering(depths.chain_of_fields(5))),
    "max_each": (
        3,
        rendering(
            values(("v", "array", "${list(1, 2, 3)}"))
            + f"resources:\n{RESOURCE}    each: ${{values.v}}\n    spec: {{}}\n"
        ),
    ),
    "max_resources": (
        3,
        rendering(
            values(("v", "array", "${list(1, 2, 3)}"))
            + f"resources:\n{RESOURCE}    each: ${{values.v}}\n    spec: {{}}\n"
        ),
    ),
    "max_include_depth": (
        2,
        rendering(
            HEAD + INCLUDES.split("  c2")[0] + depths.EMPTY,
            HEAD + "include:\n  c:\n    path: c2.yaml\n" + depths.EMPTY,
            CHILD,
        ),
    ),
    "max_includes": (2, rendering(HEAD + INCLUDES + depths.EMPTY, CHILD, CHILD)),
    "max_file_bytes": (
        len(CHILD),
        rendering(HEAD + INCLUDES.split("  c2")[0] + depths.EMPTY, CHILD),
    ),
    "max_scanned_files": (2, scanning),
    "max_response_bytes": (len(CHILD), fetching(1, lambda: CHILD)),
    "max_fetched_bytes": (2 * len(CHILD), fetching(2, lambda: CHILD)),
    "fetch_seconds": (20, fetching(1, slow_answer)),
    "max_output_chars": (
        len('version: "2025-11-02"\n' + depths.EMPTY.replace("a/b", "a/b")),
        rendering(CHILD),
    ),
    "max_diagnostics": (5, reporting(5, "no map")),
    "max_message_chars": (42, reporting(1, LETTERS)),
    "max_report_bytes": (
        200 + 5 * len(f"error[invalid_map]: 0 {LETTERS}\n\n"),
        reporting(5, LETTERS),
    ),
    "max_graph_edges": (5, drawing),
    "program_seconds": (20, slow_picture),
}
"""By limit: the least value with which a probe passes, and the probe."""

SLOW = {"fetch_seconds": 1, "program_seconds": 1}
"""Limits of time whose probes wait, with the value that is too little."""


def test_the_table_has_every_limit() -> None:
    assert set(TABLE) == set(Limits.__match_args__) == set(limits())


@pytest.mark.parametrize("name", TABLE)
def test_a_limit_lets_through_what_just_fits(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enough, probe = TABLE[name]
    assert probe(Limits(**{name: enough}), Place(tmp_path, monkeypatch)) == ""


@pytest.mark.parametrize("name", TABLE)
def test_a_limit_that_is_reached_names_itself(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enough, probe = TABLE[name]
    low = SLOW.get(name, enough - 1)
    said = probe(Limits(**{name: low}), Place(tmp_path, monkeypatch))
    assert f"`{name}`" in said
    if name not in CUTS:
        assert re.search(rf"`--limit {name}={2 * low}`", said), said


LIST = '${split("' + "a," * 29 + 'a", ",")}'
MANY = f"{HEAD}resources:\n{RESOURCE}    each: {LIST}\n    spec: {{k: [1, 2]}}\n"
OPEN = f"{depths.EMPTY}  s:\n    type: a/b\n    spec:\n      k: "
DECIDED_LATER = OPEN + "${if(r.spec.x, values.v, values.v)}\n"
GROWING = {
    "max_input_bytes": MANY,
    "max_nodes": MANY,
    "max_depth": HEAD + OPEN + """'${jsondecode("[[[[[[[[1]]]]]]]]")}'\n""",
    "max_scalar_chars": HEAD + OPEN + f'${{replace("aaaaaaaaa", "a", "{LETTERS}")}}\n',
    "max_key_chars": HEAD + OPEN + '\'${jsondecode("{\\"' + LETTERS + '\\": 1}")}\'\n',
    "max_expression_chars": values(("v", "array", LIST)) + DECIDED_LATER,
    "max_expression_depth": values(("v", "array", "[[[[[[[1]]]]]]]")) + DECIDED_LATER,
    "max_substitutions": HEAD + OPEN + """'${replace("aaaaaaaaa", "a", "${x")}'\n""",
}
"""By limit of what is read, a blueprint whose output is larger than itself."""


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize("name", GROWING)
def test_what_is_written_can_be_read_with_the_same_limits(name: str, form: str) -> None:
    text = GROWING[name]
    all_values = range(min(20_000, HIGHEST.get(name, 20_000)))

    def run_with(most: int) -> tuple[Settings, Run]:
        settings = Settings(limits=Limits(**{name: most}))
        files = MemoryFiles({})
        return settings, render(Source("a.yaml", text, "yaml"), settings=settings, files=files)

    def is_written(most: int) -> bool:
        """Whether the output is written, and then read again; why not is told."""
        settings, run = run_with(most)
        assert run.ok, told(run)
        try:
            written = run.text(form)
        except Unwritable as problem:
            assert f"`{name}`" in problem.diagnostic.summary
            assert "could not be read again" in problem.diagnostic.summary
            assert f"`--limit {name}={2 * most}`" in (problem.diagnostic.hint or "")
            return False
        again = render(Source("a", written, form), settings=settings, files=MemoryFiles({}))
        assert again.ok, told(again)
        assert again.text(form) == written
        return True

    reads = bisect_left(all_values, True, lo=1, key=lambda most: run_with(most)[1].ok)
    writes = bisect_left(all_values, True, lo=reads, key=is_written)
    assert is_written(writes)
    between = range(reads, writes, max((writes - reads) // 20, 1))
    refused = sum(not is_written(most) for most in between)
    assert refused == len(between)
    assert refused, "the output was never larger than what is read"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (16 << 20, "bytes", "16 MiB"),
        (3 << 10, "bytes", "3 KiB"),
        (1 << 20, "characters", "1 Mi characters"),
        (1_000_000, "characters", "1,000,000 characters"),
        (1 << 20, "", "1,048,576"),
        (2048, "seconds", "2,048 seconds"),
    ],
)
def test_values_of_limits_are_written_for_people(value: int, unit: str, text: str) -> None:
    assert shown(value, unit) == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("max_dept", "`max_dept` (did you mean `max_depth`?)"),
        ("max-include-deth", "`max-include-deth` (did you mean `max_include_depth`?)"),
        ("nothing", "`nothing` (`bpp explain limits` lists them)"),
        ("x" * 101, f"`{'x' * 100}` (`bpp explain limits` lists them)"),
    ],
)
def test_a_limit_that_is_none_is_told_with_the_near_one(name: str, words: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        limit_flags([f"{name}=1"])
    assert str(caught.value) == f"unknown limit {words}"
    assert limit_flags(["max-depth=1"]) == limit_flags(["max_depth=1"]) == {"max_depth": 1}


@pytest.mark.parametrize("name", HIGHEST)
def test_a_limit_of_the_stack_has_a_highest_value(name: str) -> None:
    settings = Settings(limits=Limits(**{name: HIGHEST[name] + 1}))
    source = Source("a.yaml", CHILD, "yaml")
    for door in (render, check):
        with pytest.raises(ValueError, match=f"`{name}` can be raised to {HIGHEST[name]} at most"):
            door(source, settings=settings)
    with pytest.raises(ValueError, match=f"`{name}`"):
        evaluate("${1}", settings=settings)


# ---------------------------------------------------------------- depth


def depths_told(limits: dict[str, int], more: int, frames: tuple[int, ...]) -> dict[str, set[str]]:
    """What every way of being deep comes to, for all depths of the caller's stack together."""
    bounds = Limits(**limits)
    levels = {
        way: (getattr(bounds, limit) + more if limit else 100) for way, (_, limit) in WAYS.items()
    }
    asked = {"limits": limits, "levels": levels, "frames": frames, "thread": True}
    done = subprocess.run(
        [sys.executable, depths.__file__],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-500:]
    found = json.loads(done.stdout)
    assert len(found) == len(frames) + 1
    return {way: {answers[way] for answers in found.values()} for way in WAYS}


@pytest.mark.parametrize("more", [0, 1])
def test_depth_is_answered_alike_wherever_the_caller_stands(more: int) -> None:
    said = depths_told({"max_reference_depth": 30}, more, depths.FRAMES)
    for way, (_, limit) in WAYS.items():
        [answer] = said[way]
        if more and limit:
            assert answer.startswith("limit_exceeded: ") and f"`{limit}`" in answer, (way, answer)
        else:
            assert answer == "ok", (way, answer)


@pytest.mark.slow
def test_the_highest_depths_can_be_kept() -> None:
    for way, answers in depths_told(dict(HIGHEST, max_reference_depth=200), 0, (0, 800)).items():
        if way == "garden_keys":  # its parser needs more frames for a level; it says so
            assert all(told.startswith("limit_exceeded") for told in answers), way
            continue
        assert answers == {"ok"}, way


@pytest.mark.parametrize("way", [way for way, (_, limit) in WAYS.items() if limit == "max_depth"])
def test_absurd_depth_is_refused_at_once(way: str) -> None:
    levels = 500 if "growing" in way else 200_000
    before = time.process_time()
    assert depths.said(way, levels, Limits()).startswith("limit_exceeded: ")
    assert time.process_time() - before < 10


def test_a_call_that_goes_deep_keeps_its_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    from contextvars import ContextVar
    from threading import current_thread, get_ident

    from bpp.pipeline.values.threads import with_room

    known: ContextVar[int] = ContextVar("known")
    known.set(5)

    def failing() -> int:
        raise LookupError(str(known.get()))

    assert with_room(get_ident) == get_ident()
    assert depths.deeper(200, lambda: with_room(get_ident)) != get_ident()
    with pytest.raises(LookupError, match="5"):
        depths.deeper(200, lambda: with_room(failing))
    thread = depths.deeper(200, lambda: with_room(current_thread))
    assert (thread.name, thread.daemon) == ("bpp-call", True)

    def refuse(thread: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", refuse)
    monkeypatch.setattr("bpp.pipeline.values.threads._rooms", [])
    assert depths.deeper(200, lambda: with_room(get_ident)) == get_ident()


def test_calls_that_go_deep_one_after_the_other_share_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from threading import Thread, get_ident

    from bpp.pipeline.values import threads

    monkeypatch.setattr(threads, "_rooms", [])
    monkeypatch.setattr(threads, "_WAITS", 600)
    started: list[Thread] = []
    start = Thread.start

    def counted(thread: Thread) -> None:
        started.append(thread)
        start(thread)

    monkeypatch.setattr(Thread, "start", counted)

    def inside(deeper: int) -> list[int]:
        return [get_ident(), *(threads.in_a_thread(lambda: inside(deeper - 1)) if deeper else ())]

    for _ in range(50):
        assert len({*inside(3)}) == 4  # each has a stack of its own
    assert len(started) == 3
    monkeypatch.setattr(threads, "_WAITS", 0)
    inside(3)
    for thread in started:  # which have nothing more to do
        thread.join(60)
        assert not thread.is_alive()
    assert threads._rooms == []


# ---------------------------------------------------------------- memory

BIG, LONG = "a" * 10_000, "b" * 10_000
PARTS = "a," * 10_000
NUMBERS = "1," * 10_000
SPLITS = ", ".join(['split(values.a, "")'] * 50)
REPEATED = RESOURCE.replace("    metadata", "    each: ${values.l}\n    metadata")


def doubled(kind: str, first: str, following: str) -> str:
    """Values each of which is made twice of the one before."""
    later = [(f"v{n}", kind, following.replace("{}", f"values.v{n - 1}")) for n in range(1, 25)]
    return values(("v0", kind, first), *later) + named("len(values.v24)")


def applied(expression: str) -> str:
    """A resource with an expression about the values `a`, `b`, `p` (parts) and `l` (a list)."""
    return values(
        ("a", "string", BIG),
        ("b", "string", LONG),
        ("p", "string", PARTS),
        ("l", "array", f"${{list({', '.join(['values.a'] * 200)})}}"),
    ) + named(expression)


def repeated(field: str) -> str:
    """A template with many fields of which there are many instances."""
    head = values(("a", "string", BIG), ("l", "array", '${split(values.a, "")}'))
    fields = "".join(f"      k{n}: {field}\n" for n in range(200))
    return f"{head}resources:\n{REPEATED}    spec:\n{fields}"


CHARS, ITEMS = {"max_value_chars": 300_000}, {"max_value_items": 10_000}
BUILT, NODES = {"max_built_chars": 1_000_000}, {"max_total_nodes": 20_000}
AMPLIFIERS: dict[str, tuple[str, dict[str, int]]] = {
    "replace": (applied('len(replace(values.a, "a", values.b))'), CHARS),
    "replace between": (applied('len(replace(values.a, "", values.b))'), CHARS),
    "join": (applied('len(join(split(values.a, ""), values.b))'), CHARS),
    "text of texts": (doubled("string", LETTERS, "${{}}${{}}"), CHARS),
    "base64encode": (
        values(("a", "string", "a" * 290_000)) + named("base64encode(values.a)"),
        CHARS,
    ),
    "to_upper": (values(("a", "string", "ŉ" * 160_000)) + named("len(to_upper(values.a))"), CHARS),
    "split": (values(("a", "string", "a" * 20_000)) + named('len(split(values.a, ""))'), ITEMS),
    "flatmap": (
        applied('len(flatmap(split(values.p, ","), split_g("")))'),
        {"max_value_items": 5_000},
    ),
    "list": (doubled("array", "${list(1, 2)}", "${list({}, {})}"), ITEMS),
    "object": (doubled("object", "${object(a=1)}", "${object(a={}, b={})}"), ITEMS),
    "jsondecode": (HEAD + named(f'len(jsondecode("[{NUMBERS}1]"))'), ITEMS),
    "map": (applied('len(map(split(values.p, ","), replace_g("a", values.b)))'), BUILT),
    "map of parts": (applied("len(map(values.l, substr_g(1)))"), BUILT),
    "many lists": (applied(f"len(list({SPLITS}))"), BUILT),
    "nodes of values": (
        values(("a", "string", BIG))
        + f"resources:\n{RESOURCE}    spec:\n"
        + "".join(f'      k{n}: ${{split(values.a, "")}}\n' for n in range(50)),
        NODES,
    ),
    "each": (repeated("${i}"), NODES),
    "each of what is the same": (repeated("x"), NODES),
    "dependants of each": (
        values(("a", "string", "a" * 300), ("l", "array", '${split(values.a, "")}'))
        + f"resources:\n{REPEATED}    spec: {{}}\n"
        + "".join(f"  d{n}: {{type: a/b, dependsOn: r, spec: {{}}}}\n" for n in range(100)),
        NODES,
    ),
    "output": (
        values(("a", "string", BIG))
        + f"resources:\n{RESOURCE}    spec:\n"
        + "".join(f"      k{n}: ${{values.a}}\n" for n in range(200)),
        {"max_output_chars": 1_000_000},
    ),
}
"""Small texts that mean much, each with the limit that it reaches."""

PER_UNIT = {"max_value_items": 600, "max_total_nodes": 300}
"""Bytes that a part or a node may take; a character may take 4."""

BASE = 4_000_000


@pytest.mark.parametrize("name", AMPLIFIERS)
def test_what_would_grow_is_refused_while_it_is_small(name: str) -> None:
    text, limits = AMPLIFIERS[name]
    [(limit, bound)] = limits.items()
    source = Source("a.yaml", text, "yaml")
    tracemalloc.start()
    try:
        said = told(render(source, settings=Settings(limits=Limits(**limits))))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert said.startswith("limit_exceeded: ") and f"`{limit}`" in said
    assert peak < BASE + PER_UNIT.get(limit, 4) * bound


def test_subnets_are_computed_and_not_listed() -> None:
    before = time.process_time()
    found = evaluate('${cidrsubnet("::/0", 63, 9223372036854775807)}')
    assert found.value == "ffff:ffff:ffff:fffe::/63"
    assert time.process_time() - before < 1


def test_a_long_literal_takes_little_memory() -> None:
    text = HEAD + named(f'len("{"a" * 500_000}")')
    tracemalloc.start()
    try:
        run = render(Source("a.yaml", text, "yaml"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert run.ok
    assert peak < 20 * len(text)


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS works on Linux")
def test_too_little_memory_is_told_without_a_traceback(tmp_path: Path) -> None:
    doubling = doubled("string", LETTERS, "${{}}${{}}").replace("len(values.v24)", "values.v24")
    (tmp_path / "a.yaml").write_text(doubling, encoding="utf-8")
    few = 400 * 1024 * 1024
    done = subprocess.run(
        [
            str(Path(sys.executable).with_name("bpp")),
            *("render", "a.yaml", "-o", "out.yaml", "--limit", "max_value_chars=4GiB"),
            *("--limit", "max_built_chars=64GiB", "--limit", "max_output_chars=64GiB"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (few, few)),
    )
    assert done.returncode == 1, done
    assert "not enough memory" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out.yaml").exists()


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


MEMORY = "error: not enough memory for this blueprint; nothing was written\n"
BUG = "bpp: internal error: SystemError"
UNEXPLAINED = "error: a library failed without a reason, as it does where memory is short; "


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (MemoryError(), 1, MEMORY),
        (SystemError("<method x> returned NULL without setting an exception"), 1, UNEXPLAINED),
        (SystemError("error return without exception set"), 1, UNEXPLAINED),
        (caused(SystemError("x returned a result"), MemoryError()), 1, MEMORY),
        (caused(SystemError("x returned a result"), KeyError()), 70, BUG),
        (SystemError("bad argument to internal function"), 70, BUG),
    ],
)
def test_what_c_code_raises_without_memory_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, told: str
) -> None:
    def fails(*_: object) -> None:
        raise error

    (tmp_path / "a.yaml").write_text("version: 2025-11-02\nresources: {}\n")
    monkeypatch.setattr("bpp.pipeline.cli.render_command.run_render", fails)
    done = bpp_inside(tmp_path, "render", "a.yaml")
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(told)


# ---------------------------------------------------------------- flags and files

COMMANDS: dict[str, tuple[str, ...]] = {
    "render": ("render", "a.yaml"),
    "check": ("check", "a.yaml"),
    "eval": ("eval", "1", "-f", "a.yaml"),
    "diff": ("diff", "a.yaml", "a.yaml"),
    "why": ("why", "a.yaml", "resources.r.type"),
    "graph": ("graph", "a.yaml"),
    "lock": ("lock", "a.yaml"),
    "build": ("build", "--no-cache", "-j", "1"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_that_reads_blueprints_has_the_flag(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CHILD, encoding="utf-8")
    (tmp_path / "bpp.toml").write_text('[targets.a]\nblueprint = "a.yaml"\noutput = "o.yaml"\n')
    words = COMMANDS[command]
    assert bpp_inside(tmp_path, *words).returncode == 0
    low = bpp_inside(tmp_path, *words, "--limit", "max-nodes=3")
    assert low.returncode == 1
    assert "3 nodes, the limit `max_nodes`" in low.stderr
    assert "`--limit max_nodes=6`" in low.stderr


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("max_depht=5", "unknown limit `max_depht` (did you mean `max_depth`?)"),
        ("zzz=5", "unknown limit `zzz` (`bpp explain limits` lists them)"),
        ("max_depth", "--limit is written NAME=VALUE; `bpp explain limits` lists the names"),
        ("max_depth=", "--limit max_depth must be a whole number"),
        ("max_depth=x", "--limit max_depth must be a whole number"),
        ("max_depth=1.5", "--limit max_depth must be a whole number"),
        ("max_depth=-1", "--limit max_depth must be a whole number"),
        ("max_depth=1KiB", "--limit max_depth must be a whole number"),
        ("max_depth=٣", "--limit max_depth must be a whole number"),
        ("max_depth=0", "--limit max_depth must be at least 1"),
        ("max_depth=100000", "--limit max_depth must be at most 128"),
        ("max_nodes=" + "9" * 24, "--limit max_nodes must be at most 4611686018427387904"),
        ("max_nodes=" + "9" * 5000, "--limit max_nodes must be a whole number"),
        ("max_input_bytes=1TiB", "must be a whole number, optionally with KiB or MiB"),
    ],
)
def test_a_limit_that_cannot_be_is_wrong_usage(flag: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CHILD, encoding="utf-8")
    for command in ("render", "check"):
        done = bpp_inside(tmp_path, command, "a.yaml", "--limit", flag)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr


@pytest.mark.parametrize(
    ("flag", "fits"),
    [
        ("max_input_bytes=1KiB", True),
        ("MAX_INPUT_BYTES=1024", False),
        ("max-input-bytes= 1 kib", True),
        ("max_input_bytes=1_024", True),
        ("max_input_bytes=1Mi", True),
        ("max_input_bytes=50", False),
    ],
)
def test_sizes_may_have_units(flag: str, fits: bool, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(CHILD, encoding="utf-8")
    assert (bpp_inside(tmp_path, "render", "a.yaml", "--limit", flag).returncode == 0) is fits


def test_the_last_flag_counts_and_the_flag_may_raise(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(depths.block(100), encoding="utf-8")
    assert bpp_inside(tmp_path, "render", "a.yaml").returncode == 1
    raised = ("--limit", "max_depth=100")
    assert bpp_inside(tmp_path, "render", "a.yaml", *raised).returncode == 0
    lowered = ("--limit", "max_depth=99")
    assert bpp_inside(tmp_path, "render", "a.yaml", *raised, *lowered).returncode == 1


def test_ten_megabytes_of_brackets_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: " + "[" * 10_000_000, encoding="utf-8")
    done = bpp_inside(tmp_path, "render", "a.yaml", "--limit", "max_depth=128")
    assert done.returncode == 1
    assert "nested deeper than 128 levels" in done.stderr
    assert "`max_depth` cannot be raised further" in done.stderr


CONFIGURATION = """\
[limits]
max_nodes = 6
[targets.a]
blueprint = "a.yaml"
output = "o.yaml"
"""


def test_a_file_can_only_lower_limits_and_the_command_line_has_the_last_word(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.yaml").write_text(CHILD, encoding="utf-8")
    configuration = tmp_path / "bpp.toml"
    configuration.write_text(CONFIGURATION)
    assert "`max_nodes`" in bpp_inside(tmp_path, "build", "-j", "1").stderr
    # also when it is what holds without a configuration
    for value in ("100", "2000000"):
        flag = ("--limit", f"max_nodes={value}")
        assert bpp_inside(tmp_path, "build", "-j", "1", *flag).returncode == 0
    lower = bpp_inside(tmp_path, "build", "-j", "1", "--limit", "max_nodes=4")
    assert "4 nodes" in lower.stderr
    configuration.write_text(CONFIGURATION.replace("= 6", "= 2000001"))
    looser = bpp_inside(tmp_path, "build", "-j", "1", "--limit", "max_nodes=3000000")
    assert looser.returncode == 1
    assert "limit_not_tighter" in looser.stderr and "bpp.toml:2:13" in looser.stderr
    configuration.unlink()
    project = re.sub(r"^\[", "[tool.bpp.", CONFIGURATION, flags=re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(project)
    assert "`max_nodes`" in bpp_inside(tmp_path, "build", "-j", "1").stderr


# ---------------------------------------------------------------- documents


def test_explain_lists_limits_and_describes_one(tmp_path: Path) -> None:
    listed = bpp_inside(tmp_path, "explain", "limits").stdout
    for limit in limits().values():
        assert f"{limit.name} " in listed and limit.shown in listed and limit.bounds in listed
    one = bpp_inside(tmp_path, "explain", "max-depth").stdout
    assert "The default is 64, at most 128." in one
    assert "did you mean `max_depth`?" in bpp_inside(tmp_path, "explain", "max_dept").stderr


def test_the_guide_has_the_limits_with_their_defaults() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    assert [tuple(map(str.strip, row)) for row in rows] == [
        (limit.name, limit.shown, limit.bounds, limit.protects) for limit in limits().values()
    ]
    highest: Any = dict(re.findall(r"`(\w+)` up to ([\d,]+)", text))
    assert {name: int(value.replace(",", "")) for name, value in highest.items()} == HIGHEST
