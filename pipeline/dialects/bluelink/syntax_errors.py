"""Error messages for expressions that do not match the grammar.

The parser only knows where it gave up, which with ordered choice is rarely the mistake. So a string
that does not parse is read again, token by token, by a small automaton that knows which token may
follow which and names the first one out of order. It never decides whether an expression is valid.
"""

from __future__ import annotations

import re

from ...language.errors import CLOSED_QUOTE, LanguageError, Misplaced, unreadable_text

_TOKEN = re.compile(
    r"""[ \t\n\f\r]*(?:
      (?P<string>"(?>\\"|[^"])*+") | (?P<unclosed>"[^"]*) | (?P<quote>'[^']*'?)
    | (?P<operator>==|!=|<=|>=|&&|\|\||[<>!+*/%?&|^~])
    | (?P<number>[+-]?[0-9][0-9A-Za-z_.-]*|\.[0-9][0-9A-Za-z_-]*|-)
    | (?P<name>[A-Za-z_][A-Za-z0-9_-]*)
    | (?P<mark>[()\[\].,=]) | (?P<other>[^ \t\n\f\r])
    )""",
    re.X,
)
_FUNCTION_FOR = {
    "==": "eq(a, b)",
    "!=": "not(eq(a, b))",
    ">": "gt(a, b)",
    ">=": "ge(a, b)",
    "<": "lt(a, b)",
    "<=": "le(a, b)",
    "&&": "and(a, b)",
    "||": "or(a, b)",
    "!": "not(a)",
    "?": "if(condition, a, b)",
}
# `${NAME:-default}` of a shell, `${AWS::Region}` of a template: strings for other programs
_FOREIGN = (":-", ":=", ":?", ":+", "::")
_NO_ARITHMETIC = "arithmetic is not supported"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_BRACKET_NAME = re.compile(r"""["'][A-Za-z0-9_.-]+["']""")


def explain(text: str, position: int, offset: int, words: tuple[str, ...]) -> LanguageError:
    """The mistake in an expression that the parser gave up on at `position`.

    `offset` is added to all positions of the result; `words` are the reserved words.
    """
    found = _first_misplaced(text, words)
    if found is not None:
        found = _from_elsewhere(text, found)
    return unreadable_text("substitution", len(text), found, position, offset)


_CALL_INSTEAD = "write a call, as in `to_upper(values.name)`"
_MAP_INSTEAD = 'name a function, as in `map(values.list, getattr("id"))`'
_STRING = 'write `"..."` for a string'
_LOOKED_BACK = 100

# What other languages write where an expression is wrong: a pattern for the text from there on, one
# for the end of the text before it, a sentence (None for the one that is found), and a hint.
_ELSEWHERE: tuple[tuple[str, str, str | None, str], ...] = (
    (
        r"\([\w\s,]*\)\s*[-=]>|[-=]>|lambda\b",
        "",
        "there are no functions without a name",
        _MAP_INSTEAD,
    ),
    (r">", "[-=]", "there are no functions without a name", _MAP_INSTEAD),
    (r"\w+", r"\blambda\s+", "there are no functions without a name", _MAP_INSTEAD),
    (r"\|(?!\|)", "", "`|` is not supported: a function gets its value in brackets", _CALL_INSTEAD),
    (r"[“”„‟«»‘’‚‛`]", "", "strings are written with double quotes", _STRING),
    (r"\{", r"\A\s*", None, "write `${..}` with one pair of braces"),
    (r"\{", "", None, 'write `object(name = "x")` for an object'),
    (r"\*", r"\[\s*", "there are no splats", _MAP_INSTEAD),
    (r":", r"\[[^\[\]]*", "there are no slices", "take one element, as in `values.list[0]`"),
    (r"-\d+(?=\s*\])", r"\[\s*", None, "elements are counted from the first, which is `[0]`"),
    (
        r"\w[\w.-]*(?=\s*\])",
        r"\[\s*",
        None,
        "an index is a number; `each` and `map` go through all elements",
    ),
    (r"\d+", r"\.\s*", None, "write `[0]` for the first element"),
    (r"\?\?", "", None, "write `coalesce(a, b)`"),
    (r"\?\.", "", None, 'write `lookup(object, "key")` for a key that may be absent'),
    (r"if\b", "", None, "write `if(condition, a, b)`"),
    (r"and\b", "", None, "write `and(a, b)`"),
    (r"or\b", "", None, "write `or(a, b)`"),
    (r"(?:not\s+)?in\b", "", None, "write `contains(array, value)`"),
    (r"is\b", "", None, "write `eq(a, b)`"),
    (r"\w+", r"\bnot\s+", None, "write `not(a)`"),
    (r"\w+", r"\[\s*for\s+", "there are no comprehensions", _MAP_INSTEAD),
    (r"for\b", "", "there are no comprehensions", _MAP_INSTEAD),
    (r"=(?!=)", "", None, "write `eq(a, b)` to compare"),
    (r"~", "", None, 'write `join(list(a, b), "")`'),
    (r"\$", "", None, "references and calls are written without `$`"),
    (r"@|#", "", None, 'write `"..."` for a string'),
    (
        r"\(",
        r"\.\w+\s*",
        None,
        "a function gets its value in brackets, as in `to_upper(values.name)`",
    ),
    (r"\(", r"(?:\A|[,(\[=])\s*", None, "write it without the parentheses"),
)


