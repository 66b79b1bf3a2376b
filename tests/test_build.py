"""`bpp build` as users run it: processes killed, side by side, watched, with broken caches."""

from __future__ import annotations

import io
import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bpp.pipeline import Surroundings, build_targets, load_configuration
from bpp.pipeline.building import freshness, workers
from bpp.pipeline.building.freshness import Index
from bpp.pipeline.building.store import Store
from bpp.pipeline.building.target import Outcome
from bpp.pipeline.cli import quick
from bpp.pipeline.engine.options import Options
from support.in_process import bpp_inside

pytestmark = pytest.mark.slow

SCRIPT = Path(sys.executable).with_name("bpp")

BLUEPRINT = """\
version: 2023-04-20
variables:
  env: {type: string}
  team: {type: string}
  password: {type: string, secret: true}
resources:
  db:
    type: aws/rds/instance
    spec:
      name: ${variables.team}-${variables.env}
      url: postgres://app:${variables.password}@db
"""

CONFIGURATION = """\
[defaults]
blueprint = "app.yaml"
vars = ["common.yaml"]
[targets.api]
output = "out/{env}-{region}.yaml"
matrix = {env = ["staging", "prod"], region = ["eu", "us"]}
variables = {env = "{env}"}
[targets.web]
output = "out/web.json"
depfile = "out/web.d"
source-map = "out/web.map"
variables = {env = "web"}
"""

NAMES = ["prod-eu.yaml", "prod-us.yaml", "staging-eu.yaml", "staging-us.yaml", "web.json"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "app.yaml").write_text(BLUEPRINT)
    (folder / "common.yaml").write_text("team: blue\npassword: hunter2\n")
    (folder / "bpp.toml").write_text(CONFIGURATION)
    return folder


def environment(folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "SOURCE_DATE", "GITHUB"))
    }
    return {**kept, "BPP_CACHE_DIR": str(folder.parent / "cache"), "NO_COLOR": "1", **more}


