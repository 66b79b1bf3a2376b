"""Binary operators on values whose parts are all known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ....functions.expr.kinds import wrapped
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
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def _order(_: Cells, name: str, left: Any, right: Any) -> bool:
    for kind, others in ((int, "integers or strings"), (str, "strings or integers")):
        if type(left) is kind:
            if type(right) is not kind:
                raise Problem(f"comparision {name} only for {others}")
            return _ORDERS[name](left, right)
    return False


def _numbers(left: Any, right: Any, sentence: str) -> bool:
    """Whether both are integers.

    Raises:
        Problem: one is no number.
    """
    for value in (left, right):
        if type(value) not in (int, float):
            raise Problem(sentence)
    return type(left) is int and type(right) is int


def _sum(_: Cells, name: str, left: Any, right: Any) -> Any:
    word = "addition" if name == "+" else "subtraction"
    _refuse_address(left, f"first argument for {word} must be IP address, CIDR or number")
    if _numbers(left, right, f"non-IP address {word} requires number arguments"):
        return wrapped(left + right if name == "+" else left - right)
    return float(left) + right if name == "+" else float(left) - right


def _product(_: Cells, name: str, left: Any, right: Any) -> Any:
    _refuse_address(left, "first argument of multiplication must be CIDR or number")
    if _numbers(left, right, "non-CIDR multiplication requires number arguments"):
        return wrapped(left * right)
    return float(left) * right


def _quotient(_: Cells, name: str, left: Any, right: Any) -> Any:
    _refuse_address(left, "first argument of division must be CIDR or number")
    whole = _numbers(left, right, "non-CIDR division requires number arguments")
    if right == 0:
        raise Problem("division by zero")
    if not whole:
        return float(left) / right
    found = abs(left) // abs(right)
    return wrapped(found if (left < 0) == (right < 0) else -found)


def _refuse_address(value: Any, sentence: str) -> None:
    if isinstance(value, str):
        if _ADDRESS.fullmatch(value):
            sentence = "arithmetic of addresses is not supported locally"
            raise Problem(sentence, code="function_not_supported", final=True)
        raise Problem(sentence)


_ADDRESS: Final = re.compile(r"[0-9.]+(?:/[0-9]+)?|[0-9a-fA-F:.]*:[0-9a-fA-F:./]*")


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
    "+": _sum,
    "-": _sum,
    "*": _product,
    "/": _quotient,
    "%": _rest,
}
