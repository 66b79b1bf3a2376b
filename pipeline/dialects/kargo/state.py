"""What is known of a promotion: `--state`, `--status`, `--ctx`, and a recorded promotion.

Section 6.3 of the notes on promotions: `ctx`, `status` and `outputs` for all Stages, and under
`stages` what differs by Stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ....functions.record import Record, field
from ...values.diagnostics import meant
from .options import PromotionOptions

Problems: TypeAlias = Iterator[tuple[tuple[str, ...], str]]
"""The path of each mistake, and what is wrong there."""

STATUSES: Final = ("Running", "Succeeded", "Skipped", "Aborted", "Failed", "Errored")
ALL: Final = "*"

CTX: Final[Mapping[str, Any]] = {
    "project": str,
    "stage": str,
    "promotion": str,
    "uiBaseUrl": str,
    "targetFreight": {"name": str, "alias": str, "origin": {"name": str}},
    "meta": {"promotion": {"actor": str, "rollback": bool}, "step": {"alias": str}},
}
"""The names in `ctx`, each with the type of its value."""

_KEYS: Final = ("ctx", "status", "outputs", "metadata", "target")
"""The keys of a level, in the order of the fields of `Known`."""

_OF_A_STAGE: Final = ("ctx", "status", "outputs", "target")
_TARGET: Final = ("params", "labels")


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
    recorded: bool = False

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
    return Known(*(merged.get(key, {}) for key in _KEYS), recorded=promotion is not None)


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
    about = {
        "actor": annotations.get("kargo.akuity.io/create-actor"),
        "rollback": str(annotations.get("kargo.akuity.io/rollback", "")).lower() == "true",
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


def ctx_value(path: str, text: str) -> str | bool:
    """The value of a name in `ctx` that a text gives.

    Raises:
        ValueError: for a name that `ctx` does not have, or that is no value.
    """
    known: Any = CTX
    for key in path.split("."):
        if not isinstance(known, Mapping) or key not in known:
            raise ValueError(f"`ctx` has no `{path}`; {_available(path, [*_leaves(CTX)])}")
        known = known[key]
    if isinstance(known, Mapping):
        raise ValueError(f"`ctx.{path}` is a map; it has {', '.join(known)}")
    if known is bool and text not in ("true", "false"):
        raise ValueError(f"`ctx.{path}` is true or false, not `{text}`")
    return text == "true" if known is bool else text


def _leaves(known: Mapping[str, Any], path: str = "") -> Iterator[str]:
    for key, one in known.items():
        yield from _leaves(one, f"{path}{key}.") if isinstance(one, Mapping) else (path + key,)


def state_problems(content: Any) -> Problems:
    """The mistakes in the form of a state."""
    keys = (*_OF_A_STAGE, "stages")
    yield from _maps(content, (), keys, "key of a state")
    yield from _level_problems(content, ())
    stages = _map(content, "stages")
    yield from _maps(stages, ("stages",))
    for name, level in stages.items():
        yield from _maps(level, ("stages", name), _OF_A_STAGE, "key of a Stage's state")
        yield from _level_problems(level, ("stages", name))


def _level_problems(level: Any, path: tuple[str, ...]) -> Problems:
    yield from _ctx_problems(_map(level, "ctx"), (*path, "ctx"), CTX)
    yield from _maps(_map(level, "outputs"), (*path, "outputs"))
    yield from _maps(_map(level, "target"), (*path, "target"), _TARGET, "name in `target`")
    for alias, status in _map(level, "status").items():
        if status not in STATUSES:
            words = f"unknown status `{status}`; {_available(status, STATUSES)}"
            yield (*path, "status", alias), words


def _ctx_problems(values: Any, path: tuple[str, ...], known: Mapping[str, Any]) -> Problems:
    for key, value in values.items():
        kind = known.get(key)
        if kind is None:
            yield (*path, key), f"`{'.'.join(path)}` has no `{key}`; {_available(key, known)}"
        elif isinstance(kind, Mapping):
            if isinstance(value, Mapping):
                yield from _ctx_problems(value, (*path, key), kind)
            else:
                yield (*path, key), f"`{'.'.join((*path, key))}` must be a map"
        elif not isinstance(value, kind):
            words = "true or false" if kind is bool else "a string"
            yield (*path, key), f"`{'.'.join((*path, key))}` must be {words}"


def _maps(
    content: Any, path: tuple[str, ...], known: tuple[str, ...] = (), noun: str = ""
) -> Problems:
    """Keys that are not known, and values that are not maps."""
    for key, value in content.items() if isinstance(content, Mapping) else ():
        if known and key not in known:
            yield (*path, key), f"unknown {noun} `{key}`; {_available(key, known)}"
        elif not isinstance(value, Mapping):
            yield (*path, key), f"`{'.'.join((*path, str(key)))}` must be a map"


def _available(name: Any, names: Iterable[str]) -> str:
    """The near name, or all that there are."""
    return meant(str(name), names) or f"available: {', '.join(names)}"
