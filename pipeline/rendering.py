"""The front doors of the library for whole blueprints: `render` and `check`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec

from ..functions.values import FunctionError, from_plain
from .dialects.table import main_files, select_dialect
from .engine.inputs import VariableInputs
from .engine.run import Context, Pipeline, Run, State, Unwritable, Work, known_state
from .engine.run_functions import RunFunctions
from .formats.detection import format_of, format_of_text
from .language.language import Language
from .language.meter import Meter
from .values.diagnostics import ERROR, Diagnostic, Diagnostics, Note
from .values.document import Document
from .values.settings import SECRETS_REVEAL, Settings, check_limits
from .values.source import Source
from .values.threads import with_stack_room
from .values.tree import Map, Trail
from .world.effects import Effects
from .world.files import DiskFiles, FileProblem, Files, decode_text

if TYPE_CHECKING:
    from ..functions.registry import Function
    from ..transforms.registry import TransformLike, Transforms
    from .answers.inspection import Survey
    from .engine.lints import Rules
    from .engine.run import Dialect
    from .values.expression import Shape
    from .world.providers import DataSourceProvider, Providers, VariableType
    from .world.remote.resolvers import Resolver, Resolvers


P = ParamSpec("P")


def read_source(path: str, files: Files, format: str | None = None) -> Source:  # noqa: A002
    """A blueprint's text from a file that the user names; `-` is standard input.

    The format is told by the extension, for others and for standard input by the content. A folder
    is read as the file that stands for it, in dialects whose documents are folders.

    Raises:
        FileProblem: when it cannot be read or is no text.
    """
    try:
        data = files.open_input("/dev/stdin" if path == "-" else path)
    except FileProblem:
        inner = [os.path.join(path, name) for name in main_files()]
        found = next((one for one in inner if path != "-" and files.exists(one)), None)
        if found is None:
            raise
        path = os.path.normpath(found)
        data = files.open_input(path)
    shown = "<stdin>" if path == "-" else path
    text = decode_text(data, shown)
    kind = format or (format_of(path) if path != "-" else None) or format_of_text(text)
    return Source(shown, text, kind, None if path == "-" else files.resolve(path))


def _without_bad_shapes(function: Callable[P, Run]) -> Callable[P, Run]:
    """Decorate a function to run again without its `shapes` when it raises because of them.

    They come from a cache: trees that are sound may still be those of other expressions.
    """

    @wraps(function)
    def door(*arguments: P.args, **named: P.kwargs) -> Run:
        try:
            return function(*arguments, **named)
        except (FileProblem, MemoryError):
            raise
        except Exception:
            if not named.get("shapes"):
                raise
        named["shapes"] = None
        return function(*arguments, **named)

    return door


@with_stack_room
@_without_bad_shapes
def render(
    source: str | os.PathLike[str] | Source,
    *,
    variables: Mapping[str, Any] | None = None,
    given: VariableInputs | None = None,
    settings: Settings | None = None,
    files: Files | None = None,
    state: State | Mapping[str, Any] | None = None,
    datasources: Mapping[str, list[dict[str, Any]]] | None = None,
    transforms: Iterable[TransformLike] | Transforms = (),
    providers: Iterable[DataSourceProvider | VariableType] | Providers = (),
    resolvers: Mapping[str, Resolver] | Resolvers | None = None,
    functions: Iterable[Function] = (),
    dialect: str | Dialect | None = None,
    pipeline: Pipeline | None = None,
    shapes: Mapping[str, Shape] | None = None,
    options: Any = None,
    after: Meter | None = None,
    stop_after: str | None = None,
) -> Run:
    """Renders a blueprint.

    `source` is a path or a text with a name. `variables` are typed Python values by name; `given`
    has the other ways to supply them. `files` answers for everything that is read. `state` is what
    is known of the deployment, `datasources` the records of data source types, `providers`
    answer data sources without records and know custom variable types, `resolvers` fetch children
    by source type. `functions` are more functions for expressions. `shapes` are parsed expressions
    of earlier runs (`run.language.shapes`). `dialect` is a dialect or its name, None for the one
    that the text is recognised as; `options` is what the stages of one take of their own, `after`
    the meter that the files of data were read with. `stop_after` names the last stage to run.
    Mistakes in the blueprint are in the result's diagnostics.

    Raises:
        FileProblem: when the blueprint itself cannot be read.
        ValueError: for a dialect, a stage, state or records that are none, or a limit that is
            higher than can be kept.
    """
    context, document = prepare(
        source,
        given=given or VariableInputs(values=dict(variables or {})),
        settings=settings,
        files=files,
        state=state,
        datasources=datasources,
        transforms=transforms,
        providers=providers,
        resolvers=resolvers,
        functions=functions,
        dialect=dialect,
        pipeline=pipeline,
        shapes=shapes,
        options=options,
        after=after,
    )
    chosen = context.pipeline.upto(stop_after) if stop_after else context.pipeline
    return context.diagnostics.watch(
        lambda: _rendered(document, context, chosen, stop_after is not None),
        context.settings.debug,
    )


def _rendered(document: Document, context: Context, chosen: Pipeline, stopped: bool) -> Run:
    """The run of the chosen stages, failed when some are left out and its output has mistakes."""
    run = _carried_out(document, context, chosen, stopped)
    left_out = [name for name in context.dialect.pipeline.names() if name not in chosen.names()]
    if left_out and run.ok and not stopped:
        return _readable_again(run, context, left_out)
    return run


def _carried_out(document: Document, context: Context, chosen: Pipeline, stopped: bool) -> Run:
    """The run of the chosen stages over a document."""
    steps = list(chosen.steps(document, context))
    if steps:
        document = steps[-1][1]
    _finish(document, context, steps[-1][0] if steps else "")
    return Run(
        None if context.diagnostics.errors else document,
        tuple((name, result) for name, result, _ in steps),
        context.diagnostics,
        tuple((name, seconds) for name, _, seconds in steps),
        context.language,
        tuple(context.files.reads),
        context.settings.secrets == SECRETS_REVEAL,
        context.environment.contents,
        context.environment.asked,
        context.dialect,
        context.work,
        stopped,
        context.meter.share,
    )


def _finish(document: Document, context: Context, last: str) -> None:
    """The checks of a document after the last stage that ran."""
    spoken = context.dialect
    try:
        _finish_as(spoken, document, context, last)
    except FunctionError as error:  # a limit that a loop of these checks has reached
        context.diagnostics.error(error.code, None, error.message, error.hint)


def _finish_as(spoken: Dialect, document: Document, context: Context, last: str) -> None:
    complete = context.pipeline.names()[-1:] == (last,)
    if context.diagnostics.errors and spoken.check_rest is not None:
        spoken.check_rest(document, context, last)
    elif not complete and spoken.withhold is not None:
        spoken.withhold(document, context, last)
    if complete and context.settings.strict:
        from .answers.unknowns import unresolved

        find = spoken.unresolved or unresolved
        context.diagnostics.extend(find(document, context))


def _readable_again(run: Run, context: Context, left_out: list[str]) -> Run:
    """A run without some stages of its dialect, failed when its output has mistakes.

    Later stages rely on what earlier ones leave: names may be left that nothing defines.
    """
    assert run.document is not None
    try:
        text = run.text()
    except Unwritable as problem:
        run.diagnostics.add(problem.diagnostic)
        return run.evolve(document=None)
    source = Source("<output>", text, "yaml")
    context.quoting.admit(source, context.dialect.quotes)
    document = Document(Map({}, {}, Trail(source), 0, 0), source, run.document.folder)
    found = Diagnostics(context.limits.max_diagnostics, context.quoting)
    _check(document, context.evolve(diagnostics=found, work=Work(), opened=[]))
    names = ", ".join(f"`{name}`" for name in left_out)
    note = Note(f"this is wrong with the output of a pipeline without {names}")
    wrong = [item.noting(note) for item in found if item.severity == ERROR]
    run.diagnostics.extend(wrong)
    return run.evolve(document=None) if wrong else run


def prepare(
    source: str | os.PathLike[str] | Source,
    *,
    given: VariableInputs | None = None,
    settings: Settings | None = None,
    files: Files | None = None,
    state: State | Mapping[str, Any] | None = None,
    datasources: Mapping[str, list[dict[str, Any]]] | None = None,
    transforms: Iterable[TransformLike] | Transforms = (),
    providers: Iterable[DataSourceProvider | VariableType] | Providers = (),
    resolvers: Mapping[str, Resolver] | Resolvers | None = None,
    functions: Iterable[Function] = (),
    dialect: str | Dialect | None = None,
    pipeline: Pipeline | None = None,
    shapes: Mapping[str, Shape] | None = None,
    options: Any = None,
    after: Meter | None = None,
) -> tuple[Context, Document]:
    """The surroundings of a run and its document, unread; arguments and errors are `render`'s."""
    settings = settings or Settings()
    check_limits(settings.limits)
    files = files or DiskFiles(settings.allow_path, limits=settings.limits)
    if not isinstance(source, Source):
        source = read_source(os.fspath(source), files)
    spoken = select_dialect(source, dialect)
    folder = os.path.dirname(source.path) if source.path else files.cwd()
    files = files.with_roots(folder)
    meter = Meter(settings.limits, after)
    diagnostics = Diagnostics(settings.limits.max_diagnostics, spend=meter.mistake)
    diagnostics.quoting.admit(source, spoken.quotes)
    context = Context(
        language=Language(spoken.syntax, settings.limits, shapes, meter),
        functions=RunFunctions(spoken.functions(settings), functions, settings, diagnostics),
        settings=settings,
        files=files,
        environment=Effects(settings, files, folder, meter),
        diagnostics=diagnostics,
        given=given or VariableInputs(),
        transforms=_transforms(transforms),
        pipeline=pipeline or spoken.pipeline,
        meter=meter,
        state=_state(state),
        records=from_plain(datasources or {}),
        providers=_providers(providers),
        resolvers=_resolvers(resolvers),
        identity=source.path or "",
        options=options,
        dialect=spoken,
    )
    empty = Map({}, {}, Trail(source), 0, 0)
    return context, Document(empty, source, folder)


