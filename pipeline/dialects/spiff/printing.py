"""Trees as text, as the engine prints them: with the parentheses that were written only."""

from __future__ import annotations

from typing import Any, Final

from ....functions.expr.texts import float_text, quoted
from ...values.expression import Argument, Call, Expression, Literal, Reference
from . import forms


def show(tree: Expression) -> str:
    """The text of an expression, which gives the tree again, but for slices and `merge replace`."""
    match tree:
        case Literal(value=value):
            return literal(value)
        case Reference(root=root, path=path):
            return ".".join([root, *map(_step, path)]) if path else root or "."
        case Call(function=name):
            return _chain(tree) if name in forms.BINARY else _call(tree)
    raise TypeError(f"{tree!r} cannot be printed")


def _call(tree: Call) -> str:
    name, arguments = tree.function, tree.arguments
    parts = [one.value for one in arguments]
    words = [one.value for one in parts if isinstance(one, Literal)]
    match name:
        case forms.CALL | forms.CURRY:
            return f"{show(parts[0])}{name[:-1]}{_listed(arguments[1:])})"
        case forms.LIST:
            return f"[{_listed(arguments)}]"
        case forms.SCOPE:
            return f"({_pairs(parts[:-1])} ) {show(parts[-1])}"
        case forms.MAP:
            return f"{{ {_pairs(parts)}{' ' if parts else ''}}}"
        case forms.LAMBDA:
            return f"lambda{_head(tree)}"
        case forms.SUM:
            return f"sum[{show(parts[0])}|{show(parts[1])}{_arm(parts[2])}]"
        case forms.CATCH:
            return f"catch[{show(parts[0])}{_arm(parts[1])}]"
        case forms.FIELD:
            return f"({show(parts[0])}).{'.'.join(map(_step, words[-1]))}"
        case forms.TAGGED:
            return f"{words[0]}::{show(parts[1])}"
        case forms.MARKED:
            return words[0] if len(parts) == 1 else f"{words[0]} ({words[-1]})"
        case forms.MERGE if len(parts) > 1:
            path = show(parts[1])
            return (
                f"merge {words[0]} {path}"
                if words[0]
                else f"merge {'' if path == 'none' else path}"
            )
        case forms.MERGE:
            how = {"replace": "required", "required": ""}.get(words[0], words[0])
            return f"merge {how}" if how else "merge"
    if name in forms.MAPPINGS:
        return f"{name}{show(parts[0])}{_arm(parts[1])}{'}' if name[-1] == '{' else ']'}"
    return _FORMS[name].format(*map(show, parts))


def _chain(tree: Expression) -> str:
    """Operands with operators between them, however many there are."""
    pieces: list[str] = []
    while isinstance(tree, Call) and tree.function in forms.BINARY:
        name = tree.function
        pieces += [show(tree.arguments[1].value), f" {name} " if name.strip() else " "]
        tree = tree.arguments[0].value
    return "".join([show(tree), *reversed(pieces)])


def literal(value: Any) -> str:
    """The text of a known scalar."""
    if value is None or isinstance(value, bool):
        return {None: "nil", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, str):
        return quoted(value)
    return str(value) if isinstance(value, int) else "..."


def _step(key: str | int) -> str:
    return f"[{key}]" if isinstance(key, int) else key


def _listed(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(
        f"{one.name}={show(one.value)}" if one.name else show(one.value) for one in arguments
    )


def _pairs(parts: list[Expression]) -> str:
    shown = map(show, parts)
    return ", ".join(f"{key} = {value}" for key, value in zip(shown, shown, strict=True))


def _head(tree: Call) -> str:
    """The names and the body of a lambda."""
    body, *names = tree.arguments
    shown = [
        f"{one.name}={show(one.value)}" if one.value != _NEVER else str(one.name)
        for one in names
        if one.name
    ]
    more = "..." if names and not names[-1].name else ""
    return f"|{','.join(shown)}{more}|->{show(body.value)}"


def _arm(tree: Expression) -> str:
    is_lambda = isinstance(tree, Call) and tree.function == forms.LAMBDA
    return _head(tree) if is_lambda else f"|{show(tree)}"  # type: ignore[arg-type]


_NEVER: Final = Call(forms.NEVER)
_FORMS: Final = {
    forms.GROUP: "( {} )",
    forms.LAMBDA_OF: "lambda {}",
    forms.RANGE: "[{}..{}]",
    forms.EXPANDED: "{}...",
    forms.INDEX: "{}.{}",
    forms.PROJECTED: "{}.[*] {}",
    forms.SLICE: "{}.[{}]",
    forms.ITEM: "",
    forms.CHOICE: "{} ? {} : {}",
    forms.NOT: "!({})",
    forms.SUBSTITUTED: "*({})",
    forms.AUTO: "auto",
    forms.PREFER: "prefer {}",
    forms.UNDEFINED: "~~",
    forms.NEVER: forms.NEVER,
    forms.SYNC: "sync({})",
}
