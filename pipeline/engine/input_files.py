"""Files that give variables their values: YAML, JSON, TOML and `.env`.

They are data: a `${` in one is text like any other.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Any, Final

from ...functions.regexes import compile_regex
from ...functions.values import article
from ..formats.detection import read_plain
from ..formats.scalars import MAX_INTEGER, MIN_INTEGER
from ..language.errors import QUOTE_IT
from ..language.meter import Meter
from ..values.diagnostics import Diagnostics, Note
from ..values.source import Source, Span
from ..values.tree import Map, Scalar, kind_of
from ..world.data_files import place_of, read_data
from ..world.files import FileProblem, Files, decode_text
from .inputs import Assignment, VariablesFile
from .run import known_state

CODE: Final = "invalid_variables_file"


def read_variables(name: str, data: bytes, meter: Meter, diagnostics: Diagnostics) -> VariablesFile:
    """The variables in a file, by the extension of its name.

    `.toml` is TOML, `.env`, `.env.<stage>` and `<name>.env` are lines `NAME=value`, `.json` and
    `.jsonc` JSON; `.yaml`, `.yml` and names without an extension are YAML. Mistakes are added to
    `diagnostics`, those of the content as `invalid_variables_file`; what can be read is returned.
    """
    try:
        text = decode_text(data, name)
    except FileProblem as problem:
        diagnostics.error(problem.code, problem.span, problem.message, problem.hint)
        return VariablesFile(name, {})
    base = re.split(r"[/\\]", name)[-1].lower()
    extension = base[base.rfind(".") :] if "." in base.strip(".") else ""
    if base == ".env" or base.startswith(".env.") or extension == ".env":
        return VariablesFile(name, _read_env(Source(name, text), diagnostics))
    match extension:
        case ".toml":
            return VariablesFile(name, _read_toml(Source(name, text), meter, diagnostics))
        case ".json" | ".jsonc":
            return VariablesFile(name, _read_tree(Source(name, text, "json"), meter, diagnostics))
        case ".yaml" | ".yml" | "":
            return VariablesFile(name, _read_tree(Source(name, text, "yaml"), meter, diagnostics))
    diagnostics.error(
        CODE,
        Span(Source(name, text), 0, min(1, len(text))),
        f"`{name}` has the unknown extension `{extension}`",
        "use `.yaml`, `.json`, `.toml` or `.env`",
    )
    return VariablesFile(name, {})


def _read_tree(source: Source, meter: Meter, diagnostics: Diagnostics) -> dict[str, Assignment]:

    root = read_plain(source, meter, diagnostics)
    if root is None or (isinstance(root, Scalar) and root.value is None):
        return {}
    if not isinstance(root, Map):
        diagnostics.error(
            CODE,
            root.span,
            f"a file of variables is a map of names to values, not {article(kind_of(root))}",
        )
        return {}
    assignments = {}
    for name, node in root.items.items():
        if isinstance(node, Scalar) and node.value is not None:
            assignments[name] = Assignment(node.value, node.span)
        else:
            _refuse(name, kind_of(node), node.span, diagnostics)
    return assignments


def _refuse(name: str, kind: str, span: Span, diagnostics: Diagnostics) -> None:
    hint = None
    if kind in ("array", "object"):
        hint = "write it as a string of JSON, and read it in the blueprint with `jsondecode`"
    elif kind == "null":
        hint = "leave the line out to get the default"
    elif kind.startswith("date") or kind == "time":
        hint = QUOTE_IT
    diagnostics.error(
        CODE,
        span,
        f"variable `{name}` must be a string, an integer, a float or a boolean, "
        f"not {article(kind)}",
        hint,
    )


def _read_toml(source: Source, meter: Meter, diagnostics: Diagnostics) -> dict[str, Assignment]:
    from ..formats.toml_reader import read_toml, toml_places

    data = read_toml(source, meter, diagnostics, CODE)
    if not data:
        return {}
    places = toml_places(source, 1)
    assignments = {}
    for name, value in data.items():
        place = places.get((name,))
        span = place.value if place else Span(source, 0, 0, exact=False)
        kind = toml_kind(value)
        if kind is None:
            assignments[name] = Assignment(value, span)
        else:
            _refuse(name, kind, span, diagnostics)
    return assignments


def toml_kind(value: Any) -> str | None:
    """The kind of a value that cannot be a variable's; None for one that can."""
    match value:
        case float():
            return None if isfinite(value) else "number that is not finite"
        case int() if not MIN_INTEGER <= value <= MAX_INTEGER:
            return "integer of more than 64 bits"
        case bool() | int() | str():
            return None
        case list():
            return "array"
        case dict():
            return "object"
    name: str = value.__class__.__name__
    return "date and time" if name == "datetime" else name


