"""Codes of builds: configurations, targets, workers."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "builds"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_configuration",
        title="A configuration that is not of the expected form",
        text="`bpp.toml`, or `[tool.bpp]` in `pyproject.toml`, cannot be read, has a key that is "
        "not known or a value of a wrong type, or lacks what a target needs. Nothing is "
        "guessed, so that a slip of the pen does not silently build something else.",
        remedy="Correct what is marked; docs/guides/build.md has all keys.",
    ),
    Code(
        topic=_TOPIC,
        name="unknown_placeholder",
        title="A placeholder for an axis that does not exist",
        text="In paths and variables of a configuration `{name}` stands for the value of an axis "
        "of the target's matrix, and `{target}` for the target's name. There is no axis of "
        "this name.",
        remedy="Correct the name, or write `{{name}}` when the text itself is meant.",
    ),
    Code(
        topic=_TOPIC,
        name="duplicate_output",
        title="A file that is written twice, or read and written",
        text="Two targets, or two combinations of one matrix, would write the same file, or a "
        "target would replace a file that it reads. Which of them stays would be a matter of "
        "luck.",
        remedy="Give each its own path, with `{target}` or the axes of the matrix in it.",
    ),
    Code(
        topic=_TOPIC,
        name="limit_not_tighter",
        title="A limit that is looser than the one around it",
        text="The limits of a configuration may only be tighter than the built-in ones, and those "
        "of a target only tighter than the shared ones. A configuration comes with the "
        "blueprints, and they must not lift what protects against them.",
        remedy="Write a smaller number, or leave the limit out.",
    ),
    Code(
        topic=_TOPIC,
        name="target_cycle",
        title="Targets that read each other's outputs in a circle",
        text="A target reads what another one writes, which in turn is made from its own output, "
        "and every render changes it again. There is no order in which this comes to an end.",
        remedy="Let the targets read files that no target writes.",
    ),
    Code(
        topic=_TOPIC,
        name="worker_failed",
        title="A lost process",
        text="Targets are rendered in several processes, and one of them ended before it was done,"
        " for example because the system was short of memory. Its output is as it was before.",
        remedy="Build again; render fewer targets at once with `--jobs`.",
    ),
)
