"""Codes of the `transform` section and of running transforms."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "transforms"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_transform_type",
        title="`transform` is neither a text nor a list of texts",
        text="`transform` names one transform or lists the names of several. An empty name or "
        "something else than a text cannot be looked up.",
        remedy="Write `transform: name` or a list of names.",
        example="transform: {celerity-2023-04-20: true}\n",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_transform",
        title="Something that cannot be a transform's name",
        text="The names of transforms are literal texts, because transforms run before anything "
        "is evaluated. An empty name names nothing.",
        remedy="Write the transform's name as it is registered.",
    ),
    Code(
        topic=_TOPIC,
        name="duplicate_transform",
        title="The same transform twice",
        text="A transform is listed more than once. Each runs once, in the order of the list, so a "
        "second mention has no meaning and hints at a slip.",
        remedy="Remove one of the two.",
        example="transform: [a, b, a]\n",
    ),
    Code(
        topic=_TOPIC,
        name="missing_transformers",
        title="An unknown transform",
        text="The blueprint asks for a transform that is not registered. Its abstract resources "
        "would stay as they are, and no provider knows those.",
        remedy="Correct the name, install and enable the plug-in that has it, or keep the name in "
        "the output with `--keep-transform NAME`.",
        example="transform: celerity-1999\n",
    ),
    Code(
        topic=_TOPIC,
        name="transform_failed",
        title="A transform could not do its work",
        text="A transform refused the blueprint or broke while it ran. Nothing after it has been "
        "run, because the stages that follow need its result.",
        remedy="Change what the message points at; if the transform itself is wrong, tell its "
        "authors.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_transform_result",
        title="A transform returned something that is no blueprint",
        text="What a transform made breaks a rule of the format. The mistake is the transform's, "
        "not the blueprint's, but the result cannot be used.",
        remedy="Tell the authors of the transform that the message names; leave the transform out "
        "until it is mended.",
    ),
)
