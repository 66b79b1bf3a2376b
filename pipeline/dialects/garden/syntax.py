"""The `${..}` syntax: strings of text, escapes, substitutions and `${if ..}` blocks.

`SYNTAX` and `SYNTAX_V2` are what the language layer uses, with and without the `?` after a `}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from ....functions.record import Record
from ....functions.regexes import compile_regex
from ...language.errors import LanguageError
from ...language.language import Language
from ...language.syntax import HOLE, Spacing, Syntax
from ...values.expression import Argument, Call, Expression, Literal, Segment, Shape, Substitution
from .evaluating.operators import BLOCK, OPTIONAL, TEXT
from .grammar import GRAMMAR, dotted, parse_expression
from .printing import protect, show, write
from .tokens import CONDITION, SPACES, STRING

BODY: Final = compile_regex(rf"(?:[^\"'}}]++|{STRING})*+")
"""The text between the braces of one substitution, as far as it can be read."""

_OPENING: Final = compile_regex(r"\$\$\{[^}]*+\}|\$\$\{|\$\{")


class Token(Record):
    """A part of a string; `content` is the value of a text, or the text between the braces."""

    kind: str  # text | value | if | else | endif
    content: str
    start: int
    end: int
    inner: int = 0  # where `content` is written
    optional: bool = False


class _Frame:
    """A block that is being parsed, or the whole string."""

    def __init__(self, token: Token | None = None, condition: Expression | None = None) -> None:
        self.token = token
        self.condition = condition
        self.branches: list[list[str | Expression]] = [[]]


Locate = Callable[[int, int], tuple[int, int]]


def _same_place(start: int, end: int) -> tuple[int, int]:
    return start, end


def tokens(text: str, suffix: bool, locate: Locate = _same_place) -> Iterator[Token]:
    """The parts of a string; with `suffix`, a `?` right after a substitution belongs to it.

    After `${else}` and `${endif}` it is text.

    `locate` maps the offsets of a part to those in the source.

    Raises:
        LanguageError: for a substitution that is not closed.
    """
    position = begin = 0
    pieces: list[str] = []
    while match := _OPENING.search(text, position):
        pieces.append(text[position : match.start()])
        if match[0] == "$${":  # not an escape without a closing brace
            pieces.append(match[0])
            position = match.end()
            continue
        if match[0] != "${":
            pieces.append(match[0][1:])
            position = match.end()
            continue
        piece = "".join(pieces)
        if piece:
            yield Token("text", piece, *locate(begin, match.start()))
        token, position = _substitution(text, match.start(), suffix, locate)
        yield token
        pieces, begin = [], position
    piece = "".join([*pieces, text[position:]])
    if piece:
        yield Token("text", piece, *locate(begin, len(text)))


def _substitution(text: str, start: int, suffix: bool, locate: Locate) -> tuple[Token, int]:
    """The substitution or tag that begins at `start`, and its end."""
    body = BODY.match(text, start + 2)
    assert body is not None
    end = body.end()
    if end == len(text) or text[end] != "}":
        raise unreadable(text, start, locate)
    content = body.group()
    word = content.strip(SPACES)
    optional = suffix and text.startswith("?", end + 1)
    place = locate(start, end + 1)
    condition = CONDITION.match(word)
    if word in ("else", "endif") or condition:
        if condition is None:
            return Token(word, "", *place), end + 1
        if optional:
            summary = "`?` cannot follow `${if ..}`"
            raise LanguageError("invalid_substitution", summary, *locate(end + 1, end + 2))
        inner = start + 2 + content.index("if") + 2
        return Token("if", text[inner:end], *place, locate(inner, end)[0]), end + 1
    if not word:
        hint = "add an expression, or write `$${}` for the text `${}`"
        raise LanguageError("empty_substitution", "the substitution is empty", *place, hint)
    end += optional
    place = locate(start, end + 1)
    return Token("value", content, *place, locate(start + 2, end)[0], optional), end + 1


def unreadable(text: str, start: int, locate: Locate = _same_place) -> LanguageError:
    """The error for an opener without a complete substitution."""
    body = BODY.match(text, start + 2)
    assert body is not None
    stop = body.end()
    if text[stop : stop + 1] in ('"', "'"):
        quote = text[stop]
        return LanguageError(
            "unclosed_substitution",
            "a string in the substitution is not closed",
            *locate(stop, stop + 1),
            f"write `\\{quote}` for a `{quote}` in a string",
        )
    return LanguageError(
        "unclosed_substitution",
        "the substitution is not closed",
        *locate(start, start + 2),
        'add a `}`, or write `${"$"}{` for the text `${`',
    )


Parse = Callable[[Token], Expression]


def assemble(parts: Iterator[Token], read: Parse) -> list[str | Expression | Token]:
    """The parts of a string, with each block as one tree; substitutions outside blocks stay tokens.

    Raises:
        LanguageError: for tags that do not match.
    """
    frames = [_Frame()]
    top: list[str | Expression | Token] = []
    for token in parts:
        frame = frames[-1]
        if token.kind == "if":
            frames.append(_Frame(token, read(token)))
        elif token.kind == "text":
            (top if len(frames) == 1 else frame.branches[-1]).append(token.content)
        elif token.kind == "value" and len(frames) == 1:
            top.append(token)
        elif token.kind == "value":
            frame.branches[-1].append(read(token))
        elif len(frames) == 1:
            raise _misplaced(token, f"`${{{token.kind}}}` without `${{if ..}}`")
        elif token.kind == "else":
            if len(frame.branches) > 1:
                raise _misplaced(token, "the block already has an `${else}`")
            frame.branches.append([])
        else:
            frames.pop()
            block = _block(frame, token.end)
            (top if len(frames) == 1 else frames[-1].branches[-1]).append(block)
    opened = frames[-1].token
    if opened is not None:
        raise _misplaced(opened, "the block is not closed", "add `${endif}` at its end")
    return top


def _misplaced(token: Token, summary: str, hint: str | None = None) -> LanguageError:
    return LanguageError("invalid_substitution", summary, token.start, token.end, hint)


def _block(frame: _Frame, end: int) -> Call:
    assert frame.token is not None and frame.condition is not None
    start = frame.token.start
    trees = [joined(branch, start, end) for branch in frame.branches]
    return Call(BLOCK, tuple(map(Argument, (frame.condition, *trees))), start, end)


def joined(parts: list[str | Expression], start: int, end: int) -> Expression:
    """The tree of a string: a single substitution keeps its type."""
    found: list[Expression] = []
    trees: list[Expression] = []
    for part in parts:
        if isinstance(part, Call) and part.function == TEXT:
            trees += [argument.value for argument in part.arguments]
        else:
            trees.append(Literal(part, start, end) if isinstance(part, str) else part)
    for tree in trees:
        last = found[-1] if found else None
        if _is_text(tree) and last is not None and _is_text(last):
            found[-1] = Literal(last.value + tree.value, start, end)  # type: ignore[union-attr]
        else:
            found.append(tree)
    kept = [tree for tree in found if not (_is_text(tree) and tree.value == "")]  # type: ignore[union-attr]
    if not kept:
        return Literal("", start, end)
    if len(kept) == 1 and len(found) > 1:
        kept = found
    if len(kept) == 1:
        return kept[0]
    return Call(TEXT, tuple(map(Argument, kept)), start, end)


def _is_text(tree: Expression) -> bool:
    return isinstance(tree, Literal) and isinstance(tree.value, str)


def cut(language: Language, text: str, suffix: bool) -> list[Segment]:
    """The texts and substitutions of a string of a document; a block is one substitution.

    Raises:
        LanguageError: for the first error in it.
    """
    limit = language.limits.max_substitutions
    if "$${" not in text and text.count("${") < limit:
        usual = _values(language, text, suffix)
        if usual is not None:
            return usual

    def counted() -> Iterator[Token]:
        for count, token in enumerate(tokens(text, suffix)):
            if count >= limit:
                raise LanguageError(
                    "limit_exceeded",
                    f"a string has more than {limit} substitutions and texts (`max_substitutions`)",
                    0,
                    len(text),
                )
            yield token

    def read(token: Token) -> Expression:
        tree = language.parse(token.content, token.inner)
        return Call(OPTIONAL, (Argument(tree),), token.start, token.end) if token.optional else tree

    segments: list[Segment] = []
    for part in assemble(counted(), read):
        if isinstance(part, str):
            segments.append(part)
        elif isinstance(part, Token):
            inner = text[part.start + 2 : part.end - (not part.optional)]
            shape, literals = language.read(inner, part.start)
            segments.append(Substitution(shape, literals, part.start, part.end, inner))
        else:
            inner = text[part.start + 2 : part.end - 1]
            shape = Shape(part)
            language.hold_depth(shape, part.start, part.end)
            segments.append(Substitution(shape, (), part.start, part.end, inner))
    if segments != [text] and all(isinstance(part, str) for part in segments):
        # a string with escapes only is a template, because its value differs from its text
        value = Literal("".join(map(str, segments)))
        return [Substitution(Shape(value), (), 0, len(text))]
    return segments


def _values(language: Language, text: str, suffix: bool) -> list[Segment] | None:
    """The parts of a string without blocks, like most strings; None for all others.

    Raises:
        LanguageError: for the first error in a value.
    """
    segments: list[Segment] = []
    position = 0
    start = text.find("${")
    while start >= 0:
        body = BODY.match(text, start + 2)
        assert body is not None
        end = body.end()
        inner = text[start + 2 : end]
        word = inner.strip(SPACES)
        if text[end : end + 1] != "}" or (suffix and text.startswith("?", end + 1)):
            return None
        if not word or (word[0] in "ei" and (word in ("else", "endif") or CONDITION.match(word))):
            return None
        if start > position:
            segments.append(text[position:start])
        shape, literals = language.read(inner, start)
        position = end + 1
        segments.append(Substitution(shape, literals, start, position, inner))
        start = text.find("${", position)
    if position < len(text):
        segments.append(text[position:])
    return segments


def parse(text: str, offset: int, shape: bool, suffix: bool) -> Expression:
    """The tree of the text between `${` and `}`.

    That is an expression, or for a block or an optional substitution the text up to the last brace
    or the `?`.

    Raises:
        LanguageError: when it cannot be parsed.
    """
    plain = dotted(text, offset)
    if plain is not None:
        return plain
    body = BODY.match(text)
    assert body is not None
    inner = partial(_template, suffix)
    rest = text[body.end() :]
    if rest == "}?":
        tree = parse_expression(body.group(), offset, shape, inner)
        return Call(OPTIONAL, (Argument(tree),), offset - 2, offset + len(text))
    if rest.startswith("}"):
        return inner("${" + text + "}", offset - 2, None)
    if not text.strip(SPACES):
        raise LanguageError(
            "empty_substitution", "the substitution is empty", offset - 2, offset + len(text) + 1
        )
    return parse_expression(text, offset, shape, inner)


def _template(suffix: bool, text: str, offset: int, fixed: tuple[int, int] | None) -> Expression:
    """The tree of a string that is a template; its parts get the place `fixed` if given."""

    inner = partial(_template, suffix)

    def locate(start: int, end: int) -> tuple[int, int]:
        return fixed or (start + offset, end + offset)

    def read(token: Token) -> Expression:
        tree = parse_expression(token.content, token.inner, False, inner, fixed)
        if not token.optional:
            return tree
        return Call(OPTIONAL, (Argument(tree),), token.start, token.end)

    parts = assemble(tokens(text, suffix, locate), read)
    return joined([read(p) if isinstance(p, Token) else p for p in parts], *locate(0, len(text)))


_PLAIN: Final = r"""[^"'\\$\n\r\u2028\u2029]*+"""
# A string in brackets may be a key, which is part of a reference and stays.
_TEXT_LITERAL: Final = (
    rf"\[\s*(?:{STRING})\s*\]"
    rf"""|(?:"(?={_PLAIN}")|'(?={_PLAIN}'))({_PLAIN})["']|{STRING}"""
)


def _unchanged(content: str) -> str:
    return content


def _syntax(suffix: bool) -> Syntax:
    return Syntax(
        grammar=f"{GRAMMAR}suffix = {suffix}",
        opener="${",
        closer="}",
        whole=re.compile(rf"\$\{{({BODY.pattern})\}}"),
        text_literal=re.compile(_TEXT_LITERAL),
        hole=f'"{HOLE}"',
        brackets=("([?", ")]:"),
        parse=partial(parse, suffix=suffix),
        unquote=_unchanged,
        show=partial(show, suffix=suffix),
        protected="$${",
        unreadable=unreadable,
        cut=partial(cut, suffix=suffix),
        write=partial(write, suffix=suffix),
        protect=protect,
        spacing=Spacing(dashes=True),
    )


SYNTAX: Final = _syntax(True)
"""`${key}?` is nothing when the key is missing: configuration of `garden.io/v1`."""

SYNTAX_V2: Final = _syntax(False)
"""A `?` after a substitution is text: configuration of `garden.io/v2`."""
