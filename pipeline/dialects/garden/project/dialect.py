"""Garden's dialects: the syntax, the helper functions, and the stages in their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ....run import Pipeline, Stage
from ...dialect import Dialect
from ..command_line import COMMAND_LINE
from ..forms import SEMANTICS
from ..functions import functions
from ..recognition import recognises, recognises_second
from ..syntax import SYNTAX, SYNTAX_V2
from .checking import check_project
from .stages.environment import environment
from .stages.load import load
from .stages.resolve import resolve
from .stages.templates import templates
from .stages.variables import variables

if TYPE_CHECKING:
    from ...inspection import Inspection


def inspection() -> Inspection:
    """What commands ask about projects."""
    from ..answers import INSPECTION

    return INSPECTION


GARDEN: Final = Dialect(
    name="garden",
    title="Garden's configuration, in which `${..}?` may be nothing (garden.io/v1)",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(
        (
            Stage("load", load, "the files of the project into configurations"),
            Stage("environment", environment, "which environment is evaluated"),
            Stage("variables", variables, "the variables of project and environment"),
            Stage("templates", templates, "configurations that templates render"),
            Stage("resolve", resolve, "everything else"),
        )
    ),
    check=check_project,
    semantics=SEMANTICS,
    recognises=recognises,
    command_line=COMMAND_LINE,
    inspection=inspection,
)

GARDEN_V2: Final = GARDEN.evolve(
    name="garden-v2",
    title="Garden's configuration, in which a `?` is text (garden.io/v2)",
    syntax=SYNTAX_V2,
    recognises=recognises_second,
)
