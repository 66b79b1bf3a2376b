"""Someone types, and an editor asks for everything everywhere: no message goes wrong.

An input names the texts and the chance of one session with the server, which is in this process:
its messages are those of the protocol, in bursts, without waiting for what comes of them.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final
from unittest.mock import patch

from bpp.pipeline.editor import reviews
from bpp.pipeline.editor.coordinates import Coordinates
from bpp.pipeline.editor.features import commands, features
from bpp.pipeline.editor.server import Session
from bpp.pipeline.editor.texts import uri_of
from bpp.pipeline.values.settings import Limits, Settings
from bpp.pipeline.values.source import Source

from .mutation import mutated
from .seeds import JSON_TOKENS, YAML_TOKENS, json_seeds, yaml_seeds
from .verdict import broken

BURST: Final = 8
BURSTS: Final = 5
_NAMES: Final = (
    "a.blueprint.yaml",
    "b.blueprint.yaml",
    "c.blueprint.json",
    "project.garden.yml",
    "kargo.yaml",
    "blueprint.yaml",
    "x.tpl",
    "x.spiff.yaml",
    "bpp.toml",
)
_NAMED: Final = {"*.tpl": "gotemplate", "*.spiff.yaml": "spiff"}
_INTERNAL: Final = -32603
_SECONDS: Final = 60


def make(rng: Random) -> bytes:
    """The seed of a session."""
    return str(rng.randrange(10**12)).encode()


def hold(data: bytes) -> None:
    """Every request of a session has one answer, and none is that the server broke."""
    if not data.strip().isdigit():
        return
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    with TemporaryDirectory() as folder, patch.object(reviews, "PAUSE", 0.001):
        asyncio.run(_play(Random(int(data)), folder))


class _Pipe:
    """What the server writes: answers by their numbers."""

    def __init__(self) -> None:
        self.answers: dict[int, list[Any]] = {}
        self.protocol: Any = None
        self.news = asyncio.Event()

    def write(self, data: bytes) -> None:
        """Takes a message, and answers what the server asks."""
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        if "method" not in message:
            self.answers.setdefault(message.get("id"), []).append(message)
            self.news.set()
        elif "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": None}
            asyncio.get_running_loop().call_soon(self.send, answer)

    def send(self, message: Any) -> None:
        """Sends a message to the server."""
        try:
            read = json.loads(json.dumps(message), object_hook=self.protocol.structure_message)
            self.protocol.handle_message(read)
        except Exception:  # what is no message, as the connection does
            pass

    def close(self) -> None:
        """Nothing more comes."""


async def _play(rng: Random, folder: str) -> None:
    limits = Limits(run_seconds=20)
    session = Session(folder, {"BPP_TRACEBACK": "full"}, Settings(limits=limits))
    failures: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, found: failures.append(found))
    pipe = _Pipe()
    pipe.protocol = session.server.protocol
    pipe.protocol.set_writer(pipe)
    typist = _Typist(rng, folder, session)
    sent: dict[int, str] = {}
    pipe.send(typist.message("initialize", typist.greeting(), sent))
    pipe.send(typist.message("initialized", {}))
    for _ in range(BURSTS):
        for _ in range(BURST):
            for message in typist.messages(sent):
                pipe.send(message)
            if rng.randrange(3) == 0:
                await asyncio.sleep(rng.choice((0, 0.002, 0.02)))
        await _answered(pipe, sent)
    for name in _NAMES:
        review = session.reviews.of(uri_of(f"{folder}/{name}"))
        if review is not None:
            await review.until("render", _SECONDS)
    for number, method in sent.items():
        found = pipe.answers.get(number, [])
        if len(found) != 1:
            broken("a request has one answer", method, found)
        if found[0].get("error", {}).get("code") == _INTERNAL:
            broken("no answer breaks", method, typist.seen(number), found[0]["error"])
    if failures:
        raise failures[0].get("exception") or RuntimeError(str(failures[0]))
    session.reviews.busy()


async def _answered(pipe: _Pipe, sent: dict[int, str]) -> None:
    async with asyncio.timeout(_SECONDS):
        while sent.keys() - pipe.answers.keys():
            pipe.news.clear()
            await pipe.news.wait()


class _Typist:
    """Makes messages about the texts of a session."""

    def __init__(self, rng: Random, folder: str, session: Session) -> None:
        self._rng = rng
        self._folder = folder
        self._session = session
        self._texts: dict[str, str] = {}
        self._number = 0
        self._said: dict[int, Any] = {}

    def message(self, method: str, params: Any, sent: dict[int, str] | None = None) -> Any:
        """A message, which is a request if it is noted as `sent`."""
        found = {"jsonrpc": "2.0", "method": method, "params": params}
        if sent is not None:
            self._number += 1
            found["id"] = self._number
            sent[self._number] = method
            self._said[self._number] = params
        return found

    def seen(self, number: int) -> Any:
        """The parameters of a request."""
        return self._said[number]

    def greeting(self) -> Any:
        """The parameters of the first request."""
        kinds = [["utf-8"], ["utf-16"], ["utf-32"], []]
        general = {"positionEncodings": self._rng.choice(kinds)}
        return {
            "processId": None,
            "rootUri": uri_of(self._folder),
            "capabilities": {"general": general},
            "initializationOptions": {"dialects": _NAMED},
        }

    def messages(self, sent: dict[int, str]) -> Iterator[Any]:
        """The next ones: an edit, a request, or something that is neither."""
        rng = self._rng
        choice = rng.randrange(12)
        if choice < 4 or not self._texts:
            yield self._edit()
        elif choice < 10:
            row = rng.choice(features())
            yield self.message(row.method, self._params(row.method), sent)
            if rng.randrange(12) == 0:
                yield self.message("$/cancelRequest", {"id": self._number})
        elif choice == 10 and (listed := commands()):
            command = rng.choice(listed).name
            arguments: list[Any] = [self._uri(), *rng.choice(([], ["none"], [1], ["list"]))]
            params = {"command": command, "arguments": arguments[: rng.randrange(3)]}
            yield self.message("workspace/executeCommand", params, sent)
        else:
            change = {"uri": self._uri(), "type": rng.randrange(1, 4)}
            yield self.message("workspace/didChangeWatchedFiles", {"changes": [change]})

    def _uri(self) -> str:
        names = [*self._texts] or [*_NAMES]
        return uri_of(f"{self._folder}/{self._rng.choice(names)}")

    def _edit(self) -> Any:
        rng = self._rng
        name = rng.choice(_NAMES)
        uri = uri_of(f"{self._folder}/{name}")
        seeds, tokens = (yaml_seeds(), YAML_TOKENS)
        if name.endswith(".json"):
            seeds, tokens = json_seeds(), JSON_TOKENS
        known = self._texts.get(name)
        if known is None:
            text = self._texts[name] = mutated(rng, seeds, tokens)
            item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
            return self.message("textDocument/didOpen", {"textDocument": item})
        if rng.randrange(15) == 0:
            del self._texts[name]
            return self.message("textDocument/didClose", {"textDocument": {"uri": uri}})
        change: dict[str, Any] = {"text": mutated(rng, seeds, tokens)}
        if rng.randrange(4):
            start = rng.randrange(len(known) + 1)
            end = min(len(known), start + rng.choice((0, 0, 1, 5, 40)))
            change = {"text": rng.choice(tokens), "range": self._range(known, start, end)}
            self._texts[name] = known[:start] + change["text"] + known[end:]
        else:
            self._texts[name] = change["text"]
        document = {"uri": uri, "version": rng.randrange(100)}
        return self.message(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
        )

    def _range(self, text: str, start: int, end: int) -> Any:
        at = Coordinates(Source("", text), self._session.workspace.units)
        places = [at.position(start), at.position(end)]
        first, last = [{"line": one.line, "character": one.character} for one in places]
        return {"start": first, "end": last}

    def _params(self, method: str) -> Any:
        rng = self._rng
        name = rng.choice([*self._texts])
        text = self._texts[name]
        start = rng.randrange(len(text) + 1)
        within = self._range(text, start, min(len(text), start + rng.randrange(80)))
        position = within["start"]
        if rng.randrange(10) == 0:
            position = {"line": rng.randrange(200), "character": rng.randrange(200)}
        params: dict[str, Any] = {
            "textDocument": {"uri": uri_of(f"{self._folder}/{name}")},
            "position": position,
            "positions": [position],
            "range": within,
            "newName": rng.choice(("a", "", "a b", "${x}", "\ud800", "resources")),
            "query": rng.choice(("", "a", "re", "\0")),
            "context": {
                "diagnostics": [],
                "includeDeclaration": bool(rng.randrange(2)),
                "triggerKind": 1,
                "isRetrigger": False,
            },
            "options": {"tabSize": 2, "insertSpaces": True},
            "label": "a",
            "target": None,
            "previousResultId": "1",
            "command": None,
            "data": rng.choice((None, {}, [], "x", {"uri": 1})),
        }
        if "resolve" in method:
            params.pop("textDocument")
        if rng.randrange(20) == 0:
            params[rng.choice([*params])] = rng.choice((None, [], {}, "x", -1))
        return params
