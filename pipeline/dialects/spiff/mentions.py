"""The names in a template of Spiff: keys, and the references that find them in the maps around."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...answers.mentions import Mention, Thing, file_of, item_mention, key_defines
from ...engine.run import Context, Pipeline
from ...formats.remedies import Edit
from ...language.errors import LanguageError
from ...values.diagnostics import Diagnostics
from ...values.document import Document
from ...values.expression import Reference, walk
from ...values.tree import AnyNode, Array, Map, Scalar, Template
from .cells import Run
from .syntax import OPENER, inner

KIND = "key"


def mentions(document: Document, context: Context) -> Iterator[Mention]:
    """The names in a template that is not read yet.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    quiet = context.evolve(diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting))
    Pipeline(context.pipeline.stages[:1]).last(document, quiet)
    run = quiet.work.find(Run)
    if run is not None:
        yield from _Keys(quiet, file_of(document.source)).inside(run.template, ())


class _Keys:
    """The keys of a template; one is found by references in its map and below it."""

    def __init__(self, context: Context, file: str) -> None:
        self.context = context
        self.file = file

    def inside(self, node: AnyNode, around: tuple[Map, ...]) -> Iterator[Mention]:
        """The names in a node; `around` are the maps that it is in, the innermost last."""
        self.context.meter.work(2)
        if isinstance(node, Map):
            for key, child in node.items.items():
                if not key.startswith("<<"):
                    yield key_defines(node, key, self._thing(node, key))
                yield from self.inside(child, (*around, node))
        elif isinstance(node, Array):
            for child in node.items:
                yield from self.inside(child, around)
        elif isinstance(node, Scalar) and isinstance(node.value, str):
            yield from self._expression(node, node.value, around)

    def _thing(self, holder: Map, key: str) -> Thing:
        return Thing(f"{self.file}@{holder.start}", KIND, key)

    def _expression(self, node: Scalar, text: str, around: tuple[Map, ...]) -> Iterator[Mention]:
        body = inner(text)
        language = self.context.language
        if body is None:
            return
        try:
            tree = language.parse(body, len(OPENER))
            segments = language.alone(body)
        except LanguageError:
            return
        template = Template(segments, text, node.trail, node.start, node.end)
        for part in walk(tree):
            if not isinstance(part, Reference):
                continue
            items = [*([part.root] if part.root else []), *map(str, part.path)]
            above = around if part.root else around[:1]  # a dot in front: from the root on
            holder = next((one for one in above[::-1] if items and items[0] in one.items), None)
            written = part if part.root else Reference("", part.path, True, part.start, part.end)
            for number, name in enumerate(items, -1 if part.root else 0):
                if holder is None or name not in holder.items:
                    break
                thing = self._thing(holder, name)
                found = item_mention(language, template, written, number, thing)
                if found is not None:
                    yield found.evolve(write=partial(Edit, found.span))
                child = holder.items[name]
                holder = child if isinstance(child, Map) else None
