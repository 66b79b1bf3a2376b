"""The conditions of `validate` and `check`."""

from __future__ import annotations

import ipaddress
import operator
import re
from collections.abc import Callable
from typing import Any, Final

from ..expr.texts import float_text, quoted
from ..go.regexps import BadPattern, compile_pattern
from ..values import FunctionError
from .values import TYPE_NAMES, holds, truth

Outcome = tuple[bool, str]

_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN: Final = rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*"
_NAMES: Final = {
    "dnslabel": ("dns label", _LABEL),
    "dnsdomain": ("dns domain", _DOMAIN),
    "wildcarddnsdomain": ("wildcard dns domain", rf"\*\.{_DOMAIN}"),
    "dnsname": ("dns name", rf"(?:\*\.)?{_DOMAIN}"),
}
_ORDERS: Final[dict[str, tuple[Callable[[Any, Any], bool], str, str]]] = {
    **dict.fromkeys(("gt", ">"), (operator.gt, "greater than", "less or equal to")),
    **dict.fromkeys(("ge", ">="), (operator.ge, "greater or equal to", "less than")),
    **dict.fromkeys(("lt", "<"), (operator.lt, "less or equal to", "greater than")),
    **dict.fromkeys(("le", "<="), (operator.le, "less than", "greater or equal to")),
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
        return _called(name(value, *given), name)
    if not isinstance(name, str):
        raise FunctionError("invalid validation check type")
    plain = name.removeprefix("!")
    if not given and plain in _WITH_ARGUMENTS:
        raise FunctionError(f"{plain or name} requires an argument")
    fits, message = _named(value, plain, given)
    return fits != name.startswith("!"), message


_WITH_ARGUMENTS: Final = frozenset(
    ("", "and", "or", "not", "valueset", "value", "=", "mapfield", "optionalfield", "match", "~=")
) | frozenset(_ORDERS)


def _called(found: Any, function: Any) -> Outcome:
    results = found if isinstance(found, list) else [found]
    if not 1 <= len(results) <= 3:
        raise FunctionError("invalid result length of validator")
    fits = truth(results[0])
    text = getattr(function, "name", "the function")
    usual = f"{text} {'succeeded' if fits else 'failed'}"
    return fits, str([*results[1:], usual][0 if fits else -2 if len(results) > 1 else -1])


def _named(value: Any, name: str, given: list[Any]) -> Outcome:
    if name in ("and", "not", "", "or"):
        reasons = []
        for one in given:
            fits, message = validated(value, one)
            if fits == (name == "or"):
                return fits != (name == "not"), message
            reasons.append(message)
        text = " and ".join(reasons)
        return name == "and" or name == "", text if len(given) == 1 else f"({text})"
    if name in ("list", "map"):
        return _each(value, name, given)
    if name in ("mapfield", "optionalfield"):
        return _field(value, name, given)
    if name == "empty":
        fits = value in ("", [], {})
        return fits, "is empty" if fits else "is not empty"
    if name in ("valueset", "value", "="):
        known = given[0] if name == "valueset" else given[:1]
        if not isinstance(known, list):
            raise FunctionError("valueset requires a list argument with possible values")
        return _told(holds(known, value) >= 0, value)
    if name in _ORDERS:
        return _ordered(value, name, given[0])
    if name in ("match", "~="):
        return _told(_matched(value, given[0]), value)
    if name == "type":
        kind = TYPE_NAMES.get(type(value), "lambda")
        reasons = [f"is not of type {one}" for one in given]
        text = " and ".join(reasons)
        fits = kind in given
        return fits, f"is of type {kind}" if fits else text if len(given) == 1 else f"({text})"
    if name in _NAMES:
        what, pattern = _NAMES[name]
        fits = isinstance(value, str) and re.fullmatch(pattern, value) is not None
        return fits, f"is {what}" if fits else f"is no {what}"
    if name in ("ip", "cidr"):
        return _address(value, name)
    raise FunctionError(f"unknown validation operator {quoted(name)}")


def _told(fits: bool, value: Any) -> Outcome:
    shown = f" {quoted(value)}" if isinstance(value, str) else ""
    return fits, f"{'valid' if fits else 'invalid'} value{shown}"


def _each(value: Any, name: str, given: list[Any]) -> Outcome:
    if TYPE_NAMES.get(type(value)) != name:
        return False, f"is no {name}"
    if name == "list":
        for at, one in enumerate(value):
            for number, condition in enumerate(given):
                fits, message = validated(one, condition)
                if not fits:
                    return False, f"entry {at} condition {number} {message}"
        return True, "all entries match all conditions" if given else "is a list"
    for key in value if given else ():
        for what, one, condition in (("key", key, given[-2:-1]), ("entry", value[key], given[-1:])):
            fits, message = validated(one, *condition) if condition else (True, "")
            if not fits:
                return False, f"map {what} {quoted(key)} {message}"
    return True, "all map entries and keys match" if given else "is a map"


def _field(value: Any, name: str, given: list[Any]) -> Outcome:
    if not isinstance(value, dict):
        return False, "is no map"
    field = given[0]
    if field not in value:
        optional = name == "optionalfield"
        return optional, f"has no {'optional ' if optional else ''}field {quoted(str(field))}"
    if len(given) < 2:
        return True, f"map entry {quoted(field)} exists"
    fits, message = validated(value[field], given[1])
    return fits, f"map entry {quoted(field)} {message}"


def _ordered(value: Any, name: str, bound: Any) -> Outcome:
    numbers = all(type(one) in (int, float) for one in (value, bound))
    if not numbers and not (isinstance(value, str) and isinstance(bound, str)):
        raise FunctionError("must be number to compare to number")
    compare, yes, no = _ORDERS[name]
    fits = compare(value, bound)
    return fits, f"{yes if fits else no} {float_text(bound) if type(bound) is float else bound}"


def _matched(value: Any, pattern: Any) -> bool:
    if not isinstance(pattern, str) or not isinstance(value, str):
        raise FunctionError("no string to match regexp")
    try:
        return compile_pattern(pattern).finds(value)
    except BadPattern as error:
        raise FunctionError("the pattern is not valid", hint=error.hint) from None


def _address(value: Any, name: str) -> Outcome:
    what = "ip address" if name == "ip" else "CIDR"
    try:
        ipaddress.ip_interface(value)
        fits = ("/" in value) == (name == "cidr")
    except (ValueError, TypeError):
        fits = False
    return fits, f"is {what}" if fits else f"is no {what}: {value}"
