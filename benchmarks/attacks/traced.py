"""What a plain render asks of the system: no socket, no other program, no file elsewhere.

`strace` watches a whole `bpp render`; each file that it opened is held against the project, the
cache and what Python itself is made of. A second render asks for the time, a file, and a child.

    python -m benchmarks.attacks.traced
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import bpp.pipeline

CALLS = "socket,connect,execve,execveat,fork,vfork,clone,clone3,open,openat,openat2,creat"
_LINE = re.compile(r"(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)(?:<(.*)>)?")
_LIBRARY = re.compile(r"(?:/usr)?/lib(?:32|64)?/.*\.so(?:\.[0-9]+)*")

PLAIN = """\
version: 2023-04-20
variables:
  name: {type: string, default: api}
resources:
  one: {type: a/b, spec: {name: "${variables.name}-${to_upper(variables.name)}"}}
"""
FULLER = """\
version: 2023-04-20
include:
  child: {path: child.yaml}
values:
  text: {type: string, value: "${utf8(file(\\"data/text\\"))}"}
  time: {type: string, value: "${datetime(\\"rfc3339\\")}"}
  id: {type: string, value: "${uuid()}"}
resources:
  one: {type: a/b, spec: {name: "${values.text}", id: "${values.id}", at: "${values.time}"}}
"""
RENDERS: Mapping[str, tuple[str, ...]] = {
    "plain": ("plain.yaml", "-o", "out/plain.yaml"),
    "fuller": ("fuller.yaml", "--format", "json", "-o", "out/fuller.json"),
}


class Trace:
    """What one process and its children did, by the calls that `strace` wrote down."""

    def __init__(self, text: str) -> None:
        found = [match for line in text.splitlines() if (match := _LINE.match(line))]
        self.sockets = [m[2] for m in found if m[1] in ("socket", "connect")]
        self.programs = [m[2] for m in found if m[1].startswith("exec") and m[3] == "0"]
        self.processes = [m[2] for m in found if re.match("v?fork|clone", m[1]) and m[3] != "-1"]
        self.opened = {m[4] for m in found if m[1].startswith(("open", "creat")) and m[4]}

    def elsewhere(self, *folders: str) -> list[str]:
        """The opened files that lie in none of the folders and are no shared libraries."""
        real = [os.path.realpath(folder).rstrip("/") + "/" for folder in folders]
        return sorted(
            path
            for path in self.opened
            if not f"{path}/".startswith(tuple(real)) and not _LIBRARY.fullmatch(path)
        )


def trace(command: list[str], folder: Path, environment: Mapping[str, str]) -> Trace:
    """Runs a command in a folder under `strace`."""
    log = folder.parent / "trace"
    subprocess.run(
        ["strace", "-f", "-y", "-s", "4096", "-e", f"trace={CALLS}", "-o", log, *command],
        cwd=folder,
        env=dict(environment),
        check=True,
    )
    return Trace(log.read_text("utf-8", "replace"))


def python_folders() -> list[str]:
    """Where Python, its packages and bpp are."""
    paths = sysconfig.get_paths()
    ours = [os.path.dirname(next(iter(bpp.pipeline.__path__)))]
    return [*ours, *(paths[k] for k in ("stdlib", "platstdlib", "purelib", "platlib", "scripts"))]


def problems(folder: Path) -> Iterator[str]:
    """What the renders did that they should not; `folder` is for the project and the cache."""
    project = folder / "project"
    (project / "data").mkdir(parents=True)
    (project / "out").mkdir()
    for name, text in {"plain.yaml": PLAIN, "fuller.yaml": FULLER, "child.yaml": PLAIN}.items():
        (project / name).write_text(text)
    (project / "data" / "text").write_text("text\n")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("BPP_", "PYTHON"))}
    cache = folder / "cache"
    command = shutil.which("bpp", path=sysconfig.get_path("scripts")) or "bpp"
    bare = trace([sys.executable, "-c", "pass"], project, kept)
    own = [*python_folders(), *bare.opened]
    for name, arguments in RENDERS.items():
        for setting in ({"BPP_NO_CACHE": "1"}, {"BPP_CACHE_DIR": str(cache)}):
            done = trace([command, "render", *arguments], project, {**kept, **setting})
            title = f"{name} ({next(iter(setting))})"
            elsewhere = done.elsewhere(str(project), str(cache), *own)
            cached = done.elsewhere(str(project), *own) != elsewhere
            print(
                f"{title}: {len(done.sockets)} sockets, {len(done.programs) - 1} other programs, "
                f"{len(done.processes)} other processes, {len(done.opened)} files opened, "
                f"{len(elsewhere)} elsewhere"
            )
            if f"{project}/{arguments[0]}" not in {os.path.realpath(p) for p in done.opened}:
                yield f"{title}: the trace does not show the blueprint"
            if cached and "BPP_NO_CACHE" in setting:
                yield f"{title}: a cache was used"
            for what in (done.sockets, done.programs[1:], done.processes, elsewhere):
                yield from (f"{title}: {item}" for item in what)


def main() -> int:
    """Prints the figures; status 1 when something was asked for that should not be."""
    if shutil.which("strace") is None:
        print("strace is not installed")
        return 2
    with tempfile.TemporaryDirectory(prefix="bpp-traced-") as folder:
        found = list(problems(Path(os.path.realpath(folder))))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
