"""`load`: reads the files of the project into configurations."""

from __future__ import annotations

from ....engine.context import Context
from ....values.document import Document
from ....world.files import FileProblem
from ..evaluating.evaluation import Evaluation
from ..options import options_of
from ..structure.configs import PROJECT, Config
from ..structure.project import Project
from ..structure.reading import (
    check_unique,
    is_configuration,
    open_configs,
    read_configs,
    report_problem,
)


def load(document: Document, context: Context) -> Document:
    """Reads the source, the files that the user names, and those in and below its folder.

    The latter are `garden.yml` and `*.garden.yml`, in the order of their paths; no file is read
    twice. Reports every error that can be found without evaluation.

    Raises:
        ValueError: the options are not those of a project.
    """
    options = options_of(context.options)
    before = context.diagnostics.errors
    configs = read_configs(document.source, document.folder, context)
    known = {document.source.path}
    for path in options.files:
        configs += _opened(path, None, known, context)
    if options.scan and document.source.path is not None:
        try:
            for path in context.files.below(document.folder, is_configuration):
                configs += _opened(path, document.folder, known, context)
        except FileProblem as problem:
            report_problem(problem, None, context)
    check_unique(configs, context)
    # a file that could not be read may contain the project
    read = context.diagnostics.errors == before
    if read and not any(config.kind == PROJECT for config in configs):
        context.diagnostics.warn(
            "project_not_found",
            configs[0].node.key_span("kind") if configs else None,
            "there is no configuration of kind Project, so only actions have variables",
            "render the file that holds the Project",
        )
    project = Project(options, Evaluation(context, "load"), tuple(configs), document.folder)
    return project.document(document, context)


def _opened(path: str, base: str | None, known: set[str | None], context: Context) -> list[Config]:
    """The configurations in a file that is not known yet."""
    try:
        real = context.files.resolve(path, base)
        if real in known:
            return []
        known.add(real)
        return open_configs(path, base, context)
    except FileProblem as problem:
        report_problem(problem, None, context)
        return []
