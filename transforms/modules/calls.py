"""The uses of modules: which module a resource names, its variables, and its instances.

    orders:
      type: celerity/blueprint
      spec:
        module: modules/orders.yaml            # or {path: .., metadata: {sourceType: ..}}
        variables: {region: eu-west-1}         # or {name: company/orders, version: "2.0"}

Names are looked up in the metadata of the blueprint, where a module is declared like an include:

    metadata:
      bppModules:
        company/orders: {version: "2.0", path: modules/orders.yaml}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Final

from ...functions.record import Record, field
from ...functions.values import Unknown, article, has_unknown
from ...pipeline.dialects.bluelink.checking.names import check_names
from ...pipeline.dialects.bluelink.evaluating.evaluation import Evaluation, decide
from ...pipeline.engine.builders import node as build
from ...pipeline.engine.references import Replacing, find_references, replace_references
from ...pipeline.engine.run import Context
from ...pipeline.language.errors import Failure
from ...pipeline.language.waiting import WaitingText
from ...pipeline.values.diagnostics import Diagnostics, meant
from ...pipeline.values.document import Document
from ...pipeline.values.expression import Expression, Literal, Reference
from ...pipeline.values.source import Span
from ...pipeline.values.tree import (
    AnyNode,
    Array,
    Map,
    Scalar,
    Template,
    is_text,
    kind_of,
    templates_in,
)
from ..expansion import take_entry
from ..registry import TransformContext, TransformError

KEY: Final = "bppModules"
TYPES: Final = ("celerity/blueprint", "bpp/module")
CODE: Final = "invalid_module"
_WHERE: Final = (
    "write `module: path/of/module.yaml`, `module: {path: .., metadata: {sourceType: ..}}` or "
    "`module: {name: .., version: ..}`"
)


class ModuleCall(Record, eq=False):
    """One use of a module by a resource, or by one instance of a resource with `each`.

    `name` is the prefix of the names of the module's parts, `resource` the name of the resource.
    `path` and `metadata` locate the module, as in an include. `document` contains the resource.
    """

    document: Document
    name: str
    resource: str
    node: Map
    key_span: Span
    path: AnyNode
    metadata: Map | None
    variables: Map | None

    def input_span(self) -> Span:
        """Where the inputs are written; otherwise, the resource's name."""
        spec = self.node.get("spec")
        if self.variables is not None and isinstance(spec, Map):
            return spec.key_span("variables")
        return self.key_span


def is_module(node: AnyNode) -> bool:
    """True if a definition is a resource that uses a module."""
    kind = node.get("type") if isinstance(node, Map) else None
    return isinstance(kind, Scalar) and kind.value in TYPES


def read_call(
    document: Document, resource: str, name: str, node: Map, key_span: Span
) -> ModuleCall:
    """Reads how a resource (or its instance `name`) uses its module.

    Raises:
        TransformError: `invalid_module`, where a field is missing or invalid.
    """
    spec = node.get("spec")
    if not isinstance(spec, Map):
        raise TransformError(key_span, f"the module `{resource}` has no spec", _WHERE, code=CODE)
    for key in spec.items:
        if key not in ("module", "variables"):
            hint = meant(key, ("module", "variables")) or "available: `module`, `variables`"
            raise TransformError(
                spec.key_span(key), f"`{key}` is not a field of a module's spec", hint, code=CODE
            )
    where = spec.get("module")
    if where is None:
        raise TransformError(
            key_span, f"the resource `{resource}` does not name its module", _WHERE, code=CODE
        )
    variables = spec.get("variables")
    if variables is not None and not isinstance(variables, Map):
        raise TransformError(
            variables,
            f"the variables of a module must be an object, not {article(kind_of(variables))}",
            code=CODE,
        )
    path, metadata = _where(document, resource, where)
    return ModuleCall(document, name, resource, node, key_span, path, metadata, variables)


def _where(document: Document, resource: str, where: AnyNode) -> tuple[AnyNode, Map | None]:
    if is_text(where):
        return where, None
    if not isinstance(where, Map):
        what = article(kind_of(where))
        raise TransformError(
            where, f"`module` must be a path or an object, not {what}", _WHERE, code=CODE
        )
    if "name" not in where.items:
        return _place(where, ("path", "metadata"), f"the module of `{resource}`")
    for key in where.items:
        if key not in ("name", "version"):
            raise TransformError(
                where.key_span(key),
                f"`{key}` cannot be combined with the `name` of a module",
                meant(key, ("version",)) or f"declare the location under `metadata.{KEY}`",
                code=CODE,
            )
    name = where.items["name"]
    if not isinstance(name, Scalar) or not isinstance(name.value, str):
        raise TransformError(name, "the name of a module must be a plain string", code=CODE)
    return _registered(document, name, name.value, where.get("version"))


