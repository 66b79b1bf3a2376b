"""Writing files: several at once, what killed processes leave, users that may do less."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bpp.pipeline.world import writing
from bpp.pipeline.world.files import FileProblem
from bpp.pipeline.world.writing import write_atomically, write_privately, write_together
from test_writing import names

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes, links and locks")


def test_several_files_are_written_or_none(tmp_path: Path) -> None:
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    assert write_together({first: b"1", second: b"2"}) == {first: True, second: True}
    assert write_together({first: b"1", second: b"3"}) == {first: False, second: True}
    for wrong in (str(tmp_path), f"{tmp_path}/none/x", "/dev/full", ""):
        with pytest.raises(FileProblem):
            write_together({first: b"new", wrong: b"new", second: b"new"})
        assert (Path(first).read_bytes(), Path(second).read_bytes()) == (b"1", b"3")
        assert names(tmp_path) == ["a", "b"]


def test_what_is_done_between_comes_before_all_files(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    seen = []
    write_together({str(out): b"new"}, lambda: seen.append(out.read_bytes()))
    assert (seen, out.read_bytes()) == ([b"old"], b"new")

    def fail() -> None:
        raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full"):
        write_together({str(out): b"newer"}, fail)
    assert out.read_bytes() == b"new"
    assert names(tmp_path) == ["out"]


def test_new_content_has_no_name_before_it_is_whole(tmp_path: Path) -> None:
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_WRONLY))
        os.stat("/proc/self/fd")
    except (AttributeError, OSError):
        pytest.skip("files have names here")
    files = {str(tmp_path / f"{n:03}"): b"%d" % n for n in range(writing._MOST_OPEN + 2)}
    seen: list[str] = []
    write_together(files, lambda: seen.extend(names(tmp_path)))
    # but for those that are too many to be open at once
    assert [name.endswith(".tmp") for name in seen] == [True, True]
    assert len(names(tmp_path)) == len(files)


def test_many_files_at_once(tmp_path: Path) -> None:
    files = {str(tmp_path / f"{n}.yaml"): b"%d" % n for n in range(150)}
    assert all(write_together(files).values())
    assert {path: Path(path).read_bytes() for path in files} == files
    assert len(names(tmp_path)) == 150


def test_one_file_by_two_paths(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("out")
    write_together({str(tmp_path / "out"): b"first", str(tmp_path / "link"): b"second"})
    assert (tmp_path / "out").read_bytes() == b"second"
    assert names(tmp_path) == ["link", "out"]


@pytest.fixture(params=["nameless", "named", "no links", "no locks", "no owners"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the file system and the operating system can do."""

    def refuse(*arguments: object, **named: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "not here")

    if request.param in ("named", "no locks", "no owners"):
        monkeypatch.setattr(writing, "_NAMELESS", 0)
    if request.param == "no links":
        monkeypatch.setattr(os, "link", refuse)
    if request.param == "no locks":
        monkeypatch.setattr("fcntl.flock", refuse)
    if request.param == "no owners":
        monkeypatch.delattr(os, "fchown")
    return str(request.param)


def test_each_system_can_be_written_to(tmp_path: Path, system: str) -> None:
    files = {str(tmp_path / f"{n}"): b"%d" % n for n in range(3)}
    for suffix in (b"", b"+"):
        write_together({path: data + suffix for path, data in files.items()})
        assert all(Path(path).read_bytes() == data + suffix for path, data in files.items())
        assert len(names(tmp_path)) == 3
    (tmp_path / "0").chmod(0o640)
    assert write_atomically(str(tmp_path / "0"), b"")
    assert stat.S_IMODE((tmp_path / "0").stat().st_mode) == 0o640
    write_privately(str(tmp_path / "0"), b"kept")
    assert stat.S_IMODE((tmp_path / "0").stat().st_mode) == 0o600
    with pytest.raises(FileProblem, match="is a folder"):
        write_together({str(tmp_path / "1"): b"new", str(tmp_path): b""})
    assert (tmp_path / "1").read_bytes() == b"1+"
    assert len(names(tmp_path)) == 3


@pytest.mark.parametrize("step", ["write", "fsync", "replace", "fchmod"])
def test_a_failure_at_any_step_leaves_the_old_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, step: str
) -> None:
    files = {str(tmp_path / name): b"new" for name in ("a", "b")}
    for path in files:
        Path(path).write_bytes(b"old")

    def fail(*arguments: object) -> int:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patch:
        patch.setattr(os, "chmod" if (system, step) == ("no owners", "fchmod") else step, fail)
        with pytest.raises(FileProblem, match="cannot be written: Input/output error"):
            write_together(files)
    assert [Path(path).read_bytes() for path in files] == [b"old", b"old"]
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("/dev/stdout", 1),
        ("/dev//./stderr", 2),
        ("/dev/fd/0", 0),
        ("/dev/fd/123456789", 123456789),
        ("/proc/self/fd/12", 12),
        ("/dev/fd/1234567890", None),
        ("/dev/fd/²", None),
        ("/dev/fd/x", None),
        ("/dev/fd", None),
        ("/dev/null", None),
        ("dev/stdout", None),
        ("out", None),
    ],
)
def test_open_files_have_names(
    monkeypatch: pytest.MonkeyPatch, path: str, number: int | None
) -> None:
    assert writing._descriptor(path) == number
    with monkeypatch.context() as patch:
        patch.setattr(os, "name", "nt")
        assert writing._descriptor(path) is None


