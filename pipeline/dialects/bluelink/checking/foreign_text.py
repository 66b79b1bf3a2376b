"""Lints: text that looks like a template of another tool, and substitutions that compute nothing.

Only text that names sections as blueprints have them, or uses the words of another template
language, is told: double braces alone are common in text for other programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .....functions.values import NONE
from ....engine.lints import Finding, Lint, Reading
from ....values.diagnostics import NOTE, WARNING, Remedy
from ....values.document import Document
from ....values.expression import Hole, Literal
from ....values.positions import span_in_scalar
from ....values.source import Span
from ....values.tree import Scalar, Template

_SECTION: Final = r"(values|variables|resources|datasources|children)"
# each with the number of the group that has the name of a section or of another tool
_FOREIGN: Final = (
    re.compile(
        r"\{\{-?\s*+\$?\.?(Values|values|variables|vars?|params|inputs)\.([\w-]++)[^{}]*+\}\}"
    ),
    re.compile(r"\{\{-?\s*+\$?\.(Release|Chart|Files|Capabilities)\.([\w-]++)[^{}]*+\}\}"),
    re.compile(
        r"\{%-?\s*+(if|elif|else|endif|for|endfor|set|include|macro|endmacro|block|endblock)\b()"
    ),
    re.compile(rf"\$\({_SECTION}\.([\w-]++)[^()$]*+\)"),
    re.compile(rf"(?<![\w$\\])\${_SECTION}\.([\w-]++)"),
)
_PROSE: Final = frozenset({"description"})
# literals in them are told as constant conditions
_CONDITIONS: Final = frozenset({"condition", "and", "or", "not"})


# what a source has with any of it; a backslash may write any of it in another way
_MARKS: Final = re.compile(r"\{\{|\{%|\}\}|\$(?!\{)|\\[xuU\r\n]")


def _find(document: Document, reading: Reading) -> Iterator[Finding]:
    plain = _MARKS.search(document.source.text) is None
    idle: dict[int, bool] = {}
    for key, node in reading.strings(document.root, without=_PROSE):
        if plain:  # only a literal in delimiters can be told
            if not isinstance(node, Template):
                continue
            traits = node.segments.traits
            if id(traits) not in idle:
                idle[id(traits)] = any(_is_literal(one.expression) for one in traits.shapes)
            if not idle[id(traits)]:
                continue
        if isinstance(node, Template):
            if node.text is not None and not _is_usual(node, node.text):
                yield from _in_template(key, node, node.text, document, reading)
        elif isinstance(node, Scalar) and isinstance(node.value, str) and _has_mark(node.value):
            yield from _in_text(node, node.value, (0, len(node.value)), document, reading)


def _is_usual(node: Template, text: str) -> bool:
    """True for a string without literal substitutions and without marks outside of any."""
    found = node.segments.substitutions
    return (
        text.count("$") == len(found)
        and "}}" not in text
        and "{{" not in text
        and "{%" not in text
        and not any(_is_literal(one.shape.expression) for one in found)
    )


def _is_literal(expression: object) -> bool:
    return isinstance(expression, Literal | Hole)


def _in_template(
    key: str, node: Template, text: str, document: Document, reading: Reading
) -> Iterator[Finding]:
    language = reading.context.language
    opener = language.opener
    depth = end = 0
    for one in node.segments.substitutions:
        yield from _in_text(node, text, (end, one.start), document, reading)
        depth += text.count("{", end, one.start) - text.count("}", end, one.start)
        if text.startswith("$", one.start - 1) and one.start > end:
            yield Finding(
                "foreign_template",
                language.place(node, one.start - 1, one.start + len(opener)),
                f"`${opener}` is no escape: the output has a `$` and then the value",
                f"write `{language.syntax.protected}` for a literal `{opener}`",
            )
        end = one.end
        if depth <= 0 and text.startswith("}", end):
            yield Finding(
                "stray_brace",
                language.place(node, end, end + 1),
                "this `}` is text, as the substitution has ended before it",
                "remove it",
            )
        literal = _is_literal(one.shape.expression) and key not in _CONDITIONS
        if literal and _is_idle(language.exact(one)):
            yield Finding(
                "literal_substitution",
                language.place(node, one.start, one.end),
                "this substitution is only a literal",
                "write the value alone",
            )
    yield from _in_text(node, text, (end, len(text)), document, reading)


def _is_idle(expression: object) -> bool:
    """True for a literal that could stand without delimiters: not for one that escapes anything."""
    value = expression.value if isinstance(expression, Literal) else NONE
    if isinstance(value, str):
        return bool(value) and value == value.strip() and not re.search(r"[${}]", value)
    return value is not NONE


def _in_text(
    node: Scalar | Template,
    text: str,
    part: tuple[int, int],
    document: Document,
    reading: Reading,
) -> Iterator[Finding]:
    start, end = part
    if not _has_mark(text[start:end]):
        return
    reading.context.meter.work((end - start) // 64 + 1)
    for pattern in _FOREIGN:
        for match in pattern.finditer(text, start, end):
            yield Finding(
                "foreign_template",
                _place(node, text, *match.span()),
                "this looks like a template of another tool, and stays as it is",
                _meant(match[1], match[2], document, reading),
            )


def _has_mark(text: str) -> bool:
    return "$" in text or "{{" in text or "{%" in text


def _place(node: Scalar | Template, text: str, start: int, end: int) -> Span:
    return span_in_scalar(node.trail.source, node.start, node.end, text, start, end)


def _meant(section: str, name: str, document: Document, reading: Reading) -> str | None:
    """The substitution that is probably meant."""
    for found in (section, "variables", "values"):
        declared = document.section(found)
        if declared is not None and name in declared.items:
            syntax = reading.context.language.syntax
            written = f"{syntax.opener}{found}.{name}{syntax.closer}"
            return Remedy(f"write `{written}`", written, sure=False)
    return None


FOREIGN_TEXT: Final = Lint(
    {"foreign_template": WARNING, "stray_brace": WARNING, "literal_substitution": NOTE}, _find
)
