"""Encodings that files are saved in by mistake, told by how a text begins."""

from __future__ import annotations

from typing import Final

# the marks of UTF-32 begin like those of UTF-16
_MARKS: Final = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
# which of the first four bytes are null when two characters or one of ASCII are there, unmarked
_NULLS: Final[dict[tuple[bool, ...], str]] = {
    (True, False, True, False): "UTF-16",
    (False, True, False, True): "UTF-16",
    (True, True, True, False): "UTF-32",
    (False, True, True, True): "UTF-32",
}


def foreign_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 when a file's bytes begin as one of them does, else None."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    return _NULLS.get(tuple([byte == 0 for byte in data[:4]]))
