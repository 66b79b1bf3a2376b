"""The files that a computed path of a child may lead to, for checks without all values.

A path is computed for every combination of the values that its variables may have: the given one,
each of `allowedValues`, true and false, or the default.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any, Final

from .....functions.record import Record
from .....functions.values import Unknown
from ....engine.materialisation import flag_of, text_of
from ....engine.run import Context, Work
from ....language.errors import Failure
from ....language.waiting import WaitingText
from ....values.diagnostics import Diagnostics
from ....values.document import Document
from ....values.expression import Expression, Reference, walk
from ....values.tree import AnyNode, Array, Map, Scalar, Template
from ..evaluating.inputs import choices_of, is_given, quoted
from .dependencies import entries, references_in

_MOST: Final = 100
"""Combinations that are tried for one path."""


class Choice(Record):
    """One path, and in words the values that lead to it; empty for a path that is certain."""

    path: str
    where: str = ""


class Paths(Record):
    """The paths of a child that can be told; `unknown` says what the others depend on.

    `complete` is true when a render can have no other path.
    """

    choices: tuple[Choice, ...] = ()
    unknown: str = ""
    complete: bool = True


def paths_of(document: Document, context: Context, node: AnyNode, sound: bool) -> Paths:
    """The paths that a render may have; none for a path of another kind, which is a mistake.

    Names in the document are resolved where they are known to be `sound`.

    Raises:
        FunctionError: `limit_exceeded`.
    """
    if isinstance(node, Scalar):
        written = isinstance(node.value, str) and bool(node.value.strip())
        return Paths((Choice(str(node.value)),)) if written else Paths()
    if not isinstance(node, Template):
        return Paths()
    if not sound:
        if node.segments.roots:
            return Paths(complete=False)
        # where there are mistakes, only what depends on no part of the document can be computed
        document = document.evolve(root=document.root.replacing({}, "load"))
    found = _computed(document, context, node, {})
    if isinstance(found, str):
        return Paths((Choice(found),)) if found.strip() else Paths()
    if found is None:
        return Paths()
    options = {
        name: _options(document, context, name)
        for name in _variables_behind(document, node)
        if not _is_known(name, context)
    }
    open_ones = [name for name, values in options.items() if not values]
    if open_ones or not options:
        left = [f"`variables.{name}`" for name in open_ones] or [*_roots(found)]
        return Paths(unknown=" and ".join(left), complete=False)
    if prod(map(len, options.values())) > _MOST:
        return Paths(unknown=f"variables with more than {_MOST} combinations", complete=False)
    return _tried(document, context, node, options)


def _tried(
    document: Document, context: Context, node: Template, options: Mapping[str, list[Any]]
) -> Paths:
    paths: dict[str, str] = {}
    unknown = ""
    for values in product(*options.values()):
        context.meter.work(len(values))
        choice = dict(zip(options, values, strict=True))
        found = _computed(document, context, node, choice)
        if isinstance(found, str):
            words = (f"`variables.{name}` is {quoted(value)}" for name, value in choice.items())
            paths.setdefault(found, " and ".join(words))
        elif found is not None:
            unknown = unknown or " and ".join(_roots(found))
    definitions = entries(document, "variables")
    complete = all(
        choices_of(definitions[name].get("allowedValues"), "string") or len(values) > 1
        for name, values in options.items()
    )
    choices = tuple(Choice(path, where) for path, where in paths.items() if path.strip())
    return Paths(choices, unknown, complete and not unknown)


def _computed(
    document: Document, context: Context, node: Template, choice: Mapping[str, Any]
) -> Any:
    """A path, an unknown, or None for one that cannot be computed: a render says why."""
    from ..evaluating.evaluation import Evaluation

    given = context.given
    unknown = {
        name: Unknown(Reference("variables", (name,)))
        for name in entries(document, "variables")
        if context.main and not is_given(name, given)
    }
    given = given.evolve(values={**given.values, **unknown, **choice})
    quiet = context.evolve(
        diagnostics=Diagnostics(),
        given=given,
        checks=True,
        environment=context.environment.absent(),
        work=Work(),
    )
    try:
        value = Evaluation(document, quiet).template(node)
    except Failure:
        return None
    return value if isinstance(value, str | Unknown | WaitingText) else None


def _is_known(name: str, context: Context) -> bool:
    """True for a variable with one value: a given one, or the default of a child's."""
    if isinstance(context.given.values.get(name), Unknown):
        return False
    return not context.main or is_given(name, context.given)


def _options(document: Document, context: Context, name: str) -> list[Any]:
    """The values that a variable may have; none for one that may have any, and for a secret."""
    definition = entries(document, "variables")[name]
    given = context.given.values.get(name)
    if flag_of(definition.get("secret")):
        return []
    kind = text_of(definition.get("type")) or ""
    if kind == "boolean":
        return [True, False]
    allowed = definition.get("allowedValues")
    if isinstance(allowed, Array):
        return choices_of(allowed, kind)
    default = _declared(definition)
    return [default] if default is not None and not isinstance(given, Unknown) else []


def _declared(definition: Map) -> Any:
    default = definition.get("default")
    return default.value if isinstance(default, Scalar) else None


def _variables_behind(document: Document, node: Template) -> Iterator[str]:
    """The variables that a template depends on, also through values."""
    variables, values = entries(document, "variables"), entries(document, "values")
    seen: set[tuple[str, str]] = set()
    pending: list[AnyNode] = [node]
    while pending:
        for reference, _, _ in references_in(pending.pop()):
            name = str(reference.path[0]) if reference.path else ""
            if (reference.root, name) in seen:
                continue
            seen.add((reference.root, name))
            if reference.root == "variables" and name in variables:
                yield name
            elif reference.root == "values" and name in values:
                pending.append(values[name])


def _roots(found: Any) -> Iterator[str]:
    """What an unknown depends on, in words."""
    expressions: list[Expression] = []
    if isinstance(found, Unknown):
        expressions = [found.expression]
    elif isinstance(found, WaitingText):
        expressions = [part.shape.expression for part in found.segments.substitutions]
    names = [
        f"`{part.root}.{part.path[0]}`"
        for expression in expressions
        for part in walk(expression)
        if isinstance(part, Reference) and part.path
    ]
    yield from dict.fromkeys(names) or ["something that only a render asks for"]
