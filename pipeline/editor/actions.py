"""What editors offer to do about a place: remedies of mistakes, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lsprotocol import types

from ..answers.inspection import inspection_of
from ..formats.remedies import Edit, edit_of
from ..values.diagnostics import ERROR, QUOTE, REMOVE, Diagnostic, Remedy
from ..values.source import Source, Span
from ..values.tree import AnyNode
from .analysis import Analysis
from .coordinates import Coordinates
from .feature import Feature
from .lines import with_comment, with_entry, without_entry
from .navigation import names_of, supplying
from .texts import path_of, uri_of
from .trees import nodes_of
from .workspace import Workspace

FIX_ALL: Final = "source.fixAll.bpp"
_MOST: Final = 50
"""Diagnostics that actions are offered for at once."""

_UNUSED: Final = ("unused_", "import_unused")


def code_actions(
    workspace: Workspace, params: types.CodeActionParams
) -> list[types.CodeAction] | None:
    """What can be done about a range of a text."""
    uri = params.text_document.uri
    source = workspace.source(uri)
    analysis = _analysis(workspace, uri, source) if source is not None else None
    if analysis is None or source is None or analysis.source.text != source.text:
        return None
    found = _Actions(workspace, analysis, params)
    wanted = params.context.only
    return [
        one
        for one in found.all()
        if wanted is None or any(_is_kind(str(one.kind), kind) for kind in wanted)
    ]


def _analysis(workspace: Workspace, uri: str, source: Source) -> Analysis | None:
    """The analysis of a text, or of an open document that has found something in it."""
    found = workspace.latest(uri)
    for whole in workspace.all() if found is None else ():
        for item in whole.diagnostics:
            read = item.span.source if item.span is not None else source
            if read.path == source.path and read.text == source.text:
                return whole.evolve(uri=uri, source=source, whole=whole)
    return found


def _is_kind(kind: str, wanted: str) -> bool:
    return not wanted or kind == wanted or kind.startswith(f"{wanted}.")


class _Actions:
    """The actions for one range."""

    def __init__(
        self, workspace: Workspace, analysis: Analysis, params: types.CodeActionParams
    ) -> None:
        self.workspace = workspace
        self.analysis = analysis
        self.source = analysis.source
        self.uri = params.text_document.uri
        self.start = analysis.at.offset(params.range.start)
        self.end = analysis.at.offset(params.range.end)
        self.roots: Sequence[AnyNode] = nodes_of(self.source, analysis.context.limits, True) or ()
        self.every = [one for one in analysis.diagnostics.sorted() if self._is_here(one)]

    def _is_here(self, item: Diagnostic) -> bool:
        return item.span is not None and item.span.source.path == self.source.path

    def all(self) -> Iterator[types.CodeAction]:
        """Those for each diagnostic in the range, then those for the place and for the file."""
        inside = [
            item
            for item in self.every
            if item.span is not None and item.span.start <= self.end and self.start <= item.span.end
        ]
        for item in inside[:_MOST]:
            yield from self._of(item)
        yield from self._declare(inside)
        yield from self._default()
        yield from self._everywhere()

    def _of(self, item: Diagnostic) -> Iterator[types.CodeAction]:
        edit = edit_of(item)
        if edit is not None and self._is_open(edit.span.source):
            yield self._action(_title(item, edit), [edit], [item], preferred=True)
            same = self._same(item)
            if len(same) > 1:
                title = f"Change all {len(same)} places with `{item.code}` like this"
                yield self._action(title, [edit for _, edit in same], [one for one, _ in same])
        assert item.span is not None
        if item.code.startswith(_UNUSED):
            gone = without_entry(self.source, self.roots, item.span)
            if gone is not None:
                shown = self.source.text[item.span.start : item.span.end].partition("\n")[0]
                yield self._action(f"Remove `{shown[:60]}`", [gone], [item])
        if item.severity != ERROR and item.code != "unused_ignore":
            comment = with_comment(self.source, self.roots, item.span, item.code)
            if comment is not None:
                yield self._action(f"Ignore `{item.code}` here", [comment], [item])

    def _same(self, item: Diagnostic) -> list[tuple[Diagnostic, Edit]]:
        """All diagnostics of a code with the same change of the same text."""
        hint = item.hint
        assert isinstance(hint, Remedy)
        return [
            (one, edit)
            for one in self.every
            if one.code == item.code
            and isinstance(one.hint, Remedy)
            and (one.hint.action, one.hint.written, one.hint.instead)
            == (hint.action, hint.written, hint.instead)
            and (edit := edit_of(one)) is not None
            and self._is_open(edit.span.source)
        ]

    def _declare(self, inside: Iterable[Diagnostic]) -> Iterator[types.CodeAction]:
        """Declarations of names that nothing defines."""
        declarations = inspection_of(self.analysis.dialect).declarations
        names = names_of(self.workspace, self.uri) if declarations else None
        if names is None:
            return
        told: set[object] = set()
        for item in inside:
            assert item.span is not None
            for offset in (item.span.start, item.span.end):
                for mention in names.at(path_of(self.uri), offset):
                    thing = mention.thing
                    known = declarations.get(thing.kind)
                    if known is None or thing in told or names.knows(thing):
                        continue
                    told.add(thing)
                    path, entry = known
                    if thing.scope != self.source.path:
                        continue
                    text = entry.replace("NAME", thing.name)
                    edit = with_entry(self.source, self.roots, path, text)
                    if edit is not None:
                        title = f"Declare the {thing.kind} `{thing.name}`"
                        yield self._action(title, [edit], [item])

    def _default(self) -> Iterator[types.CodeAction]:
        """A value for a variable that has none."""
        defaults = inspection_of(self.analysis.dialect).defaults
        names = names_of(self.workspace, self.uri) if defaults else None
        for mention in names.at(path_of(self.uri), self.start) if names is not None else ():
            known = defaults.get(mention.thing.kind)
            if known is None or not mention.defines:
                continue
            name = mention.thing.name
            path = tuple(one.replace("NAME", name) for one in known[0])
            edit = with_entry(self.source, self.roots, path, known[1])
            if edit is not None and self._lacks(path, known[1].partition(":")[0]):
                yield self._action(f"Give `{name}` a default", [edit], [], kind="refactor")
                yield from self._supply(name)

    def _supply(self, name: str) -> Iterator[types.CodeAction]:
        """A value for a variable in a file that the document is rendered with."""
        for file, source in supplying(self.workspace, self.uri):
            if name in file.assignments or not source.path:
                continue
            roots = nodes_of(source, self.analysis.context.limits, True) or ()
            edit = with_entry(source, roots, (), f'{name}: ""') if source.format == "yaml" else None
            if edit is not None:
                at = Coordinates(source, self.workspace.units).of(edit.span)
                changes = {uri_of(source.path): [types.TextEdit(at, edit.text)]}
                yield types.CodeAction(
                    f"Give `{name}` a value in {file.name}",
                    types.CodeActionKind.Refactor,
                    edit=types.WorkspaceEdit(changes),
                )

    def _lacks(self, path: tuple[str, ...], key: str) -> bool:
        node: object = self.roots[0]
        for step in path:
            node = getattr(node, "items", {}).get(step)
        return key not in getattr(node, "items", {})

    def _everywhere(self) -> Iterator[types.CodeAction]:
        """All changes that are certainly meant."""
        edits: dict[tuple[int, int], Edit] = {}
        items = []
        for item in self.every:
            if isinstance(item.hint, Remedy) and item.hint.sure:
                edit = edit_of(item)
                if edit is not None and self._is_open(edit.span.source):
                    edits[edit.span.start, edit.span.end] = edit
                    items.append(item)
        if edits:
            title = "Follow all hints that leave no choice"
            yield self._action(title, list(edits.values()), items, kind=FIX_ALL)

    def _is_open(self, source: Source) -> bool:
        """True for a text that an edit can be made in: the file that was asked about."""
        return source.path == self.source.path

    def _action(
        self,
        title: str,
        edits: list[Edit],
        items: list[Diagnostic],
        kind: str = "quickfix",
        preferred: bool = False,
    ) -> types.CodeAction:
        at: Coordinates = self.analysis.at
        changes = [types.TextEdit(at.of(edit.span), edit.text) for edit in _apart(edits)]
        return types.CodeAction(
            title,
            kind,
            [self._told(item) for item in items] or None,
            is_preferred=preferred or None,
            edit=types.WorkspaceEdit({self.uri: changes}),
        )

    def _told(self, item: Diagnostic) -> types.Diagnostic:
        assert item.span is not None
        span: Span = item.span
        return types.Diagnostic(
            self.analysis.at.of(span), item.summary, code=item.code, source="bpp"
        )


def _apart(edits: list[Edit]) -> list[Edit]:
    """Edits in order, without those that overlap an earlier one."""
    kept: list[Edit] = []
    for edit in sorted(edits, key=lambda one: (one.span.start, one.span.end)):
        if not kept or edit.span.start >= kept[-1].span.end:
            kept.append(edit)
    return kept


def _title(item: Diagnostic, edit: Edit) -> str:
    hint = item.hint
    assert isinstance(hint, Remedy)
    if hint.action == REMOVE:
        return "Remove the comment" if not edit.text else f"Remove the code `{_shown(item)}`"
    if hint.action == QUOTE:
        return f"Put `{_shown(item)}` in quotes"
    return f"Change `{hint.written or _shown(item)}` to `{hint.instead}`"


def _shown(item: Diagnostic) -> str:
    assert item.span is not None
    return item.span.source.text[item.span.start : item.span.end][:60]


FEATURES: Final = (
    Feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        code_actions,
        types.CodeActionOptions(
            [types.CodeActionKind.QuickFix, FIX_ALL, types.CodeActionKind.Refactor]
        ),
    ),
)
