"""Trees as text, as the engine prints them: with the parentheses that were written only."""

from __future__ import annotations

from typing import Any, Final

from ....functions.expr.texts import float_text, quoted
from ...values.expression import Argument, Call, Expression, Literal, Path, Reference
from . import forms


def show(tree: Expression) -> str:
    """The text of an expression, which gives the tree again, but for slices and `merge replace`."""
    match tree:
        case Literal(value=value):
            return literal(value)
        case Reference(root=root, path=path):
            return ".".join([root, *map(_step, path)]) if path else root or "."
        case Call(function=name, arguments=arguments):
            parts = [argument.value for argument in arguments]
            if name in _FORMS:
                return _FORMS[name].format(*map(show, parts))
            if name in forms.BINARY:
                return _chain(tree)
            if name in forms.MAPPINGS:
                closing = "}" if name[-1] == "{" else "]"
                return f"{name}{show(parts[0])}{_arm(parts[1])}{closing}"
            written: str = _WRITERS[name](arguments, parts)
            return written
    raise TypeError(f"{tree!r} cannot be printed")


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


def path_text(path: Path) -> str:
    """A path as it is written in an expression: `a.[0].b`."""
    return ".".join(map(_step, path))


def _step(key: str | int) -> str:
    return f"[{key}]" if isinstance(key, int) else key


def _listed(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(
        f"{one.name}={show(one.value)}" if one.name else show(one.value) for one in arguments
    )


def _call(arguments: tuple[Argument, ...], parts: list[Expression]) -> str:
    return f"{show(parts[0])}({_listed(arguments[1:])})"


def _curry(arguments: tuple[Argument, ...], parts: list[Expression]) -> str:
    return f"{show(parts[0])}*({_listed(arguments[1:])})"


def _pairs(parts: list[Expression]) -> str:
    shown = map(show, parts)
    return ", ".join(f"{key} = {value}" for key, value in zip(shown, shown, strict=True))


def _scope(_: Any, parts: list[Expression]) -> str:
    return f"({_pairs(parts[:-1])} ) {show(parts[-1])}"


def _map(_: Any, parts: list[Expression]) -> str:
    return f"{{ {_pairs(parts)}{' ' if parts else ''}}}"


def _field(_: Any, parts: list[Expression]) -> str:
    assert isinstance(parts[1], Literal)
    return f"({show(parts[0])}).{path_text(parts[1].value)}"


def _lambda(arguments: tuple[Argument, ...], parts: list[Expression]) -> str:
    return "lambda" + _head(arguments, parts)


def _head(arguments: tuple[Argument, ...], parts: list[Expression]) -> str:
    names = [
        one.name if _is(one.value, forms.NEVER) else f"{one.name}={show(one.value)}"
        for one in arguments[1:]
        if one.name
    ]
    more = "..." if _is(parts[-1], forms.EXPANDED) and not arguments[-1].name else ""
    return f"|{','.join(map(str, names))}{more}|->{show(parts[0])}"


def _is(tree: Expression, name: str) -> bool:
    return isinstance(tree, Call) and tree.function == name and not tree.arguments


def _arm(tree: Expression) -> str:
    if isinstance(tree, Call) and tree.function == forms.LAMBDA:
        return _head(tree.arguments, [argument.value for argument in tree.arguments])
    return f"|{show(tree)}"


def _merge(_: Any, parts: list[Expression]) -> str:
    assert isinstance(parts[0], Literal)
    how = parts[0].value
    if len(parts) == 1:
        how = {"replace": "required", "required": ""}.get(how, how)
        return f"merge {how}" if how else "merge"
    path = show(parts[1])
    return f"merge {how} {path}" if how else f"merge {'' if path == 'none' else path}"


def _marked(_: Any, parts: list[Expression]) -> str:
    assert isinstance(parts[0], Literal)
    last = parts[-1]
    written = f" ({last.value})" if isinstance(last, Literal) and len(parts) > 1 else ""
    return f"{parts[0].value}{written}"


def _tagged(_: Any, parts: list[Expression]) -> str:
    assert isinstance(parts[0], Literal)
    return f"{parts[0].value}::{show(parts[1])}"


def _sum(_: Any, parts: list[Expression]) -> str:
    return f"sum[{show(parts[0])}|{show(parts[1])}{_arm(parts[2])}]"


def _catch(_: Any, parts: list[Expression]) -> str:
    return f"catch[{show(parts[0])}{_arm(parts[1])}]"


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
_WRITERS: Final[dict[str, Any]] = {
    forms.CALL: _call,
    forms.CURRY: _curry,
    forms.SCOPE: _scope,
    forms.MAP: _map,
    forms.LIST: lambda arguments, _: f"[{_listed(arguments)}]",
    forms.FIELD: _field,
    forms.LAMBDA: _lambda,
    forms.MERGE: _merge,
    forms.MARKED: _marked,
    forms.SUM: _sum,
    forms.CATCH: _catch,
    forms.TAGGED: _tagged,
}
