"""When open documents are looked at: once their typist pauses, and never twice at a time."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Final, TypeVar

from ...functions.breakage import breakage
from ..building.configuration import OWN_FILE, SHARED_FILE, load_check, load_configuration
from ..rendering import failed_to_read
from ..values.diagnostics import NOTE, Diagnostic, Diagnostics
from ..values.source import Source
from ..world.files import FileProblem, is_inside
from .analysis import Analysis
from .errands import GRACE, Errand, Hung
from .feature import CHECK, RENDER
from .publishing import Told, told_of
from .texts import path_of
from .vocabulary import names_of
from .workspace import MOST_CHARS, Workspace

T = TypeVar("T")

PAUSE: Final = 0.05
"""Seconds without a keystroke after which a document is looked at."""

_OF_OTHERS: Final = 0.25
"""The same, where the change was in another file."""

_AT_A_TIME: Final = 2
_MOST_HUNG: Final = 8
"""Threads that hang; with more of them nothing is looked at any more."""

_IDLE: Final = 2.0
_UNCOLLECTED: Final = 30
"""Looks after which unreachable objects are freed even if nobody pauses."""


class Reviews:
    """The open documents of a workspace.

    `publish` gets what is told of a document, and the version that it is of; `tell` what the user
    must know; `refresh` is called when a render is done. With `debug` a look that breaks raises.
    """

    def __init__(
        self,
        workspace: Workspace,
        publish: Callable[[str, Told], None],
        tell: Callable[[str], None],
        refresh: Callable[[], None],
        debug: bool = False,
    ) -> None:
        self.workspace = workspace
        self.publish = publish
        self.tell = tell
        self.refresh = refresh
        self.related = True
        self.debug = debug
        self.free = asyncio.Semaphore(_AT_A_TIME)
        self._reviews: dict[str, Review] = {}
        self._hung: list[Thread] = []
        self._said: set[str] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._looks = 0

    def of(self, uri: str) -> Review | None:
        """The review of a document, if it is open."""
        return self._reviews.get(uri)

    def changed(self, uri: str, version: int, pause: float = PAUSE) -> None:
        """Looks at a document that has another text now, and at those that read it."""
        review = self._reviews.get(uri)
        if review is None:
            review = self._reviews[uri] = Review(self, uri)
            pause = 0.0
        review.version = version
        review.look(pause)
        self.changed_file(path_of(uri))

    def changed_file(self, path: str, listed: bool = False) -> None:
        """Looks at the documents that read a file, which may be open itself.

        A file that is new, or gone (`listed`), may also be of those in folders that are searched.
        """
        configuration = path.endswith((OWN_FILE, SHARED_FILE))
        for uri, review in self._reviews.items():
            analysis = self.workspace.analyses.get(uri)
            own = path_of(uri)
            if own == path or analysis is None:
                continue
            folder = analysis.source.path and path_of(analysis.source.path)
            beside = (listed or configuration) and folder and _is_beside(path, folder)
            if path in analysis.reads or beside:
                review.look(_OF_OTHERS)

    def look_at_all(self) -> None:
        """Looks at all documents."""
        for review in self._reviews.values():
            review.look(_OF_OTHERS)

    def closed(self, uri: str) -> None:
        """Forgets a document."""
        review = self._reviews.pop(uri, None)
        if review is not None:
            review.close()
            self.publish(uri, {})
            self.changed_file(path_of(uri))

    def hangs(self, thread: Thread, name: str) -> None:
        """Remembers a thread that was given up, and says so once."""
        self._hung.append(thread)
        self.say(
            f"{name}: looking at this document took too long and was given up; a transform, "
            "a function, a provider or a resolver may hang"
        )

    def overloaded(self) -> bool:
        """True while too many threads hang."""
        self._hung = [thread for thread in self._hung if thread.is_alive()]
        return len(self._hung) >= _MOST_HUNG

    def say(self, message: str) -> None:
        """Tells the user something, once."""
        if message not in self._said:
            self._said.add(message)
            self.tell(message)

    def busy(self) -> None:
        """Someone types."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def looked(self) -> None:
        """A look is done; what is unreachable is freed while nobody types."""
        self._looks += 1
        self.busy()
        if self._looks >= _UNCOLLECTED:
            self._collect()
        else:
            self._idle = asyncio.get_running_loop().call_later(_IDLE, self._collect)

    def _collect(self) -> None:
        self._looks = 0
        gc.collect()


