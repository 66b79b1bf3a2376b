"""The benchmarks compare before they count; calls grow as the input does, whatever its shape."""

from __future__ import annotations

import cProfile
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.compiled import interpreted
from support.in_process import bpp_inside

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks import __main__ as benchmarks
from benchmarks import aims, comparing, growth, peers
from benchmarks.measuring import Differs, Figures

SMALL, LARGE = 2_000, 8_000
FEW = 2_000
"""Calls that are not more than reading a blueprint of no size takes."""
EVERY = {
    "files: values of values",
    "files: exports of a child",
    "Garden: actions with references",
    "Kargo: stages",
}
"""Shapes that all commands are tried on."""


def run(tmp_path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit status of the benchmarks and the figures that they wrote."""
    figures = tmp_path / "figures.json"
    more = ["--runs", "1", "--peers-only", "--work", str(tmp_path), "--json", str(figures)]
    status = benchmarks.main(["10", *more, *arguments])
    return status, json.loads(figures.read_text())


def peer(tmp_path: Path, code: str, distribution: str = "attrs") -> peers.Peer:
    driver = tmp_path / "driver.py"
    driver.write_text(code)
    return peers.Peer("other", (distribution,), str(driver), "program.txt", lambda count: "")


def test_peers_are_compared_and_those_that_are_not_there_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, figures = run(tmp_path)
    said = capsys.readouterr().out
    assert status == 0, said
    assert set(figures["tables"]) == {"start-up", "10 resources"}
    table = figures["tables"]["10 resources"]
    for one in peers.PEERS:
        if one.missing() is None:
            assert table[one.name]["failure"] is None
            assert table[one.name]["cpu"] > 0
        else:
            assert one.name not in table
            assert f"{one.name}: skipped, {one.missing()}" in said
    assert len(figures["aims"]) == said.count("at most") + said.count("not measured")


@pytest.mark.parametrize(
    ("code", "failure", "differs"),
    [
        ("print('{\"resources\": {}}')", "resources.unit00000_0: missing", True),
        ("print('[]')", "the output is no mapping", True),
        ("raise SystemExit('broken')", "ended with status 1: broken", True),
        ("import time; time.sleep(60)", "stopped after 3 s", False),
    ],
)
def test_what_differs_does_not_count(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    code: str,
    failure: str,
    differs: bool,
) -> None:
    monkeypatch.setattr(peers, "PEERS", (peer(tmp_path, code),))
    monkeypatch.setattr(benchmarks.tables, "start_up", lambda place: _nothing())
    capped = ["--cap", "3"] if not differs else []
    status, figures = run(tmp_path, *capped)
    found = figures["tables"]["10 resources"]["other"]
    assert (found["failure"], found["differs"], found["cpu"]) == (failure, differs, 0)
    assert status == int(differs)
    assert failure in capsys.readouterr().out


def _nothing() -> benchmarks.tables.Table:
    from benchmarks.measuring import Program

    return benchmarks.tables.Table("start-up", {"nothing": Program(("true",))}, "nothing")


@pytest.mark.parametrize(
    ("mine", "difference"),
    [
        ({"a": {"b": [1, "x"]}}, None),
        ({"a": {"b": [1, "y"]}}, 'r.a.b[1]: "y" instead of "x"'),
        ({"a": {"b": [1.0, "x"]}}, "r.a.b[0]: 1.0 instead of 1"),
        ({"a": {"b": [True, "x"]}}, "r.a.b[0]: true instead of 1"),
        ({"a": {"b": [1]}}, "r.a.b: 1 elements instead of 2"),
        ({"a": {}}, "r.a.b: missing"),
        ({"a": {"b": [1, "x"], "c": 1}}, "r.a.c: too much"),
        ({}, "r.a: missing"),
    ],
)
def test_the_first_difference_is_told(mine: Any, difference: str | None) -> None:
    assert comparing.first_difference(mine, {"a": {"b": [1, "x"]}}, "r") == difference


def test_yaml_and_json_are_read_alike() -> None:
    wanted = {"a": {"n": "1", "m": 1}}
    comparing.must_hold(b'{"resources": {"a": {"n": "1", "m": 1}}}', wanted)
    comparing.must_hold(b"resources:\n  a:\n    n: '1'\n    m: 1\n", wanted)
    with pytest.raises(Differs, match=r"resources\.a\.n"):
        comparing.must_hold(b"resources:\n  a:\n    n: 1\n    m: 1\n", wanted)


def test_verdicts_say_what_is_met() -> None:
    def figures(cpu: float) -> Figures:
        return Figures(wall=cpu, cpu=cpu, peak=cpu)

    found = {
        verdict.name: verdict
        for verdict in aims.verdicts(
            {
                "1,000 resources": {
                    "bpp": figures(8),
                    "rjsonnet": figures(10),
                    "jinja2": Figures(failure="resources.a: missing", differs=True),
                },
                "100 resources": {"bpp": figures(1)},
            }
        )
    }
    line = found["1,000 resources: CPU / rjsonnet's"].line()
    assert line.endswith("0.80  at most 1 met, then at most 0.75 not met")
    line = found["1,000 resources: CPU / jinja2's"].line()
    assert line.endswith("not measured: jinja2: differs")
    assert found["CPU of 1,000 resources / of 100"].ratio == 8
    assert found["10,000 resources: CPU / rjsonnet's"].missing == "`10,000 resources` was not run"


LATER = {"Garden: environments"}
"""Each environment is compared with those before it."""
IDLE: dict[tuple[str, str], int] = {}
"""The calls that a command takes for files of no size, of each dialect."""


def dialect_of(shape: growth.Shape) -> str:
    title = shape.name.partition(":")[0]
    return title if title in ("Garden", "Kargo", "Landscaper") else ""


def rows() -> Iterator[tuple[growth.Shape, str]]:
    """Each shape with its first command, some with all of theirs; of some what is ordinary."""
    for shape in growth.shapes():
        some = dialect_of(shape) in ("Garden", "Landscaper")
        if some and shape.name not in growth.ORDINARY - LATER:
            continue
        count = len(shape.commands) if shape.name in EVERY else 1
        yield from ((shape, command) for command in shape.commands[:count])


def calls(folder: Path, files: dict[str, str], command: str) -> int:
    """How many calls of functions a command takes: a count that knows no noise."""
    arguments = growth.prepared(folder, files, command)
    profile = cProfile.Profile()
    done = profile.runcall(bpp_inside, folder, *arguments)
    assert done.returncode in (0, 1), done.stderr
    return sum(entry.callcount for entry in profile.getstats())


@interpreted
@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "command"),
    [pytest.param(*row, id=f"{row[1]} {row[0].name}") for row in rows()],
)
def test_calls_grow_as_the_input_does(tmp_path: Path, shape: growth.Shape, command: str) -> None:
    kind = command, dialect_of(shape)
    times = 2 if kind[1] == "Kargo" else 1  # a Stage is long: of few the number is no measure
    small, large = shape.make(times * SMALL), shape.make(times * LARGE)
    if kind not in IDLE:
        for name in ("imports", "nothing"):  # what is imported counts no more
            IDLE[kind] = calls(tmp_path / name, growth.nothing(shape), command)
    first = max(calls(tmp_path / "small", small, command) - IDLE[kind], FEW)
    last = calls(tmp_path / "large", large, command) - IDLE[kind]
    assert last < first * growth.times_larger(shape, small, large) ** growth.BOUND


@pytest.mark.parametrize(
    "name",
    [
        "network: a chunk of the size -1",
        "surroundings: a working directory that is gone",
        "secrets: given, the wrong type, in a line",
        "files: 1500 links, one to the next",
        "files, Garden: is there `l/maybe.env`",
        "cost: lists that double",
        "cost, Kargo: aliases of aliases",
        "cost, Kargo: a pattern that goes back",
    ],
)
def test_attacks_are_held(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.attacks import driver

    assert [attack.name for attack in driver.ATTACKS].count(name) == 1
    status = driver.main([name, "--only", "check" if "secrets" in name else "render"])
    assert status == 0, capsys.readouterr().out


def test_attacks_that_get_through_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.attacks import driver

    program = tmp_path / "bpp"
    program.write_text(
        "#!/bin/sh\n"
        "cat ../outside/canary.yaml | rev > found; echo here >> ../outside/canary.env\n"
        "echo $TOKEN; echo 'Traceback (most recent call last)' >&2\n"
        "echo x > app.yaml; exit 70\n"
    )
    program.chmod(0o755)
    name = "secrets: a default of the wrong type"
    assert driver.main([name, "--only", "eval", "--bpp", str(program)]) == 1
    said = capsys.readouterr().out
    for words in (
        "ended with status 70",
        "told a traceback",
        "changed what lies outside",
        "changed the input app.yaml",
        "told the secret in found (reversed)",
        "told the secret in output (raw)",
        "attacks on 2 commands: 2 got through, at 2",
    ):
        assert words in said
