"""Records of functions, from which calls, checks, documentation and tests come, and registries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Protocol

from .record import Record, field
from .values import NONE, FunctionError, FunctionValue, Unknown, article, type_of


class Environment(Protocol):
    """Access to the outside for functions with an effect; the caller decides what it allows."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""

    def uuid(self) -> str:
        """A new version 4 UUID in lower case."""

    def cwd(self) -> str:
        """The working directory."""

    def read(self, path: str) -> bytes:
        """A file's bytes.

        Raises:
            FunctionError: when it may not or cannot be read.
        """

    def fetch(self, url: str) -> bytes:
        """The body of an HTTP response.

        Raises:
            FunctionError: when it may not or cannot be fetched.
        """


class Parameter(Record):
    """One parameter.

    `types` are the accepted type names (`string integer float boolean array object binary function
    resource any`); `choices` the only strings accepted, when there are few.
    """

    name: str
    types: tuple[str, ...]
    doc: str = ""
    optional: bool = False
    variadic: bool = False
    choices: tuple[str, ...] = ()

    def accepts(self, type_name: str) -> bool:
        """True when an argument of that type fits."""
        return "any" in self.types or type_name in self.types or type_name == "any"

    @property
    def type_text(self) -> str:
        """The accepted types in the form of a signature: `integer | float`."""
        return " | ".join(self.types)

    @property
    def wanted(self) -> str:
        """The accepted types in a message: `an integer or a float`."""
        *most, last = map(article, self.types)
        return f"{', '.join(most)} or {last}" if most else last


class Example(Record):
    """An expression and its result as plain data, or the code of the error it gives.

    `scope` is plain data for references (`{"values": {...}, "variables": {...}}`). A result of
    none is `NONE`. `shown` is False for examples that are only tests.
    """

    expression: str
    result: Any = None
    error: str | None = None
    scope: Mapping[str, Any] = field(factory=dict)
    shown: bool = True


class Function(Record):
    """One function of the language.

    `call` is plain Python: positional arguments in, a value out, `FunctionError` for a mistake; it
    gets an `Environment` first when `effect` names one. `result` is the result's type name.
    `propagates_none` says that any none argument makes the result none without a call. `form`
    names the evaluator's special form (`if`, `first`, `coalesce`, `and`, `or`, `list`, `object`,
    `lookup`, `link`) for functions whose arguments are not simply evaluated; for them `call` is
    what happens with fully known arguments. `named` says that argument names mean something.
    `indexed` says that `map` and the like pass an element's index as one more argument,
    `composable` that a registry makes the variant `<name>_g` of it. `origin` names its author.
    `weight` says how much more than comparing it a call does with each character and each part of
    its arguments. `notes` are sentences that are shown with it.
    """

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    result: str
    call: Callable[..., Any]
    topic: str
    examples: tuple[Example, ...] = ()
    propagates_none: bool = True
    form: str = "call"
    effect: str | None = None
    named: bool = False
    indexed: bool = False
    origin: str = "core"
    composable: bool = False
    weight: int = 1
    notes: tuple[str, ...] = ()

    @cached_property
    def minimum(self) -> int:
        """The least number of arguments."""
        return sum(not (p.optional or p.variadic) for p in self.parameters)

    @cached_property
    def maximum(self) -> int | None:
        """The greatest number of arguments; None if it is unlimited."""
        if self.parameters and self.parameters[-1].variadic:
            return None
        return len(self.parameters)

    def calling(self, call: Callable[..., Any]) -> Function:
        """The function with other Python behind it; its documentation is not read for that."""
        from copy import copy

        made = copy(self)
        made.__dict__["call"] = call
        return made

    def parameter(self, position: int) -> Parameter | None:
        """The parameter that takes the argument at a 0-based position."""
        if position < len(self.parameters):
            return self.parameters[position]
        if self.parameters and self.parameters[-1].variadic:
            return self.parameters[-1]
        return None

    @property
    def signature(self) -> str:
        """`substr(text: string, start: integer, end?: integer) -> string`."""
        shown = []
        for p in self.parameters:
            mark = "?" if p.optional else ""
            dots = "..." if p.variadic else ""
            shown.append(f"{dots}{p.name}{mark}: {p.type_text}")
        return f"{self.name}({', '.join(shown)}) -> {self.result}"


def arity_message(function: Function, given: int) -> str | None:
    """The message for a wrong number of arguments, or None."""
    return count_message(function.name, function.minimum, function.maximum, given)


def count_message(name: str, low: int, high: int | None, given: int) -> str | None:
    """The message for a number of arguments that is not between two others, or None."""
    if given >= low and (high is None or given <= high):
        return None
    if high is None:
        wanted = f"at least {low}"
    elif low == high:
        wanted = str(low)
    else:
        wanted = f"{low} to {high}"
    plural = "" if wanted == "1" or wanted.endswith(" 1") else "s"
    return f"`{name}` takes {wanted} argument{plural}, but got {given}"


def check_types(function: Function, arguments: Iterable[Any]) -> None:
    """Checks the types of arguments, of unknown ones the declared type; none always passes.

    Raises:
        FunctionError: `invalid_argument_type` for the first argument that does not fit.
    """
    for position, value in enumerate(arguments):
        if value is NONE:
            continue
        parameter = function.parameter(position)
        if parameter is None:
            continue
        actual = _type_name(value)
        if not parameter.accepts(actual):
            raise FunctionError(
                type_message(function, position, parameter, actual),
                code="invalid_argument_type",
                argument=position,
            )


def _type_name(value: Any) -> str:
    return str(value.type) if value.__class__ is Unknown else type_of(value)


