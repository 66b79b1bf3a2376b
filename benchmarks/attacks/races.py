"""Reads that race with somebody who swaps files and folders for links: `--count` reads, 0 escapes.

Another process turns a folder on the way, and the file itself, into symbolic links that lead out of
the root, and the file into a pipe, as fast as it can. A reader that asks `realpath` and opens then
runs beside as a control: it is let out, so the race is a real one.

    python -m benchmarks.attacks.races [--count 200000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bpp.pipeline.world.files import DiskFiles, FileProblem

INSIDE = b"inside"
OUTSIDE = b"outside"
PATHS = ("way/file", "leaf", "deep/way/file")

_SWAPPER = """
import os, sys
os.chdir(sys.argv[1])
pairs = [("way", "way-link"), ("leaf", "leaf-link"), ("deep/way", "deep/way-link"),
         ("leaf", "leaf-pipe")]
while True:
    for one, other in pairs:
        os.rename(one, "kept"); os.rename(other, one)
        os.rename(one, other); os.rename("kept", one)
"""


def prepare(folder: Path) -> Path:
    """A root with what is swapped, beside a folder that nothing may be read from."""
    root, outside = folder / "root", folder / "outside"
    for place in (root / "way", root / "deep" / "way", outside):
        place.mkdir(parents=True)
    for file in (root / "way" / "file", root / "deep" / "way" / "file", root / "leaf"):
        file.write_bytes(INSIDE)
    (outside / "file").write_bytes(OUTSIDE)
    (root / "way-link").symlink_to(outside)
    (root / "deep" / "way-link").symlink_to("../../outside")
    (root / "leaf-link").symlink_to(outside / "file")
    os.mkfifo(root / "leaf-pipe")
    return root


@contextmanager
def swapping(root: Path) -> Iterator[None]:
    """Somebody who swaps, in a process of their own."""
    process = subprocess.Popen([sys.executable, "-c", _SWAPPER, str(root)])
    try:
        time.sleep(0.1)
        yield
    finally:
        process.kill()
        process.wait()


def race(read: Callable[[str], bytes], count: int) -> Counter[str]:
    """What so many reads gave: `inside`, `outside`, or the code of a problem."""
    seen: Counter[str] = Counter()
    for number in range(count):
        try:
            seen[read(PATHS[number % len(PATHS)]).decode()] += 1
        except FileProblem as problem:
            seen[problem.code] += 1
        except OSError:
            seen["error"] += 1
    return seen


def naive_reader(root: Path) -> Callable[[str], bytes]:
    """What looks safe and is not: the real path is checked, and then opened."""
    real_root = os.path.realpath(root)

    def read(path: str) -> bytes:
        real = os.path.realpath(root / path)
        if os.path.commonpath([real, real_root]) != real_root:
            raise FileProblem("file_not_allowed", "outside")
        # a pipe must not hold up the control
        descriptor = os.open(real, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return os.read(descriptor, 100)
        finally:
            os.close(descriptor)

    return read


def run(count: int) -> tuple[Counter[str], Counter[str]]:
    """What our reader was given and what the control was given."""
    with tempfile.TemporaryDirectory(prefix="bpp-races-") as folder:
        root = prepare(Path(folder))
        with swapping(root):
            ours = race(DiskFiles(cwd=str(root)).read, count)
            control = race(naive_reader(root), max(count // 10, 1))
    return ours, control


def main() -> int:
    """Prints the figures; status 1 for an escape."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=200_000, help="how many reads")
    count = parser.parse_args().count
    ours, control = run(count)
    print(f"{count} reads, {ours['outside']} escapes  {dict(ours)}")
    print(f"control: {sum(control.values())} reads, {control['outside']} escapes  {dict(control)}")
    return 1 if ours["outside"] else 0


if __name__ == "__main__":
    sys.exit(main())
