"""`python -m benchmarks.attacks.written [--count N] [--seed N]`: what bpp writes, read by others.

Random data, most of it texts that look like something else, is written as YAML and as JSON and read
back by PyYAML (YAML 1.1), by ruamel.yaml (YAML 1.2), by Python's json and by bpp. Prints how many
values came back equal; exit status 1 when one did not.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from tests.fuzz.values import data, nodes, shown
from tests.fuzz.written import differences

_EVERY = 100_000


def main() -> int:
    """Writes and reads until enough values were tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="values (1,000,000)")
    parser.add_argument("--seed", type=int, help="repeats an earlier run")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(10**9)
    rng = random.Random(seed)
    begin = time.monotonic()
    values = documents = wrong = told = 0
    while values < options.count:
        batch = [data(rng) for _ in range(20)]
        values += nodes(batch)
        documents += 1
        if differences(batch):
            # the one that is to blame, alone
            for item in batch:
                for difference in differences(item):
                    wrong += 1
                    sys.stdout.write(f"{shown(item)}\n  {difference}\n")
        if values // _EVERY > told:
            told = values // _EVERY
            sys.stderr.write(f"{values:,} values\n")
    sys.stdout.write(
        f"seed {seed}: {values:,} values in {documents:,} documents, "
        f"{time.monotonic() - begin:.0f} s, {wrong} differences\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
