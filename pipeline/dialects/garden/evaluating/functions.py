"""The helper functions of the dialect, all in one registry."""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

from .....functions import garden
from .....functions.garden.arguments import filled
from .....functions.garden.index import INDEX, load
from .....functions.regexes import compile_regex
from .....functions.registry import Function, Functions, Outline
from .....functions.signatures import Declarations, declared_functions
from .....functions.value_limits import hold_chars
from .....functions.values import FunctionError
from ....language.meter import Meter
from ....values.settings import Limits, Settings
from .forms import METERED

_YAML: Final = {"yamlDecode": METERED, "yamlEncode": "call"}


def functions(settings: Settings) -> Functions:
    """All helper functions under given settings, sorted by name."""
    made = partial(_yaml_function, settings.limits)
    declared = declared_functions(INDEX, load, {"limits": settings.limits})
    return declared.with_functions(*(Outline(*row, None, made) for row in _YAML.items()))


def _yaml_function(limits: Limits, name: str) -> Function:

    return function.record(name, {"limits": limits})


# `yamlEncode` and `yamlDecode`, with the reader and the writer of documents.

function: Final = Declarations("encoding", garden.__name__, propagates_none=False)

_MARKER: Final = compile_regex(r"^---(?=[ \t\r\n]|\Z)|^\.\.\.[ \t]*$", re.M)
_NOTHING: Final = "\0"  # never occurs in YAML, so no string is a template


@function("yamlDecode(string: string, multiDocument?: boolean) -> any", form=METERED, weight=128)
def decode_yaml(
    text: str, several: bool = False, meter: Meter | None = None, *, limits: Limits
) -> Any:
    """The value of a YAML string, or with `several` the values of its documents.

    What it reads is part of the budget of the run, whose `meter` that is.

    Raises:
        FunctionError: `invalid_argument` for invalid YAML, or several documents without `several`;
            the message does not quote the text, which may be a secret; `limit_exceeded`.
    """
    filled("yamlDecode", text)
    meter = meter or Meter(limits)
    texts = _MARKER.split(text)
    documents = [part for part in texts if part.strip()] if len(texts) > 1 else texts
    if several:
        return [_read(part, meter) for part in documents]
    if len(documents) > 1:
        raise FunctionError(
            "the text for `yamlDecode` holds several documents",
            hint="give `true` as the second argument to get all of them",
            argument=0,
        )
    return _read(documents[0], meter) if documents else None


def _read(text: str, meter: Meter) -> Any:
    from ....formats.detection import read_plain
    from ....values.diagnostics import Diagnostics
    from ....values.source import Source
    from ....world.data_files import plain

    problems = Diagnostics(1)
    source = Source("<text>", text, "yaml")
    meter.know(text)
    root = read_plain(source, meter, problems)
    for problem in problems:
        if problem.code == "limit_exceeded":
            raise FunctionError(problem.summary, problem.code, problem.hint, argument=0)
        place = f" (at line {problem.span.line})" if problem.span is not None else ""
        raise FunctionError(f"the text for `yamlDecode` is not valid{place}", argument=0)
    assert root is not None
    return plain(root)


@function("yamlEncode(value: any, multiDocument?: boolean) -> string", weight=20)
def encode_yaml(value: Any, several: bool = False, *, limits: Limits) -> str:
    """A value as a YAML document, or with `several` the items of an array as documents.

    Raises:
        FunctionError: `invalid_argument_type` with `several` for a value that is not an array,
            `limit_exceeded`.
    """
    if several and not isinstance(value, list):
        raise FunctionError(
            "`yamlEncode` makes several documents of an array only",
            "invalid_argument_type",
            argument=0,
        )
    text = (
        "".join(f"---{_text(item, limits)}" for item in value) if several else _text(value, limits)
    )
    hold_chars("yamlEncode", len(text), limits)
    return text


def _text(value: Any, limits: Limits) -> str:
    from ....formats.emit import emit
    from ....language.language import Language
    from ....values.diagnostics import Stop
    from ....values.source import Source
    from ....values.tree import Trail, build
    from ..syntax import SYNTAX

    # nothing is escaped: readers of the text do not know templates
    language = Language(SYNTAX.evolve(opener=_NOTHING), limits)
    root = build(value, Trail(Source("", "")), 0, 0)
    try:
        return emit(root, "yaml", language, limits)
    except Stop as stop:
        told = stop.diagnostic
        raise FunctionError(told.summary, told.code, told.hint, argument=0) from None
