"""Expressions as text: parsing what this prints gives the same tree.

Canonical form: names after a dot where the grammar allows it, otherwise quoted in brackets; one
space after a comma; named arguments as `name=value`; computed arrays and objects as calls of
`list` and `object`, or as `jsondecode("...")` where those cannot say it, binary as a call of
`base64decode`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ...functions.record import Record
from ...functions.values import NONE, float_text
from ..values.expression import Access, Argument, Call, Expression, Literal, Reference

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
# Beyond these a known value is written as JSON: in a string, nothing counts towards the limits that
# hold for expressions, so what was printed can be read again.
_MAX_DEPTH = 8
_MAX_CHARS = 2_000


class Operator(Record):
    """An operator, and how calls of its function are written with it.

    With two arguments it stands between them, with one before it. The higher `binding` binds
    tighter; operators of one binding are read from the left, or from the right with `right`.
    """

    symbol: str
    binding: int
    right: bool = False


Operators = Mapping[str, Operator]
_NONE: Final[Operators] = {}


def printer(operators: Operators) -> Callable[[Expression], str]:
    """A printer for a language in which the named functions are written as operators.

    Parentheses stand only where the reading needs them, and around what a name or an index follows.
    """
    return lambda expression: show(expression, 0, operators)


def show(expression: Expression, depth: int = 0, operators: Operators = _NONE) -> str:
    """The text of an expression, without delimiters; `depth` counts the calls around it."""
    match expression:
        case Literal(value=value):
            return show_value(value, depth)
        case Reference(root=root, path=path, bare=bare):
            if bare and path and isinstance(path[0], str) and _NAME.match(path[0]):
                return path[0] + show_path(path[1:])
            return root + show_path(path)
        case Call(function=name, arguments=arguments):
            if name in operators and len(arguments) in (1, 2):
                return _operation(operators[name], arguments, depth + 1, operators)
            shown = [_argument(argument, depth + 1, operators) for argument in arguments]
            return f"{name}({', '.join(shown)})"
        case Access(target=target, path=path):
            text = show(target, depth, operators)
            inner = isinstance(target, Call) and target.function in operators
            return (f"({text})" if inner else text) + show_path(path)
    raise TypeError(f"a shape has no text of its own: {expression!r}")


def _argument(argument: Argument, depth: int, operators: Operators) -> str:
    text = show(argument.value, depth, operators)
    return text if argument.name is None else f"{argument.name}={text}"


def _operation(
    operator: Operator, arguments: tuple[Argument, ...], depth: int, operators: Operators
) -> str:
    parts = []
    for position, argument in enumerate(arguments):
        value = argument.value
        text = show(value, depth, operators)
        inner = None
        if isinstance(value, Call) and len(value.arguments) in (1, 2):
            inner = operators.get(value.function)
        if inner is not None:
            near = len(arguments) == 1 or (position == 1) == operator.right
            if inner.binding < operator.binding or (
                inner.binding == operator.binding and not (near and inner.right == operator.right)
            ):
                text = f"({text})"
        parts.append(text)
    if len(parts) == 1:
        return operator.symbol + parts[0]
    return f"{parts[0]} {operator.symbol} {parts[1]}"


def show_path(path: tuple[str | int, ...]) -> str:
    """Accessors as text."""
    parts = []
    for item in path:
        if isinstance(item, int):
            parts.append(f"[{item}]")
        elif _NAME.match(item):
            parts.append(f".{item}")
        else:
            parts.append(f'["{item}"]')
    return "".join(parts)


def show_value(value: Any, depth: int = 0) -> str:
    """A known value as an expression."""
    if value is NONE or value is None:
        return "none"
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return float_text(value)
        case str():
            return _text(value)
        case bytes():
            import base64

            return f'base64decode("{base64.b64encode(value).decode("ascii")}")'
        case list() | dict():
            text = _container(value, depth + 1) if depth < _MAX_DEPTH else None
            if text is not None and len(text) <= _MAX_CHARS:
                return text
            return f"jsondecode({_text(_json(value))})"
    raise TypeError(f"no expression means a {type(value).__name__}")


def _container(value: list[Any] | dict[str, Any], depth: int) -> str | None:
    """An array or object as a call; None when a key is not a name."""
    if isinstance(value, list):
        return f"list({', '.join(show_value(item, depth) for item in value)})"
    if not all(map(_NAME.match, value)):
        return None
    fields = (f"{key}={show_value(item, depth)}" for key, item in value.items())
    return f"object({', '.join(fields)})"


def _text(value: str) -> str:
    """A string literal; the grammar cannot say a backslash before the closing quote."""
    if value.endswith("\\"):
        return f"jsondecode({_text(_json(value))})"
    return '"' + value.replace('"', '\\"') + '"'


def _json(value: Any) -> str:
    import json

    # JSON has no binary: here it is the text that it becomes in a field.
    return json.dumps(value, ensure_ascii=False, default=lambda data: data.decode(errors="replace"))
