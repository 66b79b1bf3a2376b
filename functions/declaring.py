"""Functions of your own from plain Python: types from annotations, documents from docstrings."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Union, get_args, get_origin, overload

from .guarding import guarded
from .record import Record
from .registry import Example, Function, Parameter
from .signatures import DeclarationError, read_signature
from .values import NONE, FunctionError, FunctionValue, article, from_plain, type_of


@overload
def function(python: Callable[..., Any], /) -> Function: ...


@overload
def function(
    declared: str = "",
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
) -> Callable[[Callable[..., Any]], Function]: ...


def function(
    python: Callable[..., Any] | str = "",
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
    optional, `*args` takes any number. If an argument is none, so is the result, without a call,
    except for a parameter that may be `None`. The docstring gives the summary and, below `Args:` or
    as `:param x:`, the description of each parameter.

    `signature` replaces the annotations and may come first without its name, in the form of
    `Function.signature`: `pad(text: string, side?: "left" | "right") -> string`, with quoted
    strings for choices. `name` is what expressions call, the Python name by default. `examples` are
    records, or results by expression. `indexed` says that the last parameter takes the element's
    index, which `map` and the like pass; `composable` adds a variant `<name>_g` that waits for the
    first argument. `origin` names the author in messages, the Python module by default.

    Exceptions become diagnostics; a `FunctionError` brings its own message.

    Raises:
        DeclarationError: when the types are unknown or do not fit the options.
    """

    def declare(python: Callable[..., Any]) -> Function:
        own = name or getattr(python, "__name__", "")
        if not own:
            raise DeclarationError("a function without a name needs `name`")
        documents = read_docstring(inspect.getdoc(python) or "")
        if signature is None:
            kinds, parameters, result = _annotated(own, python)
        else:
            written, parameters, result = read_signature(signature)
            if name is None:
                own = written
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
            raise DeclarationError(f"`{own}` has no first argument for a composable variant")
        return guarded(record, origin or f"the module `{getattr(python, '__module__', '?')}`")

    if not isinstance(python, str):
        return declare(python)
    signature = python or signature
    return declare


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
    """Kinds for calls, parameters, and the type of the result, from the annotations."""
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


class Kind(Record):
    """The type of one argument, finer than its parameter has it.

    `none` allows none. `items` is what each element of an array or each field of an object must be.
    `widens` turns integers into floats.
    """

    types: tuple[str, ...]
    choices: tuple[str, ...] = ()
    none: bool = False
    items: Kind | None = None
    widens: bool = False

    def convert(self, value: Any) -> Any:
        """A value converted for Python."""
        kind = value.__class__
        if self.widens and kind is int:
            return float(value)
        if self.items is not None:
            if kind is list:
                return [self.items.convert(item) for item in value]
            if kind is dict:
                return {key: self.items.convert(item) for key, item in value.items()}
        return value

    def fits(self, value: Any) -> bool:
        """True for a converted value of this kind."""
        actual = type_of(value)
        if "any" not in self.types and actual not in self.types:
            return False
        if self.choices and actual == "string":
            return value in self.choices
        if self.items is None or actual not in ("array", "object"):
            return True
        inner = value.values() if actual == "object" else value
        return all(map(self.items.fits, inner))


_SIMPLE: Final[dict[Any, tuple[str, ...]]] = {
    Any: ("any",),
    object: ("any",),
    str: ("string",),
    int: ("integer",),
    float: ("integer", "float"),
    bool: ("boolean",),
    bytes: ("binary",),
    list: ("array",),
    Sequence: ("array",),
    Iterable: ("array",),
    dict: ("object",),
    Mapping: ("object",),
    Callable: ("function",),
}


