"""What is made of a secret is one: through functions, documents and whatever is told of a run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from bpp.pipeline import Expression
from support.taint import CORE, Row, few, rows
from support.taint_places import PLACES, fields, in_value

MASK = "(secret)"
ROWS = rows()
FEW = few(ROWS)
ROOT = Path(__file__).resolve().parent.parent
SINKS = ("file", "http_resource")


def test_every_argument_of_every_function_has_a_row() -> None:
    wanted = {
        (function.name, position)
        for function in CORE.values()
        for position, parameter in enumerate(function.parameters)
        if parameter.types != ("function",) and function.name not in SINKS
    }
    assert wanted - {one for row in ROWS for one in row.covers} == set()


def check_masks(chosen: Mapping[str, Row], place: Callable[[str], Expression]) -> int:
    """Fails for what is made of a secret and not masked; how many fields are not masked.

    What is not masked must come out the same whatever the secret is.
    """
    masked = fields(chosen, place, "mask")
    plain = {name: row for name, row in chosen.items() if masked.get(name) != MASK}
    shown = {name: masked[name] for name in plain if name in masked}
    assert shown == fields(plain, place, "reveal")
    assert shown == fields(plain, place, "reveal", change=True)
    return len(plain)


def numbered(chosen: list[Row]) -> dict[str, Row]:
    return {f"f{number}": row for number, row in enumerate(chosen)}


@pytest.mark.slow
def test_whatever_functions_make_of_a_secret_is_masked() -> None:
    assert check_masks(numbered(ROWS), in_value) < len(ROWS) / 4


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_what_is_made_of_a_secret_from_elsewhere_is_masked(
    place: Callable[[str], Expression],
) -> None:
    assert check_masks(numbered(FEW), place) < len(FEW) / 4


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_what_is_made_of_a_secret_stays_an_expression(
    place: Callable[[str], Expression],
) -> None:
    chosen = numbered(FEW)
    masked, kept = fields(chosen, place, "mask"), fields(chosen, place, "keep")
    for name, value in kept.items():
        assert ("${" in json.dumps(value)) == (masked[name] == MASK), name


@pytest.mark.slow
def test_no_random_expression_tells_a_secret() -> None:
    command = [sys.executable, "-m", "benchmarks.attacks.taint", "--count=400"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("400 expressions") and done.stdout.endswith(" 0 leaks\n")
