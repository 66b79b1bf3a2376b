"""Executions of Spiff: a tree is evaluated, with the bindings behind it and its state as a stub."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ....functions.gotemplate.kinds import Absent
from ....functions.landscaper.components import ONLY_IN_TEMPLATES
from ....functions.landscaper.index import INDEX as OWN
from ...engine.run import Context
from ...engine.string_evaluation import Evaluated
from ...formats.go_yaml import plain, read_go
from ...language.language import Language
from ...values.source import Source
from ...values.tree import AnyNode, Map, Scalar, Trail
from .blueprint import Execution
from .fields import as_floats, as_numbers
from .installation import Installation
from .options import IMPORT
from .parts import text_in

if TYPE_CHECKING:
    from ..spiff.processing import Outcome


def template_tree(work: Installation, execution: Execution) -> AnyNode | None:
    """The tree of a template; None after mistakes, which are reported."""
    template = execution.template
    if template is None and execution.file is not None:
        source = work.parts.named(execution.file)
        if source is None:
            return None
        return read_go(source, work.context.meter, work.told, integers=True)
    if isinstance(template, Scalar) and isinstance(template.value, str):
        return read_go(text_in(template), work.context.meter, work.told, integers=True)
    return None if template is None else as_numbers(template)


def run_spiff(work: Installation, execution: Execution, bindings: dict[str, Any]) -> AnyNode | None:
    """What an execution of Spiff gives; None for nothing and after mistakes."""
    template = template_tree(work, execution)
    if template is None:
        return None
    slot = work.slots.get(execution.slot) if execution.phase != IMPORT else None
    made = _processed(template, bindings, work, work.context, functions_of(work), slot)
    if made is None:
        return None
    if execution.phase != IMPORT:
        work.slots[execution.slot] = made.state
    root = made.node
    return None if isinstance(root, Scalar) and root.value is None else root


def _processed(
    template: AnyNode,
    values: Mapping[str, Any],
    work: Installation,
    context: Context,
    functions: Mapping[str, Any],
    state: AnyNode | None = None,
) -> Outcome | None:
    from ..spiff.cells import Run
    from ..spiff.processing import process

    environment = work.templates.environment("spiff")
    run = Run(
        template,
        shared_language(context),
        context.meter,
        context.diagnostics,
        content=environment.contents,
        list=lambda path, folders: [
            name for name, is_folder, _ in environment.listed(path) if is_folder == folders
        ],
        numbers=context.environment.numbers,
        stubs=(as_numbers(state),) if state is not None else (),
        values=values,
        functions=functions,
    )
    return process(run)


def shared_language(context: Context) -> Language:
    """The language of all executions of a run: equal expressions are parsed and paid for once."""
    from ..spiff.syntax import SYNTAX

    found = context.work.find(Language)
    if found is None or found.meter is not context.meter:
        found = Language(SYNTAX, context.limits, None, context.meter)
        context.work.keep(found)
    return found


def functions_of(work: Installation) -> Mapping[str, Any]:
    """Landscaper's functions for Spiff, as callables of values."""
    environment = work.templates.environment("spiff")
    known = {name: work.templates.functions[name] for name in OWN if name not in ONLY_IN_TEMPLATES}
    return {
        name: partial(one.call, environment) if one.effect else one.call
        for name, one in known.items()
    }


def mapped(
    mappings: Map, given: Mapping[str, AnyNode | Absent], work: Installation
) -> dict[str, AnyNode | Absent]:
    """The values of importDataMappings, each a Spiff document that sees the imports by name."""
    values = {
        name: node if isinstance(node, Absent) else plain(node) for name, node in given.items()
    }
    made: dict[str, AnyNode | Absent] = {}
    for name, node in mappings.items.items():
        found = _processed(as_numbers(node), values, work, work.context, {})
        if found is not None:
            made[name] = as_floats(found.node)
    return made


def evaluated_spiff(
    text: str, work: Installation, bindings: Mapping[str, Any], context: Context
) -> Evaluated:
    """The value of one expression."""
    source = Source("<expression>", text, "text")
    node = Scalar(text, Trail(source), 0, len(text))
    found = _processed(node, bindings, work, context, functions_of(work))
    if found is None:
        return Evaluated()
    value = plain(as_numbers(found.node))
    return Evaluated(text=value) if isinstance(value, str) else Evaluated(value=value)
