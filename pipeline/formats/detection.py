"""Detects the format of a text and calls its reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from ...functions.regexes import compile_regex
from ...functions.values import FunctionError
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics, likely
from ..values.expression import Segments
from ..values.quoting import QuotingRule, quote_all
from ..values.source import Source
from ..values.tree import AnyNode, Array
from .scalars import Split

EXTENSIONS: Final = {".yml": "yaml", ".yaml": "yaml", ".json": "json", ".jsonc": "json"}
_BLANK: Final = r"(?:[\ufeff \t\r\n]+|//[^\r\n]*|/\*(?s:.*?)\*/)*+"
# a brace may also open a flow mapping of YAML; a quoted key, a comment or nothing after it is JSON
_JSON: Final = _BLANK + r"(?:\{" + _BLANK + r'(?:["}]|\Z)|\[' + _BLANK + r'(?:[\[\]{"\d]|-\d|\Z))'


def format_of(name: str) -> str | None:
    """`yaml` or `json` by the extension of a file name or an address; None for any other."""
    dot = name.rfind(".")
    return EXTENSIONS.get(name[dot:].lower()) if dot >= 0 else None


def format_of_text(text: str) -> str:
    """`json` when a text without a name begins as JSON does, `yaml` otherwise."""
    if re.match(_JSON, text) or re.match(r"[\ufeff\s]*(?://|/\*)", text):
        return "json"
    return "yaml"


_FLOW: Final = compile_regex(
    r"(?:[\ufeff \t\r\n]|---|\#[^\n]*|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z))*+[\[{]"
)
_TOKEN: Final = compile_regex(
    r""""(?P<text>(?:[^"\\\n]|\\.)*+)"?(?P<key>\s*+:)?|(?P<open>[\[{])|(?P<close>[\]}])"""
    r"""|//[^\n]*|\#[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|(?P<word>[^\s"\[\]{},:\#/]++)(?P<word_key>\s*+:)?""",
)
_LOOKED_AT: Final = 10_000
"""Tokens to read of a text in flow style, whose top-level keys come early."""

_MOST_KEYS: Final = 200


def in_flow_style(text: str) -> bool:
    """True for a text that begins with a bracket, as JSON does."""
    return _FLOW.match(text) is not None


def top_level_fields(text: str) -> Iterator[tuple[str, str]]:
    """The keys at the top level of a text, also of one that cannot be read, and their scalars.

    Of a text in flow style those of the map, or of the maps in the array. A guess by its looks: a
    scalar is as it is written without quotes, and empty where anything else or nothing stands.
    """
    return _flow_fields(text) if in_flow_style(text) else _block_fields(text)


def _block_fields(text: str) -> Iterator[tuple[str, str]]:
    top: int | None = None
    for line in text.removeprefix("\ufeff").split("\n"):
        body = line.strip()
        if not body or body[0] in "#%" or body in ("---", "..."):
            continue
        if body.startswith("--- "):
            body = body[4:].lstrip()
        indent = len(line) - len(line.lstrip())
        if top is None:
            top = indent
        key, colon, rest = body.partition(":")
        if indent == top and colon and (not rest or rest[0] in " \t"):
            scalar = rest.partition(" #")[0].strip()
            yield key.strip().strip("\"'"), scalar.strip("\"'")


def _flow_fields(text: str) -> Iterator[tuple[str, str]]:
    depth = 0
    base = 1
    key: str | None = None
    for number, token in enumerate(_TOKEN.finditer(text)):
        if number > _LOOKED_AT:
            break
        if token["open"]:
            if depth == base and key is not None:
                yield key, ""
            if token["open"] == "[" and depth == 0:
                base = 2
            depth, key = depth + 1, None
        elif token["close"]:
            depth, key = depth - 1, None
        else:
            word = token["text"] if token["text"] is not None else token["word"]
            if word is None:
                continue
            if token["key"] or token["word_key"]:
                key = word
            elif key is not None:
                if depth == base:
                    yield key, word
                key = None


class _Keys:
    """Recognises a text by one of some keys at its top level, which may have a slip."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __call__(self, source: Source) -> bool:
        found = islice(top_level_fields(source.text), _MOST_KEYS)
        return any(key in self._names or likely(key, self._names) for key, _ in found)


def quoting_by_keys(*names: str) -> QuotingRule:
    """The rule of texts with one of some keys at the top level, of which every line may be quoted.

    For a dialect without secrets.
    """
    return QuotingRule(_Keys(names), quote_all)


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
        diagnostics.error(error.code, source.span(0, 0), error.message, error.hint)
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
        diagnostics.error(error.code, source.span(0, 0), error.message, error.hint)
        return None


def read_plain(source: Source, meter: Meter, diagnostics: Diagnostics) -> AnyNode | None:
    """The nodes of a source that is plain data: nothing in it is taken for a substitution."""
    # No text that the readers accept holds this opener, so nothing is ever split.
    return read(source, lambda text: Segments((text,)), "\0", meter, diagnostics)
