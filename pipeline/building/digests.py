"""Digests of contents and of what a target is given; secrets go into keyed ones only.

Every digest that has gone through a key is of no use without it: who sees the name of a file in the
cache cannot try out which password leads to it. The key never leaves the user's cache folder.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..values.version import VERSION
from .target import Surroundings, Target

try:
    # where hashlib gets it from, which loads OpenSSL first: longer than the digests of a build take
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

ABSENT: Final = ""
"""Of a file that is not there, or is none."""

UNSTEADY: Final = "?"
"""Of a file that changed while it was read; equal to no digest."""

_PREFIX: Final = "BPP_VAR_"


def digest_of(data: bytes, key: bytes) -> str:
    """The digest of a file's content, which may hold secrets."""
    return blake2b(data, digest_size=20, key=key).hexdigest()


def keyed_digest(key: bytes, data: bytes) -> str:
    """A digest that only who has the key can compute."""
    return blake2b(data, digest_size=32, key=key).hexdigest()


def result_key(
    key: bytes,
    target: Target,
    shared: str,
    environment: Mapping[str, str],
    names: Iterable[str],
    inputs: Mapping[str, str],
    packages: str,
) -> str:
    """What a result is found by: all that it depends on, in one keyed digest.

    `shared` is what `shared_by_all` says, `names` are the variables that the blueprint declares,
    `inputs` the digests of what it reads, `packages` that of the installed packages, or nothing
    when no plugin was looked for.
    """
    given = [
        shared,
        target.plain(),
        sorted(_declared(environment, names)),
        sorted(inputs.items()),
        packages,
    ]
    return keyed_digest(key, repr(given).encode("utf-8", "surrogatepass"))


def shared_by_all(folder: str, around: Surroundings) -> str:
    """What the results of all targets depend on; `folder` is that of the configuration."""
    settings = around.settings.evolve(cache=None)
    limits = sorted(around.limits.items())
    return repr([VERSION, sys.version, folder, _plain(settings), limits])


def _declared(environment: Mapping[str, str], names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, environment[_PREFIX + name]) for name in names if _PREFIX + name in environment]


def _plain(record: Any) -> Any:
    """A record as plain data: its `repr` may leave out what nobody should read."""
    names = getattr(record, "__match_args__", None)
    if names is None:
        return record
    return [_plain(getattr(record, name)) for name in names]
