"""The options that single dialects add to the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ..engine.options import Option
from ..engine.run import Dialect
from .table import command_lines, find_dialect


def options_of(dialect: str | None) -> tuple[Option, ...] | None:
    """The options of a named dialect; None without a name, and for an unknown one.

    An unknown name is reported where it is used.
    """
    try:
        return None if dialect is None else find_dialect(dialect).command_line.options
    except ValueError:
        return None


def options_by_dialect(dialect: str | None = None) -> dict[str, tuple[Option, ...]]:
    """The options of the built-in dialects, and of the one that is named, each under its dialect.

    Loads only the declarations of the built-in ones. Ignores an unknown name, which is reported
    where it is used.
    """
    lines = command_lines(dialect)
    return {name: line.options for name, line in lines.items() if line.options}


def dialect_options(dialect: str | None = None) -> dict[str, Option]:
    """The options of `options_by_dialect` by flag; those of the named dialect win."""
    return {
        option.flag: option
        for options in options_by_dialect(dialect).values()
        for option in options
    }


def owner_of(flag: str) -> str:
    """The built-in dialect that has an option, or an empty string."""
    for name, options in options_by_dialect().items():
        if any(option.flag == flag for option in options):
            return name
    return ""


def misplaced(
    dialect: Dialect, own: Collection[str], shared: Iterable[str], document: str
) -> str | None:
    """The message about the first flag that does not apply to a dialect, or None.

    `own` are flags of some dialect, `shared` those of all.
    """
    line = dialect.command_line
    known = {option.flag for option in line.options}
    for flag in (*own, *shared):
        owner = owner_of(flag) if flag in own and flag not in known else ""
        if owner:
            return (
                f"{flag} is an option of the dialect `{owner}`, "
                f"and `{document}` is written in `{dialect.name}`"
            )
        if flag in line.refuses:
            message = f"{flag} does not apply to `{document}`, which is written in `{dialect.name}`"
            return message + (f"; {line.instead[flag]}" if flag in line.instead else "")
    return None
