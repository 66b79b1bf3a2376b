"""Binary operators on values whose parts are all known."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from ....functions.expr.kinds import wrapped
from ....functions.regexes import compile_regex
from ....functions.spiff.values import equal, to_text
from ....functions.values import FunctionError
from . import forms
from .cells import Cells
from .scope import Lambda, Problem, Table, type_name


def _concatenated(cells: Cells, _: str, left: Any, right: Any) -> Any:
    text, more = to_text(left), to_text(right)
    if text is not None and isinstance(right, Lambda):
        more = right.text
    if text is not None and more is not None:
        return text + more
    if isinstance(left, list):
        cells.meter.work(len(left) // 8)
        if right is None:
            return left
        return [*left, *right] if isinstance(right, list) else [*left, right]
    if isinstance(left, dict | Table) and right is None:
        return left
    if isinstance(left, dict | Table) and isinstance(right, dict | Table):
        pairs = [cells.entries(one) or {} for one in (left, right)]
        cells.meter.work(sum(map(len, pairs)) // 8)
        return {**pairs[0], **pairs[1]}
    hint = None
    if type(left) is float or type(right) is float:
        hint = "numbers from bindings are floats: write `integer(..)` or `string(..)`"
    sentence = (
        f"type '{type_name(right)}'({{1}}) cannot be concatenated with "
        f"type '{type_name(left)}'({{0}})"
    )
    raise Problem(sentence, None, hint)


def _equality(cells: Cells, name: str, left: Any, right: Any) -> bool:
    if (left is None) != (right is None):
        raise Problem("types uncomparable")
    values = [cells.plain(one) for one in (left, right)]
    try:
        return equal(*values) == (name == "==")
    except FunctionError:
        raise Problem("types uncomparable") from None


_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _order(_: Cells, name: str, left: Any, right: Any) -> bool:
    for kind, others in ((int, "integers or strings"), (str, "strings or integers")):
        if type(left) is kind:
            if type(right) is not kind:
                raise Problem(f"comparision {name} only for {others}")
            return _ORDERS[name](left, right)
    return False


_WORDS: Final = {
    "+": ("addition", "first argument for addition must be IP address, CIDR or number"),
    "-": ("subtraction", "first argument for subtraction must be IP address, CIDR or number"),
    "*": ("multiplication", "first argument of multiplication must be CIDR or number"),
    "/": ("division", "first argument of division must be CIDR or number"),
}
_ADDRESS: Final = compile_regex(r"[0-9.]+(?:/[0-9]+)?|[0-9a-fA-F:.]*:[0-9a-fA-F:./]*")


def _computed(_: Cells, name: str, left: Any, right: Any) -> Any:
    """An operation on numbers; integers stay what they are."""
    word, sentence = _WORDS[name]
    if isinstance(left, str):
        if not _ADDRESS.fullmatch(left):
            raise Problem(sentence)
        sentence = "arithmetic of addresses is not supported locally"
        raise Problem(sentence, code="function_not_supported", final=True)
    kinds = {type(left), type(right)}
    if not kinds <= {int, float}:
        what = "IP address" if name in "+-" else "CIDR"
        raise Problem(f"non-{what} {word} requires number arguments")
    whole = kinds == {int}
    if name == "/":
        if right == 0:
            raise Problem("division by zero")
        if whole:  # toward zero
            found = abs(left) // abs(right)
            return wrapped(found if (left < 0) == (right < 0) else -found)
    left = left if whole else float(left)
    made = _NUMBERS[name](left, right)
    return wrapped(made) if whole else made


_NUMBERS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


def _rest(_: Cells, name: str, left: Any, right: Any) -> int:
    if type(left) is not int or type(right) is not int:
        raise Problem("integer operand required")
    if right == 0:
        raise Problem("division by zero")
    found = abs(left) % abs(right)
    return -found if left < 0 else found


OPERATIONS: Final[dict[str, Callable[[Cells, str, Any, Any], Any]]] = {
    forms.CONCATENATED: _concatenated,
    "==": _equality,
    "!=": _equality,
    **dict.fromkeys(_ORDERS, _order),
    **dict.fromkeys(_NUMBERS, _computed),
    "%": _rest,
}
