"""The names of the syntactic forms: what is no literal and no reference is a call of one of them.

Calls that are written as such are calls of `CALL` or `CURRY`, with the function as first argument.
"""

from __future__ import annotations

from typing import Final

CALL: Final = "()"
CURRY: Final = "*()"
GROUP: Final = "(..)"
SCOPE: Final = "scope"
LAMBDA: Final = "->"
LAMBDA_OF: Final = "lambda"
LIST: Final = "[..]"
MAP: Final = "{..}"
RANGE: Final = ".."
EXPANDED: Final = "..."
FIELD: Final = "."
INDEX: Final = ".[]"
PROJECTED: Final = "[*]"
ITEM: Final = "item"
SLICE: Final = "slice"
CHOICE: Final = "?:"
CONCATENATED: Final = " "
NOT: Final = "!"
SUBSTITUTED: Final = "*.."
MERGE: Final = "merge"
AUTO: Final = "auto"
PREFER: Final = "prefer"
MARKED: Final = "&"
UNDEFINED: Final = "~~"
TAGGED: Final = "::"
SYNC: Final = "sync"
CATCH: Final = "catch"
SUM: Final = "sum"

LEVELS: Final = (
    ("*", "/", "%"),
    ("+", "-"),
    ("==", "!=", "<=", ">=", "<", ">"),
    ("-or", "-and"),
    (CONCATENATED,),
)
"""Binary operators from the tightest to the loosest, but for those after which `?` may stand."""

LOOSEST: Final = ("||", "//")
MAPPINGS: Final = ("map[", "map{", "select[", "select{", "filter[", "filter{")
BINARY: Final = frozenset(name for level in LEVELS for name in level) | {*LOOSEST}

NEVER: Final = "%!s(<nil>)"
"""How the engine prints an end of a range that is not given."""