def type_message(function: Function, position: int, parameter: Parameter, actual: str) -> str:
    """The message for an argument of the wrong type."""
    return (
        f"argument {position + 1} (`{parameter.name}`) of `{function.name}` must be "
        f"{parameter.wanted}, "
        f"not {article(actual)}"
    )


def invoke(function: Function, arguments: list[Any], environment: Environment | None = None) -> Any:
    """Calls a function with known values: arity, types, none, then the implementation.

    Raises:
        FunctionError: for a wrong number or type of arguments, or from the function itself.
    """
    message = arity_message(function, len(arguments))
    if message:
        raise FunctionError(message, code="invalid_argument_count")
    check_types(function, arguments)
    if function.propagates_none and any(a is NONE for a in arguments):
        return NONE
    if function.effect is not None:
        if environment is None:
            raise FunctionError(
                f"`{function.name}` is not available here", code="effect_not_allowed"
            )
        return function.call(environment, *arguments)
    return function.call(*arguments)


def as_value(function: Function, environment: Environment | None = None) -> FunctionValue:
    """The function as a value, for `map(x, to_upper)`."""
    return FunctionValue(
        function.name,
        lambda *arguments: invoke(function, list(arguments), environment),
        indexed=function.indexed,
    )


def composable(
    base: Function,
    summary: str = "",
    examples: tuple[Example, ...] = (),
    name: str | None = None,
) -> Function:
    """The variant of `base` that waits for its first argument.

    It takes all parameters of `base` but the first, and its result is a function of the first; that
    function calls `base`, so it checks types and propagates none as `base` does. The name is that
    of `base` with `_g` unless another is given (core functions, "Clarification on _g functions").
    A `base` that takes an element's index as its last argument gets it from `map` and the like.

    Raises:
        ValueError: when `base` cannot have a variant.
    """
    own_name = name or f"{base.name}_g"
    indexed = base.indexed
    parameters = base.parameters[1:-1] if indexed else base.parameters[1:]
    if not base.parameters or base.parameters[0].variadic or base.effect is not None:
        raise ValueError(f"`{base.name}` has no first argument, which `{own_name}` needs")

    def call(*static: Any) -> FunctionValue:
        def apply(*dynamic: Any) -> Any:
            if len(dynamic) not in ((1, 2) if indexed else (1,)):
                raise FunctionError(
                    f"the function made by `{own_name}` takes 1 argument, but got {len(dynamic)}",
                    code="invalid_argument_count",
                )
            try:
                return invoke(base, [dynamic[0], *static, *dynamic[1:]])
            except FunctionError as error:
                if error.argument != 0 or error.code != "invalid_argument_type":
                    raise
                wanted, actual = base.parameters[0].wanted, article(_type_name(dynamic[0]))
                raise FunctionError(
                    f"the function made by `{own_name}` takes {wanted}, not {actual}", error.code
                ) from None

        return FunctionValue(own_name, apply, indexed)

    return Function(
        name=own_name,
        summary=summary or f"`{base.name}` as a function that waits for its first argument",
        parameters=parameters,
        result="function",
        call=call,
        topic=base.topic,
        examples=examples,
        origin=base.origin,
    )


class FunctionNotLoaded(Exception):
    """An installed function that cannot be used; `message` says why in one sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Outline:
    """The facts about a function that need no import of its implementation."""

    __slots__ = ("_made", "_make", "effect", "form", "name")

    composable = False
    origin = "core"

    def __init__(
        self, name: str, form: str, effect: str | None, make: Callable[[str], Function]
    ) -> None:
        self.name = name
        self.form = form
        self.effect = effect
        self._make = make
        self._made: Function | None = None

    def function(self) -> Function:
        """The record, which is made once."""
        if self._made is None:
            self._made = self._make(self.name)
        return self._made


class Functions(Mapping[str, Function]):
    """A registry: names to records. `with_functions` gives a new one; there is no global state.

    Of a function that is given as an `Outline` the record is made when it is asked for. `advise`
    gives the hint for a name that other languages have for a function, or None; `listed` is the
    command that shows all functions.

    Raises:
        ValueError: when two functions have one name.
    """

    advise: Callable[[str], str | None] = staticmethod(lambda name: None)
    listed = "bpp functions"

    def __init__(self, functions: Iterable[Function | Outline] = ()) -> None:
        self._functions: dict[str, Function | Outline] = {}
        for function in functions:
            self._register(function)

    def _register(self, function: Function | Outline) -> None:
        if function.name in self._functions:
            raise ValueError(f"the function `{function.name}` is registered twice")
        self._functions[function.name] = function
        if isinstance(function, Function) and function.composable:
            self._register(composable(function))

    def __getitem__(self, name: str) -> Function:
        found = self._functions[name]
        if isinstance(found, Outline):
            found = self._functions[name] = found.function()
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def effects(self) -> dict[str, str]:
        """The effects of the functions that have one, by name."""
        return {name: f.effect for name, f in self._functions.items() if f.effect is not None}

    def outlines(self) -> Mapping[str, Function | Outline]:
        """All functions by name, without a record of those that are not called yet."""
        return self._functions

    def find(self, name: str) -> Function | None:
        """The function that a call of `name` means; some registries look further than `get`.

        Raises:
            FunctionNotLoaded: when there is one that cannot be used.
        """
        return self.get(name)

    def with_functions(self, *functions: Function | Outline) -> Functions:
        """A new registry with more functions, and with the variants that those ask for.

        Raises:
            ValueError: when a name is there already.
        """
        more = Functions()
        more.advise, more.listed = self.advise, self.listed
        more._functions.update(self._functions)
        for function in functions:
            more._register(function)
        return more
