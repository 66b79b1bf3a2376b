"""Known data in many layouts: what a reader makes of the text is what was written.

YAML with every style of scalars and collections, comments, widths and line breaks; JSON with white
space, comments and trailing commas.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any, Final

from bpp.pipeline.formats.scalars import OutOfRange, resolve

_BREAKS: Final = ("\n", "\n", "\n", "\n", "\r\n", "\r")
# what a reader of YAML takes as it stands, everywhere but in block scalars
_PRINTED: Final = re.compile(
    "[^\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*"
).fullmatch
_BLOCK: Final = re.compile(
    "[^\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]*"
).fullmatch
# no indicator first, no `: ` and ` #`, no blank at either end; no brackets and commas, so that it
# may stand in flow collections
_PLAIN: Final = re.compile(
    r"(?![-?:,\[\]{}#&*!|>'\"%@` ])(?:[^:#,\[\]{}\s]|(?<=\S)#|:(?=[^\s,\[\]{}])| (?=[^#\s]))+"
).fullmatch
_MARK: Final = re.compile(r" :|(?:^|[\s\"'\[\]{},])\?").search
_FOLDED: Final = re.compile(r"(?<=[^ \\]) (?=[^ ])")
_ESCAPES: Final = {
    "\0": "0", "\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r",
    "\x1b": "e", '"': '"', "\\": "\\", "/": "/", " ": " ", "\x85": "N", "\xa0": "_", "\u2028": "L",
    "\u2029": "P",
}  # fmt: skip
_COMMENTS: Final = (
    "",
    " c",
    "# c",
    " a: b",
    " [",
    " '",
    ' "x',
    " é 😀",
    "\t|",
    " - a",
    " ${x",
    "!",
)


def yaml_text(rng: Random, data: Any) -> str:
    """The data as a YAML document; every layout means the same."""
    lines = [rng.choice(("", "# c", "  # c"))] if not rng.randrange(6) else []
    if not rng.randrange(8):
        lines.append(rng.choice(("---", "--- # c", "---  ")))
    lines += _lines(rng, data, rng.choice((0, 0, 0, 1, 3)))
    if not rng.randrange(10):
        lines.append("...")
    end = rng.choice(_BREAKS)
    text = end.join(line.replace("\n", end) for line in lines)
    # a block string at the end keeps the line breaks that follow it
    closing = end if rng.randrange(8) or "|" in text or ">" in text else ""
    return ("\ufeff" if not rng.randrange(20) else "") + text + closing


def _lines(rng: Random, data: Any, indent: int) -> list[str]:
    """A node that starts on a line of its own."""
    pad = " " * indent
    if not isinstance(data, dict | list) or not data or not rng.randrange(6):
        return [pad + line if not n else line for n, line in enumerate(_inline(rng, data, indent))]
    lines: list[str] = []
    if isinstance(data, list):
        gap = rng.choice((1, 1, 1, 2, 3))
        for item in data:
            lines += _comment(rng, pad, lines)
            if isinstance(item, dict | list) and item and rng.randrange(3):
                inner = indent + 1 + gap
                first, *rest = _lines(rng, item, inner)
                lines += [f"{pad}-{' ' * gap}{first[inner:]}", *rest]
            else:
                lines += _after(rng, pad + "-", item, indent)
        return lines
    for key, item in data.items():
        lines += _comment(rng, pad, lines)
        written = _key(rng, key)
        if len(written) > 1000 or not rng.randrange(30):
            lines.append(f"{pad}? {written}")
            lines += _after(rng, pad + ":", item, indent)
        else:
            lines += _after(rng, f"{pad}{written}{rng.choice(('', '', '', ' '))}:", item, indent)
    return lines


def _after(rng: Random, head: str, data: Any, indent: int) -> list[str]:
    """A node after a `key:` or a dash, on the same line or on the next ones."""
    mark = head.strip() in ("-", ":")
    # libyaml refuses a tab after a mark that is no key's
    end = _end(rng).replace("\t", " ") if mark else _end(rng)
    if isinstance(data, dict | list) and data and rng.randrange(5):
        flat = isinstance(data, list) and not head.endswith("-") and rng.randrange(2)
        inner = indent if flat else indent + rng.choice((1, 2, 2, 2, 4))
        block = _lines(rng, data, inner)
        first = block[0].lstrip(" ")
        # what is not in block style has to be indented
        if not flat or (first[:1] == "-" and first[1:2] in (" ", "")):
            return [head + end, *block]
    if data is None and rng.randrange(2):
        return [head + end]
    first, *rest = _inline(rng, data, indent)
    blank = rng.choice((" ", " ", " ", "  ", " " if mark else "\t"))
    return [f"{head}{blank}{first}", *rest]


def _inline(rng: Random, data: Any, indent: int) -> list[str]:
    """A node that begins in the middle of a line."""
    if isinstance(data, dict | list):
        return [_flow(rng, data) + _end(rng)]
    if isinstance(data, str):
        if not rng.randrange(3):
            block = _block(rng, data, indent)
            if block:
                return block
        if not rng.randrange(4):
            return _folded(rng, data, indent)
    return [_scalar(rng, data) + _end(rng)]


def _end(rng: Random) -> str:
    """What may stand after a node on its line: mostly nothing."""
    if rng.randrange(8):
        return ""
    blank = rng.choice((" ", "   ", "\t"))
    return f"{blank}#{rng.choice(_COMMENTS)}" if rng.randrange(2) else blank


def _comment(rng: Random, pad: str, before: list[str]) -> list[str]:
    """A comment or nothing; not before the first line, which may follow a dash."""
    if not before or rng.randrange(12):
        return []
    return [f"{pad}#{rng.choice(_COMMENTS)}"]


def _key(rng: Random, key: str) -> str:
    if _PLAIN(key) and _PRINTED(key) and key != "<<" and rng.randrange(3):
        return key
    return _quoted(rng, key)


def _scalar(rng: Random, value: Any) -> str:
    """A scalar on one line, which may stand in flow collections too."""
    if value is None:
        return rng.choice(("null", "~", "Null", "NULL"))
    if isinstance(value, bool):
        word = "true" if value else "false"
        return rng.choice((word, word, word.title(), word.upper()))
    if isinstance(value, int):
        return rng.choice(_integers(value))
    if isinstance(value, float):
        text = repr(value)
        return rng.choice(
            (text, text.upper(), text.replace("e", "E"), ("+" if text[0] != "-" else "") + text)
        )
    plain = _PLAIN(value) and _PRINTED(value) and _is_text(value)
    if plain and rng.randrange(3) and not value.startswith(("---", "...")):
        return str(value)
    return _quoted(rng, value)


def _integers(value: int) -> list[str]:
    if value < 0:
        return [str(value), f"-00{-value}"]
    return [
        str(value),
        str(value),
        f"+{value}",
        f"0{value}",
        f"0x{value:x}",
        f"0x{value:X}",
        f"0o{value:o}",
    ]


def _is_text(text: str) -> bool:
    try:
        return isinstance(resolve(text), str)
    except OutOfRange:
        return False


def _quoted(rng: Random, text: str) -> str:
    if _PRINTED(text) and not rng.randrange(2):
        return "'" + text.replace("'", "''") + "'"
    return '"' + _escaped(rng, text) + '"'


def _escaped(rng: Random, text: str) -> str:
    """The content of a double-quoted string."""
    rate = rng.choice((0, 0, 0, 2, 30))
    written = []
    for character in text:
        needed = character in '"\\' or not _PRINTED(character)
        if not needed and not (rate and not rng.randrange(rate)):
            written.append(character)
            continue
        code = ord(character)
        forms = [f"\\U{code:08X}"]
        if code < 0x10000:
            forms.append(f"\\u{code:04x}")
        if code < 0x100:
            forms.append(f"\\x{code:02X}")
        if character in _ESCAPES:
            forms += ["\\" + _ESCAPES[character]] * 3
        written.append(rng.choice(forms))
    return "".join(written)


def _folded(rng: Random, text: str, indent: int) -> list[str]:
    """A quoted string over more than one line, broken where a blank stands."""
    pad = " " * (indent + rng.choice((1, 2, 4)))
    quote = "'" if _PRINTED(text) and not rng.randrange(2) else '"'
    body = text.replace("'", "''") if quote == "'" else _escaped(rng, text)
    broken = _FOLDED.sub(lambda _: "\n" + pad if not rng.randrange(2) else " ", body)
    if quote == '"' and not rng.randrange(3):
        broken = f"\\\n{pad}{broken}" if not broken.startswith(" ") else broken
    lines = f"{quote}{broken}{quote}".split("\n")
    # at the start of a line these end the document
    if any(line.startswith(("---", "...")) for line in lines):
        return [_quoted(rng, text)]
    return lines


def _block(rng: Random, text: str, indent: int) -> list[str] | None:
    """A literal block scalar; None when the text cannot be one."""
    body = text.rstrip("\n")
    if not body or not _BLOCK(text) or not body.strip(" \n"):
        return None
    breaks = len(text) - len(body)
    chomp = ("-", "", "+")[min(breaks, 2)]
    if breaks == 1 and not rng.randrange(4):
        chomp = "+"
    width = rng.choice((1, 2, 2, 4))
    number = str(width) if body[0] in " \t\n" or not rng.randrange(6) else ""
    header = rng.choice((chomp + number, number + chomp))
    pad = " " * (max(indent, 0) + width)
    lines = [pad + line if line else "" for line in body.split("\n")] + [""] * (breaks - 1)
    return ["|" + header + rng.choice(("", "", " ", " # c")), *lines]


def _flow(rng: Random, data: Any) -> str:
    """A collection in brackets."""
    blank = rng.choice(("", " ", " ", "  "))
    comma = rng.choice((", ", ", ", ",  ", " , "))
    if isinstance(data, list):
        inside = [_flow(rng, item) for item in data]
        opening, closing = "[", "]"
    elif isinstance(data, dict):
        inside = [f"{_flow_key(rng, key)}: {_flow(rng, item)}" for key, item in data.items()]
        opening, closing = "{", "}"
    elif isinstance(data, str) and _MARK(data):
        return _quoted(rng, data)  # libyaml takes it for the mark of a key in brackets
    else:
        return _scalar(rng, data)
    trailing = "," if inside and not rng.randrange(8) else ""
    return f"{opening}{blank}{comma.join(inside)}{trailing}{blank}{closing}"


def _flow_key(rng: Random, key: str) -> str:
    written = _quoted(rng, key)
    return f"? {written}" if len(written) > 1000 else written


# --- JSON ---------------------------------------------------------------------------------------


def json_text(rng: Random, data: Any, plain: bool = False) -> str:
    """The data as JSON, with comments and trailing commas unless it is to be `plain`."""
    gap = _no_gap if not rng.randrange(3) else _blanks if plain else _comments
    return gap(rng) + _json(rng, data, gap, plain) + gap(rng)


def _json(rng: Random, data: Any, gap: Any, plain: bool) -> str:
    if isinstance(data, str):
        return _json_string(rng, data)
    if not isinstance(data, dict | list):
        return json.dumps(data)
    inside = []
    for item in data:
        head = "" if isinstance(data, list) else f"{gap(rng)}{_json_string(rng, item)}{gap(rng)}:"
        value = item if isinstance(data, list) else data[item]
        inside.append(f"{head}{gap(rng)}{_json(rng, value, gap, plain)}{gap(rng)}")
    opening, closing = "[]" if isinstance(data, list) else "{}"
    trailing = "," + gap(rng) if inside and not plain and not rng.randrange(4) else ""
    return f"{opening}{','.join(inside) or gap(rng)}{trailing}{closing}"


def _json_string(rng: Random, text: str) -> str:
    return json.dumps(text, ensure_ascii=not rng.randrange(3)).replace(
        "/", "\\/" if rng.randrange(2) else "/"
    )


def _no_gap(rng: Random) -> str:
    return ""


def _blanks(rng: Random) -> str:
    return rng.choice(("", "", " ", "\n", "\t", "\r\n", "\n  "))


def _comments(rng: Random) -> str:
    return rng.choice(
        (
            "",
            "",
            "",
            " ",
            "\n",
            "/**/",
            "/* a, ] */",
            "// b }\n",
            "/***/",
            "\r\n",
            '//"\r\n',
            "/*\n*/ ",
        )
    )
