"""Special forms: the operators that do not simply evaluate their operands.

A missing key is a `Missing` failure that passes through operators and calls, up to one that has a
value for it. An unknown value is never treated as missing: the expression stays, with its known
parts folded in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from .....functions.registry import Function
from .....functions.value_limits import hold_chars, hold_items
from .....functions.values import NONE, FunctionError, Unknown, has_unknown
from ....language.errors import Failure
from ....language.evaluator import FORMS as COMMON
from ....language.evaluator import Evaluator
from ....language.syntax import Semantics
from ....language.waiting import is_secret, to_expression
from ....values.expression import Argument, Call, Expression, Hole, Literal, Reference, walk
from .operators import (
    CALLS,
    LOOKUP,
    OPERATORS,
    OPTIONAL,
    TEXT,
    is_number,
    kind_of_value,
    text_of,
    truthy,
)
from .scope import Missing, Scope, data_scope, undecided

_COMPARED_A_STEP: Final = 2
_ARITHMETIC: Final = frozenset({"-", "*", "/", "%", "<", "<=", ">", ">="})
_JS_TYPES: Final = {
    "string": "string",
    "integer": "number",
    "float": "number",
    "boolean": "boolean",
    "array": "object",
    "object": "object",
}


def _call(self: Evaluator, name: str, values: Sequence[Any], type_name: str = "any") -> Unknown:
    """The residual of an operator with unknown operands.

    Raises:
        Failure: `limit_exceeded` for operands that are too large to be written out.
    """
    self.keep([*values])
    trees = tuple(Argument(to_expression(value)) for value in values)
    return Unknown(Call(name, trees), type_name, any(map(is_secret, values)))


def _written(tree: Expression, literals: tuple[str, ...], scope: Scope) -> Unknown:
    """A part that stays as written, because it may never be needed.

    Raises:
        Failure: when it refers to a local name.
    """
    for node in walk(tree):
        if isinstance(node, Reference) and node.root in scope.local:
            raise undecided(node)
    roots = (node.root for node in walk(tree) if isinstance(node, Reference))
    secret = any(is_secret(scope.roots.get(root)) for root in roots)
    return Unknown(_filled(tree, literals), "any", secret)


def _filled(tree: Expression, literals: tuple[str, ...]) -> Expression:
    if isinstance(tree, Hole):
        return Literal(literals[tree.index])
    if isinstance(tree, Call):
        arguments = (Argument(_filled(part.value, literals)) for part in tree.arguments)
        return Call(tree.function, tuple(arguments))
    return tree


def _sometimes(self: Evaluator, tree: Expression, literals: Any, scope: Any) -> Any:
    """A value that is needed only if an unknown condition says so: a missing key may not matter."""
    try:
        return self.value(tree, literals, scope)
    except Missing:
        return _written(tree, literals, scope)


def _decided(value: Any) -> bool:
    """True when it is known whether a value is truthy."""
    return value.__class__ is not Unknown or value.type in ("array", "object")


def _true(value: Any) -> bool:
    return value.__class__ is Unknown or truthy(value)


def _logic(
    self: Evaluator, function: Function, node: Call, literals: Any, scope: Any, stops: bool
) -> Any:
    """`||` and `&&`: the first operand whose truth is `stops`, or the last one.

    A missing key is false, except that a missing last operand of `||` fails.
    """
    waiting: list[Any] = []
    last = len(node.arguments) - 1
    for position, argument in enumerate(node.arguments):
        try:
            value = self.value(argument.value, literals, scope)
        except Missing:
            if position < last or not stops:
                value = False
            elif waiting:
                value = _written(argument.value, literals, scope)
            else:
                raise
        if not _decided(value):
            waiting.append(value)
        elif _true(value) is stops:
            waiting.append(value)
            break
        elif position == last:
            waiting.append(value)
    return waiting[0] if len(waiting) == 1 else _call(self, node.function, waiting)


def _not(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    try:
        value = self.value(node.arguments[0].value, literals, scope)
    except Missing:
        return True
    return not _true(value) if _decided(value) else _call(self, node.function, [value], "boolean")


def _typeof(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    try:
        value = self.value(node.arguments[0].value, literals, scope)
    except Missing:
        return "undefined"
    if value.__class__ is Unknown:
        known = _JS_TYPES.get(value.type)
        return known or _call(self, node.function, [value], "string")
    if value is NONE:
        return "undefined"
    if isinstance(value, str):
        return "string"
    if isinstance(value, bool):
        return "boolean"
    return "number" if is_number(value) else "object"


def _ternary(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`a ? b : c ? d : e`: a false condition is dropped, a true one ends the chain."""
    parts = [argument.value for argument in node.arguments]
    waiting: list[Any] = []
    for position in range(0, len(parts) - 1, 2):
        try:
            condition = self.value(parts[position], literals, scope)
        except Missing:
            condition = False
        if not _decided(condition):
            waiting += [condition, _sometimes(self, parts[position + 1], literals, scope)]
        elif _true(condition):
            return _branch(self, parts[position + 1], waiting, literals, scope)
    return _branch(self, parts[-1], waiting, literals, scope)


