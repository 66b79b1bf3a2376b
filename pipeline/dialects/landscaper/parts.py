"""The files of a blueprint's folder, which no path and no link leaves."""

from __future__ import annotations

from ...engine.run import Context
from ...values.positions import InnerSource
from ...values.source import Source
from ...values.tree import AnyNode, Scalar
from ...world.files import FileProblem, Files
from ..gotemplate.environment import Folder
from .recognition import QUOTES
from .supplied import report_problem


def text_in(node: Scalar) -> Source:
    """The text that a scalar is."""
    outer = node.trail.source
    return InnerSource(
        outer.name, str(node.value), "yaml", outer=outer, start=node.start, end=node.end
    )


class Parts(Folder):
    """The files below the root of one blueprint; `/` at the beginning of a path is that root."""

    def __init__(self, files: Files, folder: str, context: Context, prefix: str = "") -> None:
        super().__init__(context, folder, prefix, QUOTES)
        self.files = files

    def path(self, path: str) -> str:
        """A path without `.` and `..`, relative to the root.

        Raises:
            FileProblem: a link leads out of the folder.
        """
        kept: list[str] = []
        for part in path.split("/"):
            if part == "..":
                kept = kept[:-1]
            elif part not in ("", "."):
                kept.append(part)
        made = "/".join(kept)
        real, root = self.files.resolve(made or ".", self.folder), self.files.resolve(self.folder)
        if real != root and not real.startswith(root.rstrip("/") + "/"):
            summary = f"`{path}` is a link that leads out of the blueprint's folder"
            raise FileProblem("file_not_allowed", summary, "copy what it leads to into the folder")
        return made

    def named(self, node: AnyNode) -> Source | None:
        """The file that a node names, as a text; None after a problem, which is reported there."""
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            self.context.diagnostics.error("field_type", node.span, "`file` must be a string")
            return None
        try:
            return self.source(node.value)
        except FileProblem as problem:
            report_problem(problem, self.context, node.span)
            return None
