"""`bpp build --watch`: builds, waits for a change, and builds what is behind it."""

from __future__ import annotations

import gc
import os

from ..building.builds import BuildResult, changed_since, look_at, select, wait_for_change
from ..building.configuration import Configuration
from ..building.target import Surroundings, TargetResult
from ..values.settings import Settings
from ..world.effects import Effects
from ..world.files import DiskFiles, FileProblem
from .build_command import BuildOptions, build_once, tell_unreadable
from .streams import tell
from .terminal import visible
from .usage import UsageProblem


def watch_build(path: str, jobs: int | None, around: Surroundings, options: BuildOptions) -> int:
    """Builds until it is interrupted; a configuration with mistakes is waited for as well."""
    gc.enable()  # this process may run for days
    real = os.path.realpath(path)
    last: dict[str, TargetResult] = {}
    names: tuple[str, ...] | None = None
    configuration: Configuration | str = path
    while True:
        started = Effects(Settings(), DiskFiles()).now()
        try:
            result = build_once(configuration, jobs, around, options, names)
            assert isinstance(result, BuildResult)
            configuration = result.configuration
            last.update({one.target.name: one for one in result.results})
        except FileProblem as problem:
            tell_unreadable(problem, path, options)
            last = {}
        except UsageProblem as problem:
            if not last:
                raise  # at the start it is the command that is wrong, later the configuration
            tell(f"error: {visible(str(problem))}\n")
        watched = look_at({real, *_reads(last)})
        changed = changed_since(watched, started)
        names = None
        while not names:
            changed = changed or wait_for_change(watched)
            if real in changed or isinstance(configuration, str) or not configuration.ok:
                configuration, last, names = path, {}, None
                break
            names = _behind(configuration, last, changed, options)
            watched.update(look_at(changed))
            changed = changed if names else set()
        tell(_told(changed))


def _told(changed: set[str]) -> str:
    shown = sorted(map(os.path.relpath, changed))
    more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
    return f"{visible(shown[0])}{more} changed\n"


def _reads(last: dict[str, TargetResult]) -> set[str]:
    return {path for one in last.values() for path in one.reads}


def _behind(
    configuration: Configuration,
    last: dict[str, TargetResult],
    changed: set[str],
    options: BuildOptions,
) -> tuple[str, ...]:
    """The names of the targets that read what has changed."""
    chosen = select(configuration.targets, options.targets)
    return tuple(
        target.name
        for target in chosen
        if target.name not in last or changed & {*last[target.name].reads}
    )
