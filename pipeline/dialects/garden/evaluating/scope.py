"""Scopes: the values of names, computed when they are looked up."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from itertools import islice
from typing import Any, Final

from .....functions.values import NONE, Unknown
from ....language.errors import Failure
from ....values.diagnostics import Names, meant, saying_more
from ....values.expression import Call, Expression, Path, Reference
from ..printing import show
from .operators import kind_of_value

_MOST_KEYS: Final = 12

ITEM: Final = "item"
"""The name of the current element or field of a loop."""


class Missing(Failure):
    """A missing key; some operators have a value for it instead of failing.

    `reference` is the part of a reference up to the key, where the key was looked up in a value,
    `keys` are those that the value has, and with `closed` no caller can add any.
    """

    reference: Reference | None = None
    keys: Keys | None = None
    closed = False


class Undecided(Failure):
    """An unknown value that depends on a local name, so that it cannot stay in the output."""


CONTENT: Final[Any] = object()


class Keys:
    """The keys that mistakes may have meant, indexed when the first one asks."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = keys

    @cached_property
    def names(self) -> Names:
        """The index."""
        return Names(self._keys)

    @cached_property
    def listed(self) -> str:
        """The first of them, for a message."""
        return listed(sorted(self._keys))


def listed(names: Iterable[str]) -> str:
    """The first of some names for a message, in backquotes."""
    first = [f"`{name}`" for name in islice(names, _MOST_KEYS + 1)]
    return ", ".join([*first[:_MOST_KEYS], "..."] if len(first) > _MOST_KEYS else first)


class Lazy:
    """A value whose parts are computed when they are looked up.

    Messages do not list the keys of `discreet` ones. `forced` is the whole value once `force` has
    computed it: whatever uses it shares it. `known_keys` are the objects in it of which mistakes
    asked for the keys.
    """

    discreet = False
    forced: Any = CONTENT
    known_keys: dict[int, tuple[Any, Keys]] | None = None

    # without `ABC`, which would slow every `isinstance`
    @abstractmethod
    def content(self) -> Any:
        """One level of the value: an object or array, whose members may be lazy, or a leaf.

        Raises:
            Failure: when it has no value.
        """

    def whole(self) -> Any:
        """The whole value, as `content`, or an `Unknown`.

        Raises:
            Failure: when it has no value.
        """
        return self.content()

    def member(self, key: str | int) -> Any:
        """The value of a key, or `CONTENT` to look it up in the content.

        Raises:
            Failure: when it has no value.
        """
        return CONTENT

    def keep(self, value: Any) -> None:
        """Keeps the whole value."""
        self.forced = value

    def keys_of(self, value: dict[str, Any]) -> Keys:
        """The keys of an object that this value has or is."""
        known = self.known_keys
        if known is None:
            known = self.known_keys = {}
        if id(value) not in known:  # the object is kept, so that its id stays its own
            known[id(value)] = value, Keys(value)
        return known[id(value)][1]


def opened(value: Any) -> Any:
    """The outermost level of a value.

    Raises:
        Failure: when it has no value.
    """
    while isinstance(value, Lazy):
        value = value.content()
    return value


def force(value: Any) -> Any:
    """A value with all its lazy parts computed, without undefined ones.

    Equal parts stay shared: a value that refers to others twice is not twice as large. Only the
    content of a `Lazy` has lazy parts, so the parts that are not lazy are taken as they are.

    Raises:
        Failure: when a part has no value.
    """
    lazy = value if isinstance(value, Lazy) else None
    if lazy is not None and lazy.forced is not CONTENT:
        return lazy.forced
    while isinstance(value, Lazy):
        value = value.whole()
    kind = value.__class__
    if kind is dict and any(map(_is_open, value.values())):
        fields = {k: force(v) if isinstance(v, Lazy) else v for k, v in value.items()}
        value = {key: item for key, item in fields.items() if item is not NONE}
    elif kind is list and any(map(_is_open, value)):
        items = [force(item) if isinstance(item, Lazy) else item for item in value]
        value = [item for item in items if item is not NONE]
    if lazy is not None:
        lazy.keep(value)
    return value


def _is_open(value: Any) -> bool:
    return value is NONE or isinstance(value, Lazy)