_ENV_BLANK: Final = compile_regex(r"[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|\Z)")
_ENV_NAME: Final = compile_regex(r"[ \t]*(?:export[ \t]+)?([A-Za-z0-9_.-]+)[ \t]*=([ \t]*)")
_ENV_SINGLE: Final = compile_regex(r"'([^']*)'")
_ENV_DOUBLE: Final = compile_regex(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
# a `#` begins a comment after a blank only: colours and addresses contain it
_ENV_BARE: Final = compile_regex(r"(?:[^ \t\r\n]|[ \t]++(?![#\r\n]|\Z))*+")
_ENV_REST: Final = compile_regex(r"[ \t]*(?:#[^\r\n]*)?(?:[\r\n]|\Z)")
_ENV_LINE_END: Final = compile_regex(r"[\r\n]|\Z")
_ENV_ESCAPE: Final = compile_regex(r"\\([nrt\"\\$])")
_ENV_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t"}


def _read_env(source: Source, diagnostics: Diagnostics) -> dict[str, Assignment]:
    """Lines `NAME=value` or `export NAME=value`.

    In single quotes everything is meant as written, in double quotes `\\n`, `\\r`, `\\t`, `\\"`,
    `\\$` and `\\\\` are known; both may go over several lines. Without quotes the value ends at the
    line's end or at ` #`. Nothing is ever replaced in a value.
    """
    text = source.text
    assignments: dict[str, Assignment] = {}
    names: dict[str, Span] = {}
    position = 0
    while position < len(text):
        blank = _ENV_BLANK.match(text, position)
        if blank:
            position = blank.end()
            continue
        line_end = _end_of_line(text, position)
        head = _ENV_NAME.match(text, position)
        value = _env_value(text, head) if head else None
        if head is None or value is None:
            # the line may hold a secret, so nothing of it is repeated
            summary = "a quote is not closed" if head else "this line is not `NAME=value`"
            diagnostics.error(CODE, Span(source, position, line_end), summary)
            position = line_end + 1
            continue
        content, end = value
        rest = _ENV_REST.match(text, end)
        if rest is None:
            line_end = _end_of_line(text, end)
            more = line_end - len(text[end:line_end].lstrip(" \t"))
            diagnostics.error(
                CODE, Span(source, more, line_end), "there is more text after the closing quote"
            )
            position = line_end + 1
            continue
        name, span = head[1], Span(source, *head.span(1))
        if name in assignments:
            note = Note("it is given here first", names[name])
            diagnostics.error("duplicate_key", span, f"`{name}` is given twice", None, note)
        else:
            names[name] = span
            assignments[name] = Assignment(content, Span(source, head.end(), end), True)
        position = rest.end()
    return assignments


def _end_of_line(text: str, start: int) -> int:
    found = _ENV_LINE_END.search(text, start)
    return found.start() if found else len(text)


def _env_value(text: str, head: re.Match[str]) -> tuple[str, int] | None:
    """The value after `NAME=` and where it ends; None for a quote without an end."""
    start = head.end()
    match text[start : start + 1]:
        case "'":
            found = _ENV_SINGLE.match(text, start)
            return (found[1], found.end()) if found else None
        case '"':
            found = _ENV_DOUBLE.match(text, start)
            if found is None:
                return None
            content = _ENV_ESCAPE.sub(lambda m: _ENV_ESCAPES.get(m[1], m[1]), found[1])
            return content, found.end()
        case "#" if head[2]:
            return "", start
    found = _ENV_BARE.match(text, start)
    assert found is not None
    return found[0], found.end()


STATE = "invalid_state"
RECORDS = "invalid_datasources_file"


def read_supplied(
    name: str, shown: str, code: str, files: Files, meter: Meter, diagnostics: Diagnostics
) -> Any:
    """A state file's `State` or a data sources file's records, by the `code` of its mistakes.

    None when there are mistakes, which are added to `diagnostics`; `shown` is its name there.

    Raises:
        FileProblem: when it cannot be read.
    """
    from ..formats.records import RecordError, structure_datasources, structure_state

    before = diagnostics.errors
    content, source = read_data(shown, files.open_input(name), meter, diagnostics)
    if diagnostics.errors > before:
        return None
    try:
        if code == RECORDS:
            return structure_datasources(content)
        return known_state(structure_state(content))
    except RecordError as error:
        for path, message in error.problems:
            diagnostics.error(code, place_of(source, path), message)
        return None
