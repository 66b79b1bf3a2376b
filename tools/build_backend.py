"""Setuptools' build backend with the requirements of a wheel.

A wheel needs the parser, which makes the table of `pattern_table.py`, and mypyc if its modules are
compiled (`compiling.py`). Editable installs and sdists need nothing but setuptools.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compiling import REQUIREMENT, wanted
from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    build_wheel,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = (
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
)

PARSER = "parsimonious>=0.10"


def get_requires_for_build_wheel(config_settings: Mapping[str, Any] | None = None) -> list[str]:
    """The requirements of setuptools, of the pattern table and, for compiled modules, of mypyc."""
    needed: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    needed.append(PARSER)
    return [*needed, REQUIREMENT] if wanted() else needed