def test_no_descriptor_is_left_open(tmp_path: Path, system: str) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files cannot be counted here")
    files = {str(tmp_path / name): name.encode() for name in "abc"}
    write_together(files)
    before = len(os.listdir("/proc/self/fd"))
    for data in (b"a", b"b"):
        write_together({**files, str(tmp_path / "c"): data, "/dev/null": data})
        write_privately(str(tmp_path / "d"), data)
        with pytest.raises(FileProblem):
            write_together({str(tmp_path / "a"): data + b"c", str(tmp_path): b""})
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_a_killed_process_left_goes_with_the_next_one(tmp_path: Path, system: str) -> None:
    out = tmp_path / "out"
    for old in (None, b"old", b"new"):
        if old is not None:
            out.write_bytes(old)
        left = Path(writing._own_name(str(out)))
        left.write_bytes(b"a part")
        assert write_atomically(str(out), b"new") is (old != b"new")
        assert out.read_bytes() == b"new"
        assert names(tmp_path) == ([left.name, "out"] if system == "no locks" else ["out"])


def test_what_another_process_is_writing_stays(tmp_path: Path, system: str) -> None:
    import fcntl

    if system == "no locks":
        pytest.skip("it cannot be known")
    out = tmp_path / "out"
    left = Path(writing._own_name(str(out)))
    with open(left, "wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        assert write_atomically(str(out), b"new")
        assert not write_atomically(str(out), b"new")
        assert names(tmp_path) == [left.name, "out"]
    assert out.read_bytes() == b"new"


def test_nothing_but_an_own_file_is_taken_for_one_that_was_left(tmp_path: Path) -> None:
    out = tmp_path / "out"
    other = tmp_path / "other"
    other.write_bytes(b"other")
    left = Path(writing._own_name(str(out)))
    left.symlink_to(other)
    assert write_atomically(str(out), b"new")
    left.unlink()
    left.mkdir()
    assert write_atomically(str(out), b"newer")
    assert (out.read_bytes(), other.read_bytes()) == (b"newer", b"other")
    assert names(tmp_path) == [left.name, "other", "out"]


def test_what_cannot_be_tidied_up_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    out, real = tmp_path / "out", os.fsync

    def refuse(*arguments: object, **named: object) -> None:
        raise OSError(errno.EIO, "broken")

    def fsync(descriptor: int) -> None:
        # folders cannot be told to go to the disk
        (refuse if stat.S_ISDIR(os.fstat(descriptor).st_mode) else real)(descriptor)

    Path(writing._own_name(str(out))).write_bytes(b"left")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        patch.setattr(os, "unlink", refuse)
        assert write_atomically(str(out), b"new")
        patch.setattr(os, "replace", refuse)
        with pytest.raises(FileProblem, match="Input/output error"):
            write_atomically(str(out), b"newer")
    assert out.read_bytes() == b"new"


def test_a_folder_that_may_not_be_opened_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def closed(path: str, flags: int, *arguments: int) -> int:
        if os.path.isdir(path) and not flags & os.O_WRONLY:
            raise PermissionError(errno.EACCES, "no")
        return real(path, flags, *arguments)

    monkeypatch.setattr(os, "open", closed)
    assert write_atomically(str(tmp_path / "out"), b"new")
    assert (tmp_path / "out").read_bytes() == b"new"


def test_a_name_that_another_file_has_by_now_is_not_held(tmp_path: Path) -> None:
    left = tmp_path / "left"
    left.write_bytes(b"")
    with open(left, "rb") as stream:
        assert writing._is_at(stream.fileno(), str(left))
        (tmp_path / "another").write_bytes(b"")
        (tmp_path / "another").replace(left)
        assert not writing._is_at(stream.fileno(), str(left))
        left.unlink()
        assert not writing._is_at(stream.fileno(), str(left))


def test_other_hard_links_keep_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"old")
    os.link(tmp_path / "out", tmp_path / "other")
    assert write_atomically(str(tmp_path / "out"), b"new")
    assert (tmp_path / "other").read_bytes() == b"old"


