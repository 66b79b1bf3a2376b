"""JSON pointers (RFC 6901): their parts, and what they point at in a decoded document."""

from __future__ import annotations

from typing import Any

from .names import meant
from .values import FunctionError, article, type_of


def parse_pointer(pointer: str) -> list[str]:
    """The keys and indexes that a pointer names, unescaped.

    `""` is the whole document and `/` the key `""`. The URI fragment form (`#/a%20b`) is accepted,
    and so is a pointer without its first slash (`host`), which blueprints in the wild use.

    Raises:
        FunctionError: `invalid_json_pointer`.
    """
    text = pointer
    if text.startswith("#"):
        text = _percent_decoded(text[1:])
        if text and not text.startswith("/"):
            raise _invalid("must go on with `/` after its `#`")
    elif text and not text.startswith("/"):
        text = "/" + text
    return [_unescaped(part) for part in text.split("/")[1:]]


def resolve_pointer(document: Any, pointer: str) -> Any:
    """What a pointer points at in decoded JSON, where null is Python's `None`.

    Raises:
        FunctionError: `invalid_json_pointer`, `path_not_found` for a key that is not there or a
            step below a leaf, `index_out_of_bounds` for an element that is not there.
    """
    value = document
    for number, part in enumerate(parse_pointer(pointer), 1):
        # a pointer may be a secret as any other text, so its parts are told by their numbers
        which = f"part {number} of the pointer"
        if isinstance(value, dict):
            if part not in value:
                raise FunctionError(
                    f"the JSON object has no key that {which} names",
                    code="path_not_found",
                    hint=meant(part, value),
                    argument=1,
                )
            value = value[part]
        elif isinstance(value, list):
            value = value[_position(part, len(value), which)]
        else:
            raise FunctionError(
                f"{which} leads below {article(type_of(value))}, which has no parts",
                code="path_not_found",
                argument=1,
            )
    return value


def _position(part: str, size: int, which: str) -> int:
    if part != "-":
        if not (part.isascii() and part.isdigit()) or (part[0] == "0" and part != "0"):
            raise _invalid(f"leads into an array, where {which} is no element's position")
        if len(part) < 19 and int(part) < size:
            return int(part)
    raise FunctionError(
        f"{which} is beyond an array of {size} element{'' if size == 1 else 's'}",
        code="index_out_of_bounds",
        argument=1,
    )


def _unescaped(part: str) -> str:
    if "~" not in part:
        return part
    if part.count("~") != part.count("~0") + part.count("~1"):
        raise _invalid("has a `~` that is not followed by `0` or `1`")
    return part.replace("~1", "/").replace("~0", "~")


def _percent_decoded(text: str) -> str:
    import re
    from urllib.parse import unquote_to_bytes

    if re.search("%(?![0-9A-Fa-f]{2})", text):
        raise _invalid("has a `%` that is not followed by two hexadecimal digits")
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeError:
        raise _invalid("has percent-encoded bytes that are no UTF-8") from None


def _invalid(problem: str) -> FunctionError:
    return FunctionError(
        f"the JSON pointer {problem}",
        code="invalid_json_pointer",
        hint="write it like `/hosts/0/name`; `~1` stands for `/` and `~0` for `~`",
        argument=1,
    )
