"""Names changed everywhere: in the document, in those it includes, and in those that include it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from lsprotocol import types

from ..answers.inspection import inspection_of
from ..answers.mentions import Mention, Thing
from ..formats.remedies import Edit
from ..rendering import check, render
from ..values.diagnostics import ERROR
from ..values.source import Source
from .coordinates import Coordinates
from .feature import Feature, Refused
from .navigation import Names, mentions_at, names_of, range_of, with_parents
from .texts import OpenFiles, uri_of
from .workspace import Workspace


def prepare_rename(
    workspace: Workspace, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    """The name at a position that can be changed.

    Raises:
        Refused: it comes from outside.
    """
    uri = params.text_document.uri
    names = names_of(workspace, uri)
    found = mentions_at(workspace, uri, params.position, names)
    if not found or names is None:
        return None
    _refuse_foreign(found[0], names)
    return types.PrepareRenamePlaceholder(range_of(workspace, found[0]), found[0].thing.name)


def rename(workspace: Workspace, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that give what is named at a position another name.

    Raises:
        Refused: the name is not valid, or taken; or the documents would have new mistakes.
    """
    uri, new = params.text_document.uri, params.new_name
    names = with_parents(workspace, uri)
    found = mentions_at(workspace, uri, params.position, names)
    if not found or names is None:
        return None
    _refuse_foreign(found[0], names)
    things = dict.fromkeys(one.thing for one in found)
    for thing in things:
        if thing.name == new:
            return types.WorkspaceEdit({})
        _refuse_name(new, thing.kind, names)
        if names.knows(thing.evolve(name=new)):
            raise Refused(f"there is a {thing.kind} `{new}` already")
    edits: dict[str, dict[tuple[int, int], Edit]] = {}
    sources: dict[str, Source] = {}
    for one in names.of(things):
        edit = one.renamed(new)
        path = one.span.source.path or ""
        if edit is None:
            line = one.span.line
            raise Refused(f"`{new}` cannot be written in line {line} of {one.span.source.name}")
        sources[path] = edit.span.source
        edits.setdefault(path, {})[edit.span.start, edit.span.end] = edit
    changed = {path: _applied(sources[path], listed.values()) for path, listed in edits.items()}
    _refuse_changes(workspace, names, changed, found[0].thing, new)
    return types.WorkspaceEdit(
        {
            uri_of(path): [
                types.TextEdit(
                    Coordinates(edit.span.source, workspace.units).of(edit.span), edit.text
                )
                for edit in sorted(listed.values(), key=lambda one: one.span.start)
            ]
            for path, listed in edits.items()
        }
    )


def _refuse_foreign(mention: Mention, names: Names) -> None:
    if not names.knows(mention.thing):
        raise Refused(f"the {mention.thing.kind} `{mention.thing.name}` is not defined here")


def _refuse_name(new: str, kind: str, names: Names) -> None:
    rules = inspection_of(names.dialect).naming
    rule = rules.get(kind) or rules.get("")
    if rule and not rule[0]:
        raise Refused(f"the name of a {kind} is fixed")
    if not new.strip() or "\n" in new or (rule and not re.fullmatch(rule[0], new)):
        words = f": it may have {rule[1]}" if rule else ""
        raise Refused(f"`{new}` is not a valid name of a {kind}{words}")


def _applied(source: Source, edits: object) -> Source:
    """A text with edits.

    Raises:
        Refused: two of them overlap.
    """
    text, last = source.text, len(source.text) + 1
    listed: list[Edit] = sorted(edits, key=lambda one: one.span.start, reverse=True)  # type: ignore[call-overload]
    for edit in listed:
        if edit.span.end > last:
            raise Refused("two places that name it overlap")
        last = edit.span.start
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return source.evolve(text=text)


def _refuse_changes(
    workspace: Workspace, names: Names, changed: Mapping[str, Source], thing: Thing, new: str
) -> None:
    """Refuses a change after which a document has new mistakes, or renders to something else."""
    for root in names.roots:
        before = _Trial(workspace, root, {})
        after = _Trial(workspace, changed.get(root.path or "", root), changed)
        fresh = after.mistakes - before.mistakes
        if after.mistakes.total() > before.mistakes.total() and fresh:
            raise Refused(f"`{new}` would be a mistake in {root.name}: {min(fresh)[1]}")
        if before.text is None:
            continue
        if after.text is None or not _alike(before.text, after.text, thing.name, new):
            raise Refused(
                f"more than the name would change in what {root.name} renders to: a file of values "
                f"may name `{thing.name}`, too"
            )


class _Trial:
    """What a document is like with other texts: its mistakes, and its render as JSON.

    `text` is None for a document that is not open, or cannot be rendered.
    """

    def __init__(self, workspace: Workspace, source: Source, changed: Mapping[str, Source]) -> None:
        arguments = workspace.arguments(source)
        files = OpenFiles(arguments["files"], {**workspace.texts, **changed})
        dialect = workspace.dialect(source)
        told = check(source, **{**arguments, "files": files, "dialect": dialect})
        self.mistakes = Counter(
            (item.code, item.summary) for item in told if item.severity == ERROR
        )
        self.text: str | None = None
        analysis = workspace.latest(uri_of(source.path or ""))
        if analysis is None or analysis.whole is not None:
            return  # a part of what is tried on its own
        settings, dialect = workspace.settings, analysis.dialect
        given = workspace.inputs.found(source, dialect, settings, files).arguments
        if given is not None:
            run = render(source, **{**given, "files": files, "dialect": dialect})
            if run.ok:
                with suppress(ValueError):
                    self.text = json.dumps(run.data, sort_keys=True)


def _alike(before: str, after: str, old: str, new: str) -> bool:
    """True for texts of JSON that differ in a name alone."""
    shown, wanted = (json.dumps(name)[1:-1] for name in (old, new))
    return _sorted(after.replace(wanted, shown)) == _sorted(before.replace(wanted, shown))


def _sorted(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


FEATURES: Final = (
    Feature(types.TEXT_DOCUMENT_PREPARE_RENAME, prepare_rename),
    Feature(types.TEXT_DOCUMENT_RENAME, rename, types.RenameOptions(prepare_provider=True)),
)