def _place(node: Map, keys: tuple[str, ...], what: str) -> tuple[AnyNode, Map | None]:
    for key in node.items:
        if key not in keys:
            raise TransformError(
                node.key_span(key),
                f"unknown field `{key}` in the location of {what}",
                meant(key, keys),
                code=CODE,
            )
    path, metadata = node.get("path"), node.get("metadata")
    if path is None:
        raise TransformError(node, f"{what} has no `path`", _WHERE, code=CODE)
    if not is_text(path):
        raise TransformError(
            path, f"the path of a module must be a string, not {article(kind_of(path))}", code=CODE
        )
    if metadata is not None and not isinstance(metadata, Map):
        raise TransformError(
            metadata,
            f"the metadata of a module must be an object, not {article(kind_of(metadata))}",
            code=CODE,
        )
    return path, metadata


def _registered(
    document: Document, node: Scalar, name: str, version: AnyNode | None
) -> tuple[AnyNode, Map | None]:
    """The location of a named module, from the metadata of the blueprint."""
    entry, _ = take_entry(document, KEY)
    if not isinstance(entry, Map):
        raise TransformError(
            node if entry is None else entry,
            f"the module `{name}` is not declared: the blueprint's metadata has no `{KEY}`"
            if entry is None
            else f"`{KEY}` must be an object, not {article(kind_of(entry))}",
            f"write `metadata: {{{KEY}: {{{name}: {{path: path/of/module.yaml}}}}}}`",
            code=CODE,
        )
    found = entry.get(name)
    if found is None:
        raise TransformError(
            node,
            f"`{KEY}` does not declare the module `{name}`",
            meant(name, entry.items),
            code=CODE,
        )
    wanted = _version(version) if version is not None else None
    known: list[str] = []
    for one in _offers(name, found):
        offered = one.get("version")
        written = _version(offered) if offered is not None else None
        if wanted is None or written is None or wanted == written:
            return _place(one, ("path", "metadata", "version"), f"the module `{name}`")
        known.append(written)
    raise TransformError(
        version if version is not None else node,
        f"the module `{name}` has no version {wanted}",
        f"`{KEY}` declares {', '.join(known)}" if known else None,
        code=CODE,
    )


def _offers(name: str, found: AnyNode) -> Iterator[Map]:
    for one in found.items if isinstance(found, Array) else [found]:
        if not isinstance(one, Map):
            raise TransformError(
                one,
                f"the location of the module `{name}` must be an object, not "
                f"{article(kind_of(one))}",
                "write `{version: .., path: ..}`, or an array of such objects",
                code=CODE,
            )
        yield one


def _version(node: AnyNode) -> str:
    """A version as it is written, so that an unquoted `1.10` is not 1.1."""
    if isinstance(node, Map | Array | Template) or node.value is None:
        raise TransformError(
            node, f"a version must be a plain string, not {article(kind_of(node))}", code=CODE
        )
    if isinstance(node.value, str):
        return node.value
    written = node.trail.source.text[node.start : node.end].strip()
    return written if written[:1].isdigit() else str(node.value)


# A transform expands a document that is not evaluated yet. The few values that decide how to expand
# it are computed here and discarded; the later stages compute the final ones.


_QUIET: Final = frozenset({"variables", "values", "elem", "i"})
_SOMETHING: Final = Reference("resources", ("x",))
_LATER: Final = Unknown(_SOMETHING)


