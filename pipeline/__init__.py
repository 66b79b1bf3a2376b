"""How documents are read, run, reported and written: the public names, loaded when used."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes half of what `bpp --version` does

if TYPE_CHECKING:
    from typing import Any

    from .blueprint.inputs import Given
    from .builders import BuildError, node, template
    from .building.builds import UnknownTarget, build_targets
    from .building.configuration import Configuration, find_configuration, load_configuration
    from .building.results import BuildResult, TargetResult
    from .building.target import Surroundings, Target
    from .comparison import Difference, diff
    from .context import Context, State
    from .diagnostics import Diagnostic, Diagnostics, Note
    from .dialects.command_line import Asked, CommandLine, Option
    from .dialects.dialect import Dialect
    from .dialects.evaluation import Definitions, evaluate_tree, read_tree, references_in
    from .dialects.garden.project.options import ProjectOptions
    from .dialects.inspection import Inspection
    from .dialects.table import Dialects, find_dialect
    from .document import Document
    from .expressions import Evaluated, evaluate
    from .files import DiskFiles, FileProblem, Files
    from .graphs.model import Graph
    from .graphs.survey import graph
    from .language.delimiters import HOLE, delimited
    from .language.errors import Failure, LanguageError
    from .language.expression import Access, Argument, Call, Expression, Hole, Literal, Reference
    from .language.language import Language
    from .language.printing import Operator, printer
    from .language.semantics import Semantics
    from .language.syntax import Syntax
    from .memory_files import MemoryFiles
    from .origin import Origin
    from .provenance.explaining import why
    from .provenance.explanation import Cause, Change, Departure, Explanation
    from .provenance.paths import PathProblem
    from .providers import DataSourceProvider, ProviderError, Providers, Query, VariableType
    from .references import FoundReference, find_references
    from .remote.problems import ResolverError
    from .remote.resolvers import ChildRequest, Resolvers
    from .renaming import rename_references
    from .rendering import check, render
    from .run import Pipeline, Run, Stage
    from .settings import Limits, Settings
    from .source import Source, Span
    from .tree import Array, Map, Scalar, Template, build

_HOMES = {
    "Access": "language.expression",
    "Argument": "language.expression",
    "Array": "tree",
    "Asked": "dialects.command_line",
    "BuildError": "builders",
    "BuildResult": "building.results",
    "Call": "language.expression",
    "Cause": "provenance.explanation",
    "Change": "provenance.explanation",
    "ChildRequest": "remote.resolvers",
    "CommandLine": "dialects.command_line",
    "Configuration": "building.configuration",
    "Context": "context",
    "DataSourceProvider": "providers",
    "Definitions": "dialects.evaluation",
    "Departure": "provenance.explanation",
    "Diagnostic": "diagnostics",
    "Diagnostics": "diagnostics",
    "Dialect": "dialects.dialect",
    "Dialects": "dialects.table",
    "Difference": "comparison",
    "DiskFiles": "files",
    "Document": "document",
    "Evaluated": "expressions",
    "Explanation": "provenance.explanation",
    "Expression": "language.expression",
    "Failure": "language.errors",
    "FileProblem": "files",
    "Files": "files",
    "FoundReference": "references",
    "Given": "blueprint.inputs",
    "Graph": "graphs.model",
    "HOLE": "language.delimiters",
    "Hole": "language.expression",
    "Inspection": "dialects.inspection",
    "Language": "language.language",
    "LanguageError": "language.errors",
    "Limits": "settings",
    "Literal": "language.expression",
    "Map": "tree",
    "MemoryFiles": "memory_files",
    "Note": "diagnostics",
    "Operator": "language.printing",
    "Option": "dialects.command_line",
    "Origin": "origin",
    "PathProblem": "provenance.paths",
    "Pipeline": "run",
    "ProjectOptions": "dialects.garden.project.options",
    "ProviderError": "providers",
    "Providers": "providers",
    "Query": "providers",
    "Reference": "language.expression",
    "ResolverError": "remote.problems",
    "Resolvers": "remote.resolvers",
    "Run": "run",
    "Scalar": "tree",
    "Semantics": "language.semantics",
    "Settings": "settings",
    "Source": "source",
    "Span": "source",
    "Stage": "run",
    "State": "context",
    "Surroundings": "building.target",
    "Syntax": "language.syntax",
    "Target": "building.target",
    "TargetResult": "building.results",
    "Template": "tree",
    "UnknownTarget": "building.builds",
    "VariableType": "providers",
    "build": "tree",
    "build_targets": "building.builds",
    "check": "rendering",
    "delimited": "language.delimiters",
    "diff": "comparison",
    "evaluate": "expressions",
    "evaluate_tree": "dialects.evaluation",
    "find_configuration": "building.configuration",
    "find_dialect": "dialects.table",
    "find_references": "references",
    "graph": "graphs.survey",
    "load_configuration": "building.configuration",
    "node": "builders",
    "printer": "language.printing",
    "read_tree": "dialects.evaluation",
    "references_in": "dialects.evaluation",
    "rename_references": "renaming",
    "render": "rendering",
    "template": "builders",
    "why": "provenance.explaining",
}

__all__ = [
    "HOLE",
    "Access",
    "Argument",
    "Array",
    "Asked",
    "BuildError",
    "BuildResult",
    "Call",
    "Cause",
    "Change",
    "ChildRequest",
    "CommandLine",
    "Configuration",
    "Context",
    "DataSourceProvider",
    "Definitions",
    "Departure",
    "Diagnostic",
    "Diagnostics",
    "Dialect",
    "Dialects",
    "Difference",
    "DiskFiles",
    "Document",
    "Evaluated",
    "Explanation",
    "Expression",
    "Failure",
    "FileProblem",
    "Files",
    "FoundReference",
    "Given",
    "Graph",
    "Hole",
    "Inspection",
    "Language",
    "LanguageError",
    "Limits",
    "Literal",
    "Map",
    "MemoryFiles",
    "Note",
    "Operator",
    "Option",
    "Origin",
    "PathProblem",
    "Pipeline",
    "ProjectOptions",
    "ProviderError",
    "Providers",
    "Query",
    "Reference",
    "ResolverError",
    "Resolvers",
    "Run",
    "Scalar",
    "Semantics",
    "Settings",
    "Source",
    "Span",
    "Stage",
    "State",
    "Surroundings",
    "Syntax",
    "Target",
    "TargetResult",
    "Template",
    "UnknownTarget",
    "VariableType",
    "build",
    "build_targets",
    "check",
    "delimited",
    "diff",
    "evaluate",
    "evaluate_tree",
    "find_configuration",
    "find_dialect",
    "find_references",
    "graph",
    "load_configuration",
    "node",
    "printer",
    "read_tree",
    "references_in",
    "rename_references",
    "render",
    "template",
    "why",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
