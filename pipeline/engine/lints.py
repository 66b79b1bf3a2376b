"""Lints: remarks on documents that render, and the rules for which of them are told.

A dialect brings lints (`Dialect.lints`); only `check` looks for them. `Rules`, and comments such as
`# bpp: ignore unused_variable`, apply to all diagnostics but errors, whoever found them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Final

from ...functions.record import Record, field
from ...functions.regexes import compile_regex
from ..values.diagnostics import (
    ERROR,
    NOTE,
    REMOVE,
    WARNING,
    Diagnostic,
    Diagnostics,
    Note,
    Remedy,
    did_you_mean,
    likely,
    meant,
)
from ..values.document import Document
from ..values.source import Source, Span
from ..values.tree import AnyNode, Array, Map, Scalar, Template
from .run import Context

ALL: Final = "all"
"""Stands for every code in rules."""

OFF: Final = "off"
"""The level of a lint that is told, as a warning, only when rules name its code."""


class Finding(Record):
    """What a lint found: one of its codes, the place, a sentence and a hint."""

    code: str
    span: Span
    summary: str
    hint: str | None = None
    notes: tuple[Note, ...] = ()


class Lint(Record):
    """Lints that are found in one pass over a document: their codes, and the levels of those.

    A level is that of a diagnostic, or `OFF`. `find` gets a document as it was read, and the
    `Reading` that it is part of. A document with errors is one for it only if it is `lenient`: it
    knows itself what errors leave in doubt.
    """

    levels: Mapping[str, str]
    find: Callable[[Document, Reading], Iterable[Finding]]
    lenient: bool = False


class Reading(Record, eq=False):
    """The documents that one check has read, by their real paths, and its context."""

    context: Context
    documents: Mapping[str, Document]
    known: dict[tuple[int, frozenset[str]], tuple[AnyNode, list[Text]]] = field(factory=dict)

    def strings(self, node: AnyNode, without: Collection[str] = ()) -> list[Text]:
        """The strings in a node with the keys that they are under, but for those under some keys.

        Raises:
            FunctionError: `limit_exceeded`.
        """
        mark = id(node), frozenset(without)
        if mark not in self.known:
            self.known[mark] = node, [*self._strings(node, without)]
        return self.known[mark][1]

    def _strings(self, node: AnyNode, without: Collection[str]) -> Iterator[Text]:
        work = self.context.meter.work
        stack: list[Iterator[Text]] = [iter([("", node)])]
        while stack:
            for key, child in stack[-1]:
                if key in without:
                    continue
                if type(child) is Scalar:
                    if type(child.value) is str:
                        yield key, child
                elif type(child) is Template:
                    yield key, child
                elif isinstance(child, (Map, Array)):
                    work(len(child.items))
                    stack.append(_inside(key, child))
                    break
            else:
                stack.pop()


def _inside(key: str, node: Map | Array) -> Iterator[Text]:
    return iter(node.items.items()) if isinstance(node, Map) else zip(repeat(key), node.items)


Text = tuple[str, AnyNode]


class Rules(Record):
    """Which diagnostics are told, and how.

    Without `select` all are, but for those to `ignore`; `warn_as_error` makes errors of others.
    Each has codes, or `all`, which leaves out the lints that are off. Errors are told in any case.
    `known` gives all codes there are, for comments that name others; without it none is unknown.
    """

    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    warn_as_error: frozenset[str] = frozenset()
    known: Callable[[], Collection[str]] | None = field(default=None, repr=False)

    def wants(self, code: str) -> bool:
        """True for a code whose warnings and notes are told."""
        if self.ignore & {code, ALL}:
            return False
        return not self.select or bool(self.select & {code, ALL})

    def applied(self, item: Diagnostic) -> Diagnostic | None:
        """A diagnostic as it is told, or None."""
        if item.severity == ERROR:
            return item
        if not self.wants(item.code):
            return None
        return item.evolve(severity=ERROR) if self.warn_as_error & {item.code, ALL} else item


def linted(context: Context, rules: Rules) -> Diagnostics:
    """What a check has found, and the lints of the documents that it read, under rules.

    A document with errors has lenient lints alone: what is not used may only be misspelt.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    found = context.diagnostics
    documents = {one.source.path or one.source.name: one for one in context.documents or ()}
    wrong = {item.span.source.name for item in found if item.severity == ERROR and item.span}
    whole = not any(item.severity == ERROR and item.span is None for item in found)
    reading = Reading(context, documents)
    lints = context.dialect.lints() if context.dialect.lints is not None else ()
    off = {code for lint in lints for code, level in lint.levels.items() if level == OFF}
    rules = rules.evolve(ignore=rules.ignore | (off - rules.select - rules.warn_as_error))
    for document in documents.values() if whole else ():
        for lint in lints:
            fits = lint.lenient or document.source.name not in wrong
            if fits and any(map(rules.wants, lint.levels)):
                _look(lint, document, reading, found)
    kept = Diagnostics(context.limits.max_diagnostics, context.quoting)
    for item in _not_ignored(context, rules):
        told = rules.applied(item)
        if told is not None:
            kept.add(told)
    kept.count(found)
    return kept


def _look(lint: Lint, document: Document, reading: Reading, found: Diagnostics) -> None:
    for one in lint.find(document, reading):
        level = lint.levels[one.code]
        severity = WARNING if level == OFF else level
        found.add(Diagnostic(one.code, one.summary, one.span, severity, one.hint, one.notes))


