"""The static types of references, inferred from declarations, and the mistakes in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ....engine.materialisation import MASK, text_of
from ....engine.run import Context
from ....language.errors import Failure, find_function
from ....language.navigation import missing_field, navigate
from ....values.diagnostics import Names, Remedy, did_you_mean, meant, nearest
from ....values.document import Document
from ....values.expression import Path, Reference
from ....values.tree import AnyNode, Array, Map, Scalar, Template, kind_of
from ..refusals import no_child_export, scalar_child_export
from ..structure.inspection import is_lone, is_name, listed
from ..structure.sections import FIELD_TYPES, OLDER, RESOURCE, VALUE_TYPES
from .template_sites import SCALARS, Report, Site

FACETS: Final = ("state", "spec", "metadata")
METADATA: Final = ("displayName", "labels", "annotations", "custom")

# words of other languages for words of this one
_WORDS: Final = {"null": "none", "nil": "none", "undefined": "none", "item": "elem", "it": "elem"}
# what other languages call an element and its index
_ELEMENTS: Final = {("each", "value"): "elem", ("each", "key"): "i", ("count", "index"): "i"}
_ROOTS: Final = {
    "variable": "variables",
    "var": "variables",
    "vars": "variables",
    "value": "values",
    "local": "values",
    "locals": "values",
    "data": "datasources",
    "datasource": "datasources",
    "child": "children",
    "include": "children",
    "module": "children",
    "modules": "children",
    "parameters": "variables",
    "params": "variables",
    "resource": "resources",
}
_MISSING: Final = {
    "variables": ("variable", "variable_not_found"),
    "values": ("value", "value_not_found"),
    "datasources": ("data source", "data_source_not_found"),
    "include": ("child blueprint", "child_not_found"),
}


class ReferenceTypes:
    """The static types of the references of one document.

    `exports` are the declared types of what children export, for the children that are known.
    """

    def __init__(
        self,
        document: Document,
        context: Context,
        exports: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.exports = exports
        self.document = document
        self.context = context
        self.functions = context.functions
        self._names: dict[str, Names] = {}
        # by the id of an array, which the document keeps
        self._open: dict[int, int] = {}
        self.sections: dict[str, dict[str, AnyNode]] = {
            name: dict(found.items) if (found := document.section(name)) else {}
            for name in ("variables", "values", "datasources", "resources", "include", "children")
        }
        self.types = {
            "variables": self._declared("variables"),
            "values": self._declared("values"),
        }

    def _declared(self, section: str) -> dict[str, str]:
        found = {}
        for name, node in self.sections[section].items():
            declared = text_of(node.get("type")) if isinstance(node, Map) else None
            custom = section == "variables" and declared is not None and "/" in declared
            found[name] = "string" if custom else declared if declared in VALUE_TYPES else "any"
        return found

    def names(self, section: str) -> Names:
        """The names in a section, to look for a near one."""
        if section not in self._names:
            self._names[section] = Names(filter(is_name, self.sections[section]))
        return self._names[section]

    def _is_open(self, section: str) -> bool:
        """True for a section that is not a map, so that its names are unknown."""
        node = self.document.root.get(section)
        return node is not None and not isinstance(node, Map)

    def type_of(self, node: Reference, site: Site, report: Report, parameter: Any) -> str:
        """The static type of a reference (`any` when it is open); reports what is wrong in it."""
        root = node.root
        if root in ("elem", "i"):
            if not site.element:
                report.add(
                    "elem_outside_each",
                    f"`{root}` is only available in a resource with `each`",
                    node,
                )
            return "integer" if root == "i" else "any"
        if not node.path or root not in self.sections or root == "include":
            # only a dialect with other roots in its grammar gets here
            shown = self.context.language.syntax.show(node)
            report.add(
                "invalid_substitution", f"`{shown}` does not refer to anything in a blueprint", node
            )
            return "any"
        if root == "resources":
            return self._resource(node, report, parameter)
        name = str(node.path[0])
        if root in ("variables", "values"):
            if name not in self.sections[root]:
                return self._missing(root, name, node, report)
            declared = self.types[root][name]
            if len(node.path) > 1:
                if declared in SCALARS:
                    report.add(
                        "path_not_found",
                        f"the value `{name}` is of type {declared} and has no fields",
                        node,
                    )
                    return "any"
                definition = self.sections["values"][name]
                content = definition.get("value") if isinstance(definition, Map) else None
                return self._written(content, node.path[1:], node, report)
            return declared
        if root == "datasources":
            return self._datasource(node, name, report)
        if name not in self.sections["include"] and name not in self.sections["children"]:
            return (
                "any" if self._is_open("children") else self._missing("include", name, node, report)
            )
        return self._child(node, name, report)

    def _missing(self, section: str, name: str, node: Reference, report: Report) -> str:
        """The type of a name that a section does not have: `any`, as this is reported."""
        if not self._is_open(section):
            noun, code = _MISSING[section]
            summary = f"there is no {noun} `{name}`"
            report.add(code, summary, node, lambda: self._near(name, section))
        return "any"

    def _child(self, node: Reference, name: str, report: Report) -> str:
        exports = self.exports.get(name)
        if exports is None:
            return "any"
        export = str(node.path[1])
        declared = exports.get(export)
        if declared is None:
            report.add(
                "child_export_not_found",
                no_child_export(name, export),
                node,
                lambda: _offered(export, exports),
            )
        elif len(node.path) == 2:
            return declared
        elif declared in SCALARS:
            report.add(
                "child_export_scalar_navigation",
                scalar_child_export(name, export, declared),
                node,
            )
        return "any"

    def _near(self, name: str, section: str) -> str | None:
        """A hint with a similar name in the section, or with another section that has this name."""
        near = meant(name, self.names(section))
        if near:
            return near
        for other in ("variables", "values", "resources", "datasources"):
            if other != section and name in self.sections[other]:
                return did_you_mean(f"{section}.{name}", f"{other}.{name}")
        return None if self.sections[section] else f"the blueprint has no `{section}`"

    def _datasource(self, node: Reference, name: str, report: Report) -> str:
        definition = self.sections["datasources"].get(name)
        if definition is not None and not isinstance(definition, Map):
            return "any"
        if definition is None:
            return self._missing("datasources", name, node, report)
        exports = definition.get("exports")
        if not isinstance(exports, Map):
            return "any"
        field = str(node.path[1])
        export = exports.get(field)
        if export is not None and not isinstance(export, Map):
            return "any"
        if export is None:
            report.add(
                "data_source_field_not_exported",
                f"the data source `{name}` does not export `{field}`",
                node,
                lambda: _offered(field, exports.items),
            )
            return "any"
        declared = text_of(export.get("type"))
        if declared not in FIELD_TYPES:
            return "any"
        if len(node.path) > 2:
            if declared != "array":
                report.add(
                    "data_source_field_not_array",
                    f"`datasources.{name}.{field}` is of type {declared} and has no elements",
                    node,
                )
            return "any"
        return declared

    def _resource(self, node: Reference, report: Report, parameter: Any) -> str:
        name = str(node.path[0])
        resources = self.sections["resources"]
        takes_function = parameter is not None and "function" in parameter.types
        if node.bare and len(node.path) == 1 and takes_function and name in self.functions:
            return "function"
        definition = resources.get(name)
        if definition is not None and not isinstance(definition, Map):
            return "any"
        if definition is None:
            return self._no_resource(node, name, takes_function, report)
        path = node.path[1:]
        indexed = bool(path) and isinstance(path[0], int)
        takes_resource = parameter is not None and "resource" in parameter.types
        if definition.get("each") is None:
            if indexed:
                report.add(
                    "resource_not_template",
                    f"the resource `{name}` has no `each`, so it has no instances to pick from",
                    node,
                )
                return "any"
        else:
            if not indexed:
                report.add(
                    "resource_template_needs_index",
                    f"the resource `{name}` has `each`: say which instance, as in "
                    f"`resources.{name}[0]`",
                    node,
                )
                return "any"
            path = path[1:]
        if not path:
            return "resource" if takes_resource else "any"
        if path[0] not in FACETS:
            shown = f"[{path[0]}]" if isinstance(path[0], int) else f"`{path[0]}`"
            spec = definition.get("spec")
            in_spec: str | None = None
            if isinstance(spec, Map) and path[0] in spec.items:
                fit = f"{name}.spec.{path[0]}"
                said = f"did you mean `resources.{fit}`?"
                in_spec = Remedy(said, fit, f"{name}.{path[0]}", sure=False)
            elif isinstance(path[0], str) and path[0] not in RESOURCE.fields:
                in_spec = (
                    f"write `resources.{name}.state.{path[0]}` for what the deployment gives, or "
                    "`.spec.` for what is written"
                )
            report.add(
                "invalid_reference",
                f"{shown} is not part of a resource; use `state`, `spec` or `metadata`",
                node,
                lambda: meant(str(path[0]), FACETS) or in_spec,
            )
            return "any"
        return self._facet(node, name, path, report)

    def _facet(
        self, node: Reference, name: str, path: tuple[str | int, ...], report: Report
    ) -> str:
        definition = self.sections["resources"][name]
        content = definition.get(str(path[0])) if isinstance(definition, Map) else None
        if path[0] == "spec" and self.document.version == OLDER:
            return self._written(content, path[1:], node, report)
        if path[0] == "spec":  # in the newer version, fields absent from a spec are computed later
            return self._written(content, path[1:], node, None)
        if path[0] == "state":
            return "any"
        if len(path) > 1:
            part = path[1]
            if part not in METADATA:
                report.add(
                    "invalid_reference",
                    f"`{part}` is not a field of resource metadata",
                    node,
                    lambda: meant(str(part), METADATA) or f"available: {listed(METADATA)}",
                )
                return "any"
            if part == "displayName" and len(path) > 2:
                report.add("path_not_found", "`displayName` is a string and has no fields", node)
                return "any"
            if part in ("labels", "annotations") and len(path) > 3:
                report.add(
                    "path_not_found",
                    f"the values of `{part}` have no fields",
                    node,
                    f'quote a key with dots: `resources.{name}.metadata.{part}["a.b"]`',
                )
                return "any"
        if content is None:
            report.add("path_not_found", f"the resource `{name}` has no `metadata`", node)
            return "any"
        return self._written(content, path[1:], node, report)

    def _written(
        self,
        content: AnyNode | None,
        path: tuple[str | int, ...],
        node: Reference,
        report: Report | None,
    ) -> str:
        """The type at a path of literal content; mistakes are reported."""
        if content is None:
            return "any"

        try:
            return self._written_type(content, path, node)
        except Failure as failure:
            if report is not None:
                report.add(failure.code, failure.summary, node, failure.hint)
            return "any"

    def _written_type(self, node: AnyNode, path: Path, reference: Reference) -> str:
        """The type at a path below a node; `any` where a substitution decides it.

        Raises:
            Failure: `path_not_found` or `index_out_of_bounds` at `reference`, as the evaluation
                words them: no value of any substitution could make the path lead somewhere.
        """
        for item in path:
            match node:
                case Map(items=items):
                    if isinstance(item, int) or item not in items:
                        raise missing_field(item, items, reference)
                    node = items[item]
                case Array(items=elements):
                    if not isinstance(item, int) or item >= len(elements):
                        navigate([0] * len(elements), (item,), reference)
                    assert isinstance(item, int)
                    if item >= self._first_open(node):
                        return "any"  # a none is dropped, which shifts the elements after it
                    node = elements[item]
                case Scalar(value=value) if value is not None and value != MASK:
                    navigate(value, (item,), reference)
                case _:
                    return "any"
        if _may_be_none(node) or (isinstance(node, Scalar) and node.value == MASK):
            return "any"
        return kind_of(node)

    def _first_open(self, node: Array) -> int:
        """The index of the first element that may be none; the number of them without one."""
        found = self._open.get(id(node))
        if found is None:
            elements = node.items
            found = next((i for i, one in enumerate(elements) if _may_be_none(one)), len(elements))
            self._open[id(node)] = found
        return found

    def _no_resource(self, node: Reference, name: str, takes_function: bool, report: Report) -> str:
        """The type of a name that is not a resource: an installed function, or a mistake."""
        if takes_function and node.bare and len(node.path) == 1:
            try:
                find_function(name, self.functions, node)
            except Failure as failure:
                report.add(failure.code, failure.summary, node, failure.hint)
                return "any"
            return "function"
        if self._is_open("resources"):
            return "any"
        summary = f"there is no resource `{name}`"
        report.add("resource_not_found", summary, node, lambda: self._near_resource(node, name))
        return "any"

    def _near_resource(self, node: Reference, name: str) -> str | None:
        from ..structure.near_fields import advice

        template, _, index = name.rpartition("_")
        made_of = self.sections["resources"].get(template)
        if isinstance(made_of, Map) and "each" in made_of.items and index.isdecimal():
            path = (template, int(index[:9]), *node.path[1:])
            shown = self.context.language.syntax.show(Reference("resources", path))
            return f"write `{shown}`: `{template}` is a template with `each`"
        if not node.bare:
            return meant(name, self.names("resources"))
        if name in self.functions:
            return f"`{name}` is a function: call it as `{name}(...)`"
        for section in ("datasources", "values", "variables"):
            if name in self.sections[section]:
                return did_you_mean(name, f"{section}.{name}")
        return (
            self._other_word(node)
            or (advice(name, "reference") if len(node.path) > 1 else None)
            or meant(name, self.names("resources"))
            or self._near_root(node)
            or "a name without a prefix is a resource; put strings in quotes"
        )

    def _other_word(self, node: Reference) -> str | None:
        """The hint for a bare name that another language has for a word of this one."""
        name = str(node.path[0]).lower()
        if len(node.path) > 1 and node.path[:2] in _ELEMENTS:
            word = _ELEMENTS[node.path[:2]]  # type: ignore[index]
            return did_you_mean(self.context.language.syntax.show(node), word)
        if len(node.path) > 1:
            return self._below(_ROOTS[name], node) if name in _ROOTS else None
        word = _WORDS.get(name, name)
        known = word in ("true", "false", "none", "elem")
        return did_you_mean(str(node.path[0]), word) if known else None

    def _near_root(self, node: Reference) -> str | None:
        """The hint for a bare name of several parts that begins with a misspelt root."""
        roots = ("variables", "values", "datasources", "children", "resources")
        near = nearest(str(node.path[0]), roots) if len(node.path) > 1 else None
        return self._below(near, node) if near else None

    def _below(self, root: str, node: Reference) -> str:
        shown = self.context.language.syntax.show(Reference(root, node.path[1:]))
        return did_you_mean(self.context.language.syntax.show(node), shown)


def _offered(name: str, exports: Mapping[str, object]) -> str | None:
    """The hint for an export that does not exist."""
    return meant(name, exports) or (f"it exports {listed(exports)}" if exports else None)


def _may_be_none(node: AnyNode) -> bool:
    """True for null, and for a lone substitution; text around one makes it a string."""
    if isinstance(node, Template):
        return is_lone(node)
    return isinstance(node, Scalar) and node.value is None
