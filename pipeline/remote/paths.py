"""Paths inside a remote source, which no path can leave."""

from __future__ import annotations

from typing import Final

from .problems import RemoteProblem

_MAX_CHARS: Final = 1024


def joined(folder: str, path: str) -> str:
    """A path as its source knows it: one with `/` in front starts at the root, others at a folder.

    Raises:
        RemoteProblem: `remote_address_invalid` for what leads out of the source or is no path.
    """
    if len(path) > _MAX_CHARS:
        raise _invalid(f"its path is longer than {_MAX_CHARS} characters", None)
    if not path.isprintable() or "\\" in path:
        raise _invalid("its path has a character that no such path may have", None)
    parts = [] if path.startswith("/") else [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise _invalid(
                    "its path leads out of the source that it starts in",
                    "a source is a bucket, a container, a host, or what is below its `url`",
                )
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts or path.endswith(("/", "/.", "/..")) or path in (".", ".."):
        raise _invalid("its path names a folder, not a file", None)
    return "/".join(parts)


def folder_of(path: str) -> str:
    """The folder of a path inside a source; empty for its root."""
    return path.rpartition("/")[0]


def _invalid(why: str, hint: str | None) -> RemoteProblem:
    return RemoteProblem("remote_address_invalid", why, hint, "path")
