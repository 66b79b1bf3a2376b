"""The process that renders targets for a build: reads tasks from standard input, writes answers."""

from __future__ import annotations

import os
import pickle
import signal
import sys

from ..building.workers import BUG, READY


def main() -> None:
    """Renders until there are no more tasks, or until nothing reads the answers.

    Leaves an interruption to the process that started this one, which then ends it. Prints to
    standard error, because standard output carries the answers.
    """
    import gc

    from ..building.target_rendering import render_target
    from ..world.shape_files import keep_shapes, load_shapes

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    tasks, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    gc.disable()
    shapes_file = sys.argv[1] or None
    shapes = load_shapes(shapes_file)
    known = len(shapes)
    try:
        pickle.dump(READY, answers)
        answers.flush()
        while True:
            task = pickle.load(tasks)
            answer: object
            try:
                answer = render_target(task, shapes)
            except Exception:
                answer = BUG  # the other process tries the task itself and reports the bug
            pickle.dump(answer, answers)
            answers.flush()
            gc.collect(1)
    except (EOFError, BrokenPipeError):
        pass
    except KeyboardInterrupt:
        os._exit(128 + signal.SIGTERM)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if shapes_file and len(shapes) > known:
        keep_shapes(shapes_file, shapes)
    os._exit(0)  # skips freeing the objects one by one


def _stop(number: int, _: object) -> None:
    """Unwinds the stack on termination, so that no temporary file is left behind."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
