"""The dialect of Kargo; so far only its expressions, in a document of data."""

from __future__ import annotations

from typing import Final

from ...engine.run import Dialect, Pipeline, Stage
from ..expr.dialect import inspection, read
from .forms import SEMANTICS
from .syntax import SYNTAX, functions

KARGO: Final = Dialect(
    name="kargo",
    title="promotions of Kargo",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline((Stage("read", read, "read the data that names lead to"),)),
    semantics=SEMANTICS,
    inspection=inspection,
)
