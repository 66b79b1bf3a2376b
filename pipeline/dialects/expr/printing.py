"""Trees as text, so that reading it gives the same tree, and known values as trees."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from ....functions.expr.kinds import LOWEST, NAMED, AnyMap, expression_of
from ....functions.expr.methods import describe
from ....functions.regexes import compile_regex
from ...values.expression import Argument, Call, Expression, Literal, Reference
from . import operators
from .operators import BINDING, RIGHT, RUNS, UNARY
from .reader import NAME, parse_expression
from .tokens import WORDS

_PRIMARY: Final = 1000
_ALONE: Final = -1
_CHOICE: Final = 0
_COALESCED: Final = 1
_LEVEL: Final = 20
"""The binding of comparisons, which can be chained."""
_BETWEEN: Final = frozenset(BINDING) - {"|", "||", "&&", "^", "??"}
_SPECIAL: Final = compile_regex(r'[\\"\x00-\x1f\x7f]')
_LONE: Final = r"[\ud800-\udfff]"  # what no UTF-8 is read as
_SHORT: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def show(tree: Expression) -> str:
    """The text of an expression."""
    return _shown(tree)[0]


def write(parts: Sequence[str | Expression]) -> str:
    """The text of a string that is one expression."""
    return "".join(part if isinstance(part, str) else show(part) for part in parts)


def _slot(tree: Expression) -> str:
    """The text of an argument, an item, or whatever else has a place of its own."""
    return _wrapped(tree, _CHOICE)


def _wrapped(tree: Expression, least: int) -> str:
    """The text of an operand, in parentheses if it binds less tightly than `least`."""
    text, binding = _shown(tree)
    return f"({text})" if binding < least else text


def _shown(tree: Expression) -> tuple[str, int]:
    """The text of a tree and how tightly its outermost operator binds."""
    match tree:
        case Literal(value=value):
            return _literal(value)
        case Reference(root=root, path=path):
            return root + "".join(map(_step, path)), _PRIMARY
        case Call(function=name, arguments=arguments):
            parts = [argument.value for argument in arguments]
            if name in _FORMS:
                return _FORMS[name](parts)
            if name in _BETWEEN or name in UNARY:
                return _operation(name, parts)
            if name == "object":
                pairs = (f"{_key(one.name or '')}: {_slot(one.value)}" for one in arguments)
                return f"{{{', '.join(pairs)}}}", _PRIMARY
            return f"{name}({', '.join(map(_slot, parts))})", _PRIMARY
    raise TypeError(f"{tree!r} cannot be printed")


def _operation(name: str, parts: list[Expression]) -> tuple[str, int]:
    if len(parts) == 1:
        level = UNARY[name]
        return f"{name}{' ' if name.isalpha() else ''}{_wrapped(parts[0], level)}", level
    level = BINDING[name]
    first, *rest = parts
    again = isinstance(first, Call) and first.function == name and name in RUNS
    left = level + (again or name in RIGHT or level == _LEVEL)
    right = level + (name not in RIGHT)
    shown = [_wrapped(first, left), *(_wrapped(part, right) for part in rest)]
    return f" {name} ".join(shown), level


def _coalesce(parts: list[Expression]) -> tuple[str, int]:
    # beside it no other operator may stand, so it is in parentheses as an operand
    return " ?? ".join(_wrapped(part, BINDING["??"] + 1) for part in parts), _COALESCED


def _ternary(parts: list[Expression]) -> tuple[str, int]:
    condition = _wrapped(parts[0], _COALESCED)
    if len(parts) == 2:
        return f"{condition} ?: {_slot(parts[1])}", _CHOICE
    return f"{condition} ? {_slot(parts[1])} : {_slot(parts[2])}", _CHOICE


def _let(parts: list[Expression]) -> tuple[str, int]:
    name, value, body = parts
    assert isinstance(name, Literal)
    return f"let {name.value} = {_slot(value)}; {show(body)}", _ALONE


def _sequence(parts: list[Expression]) -> tuple[str, int]:
    return "; ".join([*map(_slot, parts[:-1]), show(parts[-1])]), _ALONE


def _compared(parts: list[Expression]) -> tuple[str, int]:
    shown = [
        str(part.value) if number % 2 else _wrapped(part, _LEVEL + 1)  # type: ignore[union-attr]
        for number, part in enumerate(parts)
    ]
    return " ".join(shown), _LEVEL


def _predicate(parts: list[Expression]) -> tuple[str, int]:
    text, binding = _shown(parts[0])
    if binding <= _ALONE:
        return f"{{{text}}}", _PRIMARY
    return (f"({text})" if text.startswith("{") else text), _CHOICE


def _entries(parts: list[Expression]) -> tuple[str, int]:
    pairs = []
    for key, value in zip(parts[::2], parts[1::2], strict=True):
        fixed = isinstance(key, Literal) and isinstance(key.value, str)
        name = _key(key.value) if fixed else f"({show(key)})"  # type: ignore[union-attr]
        pairs.append(f"{name}: {_slot(value)}")
    return f"{{{', '.join(pairs)}}}", _PRIMARY


def _target(tree: Expression) -> str:
    """The text of what a member or an index follows."""
    text, binding = _shown(tree)
    bare = isinstance(tree, Literal) and not isinstance(tree.value, (str, bytes))
    return f"({text})" if binding < _PRIMARY or bare else text


def _index(parts: list[Expression]) -> tuple[str, int]:
    target, key = parts
    chained = isinstance(target, Call) and target.function == operators.CHAIN
    if isinstance(key, Literal) and key.value.__class__ in (str, int) and not chained:
        return _target(target) + _step(key.value), _PRIMARY
    return f"{_target(target)}[{_slot(key)}]", _PRIMARY


def _optional(parts: list[Expression]) -> tuple[str, int]:
    target, key = parts
    if isinstance(key, Literal) and isinstance(key.value, str) and NAME.fullmatch(key.value):
        return f"{_target(target)}?.{key.value}", _PRIMARY
    return f"{_target(target)}?.[{_slot(key)}]", _PRIMARY


def _method(dot: str, parts: list[Expression]) -> tuple[str, int]:
    target, name, *given = parts
    assert isinstance(name, Literal)
    text = _target(target)
    if isinstance(target, Call) and target.function == operators.CHAIN:
        text = f"({text} ?? nil)"  # or it would belong to the chain
    return f"{text}{dot}{name.value}({', '.join(map(_slot, given))})", _PRIMARY


def _sliced(form: str, parts: list[Expression]) -> tuple[str, int]:
    first, last = next(ends for ends, name in operators.SLICES.items() if name == form)
    bounds = [_slot(part) for part in parts[1:]]
    text = f"{bounds[0] if first else ''}:{bounds[-1] if last else ''}"
    return f"{_target(parts[0])}[{text}]", _PRIMARY


_FORMS: Final[dict[str, Callable[[list[Expression]], tuple[str, int]]]] = {
    "??": _coalesce,
    operators.TERNARY: _ternary,
    operators.LET: _let,
    operators.SEQUENCE: _sequence,
    operators.COMPARED: _compared,
    operators.PREDICATE: _predicate,
    operators.ENTRIES: _entries,
    operators.INDEX: _index,
    operators.OPTIONAL: _optional,
    operators.CHAIN: lambda parts: (show(parts[0]), _PRIMARY),
    operators.METHOD: partial(_method, "."),
    operators.OPTIONAL_METHOD: partial(_method, "?."),
    "list": lambda parts: (f"[{', '.join(map(_slot, parts))}]", _PRIMARY),
    **{form: partial(_sliced, form) for form in operators.SLICES.values()},
}


def _step(key: str | int) -> str:
    if isinstance(key, int):
        return f"[{key}]"
    return f".{key}" if NAME.fullmatch(key) else f"[{quoted(key)}]"


def _key(name: str) -> str:
    return name if NAME.fullmatch(name) and name not in WORDS else quoted(name)


def quoted(text: str) -> str:
    """A string literal."""
    return '"' + _SPECIAL.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\x{ord(match[0]):02x}"


def _literal(value: Any) -> tuple[str, int]:
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value], _PRIMARY
    if isinstance(value, (int, float)):
        text = repr(value)
        return text, UNARY["-"] if text.startswith("-") else _PRIMARY
    if isinstance(value, bytes):
        return 'b"' + "".join(map("\\x{:02x}".format, value)) + '"', _PRIMARY
    if isinstance(value, str):
        return quoted(value), _PRIMARY
    return _shown(tree_of(value))


def tree_of(value: Any) -> Expression:
    """The tree of a known value, as reading its text would give it."""
    kind = value.__class__
    if kind is list:
        return call("list", [tree_of(item) for item in value])
    if kind is dict:
        return Call("object", tuple(Argument(tree_of(item), key) for key, item in value.items()))
    if kind is AnyMap:
        pairs = [[key[1], item] for key, item in value.items()]
        return call("fromPairs", [tree_of(pairs)])
    if kind is str:
        return _text_tree(value)
    if kind is float and not math.isfinite(value):
        above = 0.0 if math.isnan(value) else math.copysign(1.0, value)
        return call("/", [Literal(above), Literal(0)])
    if kind is int and value == LOWEST:
        return call("-", [Literal(value + 1), Literal(1)])
    if value is None or kind in (bool, int, float, bytes):
        return Literal(value)
    if isinstance(value, int):
        return tree_of(int(value))
    if kind in NAMED:
        return expression_of(value)  # type: ignore[no-any-return]
    return parse_expression(describe(value), 0, False)


def _text_tree(value: str) -> Expression:
    if value.isascii() or not re.search(_LONE, value):
        return Literal(value)
    import base64

    data = base64.b64encode(value.encode("utf-8", "surrogateescape"))
    return call("fromBase64", [Literal(data.decode("ascii"))])


def call(name: str, parts: list[Expression]) -> Call:
    return Call(name, tuple(map(Argument, parts)))
