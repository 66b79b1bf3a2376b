"""`bpp render` with plain options, read without typer.

typer and what it imports cost as much time as rendering a small blueprint, and builds render in
loops. So a command line that consists of a file and of options from this table is read here;
whatever else there is (a mistake, `--help`, an abbreviation) is left to typer, which knows the
same options: a test holds the table against it.
"""

from __future__ import annotations

from typing import Any, Final

TEXT, MANY, FLAG = "text", "many", "flag"

OPTIONS: Final[dict[str, tuple[str, str]]] = {
    "--output": ("output", TEXT),
    "-o": ("output", TEXT),
    "--format": ("format", TEXT),
    "--split": ("split", TEXT),
    "--var": ("var", MANY),
    "--vars": ("vars", MANY),
    "--strict-vars": ("strict_vars", FLAG),
    "--state": ("state", TEXT),
    "--datasources": ("datasources", TEXT),
    "--strict": ("strict", FLAG),
    "--secrets": ("secrets", TEXT),
    "--stop-after": ("stop_after", TEXT),
    "--dump-stages": ("dump_stages", TEXT),
    "--depfile": ("depfile", TEXT),
    "--now": ("now", TEXT),
    "--allow-net": ("allow_net", MANY),
    "--allow-path": ("allow_path", MANY),
    "--keep-transform": ("keep_transform", MANY),
    "--substr-end-exclusive": ("substr_end_exclusive", FLAG),
    "--diagnostics": ("diagnostics", TEXT),
    "--color": ("color", TEXT),
    "--timings": ("timings", FLAG),
}


def quick_options(arguments: list[str]) -> dict[str, Any] | None:
    """The fields of `RenderOptions` that a command line gives; None when typer must read it."""
    if not arguments or arguments[0] != "render":
        return None
    found: dict[str, Any] = {}
    rest = iter(arguments[1:])
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            if "file" in found:
                return None
            found["file"] = argument
            continue
        name, sign, value = argument.partition("=") if argument[:2] == "--" else (argument, "", "")
        known = OPTIONS.get(name)
        if known is None:
            return None
        field, kind = known
        if kind == FLAG:
            if sign:
                return None
            found[field] = True
            continue
        if not sign:
            following = next(rest, None)
            if following is None:
                return None
            value = following
        if kind == MANY:
            found[field] = (*found.get(field, ()), value)
        else:
            found[field] = value
    return found if "file" in found else None