def start(folder: Path, *arguments: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SCRIPT, "build", *arguments],
        cwd=folder,
        env=environment(folder, more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def build_process(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    with start(folder, *arguments, **more) as process:
        out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def build(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A build without a process of its own, but for those of its workers."""
    kept = {"BPP_CACHE_DIR": str(folder.parent / "cache"), "NO_COLOR": "1", **more}
    done = bpp_inside(folder, "build", *arguments, env=kept)
    assert "Traceback" not in done.stderr
    return done


def counts(done: subprocess.CompletedProcess[str]) -> tuple[int, ...]:
    """Rendered, unchanged and failed, of the line that sums up."""
    assert done.stderr == "", done.stderr
    return figures(done.stdout)


def figures(text: str) -> tuple[int, ...]:
    found = re.search(r"(\d+) rendered, (\d+) unchanged, (\d+) failed in [\d.]+ s\n\Z", text)
    assert found, text
    return tuple(map(int, found.groups()))


def outputs(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in sorted((folder / "out").glob("*[!dp]"))}


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "too late"
        time.sleep(0.05)


# --- what is done -------------------------------------------------------------------------------


def test_targets_are_rendered_once(project: Path) -> None:
    assert counts(build(project)) == (5, 0, 0)
    assert list(outputs(project)) == NAMES
    assert "name: blue-prod" in outputs(project)["prod-us.yaml"]
    assert json.loads(outputs(project)["web.json"])["resources"]["db"]["spec"] == {
        "name": "blue-web",
        "url": "postgres://app:${variables.password}@db",
    }
    rule = (project / "out" / "web.d").read_text()
    assert rule.startswith("out/web.json: app.yaml common.yaml bpp.toml\n")
    before = {file: file.stat().st_mtime_ns for file in (project / "out").iterdir()}
    assert counts(build(project)) == (0, 5, 0)
    assert counts(build(project, "--no-cache")) == (5, 0, 0)
    assert before == {file: file.stat().st_mtime_ns for file in (project / "out").iterdir()}


def test_only_what_is_asked_for(project: Path) -> None:
    assert counts(build(project, "api[env=prod]")) == (2, 0, 0)
    assert list(outputs(project)) == ["prod-eu.yaml", "prod-us.yaml"]
    done = build(project, "wep")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: unknown target `wep` (did you mean `web`?)\n"


def test_a_configuration_above_and_names_from_here(project: Path) -> None:
    inner = project / "a"
    inner.mkdir()
    edit(project / "app.yaml", "variables.team", "variables.teem")
    done = build(inner)
    assert done.returncode == 1
    assert f"--> {project / 'app.yaml'}:10:15" in done.stderr
    done = build(inner, "--config", "../bpp.toml", "--diagnostics", "json")
    assert {item["file"] for item in json.loads(done.stderr)["diagnostics"]} == {
        str(project / "app.yaml")
    }


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("app.yaml", "aws/rds", "aws/rds2", (5, 0, 0)),
        ("common.yaml", "blue", "red", (5, 0, 0)),
        ("common.yaml", "hunter2", "hunter3", (5, 0, 0)),
        ("bpp.toml", 'env = "web"', 'env = "wob"', (1, 4, 0)),
        ("bpp.toml", "[defaults]", "[defaults]\nseed = 1", (5, 0, 0)),
        ("bpp.toml", "[defaults]", "# a remark\n[defaults]", (0, 5, 0)),
        ("bpp.toml", '"prod"]', '"test"]', (2, 3, 0)),
    ],
)
def test_what_changes_what(
    project: Path, file: str, old: str, new: str, expected: tuple[int, ...]
) -> None:
    build(project)
    edit(project / file, old, new)
    assert counts(build(project)) == expected
    assert counts(build(project)) == (0, 5, 0)


def test_a_change_that_keeps_size_and_time_is_seen(project: Path) -> None:
    build(project)
    file = project / "common.yaml"
    status = file.stat()
    edit(file, "blue", "grey")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert counts(build(project)) == (5, 0, 0)
    assert "grey-prod" in outputs(project)["prod-eu.yaml"]


def test_a_build_with_nothing_to_do_reads_no_toml(project: Path) -> None:
    def parses(*arguments: str) -> bool:
        done = build_process(project, *arguments, PYTHONPROFILEIMPORTTIME="1")
        assert done.returncode == 0
        return "tomllib" in done.stderr

    assert parses()
    assert not parses()
    assert not parses("--check")
    assert not parses("api[env=prod]", "web")
    assert parses("--diagnostics", "json")
    edit(project / "bpp.toml", "[defaults]", "[defaults]\n")
    assert parses()
    assert not parses()
    (project / "out" / "web.json").unlink()
    assert parses("web")
    assert not parses()


@pytest.mark.parametrize("arguments", [(), ("web",), ("api",), ("api[region=eu]", "web")])
def test_a_build_with_nothing_to_do_says_the_same_as_others(
    project: Path, arguments: tuple[str, ...]
) -> None:
    build(project)
    around = Surroundings(cache=str(project.parent / "cache" / "builds"))
    whole = build_targets(project / "bpp.toml", targets=arguments, around=around)
    assert counts(build(project, *arguments)) == (0, whole.count("unchanged"), 0)
    checked = build(project, "--check", *arguments)
    wanted = f"0 differ, {len(whole.results)} up to date, 0 failed in "
    assert checked.stdout.startswith(wanted)
    done = build(project, *arguments, "api[env=dev]")
    axes = "the axes of `api` are `env`: staging, prod; `region`: eu, us"
    assert done.stderr == f"error: unknown target `api[env=dev]` ({axes})\n"


def test_targets_are_remembered_for_one_version_of_bpp(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(project)
    content = (project / "bpp.toml").read_bytes()

    def knows() -> bool:
        around = Surroundings(cache=str(project.parent / "cache" / "builds"))
        assert around.cache is not None
        return Index(Store(around.cache), around, str(project / "bpp.toml")).knows(content)

    assert knows()
    monkeypatch.setattr(freshness, "VERSION", "9")
    assert not knows()


def test_targets_that_are_not_those_of_the_file_are_not_remembered(project: Path) -> None:
    around = Surroundings(cache=str(project.parent / "cache" / "builds"))
    loaded = load_configuration(project / "bpp.toml")
    build_targets(loaded.evolve(targets=loaded.targets[:1]), around=around)
    assert counts(build(project)) == (4, 1, 0)
    assert counts(build(project)) == (0, 5, 0)
    build_targets(loaded.evolve(targets=loaded.targets[:1]), around=around)
    assert counts(build(project)) == (0, 5, 0)


def test_the_environment_counts_where_it_is_declared(project: Path) -> None:
    edit(project / "common.yaml", "team: blue\n", "")
    assert counts(build(project, BPP_VAR_team="a")) == (5, 0, 0)
    assert counts(build(project, BPP_VAR_team="a", BPP_VAR_other="x")) == (0, 5, 0)
    assert counts(build(project, BPP_VAR_team="b")) == (5, 0, 0)
    assert "b-prod" in outputs(project)["prod-eu.yaml"]


def test_what_is_lost_or_changed_by_hand_is_put_right(project: Path) -> None:
    build(project)
    want = outputs(project)
    (project / "out" / "web.json").unlink()
    edit(project / "out" / "prod-eu.yaml", "blue", "mine")
    done = build(project)
    assert "0 rendered, 2 from the cache, 3 unchanged" in done.stdout
    assert outputs(project) == want


def test_going_back_needs_no_rendering(project: Path) -> None:
    build(project)
    want = outputs(project)
    edit(project / "common.yaml", "blue", "red")
    build(project)
    edit(project / "common.yaml", "red", "blue")
    assert "0 rendered, 5 from the cache" in build(project).stdout
    assert outputs(project) == want


def test_warnings_are_told_again(project: Path) -> None:
    edit(project / "bpp.toml", 'env = "web"', 'env = "web", tean = "x"')
    first, second = build(project), build(project)
    assert "warning[undeclared_variable]: `bpp.toml` gives a value to `tean`" in first.stderr
    assert "--> bpp.toml:12:34" in first.stderr
    assert first.stderr == second.stderr
    assert "0 rendered, 5 unchanged" in second.stdout


def test_clock_and_chance_are_asked_every_time(project: Path) -> None:
    edit(project / "app.yaml", "name: ${variables.team}", "name: ${uuid()}-${variables.team}")
    assert counts(build(project)) == (5, 0, 0)
    first = outputs(project)
    assert counts(build(project)) == (5, 0, 0)
    assert all(first[name] != text for name, text in outputs(project).items() if name != "web.map")
    done = build(project, "--check", "web")
    assert done.returncode == 1
    assert "the output depends on random numbers" in done.stdout
    edit(project / "bpp.toml", "[defaults]", "[defaults]\nseed = 7")
    build(project)
    assert counts(build(project)) == (0, 5, 0)


def test_a_failure_leaves_the_old_output(project: Path) -> None:
    build(project)
    want = outputs(project)
    edit(project / "app.yaml", "variables.env}", "variables.enw}")
    done = build(project)
    assert done.returncode == 1
    assert figures(done.stdout) == (0, 0, 5)
    # one text for all that share it
    assert done.stderr.count("error[") == 1
    assert done.stderr.startswith("targets api[env=staging,region=eu], ")
    assert outputs(project) == want
    edit(project / "app.yaml", "variables.enw}", "variables.env}")
    assert counts(build(project)) == (0, 5, 0)


def test_targets_that_read_what_others_write(project: Path) -> None:
    (project / "bpp.toml").write_text(
        '[targets.last]\nblueprint = "two.yaml"\noutput = "three.yaml"\n'
        '[targets.middle]\nblueprint = "one.yaml"\noutput = "two.yaml"\n'
        '[targets.first]\nblueprint = "app.yaml"\noutput = "one.yaml"\n'
        'vars = ["common.yaml"]\nvariables = {env = "x"}\n'
    )
    assert figures(build(project, "-j", "3").stdout) == (3, 0, 0)
    assert "name: blue-x" in (project / "three.yaml").read_text()
    edit(project / "common.yaml", "blue", "red")
    assert counts(build(project)) == (3, 0, 0)
    assert "name: red-x" in (project / "three.yaml").read_text()
    assert counts(build(project)) == (0, 3, 0)


def test_targets_that_never_settle(project: Path) -> None:
    for name, other in ("ab", "ba"):
        (project / f"{name}.yaml").write_text(
            "version: 2023-04-20\nresources: {}\nvalues:\n"
            f'  v: {{type: string, value: "${{file(\\"out/{other}.yaml\\")}}"}}\n'
        )
    (project / "out").mkdir()
    (project / "out" / "b.yaml").write_text("x")
    (project / "bpp.toml").write_text(
        '[defaults]\noutput = "out/{target}.yaml"\n'
        '[targets.a]\nblueprint = "a.yaml"\n[targets.b]\nblueprint = "b.yaml"\n'
    )
    done = build(project)
    assert done.returncode == 1
    assert "error[target_cycle]" in done.stderr


# --- checks -------------------------------------------------------------------------------------


def test_a_check_writes_nothing_and_tells_differences(project: Path) -> None:
    done = build(project, "--check")
    assert (done.returncode, done.stderr) == (1, "")
    assert "web: out/web.json\n  the file does not exist\n" in done.stdout
    assert sorted(file.name for file in project.iterdir()) == [
        "app.yaml",
        "bpp.toml",
        "common.yaml",
    ]
    build(project)
    assert build(project, "--check").returncode == 0
    edit(project / "out" / "prod-eu.yaml", "blue-prod", "red-prod")
    edit(project / "out" / "prod-us.yaml", "resources:", "# mine\nresources:")
    (project / "out" / "web.json").write_text("{")
    before = {file: file.read_bytes() for file in project.parent.rglob("*") if file.is_file()}
    done = build(project, "--check")
    assert done.returncode == 1
    lines = done.stdout.splitlines()[:-1]
    assert lines == [
        "api[env=prod,region=eu]: out/prod-eu.yaml",
        '  ~ resources.db.spec.name: "red-prod" -> "blue-prod"',
        "api[env=prod,region=us]: out/prod-us.yaml",
        "  the data is the same, but it is formatted differently",
        "web: out/web.json",
        "  the file cannot be read as a blueprint",
    ]
    after = {file: file.read_bytes() for file in project.parent.rglob("*") if file.is_file()}
    assert after == before


def test_a_check_shows_no_secret(project: Path) -> None:
    build(project)
    edit(project / "out" / "prod-eu.yaml", "${variables.password}", "hunter2")
    done = build(project, "--check")
    assert done.returncode == 1
    assert "resources.db.spec.url" in done.stdout
    assert "hunter2" not in done.stdout + done.stderr


# --- mistakes -----------------------------------------------------------------------------------


def test_statuses(project: Path) -> None:
    assert build(project, "--config", "no.toml").returncode == 3
    assert build(project.parent).returncode == 2
    for wrong in (["--jobs", "0"], ["--jobs", "x"], ["--watch", "--check"], ["--color", "blue"]):
        done = build(project, *wrong)
        assert (done.returncode, done.stdout) == (2, "")
    (project / "common.yaml").unlink()
    assert build(project).returncode == 3
    (project / "bpp.toml").write_text("[targets.a]\nx = 1\n")
    done = build(project)
    assert (done.returncode, done.stdout) == (1, "")


def test_lines_with_variables_are_not_shown(project: Path) -> None:
    edit(project / "bpp.toml", 'env = "web"', 'env = 12345, password = ["hunter2"]')
    done = build(project)
    assert "--> bpp.toml:12:38" in done.stderr
    edit(project / "bpp.toml", '["hunter2"]', '"hunter2"')
    done = build(project)
    assert "--> bpp.toml:12:20" in done.stderr
    assert "hunter2" not in done.stderr
    assert "12345" not in done.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only(project: Path) -> None:
    (project / "out").mkdir(mode=0o555)
    done = build(project)
    assert done.returncode == 3
    assert "error[file_unwritable]" in done.stderr


def test_an_output_that_cannot_be_written(project: Path) -> None:
    (project / "out").write_text("a file")
    done = build(project)
    assert done.returncode == 3
    assert done.stderr.count("error[file_unwritable]") == 1
    (project / "out").unlink()
    assert counts(build(project)) == (5, 0, 0)


def test_a_child_is_never_replaced(project: Path) -> None:
    (project / "child.yaml").write_text("version: 2023-04-20\nresources: {}\n")
    edit(project / "app.yaml", "resources:", "include:\n  c: {path: child.yaml}\nresources:")
    edit(project / "bpp.toml", "out/web.json", "child.yaml")
    done = build(project, "web")
    assert done.returncode == 1
    assert "error[duplicate_output]: `child.yaml` would be replaced" in done.stderr
    assert (project / "child.yaml").read_text() == "version: 2023-04-20\nresources: {}\n"


# --- the cache ----------------------------------------------------------------------------------


def cached(folder: Path) -> list[Path]:
    return [file for file in (folder.parent / "cache" / "builds").rglob("*") if file.is_file()]


def test_no_secret_is_in_the_cache(project: Path) -> None:
    edit(project / "bpp.toml", "[defaults]", '[defaults]\nvariables = {password = "inline-pw"}')
    build(project, BPP_VAR_team="environment-pw")
    files = cached(project)
    assert len(files) > 6
    for file in files:
        data = file.read_bytes()
        assert not any(word in data for word in (b"hunter2", b"inline-pw", b"environment-pw"))
        if os.name == "posix":
            assert file.stat().st_mode & 0o777 == 0o600


def test_a_damaged_cache_is_none(project: Path) -> None:
    build(project)
    want = outputs(project)
    chance = random.Random(1)
    for _ in range(6):
        for file in cached(project):
            data = bytearray(file.read_bytes()) or bytearray(1)
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            file.write_bytes(data[: chance.choice([len(data), chance.randrange(len(data))])])
        (project / "out" / "web.json").unlink()
        done = build(project)
        assert (done.returncode, done.stderr) == (0, "")
        assert outputs(project) == want


def test_a_cache_that_cannot_be_used_is_none(project: Path) -> None:
    (project.parent / "cache").write_text("in the way")
    assert counts(build(project)) == (5, 0, 0)
    assert counts(build(project)) == (5, 0, 0)


def test_data_of_another_shape_is_not_trusted(project: Path) -> None:
    build(project)
    store = Store(str(project.parent / "cache" / "builds"))
    path = str(project / "bpp.toml")
    index = store.load_index(path)
    assert len(index["targets"]) == 5
    for strange in (None, 1, [], {}, {"inputs": {}}, {**index["targets"]["web"], "inputs": 5}):
        store.save_index(path, {**index, "targets": dict.fromkeys(index["targets"], strange)})
        assert counts(build(project)) == (5, 0, 0)
    index["targets"]["web"]["warnings"] = [[]]
    store.save_index(path, index)
    assert counts(build(project)) == (1, 4, 0)
    store.save_index(path, {"targets": 5})
    assert counts(build(project)) == (5, 0, 0)


# --- processes ----------------------------------------------------------------------------------


def many(folder: Path, count: int) -> None:
    numbers = ", ".join(map(str, range(count)))
    (folder / "bpp.toml").write_text(
        '[targets.t]\nblueprint = "app.yaml"\noutput = "out/{n}.yaml"\nvars = ["common.yaml"]\n'
        f'matrix.n = [{numbers}]\nvariables = {{env = "e{{n}}"}}\n'
    )


def test_workers_give_what_one_process_gives(project: Path) -> None:
    many(project, 30)
    assert counts(build(project, "--jobs", "1")) == (30, 0, 0)
    want = outputs(project)
    assert counts(build(project, "--jobs", "3", "--no-cache")) == (30, 0, 0)
    for file in (project / "out").iterdir():
        file.unlink()
    assert counts(build(project, "--jobs", "3", "--no-cache")) == (30, 0, 0)
    assert outputs(project) == want


def test_modules_beside_blueprints_are_not_imported(project: Path) -> None:
    many(project, 4)
    for name in ("json", "pickle", "bpp", "signal"):
        (project / f"{name}.py").write_text("raise SystemExit('imported')")
    assert counts(build(project, "--jobs", "2")) == (4, 0, 0)


def test_a_script_needs_no_guard(project: Path) -> None:
    many(project, 4)
    script = project / "script.py"
    script.write_text(
        "from bpp.pipeline import build_targets\n"
        f"print(build_targets({str(project / 'bpp.toml')!r}, jobs=2).count('rendered'))\n"
    )
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("4\n", "")


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_killed_build_breaks_nothing(project: Path) -> None:
    many(project, 150)
    build(project, "--no-cache")
    want = outputs(project)
    for file in (project / "out").iterdir():
        file.unlink()
    seen = set()
    for round_ in range(4):
        process = start(project, "--jobs", "2")
        until = len(list((project / "out").iterdir())) + 10 + 15 * round_
        wait_until(
            lambda until=until, process=process: (
                len(list((project / "out").glob("*.yaml"))) >= min(until, 150)
                or process.poll() is not None
            )
        )
        process.kill()
        process.communicate()
        found = {f.name: f.read_text() for f in (project / "out").glob("*.yaml")}
        assert found == {name: want[name] for name in found}
        seen.add(len(found))
    assert min(seen) < 150
    done = build(project)
    assert (done.returncode, done.stderr) == (0, "")
    assert outputs(project) == want
    assert counts(build(project)) == (0, 150, 0)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_stays_behind(project: Path, number: signal.Signals) -> None:
    many(project, 400)
    process = start(project, "--jobs", "2", "--no-cache")
    wait_until(lambda: len(list((project / "out").glob("*"))) > 5)
    workers = children(process)
    assert len(workers) == 2
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (out, err) == ("", "")
    assert process.returncode == {9: -9, 15: 143, 2: 130}[number]
    wait_until(lambda: not any(_runs(worker) for worker in workers))


def children(process: subprocess.Popen[str]) -> list[str]:
    """The processes that a process has started, in any of its threads."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    return [child for thread in threads for child in thread.read_text().split()]


def _runs(worker: str) -> bool:
    try:
        return Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes")
def test_a_lost_worker_is_told_and_replaced(project: Path) -> None:
    many(project, 300)
    process = start(project, "--jobs", "2")
    wait_until(lambda: len(list((project / "out").glob("*"))) > 5)
    workers = children(process)
    os.kill(int(workers[0]), signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert figures(out) == (299, 0, 1)
    assert "error[worker_failed]" in err
    assert "it ended with signal 9" in err
    assert counts(build(project)) == (1, 299, 0)


class _Strange:
    def __reduce__(self) -> tuple[object, ...]:
        return len, ()


def test_an_answer_that_cannot_be_loaded_is_a_lost_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(*_: object) -> object:
        said = io.BytesIO(pickle.dumps(workers.READY) + pickle.dumps(_Strange()))
        return SimpleNamespace(
            stdin=io.BytesIO(), stdout=said, wait=lambda _=0: 0, poll=lambda: 0, kill=lambda: None
        )

    monkeypatch.setattr(workers, "start_python", started)
    task: Any = SimpleNamespace(target=SimpleNamespace(name="a"))
    (outcome,) = workers.Workers(1, None).outcomes([task])
    assert isinstance(outcome, Outcome)
    assert [item.code for item in outcome.result.diagnostics] == ["worker_failed"]


def test_builds_side_by_side(project: Path) -> None:
    many(project, 60)
    running = [start(project, "--jobs", "2") for _ in range(3)]
    for process in running:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert figures(out)[2] == 0
    want = outputs(project)
    assert len(want) == 60
    assert counts(build(project)) == (0, 60, 0)
    assert counts(build(project, "--no-cache")) == (60, 0, 0)
    assert outputs(project) == want


# --- watching -----------------------------------------------------------------------------------


class Watcher:
    """A build that watches, and what it has said so far."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = start(folder, "--watch", *arguments)
        self.text = ""
        for stream in (self.process.stdout, self.process.stderr):
            threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: object) -> None:
        for line in stream:  # type: ignore[attr-defined]
            self.text += line

    def expect(self, words: str) -> None:
        """Waits until it says something new."""
        wait_until(lambda: words in self.text)
        self.text = ""
        time.sleep(0.1)


@pytest.mark.parametrize("arguments", [(), ("--no-cache",)])
def test_watching(project: Path, arguments: tuple[str, ...]) -> None:
    (project / "child.yaml").write_text("version: 2023-04-20\nresources: {}\n")
    (project / "other.yaml").write_text(
        "version: 2023-04-20\ninclude:\n  c: {path: child.yaml}\nresources: {}\n"
    )
    with (project / "bpp.toml").open("a") as file:
        file.write('[targets.other]\nblueprint = "other.yaml"\noutput = "o.yaml"\nvars = []\n')
    edit(project / "bpp.toml", 'vars = ["common.yaml"]\n', "")
    edit(project / "bpp.toml", "[targets.web]\n", '[targets.web]\nvars = ["common.yaml"]\n')
    edit(project / "bpp.toml", "[targets.api]\n", '[targets.api]\nvars = ["common.yaml"]\n')
    watcher = Watcher(project, *arguments)
    try:
        watcher.expect("6 rendered, 0 unchanged, 0 failed")
        edit(project / "common.yaml", "blue", "red")
        watcher.expect("5 rendered, 0 unchanged, 0 failed")
        (project / "child.yaml").write_text("version: 2023-04-20\nresources: {x: 1}\n")
        watcher.expect("0 rendered, 0 unchanged, 1 failed")
        (project / "child.yaml").write_text("version: 2023-04-20\nresources: {} #\n")
        watcher.expect("1 rendered, 0 unchanged, 0 failed")
        edit(project / "bpp.toml", "[defaults]", "[defaults")
        watcher.expect("error[invalid_configuration]")
        edit(project / "bpp.toml", "[defaults", "[defaults]\nsecrets = 'mask'\n#")
        watcher.expect("6 rendered, 0 unchanged, 0 failed")
        assert "postgres://app:(secret)@db" in outputs(project)["prod-eu.yaml"]
        (project / "common.yaml").unlink()
        watcher.expect("0 rendered, 0 unchanged, 5 failed")
        assert watcher.process.poll() is None
        if os.name == "posix":
            watcher.process.send_signal(signal.SIGINT)
            assert watcher.process.wait(10) == 130
    finally:
        watcher.process.kill()
        watcher.process.wait()
    assert "Traceback" not in watcher.text


# --- the library --------------------------------------------------------------------------------


def test_the_public_functions(project: Path) -> None:
    configuration = load_configuration(project / "bpp.toml")
    result = build_targets(configuration, targets=["web"], jobs=1)
    assert result.ok
    [web] = result.results
    assert (web.status, web.changed, web.target.name) == ("rendered", True, "web")
    assert sorted(web.reads) == [str(project / "app.yaml"), str(project / "common.yaml")]
    assert not (project / "out" / "prod-eu.yaml").exists()
    around = Surroundings(cache=str(project.parent / "own"))
    assert build_targets(configuration, around=around).count("rendered") == 5
    assert build_targets(configuration, around=around).count("unchanged") == 5
    edit(project / "out" / "web.json", "blue", "red")
    checked = build_targets(project / "bpp.toml", check=True, around=around)
    assert not checked.ok
    [differing] = [one for one in checked.results if not one.ok]
    assert [item.where for item in differing.differences] == ["resources.db.spec.name"]
    with pytest.raises(ValueError, match="at least one job"):
        build_targets(configuration, jobs=0)


def test_progress_is_told(project: Path) -> None:
    told: list[tuple[int, int, str]] = []
    build_targets(project / "bpp.toml", progress=lambda *what: told.append(what))
    assert told[0] == (0, 5, "api[env=staging,region=eu]")
    assert {total for _, total, _ in told} == {5}


# --- the command line ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("build", {"targets": ()}),
        ("build a b[c=d]", {"targets": ("a", "b[c=d]")}),
        ("build -j 2 a --check", {"targets": ("a",), "jobs": "2", "check": True}),
        ("build --config=x --no-cache", {"targets": (), "config": "x", "no_cache": True}),
        ("build --help", None),
        ("build --check=yes", None),
        ("build --config", None),
    ],
)
def test_command_lines(line: str, expected: dict[str, object] | None) -> None:
    found = quick.quick_options(line.split())
    assert found == (None if expected is None else Options(**expected))


# --- what would be done, and what was -----------------------------------------------------------


def test_targets_are_listed_and_nothing_is_made(project: Path) -> None:
    done = build(project, "--list", "api")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split() for line in done.stdout.splitlines()] == [
        [f"api[env={env},region={region}]", "app.yaml", "->", f"out/{env}-{region}.yaml"]
        for env in ("staging", "prod")
        for region in ("eu", "us")
    ]
    assert build(project, "--dry-run").stdout.endswith("\n5 to render, 0 unchanged\n")
    assert not (project / "out").exists()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda folder: None, ""),
        (lambda folder: edit(folder / "common.yaml", "blue", "red"), "`common.yaml` changed"),
        (lambda folder: (folder / "common.yaml").unlink(), "`common.yaml` does not exist"),
        (
            lambda folder: edit(folder / "out" / "web.json", "web", "wob"),
            "`out/web.json` changed",
        ),
        (lambda folder: (folder / "out" / "web.map").unlink(), "`out/web.map` does not exist"),
        (
            lambda folder: edit(folder / "bpp.toml", '{env = "web"}', '{env = "wob"}'),
            "its options or variables, the environment or bpp changed",
        ),
    ],
)
def test_a_build_says_why(project: Path, change: Callable[[Path], None], why: str) -> None:
    assert "rendered: no earlier result is known" in build(project, "web", "-v").stdout
    change(project)
    planned = build(project, "web", "--dry-run").stdout.splitlines()
    assert planned == ([f"web  {why}", "1 to render, 0 unchanged"] if why else planned)
    assert planned[-1] == f"{int(bool(why))} to render, {int(not why)} unchanged"
    line = build(project, "web", "--verbose").stdout.splitlines()[0]
    assert line.startswith("web  ") and line.endswith(why or "unchanged")


def test_a_failure_stops_a_build_that_is_told_to(project: Path) -> None:
    (project / "bpp.toml").write_text(CONFIGURATION.replace("[targets.api]", BROKEN))
    fast = build(project, "--fail-fast", "--jobs", "1")
    assert "0 rendered, 0 unchanged, 1 failed, 5 not tried" in fast.stdout
    slow = build(project, "--keep-going", "--jobs", "1")
    assert "5 rendered, 0 unchanged, 1 failed in" in slow.stdout
    assert (fast.returncode, slow.returncode) == (3, 3)


BROKEN = """\
[targets.first]
blueprint = "nosuch.yaml"
output = "out/first.yaml"
[targets.api]"""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("api[env=qa]",), "the axes of `api` are `env`: staging, prod; `region`: eu, us"),
        (("api[stage=prod]",), "the axes of `api` are `env`: staging, prod; `region`: eu, us"),
        (("wep",), "did you mean `web`?"),
        (("--list", "wep"), "did you mean `web`?"),
        (("--list", "--check"), "--check cannot be combined with --list"),
        (("--watch", "--dry-run"), "--watch cannot be combined with --dry-run"),
        (("--fail-fast", "--keep-going"), "--fail-fast cannot be combined with --keep-going"),
    ],
)
def test_what_cannot_be_built_is_told(
    project: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = build(project, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
