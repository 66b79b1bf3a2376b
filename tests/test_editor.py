"""The language server, asked by a client over standard input and output."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types
from support.editor import Editor


def test_mistakes_are_told(tmp_path: Path) -> None:
    text = "version: 2025-11-02\nvalues:\n  a:\n    type: string\n    value: ${values.b}\n"

    async def play() -> list[types.Diagnostic]:
        async with Editor(tmp_path) as editor:
            found = await editor.open("a.blueprint.yaml", text)
            assert any(one.range.start.line == 4 for one in found), found
            return await editor.change("a.blueprint.yaml", text.replace("values.b", "values.a"))

    found = asyncio.run(play())
    assert any(one.code == "reference_cycle" for one in found), found
