"""Secrets in random expressions: whatever is made of one must be masked, and kept as an expression.

An expression is an example of a function in which a secret is put, nested into examples of other
functions, in one of several places of a blueprint. What is not masked must come out the same for
another secret. Then every call with a secret in it runs with its secret revealed, and what is said
of it is searched for the secret in a dozen encodings.

    python -m benchmarks.attacks.taint [--count 20000] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bpp.pipeline import Expression, Settings, render

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
from support.taint import Finder, Row, nested, rows
from support.taint_places import PLACES, blueprint, fields

MASK = "(secret)"
AT_ONCE = 200
DEEPEST = 3


def main() -> int:
    """Prints the figures; 1 when a secret is found where none may be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    known = rows()
    tried = masked = unmasked = told = 0
    wrong: list[str] = []
    while tried < options.count:
        chosen = {
            f"f{number}": _random(chance, known)
            for number in range(min(AT_ONCE, options.count - tried))
        }
        place = chance.choice(PLACES)
        tried += len(chosen)
        left = _sound(chosen, place)
        found, bad = _check(left, place)
        masked += found
        unmasked += len(left) - found
        wrong += bad
        told += _searched(chosen, place, wrong)
    print(
        f"{tried} expressions, {masked} masked, {unmasked} the same for every secret, "
        f"{tried - masked - unmasked} mistakes, {told} messages searched, {len(wrong)} leaks"
    )
    for line in wrong[:20]:
        print(f"  {line}")
    return 1 if wrong else 0


def _random(chance: random.Random, known: list[Row]) -> Row:
    row = chance.choice(known)
    for _ in range(chance.randrange(DEEPEST)):
        row = nested(row, chance.choice(known))
    return row


def _sound(chosen: dict[str, Row], place: Callable[[str], Expression]) -> dict[str, Row]:
    """The expressions that are no mistakes whether the secret is known or not."""
    left = chosen
    for secrets in ("mask", "reveal"):
        while True:
            run = _render(left, place, secrets)
            lines = {
                item.span.line for item in run.diagnostics if item.span and item.severity == "error"
            }
            text = run.stages[0][1].source.text.splitlines()
            names = {text[line - 1].split('"')[1] for line in lines}
            if not names & left.keys():
                break
            left = {name: row for name, row in left.items() if name not in names}
    return left


def _render(chosen: dict[str, Row], place: Callable[[str], Expression], secrets: str) -> Any:
    return render("main.json", files=blueprint(chosen, place), settings=Settings(secrets=secrets))


def _check(chosen: dict[str, Row], place: Callable[[str], Expression]) -> tuple[int, list[str]]:
    """How many are masked, and what should be."""
    masked = fields(chosen, place, "mask")
    kept = fields(chosen, place, "keep")
    plain = {name: row for name, row in chosen.items() if masked.get(name) != MASK}
    revealed = fields(plain, place, "reveal")
    other = fields(chosen, place, "mask", change=True)
    wrong = [
        f"not kept: {chosen[name].shown} in {place.__name__}"
        for name, value in masked.items()
        if value == MASK and "${" not in json.dumps(kept[name])
    ]
    for name in chosen:
        if masked.get(name) != other.get(name):
            wrong.append(f"another secret, another output: {chosen[name].shown}")
        # what is decided without its unknown parts may turn out to be none when these are known
        elif name in plain and name in revealed and masked.get(name) != revealed[name]:
            wrong.append(f"not masked: {chosen[name].shown} in {place.__name__}")
    return len(chosen) - len(plain), wrong


def _searched(chosen: dict[str, Row], place: Callable[[str], Expression], wrong: list[str]) -> int:
    """How many messages were searched, with a text in place of every secret text."""
    secret = "Kq7vXw2mZr9LtB4n"
    finder = Finder({"secret": secret})
    told = {name: row.holding(secret) for name, row in chosen.items() if type(row.secret) is str}
    done = _render(told, place, "reveal")
    for item in done.diagnostics:
        said = f"{item.summary} {item.hint} {[note.text for note in item.notes]}"
        if finder.found(said):
            wrong.append(f"told: {said}")
    return len(done.diagnostics)


if __name__ == "__main__":
    raise SystemExit(main())
