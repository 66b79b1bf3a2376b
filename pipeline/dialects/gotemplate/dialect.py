"""The dialect of Go's templates: a text with actions in, a text out."""

from __future__ import annotations

from typing import Any, Final

from ....functions.record import Record
from ...engine.options import CommandInputs, CommandLine
from ...engine.run import Context, Dialect, Pipeline, Stage, later
from ...formats.go_yaml import as_floats
from ...language.errors import LanguageError
from ...language.syntax import Syntax, delimited
from ...values.document import Document
from ...values.expression import Expression
from .engine import Program, compile_template
from .environment import QUOTES, Folder, TemplateEnvironment
from .functions import functions
from .lexer import LEFT, RIGHT
from .options import TemplateOptions


class Compiled(Record, eq=False):
    """What the stages keep: the program of the document."""

    program: Program


def parse(document: Document, context: Context) -> Document:
    """Compiles the template; all of its mistakes are reported."""
    program = compile_template(document.source, context.functions, context)
    if program is not None:
        context.work.keep(Compiled(program))
        context.work.written = document
    return document


def run(document: Document, context: Context) -> Document:
    """Runs the template with the data of the options."""
    compiled = context.work.find(Compiled)
    assert compiled is not None
    environment = TemplateEnvironment(context.functions, Folder(context, document.folder))
    rendered = compiled.program.run(data_of(context), context.meter, environment)
    context.work.keep(rendered)
    return document.evolve(text=rendered.text)


def data_of(context: Context) -> Any:
    """The dot of a render."""
    options = context.options
    if options is None:
        return as_floats(context.given.values) if context.given.values else None
    if not isinstance(options, TemplateOptions):
        raise ValueError(f"templates take TemplateOptions, not {type(options).__name__}")
    if options.private and options.data:
        context.quoting.conceal(lambda: ((f"(.{name})", one) for name, one in options.data.items()))
    return as_floats(options.data)


def check(document: Document, context: Context) -> None:
    """Reports what is wrong whatever the data is."""
    parse(document, context)
    compiled = context.work.find(Compiled)
    for failure in compiled.program.certain if compiled is not None else ():
        context.diagnostics.add(failure.diagnostic())


def template_options(asked: CommandInputs) -> TemplateOptions:
    """The data of `--vars`, files of YAML as Go reads it, and of `--var`.

    Raises:
        FileProblem: a file that cannot be read.
        ValueError: a variable that is not written NAME=VALUE.
    """
    return TemplateOptions(asked.data(), private=True)


def inspection() -> object:
    """The answers to commands: templates are evaluated with the data."""
    from ...answers.inspection import Inspection
    from .mentions import NAMING

    return Inspection(
        opened=later(__package__, "answers:opened"),
        tree=later(__package__, "answers:tree"),
        names={"references": later(__package__, "answers:names")},
        openers=((LEFT, RIGHT),),
        texts=True,
        printed=later(__package__, "answers:printed"),
        mentions=later(__package__, "mentions:mentions"),
        naming=NAMING,
    )


def _no_expression(text: str, offset: int, shape: bool) -> Expression:
    raise LanguageError("invalid_substitution", "there are no expressions", offset, offset)


SYNTAX: Final[Syntax] = delimited("\0{", "}\0", parse=_no_expression, show=lambda tree: "")
"""Templates are no strings in a tree: nothing is split."""

GOTEMPLATE: Final = Dialect(
    name="gotemplate",
    title="templates of Go with the functions of sprig, from text to text",
    syntax=SYNTAX,
    functions=functions,
    pipeline=Pipeline(
        (
            Stage("parse", parse, "read the template"),
            Stage("exec", run, "run it with the data"),
        )
    ),
    check=check,
    quotes=QUOTES,
    opens_nothing=True,
    tells_stages=True,
    command_line=CommandLine(
        refuses=("--datasources", "--state", "--strict-vars", "--split", "--format"),
        inputs=template_options,
    ),
    inspection=inspection,
    space_text=later(__package__, "spacing:spaced"),
)
