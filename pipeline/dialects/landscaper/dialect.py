"""The dialect of Landscaper: the stages in their order, and the answers to commands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ...engine.run import Dialect, Pipeline, Stage, later
from .blueprint import LISTS
from .command_line import COMMAND_LINE
from .documents import redact
from .go_templates import SYNTAX, functions
from .recognition import QUOTES, recognises
from .stages import (
    deploy_items,
    exports,
    import_executions,
    imports,
    load,
    subinstallations,
)

if TYPE_CHECKING:
    from ...answers.inspection import Inspection
    from ...engine.lints import Lint


def lints() -> tuple[Lint, ...]:
    """What `check` remarks on blueprints."""
    from .lints import LINTS

    return LINTS


def inspection() -> Inspection:
    """The answers to commands about blueprints."""
    from ...answers.inspection import Inspection
    from ..gotemplate.mentions import NAMING

    views = ("imports", "state", "exports", "manifests", "schemas", "all")
    return Inspection(
        level=later(__package__, "answers.why:level_of_blueprint"),
        opened=later(__package__, "answers.evaluating:opened"),
        survey=later(__package__, "answers.graph:survey"),
        unknowns=later(__package__, "answers.results:unknowns"),
        shown=later(__package__, "answers.masking:shown"),
        printed=later(__package__, "answers.masking:printed"),
        views={name: partial(later(__package__, "answers.results:show"), name) for name in views},
        names={"references": later(__package__, "answers.evaluating:reference_names")},
        openers=(("{{", "}}"), ("((", "))")),
        fields=later(__package__, "answers.fields:blueprint_fields"),
        named={f"{name}.*.file": "files" for name in LISTS.values()},
        mentions=later(__package__, "answers.mentions:mentions"),
        naming={**NAMING, "": (r"[A-Za-z0-9][A-Za-z0-9_-]*", "letters, digits, `_` and `-`")},
        declarations={"import": (("imports",), "- name: NAME\n  schema: {type: string}")},
    )


LANDSCAPER: Final = Dialect(
    name="landscaper",
    title="blueprints of Landscaper, with GoTemplate and Spiff",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(
        (
            Stage("load", load, "read the blueprint, its components and what is supplied"),
            Stage("imports", imports, "find and check the values of the imports"),
            Stage("import-executions", import_executions, "run the import executions"),
            Stage("subinstallations", subinstallations, "find the subinstallations"),
            Stage("deploy-items", deploy_items, "run the deploy executions"),
            Stage("exports", exports, "compute the exports from what is known of the deployment"),
        )
    ),
    check=later(__package__, "checking:check_blueprint"),
    quotes=QUOTES,
    unresolved=later(__package__, "answers.results:unresolved"),
    redact=redact,
    lints=lints,
    recognises=recognises,
    stands_alone=recognises,
    reads_beside=True,
    opens_nothing=True,
    command_line=COMMAND_LINE,
    inspection=inspection,
    space_inner=later(__package__, "spacing:space_templates"),
)
