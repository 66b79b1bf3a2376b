"""The sentences that both the static checks and the evaluation of blueprints report."""

from __future__ import annotations

from typing import Final

from ....functions.values import article

A_SCALAR: Final = "a string, an integer, a float or a boolean"
NEVER_DEPLOYED: Final = "the references form a cycle that could never be deployed"
REMOVE_TEXT: Final = "remove the text around the substitution"
WRITTEN_SECRET: Final = "take it from a secret variable, or pass `--secrets reveal` to print it"


def export_mismatch(name: str, declared: str, found: str) -> str:
    """An export whose value does not have the declared type."""
    return f"the export `{name}` is declared as {declared}, but its value is {article(found)}"


def no_child_export(child: str, export: str) -> str:
    """A reference to an export that a child does not have."""
    return f"the child blueprint `{child}` does not export `{export}`"


def scalar_child_export(child: str, export: str, declared: str) -> str:
    """A reference to a field of an export of a scalar type."""
    return f"`children.{child}.{export}` is of type {declared} and has no fields"


def too_many_resources(limit: int) -> str:
    """More resources after `each` or a transform than allowed."""
    return f"there would be more than {limit} resources (`max_resources`)"


def not_a_string(key: str, kind: str) -> str:
    """A key that takes a string; `kind` is what it has, with an article."""
    return f"`{key}` must be a string, not {kind}"
