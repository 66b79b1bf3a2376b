"""What a dialect is: a syntax, a set of functions and a written-out list of stages."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from ...functions.registry import Functions
from ..language.language import Syntax
from ..run import Pipeline
from ..settings import Settings


@attrs.frozen
class Dialect:
    """A dialect of the framework; `functions` makes its functions for given settings."""

    name: str
    title: str
    syntax: Syntax
    functions: Callable[[Settings], Functions]
    pipeline: Pipeline
