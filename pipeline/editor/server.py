"""The server: messages of the protocol to what is known of the texts, and back."""

from __future__ import annotations

import asyncio
import heapq
import logging
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, BinaryIO, Final, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter

from ...functions.breakage import breakage
from ...functions.values import FunctionError
from ..values.settings import Settings
from ..values.version import VERSION
from .connection import Connection
from .errands import Errand, Hung
from .feature import NOTHING, Command, Feature, Refused
from .features import commands, features
from .publishing import Board, Told
from .reviews import Reviews
from .texts import changed, path_of
from .workspace import Preferences, Workspace

T = TypeVar("T")

_WAIT: Final = 1.0
"""Seconds that a request waits for what its answer is made from."""

_ANSWER: Final = 5.0
_COMMAND: Final = 600.0
"""Seconds for an answer, and for a command, which may ask the user something."""

_WATCHED: Final = "**/*.{yaml,yml,json,jsonc,toml,env,txt,tpl,tmpl,gotmpl,yamltpl}"
_ALIVE: Final = 30.0
_OWN: Final = frozenset({types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE})
_OWN_TOO: Final = frozenset({types.TEXT_DOCUMENT_DID_CLOSE, types.EXIT})
_NOT_READY: Final = -32002
_INVALID: Final = -32600
_REFUSED: Final = types.LSPErrorCodes.RequestFailed.value


class _Protocol(LanguageServerProtocol):
    """pygls's protocol, but that texts are kept by the workspace, and every request is answered."""

    ready = False

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]
        for method in _OWN | _OWN_TOO:
            self.fm.builtin_features.pop(method, None)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message as a record; of a request that is none the client is told."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), (int, str)):
                self._send_response(data["id"], None, error.to_response_error())
            raise

    def handle_message(self, message: Any) -> None:
        """Handles a message; requests before the first one and after the last are refused."""
        method = getattr(message, "method", None)
        if method is not None and hasattr(message, "id"):
            refused = None
            if self._shutdown:
                refused = types.ResponseError(_INVALID, "the server shuts down")
            elif not self.ready and method != types.INITIALIZE:
                refused = types.ResponseError(_NOT_READY, "the server is not initialized")
            if refused is not None:
                self._send_response(message.id, None, refused)
                return
        elif method is not None and not self.ready and method != types.EXIT:
            return
        super().handle_message(message)
        if method == types.INITIALIZE:
            self.ready = True


class _Server(LanguageServer):
    def report_server_error(self, error: Exception, source: Any) -> None:
        """Messages that are none, which have their answer: nobody wants a window for each."""


