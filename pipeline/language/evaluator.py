"""Partial evaluation: an expression in, a value or what is left of the expression out.

One walk does both. A known result is a plain value; a result that has to wait is an `Unknown` whose
expression is smaller than the one written, with everything known folded in. Arrays and objects
that a call builds may hold unknowns; no function ever sees one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import attrs

from ...functions.registry import (
    Environment,
    Function,
    arity_message,
    as_value,
    check_types,
    type_message,
)
from ...functions.values import (
    NONE,
    FunctionError,
    FunctionValue,
    Unknown,
    has_unknown,
    to_text,
    type_of,
)
from ..diagnostics import meant
from ..settings import Limits
from .errors import Failure
from .expression import (
    Access,
    Argument,
    Call,
    Expression,
    Hole,
    Literal,
    Path,
    Reference,
    Segment,
    Segments,
    Substitution,
    residual,
)


class Scope(Protocol):
    """What references mean in some place."""

    def resolve(self, reference: Reference) -> Any:
        """The value a reference leads to, or an `Unknown` with its canonical form.

        Raises:
            Failure: when it leads nowhere.
        """

    def names_resource(self, name: str) -> bool:
        """True when a bare name is a resource's."""

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """The state of the link between two resources (text or reference), or an Unknown."""


@attrs.frozen(eq=False)
class WaitingText:
    """A text of which some parts have to wait, the known ones folded together."""

    segments: Segments
    secret: bool


