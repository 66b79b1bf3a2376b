"""Values of options and of environment variables, read and checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..values.settings import Stores
from ..world.files import may_keep, same_file

STANDARD_INPUT: Final = ("-", "/dev/stdin")
HISTORY: Final = "console-history"
"""The file in the cache folder for what was typed into the console."""


class UsageProblem(Exception):
    """A command line that cannot be run; ends with status 2."""


def pages(section: str) -> dict[str, Any]:
    """A section of `pages.toml`, which has the texts of help."""
    import tomllib
    from pkgutil import get_data

    data = get_data(__package__, "pages.toml")
    assert data is not None
    found: dict[str, Any] = tomllib.loads(data.decode())[section]
    return found


def choice(option: str, value: str | None, allowed: Iterable[str]) -> None:
    """Refuses a value that is not allowed.

    Raises:
        UsageProblem: listing the allowed values, and suggesting a similar one.
    """
    words = list(allowed)
    if value in words:
        return
    from ..values.diagnostics import meant

    near = meant(str(value), words)
    hint = f" ({near})" if near else ""
    raise UsageProblem(f"{option} cannot be `{value}`; it is one of {', '.join(words)}{hint}")


def variable_flags(flags: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` strings by name; later ones win.

    Raises:
        UsageProblem: for a string without `=` or without a name; the value is not quoted.
    """
    found: dict[str, str] = {}
    for flag in flags:
        name, sign, value = flag.partition("=")
        if not sign or not name.strip():
            raise UsageProblem("--var is written NAME=VALUE")
        found[name.strip()] = value
    return found


def moment(text: str | None, epoch: str | None) -> float | None:
    """Seconds since 1970 from `--now`, else from SOURCE_DATE_EPOCH, else None.

    Raises:
        UsageProblem: for a value that is neither whole seconds nor RFC 3339 with an offset.
    """
    for option, value in (("--now", text), ("SOURCE_DATE_EPOCH", epoch or None)):
        if value is None:
            continue
        if value.isascii() and value.isdigit() and len(value) <= 12:
            return float(value)
        from datetime import datetime

        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            parsed = None
        if parsed is None or parsed.tzinfo is None or option != "--now":
            form = "seconds since 1970"
            if option == "--now":
                form += " or a time such as 2026-01-31T12:00:00Z"
            raise UsageProblem(f"{option} must be {form}")
        return parsed.timestamp()
    return None


def read_once(*names: str | None) -> None:
    """Refuses to read standard input more than once.

    Raises:
        UsageProblem: when more than one of the names stands for it.
    """
    if sum(name in STANDARD_INPUT for name in names) > 1:
        raise UsageProblem("standard input (`-`) can be read only once")


def opened(name: str) -> str:
    """The path of a file that may be standard input."""
    return "/dev/stdin" if name == "-" else name


def keep_inputs(option: str, output: str, files: Iterable[str | None]) -> None:
    """Refuses to write over a file in use.

    Raises:
        UsageProblem: naming the file.
    """
    for name in files:
        if name and output != "-" and same_file(opened(name), output):
            raise UsageProblem(f"{option} would replace `{name}`")


def cache_folder(name: str = "") -> str | None:
    """The user's cache folder, or the one of a `name` in it.

    None if it is disabled, without a home, and for one that others can write to.
    """
    if os.environ.get("BPP_NO_CACHE"):
        return None
    base = os.environ.get("BPP_CACHE_DIR")
    if not base:
        home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        base = os.path.join(home, "bpp")
    if not os.path.isabs(base) or not may_keep(base):
        return None
    return os.path.join(base, name) if name else base


def stores_of(environment: Mapping[str, str]) -> Stores:
    """The endpoints, region and account of object stores, from the variables of their own tools."""
    if not any(name.startswith(("AWS_", "AZURE_", "STORAGE_")) for name in environment):
        return Stores()

    def first(*names: str) -> str:
        return next((environment[name] for name in names if environment.get(name)), "")

    found = Stores(
        s3_endpoint=first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
        s3_region=first("AWS_REGION", "AWS_DEFAULT_REGION"),
        gcs_endpoint=first("STORAGE_EMULATOR_HOST"),
        azure_account=first("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"),
        azure_connection=first("AZURE_STORAGE_CONNECTION_STRING"),
    )
    key = first("AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY")
    if key and found.azure_account and not found.azure_connection:
        connection = f"AccountName={found.azure_account};AccountKey={key}"
        found = found.evolve(azure_connection=connection)
    return found
