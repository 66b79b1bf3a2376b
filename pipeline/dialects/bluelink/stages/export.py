"""export: exported values are found and checked, and what the output no longer needs goes."""

from __future__ import annotations

from typing import Any

from .....functions.values import NONE, Unknown, equal, to_text, type_of
from ....engine.materialisation import MASK, Omitted, exported, flag_of, text_of, to_node
from ....engine.run import Context, State
from ....language.errors import Failure, LanguageError
from ....language.language import Language
from ....values.document import Document
from ....values.expression import Reference
from ....values.tree import AnyNode, Map, Scalar, is_as_read, templates_in
from ..checking.dependencies import check_residual_cycles
from ..checking.names import check_names
from ..evaluating.evaluation import Evaluation, evaluation_of
from ..refusals import export_mismatch
from ..structure.structure import check_structure

# What is left at the end: definitions still in use, children, and what is still unknown.

STEP = "export"


def drop_used_up(document: Document, context: Context) -> Document:
    """Keeps the variables that residual text still uses, and bundles the children.

    A variable that stays is an input of the deployment: its default and its allowed values do not
    belong to the output, which holds no value for it and no secret.
    """
    sections: dict[str, AnyNode | None] = {}
    variables = document.section("variables")
    if variables is not None:
        evaluation = evaluation_of(document, context, STEP)
        used = _variables_used(document, context)
        kept: dict[str, AnyNode] = {
            name: _as_input(node, is_secret(evaluation, name))
            for name, node in variables.items.items()
            if name in used
        }
        same = variables.holding(kept, STEP)
        sections["variables"] = same if kept or same is variables else None
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


