"""The syntax and the semantics of a dialect's substitutions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Protocol, TypeAlias

from ...functions.record import Record, field
from ...functions.regexes import compile_regex
from ...functions.registry import Function
from ...functions.values import to_text
from ..values.expression import Call, Expression, Reference, Segment, Segments
from ..values.tree import Template
from .errors import CLOSED_QUOTE, LanguageError


class Scope(Protocol):
    """Resolves references at some place of a document."""

    def resolve(self, reference: Reference) -> Any:
        """The value a reference leads to, or an `Unknown` with its canonical form.

        Raises:
            Failure: when it leads nowhere.
        """

    def names_resource(self, name: str) -> bool:
        """True when a bare name is a resource's."""

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """The state of the link between two resources (text or reference), or an Unknown."""


Form: TypeAlias = Callable[[Any, Function, Call, Any, Scope], Any]
"""A special form: it gets the evaluator, function, call, strings of the holes, and scope."""


class Semantics(Record):
    """The evaluation rules of a dialect for what its grammar reads.

    `forms` are the special forms by name, by default `evaluator.FORMS`. `operators` are the
    functions behind operators; no call can name them. `text` converts a value for interpolation,
    `textless` are the types that cannot be interpolated. `scope` makes a scope of plain data for
    single strings, or of None when nothing is given; the default has the sections of a blueprint.
    `plain` makes plain data of a known result, for a language with values of other kinds;
    `finished` is what a string with substitutions becomes when its parts are joined. `typer` finds
    static types, for a language in which what is left depends on the types of what was written.
    """

    forms: Mapping[str, Form] | None = None
    operators: Mapping[str, Function] = field(factory=dict)
    text: Callable[[Any], str] = to_text
    textless: Collection[str] = frozenset({"array", "object", "function"})
    scope: Callable[[Mapping[str, Any] | None], Scope] | None = None
    plain: Callable[[Any], Any] | None = None
    finished: Callable[[Any], Any] | None = None
    typer: Any = None


USUAL: Final = Semantics()


class Spacing(Record):
    """The white space of a dialect's expressions.

    `pad` stands inside the delimiters. Names may have `dashes`. Some operators are `words`, unless
    all words are names. Expressions are broken over lines where line breaks are white space
    (`breaks`). In a `loose` language, where blanks join, there is
    one where there were some. `where` tells by the keys of a string if it is evaluated at all.
    """

    pad: str = ""
    dashes: bool = False
    words: bool = True
    breaks: bool = False
    loose: bool = False
    where: Callable[[tuple[str, ...]], bool] | None = None


class Syntax(Record):
    """The concrete form of a dialect's substitutions.

    `grammar` is the text of the grammar; a different one makes different trees. `whole`
    matches a substitution from `opener` to `closer`, its one group being what stands between them;
    `text_literal` finds string literals in that, its group 1 being the content (no group: leave it
    alone); `hole` is the literal's text in a shape. `holes` are further groups of it, for literals
    of other types: the text of each in a shape, and its value by its content. `keys` are groups
    that are the whole of a key in brackets, which is a part of the tree: texts that differ in their
    keys share a shape, which gets them.
    `parse(text, offset, shape)` gives the tree or raises `LanguageError`; only in a shape does a
    literal's text become a `Hole`. `unquote` is the value of a literal's content; `show` prints a
    tree; `protected` is the text that stands for the opener itself. `unreadable(text, start)`
    explains why no substitution could be cut out at an opener.

    `known` gives the tree of an expression that need not be parsed, without places. `lead` is the
    length of what stands before the expression in a substitution, if the opener, by which strings
    with substitutions are found, is only a part of it.

    The rest is for syntaxes in which strings hold more than substitutions: `cut(language, string)`
    splits a string into texts and substitutions, `write` joins texts and trees to a string,
    `protect` escapes a known text. `bounded` says that the parser bounds the depth of trees, so
    that brackets alone count for `max_expression_depth`. With `go_style` YAML is written
    as Go's packages do: the dashes of a list below its key, floats without a fraction as integers.
    Without a `spacing` expressions are formatted as they are.
    """

    grammar: str
    opener: str
    closer: str
    whole: re.Pattern[str]
    text_literal: re.Pattern[str]
    hole: str
    brackets: tuple[str, str]
    parse: Callable[[str, int, bool], Expression]
    unquote: Callable[[str], str]
    show: Callable[[Expression], str]
    protected: str
    unreadable: Callable[[str, int], LanguageError]
    known: Callable[[str], Expression | None] | None = None
    lead: int | None = None
    cut: Callable[[Any, str], list[Segment]] | None = None
    write: Callable[[list[str | Expression]], str] | None = None
    protect: Callable[[str], str] | None = None
    bounded: bool = False
    go_style: bool = False
    holes: Mapping[int, tuple[str, Callable[[str], Any]]] = field(factory=dict)
    keys: Collection[int] = ()
    spacing: Spacing | None = None


