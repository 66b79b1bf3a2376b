"""Whole blueprints, by the library and by the program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any, Final

from bpp.pipeline import MemoryFiles, Run, Settings, Source, check, render
from bpp.pipeline.formats.detection import format_of_text, read_documents, read_plain
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.expression import Segments
from bpp.pipeline.world.data_files import plain

from . import layouts, sound
from .documents import document
from .language_targets import LIMITS
from .mutation import mutated
from .seeds import JSON_TOKENS, YAML_TOKENS, json_seeds, yaml_seeds
from .values import same
from .verdict import STEERING, broken, examine, printed

SETTINGS: Final = Settings(now=0.0, seed=1, limits=LIMITS)
CHILD: Final = """\
version: 2023-04-20
variables:
  name: {type: string, default: n}
  size: {type: integer, default: 1}
  secret: {type: string, secret: true, default: s3cret}
resources:
  q:
    type: x/queue
    spec: {name: "child-${variables.name}", size: "${variables.size}", s: "${variables.secret}"}
exports:
  out: {type: string, field: resources.q.spec.name}
  arn: {type: string, field: resources.q.state.arn}
"""
FILES: Final = {
    "child.yaml": CHILD,
    "sub/child.json": '{"version": "2023-04-20", "resources": {}}',
    "data.txt": "t\n",
}
VARIABLES: Final = {
    "a": "abc",
    "b": 'x"${y}\\',
    "on": True,
    "environment": "production",
    "name": "n",
}
STATE: Final = {
    "resources": {"r": {"state": {"text": "s", "list": ["x"], "x": None}}},
    "datasources": {"d": {"vpc": "v"}},
}
RECORDS: Final = {"x/source": [{"id": "abc", "vpc": "v-1", "ids": ["s1", "s2"]}]}
# what is given for a name that no text declares has no place in a text
PLACELESS: Final = frozenset({"undeclared_variable", "undeclared_state"})
# names that stay below the folder of a run
_FILE: Final = re.compile(r"^#=== (\w+(?:/\w+)?\.\w+)\n", re.MULTILINE)
_STATUSES: Final = (0, 1, 3)
_PROGRAM: Final = "from bpp.pipeline.cli.entry import main; main()"


def make(rng: Random) -> str:
    """Random blueprints in any layout, and changed ones; sometimes with a child of their own."""
    text = _document(rng)
    if not rng.randrange(8):
        child = _document(rng) if rng.randrange(2) else mutated(rng, [CHILD], YAML_TOKENS)
        text += f"\n#=== child.yaml\n{child}"
    return text


def _document(rng: Random) -> str:
    kind = rng.randrange(8)
    if kind < 2:
        return mutated(rng, yaml_seeds(), YAML_TOKENS)
    if kind == 2:
        return mutated(rng, json_seeds(), JSON_TOKENS)
    made = sound.document(rng) if rng.randrange(3) else document(rng)
    text = layouts.yaml_text(rng, made) if kind < 5 else json.dumps(made, indent=1)
    return mutated(rng, [text], YAML_TOKENS) if kind == 7 else text


def _parts(case: str) -> tuple[str, dict[str, bytes]]:
    """The main text, and the files beside it."""
    main, *rest = _FILE.split(case)
    files = {**FILES, **dict(zip(rest[::2], rest[1::2], strict=True))}
    return main, {name: text.encode("utf-8", "surrogatepass") for name, text in files.items()}


def hold(case: str) -> None:
    """An output or errors; the output is read back, renders to itself, and passes the checks."""
    main, files = _parts(case)
    form = format_of_text(main)
    full = len(case) % 2 == 0
    known: dict[str, Any] = {"state": STATE, "datasources": RECORDS} if full else {}
    outcome = _rendered(main, form, files, variables=VARIABLES if full else {}, **known)
    found = check(Source(f"main.{form}", main, form, f"/main.{form}"), files=MemoryFiles(files))
    examine(found)
    if not outcome.ok:
        return
    if found.errors and not full:
        broken("what renders fails the checks", [(d.code, d.summary) for d in found])
    texts = {"yaml": outcome.text("yaml"), "json": outcome.text("json")}
    if not same(_data(texts["json"], "json"), json.loads(texts["json"])):
        broken("JSON output is read differently")
    expected = json.loads(texts["json"])
    if not same(_data(texts["yaml"], "yaml", isinstance(expected, list)), expected):
        broken("YAML and JSON output differ")
    for kind, text in texts.items():
        again = _rendered(text, kind, files)
        if not again.ok:
            broken(
                "an output has errors",
                kind,
                [(d.code, str(d.span), d.summary) for d in again.diagnostics],
            )
        if again.text(kind) != text:
            broken(
                "an output renders to something else",
                kind,
                *_first_difference(text, again.text(kind)),
            )


def _rendered(text: str, form: str, files: dict[str, bytes], **inputs: Any) -> Run:
    source = Source(f"main.{form}", text, form, f"/main.{form}")
    outcome = render(source, files=MemoryFiles(files), settings=SETTINGS, **inputs)
    examine(outcome.diagnostics, PLACELESS)
    printed(outcome.diagnostics)
    if outcome.ok != (outcome.diagnostics.errors == 0):
        broken("neither an output nor an error")
    return outcome


def _data(text: str, form: str, several: bool = False) -> Any:
    """The data of an output, which is a list of documents where it has `several`."""
    diagnostics = Diagnostics()
    source = Source(f"out.{form}", text, form)
    if several and form == "yaml":
        found = read_documents(
            source, lambda text: Segments((text,)), "\0", Meter(LIMITS), diagnostics
        )
        data = None if found is None else [plain(node) for node in found]
    else:
        root = read_plain(source, Meter(LIMITS), diagnostics)
        data = None if root is None else plain(root)
    if len(diagnostics):
        broken("an output is not read", form, [(d.code, str(d.span)) for d in diagnostics])
    return data


def _first_difference(left: str, right: str) -> tuple[str, str]:
    at = next(
        (n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )
    return left[max(0, at - 80) : at + 80], right[max(0, at - 80) : at + 80]


def hold_command(case: str) -> None:
    """The program ends with a status of its own, tells errors without a traceback, and prints only
    what the library gives."""
    main, files = _parts(case)
    form = format_of_text(main)
    with tempfile.TemporaryDirectory() as folder:
        files[f"main.{form}"] = main.encode("utf-8", "surrogatepass")
        for name, data in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, "render", f"main.{form}", "--color", "never"],
            cwd=folder,
            env={**os.environ, "BPP_NO_CACHE": "1", "PYTHONPATH": ""},
            capture_output=True,
            timeout=60,
            check=False,
        )
    told = done.stderr.decode("utf-8", "replace")
    if done.returncode not in _STATUSES:
        broken("the program ends with another status", done.returncode, told)
    if "Traceback" in told or "internal error" in told:
        broken("the program shows a traceback", told)
    if STEERING.search(told):
        broken("the program prints a control character", told)
    if done.returncode and (done.stdout or not told):
        broken("the program fails and prints output, or says nothing", done.stdout, told)
    if not done.returncode:
        _data(done.stdout.decode("utf-8"), form if form == "json" else "yaml", several=True)
