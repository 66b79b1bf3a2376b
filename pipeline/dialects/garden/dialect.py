"""Garden's dialects: the syntax, the helper functions, and the stages in their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ...engine.run import Context, Dialect, Pipeline, Stage, later
from ...values.diagnostics import Diagnostic
from ...values.document import Document
from .command_line import COMMAND_LINE
from .evaluating.forms import SEMANTICS
from .evaluating.functions import functions
from .recognition import QUOTES, is_project, recognises, recognises_second
from .stages import environment, load, resolve, templates, variables
from .syntax import SYNTAX, SYNTAX_V2

if TYPE_CHECKING:
    from ...answers.inspection import Inspection


def unresolved(document: Document, context: Context) -> Iterable[Diagnostic]:
    """The errors that `--strict` adds for unknown values."""
    from .answers import results

    return results.unresolved(context)


def inspection() -> Inspection:
    """The answers to commands about projects."""
    from ...answers.inspection import Inspection

    return Inspection(
        level=later(__package__, "answers.why:ProjectLevel"),
        opened=later(__package__, "answers.results:opened_project"),
        graph=later(__package__, "answers.graph:graph_of_project"),
        unknowns=later(__package__, "answers.results:unknowns_of_project"),
        views={"variables": later(__package__, "answers.results:show_variables")},
        names={
            "variables": later(__package__, "answers.results:variable_names"),
            "references": later(__package__, "answers.results:reference_names"),
            "environments": later(__package__, "answers.results:environment_names"),
            "actions": later(__package__, "answers.results:action_names"),
            "providers": later(__package__, "answers.results:provider_names"),
            "templates": later(__package__, "answers.results:template_names"),
        },
        fields=later(__package__, "answers.fields:configuration_fields"),
        named={
            "dependencies.*": "actions",
            "build": "actions",
            "environments.*": "environments",
            "defaultEnvironment": "environments",
            "template": "templates",
            "providers.*.environments.*": "environments",
            "providers.*.dependencies.*": "providers",
            "varfile": "files",
            "varfiles.*": "files",
            "environments.*.varfile": "files",
            "source.path": "files",
        },
        mentions=later(__package__, "answers.mentions:mentions"),
        naming={
            "provider": ("", ""),
            "variable": (r"[A-Za-z_][A-Za-z0-9_-]*", "letters, digits, `_` and `-`"),
            "": (r"[a-z](?:-?[a-z0-9])*", "small letters, digits and single hyphens"),
        },
        declarations={"variable": (("variables",), 'NAME: ""')},
    )


GARDEN: Final = Dialect(
    name="garden",
    title="Garden configuration, in which `${..}?` is optional (garden.io/v1)",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(
        (
            Stage("load", load, "read the files of the project into configurations"),
            Stage("environment", environment, "choose the environment"),
            Stage(
                "variables", variables, "compute the variables of the project and the environment"
            ),
            Stage("templates", templates, "render the configurations of templates"),
            Stage("resolve", resolve, "evaluate everything else"),
        )
    ),
    check=later(__package__, "checking:check_project"),
    quotes=QUOTES,
    unresolved=unresolved,
    semantics=SEMANTICS,
    recognises=recognises,
    stands_alone=is_project,
    command_line=COMMAND_LINE,
    inspection=inspection,
)

GARDEN_V2: Final = GARDEN.evolve(
    name="garden-v2",
    title="Garden configuration, in which a `?` is text (garden.io/v2)",
    syntax=SYNTAX_V2,
    recognises=recognises_second,
)
