"""What is said of files that cannot be read or written."""

from __future__ import annotations

import errno
import os
import stat

import pytest
from bpp.pipeline.world.file_problems import (
    FileProblem,
    check_length,
    opening_problem,
    raise_no_file,
    reading_problem,
    writing_problem,
)

TOO_LONG = "the path is too long for any file"
FULL = "nothing was replaced"


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (errno.ENOENT, "file_not_found", "`a` does not exist"),
        (errno.EACCES, "file_unreadable", "`a` cannot be read (permission denied)"),
        (errno.EPERM, "file_unreadable", "`a` cannot be read (permission denied)"),
        (errno.EISDIR, "file_unreadable", "`a` is a folder"),
        (errno.ENOTDIR, "file_not_found", "`a` does not exist: a part of the path is not a folder"),
        (errno.ELOOP, "file_unreadable", "`a` leads through too many links"),
        (errno.ENAMETOOLONG, "file_not_found", TOO_LONG),
        (errno.EIO, "file_unreadable", f"`a` cannot be read ({os.strerror(errno.EIO)})"),
        (None, "file_unreadable", "`a` cannot be read (the system gives no reason)"),
    ],
)
def test_what_is_said_of_reading(number: int | None, code: str, message: str) -> None:
    error = OSError() if number is None else OSError(number, "text of the system")
    for problem in (reading_problem(error, "a"), opening_problem(error, "a")):
        assert (problem.code, problem.message, problem.hint) == (code, message, None)


@pytest.mark.parametrize(
    ("number", "reason", "hint"),
    [
        (errno.ENOENT, "its folder does not exist", None),
        (errno.ENOTDIR, "a part of its path is not a folder", None),
        (errno.EISDIR, "it is a folder", None),
        (errno.EEXIST, "a file of that name exists", None),
        (errno.EACCES, "permission denied", None),
        (errno.EPERM, "permission denied", None),
        (errno.EROFS, "the file system is read-only", None),
        (errno.ENOSPC, "the disk is full", FULL),
        (errno.EDQUOT, "your disk quota is exhausted", FULL),
        (errno.EFBIG, "the file would be too large", FULL),
        (errno.ELOOP, "it leads through too many links", None),
        (errno.EPIPE, "the reader has closed the pipe", None),
        (errno.EIO, os.strerror(errno.EIO), None),
        (None, "the system gives no reason", None),
    ],
)
def test_what_is_said_of_writing(number: int | None, reason: str, hint: str | None) -> None:
    problem = writing_problem(OSError() if number is None else OSError(number, ""), "a")
    assert problem.code == "file_unwritable"
    assert problem.message == f"`a` cannot be written: {reason}"
    assert problem.hint == hint


def test_a_path_that_is_no_path_is_not_quoted_in_full() -> None:
    problem = writing_problem(OSError(errno.ENAMETOOLONG, ""), "x" * 300)
    assert problem.message == f"`{'x' * 80}...` cannot be written: its path is too long"
    assert opening_problem(ValueError(), "a").message == "this is not a valid path"
    assert opening_problem(ValueError(), "a").code == "file_not_found"
    check_length("x" * 4096)
    for path, words in (("", "the path is empty"), ("x" * 4097, TOO_LONG)):
        with pytest.raises(FileProblem) as caught:
            check_length(path)
        assert (caught.value.code, caught.value.message) == ("file_not_found", words)


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (stat.S_IFDIR, "a folder"),
        (stat.S_IFIFO, "a named pipe"),
        (stat.S_IFSOCK, "a socket"),
        (stat.S_IFCHR, "a device"),
        (stat.S_IFBLK, "a device"),
    ],
)
def test_what_is_no_file_is_named(kind: int, what: str) -> None:
    with pytest.raises(FileProblem) as caught:
        raise_no_file("a", kind | 0o644)
    assert (caught.value.code, caught.value.message) == (
        "file_unreadable",
        f"`a` is {what}, not a file",
    )
