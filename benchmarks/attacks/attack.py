"""An attack as data: the files of a project, the commands that meet them, what must not come."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import attrs

SECRET = "Kq7vXw2mZr9LtB4n"
"""What nobody may be told; every file that is none of the attacker's holds it."""

Content: TypeAlias = str | bytes
Files: TypeAlias = Mapping[str, Content]

BLUEPRINT = (
    "render {main}",
    "render {main} -o out.yaml --dump-stages stages --source-map map --depfile depfile "
    "--explain-unknowns --diagnostics json",
    "check {main}",
    "graph {main}",
    "why {main} resources.r",
    "diff {main} {main}",
    "eval 1 -f {main}",
    "lock {main} -o lock",
)
GARDEN = (
    *(one for one in BLUEPRINT if not one.startswith(("why", "lock"))),
    "why {main} deploy.r",
)
KARGO = (
    *(one for one in GARDEN if not one.startswith(("why", "diff"))),
    *(f"render {{main}} --show {view}" for view in ("vars", "verification", "criteria")),
    "render {main} --show steps --freight {main}",
    "render {main} --world closed --undefined nil --strict --diagnostics sarif",
    "check {main} --diagnostics json",
    "graph {main} --stage s --show variables",
    "why {main} s.steps.step-1.config.k",
    "why {main} s.vars.v",
    "diff {main} --stage-a s --stage-b s --freight-a {main}",
    "eval vars.v -f {main} --step step-1",
    "lock {main} -o lock",
)
READING = (
    *(f"render {{main}} --{one} {{argument}}" for one in ("manifest", "freight", "promotion")),
    *(f"render {{main}} --{one} {{argument}}" for one in ("state", "vars")),
    "check {main} --manifest {argument}",
    "why {main} s.vars.v --freight {argument}",
    "diff {main} --freight-a {argument} --state-b {argument}",
    "eval 1 -f {main} --manifest {argument}",
)
LANDSCAPER = (
    *(one for one in GARDEN if not one.startswith(("why", "render {main} -o"))),
    "render {main} --nested --secrets mask -o out.yaml --dump-stages stages --source-map map "
    "--depfile depfile --explain-unknowns --diagnostics json",
    "render {main} --show all --secrets mask --state-out state.yaml",
    "render {main} --nested --placeholders --secrets mask",
    "why {main} deployItems",
)
FEW = ("render {main}", "check {main}", "graph {main}")
BUILD = ("build --check", "build")


@attrs.frozen
class Outcome:
    """What came of one command: `status` is None when it had to be stopped."""

    command: str
    folder: Path
    status: int | None
    cpu: float
    peak: float
    output: str
    errors: str

    @property
    def told(self) -> tuple[int | None, str, str]:
        """What somebody who runs the command sees."""
        return self.status, self.output, self.errors


@attrs.frozen
class Attack:
    """One attack; its name begins with its subject.

    `files` are made in the folder of a project, a callable is told that folder and makes what is no
    file. `argument` takes its place in commands. `through` is a shell script that runs the command,
    as `$@`. `answers` are what a server sends to each request; its port replaces `PORT` in files
    and commands. `wrong` looks at an outcome and says what should not have been. With a
    `twin`, which changes the world outside of the project, every command must end in the same way
    with it and without it.
    """

    name: str
    files: Files | Callable[[Path], Files]
    commands: tuple[str, ...] = ()
    main: str = "app.yaml"
    options: str = ""
    argument: str = ""
    through: str = 'exec "$@"'
    env: Mapping[str, str] = {}
    answers: Callable[[], Iterable[bytes]] | None = None
    wrong: Callable[[Outcome], str | None] | None = None
    twin: Callable[[Path], object] | None = None

    def lines(self) -> list[list[str]]:
        """The arguments of each command."""
        usual = {"garden.yml": GARDEN, "kargo.yaml": KARGO, "blueprint.yaml": LANDSCAPER}.get(
            self.main, BLUEPRINT
        )
        return [
            [
                part.format(main=self.main, argument=self.argument)
                for part in shlex.split(f"{line} {self.options}")
            ]
            for line in self.commands or usual
        ]


def must_fail(outcome: Outcome) -> str | None:
    """What is wrong with a command that did not refuse what it was given."""
    return "was not refused" if outcome.status == 0 else None
