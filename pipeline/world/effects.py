"""The world as functions see it: the clock, ids, files and the network (`Environment`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from ...functions.values import FunctionError
from ..language.errors import PATHS_ARE_LOGGED
from ..language.meter import Meter
from ..values.settings import Settings
from .files import FileProblem, Files

if TYPE_CHECKING:
    from ..values.threads import Deadline
    from .remote.downloads import Downloads
    from .remote.lock import Content
    from .remote.store import Place, RemoteProblem

NOT_ASKED: Final = ""
"""The code of what a check does not ask for; it is no mistake and never told."""
_STORES: Final = frozenset({"s3", "gs", "gcs", "az", "azure", "azureblob"})
_SOME_ID: Final = "00000000-0000-4000-8000-000000000000"
_ID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SCHEME: Final = r"([A-Za-z][A-Za-z0-9+.-]+)://"


class Effects:
    """The environment of the functions of one document.

    `base` is the folder that relative paths start from. The clock is read once, and fetched
    content is kept, so that one run has one time and one answer from a server; documents of one run
    share both through `beside`. `remote` is where the document was fetched from, if it was: then
    relative paths start there, and no local file can be read. `meter` is that of the run.
    """

    def __init__(
        self,
        settings: Settings,
        files: Files,
        base: str | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._settings = settings
        self._files = files
        self._base = base
        self._shared = _Shared(settings, files, base, meter or Meter(settings.limits))
        self._rehearses = False
        self.remote: Place | None = None

    def beside(self, base: str | None, remote: Place | None = None) -> Effects:
        """The environment of another document of the same run, in another folder."""
        other = Effects(self._settings, self._files, base)
        other._shared = self._shared
        other.remote = remote
        return other

    def rehearsing(self) -> Effects:
        """The environment for a rehearsal: an evaluation of the same document without its secrets.

        Paths and addresses used in it hold no secret, so they may be used later.
        """
        other = self.beside(self._base, self.remote)
        other._rehearses = True
        return other

    def absent(self) -> Effects:
        """The environment of a check: it reads files, and asks for neither time, chance nor hosts.

        Whatever asks fails with a `FunctionError` without a code.
        """
        other = Effects(self._settings, self._files, self._base, self._shared.meter)
        other.remote = self.remote
        other._shared.absent = True
        return other

    @property
    def deadline(self) -> Deadline:
        """The end of the run: no fetch lasts longer."""
        return self._shared.meter.deadline

    @property
    def downloads(self) -> Downloads:
        """The downloads of this run's documents."""
        return self._shared.downloads()

    @property
    def contents(self) -> Mapping[str, Content]:
        """The fetched contents, by name."""
        return self._shared.contents()

    @property
    def asked(self) -> Collection[str]:
        """The sources that differ in every run and have been used: `clock`, `chance`."""
        return self._shared.asked

    @property
    def withheld(self) -> Collection[str]:
        """Secrets that are known in clear: no path or address may hold one."""
        return self._shared.withheld

    def withhold(self, texts: Iterable[str]) -> None:
        """Adds secrets that are known in clear.

        From then on only paths and addresses of a rehearsal may be used.
        """
        if self._shared.harmless is None:
            self._shared.harmless = set()
        self._shared.withheld.update(texts)

    def holds_secret(self, text: str) -> bool:
        """True when a text holds a secret that is known in clear."""
        if not self._shared.withheld:
            return False
        from .remote.downloads import holds_any

        return holds_any(text, self._shared.withheld)

    def now(self) -> float:
        """Seconds since 1970, UTC: what the settings say, or the first look at the clock."""
        shared = self._shared
        if shared.now is None:
            self._ask()
            import time

            shared.now = time.time()
            shared.asked.add("clock")
        return shared.now

    def numbers(self, name: str) -> Any:
        """The random numbers that the seed gives for a name, always the same ones.

        Raises:
            FunctionError: `function_refused` without a seed.
        """
        if self._settings.seed is None:
            hint = "`--seed N` makes it reproducible"
            raise FunctionError("chance differs in each run", "function_refused", hint)
        from random import Random

        return Random(f"{self._settings.seed}/{name}")

    def uuid(self) -> str:
        """A new version 4 UUID; with a seed the same ones come in the same order."""
        if self._rehearses:
            return _SOME_ID
        self._ask()
        import uuid

        drawn = str(uuid.UUID(bytes=self._shared.random_bytes(16), version=4))
        if self._shared.harmless is not None:
            self._shared.drawn.add(drawn)
        return drawn

    def cwd(self) -> str:
        """The working directory.

        Raises:
            FunctionError: `effect_not_allowed` in a blueprint that was fetched.
        """
        if self.remote is not None:
            raise FunctionError(
                "a fetched blueprint cannot see the working directory",
                "effect_not_allowed",
                "pass the folder to it as a variable",
            )
        return self._files.cwd()

    def read(self, path: str) -> bytes:
        """A file's bytes; a relative path starts at the blueprint's folder.

        Raises:
            FunctionError: with the code of the file's problem, or `effect_not_allowed` for an
                address with a scheme that is neither `file` nor that of an object store.
        """
        self._check_mark(path, "path")
        scheme = re.match(_SCHEME, path)
        if self.remote is not None or (scheme and scheme[1].lower() in _STORES):
            return self._read_remote(path, scheme[1].lower() if scheme else "")
        if self._shared.withheld and self.holds_secret(path):
            raise FunctionError("the path holds a secret", "secret_not_allowed")
        if scheme:
            path = _local_path(path, scheme[1].lower())
        try:
            data = self._files.read(path, self._base)
        except FileProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None
        self._shared.meter.grow(data)
        return data

    def fetch(self, url: str) -> bytes:
        """The body of an HTTP response.

        Raises:
            FunctionError: `network_not_allowed`, `network_failed`, `invalid_argument` for an
                invalid address, or the code of a conflict with the lock file.
        """
        self._ask()
        self._check_mark(url, "address")
        from .network import NetworkProblem
        from .remote.store import RemoteProblem

        try:
            return self.downloads.read_url(url, self._shared.withheld)
        except NetworkProblem as problem:
            raise FunctionError(problem.message, problem.code, problem.hint) from None
        except RemoteProblem as problem:
            raise _remote_error(url, problem) from None

    def _ask(self) -> None:
        if self._shared.absent:
            raise FunctionError("a check does not ask for this", NOT_ASKED)

    def _check_mark(self, text: str, what: str) -> None:
        """Refuse text that no rehearsal has used: it depends on a secret, however it looks."""
        shared = self._shared
        if shared.harmless is None:
            return
        if self._rehearses:
            shared.harmless.add(text)
            return
        plain = re.sub(_ID, lambda found: _SOME_ID if found[0] in shared.drawn else found[0], text)
        if plain not in shared.harmless:
            raise FunctionError(
                f"the {what} depends on a secret",
                "secret_not_allowed",
                PATHS_ARE_LOGGED,
            )

    def _read_remote(self, path: str, scheme: str) -> bytes:
        self._ask()
        from .remote.resolvers import place_of
        from .remote.store import RemoteProblem

        shown = path
        try:
            place = place_of(path, scheme, self._settings.stores) if scheme else None
            if place is None and scheme:
                _refuse_remotely(scheme)
            if place is None:
                assert self.remote is not None
                place = self.remote.beside(path)
            shown = place.identity
            return self.downloads.read(place, self._shared.withheld)
        except RemoteProblem as problem:
            raise _remote_error(shown, problem) from None


