"""The answers that a dialect gives in its own way; the framework gives all others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from ...functions.record import Record, field
from ..engine.evaluation import Names
from ..engine.run import Context, Dialect, Run
from ..engine.string_evaluation import Evaluated, evaluate_in
from ..language.evaluator import Evaluator
from ..values.diagnostics import Diagnostics
from ..values.document import Document
from ..values.source import Source, Span
from .explanation import UnknownPath
from .graph.model import Graph
from .levels import Level
from .mentions import Mention
from .tracing import TreeScope

Evaluate: TypeAlias = Callable[[str], Evaluated]


class Survey(Record, eq=False):
    """The graph of a document rendered as far as possible, None when it could not be read."""

    graph: Graph | None
    diagnostics: Diagnostics


class Inspection(Record):
    """What a dialect knows better than the framework; each field may be left out.

    `level` makes the `Level` of a run, which `why`, `diff` and the source map read. `opened` reads
    a document and gives the function that evaluates strings in its scope; None after errors, which
    it reports to the context, as the function does with those that a string runs into. `graph`
    draws a run, also one that failed; None when nothing could be read. `survey` renders a source as
    far as possible and draws it, where rendering once is not enough; it takes the functions
    `render` and `prepare`, and the arguments of `render`. `unknowns` lists the unknown values of a
    result. `views` are other texts that can be made of a result, by the name that `--show` takes;
    they take the run and a format. `tree` shows a string as `bpp parse` does, where no grammar of
    the dialect's does it; it raises `LanguageError`. `split` makes several documents of a result,
    by file name, from it, the stem of the main file and its extension. `shown` is a result as it
    may be looked at, where its product holds secrets. `printed` has what each place of a text
    printed, in dialects whose templates are in no tree, but for what may be made of secrets.
    `unsupplied` gives an unknown for each variable of a document that was read which has no value,
    as `values` of its `VariableInputs`: with these it is rendered without the inputs that it needs.
    `names` are the names that a document which is not read yet gives to things of a kind, for
    completion: its `variables`, its `references`, and whatever else the `values` of an option of
    the dialect say. `schemas` make JSON Schemas of what the dialect reads, by name, and `variables`
    makes that of the files with the variables of a document. `fields` makes the one by which
    editors offer keys and values (see `field_at`); without it, it is the first of `schemas`.
    `named` says where the names of a kind, or `files`, are written as values, by path: `*` is any
    key or index, and `name(0)` the first argument of a function. `openers` are the delimiters of
    expressions, where they are not those of the syntax, and `texts` says that documents have no
    other structure. `mentions` are the names in a document that
    is not read yet and in those that belong to it; `naming` has for kinds of things the pattern of
    their names and the words for it, "" for all others. `declarations` say for kinds of things
    where one is declared (a path of keys) and how, `defaults` the same for the default of one;
    `NAME` stands for its name.
    """

    level: Callable[[Run], Level] | None = None
    opened: Callable[[Document, Context], Evaluate | None] | None = None
    graph: Callable[[Run], Graph | None] | None = None
    survey: Callable[[Source, Callable[..., Run], Callable[..., Any], dict[str, Any]], Survey] | (
        None
    ) = None
    unknowns: Callable[[Run], tuple[UnknownPath, ...]] | None = None
    views: Mapping[str, Callable[[Run, str], str]] = field(factory=dict)
    tree: Callable[[str], list[str]] | None = None
    split: Callable[[Document, str, str], dict[str, Document]] | None = None
    shown: Callable[[Run], Document] | None = None
    printed: Callable[[Run], Iterable[tuple[Span, str]]] | None = None
    unsupplied: Callable[[Document, Context], Mapping[str, Any]] | None = None
    names: Mapping[str, Callable[[Document, Context], Iterable[str]]] = field(factory=dict)
    schemas: Mapping[str, Callable[[], dict[str, Any]]] = field(factory=dict)
    variables: Callable[[Document], dict[str, Any]] | None = None
    fields: Callable[[], dict[str, Any]] | None = None
    named: Mapping[str, str] = field(factory=dict)
    openers: tuple[tuple[str, str], ...] = ()
    texts: bool = False
    mentions: Callable[[Document, Context], Iterable[Mention]] | None = None
    naming: Mapping[str, tuple[str, str]] = field(factory=dict)
    declarations: Mapping[str, tuple[tuple[str, ...], str]] = field(factory=dict)
    defaults: Mapping[str, tuple[tuple[str, ...], str]] = field(factory=dict)


def inspection_of(dialect: Dialect | None) -> Inspection:
    """The answers of a dialect; empty for a dialect without any."""
    found = dialect.inspection() if dialect is not None and dialect.inspection else None
    return found if isinstance(found, Inspection) else Inspection()


def openers_of(dialect: Dialect) -> tuple[tuple[str, str], ...]:
    """The delimiters of expressions in documents of a dialect; empty for one that has none."""
    syntax = dialect.syntax
    usual = ((syntax.opener, syntax.closer),) if syntax.opener else ()
    return inspection_of(dialect).openers or usual


def top_level(run: Run) -> Level:
    """The main document of a run that has a result.

    Raises:
        ValueError: the run has no result.
    """
    if run.document is None:
        raise ValueError("the run has no result; see its diagnostics")
    make = inspection_of(run.dialect).level
    return make(run) if make is not None else Level.of_run(run)


def opened(document: Document, context: Context) -> Evaluate | None:
    """The function that evaluates strings in the scope of a document that is not read yet.

    Problems with the document are reported to the context, None after errors; those with a string
    are in the result.
    """
    answer = inspection_of(context.dialect).opened
    if answer is not None:
        return answer(document, context)
    context.pipeline.last(document, context)
    work = context.work
    if context.diagnostics.errors or not work.stages:
        return None
    scope = work.find(Names) or TreeScope((work.written or work.stages[0][1]).root, work.stages)
    evaluator = Evaluator(
        context.functions,
        context.environment,
        context.limits,
        context.meter,
        context.dialect.semantics,
    )
    return lambda text: evaluate_in(
        text, Source("<expression>", text), context.language, evaluator, scope
    )
