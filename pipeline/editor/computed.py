"""What the substitutions of a text are worth in a finished run, with masks for secrets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice
from json import dumps
from typing import Any, Final

from ...functions.record import Record, field
from ...functions.values import FunctionError
from ..answers.explanation import KNOWN, NONE_VALUE, PARTLY, SECRET, UNUSED, UnknownPath
from ..answers.inspection import inspection_of, top_level
from ..answers.levels import Level
from ..answers.paths import Path
from ..answers.tracing import ABSENT
from ..answers.unknowns import list_unknowns
from ..answers.values import status_of
from ..engine.materialisation import MASK
from ..engine.run import Run
from ..engine.string_evaluation import as_written, plain_value
from ..language.errors import Failure
from ..values.expression import Hole, Literal, Segments, Substitution
from ..values.source import Source
from ..values.terminal import shorten, visible
from ..values.tree import Template, templates_at
from .places import span_in

SHOWN: Final = 40
"""Characters of a value that stand beside an expression."""

_LONGEST: Final = 2_000
_INSTANCES: Final = 12
"""Instances of one text that are looked at."""


class Worth(Record, eq=False):
    """What a part of a text is worth: a `status` of `answers.explanation`, and its value.

    `start` and `end` are offsets in the text. `values` are those of the instances that the part
    has, a secret masked, as far as they are looked at; `count` is the number of all. Values are
    plain data, or a `Printed` text.
    """

    start: int
    end: int
    status: str
    values: tuple[Any, ...] = field(default=(), repr=False)
    count: int = 1

    @property
    def short(self) -> str:
        """The value on one short line, empty for none that is known."""
        if not self.values or self.status not in (KNOWN, NONE_VALUE, SECRET, PARTLY):
            return ""
        text = one_line(self.values[0])
        if len(set(map(one_line, self.values))) > 1 or self.count > len(self.values):
            return f"{text}  \u00d7{self.count}" if self.count > 1 else text
        return text


class Printed(str):
    """A text as a template printed it."""

    __slots__ = ()


class _Spot(Record, eq=False):
    """A template of a text and its places in the documents of a run."""

    template: Template
    uses: list[tuple[Level, Path]]


class Computed:
    """The values of a run of `source` by the texts that they are written in.

    `open` says that inputs were left open.

    One thread at a time may ask: what a run computes once must not be asked for while it does.
    """

    def __init__(self, run: Run, source: Source, open_: bool = False) -> None:
        self.run = run
        self.source = source
        self.open = open_

    @cached_property
    def level(self) -> Level:
        """What answers questions about the run."""
        return top_level(self.run)

    @cached_property
    def _spots(self) -> Mapping[str, tuple[Source, list[int], list[_Spot]]]:
        """The templates of each text in their order, and the offsets at which they begin."""
        found: dict[str, tuple[Source, dict[int, _Spot]]] = {}
        for level in self.level.all():
            for path, template in templates_at(level.base):
                source = template.trail.source
                _, spots = found.setdefault(_key(source), (source, {}))
                spots.setdefault(template.start, _Spot(template, [])).uses.append((level, path))
        return {
            key: (source, starts, [spots[start] for start in starts])
            for key, (source, spots) in found.items()
            for starts in [sorted(spots)]
        }

    @cached_property
    def _printed(self) -> Mapping[str, tuple[Source, dict[tuple[int, int], list[str]]]]:
        """What each place of a text printed, where templates are in no tree."""
        found: dict[str, tuple[Source, dict[tuple[int, int], list[str]]]] = {}
        answer = inspection_of(self.run.dialect).printed
        for span, text in answer(self.run) if answer is not None else ():
            _, places = found.setdefault(_key(span.source), (span.source, {}))
            places.setdefault((span.start, span.end), []).append(text)
        return found

    @cached_property
    def _unknowns(self) -> Mapping[tuple[str, int], list[UnknownPath]]:
        """The unknown values that templates need, by text and the offset of the template."""
        found: dict[tuple[str, int], list[UnknownPath]] = {}
        for one in list_unknowns(self.run):
            for span in one.spans:
                found.setdefault((_key(span.source), span.start), []).append(one)
        return found

    def unknowns_at(self, source: Source, offset: int) -> list[UnknownPath]:
        """The unknown values that the template around an offset needs."""
        known = self._spots.get(_key(source))
        if known is None:
            return []
        at = bisect_left(known[1], offset + 1) - 1
        return self._unknowns.get((_key(source), known[1][max(at, 0)]), [])

    def read(self, path: str) -> Source | None:
        """The text of a file as the run read it; None for one without substitutions."""
        known = self._spots.get(path) or self._printed.get(path)
        return known[0] if known is not None else None

    def between(self, source: Source, start: int, end: int, most: int) -> list[Worth]:
        """What the substitutions in a range of a text are worth, at most so many."""
        return [*islice(self._between(source, start, end), most)]

    def _between(self, source: Source, start: int, end: int) -> Iterator[Worth]:
        known = self._spots.get(_key(source))
        if known is not None:
            _, starts, spots = known
            first = max(bisect_left(starts, start) - 1, 0)
            for spot in spots[first:]:
                if spot.template.start > end:
                    break
                for one in spot.template.segments.substitutions:
                    yield self._worth(spot, one)
        printed = self._printed.get(_key(source))
        for place, texts in sorted(printed[1].items()) if printed is not None else ():
            if start <= place[1] and place[0] <= end:
                values = tuple(map(Printed, texts[:_INSTANCES]))
                yield Worth(*place, KNOWN, values, len(texts))

    def template_at(self, source: Source, offset: int) -> tuple[Template, Level, Path] | None:
        """The template at an offset of a text, with the first of its places in the documents."""
        known = self._spots.get(_key(source))
        if known is None:
            return None
        _, starts, spots = known
        at = bisect_left(starts, offset + 1) - 1
        if at < 0 or spots[at].template.end < offset:
            return None
        found = next(_instances(spots[at].uses[:1]), None) or spots[at].uses[0]
        return spots[at].template, *found

    def ask(self, question: Any) -> Any:
        """The answer of a function that asks the run; None when a limit is reached."""
        try:
            return question()
        except (Failure, FunctionError):
            return None

    def _worth(self, spot: _Spot, one: Substitution) -> Worth:
        """What one substitution of a template is worth at all of its places."""
        template = spot.template
        span = span_in(template, one.start, one.end)
        place = span.start, span.end
        if not span.exact or one.shape.expression.__class__ in (Literal, Hole):
            return Worth(*place, UNUSED)
        alone = Template(
            Segments((one,)), template.text, template.trail, template.start, template.end
        )
        needs_each = template.segments.needs_element
        found: list[tuple[str, Any]] = []
        count = 0
        for level, path in spot.uses:
            paths = level.instances(path)
            count += len(paths) if needs_each else min(len(paths), 1)
            for at in paths[: _INSTANCES if needs_each else 1]:
                if len(found) < _INSTANCES:
                    found.append(self.value(level, at, alone))
        if not found:
            return Worth(*place, UNUSED)
        shown = tuple(value for status, value in found if status != UNUSED)
        return Worth(*place, found[0][0], shown, count)

    def value(self, level: Level, path: Path, alone: Template) -> tuple[str, Any]:
        """The status of a template and its value as plain data, masked; asked by `ask`."""
        try:
            value = level.traced(path, alone).value
            if value is ABSENT:
                return UNUSED, None
            status = status_of(value)
            if status == SECRET or level.is_secret(path):
                return SECRET, MASK
            if status in (KNOWN, PARTLY):
                return status, self._plain(value, status, level)
        except (Failure, FunctionError):
            return UNUSED, None
        return status, None

    def _plain(self, value: Any, status: str, level: Level) -> Any:
        semantics = level.run.dialect.semantics if level.run.dialect is not None else None
        if status == KNOWN and semantics is not None and semantics.plain is not None:
            value = semantics.plain(value)
        value = plain_value(value, level.language, MASK)
        finished = semantics is not None and semantics.finished is not None
        return as_written(value) if finished else value


def _instances(uses: Iterable[tuple[Level, Path]]) -> Iterator[tuple[Level, Path]]:
    for level, path in uses:
        for one in level.instances(path)[:1]:
            yield level, one


def _key(source: Source) -> str:
    return source.path or source.name


def one_line(value: Any, most: int = SHOWN) -> str:
    """A value on one short line of visible characters, texts without quotes."""
    if value is None:
        return "none"
    text = value if isinstance(value, str) else as_text(value)
    if isinstance(value, str) and (not text.strip() or text != text.strip()):
        text = dumps(text[: 2 * most], ensure_ascii=False)
    return shorten(visible(text[: 2 * most].replace("\n", "\\n")), most)


def as_text(value: Any) -> str:
    """A value in full: a text as it is, other values as JSON."""
    if isinstance(value, str):
        return value
    return shorten(dumps(value, ensure_ascii=False, default=str), _LONGEST)


class Shift:
    """Where what stands in one version of a text stands in another one, as far as it is sure."""

    def __init__(self, old: str, new: str) -> None:
        self._size, self._grown = len(old), len(new) - len(old)
        most = min(len(old), len(new))
        self._same = old == new
        self._before = most if self._same else _alike(old, new, most)
        self._after = 0 if self._same else _alike_at_the_end(old, new, most - self._before)

    def nearest(self, offset: int, early: bool) -> int:
        """Where an offset stands in the other text, or the begin or end of what was changed."""
        found = self.place(offset, offset)
        if found is not None:
            return found[0]
        return self._before if early else self._size + self._grown - self._after

    def place(self, start: int, end: int) -> tuple[int, int] | None:
        """The same range in the other text; None where that was changed."""
        if self._same or end <= self._before:
            return start, end
        if start >= self._size - self._after:
            return start + self._grown, end + self._grown
        return None


_BLOCK: Final = 8_192
"""Characters that are compared at once."""


def _alike(old: str, new: str, most: int) -> int:
    """How many characters two texts have in common at their beginning, at most so many."""
    at = 0
    while at < most and new.startswith(old[at : min(at + _BLOCK, most)], at):
        at = min(at + _BLOCK, most)
    while at < most and old[at] == new[at]:
        at += 1
    return at


def _alike_at_the_end(old: str, new: str, most: int) -> int:
    """The same at their ends."""
    at = 0
    while at < most:
        size = min(_BLOCK, most - at)
        if not new.endswith(old[len(old) - at - size : len(old) - at], 0, len(new) - at):
            break
        at += size
    while at < most and old[-at - 1] == new[-at - 1]:
        at += 1
    return at
