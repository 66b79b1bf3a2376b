"""What a caller may choose, as frozen values; a limit's diagnostic repeats its name."""

from __future__ import annotations

import attrs


@attrs.frozen
class Limits:
    """Bounds on what one run reads, builds and writes.

    Sizes are in bytes or code points as the names say. A limit that is reached is an error of the
    blueprint, `limit_exceeded`, which names the limit.
    """

    max_input_bytes: int = 16 * 1024 * 1024
    max_depth: int = 64
    max_nodes: int = 2_000_000
    max_scalar_chars: int = 1024 * 1024
    max_key_chars: int = 1024
    max_expression_chars: int = 16 * 1024
    max_expression_depth: int = 32
    max_substitutions: int = 1_000
    max_value_chars: int = 16 * 1024 * 1024
    max_value_items: int = 1_000_000
    max_steps: int = 20_000_000
    max_reference_depth: int = 50
    max_each: int = 100_000
    max_resources: int = 100_000
    max_include_depth: int = 10
    max_includes: int = 500
    max_file_bytes: int = 16 * 1024 * 1024
    max_response_bytes: int = 16 * 1024 * 1024
    max_output_chars: int = 256 * 1024 * 1024
    max_diagnostics: int = 1_000
    fetch_seconds: int = 15


SECRETS_KEEP = "keep"
SECRETS_MASK = "mask"
SECRETS_REVEAL = "reveal"


@attrs.frozen
class Settings:
    """How a run behaves; the fields carry the names of the command line's flags.

    `now` is the clock's answer in seconds since 1970 (None: the real clock), `seed` makes ids
    reproducible (None: random), `substr_end_exclusive` gives `substr` the reference engine's
    reading of its end index instead of the specification's.
    """

    strict: bool = False
    secrets: str = SECRETS_KEEP
    now: float | None = None
    seed: int | None = None
    allow_net: tuple[str, ...] = ()
    allow_path: tuple[str, ...] = ()
    keep_transform: tuple[str, ...] = ()
    strict_vars: bool = False
    keep_remote_includes: bool = True
    substr_end_exclusive: bool = False
    limits: Limits = Limits()
