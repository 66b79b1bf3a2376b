"""Kargo's part of the command line: its options, and the promotion options made from them.

It is loaded for help and for every command line with one of these options, so it imports little.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from ...engine.options import RENDERING, CommandInputs, CommandLine, Option
from .options import UNDEFINED, WORLDS, PromotionOptions
from .state import nested, state_problems

_COMMANDS: Final = (*RENDERING, "check")
_option = partial(Option, commands=_COMMANDS)


def _many(flag: str, about: str, metavar: str, values: str = "") -> Option:
    return _option(flag, f"{about}; may be repeated.", metavar, many=True, values=values)


_OPTIONS: Final = {
    "stages": _many("--stage", "A Stage; default: all of FILE", "NAME", "promotions"),
    "freight": _many(
        "--freight", "Freight to promote: its manifest, or a Promotion", "FILE", "blueprints"
    ),
    "target_freight": _option(
        "--target-freight", "The Freight that is promoted, where there is more than one.", "NAME"
    ),
    "images": _many("--image", "An image of the Freight", "URL=TAG[@DIGEST]"),
    "commits": _many("--commit", "A commit of the Freight", "URL=ID"),
    "charts": _many("--chart", "A chart of the Freight", "URL[#NAME]=VERSION"),
    "artifacts": _many(
        "--artifact", "Another artifact of the Freight, by subscription", "NAME=VERSION"
    ),
    "promotion": _option(
        "--promotion",
        "A recorded promotion, whose state, statuses and Freight are taken.",
        "FILE",
        values="blueprints",
    ),
    "status": _many("--status", "How a step ended, or all with `*`", "ALIAS=STATUS"),
    "ctx": _many("--ctx", "A value of `ctx`, such as meta.promotion.actor", "PATH=VALUE"),
    "manifests": _many("--manifest", "One more file of manifests", "FILE", "blueprints"),
    "scan": _option("--no-scan", "Read only files that are named; do not search for more."),
    "world": _option(
        "--world",
        "What no file has is not known in an open world, and does not exist in a closed one.",
        choices=WORLDS,
    ),
    "undefined": _option(
        "--undefined", "A name that cannot be is an error, or nil as in Kargo.", choices=UNDEFINED
    ),
    "kargo_version": _option("--kargo-version", "The version of Kargo to check for.", "VERSION"),
    "allow_steps": _many("--allow-step", "A step of your own", "NAME"),
    "step": Option(
        "--step", "The step whose scope the expression has.", "ALIAS", commands=("eval", "console")
    ),
}
"""The options, by the fields of `PromotionOptions`."""

_VAR: Final = Option("--var", "", "NAME=VALUE")
_PAIRS: Final = ("images", "commits", "charts", "artifacts", "status", "ctx")
_TRUTHS: Final = {"true": True, "false": False}


def promotion_options(asked: CommandInputs) -> PromotionOptions:
    """The options of promotions; problems in files of data are added to the diagnostics.

    Raises:
        FileProblem: a file that cannot be read.
        ValueError: an invalid value of an option.
    """
    fields: dict[str, Any] = {}
    for name, option in _OPTIONS.items():
        given = asked.own.get(option.flag)
        if given:
            fields[name] = given if option.many else given[-1]
            if name in _PAIRS:
                pairs = [_pair(option, text) for text in given]
                fields[name] = dict(pairs) if name in ("status", "ctx") else given
    fields["scan"] = "scan" not in fields
    if "ctx" in fields:
        fields["ctx"] = {path: _TRUTHS.get(text, text) for path, text in fields["ctx"].items()}
    told = {"ctx": nested(fields.get("ctx", {})), "status": fields.get("status", {})}
    for path, words in state_problems(told):
        raise ValueError(f"--{path[0]}: {words}")
    version = fields.get("kargo_version")
    if version is not None and not re.fullmatch(r"v?\d+\.\d+(\.\d+)?", version):
        raise ValueError(f"--kargo-version is written MAJOR.MINOR, such as 1.9, not `{version}`")
    variables = {key: value for name in asked.vars for key, value in _file(asked, name).items()}
    variables |= asked.values
    variables |= dict(_pair(_VAR, text) for text in asked.var)
    state = _map(asked, asked.state, "invalid_state", state_problems)
    return PromotionOptions(**fields, state=state, variables=variables)


def _pair(option: Option, text: str) -> tuple[str, str]:
    """What is written NAME=VALUE; only a variable may be empty."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip() or not (value or option is _VAR):
        raise ValueError(f"{option.flag} is written {option.metavar}")
    return key.strip(), value


def _file(asked: CommandInputs, name: str) -> dict[str, Any]:
    """The variables in a file, which may be of any type."""
    if not re.search(r"\.(toml|env)(\.|$)", name.lower()):
        return _map(asked, name, "invalid_variables_file", lambda _: ()) or {}
    from ...engine.input_files import read_variables

    found = read_variables(name, asked.files.open_input(name), asked.meter, asked.diagnostics)
    return {key: one.value for key, one in found.assignments.items()}


def _map(
    asked: CommandInputs, name: str | None, code: str, check: Callable[[Any], Any]
) -> dict[str, Any] | None:
    """The map in a file of data; None without one."""
    if name is None:
        return None
    from ...world.data_files import read_map  # not for help and completion

    return read_map(name, asked.files, asked.meter, asked.diagnostics, code, check)


COMMAND_LINE: Final = CommandLine(
    alone=_OPTIONS["scan"].flag,
    options=tuple(_OPTIONS.values()),
    refuses=(
        *("--datasources", "--strict-vars", "--keep-transform", "--substr-end-exclusive"),
        *("--split", "--lock", "--offline"),
    ),
    inputs=promotion_options,
)
