"""`python -m benchmarks.attacks.determinism [--python P]... [--write]`: the same bytes everywhere.

Plays the same commands under all combinations of Pythons, hash seeds, locales, time zones, folders
and parsers; caches, `-O`, umasks and the order in which files were made change with them. What was
written and said must be the same, and equal to the record in `tests/support/determinism.json`,
which tests on other Pythons compare with. `--write` records it anew.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

RECORD = Path(__file__).parents[2] / "tests" / "support" / "determinism.json"

PROJECT = {
    "app.yaml": """\
version: 2025-11-02
variables:
  stage: {type: string, default: prod}
  names: {type: string, default: "b,a,c"}
  password: {type: string, secret: true, default: hunter2}
values:
  id: {type: string, value: "${uuid()}"}
  other: {type: string, value: "${uuid()}"}
  time: {type: string, value: "${datetime(\\"rfc3339\\")}"}
  list: {type: array, value: "${split(variables.names, \\",\\")}"}
  number: {type: float, value: 1e-7}
include:
  core: {path: child.yaml, variables: {name: "${variables.stage}"}}
datasources:
  net:
    type: aws/vpc
    filter: {field: tags.name, operator: "=", search: "${variables.stage}"}
    exports: {subnets: {type: array, aliasFor: subnetIds}}
resources:
  table:
    type: aws/dynamodb/table
    each: ${values.list}
    metadata: {labels: {app: orders, "größe": "İıß"}}
    linkSelector: {byLabel: {app: orders}}
    spec: {name: "${elem}-${i}-${variables.stage}", needs: "${resources.api.state.id}"}
  api:
    type: aws/lambda/function
    metadata: {labels: {app: orders}}
    spec:
      text: >-
        folded
        text ${children.core.name}

        and more
      block: |
        kept
          as it is ${variables.password}
      quoted: "a \\
        b \\u00e9 ${values.id}"
      ? complex
      : [1, 2.50, true, null, 0x1F, "2023-04-20", no,
         {a: b, "c d": 'it''s'}]
      subnets: ${datasources.net.subnets}
      upper: ${to_upper("iıßé")}
exports:
  name: {type: string, field: children.core.name}
  id: {type: string, field: values.id}
""",
    "child.yaml": """\
version: 2025-11-02
variables: {name: {type: string}}
values: {full: {type: string, value: "core-${variables.name}"}}
resources: {queue: {type: aws/sqs/queue, spec: {name: "${values.full}"}}}
exports: {name: {type: string, field: values.full}}
""",
    "wrong.yaml": """\
version: 2025-11-02
variables: {stage: {type: strin}, other: {type: string}}
values:
  a: {type: string, value: "${variables.stagee} ${variables.othe}"}
  b: {type: string, value: "${uper(values.c)} ${resources.none.spec.x}"}
  c: {type: string, value: "${values.b}"}
resources:
  x: {type: nothing, spec: {v: "${values.aa} ${valuez.a} ${"}, dependsOn: [y, z]}
  "größe": {type: a/b, specs: {}}
  x2: {type: a/b, spec: {v: "${to_upper()}", w: "${children.no.x}", y: "${datasources.no.x}"}}
include: {c: {path: chidl.yaml}}
exports: {e: {type: string, field: resources.no.spec}}
""",
    "bpp.toml": """\
