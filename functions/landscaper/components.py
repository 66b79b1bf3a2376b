"""Component descriptors as templates look things up in them, and their two forms.

Inside, all of them have the form v2; the form v3alpha1 is converted.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any, Final, Protocol

from ..go.yaml_text import to_yaml
from ..gotemplate.guards import TYPES, failed
from ..gotemplate.kinds import fresh as fresh
from ..names import meant
from ..signatures import Declarations
from ..values import FunctionError

function: Final = Declarations("components", __package__, propagates_none=False, types=TYPES)
ONLY_IN_TEMPLATES: Final = frozenset(("getResources", "getRepositoryContext"))
"""The functions that Spiff does not have."""

BOTH_ENGINES: Final = "In GoTemplates and in Spiff"

_V3: Final = "ocm.software/v3alpha1"
_LISTS: Final = ("repositoryContexts", "sources", "resources", "componentReferences")


class Components(Protocol):
    """The components of a run, as plain data of the form v2; `descriptor` is the own one."""

    descriptor: dict[str, Any] | None

    def find(self, name: str, version: str) -> dict[str, Any] | None:
        """A component by its name and version."""

    def content(self, descriptor: dict[str, Any], resource: dict[str, Any]) -> bytes:
        """What a resource holds; raises `FunctionError` for one that is not in a registry."""

    def parsed(self, text: str) -> Any:
        """The data of a YAML text; raises `FunctionError`."""

    def spend(self, steps: int) -> None:
        """Counts the steps of a search; raises `FunctionError` for too many."""


class Environment(Protocol):
    """What functions with the effect `components` get first."""

    components: Components


# forms


def is_descriptor(data: Any) -> bool:
    """True for a map that looks like a descriptor of either form."""
    return isinstance(data, dict) and ("component" in data or "metadata" in data)


def as_v2(data: dict[str, Any]) -> dict[str, Any]:
    """A descriptor in the form v2, with the lists that it lacks.

    Raises:
        FunctionError: its parts are not maps and lists of maps.
    """
    about, spec = data.get("metadata") or {}, data.get("spec") or {}
    component = data.get("component", about)
    if not all(isinstance(one, dict) for one in (about, spec, component)):
        raise failed("the parts of a component descriptor must be maps")
    if "component" not in data:
        provider = about.get("provider")
        component = {**about, "repositoryContexts": data.get("repositoryContexts")}
        component["provider"] = provider.get("name") if isinstance(provider, dict) else provider
        for key, of_v3 in zip(_LISTS[1:], ("sources", "resources", "references"), strict=True):
            component[key] = spec.get(of_v3)
    lists = {key: component.get(key) or [] for key in _LISTS}
    for key, entries in lists.items():
        if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
            raise failed(f"`{key}` of a component descriptor must be a list of maps")
    meta = data.get("meta") or {"schemaVersion": "v2"}
    return {"meta": meta, "component": {**component, **lists}}


def as_v3(data: dict[str, Any]) -> dict[str, Any]:
    """A descriptor of the form v2 in the form v3alpha1."""
    component = data["component"]
    about = {key: one for key, one in component.items() if key not in _LISTS}
    return {
        "apiVersion": _V3,
        "kind": "ComponentVersion",
        "metadata": {**about, "provider": {"name": component.get("provider")}},
        "repositoryContexts": component["repositoryContexts"],
        "spec": {
            "sources": component["sources"],
            "resources": component["resources"],
            "references": component["componentReferences"],
        },
    }


# lookups


def matching(
    components: Components, descriptor: dict[str, Any], kind: str, wanted: dict[str, str]
) -> list[dict[str, Any]]:
    """The `resources` or `componentReferences` whose identity has all of the wanted pairs.

    The identity is the name with the extra identity.

    Raises:
        FunctionError: `resource_not_found`, `component_not_found`.
    """
    entries = descriptor["component"][kind]
    components.spend(len(entries))
    found = []
    for entry in entries:
        extra = entry.get("extraIdentity")
        known = {**(extra if isinstance(extra, dict) else {}), "name": entry.get("name")}
        if all(known.get(key) == value for key, value in wanted.items()):
            found.append(entry)
    if found:
        return found
    what, code = "resource", "resource_not_found"
    if kind != "resources":
        what, code = "component reference", "component_not_found"
    pairs = ", ".join(f"{key} {value}" for key, value in wanted.items())
    names = [str(entry.get("name")) for entry in entries]
    hint = meant(str(wanted.get("name")), names) or (
        f"there are: {', '.join(names[:10])}" if names else f"the component has no {what}s"
    )
    name = descriptor["component"].get("name")
    raise FunctionError(f"component `{name}` has no {what} with {pairs}", code, hint)


def referred(components: Components, reference: dict[str, Any]) -> dict[str, Any]:
    """The component that a reference leads to.

    Raises:
        FunctionError: `component_not_found`.
    """
    name, version = reference.get("componentName"), reference.get("version")
    found = components.find(str(name), str(version))
    if found is None:
        summary = f"no component `{name}` with version {version} was given"
        hint = "`--component-descriptor FILE` or `--registry DIR` supplies it"
        raise FunctionError(summary, "component_not_found", hint)
    return found


def own(components: Components) -> dict[str, Any]:
    """The blueprint's own component.

    Raises:
        FunctionError: `component_missing`.
    """
    if components.descriptor is None:
        hint = "`--component-descriptor FILE` supplies it"
        raise FunctionError("the blueprint has no component", "component_missing", hint)
    return components.descriptor


def follow(
    components: Components,
    descriptor: dict[str, Any],
    path: Iterable[dict[str, str]],
    resource: dict[str, str],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A resource and its component at the end of references.

    Raises:
        FunctionError: `resource_not_found`, `component_not_found`.
    """
    for step in path:
        descriptor = referred(
            components, matching(components, descriptor, "componentReferences", step)[0]
        )
    return descriptor, matching(components, descriptor, "resources", resource)[0]


