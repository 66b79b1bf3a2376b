"""Where the command writes, and what is left when it cannot: pipes, full disks, signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.in_process import bpp_inside as bpp
from support.rows import hold
from test_cli import BLUEPRINT, BPP, CHILD, PARENT

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


SAME = "ln -s {0} l; ln {0} h; ln -s . f"


@pytest.mark.parametrize("read", ["parent.yaml", "child.yaml", "v.yaml", "s.yaml"])
@pytest.mark.parametrize("command", ["render", "graph", "lock"])
def test_no_output_replaces_what_was_read(folder: Path, command: str, read: str) -> None:
    (folder / "x").mkdir()
    (folder / "v.yaml").write_text("{}")
    (folder / "s.yaml").write_text("{}")
    subprocess.run(["bash", "-c", SAME.format(read)], cwd=folder, check=True)
    before = (folder / read).read_bytes()
    more = ("--format", "dot") if command == "graph" else ()

    def is_refused(name: str) -> None:
        line = (command, "parent.yaml", *more, "--vars", "v.yaml", "--state", "s.yaml")
        done = bpp(folder, *line, "-o", name)
        assert done.returncode in (2, 3), done.stderr
        assert "would replace" in done.stderr or "which was read" in done.stderr
        assert (folder / read).read_bytes() == before

    hold([read, f"./x/../{read}", "l", "h", f"f/{read}", str(folder / read)], is_refused)


@pytest.mark.parametrize("option", ["--depfile", "--source-map"])
def test_no_file_beside_the_output_replaces_what_was_read(folder: Path, option: str) -> None:
    before = (folder / "child.yaml").read_bytes()
    done = shell(folder, f"bpp render parent.yaml -o new.yaml {option} child.yaml")
    assert (done.returncode, b"`child.yaml`, which was read" in done.stderr) == (3, True)
    assert (folder / "child.yaml").read_bytes() == before
    assert not (folder / "new.yaml").exists()


def test_standard_input_is_not_replaced_by_what_is_made_of_it(folder: Path) -> None:
    before = (folder / "b.yaml").read_bytes()
    done = shell(folder, "bpp render - -o b.yaml < b.yaml")
    assert (done.returncode, done.stderr) == (2, b"error: --output would replace `-`\n")
    assert (folder / "b.yaml").read_bytes() == before


def test_a_build_does_not_replace_what_it_reads(folder: Path) -> None:
    before = (folder / "child.yaml").read_bytes()
    (folder / "bpp.toml").write_text('[targets.a]\nblueprint = "parent.yaml"\noutput = "h"\n')
    done = shell(folder, f"{SAME.format('child.yaml')}; bpp build")
    assert done.returncode in (1, 3), done.stderr
    assert b"the target reads it" in done.stderr
    assert (folder / "child.yaml").read_bytes() == (folder / "h").read_bytes() == before


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


# --- readers that leave, limits, signals --------------------------------------------------------


def without_reader(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Runs the command with a standard output that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [BPP, *arguments],
            cwd=folder,
            env={**os.environ, "BPP_CACHE_DIR": str(folder / ".cache")},
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("render", "b.yaml", "--source-map", "map.json"), 0),
        (("diff", "b.yaml", "parent.yaml"), 1),
        (("build", "--check"), 1),
        (("build",), 1),
        (("graph", "wrong.yaml"), 1),
        (("functions",), 0),
    ],
)
def test_a_reader_that_leaves_changes_nothing_else(
    folder: Path, arguments: tuple[str, ...], status: int
) -> None:
    (folder / "wrong.yaml").write_text("version: 2023-04-20\nresources: {a: {type: a/b}}\nx: 1\n")
    (folder / "bpp.toml").write_text(
        '[targets.a]\nblueprint = "b.yaml"\noutput = "a.yaml"\n'
        '[targets.b]\nblueprint = "wrong.yaml"\noutput = "b.out"\n'
    )
    done = without_reader(folder, *arguments)
    assert done.returncode == status, done.stderr
    assert b"Traceback" not in done.stderr
    assert (folder / "map.json").exists() is ("--source-map" in arguments)


@pytest.mark.parametrize(
    "wrong",
    [
        "--source-map no/where --depfile /dev/full",
        "--source-map b.yaml/where",
        "--source-map d",
        "--depfile parent.yaml/where",
        "--depfile /dev/full",
        "--dump-stages b.yaml",
        "--source-map map.json --depfile map.json/x",
    ],
)
def test_several_files_are_written_or_none(folder: Path, wrong: str) -> None:
    (folder / "d").mkdir()
    before = sorted(os.listdir(folder))
    done = shell(folder, f"bpp render b.yaml -o out.yaml {wrong}", BPP_NO_CACHE="1")
    assert done.returncode == 3
    assert b"cannot be written" in done.stderr or b"is a folder" in done.stderr
    assert (folder / "out.yaml").read_text() == "old\n"
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize(
    "command",
    [
        "render many.yaml -o out.yaml --source-map small.map",
        "render many.yaml -o small.yaml --source-map out.yaml --stop-after load",
        "render many.yaml --split split --source-map out.yaml",
        "graph many.yaml -o out.yaml --format dot",
        "build",
    ],
)
def test_a_limit_on_the_size_leaves_the_old_files(folder: Path, command: str) -> None:
    (folder / "bpp.toml").write_text(
        '[targets.a]\nblueprint = "many.yaml"\noutput = "out.yaml"\ndepfile = "out.d"\n'
    )
    before = sorted(os.listdir(folder))
    # the limit would cut bytecode short, too, which others would then import
    env = {"BPP_NO_CACHE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = shell(folder, f"ulimit -f 8; bpp {command}", **env)
    assert done.returncode == 3, done.stderr
    assert b"the file would be too large" in done.stderr
    assert (folder / "out.yaml").read_text() == "old\n"
    found = [name for name in sorted(os.listdir(folder)) if name != "split"]
    assert found == before
    assert not os.listdir(folder / "split") if "split" in command else True


@pytest.mark.parametrize("command", ["check", "graph", "lock"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_each_command_says_what_stopped_it(
    folder: Path, command: str, number: signal.Signals
) -> None:
    os.mkfifo(folder / "pipe")
    with (
        subprocess.Popen(
            [BPP, command, "pipe"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process,
        open(folder / "pipe", "wb"),
    ):  # it is there when it reads
        time.sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (128 + number, b"", b"")


def run_stopped(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with something else to do."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    script = (
        "import os, signal, sys\n"
        "from bpp.pipeline.cli import entry\n"
        f"def run():\n{lines}\n"
        "entry._run = run\nentry.main()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("caught", ["(Exception, SystemExit)", "BaseException"])
def test_no_plugin_keeps_a_signal_to_itself(folder: Path, caught: str) -> None:
    body = f"try:\n    os.kill(os.getpid(), signal.SIGTERM)\nexcept {caught}:\n    pass\nreturn 0"
    done = run_stopped(folder, body)
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


def test_a_second_signal_does_not_disturb_the_end(folder: Path) -> None:
    body = (
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\nfinally:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    print('tidy')\nreturn 0"
    )
    done = run_stopped(folder, body)
    assert (done.returncode, done.stdout, done.stderr) == (130, "tidy\n", "")


def test_signals_that_are_ignored_stay_so() -> None:
    body = (
        "for number in (signal.SIGHUP, signal.SIGINT):\n    os.kill(os.getpid(), number)\nreturn 0"
    )
    script = f"trap '' HUP INT; exec {sys.executable} -c \"$0\""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    done = subprocess.run(
        [
            *("bash", "-c", script),
            "import os, signal\nfrom bpp.pipeline.cli import entry\n"
            f"def run():\n{lines}\nentry._run = run\nentry.main()\n",
        ],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


# --- bytes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_the_locale_changes_no_byte_of_what_is_said(folder: Path, locale: str) -> None:
    (folder / "w.yaml").write_text('version: 2023-04-20\nresources: {"größe": {x: 1}}\n', "utf-8")
    done = shell(
        folder, "bpp render w.yaml", LC_ALL=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert done.returncode == 1
    assert "größe".encode() in done.stderr


def test_the_name_of_a_file_may_be_no_text(folder: Path) -> None:
    name = b"\xff.yaml"
    try:
        (folder / os.fsdecode(name)).write_text(BLUEPRINT)
    except OSError:
        pytest.skip("names are text here")
    done = shell(folder, "bpp render $'\\xff.yaml' -o $'\\xff.out' --depfile d --source-map m")
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / "d").read_bytes().startswith(b"\xff.out: \xff.yaml\n")
    done = shell(folder, "bpp render $'\\xff.yaml' --explain-unknowns --strict")
    assert done.returncode == 0


# --- surroundings -------------------------------------------------------------------------------

COMMANDS = [
    *("--help", "--version", "stages", "functions", "functions join", "parse a.b", "eval 1"),
    *("explain limits", "integration cmake", "render b.yaml", "render b.yaml -o o", "check b.yaml"),
    *("render b.yaml --split s", "render b.yaml --dump-stages s", "graph b.yaml", "lock b.yaml"),
    *("diff b.yaml parent.yaml", "why b.yaml resources.a", "build", "build --check", "render -"),
    "render b.yaml -o o --depfile d --source-map m",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_working_directory_that_is_gone_is_told_by_all_commands(
    folder: Path, command: str
) -> None:
    done = shell(folder, f"mkdir gone; cd gone; rmdir ../gone; bpp {command}")
    if done.returncode:
        words = b"the working directory no longer exists"
        assert (done.returncode, done.stdout) == (3, b"")
        assert done.stderr.startswith(b"error") and words in done.stderr
    else:
        assert command.split()[0] in ("stages", "functions", "parse", "explain", "integration") or (
            command in ("--help", "--version")
        )


@pytest.mark.parametrize("command", ["lock b.yaml", "lock b.yaml -o l", "graph b.yaml -o l"])
@pytest.mark.parametrize("target", ["../theirs", "../none"])
def test_no_link_in_a_checkout_is_written_through(folder: Path, command: str, target: str) -> None:
    checkout = folder / "checkout"
    checkout.mkdir()
    (checkout / "b.yaml").write_text(BLUEPRINT)
    (folder / "theirs").write_text("theirs")
    for name in ("l", "bpp.lock"):
        (checkout / name).symlink_to(target)
    done = bpp(checkout, *command.split())
    assert done.returncode == 3
    assert "cannot be written: it is a link" in done.stderr
    assert (folder / "theirs").read_text() == "theirs"
    assert not (folder / "none").exists()


@pytest.mark.parametrize("option", ["--dump-stages d", "--split d"])
def test_no_link_in_a_folder_of_outputs_is_written_through(folder: Path, option: str) -> None:
    (folder / "d").mkdir()
    for name in ("1-load.yaml", "b.yaml"):
        (folder / "d" / name).symlink_to("../out.yaml")
    done = bpp(folder, "render", "b.yaml", *option.split())
    assert (done.returncode, "it is a link" in done.stderr) == (3, True)
    assert (folder / "out.yaml").read_text() == "old\n"


@pytest.mark.parametrize("make", ["mkfifo {0}", "mkdir {0}", "ln -s /dev/null {0}", "ln -s x {0}"])
@pytest.mark.parametrize(
    "command",
    [
        *("lock b.yaml", "lock --add b.yaml", "lock --check b.yaml"),
        *("lock --add b.yaml -o bpp.lock", "render b.yaml --lock bpp.lock", "render remote.yaml"),
        "build",
    ],
)
def test_a_lock_that_is_no_file_is_an_error(folder: Path, command: str, make: str) -> None:
    (folder / "remote.yaml").write_text(
        'version: 2023-04-20\nvalues: {a: {type: string, value: "${http_resource(\\"https://'
        'a.invalid/\\")}"}}\nresources: {a: {type: a/b, spec: {}}}\n'
    )
    (folder / "bpp.toml").write_text(
        '[targets.a]\nblueprint = "b.yaml"\noutput = "o.yaml"\nlock = "bpp.lock"\n'
    )
    more = " --allow-net a.invalid" if "remote" in command else ""
    subprocess.run(["bash", "-c", make.format("bpp.lock")], cwd=folder, check=True)
    if "mkfifo" in make:  # whoever opened it would wait
        run = shell(folder, f"timeout 20 {BPP} {command}{more}")
        status, said = run.returncode, run.stderr.decode()
    else:
        done = bpp(folder, *f"{command}{more}".split())
        status, said = done.returncode, done.stderr
    assert status in ((1, 3) if "remote" in command else (3,)), said
    assert "bpp.lock" in said
    kinds = ("a named pipe", "a folder", "a device", "does not exist", "leads outside", "a link")
    assert any(kind in said for kind in kinds), said


@pytest.mark.parametrize(
    "env",
    [
        {"HOME": "/nonexistent", "BPP_CACHE_DIR": ""},
        {"HOME": "/etc/passwd", "BPP_CACHE_DIR": ""},
        {"HOME": "relative", "BPP_CACHE_DIR": ""},
        {"TMPDIR": "/nonexistent"},
        {"BPP_CACHE_DIR": "/proc/self/x"},
        {"BPP_CACHE_DIR": "/etc/passwd"},
        {"BPP_CACHE_DIR": "{here}" + "/c" * 1800},
        {"BPP_CACHE_DIR": "/" + "c" * 5000},
    ],
)
def test_an_unusual_environment_changes_nothing(folder: Path, env: dict[str, str]) -> None:
    line = "bpp render b.yaml --seed 1 --now 0"
    expected = shell(folder, line, BPP_NO_CACHE="1").stdout
    env = {name: value.replace("{here}", str(folder)) for name, value in env.items()}
    done = shell(folder, line, **env)
    # too deep for what tidies up after tests
    subprocess.run(["rm", "-rf", str(folder / "c")], check=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")


@pytest.mark.parametrize("count", [4, 6, 8])
def test_too_few_open_files_are_no_bug(folder: Path, count: int) -> None:
    done = shell(folder, f"ulimit -n {count}; bpp render b.yaml -o o")
    assert done.returncode != 70
    assert b"internal error" not in done.stderr
