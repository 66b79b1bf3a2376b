"""GoTemplates of an installation: their functions, their files, and what makes runs repeatable.

Sections 12 and 15 of the notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from ....functions.values import FunctionError
from ...engine.run import Context
from ...language.errors import Failure
from ...world.files import FileProblem
from ..gotemplate.engine import Execution as Setting
from ..gotemplate.engine import Program, compile_template
from ..gotemplate.places import TemplateText
from .components import Components
from .parts import Parts
from .stubs import stubbed
from .syntax import functions

_DEEPEST: Final = 100
"""Uses of one included file inside of one another."""


class GoTemplates:
    """Compiles and runs the templates of one installation; a file is compiled once."""

    def __init__(
        self, context: Context, parts: Parts, components: Components, stubs: Mapping[str, Any]
    ) -> None:
        self.context = context
        self.parts = parts
        self.components = components
        self.functions = stubbed(functions(context.settings), stubs, context)
        self._programs: dict[str, Program | None] = {}

    def compile(self, text: TemplateText) -> Program | None:
        """The program of a template; None after mistakes, which are reported."""
        return compile_template(text, self.functions, self.context)

    def of_file(self, path: str) -> Program | None:
        """The program of a file; None after mistakes.

        Raises:
            FileProblem: it cannot be read.
        """
        source = self.parts.source(path)
        if source.name not in self._programs:
            self._programs[source.name] = self.compile(TemplateText.of(source))
        return self._programs[source.name]

    def setting(self, name: str) -> Setting:
        """What the program of an execution runs with."""
        return Setting(self.context.meter, TemplateEnvironment(self, name))


class TemplateEnvironment:
    """What functions with an effect ask: the clock, chance, files and components.

    `name` is that of the execution, by which each gets numbers of its own.
    """

    def __init__(self, templates: GoTemplates, name: str) -> None:
        self._templates = templates
        self._name = name
        self._calls = 0
        self._including: dict[str, int] = {}
        self.context = templates.context
        self.parts = templates.parts
        self.components = templates.components

    def now(self) -> float:
        """Seconds since 1970.

        Raises:
            FunctionError: no time was given.
        """
        if self.context.settings.now is None:
            summary = "the time of a run is another one each time"
            hint = "`--now TIME` or SOURCE_DATE_EPOCH says what time it is"
            raise FunctionError(summary, "function_refused", hint)
        return self.context.settings.now

    def stream(self) -> Random:
        """The numbers of one call.

        Raises:
            FunctionError: no seed was given.
        """
        seed = self.context.settings.seed
        if seed is None:
            summary = "chance gives something else each time"
            hint = "`--seed N` makes it reproducible"
            raise FunctionError(summary, "function_refused", hint)
        self._calls += 1
        return Random(f"{seed}/{self._name}/{self._calls}")

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
        try:
            program = self._templates.of_file(path)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None
        if program is None:
            raise Failure("template_syntax", f"`{path}` has mistakes", reported=True)
        self._including[path] = depth + 1
        try:
            setting = Setting(self.context.meter, self)
            return program.run(binding, setting).text
        finally:
            self._including[path] = depth

    def contents(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            FunctionError: it cannot be read.
        """
        try:
            return self.parts.read(path)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None

    def listed(self, path: str) -> Iterator[tuple[str, bool, int]]:
        """What is in a folder: names, whether each is a folder, and sizes.

        Raises:
            FunctionError: it cannot be looked at.
        """
        try:
            for name, is_folder in self.parts.listed(path):
                inner = f"{path}/{name}"
                yield name, is_folder, 0 if is_folder else len(self.parts.read(inner))
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None
