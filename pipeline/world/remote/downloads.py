"""Everything that one run fetches: allowed, bounded, checked against the lock file, cached.

A run asks for each file once; all of its documents share the answer, and the problem if it was one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from contextvars import ContextVar
from typing import Any, Final, NoReturn

from ....functions.record import Record
from ....functions.values import FunctionError
from ...language.meter import Meter
from ...values.diagnostics import Diagnostics, worded
from ...values.settings import Limits, Settings, how_to_raise
from ...values.threads import Deadline, within
from .. import network
from ..files import FileProblem, Files, read_kept
from ..network import NetworkProblem, allowed_host
from ..writing import keep
from .lock import FILE_NAME, Content, Lock, content_of, read_lock
from .resolvers import ResolverStore
from .store import Place, RemoteProblem, ResolverError, ServerStore


class ContentCache(Record):
    """Fetched contents in a folder, by their SHA-256, which is checked again on reading."""

    folder: str | None
    limits: Limits

    def load(self, content: Content) -> bytes | None:
        """The bytes of a content; None when they are missing or have changed."""
        if self.folder is None or content.size > self.limits.max_response_bytes:
            return None
        data = read_kept(self._path(self.folder, content), content.size)
        return data if data is not None and content_of(data) == content else None

    def store(self, content: Content, data: bytes) -> None:
        """Store bytes; failures to write are ignored."""
        if self.folder is not None:
            keep(self._path(self.folder, content), data)

    def _path(self, folder: str, content: Content) -> str:
        return os.path.join(folder, content.sha256[:2], content.sha256)


def holds_any(text: str, withheld: Iterable[str]) -> bool:
    """True when a text holds one of the secrets, as it is or as addresses write it."""
    from urllib.parse import quote, quote_plus, unquote

    texts = (text, unquote(text))
    for secret in withheld:
        forms = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}
        if any(form in one for form in forms for one in texts):
            return True
    return False


_RUN_LOCK: Final = "if that is intended, run `bpp lock`"

_TOLD: ContextVar[Callable[[str], None] | None] = ContextVar("told", default=None)


def tell_of_fetches(told: Callable[[str], None]) -> None:
    """Says what is told from now on when something is fetched, and with no text when it is done."""
    _TOLD.set(told)


class Downloads:
    """The downloads of a run's documents; `folder` is the main blueprint's."""

    def __init__(
        self,
        settings: Settings,
        files: Files,
        folder: str | None,
        clock: Callable[[], float],
        meter: Meter,
    ) -> None:
        self._settings = settings
        self._files = files
        self._folder = folder
        self._meter = meter
        self._cache = ContentCache(settings.cache, settings.limits)
        self._lock: Lock | None = None
        self._lock_problem: RemoteProblem | None = None
        self._lock_looked_for = False
        self._kept: dict[str, Any] = {"clock": clock}
        self._data: dict[str, bytes] = {}
        self._problems: dict[str, RemoteProblem | NetworkProblem] = {}
        self._size = 0
        self.contents: dict[str, Content] = {}

    def refusal(self, place: Place) -> RemoteProblem | None:
        """Why a place may not be asked at all; None when it may, or when it need not be."""
        store = place.store
        if self._settings.offline or isinstance(store, ResolverStore):
            return None
        url = _server(place).url(place.path)
        try:
            allowed_host(url, self._settings.allow_net)
        except NetworkProblem as problem:
            return _reported(problem, place)
        return None

    def read(self, place: Place, withheld: Collection[str] = ()) -> bytes:
        """The bytes of a file in a remote source; `withheld` are texts that no address may hold.

        Raises:
            RemoteProblem: when they cannot be fetched, or differ from the lock file.
        """
        name = place.identity
        _check_withheld(name, withheld)
        refusal = self.refusal(place)
        if refusal is not None:
            raise refusal
        try:
            return self._once(name, lambda: self._asked(place))
        except NetworkProblem as problem:
            raise _reported(problem, place) from None

    def read_url(self, url: str, withheld: Collection[str] = ()) -> bytes:
        """The body of a web address.

        Raises:
            NetworkProblem: when it may not or cannot be fetched.
            RemoteProblem: when it is not what the lock file says, or not in the cache.
        """
        _check_withheld(url, withheld)
        if not self._settings.offline:
            allowed_host(url, self._settings.allow_net)
        return self._once(url, lambda: self._fetched(url, self._deadline()))

    def _once(self, name: str, ask: Callable[[], bytes]) -> bytes:
        if name in self._problems:
            raise self._problems[name]
        if name not in self._data:
            try:
                data = self._locked(name, ask)
            except (RemoteProblem, NetworkProblem) as problem:
                self._problems[name] = problem
                raise
            self._data[name] = data
        return self._data[name]

    def _locked(self, name: str, ask: Callable[[], bytes]) -> bytes:
        lock = self._read_lock()
        expected = lock.files.get(name) if lock is not None else None
        if lock is not None and expected is None:
            raise RemoteProblem(
                "remote_not_locked", f"the lock file `{lock.name}` does not list it", _RUN_LOCK
            )
        kept = self._cache.load(expected) if expected is not None else None
        if kept is not None:
            self._count(len(kept))
        elif self._settings.offline:
            self._raise_offline(expected)
        data = kept if kept is not None else self._told(name, ask)
        found = content_of(data)
        if expected is not None and found != expected:
            assert lock is not None
            raise RemoteProblem(
                "remote_changed",
                f"it is not what the lock file `{lock.name}` records: expected "
                f"{_shown(expected)}, found {_shown(found)}",
                _RUN_LOCK,
            )
        if kept is None:
            self._cache.store(found, data)
        self.contents[name] = found
        return data

    def _raise_offline(self, expected: Content | None) -> NoReturn:
        if expected is None:
            raise RemoteProblem(
                "remote_not_cached",
                "offline, remote files are resolved through the lock file, and there is none",
                "run `bpp lock` while online",
            )
        if self._settings.cache is None:
            why = "offline, remote files come from the cache, and there is none"
            raise RemoteProblem("remote_not_cached", why, "unset BPP_NO_CACHE")
        raise RemoteProblem(
            "remote_not_cached",
            f"the cache does not have it ({_shown(expected)})",
            "render once without `--offline`",
        )

    def _told(self, name: str, ask: Callable[[], bytes]) -> bytes:
        told = _TOLD.get()
        if told is None:
            return self._within_limits(ask)
        told(f"fetching {name.partition('?')[0]}")
        try:
            return self._within_limits(ask)
        finally:
            told("")

    def _within_limits(self, ask: Callable[[], bytes]) -> bytes:
        """An answer, if the run may still ask; that its time is up is told first of all."""
        self._count(0)
        self._check_time()
        try:
            return ask()
        finally:
            self._check_time()

    def _check_time(self) -> None:
        try:
            self._meter.check_time()
        except FunctionError as error:
            raise RemoteProblem(error.code, error.message, worded(error.hint)) from None

    def _deadline(self) -> Deadline:
        return Deadline(self._settings.limits.fetch_seconds, self._meter.deadline)

    def _fetched(self, url: str, deadline: Deadline, **request: Any) -> bytes:
        """The body of a web address; all that arrives counts, also when it is no answer."""
        settings = self._settings
        return network.fetch(
            url,
            settings.allow_net,
            settings.limits,
            deadline=deadline,
            spend=self._count,
            **request,
        )

    def _count(self, size: int) -> None:
        self._size += size
        limit = self._settings.limits.max_fetched_bytes
        if self._size > limit:
            raise RemoteProblem(
                "limit_exceeded",
                f"the run has fetched more than `max_fetched_bytes` allows ({limit} bytes)",
                how_to_raise("max_fetched_bytes", self._settings.limits),
            )

    def _read_lock(self) -> Lock | None:
        if not self._lock_looked_for:
            self._lock_looked_for = True
            try:
                self._lock = self._found_lock()
            except RemoteProblem as problem:
                self._lock_problem = problem
        if self._lock_problem is not None:
            raise self._lock_problem
        return self._lock

    def _found_lock(self) -> Lock | None:
        settings, files = self._settings, self._files
        if not settings.use_lock:
            return None
        path = settings.lock or os.path.join(self._folder or "", FILE_NAME)
        if settings.lock is None and not files.exists(path):
            return None
        try:
            data = files.open_input(path, True) if settings.lock else files.read(path)
        except FileProblem as problem:
            why = f"the lock file cannot be read: {problem.message}"
            raise RemoteProblem("invalid_lock", why, problem.hint) from None
        name = files.shown(path)
        found = Diagnostics()
        lock = read_lock(name, data, settings.limits, found)
        if lock is None:
            first = next(iter(found))
            where = f" (line {first.span.line})" if first.span else ""
            why = f"the lock file `{name}` cannot be used: {first.summary}{where}"
            raise RemoteProblem("invalid_lock", why, "recreate it with `bpp lock`")
        return lock

    def _asked(self, place: Place) -> bytes:
        deadline = self._deadline()
        try:
            if isinstance(place.store, ResolverStore):
                return self._resolved(place.store, place.path, deadline)
            store = _server(place)
            signed = within(deadline, lambda: store.signed(place.path, self._kept))
            return self._fetched(
                signed.url, deadline, headers=signed.headers, own_host=store.own_host
            )
        except TimeoutError:
            limit = f"`fetch_seconds` ({deadline.seconds:g} s)"
            what = (
                "the resolver" if isinstance(place.store, ResolverStore) else "credentials for it"
            )
            hint = how_to_raise("fetch_seconds", self._settings.limits)
            raise RemoteProblem("remote_failed", f"{what} took longer than {limit}", hint) from None

    def _resolved(self, store: ResolverStore, path: str, deadline: Deadline) -> bytes:
        limits = self._settings.limits

        def fetch_for(url: str) -> bytes:
            try:
                return self._fetched(url, deadline)
            except NetworkProblem as problem:
                raise ResolverError(problem.message) from None

        data = within(deadline, lambda: store.call(path, fetch_for))
        limit = limits.max_response_bytes
        if len(data) > limit:
            why = f"it is larger than `max_response_bytes` allows ({limit} bytes)"
            hint = how_to_raise("max_response_bytes", limits)
            raise RemoteProblem("remote_failed", why, hint)
        self._count(len(data))
        return data


def _check_withheld(name: str, withheld: Collection[str]) -> None:
    if holds_any(name, withheld):
        raise RemoteProblem("secret_not_allowed", "its address holds a secret")


def _server(place: Place) -> ServerStore:
    store = place.store
    assert not isinstance(store, ResolverStore)
    return store  # type: ignore[return-value]


def _reported(problem: NetworkProblem, place: Place) -> RemoteProblem:
    """The remote problem for a network problem with a file that a blueprint names."""
    match problem.status:
        case 404 | 410:
            return RemoteProblem("remote_not_found", "the file does not exist", problem.hint)
        case 401 | 403:
            signed = place.identity.partition(":")[0] != "https"
            return RemoteProblem(
                "remote_denied",
                problem.message,
                "check that it exists and that your credentials may read it"
                if signed
                else "bpp sends no credentials to web servers",
            )
        case 301 | 400 if place.identity.startswith("s3:"):
            return RemoteProblem(
                "remote_failed", problem.message, "check that `region` is that of the bucket"
            )
    codes = {"network_failed": "remote_failed", "invalid_argument": "remote_address_invalid"}
    code = codes.get(problem.code, problem.code)
    return RemoteProblem(code, problem.message, problem.hint)


def _shown(content: Content) -> str:
    return f"SHA-256 {content.sha256} ({content.size} bytes)"
