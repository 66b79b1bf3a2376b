"""The values that expressions compute with, and their types.

string is `str`, integer `int`, float `float`, boolean `bool`, array `list`, object `dict`, none
`NONE`, binary `bytes`, function `FunctionValue`. A value that is not known in this run is an
`Unknown`; functions never see one, neither as an argument nor inside one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .names import Hint
from .record import Record


class _None:
    """The explicit absence of a value; there is one instance, `NONE`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "none"

    def __bool__(self) -> bool:
        raise TypeError("none has no truth value here: compare with `is NONE`")


NONE: Final = _None()


class FunctionValue(Record, eq=False):
    """A function as a value: legal only as an argument of a function that takes functions.

    `call` takes the dynamic arguments. `indexed` says that it wants the element's index as one more
    argument. `expression` is what it was made from, for residuals.
    """

    name: str
    call: Callable[..., Any]
    indexed: bool = False
    expression: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.call(*arguments)


class Unknown:
    """The answer "not in this run".

    `expression` is what is left to compute, `type` the declared type when there is one (`any`
    otherwise), `secret` says that the value is withheld rather than missing. `partial` is the array
    or object that a reference leads to when some of its parts are known and some are not.
    """

    __slots__ = ("expression", "partial", "secret", "type")

    def __init__(
        self,
        expression: Any,
        type: str = "any",  # noqa: A002
        secret: bool = False,
        partial: Any = None,
    ) -> None:
        self.expression = expression
        self.type = type
        self.secret = secret
        self.partial = partial

    def __bool__(self) -> bool:
        raise TypeError("an unknown value was used as if it were known")

    def __eq__(self, other: object) -> bool:
        raise TypeError("an unknown value was compared as if it were known")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Unknown({self.expression!r})"


_TYPES: Final[dict[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "float",
    list: "array",
    dict: "object",
    bytes: "binary",
    _None: "none",
    FunctionValue: "function",
    Unknown: "any",
    type(None): "null",
}


_MAX_PLAIN_DEPTH: Final = 200
_CONTAINERS: Final = frozenset({list, dict})


def type_of(value: Any) -> str:
    """The specification's word for a value's type."""
    return _TYPES[value.__class__]


def has_unknown(value: Any) -> bool:
    """True when a value is unknown or contains one that is."""
    kind = value.__class__
    if kind is Unknown:
        return True
    if kind is not list and kind is not dict:
        return False
    items = value if kind is list else value.values()
    kinds = {*map(type, items)}  # far quicker than a look at each
    if Unknown in kinds:
        return True
    return not kinds.isdisjoint(_CONTAINERS) and any(map(has_unknown, items))


def equal(a: Any, b: Any) -> bool:
    """Deep equality in which types matter (`true`, `1` and `1.0` differ) and key order does not.

    Values share parts, so a small expression can stand for a huge tree: a pair of containers is
    compared once, and depth costs no stack.
    """
    seen: set[tuple[int, int]] = set()
    pending = [(a, b)]
    while pending:
        left, right = pending.pop()
        if left is right:
            continue
        kind = left.__class__
        if kind is not right.__class__:
            return False
        if kind is list:
            if len(left) != len(right):
                return False
            pair = (id(left), id(right))
            if pair not in seen:
                seen.add(pair)
                pending.extend(zip(left, right, strict=True))
        elif kind is dict:
            if left.keys() != right.keys():
                return False
            pair = (id(left), id(right))
            if pair not in seen:
                seen.add(pair)
                pending.extend((item, right[key]) for key, item in left.items())
        elif left != right:
            return False
    return True


def to_text(value: Any) -> str:
    """A scalar as a string, as in interpolation and `join`.

    Integers in decimal, floats in the shortest form that reads back the same, without an exponent
    and with a fraction (`2.0`), booleans as `true` and `false`, none as the empty string, binary
    decoded as UTF-8.

    Raises:
        FunctionError: for arrays, objects, functions, and binary that is not UTF-8.
    """
    kind = value.__class__
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return float_text(value)
    if value is NONE:
        return ""
    if kind is bytes:
        return decode_utf8(value)
    raise FunctionError(
        f"{article(type_of(value))} cannot be part of a string", code="invalid_interpolation"
    )


def float_text(value: float) -> str:
    """The shortest decimal form of a finite float, without an exponent, with a fraction."""
    text = repr(value)
    if "e" not in text:
        return text
    from decimal import Decimal

    text = format(Decimal(text), "f")
    return text if "." in text else text + ".0"


def decode_utf8(data: bytes) -> str:
    """Binary decoded as UTF-8.

    Raises:
        FunctionError: when it is not valid UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FunctionError(
            f"the binary value is not valid UTF-8 (at byte {error.start})",
            "invalid_utf8",
            hint="use `base64encode` to put binary data into a field",
        ) from None


def from_plain(data: Any, depth: int = 0) -> Any:
    """Plain Python data as a value of the language.

    None is none, and as everywhere none is in no array or object; tuples are arrays.

    Raises:
        ValueError: for data of another type, a number that is not finite or beyond 64 bits, a key
            that is not a string, or data nested more than 200 deep.
    """
    if data is None or data is NONE:
        return NONE
    if depth > _MAX_PLAIN_DEPTH:
        raise ValueError(f"the data is nested more than {_MAX_PLAIN_DEPTH} deep")
    if isinstance(data, bool | bytes):
        return data
    if isinstance(data, str):
        return str(data)
    if isinstance(data, int):
        if not -(2**63) <= data < 2**63:
            raise ValueError("an integer is beyond 64 bits")
        return int(data)
    if isinstance(data, float):
        if data != data or data in (float("inf"), float("-inf")):
            raise ValueError("a number is not finite")
        return float(data)
    if isinstance(data, Mapping):
        if not all(isinstance(key, str) for key in data):
            raise ValueError("a key is not a string")
        fields = {str(key): from_plain(item, depth + 1) for key, item in data.items()}
        return {key: item for key, item in fields.items() if item is not NONE}
    if isinstance(data, list | tuple):
        items = [from_plain(item, depth + 1) for item in data]
        return [item for item in items if item is not NONE]
    raise ValueError(f"a {type(data).__name__} is not a value of the language")


def article(type_name: str) -> str:
    """`an integer`, `a string`, `none`."""
    if type_name in ("none", "null"):
        return type_name
    if type_name == "any":
        return "a value"
    return f"{'an' if type_name[0] in 'aeio' else 'a'} {type_name}"


class FunctionError(Exception):
    """The error of a function call.

    `code` is a diagnostic code, `hint` an optional remedy, `argument` the 0-based position of the
    argument to blame. The message never holds a long value or a secret.
    """

    def __init__(
        self,
        message: str,
        code: str = "invalid_argument",
        hint: Hint = None,
        argument: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        self.argument = argument
