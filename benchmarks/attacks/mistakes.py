"""Blueprints with `--count` mistakes of one kind: how long `bpp check` takes, and what it says.

Of each kind and each form of report: the CPU seconds of the whole process, the bytes that it
prints, and the number of errors it tells, which has to be exact.

    python -m benchmarks.attacks.mistakes [--count 10000] [--best-of 1] [KIND ...]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

MOST_TEXT: Final = 64 << 10
_PROGRAM: Final = "from bpp.pipeline.cli.entry import main; main()"
FORMS: Final = ("text", "json", "github", "sarif")


def _resources(body: Callable[[int], str]) -> Callable[[int], str]:
    def text(count: int) -> str:
        return "version: 2025-11-02\nresources:\n" + "".join(
            f"  web{i}:\n    type: example/web\n{body(i)}" for i in range(count)
        )

    return text


def _values(value: Callable[[int], str], kind: str = "string") -> Callable[[int], str]:
    def text(count: int) -> str:
        return (
            "version: 2023-04-20\nvalues:\n"
            + "".join(
                f"  value{i}:\n    type: {kind}\n    value: {value(i)}\n" for i in range(count)
            )
            + "resources: {}\n"
        )

    return text


KINDS: Final[dict[str, Callable[[int], str]]] = {
    "value_not_found": _values(lambda i: f"${{values.vlaue{i}}}"),
    "resource_not_found": _resources(
        lambda i: f"    spec: {{a: '${{resources.wbe{i}.spec.a}}'}}\n"
    ),
    "variable_not_found": _values(lambda i: "${variables.x}"),
    "function_not_found": _values(lambda i: f'${{to_uper("a{i}")}}'),
    "invalid_substitution": _values(lambda i: f"${{len({i}}}"),
    "value_type_mismatch": _values(lambda i: "text", "integer"),
    "missing_spec": _resources(lambda i: ""),
    "unknown_field": _resources(lambda i: f"    spec: {{}}\n    colour{i}: red\n"),
    "missing_resource_dependency": _resources(lambda i: f"    dependsOn: wbe{i}\n    spec: {{}}\n"),
    "duplicate_key": lambda count: (
        "version: 2023-04-20\nresources: {}\nvalues:\n"
        + "  v: {type: string, value: x}\n" * (count + 1)
    ),
    "yaml_tag_not_supported": _values(lambda i: "!secret text"),
}


def check(text: str, form: str, folder: Path) -> tuple[float, str]:
    """The CPU seconds of `bpp check` of a text, and what it prints.

    Raises:
        RuntimeError: when it does not end with the status of a blueprint with mistakes.
    """
    file = folder / "blueprint.yaml"
    file.write_text(text, encoding="utf-8")
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PROGRAM, "check", "--diagnostics", form, str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    after = os.times()
    if done.returncode != 1:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-2000:]}")
    seconds = after.children_user + after.children_system
    return seconds - before.children_user - before.children_system, done.stdout + done.stderr


def told(output: str, form: str) -> int:
    """How many errors a report tells of, those among them that it does not show."""
    if form == "text":
        counts = re.search(r"^(\d+) errors?\b.*\Z", output.rstrip("\n"), re.M)
    else:
        if form != "github":
            json.loads(output)
        counts = re.search(r"there are (\d+) errors", output)
    if counts is not None:
        return int(counts[1])
    return output.count('"severity": "error"') + output.count("\n::error")


def main() -> int:
    """Prints a line for each kind and form; the exit status is 1 for a count that is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--best-of", type=int, default=1)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    options = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds:
            text = KINDS[kind](options.count)
            for form in FORMS:
                runs = [check(text, form, Path(folder)) for _ in range(options.best_of)]
                output = runs[0][1]
                size, errors = len(output.encode()), told(output, form)
                fits = form != "text" or size <= MOST_TEXT
                exact = errors == options.count
                wrong += not (fits and exact)
                print(
                    f"{kind:28} {form:7} {min(run[0] for run in runs):6.2f} s {size:9} bytes "
                    f"{errors} errors{'' if exact else ' (WRONG)'}{'' if fits else ' (TOO LONG)'}"
                )
    print(f"{wrong} wrong of {len(options.kinds) * len(FORMS)} reports")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
