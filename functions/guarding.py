"""Third-party functions, called so that nothing they do can break a run.

Exceptions become diagnostics, results are checked against the declared type, and arguments are
copies that a function may change.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from .breakage import breakage
from .names import worded
from .record import Record
from .registry import Function
from .values import NONE, FunctionError, FunctionValue, article, from_plain, type_of

_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,99}")
_MOST_CHARS: Final = 500


def guarded(function: Function, origin: str | None = None, discreet: bool = False) -> Function:
    """The function with a guard around its implementation; one that has a guard gets a new one.

    `origin` says who declares it, for messages. With `discreet` its own messages are withheld: its
    arguments may hold secrets, of which a message may hold any part.
    """
    call = function.call
    if isinstance(call, Guard):
        call = call.call
    where = origin or function.origin
    guard = Guard(function.name, call, function.result, where, discreet)
    return function.evolve(call=guard, origin=where)


class Guard(Record, eq=False):
    """Calls an implementation: values of the language in, one out, `FunctionError` for the rest."""

    name: str
    call: Callable[..., Any]
    result: str
    origin: str
    discreet: bool

    def __call__(self, *arguments: Any) -> Any:
        try:
            answer = self.call(*map(_own, arguments))
        except FunctionError as error:
            raise self._reportable(error) from None
        # a function that ends the process must not end bpp either
        except (Exception, SystemExit) as error:
            raise FunctionError(
                f"`{self.name}` failed with {breakage(error)}",
                "function_failed",
                f"this is a mistake in the function, which {self.origin} declares",
            ) from None
        return self._checked(answer)

    def _checked(self, answer: Any) -> Any:
        """The answer as a value of the declared type.

        Raises:
            FunctionError: `invalid_function_result`.
        """
        if self.result == "function" and callable(answer):
            if not isinstance(answer, FunctionValue):
                inner = Guard(self.name, answer, "any", self.origin, self.discreet)
                return FunctionValue(self.name, inner)
            return answer
        try:
            value = from_plain(answer)
        except ValueError as error:
            raise self._unfit(f"a value that no expression can hold: {error}") from None
        actual = type_of(value)
        if value is NONE or self.result in ("any", actual):
            return value
        if self.result == "float" and actual == "integer":
            return float(value)
        raise self._unfit(f"{article(actual)}, not {article(self.result)}")

    def _unfit(self, what: str) -> FunctionError:
        return FunctionError(
            f"`{self.name}` returned {what}",
            "invalid_function_result",
            f"this is a mistake in the function, which {self.origin} declares",
        )

    def _reportable(self, error: FunctionError) -> FunctionError:
        """The function's own error, in a form that can be reported."""
        message, hint = (_line(text) for text in (error.message, worded(error.hint)))
        if self.discreet:
            message = f"`{self.name}` refuses its arguments"
            hint = "its message is withheld, because it may hold a revealed secret"
        code = error.code if isinstance(error.code, str) else ""
        place = error.argument
        return FunctionError(
            message or f"`{self.name}` refuses its arguments",
            code if _CODE.fullmatch(code) else "invalid_argument",
            hint or None,
            place if isinstance(place, int) and place >= 0 else None,
        )


def _line(text: object) -> str:
    """A string as one line of a readable length; empty for anything else."""
    return " ".join(text.split())[:_MOST_CHARS] if isinstance(text, str) else ""


def _own(value: Any) -> Any:
    """A value whose arrays and objects may be changed."""
    kind = value.__class__
    if kind is list:
        return [_own(item) for item in value]
    if kind is dict:
        return {key: _own(item) for key, item in value.items()}
    return value