class Evaluator:
    """Evaluates expressions with a set of functions; the scope changes from call to call."""

    def __init__(
        self, functions: Mapping[str, Function], environment: Environment | None, limits: Limits
    ) -> None:
        self.functions = functions
        self.environment = environment
        self.limits = limits
        self.steps = 0

    def segments(self, segments: Segments, scope: Scope, mask: str | None = None) -> Any:
        """The value of a template: any value for a lone substitution, a text otherwise.

        What has to wait comes back as an `Unknown` (lone) or as a `WaitingText`. With `mask`, that
        text stands for every substitution that depends on a secret.
        """
        if len(segments) == 1:
            only = segments[0]
            if isinstance(only, str):
                return only
            value = self._substitution(only, scope)
            if value.__class__ is Unknown or value.__class__ is FunctionValue:
                self._hold_value(value, only)
            if mask is not None and is_secret(value):
                return mask
            return value
        parts: list[Segment] = []
        text: list[str] = []
        size = 0
        secret = False
        for segment in segments:
            if isinstance(segment, str):
                piece = segment
            else:
                value = self._substitution(segment, scope)
                if value.__class__ is not Unknown:
                    piece = value if value.__class__ is str else self._text(value, segment)
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
                raise _limit("max_value_chars", self.limits.max_value_chars, "a text", None)
            text.append(piece)
        if not parts:
            return "".join(text)
        if text:
            parts.append("".join(text))
        parts = [part for part in parts if part != ""]
        if len(parts) == 1:
            parts.append(residual(Literal("")))  # alone it would keep its type and not be a text
        return WaitingText(Segments(parts), secret)

    def _substitution(self, segment: Substitution, scope: Scope) -> Any:
        try:
            return self.value(segment.shape.expression, segment.literals, scope)
        except Failure as failure:
            if failure.substitution is None:
                failure.substitution = segment
            raise

    def _hold_value(self, value: Any, segment: Substitution) -> None:
        """Refuses a function as the value of a whole string."""
        try:
            _no_function(value, segment.shape.expression)
        except Failure as failure:
            failure.substitution = segment
            raise

    def _text(self, value: Any, segment: Substitution) -> str:
        """A value as part of a text; arrays, objects and functions have no text."""
        self._interpolable(type_of(value), segment)
        try:
            return to_text(value)
        except FunctionError as error:
            failure = Failure(error.code, error.message, segment.shape.expression, error.hint)
            failure.substitution = segment
            raise failure from None

    def _interpolable(self, type_name: str, segment: Substitution) -> None:
        if type_name in ("array", "object", "function"):
            failure = not_text(type_name, segment.shape.expression)
            failure.substitution = segment
            raise failure

    def value(self, node: Expression, literals: tuple[str, ...], scope: Scope) -> Any:
        """The value of an expression, or an `Unknown`.

        Raises:
            Failure: when it has none; `Failure.node` is the part to blame.
        """
        kind = node.__class__
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
        return navigate(target, node.path, node)

    def _call(self, node: Call, literals: tuple[str, ...], scope: Scope) -> Any:
        self.steps += 1
        if self.steps > self.limits.max_steps:
            raise _limit("max_steps", self.limits.max_steps, "the number of function calls", node)
        function = self.functions.get(node.function)
        if function is None:
            raise unknown_function(node.function, self.functions, node)
        message = arity_message(function, len(node.arguments))
        if message:
            raise Failure("invalid_argument_count", message, node, function.signature)
        form = _FORMS.get(function.form)
        if form is not None:
            return form(self, function, node, literals, scope)
        values = self._arguments(function, node, literals, scope)
        return self._apply(function, node, values)

    def _arguments(
        self, function: Function, node: Call, literals: tuple[str, ...], scope: Scope
    ) -> list[Any]:
        values = []
        for position, argument in enumerate(node.arguments):
            parameter = function.parameter(position)
            values.append(self._argument(argument, parameter, literals, scope))
        return values

    def _argument(
        self, argument: Argument, parameter: Any, literals: tuple[str, ...], scope: Scope
    ) -> Any:
        written = argument.value
        if (
            written.__class__ is Reference
            and written.bare  # type: ignore[union-attr]
            and parameter is not None
            and "function" in parameter.types
            and len(written.path) == 1  # type: ignore[union-attr]
        ):
            name = str(written.path[0])  # type: ignore[union-attr]
            function = self.functions.get(name)
            if function is not None:
                value = as_value(function, self.environment)
                return attrs.evolve(value, expression=written)
            if not scope.names_resource(name):
                raise unknown_function(name, self.functions, written)
        return self.value(written, literals, scope)

    def _apply(self, function: Function, node: Call, values: list[Any]) -> Any:
        """A call with evaluated arguments, any of which may be unknown."""
        waiting = False
        for value in values:
            kind = value.__class__
            if kind is Unknown or ((kind is list or kind is dict) and has_unknown(value)):
                waiting = True
                break
        try:
            if not waiting:
                result = self._invoke(function, values)
                if result.__class__ is FunctionValue:
                    return attrs.evolve(result, expression=call_of(node, values))
                return result
            if function.propagates_none and any(value is NONE for value in values):
                return NONE
            check_waiting(function, values)
        except FunctionError as error:
            raise self._failure(error, node) from None
        result_type = function.result if function.result != "binary" else "any"
        return Unknown(call_of(node, values), result_type, any(map(is_secret, values)))

    def _invoke(self, function: Function, values: list[Any]) -> Any:
        check_types(function, values)
        if function.propagates_none and any(value is NONE for value in values):
            return NONE
        if function.effect is None:
            return function.call(*values)
        if self.environment is None:
            raise FunctionError(f"`{function.name}` is not available here", "effect_not_allowed")
        return function.call(self.environment, *values)

    def _failure(self, error: FunctionError, node: Call) -> Failure:
        blamed: Expression = node
        if error.argument is not None and error.argument < len(node.arguments):
            blamed = node.arguments[error.argument].value
        return Failure(error.code, error.message, blamed, error.hint)


