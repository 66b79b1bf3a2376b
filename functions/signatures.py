"""Signatures as text: `pad(text: string, width?: integer, side?: "left" | "right") -> string`."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from .annotations import DeclarationError
from .registry import Parameter

TYPES: Final = frozenset(
    ("string", "integer", "float", "boolean", "array", "object", "binary", "function", "any")
)

_SIGNATURE: Final = re.compile(r"\s*([A-Za-z_][\w-]*)\s*\((.*)\)\s*->\s*(\w+)\s*", re.DOTALL)
_PARAMETER: Final = re.compile(r"\s*(\.\.\.)?([A-Za-z_]\w*)(\?)?\s*:\s*(.*?)\s*", re.DOTALL)
_CHOICE: Final = re.compile(r'"[^"|,]*"')


def read_signature(text: str) -> tuple[str, tuple[Parameter, ...], str]:
    """The name, the parameters and the type of the result; the form is `Function.signature`'s.

    Raises:
        DeclarationError: when the text is no signature.
    """
    match = _SIGNATURE.fullmatch(text)
    if match is None:
        raise DeclarationError(f"`{text}` is no signature such as `f(text: string) -> string`")
    name, inside, result = match.groups()
    if result not in TYPES:
        raise DeclarationError(f"the result of `{name}` has no type `{result}`")
    parameters = [_parameter(part, name) for part in inside.split(",")] if inside.strip() else []
    for before, after in pairwise(parameters):
        if before.variadic or (before.optional and not (after.optional or after.variadic)):
            raise DeclarationError(f"in the signature of `{name}`, `{after.name}` comes too late")
    return name, tuple(parameters), result


def _parameter(text: str, name: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise DeclarationError(f"`{text.strip()}` is no parameter of the signature of `{name}`")
    dots, own, mark, written = match.groups()
    parts = [part.strip() for part in written.split("|")]
    choices = tuple(part[1:-1] for part in parts if _CHOICE.fullmatch(part))
    types = [part for part in parts if not _CHOICE.fullmatch(part)]
    wrong = [part for part in types if part not in TYPES]
    if wrong:
        raise DeclarationError(f"the parameter `{own}` of `{name}` has no type `{wrong[0]}`")
    if choices and "string" not in types:
        types.append("string")
    elif choices:
        choices = ()  # any text fits
    return Parameter(own, tuple(types), "", mark is not None, dots is not None, choices)
