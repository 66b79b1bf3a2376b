"""Codes of providers: what installed packages add."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "providers"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="provider_failed",
        title="A provider that cannot be used",
        text="A package that is installed, or the program that called bpp, offers a provider for "
        "this type, but it cannot be imported, answers with something else than it should, or says "
        "that it cannot answer. This is no mistake in the blueprint. For a custom variable type it "
        "is a warning: the output is the same, only its labels are not checked.",
        remedy="Do what the provider says; mend or uninstall the package that the message names, "
        "or give the records yourself with `--datasources`.",
    ),
)
