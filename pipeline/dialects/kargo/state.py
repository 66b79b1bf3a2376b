"""What is known of a promotion: `--state`, `--status`, `--ctx`, and a recorded promotion.

`ctx`, `status` and `outputs` are for all Stages, and below `stages` what differs by Stage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from ....functions.record import Record, field
from ...values.diagnostics import meant
from .options import PromotionOptions

Path: TypeAlias = tuple[str, ...]
Problems: TypeAlias = Iterator[tuple[Path, str]]
"""The path of each mistake, and what is wrong there."""

ALL: Final = "*"
STATUSES: Final = ("Running", "Succeeded", "Skipped", "Aborted", "Failed", "Errored")

CTX: Final[Mapping[str, Any]] = {
    "project": str,
    "stage": str,
    "promotion": str,
    "uiBaseUrl": str,
    "targetFreight": {"name": str, "alias": str, "origin": {"name": str}},
    "meta": {"promotion": {"actor": str, "rollback": bool}, "step": {"alias": str}},
}
"""The names in `ctx`, each with the type of its value."""

_LEVEL: Final[Mapping[str, Any]] = {
    "ctx": CTX,
    "status": {ALL: STATUSES},
    "outputs": {ALL: {ALL: object}},
    "target": {"params": {ALL: object}, "labels": {ALL: str}},
}
_SHAPE: Final = {**_LEVEL, "stages": {ALL: _LEVEL}}
_KEYS: Final = ("ctx", "status", "outputs", "metadata", "target")
"""The keys of a level."""


class Known(Record):
    """What is known of the steps of one promotion.

    `ctx` are values of `ctx`, as nested maps. `statuses` are the ends of steps by alias, and of all
    others under `*`. `outputs` are complete for the aliases that are in it. `metadata` are the
    entries of `stepMetas` of a recorded promotion. `target` has `params` and `labels`.
    """

    ctx: Mapping[str, Any] = field(factory=dict)
    statuses: Mapping[str, str] = field(factory=dict)
    outputs: Mapping[str, Mapping[str, Any]] = field(factory=dict, repr=False)
    metadata: Mapping[str, Mapping[str, Any]] = field(factory=dict)
    target: Mapping[str, Any] = field(factory=dict)

    def status(self, alias: str) -> str | None:
        """How a step ended; None when that is not known."""
        return self.statuses.get(alias, self.statuses.get(ALL))


def known_of(
    options: PromotionOptions, stage: str, promotion: Mapping[str, Any] | None = None
) -> Known:
    """What is known of a Stage's promotion, of which `promotion` is a record as plain data."""
    state = options.state or {}
    levels = [state, _map(_map(state, "stages"), stage)]
    if promotion is not None:
        levels.append(_recorded(promotion))
    levels.append({"ctx": nested(options.ctx), "status": options.status})
    merged: dict[str, Any] = {}
    for level in levels:
        merged = _merged(merged, {key: level[key] for key in _KEYS if level.get(key)}, 2)
    merged["outputs"] = as_json(merged.get("outputs", {}))
    merged["statuses"] = merged.pop("status", {})
    return Known(**merged)


def _map(holder: Any, *path: str) -> Mapping[str, Any]:
    """The map at a path of plain data, empty for anything else."""
    for key in path:
        holder = holder.get(key) if isinstance(holder, Mapping) else None
    return holder if isinstance(holder, Mapping) else {}


def _merged(low: Mapping[str, Any], high: Mapping[str, Any], levels: int) -> dict[str, Any]:
    """Two maps as one; what both have of maps is merged as many levels deep."""
    made = {**low, **high}
    for key in low.keys() & high.keys() if levels > 1 else ():
        if isinstance(low[key], Mapping) and isinstance(high[key], Mapping):
            # outputs are complete for a step, and `ctx` has names of names
            made[key] = _merged(low[key], high[key], 9 if key == "ctx" else levels - 1)
    return made


def _recorded(promotion: Mapping[str, Any]) -> dict[str, Any]:
    """What a promotion tells that the cluster has made."""
    annotations = _map(promotion, "metadata", "annotations")
    rollback = annotations.get("kargo.akuity.io/rollback")
    about = {
        "actor": annotations.get("kargo.akuity.io/create-actor"),
        # what was rendered, not recorded, does not tell
        "rollback": str(rollback).lower() == "true" if rollback or "status" in promotion else None,
    }
    ctx = {
        "promotion": _map(promotion, "metadata").get("name"),
        "meta": {"promotion": {key: one for key, one in about.items() if one is not None}},
    }
    status = _map(promotion, "status")
    listed = status.get("stepExecutionMetadata")
    steps = {
        one["alias"]: one
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, Mapping) and isinstance(one.get("alias"), str)
    }
    return {
        "ctx": {key: one for key, one in ctx.items() if one is not None},
        "status": {
            key: one["status"] for key, one in steps.items() if isinstance(one.get("status"), str)
        },
        "outputs": {
            key: one for key, one in _map(status, "state").items() if isinstance(one, Mapping)
        },
        "metadata": steps,
    }


def as_json(value: Any) -> Any:
    """Plain data as the cluster gives it: numbers are floats."""
    if isinstance(value, Mapping):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [as_json(one) for one in value]
    return float(value) if type(value) is int else value


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by path (`a.b`) as maps of maps."""
    made: dict[str, Any] = {}
    for path, value in values.items():
        for key in reversed(path.split(".")):
            value = {key: value}
        made = _merged(made, value, 9)
    return made


def state_problems(content: Any) -> Problems:
    """The mistakes in the form of a state."""
    return _problems(content, _SHAPE, ())


def _problems(content: Mapping[Any, Any], shape: Mapping[str, Any], path: Path) -> Problems:
    """What does not fit a shape; mistakes below a mistake are not looked for."""
    for key, value in content.items():
        here = (*path, str(key))
        kind = shape.get(key, shape.get(ALL))
        if kind is None:
            known = meant(str(key), shape) or f"available: {', '.join(shape)}"
            yield here, f"unknown name `{'.'.join(here)}`; {known}"
        elif isinstance(kind, dict) and isinstance(value, Mapping):
            yield from _problems(value, kind, here)
        elif isinstance(kind, (tuple, dict)) or not isinstance(value, kind):
            words = "true or false" if kind is bool else "a map" if kind is not str else "a string"
            if isinstance(kind, tuple):
                near = meant(str(value), kind)
                words = f"one of {', '.join(kind)}{f' ({near})' if near else ''}"
            if not isinstance(kind, tuple) or value not in kind:
                yield here, f"`{'.'.join(here)}` must be {words}"
