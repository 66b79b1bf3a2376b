"""What functions may see of the world: the clock, ids, files and the network (`Environment`)."""

from __future__ import annotations

import re
from typing import Final, NoReturn

from ..functions.values import FunctionError
from .files import FileProblem, Files
from .settings import Settings

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://", re.ASCII)


class Effects:
    """The environment of the functions of one document.

    `base` is the folder that relative paths start from. The clock is asked once, and what was
    fetched is kept, so that one run has one time and one answer from a server; documents of one run
    share both through `beside`.
    """

    def __init__(self, settings: Settings, files: Files, base: str | None = None) -> None:
        self._settings = settings
        self._files = files
        self._base = base
        self._shared = _Shared(settings)

    def beside(self, base: str) -> Effects:
        """The environment of another document of the same run, in another folder."""
        other = Effects(self._settings, self._files, base)
        other._shared = self._shared
        return other

    def now(self) -> float:
        """Seconds since 1970, UTC: what the settings say, or the first look at the clock."""
        shared = self._shared
        if shared.now is None:
            import time

            shared.now = time.time()
        return shared.now

    def uuid(self) -> str:
        """A new version 4 UUID; with a seed the same ones come in the same order."""
        import uuid

        return str(uuid.UUID(bytes=self._shared.random_bytes(16), version=4))

    def cwd(self) -> str:
        """The working directory."""
        return self._files.cwd()

    def read(self, path: str) -> bytes:
        """A file's bytes; a relative path starts at the blueprint's folder.

        Raises:
            FunctionError: with the code of the file's problem, or `effect_not_allowed` for an
                address with a scheme other than `file`.
        """
        scheme = _SCHEME.match(path)
        if scheme:
            path = _local_path(path, scheme[1].lower())
        try:
            return self._files.read(path, self._base)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None

    def fetch(self, url: str) -> bytes:
        """The body of an HTTP response.

        Raises:
            FunctionError: `network_not_allowed`, `network_failed`, or `invalid_argument` for a text
                that is no address.
        """
        fetched = self._shared.fetched
        if url not in fetched:
            if not self._settings.allow_net:
                raise FunctionError(
                    "the network may not be used here",
                    "network_not_allowed",
                    "allow a host with `--allow-net HOST`",
                )
            from .network import NetworkProblem, fetch

            try:
                fetched[url] = fetch(url, self._settings.allow_net, self._settings.limits)
            except NetworkProblem as problem:
                raise FunctionError(problem.message, problem.code, problem.hint) from None
        return fetched[url]


class _Shared:
    """What all documents of a run have in common."""

    def __init__(self, settings: Settings) -> None:
        self.now = settings.now
        self.fetched: dict[str, bytes] = {}
        self._seed = settings.seed
        self._random: object = None

    def random_bytes(self, count: int) -> bytes:
        if self._seed is None:
            import os

            return os.urandom(count)
        from random import Random

        if not isinstance(self._random, Random):
            self._random = Random(self._seed)
        return self._random.randbytes(count)


def _local_path(address: str, scheme: str) -> str:
    if scheme != "file":
        _refuse(scheme)
    from urllib.parse import unquote

    path = unquote(address[len("file://") :])
    return path.removeprefix("localhost") if path.startswith("localhost/") else path


def _refuse(scheme: str) -> NoReturn:
    if scheme in ("http", "https"):
        raise FunctionError(
            "`file` reads local files only",
            "effect_not_allowed",
            "use `http_resource` to fetch over HTTP",
        )
    raise FunctionError(
        f"`file` reads local files only, and there is no resolver for `{scheme}` addresses",
        "effect_not_allowed",
        "fetch the file before and give its path",
    )
