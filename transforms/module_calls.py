"""What a resource says about its module: where it is and what it gets.

    orders:
      type: celerity/blueprint
      spec:
        module: modules/orders.yaml            # or {path: .., metadata: {sourceType: ..}}
        variables: {region: eu-west-1}         # or {name: company/orders, version: "2.0"}

A name is looked up in the metadata of the blueprint, where a module stands like an include:

    metadata:
      bppModules:
        company/orders: {version: "2.0", path: modules/orders.yaml}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..functions.record import Record
from ..functions.values import article
from ..pipeline.values.diagnostics import meant
from ..pipeline.values.document import Document
from ..pipeline.values.source import Span
from ..pipeline.values.tree import AnyNode, Array, Map, Scalar, Template, is_text, kind_of
from .metadata_entries import take_entry
from .registry import TransformError

KEY: Final = "bppModules"
TYPES: Final = ("celerity/blueprint", "bpp/module")
CODE: Final = "invalid_module"
_WHERE: Final = (
    "write `module: path/of/module.yaml`, `module: {path: .., metadata: {sourceType: ..}}` or "
    "`module: {name: .., version: ..}`"
)


class ModuleCall(Record, eq=False):
    """One use of a module by a resource, or by one instance of a resource with `each`.

    `name` is what the names of the module's parts begin with, `resource` the resource's own name,
    `path` and `metadata` are where the module is, as an include says it. `document` is the one that
    uses it.
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
        """Where the inputs are written, or the resource's name."""
        spec = self.node.get("spec")
        if self.variables is not None and isinstance(spec, Map):
            return spec.key_span("variables")
        return self.key_span


def is_module(node: AnyNode) -> bool:
    """True for the definition of a resource that is a module."""
    kind = node.get("type") if isinstance(node, Map) else None
    return isinstance(kind, Scalar) and kind.value in TYPES


def read_call(
    document: Document, resource: str, name: str, node: Map, key_span: Span
) -> ModuleCall:
    """What a resource (or its instance `name`) says about its module.

    Raises:
        TransformError: `invalid_module`, where something is missing or wrong.
    """
    spec = node.get("spec")
    if not isinstance(spec, Map):
        raise TransformError(key_span, f"the module `{resource}` has no spec", _WHERE, code=CODE)
    for key in spec.items:
        if key not in ("module", "variables"):
            hint = meant(key, ("module", "variables")) or "there are `module` and `variables`"
            raise TransformError(
                spec.key_span(key), f"`{key}` is not a field of a module's spec", hint, code=CODE
            )
    told = spec.get("module")
    if told is None:
        raise TransformError(
            key_span, f"the resource `{resource}` names no module", _WHERE, code=CODE
        )
    variables = spec.get("variables")
    if variables is not None and not isinstance(variables, Map):
        raise TransformError(
            variables,
            f"the variables of a module must be an object, not {article(kind_of(variables))}",
            code=CODE,
        )
    path, metadata = _where(document, resource, told)
    return ModuleCall(document, name, resource, node, key_span, path, metadata, variables)


def _where(document: Document, resource: str, told: AnyNode) -> tuple[AnyNode, Map | None]:
    if is_text(told):
        return told, None
    if not isinstance(told, Map):
        what = article(kind_of(told))
        raise TransformError(
            told, f"`module` must be a path or an object, not {what}", _WHERE, code=CODE
        )
    if "name" not in told.items:
        return _place(told, ("path", "metadata"), f"the module of `{resource}`")
    for key in told.items:
        if key not in ("name", "version"):
            raise TransformError(
                told.key_span(key),
                f"`{key}` cannot stand beside the `name` of a module",
                meant(key, ("version",)) or f"where the module is stands in `metadata.{KEY}`",
                code=CODE,
            )
    name = told.items["name"]
    if not isinstance(name, Scalar) or not isinstance(name.value, str):
        raise TransformError(name, "the name of a module must be a plain string", code=CODE)
    return _registered(document, name, name.value, told.get("version"))


def _place(node: Map, keys: tuple[str, ...], what: str) -> tuple[AnyNode, Map | None]:
    for key in node.items:
        if key not in keys:
            raise TransformError(
                node.key_span(key),
                f"`{key}` does not say where {what} is",
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
    """The place of a module that is named, from the metadata of the blueprint."""
    entry, _ = take_entry(document, KEY)
    if not isinstance(entry, Map):
        raise TransformError(
            node if entry is None else entry,
            f"the metadata of the blueprint have no `{KEY}` that says where the module `{name}` is"
            if entry is None
            else f"`{KEY}` must be an object, not {article(kind_of(entry))}",
            f"write `metadata: {{{KEY}: {{{name}: {{path: path/of/module.yaml}}}}}}`",
            code=CODE,
        )
    found = entry.get(name)
    if found is None:
        raise TransformError(
            node,
            f"`{KEY}` does not say where the module `{name}` is",
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
        f"there is no version {wanted} of the module `{name}`",
        f"`{KEY}` has {', '.join(known)}" if known else None,
        code=CODE,
    )


def _offers(name: str, found: AnyNode) -> Iterator[Map]:
    for one in found.items if isinstance(found, Array) else [found]:
        if not isinstance(one, Map):
            raise TransformError(
                one,
                f"where the module `{name}` is must be an object, not {article(kind_of(one))}",
                "write `{version: .., path: ..}`, or a list of those",
                code=CODE,
            )
        yield one


def _version(node: AnyNode) -> str:
    """A version as it is written: `1.10` without quotes is a number, but not 1.1."""
    if isinstance(node, Map | Array | Template) or node.value is None:
        raise TransformError(
            node, f"a version must be a plain string, not {article(kind_of(node))}", code=CODE
        )
    if isinstance(node.value, str):
        return node.value
    written = node.trail.source.text[node.start : node.end].strip()
    return written if written[:1].isdigit() else str(node.value)