def _transforms(transforms: Iterable[TransformLike] | Transforms) -> Transforms | None:
    """A registry of the transforms that a caller gives; None for none, so that none is loaded."""
    if isinstance(transforms, tuple | list) and not transforms:
        return None
    from ..transforms.registry import Transforms

    return transforms if isinstance(transforms, Transforms) else Transforms(transforms)


def _providers(
    providers: Iterable[DataSourceProvider | VariableType] | Providers,
) -> Providers | None:
    """A registry of the providers that a caller gives; None for none, so that none is loaded."""
    if isinstance(providers, tuple | list) and not providers:
        return None
    from .world.providers import Providers

    return providers if isinstance(providers, Providers) else Providers(providers)


def _resolvers(resolvers: Mapping[str, Resolver] | Resolvers | None) -> Resolvers | None:
    """A registry of the resolvers that a caller gives; None for none, so that none is loaded."""
    if not resolvers:
        return None
    from .world.remote.resolvers import Resolvers

    return resolvers if isinstance(resolvers, Resolvers) else Resolvers(resolvers)


def _state(state: State | Mapping[str, Any] | None) -> State:
    if state is None:
        return State()
    if isinstance(state, State):
        return state
    from .formats.records import RecordError, structure_state

    try:
        record = structure_state(state)
    except RecordError as error:
        raise ValueError(f"the state is not of the expected form: {error}") from None
    return known_state(record)


