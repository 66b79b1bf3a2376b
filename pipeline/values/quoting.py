"""What may be quoted of a text: one rule for all commands, reports and dumps.

Nothing is quoted unless who made a source said how (`Quoting.admit`), and unless its text is
recognisably what was expected. So files of variables, state and records, for which nobody says
anything, are never quoted, and neither is a key that a blueprint includes.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ...functions.record import Record
from .source import Source, Span

if TYPE_CHECKING:
    from .concealing import Concealed
    from .tree import AnyNode

Range: TypeAlias = tuple[int, int]
"""0-based offsets of a part of a text, half-open."""

Place: TypeAlias = tuple[Source, int, int]

Values: TypeAlias = Callable[[], Iterable[tuple[str, Any]]]
"""Gives plain data that no message tells, each with what is told in its place."""

# names in data files are no values: `NAME=..`, `name: ..`, `"name": ..`
# (text, not compiled patterns: a run without mistakes needs none of them)
_KEY: Final = r"""(?m)(?:^|[{,])[ \t]*(?:export[ \t]+|-[ \t]+)*["']?([\w./-]+)["']?[ \t]*[:=]"""
_NAMED: Final = r"`([^`]*)`"
# words of our own sentences, which hide no value and tell none
_OURS: Final = frozenset(
    (
        *("true", "false", "null", "none", "string", "integer", "float", "boolean", "number"),
        *("object", "array", "function", "template", "import", "imports", "target", "blueprint"),
        *("default", "schema"),
    )
)
_SHORTEST: Final = 3


class QuotingRule(Record):
    """How the texts of one kind may be quoted.

    `recognises` tells by a text whether it is what was expected. `hides` gives the parts of it that
    give, or may give, a value to a secret, as ranges of 0-based half-open offsets; the `Quoting`
    knows what is public.
    """

    recognises: Callable[[Source], bool]
    hides: Callable[[Source, Quoting], Iterable[Range]]


class Quoting:
    """What reports may quote of the sources of a run."""

    def __init__(self) -> None:
        self._withheld: set[Place] = set()
        self._public: set[Place] = set()
        self._ranges: dict[Source, list[Range]] = {}
        self._rules: dict[Source, QuotingRule] = {}
        self._recognised: dict[Source, bool] = {}
        self._hidden: dict[Source, list[Range]] = {}
        self._names: dict[Source, tuple[frozenset[str], str, str]] = {}
        self._declared: set[str] = set()
        self._values: list[Values] = []
        self._concealed: Concealed | None = None
        # what the longest source was read as: to keep all of them would take much memory
        self._read: tuple[Source, AnyNode] | None = None

    def __getstate__(self) -> dict[str, object]:
        """Without the tree and values, which would take long to send to another process."""
        return {**self.__dict__, "_read": None, "_values": [], "_concealed": None}

    def admit(self, source: Source, rule: QuotingRule | None) -> None:
        """Says how a source may be quoted; without a rule it may not."""
        if rule is not None:
            self._rules[source] = rule

    @property
    def sources(self) -> Iterable[Source]:
        """The sources that are quoted if they are what was expected: documents, not their data."""
        return self._rules

    def admit_typed(self, source: Source) -> None:
        """Says that a source is what the user typed."""
        self._rules[source] = _TYPED

    def confirm(self, source: Source, root: AnyNode | None = None) -> None:
        """Says that a source is what was expected, however it looks, and all that is in it."""
        self._recognised[source] = True
        if root is not None:
            self._remember((source, root))

    def _remember(self, read: tuple[Source, AnyNode] | None) -> None:
        known = self._read
        if known is None or (read is not None and len(read[0].text) > len(known[0].text)):
            self._read = read

    def tree_of(self, source: Source) -> AnyNode | None:
        """All that is in a source, if it was read without a mistake and is remembered."""
        known = self._read
        return known[1] if known is not None and known[0] == source else None

    def recognises(self, source: Source) -> bool:
        """True for a source that may be quoted and is recognisably what was expected."""
        if source not in self._rules:
            return False
        if source not in self._recognised:
            self._recognised[source] = self._rules[source].recognises(source)
        return self._recognised[source]

    def is_foreign(self, source: Source) -> bool:
        """True for a source that could be quoted if it were recognisably what was expected."""
        return source in self._rules and not self.recognises(source)

    def withhold(self, span: Span) -> None:
        """Says that a secret is written there."""
        self._withheld.add((span.source, span.start, span.end))
        self.leave_unquoted(span)

    def leave_unquoted(self, span: Span) -> None:
        """Says that a secret may be written there, where a mistake hides whether it is one."""
        self._ranges.setdefault(span.source, []).append((span.start, span.end))
        self._hidden.pop(span.source, None)

    def publish(self, span: Span) -> None:
        """Says that what is written there is given to a variable that is not secret."""
        self._public.add((span.source, span.start, span.end))
        self._hidden.pop(span.source, None)

    def declare(self, names: Iterable[str]) -> None:
        """Says that a document declares these names, which are no values, wherever they stand."""
        self._declared.update(names)

    @property
    def withholds(self) -> bool:
        """True when a place is known at which a secret is written."""
        return bool(self._withheld)

    def is_withheld(self, source: Source, start: int, end: int) -> bool:
        """True for a place at which a secret is written."""
        return (source, start, end) in self._withheld

    def is_public(self, source: Source, start: int, end: int) -> bool:
        """True for a place that was published."""
        return (source, start, end) in self._public

    def add(self, other: Quoting) -> None:
        """Takes over what another one knows."""
        self._withheld |= other._withheld
        self._public |= other._public
        self._declared |= other._declared
        self._rules |= other._rules
        self._recognised |= other._recognised
        for values in other._values:
            self.conceal(values)
        for source, ranges in other._ranges.items():
            self._ranges.setdefault(source, []).extend(ranges)
        self._hidden.clear()
        self._remember(other._read)

    def may_show(self, source: Source, line: int) -> bool:
        """True for a 1-based line that may be quoted to its end."""
        return self.shown_until(source, line) is None

    def shown_until(self, source: Source, line: int) -> int | None:
        """The offset from which on a 1-based line is not quoted, its beginning for a whole line.

        None for a line that may be quoted to its end. What follows a hidden part stays hidden, too:
        where that part ends may be a guess.
        """
        starts = source.line_starts
        first = starts[line - 1]
        last = starts[line] if line < len(starts) else len(source.text) + 1
        ranges = self.hidden_in(source)
        if ranges is None:
            return first
        # a part that ends at the beginning of a line hides it
        at = bisect_left(ranges, first, key=_end_of)
        return max(first, ranges[at][0]) if at < len(ranges) and ranges[at][0] < last else None

    def may_show_part(self, source: Source, start: int, end: int) -> bool:
        """True for a part of a text that is not all inside of what is hidden."""
        ranges = self.hidden_in(source)
        if ranges is None:
            return False
        at = bisect_right(ranges, (start, len(source.text))) - 1
        return at < 0 or ranges[at][1] < end or ranges[at][1] <= start

    def hidden_in(self, source: Source) -> list[Range] | None:
        """The parts of a text that are not quoted, in order and apart; None for all of it."""
        if not self.recognises(source):
            return None
        if source not in self._hidden:
            found = self._rules[source].hides(source, self)
            self._hidden[source] = _merged([*found, *self._ranges.get(source, ())])
        return self._hidden[source]

    def conceal(self, values: Values) -> None:
        """Says that no message tells these values, which are asked for when there is one."""
        if values not in self._values:  # the collectors of a run take them over from one another
            self._values.append(values)
            self._concealed = None

    @property
    def conceals(self) -> bool:
        """True when there are values that no message tells."""
        return bool(self._values)

    def without_values(self, text: str) -> str:
        """A text of a message without the values that no message tells."""
        if not self._values:
            return text
        if self._concealed is None:
            from .concealing import Concealed, texts_of

            pairs = texts_of(pair for values in self._values for pair in values())
            secret = ((text, mark) for text, mark in pairs if text.lower() not in _OURS)
            self._concealed = Concealed(secret, loose=True)
        return self._concealed.without(text)

    def speaks(self) -> bool:
        """True in a run, for whose sources somebody has said how they may be quoted."""
        return bool(self._rules)

    def told(self, text: str, source: Source) -> str:
        """A sentence about a source that must not be quoted, without words of that source.

        Names are kept where the source is a file of data.
        """
        if self.recognises(source) or not source.text:
            return text
        return re.sub(
            _NAMED, lambda match: "`…`" if self._repeats(match[1], source) else match[0], text
        )

    def _repeats(self, word: str, source: Source) -> bool:
        if len(word) < _SHORTEST or word in _OURS or word == source.name:
            return False
        written = word.removesuffix("…").lstrip("&*!")
        if written not in source.text:
            return False
        if source in self._rules:
            return True
        if word in self._declared:
            return False
        if source not in self._names:
            found = dict.fromkeys(re.findall(_KEY, source.text))
            rest = re.sub(_KEY, "\n", source.text)
            self._names[source] = frozenset(found), "\n".join(found), rest
        names, joined, rest = self._names[source]
        # a part of a name is told, not what begins like one: a line of base64 may end with `=`
        return word not in names and (written in rest or written not in joined)


def _end_of(part: Range) -> int:
    return part[1]


def _merged(ranges: list[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _everything(source: Source) -> bool:
    return True


def quote_all(source: Source, quoting: Quoting) -> Iterable[Range]:
    """Hides nothing."""
    return ()


_TYPED: Final = QuotingRule(_everything, quote_all)


class Ranges:
    """The hidden parts of a text that are known already, as a rule's `hides`."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        self._ranges = [(start, end) for start, end in ranges]

    def __call__(self, source: Source, quoting: Quoting) -> Iterable[Range]:
        return self._ranges

    def rule(self) -> QuotingRule:
        """The rule of a text that was recognised."""
        return QuotingRule(_everything, self)
