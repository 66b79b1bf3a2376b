"""The data files that document functions: summaries, parameters and examples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, TypeAlias

from .registry import Example
from .values import NONE

Pages: TypeAlias = tuple[str, str, str | None]
"""Where documentation is: a package, a function, and a setting that some of it depends on."""


@cache
def documented(package: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of a package's `examples.toml` by function; its head explains the format."""
    import tomllib
    from pkgutil import get_data

    data = get_data(package, "examples.toml")
    assert data is not None
    return tomllib.loads(data.decode("utf-8"))


def summary_of(pages: Pages) -> str:
    """The summary of a function."""
    package, name, _ = pages
    return str(documented(package)[name]["summary"])


def parameter_of(pages: Pages, parameter: str) -> str:
    """The description of a parameter."""
    package, name, setting = pages
    entry = documented(package)[name]
    other = entry.get(setting or "", {}).get("parameters", {})
    return str(other.get(parameter) or entry["parameters"][parameter])


def examples_of(pages: Pages) -> tuple[Example, ...]:
    """The examples of a function, with the results that they have under a setting."""
    package, name, setting = pages
    entries = documented(package)
    entry, data = entries[name], entries.get("data", {})
    other = {row[0]: row for row in entry.get(setting or "", {}).get("outcomes", ())}
    return tuple(
        _example(other.get(row[0], row), data, group == "examples")
        for group in ("examples", "tests")
        for row in entry.get(group, ())
    )


def _example(row: list[Any], shared: Mapping[str, Any], shown: bool) -> Example:
    expression, outcome, *data = row
    scope = data[0] if data else {}
    error = outcome.get("error") if isinstance(outcome, dict) else None
    return Example(
        expression,
        None if error else _value(outcome),
        error,
        _value(shared[scope] if isinstance(scope, str) else scope),
        shown,
    )


def _value(data: Any) -> Any:
    """Data of TOML, which has neither none nor null."""
    if isinstance(data, list):
        return [_value(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data == {"none": True}:
        return NONE
    if data in ({"null": True}, {"unknown": True}):
        return None
    return {key: _value(item) for key, item in data.items()}
