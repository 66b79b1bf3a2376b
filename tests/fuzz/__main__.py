"""`python -m tests.fuzz`: random inputs until a count or a time is reached.

Prints the seed, and how many inputs of each target were tried. An input that breaks a law is made
smaller, printed and saved in the corpus, once for each kind of break. Workers are processes, so
that one that dies is a finding too. Exit status 1 when something was found.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from .runner import Finding, save
from .targets import TARGETS
from .workers import Task, work


def main() -> int:
    """Runs and reports."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--count", type=int, help="inputs for each target")
    parser.add_argument("--seconds", type=float, default=60.0, help="for all of them (60)")
    parser.add_argument("--seed", type=int, help="repeats an earlier run")
    parser.add_argument("--start", type=int, default=0, help="the number of the first input")
    parser.add_argument("--jobs", type=int, default=1, help="processes side by side (1)")
    options = parser.parse_args()
    names = options.targets or [name for name, target in TARGETS.items() if target.share]
    unknown = [name for name in names if name not in TARGETS]
    if unknown:
        parser.error(f"there is no target {unknown[0]}; there are {', '.join(TARGETS)}")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
    say(f"seed {seed}")
    shares = {name: TARGETS[name].share or 1.0 for name in names}
    kinds: Counter[tuple[str, str]] = Counter()
    tried: Counter[str] = Counter()
    begin = time.monotonic()
    for name in names:
        share = shares[name] / sum(shares.values())
        seconds = None if options.count else options.seconds * share
        last = options.start + options.count if options.count else None
        once = time.monotonic()
        for answer in work(Task(name, seed, options.start, last, seconds, options.jobs)):
            if isinstance(answer, Finding):
                tell(answer, kinds)
            else:
                tried[name] += answer
        say(f"{name}: {tried[name]:,} inputs in {time.monotonic() - once:.0f} s")
    found = sum(kinds.values())
    total, taken = sum(tried.values()), time.monotonic() - begin
    say(f"{total:,} inputs in {taken:.0f} s, seed {seed}: {found} findings")
    for (name, kind), times in kinds.most_common():
        say(f"  {name}: {times} times {kind}")
    return 1 if found else 0


def tell(finding: Finding, kinds: Counter[tuple[str, str]]) -> None:
    """Prints and saves the first finding of a kind, counts the others."""
    key = (finding.target, finding.kind)
    kinds[key] += 1
    if kinds[key] > 1:
        return
    file = save(finding)
    say(f"{finding.target}: input {finding.number} of seed {finding.seed}, saved as {file}")
    say(f"  {finding.data[:400]!r}")
    say("  " + finding.told.strip().replace("\n", "\n  "))


def say(text: str) -> None:
    """A line on standard output, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
