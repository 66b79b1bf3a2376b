"""The options that dialects have of their own on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from ..engine.dialect import Dialect, Option
from .table import find_dialect


def own_options(dialect: str | None = None) -> dict[str, Option]:
    """The options by flag: those of the dialects that are built in, and of one that is named.

    Nothing of a dialect is loaded for it but what declares them. A name that no dialect has adds
    none: whoever uses it is told.
    """
    from .garden.command_line import COMMAND_LINE

    found = {option.flag: option for option in COMMAND_LINE.options}
    if dialect is not None:
        try:
            line = find_dialect(dialect).command_line
        except ValueError:
            return found
        found.update({option.flag: option for option in line.options})
    return found


def owner_of(flag: str) -> str:
    """The name of a dialect that is built in and has an option, empty for none."""
    from .garden.command_line import COMMAND_LINE, NAME

    return NAME if any(option.flag == flag for option in COMMAND_LINE.options) else ""


def misplaced(dialect: Dialect, flags: Iterable[str], document: str) -> str | None:
    """The sentence about the first flag that means nothing in a dialect; None when all do."""
    line = dialect.command_line
    known = {option.flag for option in line.options}
    for flag in flags:
        owner = owner_of(flag)
        if owner and flag not in known:
            return (
                f"{flag} is an option of the dialect `{owner}`, "
                f"and `{document}` is written in `{dialect.name}`"
            )
        if flag in line.refuses:
            return f"{flag} means nothing in the dialect `{dialect.name}`, which `{document}` is in"
    return None