class Turns:
    """One call at a time; of those that wait the one with the lowest rank is next."""

    def __init__(self) -> None:
        self._busy = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    async def take(self, rank: int) -> None:
        """Waits for one's turn, which ends with `free`."""
        if not self._busy:
            self._busy = True
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._waiting, (rank, self._count, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.free()
            raise

    def free(self, *_: object) -> None:
        """Lets the next one go on."""
        while self._waiting:
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(None)
                return
        self._busy = False


class Session:
    """One editor that is served."""

    def __init__(self, folder: str, environment: Mapping[str, str], settings: Settings) -> None:
        self.server = _Server(
            "bpp",
            VERSION,
            protocol_cls=_Protocol,
            converter_factory=default_converter,
        )
        self.workspace = Workspace(folder, environment, settings)
        self.debug = bool(environment.get("BPP_TRACEBACK"))
        self.board = Board()
        self.reviews = Reviews(self.workspace, self.publish, self.tell, self.refresh, self.debug)
        self.turns = Turns()
        self.ended = asyncio.Event()
        self.status = 1
        self._hung: set[tuple[str, str, int]] = set()
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._register()

    # what the editor tells

    def _register(self) -> None:
        heard: dict[str, Callable[[Any], None]] = {
            types.INITIALIZE: self._initialize,
            types.INITIALIZED: self._initialized,
            types.EXIT: self._exit,
            types.TEXT_DOCUMENT_DID_OPEN: self._opened,
            types.TEXT_DOCUMENT_DID_CHANGE: self._changed,
            types.TEXT_DOCUMENT_DID_CLOSE: self._closed,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self._preferred,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self._watched,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self._folders_changed,
        }
        for method, call in heard.items():
            self.server.feature(method)(partial(call))  # of which pygls makes a note
        for feature in features():
            self.server.feature(feature.method, feature.options)(self._answering(feature))
        for command in commands():
            self.server.command(command.name)(self._commanding(command))

    def _initialize(self, params: types.InitializeParams) -> None:
        workspace = self.workspace
        uris = [folder.uri for folder in params.workspace_folders or ()]
        uris = uris or [params.root_uri or ""]
        folders = [path for path in map(path_of, filter(None, uris)) if os.path.isabs(path)]
        if not folders and params.root_path:
            folders = [os.path.realpath(params.root_path)]
        workspace.folders = tuple(folders) or workspace.folders
        workspace.units = self.server.workspace.position_encoding or workspace.units
        workspace.client = _Asking(self)
        self._prefer(params.initialization_options)
        texts = params.capabilities.text_document
        shown = texts.publish_diagnostics if texts is not None else None
        self.reviews.related = bool(shown is not None and shown.related_information)
        item = texts.completion.completion_item if texts and texts.completion else None
        workspace.snippets = bool(item is not None and item.snippet_support)
        if params.process_id is not None and os.name != "nt":
            self._start(self._watch_parent(params.process_id))

    def _initialized(self, _: types.InitializedParams) -> None:
        around = self.server.client_capabilities.workspace
        watched = around.did_change_watched_files if around is not None else None
        if watched is not None and watched.dynamic_registration:
            options = types.DidChangeWatchedFilesRegistrationOptions(
                [types.FileSystemWatcher(_WATCHED)]
            )
            row = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self._request(self.server.client_register_capability, types.RegistrationParams([row]))
        self._ask_preferences()

    async def _watch_parent(self, process: int) -> None:
        """Ends with the editor, even if something else has kept its end of the pipe open."""
        while True:
            await asyncio.sleep(_ALIVE)
            try:
                os.kill(process, 0)
            except ProcessLookupError:
                self.ended.set()
            except OSError:
                return

    def _exit(self, _: object = None) -> None:
        self.status = 0 if self.server.protocol._shutdown else 1
        self.ended.set()

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        self.workspace.open(item.uri, item.text, str(item.language_id))
        self.reviews.changed(item.uri, item.version, 0.0)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        source = self.workspace.source(uri)
        if source is None:
            return
        text = changed(source.text, params.content_changes, self.workspace.units)
        self.workspace.open(uri, text)
        self.reviews.changed(uri, params.text_document.version)

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.workspace.close(uri)
        self.reviews.closed(uri)

    def _watched(self, params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            listed = change.type != types.FileChangeType.Changed
            self.reviews.changed_file(path_of(change.uri), listed)

    def _folders_changed(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        gone = {path_of(folder.uri) for folder in params.event.removed}
        new = [path_of(folder.uri) for folder in params.event.added]
        kept = [folder for folder in self.workspace.folders if folder not in gone]
        kept += [folder for folder in new if os.path.isabs(folder) and folder not in kept]
        self.workspace.folders = tuple(kept) or self.workspace.folders
        self.reviews.look_at_all()

    # the user's settings

    def _preferred(self, params: types.DidChangeConfigurationParams) -> None:
        if not self._ask_preferences():
            self._prefer(params.settings)

    def _ask_preferences(self) -> bool:
        around = self.server.client_capabilities.workspace
        if around is None or not around.configuration:
            return False
        params = types.ConfigurationParams([types.ConfigurationItem(section="bpp")])
        self._request(
            self.server.workspace_configuration, params, lambda found: self._prefer(*found[:1])
        )
        return True

    def _prefer(self, found: Any = None) -> None:
        found = found.get("bpp", found) if isinstance(found, dict) else {}
        given = found.get("dialects") if isinstance(found, dict) else None
        named = given.items() if isinstance(given, dict) else ()
        known = Preferences({str(key): str(value) for key, value in named})
        if known != self.workspace.preferences and isinstance(found, dict):
            self.workspace.preferences = known
            self.reviews.look_at_all()

    # what the editor is told

    def publish(self, owner: str, told: Told) -> None:
        """Tells what a document has found, of itself and of others."""
        for uri in sorted(self.board.post(owner, told) | ({owner} & told.keys())):
            review = self.reviews.of(uri)
            version = review.version if review is not None else None
            self.server.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, self.board.of(uri), version)
            )

    def tell(self, message: str) -> None:
        """Shows the user a message."""
        level = types.MessageType.Warning
        self.server.window_show_message(types.ShowMessageParams(level, message))

    def refresh(self) -> None:
        """Has the editor ask again for what comes of a render."""
        around = self.server.client_capabilities.workspace
        server = self.server
        for kind, ask in (
            ("inlay_hint", server.workspace_inlay_hint_refresh),
            ("code_lens", server.workspace_code_lens_refresh),
        ):
            known = getattr(around, kind, None)
            if known is not None and known.refresh_support:
                self._request(ask, None)

    def _request(
        self,
        ask: Callable[..., Future[Any]],
        params: Any,
        then: Callable[[Any], object] | None = None,
    ) -> None:
        """Asks the editor something; it may refuse."""

        def answered(future: Future[Any]) -> None:
            if not future.cancelled() and future.exception() is None and then is not None:
                then(future.result())

        ask(params).add_done_callback(answered)

    def _start(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # what the editor asks

    def _answering(self, feature: Feature) -> Callable[[Any], Any]:
        async def answer(params: Any) -> Any:
            document = getattr(params, "text_document", None) or getattr(params, "item", None)
            uri = getattr(document, "uri", "")
            review = self.reviews.of(uri)
            if review is not None and feature.after != NOTHING:
                await review.until(feature.after, _WAIT)
            mark = (feature.method, uri, review.version if review is not None else 0)
            if mark in self._hung:
                return None
            await self.turns.take(feature.after != NOTHING)
            call = partial(self._call, feature.answer, params)
            try:
                errand: Errand[Any] = Errand(call, _ANSWER)
            except BaseException:
                self.turns.free()
                raise
            errand.result.add_done_callback(self.turns.free)
            try:
                return await asyncio.shield(errand.result)
            except Hung:
                self._hung = {*list(self._hung)[-99:], mark}
                self.reviews.say(f"{feature.method}: an answer took too long and was given up")
            except Refused as refused:
                raise JsonRpcException(str(refused), _REFUSED) from None
            except Exception as error:
                self._broke(feature.method, error)
            return None

        return answer

    def _commanding(self, command: Command) -> Callable[..., Any]:
        async def answer(*arguments: Any) -> Any:
            call = partial(self._call, command.answer, list(arguments))
            errand: Errand[Any] = Errand(call, _COMMAND)
            try:
                return await asyncio.shield(errand.result)
            except Hung:
                self.reviews.say(f"{command.name}: it took too long and was given up")
            except Refused as refused:
                raise JsonRpcException(str(refused), _REFUSED) from None
            except Exception as error:
                self._broke(command.name, error)
            return None

        return answer

    def _call(self, answer: Callable[[Workspace, Any], T], given: Any, _: Errand[Any]) -> T | None:
        for analysis in self.workspace.all():
            analysis.renew()
        try:
            return answer(self.workspace, given)
        except FunctionError:  # a limit
            return None

    def _broke(self, name: str, error: Exception) -> None:
        """Says that an answer broke, without what the exception says; tests must see it."""
        if self.debug:
            raise error
        message = f"{name}: {breakage(error)}"
        level = types.MessageType.Error
        self.server.window_log_message(types.LogMessageParams(level, message))


class _Asking:
    """What may be asked of the editor, from the thread of a request."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def _asked(self, ask: Callable[[], Future[Any]]) -> Any:
        """The editor's answer; None when it refuses."""
        found: Future[Any] = Future()

        def answered(future: Future[Any]) -> None:
            failed = future.cancelled() or future.exception() is not None
            found.set_result(None if failed else future.result())

        self._session._loop.call_soon_threadsafe(lambda: ask().add_done_callback(answered))
        return found.result(_COMMAND)

    def tell(self, message: str) -> None:
        """Shows a message."""
        self._session._loop.call_soon_threadsafe(self._session.tell, message)

    def choose(self, message: str, options: Any) -> str | None:
        """What the user chooses."""
        params = types.ShowMessageRequestParams(
            types.MessageType.Info, message, [types.MessageActionItem(one) for one in options]
        )
        found = self._asked(lambda: self._session.server.window_show_message_request(params))
        return found.title if found is not None else None

    def apply(self, edit: types.WorkspaceEdit, label: str) -> bool:
        """Changes texts."""
        params = types.ApplyWorkspaceEditParams(edit, label)
        found = self._asked(lambda: self._session.server.workspace_apply_edit(params))
        return found is not None and found.applied

    def look_again(self, uri: str) -> None:
        """Has a document looked at again."""
        review = self._session.reviews.of(uri)
        if review is not None:
            self._session._loop.call_soon_threadsafe(review.look, 0)

    def show(self, uri: str) -> bool:
        """Opens a document."""
        params = types.ShowDocumentParams(uri)
        found = self._asked(lambda: self._session.server.window_show_document(params))
        return found is not None and found.success


def serve(
    folder: str,
    environment: Mapping[str, str],
    settings: Settings,
    incoming: BinaryIO,
    outgoing: BinaryIO,
) -> int:
    """Serves the editor at two unbuffered pipes until it says goodbye; the exit status."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    sys.setswitchinterval(0.001)  # those that compute let the one that listens go on

    async def run() -> int:
        connection = Connection(incoming, outgoing)
        session = Session(folder, environment, settings)
        connection.serves(session.server.protocol, session.ended)
        try:
            await session.ended.wait()
        finally:
            connection.end()
        return session.status if not connection.closed else 0

    return asyncio.run(run())
