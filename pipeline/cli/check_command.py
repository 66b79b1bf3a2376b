"""`bpp check`: the static checks and lints of blueprints that are named or found."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator

from ...functions.words import Any, Final
from ..building.configuration import Configuration, find_configuration, load_check
from ..dialects.table import detect_dialect, find_dialect
from ..engine.lints import ALL, Rules
from ..engine.options import Options
from ..rendering import check, failed_to_read, read_source
from ..values.diagnostics import Diagnostic, Diagnostics, meant
from ..values.source import Source
from ..values.terminal import is_terminal
from ..world.files import DiskFiles, FileProblem
from ..world.searching import is_pattern, matches
from .render_inputs import Inputs, limits_of, report, status_of
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err
from .usage import STANDARD_INPUT, UsageProblem, read_once

_ENDINGS: Final = (".yaml", ".yml", ".json", ".jsonc")
_NAMED: Final = ".blueprint"
_ADDED: Final = ("exclude", "ignore", "warn_as_error", "keep_transform", "allow_path", "vars")
"""Options that add to what the configuration says; others replace it."""

_UNDECLARED: Final = "undeclared_variable"
_PATHS: Final = ("vars", "state", "allow_path")
_IN_RULES: Final = ("select", "ignore", "warn_as_error")


def run_check(options: Options) -> int:
    """The exit status of `bpp check`: all files are checked, then reported together."""
    options = options.evolve(**{name: _codes(name, options) for name in _IN_RULES})
    read_once(*options.files, *options.vars, options.state)
    path = options.config or find_configuration()
    if path is not None:
        if options.diagnostics_file:
            from .report_files import check_report_files

            check_report_files(options, [path])
        try:
            table, configuration = load_check(path)
        except FileProblem as problem:
            found = Diagnostics()
            found.add(failed_to_read(problem))
            report(found, options, path, product=True)
            return EXIT_UNREADABLE
        if configuration.diagnostics.errors:
            report(configuration.diagnostics, options, path, product=True)
            return EXIT_ERRORS
        options = _configured(options, table, configuration)
    names = list(_Search(options).files())
    found, unreadable = _checked(options, names)
    report(found, options, names[0], product=True)
    if unreadable:
        return EXIT_UNREADABLE
    if found.errors:
        return status_of(found)
    if options.diagnostics == "text" and is_terminal(sys.stderr):
        write_err(f"{len(names)} blueprint{'' if len(names) == 1 else 's'} checked\n")
    return 0


def _checked(options: Options, names: list[str]) -> tuple[Diagnostics, bool]:
    """The diagnostics of all files, and whether one of them cannot be read."""
    rules = Rules(
        frozenset(options.select),
        frozenset(options.ignore),
        frozenset(options.warn_as_error),
        _known,
    )
    found = Diagnostics(limits_of(options).max_diagnostics)
    undeclared: dict[str, list[Diagnostic]] = {}
    unreadable = False
    inputs: Inputs | None = None
    for name in names:
        inputs = Inputs(options.evolve(file=name, lock=None), inputs)
        source = inputs.source()
        arguments = inputs.arguments(source) if source is not None else None
        if source is not None and arguments is not None:
            arguments.pop("datasources", None)
            one = check(source, rules=rules, **arguments)
            found.quoting.add(one.quoting)
            for item in one:
                if item.code == _UNDECLARED and item.span is None:
                    undeclared.setdefault(item.summary, []).append(item)
                else:
                    found.add(item)
            found.count(one)
        found.extend(inputs.diagnostics)
        unreadable |= inputs.unreadable
    # a variable that is given need not be one of every blueprint
    for items in undeclared.values():
        if len(items) == len(names):
            found.add(items[0])
    return found, unreadable


def _known() -> Collection[str]:
    from ..codes import CODES

    return CODES


def _codes(name: str, options: Options) -> tuple[str, ...]:
    """The codes of an option, which may also be separated by commas.

    Raises:
        UsageProblem: for an unknown code.
    """
    given = [word.strip() for words in getattr(options, name) for word in words.split(",")]
    for code in given:
        if code != ALL and code not in (known := _known()):
            near = meant(code, known)
            flag = f"--{name.replace('_', '-')}"
            raise UsageProblem(f"{flag}: unknown code `{code}`{f' ({near})' if near else ''}")
    return tuple(given)


def _configured(options: Options, table: dict[str, Any], configuration: Configuration) -> Options:
    """The options with those of `[check]`, whose paths start at the configuration's folder."""
    files = DiskFiles()
    usual = Options()

    def placed(path: str) -> str:
        return files.shown(os.path.join(configuration.folder, path))

    changes: dict[str, Any] = {}
    for name, value in table.items():
        given = getattr(options, name)
        if name in (*_PATHS, "files"):
            value = placed(value) if isinstance(value, str) else [placed(one) for one in value]
        elif name == "exclude":
            value = [placed(one) if "/" in one else one for one in value]
        if isinstance(value, list):
            value = tuple(value)
        if name in _ADDED:
            changes[name] = (*value, *given)
        elif given == getattr(usual, name):
            changes[name] = value
    return options.evolve(**changes)


