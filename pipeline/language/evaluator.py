"""Partial evaluation: an expression in, a value or a smaller expression out.

One walk does both. A known result is a plain value; a result that has to wait is an `Unknown` whose
expression is smaller than the one written, with everything known folded in. Arrays and objects
that a call builds may hold unknowns; no function ever sees one. A special form is a function whose
arguments are not simply evaluated.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ...functions.registry import (
    Environment,
    Function,
    arity_message,
    as_value,
    check_types,
    type_message,
)
from ...functions.values import NONE, FunctionError, FunctionValue, Unknown, has_unknown, type_of
from ..values.expression import (
    Access,
    Argument,
    Call,
    Expression,
    Hole,
    Literal,
    Reference,
    Segment,
    Segments,
    Substitution,
    residual,
    walk,
)
from ..values.settings import Limits, how_to_raise
from .errors import PATHS_ARE_LOGGED, Failure, find_function, not_text, refuse_function
from .meter import Meter
from .navigation import navigate
from .syntax import USUAL, Form, Scope, Semantics
from .waiting import WaitingText, call_of, is_secret, to_expression

_ABSENT: Any = object()
_STRING = 3  # stack that a string takes, in calls (see `Meter.nested`)
_ARGUMENTS_A_STEP = 8
_BOOLEAN = frozenset({"and", "or"})
_CONTAINERS: Final = (list, dict)
_SINKS = frozenset({"files", "network"})
"""Effects that pass their arguments to other programs or machines."""


class Evaluator:
    """Evaluates expressions with a set of functions; the scope changes from call to call.

    `meter` is that of the run, if there is one.
    """

    def __init__(
        self,
        functions: Mapping[str, Function],
        environment: Environment | None,
        limits: Limits,
        meter: Meter | None = None,
        semantics: Semantics = USUAL,
    ) -> None:
        self.functions = functions
        self.environment = environment
        self.limits = limits
        self.meter = meter or Meter(limits)
        self.semantics = semantics
        self.forms: Mapping[str, Form] = FORMS if semantics.forms is None else semantics.forms
        self._called: dict[str, tuple[Function, Form | None, int, int]] = {}
        # in a check: whether a render may decide what is not decided here
        self.doubts: Callable[[Any], bool] | None = None
        self.doubting = 0

    def segments(
        self,
        segments: Segments,
        scope: Scope,
        mask: str | None = None,
        known: dict[str, Any] | None = None,
    ) -> Any:
        """The value of a template: any value for a lone substitution, a text otherwise.

        An unknown value comes back as an `Unknown` (lone) or as a `WaitingText`. With `mask`, that
        text replaces every substitution that depends on a secret. `known` caches the values of
        substitutions by their text, for strings that mean the same everywhere.
        """
        if len(segments) == 1:
            only = segments[0]
            if isinstance(only, str):
                return only
            value = self._substitution(only, scope)
            if type(value) is Unknown or type(value) is FunctionValue:
                self._hold_value(value, only)
            if mask is not None and is_secret(value):
                return mask
            if isinstance(value, _CONTAINERS) and self.semantics.finished is not None:
                self.keep([value])  # it is going to be a text
            return value
        meter = self.meter
        meter.left -= len(segments) // _ARGUMENTS_A_STEP
        if meter.left < 0:
            self._look()
        parts: list[Segment] = []
        text: list[str] = []
        size = 0
        secret = False
        for segment in segments:
            if isinstance(segment, str):
                piece = segment
            else:
                inner = segment.inner
                value = _ABSENT if known is None or inner is None else known.get(inner, _ABSENT)
                if value is _ABSENT:
                    value = self._substitution(segment, scope)
                    if known is not None and inner is not None:
                        known[inner] = value
                if type(value) is not Unknown:
                    piece = value if type(value) is str else self._text(value, segment)
                elif mask is not None and value.secret:
                    piece = mask
                else:
                    self._interpolable(value.type, segment)
                    if text:
                        parts.append("".join(text))
                        text = []
                    parts.append(residual(value.expression))
                    secret = secret or value.secret
                    continue
            size += len(piece)
            if size > self.limits.max_value_chars:
                raise self._too_long()
            text.append(piece)
        meter.room -= size
        if meter.room < 0:
            raise self.failure(meter.out_of_room())
        if not parts:
            return "".join(text)
        if text:
            parts.append("".join(text))
        parts = [part for part in parts if part != ""]
        if len(parts) == 1:
            parts.append(residual(Literal("")))  # alone it would keep its type and not be a text
        return WaitingText(Segments(parts), secret)

    def _look(self, node: Call | None = None) -> None:
        try:
            self.meter.look()
        except FunctionError as error:
            raise self.failure(error, node) from None

    def _substitution(self, segment: Substitution, scope: Scope) -> Any:
        meter = self.meter
        meter.nested += _STRING
        try:
            return self.value(segment.shape.expression, segment.literals, scope)
        except Failure as failure:
            if failure.substitution is None:
                failure.substitution = segment
            raise
        finally:
            meter.nested -= _STRING

    def _hold_value(self, value: Any, segment: Substitution) -> None:
        """Refuse a function as the value of a whole string."""
        try:
            refuse_function(value, segment.shape.expression)
        except Failure as failure:
            failure.substitution = segment
            raise

    def _text(self, value: Any, segment: Substitution) -> str:
        """A value as part of a string; arrays, objects and functions cannot be one."""
        if self.semantics.textless:
            self._interpolable(type_of(value), segment)
        try:
            if type(value) is list or type(value) is dict:  # which may have one text many times
                self.meter.kept(value)
            return self.semantics.text(value)
        except FunctionError as error:
            failure = Failure(error.code, error.message, segment.shape.expression, error.hint)
            failure.substitution = segment
            raise failure from None

    def _interpolable(self, type_name: str, segment: Substitution) -> None:
        if type_name in self.semantics.textless:
            failure = not_text(type_name, segment.shape.expression)
            failure.substitution = segment
            raise failure

    def value(self, node: Expression, literals: tuple[Any, ...], scope: Scope) -> Any:
        """The value of an expression, or an `Unknown`.

        Raises:
            Failure: when it has none; `Failure.node` is the part to blame.
        """
        kind = type(node)
        if kind is Hole:
            return literals[node.index]  # type: ignore[union-attr]
        if kind is Literal:
            return node.value  # type: ignore[union-attr]
        if kind is Reference:
            return scope.resolve(node)  # type: ignore[arg-type]
        if kind is Call:
            return self._call(node, literals, scope)  # type: ignore[arg-type]
        assert isinstance(node, Access)
        target = self.value(node.target, literals, scope)
        return navigate(target, node.path, node, self.meter)

    def in_doubt(self, value: Any) -> bool:
        """True, in a check, for a value that a render may know."""
        return self.doubts is not None and self.doubts(value)

    def undecided(
        self, node: Call, position: int, doubtful: bool, literals: tuple[Any, ...], scope: Scope
    ) -> Any:
        """An argument that is evaluated because what decides about it is not known.

        Where that is `doubtful`, a render may never come to the argument: its mistakes are none.
        """
        written = node.arguments[position].value
        if not doubtful:
            return self.value(written, literals, scope)
        self.doubting += 1
        try:
            value = self.value(written, literals, scope)
            if node.function in _BOOLEAN:
                _boolean(self.functions[node.function], position, value, node)
            return value
        except Failure as failure:
            failure.reported = True
            raise
        finally:
            self.doubting -= 1

    def _call(self, node: Call, literals: tuple[Any, ...], scope: Scope) -> Any:
        meter = self.meter
        meter.left -= 1 + len(node.arguments) // _ARGUMENTS_A_STEP
        if meter.left < 0:
            self._look(node)
        function, form, least, most = self._called.get(node.function) or self._find(node)
        if not least <= len(node.arguments) <= most:
            message = arity_message(function, len(node.arguments)) or ""
            raise Failure("invalid_argument_count", message, node, function.signature)
        meter.nested += 1
        try:
            if form is not None:
                return form(self, function, node, literals, scope)
            values = self.arguments(function, node, literals, scope)
        finally:
            meter.nested -= 1
        return self.apply(function, node, values)

    def _find(self, node: Call) -> tuple[Function, Form | None, int, int]:
        """The function or the operator that a call means, its special form if it has one, and the
        least and most arguments."""
        function = self.functions.get(node.function)
        if function is None:
            function = self.semantics.operators.get(node.function)
        if function is None:
            function = find_function(node.function, self.functions, node)
        most = function.maximum
        found = (
            function,
            self.forms.get(function.form),
            function.minimum,
            sys.maxsize if most is None else most,
        )
        self._called[node.function] = found
        return found

    def arguments(
        self, function: Function, node: Call, literals: tuple[Any, ...], scope: Scope
    ) -> list[Any]:
        values = []
        for position, argument in enumerate(node.arguments):
            parameter = function.parameter(position)
            values.append(self._argument(argument, parameter, literals, scope))
        return values

    def _argument(
        self, argument: Argument, parameter: Any, literals: tuple[Any, ...], scope: Scope
    ) -> Any:
        written = argument.value
        if (
            type(written) is Reference
            and written.bare
            and parameter is not None
            and "function" in parameter.types
            and len(written.path) == 1
        ):
            name = str(written.path[0])
            function = self.functions.get(name)
            if function is None and not scope.names_resource(name):
                function = find_function(name, self.functions, written)
            if function is not None:
                value = as_value(function, self.environment)
                return self._metered(value, written, function.weight)
        return self.value(written, literals, scope)

    def apply(self, function: Function, node: Call, values: list[Any]) -> Any:
        """A call with evaluated arguments, any of which may be unknown."""
        waiting = False
        meter = self.meter
        try:
            for value in values:
                if meter.weigh(value, function.weight):
                    waiting = True
                    break
            if not waiting:
                if meter.room < 0:  # nothing more is built only to be refused
                    raise meter.out_of_room()
                result = self._invoke(function, values)
                kind = type(result)
                if kind is FunctionValue:
                    written = self.waiting_call(node, values)
                    return self._metered(result, written, function.weight)
                if kind is str or kind is list or kind is dict or kind is bytes:
                    meter.built(result)
                return result
            if function.propagates_none and any(value is NONE for value in values):
                return NONE
            check_types(function, values)
            if function.effect in _SINKS:
                _check_sink(function, values, self.environment)
        except FunctionError as error:
            raise self.failure(error, node) from None
        result_type = function.result if function.result != "binary" else "any"
        secret = any(map(is_secret, values))
        if secret:
            self._check_passed(node, values)
        return Unknown(self.waiting_call(node, values), result_type, secret)

    def waiting_call(self, node: Call, values: list[Any]) -> Call:
        """The call with evaluated arguments, for an expression that has to wait.

        Raises:
            Failure: `limit_exceeded` for arguments that are too large to be written out.
        """
        self.keep(values, node)
        return call_of(node, values)

    def keep(self, values: list[Any], node: Call | None = None) -> None:
        """Counts values that an expression keeps.

        Raises:
            Failure: `limit_exceeded`.
        """
        try:
            for value in values:
                self.meter.kept(value)
        except FunctionError as error:
            raise self.failure(error, node) from None

    def _check_passed(self, node: Call, values: list[Any]) -> None:
        """Refuse to pass on a function that would send a secret, as in `map(paths, file)`."""
        for argument, value in zip(node.arguments, values, strict=True):
            waits = type(value) is Unknown and value.type == "function"
            if type(value) is not FunctionValue and not waits:
                continue
            for name in _named(value.expression):
                function = self.functions.get(name)
                if function is not None and function.effect in _SINKS:
                    error = _secret_sent(name)
                    raise Failure(error.code, error.message, argument.value, error.hint)

    def _invoke(self, function: Function, values: list[Any]) -> Any:
        check_types(function, values)
        if function.propagates_none and any(value is NONE for value in values):
            return NONE
        if function.effect is None:
            return function.call(*values)
        if self.environment is None:
            raise FunctionError(f"`{function.name}` is not available here", "effect_not_allowed")
        return function.call(self.environment, *values)

    def _metered(self, value: FunctionValue, expression: Expression, weight: int) -> FunctionValue:
        """A function as an argument; each of its calls is metered like a written one."""
        call, called, weigh = value.call, self.meter.called, self.meter.weigh

        def counted(*arguments: Any) -> Any:
            for argument in arguments:
                weigh(argument, weight)
            result = call(*arguments)
            called(result)
            return result

        return value.evolve(call=counted, expression=expression)

    def _too_long(self) -> Failure:
        most = self.limits.max_value_chars
        return Failure(
            "limit_exceeded",
            f"a string exceeds the limit of {most} characters (`max_value_chars`)",
            hint=how_to_raise("max_value_chars", self.limits),
        )

    def failure(self, error: FunctionError, node: Call | None = None) -> Failure:
        """The failure for an error of a function, with the part of the call to blame."""
        blamed: Expression | None = node
        if node is not None and error.argument is not None and error.argument < len(node.arguments):
            blamed = node.arguments[error.argument].value
        return Failure(error.code, error.message, blamed, error.hint)


def _check_sink(function: Function, values: list[Any], environment: Environment | None) -> None:
    """Refuse a deferred call that would later send a secret, or read from another machine."""
    for position, value in enumerate(values):
        if is_secret(value):
            raise _secret_sent(function.name, position)
    if function.effect == "files" and getattr(environment, "remote", None) is not None:
        # the call left in the output would read a path on this machine
        raise FunctionError(
            f"`{function.name}` needs a known path in a fetched blueprint",
            "effect_not_allowed",
            "build the path from known variables and values",
        )


def _secret_sent(name: str, position: int | None = None) -> FunctionError:
    return FunctionError(
        f"a secret may not be part of what `{name}` asks for",
        "secret_not_allowed",
        PATHS_ARE_LOGGED,
        position,
    )


def _named(expression: Expression) -> Iterator[str]:
    """The functions that an expression for a function is made of."""
    for part in walk(expression):
        if isinstance(part, Call):
            yield part.function
        elif isinstance(part, Reference) and part.bare:
            yield str(part.path[0])


def _if(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`if`: only the chosen branch is evaluated; both are when nothing is decided."""
    arguments = [argument.value for argument in node.arguments]
    condition = self.value(arguments[0], literals, scope)
    if type(condition) is Unknown:
        _boolean(function, 0, condition, node)
        doubtful = self.in_doubt(condition)
        branches = [self.undecided(node, i, doubtful, literals, scope) for i in (1, 2)]
        types = {type_of(branch) if branch is not NONE else "any" for branch in branches}
        values = [condition, *branches]
        return Unknown(
            self.waiting_call(node, values),
            types.pop() if len(types) == 1 else "any",
            any(map(is_secret, values)),
        )
    _boolean(function, 0, condition, node)
    return self.value(arguments[1 if condition is True else 2], literals, scope)


