"""The language server, asked by a client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient


BPP = "from bpp.pipeline.cli.entry import main; main()"


class Editor:
    """A client with a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("tests", "1")
        self.found: dict[str, list[types.Diagnostic]] = {}
        self._news = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(params: types.PublishDiagnosticsParams) -> None:
            self.found[params.uri] = list(params.diagnostics)
            self._news.set()

    async def __aenter__(self) -> Editor:
        await self.client.start_io(sys.executable, "-c", BPP, "lsp", cwd=self.folder)
        await self.client.initialize_async(
            types.InitializeParams(types.ClientCapabilities(), root_uri=self.folder.as_uri())
        )
        self.client.initialized(types.InitializedParams())
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        """Opens a document; what the server then says of it."""
        uri = (self.folder / name).as_uri()
        self._news.clear()
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "yaml", 1, text))
        )
        while uri not in self.found:
            await asyncio.wait_for(self._news.wait(), 20)
            self._news.clear()
        return self.found[uri]


def test_mistakes_are_told(tmp_path: Path) -> None:
    text = "version: 2025-11-02\nvalues:\n  a:\n    type: string\n    value: ${values.b}\n"

    async def play() -> list[types.Diagnostic]:
        async with Editor(tmp_path) as editor:
            return await editor.open("a.blueprint.yaml", text)

    found = asyncio.run(play())
    assert any(one.range.start.line == 4 for one in found), found
