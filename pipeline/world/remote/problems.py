"""Why something that is elsewhere cannot be had."""

from __future__ import annotations

from collections.abc import Iterable


class RemoteProblem(Exception):
    """Why a remote file cannot be had, in plain words that fit behind "cannot be fetched:".

    `code` is a diagnostic code, `key` the part of an include to blame: a key of its metadata, or
    `path`. What a library says is never quoted: it could hold a secret.
    """

    def __init__(
        self, code: str, why: str, hint: str | None = None, key: str | None = None
    ) -> None:
        super().__init__(why)
        self.code = code
        self.why = why
        self.hint = hint
        self.key = key


class ResolverError(Exception):
    """Raised by a resolver of a plugin that cannot answer; its text is shown to the user."""


def missing_key(key: str, given: Iterable[str], what: str) -> RemoteProblem:
    """The problem of metadata that lacks a key."""
    from ...values.diagnostics import meant

    near = next((hint for other in given if (hint := meant(other, [key]))), None)
    return RemoteProblem(
        "remote_address_invalid",
        f"its metadata has no `{key}`, which names {what}",
        near or f"add `{key}` to the include's `metadata`",
    )


def wrong_key(key: str, what: str) -> RemoteProblem:
    """The problem of metadata, or of an address, with a value that cannot be."""
    return RemoteProblem(
        "remote_address_invalid",
        f"its `{key}` is not {what}",
        "such a name has 3 letters or more: letters, digits, `-`, `.` and `_`",
        key,
    )


def missing_extra(extra: str) -> RemoteProblem:
    """The problem of a library that is not installed."""
    return RemoteProblem(
        "remote_extra_missing",
        f"the packages for it are not installed (the extra `{extra}`)",
        f'install them with `pip install "bpp[{extra}]"`',
    )