[targets.app]
blueprint = "app.yaml"
output = "out/{stage}-{n}.yaml"
source-map = "out/{stage}-{n}.map"
depfile = "out/{stage}-{n}.d"
matrix = {stage = ["prod", "dev"], n = [1, 2, 3]}
variables = {stage = "{stage}"}
now = 2025-01-02T03:04:05Z
seed = 7
[targets.wrong]
blueprint = "wrong.yaml"
output = "out/wrong-{n}.yaml"
matrix = {n = [1, 2]}
""",
    "records.yaml": 'aws/vpc: [{tags: {name: prod}, subnetIds: ["a", "b"]}]\n',
}
DOCUMENTS = ("said/functions", "said/wrong sarif")
FIXED = ("--now", "2025-01-02T03:04:05Z", "--seed", "7")
COMMANDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "render",
        (
            *("render", "app.yaml", *FIXED, "-o", "out/app.yaml", "--source-map", "out/map.json"),
            *("--depfile", "out/app.d", "--dump-stages", "out/dumps", "--explain-unknowns"),
        ),
    ),
    ("json", ("render", "app.yaml", "--seed", "7", "--format", "json", "--secrets", "mask")),
    (
        "split",
        ("render", "app.yaml", *FIXED, "--split", "out/split", "--datasources", "records.yaml"),
    ),
    ("wrong text", ("render", "wrong.yaml")),
    ("wrong json", ("check", "wrong.yaml", "--diagnostics", "json")),
    ("wrong sarif", ("render", "wrong.yaml", "--diagnostics", "sarif")),
    ("wrong github", ("render", "wrong.yaml", "--diagnostics", "github")),
    ("graph", ("graph", "app.yaml")),
    ("graph of what is wrong", ("graph", "wrong.yaml", "--format", "json")),
    ("why", ("why", "app.yaml", "resources.api.spec.text", *FIXED)),
    ("diff", ("diff", "app.yaml", "wrong.yaml")),
    ("functions", ("functions",)),
    ("build", ("build",)),
)
PLAYER = """\
import json, os, sys
from bpp.pipeline.cli import entry
from bpp.pipeline.formats import yaml_events
assert (yaml_events.CParser is None) == (sys.argv[1] == "pure")
os.umask(int(sys.argv[2], 8))
statuses = {}
for name, arguments in json.loads(sys.argv[3]):
    for number, stream in ((1, "stdout"), (2, "stderr")):
        file = os.open(f"said/{name}.{stream}", os.O_WRONLY | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    sys.argv[1:] = arguments
    statuses[name] = entry._guarded()
with open("said/statuses", "w") as stream:
    json.dump(statuses, stream)
"""


@dataclass(frozen=True)
class Surroundings:
    """What may be different and must not show."""

    python: str
    seed: str
    locale: str
    zone: str
    folder: str
    parser: str
    number: int

    def environment(self, folder: Path) -> dict[str, str]:
        """The variables of the process."""
        kept = ("PATH", "HOME", "TMPDIR", "SYSTEMROOT")
        found = {name: os.environ[name] for name in kept if name in os.environ}
        found |= {
            "PYTHONHASHSEED": self.seed,
            "TZ": self.zone,
            "LC_ALL": self.locale,
            "LANG": self.locale,
            "LOCPATH": str(folder / "locales"),
            "SOURCE_DATE_EPOCH": "1735787045",
            "BPP_CACHE_DIR": str(folder / "cache" / (self._own if self.number % 3 else "shared")),
        }
        if self.locale != "C.UTF-8":
            found |= {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
        if self.parser == "pure":
            found["PYTHONPATH"] = str(folder / "pure")
        return found

    @property
    def _own(self) -> str:
        return f"own-{self.number}"


def play(where: Surroundings, folder: Path) -> dict[str, str]:
    """The digests of all that was written and said, by name."""
    project = folder / where.folder / str(where.number)
    for path in ("said", "out"):
        (project / path).mkdir(parents=True)
    files = list(PROJECT.items())
    for name, text in files if where.number % 2 else reversed(files):
        (project / name).write_text(text, "utf-8")
    jobs = ("--jobs", "2") if where.number % 4 == 1 else ()
    commands = [(name, (*words, *(jobs if name == "build" else ()))) for name, words in COMMANDS]
    flags = ["-O"] if where.number % 5 == 1 else []
    umask = ("022", "077", "002")[where.number % 3]
    done = subprocess.run(
        [where.python, "-P", *flags, "-c", PLAYER, where.parser, umask, json.dumps(commands)],
        cwd=project,
        env=where.environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, (where, done.stderr)
    return {
        name.relative_to(project).as_posix(): hashlib.sha256(_steady(name)).hexdigest()[:16]
        for below in ("said", "out")
        for name in sorted((project / below).rglob("*"))
        if name.is_file()
    }


def _steady(file: Path) -> bytes:
    """What a file holds, without the time that a build took."""
    data = file.read_bytes()
    if file.name != "build.stdout":
        return data
    head, _, seconds = data.rpartition(b" in ")
    return head if seconds.endswith(b" s\n") else data


def prepare(folder: Path) -> list[str]:
    """Makes what surroundings are made of; the names of the locales."""
    (folder / "pure").mkdir()
    (folder / "pure" / "_ruamel_yaml.py").write_text("raise ImportError\n")
    (folder / "locales").mkdir()
    try:
        done = subprocess.run(
            ["localedef", "-i", "tr_TR", "-f", "ISO-8859-9", folder / "locales" / "tr_TR"],
            capture_output=True,
            check=False,
        )
        made = done.returncode == 0
    except OSError:
        made = False
    return ["C", "C.UTF-8", "tr_TR" if made else "POSIX"]


def matrix(pythons: Sequence[str], locales: Sequence[str]) -> Iterator[Surroundings]:
    """All combinations."""
    combinations = product(
        pythons,
        ("0", "1", "31337"),
        locales,
        ("UTC", "Asia/Kolkata"),
        ("here", "else where/deep/er"),
        ("C", "pure"),
    )
    for number, one in enumerate(combinations):
        yield Surroundings(*one, number)


def recorded(found: Mapping[str, str]) -> dict[str, str]:
    """Digests of what changes with the meaning of bpp only, not with its documents."""
    return {name: digest for name, digest in found.items() if not name.startswith(DOCUMENTS)}


def differences(found: Mapping[str, str], wanted: Mapping[str, str]) -> list[str]:
    """The names of what is different."""
    return sorted(k for k in {*found, *wanted} if found.get(k) != wanted.get(k))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints how many combinations were played and what differed; 1 when something did."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attacks.determinism")
    parser.add_argument("--python", action="append", help="a Python that has bpp (default: this)")
    parser.add_argument("--count", type=int, help="play only so many combinations")
    parser.add_argument("--write", action="store_true", help="record what comes out")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        played = list(matrix(options.python or [sys.executable], prepare(folder)))
        if options.count:
            played = played[:: max(len(played) // options.count, 1)][: options.count]
        first = play(played[0], folder)
        wrong = [
            (where, different)
            for where in played[1:]
            if (different := differences(play(where, folder), first))
        ]
    for where, different in wrong[:10]:
        print(f"different: {', '.join(different[:8])}\n  {where}")
    print(f"{len(played)} combinations, {len(first)} files each, {len(wrong)} different")
    kept = recorded(first)
    if options.write:
        RECORD.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        return 0
    stale = differences(kept, json.loads(RECORD.read_text()))
    if stale:
        print(f"not as on record: {', '.join(stale)}")
    return int(bool(wrong or stale))


if __name__ == "__main__":
    sys.exit(main())