def kind_of(annotation: Any, where: str) -> Kind:
    """The kind that an annotation means; `where` begins the sentence of an error.

    Raises:
        DeclarationError: for an annotation that no type of the language fits.
    """
    if annotation in (None, type(None)):
        raise DeclarationError(f"{where} can only be none")
    if annotation in _SIMPLE:
        return Kind(_SIMPLE[annotation], widens=annotation is float)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal and all(isinstance(choice, str) for choice in arguments):
        return Kind(("string",), choices=arguments)
    if origin in (Union, types.UnionType):
        return _union(arguments, where)
    if origin is Callable:
        return Kind(("function",))
    if origin in _SIMPLE and not arguments:
        return Kind(_SIMPLE[origin])
    if origin in (list, Sequence, Iterable):
        inner = kind_of(arguments[0], where)
        return Kind(_SIMPLE[origin], items=None if inner.types == ("any",) else inner)
    if origin in (dict, Mapping) and arguments[0] in (str, Any):
        inner = kind_of(arguments[1], where)
        return Kind(_SIMPLE[origin], items=None if inner.types == ("any",) else inner)
    shown = getattr(annotation, "__name__", None) or str(annotation)
    raise DeclarationError(
        f"{where} has the annotation `{shown}`, which has no type in expressions"
    )


def _union(members: tuple[Any, ...], where: str) -> Kind:
    kinds = [kind_of(member, where) for member in members if member is not type(None)]
    if not kinds:
        raise DeclarationError(f"{where} can only be none")
    found: dict[str, None] = {}
    for kind in kinds:
        found.update(dict.fromkeys(kind.types))
    texts = [kind for kind in kinds if "string" in kind.types]
    holding = [kind for kind in kinds if kind.items is not None]
    whole = [kind for kind in kinds if {"array", "object"} & {*kind.types}]
    return Kind(
        tuple(found),
        # a plain `str` among them allows every text
        tuple(dict.fromkeys(c for kind in texts for c in kind.choices))
        if all(kind.choices for kind in texts)
        else (),
        len(kinds) < len(members),
        holding[0].items if len(whole) == 1 and holding else None,
        len(kinds) == 1 and kinds[0].widens,
    )


def shown_kind(kind: Kind) -> str:
    """`an array of strings`, ``one of `a`, `b` ``, for messages."""
    if kind.choices and kind.types == ("string",):
        return "one of " + ", ".join(f"`{choice}`" for choice in kind.choices)
    words = " or ".join(map(article, kind.types))
    if kind.items is None:
        return words
    if kind.items.choices:
        return f"{words} of strings, each {shown_kind(kind.items)}"
    return f"{words} of {' or '.join(f'{name}s' for name in kind.items.types)}"


_FIELD: Final = re.compile(r":param (?:[\w\[\], ]+ )?\*?(\w+):\s*(.*)")
_ARGUMENT: Final = re.compile(r"(\s+)\*?(\w+)(?:\s*\([^)]*\))?:\s*(.*)")
_SECTIONS: Final = frozenset({"Args:", "Arguments:", "Parameters:"})


class Documents(Record):
    """The summary and the description of each parameter by name; missing ones are empty."""

    summary: str
    parameters: Mapping[str, str]


def read_docstring(text: str) -> Documents:
    """The contents of a docstring in the style of Google (`Args:`) or Sphinx (`:param x:`)."""
    paragraph, _, _ = text.strip().partition("\n\n")
    summary = _sentence(paragraph)
    found: dict[str, str] = {}
    name, depth, inside = "", 0, False
    for line in text.splitlines():
        field = _FIELD.fullmatch(line.strip())
        indented = len(line) - len(line.lstrip())
        if field:
            name, depth, inside = field[1], indented, False
            found[name] = field[2]
        elif line.strip() in _SECTIONS:
            name, depth, inside = "", 0, True
        elif line.strip() and indented <= depth and not (inside and indented):
            name, inside = "", False
        elif inside and (match := _ARGUMENT.fullmatch(line)) and (not name or indented <= depth):
            name, depth = match[2], indented
            found[name] = match[3]
        elif name and line.strip():
            found[name] = f"{found[name]} {line.strip()}"
    return Documents(summary, {name: _sentence(words) for name, words in found.items()})


def _sentence(text: str) -> str:
    """A string on one line without its full stop."""
    return " ".join(text.split()).removesuffix(".")
