"""The parts of a wheel that `pyproject.toml` cannot describe.

A wheel holds tables of patterns, which are no files of the checkout, and where there is a C
compiler the hot modules compiled. What a package index shows is README.md, from which relative
links would lead nowhere.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
TABLES = {
    "pattern_table.py": "bpp/pipeline/dialects/bluelink/pattern_table.py",
    "regex_table.py": "bpp/functions/regex_table.py",
}


class BuildPy(build_py):
    """Copies the packages and generates the tables of patterns beside them."""

    def run(self) -> None:
        """Builds; an editable install has no tables."""
        super().run()
        if not self.editable_mode:
            for tool, table in self.tables.items():
                subprocess.run([sys.executable, "-B", tool, table], check=True)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """The files that are built, the tables among them."""
        outputs = super().get_outputs(include_bytecode)
        return outputs if self.editable_mode else [*outputs, *self.tables.values()]

    @property
    def tables(self) -> dict[str, str]:
        """The paths of the tables by those of the tools that write them."""
        built = Path(self.build_lib)
        return {str(ROOT / "tools" / tool): str(built / table) for tool, table in TABLES.items()}


def readme() -> str:
    """README.md with the addresses of files where it has their paths."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    files = f"{project['urls']['Repository']}/blob/HEAD/"
    text = (ROOT / "README.md").read_text("utf-8")
    return re.sub(r"\]\((?![a-z]+:|#)", f"]({files}", text)


compiled = []
if "bdist_wheel" in sys.argv:
    from compiling import extensions

    compiled = extensions()

setup(
    cmdclass={"build_py": BuildPy},
    ext_modules=compiled,
    long_description=readme(),
    long_description_content_type="text/markdown",
)
