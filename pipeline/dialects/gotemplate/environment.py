"""What functions with an effect ask of a run: the clock, chance, and the files of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....functions.registry import Function
from ....functions.values import FunctionError
from ...engine.run import Context
from ...language.errors import Failure
from ...language.meter import over_limit
from ...values.quoting import QuotingRule, quote_all
from ...values.source import Source
from ...world.files import FileProblem, decode_text
from .engine import Program, compile_template

QUOTES: Final = QuotingRule(lambda source: "{{" in source.text, quote_all)
"""Reports may quote all of a template, but nothing of a text without actions."""


class Folder:
    """The files below a folder, whose names in reports begin with `prefix`."""

    def __init__(
        self, context: Context, folder: str, prefix: str = "", quotes: QuotingRule = QUOTES
    ) -> None:
        self.context = context
        self.files = context.files
        self.folder = folder
        self.prefix = prefix
        self._quotes = quotes
        self._sources: dict[str, Source] = {}

    def path(self, path: str) -> str:
        """A path from the folder on.

        Raises:
            FileProblem: it leads out of the folder.
        """
        return path

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileProblem: it may not or cannot be read.
        """
        return self.files.read(self.path(path), self.folder)

    def source(self, path: str) -> Source:
        """A file as a text that reports may quote, the same object each time.

        Raises:
            FileProblem: it may not or cannot be read, or is no text.
        """
        inner = self.path(path)
        found = self._sources.get(inner)
        if found is None:
            shown = self.prefix + self.files.shown(inner, self.folder)
            text = decode_text(self.files.read(inner, self.folder), shown)
            found = Source(shown, text, "yaml", self.files.resolve(inner, self.folder))
            self._sources[inner] = found
            quoting = self.context.quoting
            if not self.prefix or quoting.without_values(text) == text:  # else a template wrote it
                quoting.admit(found, self._quotes)
        return found


class TemplateEnvironment:
    """The surroundings of the programs of one folder; each file is compiled once.

    `name` is that of the execution, by which each gets numbers of its own. `reads_data` says that
    a text may hold what stands in a file that is no template.
    """

    def __init__(self, functions: Mapping[str, Function], folder: Folder, name: str = "") -> None:
        self.context = folder.context
        self.functions = functions
        self.folder = folder
        self.name = name
        self.reads_data = False
        self._calls = 0
        self._including: dict[str, int] = {}
        self._programs: dict[str, Program | None] = {}

    def now(self) -> float:
        """Seconds since 1970.

        Raises:
            FunctionError: no time was given.
        """
        if self.context.settings.now is None:
            hint = "`--now TIME` or SOURCE_DATE_EPOCH says what time it is"
            raise FunctionError("the clock differs in each run", "function_refused", hint)
        return self.context.settings.now

    def stream(self) -> Any:
        """The numbers of one call.

        Raises:
            FunctionError: no seed was given.
        """
        self._calls += 1
        return self.context.environment.numbers(f"{self.name}/{self._calls}")

    def include(self, path: str, binding: Any) -> str:
        """The text that a file gives as a template.

        Raises:
            FileProblem: it may not or cannot be read.
            FunctionError: it is nested in itself too deep.
            Failure: the template fails; at its place.
        """
        depth, limits = self._including.get(path, 0), self.context.limits
        if depth >= limits.max_reference_depth:
            summary = f"`{path}` is included in itself more than {depth} times"
            raise over_limit("max_reference_depth", summary, limits)
        if path not in self._programs:
            text = self.folder.source(path)
            self._programs[path] = compile_template(text, self.functions, self.context)
        program = self._programs[path]
        if program is None:
            raise Failure("template_syntax", f"`{path}` has mistakes", reported=True)
        self._including[path] = depth + 1
        try:
            return program.run(binding, self.context.meter, self).text
        finally:
            self._including[path] = depth

    def contents(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileProblem: it may not or cannot be read.
        """
        self.reads_data = True
        return self.folder.read(path)

    def listed(self, path: str) -> Iterator[tuple[str, bool, int]]:
        """What is in a folder: names, whether each is a folder, and sizes.

        Links that lead outside, or nowhere, are left out.

        Raises:
            FileProblem: it is not a folder, or a file in it cannot be read.
        """
        entries = self._entries(path)
        if entries is None:
            raise FileProblem("file_not_found", f"`{path}` is not a folder")
        for name, is_folder in sorted(entries.items()):
            inner, size = f"{path}/{name}", 0
            try:
                size = 0 if is_folder else len(self.folder.read(inner))
            except FileProblem as problem:
                if problem.code in ("file_not_allowed", "file_not_found"):
                    continue
                is_folder = self._entries(inner) is not None
                if not is_folder:
                    raise
            yield name, is_folder, size

    def _entries(self, path: str) -> dict[str, bool] | None:
        """The names in a folder, and whether each is a folder; None for another path."""
        found: dict[str, bool] | None = None

        def look(above: str, folders: list[str], files: list[str]) -> tuple[list[str], list[str]]:
            nonlocal found
            found = dict.fromkeys(folders, True) | dict.fromkeys(files, False)
            return [], files

        base = f"{self.folder.folder}/{self.folder.path(path)}"
        self.context.files.below(base, lambda name: True, self.context.meter.work, look)
        return found