def _branch(
    self: Evaluator, tree: Expression, waiting: list[Any], literals: Any, scope: Any
) -> Any:
    """The branch for the case that no waiting condition is true."""
    if not waiting:
        return self.value(tree, literals, scope)
    return _call(self, "?:", [*waiting, _sometimes(self, tree, literals, scope)])


def _block(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`${if ..}`: the text of one branch; a missing key in the condition is an error."""
    condition, *branches = (argument.value for argument in node.arguments)
    value = self.value(condition, literals, scope)
    if not _decided(value):
        found = [_sometimes(self, branch, literals, scope) for branch in branches]
        return _call(self, node.function, [value, *found])
    if _true(value):
        return self.value(branches[0], literals, scope)
    return self.value(branches[1], literals, scope) if len(branches) > 1 else ""


def _optional(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`${..}?`: nothing for a missing key; an unknown value may turn out to be missing."""
    try:
        value = self.value(node.arguments[0].value, literals, scope)
    except Missing:
        return NONE
    return _call(self, OPTIONAL, [value]) if value.__class__ is Unknown else value


def _text(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A string in an expression that is a template: joined texts and values."""
    parts: list[Any] = []
    for argument in node.arguments:
        value = self.value(argument.value, literals, scope)
        if has_unknown(value):
            if value.__class__ is list:
                self.meter.kept(value)
            _interpolable(value, argument.value)
            parts.append(value)
            continue
        try:
            if value.__class__ is list:
                self.meter.kept(value)
            text = text_of(value)
        except FunctionError as error:
            raise Failure(error.code, error.message, argument.value, error.hint) from None
        if parts and parts[-1].__class__ is str:
            parts[-1] += text
        else:
            parts.append(text)
        _hold(self, node, parts[-1])
    return text_call(self, parts)


def _interpolable(value: Any, node: Expression) -> None:
    if _holds_object(value):
        hint = "let the substitution stand alone, or pick a key of the object"
        raise Failure("invalid_interpolation", "an object cannot be part of a string", node, hint)


def _holds_object(value: Any) -> bool:
    """True for an object, and for an array with one in it: neither has a text."""
    if value.__class__ is list:
        return any(map(_holds_object, value))
    return value.__class__ is dict or getattr(value, "type", None) == "object"


def text_call(self: Evaluator, parts: Sequence[Any]) -> Any:
    """A string of known texts and unknown values, those that are strings of parts taken apart."""
    kept: list[Any] = []
    for part in parts:
        for piece in _pieces(part):
            if piece.__class__ is str and kept and kept[-1].__class__ is str:
                kept[-1] += piece
            elif piece.__class__ is not str or piece:
                kept.append(piece)
    if all(part.__class__ is str for part in kept):
        return "".join(kept)
    # a single part would keep its type instead of becoming a string
    return _call(self, TEXT, kept if len(kept) > 1 else [*kept, ""], "string")


def _pieces(part: Any) -> Sequence[Any]:
    tree = part.expression if part.__class__ is Unknown else None
    if not isinstance(tree, Call) or tree.function != TEXT:
        return (part,)
    trees = [argument.value for argument in tree.arguments]
    return [
        one.value
        if isinstance(one, Literal) and isinstance(one.value, str)
        else Unknown(one, "any", part.secret)
        for one in trees
    ]


def _lookup(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """`a[b]`: the keys are computed first, then everything is one reference."""
    first = node.arguments[0].value
    assert isinstance(first, Reference)
    keys = []
    for argument in node.arguments[1:]:
        key = self.value(argument.value, literals, scope)
        whole = isinstance(key, float) and key.is_integer()
        keys.append(_key(int(key) if whole else key, argument.value))
    if not any(key.__class__ is Unknown for key in keys):
        return _resolved(Reference(first.root, (*first.path, *keys)), node, scope)
    count = next(i for i, key in enumerate(keys) if key.__class__ is Unknown)
    base = Reference(first.root, (*first.path, *keys[:count]))
    value = _resolved(base, node, scope)
    if value.__class__ is Unknown and isinstance(value.expression, Reference):
        base = value.expression
    elif base.root in scope.local:
        raise undecided(first)
    return _call(self, LOOKUP, [Unknown(base, "any", is_secret(value)), *keys[count:]])


def _resolved(reference: Reference, node: Call, scope: Any) -> Any:
    try:
        return scope.resolve(reference)
    except Failure as failure:
        if failure.node is not reference:
            raise
        if all(_may_be_quoted(argument.value) for argument in node.arguments[1:]):
            failure.node = node
            raise
        missing = isinstance(failure, Missing)
        summary = "there is no such key" if missing else "the value that this leads to has no keys"
        raise failure.__class__(failure.code, summary, node, failure.hint) from None


_QUOTABLE: Final = frozenset(
    {
        ("environment", "name"),
        ("project", "name"),
        ("this", "name"),
        ("this", "mode"),
        ("template", "name"),
        ("parent", "name"),
    }
)


def _may_be_quoted(key: Expression) -> bool:
    """True for a key whose value a message may show: others could be secrets."""
    return all(
        (part.root, *part.path) in _QUOTABLE for part in walk(key) if isinstance(part, Reference)
    )


def _key(value: Any, node: Expression) -> Any:
    """A value as a key.

    Raises:
        Failure: `invalid_argument_type`.
    """
    fits = value.__class__ in (str, int, float) or (
        value.__class__ is Unknown and value.type in ("any", "string", "integer", "float")
    )
    if not fits:
        summary = f"a key in brackets must be a string or a number, not {kind_of_value(value)}"
        raise Failure("invalid_argument_type", summary, node)
    return text_of(value) if isinstance(value, float) else value


def _operation(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """Operators with two operands, and chains of them, as far as the operands are known."""
    compute = CALLS[function.name]
    trees = [argument.value for argument in node.arguments]
    values = [self.value(tree, literals, scope) for tree in trees]
    result = values[0]
    for position, value in enumerate(values[1:], 1):
        if _waits(function.name, result, value):
            for tree, known in zip(
                trees[position - 1 :], (result, *values[position:]), strict=True
            ):
                _check_known(function.name, known, tree)
            return _call(
                self, function.name, [result, *values[position:]], _result(function, result)
            )
        try:
            if node.function == "+" and value.__class__ is list and result.__class__ is str:
                self.meter.kept(value)
            elif node.function == "contains" and result.__class__ is list:
                self.meter.work(len(result) // _COMPARED_A_STEP)
            result = compute(result, value)
        except FunctionError as error:
            number = position if error.argument is None else position - 1 + error.argument
            raise Failure(error.code, error.message, trees[number], error.hint) from None
        _hold(self, node, result)
    return result


def _waits(name: str, left: Any, right: Any) -> bool:
    """True when the result depends on an unknown part."""
    if left.__class__ is Unknown or right.__class__ is Unknown:
        return True
    if name == "+":
        return left.__class__ is str and has_unknown(right)
    if name == "contains" and has_unknown(left) and left.__class__ is list:
        return not CALLS[name](left, right)
    return False


def _check_known(name: str, value: Any, node: Expression) -> None:
    """Refuses an operand of a wrong type, whatever the others will be."""
    declared = value.type if value.__class__ is Unknown else None
    number = is_number(value) or declared in ("any", "integer", "float")
    if name in _ARITHMETIC and not number:
        summary = f"`{name}` takes two numbers, not {kind_of_value(value)}"
        raise Failure("invalid_argument_type", summary, node)


def _result(function: Function, first: Any) -> str:
    """The type of the result of an operator, as far as it is certain."""
    if function.name in _ARITHMETIC:
        return "boolean" if function.name[0] in "<>" else "float"
    if function.name == "+":
        text = isinstance(first, str) or (first.__class__ is Unknown and first.type == "string")
        return "string" if text else "any"
    return function.result


def _hold(self: Evaluator, node: Call, value: Any) -> None:
    """Checks the size of the result of an operator."""
    kind = value.__class__
    if kind is not str and kind is not list:
        return
    name = "+" if node.function == "+" else "a template"
    try:
        if kind is str:
            hold_chars(name, len(value), self.limits)
        else:
            hold_items(name, len(value), self.limits)
        self.meter.built(value)
    except FunctionError as error:
        raise self.failure(error, node) from None


def _metered(self: Evaluator, function: Function, node: Call, literals: Any, scope: Any) -> Any:
    """A function that spends from the budget of the run itself."""
    values = self.arguments(function, node, literals, scope)
    return self.apply(function.calling(partial(function.call, meter=self.meter)), node, values)


METERED: Final = "metered"

SEMANTICS: Final = Semantics(
    forms={
        METERED: _metered,
        "list": COMMON["list"],
        "object": COMMON["object"],
        "or": partial(_logic, stops=True),
        "and": partial(_logic, stops=False),
        "not": _not,
        "typeof": _typeof,
        "ternary": _ternary,
        "block": _block,
        "optional": _optional,
        "text": _text,
        "lookup": _lookup,
        "operation": _operation,
    },
    operators=OPERATORS,
    text=text_of,
    textless=frozenset({"object", "function"}),
    scope=data_scope,
)
