"""The guard around functions of other people: values in, one value out, mistakes for the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from bpp.functions import Function, FunctionError
from bpp.functions.guarding import Guard, guarded
from bpp.functions.values import NONE, FunctionValue

DECLARED = "this is a mistake in the function, which somebody declares"


def guard(call: Callable[..., Any], result: str = "any", discreet: bool = False) -> Guard:
    """The guard of a function that somebody declares."""
    record = Function("f", "does it", (), result, call, "text")
    found = guarded(record, "somebody", discreet)
    assert found.origin == "somebody"
    assert isinstance(found.call, Guard)
    return found.call


def refusal(call: Callable[..., Any], *arguments: Any) -> FunctionError:
    with pytest.raises(FunctionError) as caught:
        call(*arguments)
    # neither the exception of the function nor its text goes with it
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return caught.value


def raising(error: BaseException) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        raise error

    return call


def same(value: Any) -> Any:
    return value


def test_a_guard_is_made_anew_and_never_twice() -> None:
    record = Function("f", "does it", (), "any", same, "text", origin="its module")
    once = guarded(record)
    twice = guarded(once, "somebody", discreet=True)
    assert isinstance(once.call, Guard)
    assert isinstance(twice.call, Guard)
    assert (once.call.call, once.origin, once.call.origin) == (same, "its module", "its module")
    assert (twice.call.call, twice.call.origin, twice.call.discreet) == (same, "somebody", True)
    assert not once.call.discreet


@pytest.mark.parametrize("error", [ValueError("secret"), SystemExit(5), RecursionError("deep")])
def test_what_is_raised_is_a_mistake_without_its_text(error: BaseException) -> None:
    told = refusal(guard(raising(error)))
    assert (told.code, told.message, told.hint, told.argument) == (
        "function_failed",
        f"`f` failed with {type(error).__name__} at test_guarding.py:35 in call",
        DECLARED,
        None,
    )


def test_who_interrupts_is_not_held_up() -> None:
    with pytest.raises(KeyboardInterrupt):
        guard(raising(KeyboardInterrupt()))()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("no", "a_code", "a hint", 0), ("no", "a_code", "a hint", 0)),
        (("no", "a_code", "a hint", 2), ("no", "a_code", "a hint", 2)),
        (("no", "a_code", "", -1), ("no", "a_code", None, None)),
        (("no", "a_code", None, "0"), ("no", "a_code", None, None)),
        (("", "a" * 100), ("`f` refuses its arguments", "a" * 100, None, None)),
        ((None, "a" * 101), ("`f` refuses its arguments", "invalid_argument", None, None)),
        (("a\n\tb ", "A", " c\n"), ("a b", "invalid_argument", "c", None)),
        (("x" * 501, None, "y" * 501), ("x" * 500, "invalid_argument", "y" * 500, None)),
    ],
)
def test_own_mistakes_are_told_in_a_form_that_can_be_reported(
    given: tuple[Any, ...], told: tuple[Any, ...]
) -> None:
    found = refusal(guard(raising(FunctionError(*given))))
    assert (found.message, found.code, found.hint, found.argument) == told


def test_a_discreet_guard_withholds_what_is_said() -> None:
    found = refusal(guard(raising(FunctionError("secret", "a_code", "secret", 1)), discreet=True))
    assert (found.message, found.code, found.argument) == ("`f` refuses its arguments", "a_code", 1)
    assert found.hint is not None
    assert "withheld" in found.hint
    inner = guard(lambda: raising(FunctionError("secret")), "function", True)()
    assert "secret" not in refusal(inner).message


@pytest.mark.parametrize(
    ("result", "answer", "value"),
    [
        ("any", 1, 1),
        ("any", None, NONE),
        ("integer", None, NONE),
        ("string", "a", "a"),
        ("float", 2, 2.0),
        ("array", (1, None, (2,)), [1, [2]]),
        ("object", {"a": (1,)}, {"a": [1]}),
    ],
)
def test_answers_become_values(result: str, answer: Any, value: Any) -> None:
    found = guard(lambda: answer, result)()
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("result", "answer", "words"),
    [
        ("any", {1}, "a value that no expression can hold: "),
        ("any", same, "a value that no expression can hold: "),
        ("integer", 2.0, "a float, not an integer"),
        ("string", 2, "an integer, not a string"),
        ("float", "2", "a string, not a float"),
        ("float", [2], "an array, not a float"),
        ("boolean", 1, "an integer, not a boolean"),
        ("function", "a", "a string, not a function"),
    ],
)
def test_answers_of_another_type_are_refused(result: str, answer: Any, words: str) -> None:
    told = refusal(guard(lambda: answer, result))
    assert told.code == "invalid_function_result"
    assert told.message.startswith(f"`f` returned {words}")
    assert told.hint == DECLARED


def test_functions_that_are_answers_are_guarded() -> None:
    given = FunctionValue("g", same)
    assert guard(lambda: given, "function")() is given
    made = guard(lambda: same, "function")()
    assert isinstance(made, FunctionValue)
    assert (made.name, made((1, 2))) == ("f", [1, 2])
    told = refusal(made, {1})
    assert (told.code, told.hint) == ("invalid_function_result", DECLARED)


def test_arguments_may_be_changed() -> None:
    given = [1, [2], {"a": [3], "b": {"c": 4}}]

    def change(value: list[Any], plain: str) -> Any:
        value[1].append(5)
        value[2]["a"].clear()
        value[2]["b"].clear()
        value.append(plain)
        return value

    assert guard(change)(given, "x") == [1, [2, 5], {"a": [], "b": {}}, "x"]
    assert given == [1, [2], {"a": [3], "b": {"c": 4}}]
