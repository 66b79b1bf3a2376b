"""The names that exist in every part of a project, and what they are known to mean.

Nothing is read from the machine: what a caller does not tell stays in the output.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from .....functions.values import Unknown
from ....values.expression import Path, Reference
from ....values.settings import SECRETS_REVEAL, Settings
from ....world.effects import Effects
from ..options import ProjectOptions
from .scope import Lazy

_LOCAL: Final = (
    "artifactsPath",
    "env",
    "username",
    "usernameLowerCase",
    "arch",
    "platform",
    "projectPath",
)
_GIT: Final = ("branch", "commitHash", "originUrl")
_COMMAND: Final = ("name", "params")


class Hidden(Lazy):
    """Variables of somebody's environment: no message lists them."""

    discreet = True

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def content(self) -> Any:
        """See `Lazy`."""
        return self._values


class Partial(Lazy):
    """Names of which some are known; all of them together are not."""

    def __init__(self, members: dict[str, Any], reference: Reference) -> None:
        self._members = members
        self._reference = reference

    def content(self) -> Any:
        """See `Lazy`."""
        return self._members

    def whole(self) -> Any:
        """See `Lazy`."""
        unknown = any(isinstance(one, Unknown | Partial) for one in self._members.values())
        return Unknown(self._reference) if unknown else self._members


class Clock(Lazy):
    """The time of the run, asked for when something needs it."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects

    def content(self) -> Any:
        """See `Lazy`."""
        seconds = self._effects.now()
        now = datetime.fromtimestamp(seconds, UTC)
        text = now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{now.microsecond // 1000:03}Z"
        return {"now": text, "today": text[:10], "timestamp": round(seconds)}


def world_of(
    options: ProjectOptions, settings: Settings, effects: Effects, project: str
) -> dict[str, Any]:
    """The names that are known before anything of a project is, and the secrets."""
    state = options.state or {}
    local = _told("local", options.local, _LOCAL)
    return {
        "local": local,
        "git": _told("git", options.git, _GIT),
        "command": _told("command", options.command, _COMMAND),
        "datetime": Clock(effects),
        "project": {"name": project},
        "secrets": _secrets(state.get("secrets"), settings),
        "imported": state.get("imported", Unknown(Reference("imported"))),
    }


def _told(name: str, told: Mapping[str, Any] | None, keys: tuple[str, ...]) -> Any:
    """What a caller tells of a name; what it does not tell is unknown."""
    if told is None:
        return Unknown(Reference(name))
    members = {**{key: Unknown(Reference(name, (key,))) for key in keys}, **told}
    if isinstance(members.get("env"), dict):
        members["env"] = Hidden(members["env"])
    return Partial(members, Reference(name))


def _secrets(given: Any, settings: Settings) -> Any:
    """Secrets stay in the output, as far as their names are known, unless they are revealed."""
    if not isinstance(given, dict):
        return Unknown(Reference("secrets"), "any", True)
    if settings.secrets == SECRETS_REVEAL:
        return given
    return _kept(given, ())


def _kept(value: Any, path: Path) -> Any:
    if isinstance(value, dict):
        return {key: _kept(item, (*path, key)) for key, item in value.items()}
    return Unknown(Reference("secrets", path), "any", True)


def holds_local(text: str, local: Mapping[str, Any] | None) -> bool:
    """True for a text with a value of somebody's environment in it, which no message may hold."""
    known = (local or {}).get("env")
    values = known.values() if isinstance(known, Mapping) else ()
    return any(isinstance(one, str) and one and one in text for one in values)


def later(name: str, state: Mapping[str, Any]) -> Any:
    """A name that only a run of Garden knows, or what the state says of it."""
    return state.get(name, Unknown(Reference(name)))
