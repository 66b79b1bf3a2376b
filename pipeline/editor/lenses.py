"""Code lenses above a document: what it renders to, with which inputs, as a picture; and commands.

Commands answer data, so that any client can show it: `{title, language, text}` for a text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from lsprotocol import types

from ..answers.graph.model import ENDINGS, TooManyEdges
from ..answers.inspection import inspection_of
from ..answers.unknowns import list_unknowns
from ..engine.run import Run, Unwritable
from ..rendering import survey
from ..values.diagnostics import ERROR
from ..values.document import Document
from ..values.terminal import visible
from ..values.tree import Array, Map
from ..world.files import FileProblem
from .analysis import Analysis
from .feature import RENDER, Command, Feature, Refused
from .inputs import Choice, left_open
from .texts import path_of
from .workspace import Workspace

SHOW_RENDERED: Final = "bpp.showRendered"
SHOW_GRAPH: Final = "bpp.showGraph"
CHOOSE_INPUTS: Final = "bpp.chooseInputs"
LIST: Final = "list"
_KINDS: Final = 3
"""Sections of an output that a lens counts."""

_PICTURES: Final = ("mermaid", *(kind for kind in ENDINGS.values() if kind != "mermaid"))


def code_lenses(workspace: Workspace, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """What a document renders to, its inputs, and its picture, above its first line."""
    uri = params.text_document.uri
    analysis = workspace.latest(uri)
    if analysis is None:
        return None
    analysis = analysis.whole or analysis
    chosen = workspace.inputs.chosen(analysis.source)
    titles = (
        (_summary(_run(analysis)), SHOW_RENDERED),
        (f"inputs: {visible(chosen.label)}", CHOOSE_INPUTS),
        ("open the picture", SHOW_GRAPH),
    )
    top = types.Range(types.Position(0, 0), types.Position(0, 0))
    return [
        types.CodeLens(top, types.Command(title, name, arguments=[analysis.uri]))
        for title, name in titles
    ]


def _run(analysis: Analysis) -> Run | None:
    """The render of a text; while there is none, the last one that had a result."""
    last = analysis.computed
    return analysis.run or (last.run if last is not None else None)


def _summary(run: Run | None) -> str:
    """What came of a render in a few words."""
    if run is None:
        return "not rendered"
    if not run.ok or run.document is None:
        errors = sum(item.severity == ERROR for item in run.diagnostics)
        return f"not rendered: {_counted(errors, 'error')}"
    parts = [", ".join(_made(run.document)) or "nothing"]
    unknown = len(list_unknowns(run))
    parts += [f"{unknown} unknown"] if unknown else []
    return f"rendered: {', '.join(parts)}"


def _made(document: Document) -> Iterator[str]:
    """The largest sections of a result with their sizes: `12 resources`."""
    if document.text is not None:
        yield _counted(document.text.count("\n") or 1, "line")
    elif document.parts is not None:
        yield _counted(len(document.parts), "document")
    else:
        sizes = {
            key: len(node.items)
            for key, node in document.root.items.items()
            if isinstance(node, Map | Array)
        }
        largest = sorted(sizes, key=lambda key: -sizes[key])[:_KINDS]
        for key in (key for key in sizes if key in largest and sizes[key]):
            one = key.removesuffix("s") if sizes[key] == 1 else key
            yield f"{sizes[key]} {visible(one)}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def show_rendered(workspace: Workspace, arguments: list[Any]) -> dict[str, str]:
    """What a document renders to as text, secrets left as references or masked."""
    analysis = _analysis(workspace, arguments)
    run = _run(analysis)
    if run is None or not run.ok:
        raise Refused(_refusal(workspace, analysis))
    return _shown(analysis, "rendered", *_text_of(run))


def _text_of(run: Run) -> tuple[str, str]:
    """The format of a result, and its text."""
    assert run.document is not None
    if run.document.text is not None:
        return "yaml", run.document.text
    kind = run.document.source.format
    kind = kind if kind in ("yaml", "json") else "yaml"
    show = inspection_of(run.dialect).shown
    try:
        return kind, run.text(kind, show(run) if show is not None else run.document)
    except Unwritable as problem:
        raise Refused(str(problem)) from None


def show_graph(workspace: Workspace, arguments: list[Any]) -> dict[str, str]:
    """The picture of a document: as `svg` where Graphviz draws it, else the source of a diagram.

    The second argument may name a format of `bpp graph`.
    """
    analysis = _analysis(workspace, arguments)
    kind = arguments[1] if len(arguments) > 1 else None
    given = workspace.given(analysis)
    if given.arguments is None:
        raise Refused(_refusal(workspace, analysis))
    named = {**given.arguments, "dialect": analysis.dialect}
    found = survey(analysis.source, **left_open(named, analysis.document, analysis.context))
    if found.graph is None:
        raise Refused(next((item.summary for item in found.diagnostics), "there is no picture"))
    if kind is not None and kind not in _PICTURES:
        raise Refused(f"unknown format `{kind}`; available: {', '.join(_PICTURES)}")
    try:
        graph = found.graph.select()
        for one in (kind,) if kind is not None else ("svg", "mermaid"):
            try:
                return _shown(analysis, "graph", one, graph.text(one))
            except FileProblem as problem:  # no Graphviz
                if kind is not None:
                    raise Refused(problem.message) from None
    except TooManyEdges as problem:
        raise Refused(str(problem)) from None
    raise Refused("there is no picture")


def choose_inputs(workspace: Workspace, arguments: list[Any]) -> Any:
    """Renders a document with other inputs; for the word `list`, what there is to choose from.

    The choice is words, as `Choice` has them. Without any, the client is asked.
    """
    analysis = _analysis(workspace, arguments)
    source = analysis.source
    words = [str(one) for one in arguments[1:]]
    choices = workspace.inputs.choices(source, analysis.dialect, workspace.files(source.path or ""))
    ask = workspace.client
    if words == [LIST] or (not words and ask is None):
        chosen = workspace.inputs.chosen(source)
        return [_plain(one, one.words == chosen.words) for one in choices]
    if not words and ask is not None:
        label = ask.choose(
            f"Inputs of {visible(source.name)}", [visible(one.label) for one in choices]
        )
        picked = next((one for one in choices if visible(one.label) == label), None)
        if picked is None:
            return None
        words = [*picked.words]
    workspace.inputs.choose(source.path or "", words)
    if ask is not None:
        ask.look_again(analysis.uri)
    else:
        workspace.analyse(analysis.uri, analysis.version, source)
    return None


def _plain(choice: Choice, chosen: bool) -> dict[str, Any]:
    return {
        "words": [*choice.words],
        "label": choice.label,
        "about": choice.about,
        "chosen": chosen,
    }


def _refusal(workspace: Workspace, analysis: Analysis) -> str:
    """Why a document cannot be rendered, in a sentence."""
    told = [*workspace.given(analysis).diagnostics.sorted()]
    if not told and analysis.run is not None:
        told = [item for item in analysis.run.diagnostics.sorted() if item.severity == ERROR]
    first = f": {told[0].summary}" if told else ""
    more = f" (and {len(told) - 1} more)" if len(told) > 1 else ""
    return f"`{visible(analysis.source.name)}` cannot be rendered{first}{more}"


def _analysis(workspace: Workspace, arguments: list[Any]) -> Analysis:
    """The analysis of the document that the first argument names."""
    uri = arguments[0] if arguments and isinstance(arguments[0], str) else ""
    found = workspace.latest(uri)
    if found is None:
        source = workspace.source(uri)
        if source is None:
            raise Refused(f"`{visible(path_of(uri))}` is not open")
        raise Refused(f"`{visible(source.name)}` is not rendered: it is no document of its own")
    return found.whole or found


def _shown(analysis: Analysis, what: str, language: str, text: str) -> dict[str, str]:
    return {"title": f"{analysis.source.name} ({what})", "language": language, "text": text}


FEATURES: Final = (
    Feature(
        types.TEXT_DOCUMENT_CODE_LENS,
        code_lenses,
        types.CodeLensOptions(resolve_provider=False),
        RENDER,
    ),
)
COMMANDS: Final = (
    Command(SHOW_RENDERED, show_rendered),
    Command(SHOW_GRAPH, show_graph),
    Command(CHOOSE_INPUTS, choose_inputs),
)
