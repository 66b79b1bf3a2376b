"""The syntax: texts with expressions between `${{` and `}}`, or `${%` and `%}`.

What an expression gives is never cut again, and there is no escape. Strings in an expression are
not looked at: its end is the first closer in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ....functions.expr.kinds import StructType
from ....functions.kargo.index import INDEX, load
from ....functions.regexes import compile_regex
from ....functions.registry import Function, Functions
from ....functions.signatures import declared_functions
from ...language.errors import LanguageError
from ...language.language import Language
from ...language.syntax import Spacing, Syntax
from ...values.expression import Expression, Literal, Segment, Substitution
from ...values.settings import Settings
from ..expr.printing import quoted, show
from ..expr.syntax import SYNTAX as BARE
from ..expr.syntax import builtin, parser
from ..expr.syntax import functions as builtins
from ..expr.types import Typer

OPENER: Final = compile_regex(r"\$\{([{%])")
_CLOSERS: Final = {"{": "}}", "%": "%}"}
_OTHER: Final = {"}}": "%}", "%}": "}}"}
_WIDTH: Final = 3
_STRING: Final = r'"(?:[^"\\]|\\.)*+"'
_TOKEN: Final = r"""(?s)(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|`[^`]*+`|[^"'`()\[\]{}%$])++"""
_PAIRS: Final = {"(": ")", "[": "]", "{": "}"}
_OWN: Final = declared_functions(INDEX, load, {})


def find(name: str) -> Function | None:
    """The function with a name: one of Kargo's, or a builtin of expr-lang."""
    return _OWN.get(name) or builtin(name)


def functions(settings: Settings) -> Functions:
    """All functions under given settings."""
    return builtins(settings.limits, "kargo").with_functions(*_OWN.outlines().values())


def _structs() -> Mapping[str, StructType]:
    from ....functions.kargo.promotion import STRUCTS

    return STRUCTS


TYPER: Final = Typer(find, _structs)
_parse = parser(find, _structs)


def _cut(language: Language, text: str) -> list[Segment]:
    """The texts and expressions of a string; `${{}}` is empty, and ends the cutting."""
    segments: list[Segment] = []
    mistakes: list[LanguageError] = []
    position = 0
    while match := OPENER.search(text, position):
        start, inside = match.span()
        closer = _CLOSERS[match[1]]
        end = text.find(closer, inside)
        if end < 0:
            mistakes.append(_unclosed(text, start, closer))
            break
        if start > position:
            segments.append(text[position:start])
        inner, position = text[inside:end], end + 2
        if not inner:
            _hold_rest(text, start, position)
            inner = '""'
        try:
            shape, literals = language.read(inner, start)
        except LanguageError as error:
            mistakes.append(_closed_inside(text, inside, end, closer) or error)
        else:
            segments.append(Substitution(shape, literals, start, position, inner))
    if mistakes:
        found = mistakes[0].moved(0)
        found.others = tuple(mistakes[1:])
        raise found
    if position < len(text):
        segments.append(text[position:])
    return segments


def _unclosed(text: str, start: int, closer: str) -> LanguageError:
    other = text.find(_OTHER[closer], start + _WIDTH)
    hint = f'add ` {closer}`; for the text itself write `${{{{ "${{" + "{text[start + 2]}" }}}}`'
    if other >= 0:
        hint = f"it begins with `{text[start : start + _WIDTH]}`, so it ends with `{closer}`"
    return LanguageError(
        "unclosed_substitution", "the substitution is not closed", start, start + _WIDTH, hint
    )


def _hold_rest(text: str, start: int, end: int) -> None:
    """Refuses an empty substitution with others behind it.

    Raises:
        LanguageError: `stopped_cutting`.
    """
    if OPENER.search(text, end):
        summary = f"`{text[start:end]}` ends the cutting, so what follows stays text"
        hint = "take it out, or put an expression into it"
        raise LanguageError("stopped_cutting", summary, start, end, hint)


def _closed_inside(text: str, inside: int, end: int, closer: str) -> LanguageError | None:
    """The mistake of an expression that ends at a closer of its own; None if it has another."""
    expected: list[str] = []
    what = ""
    position = inside
    while position < len(text):
        if position >= end and not what:
            if position == end and not expected:
                return None
            what = "string" if position > end else "map" if expected[-1] == "}" else "brackets"
        if what and not expected and text.startswith(closer, position):
            other = "${% .. %}" if closer == "}}" else "${{ .. }}"
            apart = '" + "'.join(closer) if what == "string" else " ".join(closer)
            summary = f"the expression ends at the first `{closer}`, inside of its {what}"
            hint = f"write `{other}`, or `{apart}`"
            return LanguageError("closing_delimiter_inside", summary, end, end + 2, hint)
        token = re.compile(_TOKEN).match(text, position)
        if token is not None:
            position = token.end()
            continue
        character = text[position]
        if character in _PAIRS:
            expected.append(_PAIRS[character])
        elif expected and character == expected[-1]:
            expected.pop()
        elif character in ")]}\"'`" or OPENER.match(text, position):
            return None
        position += 1
    return None


def write(parts: Sequence[str | Expression]) -> str:
    """The text of a string with expressions; text that would be cut is put into one."""
    written: list[str] = []
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
        elif part != Literal("") or len(parts) == 1:
            written += [_safe(text), _delimited(show(part))]
            text = ""
    return "".join([*written, _safe(text)])


def _safe(text: str) -> str:
    return _delimited(quoted(text)) if OPENER.search(text) else text


def protect(text: str) -> str:
    """A string as it is, or as an expression that gives it when it would be cut.

    The quotes in it are taken off, and keep it from becoming anything else but a string.
    """
    return _delimited(quoted(f'"{text}"'), "%") if OPENER.search(text) else text


def _delimited(inner: str, mark: str = "{") -> str:
    """An expression between delimiters whose closer it does not have."""
    for kind in (mark, *_CLOSERS):
        if _CLOSERS[kind] not in inner:
            return f"${{{kind} {inner} {_CLOSERS[kind]}"
    inner = re.sub(_STRING, lambda match: match[0].replace("}}", "}\\x7d"), inner)
    return f"${{{{ {inner.replace('}}', '} }')} }}}}"


def _is_evaluated(keys: tuple[str, ...]) -> bool:
    """Whether a string with these keys may be one of a promotion; others are text."""
    return keys[:1] == ("spec",) and ("steps" in keys or "vars" in keys)


def _unreadable(text: str, start: int) -> LanguageError:
    return _unclosed(text, start, _CLOSERS[text[start + 2]])


SYNTAX: Final[Syntax] = BARE.evolve(
    grammar="kargo 3",
    opener="${",
    closer="}",
    lead=_WIDTH,
    parse=_parse,
    unreadable=_unreadable,
    cut=_cut,
    write=write,
    protect=protect,
    spacing=Spacing(" ", breaks=True, where=_is_evaluated),
)
