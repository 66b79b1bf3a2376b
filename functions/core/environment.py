"""Everything outside a blueprint: files, the network, ids, the clock, the working directory, links.

All of it goes through the `Environment`, which decides what is allowed and makes runs repeatable.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from ..registry import Environment
from ..signatures import Declarations
from ..values import FunctionError

function: Final = Declarations("environment", __package__)


DATETIME_FORMATS: Final = ("unix", "rfc3339", "tag", "tagcompact")


@function("file(path: string) -> binary", effect="files")
def read_file(environment: Environment, path: str) -> bytes:
    """A file's bytes.

    Raises:
        FunctionError: `invalid_argument` for an empty path; from the environment.
    """
    if not path:
        raise FunctionError("the path for `file` is empty", argument=0)
    return environment.read(path)


@function("http_resource(url: string) -> binary", effect="network")
def fetch_resource(environment: Environment, url: str) -> bytes:
    """The body of the response to a request for a URL.

    Raises:
        FunctionError: `invalid_argument` for a URL that is not HTTP or HTTPS; from the environment.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise FunctionError(
            "the URL for `http_resource` must start with `https://` or `http://`",
            hint="use `file` for a local file",
            argument=0,
        )
    return environment.fetch(url)


@function('datetime(format: "unix" | "rfc3339" | "tag" | "tagcompact") -> string', effect="clock")
def format_now(environment: Environment, form: str) -> str:
    """The current time in UTC, whole seconds, in one of four formats.

    Raises:
        FunctionError: `invalid_argument` for another format, or a clock out of range.
    """
    import math
    import time

    if form not in DATETIME_FORMATS:
        raise FunctionError(
            "the format for `datetime` must be `unix`, `rfc3339`, `tag` or `tagcompact`",
            argument=0,
        )
    try:
        seconds = math.floor(environment.now())
        if form == "unix":
            return str(seconds)
        year, month, day, hour, minute, second = time.gmtime(seconds)[:6]
    except (OverflowError, ValueError, OSError):
        raise FunctionError("the clock is outside the range of `datetime`") from None
    if form == "rfc3339":
        return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    if form == "tag":
        return f"{year:04}-{month:02}-{day:02}--{hour:02}-{minute:02}-{second:02}"
    return f"{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}"


@function("uuid() -> string", effect="ids")
def new_uuid(environment: Environment) -> str:
    """A new random UUID (version 4)."""
    return environment.uuid()


@function("cwd() -> string", effect="cwd")
def working_directory(environment: Environment) -> str:
    """The working directory."""
    return environment.cwd()


@function(
    "link(a: string | resource, b: string | resource) -> object", topic="resources", form="link"
)
def link_state(a: Any, b: Any) -> NoReturn:
    """Never called with a result: the evaluator answers from state or leaves the call as it is.

    Raises:
        FunctionError: `unresolved_value`, always.
    """
    raise FunctionError(
        "the state of a link is known only after deployment", code="unresolved_value"
    )
