"""What `bpp eval` and `bpp console` know of a blueprint: the bindings of a phase."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....answers.inspection import Evaluate
from ....engine.run import Context
from ....engine.string_evaluation import Evaluated
from ....values.document import Document
from ....values.settings import SECRETS_REVEAL
from ....values.source import Source
from ....values.tree import items_at
from ..blueprint import KIND, VERSION
from ..exports import outcomes
from ..imports import given_values
from ..installation import GIVEN, Installation, Value
from ..options import EXPORT, IMPORT, options_of
from ..stages import installation_of

_STOPS: Final = {IMPORT: "imports", EXPORT: "deploy-items"}
"""The stage after which the bindings of a phase are complete; `import-executions` for others."""
_BOUND: Final = (".cd", ".components", ".blueprint", ".state", ".values")
_NOTHING: Final = Source("<scope>", f"apiVersion: {VERSION}\nkind: {KIND}\n", "yaml")


def opened(document: Document, context: Context) -> Evaluate | None:
    """The function that evaluates texts with the bindings of a phase; None after errors.

    Without a blueprint `imports` are all values that are given.
    """
    phase = options_of(context.options).phase
    stop, alone = _STOPS.get(phase, "import-executions"), not document.source.text
    if alone:
        document, stop = document.evolve(source=_NOTHING), "load"
    context.pipeline.upto(stop).last(document, context)
    if context.diagnostics.errors:
        return None
    work = installation_of(context)
    for name, node in given_values(work).items() if alone else ():
        work.values[name] = Value(name, node, GIVEN)
    work.renew()
    more: Mapping[str, Any] = {} if phase == IMPORT else {"state": {}}
    if phase == EXPORT:
        more = {**more, **outcomes(work)}
    return lambda text: evaluated(str(text), work, work.bound(more))


def reference_names(document: Document, context: Context) -> Iterator[str]:
    """What templates refer to: the imports, with the properties that their schemas declare."""
    context.pipeline.reached("load", document, context)
    work = context.work.find(Installation)
    for one in work.blueprint.all_imports() if work is not None else ():
        name = f".imports.{one.name}"
        yield name
        yield from (f"{name}.{key}" for key, _ in items_at(one.schema, "properties"))
    yield from _BOUND


def evaluated(text: str, work: Installation, bindings: dict[str, Any]) -> Evaluated:
    """The answer to a text: that of a template as it is, other values as data."""
    told = work.context.diagnostics.beside()
    context = work.context.evolve(diagnostics=told)
    if text.lstrip().startswith("(("):
        from ..spiff_executions import evaluated_spiff

        found = evaluated_spiff(text.strip(), work, bindings, context)
    else:
        from ...gotemplate.answers import evaluate_template

        environment = work.templates.environment("eval")
        found = evaluate_template(text, bindings, environment, context)
    if context.settings.secrets != SECRETS_REVEAL:
        secrets = work.withheld()
        shown = secrets.in_data(found.text)
        found = found.evolve(value=secrets.in_data(found.value), text=shown)
    if isinstance(found.value, str):
        found = found.evolve(value=None, text=found.value)
    return found.evolve(diagnostics=(*found.diagnostics, *told))
