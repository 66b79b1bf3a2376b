"""Writing files: the old content or the new one, and nothing left behind."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from bpp.pipeline.world.files import FileProblem
from bpp.pipeline.world.writing import (
    depfile_text,
    keep_newest,
    make_folder,
    write_atomically,
    write_together,
)

as_user = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere"
)


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(os.listdir(folder))


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert write_atomically(str(tmp_path / "out"), b"new")
    finally:
        os.umask(before)
    assert (tmp_path / "out").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o640
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o666])
def test_the_mode_of_a_file_stays(tmp_path: Path, mode: int) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    out.chmod(mode)
    assert write_atomically(str(out), b"new")
    assert out.read_bytes() == b"new"
    assert stat.S_IMODE(out.stat().st_mode) == mode


def test_equal_content_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"same")
    os.utime(out, (1, 1))
    before = out.stat()
    assert not write_atomically(str(out), b"same")
    assert (out.stat().st_ino, out.stat().st_mtime) == (before.st_ino, 1)
    assert write_atomically(str(out), b"Same")


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real/file")
    (tmp_path / "dangling").symlink_to("real/new")
    assert write_atomically(str(tmp_path / "link"), b"new")
    assert write_atomically(str(tmp_path / "dangling"), b"newer")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "file").read_bytes() == b"new"
    assert (tmp_path / "real" / "new").read_bytes() == b"newer"
    assert names(tmp_path / "real") == ["file", "new"]


@pytest.mark.parametrize(
    "target", ["../out", "{up}/out", ".git/config", "../none", ".env", "real/x"]
)
@pytest.mark.parametrize("named", [True, False])
def test_no_link_leads_a_writer_out(tmp_path: Path, target: str, named: bool) -> None:
    folder = tmp_path / "checkout"
    for made in (folder / ".git", folder / "real"):
        made.mkdir(parents=True)
    (tmp_path / "out").write_bytes(b"theirs")
    (folder / ".git" / "config").write_bytes(b"theirs")
    (folder / "link").symlink_to(target.format(up=tmp_path))
    if named and target == "real/x":
        assert write_atomically(str(folder / "link"), b"new")
        return
    with pytest.raises(FileProblem, match="it is a link") as caught:
        write_atomically(str(folder / "link"), b"new", named=named)
    assert caught.value.code == "file_unwritable"
    assert (tmp_path / "out").read_bytes() == (folder / ".git" / "config").read_bytes() == b"theirs"
    assert not (tmp_path / "none").exists()
    assert (folder / "link").is_symlink()


@pytest.mark.parametrize("name", ["dist/out", "./dist/new/out", "{here}/dist/out", "dist/../x/out"])
def test_no_folder_leads_a_writer_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for made in (tmp_path / "checkout" / "real", tmp_path / "outside" / "in"):
        made.mkdir(parents=True)
    (tmp_path / "outside" / "x").mkdir()
    monkeypatch.chdir(tmp_path / "checkout")
    path = name.format(here=tmp_path / "checkout")
    (tmp_path / "checkout" / "dist").symlink_to("../outside/in")
    for write in (lambda: write_atomically(path, b"new"), lambda: make_folder(path)):
        with pytest.raises(FileProblem, match="a folder in its path is a link that leads outside"):
            write()
    # below another folder than the working directory as well
    monkeypatch.chdir(tmp_path)
    full = str(tmp_path / "checkout" / "dist" / "out")
    with pytest.raises(FileProblem, match="leads outside"):
        write_together({full: b"new"}, start=str(tmp_path / "checkout"))
    assert [file.name for file in (tmp_path / "outside").rglob("*")] in (["in", "x"], ["x", "in"])
    # what is named outside is written there
    monkeypatch.chdir(tmp_path / "checkout")
    (tmp_path / "checkout" / "dist").unlink()
    (tmp_path / "checkout" / "dist").symlink_to("real")
    assert write_atomically("dist/out", b"new")
    assert write_atomically("../outside/in/out", b"new")


def test_folders_of_any_depth_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_folder("d/" * 1500)
    found = os.path.isdir("d/" * 1500)
    subprocess.run(["rm", "-rf", "d"], check=True)  # too deep for what tidies up after tests
    assert found
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("../elsewhere")
    for name in ("file/a/b", "dangling/a"):
        with pytest.raises(FileProblem):
            make_folder(name)
    assert not (tmp_path.parent / "elsewhere").exists()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("folder", "is a folder"),
        ("none/out", "its folder does not exist"),
        ("file/out", "a part of its path is not a folder"),
        ("out/", "names a folder"),
        ("x" * 300, "its path is too long"),
        ("round", "it leads through too many links"),
        ("socket", "cannot be written|socket"),
        ("", "this is not a valid path"),
        ("a\0b", "this is not a valid path"),
        ("\ud800", "this is not a valid path"),
    ],
)
def test_what_cannot_be_written_is_told(tmp_path: Path, path: str, words: str) -> None:
    import socket

    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "round").symlink_to("round")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        server.bind("socket")
        os.chdir(here)
        before = names(tmp_path)
        with pytest.raises(FileProblem, match=words) as caught:
            write_atomically(f"{tmp_path}/{path}" if path else "", b"x")
    assert caught.value.code == "file_unwritable"
    assert names(tmp_path) == before


@as_user
def test_protected_files_and_folders_are_respected(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    out.chmod(0o444)
    with pytest.raises(FileProblem, match="write-protected"):
        write_atomically(str(out), b"new")
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(FileProblem, match="permission denied"):
            write_atomically(str(tmp_path / "other"), b"new")
    finally:
        tmp_path.chmod(0o755)
    assert out.read_bytes() == b"old"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "your disk quota"),
        (errno.EFBIG, "too large"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "cannot be written"),
    ],
)
@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str, step: str
) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")

    def fail(*arguments: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        with pytest.raises(FileProblem, match=words):
            write_atomically(str(out), b"new")
    assert out.read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_interruption_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]
) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")

    def interrupt(*arguments: object) -> None:
        raise kind

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(kind):
            write_atomically(str(out), b"new")
    assert out.read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


def test_a_real_limit_on_the_size_leaves_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    script = (
        "import resource, sys\n"
        "from bpp.pipeline.world.files import FileProblem\n"
        "from bpp.pipeline.world.writing import write_atomically\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write_atomically(sys.argv[1], b'x' * 5000)\n"
        "except FileProblem as problem:\n    print(problem.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, str(out)], capture_output=True, text=True, check=True
    )
    assert "the file would be too large" in done.stdout
    assert out.read_bytes() == b"old"
    assert names(tmp_path) == ["out"]


def test_devices_are_written_to_and_never_replaced() -> None:
    before = os.stat("/dev/null")
    assert write_atomically("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert os.stat("/dev/null").st_ino == before.st_ino
    if os.path.exists("/dev/full"):
        with pytest.raises(FileProblem, match="the disk is full"):
            write_atomically("/dev/full", b"x")


def test_pipes_are_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    assert write_atomically(str(tmp_path / "pipe"), b"piped" * 100_000)
    reader.join()
    assert got == [b"piped" * 100_000]
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


@pytest.mark.parametrize(
    "name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/stderr", "/dev/fd/2"]
)
def test_standard_output_is_appended_to_where_the_shell_appends(tmp_path: Path, name: str) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"before\n")
    script = (
        "import sys\n"
        "from bpp.pipeline.world.writing import write_atomically\n"
        "assert write_atomically(sys.argv[1], b'new\\n')\n"
    )
    with open(log, "ab") as stream:
        command = [sys.executable, "-c", script, name]
        other = "stderr" if name.endswith(("err", "2")) else "stdout"
        subprocess.run(command, check=True, **{other: stream})
    assert log.read_bytes() == b"before\nnew\n"
    assert names(tmp_path) == ["log"]


@pytest.mark.slow
def test_readers_never_see_a_mixture(tmp_path: Path) -> None:
    out = tmp_path / "out"
    contents = [bytes([65 + n]) * 200_000 for n in range(3)]
    out.write_bytes(contents[0])
    writers = [
        threading.Thread(
            target=lambda c=content: [write_atomically(str(out), c) for _ in range(30)]
        )
        for content in contents
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert out.read_bytes() in contents
    assert names(tmp_path) == ["out"]


def test_folders_are_made(tmp_path: Path) -> None:
    make_folder(str(tmp_path / "a" / "b"))
    make_folder(str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_bytes(b"")
    for name in ("file", "file/x"):
        with pytest.raises(FileProblem, match="cannot be written"):
            make_folder(str(tmp_path / name))


def test_the_newest_files_of_a_cache_stay(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.utime(tmp_path / "folder", (0, 0))
    for age, name in enumerate("cab"):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, (100 - age, 100 - age))
    for most, left in ((4, "abc"), (3, "abc"), (2, "ac"), (0, "")):
        keep_newest(str(tmp_path), most)
        assert names(tmp_path) == [*left, "folder"]
    keep_newest(str(tmp_path / "none"), 0)


# --- dependency files ---------------------------------------------------------------------------


def test_dependency_files() -> None:
    assert depfile_text("out.yaml", []) == "out.yaml:\n"
    assert depfile_text("out.yaml", ["a.yaml", "b.yaml"]) == "out.yaml: a.yaml b.yaml\n"
    long = "x" * 40
    assert depfile_text("o", [long, "a", long]) == f"o: {long} a \\\n  {long}\n"
    assert depfile_text("o", ["a b", "c"], phony=True) == "o: a\\ b c\na\\ b:\nc:\n"
    for path in ("a\nb", "a\rb", "a;b"):
        with pytest.raises(FileProblem, match="line break") as caught:
            depfile_text("o", [path])
        assert caught.value.code == "file_unwritable"


def test_drives_in_dependency_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, written in (("posix", "C\\:/a\\:b C\\:"), ("nt", "C:/a\\:b C:")):
        with monkeypatch.context() as patch:
            patch.setattr(os, "name", name)
            assert depfile_text("o", ["C:/a:b", "C:"]) == f"o: {written}\n"
            assert depfile_text("o", ["CC:/a"]) == "o: CC\\:/a\n"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("a b", "a\\ b"),
        ("a\tb", "a\\\tb"),
        ("a#b", "a\\#b"),
        ("a$b", "a$$b"),
        ("a\\b", "a\\b"),
        ("a\\ b", "a\\\\\\ b"),
        ("a\\", "a\\\\"),
        ("a:b", "a\\:b"),
        ("a\\:b", "a\\\\\\:b"),
        ("CC=x", "./CC=x"),
        ("a&", "a&"),
        ("ä", "ä"),
    ],
)
def test_special_characters_in_dependency_files(path: str, written: str) -> None:
    words = ["z", written] if "=" in path else [written, "z"]  # never a variable of make
    made = f"{written} " if path.endswith("&") else written
    assert depfile_text(path, [path, "z"]) == f"{made}: {' '.join(words)}\n"


SETTINGS = (".IGNORE", ".SILENT", ".PHONY", ".DEFAULT", ".SECONDEXPANSION", ".ONESHELL")
DIRECTIVES = ("define", "undefine", "./undefine", "a&", "././/.IGNORE", "export", "include")


def test_names_of_settings_are_written_in_full(tmp_path: Path) -> None:
    assert depfile_text(".WAIT", ["./.IGNORE", "x/.IGNORE", ".env"], True, "/a/b") == (
        "/a/b/.WAIT: /a/b/.IGNORE x/.IGNORE .env\n/a/b/.IGNORE:\nx/.IGNORE:\n.env:\n"
    )


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
@pytest.mark.parametrize("is_target", [False, True])
@pytest.mark.parametrize("name", [*SETTINGS, *DIRECTIVES])
def test_make_takes_no_file_for_a_setting(tmp_path: Path, name: str, is_target: bool) -> None:
    for path in (name, "in", "out"):
        (tmp_path / path).write_bytes(b"")
    made, read = (name, "in") if is_target else ("out", name)
    (tmp_path / "out.d").write_text(depfile_text(made, [read], True, str(tmp_path)), "utf-8")
    rules = "other:\n\t@echo $@ $<\nbad:\n\tfalse\nout:\n\ttouch out\ninclude out.d\n"
    (tmp_path / "Makefile").write_text(rules)

    def make(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["make", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    bad = make("bad")
    assert (bad.returncode, bad.stdout) == (2, "false\n"), bad.stderr
    assert make("other").stdout == "other\n"
    if not is_target:
        os.utime(tmp_path / read, (1000, 1000))
        assert make("-q", "out").returncode == 0
        os.utime(tmp_path / "out", (500, 500))
        assert make("-q", "out").returncode == 1
        (tmp_path / read).unlink()
        assert make("out").returncode == 0


@pytest.mark.skipif(not shutil.which("make"), reason="make is not installed")
@pytest.mark.parametrize("name", ["plain", "a b", "a#b", "a$b", "ä", "a\\b", "a\\ b"])
def test_make_reads_dependency_files(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    (tmp_path / "out").write_bytes(b"")
    (tmp_path / "out.d").write_text(depfile_text("out", [name]), "utf-8")
    (tmp_path / "Makefile").write_text("out:\n\ttouch out\ninclude out.d\n", "utf-8")

    def up_to_date() -> bool:
        done = subprocess.run(["make", "-q", "out"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        return done.returncode == 0

    os.utime(tmp_path / name, (1000, 1000))
    assert up_to_date()
    os.utime(tmp_path / "out", (500, 500))
    assert not up_to_date()
