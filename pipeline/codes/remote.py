"""Codes of what is fetched: remote children and files, resolvers, lock files."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "remote files"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="remote_address_invalid",
        title="Metadata or an address that leads nowhere",
        text="The metadata of an include, its path, or the address for `file` cannot be those of a "
        "remote file. A path cannot lead out of the source that it starts in.",
        remedy="Give what the kind of source needs: `host` or `url` for `https`, `bucket` for "
        "`aws/s3` and `googlecloud/storage`, `container` and `storageAccountName` for "
        "`azure/blob`.",
        example="include:\n  core: {path: core.yaml, metadata: {sourceType: aws/s3}}\n",
    ),
    Code(
        topic=_TOPIC,
        name="remote_extra_missing",
        title="The packages for a kind of source are not installed",
        text="Object stores need packages that bpp does not install by itself, because most "
        "blueprints do without them.",
        remedy='Install the extra that the message names, such as `pip install "bpp[s3]"`.',
    ),
    Code(
        topic=_TOPIC,
        name="remote_not_found",
        title="A remote file that does not exist",
        text="The server or the store was reached, and it says that there is no such file.",
        remedy="Correct the path, the bucket or the host.",
    ),
    Code(
        topic=_TOPIC,
        name="remote_denied",
        title="A remote file that may not be read",
        text="The server or the store refuses to give the file, or the credentials that are set up "
        "for it cannot be used. Some stores say so of files that do not exist.",
        remedy="Check that the file exists, log in again, or ask for the right to read it.",
    ),
    Code(
        topic=_TOPIC,
        name="remote_failed",
        title="A remote file that could not be fetched",
        text="The server could not be reached in time, ended the connection, sent too much, or "
        "answered with something else than success.",
        remedy="Try the address by hand; raise `fetch_seconds` for a slow server, or "
        "`max_response_bytes` for a large file.",
    ),
    Code(
        topic=_TOPIC,
        name="remote_not_a_blueprint",
        title="A remote child that is no blueprint",
        text="What was fetched is no text, or it is a page for browsers, as servers send for a "
        "login or instead of an error.",
        remedy="Use the address of the plain file.",
    ),
    Code(
        topic=_TOPIC,
        name="remote_resolver_failed",
        title="A resolver that cannot be used",
        text="A package that is installed, or the program that called bpp, fetches this kind of "
        "child, but it cannot be imported, failed, or answered with something else than text. "
        "This is no mistake in the blueprint.",
        remedy="Do what the resolver says; mend or uninstall the package that the message names.",
    ),
    Code(
        topic=_TOPIC,
        name="remote_changed",
        title="A remote file that is not the locked one",
        text="The content is not the one whose SHA-256 the lock file records: somebody has changed "
        "it since, or it comes from somewhere else.",
        remedy="Find out why. If the change is wanted, run `bpp lock` and read the difference of "
        "the lock file.",
    ),
    Code(
        topic=_TOPIC,
        name="remote_not_locked",
        title="A remote file that the lock file does not list",
        text="There is a lock file for the blueprint, and it does not list something that is "
        "fetched. What is not listed could be anything.",
        remedy="Run `bpp lock`; with `--add` for variables that lead to other files.",
    ),
    Code(
        topic=_TOPIC,
        name="remote_not_cached",
        title="A remote file that is not in the cache",
        text="With `--offline`, remote files come from the cache only, where they are found by the "
        "SHA-256 that the lock file records.",
        remedy="Render once, or run `bpp lock`, without `--offline`.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_lock",
        title="A lock file that cannot be used",
        text="The lock file cannot be read, or it is not of the form that `bpp lock` writes.",
        remedy="Resolve what a merge left behind, or write it anew with `bpp lock`.",
    ),
)
