"""Links from a document to the files that it names."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from lsprotocol import types

from ..answers.inspection import inspection_of, openers_of
from ..engine.run import Dialect
from ..values.tree import Scalar
from .completing import fits_path
from .feature import Feature
from .texts import uri_of
from .tokens import regions_in
from .trees import Trees, scalars, trees_of
from .workspace import Workspace

_MOST: Final = 1_000
_FILES_EFFECT: Final = "files"


def document_links(
    workspace: Workspace, params: types.DocumentLinkParams
) -> list[types.DocumentLink] | None:
    """The files that exist of those that a text names, in fields and as arguments of functions."""
    uri = params.text_document.uri
    trees, analysis = trees_of(workspace, uri), workspace.latest(uri)
    if trees is None or analysis is None or trees.source.path is None:
        return None
    folder = os.path.dirname(trees.source.path)
    effects = analysis.context.functions.effects()
    readers = [name for name, effect in effects.items() if effect == _FILES_EFFECT]
    files = workspace.files()
    found = []
    for start, end, name in islice(_named(trees, analysis.dialect, readers), _MOST):
        place = trees.place(start, end)
        path = os.path.normpath(os.path.join(folder, name))
        if place is not None and name.isprintable() and files.exists(path):
            found.append(types.DocumentLink(trees.at.range(*place), uri_of(path)))
    return found


def _named(trees: Trees, dialect: Dialect, readers: list[str]) -> Iterator[tuple[int, int, str]]:
    """The paths in a text and where they are written."""
    named_at = inspection_of(dialect).named
    patterns = [one.split(".") for one, kind in named_at.items() if kind == "files"]
    openers = openers_of(dialect)
    text = trees.read.text
    call = re.compile(
        rf"\b(?:{'|'.join(map(re.escape, readers))})\(\s*\\?(['\"])(?P<path>[^'\"\\\n]+)"
    )
    for node in trees.nodes:
        for path, scalar in scalars(node):
            if not isinstance(scalar, Scalar) or not isinstance(scalar.value, str):
                continue
            named = any(fits_path(steps, path) for steps in patterns)
            if named and _is_name(scalar, text):
                quoted = text[scalar.start : scalar.start + 1] in ('"', "'")
                yield scalar.start + quoted, scalar.end - quoted, scalar.value
            if any(name in scalar.value for name in readers):
                for region in regions_in(text, scalar.start, scalar.end, openers):
                    for one in call.finditer(text, region.begin, region.end):
                        yield one.start("path"), one.end("path"), one["path"]


def _is_name(scalar: Scalar, text: str) -> bool:
    """True for a path on one line, without anything that is computed."""
    return "\n" not in text[scalar.start : scalar.end] and "{" not in str(scalar.value)


FEATURES: Final = (Feature(types.TEXT_DOCUMENT_DOCUMENT_LINK, document_links),)
