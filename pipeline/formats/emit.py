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

from ...functions.regexes import compile_regex
from ..language.errors import LanguageError
from ..language.syntax import Printer
from ..values.diagnostics import Diagnostic, Stop
from ..values.settings import Limits, how_to_raise
from ..values.source import Source
from ..values.tree import AnyNode, Array, Map, Scalar, Template, Trail

# YAML readers look for the colon of a key without a mark within so many characters
LONGEST_SIMPLE_KEY: Final = 1000
_LONGEST_WHOLE: Final = 2.0**63
_WIDE: Final = 4  # bytes of a character in a text that is not ASCII, at the most


def emit(
    root: AnyNode,
    format: str,  # noqa: A002
    printer: Printer,
    limits: Limits,
    share: float = 1.0,
) -> str:
    """The text of a document, in `yaml` or `json`, with a line break at its end.

    `share` are the MiB that were read for it, for each of which it may have `max_output_chars`.
    Lines that are not ASCII count four times, as they take memory.

    Raises Stop with `limit_exceeded` when the text grows past `max_output_chars`, or past one of
    the limits of what is read, as it could not be read again; with `number_out_of_range` for a
    float that is not finite.
    """
    words = _Words(printer, limits)
    if format == "json":
        return _readable(_json(root, printer, limits, share, words), limits)
    return _readable(_yaml(root, printer, limits, share, words), limits)


def emit_all(
    roots: Sequence[AnyNode],
    format: str,  # noqa: A002
    printer: Printer,
    limits: Limits,
    share: float = 1.0,
) -> str:
    """The text of several documents: an array of JSON, or documents of YAML with `---` between.

    Raises Stop as `emit` does.
    """
    words = _Words(printer, limits)
    if format == "json":
        trail = roots[0].trail if roots else Trail(Source("", ""))
        whole = Array(list(roots), trail, 0, 0)
        return _readable(_json(whole, printer, limits, share, words), limits)
    texts = []
    size = 0
    for root in roots:
        texts.append(_yaml(root, printer, limits, share, words))
        size += len(texts[-1])
        if size > limits.max_output_chars * share:
            raise _too_long(limits, share)
    return _readable("---\n".join(texts), limits)


class _Words:
    """The YAML of keys, strings and templates, None if it takes several lines, and their JSON.

    Each distinct one is written once, and held against the limits of what is read. `nodes` counts
    the nodes of all documents.
    """

    def __init__(self, printer: Printer, limits: Limits) -> None:
        blocks: dict[str, tuple[str, list[str]]] = {}

        def known(value: str) -> str:
            text = printer.protect(value) if printer.opener in value else value
            return _string(text, printer, limits)

        self.nodes = 0
        self.blocks = blocks
        self.heads = _Remembered(lambda key: _yaml_head(_key(key, limits)))
        strings = _Remembered(lambda value: _yaml_string(known(value), value, blocks))
        self.scalar = _go_scalar if printer.go_style else _yaml_scalar
        self.texts = _Remembered(lambda kind: strings if kind is str else _Computed(self.scalar))
        self.templates = _Remembered(lambda text: quote(_string(text, printer, limits)))
        self.json_keys = _Remembered(lambda key: _json_string(_key(key, limits)))
        self.json_strings = _Remembered(lambda value: _json_string(known(value)))
        self.json_templates = _Remembered(lambda text: _json_string(_string(text, printer, limits)))


def _key(key: str, limits: Limits) -> str:
    if len(key) > limits.max_key_chars:
        raise _too_large("a key of the output is longer", "characters", "max_key_chars", limits)
    return key


def _string(text: str, printer: Printer, limits: Limits) -> str:
    """A string as it is written, which a reader must take."""
    if len(text) > limits.max_scalar_chars:
        raise _too_large(
            "a string of the output is longer", "characters", "max_scalar_chars", limits
        )
    count = text.count(printer.opener)
    if count and (
        2 * count >= limits.max_substitutions
        or len(text) > limits.max_expression_chars
        # each level of an expression is written with one of these at least
        or sum(map(text.count, "([!? ")) > limits.max_expression_depth
    ):
        try:
            printer.split(text)
        except LanguageError as error:
            raise Stop(
                Diagnostic(
                    error.code,
                    f"a string of the output could not be read again: {error.summary}",
                    hint=error.hint,
                )
            ) from None
    return text


def _readable(text: str, limits: Limits) -> str:
    """A text that is not larger than one that is read."""
    most = limits.max_input_bytes
    size = len(text)
    if size <= most and size * 4 > most and not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > most:
        raise _too_large("the output is larger", "bytes", "max_input_bytes", limits)
    return text


