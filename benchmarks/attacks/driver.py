"""`python -m benchmarks.attacks.driver [WORD...] [--jobs N] [--only COMMAND] [--bpp PROGRAM]`.

Each attack of the tables is tried on each command where it applies, in a process of its own with
1 GB of memory, 20 CPU seconds and a minute. Whatever it is, the exit status is one that is
documented; an answer takes at most 5 CPU seconds and 300 MB; there is no traceback; no secret of
this machine, of files elsewhere or of a project is told or written, in a dozen encodings; nothing
outside of the project changes, and no input of it. Words choose attacks by parts of their names.
Prints what got through, and ends with 1 then.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from itertools import pairwise
from pathlib import Path

import attrs

from ..measuring import STOPWATCH
from .attack import SECRET, Attack, Outcome
from .costly import COSTLY
from .crafted import CRAFTED
from .surroundings import SURROUNDINGS

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
from support.taint import Finder
from support.web_server import answering

ATTACKS = (*COSTLY, *CRAFTED, *SURROUNDINGS)
CPU, PEAK, WALL = 5.0, 300 * 2**20, 60
STATUSES = frozenset({0, 1, 2, 3})
LIMITS = 'ulimit -v 1048576; ulimit -t 20; exec "$@"'
FINDER = Finder({"secret": SECRET})
TRACES = ("Traceback (most recent call last)", "Fatal Python error", "this is a bug")

READ = 1 << 24
"""The bytes of a file that are looked at; some have no end."""

State = dict[str, tuple[int, bytes]]


@attrs.frozen
class Found:
    """What was wrong with one command of an attack; nothing for one that was held."""

    attack: str
    command: str
    status: int | None
    cpu: float
    peak: float
    wrong: tuple[str, ...]

    def line(self) -> str:
        """The figures, and what is wrong."""
        status = "-" if self.status is None else str(self.status)
        figures = f"{status:>4} {self.cpu:6.1f} {self.peak / 2**20:6.0f}"
        return f"{figures}  {self.attack}: bpp {self.command}: {'; '.join(self.wrong) or 'held'}"


def chosen(words: list[str]) -> list[Attack]:
    """The attacks whose names hold one of the words; all without words."""
    return [one for one in ATTACKS if not words or any(word in one.name for word in words)]


def attempts(attack: Attack, bpp: str, only: str | None = None) -> Iterator[Found]:
    """Each command of an attack, or one alone, tried in a world of its own."""
    for line in attack.lines():
        if only not in (None, line[0]):
            continue
        outcome, wrong = _try(attack, line, bpp)
        if attack.twin is not None:
            other, more = _try(attack, line, bpp, attack.twin)
            wrong += more
            if outcome.told != other.told:
                wrong.append("tells what there is outside")
        yield Found(
            attack.name, outcome.command, outcome.status, outcome.cpu, outcome.peak, tuple(wrong)
        )


def _try(
    attack: Attack, line: list[str], bpp: str, twin: Callable[[Path], object] | None = None
) -> tuple[Outcome, list[str]]:
    """One command in a new world: its outcome, and what is wrong with that."""
    world = Path(tempfile.mkdtemp(prefix="bpp-attack-"))
    project, elsewhere = world / "project", world / "outside"
    for folder in (project, elsewhere, world / "home", world / "run"):
        folder.mkdir()
    (elsewhere / "canary.yaml").write_text(f"canary: {SECRET}\n{SECRET}: [\n")
    (elsewhere / "canary.env").write_text(f"KEY={SECRET}\nnothing {SECRET}\n")
    try:
        with answering(attack.answers) if attack.answers else nullcontext("") as host:
            port = host.rpartition(":")[2]
            files = attack.files(project) if callable(attack.files) else attack.files
            for name, content in files.items():
                path = project / name
                path.parent.mkdir(parents=True, exist_ok=True)
                data = content if isinstance(content, bytes) else content.encode()
                path.write_bytes(data.replace(b"PORT", port.encode()) if port else data)
            if twin is not None:
                twin(elsewhere)
            arguments = [one.replace("PORT", port) for one in line]
            before, named = (_state(elsewhere), _state(project)), _named(arguments, project)
            outcome = _run(attack, [bpp, *arguments], world)
            return outcome, list(_wrong(attack, outcome, before, named))
    finally:
        # a folder may be deeper than Python's own function can go
        subprocess.run(["chmod", "-R", "u+rwx", world], check=False, capture_output=True)
        subprocess.run(["rm", "-rf", world], check=False)


def _run(attack: Attack, command: list[str], world: Path) -> Outcome:
    output, errors = world / "run" / "output", world / "run" / "errors"
    watch = [sys.executable, "-I", "-S", str(STOPWATCH), str(WALL), str(output), str(errors)]
    home = str(world / "home")
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    done = subprocess.run(
        ["sh", "-c", LIMITS, "sh", *watch, "sh", "-c", attack.through, "sh", *command],
        env={**kept, "HOME": home, "TOKEN": SECRET, "PYTHONHASHSEED": "1", **attack.env},
        cwd=world / "project",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        check=True,
    )
    status, _, cpu, peak = json.loads(done.stdout)
    said = [file.read_text("utf-8", "replace") for file in (output, errors)]
    where = [text.replace(str(world), "WORLD") for text in said]
    return Outcome(" ".join(command[1:])[:120], world / "project", status, cpu, peak, *where)


def _wrong(
    attack: Attack, outcome: Outcome, before: tuple[State, State], named: set[str]
) -> Iterator[str]:
    if outcome.status is None:
        yield f"was stopped after {WALL} s"
    elif outcome.status not in STATUSES:
        yield f"ended with status {outcome.status}"
    if outcome.cpu > CPU:
        yield f"took {outcome.cpu:.1f} CPU seconds"
    if outcome.peak > PEAK:
        yield f"took {outcome.peak / 2**20:.0f} MB"
    if any(trace in outcome.errors for trace in TRACES):
        yield "told a traceback"
    outside, inside = before
    if _state(outcome.folder.parent / "outside") != outside:
        yield "changed what lies outside"
    written = _state(outcome.folder)
    changed = [
        name for name, one in inside.items() if name not in named and written.get(name) != one
    ]
    if changed:
        yield f"changed the input {changed[0]}"
    new = {name: one for name, one in written.items() if inside.get(name) != one}
    places = {"output": outcome.output, "errors": outcome.errors}
    places |= {
        name: f"{name}\n{data.decode('utf-8', 'replace')}" for name, (_, data) in new.items()
    }
    for place, text in places.items():
        for _, form in FINDER.found(text):
            yield f"told the secret in {place} ({form})"
    problem = attack.wrong(outcome) if attack.wrong is not None else None
    if problem:
        yield problem


def _named(arguments: list[str], project: Path) -> set[str]:
    """The files that a command may replace: outputs, and what their links lead to beside them."""
    outputs = {after for flag, after in pairwise(arguments) if flag == "-o"}
    files = {file.lstat().st_ino: file.name for file in project.iterdir() if outputs}
    for one in tuple(outputs):
        with suppress(OSError):  # there is none yet, or there are too many links
            outputs.add(files.get((project / one).stat().st_ino, one))
    return outputs


def _state(folder: Path) -> State:
    """What lies in a folder, links and pipes as such, whatever its depth."""
    found: State = {}
    left = [str(folder)]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                name = os.path.relpath(entry.path, folder)
                mode = entry.stat(follow_symlinks=False).st_mode
                data = b""
                if entry.is_symlink():
                    data = os.readlink(entry.path).encode()
                elif stat.S_ISREG(mode):
                    with open(entry.path, "rb") as file:
                        data = file.read(READ)
                elif entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                found[name] = (mode, data)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Prints what got through; 1 when something did."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.attacks.driver", description=__doc__
    )
    parser.add_argument("words", metavar="WORD", nargs="*", help="part of the names of attacks")
    parser.add_argument("--jobs", type=int, default=1, help="attacks at the same time")
    parser.add_argument("--bpp", default=_beside(), help="the command that is attacked")
    parser.add_argument("--all", action="store_true", help="print also what was held")
    parser.add_argument("--only", metavar="COMMAND", help="the only command that is tried")
    options = parser.parse_args(arguments)
    attacks = chosen(options.words)
    print(f"{'exit':>4} {'CPU s':>6} {'MB':>6}")
    commands = through = 0
    broken: list[str] = []
    with ThreadPoolExecutor(options.jobs) as pool:
        tried = pool.map(lambda one: list(attempts(one, options.bpp, options.only)), attacks)
        for attack, results in zip(attacks, tried, strict=True):
            for found in results:
                commands += 1
                through += bool(found.wrong)
                if found.wrong or options.all:
                    print(found.line(), flush=True)
            if any(found.wrong for found in results):
                broken.append(attack.name)
    print(f"{len(attacks)} attacks on {commands} commands: {len(broken)} got through, at {through}")
    return 1 if broken else 0


def _beside() -> str:
    """The installed command of this Python."""
    return shutil.which("bpp", path=str(Path(sys.executable).parent)) or "bpp"


if __name__ == "__main__":
    raise SystemExit(main())
