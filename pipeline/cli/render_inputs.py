"""Shared by the commands that render: reading inputs, reporting diagnostics, exit statuses."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from ..dialects.table import DEFAULT, detect_dialect, find_dialect, usual_files
from ..engine.options import CommandInputs, Options, rows_by_field
from ..engine.run import Dialect
from ..language.meter import Meter
from ..rendering import failed_to_read, read_source
from ..values.diagnostics import ERROR, Diagnostic, Diagnostics
from ..values.quoting import Quoting
from ..values.settings import Limits, Settings
from ..values.source import Source
from ..world.files import FileProblem, Files
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_err, write_raw
from .usage import (
    UsageProblem,
    cache_folder,
    choice,
    moment,
    opened,
    read_once,
    stores_of,
    variable_flags,
)

_UNREADABLE = frozenset(
    {
        *("file_unreadable", "network_failed"),
        *("remote_failed", "remote_not_found", "remote_denied", "remote_not_cached"),
    }
)
_SETTINGS = tuple({*Options.__match_args__}.intersection(Settings.__match_args__) - {"now"})
"""The options that are settings of the same name."""


class Inputs:
    """The files that the options name; problems are kept for one report.

    Variables, state and records are read once: other inputs `like` these have the same.
    """

    def __init__(self, options: Options, like: Inputs | None = None) -> None:
        from ..world.files import DiskFiles

        read_once(*input_files(options))
        if options.diagnostics_file:
            from .report_files import check_report_files

            outputs = (options.output, options.depfile, options.source_map)
            check_report_files(options, [*input_files(options), *outputs])
        self.options = options
        self.settings = settings_of(options)
        self.files: Files = DiskFiles(options.allow_path, limits=self.settings.limits)
        options.reads.append(self.files.reads)
        self.diagnostics = Diagnostics()
        self.meter = Meter(self.settings.limits)
        self.unreadable = False
        self._data_files: dict[str, Any] = like._data_files if like is not None else {}
        if options.allow_net:
            from ..world.remote.downloads import tell_of_fetches
            from .progress import Progress

            progress = Progress(options.diagnostics)
            if progress.wanted:
                tell_of_fetches(progress.show)
        if options.lock is not None:
            # a missing lock file is reported at once, even if nothing would be fetched
            try:
                self.files.open_input(options.lock, only_file=True)
            except FileProblem as problem:
                self._add(problem)

    def source(self) -> Source | None:
        """The blueprint's text, or None if it cannot be read."""
        try:
            return read_source(self.options.file, self.files)
        except FileProblem as problem:
            inner = (os.path.join(self.options.file, name) for name in usual_files())
            found = next((path for path in inner if self.files.exists(path)), None)
            if found is not None:  # it is a folder
                problem.hint = f"name a file in it, such as `{os.path.normpath(found)}`"
            self._add(problem)
            admit_undecoded(problem, self.diagnostics.quoting)
            return None

    def arguments(self, source: Source | None) -> dict[str, Any] | None:
        """The arguments of `render`, with the dialect; None after a problem.

        Raises:
            UsageProblem: for an invalid option.
        """
        spoken = dialect_of(source, self.options)
        make = spoken.command_line.inputs
        arguments: dict[str, Any]
        if make is not None:
            try:
                arguments = {"options": self._own(make)}
            except FileProblem as problem:
                self._add(problem)
        else:
            if not self._data_files:
                state = self._data(self.options.state, "invalid_state")
                records = self._data(self.options.datasources, "invalid_datasources_file")
                given = {"given": self._given(), "state": state, "datasources": records}
                self._data_files.update(given)
            arguments = dict(self._data_files)
        if self.diagnostics.errors:
            return None
        return {
            **arguments,
            "settings": self.settings,
            "files": self.files,
            "dialect": spoken,
            "after": self.meter,
        }

    def read(self) -> tuple[Source, dict[str, Any]] | None:
        """The blueprint and the arguments of `render`; None after a problem."""
        source = self.source()
        arguments = self.arguments(source) if source else None
        return (source, arguments) if source and arguments is not None else None

    def fail(self, product: bool = False) -> int:
        """Reports the problems and gives the exit status."""
        report(self.diagnostics, self.options, self.options.file, product)
        return EXIT_UNREADABLE if self.unreadable else EXIT_ERRORS

    def _add(self, problem: FileProblem) -> None:
        self.unreadable = True
        self.diagnostics.add(failed_to_read(problem))

    def _own(self, make: Callable[[CommandInputs], Any]) -> Any:
        """The inputs of a dialect that makes its own.

        Raises:
            FileProblem: for a file that cannot be read.
            UsageProblem: for an invalid option.
        """
        options = self.options
        given = CommandInputs(
            options.own,
            options.var,
            options.vars,
            options.state,
            os.environ,
            self.settings,
            self.files,
            self.diagnostics,
            self.meter,
        )
        try:
            return make(given)
        except ValueError as problem:
            raise UsageProblem(str(problem)) from None

    def _given(self) -> Any:
        from ..engine.inputs import VariableInputs

        files = []
        for name in self.options.vars:
            from ..engine.input_files import read_variables

            try:
                data = self.files.open_input(opened(name))
            except FileProblem as problem:
                self._add(problem)
                continue
            files.append(read_variables(_shown(name), data, self.meter, self.diagnostics))
        environment = {k: v for k, v in os.environ.items() if k.startswith("BPP_VAR_")}
        return VariableInputs(variable_flags(self.options.var), tuple(files), environment)

    def _data(self, name: str | None, code: str) -> Any:
        """A state or data sources file as its record."""
        if name is None:
            return None
        from ..engine.input_files import read_supplied

        path = opened(name)
        try:
            return read_supplied(path, _shown(name), code, self.files, self.meter, self.diagnostics)
        except FileProblem as problem:
            self._add(problem)
            return None