def _if(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`if`: only the chosen branch is evaluated; both are when nothing is decided."""
    arguments = [argument.value for argument in node.arguments]
    condition = self.value(arguments[0], literals, scope)
    if condition.__class__ is Unknown:
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
        undecided = last.__class__ is Unknown or (
            skips_empty and last.__class__ is list and bool(last) and has_unknown(last)
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
    if left.__class__ is not Unknown and right.__class__ is not Unknown:
        return False
    return Unknown(call_of(node, [left, right]), "boolean", is_secret(left) or is_secret(right))


def _list(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`list`: elements may be unknown; none is left out."""
    values = self._arguments(function, node, literals, scope)
    for value, argument in zip(values, node.arguments, strict=True):
        _no_function(value, argument.value)
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
        _no_function(value, argument.value)
        pairs.append((argument.name, value))
    try:
        return function.call(pairs)
    except FunctionError as error:
        raise self._failure(error, node) from None


def _no_function(value: Any, node: Expression) -> None:
    kind = value.__class__
    if kind is FunctionValue or (kind is Unknown and value.type == "function"):
        name = f" `{value.name}`" if kind is FunctionValue else ""
        raise Failure(
            "function_not_allowed",
            f"the function{name} can only be an argument of another function",
            node,
        )


def _lookup(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`lookup`: answers from an object of which the wanted part is known."""
    values = self._arguments(function, node, literals, scope)
    target, key = values
    container = target.partial if target.__class__ is Unknown else target
    if container.__class__ is dict and key.__class__ is str:
        found = container.get(key, NONE)
        if not has_unknown(found):
            return found
    return self._apply(function, node, values)


def _link(self: Evaluator, function: Function, node: Call, literals: Any, scope: Scope) -> Any:
    """`link`: its arguments are names, not values."""
    sides = []
    for argument in node.arguments:
        written = argument.value
        sides.append(
            written
            if written.__class__ is Reference and written.root == "resources"  # type: ignore[union-attr]
            else self.value(written, literals, scope)
        )
    for position, side in enumerate(sides):
        if side.__class__ not in (str, Reference):
            parameter = function.parameter(position)
            assert parameter is not None
            message = type_message(function, position, parameter, type_of(side))
            raise Failure("invalid_argument_type", message, node.arguments[position].value)
    return scope.link(sides[0], sides[1], node)


_FORMS: dict[str, Callable[[Evaluator, Function, Call, Any, Scope], Any]] = {
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


def not_text(type_name: str, node: Expression) -> Failure:
    """The failure for an array, an object or a function as part of a text."""
    article = "a" if type_name == "function" else "an"
    hint = {
        "array": 'use `join(..., ",")` to make it a text, or let the substitution stand alone',
        "object": "let the substitution stand alone, or pick a field of the object",
    }.get(type_name)
    return Failure(
        "invalid_interpolation", f"{article} {type_name} cannot be part of a text", node, hint
    )


def _boolean(function: Function, position: int, value: Any, node: Call) -> Any:
    """A boolean, none or an unknown that may become one; anything else is a failure."""
    if value is True or value is False or value is NONE:
        return value
    actual = value.type if value.__class__ is Unknown else type_of(value)
    if value.__class__ is Unknown and actual in ("any", "boolean"):
        return value
    parameter = function.parameter(position)
    assert parameter is not None
    raise Failure(
        "invalid_argument_type",
        type_message(function, position, parameter, actual),
        node.arguments[position].value,
        "there is no truthiness: use `eq`, `gt`, `not` and the like",
    )


def check_waiting(function: Function, values: list[Any]) -> None:
    """Holds known and declared types against the parameters of a call that has to wait.

    Raises:
        FunctionError: `invalid_argument_type`.
    """
    for position, value in enumerate(values):
        if value is NONE:
            continue
        parameter = function.parameter(position)
        actual = value.type if value.__class__ is Unknown else type_of(value)
        if parameter is not None and not parameter.accepts(actual):
            raise FunctionError(
                type_message(function, position, parameter, actual),
                "invalid_argument_type",
                argument=position,
            )


def navigate(value: Any, path: Path, node: Expression) -> Any:
    """The part of a value that a path leads to.

    Raises:
        Failure: `path_not_found` or `index_out_of_bounds` at `node`.
    """
    for position, item in enumerate(path):
        kind = value.__class__
        if kind is Unknown:
            rest = path[position:]
            waiting = deeper(value, rest)
            if value.partial is None:
                return waiting
            found = navigate(value.partial, rest, node)
            if found.__class__ is not Unknown:
                return found
            return Unknown(waiting.expression, found.type, found.secret, found.partial)
        if kind is dict:
            if item not in value or isinstance(item, int):
                raise missing_field(item, value, node)
            value = value[item]
        elif kind is list:
            if not isinstance(item, int):
                raise Failure(
                    "path_not_found",
                    f"an array has no field `{item}`",
                    node,
                    "use an index, as in `[0]`",
                )
            # An unknown element may turn out to be none and leave: what follows would move up.
            if any(map(_may_be_none, value[: item + 1])):
                return deeper(Unknown(to_expression(value)), path[position:])
            if item >= len(value):
                count = f"{len(value)} element{'s' if len(value) != 1 else ''}"
                raise Failure(
                    "index_out_of_bounds",
                    f"the index {item} is out of range: the array has {count}",
                    node,
                )
            value = value[item]
        else:
            shown = f"[{item}]" if isinstance(item, int) else f"`{item}`"
            what = "none" if value is NONE else f"a value of type {type_of(value)}"
            hint = "use `lookup` for what may be absent" if value is NONE else None
            raise Failure("path_not_found", f"there is no {shown} in {what}", node, hint)
    return value


def _may_be_none(value: Any) -> bool:
    return value.__class__ is Unknown and value.partial is None


def missing_field(item: str | int, value: dict[str, Any], node: Expression | None) -> Failure:
    """The failure for a key that an object does not have."""
    if isinstance(item, int):
        hint = "use a name, as in `.name`"
        return Failure("path_not_found", f"an object has no element {item}", node, hint)
    hint = meant(item, value) or "use `lookup` for a key that may be absent"
    return Failure("path_not_found", f"there is no field `{item}`", node, hint)


def deeper(value: Unknown, path: Path) -> Unknown:
    """What stands at a path in an unknown value."""
    if not path:
        return value
    expression = value.expression
    if isinstance(expression, Reference):
        return Unknown(expression.deeper(*path), "any", value.secret)
    if isinstance(expression, Access):
        return Unknown(Access(expression.target, expression.path + path), "any", value.secret)
    return Unknown(Access(expression, path), "any", value.secret)


def call_of(node: Call, values: list[Any]) -> Call:
    """The call with evaluated arguments."""
    return Call(
        node.function,
        tuple(
            Argument(to_expression(value), argument.name)
            for value, argument in zip(values, node.arguments, strict=True)
        ),
    )


def to_expression(value: Any) -> Expression:
    """An expression that means a value; unknown parts stay what they are.

    Raises:
        Failure: `invalid_argument` for an object with an unknown part and a key that is no name.
    """
    kind = value.__class__
    if kind is Unknown:
        return value.expression  # type: ignore[no-any-return]
    if kind is FunctionValue:
        return value.expression  # type: ignore[no-any-return]
    if kind is list and has_unknown(value):
        return Call("list", tuple(Argument(to_expression(item)) for item in value))
    if kind is dict and has_unknown(value):
        for key in value:
            if not key.replace("-", "_").isidentifier() or not key.isascii():
                raise Failure(
                    "invalid_argument",
                    f"the object has the key `{key}` beside a value that is only known after "
                    "deployment, which no expression can say",
                )
        pairs = (Argument(to_expression(item), key) for key, item in value.items())
        return Call("object", tuple(pairs))
    return Literal(value)


def is_secret(value: Any) -> bool:
    """True when a value is, or contains, one that is withheld."""
    kind = value.__class__
    if kind is Unknown:
        return bool(value.secret)
    if kind is list:
        return any(map(is_secret, value))
    if kind is dict:
        return any(map(is_secret, value.values()))
    return False


def unknown_function(name: str, functions: Mapping[str, Function], node: Expression) -> Failure:
    """The failure for a function that does not exist."""
    hint = meant(name, functions) or "`bpp functions` lists all functions"
    return Failure("function_not_found", f"there is no function `{name}`", node, hint)


def _limit(name: str, value: int, what: str, node: Expression | None) -> Failure:
    return Failure("limit_exceeded", f"{what} exceeds the limit of {value} (`{name}`)", node)
