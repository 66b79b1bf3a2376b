"""`python -m benchmarks.growth [WORD...]`: how the time of a render grows with its input.

Each shape is rendered at 40 KB and at 640 KB, and its answer written, output or report. With
exponent 1 the time grows as the input does, with 2 as its square; printed is the exponent of the
CPU time, from the best of several runs, without what a blueprint of no size takes. Words choose the
shapes whose names hold one of them. Exit status 1 when an exponent is above the bound.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import sys
from math import log
from time import process_time

import attrs
from bpp.pipeline import Source, render
from bpp.pipeline.cli.report import render as report

from .growing_expressions import EXPRESSIONS
from .growing_inputs import COMMENTED, HEAD, JSON, TAIL, YAML, Make

SMALL, LARGE = 40_000, 640_000
BOUND = 1.2
NOTICED = 0.05
"""CPU seconds for the large text below which nobody would notice how they grow."""


@attrs.frozen
class Growth:
    """What one shape took: seconds for both sizes, and the exponent."""

    name: str
    small: float
    large: float
    exponent: float

    @property
    def steep(self) -> bool:
        """Whether it grows faster than it should, and takes long enough for that to matter."""
        return self.exponent > BOUND and self.large > NOTICED


def shapes() -> dict[str, tuple[str, Make]]:
    """All shapes by name, each with its format."""
    found: dict[str, tuple[str, Make]] = {}
    for title, kind, makers in (
        ("YAML", "yaml", YAML),
        ("JSON", "json", JSON),
        ("JSON with comments", "json", COMMENTED),
        ("expressions", "yaml", EXPRESSIONS),
    ):
        found |= {f"{title}: {name}": (kind, make) for name, make in makers.items()}
    return found


def answer(text: str, kind: str) -> str:
    """What somebody who renders a text sees, output or report."""
    run = render(Source(f"growth.{kind}", text, kind))
    if run.ok:
        return run.text("yaml")
    return report(run.diagnostics, "text", color=False, main_file=f"growth.{kind}")


def seconds(text: str, kind: str, runs: int) -> float:
    """CPU seconds of the quickest of some runs, with the collector off as on the command line."""
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        gc.disable()
        begin = process_time()
        answer(text, kind)
        best = min(best, process_time() - begin)
        gc.enable()
        if best > 5:
            break
    return best


def calls(text: str, kind: str) -> int:
    """How many calls of functions an answer takes: a count that knows no noise."""
    profile = cProfile.Profile()
    profile.runcall(answer, text, kind)
    return sum(entry.callcount for entry in profile.getstats())


def growth(name: str, kind: str, make: Make, runs: int) -> Growth:
    """The growth of one shape."""
    small, large = make(SMALL), make(LARGE)
    nothing = seconds(HEAD + TAIL, "yaml", 5)
    first = seconds(small, kind, runs + 2) - nothing
    last = seconds(large, kind, runs) - nothing
    # a text that is answered at once, at any size, has no growth
    first, last = max(first, 1e-4), max(last, 1e-4)
    return Growth(name, first, last, log(last / first) / log(len(large) / len(small)))


def main(arguments: list[str] | None = None) -> int:
    """Prints the growth of every shape; 1 when one is too steep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("words", metavar="WORD", nargs="*", help="part of the names of shapes")
    parser.add_argument("--runs", type=int, default=3, help="runs of which the best counts")
    options = parser.parse_args(arguments)
    print(f"{'':<48}{'40 KB ms':>10} {'640 KB ms':>10} {'exponent':>9}")
    steep = []
    for name, (kind, make) in shapes().items():
        if options.words and not any(word in name for word in options.words):
            continue
        one = growth(name, kind, make, options.runs)
        if one.steep:
            # a busy moment of the machine looks the same, so it is looked at again
            again = growth(name, kind, make, options.runs + 2)
            one = min(one, again, key=lambda found: found.exponent)
        mark = "  above the bound" if one.steep else ""
        figures = f"{one.small * 1e3:10.1f} {one.large * 1e3:10.1f} {one.exponent:9.2f}"
        print(f"{name:<48}{figures}{mark}", flush=True)
        steep += [name] if one.steep else []
    print(f"{len(steep)} above {BOUND}, of those that take more than {NOTICED * 1e3:g} ms")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
