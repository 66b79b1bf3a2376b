"""What is still unknown in a result: where it is used, why it is unknown, and what supplies it.

`--strict` reports each place that holds something unknown, `--explain-unknowns` lists each unknown
with its places. What only waits for a secret is not unknown, it is withheld.
"""

from __future__ import annotations

from collections.abc import Iterator

from .....functions.record import Record
from ....answers.explanation import UnknownPath
from ....answers.nodes import chain
from ....answers.paths import path_text
from ....answers.values import follows_from
from ....engine.materialisation import text_of
from ....engine.run import Context, Run, Work
from ....language.language import Language
from ....values.diagnostics import Diagnostic
from ....values.document import Document
from ....values.expression import Call, Expression, Literal, Path, Reference, walk
from ....values.source import Span
from ....values.tree import AnyNode, Map, Template, templates_at
from ..evaluating.evaluation import Evaluation
from ..stages.export import field_reference, is_secret


class Need(Record):
    """One unknown that a place needs: a reference or the call of `link`."""

    text: str
    expression: Expression
    withheld: bool


class Use(Record, eq=False):
    """One place of the output that holds something unknown.

    `path` is the place in the whole output, `way` the names of the children that lead to
    `document`, whose place it is.
    """

    path: Path
    span: Span
    needs: tuple[Need, ...]
    document: Document
    way: tuple[str, ...]

    @property
    def where(self) -> str:
        """The path as text."""
        return path_text(self.path)


def uses_of_unknowns(
    document: Document, work: Work, language: Language, way: tuple[str, ...] = ()
) -> Iterator[Use]:
    """Each place of a materialised document that holds something unknown, children included."""
    evaluation = work.find(Evaluation)
    above: Path = tuple(step for name in way for step in ("children", name))
    for section, node in document.root.items.items():
        if section == "children":
            continue
        for path, template in templates_at(node, (*above, section)):
            for substitution in template.segments.substitutions:
                needs = _needs(evaluation, language, language.exact(substitution))
                yield Use(path, template.span, needs, document, way)
    exports = document.section("exports")
    for name, node in exports.items.items() if exports else ():
        field = node.get("field") if isinstance(node, Map) and node.get("value") is None else None
        reference = field_reference(node, language)
        if field is not None and reference is not None:
            needs = _needs(evaluation, language, reference)
            yield Use((*above, "exports", name), field.span, needs, document, way)
    for name, child in document.children.items():
        yield from uses_of_unknowns(child, work.child(name) or Work(), language, (*way, name))


def _needs(
    evaluation: Evaluation | None, language: Language, expression: Expression
) -> tuple[Need, ...]:
    """What an expression needs, each once, by its text."""
    found: dict[str, Need] = {}
    linked: set[int] = set()
    for node in walk(expression):
        if isinstance(node, Call) and node.function == "link":
            linked.update(id(argument.value) for argument in node.arguments)
        elif not isinstance(node, Reference) or id(node) in linked:
            continue
        text = language.syntax.show(node)
        withheld = isinstance(node, Reference) and _withheld(evaluation, node)
        found[text] = Need(text, node, withheld)
    return tuple(found[text] for text in sorted(found))


def _withheld(evaluation: Evaluation | None, reference: Reference) -> bool:
    """True for a reference to a secret, or to what is made of one."""
    name = str(reference.path[0]) if reference.path else ""
    if reference.root == "variables":
        return is_secret(evaluation, name)
    from ..secrets.taint import is_marked_reference

    return is_marked_reference(evaluation, reference)


def unresolved(document: Document, context: Context) -> Iterator[Diagnostic]:
    """An error for each place of an output that holds something unknown, children included."""
    for use in uses_of_unknowns(document, context.work, context.language):
        if use.needs and all(need.withheld for need in use.needs):
            continue
        needs = ", ".join(f"`{need.text}`" for need in use.needs) or "the expression"
        roots = {getattr(need.expression, "root", "") for need in use.needs}
        supply = "`--datasources` or `--state`" if "datasources" in roots else "`--state`"
        hint = f"supply it with {supply}, or render without `--strict`"
        if any(_is_whole_resource(need.expression) for need in use.needs):
            hint = "write what is needed of the resource, as in `resources.name.spec.field`"
        yield Diagnostic(
            "unresolved_value",
            f"`{use.where}` is only known after deployment: it needs {needs}",
            use.span,
            hint=hint,
        )


