"""The files of a project: those that the user names, and those that Garden finds in its folder.

Garden asks Git for the files in the project's folder, without those that an ignore file leaves out
(`.gardenignore`, or what `dotIgnoreFile` names), then compares them with the globs of `scan`. A
`.gitignore` counts only if it is named there.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Final

from .....functions.record import Record, field
from .....functions.regexes import compile_regex
from .....functions.values import NONE, has_unknown
from ....engine.run import Context, Run
from ....language.errors import Failure
from ....values.document import Document
from ....values.terminal import visible
from ....values.tree import AnyNode, Array, Map, Template
from ....world.files import FileProblem
from ....world.ignoring import Glob, IgnoreRule, deciding, read_ignore_file
from ....world.searching import in_order
from ..evaluating.contexts import early_scope, world_of
from ..evaluating.evaluation import Evaluation
from ..options import ProjectOptions, holds_local
from .configs import PROJECT, Config, is_null
from .project import Project
from .reading import (
    CODE,
    is_configuration,
    open_configs,
    read_configs,
    read_file,
    report_problem,
)

_COMMAND: Final = "Command"
_IGNORE_FILE: Final = ".gardenignore"
_REPOSITORY: Final = ".git"
_NEVER: Final = {
    _REPOSITORY: "Git's own folder",
    ".garden": "Garden's own folder",
    "node_modules": "this folder is never searched",
}
_GARDENS: Final = "debug-info*/**"
_CONFIGURATIONS: Final = "*garden.y*ml"


class Decision(Record):
    """Whether a file or folder belongs to a project, and why, with the place of the rule."""

    taken: bool
    why: str
    place: str = ""


_NAMED: Final = Decision(True, "it is named on the command line")
_NOT_LEFT: Final = Decision(True, "no rule leaves it out")
_NOT_INCLUDED: Final = Decision(False, "nothing in `scan.include` matches it")


class FoundFiles:
    """What a run decided of configuration files, by path as messages have it.

    `notes` are about configurations that are passed over in a file that is taken.
    """

    def __init__(self) -> None:
        self.decisions: dict[str, Decision] = {}
        self.notes: list[str] = []


def explain_files(run: Run) -> str:
    """A line for each configuration file, with the rule that took it or left it out."""
    found = run.work.find(FoundFiles) or FoundFiles()
    lines = []
    for path, one in found.decisions.items():
        place = f" ({one.place})" if one.place else ""
        lines.append(f"{path}: {'taken' if one.taken else 'left out'}: {one.why}{place}")
    return "".join(f"{visible(line)}\n" for line in [*lines, *found.notes])


def files_of(
    document: Document, options: ProjectOptions, evaluation: Evaluation
) -> tuple[list[Config], str]:
    """The configurations of a project, and its folder.

    They are those in the source, in files that the user names, and in those that are found, in the
    order of their paths; no file is read twice. As in Garden, a Project below the folder that is
    searched is passed over, and so is a Command outside of the project's folder.
    """
    context = evaluation.context
    found = FoundFiles()
    context.work.keep(found)
    path = document.source.path
    name = context.files.shown(path) if path is not None else document.source.name
    found.decisions[name] = _NAMED
    known = {path}
    configs = read_configs(document.source, document.folder, context)
    for given in options.files:
        found.decisions[context.files.shown(given)] = _NAMED
        configs += _opened(given, None, known, context)
    if options.scan and path is not None:
        try:
            configs += _scanned(document.folder, configs, known, options, evaluation, found)
        except FileProblem as problem:
            report_problem(problem, None, context)
    project = _project_in(configs)
    if project is None:
        return configs, document.folder
    kept = []
    for config in configs:
        if config.kind == _COMMAND and config.folder != project.folder:
            found.notes.append(f"{config.span}: left out: a Command outside the project's folder")
        else:
            kept.append(config)
    return kept, project.folder


def _project_in(configs: list[Config]) -> Config | None:
    return next((config for config in configs if config.kind == PROJECT), None)


def _opened(path: str, base: str | None, known: set[str | None], context: Context) -> list[Config]:
    """The configurations in a file that is not known yet."""
    try:
        real = context.files.resolve(path, base)
        if real in known:
            return []
        known.add(real)
        return open_configs(path, base, context)
    except FileProblem as problem:
        report_problem(problem, None, context)
        return []


def _scanned(
    folder: str,
    named: list[Config],
    known: set[str | None],
    options: ProjectOptions,
    evaluation: Evaluation,
    found: FoundFiles,
) -> list[Config]:
    """The configurations in the files that are found in a folder and below it.

    Raises:
        FileProblem: the folder cannot be searched.
    """
    context = evaluation.context
    files, work = context.files, context.meter.work
    project = _project_in(named)
    early: dict[str, list[Config]] = {}
    if project is None:  # it may be in a file beside the source, and says which others count
        for path in files.below(folder, is_configuration, work, lambda path, inner, its: ([], its)):
            early[path] = _opened(path, folder, known, context)
        project = _project_in([config for configs in early.values() for config in configs])
    rules = _Reader(project, options, evaluation).rules(folder)
    hidden = frozenset(name for name in rules.ignore if holds_local(name, options.local))
    search = _Search(folder, rules, hidden, context)
    paths = files.below(folder, search.wants, work, search.choose)
    left = [path for path in early if path not in search.taken]
    configs = [config for path in left for config in early[path] if config.kind == PROJECT]
    for path in paths:
        inside = early[path] if path in early else _opened(path, folder, known, context)
        for config in inside:
            if config.kind == PROJECT and "/" in path:
                found.notes.append(f"{config.span}: left out: a Project below another one")
            else:
                configs.append(config)
    for path in sorted(search.decisions, key=in_order):
        shown = files.shown(path, folder) + "/" * path.endswith("/")
        found.decisions.setdefault(shown, search.decisions[path])
    return configs


class _Globs(Record, eq=False):
    """The globs in one field of `scan`, each with its text and its place as messages have them."""

    globs: tuple[Glob, ...]
    places: dict[Glob, tuple[str, str]]
    field: str

    def decision(self, glob: Glob, taken: bool) -> Decision:
        text, place = self.places[glob]
        return Decision(taken, f"`{text}` in `{self.field}`" if place else text, place)

    @cached_property
    def are_plain(self) -> bool:
        """True when what one of them takes no other one takes back."""
        return not any(one.negated for one in self.globs)


class _Rules(Record, eq=False):
    """What a project says of its files; `prefix` leads from its folder to the one searched."""

    include: _Globs | None
    exclude: _Globs
    ignore: tuple[str, ...]
    prefix: str


class _Reader:
    """Reads the fields of a Project that say which files belong to it."""

    def __init__(
        self, config: Config | None, options: ProjectOptions, evaluation: Evaluation
    ) -> None:
        self._config = config
        self._options = options
        self._evaluation = evaluation

    def rules(self, folder: str) -> _Rules:
        """The rules for the files in a folder; malformed fields are reported, and say nothing."""
        include, exclude = self._globs("include"), self._globs("exclude")
        own = Glob(_GARDENS, self._evaluation.context.meter.spend_nodes)
        excluded = _Globs(
            (*(exclude.globs if exclude is not None else ()), own),
            {**(exclude.places if exclude is not None else {}), own: (_NEVER[".garden"], "")},
            "scan.exclude",
        )
        start = self._config.folder if self._config is not None else folder
        prefix = "" if start == folder else os.path.relpath(folder, start).replace(os.sep, "/")
        return _Rules(include, excluded, self._ignore(), f"{prefix}/" if prefix else "")

    def _field(self, *path: str) -> AnyNode | None:
        node: AnyNode | None = self._config.node if self._config is not None else None
        for key in path:
            node = node.get(key) if isinstance(node, Map) else None
        return None if node is None or is_null(node) else node

    def _globs(self, name: str) -> _Globs | None:
        # `modules` is the name of `scan` in older versions
        key = "scan" if self._field("scan", name) is not None else "modules"
        node = self._field(key, name)
        texts = self._texts(node, f"{key}.{name}")
        if node is None or texts is None:
            return None
        count = self._evaluation.context.meter.spend_nodes
        places = {}
        for number, text in enumerate(texts):
            item = node.items[number] if isinstance(node, Array) else node
            if _EXTENDED.search(_ONE_OF.sub("", text)):
                summary = f"`{key}.{name}` has a glob that is not supported: `+(..)` or the like"
                hint = "write it with `*`, `**`, `?`, `[..]`, `{a,b}` and `@(a|b)`"
                self._evaluation.context.diagnostics.error(CODE, item.span, summary, hint)
                continue
            glob = Glob(_as_compared(text, name == "include"), count)
            # as it is written, since it may hold a value of `local.env`
            written = item.text if isinstance(item, Template) else text
            places[glob] = written or "${..}", str(item.span)
        return _Globs(tuple(places), places, f"{key}.{name}")

    def _ignore(self) -> tuple[str, ...]:
        """The names of ignore files; `dotIgnoreFiles` is the older field, with more than one."""
        node = self._field("dotIgnoreFile")
        found = self._texts(node, "dotIgnoreFile", single=True)
        if not found:
            node = self._field("dotIgnoreFiles")
            found = self._texts(node, "dotIgnoreFiles")
        return tuple(name for name in found or () if name) or (_IGNORE_FILE,)

    def _texts(self, node: AnyNode | None, name: str, single: bool = False) -> list[str] | None:
        """The strings in a field; None without one, or after a mistake that is reported."""
        if node is None:
            return None
        evaluation = self._evaluation
        diagnostics = evaluation.context.diagnostics
        try:
            value: Any = evaluation.value(node, self._scope)
        except Failure:
            return None
        if has_unknown(value):
            summary = f"`{name}` must be known before files are searched"
            diagnostics.error("undecidable", node.span, summary)
            return None
        listed = [value] if single else value
        if isinstance(listed, list):
            listed = [one for one in listed if one is not None and one is not NONE]
            if all(isinstance(one, str) for one in listed):
                return listed
        kind = "the name of a file" if single else "a list of paths and globs"
        diagnostics.error(CODE, node.span, f"`{name}` must be {kind}")
        return None

    @cached_property
    def _scope(self) -> Any:
        evaluation, config, options = self._evaluation, self._config, self._options
        context = evaluation.context
        name = (config.name if config is not None else None) or ""
        world = world_of(options, context.settings, context.environment, name)
        return early_scope(Project(options, evaluation, world=world))


_EXTENDED: Final = compile_regex(r"[?+*!]\(")
_ONE_OF: Final = compile_regex(r"@\(([^()]*)\)")


def _as_compared(text: str, include: bool) -> str:
    """A glob as Garden compares it with paths.

    Where the last part of one to include is `**` or `*`, it takes configuration in that folder.
    """
    text = _ONE_OF.sub(lambda found: "{" + found[1].replace("|", ",") + "}", text)
    before, sign, last = text.rpartition("/")
    return f"{before}{sign}{_CONFIGURATIONS}" if include and last in ("*", "**") else text


class _IgnoreFile(Record, eq=False):
    """An ignore file: its folder (empty, or with `/` at its end), its name, its rules."""

    folder: str
    shown: str
    rules: list[IgnoreRule] = field(repr=False)


class _Search:
    """The choice of what belongs to a project in one folder after the other.

    Messages do not show the `hidden` names of ignore files.
    """

    def __init__(
        self, folder: str, rules: _Rules, hidden: frozenset[str], context: Context
    ) -> None:
        self.decisions: dict[str, Decision] = {}
        self.taken: set[str] = set()
        self._folder = folder
        self._rules = rules
        self._hidden = hidden
        self._context = context
        # those of each folder and the ones above it, the nearest first, for each name apart
        self._ignoring: dict[str, tuple[tuple[_IgnoreFile, ...], ...]] = {}

    def wants(self, name: str) -> bool:
        """True for the name of a file that matters."""
        return is_configuration(name) or name in self._rules.ignore

    def choose(
        self, path: str, folders: list[str], files: list[str]
    ) -> tuple[list[str], list[str]]:
        """What is searched and taken in a folder; see `searching.Choice`."""
        if path and _REPOSITORY in folders:
            self.decisions[path] = Decision(False, "a repository of its own")
            return [], []
        names = self._rules.ignore
        above = self._ignoring.get(path[: path.rfind("/", 0, -1) + 1]) if path else None
        self._ignoring[path] = ignoring = tuple(
            (self._read(path, name), *chain) if name in files else chain
            for name, chain in zip(names, above or ((),) * len(names), strict=True)
        )
        inner = [name for name in folders if self._enters(f"{path}{name}", name, ignoring)]
        taken = [
            name
            for name in files
            if is_configuration(name) and self._takes(f"{path}{name}", ignoring)
        ]
        return inner, taken

    def _read(self, path: str, name: str) -> _IgnoreFile:
        context = self._context
        try:
            shown, text = read_file(f"{path}{name}", self._folder, context.files)
        except FileProblem as problem:
            if name in self._hidden:
                problem = FileProblem(problem.code, "the ignore file cannot be read")
            report_problem(problem, None, context)
            return _IgnoreFile(path, name, [])
        shown = "<ignore file>" if name in self._hidden else shown
        return _IgnoreFile(path, shown, read_ignore_file(text, context.meter.work))

    def _enters(self, path: str, name: str, ignoring: tuple[tuple[_IgnoreFile, ...], ...]) -> bool:
        """True for a folder that is searched."""
        decision = Decision(False, _NEVER[name]) if name in _NEVER else None
        decision = decision or self._ignored(path, True, ignoring)
        excluded = self._rules.exclude
        if (decision is None or decision.taken) and excluded.are_plain:
            whole, work = self._rules.prefix + path, self._context.meter.work
            glob = next((one for one in excluded.globs if one.holds(whole, work)), None)
            decision = excluded.decision(glob, False) if glob is not None else None
        if decision is None or decision.taken:
            return True
        if name != _REPOSITORY:
            self.decisions[f"{path}/"] = decision
        return False

    def _takes(self, path: str, ignoring: tuple[tuple[_IgnoreFile, ...], ...]) -> bool:
        """True for a file that belongs to the project."""
        decision = self.decisions[path] = self._decided(path, ignoring)
        if decision.taken:
            self.taken.add(path)
        return decision.taken

    def _decided(self, path: str, ignoring: tuple[tuple[_IgnoreFile, ...], ...]) -> Decision:
        ignored = self._ignored(path, False, ignoring)
        if ignored is not None and not ignored.taken:
            return ignored
        work = self._context.meter.work
        include, exclude = self._rules.include, self._rules.exclude
        path = self._rules.prefix + path
        glob = deciding(exclude.globs, path, work)
        if glob is not None:
            return exclude.decision(glob, False)
        if include is None:
            return ignored or _NOT_LEFT
        glob = deciding(include.globs, path, work)
        return include.decision(glob, True) if glob is not None else _NOT_INCLUDED

    def _ignored(
        self, path: str, is_folder: bool, ignoring: tuple[tuple[_IgnoreFile, ...], ...]
    ) -> Decision | None:
        """What ignore files decide: it is left out if one of them says so; None without a rule."""
        found = None
        for chain in ignoring:
            decision = self._ruled(path, is_folder, chain)
            if decision is not None and not decision.taken:
                return decision
            found = found or decision
        return found

    def _ruled(self, path: str, is_folder: bool, chain: tuple[_IgnoreFile, ...]) -> Decision | None:
        work = self._context.meter.work
        for one in chain:
            inside = path[len(one.folder) :]
            for rule in one.rules:
                if rule.matches(inside, is_folder, work):
                    # any file may be named as one, but not quoted
                    text = f"`{rule.text}`" if one.shown.endswith("ignore") else "a line"
                    return Decision(rule.takes_back, text, f"{one.shown}:{rule.line}")
        return None
