"""`bpp schema`: JSON Schemas of what bpp reads and writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from ..answers import schemas
from ..answers.inspection import inspection_of
from ..engine.options import Options
from ..rendering import render
from ..values.diagnostics import meant
from ..values.terminal import shorten, visible, visible_json
from .render_inputs import Inputs, dialect_of, named_dialect, report, status_of
from .streams import write_out, write_raw
from .usage import UsageProblem

VARIABLES: Final = "variables"


def run_schema(options: Options) -> int:
    """Prints a schema, or the names of all."""
    name = options.file
    if options.other and name != VARIABLES:
        raise UsageProblem(f"only `{VARIABLES}` takes a file")
    if name == VARIABLES:
        return _print_variables(options)
    known = makers(options.dialect)
    if not name:
        titles = {name: make()["description"] for name, make in known.items()}
        titles[VARIABLES] = "Values for the variables of a blueprint, which is named after it."
        width = max(map(len, titles))
        write_out("".join(f"{one:{width}}  {words}\n" for one, words in sorted(titles.items())))
    elif name in known:
        _print(known[name]())
    else:
        near = meant(name, [*known, VARIABLES]) or "`bpp schema` lists them"
        raise UsageProblem(f"unknown schema `{visible(shorten(name, 100))}` ({near})")
    return 0


def makers(dialect: str | None) -> Mapping[str, Callable[[], dict[str, Any]]]:
    """What makes each schema, by its name; those of a dialect come first."""
    return {
        **inspection_of(named_dialect(dialect)).schemas,
        "bpp.toml": _config_schema,
        "datasources": schemas.datasources_schema,
        "diagnostics": schemas.diagnostics_schema,
        "source-map": schemas.source_map_schema,
        "state": schemas.state_schema,
        "tests": _tests_schema,
    }


def _config_schema() -> dict[str, Any]:
    from ..building.tables import config_schema

    return config_schema(_bounds())


def _tests_schema() -> dict[str, Any]:
    from ..building.tables import tests_schema

    return tests_schema(_bounds())


def _bounds() -> dict[str, str]:
    """What each limit bounds."""
    from .limit_flags import limits

    return {name: f"Bounds {one.bounds}." for name, one in limits().items()}


def _print_variables(options: Options) -> int:
    if not options.other:
        raise UsageProblem(f"`{VARIABLES}` needs the blueprint: `bpp schema variables FILE`")
    options = options.evolve(file=options.other)
    prepared = Inputs(options)
    ready = prepared.read()
    if ready is None:
        return prepared.fail()
    source, arguments = ready
    dialect = dialect_of(source, options)
    make = inspection_of(dialect).variables
    if make is None:
        raise UsageProblem(f"the variables of the dialect `{dialect.name}` have no schema")
    first = dialect.pipeline.stages[0].name
    run = render(source, **{**arguments, "stop_after": first})
    report(run.diagnostics, options, source.name)
    if run.document is None:
        return status_of(run.diagnostics)
    _print(make(run.document))
    return 0


def _print(schema: Mapping[str, Any]) -> None:
    write_raw(visible_json(json.dumps(schema, ensure_ascii=False, indent=2)) + "\n")
