"""`python -m benchmarks.garden_folders [--actions N] [--folders N]`: a project in many folders.

A Garden project with its actions in folders of their own, as people write them, is rendered from
disk in this process: as it is, with an ignore file in its folder, and with globs in `scan`. The
figures are the least CPU times.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from bpp.pipeline import DiskFiles, render

PROJECT = """\
apiVersion: garden.io/v1
kind: Project
name: bench
environments: [{name: dev}, {name: prod}]
variables: {region: eu, prefix: shop}
"""
SCAN = 'scan: {include: ["services/**/*"], exclude: ["**/dist/**/*", "tmp"]}\n'
IGNORED = "node_modules/\n*.log\n/tmp\n**/cache/\n!keep.log\n"
ACTION = """\
kind: {kind}
type: {type}
name: a{number}
variables:
  host: a{number}.${{var.region}}.example.com
spec:
  name: ${{var.prefix}}-{number}
  image: {image}
  replicas: '${{environment.name == "prod" ? 3 : 1}}'
  env: {{HOST: "${{var.host}}", NAME: "${{this.name}}"}}
"""


def write_project(folder: Path, actions: int, folders: int, more: str = "") -> None:
    """Write a project: in each folder some actions, the first one a Build, and files of its own."""
    (folder / "project.garden.yml").write_text(PROJECT + more)
    each = max(actions // folders, 1)
    for number in range(folders):
        here = folder / "services" / f"s{number}"
        (here / "src").mkdir(parents=True)
        for name in ("Dockerfile", "README.md", "src/main.py", "src/test.py"):
            (here / name).touch()
        (here / "garden.yml").write_text("---\n".join(_actions(number * each, each)))


def _actions(first: int, count: int) -> Iterator[str]:
    for number in range(first, first + count):
        kind, kind_of = ("Build", "container") if number == first else ("Deploy", "kubernetes")
        built = f"${{actions.build.a{first}.outputs.deployment-image-id}}"
        image = "shop" if number == first else built
        yield ACTION.format(kind=kind, type=kind_of, number=number, image=image)


def seconds(folder: Path, rounds: int) -> float:
    """The least CPU time of rendering the project in a folder to its output."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        gc.disable()  # as the command does
        start = process_time()
        run = render("project.garden.yml", files=DiskFiles(cwd=str(folder)), dialect="garden")
        text = run.text()
        best = min(best, process_time() - start)
        gc.enable()
        assert text.count("\n---\n") > 1, run.diagnostics
    return best


def main() -> None:
    """Measure the project in its three forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=300)
    parser.add_argument("--folders", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    for name, more, ignored in (
        ("plain", "", ""),
        ("ignore file", "", IGNORED),
        ("scan", SCAN, ""),
    ):
        with TemporaryDirectory() as folder:
            write_project(Path(folder), given.actions, given.folders, more)
            if ignored:
                (Path(folder) / ".gardenignore").write_text(ignored)
            print(f"{name:<12} {seconds(Path(folder), given.rounds) * 1000:8.1f} ms")


if __name__ == "__main__":
    main()
