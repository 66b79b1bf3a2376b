"""GoTemplates of an installation: their functions, and the files and components that these read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....functions.landscaper.index import INDEX, load
from ....functions.registry import Functions
from ....functions.signatures import declared_functions
from ....functions.values import FunctionError
from ...engine.run import Context
from ...language.syntax import Syntax
from ...values.settings import Settings
from ...values.source import Source
from ...world.files import FileProblem
from ..gotemplate.dialect import SYNTAX as OF_TEMPLATES
from ..gotemplate.engine import Execution as Setting
from ..gotemplate.engine import Program, compile_template
from ..gotemplate.environment import TemplateEnvironment
from ..gotemplate.functions import functions as of_templates
from ..gotemplate.places import TemplateText
from .components import Components
from .parts import Parts
from .stubs import stubbed

SYNTAX: Final[Syntax] = OF_TEMPLATES.evolve(go_style=True)
"""Nothing is split in blueprints, and output is written as Go does."""

_REMOVED: Final = ("generateImageOverwrite", "getOriginalName", "resolve")
_GONE: Final = "a function of old releases, which was removed from Landscaper"


def functions(settings: Settings) -> Functions:
    """The functions of templates: Go's, sprig's and Landscaper's."""
    own = declared_functions(INDEX, load, {"limits": settings.limits})
    made = of_templates(settings).with_functions(*own.outlines().values())
    made.listed = "bpp functions --dialect landscaper"
    others = made.advise
    made.advise = lambda name: _GONE if name in _REMOVED else others(name)
    return made


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
