"""What functions with an effect ask of a run: the clock, chance, and the files of a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....functions.registry import Function
from ....functions.values import FunctionError
from ...engine.run import Context
from ...language.errors import Failure
from ...values.quoting import QuotingRule, quote_all
from ...values.source import Source
from ...world.files import FileProblem, decode_text
from .engine import Execution, Program, compile_template
from .places import TemplateText

QUOTES: Final = QuotingRule(lambda source: "{{" in source.text, quote_all)
"""Reports may quote all of a template, but nothing of a text without actions."""
_DEEPEST: Final = 100
"""Uses of one included file inside of one another."""


class TemplateEnvironment:
    """The surroundings of the programs of one folder; each file is compiled once.

    `name` is that of the execution, by which each gets numbers of its own.
    """

    def __init__(
        self, context: Context, functions: Mapping[str, Function], folder: str, name: str = ""
    ) -> None:
        self.context = context
        self.functions = functions
        self.folder = folder
        self.name = name
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

    def source(self, path: str) -> Source:
        """A file of the folder as a text.

        Raises:
            FunctionError: it cannot be read.
        """
        files = self.context.files
        try:
            shown = files.shown(path, self.folder)
            text = decode_text(files.read(path, self.folder), shown)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None
        source = Source(shown, text, "text", files.resolve(path, self.folder))
        self.context.quoting.admit(source, QUOTES)
        return source

    def include(self, path: str, binding: Any) -> str:
        """The text that a file gives as a template.

        Raises:
            FunctionError: it cannot be read, or is nested in itself too deep.
            Failure: the template fails; at its place.
        """
        depth = self._including.get(path, 0)
        if depth >= _DEEPEST:
            summary = f"`{path}` is included in itself more than {_DEEPEST} times"
            raise FunctionError(summary, "limit_exceeded")
        if path not in self._programs:
            text = TemplateText.of(self.source(path))
            self._programs[path] = compile_template(text, self.functions, self.context)
        program = self._programs[path]
        if program is None:
            raise Failure("template_syntax", f"`{path}` has mistakes", reported=True)
        self._including[path] = depth + 1
        try:
            return program.run(binding, Execution(self.context.meter, self)).text
        finally:
            self._including[path] = depth

    def contents(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            FunctionError: it cannot be read.
        """
        try:
            return self.context.files.read(path, self.folder)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None

    def listed(self, path: str) -> Iterator[tuple[str, bool, int]]:
        """What is in a folder: names, whether each is a folder, and sizes."""
        names: dict[str, bool] = {}

        def look(above: str, folders: list[str], files: list[str]) -> tuple[list[str], list[str]]:
            if not above:
                names.update(dict.fromkeys(folders, True) | dict.fromkeys(files, False))
            return [], files

        base = f"{self.folder}/{path}"
        self.context.files.below(base, lambda name: True, self.context.meter.work, look)
        for name, is_folder in sorted(names.items()):
            yield name, is_folder, 0 if is_folder else len(self.contents(f"{path}/{name}"))