def _first(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`first` and `coalesce`: arguments after the first hit are not evaluated."""
    skips_empty = function.form == "first"
    waiting: list[Any] = []
    doubtful = False
    last: Any = NONE
    for position, argument in enumerate(node.arguments):
        if doubtful:
            last = self.undecided(node, position, True, literals, scope)
        else:
            last = self.value(argument.value, literals, scope)
        # An array of unknown elements may turn out to be empty, an object is never skipped.
        undecided = type(last) is Unknown or (
            skips_empty and type(last) is list and bool(last) and has_unknown(last)
        )
        if undecided:
            waiting.append(last)
            doubtful = doubtful or self.in_doubt(last)
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
    self.keep(waiting, node)
    call = Call(node.function, tuple(Argument(to_expression(item)) for item in waiting))
    return Unknown(call, "any", any(map(is_secret, waiting)))


def _and(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`and`: false decides, unless the other side is none; after false, failures are ignored."""
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
    doubtful = self.in_doubt(left)
    right = _boolean(function, 1, self.undecided(node, 1, doubtful, literals, scope), node)
    if left is NONE or right is NONE:
        return NONE
    if right is False:
        return False
    if left is True:
        return right
    if right is True:
        return left
    return Unknown(
        self.waiting_call(node, [left, right]), "boolean", is_secret(left) or is_secret(right)
    )


def _or(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`or`: true decides and the other side is not evaluated; none counts as false."""
    left = _boolean(function, 0, self.value(node.arguments[0].value, literals, scope), node)
    if left is True:
        return True
    doubtful = self.in_doubt(left)
    right = _boolean(function, 1, self.undecided(node, 1, doubtful, literals, scope), node)
    if right is True:
        return True
    if type(left) is not Unknown and type(right) is not Unknown:
        return False
    return Unknown(
        self.waiting_call(node, [left, right]), "boolean", is_secret(left) or is_secret(right)
    )


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
    """`lookup`: works on a partly unknown object when the wanted field is known."""
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
        return Unknown(self.waiting_call(node, values), "object", any(map(is_secret, values)))
    return scope.link(sides[0], sides[1], node)


def _is_resource(node: Expression) -> bool:
    """True for a reference to a resource, or to one of its instances, and not to a part of it."""
    if type(node) is not Reference or node.root != "resources":
        return False
    return all(isinstance(item, int) for item in node.path[1:]) and len(node.path) < 3


FORMS: Final[dict[str, Form]] = {
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
