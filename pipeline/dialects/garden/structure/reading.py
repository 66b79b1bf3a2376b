"""Configuration files, read into configurations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from .....functions.values import article
from ....engine.run import Context, report_foreign
from ....formats.detection import format_of, read_documents
from ....values.diagnostics import Note, did_you_mean, likely, suggestion
from ....values.document import Document
from ....values.settings import how_to_raise
from ....values.source import Source, Span
from ....values.tree import Map, Scalar, Template, kind_of
from ....world.files import FileProblem, Files, decode_text
from ..evaluating.expansion import check_structures, structure_of
from ..options import holds_local
from ..recognition import ACTIONS, KINDS, QUOTES, version_of
from .configs import PROJECT, RENDER, TEMPLATES, Config, text_at

CODE: Final = "invalid_project"
_FIXED: Final = ("apiVersion", "kind", "type", "name")
_NAMED: Final = frozenset({*ACTIONS, "Workflow", "Module", *TEMPLATES, RENDER})
_LOOKS: Final = "a configuration has a `kind` such as `Deploy`, or an `apiVersion` of Garden"


def is_configuration(name: str) -> bool:
    """True for the name of a file that Garden reads as configuration."""
    return name in ("garden.yml", "garden.yaml") or name.endswith((".garden.yml", ".garden.yaml"))


def read_configs(source: Source, folder: str, context: Context) -> list[Config]:
    """The configurations in a file; problems are reported, also in parts that are never used.

    A file that is not recognisably configuration has one problem, which tells nothing of it.
    """
    context.quoting.admit(source, QUOTES)
    found = context.diagnostics.beside()
    configs = _read(source, folder, context.evolve(diagnostics=found))
    if report_foreign(source, found, context, "Garden configuration", _LOOKS):
        return []
    context.diagnostics.extend(found)
    return configs


def _read(source: Source, folder: str, context: Context) -> list[Config]:
    language = context.language
    nodes = read_documents(
        source, language.split, language.opener, context.meter, context.diagnostics
    )
    # keys and kinds with escapes, or with their values on lines below, are not seen in the text
    if any(isinstance(node, Map) and version_of(_words(node)) for node in nodes or ()):
        context.quoting.confirm(source)
    configs = []
    for node in nodes or ():
        if not isinstance(node, Map):
            context.diagnostics.error(
                "invalid_map",
                node.span,
                f"a configuration must be a map, not {article(kind_of(node))}",
            )
            continue
        config = _config(node, source, folder, context)
        if config is not None:
            configs.append(config)
    if configs and context.documents is not None:
        parts = tuple(config.part for config in configs)
        context.documents.append(parts[0].evolve(parts=parts))
    return configs


def _words(node: Map) -> Iterator[tuple[str, str]]:
    return ((key, text_at(node, key) or "") for key in ("kind", "apiVersion"))


def _config(node: Map, source: Source, folder: str, context: Context) -> Config | None:
    diagnostics = context.diagnostics

    def report(place: Span, summary: str, hint: str | None) -> None:
        diagnostics.error("invalid_structure", place, summary, hint)

    found = structure_of(node)
    if found is not None:
        diagnostics.error(
            "invalid_structure",
            node.key_span(found),
            f"`{found}` is not allowed at the top level of a configuration",
            "use it inside a field",
        )
        return None
    check_structures(node, report)
    kind = node.get("kind")
    if kind is None:
        hint = f"the kinds are {', '.join(f'`{name}`' for name in KINDS[:7])}"
        span = Span(source, node.start, min(node.end, node.start + 1))
        diagnostics.error(CODE, span, "the configuration has no `kind`", hint)
        return None
    if not isinstance(kind, (Scalar, Template)) or isinstance(getattr(kind, "value", ""), bool):
        diagnostics.error(CODE, kind.span, f"`kind` must be a string, not {article(kind_of(kind))}")
        return None
    if not check_fixed(node, context):
        return None
    name = text_at(node, "kind") or ""
    warn_of_kind(node, name, context)
    if name == PROJECT:
        _warn_of_fields(node, context)
    part = Document(node, source, folder)
    return Config(part, name, text_at(node, "name"), folder)


def warn_of_kind(node: Map, name: str, context: Context) -> None:
    """Warns of a kind that is not known, and of a configuration without a name that needs one."""
    place = node.items["kind"].span
    if name not in KINDS:
        summary = f"unknown kind `{name}`, treated as an action"
        context.diagnostics.warn("unknown_kind", place, summary, suggestion(name, KINDS))
    elif name in _NAMED and text_at(node, "name") is None:
        missing = "`parent.name` does not exist" if name == RENDER else "nothing can refer to it"
        summary = f"this {name} has no name, so {missing}"
        context.diagnostics.warn("missing_name", place, summary)


_A_SEARCH: Final = 100
_FIELDS: Final = (
    "apiVersion",
    "kind",
    "name",
    "id",
    "domain",
    "organizationId",
    "path",
    "environments",
    "defaultEnvironment",
    "providers",
    "sources",
    "scan",
    "dotIgnoreFile",
    "dotIgnoreFiles",
    "modules",
    "outputs",
    "proxy",
    "varfile",
    "variables",
    "importVariables",
    "excludeValuesFromActionVersions",
)


def _warn_of_fields(node: Map, context: Context) -> None:
    """Warns of fields of a project that are nearly ones that it may have; Garden may have more."""
    for key in node.items:
        if key in _FIELDS:
            continue
        context.meter.work(_A_SEARCH)
        near = likely(key, _FIELDS)
        if near is not None:
            summary = f"`{key}` is not a field of a project"
            hint = did_you_mean(key, near)
            context.diagnostics.warn("unknown_field", node.key_span(key), summary, hint)


def check_fixed(node: Map, context: Context, rendered: bool = False) -> bool:
    """Reports fields that identify a configuration and are computed or not strings; False if any.

    Configurations that a template renders may have computed names, which are known by then.
    """
    good = True
    for key in _FIXED:
        found = node.items.get(key)
        if found is None or (type(found) is Scalar and type(found.value) is str):
            continue
        if isinstance(found, Template):
            if rendered and key in ("kind", "name", "type"):
                continue
            context.diagnostics.error(
                "substitution_not_allowed",
                found.span,
                f"`{key}` must not be a template: it identifies the configuration",
                "write the value, or render the configuration with a ConfigTemplate",
            )
        else:
            context.diagnostics.error(
                CODE, found.span, f"`{key}` must be a string, not {article(kind_of(found))}"
            )
        good = False
    return good


def read_file(path: str, base: str | None, files: Files) -> tuple[str, str]:
    """The name of a file in messages, and its text.

    The path starts from `base`; without one it is the user's own.

    Raises:
        FileProblem: the file cannot be read.
    """
    data = files.open_input(path) if base is None else files.read(path, base)
    name = files.shown(path, base)
    text = decode_text(data, name)
    return name, text


def open_configs(path: str, base: str | None, context: Context) -> list[Config]:
    """The configurations in a file; see `read_file`.

    Raises:
        FileProblem: the file cannot be read, or there are too many.
    """
    limits = context.limits
    context.opened.append(path)
    if len(context.opened) > limits.max_includes:
        raise FileProblem(
            "limit_exceeded",
            f"the project has more than {limits.max_includes} configuration files (`max_includes`)",
            how_to_raise("max_includes", limits),
        )
    name, text = read_file(path, base, context.files)
    real = context.files.resolve(path, base)
    source = Source(name, text, format_of(path) or "yaml", real)
    return read_configs(source, os.path.dirname(real), context)


def report_problem(problem: FileProblem, span: Span | None, context: Context) -> None:
    """Reports a problem with a file where the file is named."""
    context.diagnostics.error(problem.code, problem.span or span, problem.message, problem.hint)


def may_be_disabled(config: Config) -> bool:
    """True for an action of which only an evaluation tells whether it is disabled."""
    items = config.part.root.items
    flag, listed = items.get("disabled"), items.get("environments")
    decided = flag is None or (isinstance(flag, Scalar) and flag.value in (None, False))
    return config.is_action and not (decided and listed is None)


def check_unique(
    configs: Iterable[Config],
    context: Context,
    local: Mapping[str, Any] | None = None,
    disabled: Callable[[Config], bool] = may_be_disabled,
) -> None:
    """Reports configurations with the kind and name of another, and second projects.

    Those that are `disabled` have the name of any other. Messages do not show a name that contains
    a value of `local.env`.
    """
    seen: dict[str, Config] = {}
    for config in configs:
        key = PROJECT if config.kind == PROJECT else config.key
        if config.kind == RENDER or (config.name is None and config.kind != PROJECT):
            continue  # nothing refers to a RenderTemplate
        if disabled(config):
            continue
        first = seen.setdefault(key, config)
        if first is config:
            continue
        if config.kind == PROJECT:
            summary = "there is a second Project; a run takes only one"
        else:
            summary = f"there is a second {config.kind} `{config.name}`"
            if holds_local(config.name or "", local):
                summary = f"there is a second {config.kind} with the same name"
            if config.rendered_by:
                summary += f", rendered by `{config.rendered_by}`"
        context.diagnostics.error(
            "duplicate_configuration",
            config.span,
            summary,
            None,
            Note("the first one is here", first.span),
        )
