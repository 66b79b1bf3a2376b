"""Documents to YAML and JSON, in one pass and without aliases.

Both writers walk the tree with a list of their own instead of recursion, so that no document is too
deep for them, and remember how each distinct string is written: documents repeat themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, Final, Protocol

from .diagnostics import Diagnostic, Stop
from .formats.quoting import literal, quote
from .settings import Limits
from .tree import AnyNode, Map, Scalar, Template

# YAML readers look for the colon of a key without a mark within so many characters
LONGEST_SIMPLE_KEY: Final = 1000
BLOCK: Final = "|"
_JSON_LEFT_ALONE: Final = re.compile("[\u2028\u2029\ud800-\udfff]")


class Printer(Protocol):
    """How a dialect writes substitutions."""

    @property
    def opener(self) -> str:
        """What begins a substitution."""

    def template(self, node: Template) -> str:
        """The text of a string with substitutions that are left over."""

    def protect(self, text: str) -> str:
        """Known text that contains the opener, written so that reading it gives the text again."""


def emit(root: AnyNode, format: str, printer: Printer, limits: Limits) -> str:  # noqa: A002
    """The text of a document, in `yaml` or `json`, with a line break at its end.

    Raises Stop with `limit_exceeded` when the text grows past `max_output_chars`, with
    `number_out_of_range` for a float that is not finite.
    """
    if format == "json":
        return _json(root, printer, limits)
    return _yaml(root, printer, limits)


def _yaml(root: AnyNode, printer: Printer, limits: Limits) -> str:
    most = limits.max_output_chars
    opener = printer.opener
    heads: dict[str, str] = {}
    long = False
    strings: dict[str, str] = {}
    templates: dict[str, str] = {}
    blocks: dict[str, tuple[str, list[str]]] = {}
    lines: list[str] = []
    append = lines.append
    size = 0

    # the collection being written: what is left of it, and what its lines begin with; `lead` is
    # what the next line begins with, longer than `pad` after a dash
    pad = lead = ""
    mapping = False
    items: Iterator[Any] = iter((root,))
    stack: list[tuple[Iterator[Any], bool, str]] = []
    dash = ""

    while True:
        for entry in items:
            if mapping:
                key, node = entry
                head = heads.get(key)
                if head is None:
                    head = heads[key] = quote(key) + ":"
                    long = long or len(head) > LONGEST_SIMPLE_KEY
                if long and len(head) > LONGEST_SIMPLE_KEY:
                    head = f"{lead}? {head[:-1]}\n{pad}:"
                else:
                    head = lead + head
            else:
                node = entry
                head = lead + dash
            lead = pad

            kind = node.__class__
            if kind is Scalar:
                value = node.value
                if value.__class__ is str:
                    text = strings.get(value)
                    if text is None:
                        text = strings[value] = _yaml_string(value, opener, printer, blocks)
                    if text is BLOCK:
                        text = _block(*blocks[value], pad)
                else:
                    text = _yaml_scalar(value)
            elif kind is Template:
                written = printer.template(node)
                text = templates.get(written)
                if text is None:
                    text = templates[written] = quote(written)
            elif not node.items:
                text = "{}" if kind is Map else "[]"
            else:
                stack.append((items, mapping, pad))
                if mapping:
                    lines.append(head + "\n")
                    size += len(head) + 1
                    pad = lead = pad + "  "
                elif head:
                    pad += "  "
                    lead = head + " "
                mapping = kind is Map
                items = iter(node.items.items() if mapping else node.items)
                dash = "-"
                break

            line = f"{head} {text}\n" if head else text + "\n"
            append(line)
            size += len(line)
            if size > most:
                raise _too_long(limits)
        else:
            if not stack:
                return "".join(lines)
            items, mapping, pad = stack.pop()
            lead = pad
            dash = "-" if stack else ""


def _yaml_string(
    value: str, opener: str, printer: Printer, blocks: dict[str, tuple[str, list[str]]]
) -> str:
    """A known string on one line, or BLOCK when it is to be one, which is put in `blocks`."""
    if opener in value:
        return quote(printer.protect(value))
    block = literal(value)
    if block is not None:
        blocks[value] = block
        return BLOCK
    return quote(value)


def _block(header: str, lines: list[str], pad: str) -> str:
    indent = f"\n{pad}  "
    return header + "".join([indent + line if line else "\n" for line in lines])


def _yaml_scalar(value: float | bool | None) -> str:
    if value is None:
        return "null"
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is float:
        text = _finite(value)
        mantissa, e, exponent = text.partition("e")
        # YAML 1.1 takes 1e+16 for a string
        return f"{mantissa}.0e{exponent}" if e and "." not in mantissa else text
    return str(value)


def _finite(value: float) -> str:
    if isfinite(value):
        return repr(value)
    raise Stop(Diagnostic("number_out_of_range", "a number that is not finite cannot be written"))


def _too_long(limits: Limits) -> Stop:
    return Stop(
        Diagnostic(
            "limit_exceeded",
            f"the output is longer than {limits.max_output_chars} characters, "
            "the limit `max_output_chars`",
        )
    )


def _json(root: AnyNode, printer: Printer, limits: Limits) -> str:
    from json.encoder import encode_basestring

    most = limits.max_output_chars
    opener = printer.opener
    strings: dict[str, str] = {}
    texts: dict[str, str] = {}
    pieces: list[str] = []
    size = 0

    # the collection being written: what is left of it, what it closes with, and what stands before
    # its next entry
    pad = ""
    before = ""
    closing = ""
    mapping = False
    items: Iterator[Any] = iter((root,))
    stack: list[tuple[Iterator[Any], bool, str, str]] = []

    while True:
        for entry in items:
            if mapping:
                key, node = entry
                head = texts.get(key)
                if head is None:
                    head = texts[key] = _json_string(key, encode_basestring)
                head = f"{before}{pad}{head}: "
            else:
                node = entry
                head = before + pad
            before = ",\n"

            kind = node.__class__
            if kind is Scalar:
                value = node.value
                if value.__class__ is str:
                    text = strings.get(value)
                    if text is None:
                        known = printer.protect(value) if opener in value else value
                        text = strings[value] = _json_string(known, encode_basestring)
                elif value.__class__ is float:
                    text = _finite(value)
                else:
                    text = _yaml_scalar(value)
            elif kind is Template:
                written = printer.template(node)
                text = texts.get(written)
                if text is None:
                    text = texts[written] = _json_string(written, encode_basestring)
            elif not node.items:
                text = "{}" if kind is Map else "[]"
            else:
                stack.append((items, mapping, pad, closing))
                mapping = kind is Map
                head += "{" if mapping else "["
                pieces.append(head)
                size += len(head)
                closing = f"\n{pad}{'}' if mapping else ']'}"
                pad += "  "
                before = "\n"
                items = iter(node.items.items() if mapping else node.items)
                break

            piece = head + text
            pieces.append(piece)
            size += len(piece)
            if size > most:
                raise _too_long(limits)
        else:
            if not stack:
                pieces.append("\n")
                if size + 1 > most:
                    raise _too_long(limits)
                return "".join(pieces)
            pieces.append(closing)
            size += len(closing)
            items, mapping, pad, closing = stack.pop()
            before = ",\n"


def _json_string(text: str, encode: Callable[[str], str]) -> str:
    encoded = encode(text)
    if encoded.isascii() or not _JSON_LEFT_ALONE.search(encoded):
        return encoded
    return _JSON_LEFT_ALONE.sub(lambda match: f"\\u{ord(match[0]):04x}", encoded)
