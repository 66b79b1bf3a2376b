"""Codes of paths into an output."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "provenance"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_output_path",
        title="A text that is no path",
        text="`bpp why` takes a path of the output as the language writes references: names after "
        "dots, indexes in brackets, other keys in brackets and quotes. A path that begins with `/` "
        "is read as a JSON pointer.",
        remedy='Write it as in `resources.api.spec.ports[0]["a.b"]`, in quotes of your shell.',
    ),
    Code(
        topic=_TOPIC,
        name="output_path_not_found",
        title="A path that the output never had",
        text="The path leads to nothing, neither in the output nor in what an earlier stage had. "
        "The place is that of the first name that does not exist.",
        remedy="Look at the output of `bpp render` with the same options. Instances of a template "
        "are named `<template>_<index>`, and what is in a child stands below `children.<name>`.",
    ),
)
