"""The unknown values of a project: why they are unknown, and how to supply them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ....answers.explanation import UnknownPath
from ....answers.paths import Path, path_text
from ....engine.context import Context
from ....engine.run import Run
from ....language.language import Language
from ....values.diagnostics import Diagnostic
from ....values.expression import Reference
from ....values.source import Span
from ....values.tree import Template, templates_in
from ..command_line import CONTEXT, ENVIRONMENT, LOCAL_ENVIRONMENT
from ..structure.project import Project
from .results import config_of, left_in

_PROJECT: Final = "project"
_SECRET: Final = "secret"
_STATE: Final = ("actions", "providers", "modules", "runtime", "steps", "imported")


def unknowns_of_project(run: Run) -> tuple[UnknownPath, ...]:
    """The references that are left in the output, or for a failed run after its last stage."""
    project = run.work.find(Project)
    return _unknowns(project, run.language) if project is not None else ()


def unresolved(context: Context) -> Iterator[Diagnostic]:
    """An error for each place that is not known; secrets are known, but withheld."""
    project = context.work.find(Project)
    for one in _unknowns(project, context.language) if project is not None else ():
        if one.why == _SECRET:
            continue
        hint = f"{one.supply} supplies it; render without `--strict`"
        if one.supply.startswith("`"):
            hint = f"supply it with {one.supply}, or render without `--strict`"
        for where, span in zip(one.places, one.spans, strict=True):
            yield Diagnostic(
                "unresolved_value",
                f"`{where}` is unknown: it depends on `{one.text}`",
                span,
                hint=hint,
            )


def _unknowns(project: Project, language: Language) -> tuple[UnknownPath, ...]:
    found: dict[str, dict[Path, Span]] = {}
    named: dict[str, Reference] = {}
    for left in left_in(project, language):
        key: Path = tuple(left.key.split(".", 1))
        if left.key == _PROJECT:
            key = (_PROJECT, project.name)
        for reference in _references(project, left.key, left.path):
            text = language.syntax.show(reference)
            named[text] = reference
            found.setdefault(text, {})[*key, *left.path] = left.span
    return tuple(
        UnknownPath(
            text,
            *_reason(named[text]),
            tuple(map(path_text, places)),
            tuple(places.values()),
        )
        for text, places in found.items()
    )


def _references(project: Project, key: str, path: Path) -> list[Reference]:
    """The references of the template at a path, each once."""
    config = project.config if key == _PROJECT else config_of(project, key)
    node = config.node if config is not None else None
    for step in path:
        items: Any = getattr(node, "items", None)
        node = items[step] if items is not None else None
    if not isinstance(node, Template):
        return []
    found: dict[tuple[str, Path], Reference] = {}
    for template in templates_in(node):
        for substitution in template.segments.substitutions:
            for reference in substitution.shape.references:
                found.setdefault((reference.root, reference.path), reference)
    return list(found.values())


def _reason(reference: Reference) -> tuple[str, str]:
    """Why a value is unknown, and how to supply it."""
    root = reference.root
    path = path_text((root, *reference.path))
    if root == "secrets":
        return _SECRET, f"`--state`: {path}; `--secrets reveal` writes it"
    if root in _STATE:
        return "known in a run of Garden", f"`--state`: {path}"
    if root == "local" and reference.path[:1] == ("env",):
        return "known on the machine", f"`{LOCAL_ENVIRONMENT.flag} {reference.path[-1]}`"
    if root in ("local", "git", "command"):
        return "known on the machine", f"`{CONTEXT.flag}`: {path}"
    if root == "environment":
        return "no environment chosen", f"`{ENVIRONMENT.flag} NAME`"
    if root == "this":
        return "known in a run of Garden", "`--state`: actions"
    return "known later", "only a run of Garden"
