"""`bpp check`: the static checks and lints of blueprints that are named or found."""

from __future__ import annotations

import sys
from typing import Any, Final

from ..building.checking import known_codes, placed, rules_of
from ..building.configuration import Configuration, find_configuration, load_check
from ..engine.lints import ALL
from ..engine.options import Options
from ..engine.run import Dialect
from ..rendering import check, failed_to_read
from ..values.diagnostics import Diagnostic, Diagnostics, meant
from ..values.source import Source
from ..values.terminal import is_terminal
from ..world.files import DiskFiles, FileProblem
from .render_inputs import Inputs, limits_of, report, status_of
from .searches import documents
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err
from .usage import UsageProblem, read_once

_ADDED: Final = ("exclude", "ignore", "warn_as_error", "keep_transform", "allow_path", "vars")
"""Options that add to what the configuration says; others replace it."""

_UNDECLARED: Final = "undeclared_variable"
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
    names = list(documents(options, _stands_alone).files(options.files or (".",)))
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
    rules = rules_of(options.select, options.ignore, options.warn_as_error)
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


def _codes(name: str, options: Options) -> tuple[str, ...]:
    """The codes of an option, which may also be separated by commas.

    Raises:
        UsageProblem: for an unknown code.
    """
    given = [word.strip() for words in getattr(options, name) for word in words.split(",")]
    for code in given:
        if code != ALL and code not in (known := known_codes()):
            near = meant(code, known)
            flag = f"--{name.replace('_', '-')}"
            raise UsageProblem(f"{flag}: unknown code `{code}`{f' ({near})' if near else ''}")
    return tuple(given)


def _configured(options: Options, table: dict[str, Any], configuration: Configuration) -> Options:
    """The options with those of `[check]`, whose paths start at the configuration's folder."""
    usual = Options()
    changes: dict[str, Any] = {}
    for name, value in placed(table, configuration.folder, DiskFiles()).items():
        given = getattr(options, name)
        if name in _ADDED:
            changes[name] = (*value, *given)
        elif given == getattr(usual, name):
            changes[name] = value
    return options.evolve(**changes)


def _stands_alone(dialect: Dialect, source: Source) -> bool:
    return dialect.stands_alone is not None and dialect.stands_alone(source)
