"""`quote` and its kin: values as text between quotes, which coercion takes off."""

from __future__ import annotations

from typing import Any, Final

from ..expr.texts import json_text, quoted
from ..signatures import Declarations
from .places import about

function: Final = Declarations("text", __package__ or "", propagates_none=False)


@function("quote(value: any) -> string", weight=8, **about("quote", "text"))
def _quote(value: Any) -> str:
    """A string as `%q` writes it, whose escapes nothing undoes."""
    return quoted(value) if isinstance(value, str) else _unsafe_quote(value)


@function("unsafeQuote(value: any) -> string", weight=8, **about("unsafeQuote", "text"))
def _unsafe_quote(value: Any) -> str:
    return f'"{json_text(value)}"'


@function("asJSON(value: any) -> string", weight=8, **about("asJSON", "text"))
def _as_json(value: Any) -> str:
    return f'"{json_text(value, "  ")}\n"'


@function("asYAML(value: any) -> string", weight=16, **about("asYAML", "text"))
def _as_yaml(value: Any) -> str:
    from ..go.yaml_text import yaml_text

    return f'"{yaml_text(value)}"'
