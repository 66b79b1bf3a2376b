"""The documents that are shown of an installation, with targets masked where they are no product.

The output, and the views of `--show`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...engine.materialisation import MASK
from ...values.concealing import Concealed
from ...values.document import Document
from ...values.quoting import Quoting
from ...values.tree import AnyNode, Array, Map, build
from .fields import each_scalar, list_of, map_of
from .installation import Installation

ITEMS, SUBS, EXPORTS = "deployItems", "subinstallations", "exports"


def document_of(work: Installation, parts: Iterable[str], imports: bool = False) -> Map:
    """A map of the named parts of an installation, after its imports where these are wanted."""
    subs = [one.node for one in work.subinstallations]
    known = {ITEMS: work.deploy_items, SUBS: subs, EXPORTS: work.exports}
    found: dict[str, Any] = {}
    if imports:
        found["imports"] = masked(imports_of(work), work.withheld())
    return map_of({**found, **{name: known[name] for name in parts}}, work.blueprint.root)


def whole(work: Installation) -> Map:
    """The document that a render writes."""
    if not work.options.renders_nested:
        return document_of(work, _parts(work))
    found = {one.path: document_of(one, _parts(one), imports=True) for one in everything(work)}
    near = work.blueprint.root
    return map_of({"installations": map_of(found, near)}, near)


def everything(work: Installation) -> Iterable[Installation]:
    """An installation and those in it, in the order in which they start."""
    yield work
    for one in work.children:
        yield from everything(one)


def _parts(work: Installation) -> tuple[str, ...]:
    return (ITEMS, SUBS, EXPORTS) if work.exporting else (ITEMS, SUBS)


def imports_of(work: Installation, reveal: bool = False) -> Map:
    """The values of the imports; the configuration of a Target is masked unless it is revealed."""
    found: dict[str, Any] = {}
    for name, value in work.values.items():
        found[name] = str(value.unknown) if value.node is None else value.node
        if value.is_target and not reveal:
            found[name] = without_secrets(found[name])
    return map_of(found, work.blueprint.root)


def without_secrets(node: AnyNode) -> AnyNode:
    """Targets with a mask in the place of their configuration and of the name of their Secret."""
    if isinstance(node, Array):
        return list_of([without_secrets(one) for one in node.items], node)
    if not isinstance(node, Map):
        return node
    spec = node.get("spec")
    if not isinstance(spec, Map):
        return node.replacing({key: without_secrets(one) for key, one in node.items.items()})
    masked = {
        key: build(MASK if key in ("config", "secretRef") else one, one.trail, one.start, one.end)
        for key, one in spec.items.items()
    }
    return node.replacing({**node.items, "spec": spec.replacing(masked)})


def redact(document: Document, quoting: Quoting) -> Document:
    """A document with a mask for each secret, unless it is the product of a run."""
    if document.product or not document.withheld:
        return document
    return document.evolve(root=masked(document.root, document.withheld))


def masked(root: Map, secrets: Concealed) -> Map:
    """A tree with a mask for each string or key that is, or holds, a secret."""
    made = _masked(root, secrets) if secrets else root
    assert isinstance(made, Map)
    return made


def _masked(node: AnyNode, secrets: Concealed) -> AnyNode:
    if isinstance(node, Map):
        told = secrets.names(node.items)
        return node.holding({told[key]: _masked(one, secrets) for key, one in node.items.items()})
    if isinstance(node, Array):
        return list_of([_masked(one, secrets) for one in node.items], node)
    return each_scalar(node, secrets.in_data)
