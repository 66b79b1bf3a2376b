"""`bpp cache`: what the cache on this machine holds, and removing it."""

from __future__ import annotations

import json
import re
from typing import Final

from ..engine.options import Options
from ..values.terminal import visible
from ..world.writing import kept_in, remove_kept
from .streams import write_out, write_raw
from .usage import HISTORY, cache_folder

_KINDS: Final = {
    "expressions": re.compile(r"shapes-[0-9a-f]{8}"),
    "builds": re.compile(r"builds/(?:key|[0-9a-f]{32}\.index|results/[0-9a-f]{2}/[0-9a-f]+)"),
    "fetched": re.compile(r"fetched/[0-9a-f]{2}/[0-9a-f]{64}"),
    "history": re.compile(re.escape(HISTORY)),
}
"""What bpp keeps, by the paths of its files; nothing else in the folder is counted or removed."""


def run_cache(options: Options) -> int:
    """The exit status of `bpp cache`."""
    folder = cache_folder()
    if folder is None and options.format != "json":
        write_out(
            "the cache is off: BPP_NO_CACHE is set, or others may write to the cache folder\n"
        )
        return 0
    kinds = _found(folder)
    if options.name == "clear":
        files = [name for kind in kinds.values() for name in kind]
        removed = remove_kept(folder, files) if folder is not None else 0
        size = sum(sum(kind.values()) for kind in kinds.values())
        if options.format == "json":
            write_raw(json.dumps({"path": folder, "removed": removed}) + "\n")
        else:
            write_out(f"{_counted(removed)} removed, {_sized(size)}\n")
        return 0
    if options.format == "json":
        told = {name: {"files": len(k), "bytes": sum(k.values())} for name, k in kinds.items()}
        write_raw(json.dumps({"path": folder, "kinds": told}, indent=2) + "\n")
        return 0
    width = max(map(len, kinds))
    lines = [visible(str(folder))]
    for name, kind in kinds.items():
        lines.append(
            f"  {name:{width}}  {_counted(len(kind)):>12}  {_sized(sum(kind.values())):>10}"
        )
    write_out("".join(f"{line}\n" for line in lines))
    return 0


def _found(folder: str | None) -> dict[str, dict[str, int]]:
    """The files of each kind with their sizes; no files if the cache is off."""
    kinds: dict[str, dict[str, int]] = {name: {} for name in _KINDS}
    for path, size in kept_in(folder) if folder is not None else ():
        for name, pattern in _KINDS.items():
            if pattern.fullmatch(path):
                kinds[name][path] = size
    return kinds


def _counted(count: int) -> str:
    return f"{count:,} file" if count == 1 else f"{count:,} files"


def _sized(size: int) -> str:
    return f"{size / 1024:,.1f} KiB" if size < 1024**2 else f"{size / 1024**2:,.1f} MiB"
