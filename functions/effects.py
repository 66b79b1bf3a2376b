"""What lies outside a blueprint: files, the network, ids, the clock, the working directory.

All of it goes through the `Environment`, which decides what is allowed and makes runs repeatable.
"""

from __future__ import annotations

from typing import Final

from .examples import edge, given
from .registry import Environment, Function, Parameter
from .values import NONE, FunctionError

DATETIME_FORMATS: Final = ("unix", "rfc3339", "tag", "tagcompact")


def read_file(environment: Environment, path: str) -> bytes:
    """A file's bytes.

    Raises:
        FunctionError: `invalid_argument` for an empty path; from the environment.
    """
    if not path:
        raise FunctionError("the path for `file` is empty", argument=0)
    return environment.read(path)


def fetch_resource(environment: Environment, url: str) -> bytes:
    """The body of the response to a request for a URL.

    Raises:
        FunctionError: `invalid_argument` for anything but HTTP and HTTPS; from the environment.
    """
    if not url.lower().startswith(("http://", "https://")):
        raise FunctionError(
            "the URL for `http_resource` must start with `https://` or `http://`",
            hint="use `file` for what is no web address",
            argument=0,
        )
    return environment.fetch(url)


def format_now(environment: Environment, form: str) -> str:
    """The current time in UTC, whole seconds, in one of four formats.

    Raises:
        FunctionError: `invalid_argument` for another format, or a clock beyond the calendar.
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
        raise FunctionError("the clock is beyond what `datetime` can write") from None
    if form == "rfc3339":
        return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
    if form == "tag":
        return f"{year:04}-{month:02}-{day:02}--{hour:02}-{minute:02}-{second:02}"
    return f"{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}"


def effect_functions() -> tuple[Function, ...]:
    """The records."""
    return (
        Function(
            name="file",
            summary="the bytes of a file",
            parameters=(
                Parameter("path", ("string",), "the file's path, from the working directory"),
            ),
            result="binary",
            call=read_file,
            topic="environment",
            effect="files",
            examples=(
                given('file("certificates/server.pem")'),
                given('file("dist/function.zip")'),
                given('file("images/app.tar")'),
                given('file("s3://my-bucket/certificates/server.pem")'),
                given('file("gs://my-bucket/dist/function.zip")'),
                edge('file("")', error="invalid_argument"),
                edge("file(none)", NONE),
                edge("file(1)", error="invalid_argument_type"),
            ),
        ),
        Function(
            name="http_resource",
            summary="the bytes that a public web address answers with",
            parameters=(Parameter("url", ("string",), "the HTTP or HTTPS address"),),
            result="binary",
            call=fetch_resource,
            topic="environment",
            effect="network",
            examples=(
                given(
                    'http_resource("https://raw.githubusercontent.com/example/config/main/app.json")'
                ),
                given(
                    'http_resource("https://github.com/example/app/releases/download/v1.0.0/app.zip")'
                ),
                given('http_resource("https://example.com/docs/api-schema.json")'),
                edge('http_resource("")', error="invalid_argument"),
                edge('http_resource("file:///etc/hosts")', error="invalid_argument"),
                edge("http_resource(none)", NONE),
                edge("http_resource(1)", error="invalid_argument_type"),
            ),
        ),
        Function(
            name="uuid",
            summary="a new random UUID (version 4) in lower case",
            parameters=(),
            result="string",
            call=lambda environment: environment.uuid(),
            topic="environment",
            effect="ids",
            examples=(
                given("uuid()"),
                given("len(uuid())", 36),
                edge('uuid("a")', error="invalid_argument_count"),
            ),
        ),
        Function(
            name="cwd",
            summary="the working directory",
            parameters=(),
            result="string",
            call=lambda environment: environment.cwd(),
            topic="environment",
            effect="cwd",
            examples=(
                given("cwd()"),
                given('join(list(cwd(), "blueprints/core-infra.blueprint.yaml"), "/")'),
                edge("cwd(1)", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="datetime",
            summary="the current time in UTC",
            parameters=(
                Parameter(
                    "format",
                    ("string",),
                    "`unix` (seconds since 1970), `rfc3339` (`2023-01-02T15:04:05Z`), "
                    "`tag` (`2023-01-02--15-04-05`) or `tagcompact` (`20230102150405`)",
                    choices=DATETIME_FORMATS,
                ),
            ),
            result="string",
            call=format_now,
            topic="environment",
            effect="clock",
            examples=(
                given('datetime("tag")'),
                given('datetime("unix")'),
                given('datetime("rfc3339")'),
                given('datetime("tagcompact")'),
                edge('datetime("iso")', error="invalid_argument"),
                edge('datetime("Unix")', error="invalid_argument"),
                edge("datetime(none)", NONE),
                edge("datetime(1)", error="invalid_argument_type"),
            ),
        ),
    )
