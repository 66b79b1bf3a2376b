"""`bpp lsp`: the language server."""

from __future__ import annotations

import os
import sys

from ..engine.options import Options
from ..values.settings import Limits, Settings
from ..values.terminal import is_terminal
from ..world.files import process_folder
from .streams import own_streams, write_err
from .usage import UsageProblem, cache_folder, moment, stores_of

_SECONDS = 10
"""Of a run that someone waits for while typing."""


def run_lsp(options: Options) -> int:
    """Serves an editor until it says goodbye.

    Raises:
        UsageProblem: without the extra `lsp`.
    """
    try:
        from ..editor.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageProblem(
            "the language server needs `pip install 'blueprint-preprocessor[lsp]'`"
        ) from None
    if is_terminal(sys.stdin):
        write_err(
            "bpp lsp serves an editor, which starts it; here it waits for messages of the Language "
            "Server Protocol, and Ctrl-C ends it\n"
        )
    settings = Settings(
        now=moment(None, os.environ.get("SOURCE_DATE_EPOCH")),
        cache=cache_folder("fetched"),
        stores=stores_of(os.environ),
        limits=Limits(run_seconds=_SECONDS),
    )
    return serve(process_folder(), os.environ, settings, *own_streams())
