"""Expands a configuration into targets (defaults, matrices, placeholders) and finds conflicts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from math import prod
from typing import Any, Final, TypeAlias

from ...functions.regexes import compile_regex
from ..engine.options import RENDERING, Option, config_rows
from ..values.diagnostics import meant
from ..values.settings import Limits
from ..world.files import real_path
from .target import Target

Path: TypeAlias = tuple[str | int, ...]
Report: TypeAlias = Callable[[str, Path, str, str | None], None]
"""Takes a code, a path in the configuration, a summary and a hint."""

RESERVED: Final = ("exclude", "include")
"""Keys of a matrix that are not axes."""

MOST_TARGETS: Final = 10_000

_NAME: Final = compile_regex(r"\w[\w./-]*")
_PLACEHOLDER: Final = compile_regex(r"\{(\{[A-Za-z_][\w-]*\})\}|\{([A-Za-z_][\w-]*)\}")


def axis_text(value: Any) -> str:
    """A value of an axis as it is written in paths and names."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def expand(data: Mapping[str, Any], report: Report) -> list[Target]:
    """The targets of a well-formed configuration, in its order.

    A target takes missing keys from `defaults`; lists and variables of both are joined.
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
    """A target's table merged over the defaults; each value comes with its path in the file."""

    def __init__(self, defaults: Mapping[str, Any], table: Mapping[str, Any], at: Path) -> None:
        self._tables = ((("defaults",), defaults), (at, table))
        self.keys = {*defaults, *table}

    def one(self, key: str) -> tuple[Path, Any] | None:
        """The value of the target, else the default."""
        if key in self.keys:
            for at, table in reversed(self._tables):
                if key in table:
                    return (*at, key), table[key]
        return None

    def all(self, key: str) -> Iterator[tuple[Path, Any]]:
        """The items of a list, those of the defaults first."""
        for at, table in self._tables:
            for index, item in enumerate(table.get(key, ())):
                yield (*at, key, index), item

    def variables(self, key: str = "variables") -> Iterator[tuple[Path, str, Any]]:
        """The entries of a table with their names, those of the target last."""
        for at, table in self._tables:
            for name, value in table.get(key, {}).items():
                yield (*at, key, name), name, value


def _combinations(merged: _Merged, group: str, report: Report) -> list[dict[str, Any]]:
    """The combinations of a matrix; without a matrix a single empty one."""
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
            words = "the matrix already has this combination"
            report("invalid_configuration", (*at, "include", index), words, None)
        else:
            names.add(_label(one))
            kept = [*kept, one]
    if not kept:
        words = f"every combination of the matrix of `{group}` is excluded"
        report("invalid_configuration", at, words, None)
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
    """A value with the placeholders in its strings replaced."""
    if isinstance(value, list):
        return [_filled_all(item, values, path, report) for item in value]
    return _filled(value, values, path, report) if isinstance(value, str) else value


def _filled(text: str, values: Mapping[str, Any], path: Path, report: Report) -> Any:
    """A string with its placeholders replaced; a lone placeholder keeps the type of its value."""
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
        hint = meant(found[2], values) or f"write `{{{{{found[2]}}}}}` for a literal `{found[0]}`"
        words = f"unknown axis `{found[2]}` in a placeholder"
        report("unknown_placeholder", path, words, hint)
        return found[0]

    return _PLACEHOLDER.sub(value, text)


def _tightened(table: Mapping[str, int], around: Limits, at: Path, report: Report) -> Limits:
    """Limits with some tighter ones; a looser one is reported."""
    changes = {}
    for name, value in table.items():
        most = getattr(around, name)
        if value > most:
            words = f"`{name}` is {value}, but the limit is already {most}"
            report("limit_not_tighter", (*at, name), words, f"write at most {most}")
        else:
            changes[name] = value
    return around.evolve(**changes) if changes else around