def parse_address(address: str) -> tuple[list[dict[str, str]], dict[str, str]]:
    """The references and the resource of `cd://componentReferences/C/../resources/R`.

    Raises:
        FunctionError: `blueprint_reference` for another text.
    """
    kinds = address.removeprefix("cd://").split("/")
    names = kinds[1::2]
    kinds = kinds[::2]
    if (
        not address.startswith("cd://")
        or len(kinds) != len(names)
        or kinds != [*["componentReferences"] * (len(kinds) - 1), "resources"]
    ):
        summary = f"`{address}` is not the address of a resource"
        hint = "write `cd://resources/NAME` or `cd://componentReferences/NAME/resources/NAME`"
        raise FunctionError(summary, "blueprint_reference", hint)
    *steps, resource = [{"name": name} for name in names]
    return steps, resource


def _asked(
    environment: Environment, name: str, arguments: tuple[Any, ...]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The component and the identity that arguments name: `[CD] KEY VALUE ..`."""
    first = arguments[0] if arguments else None
    if arguments and first is None:
        own(environment.components)  # `.cd` of a blueprint without a component
    pairs = arguments[1:] if isinstance(first, dict) else arguments
    if len(pairs) < 2 or len(pairs) % 2:
        raise failed(f"`{name}` takes pairs of a key and a value, after a descriptor or not")
    if not all(isinstance(one, str) for one in pairs):
        raise failed(f"keys and values of `{name}` must be strings")
    if not isinstance(first, dict):
        descriptor = own(environment.components)
    elif is_descriptor(first):
        descriptor = as_v2(first)
    else:
        raise failed(f"the first argument of `{name}` is a map, but not a component descriptor")
    return descriptor, dict(zip(pairs[::2], pairs[1::2], strict=True))


def _get_resource(environment: Environment, *arguments: Any) -> Any:
    descriptor, wanted = _asked(environment, "getResource", arguments)
    return fresh(matching(environment.components, descriptor, "resources", wanted)[0])


def _get_resources(environment: Environment, *arguments: Any) -> Any:
    descriptor, wanted = _asked(environment, "getResources", arguments)
    return fresh(matching(environment.components, descriptor, "resources", wanted))


def _get_component(environment: Environment, *arguments: Any) -> Any:
    descriptor, wanted = _asked(environment, "getComponent", arguments)
    components = environment.components
    reference = matching(components, descriptor, "componentReferences", wanted)[0]
    return fresh(referred(components, reference))


def _get_repository_context(environment: Environment, descriptor: dict[str, Any]) -> Any:
    contexts = as_v2(descriptor)["component"]["repositoryContexts"]
    if not contexts:
        raise failed("the component has no repository context")
    return fresh(contexts[-1])


def _resource(
    environment: Environment, reference: Any
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """The component, the resource and its identity: of an address, or of YAML or a map."""
    components = environment.components
    wanted: Any
    if isinstance(reference, str) and reference.startswith("cd://"):
        steps, wanted = parse_address(reference)
    else:
        data = components.parsed(reference) if isinstance(reference, str) else reference
        wanted, steps = (
            (data.get("resource"), data.get("referencePath") or [])
            if isinstance(data, dict)
            else (None, [])
        )
        if not isinstance(steps, list) or not all(
            isinstance(one, dict) for one in [*steps, wanted]
        ):
            hint = "write `resource: {name: NAME}`, `referencePath: [{name: NAME}]`"
            raise failed("this is neither an address `cd://..` nor the key of a resource", hint)
    descriptor, found = follow(components, own(components), steps, wanted)
    return descriptor, found, wanted


def _get_resource_key(environment: Environment, reference: Any) -> str:
    descriptor, _, wanted = _resource(environment, reference)
    component = {key: descriptor["component"].get(key) for key in ("name", "version")}
    text = to_yaml({"component": component, "resource": wanted})
    return base64.b64encode(text.encode()).decode("ascii")


def _get_resource_content(environment: Environment, reference: Any) -> str:
    descriptor, resource, _ = _resource(environment, reference)
    data = environment.components.content(descriptor, resource)
    access = resource.get("access")
    media = access.get("mediaType", "") if isinstance(access, dict) else ""
    if media == "application/octet-stream":
        return base64.b64encode(data).decode("ascii")
    return data.decode("utf-8", "replace")


for _signature, _call in (
    ("getResource(...arguments: any) -> map", _get_resource),
    ("getResources(...arguments: any) -> list", _get_resources),
    ("getComponent(...arguments: any) -> map", _get_component),
    ("getRepositoryContext(descriptor: map) -> map", _get_repository_context),
    ("getResourceKey(reference: any) -> string", _get_resource_key),
    ("getResourceContent(reference: any) -> string", _get_resource_content),
):
    _name = _signature.partition("(")[0]
    _note = "Only in GoTemplates" if _name in ONLY_IN_TEMPLATES else BOTH_ENGINES
    function(_signature, effect="components", notes=(_note,))(_call)