class Scope:
    """The names that can be used in a place, and their values.

    A root is a value, an `Unknown` if it is not known in this run, or a `Lazy`; so are the members
    of arrays and objects. The `local` roots exist only here, so expressions that stay in the output
    must not refer to them. `weigh` is called with each array or object that is looked up. To the
    names of a `closed` one no caller can add any.
    """

    closed = False

    def __init__(
        self,
        roots: Mapping[str, Any],
        local: Collection[str] = (),
        weigh: Callable[[Any], object] | None = None,
    ) -> None:
        self.roots = dict(roots)
        self.local = frozenset(local)
        self.weigh = weigh

    def with_roots(self, local: bool = False, /, **roots: Any) -> Scope:
        """The scope with more names, which override its own."""
        if local or self.local:
            more = self.local | roots.keys() if local else self.local - roots.keys()
        else:
            more = self.local
        made = self.__class__(self.roots, more, self.weigh)
        made.roots.update(roots)
        made.closed = self.closed
        return made

    def names(self) -> list[str]:
        """All names."""
        return list(self.roots)

    def resolve(self, reference: Reference) -> Any:
        """The value of a reference, or an `Unknown`.

        Raises:
            Missing: for a missing key.
            Failure: when the reference leads to a part without a value.
        """
        if reference.root not in self.roots:
            raise self.unknown_root(reference)
        try:
            found = walk(self.roots[reference.root], reference.path, reference)
        except Missing as failure:
            failure.closed = self.closed
            raise
        value = force(found)
        if self.weigh is not None and (value.__class__ is dict or value.__class__ is list):
            self.weigh(value)
        elif value is NONE:
            last = reference.path[-1] if reference.path else reference.root
            raise Missing(
                "key_not_found",
                f"`{show(reference)}` has no value" if reference.path else f"no value: `{last}`",
                reference,
            )
        return self._named(value, reference)

    def unknown_root(self, reference: Reference) -> Missing:
        """The failure for a reference with a root that does not exist here."""
        if reference.root == "if" and not reference.path:
            hint = "write it as in `${if var.a}..${endif}`"
            return Missing("key_not_found", "`if` has no condition", reference, hint)
        return missing(reference.root, "", Keys(self.roots), reference)

    def _named(self, value: Any, reference: Reference) -> Any:
        """An unknown part of the result of a call, written as the reference that leads to it."""
        if value.__class__ is not Unknown or value.expression is not reference:
            return value
        if reference.root in self.local:
            raise undecided(reference)
        return Unknown(Reference(reference.root, reference.path), "any", value.secret)

    def names_resource(self, name: str) -> bool:
        """See `language.syntax.Scope`: this dialect has no resources."""
        return False

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """See `language.syntax.Scope`: this dialect has no links."""
        return Unknown(call)


def walk(value: Any, path: Path, reference: Reference) -> Any:
    """The value that a path leads to, which may be lazy.

    Raises:
        Missing: for a missing key, at `reference`.
        Failure: `path_not_found` for a key of a value without keys.
    """
    owner: Lazy | None = None
    for position, key in enumerate(path):
        discreet = False
        found = CONTENT
        while isinstance(value, Lazy):
            found = value.member(key)
            if found is not CONTENT:
                break
            owner, discreet = value, value.discreet
            value = value.content()
        if found is not CONTENT:
            value = found
            continue
        kind = value.__class__
        if kind is Unknown:
            return _deeper(value, path[position:], reference)
        if kind is dict:
            name = str(key)
            if name not in value or value[name] is NONE:
                keys = None if discreet else owner.keys_of(value) if owner else Keys(value)
                # which no frame may hold, as it holds the frames
                raise _no_key(name, position, keys, reference)
            value = value[name]
        elif kind is list:
            index = _index(key)
            if index is None or index >= len(value) or value[index] is NONE:
                raise _no_element(key, index, len(value), _shown(reference, position), reference)
            value = value[index]
        else:
            raise Failure(
                "path_not_found",
                f"there is no `{key}` in `{_shown(reference, position)}`, which is "
                f"{kind_of_value(value)}",
                reference,
            )
    return value


def _shown(reference: Reference, length: int) -> str:
    return show(Reference(reference.root, reference.path[:length]))


def _no_key(name: str, position: int, keys: Keys | None, reference: Reference) -> Missing:
    """The failure for a key that is missing at a position of a reference's path."""
    failure = missing(name, _shown(reference, position), keys, reference)
    failure.reference = Reference(reference.root, reference.path[: position + 1])
    failure.keys = keys
    return failure


def _index(key: str | int) -> int | None:
    """A key as the index of an element, if it is one."""
    if isinstance(key, str):
        return int(key) if key.isascii() and key.isdigit() and len(key) < 16 else None
    return key if key >= 0 else None


def _no_element(
    key: str | int, index: int | None, count: int, where: str, node: Reference
) -> Missing:
    if index is None:
        summary = f"there is no key `{key}` under `{where}`, which is an array"
        return Missing("key_not_found", summary, node, "elements are counted from 0, as in `[0]`")
    elements = f"{count} element{'s' if count != 1 else ''}"
    summary = f"there is no element {index} in `{where}`, which has {elements}"
    return Missing("key_not_found", summary, node)


def _deeper(value: Unknown, path: Path, reference: Reference) -> Unknown:
    """A part of an unknown value."""
    expression = value.expression
    if isinstance(expression, Reference):
        return Unknown(expression.deeper(*path), "any", value.secret)
    # a path cannot follow the result of a call: `Scope.resolve` handles this
    return Unknown(reference, "any", value.secret)


def missing(name: str, where: str, keys: Keys | None, node: Expression | None) -> Missing:
    """The failure for a missing key, with the existing keys as a hint."""
    summary = f"there is no key `{name}`" + (f" under `{where}`" if where else "")

    def hint() -> str | None:
        if keys is None:
            return None
        near = meant(name, keys.names)
        listed = f"the keys are {keys.listed}" if keys.listed else None
        return saying_more(near, listed)

    return Missing("key_not_found", summary, node, hint)


def undecided(node: Expression) -> Undecided:
    """The failure for an unknown value that cannot be written without local names."""
    return Undecided(
        "undecidable",
        f"`{show(node)}` depends on an unknown value and a local name, so it cannot stay in the "
        "output",
        node,
    )


LATER: Final = ("actions", "modules", "providers", "runtime", "secrets", "steps")
"""The names whose values are mostly known only while Garden runs."""


def data_scope(data: Mapping[str, Any] | None) -> Scope:
    """A scope of plain data for single strings; the names in `LATER` are unknown."""
    later = {name: Unknown(Reference(name), "any", name == "secrets") for name in LATER}
    return Scope({**later, **(data or {})})
