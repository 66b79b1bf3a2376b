"""The files that a command line names: files as they are, those in folders, patterns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from ..building.checking import ENDINGS, is_excluded, is_named
from ..dialects.table import detect_dialect, find_dialect
from ..engine.options import Options
from ..engine.run import Dialect
from ..rendering import read_source
from ..values.settings import Limits
from ..values.source import Source
from ..world.files import DiskFiles, FileProblem
from ..world.searching import is_pattern, matches
from .render_inputs import limits_of
from .usage import STANDARD_INPUT, UsageProblem


class Search:
    """A search for files of a kind, of which `what` is the plural for people.

    In folders, and for patterns, `wanted` chooses by a file's name; `is_one` then looks into the
    files that a folder has. `exclude` are patterns of what is passed over. `hint` follows the
    message that a folder has none.
    """

    def __init__(
        self,
        what: str,
        wanted: Callable[[str], bool],
        limits: Limits,
        is_one: Callable[[str], bool] | None = None,
        exclude: Iterable[str] = (),
        hint: str = "",
    ) -> None:
        self._what = what
        self._wanted = wanted
        self._limits = limits
        self._is_one = is_one
        self._exclude = tuple(exclude)
        self._hint = hint
        self._files = DiskFiles()

    def files(self, words: Iterable[str]) -> Iterator[str]:
        """The names of the files, each once.

        Raises:
            UsageProblem: for a folder or a pattern that has none.
        """
        seen = set()
        for word in words:
            for name in self._found(word):
                if name not in seen:
                    seen.add(name)
                    yield name

    def _found(self, word: str) -> list[str]:
        if word in STANDARD_INPUT:
            return [word]
        if os.path.isdir(word):
            found = [n for n in self._below(word) if self._is_one is None or self._is_one(n)]
            if not found:
                raise UsageProblem(f"`{word}` has no {self._what}{self._hint}")
            return found
        if not is_pattern(word) or self._files.exists(word):
            return [word]
        folder = word
        while is_pattern(folder):
            folder = os.path.dirname(folder)
        pattern = self._files.shown(word)
        found = [name for name in self._below(folder or ".") if matches(pattern, name)]
        if not found:
            raise UsageProblem(f"no file matches `{word}`")
        return found

    def _below(self, folder: str) -> list[str]:
        """The files in a folder that are wanted and not excluded."""
        try:
            files = DiskFiles((folder,), limits=self._limits)
            found = files.below(folder, self._wanted)
        except FileProblem as problem:
            raise UsageProblem(problem.message) from None
        shown = [self._files.shown(os.path.join(folder, name)) for name in found]
        return [name for name in shown if not is_excluded(name, self._exclude)]


def documents(
    options: Options, is_one: Callable[[Dialect, Source], bool], every: bool = False
) -> Search:
    """The search for documents: in folders names that blueprints have, and texts that are one.

    `is_one` tells it by the dialect and the text. Of a dialect that reads all files of a folder one
    is found, unless `every` file counts.
    """
    looked_at: set[str] = set()
    limits = limits_of(options)

    def has(name: str) -> bool:
        if is_named(name):
            return True
        try:
            source = read_source(name, DiskFiles((os.path.dirname(name),), limits=limits))
        except FileProblem:
            return False
        named = options.dialect
        dialect = find_dialect(named) if named is not None else detect_dialect(source)
        if not is_one(dialect, source):
            return False
        if every or not dialect.reads_beside or dialect.command_line.alone in options.own:
            return True
        folder = os.path.dirname(source.name)
        first = folder not in looked_at
        looked_at.add(folder)
        return first

    return Search(
        "blueprints", lambda name: name.lower().endswith(ENDINGS), limits, has, options.exclude
    )
