"""A language: splits strings into templates, and writes templates as strings.

A dialect supplies the delimiters, the grammar and the printer; caching, guards and places are the
same for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ...functions.regexes import compile_regex
from ..values.expression import (
    Expression,
    Reference,
    Segment,
    Segments,
    Shape,
    Substitution,
    Traits,
    parts,
)
from ..values.settings import Limits, how_to_raise
from ..values.source import Span
from ..values.tree import Template
from .errors import LanguageError
from .meter import Meter
from .syntax import HOLE, Syntax

_STEPS_A_MISTAKE: Final = 60  # of looking for its place
_STEPS_A_CHAR: Final = 5  # of a shape, which the parser would need
_PLAIN: Final = compile_regex(r"[\w.\[\]-]+").fullmatch
"""Finds texts of names and references alone, which cost a step for each character."""


class Shapes(dict[str, Shape]):
    """The shapes that a run knows by their texts, and the strings that it has split with them.

    `way` is the syntax and the limits that these strings were split with.
    """

    def __init__(
        self, shapes: Mapping[str, Shape], way: tuple[Syntax, Limits], splits: dict[str, Segments]
    ) -> None:
        super().__init__(shapes)
        self.way = way
        self.splits = splits


class Language:
    """A syntax with its caches; made once per run and shared by the run's documents.

    `shapes` are known from earlier runs. What a run sees for the first time costs steps of `meter`,
    whoever knows its tree, so that what fits does not depend on earlier runs. `parses` counts the
    texts that were given to the parser, `ready` those whose trees were known without it.
    """

    def __init__(
        self,
        syntax: Syntax,
        limits: Limits,
        shapes: Mapping[str, Shape] | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.syntax = syntax
        self.opener = syntax.opener
        self.go_style = syntax.go_style
        self.lead = len(syntax.opener) if syntax.lead is None else syntax.lead
        self.limits = limits
        self.meter = meter
        self._holes = {1: (syntax.hole, syntax.unquote), **syntax.holes}
        self.parses = 0
        self.ready = 0
        self._splits: dict[str, Segments] = {}
        self._traits: dict[tuple[Shape, ...], Traits] = {}
        self._readings: dict[str, tuple[Shape, tuple[Any, ...]]] = {}
        way = syntax, limits
        self._before: Mapping[str, Segments] = {}
        if isinstance(shapes, Shapes) and shapes.way[0] is syntax and shapes.way[1] == limits:
            self._before = shapes.splits
        self.shapes = Shapes(shapes or {}, way, self._splits)
        self._charged: set[str] = set()
        self._broken: dict[str, LanguageError] = {}
        self._trees: dict[tuple[str, int], Expression] = {}
        self._short = min(limits.max_expression_depth, limits.max_expression_chars)

    def used(self) -> Shapes:
        """The shapes that this run has used, without those that it only knew."""
        shapes = self.shapes
        names = [name for name in (*self._charged, *self._readings) if name in shapes]
        found = {name: shapes[name] for name in names}
        return Shapes(found, shapes.way, self._splits)

    def split(self, text: str) -> Segments:
        """Text and substitutions of a string, in order; equal texts give the same tuple.

        Raises:
            LanguageError: for the first substitution that cannot be parsed.
        """
        found = self._splits.get(text)
        if found is None:
            found = self._before.get(text)
            if found is None or not self._count_again(found):
                found = self._split(text)
            self._splits[text] = found
        return found

    def _count_again(self, segments: Segments) -> bool:
        """Whether an earlier run has split a string of references alone, which cost as much now."""
        substitutions = segments.substitutions
        if not substitutions or self.syntax.holes:
            return False
        for one in substitutions:
            inner = one.inner
            if inner is None or one.shape.expression.__class__ is not Reference:
                return False
            if _PLAIN(inner) is None:
                return False
        for one in substitutions:
            if one.inner not in self._readings:
                self._readings[one.inner] = one.shape, ()
                if self.meter is not None:
                    self.meter.work(len(one.inner))
        return True

    def _split(self, text: str) -> Segments:
        opener, match_whole, readings = self.opener, self.syntax.whole.match, self._readings
        segments: list[Segment] = []
        substitutions: list[Substitution] = []
        position = 0
        start = text.find(opener)
        cut = self.syntax.cut
        if cut is not None:
            segments, position, start = cut(self, text), len(text), -1
            substitutions = [part for part in segments if isinstance(part, Substitution)]
        while start >= 0:
            match = match_whole(text, start)
            if match is None:
                raise self.syntax.unreadable(text, start)
            if start > position:
                segments.append(text[position:start])
            position = match.end()
            inner = match[1]
            reading = readings.get(inner)
            if reading is None:
                reading = readings[inner] = self._read(inner, start)
            substitution = Substitution(reading[0], reading[1], start, position, inner)
            segments.append(substitution)
            substitutions.append(substitution)
            start = text.find(opener, position)
        if position < len(text):
            segments.append(text[position:])
        if len(segments) > self.limits.max_substitutions:
            raise LanguageError(
                "limit_exceeded",
                f"a string may hold {self.limits.max_substitutions} substitutions and texts "
                "(`max_substitutions`)",
                0,
                len(text),
                how_to_raise("max_substitutions", self.limits),
            )
        found = Segments(segments)
        found.substitutions = tuple(substitutions)
        if cut is not None:
            found.verbatim = True
            return found
        if len(substitutions) == 1:
            found.traits = substitutions[0].shape.traits
            return found
        shapes = tuple([substitution.shape for substitution in substitutions])
        traits = self._traits.get(shapes)
        if traits is None:
            traits = self._traits[shapes] = Traits(shapes)
        found.traits = traits
        return found

    def read(self, inner: str, start: int) -> tuple[Shape, tuple[Any, ...]]:
        """The shape of a substitution that begins at `start`, and the values for its holes.

        For syntaxes that split strings themselves, whose trees may grow without brackets: here the
        depth of the tree is checked.

        Raises:
            LanguageError: when it cannot be read, or is too long or deep.
        """
        found = self._readings.get(inner)
        if found is None:
            found = self._readings[inner] = self._read(inner, start)
        if found[0].expression.__class__ is not Reference:
            begin = start + self.lead
            self.hold_depth(found[0], begin, begin + len(inner))
        return found

    def alone(self, text: str) -> Segments:
        """A text that is one expression without delimiters, as a string with a substitution.

        Raises:
            LanguageError: when it cannot be read, or is too long or deep.
        """
        shape, literals = self.read(text, -self.lead)
        return Segments((Substitution(shape, literals, -self.lead, len(text), text),))

    def hold_depth(self, shape: Shape, start: int, end: int) -> None:
        """Refuse a tree that is too deep to be evaluated.

        Raises:
            LanguageError: `limit_exceeded`, for the text from `start` to `end`.
        """
        if not self.syntax.bounded and shape.depth > self.limits.max_expression_depth:
            raise self._too_deep(start, end)

    def _too_deep(self, start: int, end: int) -> LanguageError:
        limits = self.limits
        return LanguageError(
            "limit_exceeded",
            f"expressions may be nested {limits.max_expression_depth} deep "
            "(`max_expression_depth`)",
            start,
            end,
            "put parts of it into values of their own, or "
            + how_to_raise("max_expression_depth", limits),
        )

    def _read(self, inner: str, start: int, keyed: bool = True) -> tuple[Shape, tuple[Any, ...]]:
        """The shape of a substitution's text and the values for its holes.

        When `keyed`, texts that differ in their keys share what is known of them.
        """
        offset = start + self.lead
        broken = self._broken.get(inner)
        if broken is not None:
            raise broken.moved(offset)
        # the literals of all languages have quotes, but for those that mark others as well
        simple = not self.syntax.holes and _PLAIN(inner) is not None
        keys: dict[Any, str] = {}
        skeleton, literals = (inner, ()) if simple else self._bare(inner, keys if keyed else None)
        # also when the shape is known: what is valid must not depend on what was read before
        if len(inner) > self._short:
            self._check_size(len(skeleton), inner, offset)
        if simple:
            if self.meter is not None:
                self.meter.work(len(inner))
        else:
            self._charge(skeleton)
        shape = self.shapes.get(skeleton)
        if shape is None or not shape.is_sound(len(literals)):
            known = self.syntax.known(skeleton) if self.syntax.known is not None else None
            place: int | None = None
            if known is not None:
                self.ready += 1
            else:
                found: LanguageError | None = None
                try:
                    known = self._parse(skeleton, offset, bool(literals))
                    if not literals and not keys:  # the shape is the text
                        place = offset
                except LanguageError as error:
                    found = error.with_traceback(None)
                if found is not None and keys:  # what is valid may depend on them
                    return self._read(inner, start, False)
                if found is not None:
                    if skeleton != inner:
                        self._charge(inner)
                    raise self._mistake(inner, offset, found)
            assert known is not None
            shape = Shape(known, place)
            # whatever keeps shapes recurses on them, and not all nesting has brackets
            if known.__class__ is Reference or shape.depth <= self.limits.max_expression_depth:
                self.shapes[skeleton] = shape
        return shape.with_keys(keys) if keys else shape, literals

    def _bare(self, inner: str, keys: dict[Any, str] | None) -> tuple[str, tuple[Any, ...]]:
        """The text of a shape, and the values for its holes; `keys` gets what is in brackets."""
        literals: list[Any] = []
        holes, brackets = self._holes, self.syntax.keys

        def open_hole(match: re.Match[str]) -> str:
            group = match.lastindex
            if group is None or (group in brackets and keys is None):
                return match.group()
            if group in brackets:
                assert keys is not None
                key = f"{HOLE}{len(keys)}"
                keys[key] = match.group(group)
                return f'["{key}"]'
            hole, value = holes[group]
            literals.append(value(match.group(group)))
            return hole

        # what looks like a hole is none: with more than one kind some literals stay in the tree
        foreign = self.syntax.holes and HOLE in inner
        skeleton = inner if foreign else self.syntax.text_literal.sub(open_hole, inner)
        return skeleton, tuple(literals)

    def _mistake(self, inner: str, offset: int, found: LanguageError) -> LanguageError:
        """The mistake in a text, which is kept; `found` is that in its shape.

        No frame keeps what it raises: such circles of errors and frames would stay for the run.
        """
        if self.meter is not None:
            self.meter.work(_STEPS_A_MISTAKE)
        try:
            self._parse(inner, offset)  # has the right places
        except LanguageError as error:
            found = error.with_traceback(None)
        self._broken[inner] = found.moved(-offset)
        return found.moved(0)

    def parse(self, text: str, offset: int = 0) -> Expression:
        """The expression in a text without delimiters; `offset` is added to its positions.

        Raises:
            LanguageError: when it cannot be parsed, or is too long or deep.
        """
        found = self._trees.get((text, offset))
        if found is None:
            self._check_size(len(text), text, offset)
            if self.meter is not None:  # each time, as what does not parse is not kept
                self.meter.work(_STEPS_A_CHAR * len(text))
            found = self._trees[text, offset] = self._parse(text, offset)
        return found

    def _charge(self, text: str) -> None:
        """Counts the steps of a text that this run sees for the first time."""
        if self.meter is not None and text not in self._charged:
            self._charged.add(text)
            self.meter.work(len(text) if _PLAIN(text) is not None else _STEPS_A_CHAR * len(text))

    def _parse(self, text: str, offset: int, shape: bool = False) -> Expression:
        self.parses += 1
        try:
            return self.syntax.parse(text, offset, shape)
        except RecursionError:
            # Only with a limit that was raised beyond what Python's stack holds
            raise LanguageError(
                "limit_exceeded",
                "the expression is nested too deep to be read (`max_expression_depth` is too high)",
                offset,
                offset + len(text),
            ) from None

    def _check_size(self, size: int, text: str, offset: int) -> None:
        """Refuse an expression that is too long or too deep before the parser sees it.

        `size` excludes the content of strings: known data in a residual may have long ones.
        The parser recurses, so depth could overflow the stack; brackets are counted instead.
        """
        longest = self.limits.max_expression_chars
        limit = self.limits.max_expression_depth
        if len(text) <= self._short:
            return
        if size > longest:
            raise LanguageError(
                "limit_exceeded",
                f"a substitution may be {longest} characters long, the content of strings not "
                "counted (`max_expression_chars`)",
                offset,
                offset + len(text),
                how_to_raise("max_expression_chars", self.limits),
            )
        opening, closing = self.syntax.brackets
        if sum(map(text.count, opening)) <= limit:
            return
        depth = 0
        bare = self.syntax.text_literal.sub(lambda match: "_" * len(match.group()), text)
        for position, character in enumerate(bare):
            if character in opening:
                depth += 1
                if depth > limit:
                    raise self._too_deep(offset + position, offset + position + 1)
            elif character in closing:
                depth -= 1

    def exact(self, substitution: Substitution) -> Expression:
        """The tree of a substitution as written, with real literals and positions."""
        if substitution.inner is None:
            tree: Expression = substitution.shape.expression
            return tree
        offset = substitution.start + self.lead
        shape = substitution.shape
        if shape.place == offset and not substitution.literals:
            found: Expression = shape.expression
            return found
        return self.syntax.parse(substitution.inner, offset, False)

    def locate(self, template: Template, substitution: Substitution, node: object) -> Span:
        """Where a node of a substitution's shape is written; the whole template when unknown."""
        if template.text is None or substitution.inner is None:
            return template.span
        return self.place(template, *self.offsets_of(substitution, node))

    def offsets_of(self, substitution: Substitution, node: object) -> tuple[int, int]:
        """The offsets of a node of a substitution's shape; all of the substitution when unknown.

        The node may be an argument that has a name: the name is what counts.
        """
        if node is not None:
            pairs = zip(
                parts(substitution.shape.expression), parts(self.exact(substitution)), strict=False
            )
            for mine, written in pairs:
                if mine is node:
                    return written.start, written.end
        return max(substitution.start, 0), substitution.end

    def place(self, template: Template, start: int, end: int) -> Span:
        """The place in the source of a part of a template's text."""
        source = template.trail.source
        if template.text is None:
            return template.span
        from ..values.positions import span_in_scalar  # for mistakes only

        return span_in_scalar(source, template.start, template.end, template.text, start, end)

    def protect(self, text: str) -> str:
        """Known text, escaped so that it is never read as a substitution."""
        if self.syntax.protect is not None:
            return self.syntax.protect(text)
        return text.replace(self.opener, self.syntax.protected)

    def show(self, substitution: Substitution) -> str:
        """A substitution as text, with its delimiters, in canonical form."""
        expression = self.written(substitution)
        if self.syntax.write is not None:
            return self.syntax.write([expression])
        return self.opener + self.syntax.show(expression) + self.syntax.closer

    def written(self, substitution: Substitution) -> Expression:
        """The tree of a substitution with its literals, without their places when it has none."""
        if substitution.literals:
            return self.exact(substitution)
        tree: Expression = substitution.shape.expression
        return tree

    def template(self, node: Template) -> str:
        """A template as text: as written, or printed when a stage made it."""
        if node.text is not None:
            only = node.segments[0]
            if len(node.segments) == 1 and isinstance(only, Substitution):
                return node.text[only.start : only.end]  # without the line breaks of a block
            return node.text
        if self.syntax.write is not None:
            return self.syntax.write(
                [part if isinstance(part, str) else self.written(part) for part in node.segments]
            )
        return "".join(
            self.protect(segment) if isinstance(segment, str) else self.show(segment)
            for segment in node.segments
        )
