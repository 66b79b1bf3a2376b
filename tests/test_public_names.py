"""The public names: what `__all__` lists can be imported, is documented, and is all there is."""

from __future__ import annotations

import ast
import importlib
import inspect
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from support.compiled import interpreted
from support.rows import hold

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pipeline", "pipeline.dialects.garden", "pipeline.testing", "functions", "transforms")
PROMISED = Path(__file__).with_name("support") / "public_names.txt"


def _package(name: str) -> ModuleType:
    return importlib.import_module(f"bpp.{name}")


def _listed(name: str) -> list[str]:
    return list(getattr(_package(name), "__all__", ()))


@pytest.mark.parametrize("name", PACKAGES)
def test_all_lists_what_is_there(name: str) -> None:
    package = _package(name)
    listed = _listed(name)
    assert sorted(set(listed)) == sorted(listed)
    assert listed
    missing = [public for public in listed if not hasattr(package, public)]
    assert missing == []


@pytest.mark.parametrize("name", PACKAGES)
def test_what_the_file_imports_is_listed(name: str) -> None:
    """Also under `TYPE_CHECKING`: type checkers and the interpreter must see the same names."""
    file = ROOT.joinpath(*name.split("."), "__init__.py")
    imported = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    assert imported == set(_listed(name))


@pytest.mark.parametrize("name", PACKAGES)
def test_what_is_visible_is_listed(name: str) -> None:
    package = _package(name)
    visible = {
        public
        for public in dir(package)
        if not public.startswith("_")
        and not isinstance(getattr(package, public), ModuleType)
        and public not in ("annotations", "TYPE_CHECKING", "Any")
    }
    assert visible == set(_listed(name))


@interpreted
def test_a_public_name_is_documented() -> None:
    hold([(package, name) for package in PACKAGES for name in _listed(package)], _is_documented)


def _is_documented(row: tuple[str, str]) -> None:
    package, name = row
    value = getattr(_package(package), name)
    if inspect.isclass(value) or inspect.isroutine(value):
        # A class that has none would show the docstring of its base.
        own = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
        assert own, f"bpp.{package}.{name} has no docstring"
        if inspect.isclass(value):
            silent = [
                method
                for method, member in vars(value).items()
                if not method.startswith("_")
                and (inspect.isfunction(member) or isinstance(member, (property, classmethod)))
                and not (member.__func__ if isinstance(member, classmethod) else member).__doc__
            ]
            assert silent == []


def test_unknown_names_are_told_as_usual() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = _package("pipeline").nonsense


def test_public_names_are_those_that_were_promised() -> None:
    """Users rely on them: a name that is added or taken away is told in the changelog."""
    promised = PROMISED.read_text("utf-8").split()
    listed = sorted(f"bpp.{package}.{name}" for package in PACKAGES for name in _listed(package))
    assert listed == promised


def test_all_packages_are_typed_for_who_installs_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    data = project["tool"]["setuptools"]["package-data"]
    for package in ("pipeline", "functions", "transforms"):
        assert (ROOT / package / "py.typed").exists()
        assert "py.typed" in data[f"bpp.{package}"]
