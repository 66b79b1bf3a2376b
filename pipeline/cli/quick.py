"""Reads plain command lines of the usual commands without typer.

Importing typer takes as long as rendering a small blueprint or longer, and builds render in loops.
So this reads a command line of arguments and options from the table. Everything else (errors,
`--help`, abbreviations) is left to typer, which reads the same table.
"""

from __future__ import annotations

from typing import Any

from ..engine.options import Option, Options, find_option

COMMANDS = {"render": "file", "check": "files", "eval": "expression", "build": "targets"}
"""The commands, each with the field of its arguments."""


def quick_options(arguments: list[str]) -> Options | None:
    """The values of a command line; None if typer must read it."""
    if not arguments or arguments[0] not in COMMANDS:
        return None
    command = arguments[0]
    given: dict[str, Any] = {}
    own: dict[str, tuple[str, ...]] = {}
    words: list[str] = []
    rest = iter(arguments[1:])
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            words.append(argument)
            continue
        flag, sign, value = argument.partition("=") if argument[:2] == "--" else (argument, "", "")
        name, row = find_option(command, flag) or ("", _of_a_dialect(flag, command))
        if row is None or row.number or (sign and row.is_switch):
            return None
        if not sign and not row.is_switch:
            following = next(rest, None)
            if following is None:
                return None
            value = following
        if not name:
            own[flag] = (*own.get(flag, ()), value) if row.many else (value,)
        elif row.is_switch:
            given[name] = True
        elif row.choices and value not in row.choices:
            return None
        else:
            given[name] = (*given.get(name, ()), value) if row.many else value
    if own and not _is_built_in(given.get("dialect")):
        return None
    field = COMMANDS[command]
    if command in ("build", "check"):
        given[field] = tuple(words)
    elif len(words) == 1:
        [given[field]] = words
    else:
        return None
    return Options(**given, own=own)


def _of_a_dialect(flag: str, command: str) -> Option | None:
    """An option of a built-in dialect."""
    from ..dialects.dialect_options import dialect_options

    option = dialect_options().get(flag)
    return option if option is not None and command in option.commands else None


def _is_built_in(dialect: str | None) -> bool:
    """False for an installed dialect, whose options may differ from those that are known here."""
    from ..dialects.table import NAMES

    return dialect is None or dialect in NAMES
