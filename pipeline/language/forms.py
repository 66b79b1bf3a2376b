"""Special forms: functions whose arguments are not simply evaluated.

A form gets the evaluator, the function's record, the call, the texts for its holes, and the scope.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ...functions.registry import Function, type_message
from ...functions.values import NONE, FunctionError, Unknown, has_unknown, type_of
from .errors import Failure
from .expression import Argument, Call, Expression, Reference
from .refusals import refuse_function
from .waiting import call_of, is_secret, to_expression

if TYPE_CHECKING:
    from .evaluator import Evaluator
    from .scope import Scope


def _if(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`if`: only the chosen branch is evaluated; both are when nothing is decided."""
    arguments = [argument.value for argument in node.arguments]
    condition = self.value(arguments[0], literals, scope)
    if type(condition) is Unknown:
        _boolean(function, 0, condition, node)
        branches = [self.value(branch, literals, scope) for branch in arguments[1:]]
        types = {type_of(branch) if branch is not NONE else "any" for branch in branches}
        values = [condition, *branches]
        return Unknown(
            call_of(node, values),
            types.pop() if len(types) == 1 else "any",
            any(map(is_secret, values)),
        )
    _boolean(function, 0, condition, node)
    return self.value(arguments[1 if condition is True else 2], literals, scope)


def _first(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`first` and `coalesce`: arguments after the first hit are not evaluated."""
    skips_empty = function.form == "first"
    waiting: list[Any] = []
    last: Any = NONE
    for argument in node.arguments:
        last = self.value(argument.value, literals, scope)
        # An array of unknown elements may turn out to be empty, an object is never skipped.
        undecided = type(last) is Unknown or (
            skips_empty and type(last) is list and bool(last) and has_unknown(last)
        )
        if undecided:
            waiting.append(last)
            continue
        if last is NONE or (skips_empty and (last == "" or last == [])):
            continue
        if not waiting:
            return last
        break
    if not waiting:
        return last
    if last is not waiting[-1] and (skips_empty or last is not NONE):
        waiting.append(last)
    if len(waiting) == 1:
        return waiting[0]
    call = Call(node.function, tuple(Argument(to_expression(item)) for item in waiting))
    return Unknown(call, "any", any(map(is_secret, waiting)))


def _and(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`and`: false decides, unless the other side is none; after false, mistakes do not count."""
    first, second = (argument.value for argument in node.arguments)
    left = _boolean(function, 0, self.value(first, literals, scope), node)
    if left is False:
        try:
            right = self.value(second, literals, scope)
        except Failure as failure:
            if failure.reported:
                raise
            return False
        return NONE if right is NONE else False
    right = _boolean(function, 1, self.value(second, literals, scope), node)
    if left is NONE or right is NONE:
        return NONE
    if right is False:
        return False
    if left is True:
        return right
    if right is True:
        return left
    return Unknown(call_of(node, [left, right]), "boolean", is_secret(left) or is_secret(right))


def _or(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`or`: true decides without a look at the other side; none counts as false."""
    first, second = (argument.value for argument in node.arguments)
    left = _boolean(function, 0, self.value(first, literals, scope), node)
    if left is True:
        return True
    right = _boolean(function, 1, self.value(second, literals, scope), node)
    if right is True:
        return True
    if type(left) is not Unknown and type(right) is not Unknown:
        return False
    return Unknown(call_of(node, [left, right]), "boolean", is_secret(left) or is_secret(right))


def _list(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`list`: elements may be unknown; none is left out."""
    values = self.arguments(function, node, literals, scope)
    for value, argument in zip(values, node.arguments, strict=True):
        refuse_function(value, argument.value)
    return [value for value in values if value is not NONE]


def _object(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`object`: fields may be unknown; none is left out."""
    pairs = []
    for argument in node.arguments:
        if argument.name is None:
            raise Failure(
                "invalid_argument",
                "every argument of `object` needs a name",
                argument.value,
                "write `object(name=value)`",
            )
        value = self.value(argument.value, literals, scope)
        refuse_function(value, argument.value)
        pairs.append((argument.name, value))
    try:
        return function.call(pairs)
    except FunctionError as error:
        failure = self.failure(error, node)
        if error.code == "duplicate_argument_name" and error.argument is not None:
            failure.node = node.arguments[error.argument]
        raise failure from None


def _lookup(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`lookup`: answers from an object of which the wanted part is known."""
    values = self.arguments(function, node, literals, scope)
    target, key = values
    container = target.partial if type(target) is Unknown else target
    if type(container) is dict and type(key) is str:
        found = container.get(key, NONE)
        # A field of an object that is built here is none when it turns out to be none; below a
        # reference it would be missing.
        if container is target or not has_unknown(found):
            return found
    return self.apply(function, node, values)


def _link(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`link`: a reference to a resource is a name and not a value; any other expression is one."""
    written = [argument.value for argument in node.arguments]
    sides = [side if _is_resource(side) else self.value(side, literals, scope) for side in written]
    for position, side in enumerate(sides):
        if type(side) is Reference:
            continue
        parameter = function.parameter(position)
        assert parameter is not None
        actual = side.type if type(side) is Unknown else type_of(side)
        if not parameter.accepts(actual):
            message = type_message(function, position, parameter, actual)
            raise Failure("invalid_argument_type", message, written[position])
    if any(type(side) is Unknown for side in sides):
        values = [scope.resolve(s) if type(s) is Reference else s for s in sides]
        return Unknown(call_of(node, values), "object", any(map(is_secret, values)))
    return scope.link(sides[0], sides[1], node)


def _is_resource(node: Expression) -> bool:
    """True for a reference to a resource, or to one of its instances, and not to a part of it."""
    if type(node) is not Reference or node.root != "resources":
        return False
    return all(isinstance(item, int) for item in node.path[1:]) and len(node.path) < 3


FORMS: Final[dict[str, Callable[[Evaluator, Function, Call, Any, Scope], Any]]] = {
    "if": _if,
    "first": _first,
    "coalesce": _first,
    "and": _and,
    "or": _or,
    "list": _list,
    "object": _object,
    "lookup": _lookup,
    "link": _link,
}


def _boolean(function: Function, position: int, value: Any, node: Call) -> Any:
    """A boolean, none or an unknown that may become one; anything else is a failure."""
    if value is True or value is False or value is NONE:
        return value
    actual = value.type if type(value) is Unknown else type_of(value)
    if type(value) is Unknown and actual in ("any", "boolean"):
        return value
    parameter = function.parameter(position)
    assert parameter is not None
    raise Failure(
        "invalid_argument_type",
        type_message(function, position, parameter, actual),
        node.arguments[position].value,
        "there is no truthiness: use `eq`, `gt`, `not` and the like",
    )
