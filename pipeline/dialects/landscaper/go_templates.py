"""GoTemplates of an installation: their functions, and the files and components that these read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ....functions.landscaper.index import INDEX, load
from ....functions.registry import Functions
from ....functions.signatures import declared_functions
from ...engine.run import Context
from ...language.syntax import Syntax
from ...values.settings import Settings
from ...values.source import Source
from ..gotemplate.dialect import SYNTAX as OF_TEMPLATES
from ..gotemplate.engine import Program, compile_template
from ..gotemplate.environment import TemplateEnvironment
from ..gotemplate.functions import functions as of_templates
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

    def compile(self, text: Source) -> Program | None:
        """The program of a template; None after mistakes, which are reported."""
        return compile_template(text, self.functions, self.context)

    def environment(self, name: str) -> TemplateEnvironment:
        """What functions ask that are called in an execution."""
        made = _Environment(self.functions, self.parts, name)
        made.components = self.components
        return made


class _Environment(TemplateEnvironment):
    """The surroundings of an execution, with the components that its functions look into."""

    components: Components
