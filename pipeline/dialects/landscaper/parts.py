"""The files of a blueprint's folder, which no path and no link leaves."""

from __future__ import annotations

from ...engine.run import Context
from ...values.source import Source
from ...values.tree import AnyNode, Scalar
from ...world.files import FileProblem, Files, decode_text
from ..gotemplate.places import TemplateText
from .recognition import QUOTES
from .supplied import report_problem


def text_in(node: Scalar) -> TemplateText:
    """The template that a scalar is."""
    return TemplateText(node.trail.source, node.start, node.end, str(node.value))


class Parts:
    """The files below the root of one blueprint; `/` at the beginning of a path is that root.

    `prefix` stands before their names in reports.
    """

    def __init__(self, files: Files, folder: str, context: Context, prefix: str = "") -> None:
        self.files = files
        self.folder = folder
        self.prefix = prefix
        self._context = context
        self._sources: dict[str, Source] = {}

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

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            FileProblem: it may not or cannot be read.
        """
        return self.files.read(self.path(path), self.folder)

    def source(self, path: str) -> Source:
        """A file as a text that reports may quote, the same object each time.

        Raises:
            FileProblem: it may not or cannot be read, or is no text.
        """
        inner = self.path(path)
        found = self._sources.get(inner)
        if found is None:
            shown = self.prefix + self.files.shown(inner, self.folder)
            text = decode_text(self.files.read(inner, self.folder), shown)
            found = Source(shown, text, "yaml", self.files.resolve(inner, self.folder))
            self._sources[inner] = found
            quoting = self._context.quoting
            if not self.prefix or quoting.without_values(text) == text:  # else a template wrote it
                quoting.admit(found, QUOTES)
        return found

    def named(self, node: AnyNode) -> Source | None:
        """The file that a node names, as a text; None after a problem, which is reported there."""
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            self._context.diagnostics.error("field_type", node.span, "`file` must be a string")
            return None
        try:
            return self.source(node.value)
        except FileProblem as problem:
            report_problem(problem, self._context, node.span)
            return None
