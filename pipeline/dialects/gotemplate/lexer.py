"""Templates cut into texts and actions, and actions into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ....functions.expr.kinds import of_bytes
from ....functions.expr.texts import quoted
from ...values.diagnostics import Hint

LEFT: Final = "{{"
RIGHT: Final = "}}"
_BLANKS: Final = " \t\r\n"
_KEYWORDS: Final = frozenset(
    ("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with")
)
_TOKEN: Final = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
  | (?P<field>\.(?![0-9])\w+)
  | (?P<variable>\$\w*)
  | (?P<dot>\.(?![0-9]))
  | (?P<number>(?=[+-]|\.?[0-9])[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?
      |0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?
      |[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?)
  | (?P<word>\w+)
  | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
  | (?P<raw>`[^`]*`)
  | (?P<rune>'(?:[^'\\\n]|\\[^\n])*')
  | (?P<declare>:=)
  | (?P<assign>=)
  | (?P<pipe>\|)
  | (?P<left>\()
  | (?P<right>\))
  | (?P<char>[^\w\s"'`:$.|()+\x00-\x20\x7f-\U0010ffff-])
    """,
    re.VERBOSE,
)
_NAMES: Final = frozenset(("field", "variable", "word"))
_UNTERMINATED: Final = {
    '"': "unterminated quoted string",
    "`": "unterminated raw quoted string",
    "'": "unterminated character constant",
}


class Token(NamedTuple):
    """A token: its kind (a group of the pattern, or a keyword), its text and its place."""

    kind: str
    text: str
    start: int
    end: int

    @property
    def shown(self) -> str:
        """The token in a message."""
        if self.kind in _KEYWORDS or self.kind in ("nil", "dot"):
            return f"<{self.text}>"
        return quoted(self.text[:10]) + ("..." if len(self.text) > 10 else "")


class Mistake(Exception):
    """A template that is not one, at a range of its text; `note` is a remark at another one."""

    def __init__(
        self, summary: str, start: int, end: int, hint: Hint = None, code: str = "template_syntax"
    ) -> None:
        super().__init__(summary)
        self.summary = summary
        self.start = start
        self.end = end
        self.hint = hint
        self.code = code
        self.note: tuple[str, int, int] | None = None

    def noting(self, text: str, start: int, end: int) -> Mistake:
        """The same mistake with a remark."""
        self.note = (text, start, end)
        return self


class Chunk:
    """A text (`tokens` is None), or an action, which ends with a token; `error` is its mistake."""

    __slots__ = ("end", "error", "start", "tokens")

    def __init__(
        self, start: int, end: int, tokens: list[Token] | None, error: Mistake | None = None
    ) -> None:
        self.start = start
        self.end = end
        self.tokens = tokens
        self.error = error


def cut(text: str, deepest: int) -> Iterator[Chunk]:
    """The texts and actions of a template, with the mistakes of each action.

    Texts have lost the blanks that trim marks take. Parentheses may be nested `deepest` deep.
    """
    position, size = 0, len(text)
    trims = False
    while True:
        start = text.find(LEFT, position)
        stop = start if start >= 0 else size
        if trims:
            while position < stop and text[position] in _BLANKS:
                position += 1
        after = start + 2
        marked = (
            start >= 0 and text.startswith("-", after) and text[after + 1 : after + 2] in _MARKS
        )
        end = stop
        if marked:
            after += 2
            while end > position and text[end - 1] in _BLANKS:
                end -= 1
        if end > position:
            yield Chunk(position, end, None)
        if start < 0:
            return
        if text.startswith("/*", after):
            chunk, position, trims = _comment(text, start, after)
        else:
            chunk, position, trims = _action(text, start, after, deepest)
        if chunk is not None:
            yield chunk


_MARKS: Final = frozenset(_BLANKS)


def _comment(text: str, start: int, after: int) -> tuple[Chunk | None, int, bool]:
    """What is wrong with a comment, where the text goes on, and whether its blanks are trimmed."""
    end = text.find("*/", after + 2)
    if end < 0:
        problem = Mistake("unclosed comment", start, start + 2)
        return Chunk(start, len(text), [], problem), len(text), False
    end += 2
    if text.startswith(RIGHT, end):
        return None, end + 2, False
    if text[end : end + 1] in _MARKS and text.startswith("-}}", end + 1):
        return None, end + 4, True
    problem = Mistake("comment ends before closing delimiter", end, min(end + 1, len(text)))
    close = _resume(text, end)
    return Chunk(start, close, [], problem), close, False


def _resume(text: str, position: int) -> int:
    """Where the action that has a mistake at a position probably ends."""
    close = text.find(RIGHT, position)
    opening = text.find(LEFT, position)
    if close < 0 or 0 <= opening < close:
        return opening if opening >= 0 else len(text)
    return close + 2


