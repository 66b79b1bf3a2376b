"""What is left at the end: definitions still in use, children, and what is still unknown."""

from __future__ import annotations

import attrs

from ...functions.values import Unknown
from ..context import Context
from ..document import Document
from ..language.errors import Failure, LanguageError
from ..language.expression import Reference
from ..source import Span
from ..tree import AnyNode, Map, Scalar
from .graph import references_in, templates_in
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
            name: _as_input(node, _is_secret(document, name))
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
    return attrs.evolve(document, root=document.root.replacing(ordered, STEP))


def _is_secret(document: Document, name: str) -> bool:
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
        reference = _field_reference(node, context)
        if reference is not None and reference.root == "variables":
            used.add(str(reference.path[0]))
    return used


def _field_reference(node: AnyNode, context: Context) -> Reference | None:
    field = node.get("field") if isinstance(node, Map) else None
    if not isinstance(field, Scalar) or not isinstance(field.value, str):
        return None
    try:
        reference = context.language.parse(field.value)
    except LanguageError:
        return None
    return reference if isinstance(reference, Reference) else None


def report_unresolved(document: Document, context: Context, path: str = "") -> None:
    """Reports each path of the output that holds something unknown, children included.

    What only waits for a secret is not unknown, it is withheld.
    """
    root = document.root.replacing(
        {k: v for k, v in document.root.items.items() if k != "children"}
    )
    for place, node in _paths(root, path):
        for template in templates_in(node):
            for substitution in template.segments.substitutions:
                references = substitution.shape.references
                if references and all(_withheld(document, r) for r in references):
                    continue
                needs = sorted({context.language.syntax.show(r) for r in references})
                _unresolved(context, place, template.span, needs, substitution.shape.roots)
    exports = document.section("exports")
    for name, node in exports.items.items() if exports else ():
        field = node.get("field") if isinstance(node, Map) and node.get("value") is None else None
        reference = _field_reference(node, context)
        if field is None or reference is None or _withheld(document, reference):
            continue
        place = f"{path}.exports.{name}" if path else f"exports.{name}"
        shown = context.language.syntax.show(reference)
        _unresolved(context, place, field.span, [shown], frozenset({reference.root}))
    for name, child in document.children.items():
        report_unresolved(child, context, f"{path}.children.{name}" if path else f"children.{name}")


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


def _withheld(document: Document, reference: Reference) -> bool:
    """True for a reference to a secret."""
    name = str(reference.path[0]) if reference.path else ""
    if reference.root == "variables":
        return _is_secret(document, name)
    if reference.root == "values" and document.evaluation is not None:
        try:
            value = document.evaluation.value(name)
        except Failure:
            return False
        return isinstance(value, Unknown) and value.secret
    return False


def _remedy(roots: frozenset[str]) -> str:
    """How what refers to these roots can be made known."""
    if "datasources" in roots:
        return "supply it with `--datasources` or `--state`, or render without `--strict`"
    return "supply it with `--state`, or render without `--strict`"


def _paths(node: AnyNode, path: str) -> list[tuple[str, AnyNode]]:
    """The templates of a tree with their paths."""
    found: list[tuple[str, AnyNode]] = []
    stack: list[tuple[str, AnyNode]] = [(path, node)]
    while stack:
        here, item = stack.pop()
        if isinstance(item, Map):
            stack.extend(
                (f"{here}.{key}" if here else key, child)
                for key, child in reversed(item.items.items())
            )
        elif hasattr(item, "segments"):
            found.append((here, item))
        elif hasattr(item, "items"):
            stack.extend(
                (f"{here}[{i}]", child) for i, child in reversed(list(enumerate(item.items)))
            )
    return found
