"""The formats of a graph by name."""

from __future__ import annotations

from typing import Final

from ..diagnostics import meant
from .model import Graph

FORMATS: Final = ("mermaid", "dot", "json", "svg")
ENDINGS: Final = {
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
    ".svg": "svg",
}


def write(graph: Graph, format: str) -> str:  # noqa: A002
    """See `Graph.text`."""
    match format:
        case "mermaid":
            from .mermaid import mermaid_text

            return mermaid_text(graph)
        case "dot":
            from .dot import dot_text

            return dot_text(graph)
        case "json":
            from .data import json_text

            return json_text(graph)
        case "svg":
            from .svg import svg_text

            return svg_text(graph)
    near = meant(format, FORMATS)
    hint = f" ({near})" if near else ""
    raise ValueError(f"there is no format `{format}`; there are {', '.join(FORMATS)}{hint}")
