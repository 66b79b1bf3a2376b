"""The process that renders targets for a build: tasks come on standard input, outcomes go back."""

from __future__ import annotations

import os
import pickle
import signal
import sys

from ..building.workers import BUG, READY


def main() -> None:
    """Renders until there are no more tasks, or nobody to hear of them.

    An interruption is for the process that started this one, which then ends it; what is printed
    meanwhile goes to standard error, because standard output is the way back.
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
                answer = BUG  # the process that asked tries it itself and tells
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
    os._exit(0)  # the objects need not be taken apart one by one


def _stop(number: int, _: object) -> None:
    """A termination unwinds the stack, so that no temporary file stays behind."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