# Comments that ignore a diagnostic on their line, or alone on a line, on the next one.

_MARK: Final = "bpp:"
_COMMENT: Final = compile_regex(
    r"(?P<alone>^[ \t]*+)?(?:(?<![^ \t\r\n])\#|//|/\*)[ \t]*+bpp:[ \t]*+(?P<word>\w++)"
    r"(?P<rest>[^\r\n]*+)",
    re.MULTILINE,
)
_CODES: Final = compile_regex(r"[ \t,\[]*+([A-Za-z][\w-]*+)")
_WORD: Final = "ignore"
_REMOVE: Final = Remedy("remove the comment", action=REMOVE)
_NOTHING: Final = compile_regex(r"[ \t]*+(?:\Z|\#|//)")
_BLOCK: Final = compile_regex(r"[|>][-+0-9]*[ \t]*\Z")


class _Comment:
    """A comment that ignores a code on the lines `first` to `last`."""

    def __init__(self, code: str, span: Span, first: int, last: int) -> None:
        self.code = code
        self.span = span
        self.first = first
        self.last = last
        self.used = False


def _not_ignored(context: Context, rules: Rules) -> Iterator[Diagnostic]:
    """The diagnostics that no comment ignores, and what is wrong with the comments."""
    found = context.diagnostics
    comments: dict[str, list[_Comment]] = {}
    problems: list[Diagnostic] = []
    for source in list(context.quoting.sources):
        if _MARK in source.text and source.name not in comments:
            comments[source.name] = list(_comments(source, context, problems))
    if not comments:
        yield from found
        return
    by_line: dict[tuple[str, int], list[_Comment]] = {}
    for name, listed in comments.items():
        for comment in listed:
            context.meter.work(comment.last - comment.first + 1)
            for line in range(comment.first, comment.last + 1):
                by_line.setdefault((name, line), []).append(comment)
    errors: set[tuple[str, str]] = set()
    for item in found:
        if item.span is None:
            yield item
            continue
        name = item.span.source.name
        ours = [c for c in by_line.get((name, item.span.line), ()) if c.code == item.code]
        for comment in ours:
            comment.used = True
        if item.severity == ERROR:
            errors.add((name, ""))
            errors.update((name, comment.code) for comment in ours)
        if item.severity == ERROR or not ours:
            yield item
        if item.severity == ERROR and ours:
            summary = f"`{item.code}` is an error here, which a comment cannot ignore"
            problems.append(Diagnostic("unused_ignore", summary, ours[0].span, NOTE))
    yield from problems
    known = rules.known() if rules.known is not None else ()
    for name, listed in comments.items():
        for comment in listed:
            if comment.code not in known and known and not comment.used:
                yield _unknown(comment, known)
            elif not comment.used and rules.wants(comment.code) and (name, "") not in errors:
                summary = f"nothing here is told as `{comment.code}`"
                yield Diagnostic("unused_ignore", summary, comment.span, NOTE, _REMOVE)


def _unknown(comment: _Comment, known: Collection[str]) -> Diagnostic:
    summary = f"unknown code `{comment.code}`"
    hint = meant(comment.code, known) or "`bpp explain` tells what a code means"
    return Diagnostic("invalid_ignore", summary, comment.span, WARNING, hint)


def _comments(source: Source, context: Context, problems: list[Diagnostic]) -> Iterator[_Comment]:
    """The comments of a text by their codes; adds what is wrong with their form to `problems`."""
    following = 0
    for match in _COMMENT.finditer(source.text):
        context.meter.work()
        span = Span(source, match.start("word"), match.end("word"))
        if match["word"] != _WORD:
            if likely(match["word"], (_WORD,)):
                summary = f"unknown comment `bpp: {match['word']}`"
                hint: str = did_you_mean(match["word"], _WORD)
                problems.append(Diagnostic("invalid_ignore", summary, span, WARNING, hint))
            continue
        line = source.locate(match.start("word"))[0]
        before = source.text[source.line_starts[line - 1] : match.start("word")]
        first = line
        if match["alone"] is not None:
            if following <= line:
                following = _next_line(source, line, context)
            first = following
        opened = source.line(first) if first != line else before[: before.rfind(_MARK)]
        last = _end_of_block(source, first, opened, context)
        at = 0
        while code := _CODES.match(match["rest"], at):
            at = code.end()
            start = match.start("rest") + code.start(1)
            place = Span(source, start, start + len(code[1]))
            yield _Comment(code[1].replace("-", "_").lower(), place, first, last)
        if not at:
            summary = "a comment that ignores something names its code"
            hint = "write it after the word, as in `bpp: ignore unused_variable`"
            problems.append(Diagnostic("invalid_ignore", summary, span, WARNING, hint))


def _next_line(source: Source, line: int, context: Context) -> int:
    """The next line that is neither blank nor a comment."""
    lines = len(source.line_starts)
    line += 1
    while line < lines and _NOTHING.match(source.line(line)):
        context.meter.work()
        line += 1
    return line


def _end_of_block(source: Source, first: int, opened: str, context: Context) -> int:
    """The last line of the block scalar that a line opens, or that line."""
    text = opened.rstrip(" \t#/*")
    if not _BLOCK.search(text[-8:]):
        return first
    indent = len(opened) - len(opened.lstrip())
    last = first
    while last < len(source.line_starts):
        context.meter.work()
        line = source.line(last + 1)
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            break
        last += 1
    return last
