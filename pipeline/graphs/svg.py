"""A graph as an SVG picture, which Graphviz lays out."""

from __future__ import annotations

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
    from ..programs import run_program

    seconds = graph.limits.program_seconds
    picture = run_program(["dot", "-Tsvg"], dot_text(graph).encode("utf-8"), seconds, _HINT)
    return picture.decode("utf-8", "replace")
