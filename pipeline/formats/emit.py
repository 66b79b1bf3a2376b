"""Documents to YAML and JSON, in one pass and without aliases.

Both writers walk the tree with a list of their own instead of recursion, so that no document is too
deep for them, and remember how each distinct string is written: documents repeat themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import isfinite
from typing import Any, Final

from ..language.syntax import Printer
from ..values.diagnostics import Diagnostic, Stop
from ..values.settings import Limits, how_to_raise
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar, Template, Trail

# YAML readers look for the colon of a key without a mark within so many characters
LONGEST_SIMPLE_KEY: Final = 1000


def emit(root: AnyNode, format: str, printer: Printer, limits: Limits) -> str:  # noqa: A002
    """The text of a document, in `yaml` or `json`, with a line break at its end.

    Raises Stop with `limit_exceeded` when the text grows past `max_output_chars` or is nested
    deeper than `max_depth`, with `number_out_of_range` for a float that is not finite.
    """
    if format == "json":
        return _json(root, printer, limits)
    return _yaml(root, printer, limits)


def emit_all(roots: Sequence[AnyNode], format: str, printer: Printer, limits: Limits) -> str:  # noqa: A002
    """The text of several documents: an array of JSON, or documents of YAML with `---` between.

    Raises Stop as `emit` does.
    """
    if format == "json":
        trail = roots[0].trail if roots else Trail(Source("", ""))
        return _json(Array(list(roots), trail, 0, 0), printer, limits)
    texts = []
    size = 0
    words = _Words(printer)
    for root in roots:
        texts.append(_yaml(root, printer, limits, words))
        size += len(texts[-1])
        if size > limits.max_output_chars:
            raise _too_long(limits)
    return "---\n".join(texts)


class _Words:
    """The YAML of keys, strings and templates; None if it takes several lines."""

    def __init__(self, printer: Printer) -> None:
        opener = printer.opener
        blocks: dict[str, tuple[str, list[str]]] = {}
        strings = _Remembered(lambda value: _yaml_string(value, opener, printer, blocks))
        self.blocks = blocks
        self.heads = _Remembered(_yaml_head)
        self.texts = _Remembered(lambda kind: strings if kind is str else _Computed(_yaml_scalar))
        self.templates = _Remembered(quote)


def _yaml(root: AnyNode, printer: Printer, limits: Limits, words: _Words | None = None) -> str:
    most = limits.max_output_chars
    deepest = limits.max_depth
    words = words or _Words(printer)
    blocks, heads, texts, templates = words.blocks, words.heads, words.texts, words.templates
    lines: list[str] = []
    append = lines.append
    size = 0

    # the collection being written: what is left of it, and what its lines begin with; `lead` is
    # what the next line begins with, longer than `pad` after a dash
    pad = lead = ""
    mapping = False
    items: Iterator[Any] = iter((root,))
    stack: list[tuple[Iterator[Any], bool, str]] = []
    head = dash = ""

    while True:
        for entry in items:
            if mapping:
                key, node = entry
                head = heads[key] or f"? {quote(key)}\n{pad}: "
            else:
                node = entry
                head = dash

            kind = type(node)
            if kind is Scalar:
                value = node.value
                text = texts[type(value)][value]
                if text is None:
                    text = _block(*blocks[value], pad)
            elif kind is Template:
                text = templates[printer.template(node)]
            elif not node.items:
                if len(stack) >= deepest:
                    raise _too_deep(limits)
                text = "{}" if kind is Map else "[]"
            else:
                stack.append((items, mapping, pad))
                if len(stack) > deepest:
                    raise _too_deep(limits)
                if mapping:
                    line = f"{lead}{head[:-1]}\n"
                    append(line)
                    size += len(line)
                    pad = lead = pad + "  "
                elif head:
                    lead += head
                    pad += "  "
                mapping = kind is Map
                items = iter(node.items.items() if mapping else node.items)
                dash = "- "
                break

            line = f"{lead}{head}{text}\n"
            lead = pad
            append(line)
            size += len(line)
            if size > most:
                raise _too_long(limits)
        else:
            if not stack:
                return "".join(lines)
            items, mapping, pad = stack.pop()
            lead = pad
            dash = "- " if stack else ""


class _Computed(dict[Any, Any]):
    """A function of a key, as a dict because a lookup costs the least."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute

    def __missing__(self, key: Any) -> Any:
        return self.compute(key)


class _Remembered(_Computed):
    """The same, computed once for each key."""

    def __missing__(self, key: Any) -> Any:
        found = self[key] = self.compute(key)
        return found


def _yaml_head(key: str) -> str | None:
    head = quote(key) + ": "
    return head if len(head) <= LONGEST_SIMPLE_KEY + 1 else None


def _yaml_string(
    value: str, opener: str, printer: Printer, blocks: dict[str, tuple[str, list[str]]]
) -> str | None:
    """A known string on one line; None when it is to be a block, which is put in `blocks`."""
    if opener in value:
        return quote(printer.protect(value))
    if "\n" in value:
        block = literal(value)
        if block is not None:
            blocks[value] = block
            return None
    return quote(value)


def _block(header: str, lines: list[str], pad: str) -> str:
    indent = f"\n{pad}  "
    return header + "".join([indent + line if line else "\n" for line in lines])


