"""What only the caller of a check has: it is asked for once, and not told as missing.

Garden declares no variables: `--var`, `--vars` and files that are not committed may define any. One
that the project defines nowhere is theirs, unless it is almost spelt like one that is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ...engine.evaluation import references_in
from ...engine.run import Context
from ...values.diagnostics import ERROR, NOTE, WARNING, Diagnostic, Diagnostics, Hint, Relay, likely
from ...values.expression import Reference
from ...values.source import Span
from ...values.tree import AnyNode, Array, Map, templates_in
from .command_line import CONTEXT, LOCAL_ENVIRONMENT
from .evaluating.project_variables import default_name, read_varfile
from .evaluating.scope import Keys
from .options import CALLER_VALUE, SURROUNDINGS
from .structure.configs import text_at
from .structure.project import Project

_FILE: Final = "give its variables with `--vars FILE`; `bpp render` needs the file itself"


class Callers:
    """What the caller is asked for; what was asked for in another environment is not repeated.

    `context` is that of the check, `project` has its files and environments.
    """

    def __init__(self, project: Project, context: Context) -> None:
        self._context = context
        self._asked: set[str] = set()
        self._known: set[str] | None = None
        self._project = project

    def has(self, reference: Reference, keys: Keys) -> bool:
        """True for what is missing and only the caller can have; `keys` are those there."""
        if reference.root in SURROUNDINGS:
            return True
        if self._known is None:
            self._known = {*_names(self._project)}
        name, near = str(reference.path[0]), keys.names.known | self._known
        self._context.meter.work(1 + len(near))
        return name not in self._known and likely(name, near) is None

    def ask_for(self, reference: Reference, span: Span) -> None:
        """Asks for what is missing: a render without it fails."""
        text = self._context.language.syntax.show(reference)
        if reference.root in SURROUNDINGS:
            return self._ask(text, _unknown(text, reference, span, WARNING))
        name = reference.path[0]
        summary = f"no file of the project has the variable `{name}`"
        hint = f"give it with `--var {name}=VALUE` or `--vars FILE`, as `bpp render` needs it"
        return self._ask(text, Diagnostic(CALLER_VALUE, summary, span, WARNING, hint))

    def ask_for_surroundings(self, root: AnyNode) -> None:
        """Asks for values of `local`, `git` and `command` that are left in a configuration."""
        for template in templates_in(root):
            if template.segments.roots.isdisjoint(SURROUNDINGS):
                continue
            for reference in references_in(template):
                self._context.meter.work(1)
                if reference.root not in SURROUNDINGS or self._is_given(reference):
                    continue
                text = self._context.language.syntax.show(reference)
                self._ask(text, _unknown(text, reference, template.span, NOTE))

    def _is_given(self, reference: Reference) -> bool:
        # a run with mistakes leaves templates that have all that they need
        value: Any = getattr(self._project.options, reference.root)
        for key in reference.path:
            value = value.get(str(key)) if isinstance(value, dict) else None
        return value is not None

    def _ask(self, what: str, diagnostic: Diagnostic) -> None:
        if what not in self._asked:
            self._asked.add(what)
            self._context.diagnostics.add(diagnostic)


def _unknown(text: str, reference: Reference, span: Span, severity: str) -> Diagnostic:
    summary = f"only the caller knows `{text}`, so what depends on it is unchecked"
    hint = f"give it with {_supply_of(reference)}"
    return Diagnostic(CALLER_VALUE, summary, span, severity, hint)


def _supply_of(reference: Reference) -> str:
    """How a value of `local`, `git` or `command` is given."""
    path = ".".join(map(str, (reference.root, *reference.path)))
    if reference.root == "local" and reference.path[:1] == ("env",) and len(reference.path) > 1:
        return f"`{LOCAL_ENVIRONMENT.flag} {reference.path[1]}`"
    return f"`{CONTEXT.flag} FILE`, in which it is `{path}`"


def _names(project: Project) -> Iterator[str]:
    """The variables that the project or one of its environments defines, also in files."""
    if project.config is None:
        return
    context = project.evaluation.context
    reading = context.evolve(diagnostics=context.diagnostics.beside())
    files = {"garden.env": project.config.node}
    files |= {default_name(one.name): one.node for one in (project.entries or {}).values()}
    for default, holder in files.items():
        tables = holder.get("variables")
        for table in tables.items if isinstance(tables, Array) else [tables]:
            yield from table.items if isinstance(table, Map) else ()
        path = text_at(holder, "varfile") or default
        found = read_varfile(path, project.config.folder, None, True, reading)
        yield from found.items if found is not None else ()


class Excusing(Relay):
    """A collector for which a file of variables that a project names may be the caller's own.

    It counts errors itself, so that the variables of such a file are not told as missing.
    """

    def __init__(self, outer: Diagnostics) -> None:
        super().__init__(outer, lambda item: True)
        self.errors = 0

    def add(self, diagnostic: Diagnostic, hint: Hint = None) -> None:
        """Pass it on, as a warning if it is about such a file."""
        self.errors += diagnostic.severity == ERROR
        if diagnostic.code == CALLER_VALUE:
            return  # the value itself is asked for
        if diagnostic.code == "file_not_found" and diagnostic.span is not None:
            diagnostic, hint = diagnostic.evolve(severity=WARNING, hint=_FILE), None
        self._outer.add(diagnostic, hint)
