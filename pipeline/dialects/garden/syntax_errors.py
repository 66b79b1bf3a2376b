"""Messages for expressions that do not parse.

The parser only knows where it stopped. So the text is read once more, token by token, by a small
automaton that knows which token may follow which. It never decides whether a text is valid.
"""

from __future__ import annotations

import re
from typing import Final

from ....functions.regexes import compile_regex
from ...language.errors import LanguageError, Misplaced, unreadable_text
from ...values.diagnostics import Remedy
from .tokens import NAME, PART, SPACE, SPACES, STRING

_TOKEN: Final = compile_regex(
    rf"""(?P<space>[{SPACE}]+) | (?P<break>[\n\r\u2028\u2029]+)
    | (?P<string>{STRING}) | (?P<quote>["'])
    | (?P<operator>===|!==|\?\?|\?\.|=>|\|\||&&|==|!=|<=|>=|[-+](?!{PART})|[<>*/%|&^~=+!])
    | (?P<number>-?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+)(?!{PART}))
    | (?P<name>{NAME}) | (?P<word>true|false|null|typeof) | (?P<mark>\$\{{|[()\[\]{{}}.,?:])
    | (?P<other>[\s\S])""",
    re.X,
)
_INSTEAD: Final = {
    "===": Remedy("`==` compares strictly already", "=="),
    "!==": Remedy("`!=` compares strictly already", "!="),
    "??": Remedy("write `||` for a default", "||"),
    "?.": "write `||` for a default: a missing key counts as false in front of it",
    "=": Remedy("write `==` to compare", "=="),
    "|": Remedy("write `||`", "||"),
    "&": Remedy("write `&&`", "&&"),
}
_WORDS: Final = {"and": "&&", "or": "||", "in": "contains", "eq": "==", "is": "=="}
_KEYED: Final = ("name", "key")  # after these, a key may follow

_EMPTY: Final = frozenset({("call", "(", ")"), ("[", "[", "]"), ("[", ",", "]")})


def explain(text: str, position: int, offset: int) -> LanguageError:
    """The error in a text that the parser stopped in at `position`.

    `offset` is added to all positions of the result.
    """
    found = _first_misplaced(text)
    size = len(text.rstrip(SPACES))
    return unreadable_text("expression", size, found, position, offset)


def _first_misplaced(text: str) -> Misplaced | None:
    """The first misplaced token, as (message, start, end, hint)."""
    state = "operand"  # operand | name (may be called) | key | value | dot
    opened: list[tuple[str, int]] = []
    spaced, before, last = False, "", (0, 0)
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        token, (start, end) = match.group(), match.span()
        if kind == "space":
            spaced = True
            continue
        last = (start, end)
        if kind == "break":
            if not text[end:].strip() or not text[:start].strip():
                return ("a substitution must not contain line breaks", start, end, None)
            return ("an expression must be on one line", start, end, None)
        wrong = _never(kind, token, start, end)
        if wrong:
            return wrong
        if state == "operand":
            if kind == "number" and token[0] == "-":
                return ("numbers have no sign", start, end, f"write `0 - {token[1:]}`")
            if kind in ("string", "number") or token in ("true", "false", "null"):
                state = "value"
            elif kind == "name":
                state = "name"
            elif token in ("(", "["):
                opened.append((token, start))
            elif opened and (opened[-1][0], before, token) in _EMPTY:
                opened.pop()
                state = "value"
            elif not (token == "!" or token == "typeof"):
                return _no_operand(token, before, start, end)
        elif state == "dot":
            if kind != "name" or spaced:
                hint = f'write `["{token}"]`' if kind == "word" else None
                return ("a name is expected after the dot", start, end, hint)
            state = "key"
        elif token == "(" and state == "name":
            opened.append(("call", start))
            state = "operand"
        elif token in (".", "["):
            if state not in _KEYED or spaced:
                what = "a space" if state in _KEYED else "a value that has no name"
                return (f"no key can follow {what}", start, end, None)
            if token == "[":
                opened.append(("key", start))
            state = "dot" if token == "." else "operand"
        elif token in (")", "]", ":", ","):
            answer = _closed(token, opened, start, end)
            if answer is None:
                return (f"`{token}` is not expected here", start, end, None)
            if not isinstance(answer, str):
                return answer
            state = answer
        elif token == "?":
            opened.append(("?", start))
            state = "operand"
        elif token == "contains" or (kind == "operator" and token != "!"):
            if token in "+-" and not (spaced and text[end : end + 1] in SPACES):
                summary = f"`{token}` needs a space on both sides"
                return (summary, start, end, "without spaces it could be part of a name")
            state = "operand"
        else:
            return _after(token, kind, start, end)
        before, spaced = token, False
    return _unfinished(state, opened, last)


