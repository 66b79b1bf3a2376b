"""Annotations of Python as types of the language."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, Union, get_args, get_origin

from .record import Record
from .values import article, type_of


class DeclarationError(TypeError):
    """A function that cannot be declared; the message says which part of it and why."""


class Kind(Record):
    """What one argument may be, finer than a parameter says it.

    `none` allows none. `items` is what each element of an array or each field of an object must be.
    `widens` turns integers into floats.
    """

    types: tuple[str, ...]
    choices: tuple[str, ...] = ()
    none: bool = False
    items: Kind | None = None
    widens: bool = False

    def convert(self, value: Any) -> Any:
        """A value as Python wants it."""
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
    raise DeclarationError(f"{where} has the annotation `{shown}`, which is no type of expressions")


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
        return f"{words} of texts that are {shown_kind(kind.items)}"
    return f"{words} of {' or '.join(f'{name}s' for name in kind.items.types)}"
