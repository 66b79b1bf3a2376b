"""Functions declared by signature: `pad(text: string, width?: integer, ...more: any) -> string`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, partial
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias, TypeVar

from .names import did_you_mean
from .registry import Example, Function, Functions, Outline, Parameter, composable
from .values import NONE

TYPES: Final = frozenset(
    ("string", "integer", "float", "boolean", "array", "object", "binary", "function", "any")
)
_OF_DIALECTS: Final = TYPES | frozenset(
    ("resource", "null", "strings", "time", "duration", "location", "month", "weekday")
)

_Call = TypeVar("_Call", bound=Callable[..., Any])

Pages: TypeAlias = tuple[str, str, str | None]
"""Where documentation is: a package, a function, and a setting that some of it depends on."""


class DeclarationError(TypeError):
    """A function that cannot be declared; the message says which part of it and why."""


def read_signature(
    text: str, known: frozenset[str] = TYPES
) -> tuple[str, tuple[Parameter, ...], str]:
    """The name, the parameters and the type of the result; the form is `Function.signature`'s.

    `known` are the types that it may name.

    Raises:
        DeclarationError: when the text is not a signature.
    """
    head, _, result = text.rpartition("->")
    name, _, inside = head.strip().partition("(")
    name, result = name.strip(), result.strip()
    if not (inside.endswith(")") and _is_name(name.replace("-", "_")) and result.isidentifier()):
        raise DeclarationError(f"`{text}` is not a signature such as `f(text: string) -> string`")
    if result not in known:
        raise DeclarationError(f"the result of `{name}` has no type `{result}`")
    inside = inside[:-1]
    parameters = (
        [_parameter(part, name, known) for part in inside.split(",")] if inside.strip() else []
    )
    for before, after in pairwise(parameters):
        if before.variadic or (before.optional and not (after.optional or after.variadic)):
            raise DeclarationError(f"in the signature of `{name}`, `{after.name}` comes too late")
    return name, tuple(parameters), result


def _is_name(text: str) -> bool:
    return text.isidentifier() and text[0].isascii()


def _parameter(text: str, name: str, known: frozenset[str]) -> Parameter:
    own, colon, written = text.strip().partition(":")
    own = own.rstrip()
    variadic, optional = own.startswith("..."), own.endswith("?")
    own = own.removeprefix("...").removesuffix("?")
    if not (colon and _is_name(own)):
        raise DeclarationError(f"`{text.strip()}` is not a parameter of the signature of `{name}`")
    parts = [part.strip() for part in written.split("|")]
    choices = tuple(part[1:-1] for part in parts if _is_choice(part))
    types = [part for part in parts if not _is_choice(part)]
    wrong = [part for part in types if part not in known]
    if wrong:
        raise DeclarationError(f"the parameter `{own}` of `{name}` has no type `{wrong[0]}`")
    if choices and "string" not in types:
        types.append("string")
    elif choices:
        choices = ()  # any string fits
    return Parameter(own, tuple(types), "", optional, variadic, choices)


def _is_choice(part: str) -> bool:
    return len(part) > 1 and part[0] == part[-1] == '"' and '"' not in part[1:-1]


class Declarations:
    """The functions of a dialect that one module declares, as a decorator for their Python.

    `@function("trim(text: string) -> string")` keeps the signature and leaves the Python function
    as it is; the signature is read when an expression calls the function. `topic` is the heading
    that lists the function, `package` the package whose `examples.toml` documents it, `types` are
    types that signatures may name besides the usual ones. Python gets values of the language as
    they are, with none only unless `propagates_none`, and answers with such values: nothing is
    converted, checked or guarded.
    """

    def __init__(
        self,
        topic: str,
        package: str,
        propagates_none: bool = True,
        types: Iterable[str] = (),
    ) -> None:
        self._package = package
        self._types = _OF_DIALECTS.union(types)
        self._usual: dict[str, Any] = {"topic": topic, "propagates_none": propagates_none}
        self._declared: dict[str, _Declaration] = {}

    def __call__(
        self, signature: str, *, composable: bool | Literal["only"] = False, **fields: Any
    ) -> Callable[[_Call], _Call]:
        """Declares a function; `fields` are the fields of `Function` that a signature lacks.

        `composable` adds the variant `<name>_g`, which waits for the first argument; with `"only"`
        that variant is all there is, under the name itself. A keyword-only parameter in Python
        gets the setting of its name, such as `limits`.

        Raises:
            ValueError: when the name is declared already.
        """
        name, usual = signature.partition("(")[0].strip(), self._usual

        def declare(call: _Call) -> _Call:
            for own in (name, f"{name}_g") if composable is True else (name,):
                if own in self._declared:
                    raise ValueError(f"the function `{own}` is declared twice")
                waits = own != name or composable == "only"
                self._declared[own] = _Declaration(signature, call, usual | fields, waits)
            return call

        return declare

    def outlines(self) -> dict[str, tuple[str, str | None]]:
        """The form and the effect of each function."""
        every = {name: declared.fields for name, declared in self._declared.items()}
        return {name: (f.get("form", "call"), f.get("effect")) for name, f in every.items()}

    def record(self, name: str, settings: Mapping[str, Any]) -> Function:
        """The record of a function under given settings."""
        return self._declared[name].record(name, self._package, self._types, settings)


class Index(dict[str, tuple[str, str, str | None]]):
    """The module, the form and the effect of each function of a package."""

    def __init__(self, package: str, rows: str) -> None:
        """`rows` are lines such as `text call: trim upper`, with an effect behind the form."""
        self._package = package
        for line in rows.split("\n")[1:-1]:
            head, _, names = line.partition(":")
            module, form, *effect = head.split()
            row = module, form, effect[0] if effect else None
            self.update(dict.fromkeys(names.split(), row))

    def load(self, module: str) -> Declarations:
        """The declarations of a module, which is imported."""
        found: Declarations = __import__(f"{self._package}.{module}", fromlist=("",)).function
        return found


class _Declaration:
    """A signature with what it is declared for; `waits` says that it is the composable variant."""

    __slots__ = ("call", "fields", "signature", "waits")

    def __init__(
        self, signature: str, call: Callable[..., Any], fields: dict[str, Any], waits: bool
    ) -> None:
        self.signature = signature
        self.call = call
        self.fields = fields
        self.waits = waits

    def record(
        self, name: str, package: str, types: frozenset[str], settings: Mapping[str, Any]
    ) -> Function:
        own, parameters, result = read_signature(self.signature, types)
        code = getattr(self.call, "__code__", None)
        asked = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount] if code else ()
        call = partial(self.call, **{one: settings[one] for one in asked}) if asked else self.call
        setting = next((one for one in asked if settings[one] is True), None)
        pages = package, own, setting
        function = DeclaredFunction(
            pages,
            name=own,
            parameters=tuple(DeclaredParameter(pages, one) for one in parameters),
            result=result,
            call=call,
            **self.fields,
        )
        if not self.waits:
            return function
        fields = composable(function, name=name).__dict__
        for lazy in ("summary", "examples"):
            del fields[lazy]
        return DeclaredFunction((package, name, setting), **fields)


class DeclaredParameter(Parameter):
    """A parameter whose documentation is read when it is asked for."""

    def __init__(self, pages: Pages, plain: Parameter) -> None:
        fields = self.__dict__
        fields.update(plain.__dict__)
        del fields["doc"]
        fields["pages"] = pages

    def evolve(self, **changes: Any) -> Parameter:  # type: ignore[override]
        fields = {name: getattr(self, name) for name in self.__match_args__}
        return Parameter(**fields).evolve(**changes)

    @cached_property  # type: ignore[misc]
    def doc(self) -> str:
        package, function, setting = self.__dict__["pages"]
        entries = documented(package)
        entry, shared = entries[function], entries.get("parameters", {})
        other = entry.get(setting or "", {}).get("parameters", {})
        own = entry.get("parameters", shared)
        return str(other.get(self.name) or own.get(self.name) or shared[self.name])


class DeclaredFunction(Function):
    """A function whose documentation is read when it is asked for."""

    def __init__(self, pages: Pages, **fields: Any) -> None:
        super().__init__(summary="", examples=(), **fields)
        for lazy in ("summary", "examples"):
            del self.__dict__[lazy]
        self.__dict__["pages"] = pages

    def evolve(self, **changes: Any) -> Function:  # type: ignore[override]
        fields = {name: getattr(self, name) for name in self.__match_args__}
        return Function(**fields).evolve(**changes)

    @cached_property  # type: ignore[misc]
    def summary(self) -> str:
        package, function, _ = self.__dict__["pages"]
        return str(documented(package)[function]["summary"])

    @cached_property  # type: ignore[misc]
    def examples(self) -> tuple[Example, ...]:
        """The examples, with the results that they have under the setting."""
        package, function, setting = self.__dict__["pages"]
        entries = documented(package)
        entry, data = entries[function], entries.get("data", {})
        other = {row[0]: row for row in entry.get(setting or "", {}).get("outcomes", ())}
        return tuple(
            _example(other.get(row[0], row), data, group == "examples")
            for group in ("examples", "tests")
            for row in entry.get(group, ())
        )


def documented(package: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a package's `examples.toml` by function; its head explains the format."""
    return read_table(package, "examples.toml")


