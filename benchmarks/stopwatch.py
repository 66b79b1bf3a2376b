"""Runs one command and prints what it took: `stopwatch.py CAP OUTPUT ERRORS COMMAND...`.

A program of its own, and a small one: Linux counts the memory of the process that starts another
towards the peak of the started one, so the benchmarks, which hold large outputs, must not do it
themselves. It prints exit status, wall seconds, CPU seconds (user and system, children included)
and peak bytes as a JSON list. A command that takes longer than CAP seconds is killed, and the
status is null.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def main(cap: str, output: str, errors: str, *command: str) -> None:
    """Prints the figures."""
    streams = [
        (os.POSIX_SPAWN_OPEN, 1, output, WRITE, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, errors, WRITE, 0o644),
    ]
    begin = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=streams, setpgroup=0)
    late = False

    def stop(*_: object) -> None:
        nonlocal late
        late = True
        os.killpg(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, float(cap))
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - begin
    signal.setitimer(signal.ITIMER_REAL, 0)
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    code = None if late else os.waitstatus_to_exitcode(status)
    print(json.dumps([code, wall, usage.ru_utime + usage.ru_stime, peak]))


if __name__ == "__main__":
    main(*sys.argv[1:])
