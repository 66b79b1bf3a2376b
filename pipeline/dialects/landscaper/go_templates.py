"""GoTemplates of an installation: their functions, and the files and components that these read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ....functions.values import FunctionError
from ...engine.run import Context
from ...values.source import Source
from ...world.files import FileProblem
from ..gotemplate.engine import Execution as Setting
from ..gotemplate.engine import Program, compile_template
from ..gotemplate.environment import TemplateEnvironment
from ..gotemplate.places import TemplateText
from .components import Components
from .parts import Parts
from .stubs import stubbed
from .syntax import functions


class GoTemplates:
    """Compiles the templates of one installation, and has what they run with."""

    def __init__(
        self, context: Context, parts: Parts, components: Components, stubs: Mapping[str, Any]
    ) -> None:
        self.context = context
        self.parts = parts
        self.components = components
        self.functions = stubbed(functions(context.settings), stubs, context)

    def compile(self, text: TemplateText) -> Program | None:
        """The program of a template; None after mistakes, which are reported."""
        return compile_template(text, self.functions, self.context)

    def environment(self, name: str) -> TemplateEnvironment:
        """What functions ask that are called in an execution."""
        return _Environment(self, name)

    def setting(self, name: str) -> Setting:
        """What the program of an execution runs with."""
        return Setting(self.context.meter, self.environment(name))


class _Environment(TemplateEnvironment):
    """The surroundings of an execution: the files are those of the blueprint."""

    def __init__(self, templates: GoTemplates, name: str) -> None:
        parts = templates.parts
        super().__init__(templates.context, templates.functions, parts.folder, name)
        self.parts = parts
        self.components = templates.components

    def source(self, path: str) -> Source:
        try:
            return self.parts.source(path)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None

    def contents(self, path: str) -> bytes:
        try:
            return self.parts.read(path)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None

    def listed(self, path: str) -> Iterator[tuple[str, bool, int]]:
        try:
            return iter([*super().listed(self.parts.path(path))])
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None
