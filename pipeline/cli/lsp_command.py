"""`bpp lsp`: the language server."""

from __future__ import annotations

import os

from ..engine.options import Options
from ..values.settings import Settings
from ..world.files import process_folder
from .usage import UsageProblem


def run_lsp(options: Options) -> int:
    """Serves an editor until it says goodbye.

    Raises:
        UsageProblem: without the extra `lsp`.
    """
    try:
        from ..editor.server import make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageProblem(
            "the language server needs `pip install 'blueprint-preprocessor[lsp]'`"
        ) from None
    import gc

    gc.enable()  # it serves for hours
    make_server(process_folder(), os.environ, Settings()).start_io()
    return 0
