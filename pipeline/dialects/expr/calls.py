"""The evaluation of calls: builtins, those with predicates, methods; and results as plain data."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ....functions.expr import kinds
from ....functions.expr.collections import item_at
from ....functions.expr.methods import named_type
from ....functions.expr.texts import text_of
from ....functions.registry import Function
from ....functions.values import Unknown
from ...language.errors import Failure
from ...language.evaluator import Evaluator
from ...language.waiting import is_secret
from ...values.expression import Call, Expression, Literal, Reference
from .operators import OPTIONAL_METHOD, PREDICATE
from .printing import call, tree_of
from .residuals import (
    NilInChain,
    computed,
    mistaken,
    part_of,
    sometimes,
    spend,
    tree_from,
    waiting,
)
from .scope import Scope, has_part, member, no_field, traced

_ARGUMENT: Final = "invalid_argument_type"
_MAKERS: Final = frozenset({"repeat", "concat", "reverse", "flatten", "sort"})
"""Builtins whose results count as what an expression makes."""

_UNKNOWN: Final = {"binary": "any", "strings": "object"}


def type_waiting(function: Function) -> str:
    """The type of a result that is not known, for which signatures are too precise."""
    return _UNKNOWN.get(function.result, function.result)


class _Waits(Exception):
    """A predicate whose answer is not known."""


def call_method(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A method of a time, a duration or a zone."""
    value = self.value(node.arguments[0].value, literals, scope)
    name = node.arguments[1].value
    assert isinstance(name, Literal)
    if value is None and node.function == OPTIONAL_METHOD:
        raise NilInChain
    given = [self.value(argument.value, literals, scope) for argument in node.arguments[2:]]
    if any(one.__class__ is Unknown for one in (value, *given)):
        return waiting(self, node, [value, name.value, *given])
    own = named_type(value)
    method = own.methods.get(name.value) if own else None
    if method is None:
        if value is None or isinstance(value, dict):
            member(value, name.value, name)  # which says that nil has no fields
        raise no_field(value, name.value, name, "method")
    wanted, _, compute = method
    if len(given) != len(wanted):
        summary = f"`{name.value}` takes {len(wanted)} arguments, but got {len(given)}"
        raise Failure("invalid_argument_count", summary, name)
    for position, (one, want) in enumerate(zip(given, wanted, strict=True), 1):
        if want not in (kinds.kind_of(one), "any"):
            what = f"argument {position} of `{name.value}` must be {kinds.word_of(want)}"
            raise mistaken(what, one, node.arguments[position + 1].value, _ARGUMENT)
    result = computed(self, node, compute, value, *given)
    return given_by_call(result, node, [value, name.value, *given])


def given_by_call(result: Any, node: Call, values: list[Any]) -> Any:
    """What a call gave; if no literal does, residuals keep the call with its known arguments."""
    if result.__class__ not in kinds.NAMED:
        return result
    return traced(result, lambda: call(node.function, [*map(tree_of, values)]))


def checked_arguments(
    self: Evaluator, function: Function, node: Call, literals: Any, scope: Any
) -> tuple[list[Any], bool]:
    """The evaluated arguments of a call, and whether it has to wait for one of them.

    Raises:
        Failure: `invalid_argument_type`, beside the mistakes of the arguments themselves.
    """
    values = [self.value(argument.value, literals, scope) for argument in node.arguments]
    waits = False
    for position, value in enumerate(values):
        parameter = function.parameter(position)
        assert parameter is not None
        waits = waits or value.__class__ is Unknown
        if "any" not in parameter.types and not parameter.accepts(kinds.kind_of(value)):
            wanted = " or ".join(map(kinds.word_of, parameter.types))
            what = f"argument {position + 1} (`{parameter.name}`) of `{function.name}`"
            at = node.arguments[position].value
            raise mistaken(f"{what} must be {wanted}", value, at, _ARGUMENT)
    return values, waits


def call_function(
    self: Evaluator, function: Function, node: Call, literals: Any, scope: Any
) -> Any:
    """A call of a builtin, or of a function that was added."""
    values, waits = checked_arguments(self, function, node, literals, scope)
    if waits:
        return waiting(self, node, values, type_waiting(function))
    compute = function.call
    if function.effect is not None:
        if self.environment is None:
            summary = f"`{function.name}` is not available here"
            raise Failure("effect_not_allowed", summary, node)
        compute = partial(compute, self.environment)
    result = computed(self, node, compute, *values, weight=function.weight)
    if function.name in _MAKERS:
        spend(self, scope, len(result), node)
    return given_by_call(result, node, values)


