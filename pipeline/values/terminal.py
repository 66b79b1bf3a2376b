"""Text for terminals: colors, and escapes for the characters that control a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from ...functions.record import Record
from ...functions.regexes import compile_regex

# Written out instead of looked up in `unicodedata`, so that all Python versions escape the same.
# Besides characters that move the cursor or change the direction of text: `##[`, which CI systems
# take for a command anywhere in a line.
_UNSAFE: Final = compile_regex(
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
    r"|#(?=#[A-Za-z]*\[)"
)
_COMMAND: Final = compile_regex(r"^((?:\s|\x1b\[[0-9;]*m)*):(?=:)", re.MULTILINE)
_TAB: Final = "    "
ELLIPSIS: Final = "..."

_STYLES: Final = {
    "error": "1;31",
    "warning": "1;33",
    "gutter": "1;34",
    "help": "1;36",
    "note": "1;32",
    "strong": "1",
}


def use_color(stream: Any, environ: Mapping[str, str], choice: str = "auto") -> bool:
    """True if a stream is to get colors.

    `choice` is `always`, `never` or `auto`. For `auto` the first one that is set decides:
    `NO_COLOR`, `FORCE_COLOR` or `CLICOLOR_FORCE`, `TERM=dumb`; else whether the stream is a
    terminal.
    """
    if choice in ("always", "never"):
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    if any(environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE")):
        return True
    if environ.get("TERM") == "dumb":
        return False
    return is_terminal(stream)


def is_terminal(stream: Any) -> bool:
    """True for a terminal; False also for a stream that is closed."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


class Palette(Record):
    """Gives text a style, or leaves it alone if colors are off."""

    color: bool

    def paint(self, style: str, text: str) -> str:
        """The text in one of the styles `error warning gutter help note strong`."""
        if not self.color or not text:
            return text
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def shorten(text: str, limit: int) -> str:
    """The text, cut to at most `limit` characters with an ellipsis."""
    return text if len(text) <= limit else text[: limit - len(ELLIPSIS)] + ELLIPSIS


def visible(text: str) -> str:
    r"""The text on one line; characters that control a terminal become `\u{202e}`."""
    return _UNSAFE.sub(_escape, text)


def visible_lines(text: str) -> str:
    """The text with its line breaks, each line escaped as by `visible`."""
    return "\n".join(map(visible, text.split("\n")))


def without_commands(text: str) -> str:
    r"""The text with `::` at the start of a line, a command to GitHub's runner, as `\u{3a}:`."""
    return _COMMAND.sub(r"\1\\u{3a}", text) if "::" in text else text


def visible_json(text: str) -> str:
    r"""JSON with its line breaks; characters that control a terminal become `\u202e`."""
    return "\n".join(_UNSAFE.sub(_json_escape, line) for line in text.split("\n"))


def _json_escape(match: re.Match[str]) -> str:
    """The character as JSON writes it: two escapes for one beyond U+FFFF."""
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{{{ord(match.group()):x}}}"


class Cell(Record):
    """One character as it is printed, and the columns it takes."""

    text: str
    width: int


def cells(text: str) -> list[Cell]:
    """Each character of a piece of one line: tabs as four columns, unsafe ones escaped."""
    unsafe = {match.start(): _escape(match) for match in _UNSAFE.finditer(text)}
    result = []
    for index, character in enumerate(text):
        if character == "\t":
            result.append(Cell(_TAB, len(_TAB)))
        elif index in unsafe:
            result.append(Cell(unsafe[index], len(unsafe[index])))
        else:
            result.append(Cell(character, _width(character)))
    return result


def _width(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