def _from_elsewhere(text: str, found: Misplaced) -> Misplaced:
    """What is wrong, in words for who knows another language."""
    summary, start, end, hint = found
    splat = re.search(
        r"([A-Za-z_][\w.-]*)\[\s*\*\s*\]\.([\w-]+)", text[max(0, start - _LOOKED_BACK) :]
    )
    if splat and text[start] == "*":
        return "there are no splats", start, end, f'write `map({splat[1]}, getattr("{splat[2]}"))`'
    before = text[max(0, start - _LOOKED_BACK) : start]
    for ahead, behind, sentence, remedy in _ELSEWHERE:
        match = re.compile(ahead).match(text, start)
        if match is not None and (not behind or re.search(f"(?:{behind})\\Z", before)):
            return sentence or summary, start, max(end, min(match.end(), start + 2)), remedy
    return summary, start, end, hint


def _first_misplaced(text: str, words: tuple[str, ...]) -> Misplaced | None:
    """The first token that is out of place, as (sentence, start, end, hint)."""
    state = "operand"  # operand | name (may be called or named) | after | dot | index | indexed
    opened: list[tuple[str, int]] = []
    before, ahead, last = "", "", (0, 0)  # `ahead` is the token before the operand
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        token = match.group(kind)
        start, end = last = match.span(kind)
        wrong = _malformed(kind, token, state, start, end, text[end : end + 1])
        if wrong:
            return wrong
        if state == "operand":
            ahead = before
            if kind == "name":
                state = "literal" if token in words else "name"
            elif kind in ("string", "number"):
                state = "literal"
            elif token == "[":
                opened.append(("array", start))
            elif token in ")]" and before in ("(", "[") and _closes(token, opened):
                opened.pop()
                state = "after" if token == ")" else "literal"
            else:
                return _no_operand(token, before, start, end)
        elif state == "dot":
            if kind != "name":
                return ("a name is expected after the dot", start, end, None)
            state = "after"
        elif state == "index":
            if token == "]":
                opened.pop()
                state = "after"
            elif kind == "number" and not token.isdigit():
                return ("an index must be a non-negative integer", start, end, None)
            elif kind == "number" or _BRACKET_NAME.fullmatch(token):
                state = "indexed"
            else:
                return _bracket_name(start, end)
        elif state == "indexed":
            if token != "]":
                return ("`]` is expected here", start, end, None)
            opened.pop()
            state = "after"
        elif token == "(" and state == "name":
            opened.append(("call", start))
            state = "operand"
        elif token == "=" and state == "name" and ahead in ("(", ",") and _closes(")", opened):
            state = "operand"
        elif token[0] == "." and state != "literal":
            if kind == "number":
                return ("a name cannot start with a digit", start + 1, end, None)
            state = "dot"
        elif token == "[" and state != "literal":
            opened.append(("index", start))
            state = "index"
        elif token == "," and opened:
            state = "operand"
        elif token in ")]" and _closes(token, opened):
            opened.pop()
            state = "after" if token == ")" else "literal"
        else:
            return _misplaced(token, kind, before, opened, start, end)
        before = token
    return _unfinished(state, opened, before, last)