def _action(text: str, start: int, position: int, deepest: int) -> tuple[Chunk, int, bool]:
    """An action, where the text goes on, and whether its blanks are trimmed."""
    tokens: list[Token] = []
    begin = position
    opened: list[int] = []
    try:
        while True:
            if text.startswith(RIGHT, position):
                trims, end = False, position + 2
                break
            match = _TOKEN.match(text, position)
            if match is None or match.end() == position:
                raise _unreadable(text, start, position)
            kind, stop = match.lastgroup or "", match.end()
            if kind == "space":
                if text.startswith("-}}", stop):
                    trims, end = True, stop + 3
                    break
                position = stop
                continue
            if kind == "left":
                opened.append(position)
                if len(opened) > deepest:
                    summary = f"parentheses may be nested {deepest} deep (`max_expression_depth`)"
                    raise Mistake(summary, position, stop, None, "limit_exceeded")
            elif kind == "right":
                if not opened:
                    raise Mistake("unexpected right paren", position, stop)
                opened.pop()
            tokens.append(_token(text, kind, position, stop))
            position = tokens[-1].end
        if opened:
            place = opened[-1]
            problem = Mistake("unclosed left paren", position, position + 2)
            raise problem.noting("the paren is opened here", place, place + 1)
    except Mistake as problem:
        close = _resume(text, max(problem.end, problem.start))
        tokens.append(Token("close", RIGHT, close, close))
        return Chunk(start, close, tokens, problem), close, False
    tokens.append(Token("close", RIGHT, max(end - 2, begin), end))
    return Chunk(start, end, tokens), end, trims


def _token(text: str, kind: str, start: int, stop: int) -> Token:
    word = text[start:stop]
    following = text[stop : stop + 1]
    if kind == "number":
        if following and (following.isalnum() or following == "_"):
            raise Mistake(f"bad number syntax: {quoted(word + following)}", start, stop + 1)
        if word in ("+", "-") or (following and following in "+-"):
            return _complex(text, start, stop)
    elif kind in _NAMES or kind == "dot":
        at_end = not following or following in " \t\r\n.,|:)(" or text.startswith(RIGHT, stop)
        if not at_end and kind != "dot":
            raise _bad_character(text, stop, word)
        if kind == "word":
            kind = word if word in _KEYWORDS or word in ("nil", "true", "false") else kind
    return Token(kind, word, start, stop)


def _complex(text: str, start: int, stop: int) -> Token:
    """A number such as `1+2i`; a sign alone is none."""
    match = _TOKEN.match(text, stop)
    end = match.end() if match and match.lastgroup == "number" else stop
    word = text[start:end]
    if end == stop:
        raise Mistake(f"illegal number syntax: {quoted(word)}", start, end)
    if word[-1] != "i":
        raise Mistake(f"bad number syntax: {quoted(word)}", start, end)
    return Token("number", word, start, end)


def _bad_character(text: str, position: int, word: str) -> Mistake:
    found = text[position]
    hint = None
    if found == "-" and word[0] in ".$":
        rest = re.compile(r"[\w-]*").match(text, position)
        name = word.lstrip("$").rpartition(".")[2] + (rest[0] if rest else "")
        hint = f'a name with `-` is read by `index`, as in `index . "{name}"`'
    summary = f"bad character U+{ord(found):04X} {quoted_rune(found)}"
    return Mistake(summary, position, position + 1, hint)


def quoted_rune(character: str) -> str:
    """A character as `%#U` shows it."""
    return f"'{character}'" if character.isprintable() else ""


def _unreadable(text: str, start: int, position: int) -> Mistake:
    """The mistake where no token begins."""
    if position >= len(text):
        problem = Mistake("unclosed action", max(position - 1, 0), position, "close it with `}}`")
        return problem.noting("the action starts here", start, start + 2)
    found = text[position]
    if found in _UNTERMINATED:
        return Mistake(_UNTERMINATED[found], position, position + 1)
    if found == ":":
        return Mistake("expected :=", position, position + 1)
    summary = f"unrecognized character in action: U+{ord(found):04X} {quoted_rune(found)}"
    return Mistake(summary.rstrip(), position, position + 1)


_ESCAPES: Final = dict(zip('abfnrtv\\"', '\a\b\f\n\r\t\v\\"', strict=True))
_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\])|([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))",
    re.DOTALL,
)


def unquoted(word: str) -> str | None:
    """The text of a string or of a rune constant; None for one with an escape that Go lacks."""
    mark = word[0]
    inside = word[1:-1]
    if mark == "`":
        return inside.replace("\r", "")
    if "\\" not in inside:
        return inside
    pieces: list[bytes] = []
    position = 0
    for match in _ESCAPE.finditer(inside):
        pieces.append(inside[position : match.start()].encode("utf-8", "surrogateescape"))
        position = match.end()
        simple, octal, byte, short, long, other = match.groups()
        if simple:
            pieces.append(_ESCAPES[simple].encode())
        elif octal or byte:
            code = int(octal, 8) if octal else int(byte, 16)
            if code > 255:
                return None
            pieces.append(bytes((code,)) if mark == '"' else chr(code).encode())
        elif short or long:
            code = int(short or long, 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                return None
            pieces.append(chr(code).encode())
        elif other == mark:
            pieces.append(mark.encode())
        else:
            return None
    pieces.append(inside[position:].encode("utf-8", "surrogateescape"))
    return of_bytes(b"".join(pieces))