class Lookahead:
    """Evaluates parts of one document without reporting anything.

    A value that cannot be computed is None: a later stage that needs it reports why.
    """

    def __init__(self, document: Document, context: Context) -> None:
        self.document = document
        self.context = context

    @cached_property
    def evaluation(self) -> Evaluation | None:
        """The evaluation of the document; None if it contains invalid references."""
        quiet = self.context.evolve(diagnostics=Diagnostics())
        check_names(self.document, quiet)
        if quiet.diagnostics.errors:
            return None
        evaluation = Evaluation(self.document, quiet)
        if evaluation.reveal:
            from ...pipeline.dialects.bluelink.secrets.secrecy import secrets_in_clear

            self.context.environment.withhold(secrets_in_clear(evaluation))
        return evaluation

    def value(self, node: AnyNode) -> Any:
        """A node's value, an `Unknown` if it is only known later, or None."""
        value = self._tried(lambda evaluation: evaluation.value_of(node, _SOMETHING, None))
        return _LATER if value.__class__ is WaitingText else value

    def _tried(self, compute: Callable[[Evaluation], Any]) -> Any:
        """What an evaluation computes, or None."""
        if self.evaluation is None:
            return None
        try:
            return compute(self.evaluation)
        except Failure:
            return None

    def plain(self, node: AnyNode) -> Any:
        """The same without side effects: a value that needs any is an `Unknown`."""
        value = self.value(node) if self._is_quiet(node, set()) else _LATER
        return _LATER if has_unknown(value) else value

    def is_marked(self, node: AnyNode) -> bool:
        """True for a node that contains a secret, in a run that reveals secrets."""
        if self.evaluation is None or not self.evaluation.reveal:
            return False
        from ...pipeline.dialects.bluelink.secrets.taint import is_marked

        return is_marked(self.evaluation, node)

    def elements(self, resource: str) -> list[Any] | None:
        """The elements of a resource's `each`, or None."""
        found: list[Any] | None = self._tried(lambda evaluation: evaluation.elements(resource))
        return found

    def condition(self, node: AnyNode) -> bool | None:
        """True or False for a condition that can be decided, or None."""
        found = self._tried(lambda evaluation: decide(evaluation, node, None))
        return found if isinstance(found, bool) else None

    def _is_quiet(self, node: AnyNode, seen: set[str]) -> bool:
        """True if evaluating a node needs no data source, clock or file."""
        functions = self.context.functions
        for template in templates_in(node):
            for name in template.segments.functions:
                function = functions.get(name)
                if function is not None and function.effect is not None:
                    return False
        for found in find_references(node, self.context.language):
            reference = found.reference
            if reference.root not in _QUIET:
                return False
            if reference.root == "values" and (name := str(reference.path[0])) not in seen:
                seen.add(name)
                section = self.document.section("values")
                definition = section.get(name) if section else None
                if isinstance(definition, Map) and not self._is_quiet(definition, seen):
                    return False
        return True


class Instances(Record, eq=False):
    """The instances of a resource that uses a module, by name; `many` if it has `each`.

    `definitions` is None if the elements are not known: the resource stays, and later stages report
    why.
    """

    definitions: dict[str, Map] | None
    many: bool = False
    values: dict[str, AnyNode] = field(factory=dict)


def instances_of(
    name: str,
    node: Map,
    taken: TakenNames,
    look: Lookahead,
    context: TransformContext,
) -> Instances:
    """The instances of a resource that uses a module: the resource itself, or one per element.

    The array of `each` is computed only for its length; the instances contain references to its
    elements. An array that is not a value of the blueprint becomes one.
    """
    each = node.get("each")
    if each is None:
        return Instances({name: node})
    elements = look.elements(name)
    if elements is None:
        return Instances(None, True)
    values: dict[str, AnyNode] = {}
    items = _array(each, context)
    if items is None:
        value_name = new_name(taken, "values", name, "each")
        values[value_name] = build({"type": "array", "value": each}, each, step=context.name)
        items = Reference("values", (value_name,))
    alone = node.replacing({k: n for k, n in node.items.items() if k != "each"}, context.name)
    found: dict[str, Map] = {}
    for index in range(len(elements)):
        instance = replace_references(alone, _in_element(items, index, context))
        found[new_name(taken, "resources", name, str(index))] = instance
    return Instances(found, True, values)


def _array(each: AnyNode, context: TransformContext) -> Reference | None:
    """The value of the blueprint that `each` refers to, if it is only a reference."""
    if not isinstance(each, Template) or len(each.segments) != 1:
        return None
    expression = context.language.exact(each.segments.substitutions[0])
    if isinstance(expression, Reference) and expression.root == "values":
        return expression
    return None


def _in_element(items: Reference, index: int, context: TransformContext) -> Replacing:
    def replaced(reference: Reference) -> Expression | None:
        if reference.root == "i":
            return Literal(index)
        if reference.root == "elem":
            return items.deeper(index, *reference.path)
        return None

    return Replacing(context.language, context.name, replaced, lambda _: None)


SECTIONS: Final = ("values", "datasources", "resources", "include")


class TakenNames(Record, eq=False):
    """The names in use, by section; only `new_name` adds to them."""

    sections: dict[str, set[str]] = field(factory=dict)


def taken_names(document: Document) -> TakenNames:
    """The names of a document."""
    taken = TakenNames({section: set() for section in SECTIONS})
    for section in (*SECTIONS, "children"):
        node = document.section(section)
        if node is not None:
            taken.sections["include" if section == "children" else section].update(node.items)
    return taken


def new_name(taken: TakenNames, section: str, module: str, name: str) -> str:
    """`<module>_<name>`, with a number appended if that name is in use."""
    wanted = chosen = f"{module}_{name}"
    names = taken.sections[section]
    number = 2
    while chosen in names:
        chosen = f"{wanted}_{number}"
        number += 1
    names.add(chosen)
    return chosen


def names_of(document: Document, section: str) -> list[str]:
    """The names in a section; `include` and `children` share theirs."""
    found: dict[str, None] = {}
    for one in (section, "children") if section == "include" else (section,):
        node = document.root.get(one)
        if isinstance(node, Map):
            found.update(dict.fromkeys(node.items))
    return list(found)
