"""`bpp check`, `stages`, `functions`, `parse` and `explain`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...functions.registry import Function, FunctionNotLoaded
from ..engine.options import Options
from ..engine.run_functions import RunFunctions
from ..language.errors import LanguageError
from ..language.language import Language
from ..rendering import check, failed_to_read, read_source
from ..values.diagnostics import Diagnostic, Diagnostics, meant
from ..values.expression import Access, Call, Expression, Literal, Reference
from ..values.settings import Limits, Settings
from ..values.source import Source, Span
from ..world.files import DiskFiles, FileProblem
from .render_inputs import (
    admit_undecoded,
    dialect_of,
    limits_of,
    named_dialect,
    report,
    report_typed,
)
from .streams import EXIT_ERRORS, EXIT_UNREADABLE, write_out, write_raw
from .terminal import shorten, visible
from .usage import UsageProblem, read_once


def run_check(options: Options) -> int:
    """The exit status of `bpp check`: all files are checked, then reported together."""
    read_once(*options.files)
    settings = Settings(
        keep_transform=options.keep_transform,
        allow_path=options.allow_path,
        limits=limits_of(options),
    )
    found = Diagnostics(settings.limits.max_diagnostics)
    unreadable = False
    for name in options.files:
        files = DiskFiles(options.allow_path, limits=settings.limits)
        try:
            source = read_source(name, files)
        except FileProblem as problem:
            found.add(failed_to_read(problem))
            admit_undecoded(problem, found.quoting)
            unreadable = True
            continue
        spoken = dialect_of(source, options.evolve(file=name))
        found.extend(check(source, settings=settings, files=files, dialect=spoken))
    report(found, options, options.files[0])
    if unreadable:
        return EXIT_UNREADABLE
    return EXIT_ERRORS if found.errors else 0


def run_stages(options: Options) -> int:
    """Lists the stages with their descriptions."""
    stages = named_dialect(options.dialect).pipeline.stages
    write_raw("".join(f"{n}  {stage.name:12} {stage.doc}\n" for n, stage in enumerate(stages, 1)))
    return 0


def run_functions(options: Options) -> int:
    """Prints all functions by topic, or one with its parameters and examples.

    Installed packages are searched for the list, and for a name that is not built in.
    """
    name = options.name
    settings = Settings()
    reported = Diagnostics()
    builtin = named_dialect(options.dialect).functions(settings)
    functions = RunFunctions(builtin, (), settings, reported)
    try:
        found = functions.find(name) if name is not None else None
        if name is None:
            functions.look()
    except FunctionNotLoaded as problem:
        raise UsageProblem(problem.message) from None
    finally:
        report(reported, Options(), "")
    if name is None:
        _print(_listed(functions))
    elif found is None:
        raise _unknown("function", name, functions)
    else:
        _print(_described(found))
    return 0


def _listed(functions: RunFunctions) -> Iterator[str]:
    width = max(map(len, functions))
    topic = ""
    for function in sorted(functions.values(), key=lambda f: (f.topic, f.name)):
        if function.topic != topic:
            if topic:
                yield ""
            topic = function.topic
            yield topic
        yield f"  {function.name:{width}}  {function.summary}"


def _described(found: Function) -> list[str]:
    lines = [found.signature, "", found.summary]
    if found.origin != "core":
        lines += ["", f"Declared by {found.origin}"]
    if found.parameters:
        lines += ["", "Parameters"]
        for p in found.parameters:
            choices = f", one of {', '.join(p.choices)}" if p.choices else ""
            lines.append(f"  {p.name:12} {p.type_text}{choices}{f': {p.doc}' if p.doc else ''}")
    shown = [example for example in found.examples if example.shown]
    if shown:
        lines += ["", "Examples"]
        scope: Mapping[str, Mapping[str, Any]] = {}
        for example in shown:
            if example.scope != scope:
                scope = example.scope
                lines += _given(scope)
            lines.append(f"  {example.expression}")
            if example.error:
                lines.append(f"    error: {example.error}")
            elif example.result is not None:  # others differ from run to run
                lines.append(f"    = {_plain(example.result)}")
    return lines


def _given(scope: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What the references of an example mean, a line each."""
    return [
        f"  # {root}.{name} = {_plain(value)}"
        for root, names in scope.items()
        for name, value in names.items()
        if value != {}
    ]


def _print(lines: Iterable[str]) -> None:
    write_out("".join(f"{visible(line)}\n" for line in lines))


def _unknown(kind: str, name: str, known: Iterable[str]) -> UsageProblem:
    near = meant(name, known)
    return UsageProblem(f"unknown {kind} `{shorten(name, 100)}`{f' ({near})' if near else ''}")


def _plain(value: Any) -> str:
    import json

    from ...functions.values import NONE

    if value is NONE:
        return "none"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return json.dumps(value, ensure_ascii=False)


def run_parse(options: Options) -> int:
    """Prints the tree of an expression, or of each substitution in a string."""
    text = options.expression
    language = Language(named_dialect(options.dialect).syntax, Limits())
    lines: list[str] = []
    try:
        if language.opener in text:
            for segment in language.split(text):
                if isinstance(segment, str):
                    lines.append(f"text {segment!r}")
                else:
                    lines.extend(_tree(language.exact(segment), language))
        else:
            lines.extend(_tree(language.parse(text), language))
    except LanguageError as error:
        return report_typed(misread(error, text), options, "<expression>")
    _print(lines)
    return 0


def misread(error: LanguageError, text: str) -> Diagnostic:
    """The diagnostic for an error in an expression from the command line."""
    start = max(error.start, 0)
    span = Span(Source("<expression>", text), start, max(error.end, start))
    return Diagnostic(error.code, error.summary, span, hint=error.hint)


def _tree(
    expression: Expression, language: Language, indent: str = "", label: str = ""
) -> Iterator[str]:
    match expression:
        case Literal(value=value):
            from ...functions.values import type_of

            yield f"{indent}{label}{type_of(value)} {language.syntax.show(expression)}"
        case Reference():
            what = "reference" if not expression.bare else "name"
            yield f"{indent}{label}{what} {language.syntax.show(expression)}"
        case Call(function=name, arguments=arguments):
            yield f"{indent}{label}call {name}"
            for argument in arguments:
                shown = f"{argument.name} = " if argument.name else ""
                yield from _tree(argument.value, language, indent + "  ", shown)
        case Access(target=target, path=path):
            shown = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
            yield f"{indent}{label}access {shown}"
            yield from _tree(target, language, indent + "  ")
        case _:
            raise TypeError(f"not an expression: {expression!r}")


def run_explain(options: Options) -> int:
    """Prints the page of a diagnostic code, or of limits."""
    from ..codes import CODES, find, page
    from .limit_flags import explained, limits

    name = options.name or ""
    if (about_limits := explained(name, CODES)) is not None:
        write_raw(about_limits)
        return 0
    code = find(name)
    if code is None:
        raise _unknown("code", name, [*CODES, *limits()])
    write_raw(page(code))
    return 0


def run_integration(options: Options) -> int:
    """Prints the folder with the files for a build tool."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    write_raw(f"{os.path.join(package, 'integrations', options.name or '')}\n")
    return 0
