"""What a run is made of: its context, the stages of a pipeline, the dialect, and the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ...functions.record import Record, field
from ...functions.registry import Functions
from ...functions.values import FunctionError, from_plain
from ..language.errors import Failure
from ..language.meter import Meter
from ..language.syntax import USUAL, Semantics, Syntax
from ..values.diagnostics import ERROR, UNRECOGNISED, BlueprintError, Diagnostic, Diagnostics, Stop
from ..values.document import Document
from ..values.quoting import Quoting, QuotingRule
from ..values.settings import Limits, Settings
from ..values.source import Source, Span
from ..values.threads import with_stack_room
from .inputs import VariableInputs
from .materialisation import concealed
from .options import CommandLine

if TYPE_CHECKING:
    from typing import Protocol

    from ..language.language import Language
    from ..values.tree import AnyNode
    from ..world.effects import Effects
    from ..world.files import Files
    from ..world.providers import Providers
    from ..world.remote.lock import Content
    from ..world.remote.resolvers import Resolvers

    class TransformRegistry(Protocol):
        """Transforms by name; see `transforms/registry.py`, which stands above."""

        def find(self, name: str) -> Any:
            """The transform with this name, or None."""

        def names(self) -> list[str]:
            """All names."""


T = TypeVar("T")


class State(Record):
    """What is known of the deployment: by resource, data source, child and link (`a::b`).

    `children` are the exports of child blueprints, `included` is what is known inside of them: a
    child sees nothing of its parent's state, whose names may be the same.
    """

    resources: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    datasources: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    children: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    links: Mapping[str, Any] = field(factory=dict)
    included: Mapping[str, State] = field(factory=dict)


def known_state(record: Any) -> State:
    """The state that a state file's record tells.

    It stays plain data, in which a null can be told from what is absent: the one is none, the other
    unknown.

    Raises:
        ValueError: for what is no value of the language.
    """
    for part in (record.resources, record.datasources, record.children, record.links):
        from_plain(part)
    inside = {name: known_state(child) for name, child in record.included.items()}
    return State(record.resources, record.datasources, record.children, record.links, inside)


class Work:
    """What a run has computed of one document; a `Context` has that of its document.

    Documents are data and stages keep nothing: what several stages need is kept here. `written` is
    the document before anything was computed, None until then. `stages` has the name and the result
    of each stage that ran. `children` is the work on the documents that this one includes.

    A dialect keeps objects of its own, at most one of each class (`keep`, `find`).
    """

    def __init__(self) -> None:
        self.written: Document | None = None
        self.stages: list[tuple[str, Document]] = []
        self.children: dict[str, Work] = {}
        self._kept: dict[type, object] = {}

    def child(self, name: str) -> Work | None:
        """The work on an included document; None for one that was not read."""
        return self.children.get(name)

    def keep(self, found: object) -> None:
        """Keeps an object instead of the last one of its class."""
        self._kept[type(found)] = found

    def find(self, kind: type[T]) -> T | None:
        """The object of a class that was kept last, or None."""
        found = self._kept.get(kind)
        return found if isinstance(found, kind) else None


class Inclusion(Record):
    """One step of the way from the main blueprint to a child: who, from where, and which file."""

    name: str
    span: Span
    identity: str


class Context(Record, eq=False):
    """The surroundings of a document in a run; a child gets one of its own.

    `records` answer data sources by type, `providers` those that have no records; `way` is how the
    document was reached from the main blueprint, `identity` names its file for the search for
    cycles, `pipeline` runs its children, `meter` counts what the whole run spends. Files may be
    included again: `included` has their unread documents, by identity and name, `loaded` what was
    read of them, with the number of nodes. `options` are what a caller tells the stages of
    `dialect`. `checks` is true where a run only looks for mistakes: what was not given is unknown
    then. `documents` gets those that were read, where lints are looked for. `work` is what the
    stages found out.
    """

    language: Language
    functions: Functions
    settings: Settings
    files: Files
    environment: Effects
    diagnostics: Diagnostics
    given: VariableInputs
    transforms: TransformRegistry | None
    pipeline: Pipeline
    meter: Meter
    dialect: Dialect = field(repr=False)
    state: State = field(default=State(), repr=False)
    records: Mapping[str, list[dict[str, Any]]] = field(factory=dict, repr=False)
    providers: Providers | None = None
    resolvers: Resolvers | None = None
    way: tuple[Inclusion, ...] = ()
    identity: str = ""
    opened: list[str] = field(factory=list)
    loaded: dict[Source, tuple[Document, int]] = field(factory=dict, repr=False)
    included: dict[tuple[str, str], Document] = field(factory=dict, repr=False)
    main: bool = True
    checks: bool = False
    options: Any = None
    documents: list[Document] | None = None
    work: Work = field(factory=Work, repr=False)

    @property
    def quoting(self) -> Quoting:
        """What reports of this run may quote."""
        return self.diagnostics.quoting

    @property
    def limits(self) -> Limits:
        """The limits of the settings."""
        return self.settings.limits


# text, not a compiled pattern: a run without mistakes does not need it
_BEYOND_COMMENTS: Final = r"(?m)^[ \t\r\ufeff]*+[^ \t\r\n#\ufeff]"


def report_foreign(
    source: Source, found: Diagnostics, context: Context, what: str, looks: str
) -> bool:
    """Reports a source with errors (`found`) that is not recognisably `what` was expected.

    One diagnostic at the first error stands for all, as they would repeat words of the source; a
    limit that is reached is told as it is. False for any other source.
    """
    if (
        not found.errors
        or not context.quoting.is_foreign(source)
        or not re.search(_BEYOND_COMMENTS, source.text)
    ):
        return False
    first = next(item for item in found.sorted() if item.severity == ERROR)
    if first.code != "limit_exceeded":
        first = _unrecognised(source, first.span, what, looks)
    context.diagnostics.add(first)
    return True


def _unrecognised(source: Source, place: Span | None, what: str, looks: str) -> Diagnostic:
    from ..formats.foreign_files import foreign_file

    known = foreign_file(source)
    if known is None:
        summary = f"`{source.name}` is not recognisably {what}"
        return Diagnostic(UNRECOGNISED, summary, place, hint=looks)
    summary = f"`{source.name}` is {known.name}, not {known.instead or what}"
    return Diagnostic(UNRECOGNISED, summary, Span(source, 0, 1), hint=known.hint or looks)


class Stage(Record):
    """One named pass: a document in, a document out; the same object when nothing changed.

    It reports mistakes to the context. A `Failure` that it raises is reported and ends the run.
    """

    name: str
    run: Callable[[Document, Context], Document]
    doc: str = ""


class Pipeline(Record):
    """Stages in the order of a tuple."""

    stages: tuple[Stage, ...]

    def before(self, name: str, stage: Stage) -> Pipeline:
        """A pipeline with one more stage just before another.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name)
        return Pipeline((*self.stages[:index], stage, *self.stages[index:]))

    def after(self, name: str, stage: Stage) -> Pipeline:
        """A pipeline with one more stage just after another.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name) + 1
        return Pipeline((*self.stages[:index], stage, *self.stages[index:]))

    def without(self, name: str) -> Pipeline:
        """A pipeline without a stage.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name)
        return Pipeline((*self.stages[:index], *self.stages[index + 1 :]))

    def upto(self, name: str) -> Pipeline:
        """The pipeline's beginning, up to and with a stage.

        Raises:
            ValueError: when there is no stage of that name.
        """
        return self.split_after(name)[0]

    def split_after(self, name: str) -> tuple[Pipeline, Pipeline]:
        """The stages up to and with one, and those after it.

        Raises:
            ValueError: when there is no stage of that name.
        """
        index = self._index(name) + 1
        return Pipeline(self.stages[:index]), Pipeline(self.stages[index:])

    def names(self) -> tuple[str, ...]:
        """The names of the stages in order."""
        return tuple(stage.name for stage in self.stages)

    def _index(self, name: str) -> int:
        names = self.names()
        if name not in names:
            raise ValueError(f"there is no stage `{name}`; the stages are {', '.join(names)}")
        return names.index(name)

    def reached(self, name: str, document: Document, context: Context) -> Document:
        """What a stage makes of a document, of which nothing is done again that the work has.

        Raises:
            ValueError: when there is no stage of that name.
        """
        for done, result in context.work.stages:
            if done == name:
                return result
        return self.upto(name).last(document, context)

    def last(self, document: Document, context: Context) -> Document:
        """What the last stage that ran made of a document."""
        results = [result for _, result, _ in self.steps(document, context)]
        return results[-1] if results else document

    def steps(self, document: Document, context: Context) -> Iterator[tuple[str, Document, float]]:
        """Each stage's name, its result and its seconds; ends after a stage that made errors."""
        before = context.diagnostics.errors
        for stage in self.stages:
            start = perf_counter()
            if context.dialect.tells_stages:
                context.diagnostics.stage = stage.name
            try:
                document = stage.run(document, context)
            except Failure as failure:
                if not failure.reported:
                    context.diagnostics.add(failure.diagnostic())
            except FunctionError as error:  # a limit that a loop of the stage has reached
                context.diagnostics.error(error.code, None, error.message, error.hint)
            context.work.stages.append((stage.name, document))
            yield stage.name, document, perf_counter() - start
            if context.diagnostics.errors > before:
                return
            try:
                context.meter.check_time()
            except FunctionError as error:
                context.diagnostics.error(error.code, None, error.message, error.hint)
                return


