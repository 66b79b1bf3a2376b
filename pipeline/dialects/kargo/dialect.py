"""The dialect of Kargo: the syntax, the functions, and the stages in their order."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ...engine.run import Dialect, Pipeline, Stage, later
from .command_line import COMMAND_LINE
from .forms import SEMANTICS
from .promotions import TASKS
from .recognition import QUOTES, recognises, stands_alone
from .stages import load, prune, steps, tasks, variables
from .syntax import SYNTAX, functions

if TYPE_CHECKING:
    from ...answers.inspection import Inspection
    from ...engine.lints import Lint


def lints() -> tuple[Lint, ...]:
    """What `check` remarks on promotions."""
    from .reviewing import LINTS

    return LINTS


def inspection() -> Inspection:
    """The answers to commands about promotions."""
    from ...answers.inspection import Inspection

    views = ("steps", "vars", "verification", "criteria")
    return Inspection(
        level=later(__package__, "answers.why:level_of_promotions"),
        opened=later(__package__, "answers.results:opened"),
        graph=later(__package__, "answers.graph:graph_of_promotions"),
        unknowns=later(__package__, "answers.results:unknowns"),
        views={name: later(__package__, f"answers.results:show_{name}") for name in views},
        names={
            "promotions": later(__package__, "manifests:stage_names"),
            "references": later(__package__, "answers.results:reference_names"),
            **{
                kind: partial(later(__package__, "answers.results:manifest_names"), kind)
                for kind in ("Stage", "Warehouse", *TASKS, "ConfigMap", "Secret")
            },
            **{
                kind: partial(later(__package__, "answers.results:repositories"), kind)
                for kind in ("image", "git", "chart")
            },
        },
        fields=later(__package__, "answers.fields:manifest_fields"),
        openers=(("${{", "}}"), ("${%", "%}")),
        named={
            "spec.requestedFreight.*.origin.name": "Warehouse",
            "spec.requestedFreight.*.sources.stages.*": "Stage",
            "spec.stage": "Stage",
            "spec.promotionTemplate.spec.steps.*.task.name": "PromotionTask",
            "spec.steps.*.task.name": "PromotionTask",
            "imageFrom(0)": "image",
            "imageFrom(1)": "Warehouse",
            "commitFrom(0)": "git",
            "commitFrom(1)": "Warehouse",
            "chartFrom(0)": "chart",
            "warehouse(0)": "Warehouse",
            "configMap(0)": "ConfigMap",
            "secret(0)": "Secret",
        },
        mentions=later(__package__, "answers.mentions:mentions"),
        naming={
            "variable": (r"[A-Za-z_][A-Za-z0-9_]*", "letters, digits and `_`"),
            "step": (
                r"(?!(?:step|task)-\d+\Z)[A-Za-z0-9][A-Za-z0-9_-]*",
                "letters, digits and `-`",
            ),
            "": (r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", "small letters, digits, `-` and `.`"),
        },
    )


KARGO: Final = Dialect(
    name="kargo",
    title="promotions of Kargo, with expressions in `${{ .. }}`",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(
        (
            Stage("load", load, "read the file and the manifests beside it"),
            Stage("tasks", tasks, "make the promotion of each Stage, with its tasks put in"),
            Stage("variables", variables, "compute the variables of each promotion"),
            Stage("steps", steps, "evaluate the steps in their order"),
            Stage("prune", prune, "leave out steps that do not run, and unused variables"),
        )
    ),
    check=later(__package__, "checking:check_promotions"),
    quotes=QUOTES,
    unresolved=later(__package__, "answers.results:unresolved"),
    lints=lints,
    semantics=SEMANTICS,
    recognises=recognises,
    stands_alone=stands_alone,
    reads_beside=True,
    command_line=COMMAND_LINE,
    inspection=inspection,
)
