"""Compiles what every render runs most, with mypyc, when a wheel is built.

The sources are the same: a module that is compiled means what it means when it is not, and is not
slower to read (docs/adr/0018-compiled-wheels.md). `BPP_COMPILE=0` builds a wheel of Python alone;
`BPP_COMPILE=1` insists, so that whatever is in the way is an error. Without it a wheel is compiled
where there is a C compiler that finds Python's headers.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

from link import PACKAGES, ROOT

WORK = ROOT / "build" / "compiled"
REQUIREMENT = "mypy>=1.20,<3"

# What a render runs for each line, node or expression. Left out are records, whose base reads the
# annotations of a class, protocols, which anything may fulfil, and what opens files or sockets.
MODULES = (
    "pipeline.dialects.bluelink.checking.dependencies",
    "pipeline.dialects.bluelink.checking.expression_types",
    "pipeline.dialects.bluelink.checking.names",
    "pipeline.dialects.bluelink.checking.reference_types",
    "pipeline.dialects.bluelink.children.children",
    "pipeline.dialects.bluelink.evaluating.base",
    "pipeline.dialects.bluelink.evaluating.evaluation",
    "pipeline.dialects.bluelink.evaluating.scope",
    "pipeline.dialects.bluelink.secrets.secrecy",
    "pipeline.dialects.bluelink.secrets.taint",
    "pipeline.dialects.bluelink.stages.each",
    "pipeline.dialects.bluelink.stages.export",
    "pipeline.dialects.bluelink.stages.include",
    "pipeline.dialects.bluelink.stages.load",
    "pipeline.dialects.bluelink.stages.prune",
    "pipeline.dialects.bluelink.stages.substitute",
    "pipeline.dialects.bluelink.stages.transform",
    "pipeline.dialects.bluelink.structure.inspection",
    "pipeline.dialects.bluelink.structure.resources",
    "pipeline.dialects.bluelink.structure.structure",
    "pipeline.dialects.bluelink.structure.variables",
    "pipeline.dialects.expr.calls",
    "pipeline.dialects.expr.forms",
    "pipeline.dialects.expr.operators",
    "pipeline.dialects.expr.printing",
    "pipeline.dialects.expr.reader",
    "pipeline.dialects.expr.residuals",
    "pipeline.dialects.expr.types",
    "pipeline.dialects.kargo.coercion",
    "pipeline.dialects.kargo.evaluation",
    "pipeline.dialects.kargo.forms",
    "pipeline.dialects.kargo.scalars",
    "pipeline.dialects.kargo.syntax",
    "pipeline.engine.budget",
    "pipeline.engine.evaluation",
    "pipeline.engine.materialisation",
    "pipeline.formats.emit",
    "pipeline.formats.scalars",
    "pipeline.formats.yaml_fast",
    "pipeline.formats.yaml_reader",
    "pipeline.language.evaluator",
    "pipeline.language.language",
    "pipeline.language.meter",
    "pipeline.language.navigation",
    "pipeline.values.substitution",
    "pipeline.values.tree",
)

CONFIGURATION = """\
[mypy]
namespace_packages = True
explicit_package_bases = True
ignore_missing_imports = True
follow_imports = silent
no_site_packages = True
mypy_path = .
"""


def wanted() -> bool:
    """Whether a wheel that is built now is to be compiled."""
    asked = os.environ.get("BPP_COMPILE", "")
    if asked in ("0", "1"):
        return asked == "1"
    return sys.implementation.name == "cpython" and can_compile()


def can_compile() -> bool:
    """Whether there is a C compiler that finds Python's headers."""
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("trial.c").write_text("#include <Python.h>\nint trial(void) { return 0; }\n")
        command = build_ext(Distribution({"ext_modules": [Extension("trial", ["trial.c"])]}))
        command.build_lib = command.build_temp = folder
        try:
            command.ensure_finalized()
            command.run()
        except Exception:  # whatever a compiler says: there is none that can be used
            return False
    return True


def extensions() -> list[object]:
    """The extension modules of a wheel; none where it is to be Python alone.

    Raises:
        SystemExit: when `BPP_COMPILE=1` and the modules cannot be compiled.
    """
    if not wanted():
        return []
    try:
        from mypyc.build import mypycify
    except ImportError:
        if os.environ.get("BPP_COMPILE") == "1":
            raise SystemExit(f"BPP_COMPILE=1 needs {REQUIREMENT}") from None
        return []
    shutil.rmtree(WORK, ignore_errors=True)
    sources = WORK / "bpp"
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, sources / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    (WORK / "mypy.ini").write_text(CONFIGURATION)
    files = [f"bpp/{module.replace('.', '/')}.py" for module in MODULES]
    with chdir(WORK):  # so that tracebacks name `bpp/pipeline/...`
        made = mypycify(
            ["--config-file", "mypy.ini", *files],
            group_name="bpp",
            target_dir=str(WORK / "c"),
            opt_level="1",  # twice as fast to compile as 2 and 1 % slower
            debug_level="0",
        )
    if os.name != "nt":  # where nothing is visible to other libraries that does not say so
        for extension in made:
            extension.extra_compile_args.append("-fvisibility=hidden")
    return list(made)
