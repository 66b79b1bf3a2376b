"""`python -m benchmarks.growth [WORD...]`: how the time of a command grows with its input.

Each command is given each of its shapes at 160 KB and at 640 KB. With exponent 1 the CPU time grows
as the input does, with 2 as its square; what a command takes for nothing is left out. With
`--memory` 1 MB is tried too. Words choose the rows whose names hold one of them. Exit status 1 when
an exponent is above 1.2, or 1 MB takes more than 5 s or 300 MB.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from math import inf, log
from pathlib import Path

import attrs

from . import growing_garden, growing_kargo, growing_landscaper
from .growing_expressions import EXPRESSIONS
from .growing_files import INPUTS, MAIN, MISTAKES, VALID
from .growing_inputs import COMMENTED, HEAD, JSON, TAIL, YAML
from .measuring import Program, Sample, run

SMALL, LARGE, WHOLE = 160_000, 640_000, 1_000_000
BOUND = 1.2
MOST_SECONDS, MOST_BYTES = 5, 300_000_000
NOTICED = 0.1
"""CPU seconds for the large input below which nobody would notice how they grow."""
CAP = 60
"""Seconds after which a command is stopped."""

Files = dict[str, str]

COMMANDS: dict[str, tuple[str, ...]] = {
    "render": ("render", "@"),
    "check": ("check", "@"),
    "graph": ("graph", "@", "--format", "json", "--show", "variables", "--show", "values"),
    "drawing": ("graph", "@"),
    "why": ("why", "@", "%"),
    "diff": ("diff", "one/@", "other/@"),
    "unknowns": ("render", "@", "--explain-unknowns"),
    "map": ("render", "@", "--source-map", "map.json"),
    "stages": ("render", "@", "--dump-stages", "stages"),
    "eval": ("eval", "1", "--file", "@"),
    "lock": ("lock", "@"),
}
"""The arguments of each command; `@` is the main file, below `other` a changed one, beside what it
is compared with, and `%` a path of the output."""

TWO = ("render", "check")
ORDINARY = {
    "YAML: ordinary resources",
    "YAML: deep maps",
    "YAML: many keys",
    "YAML: literal blocks",
    "YAML: one wide list",
    "YAML: a list of maps",
    "YAML: values",
    "YAML: exports",
    "YAML: labels",
    "YAML: links by labels",
    "YAML: dependencies of one",
    "expressions: many in one string",
    "expressions: texts that all differ",
    "expressions: wide calls",
    "expressions: what is not known yet",
    "expressions: what is known in part",
    "expressions: secrets",
    "expressions: functions over lists",
    "expressions: a chain of values",
    "expressions: a chain of resources",
    "expressions: one long each",
    "expressions: a reader of each instance",
    "expressions: conditions",
    "Garden: actions",
    "Garden: actions with references",
    "Garden: environments",
    "Garden: chain of actions",
    "Garden: chain of variables",
    "Garden: variables used by actions",
    "Garden: one matrix",
    "Garden: many files",
    "Garden: providers of each action",
    "Garden: loops over unknown values",
    "Kargo: stages",
    "Kargo: steps",
    "Kargo: uses of a task",
    "Landscaper: executions",
    "Landscaper: GoTemplate, items",
}
"""Shapes that are what people write, or are near it: all commands are tried on them."""
MISTAKEN = {
    "Garden: bad dependencies": ("render", "check", "graph"),
    "Garden: missing keys": ("render", "check", "graph"),
    "Garden: environments and actions": ("render", "check", "graph"),
}


@attrs.frozen
class Shape:
    """A name, what makes its files, of which the first is the main one, and its commands."""

    name: str
    make: Callable[[int], Files]
    commands: tuple[str, ...]


@attrs.frozen
class Growth:
    """What one row took: CPU seconds for both sizes, and the exponent; infinite when stopped."""

    small: float
    large: float
    exponent: float

    @property
    def steep(self) -> bool:
        """Whether it grows faster than it should, and takes long enough for that to matter."""
        return self.exponent > BOUND and self.large > NOTICED


def shapes() -> Iterator[Shape]:
    """All shapes, each with its commands."""
    for title, ending, makers in (
        ("YAML", "yaml", YAML),
        ("JSON", "json", JSON),
        ("JSON with comments", "json", COMMENTED),
        ("expressions", "yaml", EXPRESSIONS),
    ):
        for name, make in makers.items():
            yield _shape(f"{title}: {name}", _as_files(make, f"blueprint.{ending}"))
    for title, projects in (
        ("mistakes", MISTAKES),
        ("files", VALID),
        ("Garden", growing_garden.PROJECTS),
        ("Kargo", growing_kargo.PROJECTS),
        ("Landscaper", growing_landscaper.PROJECTS),
    ):
        for name, project in projects.items():
            yield _shape(f"{title}: {name}", project, every=title == "files")


def _shape(name: str, make: Callable[[int], Files], every: bool = False) -> Shape:
    commands = tuple(COMMANDS) if every or name in ORDINARY else MISTAKEN.get(name, TWO)
    if _dialect(name):  # where nothing is fetched
        commands = tuple(one for one in commands if one != "lock")
    return Shape(name, make, commands)


def _as_files(make: Callable[[int], str], name: str) -> Callable[[int], Files]:
    return lambda size: {name: make(size)}


def prepared(folder: Path, files: Files, command: str) -> tuple[str, ...]:
    """The arguments of a command for files, which are written into a folder."""
    main = next(iter(files))
    given = list(COMMANDS[command])
    written = dict(files)
    if "other/@" in given:
        # a line in the place of each hundredth, so that there is something to compare
        lines = files[main].splitlines(keepends=True)
        lines[::100] = [line.replace("name", "nome") for line in lines[::100]]
        for folder_name in ("one", "other"):
            written |= {f"{folder_name}/{name}": text for name, text in files.items()}
        written[f"other/{main}"] = "".join(lines)
        if main not in INPUTS:  # a project would hold the two others
            del written[main]
    for name, text in written.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    if command not in ("check", "lock"):
        for name in files:
            option = name.partition(".")[0]
            given += [f"--{option}", name] if option in INPUTS else []
    paths = {growing_garden.MAIN: "project", growing_kargo.MAIN: "s"}
    # blueprints of both dialects have this name
    is_ours = "landscaper.gardener.cloud/" in files.get(growing_landscaper.MAIN, "")
    path = paths.get(main, "deployItems" if is_ours else "resources")
    return tuple(one.replace("@", main).replace("%", path) for one in given)


def sample(files: Files, command: str) -> Sample:
    """One run of a command with files."""
    code = "from bpp.pipeline.cli.entry import main; main()"
    with tempfile.TemporaryDirectory() as name:
        arguments = prepared(Path(name), files, command)
        program = Program(
            (sys.executable, "-P", "-c", f"import os; os.chdir({name!r}); {code}", *arguments),
            {"BPP_CACHE_DIR": f"{name}/.cache"},
        )
        return run(program, CAP)


def seconds(files: Files, command: str, runs: int) -> float:
    """CPU seconds of the quickest of some runs; infinite for one that was stopped."""
    best = inf
    for _ in range(runs):
        one = sample(files, command)
        if one.status is None:
            return inf
        if one.status not in (0, 1):
            raise SystemExit(f"{command}: ended with status {one.status}")
        best = min(best, one.cpu)
    return best


def nothing(shape: Shape) -> Files:
    """Files of the dialect of a shape that have no size."""
    match _dialect(shape.name):
        case "Garden":
            return {growing_garden.MAIN: growing_garden.HEAD + growing_garden.LOCAL}
        case "Kargo":
            return {growing_kargo.MAIN: growing_kargo.NOTHING}
        case "Landscaper":
            return {growing_landscaper.MAIN: growing_landscaper.NOTHING}
    return {MAIN: HEAD + TAIL}


_OTHERS = ("Garden", "Kargo", "Landscaper")


def _dialect(name: str) -> str:
    """The dialect of a shape of this name, empty for blueprints."""
    return next((one for one in _OTHERS if name.startswith(one)), "")


def growth(shape: Shape, command: str, runs: int, idle: float) -> Growth:
    """The growth of one shape."""
    small, large = shape.make(SMALL), shape.make(LARGE)
    first = seconds(small, command, runs) - idle
    last = seconds(large, command, runs) - idle
    # what is answered at once, at any size, has no growth
    first, last = max(first, 1e-3), max(last, 1e-3)
    more = log(times_larger(shape, small, large))
    exponent = log(last / first) / more if last < inf else inf
    return Growth(first, last, exponent)


def times_larger(shape: Shape, small: Files, large: Files) -> float:
    """How many times larger some files are than others, without what is there at any size."""
    head = min(chars(nothing(shape)), chars(small) // 2)
    # a shape may end at a depth, not a size
    return max((chars(large) - head) / (chars(small) - head), 1.01)


def chars(files: Files) -> int:
    """The size of files."""
    return sum(map(len, files.values()))


def main(arguments: list[str] | None = None) -> int:
    """Prints the growth of every row; 1 when one is too steep, or takes too much."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("words", metavar="WORD", nargs="*", help="part of the names of rows")
    parser.add_argument("--runs", type=int, default=2, help="runs of which the best counts")
    parser.add_argument("--memory", action="store_true", help="try 1 MB too")
    options = parser.parse_args(arguments)
    print(f"{'':<58}{'160 KB ms':>10} {'640 KB ms':>10} {'exponent':>8} {'1 MB s':>8} {'MB':>6}")
    steep = []
    idle: dict[tuple[str, str], float] = {}
    for shape in shapes():
        for command in shape.commands:
            name = f"{command} {shape.name}"
            if options.words and not any(word in name for word in options.words):
                continue
            kind = command, _dialect(shape.name)
            if kind not in idle:
                idle[kind] = seconds(nothing(shape), command, 3)
            one = growth(shape, command, options.runs, idle[kind])
            if one.steep and one.exponent < inf:
                # a busy moment of the machine looks the same, so it is looked at again
                again = growth(shape, command, options.runs + 1, idle[kind])
                one = min(one, again, key=lambda found: found.exponent)
            wrong = one.steep
            figures = f"{one.small * 1e3:10.0f} {one.large * 1e3:10.0f} {one.exponent:8.2f}"
            if options.memory:
                whole = sample(shape.make(WHOLE), command)
                wrong |= whole.cpu > MOST_SECONDS or whole.peak > MOST_BYTES
                figures += f" {whole.cpu:8.2f} {whole.peak / 1e6:6.0f}"
            print(f"{name:<58}{figures}{'  above the bound' if wrong else ''}", flush=True)
            steep += [name] if wrong else []
    print(f"{len(steep)} above the bounds")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
