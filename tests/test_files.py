"""Reading files: what is confined where, and what is said about what cannot be read."""

from __future__ import annotations

import errno
import io
import os
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.world import files as reading
from bpp.pipeline.world import searching
from bpp.pipeline.world.files import (
    DiskFiles,
    FileProblem,
    Files,
    decode_text,
    read_bounded,
    read_kept,
    real_path,
    same_file,
)
from bpp.pipeline.world.memory_files import MemoryFiles

as_user = pytest.mark.skipif(
    hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything"
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with files, beside others that may not be read."""
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.yaml").write_text("a", "utf-8")
    (folder / "sub" / "b.yaml").write_text("b", "utf-8")
    (tmp_path / "secret").write_text("secret", "utf-8")
    (tmp_path / "project-evil").mkdir()
    (tmp_path / "project-evil" / "c.yaml").write_text("c", "utf-8")
    return folder


def refusal(files: Files, path: str, base: str | None = None) -> FileProblem:
    """The problem that reading a path gives."""
    with pytest.raises(FileProblem) as caught:
        files.read(path, base)
    return caught.value


def test_paths_start_at_the_base(project: Path) -> None:
    files = DiskFiles(cwd=str(project))
    assert files.read("a.yaml") == b"a"
    assert files.read("b.yaml", "sub") == b"b"
    assert files.read("../a.yaml", str(project / "sub")) == b"a"
    assert files.read(str(project / "sub" / "b.yaml")) == b"b"
    assert files.cwd() == str(project)


def test_identity_does_not_depend_on_the_spelling(project: Path) -> None:
    (project / "link").symlink_to("sub")
    files = DiskFiles(cwd=str(project))
    spellings = ("sub/b.yaml", "./sub//b.yaml", "sub/../sub/b.yaml", "link/b.yaml")
    assert {files.resolve(path) for path in spellings} == {os.path.realpath(project / "sub/b.yaml")}
    assert files.resolve("b.yaml", "sub") == files.resolve("sub/b.yaml")


@pytest.mark.parametrize(
    "path",
    ["../secret", "sub/../../secret", "{up}/secret", "../project-evil/c.yaml", "/etc/passwd", ".."],
)
def test_what_lies_outside_is_refused(project: Path, path: str) -> None:
    files = DiskFiles(cwd=str(project))
    problem = refusal(files, path.format(up=project.parent))
    assert problem.code == "file_not_allowed"
    shown = path.format(up=project.parent)
    assert problem.message == f"`{shown}` is outside the folders that may be read"
    folder = os.path.dirname(os.path.normpath(os.path.join(project, shown)))
    assert problem.hint == f"allow its folder with `--allow-path {folder}`"
    assert files.reads == []


def test_what_lies_outside_is_told_by_where_it_is_named(project: Path) -> None:
    problem = refusal(DiskFiles(cwd=str(project)), "../../x/secret", "sub")
    assert problem.message == "`../../x/secret` is outside the folders that may be read"
    assert problem.hint == f"allow its folder with `--allow-path {project.parent}/x`"


def test_whether_something_exists_outside_is_not_told(project: Path) -> None:
    files = DiskFiles(cwd=str(project))
    told = {refusal(files, f"../{name}").message.replace(name, "x") for name in ("secret", "none")}
    assert len(told) == 1


@pytest.mark.parametrize("target", ["../secret", "../none", "..", "/etc/passwd"])
def test_links_that_lead_outside_are_refused(project: Path, target: str) -> None:
    (project / "link").symlink_to(target)
    problem = refusal(DiskFiles(cwd=str(project)), "link")
    assert problem.code == "file_not_allowed"
    assert problem.message == "`link` is a link that leads outside the folders that may be read"
    assert problem.hint == "allow the folder it leads to with `--allow-path`"


def test_links_inside_are_followed(project: Path) -> None:
    (project / "file").symlink_to("sub/b.yaml")
    (project / "folder").symlink_to(project / "sub")
    files = DiskFiles(cwd=str(project))
    assert files.read("file") == files.read("folder/b.yaml") == b"b"


def test_nothing_outside_is_looked_at(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.parent / "back").symlink_to(project)
    (project / "link").symlink_to(project.parent / "secret" / "x" / "..")
    (project / "round").symlink_to(project.parent / "back" / "a.yaml")
    files = DiskFiles(cwd=str(project))
    looks: list[str] = []
    lstat = os.lstat
    monkeypatch.setattr(os, "lstat", lambda path: looks.append(path) or lstat(path))
    for path in ("../secret", "../none", "link", "round", "link/../a", "sub/../../secret/x"):
        for ask in (files.read, files.resolve, files.shown):
            try:
                ask(path, str(project))
            except FileProblem as problem:
                assert problem.code == "file_not_allowed"
    # but for the folders above
    below = [path for path in looks if not f"{project}/".startswith(path)]
    assert below
    assert [path for path in below if not path.startswith(f"{project}/")] == []


def test_the_root_of_the_machine_is_no_root(project: Path) -> None:
    (project / "link").symlink_to("/etc/hostname")
    files = DiskFiles(cwd="/")
    for path in ("etc/hostname", "/etc/hostname", str(project / "a.yaml")):
        problem = refusal(files, path)
        assert problem.message == f"`{path}` is outside the folders that may be read"
        folder = os.path.dirname(os.path.join("/", path))
        assert problem.hint == f"allow its folder with `--allow-path {folder}`"
    made_up = refusal(files, "proc/self/environ")
    assert "which no blueprint may read" in made_up.message
    assert made_up.hint is None
    assert refusal(files.with_roots("/"), "/etc/hostname").code == "file_not_allowed"
    with pytest.raises(FileProblem, match="outside the folders"):
        files.below("/", lambda name: True)
    more = files.with_roots(str(project))
    assert more.read(str(project / "a.yaml")) == b"a"
    assert refusal(more, str(project / "link")).code == "file_not_allowed"
    # it is the user's explicit wish
    allowed = DiskFiles(("/",), cwd=str(project))
    assert allowed.read("/etc/passwd") == Path("/etc/passwd").read_bytes()
    assert DiskFiles(("/",), cwd="/").read("etc/passwd") == allowed.read("/etc/passwd")


@pytest.mark.parametrize(
    "path", ["/proc/self/environ", "/proc/version", "/sys/kernel/mm", "/dev/null", "/dev", "link"]
)
@pytest.mark.parametrize("root", ["/", "/proc", "/proc/self", "/dev", "/sys"])
def test_what_the_system_makes_up_is_never_read(project: Path, root: str, path: str) -> None:
    (project / "link").symlink_to("/proc/self/environ")
    assert refusal(DiskFiles((root,), cwd=str(project)), path).code == "file_not_allowed"
    assert refusal(DiskFiles(cwd=str(project)).with_roots(root), path).code == "file_not_allowed"


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no folder in memory")
def test_a_folder_in_memory_holds_ordinary_files() -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        Path(name, "a").write_bytes(b"a")
        assert DiskFiles(cwd=name).read("a") == b"a"


@pytest.mark.parametrize("count", [39, 40, 41, 1500])
def test_as_many_links_are_followed_as_the_system_follows(project: Path, count: int) -> None:
    (project / "l0").symlink_to("a.yaml")
    for number in range(1, count):
        (project / f"l{number}").symlink_to(f"l{number - 1}")
    name = f"l{count - 1}"
    files = DiskFiles(cwd=str(project))
    if count <= 40:
        assert files.read(name) == files.open_input(name) == b"a"
        assert files.resolve(name) == real_path(str(project / name)) == str(project / "a.yaml")
        return
    for ask in (files.read, files.open_input, files.resolve, lambda n: files.resolve(n, ".")):
        with pytest.raises(FileProblem) as caught:
            ask(name)
        assert caught.value.code == "file_unreadable"
        assert caught.value.message == f"`{name}` leads through too many links"
    assert files.shown(f"{name}/../a") == "a"


def test_links_are_resolved_as_the_system_does(project: Path) -> None:
    (project / "up").symlink_to("..")
    (project / "sub" / "there").symlink_to("../up/project/sub")
    (project / "none").symlink_to("nowhere/at/all")
    for path in (
        "up/project",
        "sub/there/b.yaml",
        "sub/there/../a.yaml",
        "none/x",
        "a.yaml/..",
        "",
    ):
        assert real_path(f"{project}/{path}") == os.path.realpath(project / path), path


@pytest.mark.parametrize("deep", [64, 65, 1900])
def test_folders_are_searched_without_recursion(project: Path, deep: int) -> None:
    os.chdir(project)
    for _ in range(deep):
        os.mkdir("d")
        os.chdir("d")
    Path("x").touch()
    os.chdir(project)
    files = DiskFiles(cwd=str(project))
    counted: list[int] = []
    try:
        if deep <= Limits().max_depth:
            assert files.below(".", lambda name: name == "x", counted.append) == ["d/" * deep + "x"]
            assert sum(counted) == deep + 1 + 3
            return
        with pytest.raises(FileProblem) as caught:
            files.below(".", lambda name: name == "x", counted.append)
        assert caught.value.code == "limit_exceeded"
        assert caught.value.message == "folders are nested more than 64 deep in `.` (`max_depth`)"
        assert sum(counted) <= 64 + 3
    finally:
        subprocess.run(["rm", "-rf", str(project / "d")], check=True)


def test_a_search_stops_where_the_work_does(project: Path) -> None:
    def stop(count: int) -> None:
        raise KeyError(count)

    with pytest.raises(KeyError):
        DiskFiles(cwd=str(project)).below(".", lambda name: True, stop)
    with pytest.raises(KeyError):
        MemoryFiles({"a": ""}).below("/", lambda name: True, stop)


def test_folders_that_vanish_or_may_not_be_listed_are_passed_over(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open
    numbers = [errno.EMFILE, errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ELOOP]

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == "sub":
            raise OSError(numbers[-1], "")
        return opened(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", refuse)
    while len(numbers) > 1:
        assert DiskFiles(cwd=str(project)).below(".", lambda name: True) == ["a.yaml"]
        numbers.pop()
    with pytest.raises(FileProblem, match="cannot be read"):
        DiskFiles(cwd=str(project)).below(".", lambda name: True)


def test_folders_are_searched_where_they_cannot_be_walked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_WALKS", False)
    assert DiskFiles(cwd=str(project)).below(".", lambda name: True) == ["a.yaml", "sub/b.yaml"]


def test_what_the_user_names_as_a_file_must_be_one(project: Path) -> None:
    os.mkfifo(project / "pipe")
    files = DiskFiles(cwd=str(project))
    assert files.open_input("a.yaml", only_file=True) == b"a"
    for name, what in (("pipe", "a named pipe"), ("/dev/null", "a device"), ("sub", "a folder")):
        with pytest.raises(FileProblem, match=what):
            files.open_input(name, only_file=True)
    (project / "dangling").symlink_to("nowhere")
    assert [files.exists(name) for name in ("pipe", "sub", "dangling", "none")] == [
        *(True, True, True),
        False,
    ]


def test_no_name_is_sought_among_very_many(project: Path) -> None:
    for number in range(998):
        (project / f"f{number}").touch()
    files = DiskFiles(cwd=str(project))
    assert refusal(files, "a.yml").hint == "did you mean `a.yaml`?"
    (project / "one-more").touch()
    assert refusal(files, "a.yml").hint is None


def test_one_file_has_many_names(project: Path) -> None:
    (project / "link").symlink_to("a.yaml")
    os.link(project / "a.yaml", project / "hard")
    for name in ("link", "hard", "sub/../a.yaml"):
        assert same_file(str(project / name), str(project / "a.yaml"))
    assert not same_file(str(project / "sub" / "b.yaml"), str(project / "a.yaml"))
    (project / "new").symlink_to("made")
    assert same_file(str(project / "new"), str(project / "made"))
    assert not same_file(str(project / "made"), str(project / "a.yaml"))


def test_more_roots_allow_more(project: Path) -> None:
    allowed = DiskFiles((str(project.parent / "project-evil"),), cwd=str(project))
    assert allowed.read("../project-evil/c.yaml") == b"c"
    files = DiskFiles(cwd=str(project))
    more = files.with_roots("..")
    assert more.read("../secret") == b"secret"
    assert refusal(files, "../secret").code == "file_not_allowed"
    assert files.reads is more.reads


def test_a_root_may_be_a_link(project: Path) -> None:
    (project.parent / "here").symlink_to(project)
    files = DiskFiles(cwd=str(project.parent / "here"))
    assert files.read("a.yaml") == b"a"
    assert files.shown("a.yaml") == "a.yaml"
    assert files.shown(files.resolve("a.yaml")) == "a.yaml"


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("a.yml", "did you mean `a.yaml`?"),
        ("A.YAML", "did you mean `a.yaml`?"),
        ("sub/bb.yaml", "did you mean `b.yaml`?"),
        ("subs/b.yaml", "did you mean `sub`?"),
        ("nothing-like-it", None),
    ],
)
def test_missing_files_have_near_names(project: Path, path: str, hint: str | None) -> None:
    problem = refusal(DiskFiles(cwd=str(project)), path)
    assert problem.code == "file_not_found"
    assert problem.message == f"`{path}` does not exist"
    assert problem.hint == hint


def test_what_is_no_file_is_refused(project: Path) -> None:
    os.mkfifo(project / "pipe")
    (project / "round").symlink_to("round")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(project)  # the address of a socket is short
        server.bind("socket")
        os.chdir(here)
        files = DiskFiles(cwd=str(project))
        assert refusal(files, "sub").message == "`sub` is a folder, not a file"
        assert refusal(files, ".").message == "`.` is a folder, not a file"
        assert refusal(files, "pipe").message == "`pipe` is a named pipe, not a file"
        for path in ("sub", ".", "pipe", "round", "socket"):
            assert refusal(files, path).code == "file_unreadable", path


@pytest.mark.parametrize("path", ["", "a\0b", "a.yaml\0.png", "x" * 5000, "a.yaml/b", "\ud800"])
def test_impossible_paths_are_not_found(project: Path, path: str) -> None:
    assert refusal(DiskFiles(cwd=str(project)), path).code == "file_not_found"


def test_large_files_are_refused(project: Path) -> None:
    files = DiskFiles(cwd=str(project), limits=Limits(max_file_bytes=3, max_input_bytes=3))
    (project / "fits").write_bytes(b"123")
    (project / "large").write_bytes(b"1234")
    assert files.read("fits") == files.open_input("fits") == b"123"
    problem = refusal(files, "large")
    assert problem.code == "file_too_large"
    assert "`max_file_bytes`" in problem.message
    with pytest.raises(FileProblem, match="max_input_bytes"):
        files.open_input("large")
    with pytest.raises(FileProblem, match="max_input_bytes"):
        files.open_input("/dev/zero")


def test_all_files_of_a_run_have_one_limit(project: Path) -> None:
    limits = Limits(max_total_input_bytes=2)
    files = DiskFiles(cwd=str(project), limits=limits)
    assert files.read("a.yaml") + files.read("sub/b.yaml") == b"ab"
    problem = refusal(files, "a.yaml")
    assert (problem.code, "(2 bytes)" in problem.message) == ("limit_exceeded", True)
    assert problem.hint is not None
    assert problem.hint.endswith("`--limit max_total_input_bytes=4`")
    # what a run has read already costs nothing
    run = DiskFiles(cwd=str(project), limits=limits).with_roots()
    assert {run.read("a.yaml") for _ in range(3)} == {b"a"}


class Trickle(io.RawIOBase):
    """A stream that gives a byte at a time, and an error after some of them."""

    def __init__(self, good: int) -> None:
        self.good = self.left = good

    def read(self, size: int = -1) -> bytes:
        assert 0 < size <= 1 << 20
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.EIO, "broken")
        return b"x"


def test_no_more_is_read_than_is_needed_to_refuse() -> None:
    stream = Trickle(9)
    with pytest.raises(FileProblem, match="larger than `most` allows"):
        read_bounded(stream, "x", "most", 5)  # type: ignore[arg-type]
    assert stream.good - stream.left == 6
    assert read_bounded(io.BytesIO(b"12345"), "x", "most", 5) == b"12345"
    large = bytes(3 << 20)
    assert read_bounded(io.BytesIO(large), "x", "most", len(large)) == large
    with pytest.raises(FileProblem, match="`x` cannot be read") as caught:
        read_bounded(Trickle(3), "x", "most", 5)  # type: ignore[arg-type]
    assert caught.value.code == "file_unreadable"


def test_a_root_may_be_a_file_or_missing(project: Path) -> None:
    roots = (str(project.parent / "secret"), str(project.parent / "gone"))
    files = DiskFiles(roots, cwd=str(project))
    assert files.read("../secret") == b"secret"
    assert refusal(files, "../secret/x").message.startswith("`../secret/x` does not exist")
    assert refusal(files, "../gone/x").message == "`../gone/x` does not exist"
    (project.parent / "gone2").touch()
    problem = refusal(files, "../gone")
    assert (problem.message, problem.hint) == ("`../gone` does not exist", None)
    (project.parent / "secret").unlink()
    os.mkfifo(project.parent / "secret")
    assert refusal(files, "../secret").message == "`../secret` is a named pipe, not a file"
    assert refusal(files, "../project-evil/c.yaml").code == "file_not_allowed"


def test_files_are_confined_where_folders_cannot_be_walked(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_WALKS", False)
    files = DiskFiles(cwd=str(project))
    assert files.read("sub/b.yaml") == b"b"
    assert refusal(files, "../secret").code == "file_not_allowed"
    assert refusal(files, "a.yml").hint == "did you mean `a.yaml`?"
    assert refusal(files, "sub").message == "`sub` is a folder, not a file"

    def refuse(*arguments: object) -> int:
        raise PermissionError(errno.EACCES, "no")

    # what Windows says of a folder
    monkeypatch.setattr(os, "open", refuse)
    assert refusal(files, "sub").message == "`sub` is a folder, not a file"
    assert "permission denied" in refusal(files, "a.yaml").message


def test_a_working_directory_that_is_gone_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(FileProblem, match="the working directory no longer exists") as caught:
        DiskFiles()
    assert caught.value.code == "file_unreadable"
    assert DiskFiles(cwd=str(tmp_path)).cwd() == str(tmp_path)


@pytest.mark.parametrize(
    ("path", "base", "shown"),
    [
        ("a.yaml", None, "a.yaml"),
        ("./x/../a.yaml", None, "a.yaml"),
        ("b.yaml", "sub", "sub/b.yaml"),
        ("{here}/a.yaml", None, "a.yaml"),
        (".", None, "{here}"),
        ("../secret", None, "{up}/secret"),
        ("../project-evil/c", None, "{up}/project-evil/c"),
        ("a\0/../b", None, "b"),
        ("link/../a", None, "{up}/a"),
    ],
)
def test_paths_for_people(project: Path, path: str, base: str | None, shown: str) -> None:
    (project / "link").symlink_to(project.parent / "project-evil")
    places = {"here": os.path.realpath(project), "up": os.path.realpath(project.parent)}
    files = DiskFiles(cwd=str(project))
    assert files.shown(path.format(**places), base) == shown.format(**places)


@as_user
def test_permissions_are_told(project: Path) -> None:
    (project / "a.yaml").chmod(0)
    problem = refusal(DiskFiles(cwd=str(project)), "a.yaml")
    assert problem.code == "file_unreadable"
    assert "permission" in problem.message


@as_user
@pytest.mark.skipif(not hasattr(os, "O_PATH"), reason="folders must be listed to be walked through")
def test_a_folder_that_may_only_be_searched_is_walked_through(project: Path) -> None:
    (project / "sub").chmod(0o311)
    files = DiskFiles(cwd=str(project))
    assert files.read("sub/b.yaml") == b"b"
    assert refusal(files, "sub/bb.yaml").hint is None
    (project / "sub").chmod(0o755)


def test_reads_are_listed_once_and_in_order(project: Path) -> None:
    files = DiskFiles((str(project.parent / "project-evil"),), cwd=str(project))
    for path in ("sub/b.yaml", "a.yaml", "./sub/b.yaml", "../project-evil/c.yaml"):
        files.read(path)
    refusal(files, "missing")
    refusal(files, "../secret")
    files.open_input("../secret")
    assert files.reads == [
        "sub/b.yaml",
        "a.yaml",
        os.path.realpath(project.parent / "project-evil" / "c.yaml"),
        "missing",
        os.path.realpath(project.parent / "secret"),
    ]


def test_what_the_user_names_is_not_confined(project: Path) -> None:
    files = DiskFiles(cwd=str(project))
    assert files.open_input("../secret") == b"secret"
    assert files.open_input("/dev/null") == b""
    os.mkfifo(project / "pipe")
    writer = threading.Thread(target=(project / "pipe").write_bytes, args=(b"piped",))
    writer.start()
    assert files.open_input("pipe") == b"piped"
    writer.join()
    with pytest.raises(FileProblem, match="`sub` is a folder"):
        files.open_input("sub")
    with pytest.raises(FileProblem) as caught:
        files.open_input("a.yml")
    assert caught.value.hint == "did you mean `a.yaml`?"
    assert files.reads == [os.path.realpath(project.parent / "secret"), "a.yml"]


def test_standard_input_is_named(project: Path) -> None:
    files = DiskFiles(cwd=str(project), limits=Limits(max_input_bytes=3))
    (project / "given").write_bytes(b"123")
    (project / "large").write_bytes(b"1234")
    before = os.dup(0)
    try:
        for name in ("given", "large"):
            with open(project / name, "rb") as stream:
                os.dup2(stream.fileno(), 0)
            if name == "given":
                assert files.open_input("/dev/stdin") == b"123"
        with pytest.raises(FileProblem, match="`<stdin>` is larger than `max_input_bytes`"):
            files.open_input("/dev/stdin")
        os.close(0)
        with pytest.raises(FileProblem, match="standard input cannot be read: it is closed"):
            files.open_input("/dev/stdin")
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_a_file_of_a_cache_is_read_when_it_may_be_trusted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, real = project / "a.yaml", os.fstat
    os.mkfifo(project / "pipe")
    assert read_kept(str(kept), 1) == b"a"
    for name in ("none", "sub", "pipe", "a\0b", "a.yaml/b"):
        assert read_kept(f"{project}/{name}", 9) is None
    kept.write_bytes(b"ab")
    assert read_kept(str(kept), 1) is None
    owners = {0: b"ab", os.geteuid(): b"ab", os.geteuid() + 1: None}
    for owner, data in owners.items():

        def fstat(descriptor: int, owner: int = owner) -> os.stat_result:
            found = real(descriptor)
            return os.stat_result((*found[:4], owner, *found[5:10]))

        with monkeypatch.context() as patch:
            patch.setattr(os, "fstat", fstat)
            assert read_kept(str(kept), 2) == data
    with monkeypatch.context() as patch:
        patch.delattr(os, "geteuid")  # where files have no owners
        assert read_kept(str(kept), 2) == b"ab"


@pytest.mark.slow
def test_a_folder_that_becomes_a_link_does_not_let_anyone_out(project: Path) -> None:
    outside = project.parent / "outside"
    outside.mkdir()
    (outside / "b.yaml").write_text("outside", "utf-8")
    (project / "way").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(project / "sub", project / "kept")
            os.rename(project / "way", project / "sub")
            os.rename(project / "sub", project / "way")
            os.rename(project / "kept", project / "sub")

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(3000):
            try:
                seen.add(DiskFiles(cwd=str(project)).read("sub/b.yaml"))
            except FileProblem as problem:
                seen.add(problem.code.encode())
    finally:
        stop.set()
        swapper.join()
    assert b"outside" not in seen
    assert b"b" in seen


def test_no_descriptor_is_left_open(project: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files cannot be counted here")
    files = DiskFiles(cwd=str(project))
    before = len(os.listdir("/proc/self/fd"))
    files.read("sub/b.yaml")
    for path in ("missing", "sub", "sub/x/y", "../secret"):
        refusal(files, path)
    assert len(os.listdir("/proc/self/fd")) == before


# --- in memory ----------------------------------------------------------------------------------


def test_files_in_memory() -> None:
    files = MemoryFiles({"a.yaml": "ä", "sub/b.yaml": b"b", "/else/c": "c"}, cwd="/srv")
    assert files.read("a.yaml") == "ä".encode()
    assert files.read("b.yaml", "sub") == files.read("../srv/sub/b.yaml") == b"b"
    assert files.open_input("/else/c") == b"c"
    assert files.resolve("./x/../a.yaml") == "/srv/a.yaml"
    assert files.reads == ["a.yaml", "sub/b.yaml", "/else/c"]
    assert files.with_roots("/") is files
    assert refusal(files, "a.yml").hint == "did you mean `a.yaml`?"
    assert refusal(files, "").code == "file_not_found"


def test_files_in_memory_have_a_root() -> None:
    names = ("a.yml", "sub/b.yml", "sub/deep/c.yml", "sub/.git/d.yml", "sub/e.txt", "subs/f.yml")
    files = MemoryFiles(dict.fromkeys(names, ""))
    assert files.cwd() == "/"

    def wanted(name: str) -> bool:
        return name.endswith(".yml")

    assert files.below("/", wanted) == ["a.yml", "sub/b.yml", "sub/deep/c.yml", "subs/f.yml"]
    assert files.below("sub", wanted) == files.below("/sub/", wanted) == ["b.yml", "deep/c.yml"]
    assert files.below("su", wanted) == []
    assert [files.exists(path) for path in ("a.yml", "/sub/../a.yml", "b.yml", "sub")] == [
        True,
        True,
        False,
        False,
    ]
    assert refusal(files, "sub/bb.yml").hint == "did you mean `b.yml`?"
    assert (refusal(files, "e.tx").hint, refusal(files, "e.tx", "sub").hint) == (
        None,
        "did you mean `e.txt`?",
    )
    assert refusal(files, "x", "sub").message == "`x` does not exist"
    assert files.reads == ["sub/bb.yml", "e.tx", "sub/e.tx", "sub/x"]
    refusal(files, "/sub/bb.yml")
    assert len(files.reads) == 4
    below = MemoryFiles({"a": ""}, cwd="w/x/..")
    assert (below.cwd(), below.resolve("a")) == ("/w", "/w/a")
    assert [below.shown(path) for path in ("a", "/w/a", "/w", "/a", "../a", ".")] == [
        "a",
        "a",
        "/w",
        "/a",
        "/a",
        "/w",
    ]
    assert refusal(below, "x" * 5000).message == "the path is too long for any file"


# --- text ---------------------------------------------------------------------------------------


def test_text_is_utf8_without_a_mark() -> None:
    assert decode_text("grün\r\n".encode(), "x") == "grün\r\n"
    assert decode_text(b"\xef\xbb\xbfa: 1", "x") == "a: 1"
    assert decode_text(b"", "x") == ""


@pytest.mark.parametrize(
    ("data", "words", "place"),
    [
        (b"a\nb \xff c", "byte 5, in line 2, is 0xFF", "x:2:3"),
        (b"\xef\xbb\xbf\xc3", "byte 4, in line 1, is 0xC3", "x:1:1"),
        ("ä\n".encode() + b"\xed\xa0\x80", "byte 4, in line 2, is 0xED", "x:2:1"),
        ("a: 1".encode("utf-16"), "`x` is written in UTF-16", "x:1:1"),
        ("a: 1".encode("utf-32"), "`x` is written in UTF-32", "x:1:1"),
        (b"\xfe\xff\0a", "`x` is written in UTF-16", "x:1:1"),
        ("\ufeff日本".encode("utf-16-le"), "`x` is written in UTF-16", "x:1:1"),
        ("\ufeff日本".encode("utf-16-be"), "`x` is written in UTF-16", "x:1:1"),
    ],
)
def test_other_encodings_are_named(data: bytes, words: str, place: str) -> None:
    with pytest.raises(FileProblem) as caught:
        decode_text(data, "x")
    problem = caught.value
    assert problem.code == "invalid_utf8"
    assert words in problem.message
    assert str(problem.span) == place
    assert problem.span is not None
    first = problem.message.startswith("`x` is written in")
    assert problem.span.end - problem.span.start == (0 if first else 1)
    # nothing of it can be quoted
    assert (problem.span.source.text == "") is first
    assert problem.hint == "save it as UTF-8"
