"""Marks for the compiler of wheels, which mean nothing where a module is not compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**_: object) -> Callable[[type], type]:
        """Says something of a class to the compiler; see the documentation of mypyc."""
        return lambda marked: marked
