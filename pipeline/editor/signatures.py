"""Signature help: the call around the cursor, found in text that need not be readable."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from lsprotocol import types

from ...functions.registry import Function, FunctionNotLoaded
from ..answers.inspection import openers_of
from .analysis import Analysis
from .coordinates import Coordinates
from .cursor import EXPRESSION, cursor_at
from .feature import NOTHING, Feature
from .workspace import Workspace

_LONGEST: Final = 20_000
"""Characters before the cursor that are looked at."""

_TOKEN: Final = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?)"""
    r"""|(?P<open>(?P<name>[A-Za-z_][\w.]*)?(?P<mark>[(\[{]))|(?P<close>[)\]}])"""
    r"""|(?P<comma>,)|(?P<pipe>\|)|(?P<named>[A-Za-z_]\w*)\s*=(?!=)"""
    r"""|(?P<word>[^\s()\[\]{},|"'`]+)"""
)


class _Group:
    """Brackets that are open: the function before them, and the arguments in them so far.

    `words` counts those of a command, such as `printf "%s" .x`, whose `first` is its function.
    """

    def __init__(self, name: str | None) -> None:
        self.name = name
        self.arguments = 0
        self.named: str | None = None
        self.first: str | None = None
        self.words = 0


def call_at(
    before: str, find: Callable[[str], Function | None]
) -> tuple[Function, int, str | None] | None:
    """The function that an expression calls at its end, the argument there, and the name of that.

    `before` is the expression up to the cursor; `find` gives the function of a name.
    """
    groups = [_Group(None)]
    for one in _TOKEN.finditer(before[-_LONGEST:]):
        top = groups[-1]
        if one["open"]:
            _count(top, one["name"] or one["mark"])
            groups.append(_Group(one["name"] if one["mark"] == "(" else None))
        elif one["close"]:
            groups = groups[:-1] or [_Group(None)]
        elif one["comma"]:
            top.arguments, top.named = top.arguments + 1, None
        elif one["pipe"]:
            top.first, top.words = None, 0
        elif one["named"]:
            top.named = one["named"]
        else:
            _count(top, one[0])
    typing = before[-1:].strip() != ""  # the last word is not at its end
    for group in reversed(groups):
        found = find(group.name) if group.name else None
        if found is not None:
            return found, group.arguments, group.named
        found = find(group.first) if group.first and group.words > 1 - (not typing) else None
        if found is not None and group is groups[-1] and group.words >= 1 + typing:
            return found, group.words - 1 - typing, None
    return None


def _count(group: _Group, word: str) -> None:
    group.words += 1
    if group.words == 1:
        group.first = word


def signature_help(
    workspace: Workspace, params: types.SignatureHelpParams
) -> types.SignatureHelp | None:
    """The signature of the function that is called at a position."""
    uri = params.text_document.uri
    source, analysis = workspace.source(uri), workspace.latest(uri)
    if source is None or analysis is None:
        return None
    offset = Coordinates(source, workspace.units).offset(params.position)
    cursor = cursor_at(source, offset, openers_of(analysis.dialect))
    if cursor.kind != EXPRESSION:
        return None
    found = call_at(cursor.before, lambda name: function_of(analysis, name))
    if found is None:
        return None
    function, place, named = found
    labels = [
        f"{'...' if one.variadic else ''}{one.name}{'?' if one.optional else ''}: {one.type_text}"
        for one in function.parameters
    ]
    if named is not None:
        names = [one.name for one in function.parameters]
        place = names.index(named) if named in names else place
    if function.parameters and function.parameters[-1].variadic:
        place = min(place, len(function.parameters) - 1)
    shown = [
        types.ParameterInformation(label, one.doc or None)
        for label, one in zip(labels, function.parameters, strict=True)
    ]
    one = types.SignatureInformation(function.signature, function.summary, shown, place)
    return types.SignatureHelp([one], 0, place)


def function_of(analysis: Analysis, name: str) -> Function | None:
    """The function of a name in the expressions of a document; None for others."""
    functions = analysis.context.functions
    try:
        return functions.get(name)
    except FunctionNotLoaded:
        return None


FEATURES: Final = (
    Feature(
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        signature_help,
        types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=[","]),
        NOTHING,
    ),
)
