"""A graph as an SVG picture, which Graphviz lays out."""

from __future__ import annotations

from typing import Final

from ...values.diagnostics import meant
from .dot import dot_text
from .model import Graph

_HINT = (
    "install Graphviz (`apt install graphviz`, `brew install graphviz`), or choose the format "
    "`mermaid`, which needs no program"
)


def svg_text(graph: Graph) -> str:
    """The picture that `dot` makes.

    Raises:
        FileProblem: `program_not_found` when Graphviz is not installed, `program_failed` when it
            does not answer in time or with a picture.
    """
    from ...world.programs import run_program

    seconds = graph.limits.program_seconds
    picture = run_program(["dot", "-Tsvg"], dot_text(graph).encode("utf-8"), seconds, _HINT)
    return picture.decode("utf-8", "replace")


# ----------------------------------------------------------------------
# The formats of a graph by name.

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
            from .model import json_text

            return json_text(graph)
        case "svg":
            return svg_text(graph)
    near = meant(format, FORMATS)
    hint = f" ({near})" if near else ""
    raise ValueError(f"there is no format `{format}`; there are {', '.join(FORMATS)}{hint}")