@with_stack_room
def check(
    source: str | os.PathLike[str] | Source,
    *,
    variables: Mapping[str, Any] | None = None,
    given: VariableInputs | None = None,
    settings: Settings | None = None,
    files: Files | None = None,
    state: State | Mapping[str, Any] | None = None,
    transforms: Iterable[TransformLike] | Transforms = (),
    providers: Iterable[DataSourceProvider | VariableType] | Providers = (),
    resolvers: Mapping[str, Resolver] | Resolvers | None = None,
    functions: Iterable[Function] = (),
    dialect: str | Dialect | None = None,
    options: Any = None,
    after: Meter | None = None,
    rules: Rules | None = None,
) -> Diagnostics:
    """All static checks of a blueprint and of the child blueprints whose paths are known.

    Needs no values: what is not given is taken as not known, and only what is wrong for any value
    is told. With `rules` lints are looked for, and what is told follows them and comments such as
    `# bpp: ignore unused_variable`. Other arguments and errors are those of `render`.
    """
    context, document = prepare(
        source,
        given=given or VariableInputs(values=dict(variables or {})),
        settings=settings,
        files=files,
        state=state,
        transforms=transforms,
        providers=providers,
        resolvers=resolvers,
        functions=functions,
        dialect=dialect,
        options=options,
        after=after,
    )
    return checked(document, context if rules is None else context.evolve(documents=[]), rules)


def checked(document: Document, context: Context, rules: Rules | None = None) -> Diagnostics:
    """What `check` says of a document that `prepare` made.

    With `rules` the context's `documents` get all that is read on the way.
    """
    context.diagnostics.watch(lambda: _check(document, context), context.settings.debug)
    if rules is None:
        return context.diagnostics
    from .engine.lints import linted

    try:
        return linted(context, rules)
    except FunctionError as error:  # a limit that a loop over the documents has reached
        context.diagnostics.error(error.code, None, error.message, error.hint)
        return context.diagnostics


def _check(document: Document, context: Context) -> None:
    """The checks of the dialect, or its first stage when it has none."""
    context = context.evolve(pipeline=context.dialect.pipeline)
    examine = context.dialect.check
    try:
        if examine is not None:
            examine(document, context)
        else:
            Pipeline(context.pipeline.stages[:1]).last(document, context)
    except FunctionError as error:  # a limit that a loop of the checks has reached
        context.diagnostics.error(error.code, None, error.message, error.hint)


def survey(source: Source, dialect: str | Dialect | None = None, **arguments: Any) -> Survey:
    """The graph of a document, rendered as far as possible; arguments are those of `render`."""
    from .answers.graph.drawing import graph
    from .answers.graph.model import TooManyEdges
    from .answers.inspection import Survey, inspection_of

    chosen = select_dialect(source, dialect)
    arguments["dialect"] = chosen
    answer = inspection_of(chosen).survey
    if answer is not None:
        try:
            return answer(source, render, prepare, arguments)
        except FunctionError as error:  # a limit that a loop over the graph has reached
            found = Diagnostics()
            found.error(error.code, None, error.message, error.hint)
            return Survey(None, found)
    run = render(source, **arguments)
    found = Diagnostics(run.language.limits.max_diagnostics)
    found.extend(run.diagnostics)
    try:
        return Survey(graph(run), found)
    except TooManyEdges as problem:
        found.error("limit_exceeded", None, str(problem), problem.hint)
        return Survey(None, found)
    except ValueError:  # no document could be read
        return Survey(None, found)


def failed_to_read(problem: FileProblem) -> Diagnostic:
    """A file problem as a diagnostic, for files that no blueprint names."""
    return Diagnostic(problem.code, problem.message, problem.span, ERROR, problem.hint)
