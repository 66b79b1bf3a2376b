"""Functions for expressions."""

from __future__ import annotations

from typing import Final

from bpp.functions import FunctionError, function

_LONGEST: Final = 63


@function(examples={'kebab("Orders API")': "orders-api"})
def kebab(text: str) -> str:
    """A text in lower case with dashes for blanks."""
    return "-".join(text.lower().split())


@function(examples={'bucket_name("acme", "logs")': "acme-logs"})
def bucket_name(*parts: str) -> str:
    """The name of a bucket from its parts."""
    name = "-".join(parts)
    if len(name) > _LONGEST:
        raise FunctionError(f"the name of a bucket has at most {_LONGEST} characters")
    return name


FUNCTIONS = (kebab, bucket_name)