class Review:
    """One open document: the texts that it had are counted, and how far the last one is known."""

    def __init__(self, reviews: Reviews, uri: str) -> None:
        self._reviews = reviews
        self._workspace = reviews.workspace
        self._uri = uri
        self.version = 0
        self._wanted = 0
        self._known = {CHECK: 0, RENDER: 0}
        self._due = 0.0
        self._closed = False
        self._errand: Errand[object] | None = None
        self._task: asyncio.Task[None] | None = None
        self._news = asyncio.Event()

    def look(self, pause: float) -> None:
        """Looks at the document after a pause; what is done with an earlier text is ended."""
        loop = asyncio.get_running_loop()
        self._reviews.busy()
        self._wanted += 1
        self._due = loop.time() + pause
        if self._errand is not None:
            self._errand.stop()
        if self._task is None:
            self._task = loop.create_task(self._run())

    def close(self) -> None:
        """Ends what is done with the document."""
        self._closed = True
        if self._errand is not None:
            self._errand.stop()

    async def until(self, stage: str, seconds: float) -> None:
        """Waits until the check or the render of the present text is done, or some seconds."""
        try:
            async with asyncio.timeout(seconds):
                while self._known[stage] < self._wanted and self._task is not None:
                    await self._news.wait()
        except TimeoutError:
            pass

    async def _run(self) -> None:
        try:
            while self._known[RENDER] < self._wanted and not self._closed:
                await self._quiet()
                async with self._reviews.free:
                    await self._look(self._wanted)
        finally:
            self._task = None
            self._tell_news()
            self._reviews.looked()

    async def _quiet(self) -> None:
        loop = asyncio.get_running_loop()
        while (left := self._due - loop.time()) > 0 and not self._closed:
            await asyncio.sleep(left)

    async def _look(self, wanted: int) -> None:
        source = self._workspace.source(self._uri)
        if source is None or self._closed:
            return self._done(wanted)
        told = self._without_analysis(source)
        if told is not None or self._reviews.overloaded():
            self._reviews.publish(self._uri, told or {})
            return self._done(wanted)
        analysis = await self._made(partial(self._check, self.version, source))
        if wanted != self._wanted or self._closed:
            return None
        if analysis is None:
            self._reviews.publish(self._uri, {self._uri: []})
            return self._done(wanted)
        self._workspace.keep(analysis)
        found, related = analysis.diagnostics, self._reviews.related
        told = told_of(self._uri, source, found, self._workspace, related)
        self._reviews.publish(self._uri, told)
        self._known[CHECK] = wanted
        self._tell_news()
        rendered = await self._made(partial(self._render, analysis))
        if wanted != self._wanted or self._closed:
            return None
        if rendered is not None:
            self._workspace.keep(rendered)
        self._done(wanted)
        return self._reviews.refresh()

    def _without_analysis(self, source: Source) -> Told | None:
        """What is told of a text that is no document, or too large; None for any other."""
        path = source.path or ""
        if path.endswith((OWN_FILE, SHARED_FILE)):
            return configured(self._uri, source, self._workspace)
        if len(source.text) > MOST_CHARS:
            found = Diagnostics()
            summary = f"a text of more than {MOST_CHARS} characters is not checked in an editor"
            found.add(Diagnostic("limit_exceeded", summary, None, NOTE, "run `bpp check`"))
            return told_of(self._uri, source, found, self._workspace)
        return None

    def _check(self, version: int, source: Source, errand: Errand[T]) -> Analysis | None:
        dialect = self._workspace.dialect(source)
        if dialect is None:
            return None
        return self._workspace.check(self._uri, version, source, dialect, errand.watch)

    def _render(self, analysis: Analysis, errand: Errand[T]) -> Analysis | None:
        made = self._workspace.render(analysis, errand.watch)
        # what is asked for next, with every keystroke
        names_of(made).of("references", lambda: errand.stopped)
        return made

    async def _made(
        self, call: Callable[[Errand[Analysis | None]], Analysis | None]
    ) -> Analysis | None:
        """What a call gives; None for one that hangs or breaks."""
        seconds = self._workspace.settings.limits.run_seconds + GRACE
        errand = Errand(call, seconds)
        self._errand = errand  # type: ignore[assignment]
        try:
            return await errand.result
        except Hung:
            if not errand.stopped or errand.thread.is_alive():
                self._reviews.hangs(errand.thread, self._name())
        except Exception as error:
            if self._reviews.debug:
                raise
            self._reviews.say(f"{self._name()}: looking at it broke: {breakage(error)}")
        finally:
            self._errand = None
        return None

    def _name(self) -> str:
        source = self._workspace.source(self._uri)
        return source.name if source is not None else self._uri

    def _done(self, wanted: int) -> None:
        self._known = dict.fromkeys(self._known, wanted)
        self._tell_news()

    def _tell_news(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def configured(uri: str, source: Source, workspace: Workspace) -> Told:
    """What is told of a configuration."""
    path = source.path or ""
    if path.endswith(SHARED_FILE) and "[tool.bpp" not in source.text:
        return {uri: []}
    try:
        files = workspace.files(path)
        table, configuration = load_check(path, files)
        if not table or "targets" in source.text:  # one may only say what is checked
            configuration = load_configuration(path, None, files)
        found = configuration.diagnostics
    except FileProblem as problem:
        found = Diagnostics()
        found.add(failed_to_read(problem))
    return told_of(uri, source, found, workspace)


def _is_beside(path: str, document: str) -> bool:
    """True for a file in the folder of a document, below it, or in a folder above."""
    import os

    own, other = os.path.dirname(document), os.path.dirname(path)
    return is_inside(other, own) or is_inside(own, other)
