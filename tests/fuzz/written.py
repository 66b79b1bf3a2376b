"""What bpp writes, as other readers read it: YAML 1.1, YAML 1.2 and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import yaml
from bpp.pipeline import Language, Limits, find_dialect
from bpp.pipeline.formats.detection import read, read_plain
from bpp.pipeline.formats.emit import emit
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.source import Source
from bpp.pipeline.values.tree import Trail, build
from bpp.pipeline.world.data_files import plain

from .values import same, shown
from .verdict import contents

LIMITS: Final = Limits().evolve(max_key_chars=100_000)
LANGUAGE: Final = Language(find_dialect("bluelink").syntax, LIMITS)
_TRAIL: Final = Trail(Source("data", ""))


class Yaml11(yaml.SafeLoader):  # type: ignore[misc]
    """YAML 1.1 as PyYAML has it, dates among it: a text that looks like one must be quoted."""


def differences(data: Any) -> list[str]:
    """What some reader does not read back; empty when all do."""
    return [f"{reader}: {told}" for reader, told in _differences(data)]


def _differences(data: Any) -> Iterator[tuple[str, str]]:
    node = build(data, _TRAIL, 0, 0)
    as_yaml = emit(node, "yaml", LANGUAGE, LIMITS)
    as_json = emit(node, "json", LANGUAGE, LIMITS)
    protected = _protected(data)
    readers = (
        ("YAML 1.1 (PyYAML)", _yaml_1_1, as_yaml, protected),
        ("YAML 1.2 (ruamel.yaml)", _yaml_1_2, as_yaml, protected),
        ("bpp, YAML", _ours("yaml"), as_yaml, protected),
        ("JSON (Python)", json.loads, as_json, protected),
        ("bpp, JSON", _ours("json"), as_json, protected),
    )
    for name, reader, text, expected in readers:
        try:
            found = reader(text)
        except Exception as problem:
            yield name, f"{type(problem).__name__} for {text[:300]!r}"
            continue
        if not same(found, expected):
            yield name, f"{found!r:.300} for {shown(expected)}, written {text[:300]!r}"
    for form, text in (("yaml", as_yaml), ("json", as_json)):
        again = _again(text, form)
        if again != text:
            yield f"bpp, {form} written again", f"{again!r:.300} for {text[:300]!r}"


def _protected(data: Any) -> Any:
    """The data with the opener of substitutions as the output has it."""
    if isinstance(data, str):
        return LANGUAGE.protect(data)
    if isinstance(data, list):
        return [_protected(item) for item in data]
    if isinstance(data, dict):
        return {key: _protected(item) for key, item in data.items()}
    return data


def _yaml_1_1(text: str) -> Any:
    return yaml.load(text, Yaml11)


def _yaml_1_2(text: str) -> Any:
    from ruamel.yaml import YAML

    return _bare(YAML(typ="safe", pure=True).load(text))


def _bare(data: Any) -> Any:
    """Data without the classes that ruamel.yaml has for numbers."""
    if isinstance(data, dict):
        return {key: _bare(item) for key, item in data.items()}
    if isinstance(data, list):
        return [_bare(item) for item in data]
    if isinstance(data, float):
        return float(data)
    return int(data) if isinstance(data, int) and not isinstance(data, bool) else data


def _ours(form: str) -> Any:
    def reader(text: str) -> Any:
        diagnostics = Diagnostics()
        root = read_plain(Source(f"out.{form}", text, form), Meter(LIMITS), diagnostics)
        if root is None or len(diagnostics):
            raise ValueError([item.summary for item in diagnostics])
        return plain(root)

    return reader


def _again(text: str, form: str) -> str:
    """The text, read as a blueprint is and written."""
    root = read(
        Source(f"out.{form}", text, form),
        LANGUAGE.split,
        LANGUAGE.opener,
        Meter(LIMITS),
        Diagnostics(),
    )
    return "" if root is None else emit(root, form, LANGUAGE, LIMITS)


__all__ = ["Yaml11", "contents", "differences"]
