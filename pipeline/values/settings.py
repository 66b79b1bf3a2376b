"""The settings of a run, as frozen values; diagnostics name a limit as its field is named."""

from __future__ import annotations

from typing import Final

from ...functions.record import Record, field
from ...functions.value_limits import raising


class Limits(Record):
    """Bounds on what one run reads, builds and writes.

    Sizes are in bytes or code points as the names say. A limit that is reached is an error of the
    blueprint, `limit_exceeded`, which names the limit. `bpp explain` says what each protects.
    """

    max_input_bytes: int = 16 * 1024 * 1024
    max_total_input_bytes: int = 128 * 1024 * 1024
    max_depth: int = 64
    max_nodes: int = 2_000_000
    max_total_nodes: int = 600_000
    max_scalar_chars: int = 1024 * 1024
    max_key_chars: int = 1024
    max_expression_chars: int = 16 * 1024
    max_expression_depth: int = 32
    max_substitutions: int = 1_000
    max_value_chars: int = 16 * 1024 * 1024
    max_value_items: int = 1_000_000
    max_built_chars: int = 64 * 1024 * 1024
    max_steps: int = 1_000_000
    run_seconds: int = 300
    max_reference_depth: int = 100
    max_each: int = 100_000
    max_resources: int = 100_000
    max_include_depth: int = 10
    max_includes: int = 500
    max_scanned_files: int = 100_000
    max_file_bytes: int = 16 * 1024 * 1024
    max_response_bytes: int = 16 * 1024 * 1024
    max_output_chars: int = 32 * 1024 * 1024
    max_diagnostics: int = 1_000
    max_message_chars: int = 1_000
    max_report_bytes: int = 64 * 1024
    max_fetched_bytes: int = 128 * 1024 * 1024
    fetch_seconds: int = 15
    max_graph_edges: int = 100_000
    program_seconds: int = 60


HIGHEST: Final = {
    "max_depth": 128,
    "max_expression_depth": 64,
    "max_reference_depth": 500,
    "max_include_depth": 50,
}
"""Hard ceilings for the limits that protect the stack."""


def check_limits(limits: Limits) -> None:
    """Check that limits are below their ceilings.

    Raises:
        ValueError: naming a limit above its ceiling.
    """
    for name, highest in HIGHEST.items():
        if getattr(limits, name) > highest:
            raise ValueError(f"`{name}` can be raised to {highest} at most")


def how_to_raise(name: str, limits: Limits) -> str:
    """The hint of a diagnostic about the limit `name`."""
    return raising(name, getattr(limits, name), HIGHEST.get(name))


SECRETS_KEEP = "keep"
SECRETS_MASK = "mask"
SECRETS_REVEAL = "reveal"


class Stores(Record):
    """The user's settings for object stores.

    Endpoints are addresses of servers, such as an emulator's. The libraries of the stores find the
    credentials, except those of an Azure connection string.
    """

    s3_endpoint: str = ""
    s3_region: str = ""
    gcs_endpoint: str = ""
    azure_account: str = ""
    azure_connection: str = field(default="", repr=False)


class Settings(Record):
    """The settings of a run; the fields but `debug` have the names of the command line's flags.

    `now` is the clock's answer in seconds since 1970 (None: the real clock), `seed` makes ids
    reproducible (None: random), `substr_end_exclusive` gives `substr` the reference engine's
    reading of its end index instead of the specification's. Fetched content is checked against the
    lock file `lock`, or `bpp.lock` beside the blueprint, unless `use_lock` is false; `cache` is a
    folder that keeps it, and the only source when `offline`. With `debug`,
    `Diagnostics.causes` keeps what plugins raise, which may hold secrets.
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
    lock: str | None = None
    use_lock: bool = True
    offline: bool = False
    cache: str | None = None
    stores: Stores = Stores()
    limits: Limits = Limits()
    debug: bool = False
