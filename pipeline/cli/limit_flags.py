"""The limits and what each bounds and protects: `--limit NAME=VALUE` and `bpp explain`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ...functions.record import Record
from ..values.diagnostics import nearest
from ..values.settings import HIGHEST, Limits
from .usage import UsageProblem

BYTES, CHARS, SECONDS, COUNT = "bytes", "characters", "seconds", ""


class Limit(Record):
    """One limit: its name, the unit it counts in, what it bounds and what that protects."""

    name: str
    unit: str
    bounds: str
    protects: str

    @property
    def default(self) -> int:
        """The default value."""
        return int(getattr(Limits(), self.name))

    @property
    def highest(self) -> int | None:
        """The ceiling; None if it has no ceiling."""
        return HIGHEST.get(self.name)

    @property
    def shown(self) -> str:
        """The default for people: `16 MiB`, `1,000,000 characters`."""
        return shown(self.default, self.unit)


def shown(value: int, unit: str) -> str:
    """A value for people: sizes in MiB or KiB where they are whole ones."""
    for size, name in ((1024 * 1024, "Mi"), (1024, "Ki")):
        if unit in (BYTES, CHARS) and value % size == 0:
            return f"{value // size} {name}{'B' if unit == BYTES else ' characters'}"
    return f"{value:,} {unit}".rstrip()


_NAMED: Final = (
    Limit(
        "max_input_bytes",
        BYTES,
        "a blueprint, and any other file that the command line names",
        "memory",
    ),
    Limit(
        "max_file_bytes", BYTES, "a file that a blueprint names: a child, or with `file`", "memory"
    ),
    Limit(
        "max_total_input_bytes",
        BYTES,
        "all files that a blueprint and its children name, together",
        "memory",
    ),
    Limit(
        "max_depth",
        COUNT,
        "levels of nesting of YAML, JSON, `jsondecode`, values and the output",
        "the stack",
    ),
    Limit("max_nodes", COUNT, "nodes (maps, lists and scalars) of one text", "memory"),
    Limit(
        "max_total_nodes",
        COUNT,
        "nodes of included blueprints and of what values and `each` make, together",
        "memory, and the time of all stages",
    ),
    Limit("max_scalar_chars", CHARS, "a string in a text", "memory"),
    Limit("max_key_chars", CHARS, "a key in a text", "memory, and messages"),
    Limit(
        "max_expression_chars",
        CHARS,
        "one substitution, the content of strings not counted",
        "the parser's time and memory",
    ),
    Limit(
        "max_expression_depth",
        COUNT,
        "levels of nesting of calls and lists in a substitution",
        "the stack",
    ),
    Limit(
        "max_substitutions",
        COUNT,
        "substitutions, and texts between them, of one string",
        "time and memory",
    ),
    Limit("max_value_chars", CHARS, "a text that is computed", "memory"),
    Limit("max_value_items", COUNT, "parts of a computed array or object", "memory"),
    Limit(
        "max_built_chars",
        CHARS,
        "all texts that a run computes, together; an item of an array counts as 8",
        "memory and time",
    ),
    Limit("max_steps", COUNT, "function calls of a run", "time"),
    Limit("run_seconds", SECONDS, "a run", "time"),
    Limit(
        "max_reference_depth",
        COUNT,
        "references that lead from one to the next",
        "the stack",
    ),
    Limit("max_each", COUNT, "instances of one resource template", "memory and time"),
    Limit("max_resources", COUNT, "resources of one blueprint", "memory and time"),
    Limit("max_include_depth", COUNT, "levels of child blueprints in one another", "the stack"),
    Limit(
        "max_includes",
        COUNT,
        "child blueprints, modules and files of a project that a run opens",
        "time",
    ),
    Limit(
        "max_scanned_files",
        COUNT,
        "files and folders among which those of a project are looked for",
        "time",
    ),
    Limit("max_response_bytes", BYTES, "one answer of a server", "memory"),
    Limit("max_fetched_bytes", BYTES, "all that a run fetches, together", "memory and time"),
    Limit("fetch_seconds", SECONDS, "one fetch, with its redirects", "time"),
    Limit("max_output_chars", CHARS, "one document that is written", "memory and disk"),
    Limit("max_diagnostics", COUNT, "diagnostics that are kept; all are counted", "the log"),
    Limit("max_message_chars", CHARS, "one sentence of a diagnostic; it is cut", "the log"),
    Limit("max_report_bytes", BYTES, "the report for people; it is cut", "the log"),
    Limit("max_graph_edges", COUNT, "edges of a graph", "memory and time"),
    Limit("program_seconds", SECONDS, "Graphviz, when it draws a picture", "time"),
)

LIMITS: Final = {limit.name: limit for limit in _NAMED}
"""The limits by name, related ones together."""


class UnknownLimit(ValueError):
    """The name of a limit that does not exist."""


def find_limit(name: str) -> Limit:
    """The limit of a name, which may be written with dashes.

    Raises:
        UnknownLimit: with the nearest name.
    """
    found = LIMITS.get(name.replace("-", "_"))
    if found is not None:
        return found
    near = nearest(name.replace("-", "_"), LIMITS)
    hint = f"did you mean `{near}`?" if near else "`bpp explain limits` lists them"
    raise UnknownLimit(f"unknown limit `{name[:100]}` ({hint})")


_VALUE: Final = re.compile(r"([0-9][0-9_,]{0,24})(?: ?(Ki|Mi|Gi)B?)?", re.ASCII | re.IGNORECASE)
_SIZES: Final = {"ki": 1024, "mi": 1024**2, "gi": 1024**3}
_MOST: Final = 2**62


def limit_flags(flags: Iterable[str]) -> dict[str, int]:
    """The values of limits by name; later flags win.

    Raises:
        UsageProblem: for a flag without `=`, an unknown limit, and an invalid value.
    """
    found: dict[str, int] = {}
    for flag in flags:
        name, sign, value = flag.partition("=")
        if not sign:
            raise UsageProblem(
                "--limit is written NAME=VALUE; `bpp explain limits` lists the names"
            )
        try:
            limit = find_limit(name.strip())
        except UnknownLimit as problem:
            raise UsageProblem(str(problem)) from None
        found[limit.name] = _value(limit, value.strip())
    return found


def _value(limit: Limit, text: str) -> int:
    sized = limit.unit in (BYTES, CHARS)
    match = _VALUE.fullmatch(text)
    if match is None or (match[2] and not sized):
        form = "a whole number" + (", optionally with KiB or MiB" if sized else "")
        raise UsageProblem(f"--limit {limit.name} must be {form}")
    value = int(re.sub("[_,]", "", match[1])) * _SIZES.get((match[2] or "").lower(), 1)
    if value < 1:
        raise UsageProblem(f"--limit {limit.name} must be at least 1")
    highest = limit.highest or _MOST
    if value > highest:
        raise UsageProblem(f"--limit {limit.name} must be at most {highest}")
    return value


def limits_page() -> str:
    """All limits, with their defaults and what they bound."""
    width = max(map(len, LIMITS))
    values = max(len(limit.shown) for limit in LIMITS.values())
    lines = [
        f"{limit.name:{width}}  {limit.shown:>{values}}  {limit.bounds}"
        for limit in LIMITS.values()
    ]
    return "\n".join([*lines, "", "Change one with `--limit NAME=VALUE`.", ""])


def limit_page(limit: Limit) -> str:
    """The page of one limit."""
    highest = f", at most {shown(limit.highest, limit.unit)}" if limit.highest else ""
    return (
        f"{limit.name}: {limit.bounds}\n\n"
        f"The default is {limit.shown}{highest}. It protects {limit.protects}.\n"
        f"Change it with `--limit {limit.name}=VALUE`; `[limits]` in `bpp.toml` can only lower "
        "it.\n"
    )


def explained(name: str, codes: Mapping[str, object]) -> str | None:
    """The page for the name of a limit or for `limits`; None for a code and any other word."""
    if name in codes:
        return None
    if name.lower() in ("limits", "limit"):
        return limits_page()
    limit = LIMITS.get(name.replace("-", "_"))
    return limit_page(limit) if limit else None
