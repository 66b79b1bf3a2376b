"""What is left at the end: definitions still in use, children, and what is still unknown."""

from __future__ import annotations

from ...functions.values import Unknown
from ..context import Context
from ..document import Document
from ..language.errors import LanguageError
from ..language.expression import Reference
from ..language.language import Language
from ..source import Span
from ..tree import AnyNode, Map, Scalar
from .graph import references_in
from .parts import flag_of

STEP = "export"


def drop_used_up(document: Document, context: Context) -> Document:
    """Keeps the variables that residual text still uses, and bundles the children.

    A variable that stays is an input of the deployment: its default and its allowed values do not
    belong to the output, which holds no value for it and no secret.
    """
    sections: dict[str, AnyNode | None] = {}
    variables = document.section("variables")
    if variables is not None:
        used = _variables_used(document, context)
        kept: dict[str, AnyNode] = {
            name: _as_input(node, is_secret(document, name))
            for name, node in variables.items.items()
            if name in used
        }
        if len(kept) == len(variables.items) and all(
            kept[name] is node for name, node in variables.items.items()
        ):
            sections["variables"] = variables
        else:
            sections["variables"] = variables.replacing(kept, STEP) if kept else None
    if document.children or document.section("children"):
        bundle: dict[str, AnyNode] = {n: child.root for n, child in document.children.items()}
        old = document.section("children")
        if old is not None and all(old.items.get(n) is node for n, node in bundle.items()):
            sections["children"] = old
        else:
            base = old or document.root
            sections["children"] = Map(bundle, {}, base.trail.then(STEP), base.start, base.end)
    return _version_first(document.replacing(sections, STEP))


def _version_first(document: Document) -> Document:
    """The document with its version as the first key."""
    items = document.root.items
    if "version" not in items or next(iter(items)) == "version":
        return document
    ordered = {"version": items["version"], **items}
    return document.evolve(root=document.root.replacing(ordered, STEP))


def is_secret(document: Document, name: str) -> bool:
    """True for a variable that holds a secret, by its own declaration or by its value's."""
    evaluation = document.evaluation
    variable = evaluation.variables.get(name) if evaluation is not None else None
    if variable is None:
        return False
    value = variable.value
    return bool(variable.secret or (isinstance(value, Unknown) and value.secret))


def _as_input(node: AnyNode, secret: bool) -> AnyNode:
    if not isinstance(node, Map):
        return node
    items = {k: v for k, v in node.items.items() if k not in ("default", "allowedValues")}
    if secret and not flag_of(items.get("secret")):
        items["secret"] = Scalar(True, node.trail.then(STEP), node.start, node.end)
    return node if items == node.items else node.replacing(items, STEP)


def _variables_used(document: Document, context: Context) -> set[str]:
    used: set[str] = set()
    for section, node in document.root.items.items():
        if section in ("variables", "children"):
            continue
        used.update(
            str(reference.path[0])
            for reference, _, _ in references_in(node)
            if reference.root == "variables"
        )
    exports = document.section("exports")
    for node in exports.items.values() if exports else ():
        reference = field_reference(node, context.language)
        if reference is not None and reference.root == "variables":
            used.add(str(reference.path[0]))
    return used


def field_reference(node: AnyNode, language: Language) -> Reference | None:
    field = node.get("field") if isinstance(node, Map) else None
    if not isinstance(field, Scalar) or not isinstance(field.value, str):
        return None
    try:
        reference = language.parse(field.value)
    except LanguageError:
        return None
    return reference if isinstance(reference, Reference) else None


def report_unresolved(document: Document, context: Context) -> None:
    """Reports each place of the output that holds something unknown, children included.

    What only waits for a secret is not unknown, it is withheld.
    """
    from ..unknowns import uses_of_unknowns

    for use in uses_of_unknowns(document, context.language):
        if use.needs and all(need.withheld for need in use.needs):
            continue
        needs = [need.text for need in use.needs]
        roots = frozenset(getattr(need.expression, "root", "") for need in use.needs)
        _unresolved(context, use.where, use.span, needs, roots)


def _unresolved(
    context: Context, path: str, span: Span, needs: list[str], roots: frozenset[str]
) -> None:
    listed = ", ".join(f"`{need}`" for need in needs) or "the expression"
    context.diagnostics.error(
        "unresolved_value",
        span,
        f"`{path}` is only known after deployment: it needs {listed}",
        _remedy(roots),
    )


def _remedy(roots: frozenset[str]) -> str:
    """How what refers to these roots can be made known."""
    if "datasources" in roots:
        return "supply it with `--datasources` or `--state`, or render without `--strict`"
    return "supply it with `--state`, or render without `--strict`"
