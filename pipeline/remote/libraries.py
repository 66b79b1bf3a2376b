"""The libraries of object stores, loaded when one is asked for.

They find credentials and sign; what is fetched goes through `network.py`. Their errors are never
quoted, because they could hold a secret.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

from .problems import RemoteProblem, missing_extra

T = TypeVar("T")


def library(name: str, extra: str) -> Any:
    """A module of a library that an extra of bpp brings.

    Raises:
        RemoteProblem: `remote_extra_missing`.
    """
    try:
        return import_module(name)
    except ImportError:
        raise missing_extra(extra) from None


def sought(call: Callable[[], T], *expected: type[Exception]) -> T:
    """What a library answers about credentials; the expected errors are the caller's.

    Raises:
        RemoteProblem: `remote_denied` for any other error.
    """
    try:
        return call()
    except expected:
        raise
    except Exception as error:
        raise RemoteProblem(
            "remote_denied",
            f"the credentials that are set up for it cannot be used ({type(error).__name__})",
            "log in again, or unset what does not apply",
        ) from None