def _never(kind: str, token: str, start: int, end: int) -> Misplaced | None:
    """The error for a token that is wrong in any position."""
    if token in _INSTEAD:
        return (f"there is no operator `{token}`", start, end, _INSTEAD[token])
    if kind == "quote":
        return ("the string is not closed", start, end, f"write `\\{token}` for a `{token}` in it")
    if token == "${":
        hint = "write names and calls without `${`; inside a string it starts a template"
        return ("substitutions cannot be nested", start, end, hint)
    if token in ("{", "}"):
        return ("objects have no literal syntax", start, end, "use a variable with the object")
    if kind == "other" or token in ("=>", "^", "~"):
        shown = token if token.isprintable() else f"U+{ord(token[0]):04X}"
        return (f"unexpected character `{shown}`", start, end, None)
    return None


def _no_operand(token: str, before: str, start: int, end: int) -> Misplaced:
    if token in "+-":
        return ("numbers have no sign", start, end, "write `0 - n`")
    if token == ")" and before == ",":
        return ("an argument is missing after the comma", start, end, "remove the comma")
    if before:
        return (f"a value is expected before `{token}`", start, end, None)
    return (f"an expression cannot start with `{token}`", start, end, None)


def _closed(
    token: str, opened: list[tuple[str, int]], start: int, end: int
) -> str | Misplaced | None:
    """The state after a closing token or separator, or the error."""
    if not opened:
        return None
    kind, place = opened[-1]
    if kind == "?" and token != ":":
        return ("`:` and a second value are missing after `?`", place, place + 1, None)
    if token == ":":
        if kind != "?":
            return None
        opened.pop()
        return "operand"
    if token == ",":
        return "operand" if kind in ("call", "[") else None
    if (kind in ("call", "(")) != (token == ")"):
        wanted = ")" if kind in ("call", "(") else "]"
        return (f"`{wanted}` is expected before `{token}`", start, end, None)
    opened.pop()
    return "key" if kind == "key" else "value"


def _after(token: str, kind: str, start: int, end: int) -> Misplaced:
    if token in _WORDS:
        return (
            f"`{token}` is not an operator",
            start,
            end,
            Remedy(f"write `{_WORDS[token]}`", _WORDS[token]),
        )
    if kind == "number" and token[0] == "-":
        return ("`-` needs a space on both sides", start, start + 1, None)
    return (f"an operator is expected before `{token[:30]}`", start, end, None)


def _unfinished(
    state: str, opened: list[tuple[str, int]], last: tuple[int, int]
) -> Misplaced | None:
    start, end = last
    if state == "dot":
        return ("a name is expected after the dot", start, end, None)
    if state == "operand":
        return ("a value is expected after this", start, end, None)
    if opened:
        kind, place = opened[-1]
        if kind == "?":
            return ("`:` and a second value are missing after `?`", place, place + 1, None)
        mark, wanted = ("(", ")") if kind in ("call", "(") else ("[", "]")
        return (f"`{mark}` is not closed", place, place + 1, f"add a `{wanted}`")
    return None
