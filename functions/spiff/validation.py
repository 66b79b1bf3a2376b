"""The conditions of `validate` and `check`."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from typing import Any, Final

from ..go.regexps import BadPattern, compile_pattern
from ..values import FunctionError
from .values import holds, truth

Outcome = tuple[bool, str]

_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN: Final = rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*"
_NAMES: Final = {
    "dnslabel": _LABEL,
    "dnsdomain": _DOMAIN,
    "wildcarddnsdomain": rf"\*\.{_DOMAIN}",
    "dnsname": rf"(?:\*\.)?{_DOMAIN}",
}
_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(("gt", ">"), lambda value, bound: value > bound),
    **dict.fromkeys(("ge", ">="), lambda value, bound: value >= bound),
    **dict.fromkeys(("lt", "<"), lambda value, bound: value < bound),
    **dict.fromkeys(("le", "<="), lambda value, bound: value <= bound),
}


def validated(value: Any, condition: Any) -> Outcome:
    """Whether a value meets a condition, and the sentence that says so.

    A condition is the name of one, with `!` for its opposite, a function, or a list of either with
    arguments.

    Raises:
        FunctionError: it is not a condition, or does not apply to the value.
    """
    if condition is None or condition == []:
        return True, "no condition"
    name, *given = condition if isinstance(condition, list) else [condition]
    if callable(name):
        return _called(name(value, *given))
    if not isinstance(name, str):
        raise FunctionError("invalid validation check type")
    fits, message = _named(value, name.removeprefix("!"), given)
    return fits != name.startswith("!"), message


def _called(found: Any) -> Outcome:
    if not isinstance(found, list):
        found = [found]
    if not 1 <= len(found) <= 3:
        raise FunctionError("invalid result length of validator")
    fits = truth(found[0])
    texts = [*found[1:], *found[1:], "the function says no", "the function says no"]
    return fits, str(texts[0] if fits else texts[len(found) - 2] if len(found) > 2 else texts[0])


def _named(value: Any, name: str, given: list[Any]) -> Outcome:
    if name in ("and", "not", "", "or"):
        every = [validated(value, one) for one in given]
        decides = [one for one in every if one[0] == (name == "or")]
        fits, message = decides[0] if decides else (name != "or", _joined(every))
        return fits != (name == "not"), message
    if name in ("list", "map"):
        return _each(value, name, given)
    if name in ("mapfield", "optionalfield"):
        return _field(value, name, given)
    if name == "empty":
        return value in ("", [], {}), "is empty" if value in ("", [], {}) else "is not empty"
    if name in ("valueset", "value", "="):
        known = given[0] if name == "valueset" else given[:1]
        fits = holds(known, value) >= 0
        return fits, "valid value" if fits else "invalid value"
    if name in _ORDERS:
        return _ordered(value, name, given[0])
    if name in ("match", "~="):
        return _matched(value, given[0])
    if name == "type":
        fits = _type(value) in given
        return fits, f"is {'' if fits else 'not '}of type {' or '.join(map(str, given))}"
    if name in _NAMES:
        fits = isinstance(value, str) and re.fullmatch(_NAMES[name], value) is not None
        return fits, f"is {'a' if fits else 'no'} {name}"
    if name in ("ip", "cidr"):
        return _address(value, name)
    raise FunctionError(f"unknown validation operator '{name}'")


def _joined(every: list[Outcome]) -> str:
    return " and ".join(message for _, message in every)


def _type(value: Any) -> str:
    names = {str: "string", int: "int", float: "float", bool: "bool", list: "list", dict: "map"}
    return "nil" if value is None else names.get(type(value), "lambda")


def _each(value: Any, name: str, given: list[Any]) -> Outcome:
    if _type(value) != name:
        return False, f"is no {name}"
    keys = given[:1] if name == "map" and len(given) == 2 else []
    for one in value:
        for condition in keys:
            fits, message = validated(one, condition)
            if not fits:
                return False, f"map key {message}"
        for condition in given[len(keys) :]:
            fits, message = validated(value[one] if name == "map" else one, condition)
            if not fits:
                return False, f"entry {message}"
    return True, f"is a {name}"


def _field(value: Any, name: str, given: list[Any]) -> Outcome:
    if not isinstance(value, dict):
        return False, "is no map"
    field = given[0]
    if field not in value:
        return name == "optionalfield", f"has no field '{field}'"
    if len(given) < 2:
        return True, f"map entry '{field}' exists"
    fits, message = validated(value[field], given[1])
    return fits, f"map entry '{field}' {message}"


def _ordered(value: Any, name: str, bound: Any) -> Outcome:
    numbers = all(type(one) in (int, float) for one in (value, bound))
    if not numbers and not (isinstance(value, str) and isinstance(bound, str)):
        raise FunctionError("must be number to compare to number")
    fits = _ORDERS[name](value, bound)
    return fits, f"is {'' if fits else 'not '}{name} {bound}"


def _matched(value: Any, pattern: Any) -> Outcome:
    if not isinstance(pattern, str) or not isinstance(value, str):
        raise FunctionError("no string to match regexp")
    try:
        fits = compile_pattern(pattern).finds(value)
    except BadPattern as error:
        raise FunctionError("the pattern is not valid", hint=error.hint) from None
    return fits, "valid value" if fits else "invalid value"


def _address(value: Any, name: str) -> Outcome:
    try:
        if name == "ip":
            ipaddress.ip_address(value)
        else:
            ipaddress.ip_network(value, strict=False)
        fits = name == "ip" or "/" in value
    except (ValueError, TypeError):
        fits = False
    return fits, f"is {'' if fits else 'no '}{'ip address' if name == 'ip' else 'CIDR'}"
