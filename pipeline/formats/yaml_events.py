"""Parser events for YAML text: libyaml's when the C module is there, ruamel.yaml's own otherwise.

Importing this module costs about 15 ms (the C module imports all of ruamel.yaml for its event
classes), so only the reading of YAML does it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final
from warnings import catch_warnings

with catch_warnings():  # ruamel.yaml adds filters of its own when it is imported
    from ruamel.yaml.error import MarkedYAMLError, YAMLError
    from ruamel.yaml.events import (
        AliasEvent,
        DocumentStartEvent,
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        SequenceStartEvent,
        StreamEndEvent,
    )

    try:
        from _ruamel_yaml import CParser
    except ImportError:
        CParser = None

__all__ = [
    "AliasEvent",
    "DocumentStartEvent",
    "MappingEndEvent",
    "MappingStartEvent",
    "MarkedYAMLError",
    "ScalarEvent",
    "SequenceEndEvent",
    "SequenceStartEvent",
    "StreamEndEvent",
    "YAMLError",
    "open_events",
]

BAD_ESCAPE: Final = "found invalid Unicode character escape code"


def open_events(text: str) -> Callable[[], Any]:
    """A function that gives one event a call, the last of them a StreamEndEvent.

    Marks count code points. Raises YAMLError, and nothing else, for text that is not YAML.
    """
    if CParser is not None:
        next_event: Callable[[], Any] = CParser(text.encode()).get_event
        return next_event
    return _pure_events(text)


def _pure_events(text: str) -> Callable[[], Any]:
    from ruamel.yaml import YAML

    next_event = YAML(typ="safe", pure=True).get_constructor_parser(text)[1].get_event
    read_up_to: Any = None

    def checked_event() -> Any:
        nonlocal read_up_to
        try:
            event = next_event()
        except YAMLError:
            raise
        except Exception as error:
            # escapes out of range and stray directives leave the pure scanner as bare Python errors
            problem = BAD_ESCAPE if isinstance(error, (ValueError, OverflowError)) else None
            raise MarkedYAMLError(problem=problem, problem_mark=read_up_to) from None
        read_up_to = event.end_mark
        if isinstance(event, ScalarEvent) and event.style == '"':
            for character in event.value:
                if "\ud800" <= character <= "\udfff":
                    raise MarkedYAMLError(problem=BAD_ESCAPE, problem_mark=event.start_mark)
        return event

    return checked_event


# Words in brackets with a `:` or a `?` in them, such as `[http://a.b/c?d]`.
#
# YAML 1.2 has them, libyaml refuses them, or takes a `?` at their start for the mark of a key. A
# text that is refused in brackets is read once more, with characters that it does not hold in place
# of such marks, and the events get the marks back. All offsets stay as they are.

MARK_IN_WORD: Final = "found unexpected ':'"
# unassigned characters; only a few, as a search is needed for each
_STAND_INS: Final = range(0xE000, 0xE040)
_MARKS: Final = ":?"
# after a quote or a bracket a colon is the mark of a key, whatever follows it; so is a question
# mark before a blank
_INNER: Final = re.compile(
    r"(?<=[^\s,\[\]{}\"'])(?::(?=[^\s,\[\]{}])|\?)|(?<=[\s,\[{])\?(?=[^\s,\[\]{}])"
)


def may_hold_words(text: str) -> bool:
    """True when a parser may have refused a text because of such a word."""
    return ("[" in text or "{" in text) and _INNER.search(text) is not None


def mark_in_word(place: int) -> YAMLError:
    """The parser error for a mark that is not allowed at an offset."""
    return MarkedYAMLError(problem=MARK_IN_WORD, problem_mark=SimpleNamespace(index=place))


def open_word_events(text: str, refused: YAMLError) -> Callable[[], Any]:
    """The events of a text that a parser refused, for which see `open_events`.

    Refuses a colon that looks like the mark of a key without a space after it (`{a:1}`), which
    YAML takes for a key without a value and its writer does not mean. Raises `refused` when the
    text holds all the characters that could stand in.
    """
    digits = text.lower()  # where an escape would have the code
    free = (chr(c) for c in _STAND_INS if chr(c) not in text and f"{c:x}" not in digits)
    stand_ins = dict(zip(_MARKS, free, strict=False))
    if len(stand_ins) < len(_MARKS):
        raise refused
    back = str.maketrans({stand_in: mark for mark, stand_in in stand_ins.items()})
    colon = stand_ins[":"]
    read = open_events(_INNER.sub(lambda match: stand_ins[match[0]], text))
    doubtful: int | None = None

    def next_event() -> Any:
        nonlocal doubtful
        event = read()
        before, doubtful = doubtful, None
        if event.__class__ is ScalarEvent:
            value = event.value
            if before is not None and not value and not event.style:
                raise mark_in_word(before)
            if not event.style and colon in value:
                doubtful = event.start_mark.index + value.index(colon)
            event.value = value.translate(back)
        return event

    return next_event
