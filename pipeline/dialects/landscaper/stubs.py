"""Canned answers of functions: `--stub FUNCTION=FILE`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ....functions.registry import Function, Parameter
from ....functions.values import FunctionError
from ...engine.run import Context
from ...formats.go_yaml import plain
from ...values.tree import Array, Map
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
            from ...values.diagnostics import meant

            summary = f"there is no function `{name}` to stub"
            context.diagnostics.error("unknown_function", None, summary, meant(name, functions))
            continue
        answers = list(_answers(name, given, context))
        made[name] = functions[name].evolve(
            call=_call(name, answers), effect=None, parameters=_ANYTHING, weight=1
        )
    return made


def _answers(name: str, given: Any, context: Context) -> list[tuple[list[Any] | None, Any]]:
    root = read_given({"answers": given} if not isinstance(given, str) else given, context)
    if isinstance(root, Map) and not isinstance(given, str):
        root = root.items["answers"]
    found: list[tuple[list[Any] | None, Any]] = []
    if root is not None and not isinstance(root, Array):
        context.diagnostics.error(
            "field_type", root.span, f"the answers of `{name}` must be a list"
        )
        return found
    for one in root.items if isinstance(root, Array) else ():
        fields = fields_of(one, _ANSWER, context.diagnostics)
        arguments = plain(fields["args"]) if "args" in fields else None
        if "result" in fields:
            found.append((arguments, plain(fields["result"])))
    return found


def _call(name: str, answers: list[tuple[list[Any] | None, Any]]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        for wanted, result in answers:
            if wanted is None or wanted == [*arguments]:
                return result
        summary = f"no canned answer of `{name}` is for these arguments"
        hint = "an answer without `args` is for all"
        raise FunctionError(summary, "function_needs_stub", hint)

    return call
