"""`rand`, which a seed makes reproducible."""

from __future__ import annotations

from typing import Any

from ..go.regexps import BadPattern, compile_pattern
from ..values import FunctionError

_MOST = (1 << 63) - 1
_LONGEST = 1_000_000


def drawn(numbers: Any, given: list[Any]) -> Any:
    """A number, a boolean or a text of random numbers, as `rand` gives it for its arguments.

    Raises:
        FunctionError: they do not fit.
    """
    if not given:
        return numbers.randrange(_MOST)
    first, *more = given
    if isinstance(first, bool):
        return numbers.random() < 0.5
    if isinstance(first, int):
        if first == 0:
            raise FunctionError("zero range not possible for integer random values")
        found = numbers.randrange(abs(first))
        return found if first > 0 else -found
    count = more[0] if more else 1
    if not isinstance(first, str) or type(count) is not int or not 0 < count <= _LONGEST:
        raise FunctionError("rand takes a bound, or a set of characters and a length")
    try:
        pattern = compile_pattern(f"[{first}]")
    except BadPattern as error:
        raise FunctionError("invalid rand character set specification", hint=error.hint) from None
    known = [chr(code) for code in range(128) if pattern.finds(chr(code))]
    if not known:
        raise FunctionError("invalid rand character set specification")
    return "".join(numbers.choices(known, k=count))
