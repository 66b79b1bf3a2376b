"""Lines of `KEY=value` as Garden reads them: in `.env` files and in `--var`.

The rules are those of the `dotenv` package for JavaScript, which differ from those for blueprints
(`varfiles.py`): a `#` ends a value without quotes wherever it stands, `KEY: value` will do, and
what is no such line is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from .....functions.record import Record, field

_LINE: Final = re.compile(
    r"""^[^\S\n]*(?:export[^\S\n]+)?(?P<key>[\w.-]+)(?:[^\S\n]*=[^\S\n]*|:[^\S\n]+)"""
    r"""(?P<value>'(?:\\'|[^'])*+'|"(?:\\"|[^"])*+"|`(?:\\`|[^`])*+`|[^#\r\n]*+)"""
    r"""[^\S\n]*(?:\#[^\n]*)?$""",
    re.MULTILINE | re.ASCII,
)
_QUOTES: Final = ("'", '"', "`")


class Line(Record):
    """One assignment: the key and the value, and the offsets at which they stand."""

    key: str
    value: str = field(repr=False)
    start: int
    end: int
    value_start: int


def read_dotenv(text: str) -> Iterator[Line]:
    """The assignments in a text, in order; a later one of the same key counts."""
    for match in _LINE.finditer(text):
        written = match["value"].rstrip()
        value = written
        if len(written) > 1 and written[0] in _QUOTES and written[-1] == written[0]:
            value = written[1:-1]
            if written[0] == '"':
                value = value.replace("\\n", "\n").replace("\\r", "\r")
        start = match.start("value")
        yield Line(match["key"], value, match.start("key"), start + len(written), start)
