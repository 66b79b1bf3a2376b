"""A build of many targets of which one has changed, and that one alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import sleep, time_ns

import attrs

from . import workload
from .measuring import Differs, Program, run

TARGETS = 500
ALONE = "the changed one alone"
ONE_CHANGED = f"1 of {TARGETS} changed"
ONE_CHANGED_OF_MATRIX = f"1 of {TARGETS} changed, one matrix"
NONE_CHANGED = f"0 of {TARGETS} changed"
SETTLING = 2.5


@attrs.frozen
class Project:
    """A folder of blueprints with two configurations for them, of which one is changed again."""

    folder: Path

    @property
    def changing(self) -> Path:
        """The blueprint that is changed."""
        return self.folder / f"app{TARGETS // 2}.yaml"

    def write(self) -> None:
        """Writes blueprints of ten resources each, one table for each of them, and one matrix."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = workload.blueprint(10)
        names = [f"app{number}" for number in range(TARGETS)]
        for name in names:
            (self.folder / f"{name}.yaml").write_text(text, "utf-8")
        tables = [
            f'[targets.{name}]\nblueprint = "{name}.yaml"\noutput = "rendered/{name}.yaml"\n'
            for name in names
        ]
        (self.folder / "bpp.toml").write_text("\n".join(tables), "utf-8")
        (self.folder / "matrix.toml").write_text(
            '[targets.all]\nblueprint = "{app}.yaml"\noutput = "of-matrix/{app}.yaml"\n'
            f"matrix.app = {json.dumps(names)}\n",
            "utf-8",
        )

    def change(self) -> None:
        """Gives the blueprint that is changed a text that it never had, of the same length."""
        text = workload.blueprint(10)
        self.changing.write_text(text.replace("index", str(time_ns())), "utf-8")


def programs(bpp: str, folder: Path, env: dict[str, str]) -> dict[str, Program]:
    """The programs by name; `env` names the cache's folder, which full builds fill here.

    Each build is asked how many targets it rendered.
    """
    project = Project(folder)
    project.write()
    build = (bpp, "build", "--config", str(folder / "bpp.toml"))
    of_matrix = (bpp, "build", "--config", str(folder / "matrix.toml"))
    alone = (bpp, "render", str(project.changing), "-o", str(folder / "alone.yaml"))
    for command in (build, of_matrix):
        run(Program(command, env), cap=600)
    # what was written a moment ago is read again: only an old time stamp proves anything
    sleep(SETTLING)
    for command in (build, of_matrix):
        run(Program(command, env), cap=600)
    return {
        ALONE: Program(alone, env, before=project.change),
        ONE_CHANGED: Program(build, env, before=project.change, accept=_rendered(1)),
        NONE_CHANGED: Program(build, env, accept=_rendered(0)),
        ONE_CHANGED_OF_MATRIX: Program(of_matrix, env, before=project.change, accept=_rendered(1)),
    }


def _rendered(wanted: int) -> Callable[[bytes, bytes], None]:
    def accept(output: bytes, _: bytes) -> None:
        expected = f"{wanted} rendered, {TARGETS - wanted} unchanged, 0 failed".encode()
        if not output.startswith(expected):
            raise Differs(f"said {output.decode().strip()!r} instead of {expected.decode()!r}")

    return accept
