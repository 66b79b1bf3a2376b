"""Targets of a build: one blueprint, its inputs and its output; and the result of rendering one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...functions.record import Record, field
from ..values.diagnostics import Diagnostics
from ..values.settings import Limits, Settings

if TYPE_CHECKING:
    from ..answers.comparison import Difference

RENDERED, RESTORED, UNCHANGED, DIFFERS, FAILED = (
    "rendered",
    "restored",
    "unchanged",
    "differs",
    "failed",
)


class Target(Record):
    """One output of a build; paths are relative to the folder of the configuration.

    `group` is its name in the configuration, `axes` are its values of the matrix, `name` is both:
    `api[env=prod,region=eu]`. `variables` may hold secrets. `own` are the options of the dialect,
    by flag. `limits` are those that are tighter than the defaults.
    """

    name: str
    group: str
    blueprint: str
    output: str
    axes: Mapping[str, Any] = field(factory=dict)
    dialect: str | None = None
    own: Mapping[str, tuple[str, ...]] = field(factory=dict)
    format: str | None = None
    variables: Mapping[str, Any] = field(factory=dict, repr=False)
    vars: tuple[str, ...] = ()
    strict_vars: bool = False
    state: str | None = None
    datasources: str | None = None
    strict: bool = False
    secrets: str = "keep"
    keep_transform: tuple[str, ...] = ()
    allow_net: tuple[str, ...] = ()
    allow_path: tuple[str, ...] = ()
    depfile: str | None = None
    source_map: str | None = None
    lock: str | None = None
    offline: bool = False
    now: float | None = None
    seed: int | None = None
    substr_end_exclusive: bool = False
    limits: Mapping[str, int] = field(factory=dict)

    def inputs(self) -> tuple[str, ...]:
        """The input files that the configuration names."""
        named = (self.blueprint, *self.vars, self.state, self.datasources, self.lock)
        return tuple(name for name in named if name)

    def outputs(self) -> tuple[str, ...]:
        """The output files, the rendered blueprint first."""
        return tuple(name for name in (self.output, self.depfile, self.source_map) if name)

    def settings(self, surroundings: Surroundings, folder: str) -> Settings:
        """The settings for rendering the target in the surroundings of the user."""
        around = surroundings.settings
        return around.evolve(
            strict=self.strict,
            strict_vars=self.strict_vars,
            secrets=self.secrets,
            now=around.now if self.now is None else self.now,
            seed=self.seed,
            allow_net=self.allow_net,
            allow_path=tuple(os.path.join(folder, path) for path in self.allow_path),
            keep_transform=self.keep_transform,
            substr_end_exclusive=self.substr_end_exclusive,
            lock=self.lock,
            offline=self.offline or around.offline,
            limits=Limits(**{**self.limits, **surroundings.limits}),
        )

    def plain(self) -> list[Any]:
        """All fields in a fixed order as plain data, for digests."""
        fields = self.__dict__
        return [
            sorted(value.items()) if isinstance(value, dict) else value
            for value in [fields[name] for name in self.__match_args__]
        ]


class Surroundings(Record):
    """The inputs of a build that are not in its configuration.

    `environment` may set variables (`BPP_VAR_<name>`), `settings` have the clock, the object stores
    and the cache of fetched files. `cache` is the folder for the cache of builds, `shapes` the one
    for parsed expressions; without them nothing is cached. `limits` are the user's, by name: they
    override those of the configuration.
    """

    environment: Mapping[str, str] = field(factory=dict, repr=False)
    settings: Settings = Settings()
    limits: Mapping[str, int] = field(factory=dict)
    cache: str | None = None
    shapes: str | None = None


class TargetResult(Record, eq=False):
    """The result of one target.

    `status` is `rendered`; `restored` if the cache had the result; `unchanged` if it was up to
    date; `differs` if a check found a different output; or `failed`. `changed` is set if the
    content of the output is new. `reads` are the absolute paths of the files that were read or
    looked for. Of a check, `differences` are those between the output on disk and the expected one,
    by path, and `remark` adds what they cannot show. `volatile` names inputs that may change at any
    time, such as the clock: a target with such inputs is rendered in every build. `why` says why it
    was not up to date. `traced` has the tracebacks of plugins that broke, if `debug` is set.
    """

    target: Target
    status: str
    diagnostics: Diagnostics
    changed: bool = False
    reads: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    remark: str = ""
    volatile: tuple[str, ...] = ()
    why: str = ""
    traced: str = ""

    @property
    def ok(self) -> bool:
        """True unless the target failed or differs."""
        return self.status not in (FAILED, DIFFERS)


class Task(Record, eq=False):
    """A target to render, with everything a worker needs; `cache` is None if nothing is cached.

    `key` is the key of all digests. With `check` nothing is written.
    """

    target: Target
    configuration: str
    around: Surroundings = field(repr=False)
    cache: str | None = None
    key: bytes = field(default=b"", repr=False)
    check: bool = False


class Outcome(Record, eq=False):
    """A target's result, and its entry in the index; None if it may be out of date at any time."""

    result: TargetResult
    entry: dict[str, Any] | None = None
