"""`python -m benchmarks.editor [N]`: how long someone waits who types in N resources.

A process `bpp lsp` is told of 200 random edits of a blueprint; after each it is asked at once for
completions at the cursor, and after the diagnostics for a hover. The figures are wall-clock times
from the last keystroke to the diagnostics of this very text, and from a request to its answer, at
the median and the 95th percentile.
`--memory EDITS` makes edits in a workspace of this process instead, and prints what it holds after
some of them. Exit status 1 when an aim is missed.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from .workload import blueprint

AIMS = {"diagnostics": 0.250, "completion": 0.050, "hover": 0.050}
"""Seconds at the 95th percentile, for 1,000 resources."""
GROWTH = 1.25
"""The most that memory may grow from a tenth of the edits to all of them."""
EDITS = 200
_NAME = "unit.blueprint.yaml"
_TYPED = ("a", "x1", "${", "}", ".", " ", "- ", ": ", "\n", '"', "variables.", "\n      more: 1")
_SERVER = "from bpp.pipeline.cli.entry import main; main()"


class Server:
    """A process that is spoken to, and whose answers a thread collects."""

    def __init__(self, folder: Path, command: list[str] | None = None) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            command or [sys.executable, "-c", _SERVER, "lsp"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._heard: Queue[tuple[float, dict[str, Any]]] = Queue()
        self._ids = itertools.count(1)
        Thread(target=self._listen, daemon=True).start()

    def tell(self, method: str, params: Any, number: int | None = None) -> None:
        """Sends a message."""
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> int:
        """Sends a request; its number."""
        number = next(self._ids)
        self.tell(method, params, number)
        return number

    def heard(self) -> tuple[float, dict[str, Any]]:
        """The next message, and when it came."""
        return self._heard.get(timeout=60)

    def answer(self, number: int) -> Any:
        """The answer to a request; what else comes before it is passed over."""
        while True:
            message = self.heard()[1]
            if message.get("id") == number and "method" not in message:
                return message.get("result")

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            length = 0
            while line.strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                line = stream.readline()
            body = json.loads(stream.read(length))
            self._heard.put((time.perf_counter(), body))

    def start(self, text: str) -> float:
        """Greets the server and opens the document; the seconds until it was greeted."""
        begin = time.perf_counter()
        root = {"rootUri": self.folder.as_uri(), "processId": None, "capabilities": {}}
        self.answer(self.ask("initialize", root))
        greeted = time.perf_counter() - begin
        self.tell("initialized", {})
        item = {"uri": self.uri, "languageId": "yaml", "version": 0, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})
        while self.heard()[1].get("method") != "textDocument/publishDiagnostics":
            pass
        return greeted

    @property
    def uri(self) -> str:
        """The URI of the document."""
        return (self.folder / _NAME).as_uri()

    def stop(self) -> int:
        """Says goodbye; the exit status."""
        self.answer(self.ask("shutdown", None))
        self.tell("exit", None)
        return self.process.wait(20)


def edits(text: str, chance: random.Random) -> Iterator[tuple[int, int, str, str]]:
    """Offsets, what is written between them, and the text after that: typing, and taking it back.

    Every second edit undoes the one before, so that the text stays what it was.
    """
    while True:
        start = chance.randrange(len(text))
        end = min(len(text), start + chance.choice((0, 0, 0, 1, 3)))
        new, old = chance.choice(_TYPED), text[start:end]
        yield start, end, new, text[:start] + new + text[end:]
        yield start, start + len(new), old, text


def waits(
    count: int, rounds: int = EDITS, command: list[str] | None = None
) -> dict[str, list[float]]:
    """The seconds for each kind of answer, of all edits."""
    text, chance = blueprint(count), random.Random(1)
    found: dict[str, list[float]] = {name: [] for name in AIMS}
    with TemporaryDirectory() as folder:
        server = Server(Path(folder), command)
        found["greeting"] = [server.start(text)]
        present = text
        for version, (start, end, new, after) in enumerate(
            itertools.islice(edits(text, chance), rounds), 1
        ):
            document = {"uri": server.uri, "version": version}
            change = {
                "range": {"start": _position(present, start), "end": _position(present, end)},
                "text": new,
            }
            present = after
            server.tell(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
            )
            begin = time.perf_counter()
            place = _position(after, start + len(new))
            where = {"textDocument": {"uri": server.uri}, "position": place}
            asked = {server.ask("textDocument/completion", where): "completion"}
            for name, seconds in _answers(server, version, asked):
                found[name].append(seconds - begin)
            begin = time.perf_counter()  # a pointer rests while nobody types
            server.answer(server.ask("textDocument/hover", where))
            found["hover"].append(time.perf_counter() - begin)
        assert server.stop() == 0
    return found


def _answers(server: Server, version: int, asked: dict[int, str]) -> Iterator[tuple[str, float]]:
    told = False
    while asked or not told:
        at, message = server.heard()
        if message.get("method") == "textDocument/publishDiagnostics":
            told = told or message["params"].get("version") == version
            if message["params"].get("version") == version:
                yield "diagnostics", at
        elif message.get("id") in asked and "method" not in message:
            yield asked.pop(message["id"]), at


def _position(text: str, offset: int) -> dict[str, int]:
    line = text.count("\n", 0, offset)
    return {"line": line, "character": offset - (text.rfind("\n", 0, offset) + 1)}


def memory(count: int, rounds: int) -> Iterator[tuple[int, float]]:
    """After how many edits of a workspace how many MiB are held."""
    from bpp.pipeline.editor.workspace import Workspace
    from bpp.pipeline.values.settings import Settings

    text, chance = blueprint(count), random.Random(1)
    with TemporaryDirectory() as folder:
        workspace = Workspace(folder, {}, Settings())
        uri = (Path(folder) / _NAME).as_uri()
        for number, (*_, after) in enumerate(itertools.islice(edits(text, chance), rounds), 1):
            # what is typed is new each time, as names are that nobody has written before
            present = after + f"\n# ${{variables.n{number}}}\n"
            present = present.replace("variables.team", f"variables.team{number}", 1)
            workspace.analyse(uri, number, workspace.open(uri, present))
            if number % (rounds // 10) == 0:
                gc.collect()
                yield number, _resident()


def _resident() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # the most that it ever was
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return pages * resource.getpagesize() / 1024 / 1024


def percentile(values: list[float], share: float) -> float:
    """The value that so many are below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def main(arguments: list[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.editor", description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=1_000)
    parser.add_argument("--edits", type=int, default=EDITS)
    parser.add_argument("--memory", type=int, default=0)
    given = parser.parse_args(arguments)
    if given.memory:
        held = dict(memory(given.count, given.memory))
        for number, size in held.items():
            print(f"{number:>6} edits  {size:7.1f} MiB")
        sizes = list(held.values())
        return int(sizes[-1] > GROWTH * sizes[0])
    missed = False
    for name, values in waits(given.count, given.edits).items():
        middle, late = percentile(values, 0.5), percentile(values, 0.95)
        aim = AIMS.get(name)
        words = f"{name:<12} median {middle * 1000:6.0f} ms  p95 {late * 1000:6.0f} ms"
        missed = missed or (aim is not None and late > aim)
        print(words + (f"  aim {aim * 1000:.0f} ms" if aim is not None else ""))
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
