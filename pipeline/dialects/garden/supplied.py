"""What a caller supplies with `--state`, `--context` and `--mode`: its form, and unknown names."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final, TypeAlias

from ...engine.run import Context
from ...values.diagnostics import meant, suggestion
from .options import SURROUNDINGS
from .recognition import ACTIONS
from .structure.actions import LATER, Actions
from .structure.project import Project

Problems: TypeAlias = Iterator[tuple[tuple[str, ...], str]]
"""The path of each mistake, and what is wrong there."""

_STATE: Final = ("actions", "providers", "secrets", "modules", "runtime", "steps", "imported")
_FIELDS: Final = (*LATER, "name", "mode", "disabled", "var", "variables")
_MODES: Final = ("default", "sync", "local")
_CODE: Final = "undeclared_state"


def context_problems(content: dict[Any, Any]) -> Problems:
    """The mistakes in a file with the values of `local`, `git` and `command`."""
    return _maps(content, (), SURROUNDINGS, "context")


def state_problems(content: dict[Any, Any]) -> Problems:
    """The mistakes in a file with values of a run, as far as every project has them."""
    yield from _maps(content, (), _STATE, "name in the state")
    providers, actions = content.get("providers"), content.get("actions")
    if isinstance(providers, dict):
        yield from _maps(providers, ("providers",))
    if isinstance(actions, dict):
        yield from _maps(actions, ("actions",), tuple(map(str.lower, ACTIONS)), "kind of action")
        for kind, named in actions.items():
            if isinstance(named, dict):
                yield from _maps(named, ("actions", str(kind)))


def _maps(
    content: dict[Any, Any], path: tuple[str, ...], known: Collection[str] = (), noun: str = ""
) -> Problems:
    """Keys that are not known, and values that are not maps."""
    for key, value in content.items():
        if known and key not in known:
            near = meant(str(key), known)
            yield (
                (*path, str(key)),
                f"unknown {noun} `{key}`; " + (near or f"available: {', '.join(known)}"),
            )
        elif not isinstance(value, dict):
            yield (*path, str(key)), f"`{'.'.join((*path, str(key)))}` must be a map"


def check_supplied(project: Project, actions: Actions, context: Context) -> None:
    """Warns of actions and providers that only the state or the modes have, mostly misspelt."""
    known = (project.options.state or {}).get("actions")
    for kind, named in known.items() if isinstance(known, dict) else ():
        for name, fields in named.items() if isinstance(named, dict) else ():
            context.meter.work(1)
            if not _is_told("state", str(kind), str(name), actions, context):
                _check_fields(f"{kind}.{name}", fields, context)
    for key, mode in project.options.modes.items():
        context.meter.work(1)
        kind, _, name = key.partition(".")
        if not _is_told("modes", kind, name, actions, context) and mode not in _MODES:
            summary = f"unknown mode `{mode}` of `{key}`; available: {', '.join(_MODES)}"
            context.diagnostics.warn(_CODE, None, summary, suggestion(mode, _MODES))


def _is_told(what: str, kind: str, name: str, actions: Actions, context: Context) -> bool:
    """True after a warning of an action that does not exist."""
    if actions.may_have(kind, name):
        return False
    names = actions.names(kind) if kind in actions.kinds() else ()
    verb = "names" if what == "state" else "name"
    summary = f"the {what} {verb} the action `{kind}.{name}`, which the project does not have"
    context.diagnostics.warn(_CODE, None, summary, suggestion(name, names))
    return True


def _check_fields(key: str, fields: Any, context: Context) -> None:
    for field in fields if isinstance(fields, dict) else ():
        context.meter.work(1)
        if field not in _FIELDS:
            summary = f"the state has `{field}` of the action `{key}`, which no action has"
            context.diagnostics.warn(_CODE, None, summary, suggestion(str(field), _FIELDS))
