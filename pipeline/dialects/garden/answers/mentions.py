"""The names in the configurations of a project: where they are defined and used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ....answers.mentions import (
    Mention,
    Thing,
    file_of,
    item_mention,
    key_defines,
    part_mention,
    text_mentions,
)
from ....engine.references import FoundReference, find_references
from ....engine.run import Context
from ....formats.detection import format_of, read_plain
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.source import Source
from ....values.tree import Map, Scalar, Template, list_at, text_at
from ....world.files import FileProblem, decode_text
from ..recognition import ACTIONS
from ..structure.configs import PROJECT, TEMPLATES, Config
from ..structure.project import Project

_VARIABLES: Final = ("var", "variables")
_ASSIGNED: Final = re.compile(r"^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=", re.MULTILINE)
_INSIDE: Final = ("configs", "modules")
"""The fields of a template that hold configurations."""
_KINDS: Final = {kind.lower(): kind for kind in ACTIONS}


def mentions(document: Document, context: Context) -> Iterator[Mention]:
    """The names in a project that is not read yet.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    quiet = context.evolve(
        diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting), checks=True
    )
    context.pipeline.upto("load").last(document, quiet)
    project = context.work.find(Project)
    if project is not None:
        yield from _Names(project, quiet, file_of(document.source)).all()


