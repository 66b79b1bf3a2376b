"""Functions of your own from plain Python: types from annotations, documents from docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, overload

from .annotations import DeclarationError, Kind, kind_of, shown_kind
from .docstrings import read_docstring
from .guarding import guarded
from .registry import Example, Function, Parameter
from .signatures import read_signature
from .values import NONE, FunctionError, FunctionValue, from_plain


@overload
def function(python: Callable[..., Any], /) -> Function: ...


@overload
def function(
    *,
    name: str | None = None,
    signature: str | None = None,
    summary: str | None = None,
    topic: str = "custom",
    examples: Mapping[str, Any] | Iterable[Example] = (),
    indexed: bool = False,
    composable: bool = False,
    origin: str | None = None,
) -> Callable[[Callable[..., Any]], Function]: ...


def function(
    python: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    signature: str | None = None,
    summary: str | None = None,
    topic: str = "custom",
    examples: Mapping[str, Any] | Iterable[Example] = (),
    indexed: bool = False,
    composable: bool = False,
    origin: str | None = None,
) -> Any:
    """A function of the language from a Python function; a decorator with or without arguments.

    Parameters and the result have the types of the annotations: `str`, `int`, `float` (integers are
    converted), `bool`, `bytes`, `list`, `dict`, `Any`, `Callable`, unions of these, `list[..]` and
    `dict[str, ..]` of these, and `Literal` of strings for choices. A default makes a parameter
    optional, `*args` takes any number. An argument that is none makes the result none without a
    call, but for a parameter that may be `None`. The docstring gives the summary and, below `Args:`
    or as `:param x:`, what is said of each parameter.

    `signature` replaces the annotations: `pad(text: string, width?: integer) -> string`, as
    `Function.signature` shows them, with quoted texts for choices. `name` is what expressions call,
    the Python name by default. `examples` are records, or results by expression. `indexed` says
    that the last parameter takes the element's index, which `map` and the like pass; `composable`
    adds a variant `<name>_g` that waits for the first argument. `origin` says in messages who
    declares the function, the Python module by default.

    What the function raises becomes a diagnostic; `FunctionError` words it.

    Raises:
        DeclarationError: when the types cannot be told, or do not fit what is asked for.
    """

    def declare(python: Callable[..., Any]) -> Function:
        own = name or getattr(python, "__name__", "")
        if not own:
            raise DeclarationError("a function without a name needs `name`")
        documents = read_docstring(inspect.getdoc(python) or "")
        if signature is None:
            kinds, parameters, result = _annotated(own, python)
        else:
            told, parameters, result = read_signature(signature)
            if name is None:
                own = told
            kinds = [Kind(p.types, p.choices) for p in parameters]
            _hold_arity(own, python, parameters)
        parameters = tuple(
            p.evolve(doc=documents.parameters.get(p.name, p.doc)) for p in parameters
        )
        if indexed and (len(parameters) < 2 or not parameters[-1].accepts("integer")):
            raise DeclarationError(f"`{own}` is indexed, so its last parameter takes an integer")
        propagates = not any(kind.none for kind in kinds)
        record = Function(
            name=own,
            summary=summary or documents.summary or f"`{own}` has no description",
            parameters=parameters,
            result=result,
            call=_Call(own, python, tuple(kinds), parameters),
            topic=topic,
            examples=_examples(examples),
            propagates_none=propagates,
            indexed=indexed,
            composable=composable,
        )
        if composable and (not parameters or parameters[0].variadic):
            raise DeclarationError(f"`{own}` has no first argument that a variant could wait for")
        return guarded(record, origin or f"the module `{getattr(python, '__module__', '?')}`")

    return declare if python is None else declare(python)


def as_functions(value: Any) -> list[Function] | None:
    """The records that a value holds: a record, a Python function to declare, or several of these.

    None when it is something else.

    Raises:
        DeclarationError: for a Python function that cannot be declared.
    """
    if isinstance(value, Function):
        return [value]
    if inspect.isroutine(value):
        return [function(value)]
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list | tuple | set | frozenset):
        return None
    found: list[Function] = []
    for item in value:
        inner = None if isinstance(item, Mapping | list | tuple) else as_functions(item)
        if inner is None:
            return None
        found += inner
    return found


class _Call:
    """Calls Python with values of the language, none being `None` where that is allowed."""

    def __init__(
        self,
        name: str,
        python: Callable[..., Any],
        kinds: tuple[Kind, ...],
        parameters: tuple[Parameter, ...],
    ) -> None:
        self.name = name
        self.python = python
        self.kinds = kinds
        self.parameters = parameters

    def __call__(self, *arguments: Any) -> Any:
        given: list[Any] = []
        for position, value in enumerate(arguments):
            last = min(position, len(self.kinds) - 1)
            kind = self.kinds[last]
            if value is NONE:
                if not kind.none:
                    return NONE
                given.append(None)
                continue
            converted = kind.convert(value)
            if not kind.fits(converted):
                raise FunctionError(
                    f"argument {position + 1} (`{self.parameters[last].name}`) of `{self.name}` "
                    f"must be {shown_kind(kind)}",
                    "invalid_argument" if kind.choices else "invalid_argument_type",
                    argument=position,
                )
            given.append(_callback(converted) if isinstance(value, FunctionValue) else converted)
        return self.python(*given)


def _callback(function: FunctionValue) -> Callable[..., Any]:
    """A function that was passed, for Python: plain data in, plain data out."""

    def call(*arguments: Any) -> Any:
        result = function(*map(from_plain, arguments))
        return None if result is NONE else result

    return call


def _annotated(
    name: str, python: Callable[..., Any]
) -> tuple[list[Kind], tuple[Parameter, ...], str]:
    """What the annotations say: kinds for calls, parameters, and the type of the result."""
    try:
        hints = inspect.get_annotations(python, eval_str=True)
        written = inspect.signature(python).parameters.values()
    except Exception as error:
        raise DeclarationError(
            f"the annotations of `{name}` cannot be read ({type(error).__name__}: {error})"
        ) from None
    kinds, parameters = [], []
    for parameter in written:
        where = f"the parameter `{parameter.name}` of `{name}`"
        if parameter.kind is parameter.VAR_KEYWORD or (
            parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty
        ):
            raise DeclarationError(f"{where} cannot be given by position")
        if parameter.kind is parameter.KEYWORD_ONLY:
            continue
        if parameter.name not in hints:
            raise DeclarationError(f"{where} has no annotation")
        kind = kind_of(hints[parameter.name], where)
        kinds.append(kind)
        parameters.append(
            Parameter(
                parameter.name,
                kind.types,
                optional=parameter.default is not parameter.empty,
                variadic=parameter.kind is parameter.VAR_POSITIONAL,
                choices=kind.choices,
            )
        )
    if "return" not in hints:
        raise DeclarationError(f"`{name}` has no annotation for its result")
    result = kind_of(hints["return"], f"the result of `{name}`")
    if result.widens:
        return kinds, tuple(parameters), "float"
    return kinds, tuple(parameters), result.types[0] if len(result.types) == 1 else "any"


def _hold_arity(name: str, python: Callable[..., Any], parameters: tuple[Parameter, ...]) -> None:
    """Refuses a declared signature that Python cannot be called with."""
    least = [p for p in parameters if not (p.optional or p.variadic)]
    try:
        written = inspect.signature(python)
        written.bind(*least)
        written.bind(*parameters)
    except (TypeError, ValueError):
        raise DeclarationError(
            f"the signature of `{name}` does not fit the parameters in Python"
        ) from None


def _examples(given: Mapping[str, Any] | Iterable[Example]) -> tuple[Example, ...]:
    if not isinstance(given, Mapping):
        return tuple(given)
    return tuple(
        Example(expression, NONE if result is None else result)
        for expression, result in given.items()
    )
