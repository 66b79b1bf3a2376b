"""There is no global state: many threads at once do what one does after the other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, Event, Thread

import pytest
from bpp.functions import function
from bpp.pipeline import (
    Diagnostics,
    Limits,
    MemoryFiles,
    Settings,
    Source,
    check,
    evaluate,
    find_dialect,
    render,
)
from bpp.pipeline.testing import said, story
from bpp.pipeline.values import threads
from support.harness import Case, checks, discover, run
from support.tiny_dialect import TINY

THREADS = 8

CASES = [case for case in discover() if case.render][::3]
CHECKED = [case for case in discover() if not case.render][:20]

Job = Callable[[], str]


def _case(case: Case) -> Job:
    return lambda: story(run(case))


def _check(case: Case) -> Job:
    return lambda: said(checks(case))


def _own(number: int) -> Job:
    """A render with functions, settings and state of its own."""
    own = function(signature="own() -> integer")(lambda: number)
    settings = Settings(
        now=float(number),
        seed=number,
        strict=number % 2 == 0,
        secrets=("keep", "mask", "reveal")[number % 3],
        substr_end_exclusive=number % 2 == 0,
        limits=Limits(max_each=number, max_value_chars=1000 + number),
    )
    text = f"""\
version: 2025-11-02
variables:
  v: {{type: string}}
  p: {{type: string, secret: true}}
values:
  mine: {{type: integer, value: "${{own()}}"}}
  id: {{type: string, value: "${{uuid()}}"}}
  time: {{type: string, value: '${{datetime("rfc3339")}}'}}
  part: {{type: string, value: '${{substr(variables.v, 0, 2)}}'}}
  list: {{type: array, value: '${{jsondecode("[1, 2, 3, 4, 5]")}}'}}
resources:
  a: {{type: x/y, each: "${{values.list}}", spec: {{n: "${{values.mine}}-{number}", i: "${{i}}"}}}}
  b: {{type: x/y, spec: {{p: "${{variables.p}}", s: "${{resources.c.state.x}}", n: {number}}}}}
  c: {{type: x/y, spec: {{t: "${{values.time}} ${{values.id}} ${{values.part}}"}}}}
"""

    def job() -> str:
        outcome = render(
            Source(f"{number}.yaml", text, "yaml"),
            files=MemoryFiles({}),
            variables={"v": f"v{number}", "p": f"secret-{number}"},
            settings=settings,
            functions=[own],
            state={"resources": {"c": {"state": {"x": number}}}} if number % 2 else None,
        )
        return story(outcome)

    return job


def _tiny(number: int) -> Job:
    source = Source("t.yaml", f"let: {{n: {number}}}\na: <% n * 2 + m %>\nlater: [m]\n", "yaml")
    return lambda: story(render(source, files=MemoryFiles({}), dialect=TINY))


def _text(number: int) -> Job:
    return lambda: repr(
        evaluate(f'${{join(list("a", "{number}", values.v), "-")}}', {"values": {"v": "x"}})
    )


JOBS = [
    *map(_case, CASES),
    *map(_check, CHECKED),
    *[make(number) for number in range(1, 13) for make in (_own, _tiny, _text)],
]


def together(jobs: list[Job]) -> list[str]:
    """What the jobs answer when they run at once, in their order; all threads start together."""
    barrier = Barrier(THREADS)

    def first(job: Job) -> str:
        barrier.wait(timeout=60)
        return job()

    with ThreadPoolExecutor(THREADS) as pool:
        started = [pool.submit(first, job) for job in jobs[:THREADS]]
        rest = [pool.submit(job) for job in jobs[THREADS:]]
        return [future.result(timeout=300) for future in [*started, *rest]]


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("switching")
def test_many_threads_do_what_one_does() -> None:
    alone = [job() for job in JOBS]
    assert len(set(alone)) > len(alone) / 2
    assert together(JOBS) == alone
    assert together(JOBS[::-1]) == alone[::-1]


def test_what_is_loaded_late_is_loaded_once() -> None:
    """A fresh interpreter in which the first renders of all are made at once."""
    program = (
        "import sys\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from bpp.pipeline import MemoryFiles, Source, render\n"
        "sys.setswitchinterval(1e-6)\n"
        "text = '''version: 2025-11-02\n"
        'values: {a: {type: string, value: "${join(list(to_upper(\\\\"%d\\\\")), \\\\"-\\\\")}"}}\n'
        "resources: {r: {type: x/y, spec: {a: \"${values.a}\"}}}\n'''\n"
        "def job(n):\n"
        "    run = render(Source('a.yaml', text % n, 'yaml'), files=MemoryFiles({}))\n"
        "    return run.document.section('values').get('a').get('value').value\n"
        "with ThreadPoolExecutor(8) as pool:\n"
        "    print(list(pool.map(job, range(24))) == [str(n) for n in range(24)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("True\n", "")


@pytest.mark.usefixtures("switching")
def test_a_source_and_a_pipeline_can_be_shared() -> None:
    """Values are never changed, so threads may share them."""
    case = next(case for case in CASES if not case.errors)
    source = Source("a.yaml", (case.folder / case.main).read_text("utf-8"), "yaml")
    pipeline = find_dialect("bluelink").pipeline

    def job() -> str:
        found = Diagnostics()
        found.extend(check(source, files=MemoryFiles({})))
        outcome = render(source, files=MemoryFiles({}), pipeline=pipeline)
        return said(found) + story(outcome)

    assert len(set(together([job] * 40))) == 1


def test_without_threads_what_is_too_deep_is_out_of_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none() -> object:
        raise RuntimeError("can't start new thread")

    def deep(left: int) -> int:
        return threads.in_a_thread(lambda: deep(left - 1)) if left else 0

    monkeypatch.setattr(threads, "_Room", none)
    monkeypatch.setattr(threads, "_rooms", [])
    assert deep(9) == 0
    with pytest.raises(MemoryError):
        deep(sys.getrecursionlimit())


def test_only_a_thread_that_runs_is_interrupted() -> None:
    wait = Event()
    waiting = Thread(target=wait.wait, daemon=True)

    def work() -> None:
        number = 0
        with suppress(SystemExit):
            while True:
                number = (number + 1) % 7

    working = Thread(target=work, daemon=True)
    for thread in (waiting, working):
        thread.start()
        threads.interrupt(thread)
    working.join(10)
    assert not working.is_alive()
    wait.set()
    waiting.join(10)
    assert not waiting.is_alive()
