"""The server: messages of the protocol to what is known of the texts, and back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..values.diagnostics import ERROR, WARNING, Diagnostic
from ..values.settings import Settings
from ..values.version import VERSION
from .analysis import Analysis
from .coordinates import Coordinates
from .feature import Feature
from .features import features
from .workspace import Workspace, uri_of

_LEVELS: Final = {
    ERROR: types.DiagnosticSeverity.Error,
    WARNING: types.DiagnosticSeverity.Warning,
}


def make_server(folder: str, environment: Mapping[str, str], settings: Settings) -> LanguageServer:
    """A server that has not begun to listen."""
    server = LanguageServer("bpp", VERSION)
    workspace = Workspace(folder, environment, settings)
    pool = ThreadPoolExecutor(2, "bpp-editor")

    def publish(found: Analysis) -> None:
        told = [_diagnostic(item, found) for item in found.diagnostics.sorted()]
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(found.uri, [one for one in told if one], found.version)
        )

    async def look(document: types.TextDocumentIdentifier | Any) -> None:
        text = server.workspace.get_text_document(document.uri)
        source = workspace.open(document.uri, text.source)
        if not workspace.is_ours(source):
            return
        loop = asyncio.get_running_loop()
        version = text.version or 0
        publish(await loop.run_in_executor(pool, workspace.analyse, document.uri, version, source))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await look(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        await look(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        workspace.close(params.text_document.uri)

    for feature in features():
        _register(server, workspace, pool, feature)
    return server


def _register(
    server: LanguageServer, workspace: Workspace, pool: ThreadPoolExecutor, feature: Feature
) -> None:
    async def answer(params: Any) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(pool, feature.answer, workspace, params)

    server.feature(feature.method, feature.options)(answer)


def _diagnostic(item: Diagnostic, found: Analysis) -> types.Diagnostic | None:
    span = item.span
    if span is None or span.source is not found.source:
        return None
    message = item.summary + (f"\n{item.hint}" if item.hint else "")
    related = [
        types.DiagnosticRelatedInformation(
            types.Location(
                uri_of(note.span.source.path), Coordinates(note.span.source).of(note.span)
            ),
            note.text,
        )
        for note in item.notes
        if note.span is not None and note.span.source.path
    ]
    return types.Diagnostic(
        found.at.of(span),
        message,
        _LEVELS.get(item.severity, types.DiagnosticSeverity.Information),
        item.code,
        source="bpp",
        related_information=related or None,
    )
