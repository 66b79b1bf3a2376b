"""`bpp render` with plain options, read without typer.

typer and what it imports cost as much time as rendering a small blueprint, and builds render in
loops. So a command line that consists of a file and of options from this table is read here;
whatever else there is (a mistake, `--help`, an abbreviation) is left to typer, which knows the
same options: a test holds the table against it.
"""

from __future__ import annotations

from typing import Any, Final

TEXT, MANY, FLAG = "text", "many", "flag"
OWN_TEXT, OWN_MANY, OWN_FLAG = "own text", "own many", "own flag"

OPTIONS: Final[dict[str, tuple[str, str]]] = {
    "--dialect": ("dialect", TEXT),
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
    "--explain-unknowns": ("explain_unknowns", FLAG),
    "--show": ("show", TEXT),
    "--secrets": ("secrets", TEXT),
    "--stop-after": ("stop_after", TEXT),
    "--dump-stages": ("dump_stages", TEXT),
    "--depfile": ("depfile", TEXT),
    "--source-map": ("source_map", TEXT),
    "--now": ("now", TEXT),
    "--allow-net": ("allow_net", MANY),
    "--allow-path": ("allow_path", MANY),
    "--lock": ("lock", TEXT),
    "--offline": ("offline", FLAG),
    "--keep-transform": ("keep_transform", MANY),
    "--substr-end-exclusive": ("substr_end_exclusive", FLAG),
    "--limit": ("limit", MANY),
    "--diagnostics": ("diagnostics", TEXT),
    "--color": ("color", TEXT),
    "--timings": ("timings", FLAG),
}


BUILD_OPTIONS: Final[dict[str, tuple[str, str]]] = {
    "--jobs": ("jobs", TEXT),
    "-j": ("jobs", TEXT),
    "--watch": ("watch", FLAG),
    "--check": ("check", FLAG),
    "--config": ("config", TEXT),
    "--no-cache": ("no_cache", FLAG),
    "--limit": ("limit", MANY),
    "--diagnostics": ("diagnostics", TEXT),
    "--color": ("color", TEXT),
}


def quick_options(arguments: list[str]) -> dict[str, Any] | None:
    """The fields of `RenderOptions` that a command line gives; None when typer must read it."""
    if not arguments or arguments[0] != "render":
        return None
    found = _read(arguments[1:], OPTIONS, own=True)
    if found is None or len(found["words"]) != 1:
        return None
    [found["file"]] = found.pop("words")
    return found


def quick_build_options(arguments: list[str]) -> dict[str, Any] | None:
    """The fields of `BuildOptions` that a command line gives; None when typer must read it."""
    if not arguments or arguments[0] != "build":
        return None
    found = _read(arguments[1:], BUILD_OPTIONS)
    if found is not None:
        found["targets"] = tuple(found.pop("words"))
    return found


def _read(
    arguments: list[str], options: dict[str, tuple[str, str]], own: bool = False
) -> dict[str, Any] | None:
    """The fields of options, and `words` that are none; with `own` also options of dialects."""
    found: dict[str, Any] = {"words": []}
    rest = iter(arguments)
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            found["words"].append(argument)
            continue
        name, sign, value = argument.partition("=") if argument[:2] == "--" else (argument, "", "")
        known = options.get(name)
        if known is None and own:
            known = _own(name)
        if known is None:
            return None
        field, kind = known
        if kind in (FLAG, OWN_FLAG):
            if sign:
                return None
            if kind == FLAG:
                found[field] = True
            else:
                found.setdefault("own", {})[field] = ("",)
            continue
        if not sign:
            following = next(rest, None)
            if following is None:
                return None
            value = following
        if kind in (OWN_TEXT, OWN_MANY):
            values = found.setdefault("own", {})
            values[field] = (*(values.get(field, ()) if kind == OWN_MANY else ()), value)
        elif kind == MANY:
            found[field] = (*found.get(field, ()), value)
        else:
            found[field] = value
    return found


def _own(flag: str) -> tuple[str, str] | None:
    """An option that some dialect has; the flag itself is its field."""
    from ..dialects.own_options import dialect_options

    option = dialect_options().get(flag)
    if option is None:
        return None
    if not option.metavar:
        return flag, OWN_FLAG
    return flag, OWN_MANY if option.many else OWN_TEXT
