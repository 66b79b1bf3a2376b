"""Parser events for YAML text: libyaml's when the C module is there, ruamel.yaml's own otherwise.

Importing this module costs about 15 ms (the C module imports all of ruamel.yaml for its event
classes), so only the reading of YAML does it.
"""

from __future__ import annotations

from collections.abc import Callable
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

    Marks count code points. Raises YAMLError, and nothing else, for text that is no YAML.
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
