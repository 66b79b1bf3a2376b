"""White space in expressions: the one that printers of dialects write, around tokens as written.

A token is never changed, and neither is what stands between parts of a string: whoever asks reads
the result again and compares the trees.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..values.expression import Substitution
from .errors import LanguageError
from .language import Language
from .syntax import Spacing

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+)|(?P<string>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|`(?:[^`]|``)*+`)"""
    r"""|(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)"""
    r"""|(?P<number>0[xXbBoO][0-9a-fA-F_]+|(?:[0-9][0-9_]*+(?:\.(?!\.)[0-9_]*+)?|\.[0-9][0-9_]*+)"""
    r"""(?:[eE][+-]?[0-9_]+)?)|(?P<word>(?:[^\W\d]|\$)[\w$]*+)"""
    r"""|(?P<symbol>\?\.|\?:|\?\?|\|\||&&|==|!=|<=|>=|\*\*|\.\.|::|.)""",
    re.DOTALL,
)
_DASHED: Final = re.compile(r"(?:-+[\w$]++)*+-*+")
_WORDS: Final = frozenset(
    [
        "and",
        "or",
        "not",
        "in",
        "matches",
        "contains",
        "startsWith",
        "endsWith",
        "let",
        "if",
        "else",
        "typeof",
    ]
)
_BETWEEN: Final = frozenset(
    [
        "?:",
        "??",
        "||",
        "&&",
        "==",
        "!=",
        "<=",
        ">=",
        "**",
        "..",
        "+",
        "-",
        "*",
        "/",
        "%",
        "^",
        "|",
        "<",
        ">",
        "?",
    ]
)
_OPENERS: Final = frozenset("([{")
_CLOSERS: Final = frozenset(")]}")
_TIGHT: Final = frozenset((",", ";", ")", "]", "}", "::"))
_APART: Final = frozenset((",", ";", ":", "="))
_CLOSELY: Final = frozenset(("(", "[", "{", ".", "?.", "::"))
_LOWEST: Final = (";", "?", "?:", ":"), ("??", "||", "or"), ("&&", "and"), ("|",)
"""Where an expression is broken, the weakest first."""

_STEP: Final = 2


class _Token(NamedTuple):
    """A token, the blank in front of it (if on one line), and the brackets that it is inside."""

    text: str
    blank: str
    depth: int


def space_string(language: Language, text: str, column: int | None = None) -> str:
    """A string whose expressions are spaced, with the same texts and trees; or as it is.

    With a `column`, where its lines begin, long expressions have line breaks if they may.
    """
    style = language.syntax.spacing
    if style is None or language.opener not in text:
        return text
    try:
        before = language.split(text)
        parts: list[str] = []
        position = 0
        for one in before.substitutions:
            start = max(one.start, 0) + language.lead
            inner = one.inner
            if inner is None or not text.startswith(inner, start):
                continue
            parts.append(text[position:start])
            position = start + len(inner)
            if column is None:
                parts.append(spaced(inner, style))
                continue
            line = text.rfind("\n", 0, start) + 1
            margin = text[line:start][: len(text[line:start]) - len(text[line:start].lstrip(" "))]
            at = column + len(margin)
            parts.append(
                spaced(inner, style, at, column + start - line).replace("\n", f"\n{margin}")
            )
        made = "".join([*parts, text[position:]])
        if made == text or _read(language, text) == _read(language, made):
            return made
    except LanguageError:
        pass
    return text


def _read(language: Language, text: str) -> list[str]:
    """What a string says, which is the same for the same texts and trees."""
    return [
        repr(language.exact(one)) if isinstance(one, Substitution) else one
        for one in language.split(text)
    ]


def _loose(text: str, pad: str) -> str:
    """The same tokens, with one blank where there were some."""
    pieces = [
        " " if match.lastgroup == "space" else match[0] for match in _TOKEN.finditer(text.strip())
    ]
    return f"{pad}{''.join(pieces)}{pad}"


def spaced(
    text: str, style: Spacing, column: int | None = None, after: int = 0, width: int = 100
) -> str:
    """The text between two delimiters with the white space of the style.

    With a `column` it may have line breaks: that is where a line of it begins, and `after` how much
    stands in front of it on its first line. It is left alone with a comment in it.
    """
    if style.loose:
        return _loose(text, style.pad)
    tokens = _tokens(text.strip(), style)
    if not tokens:
        return text
    flat = _flat(tokens)
    pad = style.pad
    if column is None or not style.breaks or after + len(flat) + 2 * len(pad) <= width:
        return f"{pad}{flat}{pad}"
    if not any(_places(tokens, words) for words in _LOWEST):
        return pad + "\n".join(_in_brackets(tokens, column, width) or [flat]) + pad
    lines = _lines(tokens, column + _STEP, width)
    margin = "\n" + " " * _STEP
    return margin + margin.join(lines) + "\n"


