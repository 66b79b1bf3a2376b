"""Detects the format of a text and calls its reader."""

from __future__ import annotations

import re
from typing import Final

from ...functions.values import FunctionError
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics
from ..values.expression import Segments
from ..values.source import Source, Span
from ..values.tree import AnyNode, Array
from .scalars import Split

_EXTENSIONS: Final = {".yml": "yaml", ".yaml": "yaml", ".json": "json", ".jsonc": "json"}
_BLANK: Final = r"(?:[\ufeff \t\r\n]+|//[^\r\n]*|/\*(?s:.*?)\*/)*+"
# a brace may also open a flow mapping of YAML; a quoted key, a comment or nothing after it is JSON
_JSON: Final = _BLANK + r"(?:\{" + _BLANK + r'(?:["}]|\Z)|\[' + _BLANK + r'(?:[\[\]{"\d]|-\d|\Z))'


def format_of(name: str) -> str | None:
    """`yaml` or `json` by the extension of a file name or an address; None for any other."""
    dot = name.rfind(".")
    return _EXTENSIONS.get(name[dot:].lower()) if dot >= 0 else None


def format_of_text(text: str) -> str:
    """`json` when a text without a name begins as JSON does, `yaml` otherwise."""
    if re.match(_JSON, text) or re.match(r"[\ufeff\s]*(?://|/\*)", text):
        return "json"
    return "yaml"


def read(
    source: Source, split: Split, opener: str, meter: Meter, diagnostics: Diagnostics
) -> AnyNode | None:
    """The nodes of a source, by its `format`; None when it cannot be read.

    Every mistake is added to `diagnostics`; a tree that comes back may still have some. The nodes
    are spent of the meter's while they are read.
    """
    try:
        if source.format == "json":
            from .json_reader import read_json

            return read_json(source, split, opener, meter, diagnostics)
        from .yaml_reader import read_yaml

        return read_yaml(source, split, opener, meter, diagnostics)
    except FunctionError as error:  # the time is up
        diagnostics.error(error.code, Span(source, 0, 0), error.message, error.hint)
        return None


def read_documents(
    source: Source, split: Split, opener: str, meter: Meter, diagnostics: Diagnostics
) -> list[AnyNode] | None:
    """The documents of a source: those of a YAML text, the items of an array of JSON.

    Arguments and mistakes are those of `read`.
    """
    if source.format == "json":
        root = read(source, split, opener, meter, diagnostics)
        if root is None:
            return None
        return root.items if isinstance(root, Array) else [root]
    from .yaml_reader import read_yaml_documents

    try:
        return read_yaml_documents(source, split, opener, meter, diagnostics)
    except FunctionError as error:
        diagnostics.error(error.code, Span(source, 0, 0), error.message, error.hint)
        return None


def read_plain(source: Source, meter: Meter, diagnostics: Diagnostics) -> AnyNode | None:
    """The nodes of a source that is plain data: nothing in it is taken for a substitution."""
    # No text that the readers accept holds this opener, so nothing is ever split.
    return read(source, lambda text: Segments((text,)), "\0", meter, diagnostics)
