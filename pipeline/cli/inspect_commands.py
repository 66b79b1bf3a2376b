"""`bpp check`, `stages`, `functions`, `parse` and `explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...functions.registry import FunctionNotLoaded
from ..engine.run_functions import RunFunctions
from ..language.errors import LanguageError
from ..language.language import Language
from ..rendering import check, failed_to_read, read_source
from ..values.diagnostics import Diagnostic, Diagnostics, meant
from ..values.expression import Access, Call, Expression, Literal, Reference
from ..values.settings import Limits, Settings
from ..values.source import Source, Span
from ..world.files import DiskFiles, FileProblem
from .entry import EXIT_ERRORS, EXIT_UNREADABLE
from .render_command import REPORTS, RenderOptions, dialect_of, limits_of, named_dialect, report
from .streams import put, say
from .terminal import shorten, visible
from .usage import UsageProblem, choice, read_once


def run_check(
    names: list[str],
    dialect: str | None,
    keep_transform: tuple[str, ...],
    allow_path: tuple[str, ...],
    limit: tuple[str, ...],
    form: str,
    color: str,
) -> int:
    """The exit status of `bpp check`: all files are checked, one report."""
    choice("--diagnostics", form, REPORTS)
    choice("--color", color, ("auto", "always", "never"))
    read_once(*names)
    options = RenderOptions(
        file=names[0],
        dialect=dialect,
        keep_transform=keep_transform,
        limit=limit,
        diagnostics=form,
        color=color,
    )
    settings = Settings(
        keep_transform=keep_transform, allow_path=allow_path, limits=limits_of(options)
    )
    found = Diagnostics(settings.limits.max_diagnostics)
    unreadable = False
    for name in names:
        files = DiskFiles(allow_path, limits=settings.limits)
        try:
            source = read_source(name, files)
        except FileProblem as problem:
            found.add(failed_to_read(problem))
            unreadable = True
            continue
        spoken = dialect_of(source, options.evolve(file=name))
        found.extend(check(source, settings=settings, files=files, dialect=spoken))
    report(found, options, names[0])
    if unreadable:
        return EXIT_UNREADABLE
    return EXIT_ERRORS if found.errors else 0


def run_stages(dialect: str | None) -> int:
    """Prints the stages with what each does."""
    stages = named_dialect(dialect).pipeline.stages
    put("".join(f"{n}  {stage.name:12} {stage.doc}\n" for n, stage in enumerate(stages, 1)))
    return 0


def run_functions(name: str | None, dialect: str | None) -> int:
    """Prints all functions by topic, or one with its parameters and examples.

    Installed packages are looked at for the list, and for a name that is not built in.
    """
    settings = Settings()
    told = Diagnostics()
    functions = RunFunctions(named_dialect(dialect).functions(settings), (), settings, told)
    try:
        found = functions.find(name) if name is not None else None
        if name is None:
            functions.look()
    except FunctionNotLoaded as problem:
        raise UsageProblem(problem.message) from None
    finally:
        report(told, RenderOptions(file=""), "")
    if name is None:
        width = max(map(len, functions))
        lines = []
        topic = ""
        for function in sorted(functions.values(), key=lambda f: (f.topic, f.name)):
            if function.topic != topic:
                lines += ["", function.topic] if topic else [function.topic]
                topic = function.topic
            lines.append(f"  {function.name:{width}}  {function.summary}")
        _print(lines)
        return 0
    if found is None:
        raise _unknown("function", name, functions)
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
        for example in shown:
            lines.append(f"  {example.expression}")
            if example.error:
                lines.append(f"    error: {example.error}")
            else:
                lines.append(f"    = {_plain(example.result)}")
    _print(lines)
    return 0


def _print(lines: Iterable[str]) -> None:
    say("".join(f"{visible(line)}\n" for line in lines))


def _unknown(kind: str, name: str, known: Iterable[str]) -> UsageProblem:
    near = meant(name, known)
    return UsageProblem(f"there is no {kind} `{shorten(name, 100)}`{f' ({near})' if near else ''}")


def _plain(value: Any) -> str:
    import json

    from ...functions.values import NONE

    if value is NONE:
        return "none"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return json.dumps(value, ensure_ascii=False)


def run_parse(text: str, color: str, dialect: str | None) -> int:
    """Prints the tree of an expression, or of each substitution of a text."""
    choice("--color", color, ("auto", "always", "never"))
    language = Language(named_dialect(dialect).syntax, Limits())
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
        found = Diagnostics()
        found.add(misread(error, text))
        report(found, RenderOptions(file="<expression>", color=color), "<expression>")
        return EXIT_ERRORS
    _print(lines)
    return 0


def misread(error: LanguageError, text: str) -> Diagnostic:
    """The diagnostic for a mistake in a text from the command line."""
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
            raise TypeError(f"no text for {expression!r}")


def run_explain(name: str) -> int:
    """Prints the page of a diagnostic code, or of limits."""
    from ..codes import CODES, find, page
    from ..values.limit_table import LIMITS
    from .limit_flags import explained

    if (about_limits := explained(name, CODES)) is not None:
        put(about_limits)
        return 0
    code = find(name)
    if code is None:
        raise _unknown("code", name, [*CODES, *LIMITS])
    put(page(code))
    return 0