class _Shared:
    """State shared by all documents of a run."""

    def __init__(self, settings: Settings, files: Files, base: str | None, meter: Meter) -> None:
        self.now = settings.now
        self.meter = meter
        self.withheld: set[str] = set()
        # paths and addresses that may be used; None when all may
        self.harmless: set[str] | None = None
        self.drawn: set[str] = set()
        self.asked: set[str] = set()
        self.absent = False
        self._settings = settings
        self._files = files
        self._base = base
        self._downloads: Downloads | None = None
        self._seed = settings.seed
        self._random: object = None

    def random_bytes(self, count: int) -> bytes:
        if self._seed is None:
            import os

            self.asked.add("chance")
            return os.urandom(count)
        from random import Random

        if not isinstance(self._random, Random):
            self._random = Random(self._seed)
        return self._random.randbytes(count)

    def downloads(self) -> Downloads:
        if self._downloads is None:
            import time

            from .remote.downloads import Downloads

            self._downloads = Downloads(
                self._settings, self._files, self._base, time.time, self.meter
            )
        return self._downloads

    def contents(self) -> Mapping[str, Content]:
        return self._downloads.contents if self._downloads is not None else {}


def _remote_error(shown: str, problem: RemoteProblem) -> FunctionError:
    if problem.code == "secret_not_allowed":  # the address is not quoted then
        return FunctionError("the address holds a secret", problem.code, problem.hint)
    from .remote.store import shown_address

    summary = f"`{shown_address(shown)}` cannot be fetched: {problem.why}"
    return FunctionError(summary, problem.code, problem.hint)


def _refuse_remotely(scheme: str) -> NoReturn:
    if scheme in ("http", "https"):
        _refuse(scheme)
    raise FunctionError(
        "a fetched blueprint cannot read local files",
        "effect_not_allowed",
        "pass the content to it as a variable",
    )


def _local_path(address: str, scheme: str) -> str:
    if scheme != "file":
        _refuse(scheme)
    from urllib.parse import unquote

    path = unquote(address[len("file://") :])
    return path.removeprefix("localhost") if path.startswith("localhost/") else path


def _refuse(scheme: str) -> NoReturn:
    if scheme in ("http", "https"):
        raise FunctionError(
            "`file` reads local files and object stores only",
            "effect_not_allowed",
            "use `http_resource` to fetch over HTTP",
        )
    raise FunctionError(
        f"`file` reads local files and object stores (`s3`, `gs`, `az`), not `{scheme}` addresses",
        "effect_not_allowed",
        "download the file first and pass its path",
    )
