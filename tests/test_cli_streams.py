"""Where the command writes, and what is left when it cannot: pipes, full disks, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from test_cli import BLUEPRINT, BPP, CHILD, PARENT, bpp

MANY = "version: 2023-04-20\nresources:\n" + "".join(
    f"  r{n}: {{type: a/b, spec: {{n: {n}}}}}\n" for n in range(5_000)
)
full_disk = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small blueprint, a large one, and an older output."""
    (tmp_path / "b.yaml").write_text(BLUEPRINT)
    (tmp_path / "many.yaml").write_text(MANY)
    (tmp_path / "parent.yaml").write_text(PARENT)
    (tmp_path / "child.yaml").write_text(CHILD)
    (tmp_path / "out.yaml").write_text("old\n")
    return tmp_path


def shell(folder: Path, line: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Runs a line of bash in which `bpp` is the command under test."""
    return subprocess.run(
        ["bash", "-c", f'bpp() {{ "{BPP}" "$@"; }}; {line}'],
        cwd=folder,
        env={**os.environ, "BPP_CACHE_DIR": str(folder / ".cache"), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("--var", "size=x"),
        ("--vars", "nosuch.yaml"),
        ("--state", "many.yaml"),
        ("--format", "toml"),
        ("--strict", "--var", "size=x"),
    ],
)
def test_a_failure_leaves_the_old_output(folder: Path, arguments: tuple[str, ...]) -> None:
    done = bpp(folder, "render", "b.yaml", "-o", "out.yaml", "--depfile", "out.d", *arguments)
    assert done.returncode != 0
    assert done.stdout == ""
    assert (folder / "out.yaml").read_text() == "old\n"
    assert not (folder / "out.d").exists()


def test_a_success_prints_nothing(folder: Path) -> None:
    done = bpp(folder, "render", "b.yaml", "-o", "out.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "out.yaml").read_text() != "old\n"
    assert not [name for name in os.listdir(folder) if "tmp" in name]


def test_a_blueprint_may_be_rendered_onto_itself(folder: Path) -> None:
    assert bpp(folder, "render", "parent.yaml", "-o", "parent.yaml").returncode == 0
    once = (folder / "parent.yaml").read_text()
    assert bpp(folder, "render", "parent.yaml").stdout == once


@pytest.mark.parametrize(
    "command", ["render many.yaml", "functions", "explain value_type_mismatch"]
)
def test_a_reader_that_stops_early_is_no_failure(folder: Path, command: str) -> None:
    done = shell(folder, f"set -o pipefail; bpp {command} | head -n 1 > /dev/null")
    assert (done.returncode, done.stderr) == (0, b"")


@full_disk
@pytest.mark.parametrize("target", ["> /dev/full", "-o /dev/full", "--split d > /dev/full"])
def test_a_full_disk_is_told(folder: Path, target: str) -> None:
    done = shell(folder, f"bpp render b.yaml {target}")
    if "--split" in target:
        assert done.returncode == 0
    else:
        assert done.returncode == 3
        assert b"internal error" not in done.stderr
        assert done.stderr.startswith(b"error")


@pytest.mark.parametrize(
    "line",
    [
        "bpp render b.yaml >&-",
        "bpp render - <&-",
        "bpp eval 1 >&-",
        "bpp stages >&-",
        "bpp functions >&-",
        "bpp render b.yaml --var size=x 2>&-",
        "bpp render b.yaml --var size=x >&- 2>&-",
    ],
)
def test_a_closed_stream_is_no_bug(folder: Path, line: str) -> None:
    done = shell(folder, line)
    assert done.returncode != 70, done.stderr
    assert b"internal error" not in done.stderr
    assert b"Traceback" not in done.stderr


def test_standard_input_is_named_as_such(folder: Path) -> None:
    done = shell(folder, "bpp render - <&-")
    assert done.returncode == 3
    assert b"/dev/stdin" not in done.stderr


def test_standard_input_is_read_for_one_thing(folder: Path) -> None:
    done = bpp(folder, "render", "-", "--vars", "-", text=BLUEPRINT)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_old_output(folder: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [BPP, "render", "-", "-o", "out.yaml"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"version: 2023-04-20\n")
        process.stdin.flush()
        time.sleep(0.8)
        process.send_signal(number)
        assert process.wait(10) in (128 + number, -number)
        assert b"Traceback" not in process.stderr.read()
    assert (folder / "out.yaml").read_text() == "old\n"


def test_a_depfile_names_what_was_read(folder: Path) -> None:
    (folder / "v a r.yaml").write_text("{}\n")
    done = bpp(
        folder, "render", "parent.yaml", "-o", "out.yaml", "--depfile", "d", "--vars", "v a r.yaml"
    )
    assert done.returncode == 0
    rule = (folder / "d").read_text().splitlines()[0]
    assert rule.startswith("out.yaml: ")
    assert {"parent.yaml", "child.yaml", "v\\ a\\ r.yaml"} <= set(
        rule.removeprefix("out.yaml: ")
        .replace("\\ ", "\0")
        .replace(" ", "\n")
        .replace("\0", "\\ ")
        .split("\n")
    )


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_the_locale_changes_no_byte(folder: Path, locale: str) -> None:
    (folder / "ü.yaml").write_text(
        "version: 2023-04-20\nresources: {a: {type: a/b, spec: {x: grüße}}}\n", "utf-8"
    )
    done = shell(folder, "bpp render ü.yaml", LC_ALL=locale, LANG=locale)
    assert done.returncode == 0, done.stderr
    assert "x: grüße\n".encode() in done.stdout
