"""Reading files: what is confined where, and what is said about what cannot be read."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path

import pytest
from bpp.pipeline.files import DiskFiles, FileProblem, Files, decode_text
from bpp.pipeline.memory_files import MemoryFiles
from bpp.pipeline.settings import Limits

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
    assert problem.hint is not None
    assert "--allow-path" in problem.hint
    assert files.reads == []


def test_whether_something_exists_outside_is_not_told(project: Path) -> None:
    files = DiskFiles(cwd=str(project))
    told = {refusal(files, f"../{name}").message.replace(name, "x") for name in ("secret", "none")}
    assert len(told) == 1


@pytest.mark.parametrize("target", ["../secret", "../none", "..", "/etc/passwd"])
def test_links_that_lead_outside_are_refused(project: Path, target: str) -> None:
    (project / "link").symlink_to(target)
    problem = refusal(DiskFiles(cwd=str(project)), "link")
    assert problem.code == "file_not_allowed"
    assert "link" in problem.message


def test_links_inside_are_followed(project: Path) -> None:
    (project / "file").symlink_to("sub/b.yaml")
    (project / "folder").symlink_to(project / "sub")
    files = DiskFiles(cwd=str(project))
    assert files.read("file") == files.read("folder/b.yaml") == b"b"


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
        files = DiskFiles(cwd=str(project)).with_roots("/dev")
        assert refusal(files, "sub").message == "`sub` is a folder, not a file"
        assert refusal(files, ".").message == "`.` is a folder, not a file"
        assert refusal(files, "pipe").message == "`pipe` is a named pipe, not a file"
        assert refusal(files, "/dev/null").message == "`/dev/null` is a device, not a file"
        for path in ("sub", ".", "pipe", "round", "socket", "/dev/zero"):
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


@as_user
def test_permissions_are_told(project: Path) -> None:
    (project / "a.yaml").chmod(0)
    problem = refusal(DiskFiles(cwd=str(project)), "a.yaml")
    assert problem.code == "file_unreadable"
    assert "permission" in problem.message


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
    ],
)
def test_other_encodings_are_named(data: bytes, words: str, place: str) -> None:
    problem = decode_text(data, "x")
    assert isinstance(problem, FileProblem)
    assert problem.code == "invalid_utf8"
    assert words in problem.message
    assert str(problem.span) == place
