"""Records: values with named fields, made once and never changed.

What `attrs.frozen` gives, for the classes that every run needs. attrs writes and compiles methods
for each class when it is defined, which takes a third of the time of a short run. Here one set of
methods serves all classes. Making a record is slower in turn, so what a run makes by the thousand
(nodes, substitutions) has its own `__init__`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, dataclass_transform

if TYPE_CHECKING:
    from inspect import Signature

_REQUIRED: Any = object()
_Rest: TypeAlias = tuple[frozenset[str], dict[str, Any], list[tuple[str, Callable[[], Any]]]]


class FieldSpec:
    """The arguments of `field`."""

    __slots__ = ("default", "eq", "factory", "repr")

    def __init__(
        self,
        default: Any,
        factory: Callable[[], Any] | None,
        eq: bool,
        repr: bool,  # noqa: A002
    ) -> None:
        self.default = default
        self.factory = factory
        self.eq = eq
        self.repr = repr


def field(
    *,
    default: Any = _REQUIRED,
    factory: Callable[[], Any] | None = None,
    eq: bool = True,
    repr: bool = True,  # noqa: A002
) -> Any:
    """A field of a record: its default or what makes one, and whether `==` and `repr` see it."""
    return FieldSpec(default, factory, eq, repr)


class _SignatureOfFields:
    """What `inspect.signature` and `help` say of a record's class, made when they ask."""

    def __get__(self, record: Record | None, kind: type[Record]) -> Signature:
        if record is not None or kind.__init__ is not Record.__init__:
            raise AttributeError("__signature__")
        from inspect import Parameter, Signature, get_annotations

        annotations: dict[str, Any] = {}
        for one in reversed(kind.__mro__):
            annotations |= get_annotations(one)
        parameters: list[Parameter] = []
        how: Any = Parameter.POSITIONAL_OR_KEYWORD
        optional = False
        for name in kind.__match_args__:
            default: Any = Parameter.empty
            if name in kind._defaults:
                default = kind._defaults[name]
            elif name in kind._factories:
                default = _Made(kind._factories[name])
            if default is not Parameter.empty:
                optional = True
            elif optional:  # no signature can say that it may be given by position too
                how = Parameter.KEYWORD_ONLY
            parameters.append(
                Parameter(name, how, default=default, annotation=_Words(annotations[name]))
            )
        return Signature(parameters)


class _Words(str):
    """An annotation as it is written: without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


class _Made:
    """Stands in signatures for a default that is made for each record."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self._factory = factory

    def __repr__(self) -> str:
        return f"{getattr(self._factory, '__name__', 'made')}()"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record:
    """The base of all records.

    A subclass lists its fields as annotations, with defaults; they are the arguments of the class,
    in order and by name. `class X(Record, eq=False)` makes a record that equals only itself.

    Raises:
        TypeError: when the arguments do not fit the fields.
        AttributeError: when a field is set or deleted.
    """

    __signature__: ClassVar[Any] = _SignatureOfFields()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}
    _factories: ClassVar[dict[str, Callable[[], Any]]] = {}
    _required: ClassVar[tuple[str, ...]] = ()
    _rests: ClassVar[dict[int, _Rest]] = {}
    _compared: ClassVar[tuple[str, ...]] = ()
    _shown: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, eq: bool = True) -> None:
        names, required = list(cls.__match_args__), list(cls._required)
        compared, shown = list(cls._compared), list(cls._shown)
        defaults, factories = dict(cls._defaults), dict(cls._factories)
        for name, annotation in cls.__annotations__.items():
            if annotation.startswith("ClassVar"):
                continue
            names.append(name)
            spec = cls.__dict__.get(name, _REQUIRED)
            if not isinstance(spec, FieldSpec):
                spec = FieldSpec(spec, None, True, True)
            if spec.factory is not None:
                factories[name] = spec.factory
            elif spec.default is _REQUIRED:
                required.append(name)
            else:
                defaults[name] = spec.default
            if spec.eq:
                compared.append(name)
            if spec.repr:
                shown.append(name)
        cls.__match_args__ = tuple(names)  # type: ignore[misc]
        cls._required = tuple(required)
        cls._compared, cls._shown = tuple(compared), tuple(shown)
        cls._defaults, cls._factories, cls._rests = defaults, factories, {}
        if not eq:
            cls.__eq__ = object.__eq__  # type: ignore[method-assign]
            cls.__hash__ = object.__hash__  # type: ignore[method-assign]

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.__match_args__
        self.__dict__.update(zip(names, values, strict=False))
        if named or len(values) != len(names):
            self._complete(len(values), named)

    def _complete(self, count: int, named: dict[str, Any]) -> None:
        """The fields that were not given by position, as the first `count` of them were."""
        rest = self._rests.get(count)
        if rest is None:
            rest = self._rests[count] = self._rest(count)
        left, defaults, factories = rest
        fields = self.__dict__
        fields.update(defaults)
        if named:
            if not named.keys() <= left:
                raise self._misfit(count, named)
            fields.update(named)
        for name, factory in factories:
            if name not in fields:
                fields[name] = factory()
        if len(fields) != len(self.__match_args__):
            raise self._misfit(count, named)

    @classmethod
    def _rest(cls, count: int) -> _Rest:
        """The fields that so many values by position leave, and what those have by default."""
        if count > len(cls.__match_args__):
            raise cls._misfit(count, {})
        left = cls.__match_args__[count:]
        defaults = {name: cls._defaults[name] for name in left if name in cls._defaults}
        factories = [(name, cls._factories[name]) for name in left if name in cls._factories]
        return frozenset(left), defaults, factories

    @classmethod
    def _misfit(cls, count: int, named: dict[str, Any]) -> TypeError:
        """The error for arguments that do not fit the fields, so many of them by position."""
        names = cls.__match_args__
        what = cls.__name__
        if count > len(names):
            return TypeError(f"{what} takes {len(names)} arguments, not {count}")
        for name in named:
            if name not in names:
                return TypeError(f"{what} has no field `{name}`")
            if name in names[:count]:
                return TypeError(f"{what} got two values for `{name}`")
        given = {*names[:count], *named}
        missing = next(name for name in cls._required if name not in given)
        return TypeError(f"{what} needs `{missing}`")

    def evolve(self, **changes: Any) -> Self:
        """The record with other values for some of its fields."""
        given = {name: getattr(self, name) for name in self.__match_args__}
        return type(self)(**{**given, **changes})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: `{name}`")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed: `{name}`")

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self._compared)

    def __hash__(self) -> int:
        return hash((type(self), *[getattr(self, name) for name in self._compared]))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._shown)
        return f"{type(self).__name__}({fields})"
