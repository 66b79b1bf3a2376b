"""The dialect of Kargo: the syntax, the functions, and the stages in their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ...engine.run import Context, Dialect, Pipeline, Stage, later
from ...values.diagnostics import Diagnostic
from ...values.document import Document
from .command_line import COMMAND_LINE
from .forms import SEMANTICS
from .recognition import QUOTES, recognises, stands_alone
from .stages import load, prune, steps, tasks, variables
from .syntax import SYNTAX, functions

if TYPE_CHECKING:
    from ...answers.inspection import Inspection
    from ...engine.lints import Lint


def check_promotions(document: Document, context: Context) -> None:
    """Reports the mistakes of all promotions and Warehouses."""
    from .checking import check_promotions as check

    check(document, context)


def lints() -> tuple[Lint, ...]:
    """What `check` remarks on promotions."""
    from .reviewing import LINTS

    return LINTS


def unresolved(document: Document, context: Context) -> Iterable[Diagnostic]:
    """The errors that `--strict` adds for unknown values."""
    from .answers import results

    return results.unresolved(document, context)


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
    check=check_promotions,
    quotes=QUOTES,
    unresolved=unresolved,
    lints=lints,
    semantics=SEMANTICS,
    recognises=recognises,
    stands_alone=stands_alone,
    reads_beside=True,
    command_line=COMMAND_LINE,
    inspection=inspection,
)
