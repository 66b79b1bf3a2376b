"""The dialect of Kargo: the syntax, the functions, and the stages in their order."""

from __future__ import annotations

from ....functions.words import TYPE_CHECKING, Final
from ...engine.run import Dialect, Pipeline, Stage, later
from .command_line import COMMAND_LINE
from .forms import SEMANTICS
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