def call_predicate(
    self: Evaluator, function: Function, node: Call, literals: Any, scope: Any
) -> Any:
    """A builtin that asks a predicate about the items of an array."""
    trees = [argument.value for argument in node.arguments]
    items = self.value(trees[0], literals, scope)
    more = [self.value(tree, literals, scope) for tree in trees[2:]]
    body = trees[1].arguments[0].value if len(trees) > 1 else None  # type: ignore[union-attr]
    if items.__class__ is not Unknown:
        if items == {}:
            items = []
        if not isinstance(items, (list, str, bytes)):
            raise mistaken(f"`{function.name}` takes an array", items, trees[0], _ARGUMENT)
        if not isinstance(items, list):
            data = kinds.to_bytes(items) if isinstance(items, str) else items
            items = [item_at(data, index) for index in range(len(data))]
        if not any(value.__class__ is Unknown for value in more):
            try:
                return _asked(self, function, node, items, body, more, literals, scope)
            except _Waits:
                pass
    local = {name: Unknown(Reference(name)) for name in ("#", "#index", "#acc")}
    values = [items, *more]
    self.keep([value for value in values if value.__class__ is not Unknown], node)
    parts = [tree_from(items, trees[0])]
    if body is not None:
        answer = sometimes(self, body, literals, scope.within(local))
        self.keep([answer], node)
        values.append(answer)
        parts.append(call(PREDICATE, [tree_from(answer)]))
    parts += map(tree_from, more)
    return Unknown(call(node.function, parts), "any", any(map(is_secret, values)))


def _asked(
    self: Evaluator,
    function: Function,
    node: Call,
    items: list[Any],
    body: Expression | None,
    more: list[Any],
    literals: Any,
    scope: Scope,
) -> Any:
    """What a builtin makes of known items.

    Raises:
        _Waits: when that depends on an unknown answer.
    """
    maps = function.name == "map"
    inner = scope.within({"#": None})
    local = inner.local

    def predicate(item: Any, index: int, made: Any = None) -> Any:
        self.meter.work()
        assert body is not None
        local["#"], local["#index"], local["#acc"] = item, index, made
        answer = self.value(body, literals, inner)
        if answer.__class__ is Unknown and not maps:
            raise _Waits
        return answer

    if function.name in ("map", "filter", "groupBy", "sortBy"):
        spend(self, scope, len(items), node)
    given = (predicate,) if body is not None else ()
    result = computed(self, node, lambda known: function.call(known, *given, *more), items)
    if maps and any(item.__class__ is Unknown for item in result):
        self.keep([item for item in result if item.__class__ is not Unknown], node)
        tree = call("list", [*map(tree_from, result)])
        return Unknown(tree, "array", any(map(is_secret, result)))
    return result


def call_get(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`get`: nil where an index would fail, but for a key of a wrong kind."""
    value, key = (self.value(argument.value, literals, scope) for argument in node.arguments)
    if value.__class__ is Unknown and has_part(value, key):
        return value.partial[key]
    if value.__class__ is Unknown or key.__class__ is Unknown:
        if isinstance(value, (Unknown, list, dict, str, bytes)):
            return waiting(self, node, [value, key])
        return None
    if isinstance(value, (list, str, bytes)) and kinds.is_number(key):
        return item_at(value, kinds.whole(key))
    if isinstance(value, kinds.StringMap) and isinstance(key, str):
        return value.get(key)
    if isinstance(value, (dict, list, str, bytes)):
        return part_of(self, node, value, key)
    return None


_KEYS: Final = frozenset({str, bool, int, float})


def plain(value: Any) -> Any:
    """A result as plain data, in which times, durations and zones stay what they are.

    A struct is a mapping as in JSON, a named string a string. A key of
    another kind than JSON's is its text.
    """
    kind = value.__class__
    if kind is list:
        return [plain(item) for item in value]
    if kind is dict or kind is kinds.StringMap:
        return {key: plain(item) for key, item in value.items()}
    if kind is kinds.NamedText:
        return value.text
    if kind is kinds.Struct:
        return plain(value.written() if value.type.fields else text_of(value))
    if kind is kinds.AnyMap:
        return {
            key[1] if key[1] is None or key[0] in _KEYS else text_of(key[1]): plain(item)
            for key, item in value.items()
        }
    if kind is str:
        return value if value.isascii() else kinds.to_bytes(value).decode("utf-8", "replace")
    return int(value) if isinstance(value, int) and kind is not bool else value
