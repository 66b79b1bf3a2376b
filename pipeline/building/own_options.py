"""Options that one dialect has, in the targets of a build."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..dialects.own_options import dialect_options, misplaced
from ..engine.dialect import CommandInputs, Dialect
from ..engine.options import Option, config_rows
from ..values.diagnostics import Diagnostics, meant
from .expansion import Path, Report, axis_text

if TYPE_CHECKING:
    from ..values.settings import Settings
    from ..world.files import Files
    from .target import Target

CODE = "invalid_configuration"


def own_values(
    given: Iterable[tuple[Path, str, Any]], dialect: str | None, report: Report
) -> dict[str, tuple[str, ...]]:
    """The values of the table `options` by flag; later ones win. Mistakes are reported."""
    known = {flag.removeprefix("--"): option for flag, option in dialect_options(dialect).items()}
    found: dict[str, tuple[str, ...]] = {}
    for path, name, value in given:
        option = known.get(name)
        if option is None:
            report(CODE, path, f"no dialect has the option `{name}`", meant(name, known))
            continue
        texts = _texts(value, option)
        if texts is None:
            form = "a single value" if option.metavar else "a boolean"
            report(CODE, path, f"`{name}` must be {form}", None)
        elif option.choices and not {*texts} <= {*option.choices}:
            listed = ", ".join(option.choices)
            report(CODE, path, f"`{name}` must be one of {listed}", meant(texts[0], option.choices))
        elif texts or option.many:
            found[option.flag] = texts
    return {flag: texts for flag, texts in found.items() if texts}


def _texts(value: Any, option: Option) -> tuple[str, ...] | None:
    """The values as the command line has them; None for what cannot be one."""
    if not option.metavar:
        return (("",) if value else ()) if isinstance(value, bool) else None
    if option.many:
        found = value if isinstance(value, list) else [value]
        return tuple(map(axis_text, found))
    return None if isinstance(value, list) else (axis_text(value),)


def own_input(
    target: Target, spoken: Dialect, settings: Settings, files: Files, diagnostics: Diagnostics
) -> Any:
    """What the stages of a dialect take from a target; mistakes are added to `diagnostics`.

    Raises:
        FileProblem: when a file that the configuration names cannot be read.
    """
    usual = target.__class__("", "", "", "")
    given = [
        row.flag
        for name, row in config_rows().items()
        if getattr(target, name) != getattr(usual, name)
    ]
    wrong = misplaced(spoken, [*target.own, *given], target.blueprint)
    if wrong is not None:
        diagnostics.error(CODE, None, f"target `{target.name}`: {wrong}")
        return None
    make = spoken.command_line.inputs
    if make is None:
        return None
    inputs = CommandInputs(
        target.own,
        (),
        target.vars,
        target.state,
        {},
        settings,
        files,
        diagnostics,
        target.variables,
    )
    try:
        return make(inputs)
    except ValueError as problem:
        diagnostics.error(CODE, None, f"target `{target.name}`: {problem}")
        return None
