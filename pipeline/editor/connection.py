"""The two pipes to the editor: messages with a header that tells their length."""

from __future__ import annotations

import asyncio
import json
import queue
import re
from threading import Thread
from typing import Any, BinaryIO, Final

_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d{1,10})[ \t]*$", re.IGNORECASE)
_CHUNK: Final = 1 << 16
_MOST_BYTES: Final = 256 * 1024 * 1024
"""Of one message, and of the lines of its header."""

_LAST_WORDS: Final = 2.0
"""Seconds for what is still to be written when the server ends."""


class Connection:
    """Pipes to and from an editor, each with a thread that may wait for it.

    `closed` is true once the editor has closed one of them.
    """

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._loop = asyncio.get_running_loop()
        self._incoming = incoming
        self._outgoing = outgoing
        self._unwritten: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = asyncio.StreamReader(_MOST_BYTES)
        self._writer = Thread(target=self._write, name="bpp-writer", daemon=True)
        self._listening: asyncio.Task[None] | None = None
        self.closed = False

    def serves(self, protocol: Any, ended: asyncio.Event) -> None:
        """Has a protocol handle what comes, and sends what it says, until the editor is gone."""
        protocol.set_writer(self)
        self._writer.start()
        Thread(target=self._read, name="bpp-reader", daemon=True).start()
        self._ended = ended
        self._listening = self._loop.create_task(self._listen(protocol))

    def write(self, data: bytes) -> None:
        """Sends bytes, without waiting for the editor to read them."""
        self._unwritten.put(data)

    def close(self) -> None:
        """Nothing more is sent."""
        self._unwritten.put(None)

    def end(self) -> None:
        """Waits a while until everything is sent."""
        self.close()
        if self._writer.is_alive():
            self._writer.join(_LAST_WORDS)

    def _write(self) -> None:
        try:
            while (data := self._unwritten.get()) is not None:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._outgoing.write(rest) :]
        except (OSError, ValueError):
            self._soon(self._gone)

    def _read(self) -> None:
        data = b"-"
        while data:
            try:
                data = self._incoming.read(_CHUNK)
            except (OSError, ValueError):
                data = b""
            self._soon(self._reader.feed_data if data else self._feed_eof, data)

    def _feed_eof(self, _: bytes) -> None:
        self._reader.feed_eof()

    def _gone(self) -> None:
        self.closed = not self._ended.is_set()
        self._ended.set()

    def _soon(self, call: Any, *given: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(call, *given)
        except RuntimeError:  # the loop has ended
            pass

    async def _listen(self, protocol: Any) -> None:
        try:
            while (body := await self._message()) is not None:
                try:
                    message = json.loads(body, object_hook=protocol.structure_message)
                    protocol.handle_message(message)
                except Exception:  # no message, which `protocol` has answered if it can be
                    continue
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            pass
        self._gone()

    async def _message(self) -> bytes | None:
        """The next message; None at the end."""
        length = None
        while line := await self._reader.readline():
            line = line.strip()
            if match := _LENGTH.match(line):
                length = int(match[1])
            elif not line and length is not None:
                if length > _MOST_BYTES:
                    return None
                return await self._reader.readexactly(length)
        return None
