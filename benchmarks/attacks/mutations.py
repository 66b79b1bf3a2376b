"""Whether the tests notice when a module that guards is a little wrong.

    python -m benchmarks.attacks.mutations [MODULE..] [--count 20] [--seed N]

Of each module (default: all in `TESTS`), `--count` mutants are drawn: copies with one change, such
as a comparison off by one, a condition negated, a call or an argument left out, a result that is
none. The tests of the module run against each, in a copy of the checkout. Prints the mutants that
survive, and for each module the share of those that did not; a time limit that is reached is one
way to be found out. Exit status 1 below `--least` per cent. Texts with blanks, which are for
people, stay as they are, and so do annotations.

A mutant may do what the module never would, such as replace `/dev/null`: a root runs it as nobody.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

from .mutants import mutants

ROOT: Final = Path(__file__).resolve().parent.parent.parent
_LEFT_OUT: Final = (".git", ".*_cache", ".link", ".hypothesis", "work", "*.so")
_SHOWN: Final = 100
_NOBODY: Final = 65534
_USER: Final[dict[str, Any]] = (
    {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
    if hasattr(os, "geteuid") and os.geteuid() == 0
    else {}
)
_OPTIONS: Final = ("-x", "-q", "-p", "no:cacheprovider", "-n", "0")

_LIMITS: Final = (
    "limits::test_a_limit_that_is_reached_names_itself",
    "limits::test_a_limit_lets_through_what_just_fits",
)
_TABLE: Final = (
    "limits::test_values_of_limits_are_written_for_people",
    "limits::test_a_limit_that_is_none_is_told_with_the_near_one",
    "limits::test_the_guide_has_the_limits_with_their_defaults",
    "limits::test_explain_lists_limits_and_describes_one",
    "limits::test_a_limit_of_the_stack_has_a_highest_value",
)
_DEPTH: Final = (
    "limits::test_a_call_that_goes_deep_keeps_its_surroundings",
    "limits::test_depth_is_answered_alike_wherever_the_caller_stands",
)
_SECRETS: Final = ("taint_sinks", "taint_messages", "cli_secrets", "taint_channels", "remote")

TESTS: Final = {
    "pipeline/world/files.py": ("files", "encodings", "file_problems", "garden_project", *_LIMITS),
    "pipeline/world/network.py": ("network", "private_addresses", "effects"),
    "pipeline/world/writing.py": (
        "writing_systems",
        "writing",
        "build_systems::test_make_reads_any_name",
    ),
    "pipeline/world/effects.py": ("effects", "taint_sinks", "remote"),
    "pipeline/values/threads.py": (*_DEPTH, "budget"),
    "pipeline/cli/limit_flags.py": (*_TABLE, *_LIMITS),
    "pipeline/values/settings.py": ("budget", *_TABLE, "effects", *_LIMITS),
    "pipeline/world/memory_files.py": ("files", "garden_project", "effects"),
    "pipeline/world/plugins.py": ("build_systems::test_files_of_plugins",),
    "pipeline/language/meter.py": ("budget", *_LIMITS),
    "pipeline/dialects/bluelink/secrets/quotation.py": ("quoting", "cli_secrets"),
    "pipeline/dialects/bluelink/secrets/secrecy.py": ("secrecy", *_SECRETS),
    "pipeline/values/quoting.py": ("quoting", "cli_secrets", "report"),
    "pipeline/engine/budget.py": ("budget", *_LIMITS),
    "pipeline/dialects/bluelink/secrets/taint.py": (*_SECRETS, "unknowns"),
    "functions/guarding.py": ("guarding", "custom_functions"),
    "functions/value_limits.py": ("budget", *_LIMITS),
}
"""The modules that guard, with the tests that hold them: names of files or `file::test`."""


def checkout_copy(folder: Path) -> Path:
    """A copy of the checkout with links that make Python take its packages for `bpp`'s."""
    copy = folder / "checkout"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    links = copy / ".link" / "bpp"
    links.mkdir(parents=True)
    for package in ("functions", "pipeline", "transforms"):
        (links / package).symlink_to(copy / package, target_is_directory=True)
    if _USER:
        for place in (folder, *folder.rglob("*")):
            os.chown(place, _NOBODY, _NOBODY, follow_symlinks=False)
    command = [sys.executable, "-c", "import bpp.pipeline.world.files as m; print(m.__file__)"]
    try:
        with _started(copy, command, stdout=subprocess.PIPE) as process:
            found = process.communicate()[0].strip()
    except PermissionError:
        raise SystemExit(f"nobody may not start {sys.executable}") from None
    if not Path(found).is_relative_to(copy):
        raise SystemExit(f"the tests would run against {found or 'nothing'}, not the copy")
    return copy


