"""The options of a render of promotions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from ....functions.record import Record, field

OPEN: Final = "open"
WORLDS: Final = (OPEN, "closed")
ERROR: Final = "error"
UNDEFINED: Final = (ERROR, "nil")

Given: TypeAlias = str | Mapping[str, Any]
"""The path of a file of manifests, or a manifest as plain data."""


_VERSION: Final = r"v?(\d+)\.(\d+)(?:[.+-].*)?"


def version_of(text: str) -> tuple[int, int] | None:
    """The two numbers that a version begins with; None for what is no version."""
    found = re.fullmatch(_VERSION, text.strip())
    return (int(found[1]), int(found[2])) if found else None


class PromotionOptions(Record):
    """The options of a render of promotions.

    `stages` names the Stages, by default all of the file. `freight` are the Freight that is
    promoted, as paths or plain data; the target is `target_freight`, or that of the first requested
    origin that has one. `images` (`URL=TAG[@DIGEST]`), `commits` (`URL=ID`), `charts`
    (`URL[#NAME]=VERSION`) and `artifacts` (`NAME=VERSION`) are Freight without a manifest.
    `promotion` is a recorded promotion, whose state, statuses, Freight and actor are those of the
    render. `state` is what is known of steps, `status` how they ended, by alias or `*`, and `ctx`
    has values of `ctx` by path (`meta.promotion.actor`).

    `variables` rank above those of the promotion: a string is a template as in a manifest, anything
    else a value. `manifests` are more files, and with `scan` the others of the folder are read. In
    an `open` `world` what no file has is not known, in a `closed` one it does not exist.
    `undefined` says whether a name that cannot be is an `error` or `nil`. `kargo_version` is what
    the cluster runs, `allow_steps` are steps of one's own. `step` is the alias of the step whose
    scope an expression has.
    """

    stages: tuple[str, ...] = ()
    freight: tuple[Given, ...] = ()
    target_freight: str | None = None
    images: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    promotion: Given | None = None
    state: Mapping[str, Any] | None = field(default=None, repr=False)
    status: Mapping[str, str] = field(factory=dict)
    ctx: Mapping[str, Any] = field(factory=dict, repr=False)
    variables: Mapping[str, Any] = field(factory=dict, repr=False)
    manifests: tuple[str, ...] = ()
    scan: bool = True
    world: str = OPEN
    undefined: str = ERROR
    kargo_version: str | None = None
    allow_steps: tuple[str, ...] = ()
    step: str | None = None

    @property
    def closed(self) -> bool:
        """True when what no file has does not exist."""
        return self.world != OPEN


def options_of(options: Any) -> PromotionOptions:
    """The options of a run, by default those without any values.

    Raises:
        ValueError: not `PromotionOptions`, or one that has no such value.
    """
    if options is None:
        return PromotionOptions()
    if not isinstance(options, PromotionOptions):
        raise ValueError(f"promotions take PromotionOptions, not {type(options).__name__}")
    for name, value, known in (
        ("world", options.world, WORLDS),
        ("undefined", options.undefined, UNDEFINED),
    ):
        if value not in known:
            raise ValueError(f"unknown {name} `{value}`; available: {', '.join(known)}")
    if options.kargo_version is not None and version_of(options.kargo_version) is None:
        raise ValueError(f"`{options.kargo_version}` is not a version of Kargo, such as 1.9")
    return options
