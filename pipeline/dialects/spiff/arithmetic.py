"""Binary operators on values whose parts are all known."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Callable
from typing import Any, Final

from ....functions.expr.kinds import wrapped
from ....functions.spiff.values import equal, to_text
from ....functions.values import FunctionError
from . import forms
from .calls import Calls
from .scope import Lambda, Problem, Table, type_name


def _concatenated(cells: Calls, _: str, left: Any, right: Any) -> Any:
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


def _equality(cells: Calls, name: str, left: Any, right: Any) -> bool:
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


def _order(_: Calls, name: str, left: Any, right: Any) -> bool:
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


def _sum(_: Calls, name: str, left: Any, right: Any) -> Any:
    word = "addition" if name == "+" else "subtraction"
    if isinstance(left, str):
        return _address(left, right, word)
    if _numbers(left, right, f"non-IP address {word} requires number arguments"):
        return wrapped(left + right if name == "+" else left - right)
    return float(left) + right if name == "+" else float(left) - right


def _address(text: str, right: Any, word: str) -> Any:
    try:
        address, network = _read_address(text)
    except ValueError:
        sentence = f"first argument for {word} must be IP address, CIDR or number"
        raise Problem(sentence) from None
    if word == "subtraction" and isinstance(right, str) and network is None:
        try:
            return int(address) - int(ipaddress.ip_address(right))
        except ValueError:
            raise Problem("second argument for subtraction must be an IP address") from None
    if type(right) is not int:
        raise Problem(f"{word} argument for an IP address requires an integer argument")
    moved = int(address) + (right if word == "addition" else -right)
    made = type(address)(moved % (1 << address.max_prefixlen))
    if network is None:
        return str(made)
    if made not in network:
        raise Problem("resulting ip address not in CIDR range")
    return f"{made}/{network.prefixlen}"


def _read_address(text: str) -> tuple[Any, Any]:
    if "/" not in text:
        return ipaddress.ip_address(text), None
    return ipaddress.ip_address(text.partition("/")[0]), ipaddress.ip_network(text, strict=False)


def _product(_: Calls, name: str, left: Any, right: Any) -> Any:
    if isinstance(left, str):
        return _blocks(left, right)
    if _numbers(left, right, "multiplication requires number arguments"):
        return wrapped(left * right)
    return float(left) * right


def _blocks(text: str, right: Any) -> str:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise Problem("first argument of multiplication must be CIDR or number") from None
    if type(right) is not int:
        raise Problem("CIDR multiplication requires an integer argument")
    start = int(network.network_address) + right * network.num_addresses
    made = type(network.network_address)(start % (1 << network.max_prefixlen))
    return f"{made}/{network.prefixlen}"


def _quotient(_: Calls, name: str, left: Any, right: Any) -> Any:
    if isinstance(left, str):
        return _subnets(left, right)
    whole = _numbers(left, right, "non-CIDR division requires number arguments")
    if right == 0:
        raise Problem("division by zero")
    if not whole:
        return float(left) / right
    found = abs(left) // abs(right)
    return wrapped(found if (left < 0) == (right < 0) else -found)


def _subnets(text: str, right: Any) -> str:
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise Problem("first argument of division must be CIDR or number") from None
    if type(right) is not int:
        raise Problem("IP address division requires an integer argument")
    if right < 1:
        raise Problem("IP address division requires a positive integer argument")
    prefix = network.prefixlen + (right - 1).bit_length()
    if prefix > 32:
        raise Problem("divisor too large for CIDR network size")
    return f"{network.network_address}/{prefix}"


def _rest(_: Calls, name: str, left: Any, right: Any) -> int:
    if type(left) is not int or type(right) is not int:
        raise Problem("integer operand required")
    if right == 0:
        raise Problem("division by zero")
    return int(math.fmod(left, right)) if abs(left) < 1 << 52 else _exact_rest(left, right)


def _exact_rest(left: int, right: int) -> int:
    found = abs(left) % abs(right)
    return -found if left < 0 else found


OPERATIONS: Final[dict[str, Callable[[Calls, str, Any, Any], Any]]] = {
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
