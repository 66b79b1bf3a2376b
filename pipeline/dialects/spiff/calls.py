"""Calls: of functions of documents, of builtins, and the mappings over lists and maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from ....functions.names import Names
from ....functions.regexes import compile_regex
from ....functions.registry import Function, arity_message, count_message, type_message
from ....functions.spiff.chance import drawn
from ....functions.spiff.encodings import encoded
from ....functions.spiff.validation import validated
from ....functions.spiff.values import truth
from ....functions.values import FunctionError, FunctionValue
from ...formats.go_yaml import read_go
from ...language.meter import Meter
from ...values.diagnostics import ERROR, Diagnostics, meant
from ...values.expression import Argument, Call, Expression, Literal, Reference
from ...values.source import Source
from ...values.tree import AnyNode, Array
from ...world.files import FileProblem
from . import forms
from .cells import Cells
from .documents import imported, merged
from .scope import (
    BUSY,
    MISSING,
    SELF,
    UNDEFINED,
    Cell,
    Env,
    Lambda,
    Parameter,
    Problem,
    Table,
    Template,
    Waiting,
    failed,
    type_name,
)

REFUSED: Final = {
    **dict.fromkeys(("exec", "exec_uncached", "pipe", "pipe_uncached"), "it runs a program"),
    **dict.fromkeys(("write", "tempfile", "mkdir"), "it writes files"),
    "env": "it reads the environment",
    **dict.fromkeys(("x509genkey", "x509cert", "wggenkey"), "each run would make another key"),
}
NOT_SUPPORTED: Final = compile_regex(
    r"static_ips|ipset|(?:min|max|num|contains)_ip|semver\w*|x509\w+|wg\w+|(?:en|de)crypt"
    r"|(?:bcrypt|md5crypt)(?:_check)?|archive|sync|tagdef|features|a?(?:sin|cos)h?|parseurl|lookup_\w+"
)


def invoke(
    cells: Cells,
    function: Lambda,
    given: list[Any],
    env: Env,
    named: dict[str, Any] | None = None,
    inline: bool = False,
    curry: bool | None = False,
) -> Any:
    """The result of a call in the scope `env`; with `curry`, the function of the rest.

    `curry` None makes that of too few arguments, where none has a name or a default.

    Raises:
        Problem: the arguments do not fit, or the body fails.
    """
    parameters, values = function.parameters, list(given)
    count = len(parameters)
    names = dict(function.locals)
    if function.variadic and len(values) > count - 1:
        values[count - 1 :] = [values[count - 1 :]]
    if len(values) > count:
        raise Problem(f"found {len(values)} argument(s), but expects {count}")
    own = {_parameter(function, name, len(values)): value for name, value in (named or {}).items()}
    names |= own
    names.update(zip((one.name for one in parameters), values, strict=False))
    rest = tuple(one for one in parameters[len(values) :] if one.name not in own)
    partial = curry is None and not own and not function.variadic and bool(rest)
    if curry or (partial and parameters[-1].default is MISSING):
        variadic = function.variadic and rest[-1:] == parameters[-1:]
        return function.evolve(parameters=rest, variadic=variadic, locals=names)
    for one in rest:
        if one.default is not MISSING:
            names[one.name] = one.default
        elif function.variadic and one is parameters[-1]:
            names[one.name] = []
        elif own:
            raise Problem(f"missing named argument for {one.name}")
        else:
            raise Problem(_too_few(function, len(values)))
    if not inline:
        names[SELF] = function
    body, scope = function.body, env.local(names)
    try:
        return cells.hop(lambda: cells.evaluate(body, scope))
    except Problem as problem:
        if problem.home is None:
            problem.home = function.home
        raise


def _parameter(function: Lambda, name: str, given: int) -> str:
    names = [one.name for one in function.parameters]
    if name.isdigit():
        if not 0 < int(name) <= len(names):
            raise Problem(f"argument index {name} too large for {len(names)} parameters")
        name = names[int(name) - 1]
    if name not in names:
        hint = meant(name, names)
        raise Problem(f"no lambda parameter found for named argument {name}", None, hint)
    if names.index(name) < given:
        at = names.index(name) + 1
        raise Problem(
            f"both, positional ({at}) and named argument found for lambda parameter {name}"
        )
    return name


# calls


def on_call(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    """A call as it is written."""
    target, *given = tree.arguments
    curry = tree.function == forms.CURRY
    name = called(tree)
    function = None if name else cells.evaluate(target.value, env)
    if not name and not isinstance(function, Lambda):
        raise Problem("function call requires function name or lambda value", target.value)
    if name in _UNEVALUATED and not curry:
        return _with_scope(cells, _UNEVALUATED, name, [one.value for one in given], tree, env)
    if name and not any(name in one for one in (cells.run.functions, _SCOPED, cells.builtins)):
        raise _unknown(name, tree, cells.names)
    named = {one.name: cells.evaluate(one.value, env) for one in given if one.name}
    values, undefined = cells.listed(tuple(one for one in given if not one.name), env)
    if isinstance(function, Lambda):
        named = {key: None if one is UNDEFINED else one for key, one in named.items()}
        made = invoke(cells, function, values, env, named, False, curry or None)
    elif named:
        raise Problem(f"no named arguments for builtin function ({name})", tree)
    elif curry:
        more = Argument(Call(forms.EXPANDED, (Argument(Reference("__args")),)))
        first = (target, *(Argument(Literal(value)) for value in values))
        body = Call(forms.CALL, (*first, more), tree.start, tree.end)
        return Lambda((Parameter("__args"),), True, body, {}, env)
    elif undefined and name == "type":
        return "undef"
    else:
        made = _builtin(cells, name, values, tree, env)
    return UNDEFINED if undefined else made


def called(tree: Call) -> str:
    """The name of the function that a call is written with; empty for any other expression."""
    target = tree.arguments[0].value
    named = isinstance(target, Reference) and not target.path and target.root != SELF
    return target.root if named else ""  # type: ignore[union-attr]


def _builtin(cells: Cells, name: str, values: list[Any], tree: Call, env: Env) -> Any:
    """The result of a builtin, or of a function of the embedder."""
    if name in _SCOPED:
        return _with_scope(cells, _SCOPED, name, values, tree, env)
    found, call = cells.builtins.get(name), cells.run.functions.get(name)
    meter = cells.meter
    try:
        plain = [argument(cells, one, env) for one in values]
        for one in plain:
            meter.weigh(one)
        if call is None:
            assert found is not None
            _fit(found, values)
            call = found.call
            if found.weight > 1:  # each item is compared with each
                meter.work(sum(len(one) for one in plain if isinstance(one, list)) ** 2 // 16)
        made = call(*plain)
        meter.built(made)
        return made
    except FunctionError as error:
        raise failed(error, tree) from None


def _with_scope(
    cells: Cells, table: Mapping[str, _Scoped], name: str, given: list[Any], tree: Call, env: Env
) -> Any:
    """The result of a builtin that needs the scope."""
    least, most, call = table[name]
    try:
        message = count_message(name, least, most, len(given))
        if message:
            raise FunctionError(message)
        return call(cells, given, tree, env)
    except FunctionError as error:
        raise failed(error, tree) from None


def argument(cells: Cells, value: Any, env: Env) -> Any:
    """A value as functions in Python take it."""
    if isinstance(value, Lambda):
        function = value
        return FunctionValue(
            function.text, lambda *given: cells.plain(invoke(cells, function, [*given], env))
        )
    return cells.plain(value)


# what decides by itself what is evaluated


def _values(cells: Cells, given: list[Expression], env: Env) -> list[Any]:
    """Values; `MISSING` for what fails."""
    tried = [cells.attempt(one, env, True) for one in given]
    return [value if problem is None else MISSING for value, problem in tried]


def _defined(cells: Cells, given: list[Expression], tree: Call, env: Env) -> bool:
    return not any(one is MISSING or one is UNDEFINED for one in _values(cells, given, env))


def _valid(cells: Cells, given: list[Expression], tree: Call, env: Env) -> bool:
    return not any(one in (None, MISSING, UNDEFINED) for one in _values(cells, given, env))


def _require(cells: Cells, given: list[Expression], tree: Call, env: Env) -> Any:
    [value] = _values(cells, given, env)
    if value is None or value is MISSING or value is UNDEFINED:
        raise Problem("required expression is undefined", given[0])
    return value


def _stub(cells: Cells, given: list[Expression], tree: Call, env: Env) -> Any:
    path = _stub_path(cells, given[0], tree, env) if given else env.path
    found = cells.find(env.stubs, path)
    if found is MISSING:
        raise Problem(f"'{'.'.join(path)}' not found in any stub", tree)
    return cells.force(found)


def _stub_path(cells: Cells, given: Expression, tree: Call, env: Env) -> tuple[str, ...]:
    if isinstance(given, Reference):
        steps = [f"[{one}]" if isinstance(one, int) else one for one in given.path]
        return (given.root, *steps) if given.root else tuple(steps)
    value = cells.evaluate(given, env, True)
    if value is UNDEFINED:
        return env.path
    value = cells.plain(value)
    if isinstance(value, str):
        value = value.replace("[", ".[").split(".")
    if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise Problem("stub() requires a string or reference argument", given)
    return tuple(one for one in value if one)


def _catch(cells: Cells, given: list[Expression], tree: Call, env: Env) -> dict[str, Any]:
    value, error = _caught(cells, given[0], env)
    if error is not None:
        return {"valid": False, "error": error}
    return {"valid": True, "error": "", "value": value}


def _caught(cells: Cells, tree: Expression, env: Env) -> tuple[Any, str | None]:
    value, problem = cells.attempt(tree, env)
    return None if value is UNDEFINED else value, problem.sentence if problem else None


def on_catch(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    """`catch[E|value,error|->E]`."""
    function, inline = _arm(cells, tree.arguments[1].value, env)
    pair = _caught(cells, tree.arguments[0].value, env)
    return invoke(cells, function, list(pair[: len(function.parameters)]), env, None, inline)


# mappings


def _arm(cells: Cells, tree: Expression, env: Env) -> tuple[Lambda, bool]:
    function = cells.evaluate(tree, env)
    if not isinstance(function, Lambda):
        raise Problem("mapping requires a lambda value", tree)
    return function, isinstance(tree, Call) and tree.function == forms.LAMBDA


def _pairs(cells: Cells, value: Any, what: str, tree: Expression) -> list[tuple[Any, Any]]:
    if isinstance(value, list):
        return list(enumerate(one for one in value if not cells.vanishes(one)))
    if isinstance(value, dict | Table):
        return sorted(cells.defined(value), key=lambda pair: pair[0])
    raise Problem(f"{what} does not support {type_name(value)} values", tree)


def on_mapping(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    """`map[..]`, `map{..}`, `select[..]`, `select{..}`."""
    source = cells.evaluate(tree.arguments[0].value, env, True)
    function, inline = _arm(cells, tree.arguments[1].value, env)
    name = tree.function
    keeps, closing = name[:-1] != "map", name[-1]
    pairs = _pairs(cells, source, f"{name}{']' if closing == '[' else '}'}", tree)
    listed = isinstance(source, list)
    if listed and keeps and closing == "{":
        raise Problem(f"{name}}} does not support list values", tree)
    if len(function.parameters) > 2:
        raise Problem("mapping expression takes a maximum of 2 arguments", tree)
    made: list[tuple[Any, Any]] = []
    for key, one in pairs:
        value = one if one.__class__ is Cell and one.status == BUSY else cells.force(one)
        given = [key, value][-len(function.parameters) :]
        found = invoke(cells, function, given, env, None, inline)
        if found is None or found is UNDEFINED or (keeps and not _truth(cells, found)):
            continue
        if closing == "{" and listed and not isinstance(value, str):
            what = type_name(value)
            raise Problem(f"list element must be string, but found {what}", tree)
        made.append((value if listed else key, one if keeps else found))
    return [one for _, one in made] if closing == "[" else dict(made)


def _truth(cells: Cells, value: Any) -> bool:
    if value.__class__ is Table:
        return any(True for _ in cells.defined(value))
    return truth(value)


def on_sum(cells: Cells, tree: Call, env: Env, local: bool) -> Any:
    """`sum[E|initial|sum,key,value|->E]`."""
    source, start, arm = (argument.value for argument in tree.arguments)
    value = cells.evaluate(source, env, True)
    made = cells.evaluate(start, env)
    made = None if made is UNDEFINED else made
    function, inline = _arm(cells, arm, env)
    pairs = _pairs(cells, value, "sum", tree)
    count = len(function.parameters)
    if not 2 <= count <= 3:
        which = "maximum of 3" if count > 3 else "minimum of 2"
        raise Problem(f"mapping expression take a {which} arguments", arm)
    for key, one in pairs:
        last = cells.force(one)
        given = [made, key, last] if count == 3 else [made, last]
        made = invoke(cells, function, given, env, None, inline)
        made = None if made is UNDEFINED else made
    return made


# builtins that need the scope


def _eval(cells: Cells, values: list[Any], tree: Call, env: Env) -> Any:
    text = _one_text(values, tree)
    parsed = cells.parse(text, None)
    return cells.hop(lambda: cells.evaluate(parsed, env))


def _list_to_map(cells: Cells, values: list[Any], tree: Call, env: Env) -> Any:
    if len(values) == 1 and cells.info.key_name:
        values = [*values, cells.info.key_name]
    found = cells.builtins["list_to_map"]
    _fit(found, values)
    return found.call(*map(cells.plain, values))


def _type(cells: Cells, values: list[Any], tree: Call, env: Env) -> str:
    return type_name(values[0])


def _merge(cells: Cells, values: list[Any], tree: Call, env: Env) -> Any:
    if len(values) == 1 and isinstance(values[0], list):
        values = values[0]
    maps = [cells.force(one) for one in values]
    for number, one in enumerate(maps, 1):
        if not isinstance(one, dict | Table | Template):
            what = f"no map or map template, but {type_name(one)}"
            raise Problem(f"merge: argument {number}: {what}", tree)
    if not maps:
        raise Problem("merge: no map found for merge", tree)
    try:
        return merged(cells, maps, env)
    except Waiting as waiting:
        if waiting.cause is None or not isinstance(waiting.cause.failure, Problem):
            raise
        why = waiting.cause.failure
        raise Problem(f"merging failed: {why.sentence}", tree, why.hint) from None


def _validate(cells: Cells, values: list[Any], tree: Call, env: Env) -> Any:
    plain = [_conditions(cells, one, env) for one in values]
    for number, condition in enumerate(plain[1:], 1):
        fits, message = validated(plain[0], condition)
        if not fits:
            problem = Problem(f"condition {number} failed: {message}", tree)
            problem.summary = f"condition {number} of `validate` fails"  # without the value
            raise problem
    return values[0]


def _check(cells: Cells, values: list[Any], tree: Call, env: Env) -> bool:
    plain = [_conditions(cells, one, env) for one in values]
    return all(validated(plain[0], condition)[0] for condition in plain[1:])


def _conditions(cells: Cells, value: Any, env: Env) -> Any:
    if isinstance(value, list):
        return [_conditions(cells, cells.force(one), env) for one in value]
    return argument(cells, value, env)


def _rand(cells: Cells, values: list[Any], tree: Call, env: Env) -> Any:
    cells.drawn += 1
    return drawn(cells.run.numbers(f"{cells.run.source}/{cells.drawn}"), values)


def _parse(cells: Cells, values: list[Any], tree: Call, env: Env) -> Any:
    text, kind = _one_text(values, tree), values[1] if len(values) > 1 else "import"
    return _data(cells, "parse", text.encode(), kind, env)


def _read(cells: Cells, values: list[Any], tree: Call, env: Env) -> Any:
    path = _one_text(values, tree)
    usual = "yaml" if path.endswith((".yml", ".yaml", ".json")) else "text"
    kind = values[1] if len(values) > 1 else usual
    try:
        data = cells.run.content(path)
    except FileProblem as problem:
        raise FunctionError(f"read: {problem.message}", hint=problem.hint) from None
    return _data(cells, path, data, kind, env)


def _data(cells: Cells, name: str, data: bytes, kind: Any, env: Env) -> Any:
    """What a text gives that is read as a kind of document."""
    if not isinstance(kind, str):
        raise FunctionError("string value required for type")
    if kind == "binary":
        return encoded(data, 60)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise FunctionError(f"[{name}] is not UTF-8") from None
    if kind == "text":
        return text
    base = kind.removeprefix(".")
    if base not in _KINDS:
        raise FunctionError(f"invalid file type [{name}] {kind}")
    nodes = _documents(name, text, cells.meter)
    if _KINDS[base] == 1 and len(nodes) > 1:
        raise FunctionError(f"error parsing file [{name}]: multi document not possible")
    return imported(cells, nodes, base, kind != base, env)


def _documents(name: str, text: str, meter: Meter) -> list[AnyNode]:
    """The documents of a YAML text.

    Raises:
        FunctionError: it is not valid.
    """
    told = Diagnostics()
    root = read_go(Source(name, text, "yaml"), meter, told, integers=True, documents=True)
    wrong = next((item for item in told if item.severity == ERROR), None)
    if wrong is not None:
        line = f"{wrong.span.line}: " if wrong.span is not None else ""
        raise FunctionError(f"error parsing file [{name}]: {line}{wrong.summary}")
    return root.items if isinstance(root, Array) else []


def _list_files(cells: Cells, values: list[Any], tree: Call, env: Env) -> list[str]:
    path = _one_text(values, tree)
    try:
        return cells.run.list(path, called(tree) == "list_dirs")
    except FileProblem as problem:
        raise FunctionError(f"list: {problem.message}", hint=problem.hint) from None


def _one_text(values: list[Any], tree: Call) -> str:
    if not isinstance(values[0], str):
        raise Problem("string argument required", tree)
    return values[0]


_Scoped: TypeAlias = tuple[int, int | None, Callable[[Cells, Any, Call, Env], Any]]
_SCOPED: Final[Mapping[str, _Scoped]] = {
    "eval": (1, 1, _eval),
    "list_to_map": (0, None, _list_to_map),
    "type": (1, 1, _type),
    "merge": (0, None, _merge),
    "validate": (2, None, _validate),
    "check": (2, None, _check),
    "rand": (0, None, _rand),
    "parse": (1, 2, _parse),
    "read": (1, 2, _read),
    "read_uncached": (1, 2, _read),
    "list_files": (1, 1, _list_files),
    "list_dirs": (1, 1, _list_files),
}
"""Builtins that need the scope: the least and the most arguments, and what is called."""

_UNEVALUATED: Final[Mapping[str, _Scoped]] = {
    "defined": (0, None, _defined),
    "valid": (0, None, _valid),
    "require": (1, 1, _require),
    "stub": (0, 1, _stub),
    "catch": (1, 1, _catch),
}
"""Those which decide by themselves what is evaluated."""

_KINDS: Final = {
    **dict.fromkeys(("yaml", "import", "template"), 1),
    **dict.fromkeys(("multiyaml", "importmulti", "templates"), 2),
}


def _too_few(function: Lambda, given: int) -> str:
    count = len(function.parameters)
    needed = sum(one.default is MISSING for one in function.parameters) - function.variadic
    if needed == count:
        return f"expected {count} arguments, but found {given}"
    return f"expected at least {needed} arguments ({count - needed} optional), but found {given}"


def _fit(function: Function, values: list[Any]) -> None:
    """Checks the number and the types of arguments.

    Raises:
        FunctionError: they do not fit.
    """
    message = arity_message(function, len(values))
    if message:
        raise FunctionError(message)
    for position, value in enumerate(values):
        parameter, kind = function.parameter(position), type_name(value)
        if parameter is not None and not parameter.accepts(kind):
            floats = kind == "float" and "int" in parameter.types
            hint = "`integer(..)` makes an int of a float" if floats else None
            raise FunctionError(type_message(function, position, parameter, kind), hint=hint)


def check_call(tree: Call, find: Callable[[str], Function | None], names: Names) -> Problem | None:
    """What is wrong with a call whatever its arguments are.

    A function that does not exist, or too few or too many arguments; `find` has the builtins and
    the functions of the embedder, which are called `names`.
    """
    name = called(tree)
    if not name or name in _UNEVALUATED or name in _SCOPED:
        return None
    function = find(name)
    if function is None:
        return _unknown(name, tree, names)
    given = [one.value for one in tree.arguments[1:]]
    if any(isinstance(one, Call) and one.function == forms.EXPANDED for one in given):
        return None
    message = arity_message(function, len(given))
    return Problem(message, tree, code="argument_count") if message else None


def _unknown(name: str, tree: Call, names: Names) -> Problem:
    node = tree.arguments[0].value
    if name in REFUSED:
        sentence = f"'{name}' is refused: {REFUSED[name]}"
        return Problem(sentence, node, None, "function_refused", (), True)
    if NOT_SUPPORTED.fullmatch(name):
        sentence = f"'{name}' is not supported locally"
        return Problem(sentence, node, None, "function_not_supported", (), True)

    def hint() -> str:
        return meant(name, names) or f"a function of the document is called as `.{name}(..)`"

    return Problem(f"unknown function '{name}'", node, hint, "unknown_function")
