"""The inputs that documents are rendered with: of a target, of picked files, or none.

Without inputs a document is rendered as far as possible: what has no value is not known.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ...functions.record import Record, field
from ..answers.inspection import inspection_of
from ..building.configuration import OWN_FILE, Configuration, find_configuration, load_configuration
from ..building.target import Surroundings, Target, Task
from ..building.target_rendering import render_arguments
from ..engine.inputs import VariableInputs
from ..engine.options import Option, rows_by_field
from ..engine.run import Context, Dialect
from ..language.meter import Meter
from ..rendering import failed_to_read
from ..values.diagnostics import Diagnostics
from ..values.document import Document
from ..values.settings import SECRETS_KEEP, Limits, Settings
from ..values.source import Source
from ..world.files import DiskFiles, FileProblem, real_path
from .texts import OpenFiles

NOTHING: Final = ("none",)
_TARGET: Final = "target"
_ENDINGS: Final = (".yaml", ".yml", ".json", ".toml", ".env")
_MOST: Final = 100
"""Choices that are listed."""

Words = tuple[str, ...]


class Choice(Record):
    """Inputs that a document may be rendered with.

    `words` are what chooses it: `target` and a name, `none`, or options as a command takes them,
    with paths that start from the folder of the workspace. `label` and `about` are for people.
    """

    words: Words
    label: str
    about: str = ""


class Found(Record, eq=False):
    """The arguments of `render` for a choice; None where they could not be read."""

    choice: Choice
    arguments: dict[str, Any] | None = field(repr=False)
    diagnostics: Diagnostics = field(repr=False)


class Inputs:
    """What each document is rendered with, by its path.

    Choices are replaced, never changed, so that any thread may read them.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._chosen: Mapping[str, Words] = {}
        self._read: tuple[str, bytes, Configuration] | None = None

    def choose(self, path: str, words: Sequence[str]) -> None:
        """Renders a document with a choice from now on; without words with the first one."""
        others = {name: known for name, known in self._chosen.items() if name != path}
        self._chosen = {**others, path: tuple(words)} if words else others

    def choices(self, source: Source, dialect: Dialect, files: OpenFiles) -> list[Choice]:
        """What a document may be rendered with, the one that is chosen by itself first."""
        found = [*self._targets(source), _nothing(), *_files(source, dialect, files)]
        return found[:_MOST]

    def chosen(self, source: Source) -> Choice:
        """What a document is rendered with."""
        words = self._chosen.get(source.path or "")
        first = next(self._targets(source), None)
        if words is None:
            return first or _nothing()
        return _nothing() if words == NOTHING else Choice(words, _label(words))

    def found(
        self, source: Source, dialect: Dialect, settings: Settings, files: OpenFiles
    ) -> Found:
        """The arguments of `render` for what a document is rendered with.

        Paths that were picked start from the working directory of `files`.
        """
        choice = self.chosen(source)
        told = Diagnostics()
        task = self._task(source, choice, dialect, settings, files.cwd())
        arguments = None
        if task is not None:
            folder = os.path.dirname(task.configuration)
            own = task.target.settings(task.around, folder)
            # nothing is fetched while someone types, and secrets are never shown
            own = own.evolve(
                secrets=SECRETS_KEEP, strict=False, strict_vars=False, offline=True, allow_net=()
            )
            disk = DiskFiles(own.allow_path, folder, own.limits)
            try:
                arguments = render_arguments(
                    task, dialect, own, files.on(disk), told, Meter(own.limits)
                )
            except FileProblem as problem:
                told.add(failed_to_read(problem))
        return Found(choice, arguments, told)

    def _task(
        self, source: Source, choice: Choice, dialect: Dialect, settings: Settings, folder: str
    ) -> Task | None:
        """A target to render; None for one that is gone."""
        usual = Limits()
        limits: dict[str, int] = {
            name: getattr(settings.limits, name)
            for name in Limits.__match_args__
            if getattr(settings.limits, name) != getattr(usual, name)
        }
        around = Surroundings(self._environment, settings, limits)
        if choice.words[0] != _TARGET:
            place = os.path.join(folder, OWN_FILE)
            return Task(_picked(choice.words, source, dialect), place, around)
        known = self._configuration(source)
        for target in known.targets if known is not None else ():
            if known is not None and target.name == choice.words[1]:
                return Task(target, known.path, around)
        return None

    def _targets(self, source: Source) -> Iterator[Choice]:
        """The targets of the nearest configuration that render a document."""
        known = self._configuration(source)
        for target in known.targets if known is not None else ():
            assert known is not None
            path = real_path(os.path.join(known.folder, target.blueprint))
            if path in (source.path, os.path.dirname(source.path or "")):
                yield Choice(
                    (_TARGET, target.name),
                    target.name,
                    f"a target of {os.path.basename(known.path)}",
                )

    def _configuration(self, source: Source) -> Configuration | None:
        """The nearest configuration; None for none, and for one that cannot be read."""
        path = find_configuration(os.path.dirname(source.path)) if source.path else None
        if path is None:
            return None
        try:
            content = DiskFiles().open_input(path, only_file=True)
            known = self._read
            if known is None or known[:2] != (path, content):
                known = self._read = path, content, load_configuration(path)
        except FileProblem:
            return None
        return known[2] if known[2].ok else None