def _malformed(
    kind: str, token: str, state: str, start: int, end: int, following: str
) -> Misplaced | None:
    """Tokens that are wrong in any place; `following` is the next character."""
    if kind == "operator" and (token in _FUNCTION_FOR or token == "+"):
        if token == "+":
            hint = f'{_NO_ARITHMETIC}; join strings with `join(list(a, b), "")`'
        else:
            hint = f"write `{_FUNCTION_FOR[token]}`"
        summary = f"`{token}` is not supported: the language has functions instead of operators"
        return (summary, start, end, hint)
    if kind == "unclosed":
        return ("the string is not closed", start, end, CLOSED_QUOTE)
    if kind == "quote":
        if state != "index":
            return ("strings are written with double quotes", start, end, _STRING)
        return None if _BRACKET_NAME.fullmatch(token) else _bracket_name(start, end)
    if kind == "other" and not token.isprintable():
        hint = "only spaces, tabs and newlines may separate tokens"
        return (f"unexpected character U+{ord(token):04X}", start, end, hint)
    if kind in ("operator", "other"):
        remark = None
        if token + following in _FOREIGN:
            remark = 'for a literal `${`, write `${"${"}`'
        elif token in "*/%" and state != "operand":
            remark = _NO_ARITHMETIC
        return (f"unexpected character `{token}`", start, end, remark)
    if kind == "number" and state == "operand" and not _NUMBER.fullmatch(token):
        return ("this is not a number", start, end, "write a number such as `42`, `-1` or `2.5`")
    return None


def _bracket_name(start: int, end: int) -> Misplaced:
    return (
        "a name in brackets must be quoted and contain only letters, digits, `_`, `-` and `.`",
        start,
        end,
        None,
    )


def _no_operand(token: str, before: str, start: int, end: int) -> Misplaced:
    if before == "," and token in ")]":
        return ("an argument is missing after the comma", start, end, "remove the comma")
    if token == "(":
        return (
            "parentheses cannot group; they only follow the name of a function",
            start,
            end,
            None,
        )
    if before:
        return (f"an argument is expected before `{_short(token)}`", start, end, None)
    return (f"an expression cannot start with `{_short(token)}`", start, end, None)


def _closes(token: str, opened: list[tuple[str, int]]) -> bool:
    """True when a closing bracket matches the last opening one."""
    return bool(opened) and (opened[-1][0] == "call") == (token == ")")


def _misplaced(
    token: str, kind: str, before: str, opened: list[tuple[str, int]], start: int, end: int
) -> Misplaced:
    if token == "(":
        if before in (")", "]"):
            hint = "pass it to a function that takes functions"
            return ("the result of a call cannot be called", start, end, hint)
        return ("`(` is not expected here", start, end, None)
    if token in ")]" and opened:
        wanted = ")" if opened[-1][0] == "call" else "]"
        return (f"`{wanted}` is expected before `{token}`", start, end, None)
    if token in ")]":
        return (f"`{token}` has no matching opening bracket", start, end, None)
    if opened and kind in ("name", "string", "number"):
        return ("a comma is expected between arguments", start, end, None)
    if token == "=":
        return ("`=` may only follow the name of an argument", start, end, None)
    what = "after a literal" if token in ".[" else "after a complete expression"
    remark = _NO_ARITHMETIC if token == "-" else None
    return (f"`{_short(token)}` is not expected {what}", start, end, remark)


def _unfinished(
    state: str, opened: list[tuple[str, int]], before: str, last: tuple[int, int]
) -> Misplaced | None:
    start, end = last
    if state == "dot":
        return ("a name is expected after the dot", start, end, None)
    if opened:
        context, place = opened[-1]
        mark, wanted = ("(", ")") if context == "call" else ("[", "]")
        if state == "operand" and before in (",", "="):
            return ("the substitution ends where an argument is expected", start, end, None)
        return (f"`{mark}` is not closed", place, place + 1, f"add a `{wanted}`")
    return None


def _short(token: str) -> str:
    return token if len(token) <= 30 else token[:30] + "..."
