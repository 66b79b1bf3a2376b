"""Editors for tests: one that speaks to `bpp lsp`, and one that asks the workspace itself."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpp.pipeline.editor.analysis import Analysis
from bpp.pipeline.editor.features import features
from bpp.pipeline.editor.workspace import Workspace
from bpp.pipeline.values.settings import Settings
from lsprotocol import types
from pygls.lsp.client import LanguageClient

BPP = "from bpp.pipeline.cli.entry import main; main()"
SECONDS = 60
"""A limit for answers, which no test is near of."""

_CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        apply_edit=True,
        configuration=True,
        workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
    ),
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
            related_information=True, version_support=True, data_support=True
        ),
        document_symbol=types.DocumentSymbolClientCapabilities(
            hierarchical_document_symbol_support=True
        ),
    ),
)


def marked(text: str, mark: str = "|") -> tuple[str, types.Position]:
    """A text without its mark, and the position of the mark."""
    before, found, after = text.partition(mark)
    assert found, f"no {mark!r} in the text"
    line = before.rpartition("\n")[2]
    return before + after, types.Position(
        before.count("\n"), len(line.encode("utf-16-le", "surrogatepass")) // 2
    )


def cut(text: str, where: types.Range) -> str:
    """The part of a text in a range."""
    lines = text.split("\n")
    if where.start.line == where.end.line:
        return lines[where.start.line][where.start.character : where.end.character]
    parts = [lines[where.start.line][where.start.character :]]
    parts += lines[where.start.line + 1 : where.end.line]
    parts.append(lines[where.end.line][: where.end.character])
    return "\n".join(parts)


class Desk:
    """A workspace in this process: the quickest way to ask for one answer."""

    def __init__(
        self,
        folder: Path,
        files: Mapping[str, str] | None = None,
        settings: Settings | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        write(folder, files or {})
        self.workspace = Workspace(str(folder), environment or {}, settings or Settings())
        self._versions: dict[str, int] = {}

    def uri(self, name: str) -> str:
        """The URI of a file in the folder."""
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str | None = None) -> Analysis:
        """Opens a document, or gives it another text; its analysis. Without a text, the file's."""
        uri = self.uri(name)
        if text is None:
            text = (self.folder / name).read_text(encoding="utf-8")
        version = self._versions[uri] = self._versions.get(uri, 0) + 1
        return self.workspace.analyse(uri, version, self.workspace.open(uri, text))

    def document(self, name: str) -> types.TextDocumentIdentifier:
        """How requests name a file."""
        return types.TextDocumentIdentifier(self.uri(name))

    def ask(self, method: str, params: Any) -> Any:
        """The answer to a request."""
        (answer,) = [row.answer for row in features() if row.method == method]
        return answer(self.workspace, params)


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Writes files into a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


class Editor:
    """A client with a folder, connected to `bpp lsp` by pipes; used with `async with`.

    `found` are the diagnostics that were told last, by URI, `versions` the versions that they are
    of, `messages` what the server shows. `replies` answer what the server asks, by method.
    """

    def __init__(
        self,
        folder: Path,
        files: Mapping[str, str] | None = None,
        capabilities: types.ClientCapabilities = _CAPABILITIES,
        env: Mapping[str, str] | None = None,
        options: Any = None,
    ) -> None:
        self.folder = folder
        write(folder, files or {})
        self.client = LanguageClient("tests", "1")
        self.found: dict[str, list[types.Diagnostic]] = {}
        self.versions: dict[str, int | None] = {}
        self.messages: list[str] = []
        self.edits: list[types.WorkspaceEdit] = []
        self.result: types.InitializeResult | None = None
        self._env = {**os.environ, "BPP_TRACEBACK": "full", **(env or {})}
        self._capabilities = capabilities
        self._options = options
        self._sent: dict[str, int] = {}
        self._news = asyncio.Condition()
        self._listen()

    def _listen(self) -> None:
        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def told(params: types.PublishDiagnosticsParams) -> None:
            self.found[params.uri] = list(params.diagnostics)
            self.versions[params.uri] = params.version
            async with self._news:
                self._news.notify_all()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        async def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)
            async with self._news:
                self._news.notify_all()

        @self.client.feature(types.WORKSPACE_APPLY_EDIT)
        def applied(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.edits.append(params.edit)
            return types.ApplyWorkspaceEditResult(applied=True)

    async def __aenter__(self) -> Editor:
        await self.client.start_io(sys.executable, "-c", BPP, "lsp", cwd=self.folder, env=self._env)
        self.result = await self._answer(
            self.client.initialize_async(
                types.InitializeParams(
                    self._capabilities,
                    root_uri=self.folder.as_uri(),
                    workspace_folders=[types.WorkspaceFolder(self.folder.as_uri(), "tests")],
                    initialization_options=self._options,
                )
            )
        )
        self.client.initialized(types.InitializedParams())
        return self

    async def __aexit__(self, *_: Any) -> None:
        server = self.client._server
        assert server is not None and server.stderr is not None
        if server.returncode is None:
            await self._soon(self.client.shutdown_async(None))
            self.client.exit(None)
        await self._soon(self.client.stop())

    async def _answer(self, answer: Any) -> Any:
        """An answer; with what the server printed when it has ended instead."""
        try:
            return await self._soon(answer)
        except RuntimeError as error:
            server = self.client._server
            assert server is not None and server.stderr is not None
            error.add_note((await server.stderr.read()).decode())
            raise

    async def _soon(self, answer: Any) -> Any:
        return await asyncio.wait_for(answer, SECONDS)

    def uri(self, name: str) -> str:
        """The URI of a file in the folder."""
        return (self.folder / name).as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        """How requests name a file."""
        return types.TextDocumentIdentifier(self.uri(name))

    async def until(self, holds: Any) -> None:
        """Waits until something holds, which is asked whenever the server has told something."""

        async def wait() -> None:
            async with self._news:
                await self._news.wait_for(holds)

        await self._soon(wait())

    async def _told(self, uri: str) -> list[types.Diagnostic]:
        await self.until(lambda: self.versions.get(uri) == self._sent[uri])
        return self.found[uri]

    async def open(self, name: str, text: str | None = None) -> list[types.Diagnostic]:
        """Opens a document, by default with the file's text; what the server then says of it."""
        if text is None:
            text = (self.folder / name).read_text(encoding="utf-8")
        uri = self.uri(name)
        self._sent[uri] = 1
        item = types.TextDocumentItem(uri, "yaml", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self._told(uri)

    def type(self, name: str, *changes: types.TextDocumentContentChangeEvent | str) -> None:
        """Changes a document: by another text, or by changes of ranges."""
        uri = self.uri(name)
        self._sent[uri] += 1
        events = [
            types.TextDocumentContentChangeWholeDocument(one) if isinstance(one, str) else one
            for one in changes
        ]
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._sent[uri], uri), events
            )
        )

    async def change(
        self, name: str, *changes: types.TextDocumentContentChangeEvent | str
    ) -> list[types.Diagnostic]:
        """Changes a document; what the server then says of it."""
        self.type(name, *changes)
        return await self._told(self.uri(name))

    async def ask(self, method: str, params: Any) -> Any:
        """The answer to a request."""
        return await self._answer(self.client.protocol.send_request_async(method, params))
