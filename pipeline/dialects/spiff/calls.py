"""Calls: of functions of documents, of builtins, and the mappings over lists and maps."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final

from ....functions.gotemplate.kinds import Absent
from ....functions.names import Names
from ....functions.registry import Function, Functions, arity_message, type_message
from ....functions.signatures import declared_functions
from ....functions.spiff.chance import drawn
from ....functions.spiff.encodings import encoded
from ....functions.spiff.index import INDEX, load
from ....functions.spiff.validation import validated
from ....functions.spiff.values import truth
from ....functions.values import FunctionError, FunctionValue
from ...language.errors import LanguageError
from ...values.diagnostics import meant
from ...values.expression import Argument, Call, Expression, Literal, Reference
from ...values.settings import Limits
from ...values.tree import AnyNode
from . import forms
from .cells import Cells, Run
from .printing import literal, show
from .scope import (
    MISSING,
    SELF,
    UNDEFINED,
    Cell,
    Env,
    Lambda,
    Parameter,
    Problem,
    Rows,
    Table,
    Template,
    Waiting,
    type_name,
)

REFUSED: Final = {
    **dict.fromkeys(("exec", "exec_uncached", "pipe", "pipe_uncached"), "it runs a program"),
    **dict.fromkeys(("write", "tempfile", "mkdir"), "it writes files"),
    "env": "it reads the environment",
    **dict.fromkeys(("x509genkey", "x509cert", "wggenkey"), "each run would make another key"),
}
NOT_SUPPORTED: Final = re.compile(
    r"static_ips|ipset|(?:min|max|num|contains)_ip|semver\w*|x509\w+|wg\w+|(?:en|de)crypt"
    r"|(?:bcrypt|md5crypt)(?:_check)?|archive|sync|tagdef|features|a?(?:sin|cos)h?|parseurl|lookup_\w+"
)


def builtins(limits: Limits, spend: Callable[[int], object] = int) -> Functions:
    """The builtins that need no scope; `spend` counts the steps of patterns."""
    return declared_functions(INDEX, load, {"limits": limits, "spend": spend})


class Calls(Cells):
    """Evaluates calls."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.plained: dict[int, tuple[Any, Any]] = {}
        self.drawn = 0

    @cached_property
    def builtins(self) -> Functions:
        """Those that need no scope, made when one is called: a blueprint may have many runs."""
        return builtins(self.limits, self.meter.work)

    @cached_property
    def names(self) -> Names:
        """Those of all functions, to search for the near ones of many mistakes."""
        return Names([*self.builtins, *self.run.functions])

    @abstractmethod
    def evaluate(self, tree: Expression, env: Env, local: bool = False) -> Any:
        """The value of a tree; of a reference all is known unless `local`."""

    @abstractmethod
    def listed(self, arguments: tuple[Argument, ...], env: Env) -> tuple[list[Any], bool]:
        """The values of the items of a list or a call, and whether one of them is undefined."""

    @abstractmethod
    def merged(self, values: list[Any], env: Env) -> Any:
        """The first map in front of the others as its stubs."""

    @abstractmethod
    def imported(self, nodes: list[AnyNode], kind: str, fresh: bool, env: Env) -> Any:
        """What documents give that are read."""

    @abstractmethod
    def use(self, template: Template, env: Env) -> Any:
        """A template evaluated where it is used."""

    def parse(self, body: str, cell: Cell | None) -> Expression:
        """The tree of the text between the delimiters.

        Raises:
            Problem: at its place, which nothing notices.
        """
        try:
            return self.run.language.parse(body, 2)
        except LanguageError as error:
            node = Literal(None, error.start, error.end)
            problem = Problem(error.summary, node, error.hint, error.code, final=True)
            problem.home = cell
        raise problem

    # functions of documents

    def invoke(
        self,
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
        own = {
            self._parameter(function, name, len(values)): value
            for name, value in (named or {}).items()
        }
        names |= own
        names.update(zip((one.name for one in parameters), values, strict=False))
        rest = tuple(one for one in parameters[len(values) :] if one.name not in own)
        partial = curry is None and not own and not function.variadic and bool(rest)
        if curry or (partial and parameters[-1].default is MISSING):
            return self._partial(function, rest, names)
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
            return self.hop(lambda: self.evaluate(body, scope))
        except Problem as problem:
            if problem.home is None:
                problem.home = function.home
            raise

    def _parameter(self, function: Lambda, name: str, given: int) -> str:
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

    def _partial(self, function: Lambda, rest: tuple[Parameter, ...], names: Any) -> Lambda:
        variadic = function.variadic and rest[-1:] == function.parameters[-1:]
        text = lambda_text(rest, variadic, function.text.partition("|->")[2])
        return Lambda(rest, variadic, function.body, text, names, function.env, function.home)

    # calls

    def on_call(self, tree: Call, env: Env, local: bool) -> Any:
        """A call as it is written."""
        target, curry = tree.arguments[0].value, tree.function == forms.CURRY
        name = ""
        if isinstance(target, Reference) and not target.path and target.root not in ("", SELF):
            name = target.root
        function = None if name else self.evaluate(target, env)
        if not name and not isinstance(function, Lambda):
            raise Problem("function call requires function name or lambda value", target)
        if name in _INTRINSIC and not curry:
            return getattr(self, f"_{name}")(tree, tree.arguments[1:], env)
        if name:
            self._known(name, tree)
        arguments = tree.arguments[1:]
        named = {one.name: self.evaluate(one.value, env) for one in arguments if one.name}
        rest = tuple(one for one in arguments if not one.name)
        values, undefined = self.listed(rest, env)
        if isinstance(function, Lambda):
            given = {key: None if one is UNDEFINED else one for key, one in named.items()}
            made = self.invoke(function, values, env, given, False, curry or None)
            return UNDEFINED if undefined else made
        if named:
            raise Problem(f"no named arguments for builtin function ({name})", tree)
        if curry:
            return self._curried(name, values, tree, env)
        if undefined and name == "type":
            return "undef"
        made = self.builtin(name, values, tree, env)
        return UNDEFINED if undefined else made

    def _curried(self, name: str, values: list[Any], tree: Call, env: Env) -> Lambda:
        more = Argument(Call(forms.EXPANDED, (Argument(Reference("__args")),)))
        first = (tree.arguments[0], *(Argument(Literal(value)) for value in values))
        body = Call(forms.CALL, (*first, more), tree.start, tree.end)
        simple = all(one is None or isinstance(one, str | int | float) for one in values)
        text = f"lambda|__args...|->{show(body) if simple else f'{name}(...)'}"
        return Lambda((Parameter("__args"),), True, body, text, {}, env, None)

    def _known(self, name: str, tree: Call) -> None:
        added = self.run.functions
        if not (name in added or hasattr(self, f"_of_{name}") or name in self.builtins):
            raise _unknown(name, tree, self.names)

    def builtin(self, name: str, values: list[Any], tree: Call, env: Env) -> Any:
        """The result of a builtin, or of a function of the embedder."""
        own, added = getattr(self, f"_of_{name}", None), self.run.functions.get(name)
        found = self.builtins.get(name)
        meter = self.meter
        try:
            if own is not None:
                return own(values, tree, env)
            plain = [self.argument(one, env) for one in values]
            for one in plain:
                meter.weigh(one)
            if added is None:
                assert found is not None
                _fit(found, values)
                added = found.call
                if found.weight > 1:  # each item is compared with each
                    meter.work(sum(len(one) for one in plain if isinstance(one, list)) ** 2 // 16)
            made = added(*plain)
            meter.built(made)
            return made
        except FunctionError as error:
            raise failed(error, tree) from None

    def argument(self, value: Any, env: Env) -> Any:
        """A value as functions in Python take it."""
        if isinstance(value, Lambda):
            function = value
            return FunctionValue(
                function.text, lambda *given: self.plain(self.invoke(function, [*given], env))
            )
        return self.plain(value)

    def plain(self, value: Any) -> Any:
        """A value as plain data without cells; functions and templates stay what they are."""
        if value.__class__ is Cell:
            value = self.force(value)
        if value.__class__ not in (Table, dict, Rows, list):
            if value.__class__ is Absent:
                return value.used()
            return None if value is UNDEFINED else value
        known_one = self.plained.get(id(value))
        if known_one is not None:
            return known_one[1]
        if isinstance(value, list):
            made: Any = [self.plain(one) for one in value if not self.vanishes(one)]
        else:
            made = {key: self.plain(one) for key, one in self.defined(value)}
        self.meter.work(len(made))
        self.plained[id(value)] = value, made
        return made

    # what decides by itself what is evaluated

    def _tried(self, tree: Expression, env: Env, local: bool = True) -> Any:
        """A value; `MISSING` for what fails."""
        try:
            return self.evaluate(tree, env, local)
        except Problem as problem:
            if problem.final:
                raise
            return MISSING

    def _defined(self, tree: Call, given: tuple[Argument, ...], env: Env) -> bool:
        values = [self._tried(one.value, env) for one in given]
        return not any(value is MISSING or value is UNDEFINED for value in values)

    def _valid(self, tree: Call, given: tuple[Argument, ...], env: Env) -> bool:
        values = [self._tried(one.value, env) for one in given]
        return not any(value in (None, MISSING, UNDEFINED) for value in values)

    def _require(self, tree: Call, given: tuple[Argument, ...], env: Env) -> Any:
        _count(tree, given, 1, 1)
        value = self._tried(given[0].value, env)
        if value is None or value is MISSING or value is UNDEFINED:
            raise Problem("required expression is undefined", given[0].value)
        return value

    def _stub(self, tree: Call, given: tuple[Argument, ...], env: Env) -> Any:
        _count(tree, given, 0, 1)
        path: tuple[str, ...] = env.path
        if given:
            path = self._stub_path(given[0].value, env)
        found = self.find(env.stubs, path)
        if found is MISSING:
            raise Problem(f"'{'.'.join(path)}' not found in any stub", tree)
        return self.force(found)

    def _stub_path(self, tree: Expression, env: Env) -> tuple[str, ...]:
        if isinstance(tree, Reference):
            steps = [f"[{one}]" if isinstance(one, int) else one for one in tree.path]
            return (tree.root, *steps) if tree.root else tuple(steps)
        value = self.evaluate(tree, env, True)
        if value is UNDEFINED:
            return env.path
        value = self.plain(value)
        if isinstance(value, str):
            value = value.replace("[", ".[").split(".")
        if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise Problem("stub() requires a string or reference argument", tree)
        return tuple(one for one in value if one)

    def _catch(self, tree: Call, given: tuple[Argument, ...], env: Env) -> dict[str, Any]:
        _count(tree, given, 1, 1)
        value, error = self._caught(given[0].value, env)
        if error is not None:
            return {"valid": False, "error": error}
        return {"valid": True, "error": "", "value": value}

    def _caught(self, tree: Expression, env: Env) -> tuple[Any, str | None]:
        try:
            value = self.evaluate(tree, env)
        except Problem as problem:
            if problem.final:
                raise
            return None, problem.sentence
        return None if value is UNDEFINED else value, None

    def on_catch(self, tree: Call, env: Env, local: bool) -> Any:
        """`catch[E|value,error|->E]`."""
        function, inline = self._arm(tree.arguments[1].value, env)
        pair = self._caught(tree.arguments[0].value, env)
        return self.invoke(function, list(pair[: len(function.parameters)]), env, None, inline)

    # mappings

    def _arm(self, tree: Expression, env: Env) -> tuple[Lambda, bool]:
        function = self.evaluate(tree, env)
        if not isinstance(function, Lambda):
            raise Problem("mapping requires a lambda value", tree)
        return function, isinstance(tree, Call) and tree.function == forms.LAMBDA

    def _pairs(self, value: Any, what: str, tree: Expression) -> list[tuple[Any, Any]]:
        if isinstance(value, list):
            return list(enumerate(one for one in value if not self.vanishes(one)))
        if isinstance(value, dict | Table):
            return sorted(self.defined(value), key=lambda pair: pair[0])
        raise Problem(f"{what} does not support {type_name(value)} values", tree)

    def on_mapping(self, tree: Call, env: Env, local: bool) -> Any:
        """`map[..]`, `map{..}`, `select[..]`, `select{..}`."""
        source = self.evaluate(tree.arguments[0].value, env, True)
        function, inline = self._arm(tree.arguments[1].value, env)
        name = tree.function
        keeps, closing = name[:-1] != "map", name[-1]
        pairs = self._pairs(source, f"{name}{']' if closing == '[' else '}'}", tree)
        listed = isinstance(source, list)
        if listed and keeps and closing == "{":
            raise Problem(f"{name}}} does not support list values", tree)
        if len(function.parameters) > 2:
            raise Problem("mapping expression takes a maximum of 2 arguments", tree)
        made: list[tuple[Any, Any]] = []
        for key, one in pairs:
            value = one if one.__class__ is Cell and one.status == 1 else self.force(one)
            given = [key, value][-len(function.parameters) :]
            found = self.invoke(function, given, env, None, inline)
            if found is None or found is UNDEFINED or (keeps and not self._truth(found)):
                continue
            if closing == "{" and listed and not isinstance(value, str):
                what = type_name(value)
                raise Problem(f"list element must be string, but found {what}", tree)
            made.append((value if listed else key, one if keeps else found))
        return [one for _, one in made] if closing == "[" else dict(made)

    def _truth(self, value: Any) -> bool:
        if value.__class__ is Table:
            return any(True for _ in self.defined(value))
        return truth(value)

    def on_sum(self, tree: Call, env: Env, local: bool) -> Any:
        """`sum[E|initial|sum,key,value|->E]`."""
        source, start, arm = (argument.value for argument in tree.arguments)
        value = self.evaluate(source, env, True)
        made = self.evaluate(start, env)
        made = None if made is UNDEFINED else made
        function, inline = self._arm(arm, env)
        pairs = self._pairs(value, "sum", tree)
        count = len(function.parameters)
        if not 2 <= count <= 3:
            which = "maximum of 3" if count > 3 else "minimum of 2"
            raise Problem(f"mapping expression take a {which} arguments", arm)
        for key, one in pairs:
            last = self.force(one)
            given = [made, key, last] if count == 3 else [made, last]
            made = self.invoke(function, given, env, None, inline)
            made = None if made is UNDEFINED else made
        return made

    # builtins that need the scope

    def _of_eval(self, values: list[Any], tree: Call, env: Env) -> Any:
        text = self._one_text(values, tree)
        parsed = self.parse(text, None)
        return self.hop(lambda: self.evaluate(parsed, env))

    def _of_list_to_map(self, values: list[Any], tree: Call, env: Env) -> Any:
        if len(values) == 1 and self.info.key_name:
            values = [*values, self.info.key_name]
        found = self.builtins["list_to_map"]
        _fit(found, values)
        return found.call(*map(self.plain, values))

    def _of_type(self, values: list[Any], tree: Call, env: Env) -> str:
        _count(tree, tuple(values), 1, 1)
        return type_name(values[0])

    def _of_merge(self, values: list[Any], tree: Call, env: Env) -> Any:
        if len(values) == 1 and isinstance(values[0], list):
            values = [*values[0]]
        cells = []
        for number, one in enumerate(map(self.force, values), 1):
            if not isinstance(one, dict | Table | Template):
                what = f"no map or map template, but {type_name(one)}"
                raise Problem(f"merge: argument {number}: {what}", tree)
            cells.append(one)
        if not cells:
            raise Problem("merge: no map found for merge", tree)
        try:
            return self.merged(cells, env)
        except Waiting as waiting:
            if waiting.cause is None or not isinstance(waiting.cause.failure, Problem):
                raise
            why = waiting.cause.failure
            raise Problem(f"merging failed: {why.sentence}", tree, why.hint) from None

    def _of_validate(self, values: list[Any], tree: Call, env: Env) -> Any:
        _count(tree, tuple(values), 2, None)
        plain = [self._conditions(one, env) for one in values]
        for number, condition in enumerate(plain[1:], 1):
            fits, message = validated(plain[0], condition)
            if not fits:
                problem = Problem(f"condition {number} failed: {message}", tree)
                problem.summary = f"condition {number} of `validate` fails"  # without the value
                raise problem
        return values[0]

    def _of_check(self, values: list[Any], tree: Call, env: Env) -> bool:
        _count(tree, tuple(values), 2, None)
        plain = [self._conditions(one, env) for one in values]
        return all(validated(plain[0], condition)[0] for condition in plain[1:])

    def _conditions(self, value: Any, env: Env) -> Any:
        if isinstance(value, list):
            return [self._conditions(self.force(one), env) for one in value]
        return self.argument(value, env)

    def _of_rand(self, values: list[Any], tree: Call, env: Env) -> Any:
        self.drawn += 1
        if self.run.numbers is None:
            raise FunctionError("`rand` differs from run to run", "function_refused")
        return drawn(self.run.numbers(f"{self.run.source}/{self.drawn}"), values)

    def _of_parse(self, values: list[Any], tree: Call, env: Env) -> Any:
        _count(tree, tuple(values), 1, 2)
        text = self._one_text(values[:1], tree)
        return self._data("parse", text.encode(), values[1] if len(values) > 1 else "import", env)

    def _of_read(self, values: list[Any], tree: Call, env: Env) -> Any:
        _count(tree, tuple(values), 1, 2)
        path = self._one_text(values[:1], tree)
        kind = "yaml" if path.endswith((".yml", ".yaml", ".json")) else "text"
        run = self.run
        if run.content is None:
            raise Problem("read: no files are accessible here", tree)
        return self._data(path, run.content(path), values[1] if len(values) > 1 else kind, env)

    _of_read_uncached = _of_read

    def _data(self, name: str, data: bytes, kind: Any, env: Env) -> Any:
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
        if base not in _KINDS or self.run.read is None:
            raise FunctionError(f"invalid file type [{name}] {kind}")
        nodes = self.run.read(name, text)
        if _KINDS[base] == 1 and len(nodes) > 1:
            raise FunctionError(f"error parsing file [{name}]: multi document not possible")
        return self.imported(nodes, base, kind != base, env)

    def _of_list_files(
        self, values: list[Any], tree: Call, env: Env, folders: bool = False
    ) -> list[str]:
        run, path = self.run, self._one_text(values, tree)
        if run.list is None:
            raise Problem("list: no files are accessible here", tree)
        return run.list(path, folders)

    def _of_list_dirs(self, values: list[Any], tree: Call, env: Env) -> list[str]:
        return self._of_list_files(values, tree, env, True)

    def _one_text(self, values: list[Any], tree: Call) -> str:
        _count(tree, tuple(values), 1, 1)
        if not isinstance(values[0], str):
            raise Problem("string argument required", tree)
        return values[0]


_INTRINSIC: Final = frozenset({"defined", "valid", "require", "stub", "catch"})
_KINDS: Final = {
    **dict.fromkeys(("yaml", "import", "template"), 1),
    **dict.fromkeys(("multiyaml", "importmulti", "templates"), 2),
}


def _count(tree: Call, given: Any, least: int, most: int | None) -> None:
    if len(given) < least or (most is not None and len(given) > most):
        wanted = (
            f"{least}" if least == most else f"{least} to {most}" if most else f"at least {least}"
        )
        name = tree.arguments[0].value
        called = name.root if isinstance(name, Reference) else "the function"
        plural = "" if wanted == "1" else "s"
        raise Problem(f"'{called}' takes {wanted} argument{plural}, but got {len(given)}", tree)


def lambda_text(parameters: Sequence[Parameter], variadic: bool, body: str) -> str:
    """How a function is printed, with the values of its defaults."""
    shown = [
        one.name if one.default is MISSING else f"{one.name}={_default(one.default)}"
        for one in parameters
    ]
    return f"lambda|{','.join(shown)}{'...' if variadic else ''}|->{body}"


def _default(value: Any) -> str:
    return literal(value) if value is None or isinstance(value, str | int | float) else "..."


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


def failed(error: FunctionError, tree: Expression) -> Problem:
    """The failure of a call for the error of its function.

    Raises:
        FunctionError: the error itself, if it ends the run.
    """
    if error.code == "limit_exceeded":
        raise error
    own = {"template_failed", "function_refused", "function_needs_stub", "unknown_value"}
    code = error.code if error.code in own else "spiff_unresolved"
    final = code in own and code != "template_failed"
    return Problem(error.message.replace("`", "'"), tree, error.hint, code, (), final)


def check_call(tree: Call, find: Callable[[str], Function | None], names: Names) -> Problem | None:
    """What is wrong with a call whatever its arguments are.

    A function that does not exist, or too few or too many arguments; `find` has the builtins and
    the functions of the embedder, which are called `names`.
    """
    target, *given = (one.value for one in tree.arguments)
    if not isinstance(target, Reference) or target.path or target.root in ("", SELF):
        return None
    name = target.root
    if name in _INTRINSIC or hasattr(Calls, f"_of_{name}"):
        return None
    function = find(name)
    if function is None:
        return _unknown(name, tree, names)
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
