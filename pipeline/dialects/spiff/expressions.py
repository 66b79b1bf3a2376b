"""The evaluation of expressions, a function for each form."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from operator import itemgetter
from typing import Any, Final

from ....functions.spiff.values import truth
from ....functions.value_limits import hold_items
from ...values.expression import Argument, Call, Expression, Literal, Reference
from . import calls, documents, forms
from .arithmetic import OPERATIONS
from .cells import Cells, Form
from .printing import show
from .scope import (
    MISSING,
    SELF,
    UNDEFINED,
    Env,
    Lambda,
    Parameter,
    Problem,
    Table,
    Template,
)


def part(tree: Call, number: int) -> Expression:
    """An argument of a call."""
    return tree.arguments[number].value


def on_field(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    value = cells.evaluate(part(tree, 0), env, local)
    path = part(tree, 1)
    assert isinstance(path, Literal)
    return cells.follow(value, path.value, [], tree, local)


def on_index(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    target, key = part(tree, 0), part(tree, 1)
    value = cells.evaluate(target, env, local or isinstance(target, Reference))
    steps = cells.evaluate(key, env)
    if len(steps) == 1 and isinstance(steps[0], list):
        steps = steps[0]
    if not steps:
        raise Problem("at least one index or field name required for reference qualifier", tree)
    path: list[str | int] = []
    for step in map(cells.force, steps):
        if isinstance(step, bool) or not isinstance(step, str | int):
            hint = "`integer(..)` makes an index of a float" if type(step) is float else None
            raise Problem("index or field name required for reference qualifier", key, hint)
        path.append(step)
    if isinstance(path[0], int) and not isinstance(value, list):
        raise Problem("index requires array expression", tree)
    try:
        return cells.follow(value, path, [], tree, False)
    except Problem as problem:
        if problem.code == "spiff_unresolved":  # which names a value
            problem.summary = "the map has no such key, or the list no such item"
        raise


def on_slice(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    value = cells.evaluate(part(tree, 0), env, local)
    if not isinstance(value, list):
        raise Problem("slice requires array expression", tree)
    ends = part(tree, 1)
    assert isinstance(ends, Call)
    items = [one for one in value if not cells.vanishes(one)]
    first, last = _ends(cells, ends, env, len(items))
    if first > last:
        return []
    if first < 0 <= last:
        sentence = "mixed negative and non-negative range not possible for slice"
        raise Problem(sentence, ends)
    if first < -len(items) or last >= len(items):
        what = f"{first} < -length" if first < 0 else f"{last} >= length"
        raise Problem(f"slice out of range ({what} {len(items)})", ends)
    return items[first : last + 1 or None]


def _ends(cells: Cells, tree: Call, env: Env, size: int) -> tuple[int, int]:
    """The ends of a range; of one that is open, those of a list with `size` items."""
    given: list[int | None] = []
    for argument in tree.arguments:
        never = isinstance(argument.value, Call) and argument.value.function == forms.NEVER
        value = None if never else cells.evaluate(argument.value, env)
        if not never and (isinstance(value, bool) or not isinstance(value, int)):
            raise Problem("integer operand required", argument.value)
        given.append(value)
    first, last = given
    if first is None and last is None:
        raise Problem("slice operator requires start or end index", tree)
    if size < 0 and (first is None or last is None):
        raise Problem("range expression requires start and end index", tree)
    if first is None:
        assert last is not None
        return (0 if last >= 0 else -size), last
    if last is None:
        return first, (size - 1 if first >= 0 else -1)
    return first, last


def on_range(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    first, last = _ends(cells, tree, env, -1)
    count = abs(last - first) + 1
    hold_items("[..]", count, cells.limits)
    cells.meter.work(count)
    return list(range(first, last + 1) if first <= last else range(first, last - 1, -1))


def on_projection(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    value = cells.evaluate(part(tree, 0), env)
    body = part(tree, 1)
    plain = isinstance(body, Call) and body.function == forms.ITEM
    if isinstance(value, list):
        if plain:
            return value
        items = [one for one in value if not cells.vanishes(one)]
    elif isinstance(value, dict | Table):
        items = [one for _, one in sorted(cells.defined(value), key=itemgetter(0))]
    else:
        raise Problem("only map or list allowed for projection", tree)
    made, before = [], cells.projected
    try:
        for one in items:
            cells.projected = cells.force(one)
            made.append(cells.evaluate(body, env))
    finally:
        cells.projected = before
    return made


def on_item(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    return cells.projected


def on_group(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    return cells.evaluate(part(tree, 0), env, local)


def on_undefined(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    return UNDEFINED


def on_list(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    made, undefined = cells.listed(tree.arguments, env)
    return UNDEFINED if undefined else made


def pairs(cells: Cells, arguments: tuple[Argument, ...], env: Env) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for number in range(0, len(arguments), 2):
        key = cells.evaluate(arguments[number].value, env)
        if not isinstance(key, str):
            sentence = "assignment target must evaluate to string"
            raise Problem(sentence, arguments[number].value)
        value = cells.evaluate(arguments[number + 1].value, env)
        made[key] = None if value is UNDEFINED else value
    return made


def on_map(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    return pairs(cells, tree.arguments, env)


def on_scope(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    names = pairs(cells, tree.arguments[:-1], env)
    return cells.evaluate(tree.arguments[-1].value, env.local(names), local)


def on_function(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    parameters, variadic = [], False
    for argument in tree.arguments[1:]:
        if not argument.name:
            variadic = True
            continue
        value = argument.value
        never = isinstance(value, Call) and value.function == forms.NEVER
        default = MISSING if never else cells.evaluate(value, env)
        parameters.append(Parameter(argument.name, default))
    home = cells.busy[-1] if cells.busy else None
    made = cells.resolve(SELF, (), env)[0]
    keeps = made.env if made.__class__ in (Lambda, Template) else env
    return Lambda(tuple(parameters), variadic, part(tree, 0), env.locals, keeps, home)


def on_function_of(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    value = cells.evaluate(part(tree, 0), env)
    if isinstance(value, str):
        parsed = cells.parse(value, None)
        if not (isinstance(parsed, Call) and parsed.function == forms.LAMBDA):
            raise Problem("the string is no lambda expression", tree)
        return on_function(cells, parsed, env, local)
    if not isinstance(value, Lambda):
        raise Problem("lambda reference must resolve to lambda value or string", tree)
    return value


def _chained(tree: Expression, names: Collection[str]) -> tuple[Expression, list[Call]]:
    """The first operand of operations on what the one before gives, and these in order."""
    operations: list[Call] = []
    while isinstance(tree, Call) and tree.function in names:
        operations.append(tree)
        tree = part(tree, 0)
    return tree, operations[::-1]


def on_binary(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    first, operations = _chained(tree, OPERATIONS)
    value = cells.evaluate(first, env)
    for one in operations:
        cells.meter.work()
        value = _operated(cells, one, value, cells.evaluate(part(one, 1), env))
    return value


def _operated(cells: Cells, tree: Call, left: Any, right: Any) -> Any:
    name = tree.function
    undefined = left is UNDEFINED or right is UNDEFINED
    values = [None if one is UNDEFINED else one for one in (left, right)]
    try:
        made = OPERATIONS[name](cells, name, *values)
    except Problem as problem:
        problem.node = problem.node or tree
        if name == forms.CONCATENATED:  # the sentence has places for the operands
            texts = [show(argument.value) for argument in tree.arguments]
            problem.sentence = problem.sentence.format(*texts)
            problem.summary = problem.sentence.replace("'", "`")
        raise
    if name == forms.CONCATENATED:
        cells.info.replace = False
        cells.meter.built(made)
    return UNDEFINED if undefined else made


def on_either(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    first, operations = _chained(tree, forms.LOOSEST)
    value, failure = cells.attempt(first, env)
    for one in operations:
        if failure or value is UNDEFINED or (value is None and one.function == "//"):
            value, failure = cells.attempt(part(one, 1), env)
    if failure is not None:
        raise failure
    return value


def on_logical(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    values = [cells.evaluate(part(tree, 0), env)]
    decides = tree.function == "-or"
    left = None if values[0] is UNDEFINED else values[0]
    try:
        values.append(cells.evaluate(part(tree, 1), env))
    except Problem as problem:
        if problem.final or type(left) is int or truth(left) is not decides:
            raise
        return decides
    if UNDEFINED in values:
        return UNDEFINED
    right = values[1]
    if type(left) is int and type(right) is int:
        return left | right if decides else left & right
    return truth(left) or truth(right) if decides else truth(left) and truth(right)


def on_negated(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    value = cells.evaluate(part(tree, 0), env)
    return UNDEFINED if value is UNDEFINED else not truth(value)


def on_choice(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    condition = cells.evaluate(part(tree, 0), env)
    chosen = 1 if condition is not UNDEFINED and truth(condition) else 2
    value = cells.evaluate(part(tree, chosen), env)
    return UNDEFINED if condition is UNDEFINED else value


def on_unsupported(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    what = "tags are" if tree.function == forms.TAGGED else "`sync` is"
    raise Problem(f"{what} not supported locally", tree, code="function_not_supported", final=True)


FORMS: Final[Mapping[str, Form]] = {
    **dict.fromkeys(OPERATIONS, on_binary),
    **dict.fromkeys(forms.LOOSEST, on_either),
    **dict.fromkeys(("-or", "-and"), on_logical),
    **dict.fromkeys(forms.MAPPINGS, calls.on_mapping),
    forms.CALL: calls.on_call,
    forms.CURRY: calls.on_call,
    forms.SUM: calls.on_sum,
    forms.CATCH: calls.on_catch,
    forms.GROUP: on_group,
    forms.SCOPE: on_scope,
    forms.LAMBDA: on_function,
    forms.LAMBDA_OF: on_function_of,
    forms.LIST: on_list,
    forms.MAP: on_map,
    forms.RANGE: on_range,
    forms.FIELD: on_field,
    forms.INDEX: on_index,
    forms.PROJECTED: on_projection,
    forms.ITEM: on_item,
    forms.SLICE: on_slice,
    forms.CHOICE: on_choice,
    forms.NOT: on_negated,
    forms.SUBSTITUTED: documents.on_substituted,
    forms.MERGE: documents.on_merge,
    forms.AUTO: documents.on_automatic,
    forms.PREFER: documents.on_prefer,
    forms.MARKED: documents.on_marked,
    forms.UNDEFINED: on_undefined,
    forms.TAGGED: on_unsupported,
    forms.SYNC: on_unsupported,
}
"""What evaluates the calls of an expression, by the names in `forms.py`."""
