"""The search for the documents that a command line names, or that folders hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Final

from ..dialects.table import detect_dialect, find_dialect
from ..engine.options import Options
from ..engine.run import Dialect
from ..rendering import read_source
from ..values.source import Source
from ..world.files import DiskFiles, FileProblem
from ..world.searching import is_pattern, matches
from .render_inputs import limits_of
from .usage import STANDARD_INPUT, UsageProblem

_ENDINGS: Final = (".yaml", ".yml", ".json", ".jsonc")
_NAMED: Final = ".blueprint"


class Search:
    """The search for what a command line names: files as they are, those in folders, patterns.

    In folders it finds names that blueprints have, and texts that are certainly documents: for
    which `is_one` is true of the dialect and the text. Of a dialect that reads all files of a
    folder one is found, unless `every` file counts.
    """

    def __init__(
        self, options: Options, is_one: Callable[[Dialect, Source], bool], every: bool = False
    ) -> None:
        self._options = options
        self._is_one = is_one
        self._every = every
        self._limits = limits_of(options)
        self._files = DiskFiles()
        self._looked_at: set[str] = set()

    def files(self) -> Iterator[str]:
        """The names of the files, each once.

        Raises:
            UsageProblem: for a folder or a pattern that has none.
        """
        seen = set()
        for word in self._options.files or (".",):
            for name in self._found(word):
                if name not in seen:
                    seen.add(name)
                    yield name

    def _found(self, word: str) -> list[str]:
        if word in STANDARD_INPUT:
            return [word]
        if os.path.isdir(word):
            found = [name for name in self._below(word) if self._is_document(name)]
            if not found:
                raise UsageProblem(f"`{word}` has no blueprints")
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
        """The files in a folder that may be documents and are not excluded."""
        try:
            files = DiskFiles((folder,), limits=self._limits)
            found = files.below(folder, lambda name: name.lower().endswith(_ENDINGS))
        except FileProblem as problem:
            raise UsageProblem(problem.message) from None
        shown = [self._files.shown(os.path.join(folder, name)) for name in found]
        return [name for name in shown if not self._is_excluded(name)]

    def _is_excluded(self, name: str) -> bool:
        for pattern in self._options.exclude:
            if "/" not in pattern.rstrip("/"):
                pattern = f"**/{pattern}"
            if matches(os.path.normpath(pattern), name, whole=False):
                return True
        return False

    def _is_document(self, name: str) -> bool:
        """True for a name that blueprints have, and for a text that is certainly one."""
        base = os.path.splitext(os.path.basename(name))[0]
        if base.endswith(_NAMED):
            return True
        try:
            source = read_source(name, DiskFiles((os.path.dirname(name),), limits=self._limits))
        except FileProblem:
            return False
        return self._stands_alone(source)

    def _stands_alone(self, source: Source) -> bool:
        named = self._options.dialect
        dialect = find_dialect(named) if named is not None else detect_dialect(source)
        if not self._is_one(dialect, source):
            return False
        if (
            self._every
            or not dialect.reads_beside
            or dialect.command_line.alone in self._options.own
        ):
            return True
        folder = os.path.dirname(source.name)
        first = folder not in self._looked_at
        self._looked_at.add(folder)
        return first