def is_secret(evaluation: Evaluation | None, name: str) -> bool:
    """True for a variable that holds a secret, by its own declaration or by its value's."""
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
        templates = templates_in(node)
        # many strings have the same shapes
        shapes = {id(one.shape): one.shape for t in templates for one in t.segments.substitutions}
        used.update(
            str(reference.path[0])
            for shape in shapes.values()
            for reference in shape.references
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


# Places that hold text: a number or a boolean computed for one of them becomes its text.

_SECTIONS = ("values", "datasources", "resources", "include", "exports")


def with_texts(document: Document) -> Document:
    """The document with descriptions and display names that are text."""
    sections: dict[str, AnyNode | None] = {}
    for name in _SECTIONS:
        section = document.section(name)
        if section is None:
            continue
        changed = {
            key: new
            for key, node in section.items.items()
            if isinstance(node, Map) and (new := _definition(node)) is not node
        }
        if changed:
            sections[name] = section.replacing({**section.items, **changed}, STEP)
    return document.replacing(sections, STEP) if sections else document


def _definition(node: Map) -> Map:
    if is_as_read(node):
        return node
    node = _with_text(node, "description")
    metadata = node.get("metadata")
    if isinstance(metadata, Map) and not is_as_read(metadata):
        new = _with_text(metadata, "displayName")
        if new is not metadata:
            return node.replacing({**node.items, "metadata": new}, STEP)
    return node


def _with_text(node: Map, key: str) -> Map:
    child = node.get(key)
    if isinstance(child, Scalar) and isinstance(child.value, (int, float)):
        text = Scalar(to_text(child.value), child.trail.then(STEP), child.start, child.end)
        return node.replacing({**node.items, key: text}, STEP)
    return node


_NOTHING = State()


def export(document: Document, context: Context) -> Document:
    """Gives every export its value or its canonical field, and finishes the document.

    A known value that is not of the declared type is an error (specification, "exportDefinition").
    Then definitions that nothing refers to any more are dropped, and children are bundled.
    """
    evaluation = evaluation_of(document, context, STEP)
    section = document.section("exports")
    if section is not None:
        items: dict[str, AnyNode] = {}
        for name, node in section.items.items():
            new: AnyNode | None = node
            if isinstance(node, Map):
                new = _export(evaluation, document, context, name, node)
            if new is not None:
                items[name] = new
        changed = section.replacing(items, STEP) if items else None
        document = document.replacing({"exports": changed}, STEP)
    document = drop_used_up(with_texts(document), context)
    check_residual_cycles(document, context, evaluation.lasting)
    # What was computed must fit its place as what was written must.
    own = document.replacing({"children": None}, STEP)
    check_structure(own.root, context.language.opener, context.diagnostics, again=True)
    if not context.diagnostics.errors:
        check_names(document, context, again=True)
    if context.state != _NOTHING:
        from ..checking.state_names import check_state_exports, check_state_names

        check_state_exports(document, context)
        # instances and what was removed are in the document before
        check_state_names(evaluation.document, context)
    return document


def _export(
    evaluation: Evaluation, document: Document, context: Context, name: str, node: Map
) -> Map | None:
    """One export of a document, or None when its value is none."""
    field = node.get("field")
    declared = text_of(node.get("type")) or "any"
    try:
        if not isinstance(field, Scalar):
            return _with_value(evaluation, name, node, declared)
        reference = context.language.parse(str(field.value))
        assert isinstance(reference, Reference)
        value = evaluation.at(None).resolve(reference)
        if value is NONE:
            return None
        value = _checked(value, declared, name)
    except Failure as failure:
        evaluation.report(field or node, failure)
        return node
    canonical = Reference("resources" if reference.bare else reference.root, reference.path)
    if isinstance(value, Unknown):
        canonical = value.expression
    else:
        canonical = _renamed(evaluation, canonical, document)
    items: dict[str, AnyNode] = {}
    for key, child in node.items.items():
        if key == "value":
            if not isinstance(value, Unknown):
                _compare(value, child, name, context)
                continue
            # A materialised blueprint brings along what an earlier render knew.
            try:
                brought = _with_value(evaluation, name, node, declared)
            except Failure as failure:
                evaluation.report(child, failure)
                return node
            child = brought.items["value"] if brought is not None else child
        if key != "field":
            items[key] = child
            continue
        if isinstance(value, Unknown) or _addressable(canonical):
            text = context.language.syntax.show(canonical)
            items[key] = (
                child
                if text == field.value
                else Scalar(text, field.trail.then(STEP), field.start, field.end)
            )
        if not isinstance(value, Unknown):
            items["value"] = to_node(value, field, STEP)
    return node.replacing(items, STEP)


def _compare(value: Any, written: AnyNode, name: str, context: Context) -> None:
    """Warns of a written value that is not the one that the field leads to."""
    brought = exported(written, Reference("exports", (name,)))
    if isinstance(brought, Unknown) or MASK in str(brought):
        return
    if type(value) is float and type(brought) is int:
        brought = float(brought)
    if not equal(brought, value):
        context.diagnostics.warn(
            "export_value_replaced",
            written.span,
            f"the `value` of the export `{name}` is not what its `field` gives, which replaces it",
            "remove `value`: a render adds it",
        )


def _with_value(evaluation: Evaluation, name: str, node: Map, declared: str) -> Map | None:
    """An export that brings its value along, as materialised blueprints do."""
    value_node = node.get("value")
    assert value_node is not None
    new = evaluation.node(value_node, None)
    if isinstance(new, Omitted):
        return None
    _checked(exported(new, Reference("exports", (name,))), declared, name)
    return node if new is value_node else node.replacing({**node.items, "value": new}, STEP)


def _checked(value: Any, declared: str, name: str) -> Any:
    """The value as one of its declared type; an integer serves as a float.

    Raises:
        Failure: `export_type_mismatch`.
    """
    actual = value.type if isinstance(value, Unknown) else type_of(value)
    if actual == "binary":
        actual = "string"
    if actual == "integer" and declared == "float":
        return value if isinstance(value, Unknown) else float(value)
    if actual in ("any", declared) or declared == "any":
        return value
    raise Failure(
        "export_type_mismatch",
        export_mismatch(name, declared, actual),
    )


def _addressable(reference: Reference) -> bool:
    """True when the output still has what the reference leads to."""
    return reference.root in ("resources", "values", "children")


def _renamed(evaluation: Evaluation, reference: Reference, document: Document) -> Reference:
    """The reference with an instance's name in place of a template's name and index.

    A document in which the template still stands has no instances.
    """
    path = reference.path
    if reference.root != "resources" or not evaluation.is_template(str(path[0])):
        return reference
    resources = document.section("resources")
    if resources is not None and path[0] in resources.items:
        return reference
    return Reference("resources", (f"{path[0]}_{path[1]}", *path[2:]))