def left_open(
    arguments: dict[str, Any], document: Document | None, context: Context
) -> dict[str, Any]:
    """Arguments of `render` with which each variable of a document that has no value is unknown.

    `document` is as it was read, and `context` that of its check.
    """
    answer = inspection_of(context.dialect).unsupplied
    if answer is None or document is None:
        return arguments
    given = arguments.get("given") or VariableInputs()
    missing = answer(document, context.evolve(given=given))
    if not missing:
        return arguments
    return {**arguments, "given": given.evolve(values={**given.values, **missing})}


def _nothing() -> Choice:
    return Choice(NOTHING, "no inputs", "what has no value is not known")


def _label(words: Words) -> str:
    if words[0] == _TARGET and len(words) > 1:
        return words[1]
    shown = (f"{word.partition('=')[0]}=.." if "=" in word else word for word in words)
    return " ".join(shown)  # without values, which may be secrets


def _picked(words: Words, source: Source, dialect: Dialect) -> Target:
    """A target with the inputs that options name; unknown options count for nothing."""
    own: dict[str, tuple[str, ...]] = {}
    shared: dict[str, tuple[str, ...]] = {}
    flags = {option.flag: own for option in dialect.command_line.options}
    flags |= dict.fromkeys(_SHARED, shared)
    at = 0
    while at < len(words):
        into = flags.get(words[at])
        value = words[at + 1] if at + 1 < len(words) and words[at + 1] not in flags else None
        if into is not None:
            into[words[at]] = (*into.get(words[at], ()), value or "")
        at += 1 if value is None else 2
    named = {_SHARED[flag]: values for flag, values in shared.items()}
    return Target(
        name="picked",
        group="picked",
        blueprint=source.path or "",
        output="",
        own=own,
        vars=named.get("vars", ()),
        variables=dict(pair.partition("=")[::2] for pair in named.get("var", ())),
        state=named.get("state", (None,))[-1],
        datasources=named.get("datasources", (None,))[-1],
    )


_SHARED: Final = {
    rows[0].flag: name
    for name, rows in rows_by_field()
    if name in ("vars", "var", "state", "datasources")
}


def _files(source: Source, dialect: Dialect, files: OpenFiles) -> Iterator[Choice]:
    """Files beside a document whose names tell which option they are for."""
    folder = os.path.dirname(source.path or "")
    try:
        beside = files.below(
            folder, lambda name: name.endswith(_ENDINGS), None, lambda _, __, names: ([], names)
        )
    except FileProblem:
        return
    shared = [rows[0] for name, rows in rows_by_field() if name in _SHARED.values()]
    for option in (*dialect.command_line.options, *shared):
        if not _takes_file(option) or option.flag in dialect.command_line.refuses:
            continue
        word = option.flag.strip("-").removesuffix("s")
        for name in beside:
            path = os.path.join(folder, name)
            if word in name.lower() and path != source.path:
                words = option.flag, files.shown(path)
                yield Choice(words, " ".join(words), option.help)


def _takes_file(option: Option) -> bool:
    return "FILE" in option.metavar
