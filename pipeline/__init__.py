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
    from .engine.evaluation import Definitions, evaluate_tree, read_tree, references_in
    from .engine.inputs import VariableInputs
    from .engine.lints import Finding, Lint, Reading, Rules
    from .engine.options import CommandInputs, CommandLine, Option
    from .engine.references import FoundReference, find_references, rename_references
    from .engine.run import Context, Dialect, Pipeline, Run, Stage, State
    from .engine.string_evaluation import Evaluated
    from .expressions import Processed, Rendered, evaluate, gotemplate, parse_spiff, spiff
    from .formats.detection import quoting_by_keys
    from .formats.report import report
    from .language.errors import Failure, LanguageError
    from .language.language import Language
    from .language.printing import Operator, printer
    from .language.syntax import HOLE, Semantics, Syntax, delimited
    from .rendering import check, render
    from .values.diagnostics import BlueprintError, Diagnostic, Diagnostics, Note
    from .values.document import Document
    from .values.expression import Access, Argument, Call, Expression, Hole, Literal, Reference
    from .values.quoting import Quoting, QuotingRule
    from .values.settings import Limits, Settings
    from .values.source import Origin, Source, Span
    from .values.tree import Array, Map, Scalar, Template, build
    from .world.files import DiskFiles, FileProblem, Files
    from .world.memory_files import MemoryFiles
    from .world.providers import DataSourceProvider, ProviderError, Providers, Query, VariableType
    from .world.remote.resolvers import ChildRequest, Resolvers
    from .world.remote.store import ResolverError

_HOMES = {
    "answers.comparison": "Difference diff",
    "answers.explaining": "why",
    "answers.explanation": "Cause Change Departure Explanation",
    "answers.graph.drawing": "graph",
    "answers.graph.model": "Graph",
    "answers.inspection": "Inspection",
    "answers.paths": "PathProblem",
    "building.builds": "BuildResult UnknownTarget build_targets",
    "building.configuration": "Configuration find_configuration load_configuration",
    "building.target": "Surroundings Target TargetResult",
    "dialects.table": "Dialects find_dialect",
    "engine.builders": "BuildError node template",
    "engine.evaluation": "Definitions evaluate_tree read_tree references_in",
    "engine.inputs": "VariableInputs",
    "engine.lints": "Finding Lint Reading Rules",
    "engine.options": "CommandInputs CommandLine Option",
    "engine.references": "FoundReference find_references rename_references",
    "engine.run": "Context Dialect Pipeline Run Stage State",
    "engine.string_evaluation": "Evaluated",
    "expressions": "Processed Rendered evaluate gotemplate parse_spiff spiff",
    "formats.detection": "quoting_by_keys",
    "formats.report": "report",
    "language.errors": "Failure LanguageError",
    "language.language": "Language",
    "language.printing": "Operator printer",
    "language.syntax": "HOLE Semantics Syntax delimited",
    "rendering": "check render",
    "values.diagnostics": "BlueprintError Diagnostic Diagnostics Note",
    "values.document": "Document",
    "values.expression": "Access Argument Call Expression Hole Literal Reference",
    "values.quoting": "Quoting QuotingRule",
    "values.settings": "Limits Settings",
    "values.source": "Origin Source Span",
    "values.tree": "Array Map Scalar Template build",
    "world.files": "DiskFiles FileProblem Files",
    "world.memory_files": "MemoryFiles",
    "world.providers": "DataSourceProvider ProviderError Providers Query VariableType",
    "world.remote.resolvers": "ChildRequest Resolvers",
    "world.remote.store": "ResolverError",
}

__all__ = ["Cause", "Change", "Departure", "Difference", "Explanation", "Graph", "Inspection"]
__all__ += ["PathProblem", "diff", "graph", "why"]
__all__ += ["BuildResult", "Configuration", "Surroundings", "Target", "TargetResult"]
__all__ += ["UnknownTarget", "build_targets", "find_configuration", "load_configuration"]
__all__ += ["Dialects", "find_dialect"]
__all__ += ["Finding", "Lint", "Reading", "Rules"]
__all__ += ["BuildError", "CommandInputs", "CommandLine", "Context", "Definitions", "Dialect"]
__all__ += ["Evaluated", "FoundReference", "Option", "Pipeline", "Run", "Stage", "State"]
__all__ += ["VariableInputs", "evaluate_tree", "find_references", "node", "read_tree"]
__all__ += ["references_in", "rename_references", "template"]
__all__ += ["Processed", "Rendered", "evaluate", "gotemplate", "parse_spiff", "spiff"]
__all__ += ["HOLE", "Failure", "Language", "LanguageError", "Operator", "Semantics", "Syntax"]
__all__ += ["delimited", "printer"]
__all__ += ["Quoting", "QuotingRule", "check", "quoting_by_keys", "render"]
__all__ += ["BlueprintError", "report"]
__all__ += ["Access", "Argument", "Array", "Call", "Diagnostic", "Diagnostics", "Document"]
__all__ += ["Expression", "Hole", "Limits", "Literal", "Map", "Note", "Origin", "Reference"]
__all__ += ["Scalar", "Settings", "Source", "Span", "Template", "build"]
__all__ += ["ChildRequest", "DataSourceProvider", "DiskFiles", "FileProblem", "Files"]
__all__ += ["MemoryFiles", "ProviderError", "Providers", "Query", "ResolverError", "Resolvers"]
__all__ += ["VariableType"]


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            from importlib import import_module

            value = getattr(import_module(f".{home}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
