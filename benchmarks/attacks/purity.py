"""The library leaves its process as it was: `--count` renders, then the same from eight threads.

Compared before and after: the recursion limit, signal handlers, the locale, filters of warnings,
the environment, the working directory, where Python imports from, threads, open files, the state of
`random`, and more of that kind. Printed: how much memory the renders left behind.

    python -m benchmarks.attacks.purity [--count 1000]
"""

from __future__ import annotations

import argparse
import decimal
import gc
import locale
import logging
import os
import random
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from bpp.pipeline import Settings, check, evaluate, render

THREADS = 8
MOST_GROWTH = 5 << 20
WARM_UP = 60

CHILD = """\
version: 2023-04-20
variables: {name: {type: string}}
resources: {queue: {type: a/b, spec: {name: "${variables.name}"}}}
exports: {name: {type: string, field: resources.queue.spec.name}}
"""
TEXT = """\
version: 2023-04-20
variables:
  password: {type: string, secret: true, default: hunter2}
  names: {type: string, default: "a,b,c"}
include:
  child: {path: child.yaml, variables: {name: "${variables.names}"}}
values:
  id: {type: string, value: "${uuid()}"}
  at: {type: string, value: "${datetime(\\"rfc3339\\")}"}
  file: {type: string, value: "${utf8(file(\\"data.txt\\"))}"}
  hash: {type: string, value: "${sha256(values.file)}"}
  list: {type: array, value: "${split(variables.names, \\",\\")}"}
resources:
  many:
    type: a/b
    each: ${values.list}
    condition: ${not(eq(elem, "b"))}
    spec: {name: "${elem}-${i}", url: "x://${variables.password}@${resources.one.state.host}"}
  one: {type: a/b, spec: {name: "${children.child.name}", id: "${values.id}", at: "${values.at}"}}
"""
WRONG = TEXT.replace("variables.names, ", "variables.nams, ") + "  one: {type: 1}\n"


def state() -> dict[str, Any]:
    """What a process has once and a library could change."""
    folder = "/proc/self/fd"
    files = []
    if os.path.isdir(folder):
        for name in os.listdir(folder):
            try:
                files.append((name, os.readlink(f"{folder}/{name}")))
            except OSError:
                continue  # the one that lists the folder
    return {
        "recursion limit": sys.getrecursionlimit(),
        "digits of integers": sys.get_int_max_str_digits(),
        "signal handlers": {n: signal.getsignal(n) for n in sorted(signal.valid_signals())},
        "locale": locale.setlocale(locale.LC_ALL),
        "filters of warnings": list(warnings.filters),
        "environment": dict(os.environ),
        "working directory": os.getcwd(),
        "mode of new files": _umask(),
        "import path": [list(sys.path), list(sys.meta_path), list(sys.path_hooks)],
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "open files": sorted(files),
        "random": random.getstate(),
        "decimals": str(decimal.getcontext()),
        "garbage collector": (gc.isenabled(), gc.get_threshold()),
        "hooks": (sys.excepthook, sys.displayhook, sys.gettrace(), sys.getprofile()),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "logging": (list(logging.root.handlers), logging.root.level),
        "switch interval": sys.getswitchinterval(),
    }


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def resident() -> int:
    """Bytes of memory that this process has now; 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def job(folder: Path) -> Callable[[], str]:
    """Everything that the library does with one blueprint; its answer is always the same text."""
    path, wrong = folder / "app.yaml", folder / "wrong.yaml"
    settings = Settings(now=0.0, seed=7, allow_path=(str(folder),))

    def once() -> str:
        run = render(path, settings=settings)
        failed = render(wrong, settings=settings)
        checked = check(wrong, settings=settings)
        value = evaluate('${join(split("a,b", ","), "-")}', {})
        told = "\n".join(f"{item.code} {item.span}" for item in (*failed.diagnostics, *checked))
        return f"{run.text('yaml')}{run.text('json')}{told}{value.value}"

    return once


def main() -> int:
    """Prints the figures; status 1 when something has changed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many renders")
    count = parser.parse_args().count
    problems = []
    with tempfile.TemporaryDirectory(prefix="bpp-purity-") as name:
        folder = Path(name)
        for file, text in {"app": TEXT, "wrong": WRONG, "child": CHILD}.items():
            (folder / f"{file}.yaml").write_text(text)
        (folder / "data.txt").write_text("data")
        once = job(folder)
        before = state()
        expected = once()
        for _ in range(min(WARM_UP, count)):
            once()
        gc.collect()
        size = resident()
        wrong = sum(once() != expected for _ in range(count))
        gc.collect()
        growth = resident() - size
        with ThreadPoolExecutor(THREADS) as pool:
            others = sum(text != expected for text in pool.map(lambda _: once(), range(count)))
        after = state()
    changed = [what for what in before if before[what] != after[what]]
    for what in changed:
        problems.append(f"changed: {what}")
    if wrong or others:
        problems.append(f"other bytes: {wrong} in a row, {others} from {THREADS} threads")
    if growth >= MOST_GROWTH:
        problems.append(f"memory: more than {MOST_GROWTH >> 20} MB left behind")
    print(
        f"{count} renders and {count} from {THREADS} threads: {len(changed)} of {len(before)} "
        f"parts of the process changed, {wrong + others} other outputs, "
        f"{growth / (1 << 20):.1f} MB more"
    )
    for line in problems:
        print(line)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
