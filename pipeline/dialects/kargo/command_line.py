"""Kargo's part of the command line: its options, and the promotion options made from them.

It is loaded for help and for every command line with one of these options, so it imports little.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ...engine.options import RENDERING, CommandInputs, CommandLine, Option
from .options import ERROR, OPEN, UNDEFINED, WORLDS, PromotionOptions
from .state import STATUSES, ctx_value, state_problems

_MANY: Final = "; may be repeated."


def _many(flag: str, about: str, metavar: str, values: str = "") -> Option:
    return Option(flag, about + _MANY, metavar, many=True, values=values)


_STAGE: Final = _many("--stage", "A Stage; default: all of FILE", "NAME", "stages of the file")
_FREIGHT: Final = _many(
    "--freight", "Freight to promote: its manifest, or a Promotion", "FILE", "blueprints"
)
_TARGET: Final = Option(
    "--target-freight",
    "The Freight that is promoted; default: that of the first origin that has one.",
    "NAME",
)
_ARTIFACTS: Final = (
    _many("--image", "An image of the Freight", "URL=TAG[@DIGEST]"),
    _many("--commit", "A commit of the Freight", "URL=ID"),
    _many("--chart", "A chart of the Freight", "URL[#NAME]=VERSION"),
    _many("--artifact", "Another artifact of the Freight, by its subscription", "NAME=VERSION"),
)
_PROMOTION: Final = Option(
    "--promotion",
    "A recorded promotion, whose state, statuses and Freight are taken.",
    "FILE",
    values="blueprints",
)
_STATUS: Final = _many("--status", "How a step ended, or all with `*`", "ALIAS=STATUS")
_CTX: Final = _many("--ctx", "A value of `ctx`, such as meta.promotion.actor", "PATH=VALUE")
_MANIFEST: Final = _many("--manifest", "One more file of manifests", "FILE", "blueprints")
_NO_SCAN: Final = Option("--no-scan", "Read only files that are named; do not search for more.")
_WORLD: Final = Option(
    "--world",
    "What no file has is not known in an open world, and does not exist in a closed one.",
    choices=WORLDS,
)
_UNDEFINED: Final = Option(
    "--undefined", "A name that cannot be is an error, or nil as in the engine.", choices=UNDEFINED
)
_VERSION: Final = Option("--kargo-version", "The version of Kargo to check for.", "VERSION")
_ALLOW_STEP: Final = _many("--allow-step", "A step of your own", "NAME")
_STEP: Final = Option(
    "--step", "The step whose scope the expression has.", "ALIAS", commands=("eval", "console")
)


def promotion_options(asked: CommandInputs) -> PromotionOptions:
    """The options of promotions; problems in the state file are added to the diagnostics.

    Raises:
        FileProblem: a file that cannot be read.
        ValueError: an invalid value of an option.
    """
    own = asked.own

    def last(option: Option) -> str | None:
        return own[option.flag][-1] if own.get(option.flag) else None

    def pairs(option: Option, read: Callable[[str, str], Any]) -> dict[str, Any]:
        return {
            key: read(key, value)
            for key, value in (_pair(option, text) for text in own.get(option.flag, ()))
        }

    images, commits, charts, artifacts = (
        tuple("=".join(_pair(option, text)) for text in own.get(option.flag, ()))
        for option in _ARTIFACTS
    )
    version = last(_VERSION)
    if version is not None and not re.fullmatch(r"v?\d+\.\d+(\.\d+)?", version):
        raise ValueError(f"{_VERSION.flag} is written MAJOR.MINOR, such as 1.9, not `{version}`")
    variables = dict(_pair(_VAR, text) for text in asked.var)
    return PromotionOptions(
        stages=own.get(_STAGE.flag, ()),
        freight=own.get(_FREIGHT.flag, ()),
        target_freight=last(_TARGET),
        images=images,
        commits=commits,
        charts=charts,
        artifacts=artifacts,
        promotion=last(_PROMOTION),
        state=_state(asked),
        status=pairs(_STATUS, _status),
        ctx=pairs(_CTX, ctx_value),
        variables={**asked.values, **variables},
        variable_files=asked.vars,
        manifests=own.get(_MANIFEST.flag, ()),
        scan=_NO_SCAN.flag not in own,
        world=last(_WORLD) or OPEN,
        undefined=last(_UNDEFINED) or ERROR,
        kargo_version=version,
        allow_steps=own.get(_ALLOW_STEP.flag, ()),
        step=last(_STEP),
    )


_VAR: Final = Option("--var", "", "NAME=VALUE")


def _pair(option: Option, text: str) -> tuple[str, str]:
    """The sides of what is written with `=`; a URL may have one, too, but no value."""
    key, sign, value = text.rpartition("=") if option in _ARTIFACTS else text.partition("=")
    if not sign or not key.strip() or (not value and option is not _VAR):
        raise ValueError(f"{option.flag} is written {option.metavar}")
    return key.strip(), value


def _status(alias: str, status: str) -> str:
    if status not in STATUSES:
        known = ", ".join(STATUSES)
        raise ValueError(f"{_STATUS.flag} {alias}: `{status}` is no status; it is one of {known}")
    return status


def _state(asked: CommandInputs) -> Mapping[str, Any] | None:
    """The content of the state file, whose problems are reported; None without one."""
    name = asked.state
    if name is None:
        return None
    # not for help and completion
    from ...world.data_files import place_of, read_data

    shown = "<stdin>" if name == "-" else name
    data = asked.files.open_input("/dev/stdin" if name == "-" else name)
    before = asked.diagnostics.errors
    content, root = read_data(shown, data, asked.meter, asked.diagnostics)
    if asked.diagnostics.errors > before:
        return None
    if not isinstance(content, dict):
        asked.diagnostics.error("invalid_state", place_of(root, ()), f"`{shown}` must be a map")
        return None
    for path, words in state_problems(content):
        asked.meter.work(1)
        asked.diagnostics.error("invalid_state", place_of(root, path), words)
    return content


COMMAND_LINE: Final = CommandLine(
    options=(
        *(
            option.evolve(commands=(*RENDERING, "check"))
            for option in (
                *(_STAGE, _FREIGHT, _TARGET, *_ARTIFACTS, _PROMOTION, _STATUS, _CTX, _MANIFEST),
                *(_NO_SCAN, _WORLD, _UNDEFINED, _VERSION, _ALLOW_STEP),
            )
        ),
        _STEP,
    ),
    refuses=(
        "--datasources",
        "--strict-vars",
        "--keep-transform",
        "--substr-end-exclusive",
        "--split",
        "--lock",
        "--offline",
    ),
    inputs=promotion_options,
)
