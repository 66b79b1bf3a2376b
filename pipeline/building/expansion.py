"""From the tables of a configuration to targets: defaults, matrices, placeholders, limits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any, Final, TypeAlias

from ..engine.options import Option, config_rows
from ..values.settings import Limits
from .target import Target

Path: TypeAlias = tuple[str | int, ...]
Report: TypeAlias = Callable[[str, Path, str, str | None], None]
"""Takes a code, the path of what is to blame, a sentence and a hint."""

RESERVED: Final = ("exclude", "include")
"""Keys of a matrix that are no axes."""

MOST_TARGETS: Final = 10_000

_NAME: Final = re.compile(r"\w[\w./-]*")
_PLACEHOLDER: Final = re.compile(r"\{(\{[A-Za-z_][\w-]*\})\}|\{([A-Za-z_][\w-]*)\}")


def axis_text(value: Any) -> str:
    """A value of an axis as it stands in paths and names."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def expand(data: Mapping[str, Any], report: Report) -> list[Target]:
    """The targets of a configuration whose form is sound, in its order.

    A target takes what it does not say from `defaults`; lists and variables of both are joined.
    """
    shared = _tightened(data.get("limits", {}), Limits(), ("limits",), report)
    narrower = _narrower(shared)
    found: list[Target] = []
    rows = [(name, name.replace("_", "-"), row) for name, row in config_rows().items()]
    for group, table in data.get("targets", {}).items():
        at = ("targets", group)
        if not _NAME.fullmatch(group):
            hint = "use letters, digits, `_`, `-`, `.` and `/`"
            report("invalid_configuration", at, f"`{group}` cannot be the name of a target", hint)
            continue
        limits = _tightened(table.get("limits", {}), shared, (*at, "limits"), report)
        merged = _Merged(data.get("defaults", {}), table, at)
        missing = [key for key in ("blueprint", "output") if merged.one(key) is None]
        for key in missing:
            hint = f'write `{key} = "..."` here or in `defaults`'
            report("invalid_configuration", at, f"target `{group}` has no `{key}`", hint)
        if missing:
            continue
        own = narrower if limits is shared else _narrower(limits)
        given = [(name, key, row) for name, key, row in rows if key in merged.keys]
        for axes in _combinations(merged, group, report):
            if len(found) >= MOST_TARGETS:
                words = f"there are more than {MOST_TARGETS} targets"
                report("limit_exceeded", at, words, "split the configuration")
                return found
            found.append(_target(group, axes, merged, given, own, report))
    return found


class _Merged:
    """A target's table over the defaults; each value comes with its path in the file."""

    def __init__(self, defaults: Mapping[str, Any], table: Mapping[str, Any], at: Path) -> None:
        self._tables = ((("defaults",), defaults), (at, table))
        self.keys = {*defaults, *table}

    def one(self, key: str) -> tuple[Path, Any] | None:
        """What counts: the target's own, else the default."""
        if key in self.keys:
            for at, table in reversed(self._tables):
                if key in table:
                    return (*at, key), table[key]
        return None

    def all(self, key: str) -> Iterator[tuple[Path, Any]]:
        """The elements of a list, those of the defaults first."""
        for at, table in self._tables:
            for index, item in enumerate(table.get(key, ())):
                yield (*at, key, index), item

    def variables(self, key: str = "variables") -> Iterator[tuple[Path, str, Any]]:
        """The entries of a table with their names; the target's own come last."""
        for at, table in self._tables:
            for name, value in table.get(key, {}).items():
                yield (*at, key, name), name, value


