"""What is tried: for each target how inputs are made, and the laws that hold for every one."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import MappingProxyType
from typing import Any, Final

import attrs

from . import (
    agreement,
    data_targets,
    editing,
    forms,
    language_targets,
    projects,
    promotions,
    render_targets,
    text_targets,
)


@attrs.frozen
class Target:
    """A part of bpp under test.

    `make` gives a random input, `hold` raises `Broken` when a law does not hold for one; whatever
    else it raises is a mistake too. `share` is the part of a long run's time that it gets. An input
    that a finding is about may be made shorter where any input is one (`shrinks`).
    """

    name: str
    about: str
    make: Callable[[Random], bytes]
    hold: Callable[[bytes], None]
    share: float = 1.0
    shrinks: bool = True


def text_target(
    name: str,
    about: str,
    make: Callable[[Random], str],
    hold: Callable[[str], Any],
    share: float = 1,
    shrinks: bool = True,
) -> Target:
    """A target whose inputs are texts; they may hold halves of characters, as decoded files do."""
    return Target(
        name,
        about,
        lambda rng: make(rng).encode("utf-8", "surrogatepass"),
        lambda data: hold(data.decode("utf-8", "surrogatepass")),
        share,
        shrinks,
    )


_ALL: Final = (
    text_target("yaml", "any text as YAML", text_targets.make_yaml, text_targets.hold_yaml, 3),
    text_target("json", "any text as JSON", text_targets.make_json, text_targets.hold_json, 2),
    Target("bytes", "any bytes as a file", text_targets.make_bytes, text_targets.hold_bytes),
    text_target("parsers", "both for YAML", text_targets.make_yaml, text_targets.hold_parsers),
    text_target(
        "layouts", "data as YAML", data_targets.make_layout, data_targets.hold_layout, 1, False
    ),
    text_target(
        "jsonc", "data as JSONC", data_targets.make_jsonc, data_targets.hold_jsonc, 1, False
    ),
    text_target(
        "written", "data, read back", data_targets.make_data, data_targets.hold_data, 1, False
    ),
    text_target("inputs", "files of variables", data_targets.make_input, data_targets.hold_input),
    text_target(
        "expression", "parser, printer", language_targets.make, language_targets.hold_syntax, 3
    ),
    text_target("evaluator", "evaluation", language_targets.make, language_targets.hold_value, 3),
    text_target("render", "whole renders", render_targets.make, render_targets.hold, 4),
    text_target("forms", "blueprints of all forms", forms.make, forms.hold, 3, False),
    text_target("agreement", "check and render", agreement.make, agreement.hold, 3, False),
    text_target("projects", "projects of Garden", projects.make, projects.hold, 3, False),
    text_target("promotions", "of Kargo", promotions.make, promotions.hold, 3, False),
    Target("editing", "sessions of editors", editing.make, editing.hold, 2, False),
    text_target("command", "the program", render_targets.make, render_targets.hold_command, 0),
)

TARGETS: Final = MappingProxyType({target.name: target for target in _ALL})