class _Search:
    """The search for what a command line names: files as they are, those in folders, patterns."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._limits = limits_of(options)
        self._files = DiskFiles()
        self._looked_at: set[str] = set()

    def files(self) -> Iterator[str]:
        """The names of the files, each once.

        Raises:
            UsageProblem: for a folder or a pattern that has none.
        """
        seen = set()
        for word in self._options.files or (".",):
            for name in self._found(word):
                if name not in seen:
                    seen.add(name)
                    yield name

    def _found(self, word: str) -> list[str]:
        if word in STANDARD_INPUT:
            return [word]
        if os.path.isdir(word):
            found = [name for name in self._below(word) if self._is_document(name)]
            if not found:
                raise UsageProblem(f"`{word}` has no blueprints")
            return found
        if not is_pattern(word) or self._files.exists(word):
            return [word]
        folder = word
        while is_pattern(folder):
            folder = os.path.dirname(folder)
        pattern = self._files.shown(word)
        found = [name for name in self._below(folder or ".") if matches(pattern, name)]
        if not found:
            raise UsageProblem(f"no file matches `{word}`")
        return found

    def _below(self, folder: str) -> list[str]:
        """The files in a folder that may be documents and are not excluded."""
        try:
            files = DiskFiles((folder,), limits=self._limits)
            found = files.below(folder, lambda name: name.lower().endswith(_ENDINGS))
        except FileProblem as problem:
            raise UsageProblem(problem.message) from None
        shown = [self._files.shown(os.path.join(folder, name)) for name in found]
        return [name for name in shown if not self._is_excluded(name)]

    def _is_excluded(self, name: str) -> bool:
        for pattern in self._options.exclude:
            if "/" not in pattern.rstrip("/"):
                pattern = f"**/{pattern}"
            if matches(os.path.normpath(pattern), name, whole=False):
                return True
        return False

    def _is_document(self, name: str) -> bool:
        """True for a name that blueprints have, and for a text that is certainly one."""
        base = os.path.splitext(os.path.basename(name))[0]
        if base.endswith(_NAMED):
            return True
        try:
            source = read_source(name, DiskFiles((os.path.dirname(name),), limits=self._limits))
        except FileProblem:
            return False
        return self._stands_alone(source)

    def _stands_alone(self, source: Source) -> bool:
        named = self._options.dialect
        dialect = find_dialect(named) if named is not None else detect_dialect(source)
        if dialect.stands_alone is None or not dialect.stands_alone(source):
            return False
        if not dialect.reads_beside or dialect.command_line.alone in self._options.own:
            return True
        folder = os.path.dirname(source.name)
        first = folder not in self._looked_at
        self._looked_at.add(folder)
        return first