# --- users --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mode", "left"), [(0o660, 0o600), (0o664, 0o644), (0o2755, 0o755)])
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="chown is for root")
def test_another_group_gets_no_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, left: int
) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    os.chown(out, 0, 65534)
    out.chmod(mode)
    assert write_atomically(str(out), b"kept")
    assert (out.stat().st_gid, stat.S_IMODE(out.stat().st_mode)) == (65534, mode)

    def refuse(*arguments: object) -> None:
        raise PermissionError(errno.EPERM, "no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fchown", refuse)
        assert write_atomically(str(out), b"new")
    assert (out.stat().st_gid, stat.S_IMODE(out.stat().st_mode)) == (0, left)


@pytest.mark.parametrize(
    ("allowed", "mode", "left", "asked"),
    [
        ("all", 0o6775, 0o6775, [(1, 2)]),
        ("group", 0o6775, 0o2775, [(1, 2), (-1, 2)]),
        ("none", 0o6775, 0o755, [(1, 2), (-1, 2)]),
        ("none", 0o6772, 0o722, [(1, 2), (-1, 2)]),
        ("same", 0o6775, 0o6775, []),
    ],
)
def test_rights_are_for_whom_they_were_meant(
    monkeypatch: pytest.MonkeyPatch,
    allowed: str,
    mode: int,
    left: int,
    asked: list[tuple[int, int]],
) -> None:
    made = SimpleNamespace(st_uid=0, st_gid=0)
    if allowed == "same":
        made = SimpleNamespace(st_uid=1, st_gid=2)
    said: list[tuple[int, int]] = []
    modes: list[int] = []

    def fchown(descriptor: int, user: int, group: int) -> None:
        said.append((user, group))
        if allowed == "none" or (allowed == "group" and user != -1):
            raise PermissionError(errno.EPERM, "no")
        made.st_uid, made.st_gid = made.st_uid if user == -1 else user, group

    old: Any = SimpleNamespace(st_mode=stat.S_IFREG | mode, st_uid=1, st_gid=2)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fchown", fchown)
        patch.setattr(os, "fstat", lambda descriptor: made)
        patch.setattr(os, "fchmod", lambda descriptor, mode: modes.append(mode))
        writing._take_over(writing._Staged("out", b""), old)
    assert (modes, said) == ([left], asked)


def test_rights_of_the_old_file_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    out.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        with pytest.raises(FileProblem, match="/out` is write-protected"):
            write_atomically(str(out), b"new")
        assert not write_atomically(str(out), b"old")
    assert out.read_bytes() == b"old"

    def refuse(*arguments: object, **_: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    with monkeypatch.context() as patch:
        # it may be written to and not be read
        patch.setattr("builtins.open", refuse)
        assert write_atomically(str(out), b"old")
    assert names(tmp_path) == ["out"]


AS_NOBODY = """\
import os, stat, sys
import bpp.pipeline.values.diagnostics, difflib, errno, fcntl
from bpp.pipeline.world.files import FileProblem
from bpp.pipeline.world.writing import make_folder, write_atomically
os.umask(0o022)
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
def says(action, *arguments):
    try:
        action(*arguments)
    except FileProblem as problem:
        return problem.message
    return "done"
def content(path):
    with open(path) as stream:
        return stream.read()
for path in ("open/old", "shut/old"):
    os.mkdir(os.path.dirname(path))
    with open(path, "w") as stream:
        stream.write("old")
os.chmod("open/old", 0o444)
os.chmod("shut", 0o555)
print(says(write_atomically, "open/old", b"new"))
print(says(write_atomically, "shut/old", b"new"))
print(says(write_atomically, "shut/new", b"new"))
print(says(make_folder, "shut/new/er"))
os.chmod("shut", 0)
print(says(write_atomically, "shut/old", b"new"))
os.chmod("shut", 0o755)
print(content("open/old"), content("shut/old"), *os.listdir("open"), *os.listdir("shut"))
os.chmod("open", 0o333)  # may be written to, not listed
print(says(write_atomically, "open/new", b"new"), content("open/new"))
os.chmod("open", 0o755)
if os.path.exists("given"):
    print(says(write_atomically, "given/theirs", b"new"), content("given/theirs"))
    status = os.stat("given/theirs")
    print(stat.filemode(status.st_mode), status.st_uid)
"""


def test_a_user_without_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    as_root = os.geteuid() == 0
    if as_root:
        # a file of root that everybody may write to, in a folder where everybody may
        (tmp_path / "given").mkdir()
        (tmp_path / "given" / "theirs").write_text("old")
        (tmp_path / "given" / "theirs").chmod(0o666)
        (tmp_path / "given").chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "`open/old` is write-protected",
        "`shut/old` cannot be written: permission denied",
        "`shut/new` cannot be written: permission denied",
        "`shut/new/er` cannot be written: permission denied",
        "`shut/old` cannot be written: permission denied",
        "old old old old",
        "done new",
        *(["done new", "-rw-rw-rw- 65534"] if as_root else []),
    ]
