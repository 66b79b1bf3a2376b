"""Trees and strings, printed so that parsing them again gives the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from ....functions.garden.arguments import number_text
from ....functions.regexes import compile_regex
from ....functions.values import NONE
from ...values.expression import Argument, Call, Expression, Literal, Reference
from .evaluating.operators import (
    BINDING,
    BLOCK,
    LIST,
    LOOKUP,
    NEITHER,
    OPTIONAL,
    RUNS,
    TERNARY,
    TEXT,
)
from .tokens import CONDITION, is_name, step_of

_PRIMARY: Final = 10
_OPENER: Final = compile_regex(r"\$+(?=\{)")
_LAST_DOLLARS: Final = compile_regex(r"\$+\Z")
_FIRST_MARKS: Final = compile_regex(r"\?+")
_SPECIAL: Final = compile_regex(r"[\\\x00-\x1f\x7f\u2028\u2029]")
_SHORT: Final = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def show(expression: Expression, suffix: bool = True) -> str:
    """The text of an expression, without delimiters; with `suffix`, a `?` may follow them."""
    return _shown(expression, suffix)[0]


def _shown(node: Expression, suffix: bool) -> tuple[str, int]:
    """The text of a node and the precedence of its outermost operator."""
    inside = partial(_wrapped, suffix=suffix)
    match node:
        case Literal(value=value):
            return show_value(value)
        case Reference(root=root, path=path):
            return root + "".join(map(_step, path)), _PRIMARY
        case Call(function=name, arguments=arguments):
            parts = [argument.value for argument in arguments]
            if name in (TEXT, BLOCK, OPTIONAL):
                return quoted(write([node], suffix)), _PRIMARY
            if name == LIST:
                return f"[{', '.join(inside(part) for part in parts)}]", _PRIMARY
            if name == LOOKUP:
                return inside(parts[0]) + "".join(
                    _key(part, suffix) for part in parts[1:]
                ), _PRIMARY
            if name == TERNARY:
                return _ternary(parts, suffix), BINDING[name]
            if name == "object":
                return _object(node, suffix), _PRIMARY
            if name in BINDING:
                return _operation(name, parts, suffix), BINDING[name]
            return f"{name}({', '.join(inside(part) for part in parts)})", _PRIMARY
    raise TypeError(f"{node!r} cannot be printed")


def _wrapped(node: Expression, least: int = 0, suffix: bool = True) -> str:
    """The text of an operand, in parentheses if its precedence is below `least`."""
    text, binding = _shown(node, suffix)
    return f"({text})" if binding < least else text


def _operation(name: str, parts: list[Expression], suffix: bool) -> str:
    level = BINDING[name]
    if len(parts) == 1:
        operand = _wrapped(parts[0], level, suffix)
        return f"{name}{' ' if name.isalpha() else ''}{operand}"
    first = parts[0]
    row = isinstance(first, Call) and first.function == name and (name in RUNS or name == NEITHER)
    shown = [_wrapped(first, level + row, suffix)]
    shown += [_wrapped(part, level + 1, suffix) for part in parts[1:]]
    return f" {name} ".join(shown)


def _ternary(parts: list[Expression], suffix: bool) -> str:
    least = BINDING[TERNARY] + 1
    shown = []
    for position, part in enumerate(parts[:-1]):
        mark = ":" if position % 2 else "?"
        shown.append(f"{_wrapped(part, 0 if position % 2 else least, suffix)} {mark} ")
    return "".join(shown) + _wrapped(parts[-1], least, suffix)


def _object(node: Call, suffix: bool) -> str:
    """An object with unknown parts as JSON in a template: objects have no literal syntax."""
    return f"jsonDecode({quoted(write(_json_parts(node), suffix))})"


def _json_parts(node: Expression) -> list[str | Expression]:
    """A value as JSON: strings, and expressions for its unknown parts."""
    if isinstance(node, Literal) and node.value is not NONE:
        return [_json(node.value)]
    if not (isinstance(node, Call) and node.function in ("object", LIST)):
        return [Call("jsonEncode", (Argument(node),))]
    named = node.function == "object"
    parts: list[str | Expression] = ["{" if named else "["]
    for position, argument in enumerate(node.arguments):
        comma = "," if position else ""
        parts.append(f"{comma}{_json(argument.name)}:" if named else comma)
        parts += _json_parts(argument.value)
    parts.append("}" if named else "]")
    return parts


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if is_name(key) and step_of(key) == key else f"[{quoted(protect(key))}]"


def _key(node: Expression, suffix: bool) -> str:
    if isinstance(node, Literal) and node.value.__class__ in (str, int):
        return _step(node.value)
    return f"[{_wrapped(node, 0, suffix)}]"


def show_value(value: Any) -> tuple[str, int]:
    """A known value as an expression, and the precedence of its outermost operator."""
    match value:
        case None:
            return "null", _PRIMARY
        case bool():
            return ("true" if value else "false"), _PRIMARY
        case int() | float():
            if value < 0:  # numbers have no sign
                return f"0 - {number_text(-value)}", BINDING["-"]
            return number_text(value), _PRIMARY
        case str():
            return quoted(protect(value)), _PRIMARY
        case list() if not any(isinstance(item, dict) for item in value):
            return f"[{', '.join(show_value(item)[0] for item in value)}]", _PRIMARY
        case list() | dict():
            return f"jsonDecode({quoted(protect(_json(value)))})", _PRIMARY
    if value is NONE:
        return quoted(""), _PRIMARY
    raise TypeError(f"a {type(value).__name__} cannot be written as an expression")


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def quoted(text: str) -> str:
    """A string as a literal, in the quotes that need less escaping."""
    quote = "'" if '"' in text and "'" not in text else '"'
    if "\\" in text or not text.isprintable():
        text = _SPECIAL.sub(lambda found: _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}", text)
    return quote + text.replace(quote, "\\" + quote) + quote


def protect(text: str) -> str:
    """A known string, escaped so that it is never parsed as a template."""
    return _protected(text) if "${" in text else text


def _protected(text: str) -> str:
    parts = []
    position = 0
    while match := _OPENER.search(text, position):
        closer = text.find("}", match.end())
        parts.append(text[position : match.start()])
        if closer < 0:
            parts.append(f'${{"{match[0]}"}}')
            position = match.end()
        else:  # an escape ends at the first brace
            parts.append(f"${text[match.start() : closer + 1]}")
            position = closer + 1
    return "".join(parts) + text[position:]


def write(parts: Sequence[str | Expression], suffix: bool = True) -> str:
    """A string made of texts and trees; with `suffix`, a `?` after a substitution has a meaning."""
    flat: list[str | Expression] = []
    for part in parts:
        pieces = _pieces(part) if isinstance(part, Call) and part.function == TEXT else [part]
        for piece in pieces:
            last = flat[-1] if flat else None
            if isinstance(piece, str) and isinstance(last, str):
                flat[-1] = last + piece
            else:
                flat.append(piece)
    written = []
    for position, part in enumerate(flat):
        if isinstance(part, str):
            before = position > 0 and _takes_mark(flat[position - 1])
            after = position + 1 < len(flat) and not isinstance(flat[position + 1], str)
            written.append(_piece(part, before and suffix, after))
        else:
            written.append(_substitution(part, suffix))
    return "".join(written)


def _takes_mark(part: str | Expression) -> bool:
    """True for a substitution that a `?` after it would belong to: a block ends with a tag."""
    return not (isinstance(part, str) or (isinstance(part, Call) and part.function == BLOCK))


def _pieces(node: Call) -> list[str | Expression]:
    """The texts and trees of a template that is one tree."""
    return [
        part.value
        if isinstance(part, Literal) and isinstance(part.value, str) and part.value
        else part
        for part in (argument.value for argument in node.arguments)
    ]


def _piece(text: str, before: bool, after: bool) -> str:
    """A text, escaped for a substitution `before` it (with a `?`) or one `after` it."""
    head = _FIRST_MARKS.match(text) if before else None
    start = head.end() if head else 0
    tail = _LAST_DOLLARS.search(text, start) if after else None
    end = tail.start() if tail else len(text)
    first = f'${{"{text[:start]}"}}' if start else ""
    last = f'${{"{text[end:]}"}}' if end < len(text) else ""
    return first + protect(text[start:end]) + last


def _substitution(node: Expression, suffix: bool) -> str:
    if isinstance(node, Call) and node.function == OPTIONAL:
        return f"{_braces(node.arguments[0].value, suffix)}?"
    if isinstance(node, Call) and node.function == BLOCK:
        condition, *branches = (argument.value for argument in node.arguments)
        text = f"${{if {show(condition, suffix)}}}{_branch(branches[0], suffix)}"
        if len(branches) > 1:
            text += f"${{else}}{_branch(branches[1], suffix, False)}"
        return text + "${endif}"
    return _braces(node, suffix)


def _braces(node: Expression, suffix: bool) -> str:
    text = show(node, suffix)
    tag = text in ("else", "endif") or CONDITION.match(text)
    return f"${{({text})}}" if tag else f"${{{text}}}"


def _branch(node: Expression, suffix: bool, first: bool = True) -> str:
    """The text between two tags, escaped for the tag in front when that is the `first`, `${if}`."""
    if isinstance(node, Literal) and isinstance(node.value, str):
        return _piece(node.value, suffix and first, True)
    parts: list[str | Expression] = [node]
    if isinstance(node, Call) and node.function == TEXT:
        parts = _pieces(node)
    # as between two substitutions, like the tags
    end = Literal(True)
    if first:
        return write([end, *parts, end], suffix)[len("${true}") : -len("${true}")]
    return write([*parts, end], suffix)[: -len("${true}")]
