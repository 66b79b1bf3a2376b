"""The files of `--diagnostics-file`: their formats, what they may replace, and writing them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final

from ..engine.options import Options, find_option
from ..values.diagnostics import Diagnostics, meant
from ..values.settings import Limits
from .usage import UsageProblem, keep_inputs

_FLAG: Final = "--diagnostics-file"
_ENDINGS: Final = {".json": "json", ".sarif": "sarif", ".sarif.json": "sarif", ".txt": "text"}


def check_report_files(options: Options, others: Iterable[str | None]) -> None:
    """Refuses files whose format is not known, and those that are in use; looked at first.

    Raises:
        UsageProblem: naming the file.
    """
    if not options.diagnostics_file:
        return
    used = list(others)
    for path in report_files(options):
        keep_inputs(_FLAG, path, used)
        used.append(path)


def report_files(options: Options) -> dict[str, str]:
    """The format of each file, by its path.

    Raises:
        UsageProblem: for a file whose format is not known, and one without a name.
    """
    row = find_option("check", "--diagnostics")
    assert row is not None
    forms = row[1].choices
    found = {}
    for word in options.diagnostics_file:
        before, colon, after = word.partition(":")
        form, path = (before, after) if colon and before in forms else (None, word)
        if form is None:
            name = os.path.basename(path).lower()
            form = next((form for end, form in _ENDINGS.items() if name.endswith(end)), None)
        if path in ("", "-"):
            raise UsageProblem(f"{_FLAG} needs the path of a file")
        if form is None:
            near = meant(before, forms) if colon else None
            if near:
                raise UsageProblem(f"{_FLAG}: unknown format `{before}` ({near})")
            raise UsageProblem(
                f"{_FLAG} cannot tell the format of `{path}`: put one of {', '.join(forms)} before "
                f"it, such as `json:{path}`"
            )
        if path in found:
            raise UsageProblem(f"{_FLAG} names `{path}` twice")
        found[path] = form
    return found


def keep_report(
    diagnostics: Diagnostics, options: Options, main_file: str, limits: Limits | None = None
) -> None:
    """Writes all that the command has reported so far, and these, to the files of the options.

    Raises:
        FileProblem: for a file that cannot be written.
    """
    if not options.diagnostics_file:
        return
    from ..formats.report import render

    limits = limits or Limits()
    every = Diagnostics(limits.max_diagnostics)
    for found in (*options.reported, diagnostics):
        every.extend(found)
    options.reported.append(diagnostics)
    write_reports(
        options,
        lambda form: render(every, form, color=False, main_file=main_file, limits=limits),
        [name for names in options.reads for name in names],
    )


def write_reports(options: Options, text: Callable[[str], str], reads: Iterable[str] = ()) -> None:
    """Writes the text of a report in each format that the options name a file for.

    Raises:
        FileProblem: for a file that cannot be written, or that was read.
    """
    files = report_files(options)
    if not files:
        return
    from ..world.writing import folders_of, refuse_inputs, write_together

    refuse_inputs(files, reads)
    with folders_of(files):
        # lone surrogates come from file names that are not valid UTF-8
        write_together(
            {path: text(form).encode("utf-8", "surrogateescape") for path, form in files.items()}
        )
