"""The syntax: a scalar that is `(( .. ))` as a whole is an expression."""

from __future__ import annotations

import re
from typing import Final

from ...language.errors import LanguageError
from ...language.language import Language
from ...language.syntax import HOLE, Spacing, Syntax
from ...values.expression import Expression, Segment, Substitution
from ...values.tree import AnyNode, Scalar
from .printing import show
from .reader import parse

OPENER: Final = "(("
CLOSER: Final = "))"


def inner(text: str) -> str | None:
    """What stands between the delimiters of an expression; None for any other text."""
    if text.startswith(OPENER) and text.endswith(CLOSER) and len(text) > 3 and text[2] != "!":
        return text[2:-2]
    return None


def expression_in(node: AnyNode | None) -> str | None:
    """What stands between the delimiters of a node that is an expression."""
    text = node.value if isinstance(node, Scalar) else None
    return inner(text) if isinstance(text, str) else None


def unescaped(text: str) -> str:
    """A text in a result: `((! x ))` stands for `(( x ))`."""
    escaped = text.startswith("((!") and text.endswith(CLOSER) and len(text) > 4
    return f"(({text[3:]}" if escaped else text


def _cut(language: Language, text: str) -> list[Segment]:
    body = inner(text)
    if body is None:
        return [text]
    shape, literals = language.read(body, 0)
    return [Substitution(shape, literals, 0, len(text), body)]


def _write(parts: list[str | Expression]) -> str:
    return "".join(part if isinstance(part, str) else f"(( {show(part)} ))" for part in parts)


def _unreadable(text: str, start: int) -> LanguageError:
    return LanguageError("template_syntax", "the expression cannot be read", start, len(text))


SYNTAX: Final = Syntax(
    grammar="spiff 1",
    opener=OPENER,
    closer=CLOSER,
    whole=re.compile(r"\(\(([\s\S]*+)"),
    text_literal=re.compile(r'"(?:\\"|[^"])*+"'),  # no holes: strings are part of the trees
    hole=f'"{HOLE}"',
    brackets=("([{", ")]}"),
    parse=parse,
    unquote=str,
    show=show,
    protected="((!",
    unreadable=_unreadable,
    cut=_cut,
    write=_write,
    protect=str,  # what is written is a result, no template
    spacing=Spacing(" ", loose=True),
)