@cache
def read_table(package: str, name: str) -> Mapping[str, Any]:
    """The content of a TOML file of a package."""
    import tomllib

    return tomllib.loads(read_data(package, name))


def read_data(package: str, name: str) -> str:
    """The text of a file of a package."""
    from pkgutil import get_data

    data = get_data(package, name)
    assert data is not None
    return data.decode("utf-8")


def advice(package: str, name: str) -> str | None:
    """The hint for a name that other languages have for a function (`elsewhere.toml`)."""
    word = name.replace("_", "").replace("-", "").lower()
    words = read_table(package, "elsewhere.toml")
    found = next((one for one, others in words.items() if word in others.split()), None)
    if found is None or " " in found.split("(")[0]:
        return found
    return f"write `{found}`" if "(" in found else did_you_mean(name, found)


def _example(row: list[Any], shared: Mapping[str, Any], shown: bool) -> Example:
    expression, outcome, *data = row
    scope = data[0] if data else {}
    error = outcome.get("error") if isinstance(outcome, dict) else None
    return Example(
        expression,
        None if error else _value(outcome),
        error,
        _value(shared[scope] if isinstance(scope, str) else scope),
        shown,
    )


def _value(data: Any) -> Any:
    """Data of TOML, which has neither none nor null."""
    if isinstance(data, list):
        return [_value(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data == {"none": True}:
        return NONE
    if data in ({"null": True}, {"unknown": True}):
        return None
    return {key: _value(item) for key, item in data.items()}


def declared_functions(
    index: Mapping[str, tuple[str, str, str | None]],
    load: Callable[[str], Declarations],
    settings: Mapping[str, Any],
) -> Functions:
    """A registry of the functions of several modules, each imported for the first call.

    `index` has the module, the form and the effect of each function; `load` imports a module.

    Raises:
        RuntimeError: by the registry, when a module declares others than those in the index.
    """

    def make(name: str) -> Function:
        module = index[name][0]
        declared = load(module)
        listed = {one: row[1:] for one, row in index.items() if row[0] == module}
        if declared.outlines() != listed:
            wrong = ", ".join(sorted(dict(declared.outlines().items() ^ listed.items())))
            raise RuntimeError(
                f"the index of functions is stale for {wrong}: run tools/function_reference.py"
            )
        return declared.record(name, settings)

    return Functions(Outline(name, row[1], row[2], make) for name, row in index.items())