def _yaml_scalar(
    value: int | float | bool | None,
) -> str:  # compiled code distinguishes integers from floats
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
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
            hint=how_to_raise("max_output_chars", limits),
        )
    )


def _too_deep(limits: Limits) -> Stop:
    return Stop(
        Diagnostic(
            "limit_exceeded",
            f"the output is nested deeper than {limits.max_depth} levels, the limit `max_depth`, "
            "so that it could not be read again",
            hint=how_to_raise("max_depth", limits),
        )
    )


def _json(root: AnyNode, printer: Printer, limits: Limits) -> str:
    from json.encoder import encode_basestring

    most = limits.max_output_chars
    deepest = limits.max_depth
    opener = printer.opener
    strings: dict[str, str] = {}
    texts: dict[str, str] = {}
    pieces: list[str] = []
    size = 0

    # the collection being written: the rest of it, its end, and the separator before its next entry
    pad = before = closing = ""
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

            kind = type(node)
            if kind is Scalar:
                value = node.value
                if type(value) is str:
                    text = strings.get(value)
                    if text is None:
                        known = printer.protect(value) if opener in value else value
                        text = strings[value] = _json_string(known, encode_basestring)
                elif type(value) is float:
                    text = _finite(value)
                else:
                    text = _yaml_scalar(value)
            elif kind is Template:
                written = printer.template(node)
                text = texts.get(written)
                if text is None:
                    text = texts[written] = _json_string(written, encode_basestring)
            elif not node.items:
                if len(stack) >= deepest:
                    raise _too_deep(limits)
                text = "{}" if kind is Map else "[]"
            else:
                stack.append((items, mapping, pad, closing))
                if len(stack) > deepest:
                    raise _too_deep(limits)
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
    if (encoded.isascii() and "\x7f" not in encoded) or not hidden().search(encoded):
        return encoded
    return hidden().sub(lambda match: f"\\u{ord(match[0]):04x}", encoded)


# control and format characters, separators, surrogates and unassigned codes: always escaped
HIDDEN: Final = (
    "\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f"
    r"\ud800-\udfff"
    "\ufeff\ufff0-\ufffb\ufffe\uffff"
)
# plain: no indicator first; then no `: `, no ` #`, no blank or colon at the end
_plain_ascii: Final = re.compile(
    r"[$()+./0-9;<A-Z\\^_a-z~]"
    r"(?:[!\"$-9;-~]++|\ ++(?=[!\"$-~])|:(?=[!-~])|(?<=[!-~])\#)*+"
).fullmatch
_number_like: Final = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9_]*)(?:[eE][-+]?[0-9_]*)?"
    r"|[-+]?0[box][0-9a-fA-F_]*"
    r"|[-+]?[0-9][0-9_]*(?::[0-9_]+)+(?:\.[0-9_]*)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"
    r"|[-+]?\.(?:[iI][nN][fF]|[nN][aA][nN])"
    r"|\.\.\..*"
).fullmatch
_WORDS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", "<<"))
_LONGEST_WORD: Final = 5
_NUMERIC: Final = "0123456789+."

_ESCAPES: Final = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
}


def quote(text: str) -> str:
    """A string on one line: plain where that is safe in block context, quoted otherwise."""
    # most are words with dashes, for which, once compiled, a pattern would take six times as long
    word = text.replace("-", "").replace("_", "").replace("/", "").replace(".", "")
    if (
        (word.isalnum() and text.isascii() and text[0] != "-")
        or _plain_ascii(text)
        or (not text.isascii() and _plain().fullmatch(text))
    ):
        # what a reader of YAML 1.1 or 1.2 may take for something else is quoted all the same
        if text[0] in _NUMERIC:
            if not _number_like(text):
                return text
        elif len(text) > _LONGEST_WORD or text.lower() not in _WORDS:
            return text
    if ('"' in text or "\\" in text) and "'" not in text and not hidden().search(text):
        return f"'{text}'"
    return f'"{_escaped().sub(_escape, text)}"'


def literal(text: str) -> tuple[str, list[str]] | None:
    """The header and the lines of a literal block scalar, or None when a block is not safe.

    Safe means that no reader can lose anything: no line ends in a blank, none starts with a tab,
    the first is not empty or indented, and all characters are visible.
    """
    if "\n" not in text or _unfit_for_literal().search(text):
        return None
    body = text.rstrip("\n")
    breaks = len(text) - len(body)
    header = "|-" if breaks == 0 else "|" if breaks == 1 else "|+"
    return header, body.split("\n") + [""] * (breaks - 1)


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}"


@cache
def hidden() -> re.Pattern[str]:
    return re.compile(f"[{HIDDEN}]")


@cache
def _escaped() -> re.Pattern[str]:
    return re.compile(f'["\\\\{HIDDEN}]')


@cache
def _plain() -> re.Pattern[str]:
    return re.compile(
        f"[^\\s{HIDDEN}\\-?:,\\[\\]{{}}#&*!|>'\"%@`=]"
        f"(?:[^\\s:#{HIDDEN}]++|\\ ++(?=[^\\s#])|:(?=\\S)|(?<=\\S)\\#)*+"
    )


@cache
def _unfit_for_literal() -> re.Pattern[str]:
    return re.compile(
        "\\A[ \n]|[ \t](?:\n|\\Z)|\n\t|\\A\t|"
        + f"[{HIDDEN}]".replace("\x00-\x1f", "\x00-\x08\x0b-\x1f")
    )
