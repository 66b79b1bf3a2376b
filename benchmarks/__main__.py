"""`python -m benchmarks [COUNT...]`: bpp against rjsonnet, start-up times and other shapes.

Every program runs as a whole process, in turn with the others, after its output was compared with
what the workload means. Figures are the median wall time and CPU time of the counted runs, the peak
memory, and the ratio of CPU times. Needs the extra `bench` and an installed `bpp`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from . import shapes, workload

WORK = Path(__file__).parent / "work"
RUNS = 5
JSONNET = "import rjsonnet, sys; sys.stdout.write(rjsonnet.evaluate_file(sys.argv[1]))"


def main() -> int:
    """Prints the table; 1 when an output is not what the workload means."""
    counts = [int(argument) for argument in sys.argv[1:]] or [10, 100, 1000]
    bpp = shutil.which("bpp", path=str(Path(sys.executable).parent)) or "bpp"
    start = {"python -c pass": [sys.executable, "-c", "pass"], "bpp --version": [bpp, "--version"]}
    print_table("start-up", measure(start), "python -c pass")
    for count in counts:
        folder = WORK / str(count)
        workload.write(count, folder)
        source = str(folder / "blueprint.yaml")
        programs = {
            "rjsonnet": [sys.executable, "-c", JSONNET, str(folder / "main.jsonnet")],
            "bpp": [bpp, "render", source],
            "bpp, no cache": ["env", "BPP_NO_CACHE=1", bpp, "render", source],
        }
        wanted = workload.expected(count)
        for name, command in programs.items():
            as_json = [*command, "--format", "json"] if name != "rjsonnet" else command
            text = subprocess.run(as_json, check=True, capture_output=True).stdout
            if json.loads(text)["resources"] != wanted:
                sys.stderr.write(f"{name} prints something else for {count} resources\n")
                return 1
        print_table(f"{count} resources", measure(programs), "rjsonnet")
    return other_shapes(bpp) or what_else(bpp, min(counts, key=lambda count: abs(count - 1000)))


def other_shapes(bpp: str) -> int:
    """Prints the table of the other shapes; 1 when an output is not what it should be."""
    programs = {"python -c pass": [sys.executable, "-c", "pass"]}
    for name, (path, wanted) in shapes.write(WORK / "shapes").items():
        programs[name] = [bpp, "render", str(path)]
        if (
            wanted
            not in subprocess.run(programs[name], check=True, capture_output=True, text=True).stdout
        ):
            sys.stderr.write(f"bpp prints something else for {name}\n")
            return 1
    print_table("other shapes", measure(programs), "python -c pass")
    return 0


def what_else(bpp: str, count: int) -> int:
    """Prints what a source map and mistakes cost, against the plain render."""
    folder = WORK / str(count)
    source = str(folder / "blueprint.yaml")
    mistakes = str(shapes.failing(folder / "blueprint.yaml", folder))
    programs = {
        "plain": [bpp, "render", source],
        "with source map": [bpp, "render", source, "--source-map", os.devnull],
        "with mistakes": ["sh", "-c", '"$0" render "$1" 2>/dev/null; test $? = 1', bpp, mistakes],
    }
    print_table(f"{count} resources, and what else is asked", measure(programs), "plain")
    return 0


def measure(programs: dict[str, list[str]]) -> dict[str, tuple[float, float, float]]:
    """Median wall seconds, median CPU seconds and peak megabytes of each, run in turn."""
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in programs}
    for turn in range(RUNS + 1):
        for name, command in programs.items():
            figures = run(command)
            if turn:  # the first turn only warms up
                taken[name].append(figures)
    return {
        name: (
            median(f[0] for f in figures),
            median(f[1] for f in figures),
            max(f[2] for f in figures),
        )
        for name, figures in taken.items()
    }


def run(command: list[str]) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak megabytes of one process."""
    begin = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with status {process.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def print_table(title: str, figures: dict[str, tuple[float, float, float]], base: str) -> None:
    """One line a program."""
    print(f"\n{title}\n{'':16} {'wall ms':>9} {'CPU ms':>9} {'peak MB':>9} {'CPU ratio':>10}")
    for name, (wall, cpu, memory) in figures.items():
        ratio: Any = cpu / figures[base][1]
        print(f"{name:16} {wall * 1000:9.1f} {cpu * 1000:9.1f} {memory:9.1f} {ratio:10.2f}")


if __name__ == "__main__":
    sys.exit(main())