def _is_whole_resource(expression: Expression) -> bool:
    """True for a resource or an instance as a whole, of which a state has parts only."""
    return (
        isinstance(expression, Reference)
        and expression.root == "resources"
        and not any(isinstance(part, str) for part in expression.path[1:])
    )


def unknowns_of_blueprints(run: Run) -> tuple[UnknownPath, ...]:
    """The unknowns of a run of a blueprint; see `answers.unknowns.list_unknowns`."""
    document = run.document or (run.stages[-1][1] if run.stages else None)
    if document is None:
        return ()
    grouped: dict[tuple[tuple[str, ...], str], list[tuple[Need, Use]]] = {}
    for use in uses_of_unknowns(document, run.work, run.language):
        for need in use.needs:
            grouped.setdefault((use.way, need.text), []).append((need, use))
    return tuple(_described(users, run.language) for users in grouped.values())


def _described(users: list[tuple[Need, Use]], language: Language) -> UnknownPath:
    need, first = users[0]
    why, supply = _reason(need, first, language)
    spans = dict.fromkeys(
        (span.source, span.start, span.end) for span in (u.span for _, u in users)
    )
    text = need.text
    if first.way:
        text = f"{text} in {path_text(tuple(s for name in first.way for s in ('children', name)))}"
    return UnknownPath(
        text,
        why,
        supply,
        tuple(dict.fromkeys(use.where for _, use in users)),
        tuple(Span(*place) for place in spans),
    )


def _reason(need: Need, use: Use, language: Language) -> tuple[str, str]:
    """Why something is unknown, and how to supply it."""
    node = need.expression
    if need.withheld:
        return "secret", "withheld; `--secrets reveal` writes it"
    if isinstance(node, Call):
        names = [_side(argument.value) for argument in node.arguments]
        return "link", _state(use, ("links", "::".join(names)))
    assert isinstance(node, Reference)
    name = str(node.path[0]) if node.path else ""
    match "resources" if node.bare else node.root:
        case "resources":
            return _resource(node, name, use, language)
        case "datasources":
            return _data_source(node, name, use, language)
        case "children":
            return _child(node, name, use)
        case "variables":
            given = path_text(("include", use.way[-1], "variables", name)) if use.way else ""
            return "deploy-time variable", f"follows from {given}" if given else "give it a value"
        case "values":
            return "value", follows_from(_part(use.document, ("values", name)), language)
    return "element of an `each`", "follows from the `each`"


def _side(node: Expression) -> str:
    if isinstance(node, Literal):
        return str(node.value)
    return str(node.path[0]) if isinstance(node, Reference) else "..."


def _state(use: Use, path: Path) -> str:
    """Where a state file has it; what a child needs stands below its name."""
    inside = tuple(step for name in use.way for step in ("included", name))
    return f"`--state`: {path_text((*inside, *path))}"


def _resource(node: Reference, name: str, use: Use, language: Language) -> tuple[str, str]:
    path = node.path
    if len(path) == 1:
        return "id of a resource", "nothing; refer to a field of its state instead"
    if path[1] == "state":
        return "state", _state(use, ("resources", *path))
    found = _part(use.document, ("resources", *path))
    if found is None:
        return "computed by the provider", "nothing; it is known after deployment"
    return f"residual {path[1]}", follows_from(found, language)


def _data_source(node: Reference, name: str, use: Use, language: Language) -> tuple[str, str]:
    state = _state(use, ("datasources", *node.path))
    waiting = follows_from(_part(use.document, ("datasources", name, "filter")), language)
    if waiting:
        return "data source with an unknown filter", f"{waiting}; {state}"
    word = text_of(_part(use.document, ("datasources", name, "type")))
    return "data source without an answer", f"`--datasources`: records of {word}; {state}"


def _child(node: Reference, name: str, use: Use) -> tuple[str, str]:
    state = _state(use, ("children", *node.path))
    if name not in use.document.children:
        return "child that is not opened", state
    return "export of a child", f"what the child needs; {state}"


def _part(document: Document, path: Path) -> AnyNode | None:
    """What stands at a path of a document, or the deepest part that is left in text."""
    items, nodes = chain(document.root, path)
    whole = len(items) == len(path)
    return nodes[-1] if whole or isinstance(nodes[-1], Template) else None
