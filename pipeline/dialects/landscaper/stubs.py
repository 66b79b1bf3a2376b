"""Canned answers of functions: `--stub FUNCTION=FILE`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ....functions.registry import Function, Parameter
from ....functions.values import FunctionError
from ...engine.run import Context
from ...formats.go_yaml import plain
from ...values.diagnostics import meant
from ...values.tree import Array, list_at
from .fields import fields_of, form
from .supplied import read_given

_ANSWER: Final = form("a canned answer", "args:list result:any!")
_ANYTHING: Final = (Parameter("arguments", ("any",), variadic=True),)


def stubbed(
    functions: Mapping[str, Function], stubs: Mapping[str, Any], context: Context
) -> Mapping[str, Function]:
    """Functions of which those with canned answers give these."""
    if not stubs:
        return functions
    made = dict(functions)
    for name, given in stubs.items():
        if name not in functions:
            summary = f"there is no function `{name}` to stub"
            context.diagnostics.error("unknown_function", None, summary, meant(name, functions))
            continue
        call = _call(name, [*_answers(name, given, context)])
        made[name] = functions[name].evolve(call=call, effect=None, parameters=_ANYTHING, weight=1)
    return made


def _answers(name: str, given: Any, context: Context) -> Iterator[tuple[list[Any] | None, Any]]:
    """The arguments and the result of each canned answer; without arguments it is for all."""
    root, told = read_given(given, context), context.diagnostics
    if root is not None and not isinstance(root, Array):
        told.error("field_type", root.span, f"the answers of `{name}` must be a list")
    for one in list_at(root):
        fields = fields_of(one, _ANSWER, told)
        if "result" in fields:
            yield plain(fields["args"]) if "args" in fields else None, plain(fields["result"])


def _call(name: str, answers: list[tuple[list[Any] | None, Any]]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        for wanted, result in answers:
            if wanted is None or wanted == [*arguments]:
                return result
        summary = f"no canned answer of `{name}` is for these arguments"
        raise FunctionError(summary, "function_needs_stub", "an answer without `args` is for all")

    return call
