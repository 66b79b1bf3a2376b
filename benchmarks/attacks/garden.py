"""`python -m benchmarks.attacks.garden [--count N] [--seed N]`: damaged projects of Garden.

Takes the cases of `tests/cases/garden`, damages their files at random (lines that go, double or
change places, values and expressions from elsewhere, other options), and renders them. Whatever
comes of it is an output that renders to itself again, or errors with known codes; nothing may be
raised, and no value of the environment may be told. Prints what breaks that, with the seed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import traceback
from pathlib import Path

from bpp.pipeline import Limits, MemoryFiles, Settings, Source, render
from bpp.pipeline.codes import CODES
from bpp.pipeline.dialects.garden import ProjectOptions
from bpp.pipeline.formats.report import render_text

CASES = Path(__file__).parents[2] / "tests" / "cases" / "garden"
MAIN = "project.garden.yml"
TOKEN = "s3cr3t-t0ken-0f-the-machine"
LIMITS = Limits(run_seconds=20)
SNIPPETS = (
    "${local.env.TOKEN}",
    "${var.a}",
    "${var}",
    "${actions.deploy.api}",
    "${jsonEncode(actions)}",
    "${this}",
    "${secrets.x || var.nobody}",
    "${secrets}",
    "${inputs.size}",
    "${environment.name}",
    "${providers}",
    "${item.value}",
    "${var.map[local.env.TOKEN]}",
    "{$merge: '${var.m}', a: 1}",
    "{$merge: '${secrets.m}'}",
    "{$if: '${secrets.x}', $then: 1}",
    "{$forEach: '${var.list}', $return: '${item.value}'}",
    "[{$concat: '${secrets.list}'}]",
    "null",
    "[]",
    "{}",
    "1.5",
    "yes",
    "'${'",
    "[1, [2, {a: null}]]",
)


def projects() -> list[dict[str, str]]:
    """The files of each case, by path."""
    return [
        {
            file.relative_to(main.parent).as_posix(): file.read_text("utf-8")
            for file in sorted(main.parent.rglob("*"))
            if file.is_file() and file.name not in ("case.toml", "expected.yaml")
        }
        for main in sorted(CASES.glob(f"*/{MAIN}"))
    ]


def damaged(files: dict[str, str], chance: random.Random, others: list[str]) -> dict[str, str]:
    """The files with some damage."""
    found = dict(files)
    for _ in range(chance.randint(1, 3)):
        name = chance.choice(list(found))
        lines = found[name].split("\n")
        at = chance.randrange(len(lines))
        line = lines[at]
        match chance.randrange(14):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(lines))
            case 2:
                lines[at] = chance.choice(others)
            case 3:
                lines.insert(at, chance.choice(others))
            case 4 if "}" in line:
                before, _, after = line.partition("${")
                lines[at] = before + chance.choice(SNIPPETS[:13]) + after.partition("}")[2]
            case _ if re.fullmatch(r"[ -]*[\w-]+: [^{\[|].*", line):
                lines[at] = f"{line.split(':')[0]}: {chance.choice(SNIPPETS)}"
        found[name] = "\n".join(lines)
    return found


def options(chance: random.Random) -> ProjectOptions:
    """Some options."""
    state = {"actions": {"build": {"api": {"outputs": {"id": "x"}}}}, "secrets": {"x": TOKEN}}
    return ProjectOptions(
        environment=chance.choice([None, None, None, "local", "prod", "ns.local"]),
        variables=chance.choice([(), ("a=1,m.x=2",), ("list[0]=1",), ("host='q',a.b.c=3",)]),
        state=chance.choice([None, state]),
        local=chance.choice([None, {"env": {"TOKEN": TOKEN}}]),
        merge=chance.choice(["engine", "rfc7396"]),
    )


def problem(files: dict[str, str], chosen: ProjectOptions) -> str | None:
    """What is wrong with how a project is rendered; None for nothing."""
    memory = MemoryFiles({f"/p/{name}": text for name, text in files.items()}, "/p")
    settings = Settings(limits=LIMITS, now=0.0, seed=1)
    common = {"dialect": "garden", "files": memory, "settings": settings}
    try:
        run = render(MAIN, options=chosen, **common)  # type: ignore[arg-type]
        said = render_text(run.diagnostics, False)
        if any(one.code not in CODES for one in run.diagnostics):
            return "a code that is not known"
        if TOKEN in said:
            return f"a value of the environment is told:\n{said}"
        if not run.ok:
            return None if run.diagnostics.errors else "no output and no error"
        text = run.text()
        run.text("json")
        source = Source(MAIN, text, "yaml", f"/p/{MAIN}")
        again = render(source, options=chosen.evolve(scan=False), **common)  # type: ignore[arg-type]
        if not again.ok:
            return f"the output is refused:\n{render_text(again.diagnostics, False)}\n{text}"
        if again.text() != text:
            return f"the output renders to something else:\n{text}\n======\n{again.text()}"
    except Exception:
        return traceback.format_exc()
    return None


def main(arguments: list[str] | None = None) -> int:
    """Prints what was broken; 1 when something was."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks.garden")
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    known = projects()
    others = [line for files in known for text in files.values() for line in text.split("\n")]
    broken = 0
    for number in range(chosen.seed, chosen.seed + chosen.count):
        chance = random.Random(number)
        files = damaged(chance.choice(known), chance, others)
        wrong = problem(files, options(chance))
        if wrong is not None:
            broken += 1
            sys.stdout.write(f"--- seed {number}\n{wrong}\n")
    sys.stdout.write(f"{chosen.count} damaged projects, {broken} of them broke a law\n")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