class Printer(Protocol):
    """Writes the substitutions of a dialect."""

    @property
    def opener(self) -> str:
        """The delimiter that begins a substitution."""

    @property
    def go_style(self) -> bool:
        """True where output is written as by packages of Go."""

    def template(self, node: Template) -> str:
        """The text of a string with substitutions that are left over."""

    def protect(self, text: str) -> str:
        """Known text that contains the opener, escaped so that reading it gives the text again."""

    def split(self, text: str) -> Segments:
        """Reads what was written; raises LanguageError for what is beyond a limit."""


HOLE: Final = "\0"
"""The content of a string in a shape; no document holds this character."""

# runs are taken at once: each round of a repetition costs the matcher 170 bytes of memory
_CONTENT: Final = r'(?:[^"\\]++|\\"?+)*+'
_STRING: Final = f'"{_CONTENT}"'
_TEXT_LITERAL: Final = f'"({_CONTENT})"'


def delimited(
    opener: str,
    closer: str,
    *,
    parse: Callable[[str, int, bool], Expression],
    show: Callable[[Expression], str],
    grammar: str = "",
    brackets: tuple[str, str] = ("([", ")]"),
    text_literal: str = _TEXT_LITERAL,
    known: Callable[[str], Expression | None] | None = None,
    spacing: Spacing | None = None,
) -> Syntax:
    r"""A syntax for expressions between two delimiters, for example `<%` and `%>`.

    Strings are written `"..."` and `\"` is the only escape; outside of one, an expression holds
    neither of the delimiters. `parse(text, offset, shape)` reads the text between the delimiters:
    `offset` is added to all positions, and with `shape` a string that holds just `HOLE` becomes a
    `Hole`, numbered from 0 in their order. It raises `LanguageError`. `show` writes a tree so that
    `parse` reads the same one. `grammar` names the form of the trees for caches; `brackets` are the
    characters whose depth is limited; `text_literal` finds the strings that may become holes, its
    group 1 being the content. `known` gives trees, without places, of what need not be parsed (see
    `language/patterns.py`). The opener as text is written as a string in a substitution.
    """
    protected = f'{opener}"{opener}"{closer}'
    first = re.escape("".join(dict.fromkeys(opener[0] + closer[0])))
    ends = f"(?!{re.escape(closer)})(?!{re.escape(opener)})"
    body = rf'(?:[^"{first}]++|{_STRING}|{ends}[{first}])*+'

    def unreadable(text: str, start: int) -> LanguageError:
        match = re.compile(body).match(text, start + len(opener))
        stop = match.end() if match else start + len(opener)
        if text.startswith(opener, stop):
            return LanguageError(
                "invalid_substitution",
                "substitutions cannot be nested",
                stop,
                stop + len(opener),
                f"inside `{opener}..{closer}` references and calls are written without `{opener}`",
            )
        if text.startswith('"', stop):
            return LanguageError(
                "unclosed_substitution",
                "a string in the substitution is not closed",
                stop,
                stop + 1,
                CLOSED_QUOTE,
            )
        return LanguageError(
            "unclosed_substitution",
            "the substitution is not closed",
            start,
            start + len(opener),
            f"add a `{closer}`, or write `{protected}` for the text `{opener}`",
        )

    return Syntax(
        grammar=grammar,
        opener=opener,
        closer=closer,
        whole=compile_regex(f"{re.escape(opener)}({body}){re.escape(closer)}"),
        text_literal=compile_regex(text_literal),
        hole=f'"{HOLE}"',
        brackets=brackets,
        parse=parse,
        unquote=unquote,
        show=show,
        protected=protected,
        unreadable=unreadable,
        known=known,
        spacing=spacing,
    )


def unquote(content: str) -> str:
    r"""The text of a string literal: `\"` is the only escape."""
    return content.replace('\\"', '"')
