"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="The blueprint; `-` reads standard input.")
]
DialectOption = Annotated[
    Optional[str],  # noqa: UP045  (typer reads this on Python 3.11)
    typer.Option(
        "--dialect", metavar="NAME", help="The dialect; recognised by the text without this."
    ),
]
NamedDialectOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--dialect", metavar="NAME", help="The dialect; the usual one without this."),
]
FormatOption = Annotated[
    Optional[str],  # noqa: UP045  (typer reads this on Python 3.11)
    typer.Option("--format", metavar="yaml|json", help="The output's format."),
]
VarOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--var",
        metavar="NAME=VALUE",
        help="A variable, read by its declared type; may be repeated, wins over --vars.",
    ),
]
VarsOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--vars",
        metavar="FILE",
        help="Variables from a YAML, JSON, TOML or .env file; may be repeated, later ones win.",
    ),
]
StateOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option("--state", metavar="FILE", help="What is known of the deployment."),
]
DatasourcesOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--datasources", metavar="FILE", help="Records that answer data sources, by their type."
    ),
]
SecretsOption = Annotated[
    str,
    typer.Option(
        "--secrets",
        metavar="keep|mask|reveal",
        help="Secrets stay references, print as (secret), or are written out.",
    ),
]
NowOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--now", metavar="TIME", help="The clock's answer: seconds since 1970 or RFC 3339."
    ),
]
SeedOption = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--seed", metavar="N", help="Make uuid() reproducible."),
]
AllowNetOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--allow-net", metavar="HOST", help="A host that may be asked over HTTP."),
]
AllowPathOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--allow-path", metavar="DIR", help="One more folder that may be read from."),
]
LockOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--lock",
        metavar="LOCK",
        help="What is fetched must be as this file records; by default bpp.lock beside FILE.",
    ),
]
OfflineOption = Annotated[
    bool, typer.Option("--offline", help="Take what is locked from the cache; ask nobody.")
]
KeepTransformOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--keep-transform",
        metavar="NAME",
        help="Leave this transform and its resources in place instead of running it.",
    ),
]
SubstrOption = Annotated[
    bool,
    typer.Option(
        "--substr-end-exclusive",
        help="Read the end index of substr as the reference engine does, not the specification.",
    ),
]
LimitOption = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--limit",
        metavar="NAME=VALUE",
        help="Raise or lower a limit; may be repeated. `bpp explain limits` lists them.",
    ),
]
DiagnosticsOption = Annotated[
    str,
    typer.Option(
        "--diagnostics", metavar="text|json|sarif|github", help="How mistakes are written."
    ),
]
ColorOption = Annotated[
    str, typer.Option("--color", metavar="auto|always|never", help="Colour in diagnostics.")
]
