"""How documents are read, run, reported and written: the public names, loaded when used."""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes half of what `bpp --version` does

if TYPE_CHECKING:
    from typing import Any

    from .answers.comparison import Difference, diff
    from .answers.explaining import why
    from .answers.explanation import Cause, Change, Departure, Explanation
    from .answers.graph.drawing import graph
    from .answers.graph.model import Graph
    from .answers.inspection import Inspection
    from .answers.paths import PathProblem
    from .building.builds import BuildResult, UnknownTarget, build_targets
    from .building.configuration import Configuration, find_configuration, load_configuration
    from .building.target import Surroundings, Target, TargetResult
    from .dialects.table import Dialects, find_dialect
    from .engine.builders import BuildError, node, template
    from .engine.context import Context, Dialect, Pipeline, Stage, State
    from .engine.dialect import CommandInputs, CommandLine
    from .engine.evaluation import Definitions, evaluate_tree, read_tree, references_in
    from .engine.inputs import VariableInputs
    from .engine.options import Option
    from .engine.references import FoundReference, find_references
    from .engine.renaming import rename_references
    from .engine.run import Run
    from .engine.string_evaluation import Evaluated
    from .expressions import evaluate
    from .language.errors import Failure, LanguageError
    from .language.language import Language
    from .language.printing import Operator, printer
    from .language.semantics import Semantics
    from .language.syntax import HOLE, Syntax, delimited
    from .rendering import check, render
    from .values.diagnostics import Diagnostic, Diagnostics, Note
    from .values.document import Document
    from .values.expression import Access, Argument, Call, Expression, Hole, Literal, Reference
    from .values.settings import Limits, Settings
    from .values.source import Origin, Source, Span
    from .values.tree import Array, Map, Scalar, Template, build
    from .world.files import DiskFiles, FileProblem, Files
    from .world.memory_files import MemoryFiles
    from .world.providers import DataSourceProvider, ProviderError, Providers, Query, VariableType
    from .world.remote.resolvers import ChildRequest, Resolvers
    from .world.remote.store import ResolverError

_HOMES = {
    "Access": "values.expression",
    "Argument": "values.expression",
    "Array": "values.tree",
    "BuildError": "engine.builders",
    "BuildResult": "building.builds",
    "Call": "values.expression",
    "Cause": "answers.explanation",
    "Change": "answers.explanation",
    "ChildRequest": "world.remote.resolvers",
    "CommandInputs": "engine.dialect",
    "CommandLine": "engine.dialect",
    "Configuration": "building.configuration",
    "Context": "engine.context",
    "DataSourceProvider": "world.providers",
    "Definitions": "engine.evaluation",
    "Departure": "answers.explanation",
    "Diagnostic": "values.diagnostics",
    "Diagnostics": "values.diagnostics",
    "Dialect": "engine.context",
    "Dialects": "dialects.table",
    "Difference": "answers.comparison",
    "DiskFiles": "world.files",
    "Document": "values.document",
    "Evaluated": "engine.string_evaluation",
    "Explanation": "answers.explanation",
    "Expression": "values.expression",
    "Failure": "language.errors",
    "FileProblem": "world.files",
    "Files": "world.files",
    "FoundReference": "engine.references",
    "Graph": "answers.graph.model",
    "HOLE": "language.syntax",
    "Hole": "values.expression",
    "Inspection": "answers.inspection",
    "Language": "language.language",
    "LanguageError": "language.errors",
    "Limits": "values.settings",
    "Literal": "values.expression",
    "Map": "values.tree",
    "MemoryFiles": "world.memory_files",
    "Note": "values.diagnostics",
    "Operator": "language.printing",
    "Option": "engine.options",
    "Origin": "values.source",
    "PathProblem": "answers.paths",
    "Pipeline": "engine.context",
    "ProviderError": "world.providers",
    "Providers": "world.providers",
    "Query": "world.providers",
    "Reference": "values.expression",
    "ResolverError": "world.remote.store",
    "Resolvers": "world.remote.resolvers",
    "Run": "engine.run",
    "Scalar": "values.tree",
    "Semantics": "language.semantics",
    "Settings": "values.settings",
    "Source": "values.source",
    "Span": "values.source",
    "Stage": "engine.context",
    "State": "engine.context",
    "Surroundings": "building.target",
    "Syntax": "language.syntax",
    "Target": "building.target",
    "TargetResult": "building.target",
    "Template": "values.tree",
    "UnknownTarget": "building.builds",
    "VariableInputs": "engine.inputs",
    "VariableType": "world.providers",
    "build": "values.tree",
    "build_targets": "building.builds",
    "check": "rendering",
    "delimited": "language.syntax",
    "diff": "answers.comparison",
    "evaluate": "expressions",
    "evaluate_tree": "engine.evaluation",
    "find_configuration": "building.configuration",
    "find_dialect": "dialects.table",
    "find_references": "engine.references",
    "graph": "answers.graph.drawing",
    "load_configuration": "building.configuration",
    "node": "engine.builders",
    "printer": "language.printing",
    "read_tree": "engine.evaluation",
    "references_in": "engine.evaluation",
    "rename_references": "engine.renaming",
    "render": "rendering",
    "template": "engine.builders",
    "why": "answers.explaining",
}

__all__ = [
    "HOLE",
    "Access",
    "Argument",
    "Array",
    "BuildError",
    "BuildResult",
    "Call",
    "Cause",
    "Change",
    "ChildRequest",
    "CommandInputs",
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
    "VariableInputs",
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
