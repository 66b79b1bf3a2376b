"""The names in a template of Go: its variables, and the templates that it defines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from ...answers.mentions import Mention, Thing, file_of
from ...engine.run import Context
from ...formats.remedies import Edit, requoted
from ...values.diagnostics import Diagnostics
from ...values.document import Document
from ...values.source import Span
from .engine import Program, compile_template
from .nodes import Block, Condition, Insert, Pipe, Range, Tree, Variable
from .parser import MAIN

VARIABLE, TEMPLATE = "template variable", "template"
NAMING: Final = {
    VARIABLE: (r"\$[A-Za-z_]\w*", "`$`, then letters, digits and `_`"),
    TEMPLATE: (r"[^\"`\\\n]+", "all characters but quotes and backslashes"),
}
_DEFINED: Final = re.compile(r"(?:define|block)[ \t\r\n]+(\"(?:[^\"\\]|\\.)*\"|`[^`]*`)")


def mentions(document: Document, context: Context) -> Iterator[Mention]:
    """The names in a template that is not read yet.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    quiet = context.evolve(diagnostics=Diagnostics(context.limits.max_diagnostics, context.quoting))
    program = compile_template(document.source, context.functions, quiet)
    if program is not None:
        yield from names_in(program, context)


def names_in(program: Program, context: Context) -> Iterator[Mention]:
    """The names in a template."""
    for name, block in program.tree.items():
        if name != MAIN:
            yield from _defined(program, name, block)
    for block in program.tree.values():
        yield from _Scopes(program, context).block(block)


def _template(program: Program, name: str, start: int, end: int, whole: Span | None) -> Mention:
    span = program.text.span(start, end)
    thing = Thing(file_of(program.text), TEMPLATE, name)

    def write(new: str) -> Edit | None:
        shown = span.source.text[span.start : span.end]
        if shown == f"`{name}`":
            return Edit(span, f"`{new}`")
        if shown == f'\\"{name}\\"':
            return Edit(span, f'\\"{new}\\"')
        inside = requoted(shown, name, new)
        return Edit(span, inside) if inside is not None else None

    return Mention(span, thing, whole is not None, write, whole)


def _defined(program: Program, name: str, block: Block) -> Iterator[Mention]:
    text = program.text.text
    begin = text.rfind("{{", 0, block.start)
    found = _DEFINED.search(text, max(begin, 0), block.start)
    if found is not None and found[1][1:-1] == name:
        start, end = found.span(1)
        last = max((one.end for one in block.nodes), default=block.start)
        yield _template(program, name, start, end, program.text.span(start, last))


class _Scopes:
    """The variables that are known at each place of one template."""

    def __init__(self, program: Program, context: Context) -> None:
        self.program = program
        self.work = context.meter.work
        self.known: list[dict[str, Thing]] = []

    def block(self, block: Block) -> Iterator[Mention]:
        """The names in a block, whose variables end with it."""
        self.known.append({})
        for node in block.nodes:
            yield from self._node(node)
        self.known.pop()

    def _node(self, node: Tree) -> Iterator[Mention]:
        self.work(2)
        if isinstance(node, Condition):
            self.known.append({})
            for pipe, inner in node.branches:
                yield from self._pipe(pipe)
                yield from self.block(inner)
            if node.otherwise is not None:
                yield from self.block(node.otherwise)
            self.known.pop()
        elif isinstance(node, Range):
            self.known.append({})
            yield from self._pipe(node.pipe)
            yield from self.block(node.body)
            if node.otherwise is not None:
                yield from self.block(node.otherwise)
            self.known.pop()
        elif isinstance(node, Insert):
            yield _template(self.program, node.name, *node.named, None)
            if node.pipe is not None:
                yield from self._pipe(node.pipe)
        else:
            for child in node.children():
                if isinstance(child, Pipe):
                    yield from self._pipe(child)

    def _pipe(self, pipe: Pipe) -> Iterator[Mention]:
        for command in pipe.commands:
            for operand in command.operands:
                yield from self._operand(operand)
        for variable in pipe.names:
            if not pipe.assigns:
                span = self.program.text.span(variable.start, variable.end)
                scope = f"{file_of(self.program.text)}@{span.start}"
                self.known[-1][variable.name] = Thing(scope, VARIABLE, variable.name)
            yield from self._variable(variable, not pipe.assigns)

    def _operand(self, node: Tree) -> Iterator[Mention]:
        self.work(1)
        if isinstance(node, Pipe):
            yield from self._pipe(node)
        elif isinstance(node, Variable):
            yield from self._variable(node, False)
        else:
            for child in node.children():
                yield from self._operand(child)

    def _variable(self, node: Variable, defines: bool) -> Iterator[Mention]:
        thing = next((known[node.name] for known in self.known[::-1] if node.name in known), None)
        span = self.program.text.span(node.start, node.start + len(node.name))
        if thing is not None and span.exact:
            yield Mention(span, thing, defines, partial(Edit, span), span if defines else None)
