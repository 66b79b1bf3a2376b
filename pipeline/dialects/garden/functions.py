"""The helper functions of the dialect, all in one registry."""

from __future__ import annotations

from ....functions.garden.cases import case_functions
from ....functions.garden.dates import date_functions
from ....functions.garden.encodings import encoding_functions
from ....functions.garden.lists import list_functions
from ....functions.garden.text import text_functions
from ....functions.registry import Functions
from ...settings import Settings
from .yaml_functions import yaml_functions


def functions(settings: Settings) -> Functions:
    """All helper functions under given settings, sorted by name."""
    limits = settings.limits
    records = (
        *case_functions(),
        *text_functions(limits),
        *list_functions(limits),
        *encoding_functions(limits),
        *date_functions(),
        *yaml_functions(limits),
    )
    return Functions(sorted(records, key=lambda record: record.name.lower()))