def later(package: str | None, place: str) -> Callable[..., Any]:
    """The function at `module:name` in a package, which is imported when it is called."""
    module, _, name = place.partition(":")

    def call(*arguments: Any) -> Any:
        from importlib import import_module  # most renders answer nothing

        return getattr(import_module(f".{module}", package), name)(*arguments)

    return call


class Dialect(Record):
    """A dialect of the framework.

    `name` is what asks for it, `title` says what it is. `syntax` has the delimiters, the parser and
    the printer (`delimited` makes one), `functions` makes the functions for given settings, and
    `pipeline` has the stages in their order. `check` makes the static checks of a document that is
    not read yet, and reports to the context; without one, the first stage is all that is checked.
    `quotes` says how documents may be quoted in reports; without it no line of one is.
    `check_rest` looks for further mistakes where a render ended at the named stage with some,
    `withhold` adds to the context's `quoting` what is secret in a document where a render was told
    to end at the named stage, and `redact` masks secrets in a document that is written as text.
    `unresolved` has an error for each place of an output that is not known (`--strict`); without
    it, one for each template that is left. `lints` loads each `Lint` for `check`, whose first stage
    adds what it has read to the context's `documents`.
    `semantics` has the special forms and operators. `recognises` tells by a text whether it is
    written in the dialect; without it, and for installed dialects, users name it. `stands_alone`
    tells whether a text is certainly a document that can be checked on its own, when a folder is
    searched; without it only names of files tell. One that `reads_beside` looks at all of its
    folder, of which one file is checked then. `command_line`
    says what commands take for it, `inspection` makes an `Inspection`: the answers that the dialect
    gives better than the framework. One that `opens_nothing` evaluates strings without a document
    as its inspection does for an empty one, with the variables of the run for a scope. One that
    `tells_stages` has each diagnostic name the stage that found it. The formatter spaces what
    stands in the delimiters of the syntax; `space_text` spaces a document that is text, and
    `space_inner` makes what spaces the strings of a document that are texts of another language.
    """

    name: str
    title: str
    syntax: Syntax
    functions: Callable[[Settings], Functions]
    pipeline: Pipeline
    check: Callable[[Document, Context], object] | None = None
    check_rest: Callable[[Document, Context, str], object] | None = None
    quotes: QuotingRule | None = None
    withhold: Callable[[Document, Context, str], object] | None = None
    redact: Callable[[Document, Quoting], Document] | None = None
    unresolved: Callable[[Document, Context], Iterable[Diagnostic]] | None = None
    lints: Callable[[], tuple[Any, ...]] | None = None
    semantics: Semantics = USUAL
    recognises: Callable[[Source], bool] | None = None
    stands_alone: Callable[[Source], bool] | None = None
    reads_beside: bool = False
    opens_nothing: bool = False
    tells_stages: bool = False
    command_line: CommandLine = CommandLine()
    inspection: Callable[[], object] | None = None
    space_text: Callable[[str, Limits], str] | None = None
    space_inner: Callable[[Source, Meter], Callable[[str], str]] | None = None