def _narrower(limits: Limits) -> dict[str, int]:
    """The limits that differ from the built-in ones."""
    usual = Limits()
    return {
        name: getattr(limits, name)
        for name in Limits.__match_args__
        if getattr(limits, name) != getattr(usual, name)
    }


def own_values(
    given: Iterable[tuple[Path, str, Any]], dialect: str | None, report: Report
) -> dict[str, tuple[str, ...]]:
    """The values of the table `options` by flag; later ones win. Errors are reported."""
    from ..dialects.dialect_options import dialect_options

    known = {
        flag.removeprefix("--"): option
        for flag, option in dialect_options(dialect).items()
        if {*RENDERING}.issubset(option.commands)  # a build prints nothing of its runs
    }
    found: dict[str, tuple[str, ...]] = {}
    for path, name, value in given:
        option = known.get(name)
        if option is None:
            report(
                "invalid_configuration",
                path,
                f"no dialect has the option `{name}`",
                meant(name, known),
            )
            continue
        texts = _texts(value, option)
        if texts is None:
            form = "a single value" if option.metavar else "a boolean"
            report("invalid_configuration", path, f"`{name}` must be {form}", None)
        elif option.choices and not {*texts} <= {*option.choices}:
            listed = ", ".join(option.choices)
            report(
                "invalid_configuration",
                path,
                f"`{name}` must be one of {listed}",
                meant(texts[0], option.choices),
            )
        elif texts or option.many:
            found[option.flag] = texts
    return {flag: texts for flag, texts in found.items() if texts}


def _texts(value: Any, option: Option) -> tuple[str, ...] | None:
    """The values as strings of the command line; None if the type is wrong."""
    if not option.metavar:
        return (("",) if value else ()) if isinstance(value, bool) else None
    if option.many:
        found = value if isinstance(value, list) else [value]
        return tuple(map(axis_text, found))
    return None if isinstance(value, list) else (axis_text(value),)


def check_conflicts(targets: list[Target], configuration: str, report: Report) -> None:
    """Reports files that would be written twice, or that a target would both read and write.

    A target may read the output of another one.
    """
    folder = os.path.dirname(configuration)
    real = RealPaths(folder)
    writers: dict[str, tuple[Target, str]] = {}
    for target in targets:
        own = {real.of(name): name for name in target.inputs()}
        own[os.path.normcase(configuration)] = os.path.basename(configuration)
        for key, name in _written(target):
            path = real.of(name)
            at: Path = ("targets", target.group, key)
            if name.endswith(("/", os.sep)):
                report("invalid_configuration", at, f"`{name}` names a folder, not a file", None)
            elif path in own:
                words = f"target `{target.name}` would replace `{own[path]}`, which it reads"
                report("duplicate_output", at, words, None)
            elif path in writers:
                other, same = writers[path]
                report("duplicate_output", at, *_said(target, other, name, same))
            else:
                writers[path] = (target, name)


def _written(target: Target) -> Iterator[tuple[str, str]]:
    yield "output", target.output
    if target.depfile:
        yield "depfile", target.depfile
    if target.source_map:
        yield "source-map", target.source_map


def _said(target: Target, other: Target, name: str, same: str) -> tuple[str, str | None]:
    if other is target:
        return f"target `{target.name}` writes `{name}` twice", None
    words = f"targets `{other.name}` and `{target.name}` both write `{name}`"
    if target.group != other.group:
        return words, "use `{target}` in the path to keep them apart"
    apart = next(axis for axis in target.axes if target.axes[axis] != other.axes[axis])
    return words, f"use `{{{apart}}}` in the path to keep them apart"


class RealPaths:
    """Real paths of files; each folder is resolved once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        """The real path of a file."""
        head, base = os.path.split(name)
        if base in ("", os.curdir, os.pardir):
            return real_path(os.path.join(self._folder, name))
        folder = self._known.get(head)
        if folder is None:
            folder = self._known[head] = real_path(os.path.join(self._folder, head))
        full = os.path.join(folder, base)
        return real_path(full) if os.path.islink(full) else os.path.normcase(full)
