"""Options of dialects on the command line: found in it, refused where they do not belong."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..dialects.own_options import dialect_options, misplaced
from ..engine.context import Dialect
from ..engine.dialect import Asked
from .usage import UsageProblem, choice

if TYPE_CHECKING:
    from .render_command import Inputs, RenderOptions


def refuse_misplaced(spoken: Dialect, options: RenderOptions) -> None:
    """Refuses options that mean nothing in a dialect, and values that they cannot have.

    Raises:
        UsageProblem: naming the dialect, or the values that there are.
    """
    shown = "<stdin>" if options.file == "-" else options.file or "<expression>"
    wrong = misplaced(spoken, [*options.own, *_shared(options)], shown)
    if wrong is not None:
        raise UsageProblem(wrong)
    for option in spoken.command_line.options:
        if option.choices:
            for value in options.own.get(option.flag, ()):
                choice(option.flag, value, option.choices)


def _shared(options: RenderOptions) -> list[str]:
    """The flags of the shared options that are given."""
    usual = options.__class__(file=options.file)
    return [
        "--" + name.replace("_", "-")
        for name in options.__match_args__
        if getattr(options, name) != getattr(usual, name)
    ]


def own_input(make: Callable[[Asked], Any], inputs: Inputs) -> Any:
    """What a dialect makes of the command line.

    Raises:
        FileProblem: for a file that cannot be read.
        UsageProblem: for an option that cannot be.
    """
    options = inputs.options
    asked = Asked(
        options.own,
        options.var,
        options.vars,
        options.state,
        os.environ,
        inputs.settings,
        inputs.files,
        inputs.diagnostics,
    )
    try:
        return make(asked)
    except ValueError as problem:
        raise UsageProblem(str(problem)) from None


def own_files_of_data(options: RenderOptions) -> list[str]:
    """The files of data that options of a dialect name."""
    known = dialect_options(options.dialect)
    return [
        value
        for flag, values in options.own.items()
        if flag in known and known[flag].data
        for value in values
    ]