class Unwritable(ValueError):
    """A document that cannot be written as text; `diagnostic` says why."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.summary)
        self.diagnostic = diagnostic


class Run(Record, eq=False):
    """What came of a run.

    `document` is the materialised blueprint, None when there were errors; `stages` has each stage's
    name and result, `timings` the seconds of each, `reads` the files that were opened. Without
    `reveal` no text of the run shows a secret. `contents` is what was fetched, by name. `asked`
    says whether the `clock` or `chance` answered, so that the next run may give something else.
    `stopped` is true when a caller ended it before the last stage.
    `dialect` is the one that the document is written in, `work` is what was computed on the way,
    `share` the MiB that were read.
    """

    document: Document | None
    stages: tuple[tuple[str, Document], ...]
    diagnostics: Diagnostics
    timings: tuple[tuple[str, float], ...]
    language: Language = field(repr=False)
    reads: tuple[str, ...] = ()
    reveal: bool = False
    contents: Mapping[str, Content] = field(factory=dict)
    asked: Collection[str] = ()
    dialect: Dialect | None = field(default=None, repr=False)
    work: Work = field(factory=Work, repr=False)
    stopped: bool = False
    share: float = 1.0

    @property
    def ok(self) -> bool:
        """True when there is a result."""
        return self.document is not None

    @cached_property
    def data(self) -> Any:
        """The materialised blueprint as plain Python data; what is not known yet is text.

        A dict, or a list of dicts for a text of several documents; the text of a dialect that makes
        texts. It shows what `text` shows.

        Raises:
            BlueprintError: when the run failed.
            Unwritable: when the text would be too long or nested too deep.
        """
        from json import loads

        self.raise_for_errors()
        if self.document is not None and self.document.text is not None:
            return self.document.text
        return loads(self.text("json"))

    def report(self, form: str = "text") -> str:
        """The diagnostics as one text: `text` for people, or `json`, `sarif` or `github`.

        Empty for no diagnostics, except in the forms `json` and `sarif`.

        Raises:
            ValueError: for an unknown form.
        """
        from ..formats.report import render

        main = self.stages[0][1].source.name if self.stages else ""
        limits = self.language.limits
        return render(self.diagnostics, form, color=False, main_file=main, limits=limits)

    def raise_for_errors(self) -> None:
        """Does nothing for a run with a result.

        Raises:
            BlueprintError: with the report; its `__cause__` is what a plugin raised, or a group of
                that, in a run with `Settings(debug=True)`.
        """
        if self.ok:
            return
        from ...functions.breakage import cause_of
        from ..formats.report import render_text

        found = self.diagnostics
        text = render_text(found, False, limits=self.language.limits)
        raise BlueprintError(text, found) from cause_of(found.causes)

    @with_stack_room
    def text(self, format: str = "yaml", document: Document | None = None) -> str:  # noqa: A002
        """A document of this run as text, the materialised blueprint by default.

        Raises:
            ValueError: when the run failed and no document is given, or the format is unknown.
            Unwritable: when the text would be too long or nested too deep.
        """
        chosen = document or self.document
        if chosen is None:
            raise ValueError("the run has no result; see its diagnostics")
        if format not in ("yaml", "json"):
            raise ValueError(f"unknown format `{format}`; available: yaml, json")
        if chosen.text is not None:
            return chosen.text
        from ..formats.emit import emit, emit_all

        quoting = self.diagnostics.quoting
        # where the run did not get to the end, it is not known of everything whether it is a secret
        unfinished = not self.reveal and (self.stopped or not self.ok)
        if chosen.parts is not None:
            roots: list[AnyNode] = [part.root for part in chosen.parts]
            if unfinished:
                roots = [concealed(root, quoting) for root in roots]
            try:
                return emit_all(roots, format, self.language, self.language.limits, self.share)
            except Stop as stop:
                raise Unwritable(stop.diagnostic) from None
        if not self.reveal and self.dialect is not None and self.dialect.redact is not None:
            chosen = self.dialect.redact(chosen, quoting)
        root: AnyNode = concealed(chosen.root, quoting) if unfinished else chosen.root
        try:
            return emit(root, format, self.language, self.language.limits, self.share)
        except Stop as stop:
            raise Unwritable(stop.diagnostic) from None