def admit_undecoded(problem: FileProblem, quoting: Quoting) -> None:
    """Lets a document be quoted that is not valid UTF-8, if it looks like one of its dialect."""
    if problem.span is not None:
        quoting.admit(problem.span.source, detect_dialect(problem.span.source).quotes)


def input_files(options: Options) -> list[str | None]:
    """The blueprint and the files of data that the options name; None for those not given."""
    return [options.file, *options.vars, options.state, options.datasources]


def named_dialect(name: str | None) -> Dialect:
    """The dialect of a name, or the default one.

    Raises:
        UsageProblem: for an unknown name.
    """
    try:
        return find_dialect(name or DEFAULT)
    except ValueError as problem:
        raise UsageProblem(str(problem)) from None


def dialect_of(source: Source | None, options: Options) -> Dialect:
    """The dialect that is named, else the one that is detected.

    Raises:
        UsageProblem: for an unknown name, and for options that do not apply to the dialect.
    """
    if source is None or options.dialect is not None:
        found = named_dialect(options.dialect)
    else:
        found = detect_dialect(source)
    unread = source is None and bool(options.file)  # reported already, in whatever dialect it is
    if not unread and (options.own or found.command_line.refuses):
        _refuse_misplaced(found, options)
    return found


def _refuse_misplaced(spoken: Dialect, options: Options) -> None:
    """Refuses options that do not apply to a dialect, and invalid values of its own.

    Raises:
        UsageProblem: naming the dialect, or the valid values.
    """
    from ..dialects.dialect_options import misplaced

    usual = Options()
    fields = Options.__match_args__
    changed = [name for name in fields if getattr(options, name) != getattr(usual, name)]
    given = [rows[0].flag for _, rows in rows_by_field(changed) if not rows[0].is_argument]
    shown = "<stdin>" if options.file == "-" else options.file or "<expression>"
    wrong = misplaced(spoken, options.own, given, shown)
    if wrong is not None:
        raise UsageProblem(wrong)
    for option in spoken.command_line.options:
        if option.choices:
            for value in options.own.get(option.flag, ()):
                choice(option.flag, value, option.choices)


def _shown(name: str) -> str:
    """A file's name in diagnostics."""
    return "<stdin>" if name == "-" else name


def settings_of(options: Options) -> Settings:
    """The settings from the options and the environment."""
    return Settings(
        **{name: getattr(options, name) for name in _SETTINGS},
        now=moment(options.now, os.environ.get("SOURCE_DATE_EPOCH")),
        cache=cache_folder("fetched"),
        stores=stores_of(os.environ),
        limits=limits_of(options),
        debug=os.environ.get("BPP_TRACEBACK") == "full",
    )


def limits_of(options: Options) -> Limits:
    """The limits from the options.

    Raises:
        UsageProblem: for an unknown limit or an invalid value.
    """
    if not options.limit:
        return Limits()
    from .limit_flags import limit_flags

    return Limits(**limit_flags(options.limit))


def report(
    diagnostics: Diagnostics, options: Options, main_file: str, product: bool = False
) -> None:
    """Writes diagnostics in the chosen format; nothing for an empty sequence of text or commands.

    They go to standard error, and to standard output in a format for programs where they are the
    `product` of a command. The files of `--diagnostics-file` get them, too.

    Raises:
        FileProblem: for such a file that cannot be written.
    """
    form = options.diagnostics
    if len(diagnostics) or form not in ("text", "github"):
        import sys

        from ..formats.report import render as render_report
        from ..values.terminal import use_color

        text = render_report(
            diagnostics,
            form,
            color=use_color(sys.stderr, os.environ, options.color),
            main_file=main_file,
            limits=limits_of(options),
        )
        write_report(text, form, product)
    if options.diagnostics_file:
        from .report_files import keep_report

        keep_report(diagnostics, options, main_file, limits_of(options))


def write_report(text: str, form: str, product: bool) -> None:
    """Writes a report to standard error, or as a product for programs to standard output."""
    if product and form != "text":
        write_raw(text)
    else:
        write_err(text, commands=form == "github")


def report_one(
    item: Diagnostic,
    options: Options,
    main_file: str,
    status: int = EXIT_ERRORS,
    quoting: Quoting | None = None,
) -> int:
    """Reports a single diagnostic and gives the exit status."""
    found = Diagnostics(quoting=quoting)
    found.add(item)
    report(found, options, main_file)
    return status


def report_typed(
    item: Diagnostic, options: Options, main_file: str, status: int = EXIT_ERRORS
) -> int:
    """Reports a mistake in what the user typed and gives the exit status."""
    quoting = Quoting()
    if item.span is not None:
        quoting.admit_typed(item.span.source)
    return report_one(item, options, main_file, status, quoting)


def report_problem(problem: FileProblem, options: Options, main_file: str) -> int:
    """Reports a file that cannot be read or written; the exit status."""
    return report_one(failed_to_read(problem), options, main_file, EXIT_UNREADABLE)


def status_of(diagnostics: Iterable[Diagnostic]) -> int:
    """1 for errors in the blueprint; 3 if all errors are failures to read from elsewhere."""
    errors = [item for item in diagnostics if item.severity == ERROR]
    if errors and all(map(_is_unreadable, errors)):
        return EXIT_UNREADABLE
    return EXIT_ERRORS


def _is_unreadable(item: Diagnostic) -> bool:
    """True for what is no mistake of a text; a file that nobody named is gone since the search."""
    return item.code in _UNREADABLE or (item.code == "file_not_found" and item.span is None)
