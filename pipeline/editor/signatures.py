"""Signature help: the call around the cursor, found in text that need not be readable."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from lsprotocol import types

from ...functions.registry import Function, FunctionNotLoaded
from ..answers.inspection import openers_of
from .analysis import Analysis
from .coordinates import Coordinates
from .feature import NOTHING, Feature
from .workspace import Workspace

_LONGEST: Final = 8_000
"""Characters before the cursor that are looked at."""

_MOST: Final = 20
"""Delimiters before it that are looked at."""

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


def expression_before(text: str, offset: int, openers: Sequence[tuple[str, str]]) -> str | None:
    """The expression that is open at an offset, from its delimiter to there; None for none."""
    start = max(0, offset - _LONGEST)
    window = text[start:offset]
    at = len(window)
    for _ in range(_MOST):
        places = [(window.rfind(one, 0, at), one) for one, _ in openers]
        found, opener = max(places, default=(-1, ""))
        if found < 0:
            return None
        line = window.rfind("\n", 0, found) + 1
        quoted = (window.count('"', line, found) - window.count('\\"', line, found)) % 2
        before = window[found + len(opener) :]
        before = before.replace('\\"', '"') if quoted else before
        depth = len(opener) - len(opener.rstrip("({["))
        for one in _TOKEN.finditer(before):
            depth += bool(one["open"]) - bool(one["close"])
            if not depth:
                break
        else:
            return before
        at = found + len(opener) - 1
    return None


def call_at(
    before: str, find: Callable[[str], Function | None]
) -> tuple[Function, int, str | None] | None:
    """The function that an expression calls at its end, the argument there, and the name of that.

    `before` is the expression up to the cursor; `find` gives the function of a name.
    """
    groups = [_Group(None)]
    for one in _TOKEN.finditer(before):
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
    before = expression_before(source.text, offset, openers_of(analysis.dialect))
    if before is None:
        return None
    found = call_at(before, lambda name: function_of(analysis, name))
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
