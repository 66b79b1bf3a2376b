"""`bpp check`, `stages`, `functions`, `parse` and `explain`."""

from __future__ import annotations

import sys
from typing import Any

from ..diagnostics import Diagnostics, meant
from ..dialects.table import DEFAULT, find_dialect
from ..files import DiskFiles, FileProblem
from ..language.errors import LanguageError
from ..language.expression import Access, Call, Expression, Literal, Reference
from ..language.language import Language
from ..rendering import check, failed_to_read, read_source
from ..settings import Limits, Settings
from ..source import Source, Span
from .entry import EXIT_ERRORS, EXIT_UNREADABLE, EXIT_USAGE
from .render_command import REPORTS, RenderOptions, report
from .usage import choice


def run_check(
    names: list[str],
    keep_transform: tuple[str, ...],
    allow_path: tuple[str, ...],
    form: str,
    color: str,
) -> int:
    """The exit status of `bpp check`: all files are checked, one report."""
    choice("--diagnostics", form, REPORTS)
    choice("--color", color, ("auto", "always", "never"))
    settings = Settings(keep_transform=keep_transform, allow_path=allow_path)
    found = Diagnostics()
    unreadable = False
    for name in names:
        files = DiskFiles(allow_path, limits=settings.limits)
        try:
            source = read_source(name, files)
        except FileProblem as problem:
            found.add(failed_to_read(problem))
            unreadable = True
            continue
        found.extend(check(source, settings=settings, files=files))
    report(found, RenderOptions(file=names[0], diagnostics=form, color=color), names[0])
    if unreadable:
        return EXIT_UNREADABLE
    return EXIT_ERRORS if found.errors else 0


def run_stages() -> int:
    """Prints the stages with what each does."""
    for number, stage in enumerate(find_dialect(DEFAULT).pipeline.stages, 1):
        sys.stdout.write(f"{number}  {stage.name:12} {stage.doc}\n")
    return 0


def run_functions(name: str | None) -> int:
    """Prints all functions by topic, or one with its parameters and examples."""
    functions = find_dialect(DEFAULT).functions(Settings())
    if name is None:
        width = max(map(len, functions))
        topic = ""
        for function in sorted(functions.values(), key=lambda f: (f.topic, f.name)):
            if function.topic != topic:
                sys.stdout.write(f"{'' if not topic else chr(10)}{function.topic}\n")
                topic = function.topic
            sys.stdout.write(f"  {function.name:{width}}  {function.summary}\n")
        return 0
    found = functions.get(name)
    if found is None:
        sys.stderr.write(f"error: there is no function `{name}`{_maybe(meant(name, functions))}\n")
        return EXIT_USAGE
    lines = [found.signature, "", found.summary]
    if found.parameters:
        lines += ["", "Parameters"]
        lines += [f"  {p.name:12} {p.type_text}: {p.doc}" for p in found.parameters]
    shown = [example for example in found.examples if example.shown]
    if shown:
        lines += ["", "Examples"]
        for example in shown:
            lines.append(f"  {example.expression}")
            if example.error:
                lines.append(f"    error: {example.error}")
            else:
                lines.append(f"    = {_plain(example.result)}")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _plain(value: Any) -> str:
    import json

    from ...functions.values import NONE

    if value is NONE:
        return "none"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    return json.dumps(value, ensure_ascii=False)


def _maybe(hint: str | None) -> str:
    return f"; {hint}" if hint else ""


def run_parse(text: str, color: str) -> int:
    """Prints the tree of an expression, or of each substitution of a text."""
    choice("--color", color, ("auto", "always", "never"))
    language = Language(find_dialect(DEFAULT).syntax, Limits())
    source = Source("<expression>", text)
    try:
        if language.opener in text:
            for segment in language.split(text):
                if isinstance(segment, str):
                    sys.stdout.write(f"text {segment!r}\n")
                else:
                    sys.stdout.write(_tree(language.exact(segment), language))
        else:
            sys.stdout.write(_tree(language.parse(text), language))
    except LanguageError as error:
        found = Diagnostics()
        start = max(error.start, 0)
        found.error(
            error.code, Span(source, start, max(error.end, start)), error.summary, error.hint
        )
        report(found, RenderOptions(file="<expression>", color=color), "<expression>")
        return EXIT_ERRORS
    return 0


def _tree(expression: Expression, language: Language, indent: str = "", label: str = "") -> str:
    match expression:
        case Literal(value=value):
            kind = language.syntax.show(expression)
            from ...functions.values import type_of

            return f"{indent}{label}{type_of(value)} {kind}\n"
        case Reference():
            what = "reference" if not expression.bare else "name"
            return f"{indent}{label}{what} {language.syntax.show(expression)}\n"
        case Call(function=name, arguments=arguments):
            inner = "".join(
                _tree(a.value, language, indent + "  ", f"{a.name} = " if a.name else "")
                for a in arguments
            )
            return f"{indent}{label}call {name}\n{inner}"
        case Access(target=target, path=path):
            shown = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
            return f"{indent}{label}access {shown}\n{_tree(target, language, indent + '  ')}"
    raise TypeError(f"no text for {expression!r}")


def run_explain(name: str) -> int:
    """Prints the page of a diagnostic code."""
    from ..codes import CODES, find, page

    code = find(name)
    if code is None:
        sys.stderr.write(f"error: there is no code `{name}`{_maybe(meant(name, CODES))}\n")
        return EXIT_USAGE
    sys.stdout.write(page(code))
    return 0
