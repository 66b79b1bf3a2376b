"""Makes `.link/bpp/`, the folder that `mypy -p bpp` reads.

The folders `pipeline`, `functions` and `transforms` are installed as one namespace, `bpp`, without
a folder of that name in the checkout; a type checker needs one. Nothing else uses these links: they
are ignored by git and are in no wheel and no sdist.

Exit status: 0 when the links are there, 1 when something is in the way.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("functions", "pipeline", "transforms")


def make_links(root: Path = ROOT) -> list[Path]:
    """Makes the links that are missing or lead elsewhere; gives all of them.

    Raises:
        FileExistsError: when something that is no link has the name of one.
    """
    folder = root / ".link" / "bpp"
    folder.mkdir(parents=True, exist_ok=True)
    links = []
    for package in PACKAGES:
        link = folder / package
        # Relative, so that the checkout may be moved.
        target = os.path.join("..", "..", package)
        if link.is_symlink() and os.readlink(link) != target:
            link.unlink()
        if not link.is_symlink():
            link.symlink_to(target, target_is_directory=True)
        links.append(link)
    return links


def main() -> int:
    """Makes the links and says what is in the way of one, if anything is."""
    try:
        make_links()
    except OSError as error:
        sys.stderr.write(f"the links for mypy cannot be made: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