def _combinations(merged: _Merged, group: str, report: Report) -> list[dict[str, Any]]:
    """The values of a matrix in the order of its axes; without a matrix a single empty one."""
    found = merged.one("matrix")
    if found is None:
        return [{}]
    at, matrix = found
    axes = {name: values for name, values in matrix.items() if name not in RESERVED}
    if prod(map(len, axes.values())) > MOST_TARGETS:
        words = f"the matrix of `{group}` has more than {MOST_TARGETS} combinations"
        report("limit_exceeded", at, words, "split the configuration")
        return []
    all_of_them = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    kept = all_of_them
    for index, entry in enumerate(matrix.get("exclude", ())):
        matching = [one for one in all_of_them if _matches(one, entry)]
        if not matching:
            words = "this excludes nothing: no combination has these values"
            report("invalid_configuration", (*at, "exclude", index), words, None)
        kept = [one for one in kept if one not in matching]
    names = {_label(one) for one in kept}
    for index, entry in enumerate(matrix.get("include", ())):
        one = {name: entry[name] for name in axes}
        if _label(one) in names:
            words = "the matrix has this combination already"
            report("invalid_configuration", (*at, "include", index), words, None)
        else:
            names.add(_label(one))
            kept = [*kept, one]
    if not kept:
        report("invalid_configuration", at, f"the matrix of `{group}` leaves nothing", None)
    return kept


def _matches(one: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    return all(axis_text(one[name]) == axis_text(value) for name, value in entry.items())


def _label(axes: Mapping[str, Any]) -> str:
    return ",".join(f"{name}={axis_text(value)}" for name, value in axes.items())


def _target(
    group: str,
    axes: Mapping[str, Any],
    merged: _Merged,
    rows: list[tuple[str, str, Option]],
    limits: Mapping[str, int],
    report: Report,
) -> Target:
    values = {"target": group, **axes}

    def filled(found: tuple[Path, str]) -> str:
        return str(_filled(found[1], values, found[0], report))

    fields: dict[str, Any] = {}
    for name, key, row in rows:
        if row.many:
            found = merged.all(key)
            fields[name] = tuple(map(filled, found) if row.path else (item for _, item in found))
        elif (one := merged.one(key)) is not None:
            fields[name] = filled(one) if row.path else one[1]
    if (given := fields.get("now")) is not None:
        fields["now"] = float(given) if isinstance(given, int) else given.timestamp()
    variables = {
        name: _filled(value, values, path, report) if isinstance(value, str) else value
        for path, name, value in merged.variables()
    }
    if "options" in merged.keys:
        from .own_options import own_values

        given = [
            (path, name, _filled_all(value, values, path, report))
            for path, name, value in merged.variables("options")
        ]
        fields["own"] = own_values(given, fields.get("dialect"), report)
    if (blueprint := merged.one("blueprint")) is not None:
        fields["blueprint"] = filled(blueprint)
    name = f"{group}[{_label(axes)}]" if axes else group
    return Target(
        name=name, group=group, axes=dict(axes), variables=variables, limits=limits, **fields
    )


def _filled_all(value: Any, values: Mapping[str, Any], path: Path, report: Report) -> Any:
    """A value with the placeholders of its texts replaced."""
    if isinstance(value, list):
        return [_filled_all(item, values, path, report) for item in value]
    return _filled(value, values, path, report) if isinstance(value, str) else value


def _filled(text: str, values: Mapping[str, Any], path: Path, report: Report) -> Any:
    """A text with its placeholders replaced; one that is all of it keeps its value's type."""
    if "{" not in text:
        return text
    whole = _PLACEHOLDER.fullmatch(text)
    if whole and whole[2] in values:
        return values[whole[2]]

    def value(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        if found[2] in values:
            return axis_text(values[found[2]])
        from ..values.diagnostics import meant

        hint = meant(found[2], values) or f"write `{{{{{found[2]}}}}}` for the text itself"
        words = f"there is no axis `{found[2]}` to fill in"
        report("unknown_placeholder", path, words, hint)
        return found[0]

    return _PLACEHOLDER.sub(value, text)


def _tightened(table: Mapping[str, int], around: Limits, at: Path, report: Report) -> Limits:
    """Limits with some that are tighter; one that is looser is a mistake."""
    changes = {}
    for name, value in table.items():
        most = getattr(around, name)
        if value > most:
            words = f"`{name}` is {value}, but the limit is {most} already"
            report("limit_not_tighter", (*at, name), words, f"write at most {most}")
        else:
            changes[name] = value
    return around.evolve(**changes) if changes else around


def _narrower(limits: Limits) -> dict[str, int]:
    """The limits that are not the built-in ones."""
    usual = Limits()
    return {
        name: getattr(limits, name)
        for name in Limits.__match_args__
        if getattr(limits, name) != getattr(usual, name)
    }
