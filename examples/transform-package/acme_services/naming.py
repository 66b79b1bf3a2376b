"""How the parts of a service are called."""

from __future__ import annotations


def part(service: str, kind: str) -> str:
    """The name of the resource that is one part of a service."""
    return f"{service}_{kind}"