class _Names:
    """The names of one project; those that all of it sees have its file for a scope."""

    def __init__(self, project: Project, context: Context, file: str) -> None:
        self.project = project
        self.context = context
        self.file = file
        self.own = {
            config.key: self._variables_of(config.node)
            for config in project.configs
            if config.kind != PROJECT
        }
        shared = project.config.node if project.config is not None else None
        levels = [shared, *list_at(shared, "environments")]
        nodes = [one for one in levels if isinstance(one, Map)]
        self.shared = frozenset().union(*map(self._variables_of, nodes))

    def _variables_of(self, node: Map) -> frozenset[str]:
        variables = node.get("variables")
        return frozenset(variables.items) if isinstance(variables, Map) else frozenset()

    def all(self) -> Iterator[Mention]:
        """The names of each configuration."""
        waiting = list(self.project.configs)
        for config in waiting:
            self.context.meter.work(10)
            if config.kind == PROJECT:
                yield from self._of_project(config)
            else:
                yield from self._of_config(config)
                waiting += _written_in(config)
            inside = (one for key, one in config.node.items.items() if key not in _INSIDE)
            for node in inside:
                for found in find_references(node, self.context.language):
                    self.context.meter.work(4)
                    yield from self._uses(found, config)

    def _of_project(self, config: Config) -> Iterator[Mention]:
        node = config.node
        environments = [one for one in list_at(node, "environments") if isinstance(one, Map)]
        for holder in (node, *environments):
            yield from self._variables(holder, config.key)
            yield from self._file(holder.get("varfile"), config)
        yield from self._default_files(environments, config)
        for one in environments:
            thing = Thing(self.file, "environment", text_at(one, "name"))
            yield from text_mentions(one.get("name"), thing, one.span)
        default = Thing(self.file, "environment", text_at(node, "defaultEnvironment"))
        yield from text_mentions(node.get("defaultEnvironment"), default)
        for provider in list_at(node, "providers"):
            thing = Thing(self.file, "provider", text_at(provider, "name"))
            if isinstance(provider, Map):
                yield from text_mentions(provider.get("name"), thing, provider.span)
            yield from self._environments(provider)

    def _of_config(self, config: Config) -> Iterator[Mention]:
        node, scope = config.node, self._scope(config)
        name = Thing(self.file, *self._kind_and_name(config))
        yield from text_mentions(node.get("name"), name, node.span)
        yield from self._variables(node, config.key)
        yield from self._environments(node)
        if config.is_use:
            template = Thing(self.file, "template", text_at(node, "template"))
            yield from text_mentions(node.get("template"), template)
        for step in list_at(node, "steps"):
            if isinstance(step, Map):
                thing = Thing(scope, "step", text_at(step, "name"))
                yield from text_mentions(step.get("name"), thing, step.span)
        for file in (node.get("varfile"), *list_at(node, "varfiles")):
            yield from self._file(file, config)
        build = Thing(self.file, "Build", text_at(node, "build"))
        yield from text_mentions(node.get("build"), build)
        for one in list_at(node, "dependencies"):
            yield from self._dependency(one)

    def _kind_and_name(self, config: Config) -> tuple[str, str]:
        kind = "template" if config.kind in TEMPLATES else config.kind
        return kind, config.name or ""

    def _scope(self, config: Config) -> str:
        return f"{self.file}#{config.key}"

    def _variables(self, node: Map, key: str) -> Iterator[Mention]:
        variables = node.get("variables")
        for name in variables.items if isinstance(variables, Map) else ():
            assert isinstance(variables, Map)
            yield key_defines(variables, name, self._variable(name, key))

    def _environments(self, node: object) -> Iterator[Mention]:
        for one in list_at(node, "environments") if isinstance(node, Map) else ():
            name = one.value if isinstance(one, Scalar) else None
            yield from text_mentions(one, Thing(self.file, "environment", str(name)))

    def _dependency(self, node: object) -> Iterator[Mention]:
        if isinstance(node, Map):
            thing = Thing(self.file, text_at(node, "kind"), text_at(node, "name"))
            yield from text_mentions(node.get("name"), thing)
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            kind, dot, name = node.value.partition(".")
            if dot and kind in _KINDS:
                yield from part_mention(node, len(kind) + 1, Thing(self.file, _KINDS[kind], name))

    def _uses(self, found: FoundReference, config: Config) -> Iterator[Mention]:
        reference, node = found.reference, found.node
        path = [str(one) for one in reference.path]
        if not isinstance(node, Template) or not path:
            return
        wanted: list[tuple[int, Thing]] = []
        if reference.root in _VARIABLES:
            wanted.append((0, self._variable(path[0], config.key)))
        elif reference.root == "this" and path[0] in _VARIABLES and len(path) > 1:
            wanted.append((1, self._variable(path[1], config.key)))
        elif reference.root == "actions" and len(path) > 1 and path[0] in _KINDS:
            wanted.append((1, Thing(self.file, _KINDS[path[0]], path[1])))
            if len(path) > 3 and path[2] in _VARIABLES:
                wanted.append((3, self._variable(path[3], f"{path[0]}.{path[1]}")))
        elif reference.root == "providers":
            wanted.append((0, Thing(self.file, "provider", path[0])))
        elif reference.root == "steps":
            wanted.append((0, Thing(self._scope(config), "step", path[0])))
        for item, thing in wanted:
            mention = item_mention(self.context.language, node, reference, item, thing)
            if mention is not None:
                yield mention

    def _variable(self, name: str, key: str) -> Thing:
        """The variable that a name means in a configuration.

        One of an action and one of the project that have the same name are one thing: the values
        of the one are put over those of the other.
        """
        own = name in self.own.get(key, ()) and name not in self.shared
        return Thing(f"{self.file}#{key}" if own else self.file, "variable", name)

    def _default_files(self, environments: list[Map], config: Config) -> Iterator[Mention]:
        names = ["garden.env", *(f"garden.{text_at(one, 'name')}.env" for one in environments)]
        for name in names:
            if self.context.files.exists(f"{config.folder}/{name}"):
                yield from self._in_file(name, config)

    def _file(self, node: object, config: Config) -> Iterator[Mention]:
        if isinstance(node, Scalar) and isinstance(node.value, str):
            yield from self._in_file(node.value, config)

    def _in_file(self, path: str, config: Config) -> Iterator[Mention]:
        """The variables that a file gives to a configuration."""
        files, folder = self.context.files, config.folder
        try:
            real = files.resolve(path, folder)
            source = Source(path, decode_text(files.read(path, folder), path), "text", real)
        except FileProblem:
            return
        form = format_of(path)
        if form is None:
            for match in _ASSIGNED.finditer(source.text):
                span = source.span(*match.span(1))
                yield Mention(span, self._variable(match[1], config.key), True)
            return
        told = Diagnostics(self.context.limits.max_diagnostics)
        root = read_plain(source.evolve(format=form), self.context.meter, told)
        for name in root.items if isinstance(root, Map) else ():
            assert isinstance(root, Map)
            yield key_defines(root, name, self._variable(name, config.key))


def _written_in(config: Config) -> Iterator[Config]:
    """The configurations that a template holds."""
    for key in _INSIDE:
        for one in list_at(config.node, key):
            if isinstance(one, Map):
                part = config.part.evolve(root=one)
                kind = text_at(one, "kind") or ("Module" if key == "modules" else "")
                yield Config(part, kind, text_at(one, "name") or None, config.folder)
