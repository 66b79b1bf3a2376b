"""`bpp integration`: where the files lie that other build tools load."""

from __future__ import annotations

from typing import Annotated

import typer


def integration(
    tool: Annotated[str, typer.Argument(metavar="cmake|bazel", help="The build tool.")],
) -> int:
    """Print the folder with the files for a build tool.

    It has `bpp.cmake` for CMake's `include`, or a repository for Bazel.
    """
    from ..integrations import FOLDERS, integration_folder
    from .streams import put
    from .usage import choice

    choice("TOOL", tool, FOLDERS)
    put(f"{integration_folder(tool)}\n")
    return 0
