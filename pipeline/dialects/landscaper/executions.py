"""Executions: templates of both engines run, and what they give is read as a tree with places.

Of the specification, "Rendering". Results keep the places of the templates: a node that was read
from a rendered text leads to the action that wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ....functions.go.yaml_scalars import is_string
from ...formats.go_yaml import plain, read_go
from ...language.errors import Failure
from ...values.diagnostics import Note, discreet
from ...values.quoting import QuotingRule, quote_all
from ...values.source import Source
from ...values.terminal import shorten
from ...values.tree import AnyNode, Array, Map, Scalar
from ..gotemplate.engine import Rendered, RenderedSpan
from .blueprint import GO_TEMPLATE, Execution
from .fields import RESULT, Form, a_kind, each_scalar, fields_of, report_failure
from .installation import Installation, strings_in
from .options import DEPLOY, EXPORT, IMPORT, SUBINSTALLATION
from .parts import text_in

_AS_THEY_ARE: Final = ("rendered_second_document", "rendered_duplicate_key", "limit_exceeded")
"""The codes of reading that are told as they are; all others are `rendered_yaml`."""
_LONGEST: Final = 100
_MARK, _PLAIN_MARK = "<unknown: ", "<unknown:\u00a0"
"""What a mark begins with, and the same as a plain scalar may have it."""

_FOREIGN: Final = QuotingRule(lambda source: False, quote_all)
"""A text is not told when it may have parts of files that are no templates."""


STEPS: Final = {
    IMPORT: ("importExecutions", "importErrors"),
    SUBINSTALLATION: ("subinstallationExecutions", "subinstallations"),
    DEPLOY: ("deployExecutions", "deployItems"),
    EXPORT: ("exportExecutions", "exports"),
}
"""Where reports say that a mistake was found: in an execution, or in what it gives."""


def run_executions(
    work: Installation, phase: str, bindings: Mapping[str, Any], *fields: tuple[str, str]
) -> Iterator[tuple[Execution, dict[str, AnyNode]]]:
    """The fields of the result of each execution of a phase that has one, in their order."""
    running, using = STEPS[phase]
    for execution in work.blueprint.executions[phase]:
        work.told.stage = running
        more = dict(bindings)
        slot = work.slots.get(execution.slot)
        if phase != IMPORT:
            more["state"] = plain(slot) if slot is not None else {}
        root = run_execution(work, execution, work.bound(more))
        if root is not None:
            form = Form(f"the result of the {execution.title}", dict(fields), kind=RESULT)
            found = fields_of(root, form, work.told)
            if phase != IMPORT and execution.engine == GO_TEMPLATE and "state" in found:
                work.slots[execution.slot] = found["state"]
            work.told.stage = using
            yield execution, found
    work.told.stage = using


def run_execution(work: Installation, execution: Execution, data: dict[str, Any]) -> AnyNode | None:
    """What one execution gives, None for nothing and after mistakes."""
    if execution.engine != GO_TEMPLATE:
        from .spiff_executions import run_spiff

        return run_spiff(work, execution, data)
    text = template_text(work, execution)
    return None if text is None else rendered(work, text, data, execution.title, execution.phase)


def template_text(work: Installation, execution: Execution) -> Source | None:
    """The text of a template and where it is written; None for a file that cannot be read."""
    if isinstance(execution.template, Scalar):
        return text_in(execution.template)
    return work.parts.named(execution.file) if execution.file is not None else None


def rendered(
    work: Installation, text: Source, data: Any, title: str, phase: str = ""
) -> AnyNode | None:
    """What a template gives as a tree, None for nothing and after mistakes."""
    told = work.told
    program = work.templates.compile(text)
    if program is None:
        return None
    try:
        environment = work.templates.environment(f"{work.path}/{title}")
        made = program.run(data, work.context.meter, environment)
    except Failure as failure:
        report_failure(failure, told)
        return None
    work.rendered.append(made)
    report = told.warn if phase == IMPORT else told.error
    code = "no_value_in_import_execution" if phase == IMPORT else "no_value"
    for span in made.missing if phase else ():
        hint = "a missing key prints it: give the import, or use `default`, `if` or `hasKey`"
        report(code, span, f"the {title} prints `<no value>`", hint)
    return _read(made, work, environment.reads_data or work.components.has_read)


def _read(source: Rendered, work: Installation, has_data: bool) -> AnyNode | None:
    """The tree of a rendered text, whose mistakes are told at the template.

    Nothing is told of what stands in it where it `has_data` of files that are no templates.
    """
    quoting = work.context.quoting
    found = work.told.beside()
    marked = work.options.placeholders and _MARK in source.text
    if marked:
        source = source.evolve(text=source.text.replace(_MARK, _PLAIN_MARK))
    root = read_go(source, work.context.meter, found, computed=True)
    if marked and root is not None:
        root = each_scalar(root, _shown_mark)
    if has_data and found.errors:
        quoting.admit(source, _FOREIGN)
    for item in found:
        code = item.code if item.code in _AS_THEY_ARE else "rendered_yaml"
        written = item.span.written if isinstance(item.span, RenderedSpan) else 0
        line, _ = source.locate(written)
        where = f"line {line} of the rendered text"
        if has_data:
            item = discreet(item, quoting, source).noting(
                Note(f"{where}, which has parts of files")
            )
        else:
            text = shorten(quoting.without_values(source.line(line)), _LONGEST)
            item = item.noting(Note(f"{where}: {text}"))
        work.told.add(item.evolve(code=code))
    if found.errors or root is None or (isinstance(root, Scalar) and root.value is None):
        return None
    risky = {text for text in strings_in(work.bindings["imports"]) if not is_string(text)}
    if risky:
        _check_words(root, source, risky, work)
    return root


def _check_words(node: AnyNode, source: Rendered, risky: set[str], work: Installation) -> None:
    """Warns of strings of imports that were printed as they are, and are read as another type."""
    if isinstance(node, Map | Array):
        for one in node.items.values() if isinstance(node, Map) else node.items:
            _check_words(one, source, risky, work)
    elif (
        isinstance(node, Scalar)
        and not isinstance(node.value, str)
        and source.text[node.start : node.end] in risky
    ):
        work.context.meter.work(1)
        text = source.text[node.start : node.end]
        for path in source.reads(node.start, node.end):
            if _value_at(work.bindings, path) != text:
                continue
            summary = f"`{path}` is a string, which is read here as {a_kind(node)}"
            hint = "print it with `quote` or `toJson`"
            work.told.warn("rendered_boolean", node.span, summary, hint)


def _value_at(data: Any, path: str) -> Any:
    """The value at a path that a template read, as far as it is certain."""
    for key in path.split("."):
        if isinstance(data, list) and key.isdecimal() and int(key) < len(data):
            data = data[int(key)]
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data


def _shown_mark(value: Any) -> Any:
    """A string with the marks of unknown values as they are shown."""
    return value.replace(_PLAIN_MARK, _MARK) if isinstance(value, str) else value