def _started(copy: Path, command: list[str], **more: Any) -> subprocess.Popen[str]:
    own = {"TMPDIR": str(copy.parent), "HOME": str(copy.parent), "PYTHONPATH": str(copy / ".link")}
    # the same examples of generated tests every time
    environment = {**os.environ, **own, "CI": "true"}
    return subprocess.Popen(command, cwd=copy, env=environment, text=True, **_USER, **more)


def tested(copy: Path, tests: tuple[str, ...], limit: float) -> str:
    """What the tests say of a copy: `survived`, `killed` or `timed out`."""
    named = [re.sub(r"^\w+", r"tests/test_\g<0>.py", test) for test in tests]
    command = [sys.executable, "-m", "pytest", *_OPTIONS, *named]
    quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    process = _started(copy, command, start_new_session=True, **quiet)
    try:
        return "killed" if process.wait(limit) else "survived"
    except subprocess.TimeoutExpired:
        return "timed out"
    finally:
        # and whatever the tests have started
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def tried(copy: Path, module: str, count: int, seed: int) -> Counter[str]:
    """Runs the tests against some mutants of a module; survivors are printed."""
    place, tests = copy / module, TESTS[module]
    text = place.read_text("utf-8")
    tree = ast.parse(text)
    found = list(mutants(tree))
    drawn = random.Random(f"{seed} {module}").sample(found, min(count, len(found)))
    begin = time.monotonic()
    if tested(copy, tests, 600) != "survived":
        raise SystemExit(f"the tests of {module} fail without any change")
    limit = 5 + 2 * (time.monotonic() - begin)
    said: Counter[str] = Counter()
    for at, mutant in enumerate(sorted(drawn, key=lambda mutant: mutant.line)):
        place.write_text(mutant.text(tree), "utf-8")
        # bytecode is told to be old by the second in which a file was written
        os.utime(place, (at, at))
        result = tested(copy, tests, limit)
        said[result] += 1
        if result == "survived":
            sys.stdout.write(f"  {module}:{mutant.line}: {_cut(mutant.was)}  ->  ")
            sys.stdout.write(f"{_cut(mutant.now)}\n")
            sys.stdout.flush()
    place.write_text(text, "utf-8")
    return said


def _cut(text: str) -> str:
    line = text.partition("\n")[0]
    return text if text == line[:_SHOWN] else f"{line[:_SHOWN]} ..."


def main() -> int:
    """Tries mutants of the modules that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="as `pipeline/world/files.py`")
    parser.add_argument("--count", type=int, default=20, help="mutants of each module (20)")
    parser.add_argument("--seed", type=int, default=0, help="draws others (0)")
    parser.add_argument("--least", type=float, default=85, help="per cent to be killed (85)")
    options = parser.parse_args()
    unknown = set(options.modules) - set(TESTS)
    if unknown:
        parser.error(f"no module with tests in `TESTS`: {', '.join(sorted(unknown))}")
    low = 0
    with tempfile.TemporaryDirectory(prefix="bpp-mutations-") as folder:
        copy = checkout_copy(Path(folder).resolve())
        for module in options.modules or TESTS:
            said = tried(copy, module, options.count, options.seed)
            share = 100 * (said.total() - said["survived"]) / max(said.total(), 1)
            low += share < options.least
            counts = ", ".join(f"{said[key]} {key}" for key in ("killed", "timed out", "survived"))
            sys.stdout.write(f"{module}: {said.total()} mutants: {counts}: {share:.0f} %\n")
            sys.stdout.flush()
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
