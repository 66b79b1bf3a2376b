"""`bpp stages`, `functions`, `parse` and `explain`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...functions.registry import Function, FunctionNotLoaded
from ..answers.inspection import inspection_of
from ..engine.options import Options
from ..engine.run_functions import RunFunctions
from ..language.errors import LanguageError
from ..language.language import Language
from ..values.diagnostics import Diagnostic, Diagnostics, meant
from ..values.expression import Access, Call, Expression, Literal, Reference, walk
from ..values.settings import Limits, Settings
from ..values.source import Source, Span
from ..values.terminal import shorten, visible, visible_json
from .render_inputs import (
    named_dialect,
    report,
    report_typed,
)
from .streams import write_out, write_raw
from .usage import UsageProblem


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
    if name is not None and found is None:
        raise _unknown("function", name, functions, functions.advise(name))
    if options.format == "json":
        every = [_data_of(one) for one in _by_topic(functions)]
        _print_json(every if found is None else _data_of(found))
    else:
        _print(_listed(functions) if found is None else _described(found))
    return 0


def _by_topic(functions: RunFunctions) -> list[Function]:
    return sorted(functions.values(), key=lambda f: (f.topic, f.name))


def _listed(functions: RunFunctions) -> Iterator[str]:
    topic = ""
    for function in _by_topic(functions):
        if function.topic != topic:
            if topic:
                yield ""
            topic = function.topic
            yield topic
        yield f"  {function.signature}: {function.summary}"


def _data_of(function: Function) -> dict[str, Any]:
    """A function as plain data, for editors."""
    return {
        "name": function.name,
        "signature": function.signature,
        "topic": function.topic,
        "origin": function.origin,
        "summary": function.summary,
        "notes": list(function.notes),
        "parameters": [
            {
                "name": one.name,
                "types": list(one.types),
                "optional": one.optional,
                "variadic": one.variadic,
                "choices": list(one.choices),
                "doc": one.doc,
            }
            for one in function.parameters
        ],
        "result": function.result,
        "examples": [
            {"expression": one.expression, "error": one.error}
            if one.error
            else {"expression": one.expression, "result": one.result}
            for one in function.examples
            if one.shown
        ],
    }


def _described(found: Function) -> list[str]:
    lines = [found.signature, "", found.summary]
    if found.origin != "core":
        lines += ["", f"Declared by {found.origin}"]
    lines += ["", *found.notes] if found.notes else []
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


def _print_json(value: Any) -> None:
    import json

    # what JSON does not have, as in the text: none and bytes
    text = json.dumps(value, ensure_ascii=False, indent=2, default=_plain)
    write_raw(visible_json(text) + "\n")


def _unknown(kind: str, name: str, known: Iterable[str], advice: str | None = None) -> UsageProblem:
    near = advice or meant(name, known)
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
    dialect = named_dialect(options.dialect)
    language = Language(dialect.syntax, Limits())
    lines: list[str] = []
    show = inspection_of(dialect).tree
    try:
        if show is not None:
            lines = show(text)
        elif not is_expression(text, language):
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


def is_expression(text: str, language: Language) -> bool:
    """False for a string with substitutions; an expression may have them in its own strings."""
    if language.opener not in text:
        return True
    try:
        found = language.split(f"{language.opener}{text}{language.syntax.closer}")
    except LanguageError:
        return False
    if len(found) > 1:
        return False
    if isinstance(found[0], str):
        return True  # what looks like the opener is none
    parts = (one.value for one in walk(language.exact(found[0])) if isinstance(one, Literal))
    return not any(isinstance(value, str) and language.opener in value for value in parts)


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
    """Prints the page of a diagnostic code or of limits; without a name, a line for each code."""
    from ..codes import CODES, find, page
    from .limit_flags import explained

    if options.format == "json":
        _print_json(_code_data(options.name))
    elif options.name is None:
        width = max(map(len, CODES))
        _print(f"{one.name:{width}}  {one.title}" for one in CODES.values())
    elif (about_limits := explained(options.name, CODES)) is not None:
        write_raw(about_limits)
    elif (code := find(options.name)) is not None:
        write_raw(page(code))
    else:
        raise _unknown_code(options.name)
    return 0


def _code_data(name: str | None) -> Any:
    """A code or a limit as plain data; a list for no name and for `limits`.

    Raises:
        UsageProblem: for an unknown name.
    """
    from ..codes import CODES, find
    from .limit_flags import limits

    if name is None:
        return [dict(one.__dict__) for one in CODES.values()]
    code = find(name)
    if code is not None:
        return dict(code.__dict__)
    bounds = {
        limit.name: {**limit.__dict__, "default": getattr(Limits(), limit.name)}
        for limit in limits().values()
    }
    if name == "limits":
        return list(bounds.values())
    if name not in bounds:
        raise _unknown_code(name)
    return bounds[name]


def _unknown_code(name: str) -> UsageProblem:
    from ..codes import CODES
    from .limit_flags import limits

    return _unknown("code", name, [*CODES, *limits()])


def run_integration(options: Options) -> int:
    """Prints the folder with the files for a build tool."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    write_raw(f"{os.path.join(package, 'integrations', options.name or '')}\n")
    return 0
