"""Stubs: which value one has at a path, and how values that are inserted take it over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .scope import (
    DEFAULT,
    IMPLIED,
    LOCAL,
    MISSING,
    TEMPORARY,
    UNDEFINED,
    Cell,
    Env,
    Rows,
    Table,
    known,
)

if TYPE_CHECKING:
    from .evaluation import Evaluation


def find(evaluation: Evaluation, stubs: tuple[Cell, ...], path: tuple[str, ...] | None) -> Any:
    """What the first stub that has a path has there, `MISSING` if none does.

    What a stub has for its own use (`&local`), and the parts of its defaults, are not found.
    """
    if path is None:
        return MISSING
    for stub in stubs:
        found: Any = stub
        implied = 0
        for step in path:
            flags = found.flags if found.__class__ is Cell else 0
            implied |= flags & (DEFAULT | IMPLIED)
            found = child(evaluation, found, step)
            if found is MISSING:
                break
        if found is MISSING:
            continue
        flags = found.flags if found.__class__ is Cell else 0
        if flags & LOCAL or (implied and not flags & DEFAULT):
            continue
        if evaluation.force(found) is not UNDEFINED:
            return found
    return MISSING


def child(evaluation: Evaluation, value: Any, step: str | int) -> Any:
    """One step into a value: a key, an index such as `[0]`, the name of a map in a list."""
    value = evaluation.force(value)
    if isinstance(value, dict | Table):
        if value.__class__ is Table and step in value.cells:
            return value.cells[step]
        return (evaluation.entries(value) or {}).get(step, MISSING)
    if isinstance(value, list):
        return item(evaluation, value, step)
    return MISSING


def item(evaluation: Evaluation, value: list[Any], step: str | int) -> Any:
    """An item of a list by its number, negative from the end, or by the name that it has."""
    if isinstance(step, str) and step[:1] == "[" and step[1:-1].lstrip("-").isdigit():
        step = int(step[1:-1])
    if isinstance(step, int):
        present = [one for one in value if not evaluation.vanishes(one)]
        return present[step] if -len(present) <= step < len(present) else MISSING
    key = getattr(value, "key_name", "") or "name"
    field, colon, name = step.partition(":")
    if colon and field:
        key, step = field, name
    evaluation.meter.work(len(value))
    for one in value:
        if one.__class__ is Cell and one.status == 1:
            continue
        if evaluation.field(one, key) == step:
            return one
    return MISSING


def overlaid(evaluation: Evaluation, value: Any, env: Env) -> Any:
    """A value that is put at a place, where stubs may have another one."""
    if not env.stubs or env.stub_path is None:
        return value
    inside = evaluation.force(value)
    if isinstance(inside, dict | Table):
        made = Table(getattr(inside, "node", None), env)
        for key, one in (evaluation.entries(inside) or {}).items():
            made.cells[key] = overlaid(evaluation, one, env.at(key))
        return _like(value, made, env)
    if isinstance(inside, list):
        return value
    found = find(evaluation, env.stubs, env.stub_path)
    if found is MISSING or (found.__class__ is Cell and found.flags & DEFAULT):
        return value
    return found


def _like(value: Any, made: Any, env: Env) -> Cell:
    cell = known(made, env, value.flags if value.__class__ is Cell else 0)
    cell.origin = value.origin if value.__class__ is Cell else None
    return cell


__all__ = ["TEMPORARY", "Rows", "child", "find", "item", "overlaid"]
