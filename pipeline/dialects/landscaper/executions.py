"""Executions: templates of both engines run, and what they give is read as a tree with places.

Section 5 of the notes. Results keep the places of the templates: a node that was read from a
rendered text leads to the action that wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...formats.go_yaml import plain, read_go
from ...language.errors import Failure
from ...values.diagnostics import Diagnostic, Diagnostics, Note
from ...values.source import Source
from ...values.tree import AnyNode, Array, Map, Scalar
from ..gotemplate.engine import Program
from ..gotemplate.places import TemplateText
from .blueprint import GO_TEMPLATE, Execution
from .fields import ANY, LIST, Form, fields_of
from .installation import Installation
from .options import IMPORT
from .parts import text_in

_FEW: Final = 2
"""Lines of a rendered text that are shown before and after a mistake."""

_RENDERED: Final = {
    "rendered_second_document": "rendered_second_document",
    "rendered_duplicate_key": "rendered_duplicate_key",
    "limit_exceeded": "limit_exceeded",
}
"""The codes of reading that are told as they are; all others are `rendered_yaml`."""


def run_executions(
    work: Installation, phase: str, bindings: Mapping[str, Any]
) -> Iterator[tuple[Execution, Map]]:
    """The result of each execution of a phase that has one, in their order."""
    for execution in work.blueprint.executions.get(phase, ()):
        more = dict(bindings)
        if phase != IMPORT:
            more["state"] = _state_of(execution, work)
        root = run_execution(work, execution, more)
        if root is None:
            continue
        if not isinstance(root, Map):
            summary = f"the result of the {execution.title} must be a map"
            work.told.error("rendered_yaml", root.span, summary)
            continue
        yield execution, root


def run_execution(
    work: Installation, execution: Execution, bindings: Mapping[str, Any]
) -> AnyNode | None:
    """What one execution gives, None for nothing and after mistakes."""
    if execution.engine == GO_TEMPLATE:
        return _go_template(work, execution, work.bound(bindings))
    from .spiff_executions import run_spiff

    return run_spiff(work, execution, work.bound(bindings))


def _state_of(execution: Execution, work: Installation) -> Any:
    found = work.slots.get(execution.slot)
    return plain(found) if found is not None else {}


def _go_template(work: Installation, execution: Execution, data: dict[str, Any]) -> AnyNode | None:
    program = program_of(work, execution)
    if program is None:
        return None
    try:
        rendered = program.run(data, work.templates.setting(f"{work.path}/{execution.slot}"))
    except Failure as failure:
        report_failure(failure, work.told)
        return None
    if rendered.missing:
        _report_no_value(rendered.missing, execution, work.told)
        if execution.phase != IMPORT:
            return None
    source = rendered.source(f"<{execution.title}>")
    root = _read_rendered(source, work)
    _keep_state(root, execution, work)
    return root


def rendered_tree(work: Installation, text: TemplateText, data: Any, name: str) -> AnyNode | None:
    """What a template gives that is no execution, None for nothing and after mistakes."""
    program = work.templates.compile(text)
    if program is None:
        return None
    try:
        rendered = program.run(data, work.templates.setting(name))
    except Failure as failure:
        report_failure(failure, work.told)
        return None
    return _read_rendered(rendered.source(f"<{name}>"), work)


def program_of(work: Installation, execution: Execution) -> Program | None:
    """The compiled template of an execution; None after mistakes, which are reported once."""
    key = id(execution)
    if key not in work.programs:
        text = template_text(work, execution)
        work.programs[key] = None if text is None else work.templates.compile(text)
    program: Program | None = work.programs[key]
    return program


def template_text(work: Installation, execution: Execution) -> TemplateText | None:
    """The text of a template and where it is written; None for a file that cannot be read."""
    if isinstance(execution.template, Scalar):
        return text_in(execution.template)
    if execution.file is None:
        return None
    source = work.parts.named(execution.file)
    return None if source is None else TemplateText.of(source)


def _report_no_value(missing: Any, execution: Execution, told: Diagnostics) -> None:
    hint = "a missing key prints it: give the import, or use `default`, `if` or `hasKey`"
    for span in missing:
        summary = f"the {execution.title} prints `<no value>`"
        if execution.phase == IMPORT:
            told.warn("no_value_in_import_execution", span, summary, hint)
        else:
            told.error("no_value", span, summary, hint)


def report_failure(failure: Failure, told: Diagnostics) -> None:
    """Reports why a template has no result."""
    if failure.reported:
        return
    span = getattr(failure.node, "span", None)
    told.error(failure.code, span, failure.summary, failure.hint, *failure.notes)


def _read_rendered(source: Source, work: Installation) -> AnyNode | None:
    """The tree of a rendered text, whose mistakes are told at the template."""
    found = work.told.beside()
    root = read_go(source, work.context.meter, found, computed=True)
    for item in found:
        work.told.add(_at_template(item, source))
    work.told.count(found)
    if found.errors or (isinstance(root, Scalar) and root.value is None):
        return None
    return root


def _at_template(item: Diagnostic, source: Source) -> Diagnostic:
    """A mistake in a rendered text at the template that made it, with the lines around it."""
    span = item.span
    code = _RENDERED.get(item.code, "rendered_yaml")
    if span is None:
        return item.evolve(code=code)
    rendered = span.source is source
    place = source.span(span.start, span.end) if rendered else span
    if not rendered:
        return item.evolve(code=code)
    line = span.line
    lines = [
        f"{number}: {source.line(number)}"
        for number in range(max(line - _FEW, 1), line + _FEW + 1)
        if number <= len(source.line_starts)
    ]
    return item.evolve(code=code, span=place).noting(
        Note(f"line {line} of the rendered text"), *(Note(one) for one in lines)
    )


def _keep_state(root: AnyNode | None, execution: Execution, work: Installation) -> None:
    """Keeps the state that a template gives."""
    if isinstance(root, Map) and execution.phase != IMPORT:
        state = next((node for key, node in root.items.items() if key.lower() == "state"), None)
        if state is not None:
            work.slots[execution.slot] = state


def entries_of(root: Map, name: str, execution: Execution, work: Installation) -> list[AnyNode]:
    """The list under a name of a result, empty without one."""
    form = Form(f"the result of the {execution.title}", {name: LIST, "state": ANY}, rendered=True)
    found = fields_of(root, form, work.told.beside()).get(name)
    node = next((one for key, one in root.items.items() if key.lower() == name.lower()), None)
    if found is None and node is not None:
        fields_of(root, form, work.told)
    return list(found.items) if isinstance(found, Array) else []
