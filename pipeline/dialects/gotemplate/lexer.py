"""Templates cut into texts and actions, and actions into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from ....functions.expr.kinds import of_bytes
from ....functions.expr.texts import quoted
from ....functions.regexes import compile_regex
from ...language.errors import LanguageError
from ...values.diagnostics import Hint
from ...values.settings import Limits

LEFT: Final = "{{"
RIGHT: Final = "}}"
_BLANKS: Final = " \t\r\n"
_TRIMS: Final = compile_regex(r"-[ \t\r\n]")
_CLOSE: Final = compile_regex(r"(?:[ \t\r\n]+-)?}}")
_KEYWORDS: Final = frozenset(
    ("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with")
)
_TOKEN: Final = compile_regex(
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


class Mistake(LanguageError):
    """A template that is not one, at a range of its text; `note` is a remark at another one."""

    hint: Any
    note: tuple[str, int, int] | None = None

    def __init__(
        self, summary: str, start: int, end: int, hint: Hint = None, code: str = "template_syntax"
    ) -> None:
        super().__init__(code, summary, start, end)
        self.hint = hint

    def noting(self, text: str, start: int, end: int) -> Mistake:
        """The same mistake with a remark."""
        self.note = (text, start, end)
        return self


class Chunk(NamedTuple):
    """A text (`tokens` is None), or an action, which ends with a token; `error` is its mistake.

    A comment is an action without tokens.
    """

    start: int
    end: int
    tokens: list[Token] | None
    error: Mistake | None = None


def cut(text: str, limits: Limits) -> Iterator[Chunk]:
    """The texts and actions of a template, with the mistakes of each action.

    Texts have lost the blanks that trim marks take.
    """
    position, trims = 0, False
    while True:
        start = text.find(LEFT, position)
        stop = start if start >= 0 else len(text)
        inside = text[position:stop]
        if trims:
            inside = inside.lstrip(_BLANKS)
        position = stop - len(inside)
        marked = start >= 0 and _TRIMS.match(text, start + 2)
        if marked:
            inside = inside.rstrip(_BLANKS)
        if inside:
            yield Chunk(position, position + len(inside), None)
        if start < 0:
            return
        after = marked.end() if marked else start + 2
        if text.startswith("/*", after):
            chunk, trims = _comment(text, start, after)
        else:
            chunk, trims = _action(text, start, after, limits)
        yield chunk
        position = chunk.end


def _comment(text: str, start: int, after: int) -> tuple[Chunk, bool]:
    """A comment, and whether the blanks behind it are trimmed."""
    end = text.find("*/", after + 2)
    if end < 0:
        problem = Mistake("unclosed comment", start, start + 2)
        return Chunk(start, len(text), [], problem), False
    end += 2
    close = _CLOSE.match(text, end)
    if close and close.end() <= end + len(" -}}"):
        return Chunk(start, close.end(), []), close.end() > end + 2
    problem = Mistake("comment ends before closing delimiter", end, min(end + 1, len(text)))
    return Chunk(start, _resume(text, end), [], problem), False


def _resume(text: str, position: int) -> int:
    """Where the action that has a mistake at a position probably ends."""
    close = text.find(RIGHT, position)
    opening = text.find(LEFT, position)
    if close < 0 or 0 <= opening < close:
        return opening if opening >= 0 else len(text)
    return close + 2


def _action(text: str, start: int, position: int, limits: Limits) -> tuple[Chunk, bool]:
    """An action, and whether the blanks behind it are trimmed."""
    deepest, most = limits.max_reference_depth, limits.max_expression_chars
    tokens: list[Token] = []
    opened: list[int] = []
    try:
        while not (close := _CLOSE.match(text, position)):
            match = _TOKEN.match(text, position)
            if match is None or match.end() == position:
                raise _unreadable(text, start, position)
            kind, stop = match.lastgroup or "", match.end()
            if kind == "space":
                position = stop
                continue
            if kind == "left":
                opened.append(position)
                if len(opened) > deepest:
                    raise too_deep("parentheses", deepest, position, stop)
            elif kind == "right":
                if not opened:
                    raise Mistake("unexpected right paren", position, stop)
                opened.pop()
            tokens.append(_token(text, kind, position, stop))
            position = tokens[-1].end
            if 2 * len(tokens) > most:
                summary = f"an action may have {most // 2} parts (`max_expression_chars`)"
                raise Mistake(summary, start, start + 2, None, "limit_exceeded")
        if opened:
            place = opened[-1]
            problem = Mistake("unclosed left paren", position, position + 2)
            raise problem.noting("the paren is opened here", place, place + 1)
    except Mistake as problem:
        end = _resume(text, max(problem.end, problem.start))
        tokens.append(Token("close", RIGHT, end, end))
        return Chunk(start, end, tokens, problem), False
    end = close.end()
    tokens.append(Token("close", RIGHT, end - 2, end))
    return Chunk(start, end, tokens), end > position + 2


def too_deep(what: str, deepest: int, start: int, end: int) -> Mistake:
    """The mistake of what is nested deeper than it may be."""
    summary = f"{what} may be nested {deepest} deep (`max_reference_depth`)"
    return Mistake(summary, start, end, None, "limit_exceeded")


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
    return Mistake(f"bad character {_shown(found)}", position, position + 1, hint)


def _shown(character: str) -> str:
    """A character as `%#U` shows it."""
    shown = f" '{character}'" if character.isprintable() else ""
    return f"U+{ord(character):04X}{shown}"


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
    summary = f"unrecognized character in action: {_shown(found)}"
    return Mistake(summary, position, position + 1)


_ESCAPE: Final = re.compile(
    rb"\\(?:([0-7]{3}|x[0-9a-fA-F]{2})|(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(.))", re.DOTALL
)
_ESCAPES: Final = dict(zip(b"abfnrtv\\", b"\a\b\f\n\r\t\v\\", strict=True))


def unquoted(word: str) -> str | None:
    """The text of a string or of a rune constant; None for one with an escape that Go lacks."""
    mark = word[0]
    if mark == "`":
        return word[1:-1].replace("\r", "")
    meanings = {**_ESCAPES, ord(mark): ord(mark)}

    def meant(match: re.Match[bytes]) -> bytes:
        byte, code, other = match.groups()
        if other:
            return bytes((meanings[other[0]],))
        if code:
            return chr(int(code[1:], 16)).encode()
        value = bytes((int(byte[1:], 16) if byte[:1] == b"x" else int(byte, 8),))
        return value if mark == '"' else chr(value[0]).encode()

    try:
        return of_bytes(_ESCAPE.sub(meant, word[1:-1].encode("utf-8", "surrogateescape")))
    except (KeyError, ValueError):
        return None