def _yaml(root: AnyNode, printer: Printer, limits: Limits, share: float, words: _Words) -> str:
    most = int(limits.max_output_chars * share)
    deepest = limits.max_depth
    most_nodes = limits.max_nodes
    nodes = words.nodes
    blocks, heads, texts, templates = words.blocks, words.heads, words.texts, words.templates
    flat = printer.go_style
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

            nodes += 1
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
                    pad = lead = pad if flat and kind is Array else pad + "  "
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
            size += len(line) if line.isascii() else _WIDE * len(line)
            if size > most:
                raise _too_long(limits, share)
        else:
            if nodes > most_nodes:
                raise _too_large("the output has more", "nodes", "max_nodes", limits)
            if not stack:
                words.nodes = nodes
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


def _yaml_string(text: str, value: str, blocks: dict[str, tuple[str, list[str]]]) -> str | None:
    """A known string on one line; None when it is to be a block, which is put in `blocks`.

    `text` is the value with its substitutions protected.
    """
    if text is not value:
        return quote(text)
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


def _go_scalar(value: int | float | bool | None) -> str:
    """The same in a style of Go, whose numbers are all floats."""
    if type(value) is float and value.is_integer() and abs(value) < _LONGEST_WHOLE:
        return str(int(value))
    return _yaml_scalar(value)


def _finite(value: float) -> str:
    if isfinite(value):
        return repr(value)
    raise Stop(Diagnostic("number_out_of_range", "a number that is not finite cannot be written"))


def _too_long(limits: Limits, share: float) -> Stop:
    each = f", {limits.max_output_chars} for each MiB of input" if share > 1 else ""
    most = int(limits.max_output_chars * share)
    return Stop(
        Diagnostic(
            "limit_exceeded",
            f"the output exceeds the limit of {most} characters{each} (`max_output_chars`)",
            hint=how_to_raise("max_output_chars", limits),
        )
    )


def _too_deep(limits: Limits) -> Stop:
    return _too_large("the output is nested deeper", "levels", "max_depth", limits)


def _too_large(how: str, units: str, name: str, limits: Limits) -> Stop:
    """What a reader with the same limits would refuse."""
    return Stop(
        Diagnostic(
            "limit_exceeded",
            f"{how} than {getattr(limits, name)} {units}, the limit `{name}`, "
            "so that it could not be read again",
            hint=how_to_raise(name, limits),
        )
    )


def _json(root: AnyNode, printer: Printer, limits: Limits, share: float, words: _Words) -> str:
    most = int(limits.max_output_chars * share)
    deepest = limits.max_depth
    most_nodes = limits.max_nodes
    nodes = 0
    keys, strings, templates = words.json_keys, words.json_strings, words.json_templates
    scalar, go_style = words.scalar, printer.go_style
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
                head = f"{before}{pad}{keys[key]}: "
            else:
                node = entry
                head = before + pad
            before = ",\n"

            nodes += 1
            kind = type(node)
            if kind is Scalar:
                value = node.value
                if type(value) is str:
                    text = strings[value]
                elif type(value) is float and not go_style:
                    text = _finite(value)
                else:
                    text = scalar(value)
            elif kind is Template:
                text = templates[printer.template(node)]
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
            size += len(piece) if piece.isascii() else _WIDE * len(piece)
            if size > most:
                raise _too_long(limits, share)
        else:
            if nodes > most_nodes:
                raise _too_large("the output has more", "nodes", "max_nodes", limits)
            if not stack:
                pieces.append("\n")
                if size + 1 > most:
                    raise _too_long(limits, share)
                return "".join(pieces)
            pieces.append(closing)
            size += len(closing)
            items, mapping, pad, closing = stack.pop()
            before = ",\n"


def _json_string(text: str) -> str:
    from json.encoder import encode_basestring

    encoded = encode_basestring(text)
    if encoded.isprintable() or not hidden().search(encoded):
        return encoded
    return hidden().sub(lambda match: f"\\u{ord(match[0]):04x}", encoded)


# control and format characters, separators, surrogates and unassigned codes: always escaped
HIDDEN: Final = (
    "\x00-\x1f\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f"
    r"\ud800-\udfff"
    "\ufeff\ufff0-\ufffb\ufffe\uffff"
)
# plain: no indicator first; then no `: `, no ` #`, no blank or colon at the end
_plain_ascii: Final = compile_regex(
    r"[$()+./0-9;<A-Z\\^_a-z~]"
    r"(?:[!\"$-9;-~]++|\ ++(?=[!\"$-~])|:(?=[!-~])|(?<=[!-~])\#)*+"
).fullmatch
_number_like: Final = compile_regex(
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
    # what is printable has nothing of `HIDDEN`, whose pattern takes long to make
    visible = text.isprintable()
    if '"' not in text and "\\" not in text:
        if visible:
            return f'"{text}"'
    elif "'" not in text and (visible or not hidden().search(text)):
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
