"""Codes of the syntax of substitutions."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "substitutions"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_substitution",
        title="A substitution that cannot be read",
        text="What stands between `«` and `»` is not an expression: a reference, a function call "
        "or a literal. There are no operators, a comparison is a function such as `eq(a, b)`.",
        remedy='Look at the marked place; for a literal `«` in a text write `«"«"»`.',
        example='«variables.env == "prod"»',
    ),
    Code(
        topic=_TOPIC,
        name="empty_substitution",
        title="A substitution with nothing in it",
        text="There is no expression between `«` and `»`.",
        remedy="Write an expression, `«none»` for no value, or remove the substitution.",
        example="«»",
    ),
    Code(
        topic=_TOPIC,
        name="unclosed_substitution",
        title="A substitution that is not closed",
        text="After `«` the text ends before a `»`. It is not taken as plain text, because a "
        "forgotten bracket would then go unnoticed.",
        remedy='Add the `»`, close open strings in the expression, or write `«"«"»` for a '
        "literal `«`.",
        example="«variables.region",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_interpolation",
        title="A value that cannot be part of a string",
        text="A substitution with text around it becomes part of that text. Strings, numbers and "
        "booleans can; an array, an object, a function or bytes that are no text have no form "
        "there that everyone would agree on.",
        remedy="Let the substitution stand alone to keep its type, or make a text of it with "
        "`join(..)` or `base64encode(..)`.",
        example="""\
values:
  zones: {type: string, value: 'zones-«list("a", "b")»'}
""",
    ),
    Code(
        topic=_TOPIC,
        name="function_not_found",
        title="An unknown function",
        text="There is no function of that name. Functions come from the language and from "
        "plug-ins that are enabled.",
        remedy="Correct the name; `bpp functions` lists all.",
        example='«toupper("a")»',
    ),
    Code(
        topic=_TOPIC,
        name="function_not_allowed",
        title="A function where a value is needed",
        text="A function is a value only as an argument of a function that takes functions, such "
        "as `map`. It cannot be the result of a substitution, since nothing could be written for "
        "it.",
        remedy="Call the function, or pass it to `map`, `filter`, `compose` and the like.",
        example='«trimprefix_g("a")»',
    ),
)