def _tokens(text: str, style: Spacing) -> list[_Token] | None:
    found: list[_Token] = []
    opened: list[str] = []  # the brackets that are open, and `?` for each choice that waits for `:`
    depth = position = 0
    gap = ""
    # whether an operand ended before, and whether the next token follows closely or after a blank
    operand = closely = apart = False
    while position < len(text):
        match = _TOKEN.match(text, position)
        assert match is not None
        kind, token = match.lastgroup, match[0]
        position = match.end()
        if kind == "space":
            gap = " "
            continue
        if kind == "comment":
            return None
        if kind == "word" and style.dashes:
            more = _DASHED.match(text, position)
            assert more is not None
            token, position = token + more[0], more.end()
        member = bool(found) and found[-1].text in (".", "?.")
        sign = kind == "symbol" or (
            style.words and kind == "word" and token in _WORDS and not member
        )
        while token in _CLOSERS and opened and opened.pop() == "?":
            pass
        depth -= token in _CLOSERS
        inside = opened[-1] if opened else ""
        given = token == "=" and inside == "("
        sliced = token == ":" and inside == "["
        usual = "" if closely else " " if apart else gap
        if sign and operand:
            usual = _after_operand(
                token, usual, given or sliced or (token == ":" and inside == "{")
            )
        elif token in _TIGHT:
            usual = ""
        found.append(_Token(token, usual if found else "", depth))
        if token in _OPENERS:
            opened.append("f" if token == "(" and not operand else token)
            depth += 1
        elif token == "?":
            opened.append("?")
        elif token == ":" and inside == "?":
            opened.pop()
        prefix = token == "!" or (token in "+-" and not operand)
        closely = sign and (prefix or given or sliced or token in _CLOSELY)
        apart = sign and (token in _BETWEEN or token in _WORDS or token in _APART)
        operand, gap = not sign or token in _CLOSERS or token == "#", ""
    return found


def _after_operand(token: str, usual: str, tight: bool) -> str:
    """The blank between an operand and an operator or a bracket."""
    if tight or token in _TIGHT or token in (".", "?.", "[", "("):
        return ""
    return " " if token in _BETWEEN or token in _WORDS or token in (":", "=") else usual


def _flat(tokens: list[_Token]) -> str:
    return (
        "".join([tokens[0].text, *(one.blank + one.text for one in tokens[1:])]) if tokens else ""
    )


def _lines(tokens: list[_Token], column: int, width: int) -> list[str]:
    """The lines of an expression, the first where it begins."""
    flat = _flat(tokens)
    if column + len(flat) <= width or len(tokens) < 2:
        return [flat]
    for weakest in _LOWEST:
        places = _places(tokens, weakest)
        if places:
            after = weakest[0] == ";" and tokens[places[0]].text == ";"
            cuts = [number + 1 if after else number for number in places]
            parts = [tokens[i:j] for i, j in zip([0, *cuts], [*cuts, len(tokens)], strict=True)]
            lines = _lines(parts[0], column, width)
            for part in filter(None, parts[1:]):
                first, *rest = _lines(part, column + (0 if after else _STEP), width)
                pad = "" if after else " " * _STEP
                lines += [pad + first, *(pad + line for line in rest)]
            return lines
    return _in_brackets(tokens, column, width) or [flat]


def _places(tokens: list[_Token], operators: tuple[str, ...]) -> list[int]:
    """Where some operators stand outside of brackets; a colon without a `?` is that of a key."""
    level = min(one.depth for one in tokens)
    found: list[int] = []
    for number, one in enumerate(tokens):
        if number and one.depth == level and one.text in operators and (found or one.text != ":"):
            found.append(number)
    return found


def _in_brackets(tokens: list[_Token], column: int, width: int) -> list[str]:
    """The lines of an expression whose last brackets have an item a line; none without brackets."""
    level = min(one.depth for one in tokens)
    ends = [
        number
        for number, one in enumerate(tokens)
        if one.depth == level and one.text in (")", "]", "}")
    ]
    for end in reversed(ends):
        start = max(
            number
            for number, one in enumerate(tokens[:end])
            if one.depth == level and one.text in ("(", "[", "{")
        )
        inside = tokens[start + 1 : end]
        if len(inside) < 2:
            continue
        while inside[0].text in _OPENERS and _is_one(inside):  # one item in brackets of its own
            start, end, level, inside = start + 1, end - 1, level + 1, inside[1:-1]
        lines = [_flat(tokens[: start + 1])]
        item: list[_Token] = []
        for one in [*inside, None]:
            if one is not None:
                item.append(one)
            if item and (one is None or (one.text == "," and one.depth == level + 1)):
                shown = _lines(item, column + _STEP, width)
                lines += [" " * _STEP + line for line in shown]
                item = []
        return [*lines, _flat(tokens[end:])]
    return []


def _is_one(tokens: list[_Token]) -> bool:
    """Whether brackets around the tokens hold all of them, and something."""
    return len(tokens) > 3 and sum(one.depth == tokens[0].depth for one in tokens) == 2
