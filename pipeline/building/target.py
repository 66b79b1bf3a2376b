"""A target: one blueprint, what it is given, and the file it is rendered to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ...functions.record import Record, field
from ..values.settings import Limits, Settings


class Target(Record):
    """One output of a build; paths are relative to the folder of the configuration.

    `group` is its name in the configuration, `axes` are its values of the matrix, `name` is both:
    `api[env=prod,region=eu]`. `variables` may hold what nobody should read. `own` has the options
    that the dialect alone has, by flag. `limits` are those that are tighter than usual.
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
        """The files that the configuration names to be read."""
        named = (self.blueprint, *self.vars, self.state, self.datasources, self.lock)
        return tuple(name for name in named if name)

    def outputs(self) -> tuple[str, ...]:
        """The files that are written, the rendered blueprint first."""
        return tuple(name for name in (self.output, self.depfile, self.source_map) if name)

    def settings(self, surroundings: Surroundings, folder: str) -> Settings:
        """How the target is rendered in what the user has around it."""
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
        """All that the output depends on, for digests; every field in a fixed order."""
        fields = self.__dict__
        return [
            sorted(value.items()) if isinstance(value, dict) else value
            for value in [fields[name] for name in self.__match_args__]
        ]


class Surroundings(Record):
    """What a build takes from its surroundings and not from its configuration.

    `environment` may give variables (`BPP_VAR_<name>`), `settings` have the clock and what is known
    of object stores and the cache of what is fetched. `cache` is a folder in which builds keep what
    they know, `shapes` one for parsed expressions; without them nothing is kept. `limits` are the
    user's, by name: they count whatever the configuration says.
    """

    environment: Mapping[str, str] = field(factory=dict, repr=False)
    settings: Settings = Settings()
    limits: Mapping[str, int] = field(factory=dict)
    cache: str | None = None
    shapes: str | None = None
